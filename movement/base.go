package movement

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// Base is the mover that a character stands on, and where on it. A rider's
// position is kept in the frame of that mover, so that it neither drifts nor needs the
// past of the mover [BAS-01]. The zero Base is none: still ground, or the air.
type Base struct {
	// Mover of the World that carries the character; Static for none. Obstacles
	// carry nothing.
	Mover collide.MoverID
	// Position of the feet in the mover's frame, in metres.
	Position geom.Vec3
	// Angle of the mover's turn about the vertical when Position was taken, in
	// radians: what the next move turns the rider by.
	Angle float64
}

// Replicated returns where s is, for other clients: the mover that it rides on, and its
// position in metres and velocity in m/s in the frame of that mover. Without a base it
// is Static, and both are the world's. Where the mover turns about a slanting axis the
// velocity is turned about the vertical alone.
func (s *State) Replicated() (base collide.MoverID, position, velocity geom.Vec3) {
	if s.Base.Mover == collide.Static {
		return collide.Static, s.Position, s.Velocity
	}
	return s.Base.Mover, s.Base.Position, geom.AxisAngle(s.UpVector(), -s.Base.Angle).Rotate(s.Velocity)
}

// rider is a character among movers, before and after the modes integrate: its base
// carries it, and movers that moved into it push it.
type rider struct{ *StepContext }

// riding is the scratch of a move among movers and obstacles.
type riding struct {
	since      clock.Micros // platform time before the move
	wasUp      geom.Vec3    // up before the move
	forced     bool         // ForceFloor before the move
	crushed    bool         // Crushed was reported in this move
	searched   bool         // the one search for a way out of this move was made
	carriedTo  geom.Vec3    // where the base carried the rider; NaN if it did not
	pushed     pushed
	pushes     [MaxPushes]Push
	pushCount  int
	candidates [maxCandidates]collide.MoverID // scratch
}

// pushed is the displacement of the character by movers that pushed it, and the share of the
// character's own motion that this displacement has made already.
type pushed struct {
	remaining geom.Vec3 // metres that are still to be subtracted from its own motion
	rate      geom.Vec3 // m/s of remaining that this slice subtracts
}

// reset forgets the last move.
func (f rider) reset(w *collide.WorldAt, d clock.Micros) {
	f.Turned, f.pushCount = 0, 0
	f.since = w.At - d
	f.setWorld(w)
	f.wasUp, f.forced = f.UpVector(), f.ForceFloor
	f.carriedTo, f.crushed, f.searched = geom.Vec3{X: math.NaN()}, false, false
	f.pushed = pushed{}
}

// ride carries the body along with its base, and pushes it out of the way of movers that moved
// into it, before the move [BAS-01, BAS-02]. The world has movers at their poses of the end of
// the move already, so a rider moves relative to its base: Velocity is relative too, until it
// leaves.
func (f rider) ride() {
	if f.Base.Mover == collide.Static && f.alone {
		return
	}
	from, carried := f.Position, true
	if f.Base.Mover != collide.Static {
		if carried = f.carry(); carried {
			f.carriedTo = f.Position
		}
		if f.tooFar(f.Position.Sub(from)) {
			from = f.Position
			f.squeezeOut()
		}
	}
	f.resolvePushers(from, carried)
	f.separate()
}

// carry moves a rider to its place on its base, as far as the level allows, and turns it. It
// reports whether the rider got there. A rider is not carried if something else has moved it,
// if it was crushed (ForceFloor), or if it no longer walks.
func (f rider) carry() bool {
	b := f.Base.Mover
	if f.World.World.Mover(b) == nil { // another level
		f.Base = Base{}
		return true
	}
	if f.Mode != Walking {
		f.leaveBase()
		return true
	}
	if f.forced {
		return false
	}
	pose := f.World.Pose(b)
	f.turnWith(&pose)
	to := f.ontoPlane(pose.Apply(f.Base.Position))
	by := to.Sub(f.Position)
	if by.IsZero() {
		return true
	}
	if f.tooFar(by) || f.pushThrough(by) {
		f.Position = to
		return true
	}
	return false
}

