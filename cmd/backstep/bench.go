package main

import (
	"context"
	"fmt"

	"github.com/backstep-net/backstep/internal/bench"
)

// benchCommand measures what this machine holds.
type benchCommand struct {
	JSON      string   `name:"json" placeholder:"FILE" help:"Write the figures to a file too."`
	Only      []string `placeholder:"GROUP" help:"Measure these groups only: step, query, owner, rewind, snapshot, match, edge."`
	Compare   string   `placeholder:"FILE" help:"Print the ratios to the figures of an earlier --json."`
	Yardstick string   `placeholder:"PROGRAM" help:"Run the yardstick first and print the ratios to it."`
	Profile   string   `placeholder:"FOLDER" help:"Write a profile of processor time for each figure, for go tool pprof."`
	Markdown  bool     `help:"Print the table as Markdown."`
	Runs      int      `default:"3" help:"Runs of each figure, of which the median counts."`
}

// Run measures and prints.
func (c *benchCommand) Run(ctx context.Context, out output) error {
	t := bench.Table{}
	var err error
	if c.Compare != "" {
		if t.Earlier, err = bench.Read(c.Compare); err != nil {
			return err
		}
	}
	if c.Yardstick != "" {
		if t.Yardstick, err = bench.Yardstick(ctx, c.Yardstick); err != nil {
			return err
		}
	}
	t.Report, err = bench.Run(ctx, bench.Options{
		Only: c.Only, Runs: c.Runs, Profiles: c.Profile,
		Progress: func(figure string) { fmt.Fprintln(out.errors, "measuring", figure) },
	}, bench.Groups())
	if err != nil {
		return err
	}
	if c.JSON != "" {
		if err := t.Report.Write(c.JSON); err != nil {
			return err
		}
	}
	if c.Markdown {
		fmt.Fprint(out, t.Markdown())
	} else {
		fmt.Fprint(out, t.Text())
	}
	return nil
}
