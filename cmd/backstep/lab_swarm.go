package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/backstep-net/backstep/examples/arena/labgame"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/swarm"
)

// newLabGame returns the arena as a game of the lab: a scenario with a quiet part is checked.
func newLabGame() lab.Game { return swarm.Watch(labgame.New(), nil) }

type labSwarm struct {
	Hours   float64 `default:"0" help:"How many hours to go on, 0 to 1000."`
	Minutes float64 `default:"0" help:"How many minutes to go on, with --hours added, 0 to 60000; without --hours, --minutes and --runs it is one minute."`
	Runs    int     `default:"0" help:"How many matches to play, 0 to 1000000000; 0 is as many as the time allows."`
	Seed    uint64  `default:"1" help:"Seed of the first match; the others have the following ones."`
	Jobs    int     `default:"0" help:"Matches at the same time, 0 to 1024; 0 is one per processor."`
	Output  string  `type:"path" placeholder:"FILE" help:"Write the shrunk scenario of a failure here; by default swarm-SEED.yaml."`
}

// Validate reports an invalid flag. Kong calls it.
func (c *labSwarm) Validate() error {
	switch {
	case !(c.Hours >= 0 && c.Hours <= 1000):
		return fmt.Errorf("--hours=%v: want 0 to 1000", c.Hours)
	case !(c.Minutes >= 0 && c.Minutes <= 60_000):
		return fmt.Errorf("--minutes=%v: want 0 to 60000", c.Minutes)
	case c.Runs < 0 || c.Runs > 1_000_000_000:
		return fmt.Errorf("--runs=%d: want 0 to 1000000000", c.Runs)
	case c.Jobs < 0 || c.Jobs > 1024:
		return fmt.Errorf("--jobs=%d: want 0 to 1024", c.Jobs)
	}
	return nil
}

// limit returns how long to go on; zero: until the runs are done.
func (c *labSwarm) limit() time.Duration {
	d := time.Duration(c.Hours*float64(time.Hour) + c.Minutes*float64(time.Minute))
	if d == 0 && c.Runs == 0 {
		return time.Minute
	}
	return d
}

// Run plays random matches until one breaks an invariant.
func (c *labSwarm) Run(ctx context.Context, out output) error {
	p := newSwarmProgress(out.errors, c)
	timed := ctx
	if limit := c.limit(); limit > 0 {
		var cancel context.CancelFunc
		timed, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	s, err := swarm.Run(timed, labgame.New(), swarm.Options{Seed: c.Seed, Runs: c.Runs, Jobs: c.Jobs, Progress: p.show})
	p.close()
	if err != nil {
		return err
	}
	printSwarm(out, c, &s, p.since())
	switch {
	case s.Failure != nil:
		return c.writeFailure(out, s.Failure)
	case ctx.Err() != nil:
		return &exitError{exitInterrupted, fmt.Sprintf("backstep: interrupted after %d runs", s.Runs)}
	}
	return nil
}

// printSwarm prints what was played and checked.
func printSwarm(out output, c *labSwarm, s *swarm.Summary, past time.Duration) {
	n := &s.Checks
	fmt.Fprintf(out, "%d runs from seed %d, %.2f simulated hours in %v\n", s.Runs, c.Seed, s.Played.Seconds()/3600, past.Round(time.Second))
	fmt.Fprintf(out, "%d checks: %d poses, %d moves, %d shots, %d of ammunition and health, %d against the replay, %d of agreement\n",
		n.Sum(), n.Poses, n.Moves, n.Shots, n.Vitals, n.Replay, n.Agreements)
	if s.Failure == nil {
		fmt.Fprintln(out, "no invariant is broken")
	}
}

// writeFailure writes the shrunk scenario of a failure.
func (c *labSwarm) writeFailure(out output, f *swarm.Failure) error {
	name := c.Output
	if name == "" {
		name = fmt.Sprintf("swarm-%d.yaml", f.Seed)
	}
	file, err := openOutput("--output", name)
	if err != nil {
		return err
	}
	file.WriteString(f.Case.File())
	if err := file.commit(); err != nil {
		return err
	}
	fmt.Fprintf(out, "seed %d: %v\nshrunk by %d runs: %d players, %d faults, %d s; to play it again:\n    backstep lab run %s\n",
		f.Seed, f.Broken, f.Tried, len(f.Case.Players), len(f.Case.Faults), f.Case.Seconds, name)
	return &exitError{code: exitFailure}
}

// swarmProgress shows how far a swarm is: on a terminal in a line that changes, else in lines. It is
// safe for concurrent use.
type swarmProgress struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool
	begun    time.Time
	shown    time.Time
	limit    time.Duration
	runs     int
}

func newSwarmProgress(out io.Writer, c *labSwarm) *swarmProgress {
	f, ok := out.(*os.File)
	return &swarmProgress{out: out, terminal: ok && isTerminal(f), begun: time.Now(), shown: time.Now(), limit: c.limit(), runs: c.Runs}
}

func (p *swarmProgress) since() time.Duration { return time.Since(p.begun) }

// show prints the state, at most ten times a second on a terminal, else every five seconds.
func (p *swarmProgress) show(s swarm.Summary) {
	p.mu.Lock()
	defer p.mu.Unlock()
	interval := 5 * time.Second
	if p.terminal {
		interval = 100 * time.Millisecond
	}
	if time.Since(p.shown) < interval {
		return
	}
	p.shown = time.Now()
	of, left := "", ""
	if p.runs > 0 {
		of = fmt.Sprintf("/%d", p.runs)
	}
	if p.limit > 0 {
		left = fmt.Sprintf(", %v left", max(p.limit-p.since(), 0).Round(time.Second))
	}
	text := fmt.Sprintf("backstep: %d%s runs, %.2f simulated hours, %d checks%s", s.Runs, of, s.Played.Seconds()/3600, s.Checks.Sum(), left)
	if p.terminal {
		fmt.Fprint(p.out, "\r\x1b[K"+text)
	} else {
		fmt.Fprintln(p.out, text)
	}
}

// close removes the line.
func (p *swarmProgress) close() {
	if p.terminal {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
