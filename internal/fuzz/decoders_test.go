package main

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/internal/deps"
)

var list = flag.Bool("list", false, "print the decoders that the table lacks")

// source is the functions of a folder, by name: methods as Type.name. The tests of a folder are with it.
type source struct {
	functions map[string]*ast.FuncDecl
	test      map[string]bool            // whether it is in a test file
	variables map[string]map[string]bool // of the package, and what their values mention: tables of functions
}

func newSource() *source {
	return &source{map[string]*ast.FuncDecl{}, map[string]bool{}, map[string]map[string]bool{}}
}

// parseModule reads the folders that decode something from outside: not what serves tests and the build.
func parseModule(t *testing.T) map[string]*source {
	t.Helper()
	root, err := deps.Root()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*source{}
	files := token.NewFileSet()
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if rel = filepath.ToSlash(rel); d.IsDir() {
			if slices.Contains([]string{"testdata", "node_modules", ".git", "build"}, d.Name()) || rel == "internal" || rel == "web" || rel == "docs" {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(rel))
		if all[dir] == nil {
			all[dir] = newSource()
		}
		all[dir].add(f, strings.HasSuffix(path, "_test.go"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// add adds the functions of a file.
func (s *source) add(f *ast.File, test bool) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			name := deps.FunctionName(fn)
			s.functions[name], s.test[name] = fn, test
		}
		g, ok := d.(*ast.GenDecl)
		for i := 0; ok && g.Tok == token.VAR && i < len(g.Specs); i++ {
			for _, name := range g.Specs[i].(*ast.ValueSpec).Names {
				s.variables[name.Name] = mentions(g)
			}
		}
	}
}

// reading is how functions are named that take bytes or text from outside.
var reading = regexp.MustCompile(`^(Read|Unpack|Parse|Decode|Open|Receive|Load|read|unpack|parse|decode|open|receive|load)`)

// decodes reports whether a function turns bytes from outside into values: it packs in both directions,
// takes bytes or text and is named so, or reads JSON.
func decodes(fn *ast.FuncDecl) bool {
	for _, p := range fn.Type.Params.List {
		switch of := typeText(p.Type); of {
		case "*bits.Packer":
			return true
		case "[]byte", "string", "io.Reader", "io.ReaderAt", "Source":
			if reading.MatchString(fn.Name.Name) {
				return true
			}
		}
	}
	json := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && typeText(s.X) == "json" && (s.Sel.Name == "Unmarshal" || s.Sel.Name == "NewDecoder") {
			json = true
		}
		return true
	})
	return json
}

func typeText(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.StarExpr:
		return "*" + typeText(x.X)
	case *ast.ArrayType:
		return "[]" + typeText(x.Elt)
	case *ast.SelectorExpr:
		return typeText(x.X) + "." + x.Sel.Name
	}
	return ""
}

// mentions is the names that a part of the source has.
func mentions(part ast.Node) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(part, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
		return true
	})
	return names
}

// entries returns the decoders of a folder that no other decoder of it calls: those are reached through it.
func (s *source) entries() (found []string) {
	inner := map[string]bool{}
	for name, fn := range s.functions {
		if s.test[name] || !decodes(fn) {
			continue
		}
		for other := range mentions(fn.Body) {
			if other != fn.Name.Name {
				inner[other] = true
			}
			maps.Copy(inner, s.variables[other])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.functions)) {
		fn := s.functions[name]
		if !s.test[name] && decodes(fn) && (ast.IsExported(fn.Name.Name) || !inner[fn.Name.Name]) {
			found = append(found, name)
		}
	}
	return found
}

// reach returns all names that a function mentions, and what they mention in the same folder.
func (s *source) reach(name string) map[string]bool {
	names, queue := map[string]bool{}, []string{name}
	bare := map[string][]string{}
	for full, fn := range s.functions {
		bare[fn.Name.Name] = append(bare[fn.Name.Name], full)
	}
	done := map[string]bool{}
	for len(queue) > 0 {
		found := s.variables[queue[0]]
		if fn := s.functions[queue[0]]; fn != nil {
			found = mentions(fn.Body)
		}
		queue = queue[1:]
		for n := range found {
			names[n] = true
			for _, full := range append(bare[n], n) {
				if !done[full] {
					done[full] = true
					queue = append(queue, full)
				}
			}
		}
	}
	return names
}

