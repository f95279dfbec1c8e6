package rewind

import (
	"math"
	"math/bits"
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// boundsHistory holds a box around each entity for each small group of ticks. A query that
// comes near none of an entity's boxes needs neither its samples nor its pose [GAP-44].
// History.Record extends it; scenes only read it.
type boundsHistory struct {
	shift  uint   // a group is 1<<shift ticks
	groups uint32 // how many groups each slot holds
	newest uint32 // the newest tick in it
	slots  []slot
	slotOf [track.MaxID + 1]uint16 // the slot of an ID, plus 1; 0: none
}

// slot holds the boxes of one ID.
type slot struct {
	id    track.ID
	last  uint32   // the newest tick that has the entity
	kinds kindSet  // all kinds that the ID was of
	ring  []bounds // by group
}

// bounds is a box around the samples of an entity in a group of ticks, and around the places
// that those samples with a velocity reach after track.MaxExtrapolation: in steps of
// 1/PositionScale metres, since integers are quicker to join.
type bounds struct {
	lo, hi [3]int32
	fast   uint16 // the highest speed in m/s, rounded up
	flags  uint8
	base   collide.MoverID // the mover in whose frame the places are
}

// The flags of bounds: what one of its samples is, at least.
const (
	recorded = 1 << iota // there is a sample
	anywhere             // off the grid, very fast, or from the frame of one mover to another's
	tilted               // Up is not +Y
	early                // stamped after its tick, by more than rounding
)

// empty is the bounds of no sample.
var empty = bounds{
	lo: [3]int32{math.MaxInt32, math.MaxInt32, math.MaxInt32},
	hi: [3]int32{math.MinInt32, math.MinInt32, math.MinInt32},
}

// groupsPerSecond makes a group a twelfth of a second at most: a runner makes half a metre.
const groupsPerSecond = 12

// gridEnd is how far from the origin boxes are kept, in metres.
const gridEnd = 1 << 20

// boundsMargin is added to every box, in metres, for rounding on the way from samples to poses.
const boundsMargin = 0.002

// newBoundsHistory returns an empty history of so many ticks, of which rate are a second.
func newBoundsHistory(rate, ticks int) boundsHistory {
	shift := uint(bits.Len(uint(max(rate/groupsPerSecond, 1)))) - 1
	return boundsHistory{shift: shift, groups: uint32(ticks)>>shift + 2}
}

// add adds the next snapshot.
func (h *boundsHistory) add(f *track.Snapshot) {
	h.newest = f.Tick
	group := f.Tick >> h.shift
	var e track.Sample
	for i := range f.Len() {
		f.Load(i, &e)
		s := h.slot(f.ID(i))
		// The groups in which the entity was not recorded still hold boxes of a whole ring ago.
		for g := max(s.last>>h.shift+1, max(group, h.groups)-h.groups); g <= group; g++ {
			s.ring[g%h.groups] = empty
		}
		s.last = f.Tick
		s.kinds.add(e.Kind)
		s.ring[group%h.groups].add(&e, f.At)
	}
}

// slot returns the slot of an ID: its own, or one whose boxes are all too old to matter.
func (h *boundsHistory) slot(id track.ID) *slot {
	if k := h.slotOf[id]; k != 0 {
		return &h.slots[k-1]
	}
	k := 0
	// A slot is reused only when no view reaches it. So there are about as many slots as entities,
	// and not one for each of the 1,023 ids.
	for k < len(h.slots) && h.newest>>h.shift-h.slots[k].last>>h.shift <= h.groups {
		k++
	}
	if k == len(h.slots) {
		h.slots = append(h.slots, slot{ring: make([]bounds, h.groups)})
	}
	s := &h.slots[k]
	h.slotOf[s.id], h.slotOf[id] = 0, uint16(k+1)
	*s = slot{id: id, last: h.newest, ring: s.ring}
	for i := range s.ring {
		s.ring[i] = empty
	}
	return s
}

// add includes a sample of a tick.
func (b *bounds) add(s *track.Sample, tick clock.Micros) {
	// Between two frames an entity is drawn on neither, somewhere on the way: a box in one of them
	// would not hold it.
	if s.BaseChangedAt != 0 || b.flags != 0 && b.base != s.Base {
		b.flags |= anywhere
	}
	b.flags |= recorded
	b.base = s.Base
	if !s.Up.IsZero() {
		b.flags |= tilted
	}
	if s.At > tick+track.StampGrid {
		b.flags |= early
	}
	b.include(s.Position)
	// The dead are not extrapolated.
	if s.Dead || s.Velocity.IsZero() {
		return
	}
	// Extrapolation is on a straight line, so a box that holds both ends holds all of it.
	b.include(s.Position.MulAdd(s.Velocity, track.MaxExtrapolation.Seconds()))
	if speed := s.Velocity.Len(); speed < math.MaxUint16 {
		b.fast = max(b.fast, uint16(speed)+1)
	} else {
		b.flags |= anywhere
	}
}

// include extends the box to a point.
func (b *bounds) include(p geom.Vec3) {
	if !(math.Abs(p.X) < gridEnd && math.Abs(p.Y) < gridEnd && math.Abs(p.Z) < gridEnd) {
		b.flags |= anywhere
		return
	}
	for i, x := range [3]float64{p.X, p.Y, p.Z} {
		// Rounded outwards, so that the box holds the point itself.
		n := int32(math.Floor(float64(x * track.PositionScale)))
		b.lo[i], b.hi[i] = min(b.lo[i], n), max(b.hi[i], n+1)
	}
}

// between makes b the union of a slot's boxes of the ticks from … to. (In variables of their
// own the numbers stay in registers, which makes it three times as fast.)
func (h *boundsHistory) between(s *slot, from, to uint32, b *bounds) {
	x0, y0, z0 := int32(math.MaxInt32), int32(math.MaxInt32), int32(math.MaxInt32)
	x1, y1, z1 := int32(math.MinInt32), int32(math.MinInt32), int32(math.MinInt32)
	fast, flags, base := uint16(0), uint8(0), collide.Static
	last := min(to, s.last) >> h.shift
	first := max(from>>h.shift, max(s.last>>h.shift, h.groups-1)-(h.groups-1))
	for g, i := first, first%h.groups; g <= last; g++ {
		o := &s.ring[i]
		if i++; i == h.groups {
			i = 0
		}
		x0, x1 = min(x0, o.lo[0]), max(x1, o.hi[0])
		y0, y1 = min(y0, o.lo[1]), max(y1, o.hi[1])
		z0, z1 = min(z0, o.lo[2]), max(z1, o.hi[2])
		// Boxes in the frames of two movers cannot be joined.
		if o.base != base && o.flags != 0 {
			if flags != 0 {
				flags |= anywhere
			}
			base = o.base
		}
		fast, flags = max(fast, o.fast), flags|o.flags
	}
	b.lo[0], b.lo[1], b.lo[2] = x0, y0, z0
	b.hi[0], b.hi[1], b.hi[2] = x1, y1, z1
	b.fast, b.flags, b.base = fast, flags, base
}

// span is the box that holds an entity in a view, whatever samples the view is drawn from.
type span struct {
	lo, hi geom.Vec3
	id     track.ID
	index  int32 // in Scene.targets, from 1; 0: not rebuilt; −1: not there
}

// near reports whether a query comes into the box.
func (n *span) near(q *query) bool {
	from, r := q.from, q.radius
	x0, x1 := float64((n.lo.X-r-from.X)*q.inverse.X), float64((n.hi.X+r-from.X)*q.inverse.X)
	y0, y1 := float64((n.lo.Y-r-from.Y)*q.inverse.Y), float64((n.hi.Y+r-from.Y)*q.inverse.Y)
	z0, z1 := float64((n.lo.Z-r-from.Z)*q.inverse.Z), float64((n.hi.Z+r-from.Z)*q.inverse.Z)
	// With the inverse of the direction clamped to ±1e30 (newQuery) no product here is NaN, also
	// for a ray along an axis.
	if q.inverse.X < 0 {
		x0, x1 = x1, x0
	}
	if q.inverse.Y < 0 {
		y0, y1 = y1, y0
	}
	if q.inverse.Z < 0 {
		z0, z1 = z1, z0
	}
	return x0 <= y1 && y0 <= x1 && x0 <= z1 && z0 <= x1 && y0 <= z1 && z0 <= y1 &&
		x0 <= q.reach && y0 <= q.reach && z0 <= q.reach && x1 >= 0 && y1 >= 0 && z1 >= 0
}

// add appends the span of an entity with these bounds.
func (p *viewSource) add(id track.ID, b *bounds) {
	p.spans = slices.Grow(p.spans, 1)[:len(p.spans)+1]
	n := &p.spans[len(p.spans)-1]
	n.id, n.index = id, 0
	// It is a candidate of every query. That is slower and never wrong.
	if b.flags&anywhere != 0 {
		n.lo, n.hi = everywhere.Neg(), everywhere
		return
	}
	n.lo = geom.V(float64(b.lo[0]), float64(b.lo[1]), float64(b.lo[2])).Mul(1.0 / track.PositionScale)
	n.hi = geom.V(float64(b.hi[0]), float64(b.hi[1]), float64(b.hi[2])).Mul(1.0 / track.PositionScale)
	if b.base != collide.Static && p.interpolator.World != nil {
		if w := p.interpolator.World; w.Mover(b.base) != nil { // else as Sample.ToWorld takes it
			box := geom.AABB{Min: n.lo, Max: n.hi}.Transformed(w.Pose(b.base, p.view.Platform))
			n.lo, n.hi = box.Min, box.Max
		}
	}
	side, top := p.side, p.top
	if p.extrapolates {
		more := float64(float64(b.fast) * track.MaxDeadReckoning.Seconds())
		side, top = side+more, top+more
	}
	// A figure that leans reaches as far to the side as it is tall.
	if b.flags&tilted != 0 {
		side = max(side, top)
		top = side
	}
	n.lo.X, n.lo.Y, n.lo.Z = n.lo.X-side, n.lo.Y-side, n.lo.Z-side
	n.hi.X, n.hi.Y, n.hi.Z = n.hi.X+side, n.hi.Y+top, n.hi.Z+side
}

// everywhere is the upper corner of the span of an entity that may be anywhere.
var everywhere = geom.V(math.Inf(1), math.Inf(1), math.Inf(1))
