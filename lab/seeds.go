package lab

import (
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/lab/scenario"
)

// SeedOptions configure Seeds.
type SeedOptions struct {
	// Parallel is the number of runs at a time; zero means one per core.
	Parallel int
	// Progress is called after each run, one call at a time, with the number of runs done and of
	// all, and the match time played so far. Nil is not called.
	Progress func(done, all int, played clock.Micros)
}

// Distributions are the results of a scenario over many seeds.
type Distributions struct {
	Name string `json:"name"` // of the scenario
	// Seeds are the seeds that were played, ascending.
	Seeds    []uint64 `json:"seeds"`
	Duration float64  `json:"duration"` // of each, seconds
	TickRate int      `json:"tick_rate"`
	Order    []string `json:"order"` // of the players
	// Figures are by path, such as ann.remote_error.mean.
	Figures map[string]Range `json:"figures"`
	Expect  []CheckedSeeds   `json:"expect,omitempty"` // in the order of the scenario
}

// Range is one figure over the seeds, in the unit of the figure; percentiles are nearest ranks.
// Seeds without the figure in their run are left out.
type Range struct {
	Min    float64 `json:"min"`    // smallest value of a seed
	Median float64 `json:"median"` // 50th percentile
	P95    float64 `json:"p95"`    // 95th percentile
	Max    float64 `json:"max"`    // largest value of a seed
	Mean   float64 `json:"mean"`   // arithmetic mean
}

// CheckedSeeds is an expectation checked over the seeds.
type CheckedSeeds struct {
	Text string `json:"text"` // the expectation as the scenario has it
	// Held reports that it held with each seed, or with the mean where it is about the mean.
	Held bool `json:"held"`
	// Mean reports that it is about the mean, which is then Got.
	Mean bool `json:"mean,omitempty"`
	// Failed are the seeds with which it did not hold, none for a mean.
	Failed []uint64 `json:"failed,omitempty"`
	// Got is the figure with the first of these.
	Got float64 `json:"got,omitempty"`
	// Unmeasured reports that there was no value: in the first of Failed, or for a mean in any run.
	Unmeasured bool `json:"unmeasured,omitempty"`
}

// Held reports whether every expectation held with every seed.
func (d *Distributions) Held() bool {
	return !slices.ContainsFunc(d.Expect, func(c CheckedSeeds) bool { return !c.Held })
}

// Write writes the distributions as JSON.
func (d *Distributions) Write(w io.Writer) error { return writeJSON(w, d) }

// Seeds plays a scenario n times, with its own seed and those after it, and returns the distribution
// of every figure. Where the context ends first, it returns the runs done by then, with ErrStopped.
// Other errors are those of Play.
func Seeds(ctx context.Context, s *scenario.Scenario, game Game, n int, o SeedOptions) (*Distributions, error) {
	t, err := newStage(s, game)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	runs, done := make([]*seeded, n), 0 // by number; nil until done
	err = Parallel(ctx, n, o.Parallel, func(i int) error {
		r, err := t.play(s.Seed+uint64(i), Options{
			Progress: func(clock.Micros, clock.Micros) bool { return ctx.Err() == nil },
		})
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		runs[i] = &seeded{r.Seed, r.Numbers(), r.Expect}
		if done++; o.Progress != nil {
			o.Progress(done, n, clock.Micros(done)*s.Duration)
		}
		return nil
	})
	if err != nil && !errors.Is(err, ErrStopped) {
		return nil, err
	}
	return distributions(s, slices.DeleteFunc(runs, func(r *seeded) bool { return r == nil })), err
}

// Parallel calls do with 0 … n − 1, in order, several at a time; zero or fewer is one per core.
// After an error, and when the context has ended, it begins no further call. It returns the first
// error, and ErrStopped where the context left calls out.
func Parallel(ctx context.Context, n, atOnce int, do func(i int) error) error {
	if atOnce <= 0 {
		atOnce = runtime.GOMAXPROCS(0)
	}
	group, failed := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range n {
		over := failed.Err() != nil
		group.Go(func() error {
			if failed.Err() != nil {
				return ErrStopped // and not returned after another error
			}
			return do(i)
		})
		if over {
			break
		}
	}
	return group.Wait()
}

// seeded is the kept part of one run. Whole results of thousands of seeds, with a point for every
// 10 ms, would not fit into memory.
type seeded struct {
	seed    uint64
	numbers []Number
	expect  []Checked
}

// distributions returns the distributions of runs in the order of their seeds.
func distributions(s *scenario.Scenario, runs []*seeded) *Distributions {
	d := &Distributions{
		Name: s.Name, Duration: seconds(s.Duration), TickRate: s.Server.Tick,
		Seeds: []uint64{}, Order: []string{}, Figures: map[string]Range{},
	}
	for i := range s.Players {
		d.Order = append(d.Order, s.Players[i].Name)
	}
	values := map[string][]float64{}
	for _, r := range runs {
		d.Seeds = append(d.Seeds, r.seed)
		for _, n := range r.numbers {
			values[n.Path] = append(values[n.Path], n.Value)
		}
	}
	for path, v := range values {
		d.Figures[path] = rangeOf(v)
	}
	for i := range s.Expect {
		if len(runs) > 0 && s.Expect[i].Mean {
			d.Expect = append(d.Expect, meanOf(&s.Expect[i], i, runs))
		} else {
			d.Expect = append(d.Expect, eachOf(&s.Expect[i], i, runs))
		}
	}
	return d
}

// eachOf checks expectation i, which is about each run.
func eachOf(e *scenario.Expectation, i int, runs []*seeded) CheckedSeeds {
	c := CheckedSeeds{Text: e.Text, Held: true}
	for _, r := range runs {
		if !r.expect[i].Held {
			if c.Held {
				c.Got, c.Unmeasured = r.expect[i].Got, r.expect[i].Unmeasured
			}
			c.Held, c.Failed = false, append(c.Failed, r.seed)
		}
	}
	return c
}

// meanOf checks expectation i, which is about the mean of the runs with a value.
func meanOf(e *scenario.Expectation, i int, runs []*seeded) CheckedSeeds {
	var values []float64
	for _, r := range runs {
		if !r.expect[i].Unmeasured {
			values = append(values, r.expect[i].Got)
		}
	}
	if len(values) == 0 {
		return CheckedSeeds{Text: e.Text, Mean: true, Unmeasured: true}
	}
	got := round(mean(values))
	return CheckedSeeds{Text: e.Text, Held: e.HoldsOf(got), Mean: true, Got: got}
}

// rangeOf returns the range of at least one value. It sorts the values.
func rangeOf(values []float64) Range {
	slices.Sort(values)
	return Range{Min: values[0], Median: rank(values, 50), P95: rank(values, 95), Max: values[len(values)-1], Mean: round(mean(values))}
}
