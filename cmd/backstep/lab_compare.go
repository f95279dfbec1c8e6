package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/backstep-net/backstep/examples/arena/labgame"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
)

type labCompare struct {
	Files []string `arg:"" name:"file" help:"Two files, each a result (of run --json) or a scenario to play; or one scenario and --set."`
	Set   []string `sep:"none" placeholder:"KEY=VALUE[;…]" help:"Settings of one side, separated by semicolons. Given once: the unchanged scenario against these settings; twice: these two."`
	Jobs  int      `default:"0" help:"Runs at the same time; 0 is one per processor."`
}

// Validate reports arguments that do not give two sides. Kong calls it.
func (c *labCompare) Validate() error {
	switch {
	case len(c.Files) > 2:
		return fmt.Errorf("compare takes two files: there are %d", len(c.Files))
	case len(c.Files) == 2 && len(c.Set) > 0:
		return errors.New("compare takes two files, or one and --set, not both")
	case len(c.Files) == 1 && len(c.Set) == 0:
		return errors.New("compare needs a second file, or --set")
	case len(c.Set) > 2:
		return fmt.Errorf("compare takes two groups of --set: there are %d (put several settings into one with a semicolon)", len(c.Set))
	}
	return nil
}

// compared is one of the two sides: a result that exists, or a scenario to play.
type compared struct {
	label    string
	result   *lab.Result
	scenario *scenario.Scenario
}

// Run plays what must be played and prints both sides.
func (c *labCompare) Run(ctx context.Context, out output) error {
	game := labgame.New()
	sides, err := c.compared(game)
	if err != nil {
		return err
	}
	if err := playCompared(ctx, out, game, c.Jobs, sides); err != nil {
		return err
	}
	a, b := sides[0], sides[1]
	fmt.Fprintf(out, "%s: seed %d, hash %s\n%s: seed %d, hash %s\n", a.label, a.result.Seed, a.result.Hash, b.label, b.result.Seed, b.result.Hash)
	printRows(out, a.label, b.label, lab.Compare(a.result, b.result))
	return nil
}

// compared reads both sides. Its error lists all faults of both.
func (c *labCompare) compared(game lab.Game) ([]*compared, error) {
	var list []*compared
	var wrong []string
	add := func(side *compared, err error) {
		if err != nil {
			wrong = append(wrong, err.Error())
		}
		list = append(list, side)
	}
	if len(c.Files) == 2 {
		for _, file := range c.Files {
			add(readCompared(game, file))
		}
	} else {
		if len(c.Set) == 1 {
			s, err := readScenario(game, c.Files[0], nil)
			add(&compared{label: "unchanged", scenario: s}, err)
		}
		for _, group := range c.Set {
			s, err := readScenario(game, c.Files[0], settings(group))
			add(&compared{label: group, scenario: s}, err)
		}
	}
	if len(wrong) > 0 {
		return nil, &exitError{exitUsage, strings.Join(unique(wrong), "\n")}
	}
	return list, nil
}

// settings splits a group of settings.
func settings(group string) []string {
	var list []string
	for _, s := range strings.Split(group, ";") {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	return list
}

// readCompared reads a result or a scenario.
func readCompared(game lab.Game, file string) (*compared, error) {
	b, err := os.ReadFile(file)
	if err == nil && isResult(b) {
		r, err := lab.Read(bytes.NewReader(b))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return &compared{label: file, result: r}, nil
	}
	s, err := readScenario(game, file, nil) // also returns the error of an unreadable file
	return &compared{label: file, scenario: s}, err
}

// isResult tells a result from a scenario, which may be JSON too but has a list of players.
func isResult(b []byte) bool {
	var r struct{ Players map[string]json.RawMessage }
	return json.Unmarshal(b, &r) == nil && r.Players != nil
}

// playCompared plays the sides that are scenarios, at the same time. Runs share only what is read, so playing
// them together gives what playing them alone gives.
func playCompared(ctx context.Context, out output, game lab.Game, jobs int, sides []*compared) error {
	b := &batch{game: game, seeds: 1, jobs: jobs}
	for _, s := range sides {
		if s.scenario != nil {
			b.scenarios = append(b.scenarios, s.scenario)
		}
	}
	if len(b.scenarios) == 0 {
		return nil
	}
	p := newProgress(out.errors, len(b.scenarios), b.seconds())
	err := b.play(ctx, p)
	p.close()
	if ctx.Err() != nil {
		return interrupted(b)
	}
	if err != nil {
		return err
	}
	for i, k := 0, 0; i < len(sides); i++ {
		if sides[i].scenario != nil {
			sides[i].result = b.outcomes[k].result
			k++
		}
	}
	return nil
}
