package rootmotion

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// Pack packs the group without loss (−0 as 0): one bit where no source ever was,
// about three bytes where none is any more (the id counter lives on), and up to
// 80 bytes a source. What no group can hold is an error.
func (g *Group) Pack(p *bits.Packer) {
	ever := *g != Group{}
	p.Bool(&ever)
	if !ever {
		*g = Group{}
		return
	}
	p.Uint16(&g.LastID)
	active, pending := count(g.Active[:]), count(g.Pending[:])
	p.Ranged(&active, 0, MaxActive)
	p.Ranged(&pending, 0, MaxPending)
	packList(p, g.Active[:], active)
	packList(p, g.Pending[:], pending)
	packSparse(p, &g.Added)
	packSparse(p, &g.Carried)
	if g.LastID == 0 {
		p.Fail(bits.ErrRange)
	}
	if p.Err() != nil && !p.Writing() {
		*g = Group{}
	}
}

// packList packs the first n sources; the rest are none.
func packList(p *bits.Packer, list []Source, n int) {
	for i := range list {
		if i < n {
			list[i].pack(p)
		} else if list[i] != (Source{}) {
			list[i] = Source{}
			if p.Writing() {
				p.Fail(bits.ErrRange) // the group was changed by hand
			}
		}
	}
}

// pack packs a source, one bit for each number that is zero.
func (s *Source) pack(p *bits.Packer) {
	kind, finish, priority := int(s.Kind), int(s.Finish), int(s.Priority)
	flags := uint64(s.Flags)
	p.Ranged(&kind, int(KindConstant), int(KindAnimation))
	p.Ranged(&finish, int(Keep), int(Clamp))
	p.Ranged(&priority, math.MinInt8, math.MaxInt8)
	p.Uint(&flags, flagBits)
	s.Kind, s.Finish, s.Priority, s.Flags = Kind(kind), Finish(finish), int8(priority), Flags(flags)
	p.Uint16(&s.ID)
	packTime(p, &s.Start)
	packTime(p, &s.Duration)
	packTime(p, &s.Elapsed)
	packVec(p, &s.Vector)
	packVec(p, &s.Point)
	packVec(p, &s.FinishVelocity)
	packNumber(p, &s.Length)
	packNumber(p, &s.Strength)
	packNumber(p, &s.Rate)
	land := uint64(s.LandAfter)
	packIndex(p, &land, 16)
	s.LandAfter = uint16(land)
	for _, b := range [...]*uint8{&s.Curve, &s.FallOff, &s.Offset, &s.Clip} {
		n := uint64(*b)
		packIndex(p, &n, 8)
		*b = uint8(n)
	}
	if s.ID == 0 || !s.valid() {
		p.Fail(bits.ErrRange)
	}
}

// flagBits is the width of Flags in a packet: one bit more than allFlags has.
const flagBits = 8

func packTime(p *bits.Packer, t *clock.Micros) {
	n := int64(*t)
	p.Varint(&n)
	*t = clock.Micros(n)
}

// packIndex costs one bit for zero.
func packIndex(p *bits.Packer, v *uint64, n int) {
	if some(p, *v != 0) {
		p.Uint(v, n)
		canonical(p, *v != 0)
	} else {
		*v = 0
	}
}

// packNumber packs a number of single precision, one bit for zero. Writing leaves
// it as it is read.
func packNumber(p *bits.Packer, v *float64) {
	*v = snap(*v)
	if some(p, *v != 0) {
		packSingle(p, v)
		canonical(p, *v != 0)
	} else {
		*v = 0
	}
}

// packVec is packNumber for a vector, one bit where all of it is zero.
func packVec(p *bits.Packer, v *geom.Vec3) {
	*v = snapVec(*v)
	if some(p, !v.IsZero()) {
		packSingle(p, &v.X)
		packSingle(p, &v.Y)
		packSingle(p, &v.Z)
		canonical(p, !v.IsZero())
	} else {
		*v = geom.Vec3{}
	}
}

// packSingle packs 32 bits of a finite number; −0 has no spelling.
func packSingle(p *bits.Packer, v *float64) {
	const minusZero = 1 << 31
	n := math.Float32bits(float32(*v))
	p.Uint32(&n)
	*v = float64(math.Float32frombits(n))
	if n == minusZero || !geom.Finite(*v) {
		p.Fail(bits.ErrRange)
		*v = 0
	}
}

// packSparse costs one bit for the zero vector.
func packSparse(p *bits.Packer, v *geom.Vec3) {
	if some(p, !v.IsZero()) {
		p.Vec64(v)
		canonical(p, !v.IsZero() && bounded(*v))
	} else {
		*v = geom.Vec3{}
	}
}

func some(p *bits.Packer, is bool) bool {
	p.Bool(&is)
	return is
}

// canonical fails a non-canonical encoding: what no writer writes.
func canonical(p *bits.Packer, ok bool) {
	if !ok {
		p.Fail(bits.ErrRange)
	}
}
