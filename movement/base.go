package movement

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// Base is the moving body that a character stands on, and where on it: a rider's
// place is kept in the body's own frame, so that it neither drifts nor needs the
// body's past (BAS-01). The zero Base is none: still ground, or the air.
type Base struct {
	// Body of the World that carries the character; Static for none. Obstacles
	// carry nobody.
	Body collide.BodyID
	// Position of the feet in the body's frame, in metres.
	Position geom.Vec3
	// Angle of the body's turn about the vertical when Position was taken, in
	// radians: what the next move turns the rider by.
	Angle float64
}

// Replicated returns what others are to see of where s is: the body it rides on, and its
// place and velocity in that one's frame; Static and the world's for all others.
// Where the body turns about a slanting axis the velocity is turned about the
// vertical alone.
func (s *State) Replicated() (base collide.BodyID, position, velocity geom.Vec3) {
	if s.Base.Body == collide.Static {
		return collide.Static, s.Position, s.Velocity
	}
	return s.Base.Body, s.Base.Position, geom.AxisAngle(s.UpVector(), -s.Base.Angle).Rotate(s.Velocity)
}

// pack costs one bit for no base.
func (b *Base) pack(p *bits.Packer) {
	some := *b != Base{}
	p.Bool(&some)
	if !some {
		*b = Base{}
		return
	}
	body := uint16(b.Body)
	p.Uint16(&body)
	b.Body = collide.BodyID(body)
	packBounded(p, &b.Position)
	p.Float64(&b.Angle)
	if b.Body == collide.Static || b.Body >= collide.FirstObstacle {
		p.Fail(bits.ErrRange)
		*b = Base{}
	}
}

// meet forgets what the last move had to do with bodies and obstacles.
func (f *StepContext) meet(w *collide.WorldAt, d clock.Micros) {
	f.Turned, f.pushed = 0, 0
	f.since = w.At - d
	f.look(w)
	f.upright, f.forced = f.UpVector(), f.ForceFloor
	f.ridden, f.crushed, f.searched = geom.Vec3{X: math.NaN()}, false, false
	f.given, f.giving = geom.Vec3{}, geom.Vec3{}
	f.alone = w.World == nil || len(w.Obstacles)|len(w.World.Bodies()) == 0
}

// look makes w the world that is asked, and the part of it that is solid.
func (f *StepContext) look(w *collide.WorldAt) {
	f.World, f.solid, f.barred = w, *w, barred{}
	f.solid.Obstacles = nil
}

// ride takes the body along with what it stands on, and out of the way of what
// moved into it, before the move (BAS-01, BAS-02). The world has bodies where they
// are at the move's end already, so what a rider does in the move it does relative
// to its base: Velocity is too, until it leaves.
func (f *StepContext) ride() {
	if f.Base.Body == collide.Static && f.alone {
		return
	}
	from, carried := f.Position, true
	if f.Base.Body != collide.Static {
		if carried = f.carry(); carried {
			f.ridden = f.Position
		}
		if f.leap(f.Position.Sub(from)) {
			from = f.Position
			f.squeeze()
		}
	}
	f.yieldTo(from, carried)
	f.part()
}

// carry moves a rider to its place on its base, as far as the level lets it, and
// turns it. It reports whether it got there. One that something else has moved, or
// that was crushed (ForceFloor), or that walks no more, is not taken along.
func (f *StepContext) carry() bool {
	b := f.Base.Body
	if f.World.World.Body(b) == nil { // another level
		f.Base = Base{}
		return true
	}
	if f.Mode != Walking {
		f.leave()
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
	if f.leap(by) || f.force(by) {
		f.Position = to
		return true
	}
	return false
}

// leap reports that a base cannot have carried its rider so far in this move: moves
// are missing, and there is no way to sweep.
func (f *StepContext) leap(by geom.Vec3) bool {
	const farBehind = 1 // metres that a rider may be behind its base besides
	far := float64(collide.MaxPathSpeed*f.Duration) + farBehind
	return by.LenSq() > float64(far*far)
}

// turnWith turns the rider by what its base has turned since (BAS-01). The
// velocity turns too: it is the rider's own, on the base.
func (f *StepContext) turnWith(pose *geom.Transform) {
	by := geom.WrapAngle(twist(pose.Rotation, f.upright) - f.Base.Angle)
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

// carrier returns the moving body that a floor's body is, if it is one that carries.
func carrier(b collide.BodyID) collide.BodyID {
	if b >= collide.FirstObstacle {
		return collide.Static
	}
	return b
}

// board makes the body that is stood on the base, and the velocity relative to it
// (JMP-06).
func (f *StepContext) board(b collide.BodyID) {
	if b == f.Base.Body {
		return
	}
	f.Velocity = f.Velocity.Add(f.gain(b).Flat(f.Up))
	f.Base = Base{Body: b}
}

// gain is what the velocity changes by from the present base to another.
func (f *StepContext) gain(b collide.BodyID) geom.Vec3 {
	return f.kept().Sub(f.World.VelocityAt(b, f.Position))
}

// kept is what the velocity gains from the base on leaving it (JMP-06).
func (f *StepContext) kept() geom.Vec3 {
	if f.Base.Body == collide.Static {
		return geom.Vec3{}
	}
	v := f.World.VelocityAt(f.Base.Body, f.Position)
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

// leave lets go of the base.
func (f *StepContext) leave() {
	kept := f.kept()
	f.Velocity = f.Velocity.Add(kept)
	f.leaveMotion(kept)
	f.Base = Base{}
}

// touchDown makes the body that a faller lands on its base and returns the velocity
// relative to it. The base is where it is at the move's end: one that comes to
// stand on it before has the rest of the way coming, left seconds of it, along the
// floor.
func (f *StepContext) touchDown(fl *Floor, v geom.Vec3, left float64) geom.Vec3 {
	b := carrier(fl.Body)
	if b == f.Base.Body {
		return v
	}
	dv := f.gain(b)
	f.Base = Base{Body: b}
	f.given = f.given.Add(f.giving.Mul(left)) // not made
	way := dv.Mul(-left)
	f.Move(f.own(way.MulAdd(fl.Normal, -way.Dot(fl.Normal)), left))
	return v.Add(dv)
}

// alight saves where on its base the body stands, after the move: the very same
// bits if it has not moved on it, so that who stands still stays where it is.
func (f *StepContext) alight() {
	on := carrier(f.Floor.Body)
	if f.Base.Body|on == collide.Static {
		return
	}
	if f.Mode != Walking {
		f.leave()
		return
	}
	same := f.Base.Body == on && f.Position == f.ridden && !f.planar
	f.board(on)
	if on == collide.Static {
		return
	}
	f.weigh()
	if same {
		return
	}
	pose := f.World.Pose(on)
	f.Base.Position, f.Base.Angle = pose.ApplyInverse(f.Position), twist(pose.Rotation, f.Up)
}
