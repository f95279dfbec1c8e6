package figures

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// figurePages are the documents in whose tables no measured number stands outside of a
// mark.
var figurePages = []string{
	"README.md", "docs/accuracy.md", "docs/bodies.md", "docs/fair-time.md", "docs/fairness.md", "docs/figures.md",
	"docs/lab-running.md", "docs/rewind.md", "docs/rig.md", "docs/transport.md",
}

// stated are the headings of columns whose numbers are not measured: bounds that were budget,
// settings, commands. The first column of a table says what a row is about and is not
// looked at either.
var stated = []string{"goal", "budget", "by", "link", "frames/s", "value", "effect", "error", "zero means", "datagram (0)", "stream (1)"}

// descriptive are the first headings of tables that describe a mechanism. So does a table
// without headings.
var descriptive = []string{"key", "rule", "field", "setting"}

// measuredNumber finds what looks measured: a number with a unit, or a cell of a number.
var measuredNumber = regexp.MustCompile(`\d ?(?:%|[nµm]?s\b|[kM]?B\b|[kM]?B/s|[µmc]?m\b|bytes?\b)|^[-−+]?\d[\d.,]*$`)

// TestNoMeasuredNumberWithoutASource finds numbers in the tables of the figure pages that
// make figures would not print.
func TestNoMeasuredNumberWithoutASource(t *testing.T) {
	pages, err := ReadPages("../..")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, p := range pages {
		if !slices.Contains(figurePages, p.File) {
			continue
		}
		found++
		for _, cell := range unsourced(&p) {
			t.Errorf("%s: %q has no source: put the number between the marks of a figure, or state a bound in a column of its own (docs/testing.md)", p.File, cell)
		}
	}
	if found != len(figurePages) {
		t.Errorf("%d of the pages %v are there", found, figurePages)
	}
}

// TestAFigureIsTheSameEverywhere: a figure that two pages show has one text. make figures keeps it so.
func TestAFigureIsTheSameEverywhere(t *testing.T) {
	pages, err := ReadPages("../..")
	if err != nil {
		t.Fatal(err)
	}
	type shown struct{ text, page string }
	first, shared := map[string]shown{}, 0
	for _, p := range pages {
		for _, part := range p.Parts {
			was, again := first[part.Key]
			switch {
			case part.Key == "" || part.Key == "commit": // of its page
			case !again:
				first[part.Key] = shown{part.Text, p.File}
			case was.text != part.Text:
				t.Errorf("%s is %q in %s and %q in %s: print both with make figures", part.Key, was.text, was.page, part.Text, p.File)
			default:
				shared++
			}
		}
	}
	if shared < 20 {
		t.Errorf("got %d figures that two pages show, want at least 20: are the marks read?", shared)
	}
}

func TestUnsourcedNumbersAreFound(t *testing.T) {
	const table = "| what | seen | budget |\n|---|---|---|\n"
	for row, want := range map[string]int{
		"| 5 µs | <!-- figure x.TestA/b -->4 µs<!-- end --> | 5 µs |": 0,
		"| a | 4 µs | 5 µs |":                 1,
		"| a | about 99.5 % of them | 5 µs |": 1,
		"| a | 17 |":                          1,
		"| a | <!-- figure x.TestA/b -->4 µs | 3 mm<!-- end --> |": 0,
		"| a | held with `--for 20s` | |":                          0,
		"| a | (UTF-16) two runs, [x](y-5 s) | |":                  0,
	} {
		parts, err := Parse(table + row + "\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := unsourced(&Page{Parts: parts}); len(got) != want {
			t.Errorf("%s: found %q, want %d", row, got, want)
		}
	}
}

// unsourced returns the cells of a page's tables that show a measured number outside of
// any mark.
func unsourced(p *Page) (cells []string) {
	var head []string
	for line := range strings.Lines(unmarked(p)) {
		row := Cells(line)
		if row == nil {
			head = nil
			continue
		}
		if head == nil {
			head = row
			continue
		}
		if slices.Contains(descriptive, head[0]) || strings.Join(head, "") == "" {
			continue
		}
		for i := 1; i < min(len(row), len(head)); i++ {
			if !slices.Contains(stated, head[i]) && measuredNumber.MatchString(row[i]) {
				cells = append(cells, row[i])
			}
		}
	}
	return cells
}

// elsewhere are the parts of a cell that no reader takes for a figure: code and the
// addresses of links.
var elsewhere = regexp.MustCompile("`[^`]*`|\\]\\([^)]*\\)")

// unmarked returns a page's text without what stands between marks; columns stay.
func unmarked(p *Page) string {
	var b strings.Builder
	for _, part := range p.Parts {
		switch {
		case part.Key != "":
			b.WriteString(strings.Repeat(" | ", strings.Count(part.Text, "|")))
		case part.Command == "":
			b.WriteString(elsewhere.ReplaceAllString(part.Text, ""))
		}
	}
	return b.String()
}
