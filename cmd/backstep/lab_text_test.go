package main

import (
	"bytes"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/internal/locked"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
)

// printedLines returns what a function prints, without spaces at the ends of lines.
func printedLines(print func(w *bytes.Buffer)) string {
	var b bytes.Buffer
	print(&b)
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// checkText compares a text with what is expected, written without the line break at its begin.
func checkText(t *testing.T, what, got, want string) {
	t.Helper()
	if want = strings.TrimPrefix(want, "\n"); got != want {
		t.Errorf("%s: got\n%s\nwant\n%s", what, got, want)
	}
}

var walkFile = &scenario.Scenario{Name: "a walk", File: "walk.yaml"}

// The block of a run: a line for each player with what is out of the ordinary at its end, the shots,
// each weapon, each expectation.
func TestBlockOfARun(t *testing.T) {
	r := &lab.Result{
		Name: "a walk", Seed: 7, Duration: 2.5, Ticks: 150, TickRate: 60, Hash: "00ff", Order: []string{"ann", "bob"},
		Players: map[string]*lab.Figures{
			"ann": {OwnerError: lab.Spread{Mean: 0.001, P99: 0.02, Max: 1.5}, RemoteError: lab.Spread{Mean: 0.00001, P99: 0.1, Max: 0.25}, ViewDelay: lab.Spread{Mean: 0.1234, P99: 0.2}, Up: 1550, Down: 12345},
			"bob": {Corrections: 3, CorrectionMax: 0.25, Reversals: 1, Snaps: 2, Moves: lab.Moves{Rejected: 4}, Timeouts: 5, CorrectedAgain: 6,
				TimeDiscrepancy: lab.TimeDiscrepancy{Detected: true, After: 0.516}},
		},
		Shots: lab.Shots{Fired: 9, Claimed: 8, Confirmed: 5, Refused: 1, Agreement: 0.875, FalseHits: 1, PoseError: lab.Spread{Mean: 0.01, P99: 0.02, Max: 0.03},
			BehindCover: lab.Cover{Share: 0.4, Spread: lab.Spread{Mean: 0.02, P99: 0.05, Max: 0.06}},
			Weapons: map[string]*lab.WeaponFigures{
				"sword":  {Claimed: 6, Confirmed: 4, Agreement: 1, Swings: 2, SwingAgreement: 0.5},
				"rocket": {Claimed: 2, Confirmed: 1, Refused: 1, Agreement: 0.5, FalseHits: 1, EndError: lab.Spread{Mean: 0.01, P99: 0.1, Max: 0.1}},
			}},
		Expect: []lab.Checked{{Text: "ann.up < 2000", Got: 1550, Held: true}, {Text: "bob.corrections == 0", Got: 3}},
	}
	checkText(t, "the block", printedLines(func(w *bytes.Buffer) { printResult(w, walkFile, r) }), `
a walk  (walk.yaml)
  seed 7 · 2.5 s · 150 ticks at 60 Hz · hash 00ff
       corrections  owner error         remote error        view delay     up    down
                    mean / p99 / max m  mean / p99 / max m  mean / p99 ms  kB/s  kB/s
  ann  0            0.001 / 0.02 / 1.5  ≈0 / 0.1 / 0.25     123 / 200      1.6   12.3
  bob  3, ≤ 0.25 m  0 / 0 / 0           0 / 0 / 0           0 / 0          0.0   0.0  1 reversals, 2 snaps, 4 moves rejected, 5 timeouts, 6 corrected again, wrong clock noticed after 0.516 s
  shots: 9 fired, 8 claimed, 5 hit, 1 refused; agreement 87.5 %, false hits 1, pose error 0.01 / 0.02 / 0.03 m
  behind cover: 40 % of the hits, out of sight for 20 / 50 / 60 ms (mean / p99 / max of all hits)
    rocket: 2 claimed, 1 hit, 1 refused; agreement 50 %, false hits 1, ends 0.01 / 0.1 / 0.1 m apart
    sword: 6 claimed, 4 hit, 0 refused; agreement 100 %, false hits 0, of 2 swings 50 %
  ✓ ann.up < 2000         got 1550
  ✗ bob.corrections == 0  got 3`)
}

// Of many players the block lists twelve, and says where the others are; without shots there is no
// line of them.
func TestBlockOfManyPlayers(t *testing.T) {
	r := &lab.Result{Players: map[string]*lab.Figures{}}
	d := &lab.Distributions{Seeds: []uint64{1}, Figures: map[string]lab.Range{}}
	for i := range 15 {
		name := "p" + string(rune('a'+i))
		r.Order, r.Players[name] = append(r.Order, name), &lab.Figures{}
		d.Order, d.Figures[name+".up"] = append(d.Order, name), lab.Range{Min: 1, Max: 2}
	}
	for what, got := range map[string]string{
		"a run": printedLines(func(w *bytes.Buffer) { printResult(w, walkFile, r) }),
		"seeds": printedLines(func(w *bytes.Buffer) { printDistributions(w, walkFile, d) }),
	} {
		if !strings.Contains(got, "\n  pl") || strings.Contains(got, "\n  pm") || !strings.Contains(got, "… and 3 ") || strings.Contains(got, "shots") {
			t.Errorf("%s:\n%s\nwant players pa to pl and a line about 3 more", what, got)
		}
	}
}

// The block over seeds: the figures that are not always 0, in their usual units, and for each
// expectation with which seeds it failed.
func TestBlockOfSeeds(t *testing.T) {
	d := &lab.Distributions{
		Name: "a walk", Seeds: []uint64{3, 4, 5, 6, 7, 8, 9, 10, 11}, Duration: 10, TickRate: 30, Order: []string{"ann"},
		Figures: map[string]lab.Range{
			"ann.corrections": {Min: 0, Median: 1, P95: 2, Max: 3}, "ann.timeouts": {Min: 0, Median: 0, P95: 1, Max: 1}, "ann.remote_snaps": {},
			"ann.view_delay.mean": {Min: 0.1, Median: 0.11, P95: 0.12, Max: 0.1234}, "ann.up": {Min: 1000, Median: 1500, P95: 1600, Max: 1700},
			"shots.claimed": {Min: 4, Median: 4, P95: 5, Max: 5}, "shots.agreement": {Min: 0.5, Median: 1, P95: 1, Max: 1},
		},
		Expect: []lab.CheckedSeeds{
			{Text: "ann.up < 2000", Held: true}, {Text: "mean ann.up < 1000", Mean: true, Got: 1500},
			{Text: "ann.corrections == 0", Failed: []uint64{4}, Got: 2},
			{Text: "ann.timeouts == 0", Failed: []uint64{3, 5, 6, 7, 8, 9, 10, 11}, Got: 1},
		},
	}
	checkText(t, "the block", printedLines(func(w *bytes.Buffer) { printDistributions(w, walkFile, d) }), `
a walk  (walk.yaml)
  9 seeds from 3 · 10 s each at 30 Hz
  figure               min  median  p95  max    unit
  ann.corrections      0    1       2    3
  ann.timeouts         0    0       1    1
  ann.view_delay.mean  100  110     120  123.4  ms
  ann.up               1    1.5     1.6  1.7    kB/s
  shots.claimed        4    4       5    5
  shots.agreement      50   100     100  100    %
  ✓ ann.up < 2000         with every seed
  ✗ mean ann.up < 1000    got 1500 as the mean of 9 seeds
  ✗ ann.corrections == 0  failed with 1 of 9 seeds: got 2 with seed 4
  ✗ ann.timeouts == 0     failed with 8 of 9 seeds: got 1 with seed 3, also 5, 6, 7, 8, 9, …`)
	checkText(t, "below a table", printedLines(func(w *bytes.Buffer) { printFailures(w, []*lab.Distributions{d}) }), `

✗ a walk: `+"`mean ann.up < 1000`"+` got 1500 as the mean of 9 seeds

✗ a walk: `+"`ann.corrections == 0`"+` failed with 1 of 9 seeds: got 2 with seed 4

✗ a walk: `+"`ann.timeouts == 0`"+` failed with 8 of 9 seeds: got 1 with seed 3`)
	if got := failedSeeds(d); len(got) != 9 || got[0] != 3 || got[1] != 4 || got[8] != 11 {
		t.Errorf("failed seeds: %v, want 3 to 11 once each", got)
	}
}

// Every figure of the summaries is one that a result has.
func TestSummaryFiguresExist(t *testing.T) {
	r := &lab.Result{Order: []string{"ann"}, Players: map[string]*lab.Figures{"ann": {}}}
	for _, f := range summaryFigures() {
		if _, ok := r.Lookup(append([]string{"ann"}, strings.Split(f.path, ".")...)); !ok {
			t.Errorf("players have no figure %s", f.path)
		}
	}
	for _, f := range shotSummaryFigures() {
		if _, ok := r.Lookup(strings.Split(f.path, ".")); !ok {
			t.Errorf("there is no figure %s", f.path)
		}
	}
}

// Two sides: figures that are 0 on both are left out, those that differ are marked, with the share of
// the left side where that is not 0.
func TestTwoSides(t *testing.T) {
	nan := math.NaN()
	got := printedLines(func(w *bytes.Buffer) {
		printRows(w, "before", "after", []lab.Row{
			{Path: "ticks", A: 60, B: 60}, {Path: "ann.snaps"}, {Path: "ann.up", A: 100, B: 150, Difference: 50, Changed: true},
			{Path: "ann.down", A: 0, B: 7, Difference: 7, Changed: true}, {Path: "bob.up", A: nan, B: 3, Difference: nan, Changed: true},
		})
	})
	checkText(t, "the table", got, `
  figure    before  after  difference
  ticks     60      60
≠ ann.up    100     150    +50  (+50.0 %)
≠ ann.down  0       7      +7
≠ bob.up    –       3      on one side only
3 figures differ, 2 are the same`)
}

// Progress without a terminal: a line for each of few runs, for many at most one every two seconds,
// and one within a long run.
func TestProgressLines(t *testing.T) {
	var w locked.Buffer
	p := newProgress(&w, 2, 20)
	p.finish("one ✓")
	p.begun = p.begun.Add(-10 * time.Second) // ten seconds of match time in about as many
	p.advance(10)
	p.finish("two")
	p.close()
	lines := strings.Split(strings.TrimSpace(w.String()), "\n")
	if len(lines) != 2 || lines[0] != "backstep: 1/2 runs, – s/s: one ✓" || !strings.HasPrefix(lines[1], "backstep: 2/2 runs, 1 s/s: two") {
		t.Errorf("few runs: got\n%s", &w)
	}
	var many locked.Buffer
	p = newProgress(&many, 30, 30)
	for range 29 {
		p.advance(1)
		p.finish("a run")
	}
	if many.String() != "" {
		t.Errorf("29 runs in a moment: got\n%s\nwant no line yet", &many)
	}
	if p.finish("the last"); many.String() == "" || strings.Count(many.String(), "\n") != 1 {
		t.Errorf("after the last run: got\n%s\nwant one line", &many)
	}
	var long locked.Buffer
	p = newProgress(&long, 1, 100)
	p.begun, p.lastLine = p.begun.Add(-10*time.Second), p.lastLine.Add(-10*time.Second)
	p.advance(25)
	p.advance(1000) // more than there is counts as all
	if ok, _ := regexp.MatchString(`^backstep: 0/1 runs, [23] s/s, 3[0-3]s left\n$`, long.String()); !ok {
		t.Errorf("within a long run: got %q, want 2.5 s/s and about 30 s left", &long)
	}
	if p.done != 100 {
		t.Errorf("%v s are done of 100", p.done)
	}
}

// Words are wrapped at the width, and a longer one has a line of its own.
func TestWrappedText(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "  ",
		"one two three":           "  one two\n  three",
		"one  two\nthree":         "  one two\n  three",
		"a incomprehensibilities": "  a\n  incomprehensibilities",
		"ä ö ü ß ä ö":             "  ä ö ü ß ä\n  ö",
	} {
		if got := wrap(text, "  ", 11); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// Shares are percentages with as many digits as they need.
func TestPercentages(t *testing.T) {
	for share, want := range map[float64]string{0: "0", 0.01: "1 %", 0.002: "0.2 %", 0.125: "12.5 %", 1: "100 %"} {
		if got := percent(share); got != want {
			t.Errorf("%v: got %s, want %s", share, got, want)
		}
	}
}
