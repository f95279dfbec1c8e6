package movement

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// combineTurn is the cosine of how far the input may turn between two moves that
	// become one: 5.126° (CMB-05; GAP-14 mends the sign).
	combineTurn = 0.996
	// combineSpeed in m/s is by how much their speed limits may differ [CMB-06].
	combineSpeed = 0.1
)

// CanCombine reports whether, as far as movement goes, one longer move may replace two: first,
// which led from start to between, and second, which comes next (rows CMB). The longer move
// begins at start and has second's command, in the world w.
//
// It is false where the longer move would lose an effect of the two: root motion or a push
// [CMB-02], input that begins, ends or turns by more than 5.1° [CMB-03, CMB-05], a start from
// rest, another speed limit [CMB-06], a press or release and the rest of a jump [CMB-07],
// another mode, stance, base, path or volume [CMB-08]; and where something else has come to
// stand where first began [CMB-09], unless the character rode on a mover and so does not go
// back there. The bound of the duration of both together is predict's [CMB-04], and the game's
// own state is the game's to compare.
//
// From one still shape of the ground to the next is no change: only movers are bases. Riders
// turn with their base by its pose, so the view turns between the instant of between and the
// end of the longer move by the same angle as if second had been a move of its own.
func (m *Model) CanCombine(w *collide.WorldAt, start, between *State, first, second *Command) bool {
	return start.sameAs(between) && first.sameInput(second, start.Mode) &&
		m.keepsSpeed(start, between, first, second) &&
		sameVolume(m, w, start, between) && m.roomAgain(w, start)
}

// sameAs reports whether nothing discrete changed from s to t, and neither has a pending
// effect that one move uses up [CMB-02, CMB-06 … CMB-08].
func (s *State) sameAs(t *State) bool {
	switch {
	case s.Mode != t.Mode, s.Crouched != t.Crouched, s.HalfHeight != t.HalfHeight, s.Base.Mover != t.Base.Mover, s.Up != t.Up,
		s.Rail != t.Rail, s.WantsWalking != t.WantsWalking, (s.Nav.Polygon == 0) != (t.Nav.Polygon == 0):
		return false
	case s.JumpHeld != t.JumpHeld, s.JumpCount != t.JumpCount, (s.JumpHold == 0) != (t.JumpHold == 0):
		return false
	case s.Velocity.IsZero() != t.Velocity.IsZero():
		return false
	case s.Motion.LastID != t.Motion.LastID, s.Motion.Busy(), t.Motion.Busy():
		return false
	}
	return !s.disturbed() && !t.disturbed()
}

// disturbed reports that something other than its own moves acts on s in the next one.
func (s *State) disturbed() bool {
	return s.ForceFloor || !s.Impulse.IsZero() || !s.Force.IsZero() || !s.Launch.IsZero()
}

// sameInput reports whether c and d are the same input to a character in that mode: the same
// buttons, and about the same direction [CMB-03, CMB-05, CMB-08].
func (c *Command) sameInput(d *Command, mode Mode) bool {
	a, _ := c.input(mode)
	b, _ := d.input(mode)
	return c.Jump == d.Jump && c.Crouch == d.Crouch && c.Sprint == d.Sprint && c.Buttons == d.Buttons &&
		along(a, b) && along(c.Request, d.Request)
}

// along reports whether a and b are both zero, or neither is and they point to within
// 5.126° of each other. Their lengths do not count.
func along(a, b geom.Vec3) bool {
	if a.IsZero() || b.IsZero() {
		return a.IsZero() == b.IsZero()
	}
	return a.Unit().Dot(b.Unit()) >= combineTurn
}

// keepsSpeed reports whether the speed limits of the two moves are close enough to each other:
// the body's limit, or the speed of a request [CMB-06].
func (m *Model) keepsSpeed(start, between *State, first, second *Command) bool {
	a, b := m.limit(start, first), m.limit(between, second)
	return (a == 0) == (b == 0) && max(a, b)-min(a, b) <= combineSpeed
}

// limit returns the speed limit in m/s of s under the command.
func (m *Model) limit(s *State, c *Command) float64 {
	if c.Request.IsZero() {
		return m.SpeedLimit(s, c)
	}
	return min(c.Request.Len(), m.SpeedLimit(s, c))
}

// sameVolume reports whether the same volumes decide at the feet and in the middle of
// the body: what swims, what launches, where up is [CMB-08].
func sameVolume(m *Model, w *collide.WorldAt, start, between *State) bool {
	if w.World == nil || len(w.World.Volumes()) == 0 {
		return true
	}
	a, b := m.Capsule(start), m.Capsule(between)
	return w.VolumeAt(start.Position) == w.VolumeAt(between.Position) &&
		w.VolumeAt(a.A.Lerp(a.B, 0.5)) == w.VolumeAt(b.A.Lerp(b.B, 0.5))
}

// roomAgain reports whether the body can go back to where s was [CMB-09]. A still
// world is what it was.
func (m *Model) roomAgain(w *collide.WorldAt, s *State) bool {
	if s.Base.Mover != collide.Static || w.World == nil || len(w.World.Movers())|len(w.Obstacles) == 0 {
		return true
	}
	return !w.Overlaps(m.Capsule(s))
}
