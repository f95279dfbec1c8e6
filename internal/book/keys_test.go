package book

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// Every key that a schema reads is on the page of its format, as code. (Of weapons, weaponfile's own
// tests compare the ranges too.)
func TestEveryKeyIsOnItsPage(t *testing.T) {
	for dir, page := range map[string]string{"lab/scenario": "docs/scenarios.md", "weaponfile": "docs/weapons.md"} {
		s, err := read(os.DirFS(root), dir)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		keys := 0
		for _, f := range s.files {
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) != 1 {
					return true
				}
				if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Key" {
					return true
				}
				literal, ok := call.Args[0].(*ast.BasicLit)
				if !ok {
					return true
				}
				key, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				keys++
				if !regexp.MustCompile("(?m)(?:^|[`.{ ])" + key + "(?:`|:)").Match(text) {
					t.Errorf("%s: %s does not have the key %q", s.positions.Position(n.Pos()), page, key)
				}
				return true
			})
		}
		if keys < 20 {
			t.Errorf("%s: found %d keys only", dir, keys)
		}
	}
}
