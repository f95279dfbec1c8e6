package deps

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// exactMath is what the core may call of package math: functions with a result that
// is exact, or rounded once, on every processor.
var exactMath = []string{
	"Abs", "Ceil", "Copysign", "Float32bits", "Float32frombits", "Float64bits", "Float64frombits",
	"Floor", "Frexp", "Inf", "IsInf", "IsNaN", "Ldexp", "Max", "Min", "Mod", "Modf", "NaN",
	"Nextafter", "Nextafter32", "Round", "RoundToEven", "Signbit", "Sqrt", "Trunc",
}

// TestPurity reads the source of every core package: no goroutine or channel, no
// range over a map, no function of math that differs between processors, no
// package variable that changes.
func TestPurity(t *testing.T) {
	root := sources(t)
	core := []string{"-export", "-deps"}
	for _, p := range list(t, root, "linux/amd64", "./...") {
		if inCore(p.ImportPath) {
			core = append(core, p.ImportPath)
		}
	}
	all := list(t, root, "linux/amd64", core...)
	exports := map[string]string{}
	for _, p := range all {
		exports[p.ImportPath] = p.Export
	}
	for _, p := range all {
		switch {
		case !inCore(p.ImportPath):
			continue
		case p.Incomplete:
			t.Errorf("%s does not compile: not looked at", p.ImportPath)
			continue
		}
		fset := token.NewFileSet()
		var files []*ast.File
		for _, f := range p.GoFiles {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, f), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		for _, fault := range impurities(t, fset, p.ImportPath, files, exports) {
			t.Error(strings.TrimPrefix(fault, root+"/"))
		}
	}
}

// inCore reports whether a package belongs to a core package.
func inCore(importPath string) bool {
	name, ours := PackageOf(importPath)
	pkg, _ := Lookup(name)
	return ours && pkg.Core
}

// TestPurityCatches shows the gate a package with one of each fault: the lines
// marked "bad" and no other.
func TestPurityCatches(t *testing.T) {
	root := sources(t)
	exports := map[string]string{}
	for _, p := range list(t, root, "linux/amd64", "-export", "-deps", "math", "errors") {
		exports[p.ImportPath] = p.Export
	}
	const name = "testdata/impure.go"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := impurities(t, fset, "impure", []*ast.File{file}, exports)
	var lines, want []string
	for _, g := range got {
		lines = append(lines, strings.Split(g, ":")[1])
	}
	for i, l := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(l, "// bad") {
			want = append(want, fmt.Sprint(i+1))
		}
	}
	if lines = slices.Compact(lines); !slices.Equal(lines, want) {
		t.Errorf("faults on lines %v, want %v:\n%s", lines, want, strings.Join(got, "\n"))
	}
}

// impurities type-checks a package and names its faults, in source order.
func impurities(t *testing.T, fset *token.FileSet, path string, files []*ast.File, exports map[string]string) []string {
	t.Helper()
	info := &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", lookup)}
	if _, err := conf.Check(path, fset, files, info); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	var out []string
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if why := impure(info, n); why != "" {
				out = append(out, fmt.Sprintf("%s: %s", fset.Position(n.Pos()), why))
			}
			return true
		})
	}
	return out
}

// impure says what is wrong with one node, and nothing if it is fine.
func impure(info *types.Info, n ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "the core starts no goroutine"
	case *ast.SelectStmt, *ast.ChanType:
		return "the core has no channels"
	case *ast.RangeStmt:
		if t := info.TypeOf(n.X); t != nil {
			if _, ok := t.Underlying().(*types.Map); ok {
				return "a map's order differs from run to run: range over a slice"
			}
		}
		if n.Tok == token.ASSIGN {
			return changes(info, n.Key, n.Value)
		}
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return changes(info, n.Lhs...)
		}
	case *ast.IncDecStmt:
		return changes(info, n.X)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return changes(info, n.X)
		}
	case *ast.SelectorExpr:
		return selector(info, n)
	}
	return ""
}

// selector looks at a use of package math and at a method value that takes a
// package variable's address.
func selector(info *types.Info, n *ast.SelectorExpr) string {
	if f, ok := info.Uses[n.Sel].(*types.Func); ok && f.Pkg() != nil && f.Pkg().Path() == "math" &&
		!slices.Contains(exactMath, f.Name()) {
		return "math." + f.Name() + " differs between processors: geom has its own"
	}
	s := info.Selections[n]
	if s == nil || s.Kind() != types.MethodVal {
		return ""
	}
	sig := s.Obj().Type().(*types.Signature)
	_, wants := sig.Recv().Type().(*types.Pointer)
	if _, has := s.Recv().(*types.Pointer); wants && !has {
		return changes(info, n.X)
	}
	return ""
}

// changes names the package variable that an assignment to any of the places
// would change.
func changes(info *types.Info, places ...ast.Expr) string {
	for _, e := range places {
		if v := base(info, e); v != nil && v.Parent() == v.Pkg().Scope() {
			return fmt.Sprintf("the package variable %s is state that a replay cannot see", v.Name())
		}
	}
	return ""
}

// base returns the variable that a place such as v.f[i] belongs to, or nil.
func base(info *types.Info, e ast.Expr) *types.Var {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			v, _ := info.Uses[x].(*types.Var)
			return packaged(v)
		case *ast.SelectorExpr:
			if v, ok := info.Uses[x.Sel].(*types.Var); ok && !v.IsField() {
				return packaged(v)
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// packaged returns v if it belongs to a package, and nil otherwise.
func packaged(v *types.Var) *types.Var {
	if v == nil || v.Pkg() == nil {
		return nil
	}
	return v
}
