package book

import (
	"strings"
	"testing"
	"testing/fstest"
)

// rows writes an id such as AAA_01 with its hyphen: package spec would take it for a row that is not there.
func rows(text string) string { return strings.ReplaceAll(text, "_", "-") }

// A reader of a page resolves each cited row of the specification: it is a link to the heading
// above the row. Code, comments, headings, links and ids of no row stay as they are.
func TestCitedRowsAreLinks(t *testing.T) {
	places, err := rowPlaces(fstest.MapFS{
		"docs/spec/a.md": {Data: []byte(rows("# A\n\n## AAA: one\n\n| ID | Behaviour |\n|---|---|\n| AAA_01 | x |\n| AAA_02 | as AAA_01 |\n"))},
		"docs/spec/b.md": {Data: []byte(rows("# B\n\n| BBB_01 | x |\n\n## One\n\n| CCC_01 | x |\n\n## Two\n\n| CCC_02 | x |\n"))},
	})
	if err != nil {
		t.Fatal(err)
	}
	const a, b = "spec/a.md#aaa-one", "spec/b.md"
	for text, want := range map[string]string{
		"in brackets [AAA_01].":                          "in brackets [AAA_01](" + a + ").",
		"two (AAA_01, BBB_01).":                          "two ([AAA_01](" + a + "), [BBB_01](" + b + ")).",
		"two [AAA_01, AAA_02].":                          "two [[AAA_01](" + a + "), [AAA_02](" + a + ")].",
		"a family (rows AAA)":                            "a family (rows [AAA](" + a + "))",
		"a family under two headings, rows CCC":          "a family under two headings, rows [CCC](" + b + ")",
		"| BBB_01 | a table |":                           "| [BBB_01](" + b + ") | a table |",
		"`AAA_01`, [AAA_01](" + b + "), <!-- AAA_01 -->": "`AAA_01`, [AAA_01](" + b + "), <!-- AAA_01 -->",
		"# AAA_01\n\nUTF-16, rows BBC":                   "# AAA_01\n\nUTF-16, rows BBC",
		"```go\n// AAA_01\n```\nAAA-02":                  "```go\n// AAA_01\n```\n[AAA_02](" + a + ")",
	} {
		text, want := rows(text), rows(want)
		got := linkRows("docs/page.md", text, places)
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if again := linkRows("docs/page.md", got, places); again != got {
			t.Errorf("%q becomes %q when it is linked again", got, again)
		}
	}
	if got, want := linkRows("docs/reference/x.md", rows("AAA_01"), places), rows("[AAA_01](../"+a+")"); got != want {
		t.Errorf("in a folder: got %q, want %q", got, want)
	}
	for file, want := range map[string]bool{"docs/lab.md": true, "docs/reference/flags.md": true, "docs/spec/a.md": false, "README.md": false} {
		if citesRows(file) != want {
			t.Errorf("%s has links to rows: got %v, want %v", file, !want, want)
		}
	}
}