// row is a line of testdata/decoders.txt.
type row struct{ decoder, target, reason string }

func readRows(t *testing.T) (rows []row) {
	t.Helper()
	f, err := os.Open("testdata/decoders.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		decoder, rest, _ := strings.Cut(line, " ")
		target, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
		rows = append(rows, row{decoder, target, strings.TrimSpace(reason)})
	}
	return rows
}

// faults compares the table with the decoders of the source.
func faults(all map[string]*source, rows []row) (wrong []string) {
	table := map[string]row{}
	for _, r := range rows {
		if _, twice := table[r.decoder]; twice {
			wrong = append(wrong, r.decoder+" is there twice")
		}
		table[r.decoder] = r
	}
	for _, dir := range slices.Sorted(maps.Keys(all)) {
		for _, name := range all[dir].entries() {
			full := dir + "." + name
			r, there := table[full]
			delete(table, full)
			switch {
			case !there:
				wrong = append(wrong, full+" decodes something and has no fuzz target: write one and its line in testdata/decoders.txt")
			case r.target == "-" && r.reason == "":
				wrong = append(wrong, full+" has neither a fuzz target nor a reason")
			case r.target != "-":
				wrong = append(wrong, unreached(all, r, all[dir].functions[name].Name.Name)...)
			}
		}
	}
	for name := range table {
		wrong = append(wrong, name+" is in the table and decodes nothing, or another decoder of its package calls it")
	}
	slices.SortFunc(wrong, cmp.Compare)
	return wrong
}

// unreached checks that a target exists and comes to the decoder.
func unreached(all map[string]*source, r row, decoder string) []string {
	i := strings.LastIndex(r.target, ".")
	dir, name := r.target[:max(i, 0)], r.target[i+1:]
	s := all[dir]
	if s == nil || s.functions[name] == nil || !strings.HasPrefix(name, "Fuzz") {
		return []string{fmt.Sprintf("%s: there is no fuzz target %s", r.decoder, r.target)}
	}
	if !s.reach(name)[decoder] {
		return []string{fmt.Sprintf("%s: the fuzz target %s does not come to it", r.decoder, r.target)}
	}
	return nil
}

// Every decoder of the repository has a fuzz target that comes to it, or a reason why it has none. [THR-13]
func TestEveryDecoderHasATarget(t *testing.T) {
	all := parseModule(t)
	n := 0
	for _, r := range readRows(t) {
		if r.target != "-" {
			n++
		}
	}
	for _, f := range faults(all, readRows(t)) {
		if *list {
			fmt.Println(f)
		}
		t.Error(f)
	}
	t.Logf("%d decoders have a fuzz target, %d a reason", n, len(readRows(t))-n)
}

// The gate finds a decoder that is new, one whose target is gone, and one that its target does not reach.
func TestTheGateFindsDecoders(t *testing.T) {
	const text = `package p
func (m *Message) Pack(p *bits.Packer) { packPart(p) }
func packPart(p *bits.Packer) {}
func Parse(text string) int { return 0 }
func ReadAll(r io.Reader) {}
func answer(b []byte) { json.Unmarshal(b, nil) }
func Read(n int) {}
	func FuzzMessage(f *testing.F) { helper() }
func helper() { m.Pack(nil) }`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := newSource()
	s.add(f, false)
	s.test["FuzzMessage"], s.test["helper"] = true, true
	got := faults(map[string]*source{"p": s}, []row{
		{"p.Message.Pack", "p.FuzzMessage", ""}, {"p.Parse", "p.FuzzMessage", ""}, {"p.ReadAll", "p.FuzzGone", ""}, {"p.Old", "-", "a reason"}})
	want := []string{
		"p.Old is in the table and decodes nothing, or another decoder of its package calls it",
		"p.Parse: the fuzz target p.FuzzMessage does not come to it",
		"p.ReadAll: there is no fuzz target p.FuzzGone",
		"p.answer decodes something and has no fuzz target: write one and its line in testdata/decoders.txt",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
