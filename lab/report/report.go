// Package report writes the result of a run of the lab as one self-contained HTML file: figures,
// paths, charts, shots, events. Start at [Write].
//
// If the data is too large for a page, it is thinned, and the page says so.
package report

import (
	"fmt"
	"html/template"
	"io"
	"strconv"

	"github.com/backstep-net/backstep/lab"
)

// Options are facts for a report besides the result; the zero Options has none.
type Options struct {
	// Version is the version of the program that played the run; "" is left out.
	Version string
	// Note is shown among the facts at the top, such as the seed of a batch; "" is
	// left out.
	Note string
}

// Write writes the report of a run. Charts, drawn paths and drawings of shots need r.Series and are
// left out without it. Errors are those of w.
func Write(w io.Writer, r *lab.Result, o Options) error {
	d := drawingOf(r)
	return write(w, pageOf(r, o, d), d)
}

func pageOf(r *lab.Result, o Options, d *drawing) *page {
	p := &page{
		Name: r.Name, Facts: facts(r, o), Held: r.Held(), Columns: r.Order,
		Tables: tables(r), ShotFigures: tiles(r), Thinned: thinned(r, d), Version: o.Version,
	}
	if p.Name == "" {
		p.Name = "a run"
	}
	for _, e := range r.Expect {
		got := strconv.FormatFloat(e.Got, 'g', 6, 64)
		if e.Unmeasured {
			got = "–"
		}
		p.Expectations = append(p.Expectations, expectation{e.Text, got, e.Held})
		if !e.Held {
			p.Failed++
		}
	}
	return p
}

func facts(r *lab.Result, o Options) []fact {
	list := []fact{
		{"seed", strconv.FormatUint(r.Seed, 10)},
		{"match time", brief(r.Duration) + " s"},
		{"ticks", fmt.Sprintf("%d at %d Hz", r.Ticks, r.TickRate)},
		{"players", strconv.Itoa(len(r.Players))},
		{"hash", r.Hash},
	}
	if o.Version != "" {
		list = append(list, fact{"version", o.Version})
	}
	if o.Note != "" {
		list = append(list, fact{"note", o.Note})
	}
	return list
}

// thinned returns a note on what the charts leave out.
func thinned(r *lab.Result, d *drawing) string {
	if r.Series == nil {
		return "The result has no series, so only the authoritative paths and speeds are drawn."
	}
	text := fmt.Sprintf("Charts show the largest value of every %s ms, so no peak is lost",
		brief(1000*r.Duration/float64(max(len(d.Times), 1))))
	longest := 0
	for _, f := range r.Players {
		longest = max(longest, len(f.Trajectory))
	}
	if n := stride(longest, pointsOf(len(r.Players))); n > 1 {
		text += fmt.Sprintf("; paths show every %d%s of %d points", n, ordinal(n), longest)
	}
	if len(r.Players) > maxPairs {
		text += fmt.Sprintf("; with more than %d players, remote error is the worst of all others; the first %d players are shown at first", maxPairs, maxPairs)
	}
	return text + "."
}

func ordinal(n int) string {
	switch {
	case n%100 >= 11 && n%100 <= 13:
		return "th"
	case n%10 == 1:
		return "st"
	case n%10 == 2:
		return "nd"
	case n%10 == 3:
		return "rd"
	}
	return "th"
}

// write executes the template.
func write(w io.Writer, p *page, d *drawing) error {
	data, err := d.script()
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	p.Data = data
	p.Style = template.CSS(plotCSS + pageCSS)
	p.Plot, p.Script = template.JS(plotJS), script()
	if err := pageTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
