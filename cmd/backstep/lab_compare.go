package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/backstep-net/backstep/examples/arena/trial"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
)

type labCompare struct {
	Files []string `arg:"" name:"file" help:"Two files, each a result (of run --json) or a scenario to play; or one scenario and --set."`
	Set   []string `sep:"none" placeholder:"KEY=VALUE[;…]" help:"Settings of one side, several with a semicolon between them. Once: the scenario as it is against this; twice: these two."`
	Jobs  int      `default:"0" help:"How many runs at a time; 0 is one a processor."`
}

// Validate reports arguments that make no two sides. Kong calls it.
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

// side is one of the two that are compared: a result that there is, or a scenario
// to play.
type side struct {
	label    string
	result   *lab.Result
	scenario *scenario.Scenario
}

// Run plays what must be played and puts the two side by side.
func (c *labCompare) Run(ctx context.Context, out output) error {
	game := trial.New()
	sides, err := c.sides(game)
	if err != nil {
		return err
	}
	if err := play(ctx, out, game, c.Jobs, sides); err != nil {
		return err
	}
	a, b := sides[0], sides[1]
	fmt.Fprintf(out, "%s: seed %d, hash %s\n%s: seed %d, hash %s\n", a.label, a.result.Seed, a.result.Hash, b.label, b.result.Seed, b.result.Hash)
	printRows(out, a.label, b.label, lab.Compare(a.result, b.result))
	return nil
}

func (c *labCompare) sides(game lab.Game) ([]*side, error) {
	if len(c.Files) == 2 {
		return readSides(game, c.Files)
	}
	groups := c.Set
	if len(groups) == 1 {
		groups = []string{"", groups[0]}
	}
	var list []*side
	var wrong []string
	for _, g := range groups {
		read, err := readScenarios(game, c.Files, settings(g))
		if err != nil {
			wrong = append(wrong, err.Error())
			continue
		}
		label := g
		if g == "" {
			label = "as it is"
		}
		list = append(list, &side{label: label, scenario: read[0]})
	}
	if len(wrong) > 0 {
		return nil, &exitError{exitUsage, strings.Join(unique(wrong), "\n")}
	}
	return list, nil
}

// settings are those of a group.
func settings(group string) []string {
	var list []string
	for _, s := range strings.Split(group, ";") {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	return list
}

func readSides(game lab.Game, files []string) ([]*side, error) {
	var list []*side
	var wrong []string
	for _, file := range files {
		s, err := readSide(game, file)
		if err != nil {
			wrong = append(wrong, err.Error())
		}
		list = append(list, s)
	}
	if len(wrong) > 0 {
		return nil, &exitError{exitUsage, strings.Join(wrong, "\n")}
	}
	return list, nil
}

// readSide reads a result, or else a scenario.
func readSide(game lab.Game, file string) (*side, error) {
	b, err := os.ReadFile(file)
	if err == nil && isResult(b) {
		r, err := lab.Read(bytes.NewReader(b))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return &side{label: file, result: r}, nil
	}
	s, err := readScenario(game, file, nil) // says it, too, where the file cannot be read
	return &side{label: file, scenario: s}, err
}

// isResult tells a result from a scenario, which may be JSON too but lists its
// players.
func isResult(b []byte) bool {
	var r struct{ Players map[string]json.RawMessage }
	return json.Unmarshal(b, &r) == nil && r.Players != nil
}

// play plays the sides that are scenarios, at the same time.
func play(ctx context.Context, out output, game lab.Game, jobs int, sides []*side) error {
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
