package language

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"regexp"
	"strings"

	"github.com/backstep-net/backstep/internal/deps"
)

// CheckDocs returns the exported names and fields of a tree's packages that no comment
// documents: those of commands and tests do not count. A comment above a field or a function
// also documents those of the very next lines; one at the end of a line only its own.
func CheckDocs(tree fs.FS) ([]Fault, error) {
	return inPackages(tree, "in a comment what it is", undocumented)
}

// CheckZeros returns the fields of a tree's configurations whose comments do not say what their
// zero value means. A configuration is an exported struct whose name ends with one of configs;
// see the conventions of docs/architecture.md. A bool says it by its name: false is the default.
func CheckZeros(tree fs.FS) ([]Fault, error) {
	return inPackages(tree, "in its comment what zero means", withoutZero)
}

// inPackages returns the names that find finds in the files of a tree's packages, each with what
// its place should say.
func inPackages(tree fs.FS, say string, find func(*ast.File, *token.FileSet) []*ast.Ident) ([]Fault, error) {
	var faults []Fault
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return skip(name)
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		positions := token.NewFileSet()
		file, err := parser.ParseFile(positions, name, source, parser.ParseComments)
		if err != nil || file.Name.Name == "main" {
			return err
		}
		for _, n := range find(file, positions) {
			faults = append(faults, Fault{name, positions.Position(n.Pos()).Line, n.Name, say})
		}
		return nil
	})
	return faults, err
}

// undocumented returns the exported names and fields of a file that have no comment.
func undocumented(file *ast.File, positions *token.FileSet) []*ast.Ident {
	line := func(at token.Pos) int { return positions.Position(at).Line }
	var found []*ast.Ident
	covered := 0 // the line that the comment of the function above it documents
	need := func(documented bool, names ...*ast.Ident) {
		for _, n := range names {
			if n.IsExported() && !documented {
				found = append(found, n)
			}
		}
	}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			documented := d.Doc != nil || line(d.Pos()) == covered
			need(documented || !ofExported(d), d.Name)
			if documented {
				covered = line(d.End()) + 1
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.ValueSpec:
					need(d.Doc != nil || s.Doc != nil || s.Comment != nil, s.Names...)
				case *ast.TypeSpec:
					need(d.Doc != nil || s.Doc != nil || s.Comment != nil, s.Name)
					if t, ok := s.Type.(*ast.StructType); ok && s.Name.IsExported() {
						next := 0 // the line that the comment above a run of fields still documents
						for _, f := range t.Fields.List {
							if f.Doc != nil || line(f.Pos()) == next {
								next = line(f.End()) + 1
							}
							need(f.Comment != nil || next == line(f.End())+1, f.Names...)
						}
					}
				}
			}
		}
	}
	return found
}

// ofExported reports whether a function is no method, or one of an exported type.
func ofExported(d *ast.FuncDecl) bool {
	receiver := deps.Receiver(d)
	return receiver == "" || ast.IsExported(receiver)
}

// IsConfig reports whether a struct of that name is a configuration.
func IsConfig(name string) bool { return configs.MatchString(name) }

// configs are the ends of the names of configurations.
var configs = regexp.MustCompile(`(Config|Limits|Options|Rules)$|^(LagCompensation|Params|PingNotice)$`)

// saysZero matches a comment that says what the zero value of a field means.
var saysZero = regexp.MustCompile(`(?i)\b(zero|nil|empty|required|none|default)\b|""|\b0 (is|means|for)\b`)

// withoutZero returns the exported fields of a file's configurations whose comments do not say
// what zero means. A comment above a run of fields speaks for all of them, and an embedded struct
// for itself.
func withoutZero(file *ast.File, positions *token.FileSet) []*ast.Ident {
	var found []*ast.Ident
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.TypeSpec)
		if !ok || !s.Name.IsExported() || !IsConfig(s.Name.Name) {
			return true
		}
		t, ok := s.Type.(*ast.StructType)
		if !ok {
			return true
		}
		said, next := false, 0
		for _, f := range t.Fields.List {
			line := positions.Position(f.Pos()).Line
			if f.Doc != nil || line != next {
				said = saysZero.MatchString(f.Doc.Text())
			}
			next = positions.Position(f.End()).Line + 1
			if kind, ok := f.Type.(*ast.Ident); ok && kind.Name == "bool" || said || saysZero.MatchString(f.Comment.Text()) {
				continue
			}
			for _, name := range f.Names {
				if name.IsExported() {
					found = append(found, name)
				}
			}
		}
		return true
	})
	return found
}
