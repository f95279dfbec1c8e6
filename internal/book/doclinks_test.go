package book

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// declared returns what the package declares: functions, types, values, and methods as Type.Method.
func (s *source) declared() map[string]bool {
	names := map[string]bool{}
	for _, f := range s.files {
		for _, d := range f.Decls {
			for _, n := range declaredBy(d) {
				names[n] = true
			}
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					if i, ok := t.Type.(*ast.InterfaceType); ok {
						for _, m := range i.Methods.List {
							for _, n := range m.Names {
								names[t.Name.Name+"."+n.Name] = true
							}
						}
					}
				}
			}
		}
	}
	return names
}

// imported returns the folders of the module's packages that the package imports, by name.
func (s *source) imported() map[string]string {
	byName := map[string]string{}
	for _, f := range s.files {
		for _, i := range f.Imports {
			if dir, ok := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module+"/"); ok {
				byName[filepath.Base(dir)] = dir
			}
		}
	}
	return byName
}

// indented matches a line of code in a comment.
var indented = regexp.MustCompile(`(?m)^\t.*$`)

// A link of a doc comment, [Type], [Type.Method] or [package.Type], leads to what its package or
// one that it imports declares: go doc and pkg.go.dev show others as brackets. The comment of
// each package has a link to begin with, and says more than a line.
func TestDocLinksLeadSomewhere(t *testing.T) {
	all, err := public(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]map[string]bool{}
	for _, s := range all {
		declared[s.dir] = s.declared()
	}
	links := 0
	for _, s := range all {
		if c := s.comment(); !docLink.MatchString(c) || len(strings.Fields(c)) < 25 {
			t.Errorf("%s: say in the package's comment what it is, when to use it, and where to start, with a link such as [Type]", s.dir)
		}
		imported := s.imported()
		for _, f := range s.files {
			for _, c := range f.Comments {
				for _, m := range docLink.FindAllStringSubmatch(indented.ReplaceAllString(c.Text(), ""), -1) {
					links++
					dir, name := s.dir, strings.TrimPrefix(m[1], "*")
					if pkg, rest, ok := strings.Cut(name, "."); ok && imported[pkg] != "" {
						dir, name = imported[pkg], rest
					} else if ok && !ast.IsExported(pkg) && pkg == strings.ToLower(pkg) && declared[pkg] == nil {
						continue // of the standard library or another module
					}
					if names := declared[dir]; names != nil && !names[name] {
						t.Errorf("%s: [%s]: package %s has no %s that can be linked to", s.positions.Position(c.Pos()), m[1], dir, name)
					}
				}
			}
		}
	}
	if links < 150 {
		t.Errorf("found %s links only", fmt.Sprint(links))
	}
}
