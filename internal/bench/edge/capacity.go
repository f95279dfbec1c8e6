package edge

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/backstep-net/backstep/internal/bench"
)

const (
	// firstPlayers is about how many players the first step of a ramp has.
	firstPlayers = 40
	// emptyTime is how long a match without players ticks as often as others do.
	emptyTime = 10 * time.Second
	// settling is how long the players of a step play before it is measured, and stepTime how long it is measured.
	settling = 2 * time.Second
	stepTime = 4 * time.Second
	// tries is how often a step is measured before a broken bound ends the ramp: other programs disturb some seconds.
	tries = 3
	// rampTime bounds a ramp: after it no further step begins. All nine of the table take 25 minutes at most.
	rampTime = 2 * time.Minute
	// nearlyFull is the share of the cores of a process, or of a tick's interval, above which fewer players join: a
	// twelfth of those there are, and below it a third.
	nearlyFull = 2. / 3
	// allFrames is the share of their frames that clients make if their machine keeps up.
	allFrames = .97
	// full is the share of its cores above which the load is said to have used them all, and busy the same if it missed
	// frames too.
	full, busy = .95, .8
)

// CapacityLoad is a load of backstep bench capacity.
type CapacityLoad struct {
	Name string // that --load takes
	What string // is played, for the table
	load load   // without the number of matches; without players it is one match of all
}

// capacityLoads are all of them.
var capacityLoads = []CapacityLoad{
	{"match10_128", "matches of 10 at 128 Hz", load{players: 10, tickRate: 128}},
	{"match20_60", "matches of 20 at 60 Hz", load{players: 20, tickRate: 60}},
	{"growing_60", "one growing match at 60 Hz", load{tickRate: 60}},
}

// Bounds say what a server that holds its players keeps.
type Bounds struct {
	// Tick and Late are the longest p99 of a tick's time and of its lateness, as a share of the tick's interval.
	Tick, Late float64
	// Agreement is the least share of shots that are judged as their shooter saw them, in percent.
	Agreement float64
}

// CapacityOptions say what is measured.
type CapacityOptions struct {
	// Loads and Transports are names; none means that nothing is measured.
	Loads, Transports []string
	// Most is how many players join at most; 0 is too few for any step.
	Most int
	// Cores of the server; 0 means one, and all for the growing match.
	Cores int
	Bounds
	// Share of the times of a step that it takes, 0 … 1, for tests; 0 means none.
	Share float64
	// Progress is called with a line before each ramp and after each step. Nil panics.
	Progress func(line string)
}

// MeasureCapacity ramps clients on one server after another. A ramp that fails ends with its error, and the others follow.
// What was measured is returned with the error.
func MeasureCapacity(ctx context.Context, o *CapacityOptions, command Command) (*CapacityReport, error) {
	var failed error
	report := &CapacityReport{Machine: bench.Machine(), Cores: runtime.NumCPU()}
	for _, name := range o.Loads {
		for _, transport := range o.Transports {
			r, err := measureRamp(ctx, o, command, name, transport)
			if ctx.Err() != nil {
				r.Limit = "it was interrupted"
			} else if err != nil {
				r.Limit = err.Error()
				failed = errors.Join(failed, fmt.Errorf("%s: %s: %w", name, transport, err))
			}
			if len(r.Steps) > 0 {
				report.Ramps = append(report.Ramps, r)
			}
			if ctx.Err() != nil {
				return report, ctx.Err()
			}
		}
	}
	return report, failed
}

// measureRamp lets players join a server until a bound breaks.
func measureRamp(ctx context.Context, o *CapacityOptions, command Command, name, transport string) (Ramp, error) {
	l := loads[name]
	group := max(1, l.players)
	if l.players > 0 {
		l.cores, l.matches = 1, max(1, o.Most/l.players)
	} else {
		l.cores, l.matches, l.players = runtime.NumCPU(), 1, o.Most
	}
	if o.Cores > 0 {
		l.cores = o.Cores
	}
	ramp := Ramp{Load: name, Transport: transport, TickRate: l.tickRate, ServerCores: l.cores, LoadCores: loadCores(l.cores)}
	o.Progress(fmt.Sprintf("%s over %s, %d cores for the server and %d for the load", what(name), transport, ramp.ServerCores, ramp.LoadCores))
	r, err := startRun(ctx, command, name, &l, transport)
	if err != nil {
		return ramp, err
	}
	defer r.stop()
	if l.matches > 1 && !sleep(ctx, time.Duration(float64(emptyTime)*o.Share)) {
		return ramp, ctx.Err()
	}
	for begun, n := time.Now(), min(max(group, firstPlayers), l.matches*l.players); ; {
		var s Step
		for range tries {
			try, err := measureStep(ctx, o, r, l.frameRate(), n)
			if err != nil {
				return ramp, err
			}
			ramp.judge(&try, o.Bounds)
			o.Progress(try.line())
			// Of a step that was late only, a later try that other programs disturb more does not count.
			if try.Kept || !s.Kept || try.Lost > 0 {
				s = try
			}
			if s.Held || s.Lost > 0 {
				break
			}
		}
		ramp.Steps = append(ramp.Steps, s)
		next := min(ramp.next(&s, group), l.matches*l.players)
		if ramp.Limit = s.Limit; ramp.Limit == "" && next == n {
			ramp.Limit = "no more players were tried"
		} else if ramp.Limit == "" && time.Since(begun) > rampTime {
			ramp.Limit = "no more steps were made"
		}
		if ramp.Limit != "" {
			return ramp, nil
		}
		n = next
	}
}

// loadCores returns how many cores the clients of a server with so many have. 0 means all.
func loadCores(server int) int {
	if server == 0 {
		return 0
	}
	return max(1, runtime.NumCPU()-server)
}

// measureStep lets players join until there are n, and measures while they play.
func measureStep(ctx context.Context, o *CapacityOptions, r *run, frameRate, n int) (Step, error) {
	step := Step{Players: n}
	err := r.await(ctx, n, func(s *sample) bool { step.Lost = s.Lost; return s.Playing == n || s.Lost > 0 })
	if err != nil || step.Lost > 0 {
		return step, err
	}
	var server, clients [2]sample
	if !sleep(ctx, time.Duration(float64(settling)*o.Share)) {
		return step, ctx.Err()
	}
	if err := r.ask(&server[0], &clients[0]); err != nil {
		return step, err
	}
	begun := time.Now()
	if !sleep(ctx, time.Duration(float64(stepTime)*o.Share)) {
		return step, ctx.Err()
	}
	if err := r.ask(&server[1], &clients[1]); err != nil {
		return step, err
	}
	step.fill(&server, &clients, time.Since(begun), frameRate)
	return step, nil
}