// tooFar reports that a base cannot have carried its rider that far in this move: moves
// are missing, and there is no way to sweep.
func (f rider) tooFar(by geom.Vec3) bool {
	const farBehind = 1 // metres that a rider may be behind its base besides
	far := float64(collide.MaxPathSpeed*f.Duration) + farBehind
	return by.LenSq() > float64(far*far)
}

// turnWith turns the rider by the turn of its base since the last move [BAS-01]. The velocity
// turns too: it is relative to the base.
func (f rider) turnWith(pose *geom.Transform) {
	by := geom.WrapAngle(twist(pose.Rotation, f.wasUp) - f.Base.Angle)
	f.Base.Angle = twist(pose.Rotation, f.Up)
	if by == 0 {
		return
	}
	f.Velocity = geom.AxisAngle(f.Up, by).Rotate(f.Velocity)
	if !f.Model.RideTurn {
		return
	}
	f.Turned += by
	if f.Model.Facing != FaceView {
		f.Yaw = geom.WrapAngle(f.Yaw + by)
	}
}

// twist returns how far q turns about the unit vector up, in radians −π … π.
func twist(q geom.Quat, up geom.Vec3) float64 {
	about := geom.Vec3{X: q.X, Y: q.Y, Z: q.Z}.Dot(up)
	if about == 0 {
		return 0
	}
	return geom.WrapAngle(float64(2 * geom.Atan2(about, q.W)))
}

// carrier returns the mover of a floor if that mover can carry a character, else Static.
func carrier(b collide.MoverID) collide.MoverID {
	if b >= collide.FirstObstacle {
		return collide.Static
	}
	return b
}

// setBase makes the mover of the floor the base, and the velocity relative to it [JMP-06].
func (f rider) setBase(b collide.MoverID) {
	if b == f.Base.Mover {
		return
	}
	f.Velocity = f.Velocity.Add(f.velocityChange(b).Flat(f.Up))
	f.Base = Base{Mover: b}
}

// velocityChange returns the change of the velocity from the present base to another, in m/s.
func (f rider) velocityChange(b collide.MoverID) geom.Vec3 {
	return f.inherited().Sub(f.World.VelocityAt(b, f.Position))
}

// inherited returns the velocity in m/s that the character takes along from its base when it
// leaves [JMP-06].
func (f rider) inherited() geom.Vec3 {
	if f.Base.Mover == collide.Static {
		return geom.Vec3{}
	}
	v := f.World.VelocityAt(f.Base.Mover, f.Position)
	flat := v.Flat(f.Up)
	up := v.Sub(flat)
	if !f.Model.KeepBaseVelocity {
		flat = geom.Vec3{}
	}
	if !f.Model.KeepBaseLift {
		up = geom.Vec3{}
	}
	return flat.Add(up)
}

// leaveBase leaves the base and keeps its velocity. Motion stores it too, because root motion that
// overrides the velocity would lose it.
func (f rider) leaveBase() {
	v := f.inherited()
	f.Velocity = f.Velocity.Add(v)
	if f.Motion.Busy() {
		f.Motion.Carried = f.Motion.Carried.Add(v)
	}
	f.Base = Base{}
}

// saveBase saves the place of the body on its base, after the move. If the body did not move on it, the
// bits stay the same, so that a resting body does not drift.
func (f rider) saveBase() {
	on := carrier(f.Floor.Mover)
	if f.Base.Mover|on == collide.Static {
		return
	}
	if f.Mode != Walking {
		f.leaveBase()
		return
	}
	same := f.Base.Mover == on && f.Position == f.carriedTo && !f.planar
	f.setBase(on)
	if on == collide.Static {
		return
	}
	f.pressDown()
	if same {
		return
	}
	pose := f.World.Pose(on)
	f.Base.Position, f.Base.Angle = pose.ApplyInverse(f.Position), twist(pose.Rotation, f.Up)
}
