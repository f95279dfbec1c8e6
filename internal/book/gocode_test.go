package book

import (
	"strings"
	"testing"
)

// What is wrong with a block is found at its line of the page; what a comment declares, what stands
// in a block before, and packages by their names are known.
func TestFaultsOfGoBlocks(t *testing.T) {
	c, err := compiler()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ name, page, want string }{
		{"imports follow from names", "```go\nfmt.Println(geom.V(1, 2, 3).Len(), slices.Max(all))\n```", "p.md:2: undefined: all"},
		{"a comment declares", "<!-- go: var all []int -->\n```go\nfmt.Println(slices.Max(all))\n```", ""},
		{"a comment of several lines", "<!-- go: var all []int\nvar more []int -->\n```go\nfmt.Println(slices.Max(all), slices.Max(more), none)\n```", "p.md:4: undefined: none"},
		{"a block sees the one before", "```go\nx := 1\n```\n```go\nx++\ny++\n```", "p.md:6: undefined: y"},
		{"declarations and statements", "```go\nx := T(1)\ntype T int\n\nfunc init() { x() }\n```", "p.md:5: undefined: x"},
		{"left out", "```go\nfor range 3 { … }\ngeom.V(…)\n…\nclock.Pacer{…}.None()\n```", "p.md:3: not enough arguments in call to geom.V\n\thave ()\n\twant (float64, float64, float64)\np.md:5: clock.Pacer{}.None undefined (type clock.Pacer has no field or method None)"},
		{"declared again", "```go\ntype T struct{ A int }\nvar t T\n```\n```go\nt.B = 1\n```\n```go\ntype T struct{ B int }\n```\n```go\nt.B = 2\n```", "p.md:6: t.B undefined (type T has no field or method B)"},
		{"files import each other", "```go\npackage game\nfunc Rules() int { return 1 }\n```\n```go\npackage main\nimport \"example.com/my/game\"\nfunc main() { game.Rules().x() }\n```", "p.md:8: game.Rules().x undefined (type int has no field or method x)"},
		{"files before other blocks", "```go\n// Package game is one.\npackage game\nfunc Rules() int { return 1 }\n```\n```go\nRules().x()\n```", "p.md:7: Rules().x undefined (type int has no field or method x)"},
		{"quoted", "<!-- examples/jetpack/jetpack.go -->\n```go\ntype Hero struct {\n\t…\n\tFuel clock.Micros // left in the jet pack\n}\n```\n```go\nvar h Hero\nh.Fuel = nil\n```", "p.md:10: cannot use nil as clock.Micros value in assignment"},
		{"misquoted", "<!-- examples/jetpack/jetpack.go -->\n```go\ntype Hero struct{}\n```", "p.md:3: is not what examples/jetpack/jetpack.go has"},
		{"no Go", "```go\nfor for\n```", "p.md:2: expected operand, found 'for'"},
	} {
		if got := strings.Join(c.Faults(Parse("p.md", x.page+"\n")), "\n"); !strings.HasPrefix(got, x.want) || (x.want == "") != (got == "") {
			t.Errorf("%s: got\n%s\nwant\n%s", x.name, got, x.want)
		}
	}
}
