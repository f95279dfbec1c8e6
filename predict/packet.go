package predict

import (
	"errors"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// claimScale is the grid of a claimed position, in units a metre: far finer than
// the error test's 17 mm.
const claimScale = 1024

// maxGap is the longest pause between two moves of one packet, 13 days.
const maxGap = clock.Micros(1) << 40

// What a packet of moves cannot say.
var (
	errDuration = errors.New("predict: a move's duration is not 1 µs to 125 ms")
	errStamp    = errors.New("predict: a move's stamp is not after the one before")
	errCode     = errors.New("predict: a move is coded longer than needed")
)

// claim is where the owner was after a move.
type claim struct {
	position geom.Vec3
	digest   uint16
}

// packet is one section of moves as it travels: successive numbers, oldest first,
// each coded as its difference from the one before.
type packet[S comparable, C any] struct {
	epoch uint8
	count int
	moves [MaxMoves]Command[C]
	claim claim // after the newest move
	none  C     // stands before the first
}

// pack packs the section in either direction. now is any match time within half an
// hour of the first stamp, which travels as its low 32 bits.
//
//	epoch 8 · count 7 · [number 32 · stamp 32 · duration 17 · input]
//	· [same duration 1, or difference · no pause 1, or pause · input]…
//	· position on 1/1024 m · digest 16
func (m *packet[S, C]) pack(p *bits.Packer, rules Rules[S, C], now clock.Micros) {
	p.Byte(&m.epoch)
	p.Ranged(&m.count, 0, MaxMoves)
	if m.count == 0 {
		return
	}
	m.packFirst(p, now)
	before := &m.none
	for i := range m.count {
		c := &m.moves[i]
		if i > 0 {
			packNext(p, c, &m.moves[i-1])
		}
		if p.Err() != nil {
			return
		}
		if !p.Writing() {
			c.Input = m.none
		}
		rules.PackCommand(p, &c.Input, before)
		before = &c.Input
	}
	p.Vec(&m.claim.position, claimScale)
	p.Uint16(&m.claim.digest)
}

// packFirst packs number, stamp and duration of the first move.
func (m *packet[S, C]) packFirst(p *bits.Packer, now clock.Micros) {
	c := &m.moves[0]
	p.Uint32(&c.Number)
	low := uint32(c.Stamp)
	p.Uint32(&low)
	if !p.Writing() {
		c.Stamp = now + clock.Micros(int32(low-uint32(now)))
		if p.Err() == nil && c.Stamp < 1 { // TIM-05
			p.Fail(errStamp)
		}
	}
	d := int(c.Duration)
	p.Ranged(&d, 1, int(MaxDuration))
	c.Duration = clock.Micros(d)
}

// packNext packs number, duration and stamp of c, which follows b.
func packNext[C any](p *bits.Packer, c, b *Command[C]) {
	more := int64(c.Duration - b.Duration)
	packUnlessZero(p, &more)
	pause := int64(c.Stamp - b.Stamp - c.Duration)
	packUnlessZero(p, &pause)
	if p.Writing() || p.Err() != nil {
		return
	}
	if more < -int64(MaxDuration) || more > int64(MaxDuration) {
		more = 0
		p.Fail(errDuration)
	}
	c.Number = b.Number + 1
	c.Duration = b.Duration + clock.Micros(more)
	if c.Duration < 1 || c.Duration > MaxDuration {
		p.Fail(errDuration)
	}
	if pause <= -int64(c.Duration) || pause > int64(maxGap) {
		p.Fail(errStamp)
	}
	c.Stamp = b.Stamp + c.Duration + clock.Micros(pause)
}

// packUnlessZero spends one bit on a zero.
func packUnlessZero(p *bits.Packer, v *int64) {
	zero := *v == 0
	p.Bool(&zero)
	if zero {
		*v = 0
		return
	}
	p.Varint(v)
	if *v == 0 {
		p.Fail(errCode)
	}
}
