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

// swept is where everybody was: a box for each thing and each small group of ticks, so that
// a shot looks only at those who may have been near it (GAP-44). It is kept as frames are
// recorded, and scenes only read it.
type swept struct {
	shift uint   // a group is 1<<shift ticks
	mask  uint32 // groups of the ring, less one
	// to is the newest tick that is in it, and blind the newest that was recorded and is
	// not: what a view asks of ticks up to that, it asks the frames.
	to, blind uint32
	rows      []row // a ring, by group
	slots     []slot
	free      []uint16
	of        [track.MaxID + 1]uint16 // a thing's slot, from 1; 0: none
}

// slot is a column of the rows.
type slot struct {
	id    track.ID // 0: free
	last  uint32   // the newest tick that has it
	kinds kindSet  // all that the id was of
}

// row is a group of ticks: what is known of each slot.
type row struct {
	group uint32
	boxes []swath
}

// swath holds a thing's samples of some ticks: their places, and those where the ones that
// are not dead would be after track.MaxExtrapolation. Whole numbers of perMetre, for they are compared
// often.
type swath struct {
	lo, hi [3]int32
	fast   int32 // the highest speed, in m/s, rounded up
	flags  uint8
	// base is in whose frame the places are: the body that is ridden on at all those ticks.
	base collide.BodyID
}

// perMetre is the grid of swaths: that on which places travel.
const perMetre = track.PositionScale

// What samples of a swath are, one of them at least.
const (
	there  = 1 << iota
	moves  // from one body to another, or has just left one
	tilted // Up is not +Y
	early  // stamped after its tick, by more than stamps are rounded
	dead
	far // farther out than farOut, or faster than farOut a second
)

// farOut is how far from the middle of the world boxes are kept, in metres.
const farOut = 1 << 20

// groupsASecond is how long a group of ticks is: at most a twelfth of a second, in which a
// runner makes half a metre.
const groupsASecond = 12

// newSwept returns room for so many ticks, of which rate are a second.
func newSwept(rate, ticks int) swept {
	shift := uint(bits.Len(uint(max(rate/groupsASecond, 1)))) - 1
	groups := uint32(1) << bits.Len32(uint32(ticks)>>shift+1)
	return swept{shift: shift, mask: groups - 1, rows: make([]row, groups)}
}

// add takes in a frame, the next one recorded. Where nobody is there but one there is
// nobody to ask, and nothing is kept.
func (w *swept) add(f *track.Snapshot) {
	if f.Len() < 2 {
		w.blind = f.Tick
		return
	}
	r := w.row(f.Tick)
	var e track.Sample
	for i := range f.Len() {
		f.Load(i, &e)
		k := int(w.of[f.ID(i)]) - 1
		if k < 0 {
			k = w.seat(f.ID(i), r)
		}
		s := &w.slots[k]
		s.last = f.Tick
		s.kinds.add(e.Kind)
		r.boxes[k].add(&e, f.At)
	}
	w.to = f.Tick
}

// row returns the row of a tick, begun anew where it is a group's first.
func (w *swept) row(tick uint32) *row {
	group := tick >> w.shift
	r := &w.rows[group&w.mask]
	if r.group == group && len(r.boxes) == len(w.slots) {
		return r
	}
	if r.group != group {
		w.forget(tick)
		r.group, r.boxes = group, r.boxes[:0]
	}
	for len(r.boxes) < len(w.slots) {
		r.boxes = append(r.boxes, nowhere)
	}
	return r
}

// nowhere is the swath of nothing.
var nowhere = swath{
	lo: [3]int32{math.MaxInt32, math.MaxInt32, math.MaxInt32},
	hi: [3]int32{math.MinInt32, math.MinInt32, math.MinInt32},
}

// forget frees the slots of what is in none of the rows any more.
func (w *swept) forget(tick uint32) {
	for i := range w.slots {
		s := &w.slots[i]
		if s.id != 0 && tick>>w.shift-s.last>>w.shift > w.mask {
			w.of[s.id] = 0
			*s = slot{}
			w.free = append(w.free, uint16(i))
		}
	}
}

