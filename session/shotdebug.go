package session

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// ShotDebug is by what the server judged one shot: enough to draw the figures that it
// tested beside those that the shooter saw, and to cast the shot again.
type ShotDebug struct {
	Shot uint32 // number of the command that fired
	// Known is whether the server still remembers it: it does the last 32 shots of each
	// player. Of an unknown one nothing else is told.
	Known   bool
	Receipt shot.Receipt // the newest, of a projectile
	// Eye is where it left, and Platform the match time at which bodies stood: of a
	// projectile that has ended, where and when that was.
	Eye      geom.Vec3
	Platform clock.Micros
	// Targets are the samples that were tested, in the world's frame and bit for bit, by
	// ascending id: only things that the shooter's client was told of, at most 8.
	Targets []track.Entity
}

// maxProofs is how many of its last shots a player can ask about, and maxProved how many
// samples are kept of each. So a player costs the server less than 128 kB for it.
const (
	maxProofs = 32
	maxProved = 8
)

// How often a player may ask.
const (
	askRate  = 10 // a second …
	askBurst = 40 // … and at once
)

// proof is the evidence on one shot as the server keeps it.
type proof struct {
	some     bool
	shot     uint32
	receipt  shot.Receipt
	eye      geom.Vec3
	platform clock.Micros
	targets  [maxProved]track.Entity
	count    int
}

// evidence is that of a player's last shots.
type evidence struct {
	ring [maxProofs]proof
	next int
}

// find returns what is kept of a shot, nil for nothing.
func (e *evidence) find(number uint32) *proof {
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

// keep notes by what a shot was judged, in place of what was noted of it before, or else of
// the oldest.
func (e *evidence) keep(r *shot.Receipt, eye geom.Vec3, platform clock.Micros, tested []track.Entity) {
	p := e.find(r.Shot)
	if p == nil {
		p = &e.ring[e.next]
		e.next = (e.next + 1) % len(e.ring)
	}
	p.some, p.shot, p.receipt, p.eye, p.platform = true, r.Shot, *r, eye, platform
	p.count = copy(p.targets[:], tested)
}

// testify notes by what a player's shot was judged.
func (t *seat[S, C]) testify(r *shot.Receipt, eye geom.Vec3, platform clock.Micros, tested []track.Entity) {
	if t.proofs == nil {
		t.proofs = new(evidence)
	}
	t.proofs.keep(r, eye, platform, tested)
}

// told returns the proof as it is told; into is room for its samples.
func (p *proof) told(number uint32, into []track.Entity) ShotDebug {
	if p == nil {
		return ShotDebug{Shot: number}
	}
	return ShotDebug{number, true, p.receipt, p.eye, p.platform, append(into, p.targets[:p.count]...)}
}

// pack packs evidence without loss, but for the receipt.
func (e *ShotDebug) pack(p *bits.Packer) {
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
	if p.Ranged(&n, 0, maxProved); !p.Writing() {
		e.Targets = make([]track.Entity, n)
	}
	before := track.ID(0)
	for i := range e.Targets {
		t := &e.Targets[i]
		id := int(t.ID)
		p.Ranged(&id, 1, int(track.MaxID))
		t.ID = track.ID(id)
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

// packExact packs a sample of a picture without loss: all that a pose follows from, in the
// world's frame. What the reader is told by one bit, that most have not, may not be said
// otherwise.
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

// packTurned packs how a body is turned and turns, one bit for who does not.
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

// RequestShotDebug asks the server for its Evidence on one of the player's last 32 shots, by the
// number of the command that fired it (Receipt.Shot). It comes as an event, Evidenced. More
// than 10 a second, or 40 at once, are not answered.
func (c *Client[S, C]) RequestShotDebug(shot uint32) {
	if c.phase == Playing {
		c.say(sayDispute, func(p *bits.Packer) { p.Uint32(&shot) })
	}
}

// hearDispute answers a player who asks about a shot, by what is kept of it. Who asks too
// often is not answered.
func (s *Server[S, C]) hearDispute(t *seat[S, C], from Peer) error {
	var number uint32
	s.packer.Uint32(&number)
	s.packer.End()
	if err := s.packer.Err(); err != nil {
		return err
	}
	if !t.asks.take(s.now, 1, askRate, askBurst) {
		return nil
	}
	e := t.proofs.find(number).told(number, s.proved[:0])
	s.say(from, sayEvidence, e.pack)
	return nil
}

// hearEvidence takes the server's answer.
func (c *Client[S, C]) hearEvidence() error {
	e := new(ShotDebug)
	e.pack(&c.packer)
	c.packer.End()
	if err := c.packer.Err(); err != nil {
		return err
	}
	c.event(Event{Kind: ShotDebugged, Player: c.id, ShotDebug: e})
	return nil
}
