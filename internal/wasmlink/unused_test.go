package wasmlink

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A function that becomes a plain return exists in this release of Go and has no result,
// which a caller would read from memory that nobody has written.
func TestIdleFunctionsHaveNoResults(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, pkg := range []string{"runtime", "internal/cpu"} {
		folder := filepath.Join(strings.TrimSpace(string(root)), "src", filepath.FromSlash(pkg))
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && idle[symbol(pkg, f)] {
					found[symbol(pkg, f)] = true
					if f.Type.Results != nil {
						t.Errorf("%s has results", symbol(pkg, f))
					}
				}
			}
		}
	}
	for name := range idle {
		if !found[name] {
			t.Errorf("%s does not exist", name)
		}
	}
}

// symbol returns the linker's name of a function.
func symbol(pkg string, f *ast.FuncDecl) string {
	if f.Recv == nil {
		return pkg + "." + f.Name.Name
	}
	switch receiver := f.Recv.List[0].Type.(type) {
	case *ast.Ident:
		return pkg + "." + receiver.Name + "." + f.Name.Name
	case *ast.StarExpr:
		if base, ok := receiver.X.(*ast.Ident); ok {
			return pkg + ".(*" + base.Name + ")." + f.Name.Name
		}
	}
	return ""
}

// What a body may call or refer to is found wherever its instructions begin; what it cannot
// name stays unreached.
func TestMentions(t *testing.T) {
	c := code{imports: 2, bodies: make([][]byte, 200)}
	for what, body := range map[string][]byte{
		"a call":                          {0, 0x10, 7},
		"a call as the linker writes it":  {0, 0x10, 0x87, 0x00},
		"a function's number":             {0, 0x41, 0x85, 0x20},
		"a function's PC":                 append([]byte{0, 0x42}, appendSigned(nil, (firstEntry+5)<<16+3)...),
		"a call after another's last one": {0x41, 0x10, 7, 0x0b},
	} {
		var got []uint64
		c.mentions(body, func(i uint64) {
			if i < uint64(len(c.bodies)) {
				got = append(got, i)
			}
		})
		if !slices.Contains(got, 5) {
			t.Errorf("%s: reaches %v, want 5 among them", what, got)
		}
	}
}

// Of the trial, the entry points stay, and of the execution tracer nothing does.
func TestUnusedFunctionsGo(t *testing.T) {
	before, _ := opened(t, build(t, "./testdata/trial"))
	_, c := opened(t, shrunk(t, build(t, "./testdata/trial")))
	all, err := before.records()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{ // whether the body is emptied
		"_rt0_wasm_wasip1":               false,
		"main.main":                      false,
		"runtime.gopanic":                false,
		"runtime.gcStart":                false,
		"runtime.schedtrace":             true,
		"runtime.traceAdvance":           true,
		"runtime.traceLocker.GoPark":     true,
		"runtime.typesEqual":             true,
		"runtime.(*hexdumper).flushLine": true,
		"runtime.traceback2":             true,
	}
	for _, r := range all {
		name, err := before.name(get(r, fieldName))
		if err != nil {
			t.Fatal(err)
		}
		empty, ok := want[name]
		if ok && emptied(c.bodies[r.body()]) != empty {
			t.Errorf("%s: emptied %t, want %t", name, !empty, empty)
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("%s is not in the trial", name)
	}
}
