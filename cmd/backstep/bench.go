package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/backstep-net/backstep/internal/bench"
	"github.com/backstep-net/backstep/internal/bench/edge"
	"github.com/backstep-net/backstep/session"
)

// benchCommand measures this machine.
type benchCommand struct {
	Speed    benchSpeed    `cmd:"" default:"withargs" help:"Measure the speed of steps, queries, rewinds, snapshots, matches and the network: this is what bench does without a command."`
	Capacity benchCapacity `cmd:"" help:"Find out how many players a server on this machine holds."`
}

// benchSpeed measures the speed of this machine.
type benchSpeed struct {
	JSON      string   `name:"json" placeholder:"FILE" help:"Write the figures to a file too."`
	Only      []string `placeholder:"GROUP" help:"Measure these groups only: step, query, owner, rewind, snapshot, match, edge, scheduler, movewander."`
	Compare   string   `placeholder:"FILE" help:"Print the ratios to the figures of an earlier --json."`
	Yardstick string   `placeholder:"PROGRAM" env:"BACKSTEP_YARDSTICK" help:"Run this reference program first, a reduced character controller, and print the ratios to its times."`
	Profile   string   `placeholder:"FOLDER" help:"Write profiles of step_b and match10_128_paced, and print what takes most of their time. Needs the go command."`
	Growth    string   `placeholder:"FILE" help:"Measure how costs grow instead, print a table in Markdown, and draw it into an SVG file."`
	Markdown  bool     `help:"Print the table as Markdown."`
	Runs      int      `default:"3" help:"Runs of each figure, of which the median counts."`
	Share     float64  `default:"1" hidden:"" help:"Share of the calls that are made, for tests."`
}

// Run measures and prints.
func (c *benchSpeed) Run(ctx context.Context, out output) error {
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
	t.Report, err = bench.Run(ctx, options, append(bench.Groups(), edge.Groups(edgeCommand)...))
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
func (c *benchSpeed) measureGrowth(ctx context.Context, out output, o bench.Options) error {
	all, err := bench.MeasureGrowth(ctx, o)
	if err != nil {
		return err
	}
	fmt.Fprint(out, bench.GrowthTable(all))
	return os.WriteFile(c.Growth, []byte(bench.GrowthPlot(all)), 0o644)
}

// printTops prints what takes most of the time of the figures that have a profile.
func (c *benchSpeed) printTops(out output, r *bench.Report) error {
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

// edgeCommand returns the arguments that start the server or the clients of a measurement.
func edgeCommand(args ...string) []string { return append([]string{"bench-edge"}, args...) }

// benchCapacity finds out how many players this machine holds.
type benchCapacity struct {
	Load      []string `placeholder:"LOAD" default:"match10_128,match20_60,growing_60" enum:"match10_128,match20_60,growing_60" help:"What is played: match10_128 (matches of 10 at 128 Hz), match20_60 (of 20 at 60 Hz), growing_60 (one match that all join, at 60 Hz). Default: all."`
	Transport []string `default:"udp,quic,websocket" enum:"udp,quic,websocket" help:"How the players connect."`
	Cores     int      `default:"0" help:"Cores of the server; the load has the others, one at least. 0 means one, and all for the growing match."`
	Most      int      `default:"1000" help:"Players that join at most."`
	JSON      string   `name:"json" placeholder:"FILE" help:"Write every step to a file."`
	Tick      float64  `default:"1" hidden:"" help:"Bound of a tick's time, of its interval, for tests."`
	Share     float64  `default:"1" hidden:"" help:"Share of the waiting times, for tests."`
}

// Help is what --help adds.
func (*benchCapacity) Help() string {
	return `Players of another process join a server over loopback, step by step, move and shoot, until a bound breaks three times in a row: a tick's p99 time is longer than its interval, less than 99 % of the shots are judged as their shooter saw them, or a player is disconnected. Another bound, p99 lateness of a quarter of the interval, ends nothing, since a shared machine is late by itself: the table says how many players were held within it. Each load over each transport takes one to three minutes, all of them 25 at most. Use an idle machine. Interrupt it to end it; then it prints what it has measured.`
}

// Run measures and prints.
func (c *benchCapacity) Run(ctx context.Context, out output) error {
	if c.Most < 1 || c.Most > session.MaxPlayers || c.Cores < 0 {
		return fmt.Errorf("--most is 1 to %d, and --cores at least 0", session.MaxPlayers)
	}
	report, err := edge.MeasureCapacity(ctx, &edge.CapacityOptions{
		Loads: c.Load, Transports: c.Transport, Most: c.Most, Cores: c.Cores, Bounds: edge.Bounds{Tick: c.Tick, Late: 0.25, Agreement: 99}, Share: c.Share,
		Progress: func(line string) { fmt.Fprintln(out.errors, line) },
	}, edgeCommand)
	fmt.Fprint(out, report.Markdown())
	if c.JSON != "" {
		err = errors.Join(err, report.Write(c.JSON))
	}
	if ctx.Err() != nil {
		return &exitError{exitInterrupted, ""}
	}
	return err
}

// benchEdge is the server or the clients of the edge figures, which bench starts as processes of their own.
type benchEdge struct {
	Server struct {
		Load    string `arg:"" help:"What is played."`
		Matches int    `arg:"" help:"How many matches."`
		Players int    `arg:"" help:"Players of a match."`
	} `cmd:"" help:"Serve the matches."`
	Clients struct {
		Load      string `arg:"" help:"What is played."`
		Matches   int    `arg:"" help:"How many matches."`
		Players   int    `arg:"" help:"Players of a match."`
		URL       string `arg:"" help:"Address of the server."`
		Transport string `arg:"" enum:"udp,quic,websocket" help:"How they connect."`
	} `cmd:"" help:"Play on a server."`
}

// Run serves or plays until the standard input ends.
func (c *benchEdge) Run(ctx context.Context) error {
	if c.Server.Load != "" {
		return edge.Serve(ctx, c.Server.Load, c.Server.Matches, c.Server.Players, os.Stdin, os.Stdout)
	}
	return edge.Play(ctx, c.Clients.Load, c.Clients.Matches, c.Clients.Players, c.Clients.URL, c.Clients.Transport, os.Stdin, os.Stdout)
}
