package rewind

import (
	"math"
	"math/bits"
	"slices"

	"github.com/backstep-net/backstep/clock"
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
	id   track.ID // 0: free
	kind track.Kind
	// mixed says that the id was of several kinds.
	mixed bool
	last  uint32 // the newest tick that has it
}

// row is a group of ticks: what is known of each slot.
type row struct {
	group uint32
	boxes []swath
}

// swath holds a thing's samples of some ticks: their places, and those where the ones that
// are not dead would be after track.Horizon.
type swath struct {
	lo, hi [3]float32
	fast   float32 // the square of the highest speed
	flags  uint8
}

// What samples of a swath are, one of them at least.
const (
	there  = 1 << iota
	rides  // on a body, or has just left one: its place is not the world's
	tilted // Up is not +Y
	early  // stamped after its tick, by more than stamps are rounded
	dead
	far // so far out that a float32 has not enough bits
)

// farOut is how far from the middle of the world a float32 is good to half a millimetre.
const farOut = 8192

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
func (w *swept) add(f *track.Frame) {
	if len(f.Entities) < 2 {
		w.blind = f.Tick
		return
	}
	r := w.row(f.Tick)
	for i := range f.Entities {
		e := &f.Entities[i]
		k := int(w.of[e.ID]) - 1
		if k < 0 {
			k = w.seat(e.ID, e.Kind, r)
		}
		s := &w.slots[k]
		s.last, s.mixed = f.Tick, s.mixed || s.kind != e.Kind
		r.boxes[k].add(&e.Sample, f.At)
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
	lo: [3]float32{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32},
	hi: [3]float32{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32},
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
func (w *swept) seat(id track.ID, kind track.Kind, r *row) int {
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
	w.slots[k] = slot{id: id, kind: kind}
	w.of[id] = uint16(k + 1)
	return k
}

// add takes a sample of a tick into the swath.
func (b *swath) add(s *track.Sample, tick clock.Micros) {
	flags := b.flags | there
	if s.Base != 0 || s.Since != 0 {
		flags |= rides
	}
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
		flags |= b.include(s.Position.MulAdd(s.Velocity, track.Horizon.Seconds()))
		b.fast = max(b.fast, float32(s.Velocity.LenSq()))
	}
	b.flags = flags
}

// include makes the swath hold a point, and returns whether that is far.
func (b *swath) include(p geom.Vec3) uint8 {
	if !(max(math.Abs(p.X), math.Abs(p.Y), math.Abs(p.Z)) < farOut) {
		return far
	}
	b.join(&swath{lo: [3]float32{float32(p.X), float32(p.Y), float32(p.Z)}, hi: [3]float32{float32(p.X), float32(p.Y), float32(p.Z)}})
	return 0
}

// join makes the swath hold another.
func (b *swath) join(o *swath) {
	for i := range 3 {
		if o.lo[i] < b.lo[i] {
			b.lo[i] = o.lo[i]
		}
		if o.hi[i] > b.hi[i] {
			b.hi[i] = o.hi[i]
		}
	}
	if o.fast > b.fast {
		b.fast = o.fast
	}
	b.flags |= o.flags
}

// between joins to a swath a slot's of the groups of the ticks from … to.
func (w *swept) between(k int, from, to uint32, all *swath) {
	for g := from >> w.shift; g <= to>>w.shift; g++ {
		if r := &w.rows[g&w.mask]; r.group == g && k < len(r.boxes) {
			all.join(&r.boxes[k])
		}
	}
}
