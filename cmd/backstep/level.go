package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena/levelmaker"
	"github.com/backstep-net/backstep/level"
)

type levelCommand struct {
	Build levelBuild `cmd:"" help:"Write the arena's level as glTF."`
	Check levelCheck `cmd:"" help:"Read a level and list its contents."`
}

type levelBuild struct {
	Output string `short:"o" default:"arena.glb" help:"The file to write."`
	Yard   bool   `help:"Write the second, small level instead."`
}

// Run writes one of the arena's levels.
func (c *levelBuild) Run(out output) error {
	build := levelmaker.Build
	if c.Yard {
		build = levelmaker.BuildYard
	}
	b, err := build()
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

// Run reads a level and lists its contents.
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
	for _, b := range l.World.Movers() {
		k := b.Path.Keys
		how := ""
		if b.Path.Loop {
			how = ", looping"
		}
		if t := &b.Trigger; t.Kind != collide.Untriggered {
			how += fmt.Sprintf(", triggered (%s, delay %.2f s)", t.Kind, t.Delay.Seconds())
		}
		fmt.Fprintf(out, "mover %s: %d triangles, %d keys over %.1f s%s\n",
			strconv.Quote(b.Name), b.Shape.Triangles(), len(k), k[len(k)-1].At.Seconds(), how)
	}
	for i, v := range l.World.Volumes() {
		at := l.World.VolumeBounds(i)
		fmt.Fprintf(out, "volume %s: %s, %.1f × %.1f × %.1f m about %.1f\n", strconv.Quote(v.Name), effects(&v),
			at.Max.X-at.Min.X, at.Max.Y-at.Min.Y, at.Max.Z-at.Min.Z, at.Centre())
	}
	if len(l.Entities) > 0 {
		fmt.Fprintf(out, "entities: %s\n", counted(l.Entities))
	}
	return nil
}

// counted returns the number of entities of each kind, as text.
func counted(entities []level.Entity) string {
	var kinds []string
	of := map[string]int{}
	for _, t := range entities {
		if of[t.Kind]++; of[t.Kind] == 1 {
			kinds = append(kinds, t.Kind)
		}
	}
	for i, k := range kinds {
		kinds[i] = fmt.Sprintf("%d %s", of[k], k)
	}
	return strings.Join(kinds, ", ")
}

// effects returns a volume's effects, as text.
func effects(v *collide.Volume) string {
	var does []string
	if v.Water {
		does = append(does, "water")
	}
	if v.Kill {
		does = append(does, "kills")
	}
	if !v.Launch.IsZero() {
		does = append(does, fmt.Sprintf("launches at %.1f m/s", v.Launch))
	}
	if v.Planet || !v.Up.IsZero() {
		does = append(does, "turns gravity")
	}
	if v.Triggers != "" {
		how := "triggers "
		if v.Button {
			how = "is a button of "
		}
		does = append(does, how+strconv.Quote(v.Triggers))
	}
	if len(does) == 0 {
		return "does little"
	}
	return strings.Join(does, ", ")
}
