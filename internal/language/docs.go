package language

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
)

// CheckDocs returns the exported names and fields of a tree's packages that no comment
// documents: those of commands and tests do not count. A comment also documents the fields
// below its own, up to the next comment or unexported field, and the functions of the very
// next lines.
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
						documented := false
						for _, f := range t.Fields.List {
							below := documented && len(f.Names) > 0 && f.Names[0].IsExported()
							documented = f.Doc != nil || f.Comment != nil || below
							need(documented, f.Names...)
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
