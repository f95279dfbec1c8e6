package track

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// cell is a sample as a snapshot stores it: in whole steps of the grids that it is sent on, 64
// bytes, a quarter of a Sample. A server keeps one for each entity and tick of more than a
// second, so this size is what a match takes of memory and of the processor's caches. Fields that
// hardly any entity has, or only bodies, are in the snapshot's list of extras.
type cell struct {
	position, velocity [3]int32 // 1/PositionScale m, 1/VelocityScale m/s
	at                 int32    // steps of StampGrid after the snapshot's own
	clipAge            uint32   // steps of StampGrid from ClipAt to At
	up                 [3]int16 // 1/upScale
	yaw, pitch         int16    // 2π/LookSteps
	base, previousBase collide.MoverID
	baseChange         uint16 // steps of StampGrid from BaseChangedAt to At, plus 1; 0: longer ago
	stride             uint16 // 1/StrideScale m
	stance             uint16 // three times four bits, 1/stanceScale, and the flags
	userData           uint16
	id                 ID
	extras             uint16 // which of the snapshot's extras are this one's, plus 1; 0: none
	mode, clip         uint8
	kind               Kind
	life               uint8
	teleport           uint8
}

// The flags of a cell, above its stance.
const (
	isCrouched = 1 << (12 + iota)
	isDead
	isAsleep
)

// extras are the fields that a cell has no room for.
type extras struct {
	at, clipAt      int64    // steps of StampGrid, where they are too far off for the cell
	angularVelocity [3]int32 // 1/VelocityScale rad/s
	lag             int16    // steps of StampGrid
	rotation        [4]int16 // 1/rotationScale
}

// Quantise returns exactly what a reader gets for s. It is idempotent. Record quantised samples
// and send those, so that both ends hold the same bits.
func Quantise(s Sample) Sample {
	var c cell
	var r [1]extras
	at := stampSteps(s.At)
	if c.set(&s, at, &r[0]) {
		c.extras = 1
	}
	c.load(&s, at, r[:])
	return s
}

// set makes c a sample as it is sent, in a snapshot of an instant in steps of StampGrid. It
// reports whether there are extras: the fields that the cell cannot hold.
func (c *cell) set(s *Sample, at int64, r *extras) (rare bool) {
	now := stampSteps(s.At)
	c.at = int32(now - at)
	rare = int64(c.at) != now-at // more than 29 hours away
	stepsOf(&c.position, s.Position, PositionScale)
	stepsOf(&c.velocity, s.Velocity, VelocityScale)
	c.setUp(s.Up)
	c.yaw, c.pitch = int16(lookSteps(s.Yaw)), int16(lookSteps(s.Pitch))
	// A change of base that is too old to be blended is not stored, as it is not sent.
	c.base, c.previousBase, c.baseChange = s.Base, collide.Static, 0
	if s.BaseChangedAt != 0 && s.baseChanged() {
		c.previousBase, c.baseChange = s.PreviousBase, uint16(s.baseAge()+1)
		rare = rare || s.lagSteps() != 0
	}
	c.stride, c.stance = uint16(strideSteps(s.StrideDistance)), s.Stance.code()
	c.flag(isCrouched, s.Crouched)
	c.flag(isDead, s.Dead)
	c.flag(isAsleep, s.Asleep)
	c.mode, c.kind, c.clip, c.life, c.teleport, c.userData = s.Mode, s.Kind, s.Clip, s.Life, s.Teleport, s.UserData
	// ClipAt is stored as an age, which fits the cell unless a motion began days ago or will begin.
	if c.clipAge = 0; s.Clip != 0 {
		age := now - stampSteps(s.ClipAt)
		c.clipAge = uint32(age)
		rare = rare || int64(c.clipAge) != age
	}
	c.extras = 0
	if rare || s.Rotation != (geom.Quat{}) || s.AngularVelocity != (geom.Vec3{}) {
		r.set(s, now)
		return true
	}
	return false
}

// set stores the fields that a cell cannot hold of a sample of an instant. All are stored, needed or
// not, so that load need not know why there are extras.
func (r *extras) set(s *Sample, now int64) {
	r.at, r.clipAt, r.rotation, r.lag = now, 0, [4]int16{}, 0
	if s.BaseChangedAt != 0 && s.baseChanged() {
		r.lag = s.lagSteps()
	}
	if s.Clip != 0 {
		r.clipAt = stampSteps(s.ClipAt)
	}
	stepsOf(&r.angularVelocity, s.AngularVelocity, VelocityScale)
	if s.Rotation != (geom.Quat{}) {
		for i, n := range rotationSteps(snapRotation(s.Rotation)) {
			r.rotation[i] = int16(n)
		}
	}
}

// flag sets a flag. The stance has been stored, and with it all flags were cleared.
func (c *cell) flag(bit uint16, set bool) {
	if set {
		c.stance |= bit
	}
}

// setUp stores a direction of gravity. The zero vector stays zero, which reads as +Y.
func (c *cell) setUp(up geom.Vec3) {
	c.up = [3]int16{}
	if up.IsZero() { // most entities
		return
	}
	var n [3]int32
	stepsOf(&n, tidyUp(up), upScale)
	c.up = [3]int16{int16(n[0]), int16(n[1]), int16(n[2])}
}

