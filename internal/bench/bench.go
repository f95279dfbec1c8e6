// Package bench measures the speed of a machine: a character's step, queries, prediction, rewind,
// snapshots and whole matches, on the scenes of package benchscene. Start at [Run]; backstep bench
// prints its [Report], and docs/performance.md says how to read it.
//
// A figure is the median of several runs, and a run's value is its processor time divided by its
// calls. Beside it stands the 99th percentile of single calls. The work of each figure is a [Work];
// the benchmarks in the packages' tests use the same set-ups.
package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Group is a set of figures that are measured together.
type Group struct {
	// Name is what --only takes.
	Name string
	// Measure sets the group's figures.
	Measure func(ctx context.Context, m *Meter) error
}

// Groups are those of this package, in the order in which they run. The edge, which needs a server and
// clients in other processes, is added by the caller of [Run].
func Groups() []Group {
	return []Group{
		{"step", measureSteps},
		{"query", measureQueries},
		{"owner", measureMoves},
		{"rewind", measureRewind},
		{"snapshot", measureSnapshots},
		{"match", measureMatches},
	}
}

// Options say what is measured, and for how long.
type Options struct {
	// Only are names of groups; none means all.
	Only []string
	// Runs of each figure; 0 means 3.
	Runs int
	// Share of the calls of a run that are made, 0 … 1; 0 means all. Tests make few.
	Share float64
	// Profiles is the folder for profiles of the processor time of each figure that has one; "" means none.
	Profiles string
	// Progress is called before each figure; nil is not called.
	Progress func(figure string)
}

// Run measures the groups that the options name.
func Run(ctx context.Context, o Options, groups []Group) (*Report, error) {
	if err := known(o.Only, groups); err != nil {
		return nil, err
	}
	m := newMeter(o)
	if err := m.checkScenes(); err != nil {
		return nil, err
	}
	for _, g := range groups {
		if len(o.Only) > 0 && !slices.Contains(o.Only, g.Name) {
			continue
		}
		if err := g.Measure(ctx, m); err != nil {
			return nil, fmt.Errorf("bench: %s: %w", g.Name, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("bench: %s: %w", g.Name, err)
		}
	}
	return &m.report, nil
}

// known returns an error for a name that no group has.
func known(only []string, groups []Group) error {
	var names []string
	for _, g := range groups {
		names = append(names, g.Name)
	}
	for _, n := range only {
		if !slices.Contains(names, n) {
			return fmt.Errorf("bench: %q is no group of figures: want one of %s", n, strings.Join(names, ", "))
		}
	}
	return nil
}
