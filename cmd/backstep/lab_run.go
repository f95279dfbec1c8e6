package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/report"
	"github.com/backstep-net/backstep/lab/scenario"
)

type labRun struct {
	Files    []string `arg:"" name:"file" help:"Scenario files."`
	Seeds    int      `default:"1" help:"Play each scenario with this many seeds, its own and the following ones, 1 to 10000, and print minimum, median, p95 and maximum of each figure."`
	JSON     string   `name:"json" type:"path" placeholder:"FILE" help:"Write the result of one run, or with --seeds the distributions, as JSON."`
	HTML     string   `name:"html" type:"path" placeholder:"FILE" help:"Write a report with plots; with --seeds, of the first seed that failed, else of the first seed."`
	Markdown bool     `help:"Print a table in Markdown, with a row for each scenario."`
	Set      []string `sep:"none" placeholder:"KEY=VALUE" help:"Override a key of the files: network.rtt=150ms, players.ann.frame=60. Repeat for more."`
	Remote   []string `placeholder:"MODE" help:"Play each scenario once for each of these draw modes of remotes: interpolate, linear, exponential, none."`
	Jobs     int      `default:"0" help:"Runs at the same time; 0 is one per processor."`
}

// Validate reports invalid flags. Kong calls it.
func (c *labRun) Validate() error {
	for _, mode := range c.Remote {
		if !slices.Contains(scenario.Remotes(), mode) {
			return fmt.Errorf("--remote=%s: want %s", mode, strings.Join(scenario.Remotes(), ", "))
		}
	}
	switch {
	case c.Seeds < 1 || c.Seeds > 10_000:
		return fmt.Errorf("--seeds=%d: want 1 to 10000", c.Seeds)
	case c.Jobs < 0 || c.Jobs > 1024:
		return fmt.Errorf("--jobs=%d: want 0 to 1024", c.Jobs)
	case c.JSON != "" && len(c.Files) > 1:
		return fmt.Errorf("--json holds one scenario's result: there are %d files", len(c.Files))
	case c.HTML != "" && len(c.Files) > 1:
		return fmt.Errorf("--html shows one scenario: there are %d files", len(c.Files))
	case len(c.Remote) > 1 && (c.JSON != "" || c.HTML != ""):
		return fmt.Errorf("--json and --html are about one scenario: --remote makes %d of each", len(c.Remote))
	case c.JSON != "" && c.JSON == c.HTML:
		return errors.New("--json and --html name the same file")
	}
	return nil
}

// Run plays the scenarios and prints the results.
func (c *labRun) Run(ctx context.Context, out output) error {
	game := newLabGame()
	list, err := readScenarios(game, c.Files, c.Set)
	if err != nil {
		return err
	}
	list = inModes(list, c.Remote)
	asJSON, err := openOutput("--json", c.JSON)
	if err != nil {
		return usageError(err)
	}
	html, err := openOutput("--html", c.HTML)
	if err != nil {
		return usageError(err)
	}
	b := &batch{
		game: game, scenarios: list, seeds: c.Seeds, jobs: c.Jobs,
		spread: c.Markdown, series: c.HTML != "" && c.Seeds == 1,
	}
	p := newProgress(out.errors, len(list)*c.Seeds, b.seconds())
	played := b.play(ctx, p)
	p.close()
	var wrong *exitError
	if errors.As(played, &wrong) { // a fault of a file: do not print what others showed
		return wrong
	}
	c.print(out, b)
	switch {
	case ctx.Err() != nil:
		return interrupted(b)
	case played != nil:
		return played
	}
	if err := c.write(ctx, b, asJSON, html); err != nil {
		if ctx.Err() != nil {
			return interrupted(b)
		}
		return err
	}
	return expectationError(b)
}

// interrupted returns the error of an interrupted batch.
func interrupted(b *batch) error {
	n := 0
	for _, o := range b.outcomes {
		n += o.runs()
	}
	return &exitError{exitInterrupted, fmt.Sprintf("backstep: interrupted after %d of %d runs", n, len(b.scenarios)*b.seeds)}
}

// expectationError returns an error without text if an expectation did not hold: the
// failures are printed already.
func expectationError(b *batch) error {
	for _, o := range b.outcomes {
		if !o.held() {
			return &exitError{code: exitFailure}
		}
	}
	return nil
}

// print prints the results.
func (c *labRun) print(out output, b *batch) {
	var all []*lab.Distributions
	for i, o := range b.outcomes {
		s := b.scenarios[i]
		switch {
		case o.runs() == 0:
			continue
		case c.Markdown:
			all = append(all, o.spread)
			continue
		case o.spread != nil:
			printDistributions(out, s, o.spread)
		default:
			printResult(out, s, o.result)
		}
		if i+1 < len(b.outcomes) {
			fmt.Fprintln(out)
		}
	}
	if len(all) > 0 {
		overview := lab.Overview
		if slices.ContainsFunc(b.scenarios, hasOwnMode) {
			overview = lab.RemoteOverview
		}
		fmt.Fprint(out, overview(all))
		if weapons := lab.WeaponOverview(all); weapons != "" {
			fmt.Fprint(out, "\n"+weapons)
		}
		printFailures(out, all)
	}
}

// write fills the output files, and writes them when both are complete.
func (c *labRun) write(ctx context.Context, b *batch, asJSON, html *outputFile) (err error) {
	o := b.outcomes[0]
	switch {
	case c.JSON == "":
	case o.spread != nil:
		err = o.spread.Write(asJSON)
	default:
		r := *o.result
		r.Series = nil
		err = r.Write(asJSON)
	}
	if err == nil && c.HTML != "" {
		err = b.report(ctx, html)
	}
	if err == nil {
		err = asJSON.commit()
	}
	if err == nil {
		err = html.commit()
	}
	return err
}

// report writes the report of the first scenario. With several seeds it plays one again to
// get the time series, which are too large to keep of every seed: the first that failed, else the
// first.
func (b *batch) report(ctx context.Context, w io.Writer) error {
	o := report.Options{Version: version()}
	r := b.outcomes[0].result
	if d := b.outcomes[0].spread; d != nil {
		again, failed := *b.scenarios[0], failedSeeds(d)
		if len(failed) > 0 {
			again.Seed = failed[0]
		}
		o.Note = fmt.Sprintf("seed %d of %d … %d; %d of these seeds failed", again.Seed, d.Seeds[0], d.Seeds[len(d.Seeds)-1], len(failed))
		var err error
		if r, err = playOne(ctx, b.game, &again, true, newProgress(io.Discard, 1, again.Duration.Seconds())); err != nil {
			return err
		}
	}
	return report.Write(w, r, o)
}

// failedSeeds returns the seeds with which an expectation did not hold, ascending.
func failedSeeds(d *lab.Distributions) []uint64 {
	var all []uint64
	for _, c := range d.Expect {
		all = append(all, c.Failed...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
