package scenario

import (
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/backstep-net/backstep/strictyaml"
)

// Op compares a figure with a number.
type Op string

// The comparisons.
const (
	Less      Op = "<"
	AtMost    Op = "<="
	More      Op = ">"
	AtLeast   Op = ">="
	Equal     Op = "=="
	Different Op = "!="
)

func ops() []string {
	return []string{string(Equal), string(AtMost), string(AtLeast), string(Different), string(Less), string(More)}
}

// Expectation is what must hold of a result.
type Expectation struct {
	Text string // as in the file
	// Path is the figure: a player's name or a word of the result, and the keys
	// in it.
	Path []string
	// Mean has the mean over all seeds compared instead of each seed's figure.
	Mean  bool
	Op    Op
	Value float64
	Line  int
}

// Holds looks the figure up, a yes as 1 and a no as 0, and reports whether the
// expectation holds and what was got. It is an error where there is no such
// figure. NaN is different from everything. Of one run a mean is the figure itself.
func (e *Expectation) Holds(lookup func(path []string) (float64, bool)) (holds bool, got float64, err error) {
	got, ok := lookup(e.Path)
	if !ok {
		return false, 0, errors.New("scenario: the result has no figure " + strings.Join(e.Path, "."))
	}
	return e.Op.holds(got, e.Value), got, nil
}

// HoldsOf reports whether the expectation holds of a value of its figure.
func (e *Expectation) HoldsOf(got float64) bool { return e.Op.holds(got, e.Value) }

func (o Op) holds(a, b float64) bool {
	switch o {
	case Less:
		return a < b
	case AtMost:
		return a <= b
	case More:
		return a > b
	case AtLeast:
		return a >= b
	case Equal:
		return a == b
	case Different:
		return a != b
	}
	panic("scenario: no such comparison: " + string(o))
}

func (f fields) expect(s *Scenario) {
	n := f.of["expect"]
	if n == nil {
		return
	}
	figures := f.figures(s)
	f.list(n, "expect", MaxExpect, func(_ int, n *yaml.Node) {
		if e, ok := f.expectation(n, figures); ok {
			s.Expect = append(s.Expect, e)
		}
	})
}

// figures are those of every player and of the whole.
func (f fields) figures(s *Scenario) []string {
	var out []string
	for _, figure := range append(Figures(), f.options.Figures...) {
		rest, each := strings.CutPrefix(figure, "*.")
		if !each {
			out = append(out, figure)
			continue
		}
		for _, name := range s.names() {
			out = append(out, name+"."+rest)
		}
	}
	return out
}

// expectation reads `path op number`.
func (f fields) expectation(n *yaml.Node, figures []string) (Expectation, bool) {
	e := Expectation{Text: n.Value, Line: n.Line}
	i := strings.IndexAny(n.Value, "<>=!")
	if n.Kind != yaml.ScalarNode || i < 0 {
		f.add(n.Line, "the expectation is %s, not a figure, one of %s and a number", strictyaml.Describe(n), strings.Join(ops(), " "))
		return e, false
	}
	rest := strings.TrimLeft(n.Value[i:], "<>=!")
	path, op, number := strings.TrimSpace(n.Value[:i]), n.Value[i:len(n.Value)-len(rest)], strings.TrimSpace(rest)
	path, e.Mean = meanOf(path)
	ok := true
	complain := func(format string, args ...any) {
		f.add(n.Line, format, args...)
		ok = false
	}
	if !slices.Contains(figures, path) {
		complain("unknown figure %q%s", strictyaml.Clip(path), strictyaml.DidYouMean(path, figures))
	}
	if !contains(ops(), op) {
		complain("%q is no comparison%s", strictyaml.Clip(op), strictyaml.DidYouMean(op, ops()))
	}
	if e.Value, _ = decimal(number); !isDecimal(number) {
		complain("%q is no number to compare %s with", strictyaml.Clip(number), strictyaml.Clip(path))
	}
	e.Path, e.Op = strings.Split(path, "."), Op(op)
	return e, ok
}

// meanOf takes the word mean off a figure.
func meanOf(path string) (string, bool) {
	word, figure, two := strings.Cut(path, " ")
	if !two || word != "mean" {
		return path, false
	}
	return strings.TrimSpace(figure), true
}

func isDecimal(s string) bool {
	_, ok := decimal(s)
	return ok
}
