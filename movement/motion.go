package movement

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// motionDrive is what root motion does to the move under way. Its zero value is
// nothing, and costs a move one comparison in each slice.
type motionDrive struct {
	on    bool             // sources are active
	drive rootmotion.Drive // of this slice
	// whole is the velocity of this slice before anything hindered it, added how
	// much of it is additive sources'.
	whole, added geom.Vec3
	// turn in radians so far; the turn of the time up to until, in seconds left,
	// is in it.
	turn, until float64
}

// rootDriven is a character under root motion.
type rootDriven struct{ *StepContext }

// clean takes away root motion that is over, before forces and launch, and
// off the velocity what additive sources gave to it [RMS-03, RMS-04, RMS-18].
func (f rootDriven) clean() {
	f.motion.on = false
	if !f.Motion.Busy() {
		f.Motion.Carried = geom.Vec3{}
		return
	}
	f.Velocity, f.Motion.Added = f.Velocity.Sub(f.Motion.Added), geom.Vec3{}
	f.Velocity = f.Motion.Finish(f.Model.Motion, 0, f.Velocity, f.Up)
}

// prepare makes what was applied active, for the whole move (RMS-02,
// RMS-03).
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
	return math.Max(math.Min(h, f.Motion.Until(f.Model.Motion, f.Remaining)), MinTime)
}

// ownVelocity takes what additive sources gave off the velocity [RMS-04]. What
// the slice's motion lost to something in the way is lost to the character's own
// velocity only as far as it pointed there.
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

// work works out what the sources do in the slice of dt seconds that was
// taken last [RMS-04, RMS-05].
func (f rootDriven) work(dt float64) {
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

// lift is work for a character that stands on something: where the sources
// lift it off, the slice is void and falls instead, with all its time (RMS-17,
// GRD-04).
func (f rootDriven) lift(dt float64) (lifted bool) {
	f.work(dt)
	if !f.motion.drive.Lifts(f.Up) {
		return false
	}
	f.Remaining += dt
	f.iterations--
	f.SetMode(Falling)
	return true
}

// apply returns what the sources make of the velocity that the character
// has by itself.
func (f rootDriven) apply(own geom.Vec3) geom.Vec3 {
	m := &f.motion
	m.added = m.drive.Additive
	m.whole = m.drive.Over(own, f.Up, f.Mode != Walking && f.Mode != NavWalking)
	return m.whole
}

// walk is apply while walking: horizontal.
func (f rootDriven) walk() {
	f.Velocity = f.apply(f.Velocity).Flat(f.Up)
	f.motion.whole, f.motion.added = f.Velocity, f.motion.added.Flat(f.Up)
}

// fall is work and apply while falling, flying or swimming: it
// returns what the sources make of the velocity before the slice.
func (f rootDriven) fall(before geom.Vec3, dt float64) geom.Vec3 {
	f.work(dt)
	d := &f.motion.drive
	if d.Override && !d.Placed && f.Mode == Falling {
		d.Velocity = d.Velocity.Add(f.carried())
	}
	f.Velocity = f.apply(f.Velocity)
	return d.Over(before, f.Up, true)
}

// carried is how much of the velocity of a former base an override in the air
// goes on with: without the vertical part where it leaves that alone [RMS-04].
func (f rootDriven) carried() geom.Vec3 {
	d := &f.motion.drive
	if !d.Vertical || d.Animated && !d.Flies {
		return f.Motion.Carried.Flat(f.Up)
	}
	return f.Motion.Carried
}

// landed ends leaps, and what was carried on to the ground [RMS-14].
func (f rootDriven) landed() {
	f.Motion.Landed(f.Remaining)
	f.Motion.Carried = geom.Vec3{}
}

// UnderMotion returns what root motion makes of own, the velocity in m/s that a
// game's mode gives the character in the slice of dt seconds that TakeSlice just
// took: move by it and leave it in Velocity. The next TakeSlice takes off again
// what was added. Without sources it returns own.
func (f *StepContext) UnderMotion(own geom.Vec3, dt float64) geom.Vec3 {
	if !f.motion.on {
		return own
	}
	f.rootMotion().work(dt)
	return f.rootMotion().apply(own)
}

// turn turns the body by root motion, after the move [RMS-05], and notes
// how much of the velocity is additive sources'.
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
