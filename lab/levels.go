package lab

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/level"
)

// levelsOf returns the names of the levels that scenarios of g may use: yard, a small court with the
// obstacles of walking, and the levels of the game.
func levelsOf(g Game) []string {
	return append([]string{"yard"}, slices.Sorted(maps.Keys(g.Levels()))...)
}

// noKillHeight is the kill height of worlds without one, in metres: no player falls that far in a
// day.
const noKillHeight = -1e7

// place is the level of a scenario.
type place struct {
	world      *collide.World
	killHeight float64
	entities   []level.Entity // that the scenario wants
}

// placeOf builds the world of a scenario of g whose movers begin to move at match time zero; below zero
// they never move.
func placeOf(g Game, s *scenario.Scenario, zero clock.Micros) (place, error) {
	p := place{killHeight: noKillHeight}
	w, err := s.World(func(l scenario.Level) (*collide.World, error) {
		if l.Name == "yard" {
			return Yard()
		}
		made, err := load(g, l)
		if err != nil {
			return nil, err
		}
		p.killHeight = made.KillHeight
		if s.Server.Entities {
			p.entities = made.Entities
		}
		return made.World, nil
	}, zero)
	p.world = w
	if err == nil && s.Server.Entities && len(p.entities) == 0 {
		return p, s.ErrorAt(s.Level.Line, "the level has no entities; arena has some")
	}
	return p, err
}

// load reads a level of g, or one from its file.
func load(g Game, l scenario.Level) (*level.Level, error) {
	b, err := g.Levels()[l.Name], error(nil)
	switch {
	case l.Name == "":
		b, err = os.ReadFile(l.File)
	case b == nil:
		return nil, fmt.Errorf("lab: no level %q: there are %q", l.Name, levelsOf(g))
	}
	if err == nil && strings.HasSuffix(l.File, ".world") {
		w, err := collide.Unpack(b)
		return &level.Level{World: w, KillHeight: noKillHeight}, err
	}
	if err != nil {
		return nil, err
	}
	return level.Read(b)
}

// Yard builds the level yard, 28 m square: stairs with 0.15 and 0.30 m risers, ramps of 20°, 40°
// and 50°, crates, a beam to crouch under, a wall, and walls around.
func Yard() (*collide.World, error) {
	var b collide.Builder
	plain := collide.Surface{}
	b.Box(geom.V(0, -1, 0), geom.V(14, 1, 14), geom.IdentityQuat, plain)
	for i := range 4 {
		turn := geom.YawQuat(float64(i) * math.Pi / 2)
		b.Box(turn.Rotate(geom.V(0, 2, -14)), geom.V(14.5, 2, 0.5), turn, plain)
	}
	b.Stairs(geom.V(-6, 0, -4), 4, 0.30, 0.30, 8, 0, plain)
	b.Box(geom.V(-6, 1.2, -8.4), geom.V(2, 1.2, 2), geom.IdentityQuat, plain)
	b.Stairs(geom.V(-2.5, 0, -8.4), 3, 0.15, 0.30, 8, math.Pi/2, plain)
	b.Ramp(geom.V(6, 0, -3), 4, 1.82, 5, 0, plain)            // 20°
	b.Ramp(geom.V(10, 0, 2), 3, 2.1, 2.5, -math.Pi/2, plain)  // 40°
	b.Ramp(geom.V(-11, 0, 4), 3, 2.98, 2.5, math.Pi/2, plain) // 50°
	b.Box(geom.V(3, 0.2, 5), geom.V(1, 0.2, 1), geom.YawQuat(0.4), plain)
	b.Box(geom.V(5, 0.5, 7), geom.V(0.5, 0.5, 0.5), geom.YawQuat(1), plain)
	b.Box(geom.V(-4, 1.6, 6), geom.V(3, 0.4, 1), geom.IdentityQuat, plain)
	b.Box(geom.V(0, 1.5, 1), geom.V(2, 1.5, 0.2), geom.YawQuat(0.7), plain)
	return b.Bake()
}
