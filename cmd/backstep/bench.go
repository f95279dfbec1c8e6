package main

import (
	"context"
	"fmt"
	"os"

	"github.com/backstep-net/backstep/internal/bench"
	"github.com/backstep-net/backstep/internal/bench/edge"
)

// benchCommand measures the speed of this machine.
type benchCommand struct {
	JSON      string   `name:"json" placeholder:"FILE" help:"Write the figures to a file too."`
	Only      []string `placeholder:"GROUP" help:"Measure these groups only: step, query, owner, rewind, snapshot, match, edge, movewander."`
	Compare   string   `placeholder:"FILE" help:"Print the ratios to the figures of an earlier --json."`
	Yardstick string   `placeholder:"PROGRAM" help:"Run the yardstick first and print the ratios to it."`
	Profile   string   `placeholder:"FOLDER" help:"Write profiles of step_b and match10_128_paced, and print what takes most of their time. Needs the go command."`
	Growth    string   `placeholder:"FILE" help:"Measure how costs grow instead, print a table in Markdown, and draw it into an SVG file."`
	Markdown  bool     `help:"Print the table as Markdown."`
	Runs      int      `default:"3" help:"Runs of each figure, of which the median counts."`
	Share     float64  `default:"1" hidden:"" help:"Share of the calls that are made, for tests."`
}

// Run measures and prints.
func (c *benchCommand) Run(ctx context.Context, out output) error {
	t := bench.Table{}
	options := bench.Options{
		Only: c.Only, Runs: c.Runs, Share: c.Share, Profiles: c.Profile,
		Progress: func(what string) { fmt.Fprintln(out.errors, "measuring", what) },
	}
	if c.Growth != "" {
		return c.measureGrowth(ctx, out, options)
	}
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
	t.Report, err = bench.Run(ctx, options, append(bench.Groups(), edge.Groups(func(args ...string) []string { return append([]string{"bench-edge"}, args...) })...))
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
	return c.printTops(out, t.Report)
}

// measureGrowth measures how costs grow.
func (c *benchCommand) measureGrowth(ctx context.Context, out output, o bench.Options) error {
	all, err := bench.MeasureGrowth(ctx, o)
	if err != nil {
		return err
	}
	fmt.Fprint(out, bench.GrowthTable(all))
	return os.WriteFile(c.Growth, []byte(bench.GrowthPlot(all)), 0o644)
}

// printTops prints what takes most of the time of the figures that have a profile.
func (c *benchCommand) printTops(out output, r *bench.Report) error {
	if c.Profile == "" {
		return nil
	}
	for _, figure := range bench.Profiled {
		if _, ok := r.Figures[figure]; !ok {
			continue
		}
		for _, by := range []struct {
			what   string
			called bool
		}{{"by function", false}, {"with what each function calls", true}} {
			top, err := bench.Top(c.Profile, figure, by.called)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "\nThe processor time of %s, %s:\n\n```text\n%s```\n", figure, by.what, top)
		}
	}
	return nil
}

// benchEdge is the server or the clients of the edge figures, which bench starts as processes of their own.
type benchEdge struct {
	Server struct {
		Load    string `arg:"" help:"What is played."`
		Players int    `arg:"" help:"Players of a match."`
	} `cmd:"" help:"Serve the matches."`
	Clients struct {
		Load      string `arg:"" help:"What is played."`
		Players   int    `arg:"" help:"Players of a match."`
		URL       string `arg:"" help:"Address of the server."`
		Transport string `arg:"" enum:"udp,quic" help:"How they connect."`
	} `cmd:"" help:"Play on a server."`
}

// Run serves or plays until the standard input ends.
func (c *benchEdge) Run(ctx context.Context) error {
	if c.Server.Load != "" {
		return edge.Serve(ctx, c.Server.Load, c.Server.Players, os.Stdin, os.Stdout)
	}
	return edge.Play(ctx, c.Clients.Load, c.Clients.Players, c.Clients.URL, c.Clients.Transport, os.Stdin, os.Stdout)
}
