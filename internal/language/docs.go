package language

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
)

// CheckDocs returns the exported names and fields of a tree's packages that no comment
// documents: those of commands and tests do not count. A comment above a field or a function
// also documents those of the very next lines; one at the end of a line only its own.
func CheckDocs(tree fs.FS) ([]Fault, error) {
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
		for _, n := range undocumented(file, positions) {
			faults = append(faults, Fault{name, positions.Position(n.Pos()).Line, n.Name, "in a comment what it is"})
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
			need(documented || !ofExported(d.Recv), d.Name)
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

// ofExported reports whether a receiver is none or of an exported type.
func ofExported(receiver *ast.FieldList) bool {
	if receiver == nil {
		return true
	}
	t := receiver.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	switch generic := t.(type) {
	case *ast.IndexExpr:
		t = generic.X
	case *ast.IndexListExpr:
		t = generic.X
	}
	name, ok := t.(*ast.Ident)
	return ok && name.IsExported()
}
