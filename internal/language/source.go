package language

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// goFile looks at the package name, the exported identifiers and the messages of a Go
// file. Tests are not read by users: of them only the file's name counts.
func (c *checker) goFile(name, text string) error {
	if strings.HasSuffix(name, "_test.go") {
		return nil
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	line := func(n ast.Node) int { return files.Position(n.Pos()).Line }
	c.match(name, line(file.Name), "part", file.Name.Name, "package "+file.Name.Name)
	see := func(ids ...*ast.Ident) {
		for _, id := range ids {
			if id.IsExported() {
				c.identifier(name, line(id), id.Name)
			}
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			see(d.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				declared(s, see)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && isMessage(call) {
			c.message(name, line(call), call)
		}
		return true
	})
	return nil
}

// declared hands the names of a declaration to see: types with their fields and
// methods, constants and variables.
func declared(s ast.Spec, see func(...*ast.Ident)) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		see(s.Names...)
	case *ast.TypeSpec:
		see(s.Name)
		ast.Inspect(s.Type, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok {
				see(f.Names...)
			}
			return true
		})
	}
}

// messages are the functions whose first texts users read.
var messages = map[string]bool{
	"panic": true, "New": true, "Errorf": true, "Printf": true, "Println": true, "Fprintf": true, "Fprintln": true,
	"Info": true, "Warn": true, "Error": true, "Debug": true, "Log": true, "LogAttrs": true,
}

// isMessage reports whether a call makes an error, a panic, a log line or output.
func isMessage(call *ast.CallExpr) bool {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return messages[f.Name]
	case *ast.SelectorExpr:
		return messages[f.Sel.Name]
	}
	return false
}

// message looks at the texts among a call's arguments.
func (c *checker) message(file string, line int, call *ast.CallExpr) {
	for _, a := range call.Args {
		ast.Inspect(a, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, _ := strconv.Unquote(lit.Value)
				c.match(file, line, "phrase", text, text)
			}
			return true
		})
	}
}
