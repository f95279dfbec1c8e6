package parkour

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
)

// steep is the most that a normal of a ladder's or a ledge's wall may lean up or down.
const steep = 0.3

// Step moves a character by one command of duration d: movement.Step with the moves of this
// package. P is the game's beside s, f is scratch.
func Step(m *Model, p *State, s *movement.State, c *movement.Command, d clock.Micros, w *collide.WorldAt, f *movement.StepContext) {
	v := Begin(m, p, s, c, d, w, f)
	for f.Running() {
		v.Advance()
	}
	v.End()
}

// Move is one move under way: for a game with modes of its own, which writes Step itself and
// runs its modes instead of Advance. Do not keep it.
type Move struct {
	model   *Model
	state   *State
	f       *movement.StepContext
	scale   float64 // the game's SpeedScale
	pressed bool    // Jump, in this command
}

// Begin starts a move: what movement's StepContext.Begin does, and what of this package
// begins or ends.
func Begin(m *Model, p *State, s *movement.State, c *movement.Command, d clock.Micros, w *collide.WorldAt, f *movement.StepContext) Move {
	v := Move{model: m, state: p, f: f, scale: s.SpeedScale, pressed: c.Jump && !s.JumpHeld}
	if d <= 0 {
		f.Begin(&m.Model, s, c, d, w)
		return v
	}
	p.SlideCooldown, p.LadderCooldown = max(p.SlideCooldown-d, 0), max(p.LadderCooldown-d, 0)
	upright := !s.Crouched
	m.tryMantle(p, s, c, w, v.pressed)
	if p.Prone {
		s.SpeedScale = m.proneScale(s.SpeedScale)
	}
	f.Begin(&m.Model, s, c, d, w)
	v.updateLadder()
	v.updateSlide(upright, d.Seconds())
	v.updateProne()
	return v
}

// Advance runs the present mode, as StepContext.Advance does, the modes of this package too.
func (v *Move) Advance() {
	switch v.f.Mode {
	case Ladder:
		v.climb()
	case Mantle:
		v.mantle()
	default:
		v.f.Advance()
	}
}

// End ends the move, after Running returned false. What the character does no longer is
// forgotten.
func (v *Move) End() {
	s, p := v.f.State, v.state
	s.SpeedScale = v.scale
	if p.Sliding && s.Mode != movement.Walking {
		v.endSlide()
	}
	if s.Mode != Ladder {
		p.Wall = geom.Vec3{}
	}
	if s.Mode != Mantle {
		p.Ledge = Ledge{}
	}
}

// time returns seconds as whole microseconds.
func time(seconds float64) clock.Micros { return clock.Micros(math.Floor(float64(seconds*1e6) + 0.5)) }

// input returns where the input points, level and of at most length 1.
func (v *Move) input() geom.Vec3 {
	return v.f.Acceleration.Flat(v.f.Up).Unit().Mul(v.f.Analog)
}

// wall is a steep surface ahead of a body.
type wall struct {
	normal geom.Vec3 // level, of length 1
	gap    float64   // metres from the body
	mover  collide.MoverID
}

// wallAhead returns the wall that the capsule of s meets within reach metres along the level
// unit vector dir. Where it passes above an edge, or touches that with its round end, the
// wall below the edge counts, if low.
func (m *Model) wallAhead(w *collide.WorldAt, s *movement.State, dir geom.Vec3, reach float64, low bool) (wall, bool) {
	up, body := s.UpVector(), m.Capsule(s)
	if dir.IsZero() || reach <= 0 {
		return wall{}, false
	}
	if at, ok := wallIn(w, body, up, dir.Mul(reach)); ok || !low {
		return at, ok
	}
	return wallIn(w, body.Moved(up.Mul(-m.Radius)), up, dir.Mul(reach))
}

// wallIn returns the wall that the body meets on its way, if the way leads into it at 30° or
// more.
func wallIn(w *collide.WorldAt, body geom.Capsule, up, way geom.Vec3) (wall, bool) {
	hit, ok := w.SweepCapsule(body, way)
	if !ok || hit.Penetrating || hit.Mover >= collide.FirstObstacle || math.Abs(hit.Normal.Dot(up)) > steep {
		return wall{}, false
	}
	normal := hit.Normal.Flat(up).Unit()
	into := -normal.Dot(way)
	return wall{normal, float64(hit.Fraction * into), hit.Mover}, into >= float64(0.5*way.Len())
}
