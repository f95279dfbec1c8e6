package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
)

// printResult prints one run: a line per player, one for the shots, one per expectation.
func printResult(w io.Writer, s *scenario.Scenario, r *lab.Result) {
	fmt.Fprintf(w, "%s  (%s)\n", r.Name, s.File)
	fmt.Fprintf(w, "  seed %d · %s s · %d ticks at %d Hz · hash %s\n", r.Seed, short(r.Duration), r.Ticks, r.TickRate, r.Hash)
	printPlayers(w, r)
	printShots(w, &r.Shots)
	printExpectations(w, r.Expect)
}

// mostPlayers is how many players a block lists.
const mostPlayers = 12

func printPlayers(w io.Writer, r *lab.Result) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  \tcorrections\towner error\tremote error\tview delay\tup\tdown")
	fmt.Fprintln(t, "  \t\tmean / p99 / max m\tmean / p99 / max m\tmean / p99 ms\tkB/s\tkB/s")
	for i, name := range r.Order {
		if i == mostPlayers {
			break
		}
		f := r.Players[name]
		corrections := strconv.Itoa(f.Corrections)
		if f.Corrections > 0 {
			corrections += fmt.Sprintf(", ≤ %s m", short(f.CorrectionMax))
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%.0f / %.0f\t%.1f\t%.1f%s\n", name, corrections, spread(&f.OwnerError), spread(&f.RemoteError),
			1000*f.ViewDelay.Mean, 1000*f.ViewDelay.P99, f.Up/1000, f.Down/1000, exceptions(f))
	}
	t.Flush()
	if more := len(r.Order) - mostPlayers; more > 0 {
		fmt.Fprintf(w, "  … and %d more: --json and --html have them all\n", more)
	}
}

// exceptions lists the figures that are only printed if they are not zero.
func exceptions(f *lab.Figures) string {
	var words []string
	add := func(n int, what string) {
		if n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(f.Reversals, "reversals")
	add(f.Snaps, "snaps")
	add(f.Moves.Rejected, "moves rejected")
	add(f.Timeouts, "timeouts")
	add(f.CorrectedAgain, "corrected again")
	if f.TimeDiscrepancy.Detected {
		words = append(words, fmt.Sprintf("wrong clock noticed after %s s", short(f.TimeDiscrepancy.After)))
	}
	if len(words) == 0 {
		return ""
	}
	return "\t" + strings.Join(words, ", ")
}

func spread(s *lab.Spread) string {
	return short(s.Mean) + " / " + short(s.P99) + " / " + short(s.Max)
}

func printShots(w io.Writer, s *lab.Shots) {
	if s.Fired == 0 && s.Claimed == 0 {
		return
	}
	fmt.Fprintf(w, "  shots: %d fired, %d claimed, %d hit, %d refused; agreement %s %%, false hits %d, pose error %s m\n",
		s.Fired, s.Claimed, s.Confirmed, s.Refused, short(100*s.Agreement), s.FalseHits, spread(&s.PoseError))
	if c := &s.BehindCover; c.Share > 0 {
		fmt.Fprintf(w, "  behind cover: %s %% of the hits, out of sight for %s ms (mean / p99 / max of all hits)\n",
			short(100*c.Share), spread(&lab.Spread{Mean: 1000 * c.Mean, P99: 1000 * c.P99, Max: 1000 * c.Max}))
	}
	if len(s.Weapons) > 1 {
		printWeapons(w, s)
	}
}

// printWeapons prints a line for each weapon that was fired.
func printWeapons(w io.Writer, s *lab.Shots) {
	for _, name := range slices.Sorted(maps.Keys(s.Weapons)) {
		f := s.Weapons[name]
		fmt.Fprintf(w, "    %s: %d claimed, %d hit, %d refused; agreement %s %%, false hits %d", name, f.Claimed, f.Confirmed, f.Refused, short(100*f.Agreement), f.FalseHits)
		if f.Swings > 0 {
			fmt.Fprintf(w, ", of %d swings %s %%", f.Swings, short(100*f.SwingAgreement))
		}
		if f.EndError.Max > 0 {
			fmt.Fprintf(w, ", ends %s m apart", spread(&f.EndError))
		}
		fmt.Fprintln(w)
	}
}

func printExpectations(w io.Writer, list []lab.Checked) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range list {
		got := "got " + exact(c.Got)
		if c.Unmeasured {
			got = nothingMeasured
		}
		fmt.Fprintf(t, "  %s %s\t%s\n", tick(c.Held), c.Text, got)
	}
	t.Flush()
}

// nothingMeasured says why an expectation of a figure without values does not hold.
const nothingMeasured = "nothing was measured"

func tick(held bool) string {
	if held {
		return "✓"
	}
	return "✗"
}

// exact formats a number with all digits that may have decided an expectation.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', 9, 64) }

// short formats a number with about three significant digits and at most four decimals.
func short(v float64) string {
	a := math.Abs(v)
	switch {
	case a == math.Trunc(a) && a < 1e15:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 1:
		return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(v, 'f', 2, 64), "0"), ".")
	case a < 0.00005:
		return "≈0"
	}
	return strings.TrimRight(strconv.FormatFloat(v, 'f', 4, 64), "0")
}

