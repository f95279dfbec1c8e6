package rewind

import (
	"math"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// broad is a question as boxes meet it, in units of their grid.
type broad struct {
	lo, hi, inverse geom.Vec3 // from where a box's lower and its upper sides are seen
	from            geom.Vec3
	reach           float64
	side, top       float64 // by how much boxes are larger for it
	ahead           bool    // everybody may be carried on by CarryMost
	wide            float64 // how far ways that are asked about together part, a metre
}

// begin takes a question in, of figures so large.
func (b *broad) begin(q *question, p *past, side, top float64) {
	inverse := func(d float64) float64 { return geom.Clamp(1/float64(d*perMetre), -1e30, 1e30) }
	*b = broad{
		from: q.from.Mul(perMetre), inverse: geom.V(inverse(q.dir.X), inverse(q.dir.Y), inverse(q.dir.Z)), reach: q.reach,
		side: float64((side + q.radius + p.grow) * perMetre), top: float64((top + q.radius + p.grow) * perMetre),
		ahead: p.view.Mode.Extrapolates(),
	}
	b.enlarge(b.side, b.top)
}

// enlarge says by how much boxes are larger to the sides and down, and up.
func (b *broad) enlarge(side, top float64) {
	b.lo = b.from.Add(geom.V(side, side, side))
	b.hi = b.from.Sub(geom.V(side, top, side))
}

// near reports whether the question may come near who is in the swath.
func (b *broad) near(n *swath) bool {
	if n.flags&(moves|far|tilted) == 0 && !b.ahead && b.wide == 0 { // most
		return b.meets(n)
	}
	if n.flags&(moves|far) != 0 {
		return true
	}
	side, top := b.side, b.top
	if b.ahead {
		more := float64(float64(n.fast) * (track.MaxDeadReckoning.Seconds() * perMetre))
		side, top = side+more, top+more
	}
	if n.flags&tilted != 0 {
		side = max(side, top)
		top = side
	}
	if b.wide > 0 {
		more := float64(b.wide * (b.away(n) + float64(3*max(side, top))))
		side, top = side+more, top+more
	}
	b.enlarge(side, top)
	met := b.meets(n)
	b.enlarge(b.side, b.top)
	return met
}

// meets reports whether the question comes into the box.
func (b *broad) meets(n *swath) bool {
	x0, x1 := float64((float64(n.lo[0])-b.lo.X)*b.inverse.X), float64((float64(n.hi[0])-b.hi.X)*b.inverse.X)
	y0, y1 := float64((float64(n.lo[1])-b.lo.Y)*b.inverse.Y), float64((float64(n.hi[1])-b.hi.Y)*b.inverse.Y)
	z0, z1 := float64((float64(n.lo[2])-b.lo.Z)*b.inverse.Z), float64((float64(n.hi[2])-b.hi.Z)*b.inverse.Z)
	if b.inverse.X < 0 {
		x0, x1 = x1, x0
	}
	if b.inverse.Y < 0 {
		y0, y1 = y1, y0
	}
	if b.inverse.Z < 0 {
		z0, z1 = z1, z0
	}
	return x0 <= y1 && y0 <= x1 && x0 <= z1 && z0 <= x1 && y0 <= z1 && z0 <= y1 &&
		x0 <= b.reach && y0 <= b.reach && z0 <= b.reach && x1 >= 0 && y1 >= 0 && z1 >= 0
}

// away returns how far everything in the box is from the question's beginning at most: the
// sum along the axes.
func (b *broad) away(n *swath) float64 {
	x := max(math.Abs(float64(n.lo[0])-b.from.X), math.Abs(float64(n.hi[0])-b.from.X))
	y := max(math.Abs(float64(n.lo[1])-b.from.Y), math.Abs(float64(n.hi[1])-b.from.Y))
	z := max(math.Abs(float64(n.lo[2])-b.from.Z), math.Abs(float64(n.hi[2])-b.from.Z))
	return x + y + z
}

// fan is whom a bundle of shots from one place may meet: pellets ask for all of them once.
type fan struct {
	question // the first of the bundle
	// wide is how far the directions of the others may be from its, as chords: 0 is no
	// bundle yet.
	wide  float64
	asked bool // whether there was a first
	spans []int32
}

// fanWide is how far the pellets of one shot spread at most, if they are to share one look
// at everybody: 17°.
const fanWide = 0.3

// of returns the spans that a question may come into, if it is one of a bundle: the second
// from the same place and those after it that go about the same way. Else it returns nil.
func (f *fan) of(q *question, p *past, side, top float64) []int32 {
	if q.dir.IsZero() {
		return nil
	}
	if !f.asked || q.from != f.from {
		f.question, f.wide, f.asked = *q, 0, true
		return nil
	}
	if f.wide > 0 && q.radius <= f.radius && q.reach <= f.reach && q.dir.Sub(f.dir).LenSq() <= fanWide*fanWide {
		return f.spans
	}
	f.question, f.wide, f.spans = *q, fanWide, f.spans[:0]
	b := &p.broad
	b.begin(q, p, side, top)
	b.wide = fanWide
	for k := range p.spans {
		if b.near(&p.spans[k].swath) {
			f.spans = append(f.spans, int32(k))
		}
	}
	return f.spans
}
