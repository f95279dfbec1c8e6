package lab

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Row is one figure of two runs side by side.
type Row struct {
	Path string `json:"path"`
	// A and B are its values; one that the run does not have is NaN.
	A, B float64
	// Difference is B − A; Changed marks one that is more than rounding.
	Difference float64
	Changed    bool
}

// Compare puts two results side by side: the figures of a, in order, then what only
// b has.
func Compare(a, b *Result) []Row { return compare(a.Numbers(), b.Numbers()) }

// CompareMedians does the same with the medians of two distributions.
func CompareMedians(a, b *Distributions) []Row { return compare(a.medians(), b.medians()) }

// medians are in the order of Result.Numbers.
func (d *Distributions) medians() []Number {
	var out []Number
	for path, r := range d.Figures {
		out = append(out, Number{path, r.Median})
	}
	order := d.paths()
	slices.SortFunc(out, func(x, y Number) int {
		return slices.Index(order, x.Path) - slices.Index(order, y.Path)
	})
	return out
}

// paths are those of all figures, in order.
func (d *Distributions) paths() []string {
	r := Result{Order: d.Order, Players: map[string]*Figures{}}
	for _, name := range d.Order {
		r.Players[name] = &Figures{Bodies: &BodyFigures{}}
	}
	var out []string
	for _, n := range r.Numbers() {
		out = append(out, n.Path)
	}
	for _, path := range slices.Sorted(maps.Keys(d.Figures)) {
		if strings.HasPrefix(path, "shots.weapons.") {
			out = append(out, path)
		}
	}
	return out
}

func compare(a, b []Number) []Row {
	of := map[string]float64{}
	for _, n := range b {
		of[n.Path] = n.Value
	}
	var rows []Row
	seen := map[string]bool{}
	for _, n := range a {
		v, ok := of[n.Path]
		if !ok {
			v = math.NaN()
		}
		seen[n.Path] = true
		rows = append(rows, row(n.Path, n.Value, v))
	}
	for _, n := range b {
		if !seen[n.Path] {
			rows = append(rows, row(n.Path, math.NaN(), n.Value))
		}
	}
	return rows
}

// rounding is the most by which two equal figures may differ in a file.
const rounding = 1.5e-6

func row(path string, a, b float64) Row {
	return Row{path, a, b, round(b - a), !(math.Abs(b-a) <= rounding)}
}

// CompareMarkdown is a table of the rows, differences in bold; all of them, or only
// those that changed.
func CompareMarkdown(rows []Row, nameA, nameB string, all bool) string {
	t := table{{"figure", nameA, nameB, "difference"}}
	for _, r := range rows {
		if !all && !r.Changed {
			continue
		}
		d := number(r.Difference)
		if r.Changed {
			d = "**" + d + "**"
		}
		t = append(t, []string{r.Path, number(r.A), number(r.B), d})
	}
	return t.String()
}

// number writes a figure as people read it: at most six decimals, a dash for none.
func number(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return strconv.FormatFloat(round(x), 'f', -1, 64)
}

// table is a table in Markdown, its first row the heads: the first column is text,
// the others are numbers.
type table [][]string

func (t table) String() string {
	var b strings.Builder
	for i, cells := range t {
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|---" + strings.Repeat("|---:", len(cells)-1) + "|\n")
		}
	}
	return b.String()
}
