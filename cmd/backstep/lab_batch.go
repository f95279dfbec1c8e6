package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/strictyaml"
)

// readScenarios reads scenario files and applies the settings. Its error lists all faults
// of all files.
func readScenarios(game lab.Game, files, sets []string) ([]*scenario.Scenario, error) {
	var list []*scenario.Scenario
	var wrong []string
	for _, file := range files {
		s, err := readScenario(game, file, sets)
		if err != nil {
			wrong = append(wrong, err.Error())
		}
		list = append(list, s)
	}
	if len(wrong) > 0 {
		return nil, &exitError{exitUsage, strings.Join(unique(wrong), "\n")}
	}
	return list, nil
}

// inModes returns the scenarios once for each draw mode of remotes; without modes,
// unchanged. All scenarios of one mode come before those of the next, as the tables of the
// documents have them.
func inModes(list []*scenario.Scenario, modes []string) []*scenario.Scenario {
	if len(modes) == 0 {
		return list
	}
	var out []*scenario.Scenario
	for _, mode := range modes {
		for _, s := range list {
			t := *s
			t.Name += ", " + mode
			t.Players = slices.Clone(s.Players)
			for i := range t.Players {
				t.Players[i].Remote = mode
			}
			out = append(out, &t)
		}
	}
	return out
}

// hasOwnMode reports whether a player draws remotes in another mode than the default.
func hasOwnMode(s *scenario.Scenario) bool {
	return slices.ContainsFunc(s.Players, func(p scenario.Player) bool { return p.Remote != "interpolate" })
}

// unique removes repetitions: a wrong setting is reported once, not for each file.
func unique(list []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			out = append(out, s)
		}
		seen[s] = true
	}
	return out
}

func readScenario(game lab.Game, file string, sets []string) (*scenario.Scenario, error) {
	f, err := scenario.OpenFile(file)
	if err != nil {
		return nil, err
	}
	for _, set := range sets {
		key, value, ok := strings.Cut(set, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("--set %s: want KEY=VALUE, such as network.rtt=150ms", set)
		}
		if err := f.Set(key, value); err != nil {
			return nil, err
		}
	}
	s, err := f.Scenario(lab.Words(game))
	if err != nil {
		return nil, err
	}
	return s, nil
}

// batch is a set of scenarios to play.
type batch struct {
	game      lab.Game
	scenarios []*scenario.Scenario
	seeds     int  // per scenario; 1 is its own seed
	spread    bool // distributions are needed, even of one seed
	series    bool // a report's time series are needed, of one seed
	jobs      int  // runs at the same time; below 1 means one per processor
	outcomes  []outcome
}

// outcome is the result of a scenario. Both fields are nil if it was not played.
type outcome struct {
	result *lab.Result        // of one run
	spread *lab.Distributions // of several seeds; partial after an interruption
}

// held reports whether every expectation held with every seed.
func (o outcome) held() bool {
	return (o.result == nil || o.result.Held()) && (o.spread == nil || o.spread.Held())
}

// runs counts the finished runs.
func (o outcome) runs() int {
	switch {
	case o.spread != nil:
		return len(o.spread.Seeds)
	case o.result != nil:
		return 1
	}
	return 0
}

// play plays all scenarios: with one seed several scenarios at a time, else several seeds
// of one scenario. It ends early with the context or when a run fails; outcomes then has
// the finished ones.
func (b *batch) play(ctx context.Context, p *progress) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b.outcomes = make([]outcome, len(b.scenarios))
	jobs := b.jobs
	if b.seeds > 1 {
		jobs = 1
	}
	return lab.Parallel(ctx, len(b.scenarios), jobs, func(i int) error {
		err := b.one(ctx, i, p)
		if err != nil {
			cancel() // the runs beside this one end early too
		}
		return err
	})
}

// one plays a scenario. What was finished before an interruption is kept, so that it is printed.
func (b *batch) one(ctx context.Context, i int, p *progress) error {
	s := b.scenarios[i]
	var o outcome
	var err error
	if b.seeds > 1 || b.spread {
		o.spread, err = b.playSeeds(ctx, s, p)
	} else {
		o.result, err = playOne(ctx, b.game, s, b.series, p)
	}
	b.outcomes[i] = o
	if err != nil && ctx.Err() == nil {
		return playError(s, err)
	}
	return ctx.Err()
}

// playSeeds plays a scenario with all its seeds. If the context ends it, it returns the
// finished seeds with the error.
func (b *batch) playSeeds(ctx context.Context, s *scenario.Scenario, p *progress) (*lab.Distributions, error) {
	var before clock.Micros
	seeding := lab.SeedOptions{Parallel: b.jobs, Progress: func(done, all int, played clock.Micros) {
		p.advance((played - before).Seconds())
		before = played
		p.finish(fmt.Sprintf("%s, %d of %d seeds", s.Name, done, all))
	}}
	if b.seeds == 1 {
		seeding.Parallel = 1
	}
	d, err := lab.Seeds(ctx, s, b.game, b.seeds, seeding)
	if d != nil && len(d.Seeds) == 0 {
		d = nil
	}
	return d, err
}

// playOne plays a scenario once and reports its progress.
func playOne(ctx context.Context, game lab.Game, s *scenario.Scenario, series bool, p *progress) (*lab.Result, error) {
	var before clock.Micros
	r, err := lab.Play(s, game, lab.Options{Series: series, Progress: func(done, _ clock.Micros) bool {
		p.advance((done - before).Seconds())
		before = done
		return ctx.Err() == nil
	}})
	if err != nil {
		return nil, err
	}
	what := s.Name
	if len(r.Expect) > 0 {
		what += " " + tick(r.Held())
	}
	p.advance((s.Duration - before).Seconds())
	p.finish(what)
	return r, nil
}

// playError returns why a scenario could not be played, with its file and line if the
// scenario is at fault.
func playError(s *scenario.Scenario, err error) error {
	var all strictyaml.Errors
	var one strictyaml.Error
	if errors.As(err, &all) || errors.As(err, &one) {
		return &exitError{exitUsage, err.Error()}
	}
	return fmt.Errorf("%s: %w", s.File, err)
}

// seconds returns how much match time the batch simulates.
func (b *batch) seconds() float64 {
	sum := 0.0
	for _, s := range b.scenarios {
		sum += s.Duration.Seconds() * float64(b.seeds)
	}
	return sum
}