// printDistributions prints a scenario's results over its seeds: the summary figures that
// are not always zero, and each expectation.
func printDistributions(w io.Writer, s *scenario.Scenario, d *lab.Distributions) {
	fmt.Fprintf(w, "%s  (%s)\n", d.Name, s.File)
	fmt.Fprintf(w, "  %d seeds from %d · %s s each at %d Hz\n", len(d.Seeds), d.Seeds[0], short(d.Duration), d.TickRate)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  figure\tmin\tmedian\tp95\tmax\tunit")
	for i, name := range d.Order {
		if i == mostPlayers {
			break
		}
		for _, f := range summaryFigures() {
			printRange(t, d, name+"."+f.path, f)
		}
	}
	for _, f := range shotSummaryFigures() {
		if d.Figures["shots.claimed"].Max > 0 {
			printRange(t, d, f.path, f)
		}
	}
	t.Flush()
	if more := len(d.Order) - mostPlayers; more > 0 {
		fmt.Fprintf(w, "  … and %d players more: --json has them all\n", more)
	}
	printSeedExpectations(w, d)
}

// summaryFigure is a figure of the summary, with its unit and the scale to that unit.
type summaryFigure struct {
	path, unit string
	scale      float64
}

func summaryFigures() []summaryFigure {
	return []summaryFigure{
		{"corrections", "", 1}, {"correction_max", "m", 1}, {"timeouts", "", 1}, {"corrected_again", "", 1}, {"owner_error.p99", "m", 1}, {"owner_error.max", "m", 1},
		{"remote_error.mean", "m", 1}, {"remote_error.p99", "m", 1}, {"remote_error.max", "m", 1},
		{"remote_reversals", "", 1}, {"remote_snaps", "", 1}, {"moves.rejected", "", 1},
		{"view_delay.mean", "ms", 1000}, {"up", "kB/s", 0.001}, {"down", "kB/s", 0.001}, {"time_discrepancy.after", "s", 1},
	}
}

func shotSummaryFigures() []summaryFigure {
	return []summaryFigure{
		{"shots.claimed", "", 1}, {"shots.confirmed", "", 1}, {"shots.refused", "", 1}, {"shots.agreement", "%", 100},
		{"shots.false_hits", "", 1}, {"shots.pose_error.mean", "m", 1}, {"shots.pose_error.p99", "m", 1}, {"shots.pose_error.max", "m", 1},
		{"shots.behind_cover.share", "%", 100}, {"shots.behind_cover.p99", "ms", 1000},
	}
}

func printRange(w io.Writer, d *lab.Distributions, path string, f summaryFigure) {
	r, ok := d.Figures[path]
	if !ok || r.Min == 0 && r.Max == 0 {
		return
	}
	fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%s\n", path, short(f.scale*r.Min), short(f.scale*r.Median), short(f.scale*r.P95), short(f.scale*r.Max), f.unit)
}

func printSeedExpectations(w io.Writer, d *lab.Distributions) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range d.Expect {
		more := ""
		if len(c.Failed) > 1 {
			more = otherSeeds(c.Failed[1:])
		}
		fmt.Fprintf(t, "  %s %s\t%s%s\n", tick(c.Held), c.Text, outcomeOf(&c, d), more)
	}
	t.Flush()
}

// outcomeOf describes the result of an expectation.
func outcomeOf(c *lab.CheckedSeeds, d *lab.Distributions) string {
	switch {
	case c.Mean && c.Unmeasured:
		return nothingMeasured
	case c.Mean:
		return fmt.Sprintf("got %s as the mean of %d seeds", exact(c.Got), len(d.Seeds))
	case c.Held:
		return "with every seed"
	}
	got := "got " + exact(c.Got)
	if c.Unmeasured {
		got = nothingMeasured
	}
	return fmt.Sprintf("failed with %d of %d seeds: %s with seed %d", len(c.Failed), len(d.Seeds), got, c.Failed[0])
}

// otherSeeds names a few further seeds.
func otherSeeds(list []uint64) string {
	if len(list) == 0 {
		return ""
	}
	text := ", also " + strconv.FormatUint(list[0], 10)
	for i, n := range list[1:] {
		if i == 4 {
			return text + ", …"
		}
		text += ", " + strconv.FormatUint(n, 10)
	}
	return text
}

// printFailures lists the expectations that did not hold, below a table that has no room
// for them.
func printFailures(w io.Writer, all []*lab.Distributions) {
	for _, d := range all {
		for _, c := range d.Expect {
			if !c.Held {
				fmt.Fprintf(w, "\n✗ %s: `%s` %s\n", d.Name, c.Text, outcomeOf(&c, d))
			}
		}
	}
}

// printRows prints both sides' figures and marks the different ones; figures that are zero
// on both are omitted.
func printRows(w io.Writer, a, b string, rows []lab.Row) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "  figure\t%s\t%s\tdifference\n", a, b)
	changed, same := 0, 0
	for _, r := range rows {
		if r.A == 0 && r.B == 0 {
			same++
			continue
		}
		mark, difference := " ", ""
		if r.Changed {
			mark, difference = "≠", describe(r)
			changed++
		} else {
			same++
		}
		fmt.Fprintf(t, "%s %s\t%s\t%s\t%s\n", mark, r.Path, number(r.A), number(r.B), difference)
	}
	t.Flush()
	fmt.Fprintf(w, "%d figures differ, %d are the same\n", changed, same)
}

// describe returns a difference, absolute and relative.
func describe(r lab.Row) string {
	if math.IsNaN(r.Difference) {
		return "on one side only"
	}
	text := fmt.Sprintf("%+.6g", r.Difference)
	if r.A != 0 {
		text += fmt.Sprintf("  (%+.1f %%)", 100*r.Difference/math.Abs(r.A))
	}
	return text
}

func number(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
