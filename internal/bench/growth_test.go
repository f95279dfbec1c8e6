package bench

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// The exponent of points on a power law is the law's, and noise of 5 % in turns moves it little.
func TestExponentsAreThoseOfPowerLaws(t *testing.T) {
	for _, k := range []float64{0, .5, 1, 2} {
		exact, noisy := Growth{}, Growth{}
		for i, x := range []float64{8, 16, 32, 64, 128} {
			cost := 3 * math.Pow(x, k)
			exact.Points = append(exact.Points, Point{x, cost})
			noisy.Points = append(noisy.Points, Point{x, cost * (1 + .05*float64(i%2*2-1))})
		}
		if got := exact.Exponent(); math.Abs(got-k) > 1e-9 {
			t.Errorf("exponent %g: got %g", k, got)
		}
		if got := noisy.Exponent(); math.Abs(got-k) > .05 {
			t.Errorf("exponent %g with noise: got %g", k, got)
		}
	}
}

// The smallest loads of each growth can be measured, and the plot of all is XML that a browser shows.
func TestGrowthIsMeasuredAndPlotted(t *testing.T) {
	all, err := MeasureGrowth(t.Context(), Options{Runs: 1, Share: .001})
	if err != nil {
		t.Fatal(err)
	}
	table := GrowthTable(all)
	if n := strings.Count(table, "\n"); n != len(all)+2 || len(all) != 5 {
		t.Errorf("%d growths have a table of %d lines:\n%s", len(all), n, table)
	}
	svg := GrowthPlot([]Growth{{What: "a", By: "b", Points: []Point{{1, 2}, {2, 4}}}, {What: "c", By: "d", Points: []Point{{1, 2}, {8, 2}}}})
	if !strings.Contains(svg, "by b: 1.00<") || !strings.Contains(svg, "by d: 0.00<") || strings.Contains(svg, "%!") {
		t.Errorf("the plot does not say the exponents:\n%s", svg)
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// The plot by hand: both axes have 50 units for a factor of two, from (60, 400), so the slope of a line is its exponent:
// a cost four times as high at twice the players rises twice as far as it goes to the right.
func TestTheSlopeOfAPlotIsTheExponent(t *testing.T) {
	g := Growth{What: "a tick", By: "players", Goal: 2, Points: []Point{{8, 3}, {16, 12}, {32, 48}}}
	svg := GrowthPlot([]Growth{g, {What: "a step", By: "triangles", Points: []Point{{1000, 5}, {4000, 2.5}}}})
	for _, want := range []string{`points="60.0,400.0 110.0,300.0 160.0,200.0" style="stroke: var(--a)"`, `points="60.0,400.0 160.0,450.0" style="stroke: var(--b)"`, ">by players: 2.00<", ">by triangles: -0.50<", ">× 128<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the plot has no %s:\n%s", want, svg)
		}
	}
	const want = "| cost | by | measured | exponent | goal |\n|---|---|---|---:|---:|\n| a tick | players | 8: 3.00 µs, 16: 12.0 µs, 32: 48.0 µs | 2.00 | ≤ 2 |\n"
	if got := GrowthTable([]Growth{g}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
