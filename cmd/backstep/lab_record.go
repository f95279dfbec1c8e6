package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena/replay"
	"github.com/backstep-net/backstep/record"
)

type labRecord struct {
	File   string        `arg:"" type:"path" help:"A recording: see backstep serve --record."`
	Output string        `short:"o" type:"path" default:"." placeholder:"DIR" help:"Folder for the scenario's files."`
	Name   string        `help:"Name of the scenario; by default the recording's."`
	From   time.Duration `help:"Match time at which the scenario begins; at least 1s."`
	To     time.Duration `help:"Match time at which the scenario ends; 0s is the recording's end."`
}

// Run converts a recording into a scenario.
func (c *labRecord) Run(out output) error {
	f, err := record.Open(c.File)
	if err != nil {
		return err
	}
	defer f.Close()
	name := c.Name
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(c.File), filepath.Ext(c.File))
	}
	scene, err := replay.ScenarioOf(f, name, clock.Micros(c.From.Microseconds()), clock.Micros(c.To.Microseconds()))
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if err := os.MkdirAll(c.Output, 0o755); err != nil {
		return err
	}
	for _, file := range slices.Sorted(maps.Keys(scene.Files)) {
		if err := os.WriteFile(filepath.Join(c.Output, file), scene.Files[file], 0o644); err != nil {
			return err
		}
	}
	if d := f.Damage(); d != nil {
		fmt.Fprintln(out.errors, d)
	}
	fmt.Fprintf(out, "%s: %d players, %d commands, %d places; %d commands end elsewhere, by %.6f m at most\n",
		filepath.Join(c.Output, name+".yaml"), scene.Players, scene.Commands, scene.Places, scene.Deviating, scene.MaxDeviation)
	return nil
}
