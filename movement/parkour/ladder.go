package parkour

import (
	"strings"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
)

// LadderName is what the name of a volume begins with that is a ladder.
const LadderName = "ladder"

// ladderGap in metres is how far from its wall a climber keeps.
const ladderGap = 0.02

// updateLadder grabs a ladder, or leaves it on Jump and Crouch.
func (v *Move) updateLadder() {
	f := v.f
	switch f.Mode {
	case Ladder:
		if v.pressed {
			m := v.model
			f.Velocity = v.state.Wall.Mul(m.LadderJumpOut).MulAdd(f.Up, m.LadderJumpUp)
			f.JumpCount = 1
			v.letGo()
		} else if f.Command.Crouch {
			v.letGo()
		}
	case movement.Walking, movement.Falling, movement.Swimming:
		v.grab()
	}
}

// letGo leaves the ladder.
func (v *Move) letGo() {
	v.state.LadderCooldown = time(v.model.LadderCooldown)
	v.f.SetMode(movement.Falling)
}

// grab holds on to a ladder that the input leads to, or that a falling character faces.
func (v *Move) grab() {
	f, p, m := v.f, v.state, v.model
	if p.LadderCooldown > 0 || p.Prone || p.Sliding || f.Motion.Busy() || f.Command.Crouch || !onLadder(f.World, &m.Model, f.State) {
		return
	}
	dir := v.input().Unit()
	wall, ok := m.wallAhead(f.World, f.State, dir, m.LadderReach, false)
	if !ok && f.Mode == movement.Falling {
		dir = f.Orientation().Rotate(geom.Forward(f.Command.Yaw))
		wall, ok = m.wallAhead(f.World, f.State, dir, m.LadderReach, true)
	}
	if !ok || wall.mover != collide.Static {
		return
	}
	p.Wall, f.Velocity, f.JumpCount = wall.normal, geom.Vec3{}, 0
	f.SetMode(Ladder)
}

// onLadder reports whether the feet or the middle of the body are in a ladder's volume.
func onLadder(w *collide.WorldAt, m *movement.Model, s *movement.State) bool {
	if w.World == nil || len(w.World.Volumes()) == 0 {
		return false
	}
	body := m.Capsule(s)
	for _, at := range [...]geom.Vec3{body.A.Lerp(body.B, 0.5), s.Position} {
		if in := w.VolumeAt(at); in != nil && strings.HasPrefix(in.Name, LadderName) {
			return true
		}
	}
	return false
}

// climb is one slice of mode Ladder [MOD-05].
func (v *Move) climb() {
	f, p, m := v.f, v.state, v.model
	dt := f.TakeSlice()
	wall, ok := m.wallAhead(f.World, f.State, p.Wall.Neg(), m.LadderReach+ladderGap, true)
	if !ok || wall.mover != collide.Static {
		f.Remaining += dt
		v.letGo()
		return
	}
	p.Wall = wall.normal
	in := v.input()
	toward := -in.Dot(wall.normal)
	if toward > 0 && v.mantleTop() {
		f.Remaining += dt
		return
	}
	speed := m.climbSpeed(f.State)
	along := in.MulAdd(wall.normal, toward).Mul(speed).MulAdd(f.Up, float64(toward*speed))
	f.Velocity = f.UnderMotion(v.withinLadder(along, dt), dt)
	pull := wall.normal.Mul(-geom.Clamp(wall.gap-ladderGap, 0, float64(m.ClimbSpeed*dt)))
	v.moveOnLadder(f.Velocity.Mul(dt).Add(pull), dt)
}

// climbSpeed returns the speed of s on ladders in m/s: ClimbSpeed, by its SpeedScale.
func (m *Model) climbSpeed(s *movement.State) float64 {
	if s.SpeedScale == 0 {
		return m.ClimbSpeed
	}
	return float64(m.ClimbSpeed * max(s.SpeedScale, 0))
}

// mantleTop begins a mantle onto the top of the ladder's wall, where that is near.
func (v *Move) mantleTop() bool {
	f, m := v.f, v.model
	ledge, ok := m.findLedge(f.World, f.State, v.state.Wall.Neg(), lowest, m.LadderTop)
	if ok {
		v.state.Ledge, v.state.LadderCooldown = ledge, time(m.LadderCooldown)
		f.SetMode(Mantle)
	}
	return ok
}

// withinLadder returns the velocity without its upward part where that would lead out of
// the ladder's volume.
func (v *Move) withinLadder(along geom.Vec3, dt float64) geom.Vec3 {
	next := *v.f.State
	next.Position = next.Position.MulAdd(along, dt)
	if along.Dot(v.f.Up) > 0 && !onLadder(v.f.World, &v.model.Model, &next) {
		return along.Flat(v.f.Up)
	}
	return along
}

// moveOnLadder moves the climber by delta, along what it meets. On the ground, and beside
// the ladder, it lets go.
func (v *Move) moveOnLadder(delta geom.Vec3, dt float64) {
	f := v.f
	for range 3 {
		hit, blocked := f.Move(delta)
		if !blocked {
			break
		}
		if hit.Normal.Dot(f.Up) > 1-steep && delta.Dot(f.Up) < 0 { // at its foot
			f.Remaining += float64(dt * (1 - hit.Fraction))
			v.letGo()
			return
		}
		if hit.Penetrating {
			f.Velocity = geom.Vec3{}
			break
		}
		delta = delta.Mul(1 - hit.Fraction).Flat(hit.Normal)
		if into := f.Velocity.Dot(hit.Normal); into < 0 {
			f.Velocity = f.Velocity.MulAdd(hit.Normal, -into)
		}
	}
	if !onLadder(f.World, &v.model.Model, f.State) {
		v.letGo()
	}
}
