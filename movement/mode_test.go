package movement_test

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
)

// Swinging is a mode of the game below: on a rope of fixed length.
const Swinging = movement.Custom

// climber is a game's state: the library's, and what its mode needs.
type climber struct {
	movement.State
	anchor geom.Vec3
	rope   float64 // metres
}

// step is the game's: three lines around StepContext, and the mode. The library knows
// nothing of it.
func (h *climber) step(m *movement.Model, c *movement.Command, d clock.Micros, w *collide.WorldAt, f *movement.StepContext) {
	f.Begin(m, &h.State, c, d, w)
	for f.Running() {
		if f.Mode == Swinging {
			h.swing(f)
		} else {
			f.Advance()
		}
	}
}

// swing integrates a pendulum. It lets go where it leads over the horizon of the
// anchor, within the move, and what time is left then is fallen.
func (h *climber) swing(f *movement.StepContext) {
	for f.Mode == Swinging && f.Remaining >= movement.MinTime {
		dt := f.TakeSlice()
		v := f.Velocity.MulAdd(f.Up, -f.Model.Gravity*dt)
		out := h.Position.Sub(h.anchor).Unit()
		v = v.MulAdd(out, -v.Dot(out))
		to := h.anchor.MulAdd(h.Position.MulAdd(v, dt).Sub(h.anchor).Unit(), h.rope)
		if hit, blocked := f.Move(to.Sub(h.Position)); blocked {
			v = v.MulAdd(hit.Normal, -v.Dot(hit.Normal))
		}
		f.Velocity = v
		if h.Position.Sub(h.anchor).Dot(f.Up) > -.3*h.rope && v.Dot(f.Up) > 0 {
			f.SetMode(movement.Falling)
		}
	}
}

// A game adds a mode without touching the library, and hands over to a built-in one
// in the middle of a move (MOD-04, PRF-14, ENT-10).
func TestAModeOfTheGamesOwn(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(50, 1, 50), geom.IdentityQuat, collide.Surface{})
	world := b.MustBake()
	m, w := movement.DefaultModel(), collide.WorldAt{World: world}
	var f movement.StepContext
	for _, hz := range []clock.Micros{8, 30, 60, 144, 240} {
		h := climber{State: movement.State{Position: geom.V(0, 11.5, 5), Mode: Swinging}, anchor: geom.V(0, 12, 0)}
		h.rope = h.Position.Dist(h.anchor)
		d, longest, off := clock.Second/hz, 0.0, 0.0
		handed, landed := 0, false
		c := movement.Command{}
		for now := clock.Micros(0); now < 5*clock.Second; now += d {
			was, before := h.Mode, h
			h.step(&m, &c, d, &w, &f)
			if was == Swinging {
				off = max(off, math.Abs(h.Position.Dist(h.anchor)-h.rope))
				if h.Mode != Swinging {
					handed++
					off = 0
				}
			}
			longest = max(longest, h.Position.Dist(before.Position)/d.Seconds())
			again := before // a replay of the move gives the same
			again.step(&m, &c, d, &w, &f)
			if again != h {
				t.Fatalf("%v Hz: %+v, and again %+v", hz, h, again)
			}
			landed = landed || h.Mode == movement.Walking
		}
		if handed != 1 || !landed || off > 1e-9 || longest > 16 {
			t.Errorf("%v Hz: handed over %v times, landed %v, %v m off the rope, at most %v m/s; in mode %v", hz, handed, landed, off, longest, h.Mode)
		}
	}
}

// A mode that neither takes time nor lets go of it cannot hang the server: the
// built-in ones hand over 8 times a move at most (PRF-10, MOD-04).
func TestAModeThatNeverEnds(t *testing.T) {
	m, w := movement.DefaultModel(), collide.WorldAt{World: new(collide.World)}
	h := climber{State: movement.State{Mode: movement.Falling}}
	var f movement.StepContext
	rounds := 0
	f.Begin(&m, &h.State, &movement.Command{}, clock.Second/60, &w)
	for f.Running() && rounds < 100 {
		f.Remaining = .01 // time that is never spent
		f.Advance()
		rounds++
	}
	if rounds > 8 {
		t.Errorf("%v rounds, want at most 8", rounds)
	}
	h.Mode = movement.Custom + 3
	at := h.Position
	movement.Step(&m, &h.State, &movement.Command{Forward: 1}, clock.Second/60, &w, &f)
	if h.Position != at {
		t.Errorf("a mode that Step does not know moved to %v", h.Position)
	}
}

// A crouched character goes on in a mode of the game's own: it stays low until the mode stands it up, and under a low
// ceiling it stays low then too. (MOD-04, BAS-03)
func TestStandingUpInAModeOfTheGamesOwn(t *testing.T) {
	for _, c := range []struct {
		what    string
		ceiling float64 // metres above the floor
		stands  bool
	}{{"in the open", 9, true}, {"under a low ceiling", 1.5, false}} {
		var b collide.Builder
		b.Box(geom.V(0, -1, 0), geom.V(5, 1, 5), geom.IdentityQuat, collide.Surface{})
		b.Box(geom.V(0, c.ceiling+1, 0), geom.V(5, 1, 5), geom.IdentityQuat, collide.Surface{})
		m, w := movement.DefaultModel(), collide.WorldAt{World: b.MustBake()}
		s := movement.Spawn(geom.V(0, 0, 0), 0)
		var f movement.StepContext
		for range 30 {
			movement.Step(&m, &s, &movement.Command{Crouch: true}, clock.Second/60, &w, &f)
		}
		s.Mode = movement.Custom
		f.Begin(&m, &s, &movement.Command{}, clock.Second/60, &w)
		if !s.Crouched {
			t.Fatalf("%s: stood up by itself", c.what)
		}
		feet := s.Position
		if got := f.StandUp(); got != c.stands || s.Crouched == c.stands || s.Position != feet {
			t.Errorf("%s: StandUp returned %v, crouched %v, feet from %v to %v; want %v", c.what, got, s.Crouched, feet, s.Position, c.stands)
		}
	}
}

// A body that glides in a mode of the game's own meets a wall at 45° and goes on along it, at the speed that is left.
// (MOD-04, STP-02)
func TestGlidingAlongAWall(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, 0, -6), geom.V(50, 50, 1), geom.IdentityQuat, collide.Surface{}) // its face is at z = −5
	m, w := movement.DefaultModel(), collide.WorldAt{World: b.MustBake()}
	s := movement.State{Position: geom.V(0, 3, 0), Mode: movement.Custom, Velocity: geom.V(6, 0, -6)}
	var f movement.StepContext
	met := 0
	for range 120 {
		f.Begin(&m, &s, &movement.Command{}, clock.Second/60, &w)
		for f.Running() {
			if _, hit := f.Glide(f.TakeSlice()); hit {
				met++
			}
		}
	}
	if met == 0 || s.Velocity.Dist(geom.V(6, 0, 0)) > 1e-9 || math.Abs(s.Position.X-12) > .01 || s.Position.Z < -5+m.Radius {
		t.Errorf("met the wall %d times, at %v with %v m/s; want 12 m along it at 6 m/s", met, s.Position, s.Velocity)
	}
}
