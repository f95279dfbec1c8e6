package levelmaker_test

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/examples/arena/levelmaker"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/movement"
)

// entitiesOf returns the entities of one kind.
func entitiesOf(l *level.Level, kind string) []level.Entity {
	var out []level.Entity
	for _, t := range l.Entities {
		if t.Kind == kind {
			out = append(out, t)
		}
	}
	return out
}

func TestTheArenaHasItsEntities(t *testing.T) {
	l := open(t)
	for kind, want := range map[string]int{
		levelmaker.KindBall: levelmaker.Balls, levelmaker.KindFootball: 1, levelmaker.KindGoal: 2, levelmaker.KindPitch: 1,
		levelmaker.KindCrate: 4, levelmaker.KindHealth: 5,
	} {
		if got := len(entitiesOf(l, kind)); got != want {
			t.Errorf("%s: got %d, want %d", kind, got, want)
		}
	}
	var balls []level.Entity
	for _, kind := range []string{levelmaker.KindBall, levelmaker.KindFootball} {
		balls = append(balls, entitiesOf(l, kind)...)
	}
	for i, b := range balls {
		if l.World.Overlaps(geom.Capsule{A: b.Position, B: b.Position, Radius: b.Half.X - 0.03}) {
			t.Errorf("the %s at %v is inside something", b.Kind, b.Position)
		}
		for _, o := range balls[:i] {
			if o.Position.Dist(b.Position) < 2*levelmaker.BallRadius {
				t.Errorf("balls at %v and %v are one in the other", b.Position, o.Position)
			}
		}
	}
	for _, h := range entitiesOf(l, levelmaker.KindHealth) {
		if got := floorAt(l, h.Position.X, h.Position.Z, h.Position.Y+1); math.Abs(h.Position.Y) > 9 || got == "nothing" {
			t.Errorf("the health at %v is over %s", h.Position, got)
		}
	}
}

// A ball that rolls from the middle to either end lies in a goal's inside, and what is
// anywhere else on the pitch is in none.
func TestTheGoalsAreOpenToThePitchAlone(t *testing.T) {
	l := open(t)
	goals := entitiesOf(l, levelmaker.KindGoal)
	middle := entitiesOf(l, levelmaker.KindFootball)[0].Position
	for _, g := range goals {
		way := geom.V(0, 0, math.Copysign(8, g.Position.Z-middle.Z))
		h, ok := l.World.SweepCapsule(geom.Capsule{A: middle, B: middle, Radius: levelmaker.FootballRadius - 0.02}, way)
		end := middle.MulAdd(way, h.Fraction)
		d := end.Sub(g.Position)
		if !ok || math.Abs(d.X) > g.Half.X || math.Abs(d.Z) > g.Half.Z {
			t.Errorf("a ball towards %s ended at %v, %v; want within %v of %v", g.Name, end, ok, g.Half, g.Position)
		}
		back := g.Position.MulAdd(way.Unit(), 4)
		back.Y = middle.Y
		if h, ok := l.World.SweepCapsule(geom.Capsule{A: back, B: back, Radius: levelmaker.FootballRadius}, way.Neg()); !ok || h.Fraction > 0.5 {
			t.Errorf("a ball from behind %s got in: %v, %v", g.Name, h.Fraction, ok)
		}
	}
	if goals[0].Team == goals[1].Team || goals[0].Team+goals[1].Team != levelmaker.Red+levelmaker.Blue {
		t.Errorf("goals of teams %d and %d", goals[0].Team, goals[1].Team)
	}
}

// One walks onto the pitch over its walls, and through the pit over its steps.
func TestPlayersWalkOntoThePitchAndThroughThePit(t *testing.T) {
	l := open(t)
	for _, c := range []struct {
		what  string
		from  geom.Vec3
		yaw   float64
		until func(p geom.Vec3) bool
	}{
		{"onto the pitch from the west", geom.V(27, 0.02, levelmaker.PitchZ+2), -math.Pi / 2, func(p geom.Vec3) bool { return p.X > levelmaker.PitchX }},
		{"off the pitch to the west", geom.V(levelmaker.PitchX, 0.02, levelmaker.PitchZ+2), math.Pi / 2, func(p geom.Vec3) bool { return p.X < 27.5 }},
		{"through the pit from the south", geom.V(levelmaker.PitX, 0.02, levelmaker.PitZ+4.5), 0, func(p geom.Vec3) bool { return p.Z < levelmaker.PitZ-3.4 }},
	} {
		w := newWalker(l, c.from, c.yaw)
		w.hold(movement.Command{Forward: 1, Yaw: c.yaw}, 240, nil)
		if !c.until(w.state.Position) {
			t.Errorf("%s: came to %.2f", c.what, w.state.Position)
		}
	}
}
