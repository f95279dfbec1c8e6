package structured

import (
	"slices"

	"github.com/backstep-net/backstep/bits"
)

// maxInput is the longest input that Mutate makes, in bytes, if the message is not longer itself.
const maxInput = 2048

// Message is a message and the bit at which each of its fields begins.
type Message struct {
	Bytes  []byte // of the message
	Fields []int  // ascending; empty if they are not known
}

// Fields returns where the fields of a message begin, in bits. It cuts the message after each bit
// and reads: the reader stops where the field begins that is not whole any more. Cuts fall between
// bytes only, so the message is tried at each of the eight places in a byte.
func Fields(b []byte, read func(p *bits.Packer)) []int {
	if read == nil || len(b) > maxInput {
		return nil
	}
	var found []int
	for shift := range 8 {
		moved := make([]byte, len(b)+1)
		copyBits(moved, shift, b, 0, 8*len(b))
		for n := range len(moved) + 1 {
			var p bits.Packer
			var skipped uint64
			p.Read(moved[:n])
			if shift > 0 {
				p.Uint(&skipped, shift)
			}
			read(&p)
			if at := p.Bits() - shift; p.Err() == bits.ErrShort && at >= 0 && at < 8*len(b) {
				found = append(found, at)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// Mutate writes a changed copy of m into the storage of into: one change, seldom up to four. other
// is a message of the same kind, of which pieces are spliced in.
func Mutate(r *Rand, into []byte, m, other *Message) []byte {
	b := append(into[:0], m.Bytes...)
	for n := 1 + r.Below(4)*r.Below(2); n > 0; n-- {
		b = change(r, b, m, other)
	}
	return b
}

// change makes one change.
func change(r *Rand, b []byte, m, other *Message) []byte {
	if len(b) == 0 {
		return lengthen(r, b)
	}
	at, n := m.field(r, 8*len(b))
	switch r.Below(12) {
	case 0, 1:
		setBits(b, at, n, r.Uint64())
	case 2:
		setBits(b, at, n, ^uint64(0))
	case 3:
		setBits(b, at, n, 0)
	case 4:
		setBits(b, at, n, getBits(b, at, n)+1)
	case 5:
		setBits(b, at, n, getBits(b, at, n)-1)
	case 6:
		setBits(b, at, n, 1<<(n-1)-uint64(r.Below(2)))
	case 7:
		return cut(b, at)
	case 8:
		return splice(r, b, at, other)
	case 9:
		return lengthen(r, b)
	default:
		i := r.Below(8 * len(b))
		b[i>>3] ^= 1 << (i & 7)
	}
	return b
}

// field draws a field, and returns its first bit and how many of its bits are changed, 1 … 64.
func (m *Message) field(r *Rand, size int) (at, n int) {
	if len(m.Fields) == 0 {
		at, n = r.Below(size), 1+r.Below(1+r.Below(64))
	} else {
		i := r.Below(len(m.Fields))
		at, n = m.Fields[i], 64
		if i+1 < len(m.Fields) {
			n = m.Fields[i+1] - at
		}
	}
	if at >= size { // cut by an earlier change
		at = r.Below(size)
	}
	return at, max(1, min(n, 64, size-at))
}

// cut ends a message before a bit; the padding is zero, as that of a whole message.
func cut(b []byte, at int) []byte {
	b = b[:(at+7)/8]
	if at&7 != 0 {
		b[len(b)-1] &= 1<<(at&7) - 1
	}
	return b
}

// splice puts what follows a field of another message in the place of what follows a bit.
func splice(r *Rand, b []byte, at int, other *Message) []byte {
	size := 8 * len(other.Bytes)
	if size == 0 {
		return cut(b, at)
	}
	from, _ := other.field(r, size)
	end := at + size - from
	if end > 8*maxInput {
		return b
	}
	b = slices.Grow(cut(b, at), max(0, (end+7)/8-(at+7)/8))[:(end+7)/8]
	clear(b[(at+7)/8:])
	copyBits(b, at, other.Bytes, from, size-from)
	return b
}

// lengthen appends bytes.
func lengthen(r *Rand, b []byte) []byte {
	for n := 1 + r.Below(16); n > 0 && len(b) < maxInput; n-- {
		b = append(b, byte(r.Uint64()))
	}
	return b
}

// getBits returns n bits, 1 … 64, from bit at on; all lie in b.
func getBits(b []byte, at, n int) (v uint64) {
	for got := 0; got < n; {
		o := (at + got) & 7
		v |= uint64(b[(at+got)>>3]>>o) << got
		got += 8 - o
	}
	return v & (^uint64(0) >> (64 - n))
}

// setBits sets n bits, 1 … 64, from bit at on; all lie in b.
func setBits(b []byte, at, n int, v uint64) {
	for n > 0 {
		i, o := at>>3, at&7
		k := min(n, 8-o)
		mask := byte(1<<k-1) << o
		b[i] = b[i]&^mask | byte(v<<o)&mask
		v >>= k
		at, n = at+k, n-k
	}
}

// copyBits copies n bits of src from a bit on to a bit of dst.
func copyBits(dst []byte, to int, src []byte, from, n int) {
	for n > 0 {
		k := min(n, 64)
		setBits(dst, to, k, getBits(src, from, k))
		to, from, n = to+k, from+k, n-k
	}
}

// Rand is a small generator of random numbers: splitmix64, with its seed as state.
type Rand uint64

// Uint64 returns the next number.
func (r *Rand) Uint64() uint64 {
	*r += 0x9e3779b97f4a7c15
	x := uint64(*r)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Below returns a number from 0 to n − 1; n is 1 or more, and below 2³².
func (r *Rand) Below(n int) int { return int(r.Uint64() >> 32 * uint64(n) >> 32) }
