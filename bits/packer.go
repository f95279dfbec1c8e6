// Package bits packs messages: one method describes a message for both
// directions, because a Packer either writes what the pointers hold or fills
// them from what it reads. Start at Packer.
//
//	func (c *Command) Pack(p *bits.Packer) {
//		p.Angle16(&c.Yaw)
//		p.Bool(&c.Jump)
//	}
//
// Bits go least significant first. The first thing that does not fit, or that no
// writer could have written, sticks as the Packer's error; every later read then
// gives zeros, so a message is checked once, at its end. Nothing a reader yields
// is ever NaN, infinite or out of the range it was asked for.
package bits

import (
	"errors"

	"github.com/backstep-net/backstep/geom"
)

// The ways in which packing fails.
var (
	ErrShort     = errors.New("bits: message ends too early")
	ErrRange     = errors.New("bits: value out of range")
	ErrNotFinite = errors.New("bits: number is not finite")
	ErrLong      = errors.New("bits: bytes left over after the message")
)

// Packer writes a message into bytes it was given, or reads one. The zero Packer
// reads an empty message. A Packer is reused by Write or Read and allocates
// nothing.
type Packer struct {
	buf     []byte
	bit     int // next bit in buf
	writing bool
	err     error
}

// Write makes p a writer into buf, from its first bit, up to its length.
func (p *Packer) Write(buf []byte) { *p = Packer{buf: buf, writing: true} }

// Read makes p a reader of buf.
func (p *Packer) Read(buf []byte) { *p = Packer{buf: buf} }

// Writing reports the direction.
func (p *Packer) Writing() bool { return p.writing }

// Err returns the first error, or nil.
func (p *Packer) Err() error { return p.err }

// Fail makes err the Packer's error unless it has one already: for what a
// message's own Pack finds wrong.
func (p *Packer) Fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// Bits returns how many bits have been written or read.
func (p *Packer) Bits() int { return p.bit }

// Left returns how many bits may still be written or read.
func (p *Packer) Left() int { return len(p.buf)*8 - p.bit }

// Bytes returns what has been written so far, the last byte filled with zeros.
func (p *Packer) Bytes() []byte { return p.buf[:(p.bit+7)/8] }

// Uint packs the low n bits of v, 1 … 64. Writing a larger value is ErrRange.
func (p *Packer) Uint(v *uint64, n int) {}

// Bool packs one bit.
func (p *Packer) Bool(v *bool) {}

// Byte packs eight bits.
func (p *Packer) Byte(v *uint8) {}

// Uint16 packs sixteen bits.
func (p *Packer) Uint16(v *uint16) {}

// Uint32 packs 32 bits.
func (p *Packer) Uint32(v *uint32) {}

// Uvarint packs small numbers in few bits: groups of four bits, each after a
// bit that says whether more follow.
func (p *Packer) Uvarint(v *uint64) {}

// Varint packs small numbers of either sign: zigzag, then Uvarint.
func (p *Packer) Varint(v *int64) {}

// Ranged packs an integer of lo … hi in as few bits as hold hi − lo. Outside it
// is ErrRange. It panics where hi < lo.
func (p *Packer) Ranged(v *int, lo, hi int) {}

// Float64 packs all 64 bits of a finite number; −0 travels as 0.
func (p *Packer) Float64(v *float64) {}

// Vec64 packs a vector without loss: three Float64.
func (p *Packer) Vec64(v *geom.Vec3) {}

// Grid packs a number as a whole count of step above lo, in as few bits as reach
// hi; outside it is clamped when writing. Reading gives lo + n·step exactly as
// Snap does.
func (p *Packer) Grid(v *float64, lo, hi, step float64) {}

// Vec packs a vector on a grid of scale units a metre with one shared width
// (WIR-05): header of 5 bits, then three numbers of equal width. Components
// beyond ±2^30/scale are clamped.
func (p *Packer) Vec(v *geom.Vec3, scale float64) {}

// Angle16 packs an angle in radians in 16 bits (WIR-01): reads −π … π.
func (p *Packer) Angle16(v *float64) {}

// Angle8 packs an angle in radians in 8 bits (WIR-02).
func (p *Packer) Angle8(v *float64) {}

// Blob packs up to max bytes, their number first. Reading gives a slice of the
// message itself: copy it to keep it.
func (p *Packer) Blob(v *[]byte, max int) {}

// End checks that a read message has no whole byte left over (ErrLong) and that
// the bits that fill its last byte are zero.
func (p *Packer) End() {}

// SnapAngle16 returns the angle that a reader of Angle16 gets for v: quantise
// before simulating.
func SnapAngle16(v float64) float64 { return v }

// SnapGrid returns the number that a reader of Grid gets for v.
func SnapGrid(v, lo, hi, step float64) float64 { return v }

// SnapVec returns the vector that a reader of Vec gets for v.
func SnapVec(v geom.Vec3, scale float64) geom.Vec3 { return v }
