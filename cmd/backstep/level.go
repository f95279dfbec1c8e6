package main

import (
	"fmt"
	"os"

	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/level/arena"
)

type levelCommand struct {
	Build levelBuild `cmd:"" help:"Write the arena's level as glTF."`
	Check levelCheck `cmd:"" help:"Read a level and say what is in it."`
}

type levelBuild struct {
	Output string `short:"o" default:"arena.glb" help:"The file to write."`
}

// Run writes the arena's level.
func (c *levelBuild) Run(out output) error {
	b, err := arena.Build()
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.Output, b, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d bytes\n", c.Output, len(b))
	return nil
}

type levelCheck struct {
	File string `arg:"" help:"A .glb file."`
}

// Run reads a level and says what is in it.
func (c *levelCheck) Run(out output) error {
	b, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	l, err := level.Read(b)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	fmt.Fprintf(out, "%s: %d spawn points, kill height %.1f m, world %s\n",
		c.File, len(l.Spawns), l.KillHeight, l.World.Hash())
	return nil
}
