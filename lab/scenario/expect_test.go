package scenario

import (
	"math"
	"strings"
	"testing"
)

// Every comparison against its meaning, for numbers below, at and above the bound, and for what is
// no number.
func TestComparisons(t *testing.T) {
	nan := math.NaN()
	for op, want := range map[string][4]bool{
		"<": {true, false, false, false}, "<=": {true, true, false, false}, ">": {false, false, true, false},
		">=": {false, true, true, false}, "==": {false, true, false, false}, "!=": {true, false, true, true},
	} {
		e := Expectation{Path: []string{"ann", "up"}, Op: op, Value: 2}
		for i, got := range []float64{1, 2, 3, nan} {
			held, figure, err := e.Holds(func(path []string) (float64, bool) { return got, strings.Join(path, ".") == "ann.up" })
			if err != nil || held != want[i] || figure != got && i < 3 || e.HoldsOf(got) != want[i] {
				t.Errorf("%v %s 2: got %v of %v, %v; want %v", got, op, held, figure, err, want[i])
			}
		}
	}
	none := Expectation{Path: []string{"bob", "up"}, Op: "<"}
	if _, _, err := none.Holds(func([]string) (float64, bool) { return 0, false }); err == nil || err.Error() != "scenario: the result has no figure bob.up" {
		t.Errorf("got %v", err)
	}
	defer func() {
		if got := recover(); got != "scenario: Expectation.Op must be one of == <= >= != < >, not =~" {
			t.Errorf("got %v", got)
		}
	}()
	(&Expectation{Op: "=~"}).HoldsOf(1)
}

// An expectation is read whatever the spaces around its comparison.
func TestExpectationsAreRead(t *testing.T) {
	for text, want := range map[string]Expectation{
		"ann.up<3":           {Path: []string{"ann", "up"}, Op: "<", Value: 3},
		"ann.up   >=  -1e-3": {Path: []string{"ann", "up"}, Op: ">=", Value: -0.001},
		"mean ann.up != 0.5": {Path: []string{"ann", "up"}, Mean: true, Op: "!=", Value: 0.5},
		"mean   ticks == 60": {Path: []string{"ticks"}, Mean: true, Op: "==", Value: 60},
	} {
		s, err := parse("x.yaml", whole("expect: ['"+text+"']\n"))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := s.Expect[0]
		if got.Text != text || strings.Join(got.Path, ".") != strings.Join(want.Path, ".") || got.Op != want.Op || got.Value != want.Value || got.Mean != want.Mean || got.Line != 1 {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"ann.up = 3":      `x.yaml:1: "=" is no comparison; did you mean "=="?`,
		"ann.up <> 3":     `x.yaml:1: "<>" is no comparison; did you mean `,
		"ann.up < fast":   `x.yaml:1: "fast" is no number to compare ann.up with`,
		"ann.up":          `x.yaml:1: expect is "ann.up", not a figure, one of == <= >= != < > and a number`,
		"ann.upp < 3":     `x.yaml:1: unknown figure "ann.upp"; did you mean "ann.up"?`,
		"mean cat.up < 3": `x.yaml:1: unknown figure "cat.up"; did you mean `,
	} {
		f, err := Open("x.yaml", []byte(whole("expect: ['"+text+"']\n")))
		if err == nil {
			_, err = f.Scenario(words)
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v\nwant %s", text, err, want)
		}
	}
}
