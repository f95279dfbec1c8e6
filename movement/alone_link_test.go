package movement_test

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// machines is a floor, a lift that goes 3 m up and down around x = 10 and a wall that
// comes 4 m along X over x = 20, both in 8 s.
func machines() *collide.World {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(100, 1, 100), geom.IdentityQuat, collide.Surface{})
	there := func(by geom.Vec3) collide.Path {
		return collide.Path{Loop: true, Keys: []collide.Key{{}, {At: 4 * clock.Second, Position: by}, {At: 8 * clock.Second}}}
	}
	b.Mover("lift", there(geom.V(0, 3, 0)), func(b *collide.Builder) {
		b.Box(geom.V(10, .5, 0), geom.V(2, .5, 2), geom.IdentityQuat, collide.Surface{})
	})
	b.Mover("wall", there(geom.V(4, 0, 0)), func(b *collide.Builder) {
		b.Box(geom.V(18, 1, 0), geom.V(.5, 1, 5), geom.IdentityQuat, collide.Surface{})
	})
	return b.MustBake()
}

// A character without its player is simulated where Limits.SilenceTimeout wants it, and is
// left exactly as it was where that is zero.
func TestWithoutAPlayer(t *testing.T) { // PRF-16
	world := machines()
	for _, c := range []struct {
		what  string
		start movement.State
		act   func(s *dasher, now clock.Micros)
		well  func(s *dasher) bool // what must have come of it 3.5 s later
	}{
		{"falls", movement.State{Position: geom.V(0, 8, 0), Mode: movement.Falling}, nil,
			func(s *dasher) bool { return s.Mode == movement.Walking && s.Position.Y < .03 }},
		{"rides", movement.Spawn(geom.V(10, 1.02, 0), 0), nil,
			func(s *dasher) bool {
				return s.Base.Mover == 1 && math.Abs(s.Base.Position.Y-1.022) < .005 && s.Position.Y > 3
			}},
		{"is pushed by a body", movement.Spawn(geom.V(20, .02, 0), 0), nil,
			func(s *dasher) bool { return s.Position.X > 21.5 }},
		{"is pushed by the game", movement.Spawn(geom.V(0, .02, 0), 0),
			func(s *dasher, _ clock.Micros) { s.Impulse = geom.V(5, 0, 0) },
			func(s *dasher) bool { return s.Position.X > .13 && s.Velocity.IsZero() }},
		{"root motion", movement.Spawn(geom.V(0, .02, 0), 0),
			func(s *dasher, now clock.Micros) {
				s.Motion.Apply(rootmotion.Constant(geom.V(8, 0, 0), 3*clock.Second/8), now)
			},
			func(s *dasher) bool { return s.Position.X > 2.9 && s.Velocity.IsZero() }},
	} {
		for _, simulated := range []bool{true, false} {
			w := newLink(t, 16*clock.Millisecond)
			w.game.view.World = world
			w.begin(c.start)
			if !simulated {
				w.authority.Limits.SilenceTimeout = -1
			}
			w.run(clock.Second/2, nil)
			w.up = nil // the player leaves
			if c.act != nil {
				c.act(w.authority.State(), w.now)
			}
			left := *w.authority.State()
			for range 35 * 8 {
				w.now += 12500
				for w.authority.Next(w.now) {
				}
			}
			s := w.authority.State()
			switch {
			case !simulated && *s != left:
				t.Errorf("%s, not simulated: got %+v, want it as it was: %+v", c.what, s.State, left.State)
			case simulated && !c.well(s):
				t.Errorf("%s: at %v, %v m/s (%v, base %d)", c.what, s.Position, s.Velocity, s.Mode, s.Base.Mover)
			}
		}
	}
}
