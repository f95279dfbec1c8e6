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

// Frame is one tick: on a server everything there is, on a client what it was told.
// Entities are by ascending ID, each stamped with its owner's time, which is near the
// frame's own.
type Frame struct {
	Tick     uint32
	At       clock.Micros // match time of the tick
	Entities []Entity
	// Whole says that what the frame does not have is not there, as in a server's own
	// frames. In any other frame what is not mentioned has not changed.
	Whole bool
	// Kinks is what a client was told beside: samples between those of this frame and
	// those that it was told of before, by ascending ID, of one thing by time, at most
	// MaxKinks of each and only of the frame's things. See Frames.KinksBetween.
	Kinks []Entity
	// Gone is which things a client was told of no longer: by ascending ID, in a frame
	// that a client has received. A server's own frames have none.
	Gone []ID

	// has and gone are Entities and Gone as sets, if marked is how many those are.
	has, gone idSet
	marked    int
	// bends is what KinksBetween found last, by index in Entities.
	bends []bend
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

// mark brings the sets up to date.
func (f *Frame) mark() {
	n := len(f.Entities) + len(f.Gone)
	if f.marked == n {
		return
	}
	f.has, f.gone, f.marked = idSet{}, idSet{}, n
	for i := range f.Entities {
		f.has.add(f.Entities[i].ID)
	}
	for _, id := range f.Gone {
		f.gone.add(id & MaxID)
	}
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
	*r = Frame{Tick: tick, At: at, Entities: r.Entities[:0], Kinks: r.Kinks[:0], Gone: r.Gone[:0], bends: r.bends[:0]}
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
