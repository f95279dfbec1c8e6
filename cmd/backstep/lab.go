package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena/labgame"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/transport/mem"
)

// labCommand is the lab: experiments in virtual time.
type labCommand struct {
	Run      labRun      `cmd:"" help:"Play scenarios and print their results."`
	Compare  labCompare  `cmd:"" help:"Compare two results, scenarios or settings."`
	Record   labRecord   `cmd:"" help:"Convert a recorded match into a scenario that repeats it."`
	Cheats   labCheats   `cmd:"" help:"Explain the cheats that a scenario may name, and play each time cheat."`
	Fairness labFairness `cmd:"" help:"Show the effect of each fairness setting on hits, by ping."`
	Swarm    labSwarm    `cmd:"" help:"Play random matches with faults and attacks, and check invariants; a failure is shrunk to a scenario."`
	Profiles labProfiles `cmd:"" help:"List the network profiles that a scenario may name."`
}

// exitError ends the program with an exit code, and prints its text unchanged if it has
// one.
type exitError struct {
	code int
	text string
}

func (e *exitError) Error() string { return e.text }

// usageError is an error of the command line: nothing was played or written.
func usageError(err error) error { return &exitError{exitUsage, "backstep: " + err.Error()} }

// exitInterrupted is 128 plus the number of SIGINT, as shells report it.
const exitInterrupted = 130

type labCheats struct {
	Markdown bool          `help:"Print only the table of gains, in Markdown."`
	For      time.Duration `default:"60s" help:"How long each time cheat is played, 1ms to 10m."`
}

// Validate reports an invalid flag. Kong calls it.
func (c *labCheats) Validate() error {
	if c.For < time.Millisecond || c.For > 10*time.Minute {
		return fmt.Errorf("--for=%v: want 1ms to 10m", c.For)
	}
	return nil
}

// Run explains the cheats and measures the gain of the time cheats.
func (c labCheats) Run(ctx context.Context, out output) error {
	if !c.Markdown {
		for _, c := range lab.Cheats() {
			fmt.Fprintf(out, "%s\n%s\n", c.Name, wrap(c.Does, "    ", 80))
		}
		fmt.Fprintln(out)
	}
	gains, err := lab.Gains(ctx, labgame.New(), clock.Micros(c.For/time.Microsecond))
	switch {
	case ctx.Err() != nil:
		return &exitError{exitInterrupted, "backstep: interrupted"}
	case err != nil:
		return err
	case !c.Markdown:
		fmt.Fprintf(out, "%v of walking with a wrong clock at a ping of 60 ms:\n\n", c.For)
	}
	fmt.Fprint(out, lab.GainsTable(gains))
	return nil
}

// wrap breaks a text into lines of at most `most` characters, each after a margin.
func wrap(text, margin string, most int) string {
	var lines []string
	line := margin
	for _, word := range strings.Fields(text) {
		if line != margin && len([]rune(line))+1+len([]rune(word)) > most {
			lines = append(lines, line)
			line = margin
		}
		if line != margin {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, line), "\n")
}

type labProfiles struct{}

// Run lists the profiles.
func (labProfiles) Run(out output) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "profile\trtt\tjitter\tloss\tburst (enter, leave)\tduplicate\treorder\trate")
	for _, name := range mem.ProfileNames() {
		n, _ := mem.Profile(name)
		burst, rate := "–", "unlimited"
		if n.Burst.Enter > 0 {
			burst = percent(n.Burst.Enter) + ", " + percent(n.Burst.Leave)
		}
		if n.Rate > 0 {
			rate = fmt.Sprintf("%.0f kbit/s", float64(n.Rate)/1000)
		}
		fmt.Fprintf(w, "%s\t%v\t%v\t%s\t%s\t%s\t%s\t%s\n", name, n.RTT, n.Jitter, percent(n.Loss), burst,
			percent(n.Duplicate), percent(n.Reorder), rate)
	}
	return w.Flush()
}

// percent formats a share; 0 has no unit.
func percent(share float64) string {
	if share == 0 {
		return "0"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.4g", 100*share), ".0") + " %"
}
