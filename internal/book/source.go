package book

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/backstep-net/backstep/internal/deps"
)

// source is a package as its files say it.
type source struct {
	dir       string // from the module's folder
	files     []*ast.File
	positions *token.FileSet
}

// name returns the package's name.
func (s *source) name() string { return s.files[0].Name.Name }

// comment returns the package's doc comment.
func (s *source) comment() string {
	for _, f := range s.files {
		if f.Doc != nil {
			return f.Doc.Text()
		}
	}
	return ""
}

// public returns the packages that games import, in the order of [deps.Packages]: those of the
// module without commands, examples and what serves tests.
func public(tree fs.FS) ([]*source, error) {
	var all []*source
	for _, p := range deps.Packages {
		if slices.Contains([]string{"cmd", "examples", "internal", "scripts"}, p.Name) {
			continue
		}
		err := fs.WalkDir(tree, p.Name, func(dir string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				if dir == p.Name { // a row of the table for a package that is still to come
					return nil
				}
				return err
			}
			if base := path.Base(dir); base == "testdata" || base == "internal" {
				return fs.SkipDir
			}
			s, err := read(tree, dir)
			if s != nil {
				all = append(all, s)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// read reads the package in a folder, without its tests; nil where there is none.
func read(tree fs.FS, dir string) (*source, error) {
	names, err := fs.Glob(tree, dir+"/*.go")
	if err != nil {
		return nil, err
	}
	s := &source{dir: dir, positions: token.NewFileSet()}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(s.positions, name, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, file)
	}
	if len(s.files) == 0 || s.files[0].Name.Name == "main" {
		return nil, nil
	}
	return s, nil
}

// structure is an exported struct type.
type structure struct {
	comment string
	node    *ast.StructType
}

// structs returns the exported struct types of the package by name.
func (s *source) structs() map[string]structure {
	found := map[string]structure{}
	for _, f := range s.files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				t, ok := spec.(*ast.TypeSpec)
				if !ok || !t.Name.IsExported() {
					continue
				}
				if node, ok := t.Type.(*ast.StructType); ok {
					found[t.Name.Name] = structure{g.Doc.Text() + t.Doc.Text(), node}
				}
			}
		}
	}
	return found
}

// text returns the source of a node.
func (s *source) text(n ast.Node) string {
	var b strings.Builder
	if err := printer.Fprint(&b, s.positions, n); err != nil {
		return fmt.Sprint(err) // a Builder takes everything
	}
	return b.String()
}

// row is a run of fields that one comment is about.
type row struct{ names, kinds, comments []string }

// rows returns the exported fields of a struct. A comment above a run of fields is about all of
// them; a comment at the end of a line is about its own alone.
func (s *source) rows(t *ast.StructType) []row {
	var rows []row
	next := 0 // the line below a run that the comment above it is about
	for _, f := range t.Fields.List {
		line := s.positions.Position(f.Pos()).Line
		run := f.Doc == nil && line == next && len(rows) > 0
		next = s.positions.Position(f.End()).Line + 1
		names := fieldNames(f)
		if len(names) == 0 {
			continue
		}
		if !run || f.Comment != nil {
			rows = append(rows, row{})
		}
		r := &rows[len(rows)-1]
		r.names = append(r.names, names...)
		if kind := s.text(f.Type); !slices.Contains(r.kinds, kind) {
			r.kinds = append(r.kinds, kind)
		}
		for _, c := range []*ast.CommentGroup{f.Doc, f.Comment} {
			if c != nil {
				r.comments = append(r.comments, c.Text())
			}
		}
	}
	return rows
}

// fields returns the exported fields of a struct as a table; in the struct of an answer the names
// are those of its JSON.
func (s *source) fields(t *ast.StructType) string {
	var b strings.Builder
	b.WriteString("| field | type | meaning |\n|---|---|---|\n")
	for _, r := range s.rows(t) {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", codes(r.names), codes(r.kinds), sentenceOf(strings.Join(r.comments, " ")))
	}
	return b.String()
}

// fieldNames returns the exported names of a field, as JSON has them if it says so. An embedded
// field has none of its own.
func fieldNames(f *ast.Field) []string {
	if f.Tag != nil {
		if _, tag, ok := strings.Cut(f.Tag.Value, `json:"`); ok {
			name := tag[:strings.IndexAny(tag, `,"`)]
			return []string{name}
		}
	}
	var names []string
	for _, n := range f.Names {
		if n.IsExported() {
			names = append(names, n.Name)
		}
	}
	return names
}

// codes returns words as code, with commas between them.
func codes(words []string) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = "`" + strings.ReplaceAll(w, "|", `\|`) + "`"
	}
	return strings.Join(list, ", ")
}

// sentenceOf returns a comment as a line of Markdown that may stand in a cell of a table.
func sentenceOf(comment string) string {
	comment = strings.Join(strings.Fields(comment), " ")
	comment = docLink.ReplaceAllString(comment, "`$1`")
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "{{", "{ {").Replace(comment)
}

// constant is a constant of a type.
type constant struct{ name, comment string }

// constants returns the constants of the block that begins with one of a type, in order.
func (s *source) constants(of string) (list []constant, err error) {
	for _, f := range s.files {
		for _, d := range f.Decls {
			block, ok := d.(*ast.GenDecl)
			if !ok || block.Tok != token.CONST {
				continue
			}
			if t, ok := block.Specs[0].(*ast.ValueSpec).Type.(*ast.Ident); !ok || t.Name != of {
				continue
			}
			for _, spec := range block.Specs {
				v := spec.(*ast.ValueSpec)
				list = append(list, constant{v.Names[0].Name, v.Doc.Text()})
			}
			return list, nil
		}
	}
	return nil, fmt.Errorf("%s has no constants of type %s", s.dir, of)
}

// callers returns the functions of the package by what they call, by name: a name is that of
// a function or of a method of any type.
func (s *source) callers() map[string][]string {
	callers := map[string][]string{}
	for _, f := range s.files {
		for _, d := range f.Decls {
			from, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			called := map[string]bool{}
			ast.Inspect(from, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					switch f := call.Fun.(type) {
					case *ast.Ident:
						called[f.Name] = true
					case *ast.SelectorExpr:
						called[f.Sel.Name] = true
					}
				}
				return true
			})
			for _, name := range slices.Sorted(maps.Keys(called)) {
				callers[name] = append(callers[name], deps.FunctionName(from))
			}
		}
	}
	return callers
}

// docLink matches a link to a name in a comment: [Server.Tick].
var docLink = regexp.MustCompile(`\[(\*?(?:[a-z]\w*\.)?[A-Z][\w.]*)\](?:[^(\w]|$)`)
