package movement

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// visitor does one of two things with each field of a State: it packs the field, or it
// compares it with that of another State. It has one method for each type of field: x
// points to the field, y to the one to compare it with, and name is what Differ calls it.
// Methods for the types are faster than a table of functions, and keep the Packer of Hash
// off the heap.
type visitor struct {
	packer  *bits.Packer // nil to compare
	differs bool         // a field differs
	found   *differences // which ones; nil does not note them
}

// differences are the fields that differ, each name once.
type differences struct {
	list [20]struct {
		name string
		by   float64
	}
	count int
}

// note notes by how much a field differs, in the unit of the field.
func (v *visitor) note(name string, by float64) {
	if by == 0 {
		return
	}
	v.differs = true
	d := v.found
	if d == nil {
		return
	}
	for i := range d.list[:d.count] {
		if d.list[i].name == name {
			return
		}
	}
	d.list[d.count].name, d.list[d.count].by = name, by
	d.count++
}

func (v *visitor) vector(name string, x, y *geom.Vec3) {
	if v.packer != nil {
		packBounded(v.packer, x)
	} else {
		v.note(name, x.Dist(*y))
	}
}

// sparse is vector for one that is mostly zero, which costs one bit.
func (v *visitor) sparse(name string, x, y *geom.Vec3) {
	if v.packer == nil {
		v.note(name, unequal(x, y))
	} else if present(v.packer, x) {
		packBounded(v.packer, x)
		canonical(v.packer, !x.IsZero())
	}
}

func (v *visitor) angle(name string, x, y *float64) {
	if v.packer != nil {
		v.packer.Float64(x)
	} else {
		v.note(name, math.Abs(geom.WrapAngle(*x-*y)))
	}
}

// amount visits a number that is mostly zero, which costs one bit.
func (v *visitor) amount(name string, x, y *float64) {
	if v.packer == nil {
		v.note(name, math.Abs(*x-*y))
	} else if present(v.packer, x) {
		v.packer.Float64(x)
		canonical(v.packer, *x != 0 && math.Abs(*x) <= maxCoordinate)
	}
}

func (v *visitor) flag(name string, x, y *bool) {
	if v.packer != nil {
		v.packer.Bool(x)
	} else {
		v.note(name, unequal(x, y))
	}
}

func (v *visitor) number(name string, x, y *uint8) {
	if v.packer != nil {
		v.packer.Byte(x)
	} else {
		v.note(name, math.Abs(float64(*x)-float64(*y)))
	}
}

func (v *visitor) time(name string, x, y *clock.Micros) {
	if v.packer != nil {
		packTime(v.packer, x)
	} else {
		v.note(name, math.Abs((*x - *y).Seconds()))
	}
}

func (v *visitor) mode(name string, x, y *Mode) {
	if v.packer == nil {
		v.note(name, unequal(x, y))
		return
	}
	v.packer.Byte((*uint8)(x))
	canonical(v.packer, x.valid())
}

func (v *visitor) floor(name string, x, y *Floor) {
	if v.packer != nil {
		x.pack(v.packer)
	} else {
		v.note(name, unequal(x, y))
	}
}

// base visits a base, whose place has a name of its own.
func (v *visitor) base(name, place string, x, y *Base) {
	switch {
	case v.packer != nil:
		x.pack(v.packer)
	case x.Mover != y.Mover:
		v.note(name, 1)
	default:
		v.note(place, unequal(x, y))
	}
}

func (v *visitor) rail(name string, x, y *Rail) {
	if v.packer != nil {
		x.pack(v.packer)
	} else {
		v.note(name, unequal(x, y))
	}
}

func (v *visitor) nav(name string, x, y *Nav) {
	if v.packer != nil {
		x.pack(v.packer)
	} else {
		v.note(name, unequal(x, y))
	}
}

// motion compares only groups of which one ever had a source: they are long.
func (v *visitor) motion(name string, x, y *rootmotion.Group) {
	if v.packer != nil {
		x.Pack(v.packer)
	} else if x.LastID|y.LastID != 0 {
		v.note(name, unequal(x, y))
	}
}

// rare visits the rare fields, which a packet has where one of them is not zero.
func (v *visitor) rare(s, t *State) {
	p := v.packer
	if p == nil {
		s.rareFields(v, t)
		return
	}
	some := p.Writing() && s.hasRare()
	if p.Bool(&some); some {
		s.rareFields(v, s)
		canonical(p, p.Writing() || s.hasRare())
	}
}

// hasRare reports whether a rare field is set.
func (s *State) hasRare() bool {
	var v visitor
	var none State
	s.rareFields(&v, &none)
	return v.differs
}

// unequal returns 1 for values that differ, 0 for equal ones.
func unequal[T comparable](x, y *T) float64 {
	if *x != *y {
		return 1
	}
	return 0
}

// maxCoordinate bounds what Pack reads, in metres and m/s: beyond the 10⁴ km of
// the largest maps [WIR-09], well below where sweeps lose their meaning.
const maxCoordinate = 1e7

// packBounded packs a vector whose components lie within ±maxCoordinate.
func packBounded(p *bits.Packer, v *geom.Vec3) {
	p.Vec64(v)
	canonical(p, v.LenSq() <= 3*maxCoordinate*maxCoordinate)
}

// packTime packs a duration or a time that is mostly near zero.
func packTime(p *bits.Packer, t *clock.Micros) {
	n := int64(*t)
	p.Varint(&n)
	*t = clock.Micros(n)
}

// present packs whether x has another value than zero, in one bit, and returns what the
// packet says. A reader's x is zero before.
func present[T comparable](p *bits.Packer, x *T) bool {
	var zero T
	some := *x != zero
	p.Bool(&some)
	return some
}

// pack costs one bit for no floor.
func (f *Floor) pack(p *bits.Packer) {
	if !present(p, f) {
		return
	}
	packBounded(p, &f.Normal)
	p.Float64(&f.Rise)
	p.Float64(&f.Distance)
	p.Uint32((*uint32)(&f.Shape))
	if present(p, &f.Mover) {
		p.Uint16((*uint16)(&f.Mover))
		canonical(p, f.Mover != collide.Static)
	}
	p.Bool(&f.Walkable)
	p.Bool(&f.Ray)
	canonical(p, *f != Floor{}) // no writer spends a floor on none
}

// pack costs one bit for no base.
func (b *Base) pack(p *bits.Packer) {
	if present(p, b) {
		p.Uint16((*uint16)(&b.Mover))
		packBounded(p, &b.Position)
		p.Float64(&b.Angle)
		canonical(p, b.Mover != collide.Static && b.Mover < collide.FirstObstacle)
	}
}

// pack costs one bit for no path.
func (r *Rail) pack(p *bits.Packer) {
	if present(p, r) {
		p.Uint16(&r.Path)
		packTime(p, &r.Start)
		canonical(p, *r != Rail{})
	}
}

// pack costs one bit where nothing is known.
func (n *Nav) pack(p *bits.Packer) {
	if present(p, n) {
		p.Uint32(&n.Polygon)
		p.Float64(&n.From)
		p.Float64(&n.To)
		packTime(p, &n.Since)
		canonical(p, *n != Nav{} && n.Since >= 0 && n.Since <= navRest &&
			math.Abs(n.From) <= maxCoordinate && math.Abs(n.To) <= maxCoordinate)
	}
}
