package behaviour

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
)

// sources maps the name of each test function of a package to the text in which it
// may cite a row: its comment, its body and the comments at the head of its file.
type sources map[string]string

// sources parses the tests of a package, once.
func (c *checker) sources(dir string) sources {
	if s, ok := c.packages[dir]; ok {
		return s
	}
	s := sources{}
	c.packages[dir] = s
	files, _ := fs.Glob(c.tree, dir+"/*_test.go")
	for _, name := range files {
		text := c.read(name)
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			if c.err == nil {
				c.err = err
			}
			continue
		}
		s.add(text, file)
	}
	return s
}

// add puts the functions of one file into the map.
func (s sources) add(text string, file *ast.File) {
	at := func(p token.Pos) int { return int(p - file.FileStart) }
	top := head(file)
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil {
			continue
		}
		begin := f.Pos()
		if f.Doc != nil {
			begin = f.Doc.Pos()
		}
		s[f.Name.Name] = top + text[at(begin):at(f.End())]
	}
}

// head returns the comments of a file above its first declaration, without that
// declaration's own.
func head(file *ast.File) string {
	end := file.FileEnd
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			continue
		}
		end = d.Pos()
		if doc := docOf(d); doc != nil {
			end = doc.Pos()
		}
		break
	}
	var all strings.Builder
	for _, g := range file.Comments {
		if g.Pos() < end {
			all.WriteString(g.Text())
		}
	}
	return all.String()
}

// docOf returns a declaration's comment, or nil.
func docOf(d ast.Decl) *ast.CommentGroup {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Doc
	case *ast.GenDecl:
		return d.Doc
	}
	return nil
}
