package scenario

import (
	"errors"
	"slices"
	"strings"

	"github.com/backstep-net/backstep/strictyaml"
)

const opRunes = "<>=!"

var ops = []string{"==", "<=", ">=", "!=", "<", ">"}

// Expectation is a condition on a figure of the result.
type Expectation struct {
	Text string // as in the file
	// Path is the figure: a player's name or a word of the result, and the keys below it.
	Path []string
	// Mean compares the mean over all seeds instead of each seed's figure.
	Mean  bool
	Op    string // ==, <=, >=, !=, < or >
	Value float64
	Line  int
}

// Holds looks the figure up (true is 1, false is 0) and reports whether the expectation holds, and
// the figure. It is an error where there is no such figure. NaN is different from everything. In
// a single run the mean is the figure itself.
func (e *Expectation) Holds(lookup func(path []string) (float64, bool)) (holds bool, got float64, err error) {
	got, ok := lookup(e.Path)
	if !ok {
		return false, 0, errors.New("scenario: the result has no figure " + strings.Join(e.Path, "."))
	}
	return e.HoldsOf(got), got, nil
}

// HoldsOf reports whether the expectation holds for a value of its figure.
func (e *Expectation) HoldsOf(got float64) bool {
	switch e.Op {
	case "<":
		return got < e.Value
	case "<=":
		return got <= e.Value
	case ">":
		return got > e.Value
	case ">=":
		return got >= e.Value
	case "==":
		return got == e.Value
	case "!=":
		return got != e.Value
	}
	panic("scenario: Expectation.Op must be one of == <= >= != < >, not " + e.Op)
}

// figures returns the figures of every player and of the match, nil where any may be named.
func (r *reader) figures() []string {
	var out []string
	for _, figure := range r.options.Figures {
		rest, each := strings.CutPrefix(figure, "*.")
		if !each {
			out = append(out, figure)
			continue
		}
		for _, name := range r.names() {
			out = append(out, name+"."+rest)
		}
	}
	return out
}

// readExpectation reads `path op number` or `mean path op number`.
func (r *reader) readExpectation(v strictyaml.Value, figures []string) {
	e := Expectation{Line: v.Line()}
	if !v.Text(&e.Text, "a figure, one of "+strings.Join(ops, " ")+" and a number", func(s string) bool { return strings.ContainsAny(s, opRunes) }) {
		return
	}
	i := strings.IndexAny(e.Text, opRunes)
	number := strings.TrimLeft(e.Text[i:], opRunes)
	op := e.Text[i : len(e.Text)-len(number)]
	path, number := strings.TrimSpace(e.Text[:i]), strings.TrimSpace(number)
	if rest, mean := strings.CutPrefix(path, "mean "); mean {
		path, e.Mean = strings.TrimSpace(rest), true
	}
	if figures != nil && !slices.Contains(figures, path) {
		v.Errorf("unknown figure %q%s", strictyaml.Clip(path), strictyaml.DidYouMean(path, figures))
	}
	if !slices.Contains(ops, op) {
		v.Errorf("%q is no comparison%s", strictyaml.Clip(op), strictyaml.DidYouMean(op, ops))
	}
	var ok bool
	if e.Value, ok = strictyaml.Decimal(number); !ok {
		v.Errorf("%q is no number to compare %s with", strictyaml.Clip(number), strictyaml.Clip(path))
	}
	e.Path, e.Op = strings.Split(path, "."), op
	r.Expect = append(r.Expect, e)
}
