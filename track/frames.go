package track

import (
	"math/bits"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
)

// Entity is one thing's sample in a frame.
type Entity struct {
	ID ID
	Sample
}

// Frame is everything at one tick: entities by ascending ID, each stamped with
// its owner's time, which is near the frame's own.
type Frame struct {
	Tick     uint32
	At       clock.Micros // match time of the tick
	Entities []Entity
	// Kinks is what was recorded since the frame sent before this one and cannot be
	// told from the two: by ascending ID, of one thing by time, at most MaxKinks of
	// each and only of the frame's things. See Frames.Bend.
	Kinks []Entity
	// Gone is which things a client was told of no longer: by ascending ID, in a frame
	// that a client has received. A server's own frames have none.
	Gone []ID
}

// Add appends a thing to the frame, quantised. It panics where id is zero, above
// MaxID, or not above the last one's, and on a rider of what is no body.
func (f *Frame) Add(id ID, s Sample) {
	if id == 0 || id > MaxID {
		panic("track: Frame.Add needs an id of 1 … MaxID")
	}
	if n := len(f.Entities); n > 0 && f.Entities[n-1].ID >= id {
		panic("track: Frame.Add needs ascending ids")
	}
	if s.Base >= collide.FirstObstacle {
		panic("track: Frame.Add needs a sample whose base is a body of the world")
	}
	f.Entities = append(f.Entities, Entity{id, Quantise(s)})
}

// Find returns the thing's sample, or nil. The pointer is good until the frame
// is reused.
func (f *Frame) Find(id ID) *Sample {
	i := f.index(id, 0)
	if i < 0 {
		return nil
	}
	return &f.Entities[i].Sample
}

// index returns where id is, or −1. It looks at hint first: in most frames a
// thing is where it was in the frame before.
func (f *Frame) index(id ID, hint int) int {
	if hint < len(f.Entities) && f.Entities[hint].ID == id {
		return hint
	}
	lo, hi := 0, len(f.Entities)
	for lo < hi {
		if m := (lo + hi) / 2; f.Entities[m].ID < id {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(f.Entities) && f.Entities[lo].ID == id {
		return lo
	}
	return -1
}

// Frames is the last frames by tick, in storage that is reused: the server's
// record of every tick, or a client's of those that came. The zero Frames holds
// none; make one with NewFrames.
type Frames struct {
	ring   []Frame
	newest uint32
}

// NewFrames returns room for the frames of at least the given number of ticks;
// the number is rounded up to a power of two. It panics where ticks is below
// Reach + 1, which one view may need.
func NewFrames(ticks int) *Frames {
	if ticks < Reach+1 {
		panic("track: NewFrames needs room for the ticks of one view")
	}
	return &Frames{ring: make([]Frame, 1<<bits.Len(uint(ticks-1)))}
}

// Ticks returns how many ticks there is room for.
func (f *Frames) Ticks() int { return len(f.ring) }

// Newest returns the newest tick recorded, 0 for none.
func (f *Frames) Newest() uint32 { return f.newest }

// Record returns the frame of a tick, empty, to be filled with Add. It replaces
// the frame Ticks ticks before it. A client may record older ticks that came
// late. It panics on tick 0, and on one so old that its place is taken.
func (f *Frames) Record(tick uint32, at clock.Micros) *Frame {
	if tick == 0 || uint64(tick)+uint64(len(f.ring)) <= uint64(f.newest) {
		panic("track: Frames.Record needs a tick that is not zero and not too old")
	}
	r := f.slot(tick)
	*r = Frame{Tick: tick, At: at, Entities: r.Entities[:0], Kinks: r.Kinks[:0], Gone: r.Gone[:0]}
	f.newest = max(f.newest, tick)
	return r
}

// Frame returns the frame of a tick, or nil where it was never recorded or is
// forgotten.
func (f *Frames) Frame(tick uint32) *Frame {
	if tick == 0 || tick > f.newest || f.newest-tick >= uint32(len(f.ring)) {
		return nil // a skipped tick's place may still hold a much older one
	}
	if r := f.slot(tick); r.Tick == tick {
		return r
	}
	return nil
}

func (f *Frames) slot(tick uint32) *Frame { return &f.ring[tick&uint32(len(f.ring)-1)] }

// At returns the thing's pose in the view, in the frame of the world w, whose moving
// bodies carry the riders; nil is a world without any. It is there if the newest frame of
// the view has it; otherwise the answer is Missing, whatever older frames say.
//
// The samples that matter are, among those and the kinks of the view's frames since the
// last one that lacks the thing, the latest one whose stamp is not after v.At (the last of equal stamps, HIS-07) and
// the one after that: Shown between the two, or Ahead of the first where there is no
// second. Where every stamp is after v.At the earliest is Held. No other sample
// matters.
func (f *Frames) At(id ID, v View, w *collide.World) (Sample, Fit) {
	newest := f.Frame(v.Seen.Newest)
	if newest == nil {
		return Sample{}, Missing
	}
	i := newest.index(id, 0)
	if i < 0 {
		return Sample{}, Missing
	}
	return f.at(id, v, w, newest, i)
}

// Entities appends to into everything in the view but except, by ascending ID:
// the newest frame's things, each as At gives it. Nothing is allocated where into
// has room.
func (f *Frames) Entities(v View, w *collide.World, except ID, into []Entity) []Entity {
	newest := f.Frame(v.Seen.Newest)
	if newest == nil {
		return into
	}
	for i := range newest.Entities {
		id := newest.Entities[i].ID
		if id == except {
			continue
		}
		s, _ := f.at(id, v, w, newest, i)
		into = append(into, Entity{id, s})
	}
	return into
}

// at walks from the newest frame, where the thing is at index i, back to the
// first sample that is not after the view.
func (f *Frames) at(id ID, v View, w *collide.World, newest *Frame, i int) (Sample, Fit) {
	left := &newest.Entities[i].Sample
	if left.At <= v.At {
		s, fit := Ahead(left, v.At)
		return s.inView(v, w), fit
	}
	left, right := newest.around(id, left, v.At)
	for mask := v.Seen.Mask; left == nil && mask != 0; mask &= mask - 1 {
		back := uint32(bits.TrailingZeros64(mask)) + 1
		if back >= v.Seen.Newest {
			break // before the first tick
		}
		frame := f.Frame(v.Seen.Newest - back)
		if frame == nil {
			continue
		}
		j := frame.index(id, i)
		if j < 0 {
			break // not there then: what is older is another's path
		}
		i = j
		if left = &frame.Entities[i].Sample; left.At > v.At {
			left, right = frame.around(id, left, v.At)
		}
	}
	if left != nil {
		return Shown(left, right, v, w)
	}
	s := right.held(v.At)
	return s.inView(v, w), Held
}
