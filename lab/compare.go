package lab

import (
	"math"
	"strings"
)

// Row is one figure of two runs side by side.
type Row struct {
	Path string // of the figure, as in Number
	// A and B are its values, NaN where a run does not have it.
	A, B float64
	// Difference is B − A; Changed reports whether it is more than rounding.
	Difference float64
	Changed    bool
}

// Compare returns the figures of two results side by side: those of a in order, then those that only
// b has.
func Compare(a, b *Result) []Row {
	others := map[string]float64{}
	for _, n := range b.Numbers() {
		others[n.Path] = n.Value
	}
	var rows []Row
	for _, n := range a.Numbers() {
		v, ok := others[n.Path]
		if !ok {
			v = math.NaN()
		}
		delete(others, n.Path)
		rows = append(rows, row(n.Path, n.Value, v))
	}
	for _, n := range b.Numbers() {
		if _, alone := others[n.Path]; alone {
			rows = append(rows, row(n.Path, math.NaN(), n.Value))
		}
	}
	return rows
}

// rounding bounds the difference of two equal figures in a file: both are rounded to 10⁻⁶.
const rounding = 1.5e-6

func row(path string, a, b float64) Row {
	return Row{path, a, b, round(b - a), !(math.Abs(b-a) <= rounding)}
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
