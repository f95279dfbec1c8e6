package combat

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// ShotDebug is the record of how the server judged one shot: enough to draw the poses that it tested
// beside those that the shooter saw, and to cast the shot again.
type ShotDebug struct {
	Shot uint32 // number of the command that fired
	// Known is whether the server still keeps it: it keeps the last 32 shots of each player. For
	// an unknown shot nothing else is set.
	Known   bool
	Receipt shot.Receipt // the newest, of a projectile
	// Eye is where the shot left, and Platform the match time at which movers stood; of a
	// projectile that has ended, where and when it ended.
	Eye      geom.Vec3
	Platform clock.Micros
	// Targets are the samples that were tested, in the world's frame and bit for bit, by
	// ascending id: only entities that the shooter's client was sent, at most 8.
	Targets []track.Entity
}

// MaxDebugTargets is how many samples a ShotDebug has at most, and maxShotRecords how many of a
// player's last shots are kept: less than 128 kB for each player [THR-11].
const (
	MaxDebugTargets = 8
	maxShotRecords  = 32
)

// shotRecord is a ShotDebug as the server keeps it.
type shotRecord struct {
	some     bool // it is in use
	shot     uint32
	receipt  shot.Receipt
	eye      geom.Vec3
	platform clock.Micros
	targets  [MaxDebugTargets]track.Entity
	count    int
}

// shotRecords keeps the records of a player's last shots.
type shotRecords struct {
	ring [maxShotRecords]shotRecord
	next int
}

// find returns the record of a shot, nil if there is none.
func (e *shotRecords) find(number uint32) *shotRecord {
	if e == nil {
		return nil
	}
	for i := range e.ring {
		if p := &e.ring[i]; p.some && p.shot == number {
			return p
		}
	}
	return nil
}

// keep stores the record of a shot. It overwrites an earlier record of the same shot, or else the oldest
// one.
func (e *shotRecords) keep(r *shot.Receipt, eye geom.Vec3, platform clock.Micros, tested []track.Entity) {
	// The second receipt of a projectile, which has its hits, replaces the first.
	p := e.find(r.Shot)
	if p == nil {
		p = &e.ring[e.next]
		e.next = (e.next + 1) % len(e.ring)
	}
	p.some, p.shot, p.receipt, p.eye, p.platform = true, r.Shot, *r, eye, platform
	p.count = copy(p.targets[:], tested)
}

// debug returns the record as a ShotDebug, one that is not Known if p is nil; into is room for its samples.
func (p *shotRecord) debug(number uint32, into []track.Entity) ShotDebug {
	if p == nil {
		return ShotDebug{Shot: number}
	}
	return ShotDebug{number, true, p.receipt, p.eye, p.platform, append(into, p.targets[:p.count]...)}
}

// Pack packs e in either direction, without loss except in the receipt.
func (e *ShotDebug) Pack(p *bits.Packer) {
	p.Uint32(&e.Shot)
	p.Bool(&e.Known)
	if !e.Known {
		if !p.Writing() {
			*e = ShotDebug{Shot: e.Shot}
		}
		return
	}
	e.Receipt.Pack(p)
	p.Vec64(&e.Eye)
	packInstant(p, &e.Platform)
	n := len(e.Targets)
	// On the stream and on request, so it may allocate.
	if p.Ranged(&n, 0, MaxDebugTargets); !p.Writing() {
		e.Targets = make([]track.Entity, n)
	}
	// Ascending ids have one encoding, and a target that is there twice would be drawn twice.
	before := track.ID(0)
	for i := range e.Targets {
		t := &e.Targets[i]
		track.PackID(p, &t.ID, 1)
		if t.ID <= before {
			p.Fail(bits.ErrRange)
		}
		before = t.ID
		packExact(p, &t.Sample)
	}
}

// packInstant packs a match time.
func packInstant(p *bits.Packer, at *clock.Micros) {
	n := int64(*at)
	p.Varint(&n)
	*at = clock.Micros(n)
}

// packExact packs the fields of a sample that determine its pose, without loss, in the world's frame. A
// field that is zero in most samples costs one bit there, and zero has no other encoding.
func packExact(p *bits.Packer, s *track.Sample) {
	if !p.Writing() {
		*s = track.Sample{}
	}
	packInstant(p, &s.At)
	p.Vec64(&s.Position)
	p.Vec64(&s.Velocity)
	p.Vec64(&s.BaseVelocity)
	p.Float64(&s.Yaw)
	p.Float64(&s.Pitch)
	p.Float64(&s.StrideDistance)
	p.Float64(&s.Stance.Crouch)
	p.Float64(&s.Stance.Air)
	p.Float64(&s.Stance.Swim)
	p.Byte(&s.Mode)
	p.Byte((*uint8)(&s.Kind))
	p.Byte(&s.Clip)
	packInstant(p, &s.ClipAt)
	p.Uint16(&s.UserData)
	p.Bool(&s.Crouched)
	p.Bool(&s.Dead)
	p.Byte(&s.Life)
	p.Byte(&s.Teleport)
	packUp(p, &s.Up)
	packTurned(p, s)
}

// packUp packs an axis, one bit for none.
func packUp(p *bits.Packer, up *geom.Vec3) {
	some := *up != geom.Vec3{}
	p.Bool(&some)
	if !some {
		return
	}
	if p.Vec64(up); *up == (geom.Vec3{}) {
		p.Fail(bits.ErrRange)
	}
}

// packTurned packs the rotation and angular velocity of a body, one bit for none.
func packTurned(p *bits.Packer, s *track.Sample) {
	turned := func() bool { return s.Rotation != geom.Quat{} || s.AngularVelocity != geom.Vec3{} || s.Asleep }
	some := turned()
	p.Bool(&some)
	if !some {
		return
	}
	p.Float64(&s.Rotation.X)
	p.Float64(&s.Rotation.Y)
	p.Float64(&s.Rotation.Z)
	p.Float64(&s.Rotation.W)
	p.Vec64(&s.AngularVelocity)
	if p.Bool(&s.Asleep); !turned() {
		p.Fail(bits.ErrRange)
	}
}
