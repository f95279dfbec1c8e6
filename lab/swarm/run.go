package swarm

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/lab"
)

// Options are how a swarm runs.
type Options struct {
	// Seed is that of the first case; the others follow it. Zero is a seed like any other.
	Seed uint64
	// Runs is how many cases are played; zero: until the context ends.
	Runs int
	// Jobs is how many are played at a time; zero is one per processor.
	Jobs int
	// Progress is called after each case, one call at a time. Nil is not called.
	Progress func(Summary)
}

// Summary is what a swarm has played.
type Summary struct {
	Runs   int          // cases played
	Played clock.Micros // match time
	Checks Checks       // made in all of them
	// Failure is the first case that broke an invariant, shrunk; nil: none did.
	Failure *Failure
}

// Failure is a case that breaks an invariant.
type Failure struct {
	Seed   uint64  // that drew it
	Broken *Broken // by the shrunk case
	Case   Case    // shrunk
	Tried  int     // cases played to shrink it
}

// Run plays cases with a game until the runs are done, the context ends or a case breaks an
// invariant. That is no error: it is in the Summary, shrunk.
func Run(ctx context.Context, g lab.Game, o Options) (Summary, error) {
	if o.Runs <= 0 {
		o.Runs = 1 << 62
	}
	var mu sync.Mutex
	var sum Summary
	failed, words := -1, g.Words()
	err := lab.Parallel(ctx, o.Runs, o.Jobs, func(i int) error {
		c := Draw(o.Seed+uint64(i), words)
		checks, played, err := play(ctx, g, &c)
		var b *Broken
		if err != nil && !errors.As(err, &b) {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		sum.Runs++
		sum.Played += played
		sum.Checks.Add(checks)
		if b != nil && (failed < 0 || i < failed) {
			failed = i
			sum.Failure = &Failure{Seed: c.Seed, Broken: b, Case: c}
		}
		if o.Progress != nil {
			o.Progress(sum)
		}
		if b != nil {
			return errFound
		}
		return nil
	})
	if sum.Failure != nil {
		sum.Failure.shrink(ctx, g)
		return sum, nil
	}
	if errors.Is(err, lab.ErrStopped) {
		err = nil
	}
	return sum, err
}

// errFound ends a swarm.
var errFound = errors.New("swarm: an invariant is broken")

// play plays a case. The error is a *Broken where it breaks an invariant.
func play(ctx context.Context, g lab.Game, c *Case) (checks Checks, played clock.Micros, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Broken{Invariant: NoPanic, At: played, Text: fmt.Sprintf("%v\n%s", v, where(debug.Stack()))}
		}
	}()
	s, err := c.Scenario(g)
	if err != nil {
		return checks, 0, fmt.Errorf("swarm: seed %d draws a scenario that cannot be read: %w\n%s", c.Seed, err, c.File())
	}
	_, err = lab.Play(s, Watch(g, &checks), lab.Options{Progress: func(done, _ clock.Micros) bool {
		played = done
		return ctx.Err() == nil
	}})
	if err == nil {
		played = s.Duration
	}
	return checks, played, err
}

// where returns the calls of a stack from the panic on, without arguments and addresses.
func where(stack []byte) string {
	_, calls, _ := strings.Cut(string(stack), "panic(")
	var list []string
	for _, line := range strings.Split(calls, "\n") {
		if strings.HasPrefix(line, "github.com/") && len(list) < 8 {
			name, _, _ := strings.Cut(line[strings.LastIndex(line, "/")+1:], "(0x")
			list = append(list, name)
		}
	}
	return strings.Join(list, " < ")
}
