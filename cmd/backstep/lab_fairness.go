package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena/labgame"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/report"
)

type labFairness struct {
	Seeds int           `default:"4" help:"Seeds per point, 1 to 1000."`
	For   time.Duration `default:"30s" help:"How long each match is, 1s to 10m."`
	Only  string        `placeholder:"NAME" help:"Measure only one question: rewind, beyond, cover, rocket or cheats."`
	At    []int         `placeholder:"MS" help:"The pings to play, or by how much a cheat exaggerates; by default 0 to 400 in steps of 50."`
	SVG   string        `name:"svg" placeholder:"FILE" help:"Write the curves as an SVG image."`
	Jobs  int           `default:"2" help:"Points played at the same time."`
}

// Validate reports an invalid flag. Kong calls it.
func (c *labFairness) Validate() error {
	switch {
	case c.Seeds < 1 || c.Seeds > 1000:
		return fmt.Errorf("--seeds=%d: want 1 to 1000", c.Seeds)
	case c.For < time.Second || c.For > 10*time.Minute:
		return fmt.Errorf("--for=%v: want 1s to 10m", c.For)
	case c.Only != "" && !slices.Contains(lab.FairnessNames(), c.Only):
		return fmt.Errorf("--only=%s: want one of %s", c.Only, strings.Join(lab.FairnessNames(), ", "))
	case slices.ContainsFunc(c.At, func(ms int) bool { return ms < 0 || ms > 1000 }):
		return fmt.Errorf("--at=%v: want 0 to 1000", c.At)
	}
	return nil
}

// Run plays the matches, prints the tables and writes the image.
func (c *labFairness) Run(ctx context.Context, out output) error {
	svg, err := openOutput("--svg", c.SVG)
	if err != nil {
		return usageError(err)
	}
	printed := time.Now()
	list, err := lab.FairnessCurves(ctx, labgame.New(), lab.FairnessOptions{
		Duration: clock.Micros(c.For / time.Microsecond), Seeds: c.Seeds, Parallel: c.Jobs, Only: c.Only, At: c.At,
		Progress: func(done, all int) {
			if done == all || time.Since(printed) > 5*time.Second {
				printed = time.Now()
				fmt.Fprintf(out.errors, "backstep: %d/%d points\n", done, all)
			}
		},
	})
	switch {
	case ctx.Err() != nil:
		return &exitError{exitInterrupted, "backstep: interrupted"}
	case err != nil:
		return err
	}
	for i := range list {
		if c.Only == "" {
			fmt.Fprintf(out, "**%s**\n\n", list[i].Title)
		}
		fmt.Fprint(out, lab.FairnessTable(&list[i]))
	}
	if err := report.Curves(svg, list); err != nil {
		return err
	}
	return svg.commit()
}
