package parkour

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
)

const (
	// inset in metres is how far beyond the edge the axis of the body comes to stand.
	inset = 0.1
	// clear in metres is how much higher than the ledge the corner of the path is: enough
	// to pass above ledges that slope by up to 40°.
	clear = 0.12
	// lowest in metres is the lowest ledge that is mantled from the air or a ladder.
	lowest = 0.05
	// hover in metres is how far above the ledge a mantle ends: where walkers hover.
	hover = (movement.MinFloor + movement.MaxFloor) / 2
)

// tryMantle begins a mantle, before the move, where the command wants one: on a press of
// Jump, in the air also where Jump is held. The jump is used up.
func (m *Model) tryMantle(p *State, s *movement.State, c *movement.Command, w *collide.WorldAt, pressed bool) {
	wants := s.Mode == movement.Walking && pressed || s.Mode == movement.Falling && c.Jump
	if !wants || !(c.Forward > 0) || s.HalfHeight != 0 || s.Motion.Busy() || w.World == nil || !s.Launch.IsZero() {
		return
	}
	dir := geom.Forward(c.Yaw).Mul(c.Forward).MulAdd(geom.Right(c.Yaw), c.Right).Unit()
	at := *s
	if b := s.Base.Mover; b != collide.Static && w.World.Mover(b) != nil { // where it is carried
		pose := w.Pose(b)
		at.Position = pose.Apply(s.Base.Position)
	}
	low := lowest
	if s.Mode == movement.Walking {
		low = max(m.StepHeight-movement.MaxFloor, m.Radius) // lower ones are steps
	}
	if ledge, ok := m.findLedge(w, &at, s.Orientation().Rotate(dir), low, m.MaxMantle); ok {
		p.Ledge, p.Sliding = ledge, false
		s.Mode, s.Floor, s.Velocity = Mantle, movement.Floor{}, geom.Vec3{}
	}
}

// findLedge returns the path onto a ledge ahead, low … high metres above the feet of s, that
// has room for the body all along. Dir is level.
func (m *Model) findLedge(w *collide.WorldAt, s *movement.State, dir geom.Vec3, low, high float64) (Ledge, bool) {
	up, body := s.UpVector(), m.Capsule(s)
	wall, ok := m.wallAhead(w, s, dir, m.MantleReach, low < m.Radius)
	if !ok || high <= low {
		return Ledge{}, false
	}
	over := wall.normal.Mul(-(wall.gap + m.Radius + inset))
	top, ok := w.Ray(s.Position.Add(over).MulAdd(up, high), up.Mul(-(high - low)))
	if !ok || !m.holds(w, &top, up) {
		return Ledge{}, false
	}
	rise := up.Mul(top.Point.Sub(s.Position).Dot(up) + clear)
	l := Ledge{Mover: top.Mover, From: s.Position, Corner: s.Position.Add(rise)}
	if _, blocked := w.SweepCapsule(body, rise); blocked {
		return Ledge{}, false
	}
	if _, blocked := w.SweepCapsule(body.Moved(rise), over); blocked {
		return Ledge{}, false
	}
	const reach = 2 * clear
	floor, ok := w.SweepCapsule(body.Moved(rise.Add(over)), up.Mul(-reach))
	if !ok || floor.Penetrating || !m.holds(w, &floor, up) {
		return Ledge{}, false
	}
	l.To = l.Corner.Add(over).MulAdd(up, -max(float64(floor.Fraction*reach)-hover, 0))
	return l.inFrame(w), true
}

// holds reports whether what was hit can be stood on.
func (m *Model) holds(w *collide.WorldAt, hit *collide.Hit, up geom.Vec3) bool {
	if hit.Mover >= collide.FirstObstacle {
		return false
	}
	surface := w.Surface(hit.Mover, hit.Shape)
	gentle := hit.FaceNormal.Dot(up) >= collide.MinWalkableNormal(m.WalkableSlope)
	return surface.StepOn != collide.Never && surface.Walk != collide.Never && (gentle || surface.Walk == collide.Always)
}

// inFrame returns the path, which is the world's, in the frame of its mover.
func (l Ledge) inFrame(w *collide.WorldAt) Ledge {
	if l.Mover != collide.Static {
		pose := w.Pose(l.Mover)
		l.From, l.Corner, l.To = pose.ApplyInverse(l.From), pose.ApplyInverse(l.Corner), pose.ApplyInverse(l.To)
	}
	return l
}

// speed returns how fast the mantle is, in m/s.
func (m *Model) speed(l *Ledge) float64 {
	if l.From.Dist(l.Corner) <= m.LowLedge+clear {
		return m.LowMantleSpeed
	}
	return m.HighMantleSpeed
}

// duration returns how long the mantle lasts.
func (m *Model) duration(l *Ledge) clock.Micros {
	return time((l.From.Dist(l.Corner) + l.Corner.Dist(l.To)) / m.speed(l))
}

// at returns where the feet are after that time, in the frame of the mover, which way they
// go, and whether they are past the corner.
func (m *Model) at(l *Ledge, t clock.Micros) (feet, way geom.Vec3, past bool) {
	made, rise := float64(m.speed(l)*t.Seconds()), l.From.Dist(l.Corner)
	if made < rise {
		return l.From.Lerp(l.Corner, made/rise), l.Corner.Sub(l.From).Unit(), false
	}
	level := l.Corner.Dist(l.To)
	return l.Corner.Lerp(l.To, min((made-rise)/level, 1)), l.To.Sub(l.Corner).Unit(), true
}

// mantle is mode Mantle [MOD-06]: the feet are where the time says, if nothing is in the way;
// otherwise the body falls. The time left at its end is walked on.
func (v *Move) mantle() {
	f, l, m := v.f, &v.state.Ledge, v.model
	if l.Mover != collide.Static && f.World.World.Mover(l.Mover) == nil { // another level
		*l = Ledge{}
	}
	have, left := time(f.Remaining), m.duration(l)-l.Elapsed
	if *l == (Ledge{}) || left <= 0 {
		f.SetMode(movement.Falling)
		return
	}
	pose, take := f.World.Pose(l.Mover), min(have, left)
	_, _, was := m.at(l, l.Elapsed)
	l.Elapsed += take
	feet, way, past := m.at(l, l.Elapsed)
	if f.Remaining -= take.Seconds(); take == have {
		f.Remaining = 0
	}
	if past && !was && !v.moveTo(pose.Apply(l.Corner)) || !v.moveTo(pose.Apply(feet)) {
		f.Velocity = geom.Vec3{}
		f.SetMode(movement.Falling)
		return
	}
	f.Velocity = pose.Rotation.Rotate(way).Mul(m.speed(l))
	if take == left {
		carried := f.World.VelocityAt(l.Mover, f.Position)
		f.Velocity = pose.Rotation.Rotate(way).Flat(f.Up).Unit().Mul(m.MantleExitSpeed).Add(carried)
		f.SetMode(movement.Falling)
	}
}

// moveTo moves the body to a place and reports whether it got there: exactly there, so that
// a mantle is the same whatever its moves.
func (v *Move) moveTo(feet geom.Vec3) bool {
	if _, blocked := v.f.Move(feet.Sub(v.f.Position)); blocked {
		return false
	}
	v.f.Position = feet
	return true
}