// load makes s the sample, bit for bit as Quantise returns it; at is the snapshot's instant.
func (c *cell) load(s *Sample, at int64, rare []extras) {
	c.loadPath(s, at, rare)
	s.PreviousBase, s.BaseChangedAt, s.Lag, s.Airborne = c.previousBase, 0, 0, false
	if c.baseChange != 0 {
		if s.BaseChangedAt = s.At - clock.Micros(c.baseChange-1)*StampGrid; c.extras != 0 {
			s.Lag = clock.Micros(rare[c.extras-1].lag) * StampGrid
		}
	}
	s.Mode, s.Kind, s.UserData = c.mode, c.kind, c.userData
	s.Crouched, s.Asleep = c.stance&isCrouched != 0, c.stance&isAsleep != 0
	if s.Clip, s.ClipAt = c.clip, 0; c.clip != 0 {
		if s.ClipAt = s.At - clock.Micros(c.clipAge)*StampGrid; c.extras != 0 {
			s.ClipAt = clock.Micros(rare[c.extras-1].clipAt) * StampGrid
		}
	}
	s.BaseVelocity = geom.Vec3{}
}

// loadPath is load of the fields that Sample.interpolate reads of the later sample. The others come
// from the earlier one and need not be decoded.
func (c *cell) loadPath(s *Sample, at int64, rare []extras) {
	s.At = clock.Micros(at+int64(c.at)) * StampGrid
	s.Position = vecOf(&c.position, PositionScale)
	s.Velocity = vecOf(&c.velocity, VelocityScale)
	s.Base, s.Life, s.Teleport, s.Dead = c.base, c.life, c.teleport, c.dead()
	s.Up = geom.Vec3{}
	if c.up != [3]int16{} {
		s.Up = vecOf(&[3]int32{int32(c.up[0]), int32(c.up[1]), int32(c.up[2])}, upScale)
	}
	s.Yaw, s.Pitch = lookAngle(int64(c.yaw)), lookAngle(int64(c.pitch))
	s.StrideDistance, s.Stance = float64(float64(c.stride)/StrideScale), Stance{}
	if n := c.stance & (isCrouched - 1); n != 0 {
		s.Stance = stanceOf([3]int64{int64(n & 15), int64(n >> 4 & 15), int64(n >> 8)})
	}
	s.Rotation, s.AngularVelocity = geom.Quat{}, geom.Vec3{}
	if c.extras != 0 {
		r := &rare[c.extras-1]
		s.At = clock.Micros(r.at) * StampGrid
		s.AngularVelocity = vecOf(&r.angularVelocity, VelocityScale)
		s.Rotation = rotationOf([4]int64{int64(r.rotation[0]), int64(r.rotation[1]), int64(r.rotation[2]), int64(r.rotation[3])})
	}
}

// dead returns Sample.Dead.
func (c *cell) dead() bool { return c.stance&isDead != 0 }

// stamp returns the sample's At.
func (c *cell) stamp(at int64, rare []extras) clock.Micros {
	if c.extras != 0 {
		return clock.Micros(rare[c.extras-1].at) * StampGrid
	}
	return clock.Micros(at+int64(c.at)) * StampGrid
}

// continues is Sample.Continues.
func (c *cell) continues(d *cell) bool {
	return c.life == d.life && c.teleport == d.teleport && c.dead() == d.dead()
}

// stands reports whether c is where a and b are, without decoding: the search for keyframes skips
// the many entities that stand. False negatives are harmless.
func (c *cell) stands(a, b *cell) bool {
	return c.position == a.position && c.position == b.position &&
		c.base == a.base && c.base == b.base && c.baseChange|a.baseChange|b.baseChange == 0
}

// maxGridSteps is how many steps of a grid bits.Vec reaches.
const maxGridSteps = 1 << 30

// stepsOf makes n a vector in whole steps of a grid, as bits.SnapVec rounds it.
func stepsOf(n *[3]int32, v geom.Vec3, scale float64) {
	n[0], n[1], n[2] = wholeSteps(v.X, scale), wholeSteps(v.Y, scale), wholeSteps(v.Z, scale)
}

// wholeSteps rounds as bits.SnapVec does. What is out of range is left to another function, so that
// the compiler puts this one in line.
func wholeSteps(x, scale float64) int32 {
	n := math.Floor(float64(x*scale) + 0.5)
	if n >= -maxGridSteps && n < maxGridSteps {
		return int32(n)
	}
	return clampSteps(x)
}

// clampSteps returns what a number out of range is stored as: the nearest in range, 0 for NaN and
// the infinities.
func clampSteps(x float64) int32 {
	switch {
	case !geom.Finite(x):
		return 0
	case x < 0:
		return -maxGridSteps
	}
	return maxGridSteps - 1
}

// vecOf returns a vector of whole steps. It rounds each quotient, so that no compiler fuses it with a
// later operation.
func vecOf(n *[3]int32, scale float64) geom.Vec3 {
	return geom.Vec3{X: float64(float64(n[0]) / scale), Y: float64(float64(n[1]) / scale), Z: float64(float64(n[2]) / scale)}
}
