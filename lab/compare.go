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
	// A and B are its values, NaN where a run does not have it.
	A, B float64
	// Difference is B − A; Changed reports whether it is more than rounding.
	Difference float64
	Changed    bool
}

// Compare returns the figures of two results side by side: those of a in order, then those that only
// b has.
func Compare(a, b *Result) []Row { return compare(a.Numbers(), b.Numbers()) }

// CompareMedians compares the medians of two distributions like Compare.
func CompareMedians(a, b *Distributions) []Row { return compare(a.medians(), b.medians()) }

// medians returns the medians in the order of Result.Numbers.
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

// paths returns the paths of all figures, in order.
func (d *Distributions) paths() []string {
	r := Result{Order: d.Order, Players: map[string]*Figures{}}
	for _, name := range d.Order {
		r.Players[name] = &everyFigure
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

// rounding bounds the difference of two equal figures in a file.
const rounding = 1.5e-6

func row(path string, a, b float64) Row {
	return Row{path, a, b, round(b - a), !(math.Abs(b-a) <= rounding)}
}

// CompareMarkdown returns a table of the rows, differences in bold: all rows, or only those that
// changed.
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

// number formats a figure: at most six decimals, a dash for NaN.
func number(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return strconv.FormatFloat(round(x), 'f', -1, 64)
}

// table is a Markdown table. Its first row is the head, its first column text, the others numbers.
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
