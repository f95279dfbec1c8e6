// Package bits packs messages into bits. One method describes a message for both
// directions, because a Packer either writes what the pointers point to or fills them from
// what it reads. Start at [Packer].
//
//	func (c *Command) Pack(p *bits.Packer) {
//		p.Angle16(&c.Yaw)
//		p.Bool(&c.Jump)
//	}
//
// Bits go least significant first. The first value that does not fit, or that no writer
// could have written, becomes the error of the Packer. Every later read then gives zeros
// (or the value nearest zero in the requested range), so a message is checked once, at its
// end. A reader never yields NaN, an infinity or a value out of the requested range, and
// what a reader accepts, a writer writes again as the same bytes.
//
// The format is Backstep's own and frozen by golden bytes in testdata: it changes only
// together with the version of the protocol [GAP-04].
package bits

import (
	"errors"

	"github.com/backstep-net/backstep/geom"
)

// The errors of packing.
var (
	ErrShort     = errors.New("bits: message ends too early")
	ErrRange     = errors.New("bits: value out of range")
	ErrNotFinite = errors.New("bits: number is not finite")
	ErrLong      = errors.New("bits: bytes left over after the message")
)

// Packer writes a message into a given buffer, or reads one. The zero Packer reads an empty
// message. Write and Read reuse a Packer; it never allocates.
type Packer struct {
	buf     []byte
	bit     int // next bit in buf
	writing bool
	clamps  bool  // see WriteClamped
	err     error // the first one; nothing is written or read after it
}

// NewWriter returns a writer into buf, as Write makes one. Buf does not grow: Err tells that something had
// no room. A Packer and a buffer that the caller does not keep stay on its stack.
func NewWriter(buf []byte) Packer { return Packer{buf: buf, writing: true} }

// Write makes p a writer into buf, from its first bit, up to its length. What buf
// held before does not matter; bytes after the message may be overwritten.
func (p *Packer) Write(buf []byte) { *p = Packer{buf: buf, writing: true} }

// WriteClamped makes p a writer into buf that puts the nearest number in place of one that no
// message can hold: an integer out of range becomes the nearest bound, a number that is not
// finite counts as 0. Such a message is for reading back: it makes of any value one that can be
// sent. Clamped reports whether that changed a number.
func (p *Packer) WriteClamped(buf []byte) { *p = Packer{buf: buf, writing: true, clamps: true} }

// Read makes p a reader of buf.
func (p *Packer) Read(buf []byte) { *p = Packer{buf: buf} }

// Writing reports whether p writes.
func (p *Packer) Writing() bool { return p.writing }

// Err returns the first error, or nil.
func (p *Packer) Err() error { return p.err }

// Fail makes err the error of the Packer unless it has one already: for errors that the
// Pack method of a message finds.
func (p *Packer) Fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// Clamps reports whether p is a writer by WriteClamped: a message whose form depends on rounded
// values rounds them first then.
func (p *Packer) Clamps() bool { return p.clamps }

// real returns v as it is written, and whether it can be: a number that is not finite is 0 for
// a writer that clamps, and an error for any other.
func (p *Packer) real(v float64) (float64, bool) {
	if geom.Finite(v) {
		return v, true
	}
	if p.clamps {
		return 0, true
	}
	p.Fail(ErrNotFinite)
	return 0, false
}

// Bits returns how many bits have been written or read.
func (p *Packer) Bits() int { return p.bit }

// Remaining returns how many bits can still be written or read.
func (p *Packer) Remaining() int { return len(p.buf)*8 - p.bit }

// Bytes returns what has been written so far, the last byte padded with zeros.
func (p *Packer) Bytes() []byte { return p.buf[:(p.bit+7)/8] }

// Rewind discards everything written after the first n bits, and the error since then, so
// that the caller can try again with less. It panics if the Packer reads or has not written
// n bits.
func (p *Packer) Rewind(n int) {
	if !p.writing || n < 0 || n > p.bit {
		panic("bits: Rewind needs a writer and a length from 0 to what was written")
	}
	p.bit, p.err = n, nil
	if o := n & 7; o != 0 {
		p.buf[n>>3] &= 1<<o - 1
	}
}

// End checks that a message that was read has no whole byte left over (ErrLong) and that
// the padding of its last byte is zero (ErrRange). End of a writer does nothing: Bytes pads
// with zeros.
func (p *Packer) End() {
	if p.writing || p.err != nil {
		return
	}
	left := p.Remaining()
	if left >= 8 {
		p.err = ErrLong
		return
	}
	if left > 0 && p.buf[len(p.buf)-1]>>(8-left) != 0 {
		p.err = ErrRange
	}
	p.bit += left
}

// align moves to the next whole byte; the bits in between are zero, and a reader checks that, or
// one message would have many forms.
func (p *Packer) align() {
	if n := -p.bit & 7; n > 0 {
		if p.writing {
			p.put(0, n)
		} else if p.take(n) != 0 {
			p.Fail(ErrRange)
		}
	}
}

// put writes the low n bits of v, 1 … 64; the rest of v is zero. Nearly all values take one store.
func (p *Packer) put(v uint64, n int) {
	i, o, buf := uint(p.bit)>>3, uint(p.bit)&7, p.buf
	if p.err != nil || i+8 > uint(len(buf)) || uint(n) > 64-o {
		p.putBytes(v, n)
		return
	}
	p.bit += n
	b := buf[i : i+8]
	store(b, uint64(b[0])&(1<<o-1)|v<<o)
}

// take reads n bits, 1 … 64, and zero after an error.
func (p *Packer) take(n int) uint64 {
	i, o, buf := uint(p.bit)>>3, uint(p.bit)&7, p.buf
	if p.err != nil || i+8 > uint(len(buf)) || uint(n) > 64-o {
		return p.takeBytes(n)
	}
	p.bit += n
	return load(buf[i:i+8]) >> o & (^uint64(0) >> ((64 - n) & 63)) // the & shows the compiler that it is 0 … 63
}

// putBytes is put a byte at a time: for the last bytes of buf, and values that lie in nine. After an
// error it writes nothing: the message is lost.
func (p *Packer) putBytes(v uint64, n int) {
	if p.err != nil || n > p.Remaining() {
		p.Fail(ErrShort)
		return
	}
	i, o := p.bit>>3, p.bit&7
	for p.bit += n; n > 0; i++ {
		if o == 0 {
			p.buf[i] = 0
		}
		p.buf[i] = p.buf[i]&(1<<o-1) | byte(v<<o)
		v >>= 8 - o
		n -= 8 - o
		o = 0
	}
}

// takeBytes is take a byte at a time, as putBytes is put.
func (p *Packer) takeBytes(n int) uint64 {
	if p.err != nil || n > p.Remaining() {
		p.Fail(ErrShort)
		return 0
	}
	i, o := p.bit>>3, p.bit&7
	p.bit += n
	var v uint64
	for got := 0; got < n; i++ {
		v |= uint64(p.buf[i]>>o) << got
		got += 8 - o
		o = 0
	}
	return v & (^uint64(0) >> (64 - n))
}

// load is that of encoding/binary, whose import would add reflect to the browser client. The
// compiler makes one instruction of it.
func load(b []byte) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// store is the other direction of load.
func store(b []byte, v uint64) {
	_ = b[7]
	b[0] = byte(v)
	b[1] = byte(v >> 8)
	b[2] = byte(v >> 16)
	b[3] = byte(v >> 24)
	b[4] = byte(v >> 32)
	b[5] = byte(v >> 40)
	b[6] = byte(v >> 48)
	b[7] = byte(v >> 56)
}
