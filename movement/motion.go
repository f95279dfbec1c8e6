package movement

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// motionDrive is the root motion of the move under way. Its zero value is none, and costs
// a move one comparison in each slice.
type motionDrive struct {
	on    bool             // sources are active
	drive rootmotion.Drive // of this slice
	// whole is the velocity of this slice before anything hindered it, added the part of
	// it that additive sources gave.
	whole, added geom.Vec3
	// turn in radians so far; the turn of the time up to until, in seconds left,
	// is in it.
	turn, until float64
}

// rootDriven is a character under root motion.
type rootDriven struct{ *StepContext }

// clean removes the sources that have ended, before forces and launch, and subtracts from
// the velocity what additive sources gave to it [RMS-03, RMS-04, RMS-18].
func (f rootDriven) clean() {
	f.motion.on = false
	if !f.Motion.Busy() {
		f.Motion.Carried = geom.Vec3{}
		return
	}
	f.Velocity, f.Motion.Added = f.Velocity.Sub(f.Motion.Added), geom.Vec3{}
	f.Velocity = f.Motion.Finish(f.Model.Motion, 0, f.Velocity, f.Up)
}

// prepare makes the pending sources active, for the whole move [RMS-02, RMS-03].
func (f rootDriven) prepare() {
	if !f.Motion.Busy() {
		return
	}
	f.Motion.Prepare(clock.Micros(math.Floor(float64(f.Duration*1e6) + 0.5)))
	f.motion = motionDrive{on: true, until: f.Remaining}
}

// drop forgets all sources, for a character that is held still [PRF-02].
func (f rootDriven) drop() {
	f.motion.on = false
	if f.Motion.Busy() {
		f.Motion.Clear()
		f.Velocity, f.Motion.Added = f.Velocity.Sub(f.Motion.Added), geom.Vec3{}
	}
}

// beginSlice begins a slice of at most h seconds: the velocity is the
// character's own again, and the slice ends where a source does [RMS-15]. It
// returns how long the slice is.
func (f rootDriven) beginSlice(h float64) float64 {
	f.ownVelocity()
	f.motion.drive = rootmotion.Drive{}
	f.Velocity = f.Motion.Finish(f.Model.Motion, f.Remaining, f.Velocity, f.Up)
	if f.iterations >= maxIterations {
		return h
	}
	return max(min(h, f.Motion.Until(f.Model.Motion, f.Remaining)), MinTime)
}

// ownVelocity removes the part of the velocity that additive sources gave [RMS-04]. Motion
// that was lost to an obstacle in the slice is lost to the character's own velocity only as
// far as it pointed there.
func (f rootDriven) ownVelocity() {
	m := &f.motion
	if m.added.IsZero() {
		return
	}
	lost := m.whole.Sub(f.Velocity)
	if f.Velocity.LenSq() > m.whole.LenSq() { // it was pushed, not held up
		f.Velocity = f.Velocity.Sub(m.added)
	} else {
		own, along := m.whole.Sub(m.added), lost.Unit()
		took := geom.Clamp(own.Dot(along), 0, lost.Len())
		f.Velocity = own.MulAdd(along, -took)
	}
	m.added = geom.Vec3{}
}

// evaluate computes the drive and the turn of the sources in the slice of dt seconds that
// was taken last [RMS-04, RMS-05].
func (f rootDriven) evaluate(dt float64) {
	m := &f.motion
	c := f.Model.Capsule(f.State)
	b := rootmotion.Body{
		Feet: f.Position, Centre: c.A.Lerp(c.B, 0.5), Up: f.Up,
		Forward: f.Orientation().Rotate(geom.Forward(f.Yaw + m.turn)),
	}
	m.drive = f.Motion.Drive(f.Model.Motion, &b, f.Remaining, dt)
	if past := m.until - f.Remaining; past > 0 {
		m.turn += f.Motion.Turn(f.Model.Motion, f.Remaining, past)
		m.until = f.Remaining
	}
}

// lift is evaluate for a character that stands on something. Where the sources lift it
// off, the slice is given back, and the character falls for that time instead [RMS-17,
// GRD-04].
func (f rootDriven) lift(dt float64) (lifted bool) {
	f.evaluate(dt)
	if !f.motion.drive.Lifts(f.Up) {
		return false
	}
	f.Remaining += dt
	f.iterations--
	f.SetMode(Falling)
	return true
}

// apply returns the velocity under the sources of a character whose own velocity is own.
func (f rootDriven) apply(own geom.Vec3) geom.Vec3 {
	m := &f.motion
	m.added = m.drive.Additive
	m.whole = m.drive.Apply(own, f.Up, f.Mode != Walking && f.Mode != NavWalking)
	return m.whole
}

// walk is apply while walking: horizontal.
func (f rootDriven) walk() {
	f.Velocity = f.apply(f.Velocity).Flat(f.Up)
	f.motion.whole, f.motion.added = f.Velocity, f.motion.added.Flat(f.Up)
}

// fall is evaluate and apply while falling, flying or swimming. It returns the velocity
// before the slice, under the sources too.
func (f rootDriven) fall(before geom.Vec3, dt float64) geom.Vec3 {
	f.evaluate(dt)
	d := &f.motion.drive
	if d.Override && !d.Placed && f.Mode == Falling {
		d.Velocity = d.Velocity.Add(f.carried())
	}
	f.Velocity = f.apply(f.Velocity)
	return d.Apply(before, f.Up, true)
}

// carried returns the part of a former base's velocity that an override in the air keeps:
// without the vertical part where the override has none [RMS-04].
func (f rootDriven) carried() geom.Vec3 {
	d := &f.motion.drive
	if !d.Vertical || d.Animated && !d.Flies {
		return f.Motion.Carried.Flat(f.Up)
	}
	return f.Motion.Carried
}

// landed ends leaps, and the velocity kept from a former base [RMS-14].
func (f rootDriven) landed() {
	f.Motion.Landed(f.Remaining)
	f.Motion.Carried = geom.Vec3{}
}

// UnderMotion returns the velocity in m/s under root motion of a character to which a
// game's mode gives the velocity own, in the slice of dt seconds that TakeSlice just
// took. Move by it and leave it in Velocity: the next TakeSlice subtracts again what
// additive sources gave. Without sources it returns own.
func (f *StepContext) UnderMotion(own geom.Vec3, dt float64) geom.Vec3 {
	if !f.motion.on {
		return own
	}
	f.rootMotion().evaluate(dt)
	return f.rootMotion().apply(own)
}

// turn turns the body by root motion, after the move [RMS-05], and notes which part of
// the velocity additive sources gave.
func (f rootDriven) turn() {
	if !f.motion.on {
		return
	}
	if f.motion.turn != 0 {
		f.Turned += f.motion.turn
		if f.Model.Facing != FaceView {
			f.Yaw = geom.WrapAngle(f.Yaw + f.motion.turn)
		}
	}
	whole := f.Velocity
	f.ownVelocity()
	f.Motion.Added = whole.Sub(f.Velocity).Add(geom.Vec3{})
	f.Velocity = whole
	f.motion.on = false
}