// seat gives a thing a slot; r is the row that is being filled.
func (w *swept) seat(id track.ID, r *row) int {
	k := len(w.slots)
	if n := len(w.free); n > 0 {
		k = int(w.free[n-1])
		w.free = w.free[:n-1]
	} else {
		w.slots = append(w.slots, slot{})
		for i := range w.rows { // room at once, so that later ticks need none
			w.rows[i].boxes = slices.Grow(w.rows[i].boxes, len(w.slots)-len(w.rows[i].boxes))
		}
		r.boxes = append(r.boxes, nowhere)
	}
	w.slots[k] = slot{id: id}
	w.of[id] = uint16(k + 1)
	return k
}

// add takes a sample of a tick into the swath.
func (b *swath) add(s *track.Sample, tick clock.Micros) {
	flags := b.flags | there
	if s.BaseChangedAt != 0 || b.flags != 0 && b.base != s.Base {
		flags |= moves
	}
	b.base = s.Base
	if !s.Up.IsZero() {
		flags |= tilted
	}
	if s.At > tick+track.StampGrid {
		flags |= early
	}
	flags |= b.include(s.Position)
	if s.Dead {
		flags |= dead
	} else if !s.Velocity.IsZero() {
		flags |= b.include(s.Position.MulAdd(s.Velocity, track.MaxExtrapolation.Seconds()))
		if speed := s.Velocity.Len(); speed < farOut {
			b.fast = max(b.fast, int32(speed)+1)
		} else {
			flags |= far
		}
	}
	b.flags = flags
}

// include makes the swath hold a point, and returns whether that is far.
func (b *swath) include(p geom.Vec3) uint8 {
	if !(math.Abs(p.X) < farOut && math.Abs(p.Y) < farOut && math.Abs(p.Z) < farOut) {
		return far
	}
	for i, x := range [3]float64{p.X, p.Y, p.Z} {
		n := int32(math.Floor(float64(x * perMetre)))
		b.lo[i], b.hi[i] = min(b.lo[i], n), max(b.hi[i], n+1)
	}
	return 0
}

// met reports whether what is in a slot may be of a kind that is met.
func (w *swept) met(k int, meets *kindSet) bool {
	return w.slots[k].kinds.meets(meets)
}

// between appends to into the rows of the ticks from … to.
func (w *swept) between(from, to uint32, into []*row) []*row {
	for g := from >> w.shift; g <= to>>w.shift; g++ {
		if r := &w.rows[g&w.mask]; r.group == g {
			into = append(into, r)
		}
	}
	return into
}

// join makes the swath what these rows have of a slot. (In variables of their own the
// numbers stay in registers, and each is written once: that makes it thrice as fast.)
func (b *swath) join(rows []*row, k int) {
	x0, y0, z0 := int32(math.MaxInt32), int32(math.MaxInt32), int32(math.MaxInt32)
	x1, y1, z1 := int32(math.MinInt32), int32(math.MinInt32), int32(math.MinInt32)
	fast, flags, base := int32(0), uint8(0), collide.Static
	for _, r := range rows {
		if k >= len(r.boxes) {
			continue
		}
		o := &r.boxes[k]
		x0, x1 = min(x0, o.lo[0]), max(x1, o.hi[0])
		y0, y1 = min(y0, o.lo[1]), max(y1, o.hi[1])
		z0, z1 = min(z0, o.lo[2]), max(z1, o.hi[2])
		if o.base != base && o.flags != 0 {
			if flags != 0 {
				flags |= moves
			}
			base = o.base
		}
		fast, flags = max(fast, o.fast), flags|o.flags
	}
	b.lo[0], b.lo[1], b.lo[2] = x0, y0, z0
	b.hi[0], b.hi[1], b.hi[2] = x1, y1, z1
	b.fast, b.flags, b.base = fast, flags, base
}

// place brings the swath of who rides on a body into the world's frame, where the body is at
// that pose.
func (b *swath) place(pose geom.Transform) {
	box := geom.EmptyAABB()
	for _, c := range [2][3]int32{b.lo, b.hi} {
		box = box.Include(geom.V(float64(c[0]), float64(c[1]), float64(c[2])).Mul(1.0 / perMetre))
	}
	box = box.Transformed(pose)
	b.lo, b.hi, b.base = nowhere.lo, nowhere.hi, collide.Static
	b.flags |= b.include(box.Min) | b.include(box.Max)
}
