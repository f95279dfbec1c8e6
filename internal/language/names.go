package language

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// qualified matches a name of a package in a text: track.View or session.ServerConfig.Cap.
var qualified = regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w+)(?:\.([A-Z]\w+))?`)

// names are what a package declares: its own names, and those of all its fields and methods.
type names struct{ own, members map[string]bool }

// CheckNames returns the names of the form package.Name or package.Type.Member in a tree's
// documents and in the comments of its Go files that no package declares: they were renamed
// or deleted. The changelog may name what is gone.
func CheckNames(tree fs.FS) ([]Fault, error) {
	packages := map[string]*names{}
	var texts []Fault // one for each document and comment
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil {
				err = skip(name)
			}
			return err
		}
		// A template's package game is the user's own, which documents name as they like.
		if ext := path.Ext(name); ext != ".go" && ext != ".md" || name == "CHANGELOG.md" || strings.HasPrefix(name, "internal/newgame/templates/") {
			return nil
		}
		b, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		if path.Ext(name) == ".md" {
			texts = append(texts, Fault{File: name, Line: 1, Text: string(b)})
			return nil
		}
		comments, err := declare(packages, name, b)
		texts = append(texts, comments...)
		return err
	})
	var faults []Fault
	for _, t := range texts {
		for n, line := range strings.Split(t.Text, "\n") {
			for _, m := range qualified.FindAllStringSubmatch(line, -1) {
				if p := packages[m[1]]; p != nil && !p.has(m[2], m[3]) {
					faults = append(faults, Fault{t.File, t.Line + n, m[0], "a name that exists"})
				}
			}
		}
	}
	return faults, err
}

// has reports whether a package declares Name, or Name with a Member if that is not empty.
func (p *names) has(name, member string) bool {
	if !p.own[name] {
		return p.members[name]
	}
	return member == "" || p.members[member]
}

// declare adds the names that a Go file declares and returns its comments.
func declare(packages map[string]*names, name string, source []byte) (comments []Fault, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	pkg := strings.TrimSuffix(file.Name.Name, "_test")
	p := packages[pkg]
	if p == nil {
		p = &names{map[string]bool{}, map[string]bool{}}
		packages[pkg] = p
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch d := n.(type) {
		case *ast.FuncDecl:
			p.own[d.Name.Name] = p.own[d.Name.Name] || d.Recv == nil
			p.members[d.Name.Name] = p.members[d.Name.Name] || d.Recv != nil
		case *ast.TypeSpec:
			p.own[d.Name.Name] = true
		case *ast.ValueSpec:
			for _, id := range d.Names {
				p.own[id.Name] = true
			}
		case *ast.Field:
			for _, id := range d.Names {
				p.members[id.Name] = true
			}
		}
		return true
	})
	for _, group := range file.Comments {
		for _, c := range group.List {
			comments = append(comments, Fault{File: name, Line: files.Position(c.Pos()).Line, Text: c.Text})
		}
	}
	return comments, nil
}
