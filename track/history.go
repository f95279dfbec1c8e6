package track

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// Entity is one thing's sample in a frame.
type Entity struct {
	ID ID
	Sample
}

// Snapshot is one tick: on a server everything there is, on a client what it was told.
// Things are by ascending ID, each stamped with its owner's time, which is near the
// frame's own. They are kept in 64 bytes each and looked up one by one: Find, or Len, ID
// and Load.
type Snapshot struct {
	Tick uint32
	// At is the match time of the tick, from which the things' stamps are counted: it is set
	// before there are any (Clear).
	At clock.Micros

	cells  []cell
	extras []extras // of cells and kinks

	// Complete says that what the frame does not have is not there, as in a server's own
	// frames. In any other frame what is not mentioned has not changed.
	Complete bool
	// Removed is which things a client was told of no longer: by ascending ID, in a frame
	// that a client has received. A server's own frames have none.
	Removed []ID

	// keyframes are samples between those of this frame and those that a client was told of
	// before, by ascending ID, of one thing by time. See Frames.KeyframesBetween.
	keyframes []cell

	// has and gone are cells and Gone as sets, if marked is how many those are.
	has, removed idSet
	marked       int
	// keyframeCache is what KinksBetween found last, by index in cells.
	keyframeCache []foundKeyframes
}

// Len returns how many things the frame has.
func (f *Snapshot) Len() int { return len(f.cells) }

// ID returns which thing the i-th is.
func (f *Snapshot) ID(i int) ID { return f.cells[i].id }

// Kind returns the i-th thing's Sample.Kind, and Position its Sample.Position with the
// Sample.Base in whose frame that is: what a search asks for before it loads all.
func (f *Snapshot) Kind(i int) Kind { return f.cells[i].kind }

// Position is described with Kind.
func (f *Snapshot) Position(i int) (geom.Vec3, collide.BodyID) {
	c := &f.cells[i]
	return vecOf(&c.position, PositionScale), c.base
}

// Load makes s the i-th thing's sample.
func (f *Snapshot) Load(i int, s *Sample) { f.cells[i].load(s, f.steps(), f.extras) }

// steps is the instant that the cells' stamps count from, in steps of StampGrid.
func (f *Snapshot) steps() int64 { return int64(f.At / StampGrid) }

// Find makes s the thing's sample, and reports whether the frame has one; s is left as it
// is where not.
func (f *Snapshot) Find(id ID, s *Sample) bool {
	i := f.Index(id, 0)
	if i < 0 {
		return false
	}
	f.Load(i, s)
	return true
}

// Entities appends to into all things of the frame.
func (f *Snapshot) Entities(into []Entity) []Entity { return f.append(f.cells, into) }

func (f *Snapshot) append(cells []cell, into []Entity) []Entity {
	at := f.steps()
	for i := range cells {
		into = append(into, Entity{ID: cells[i].id})
		cells[i].load(&into[len(into)-1].Sample, at, f.extras)
	}
	return into
}

// Clear makes the frame that of a tick at a match time, with nothing in it.
func (f *Snapshot) Clear(tick uint32, at clock.Micros) {
	*f = Snapshot{Tick: tick, At: at, Removed: f.Removed[:0], cells: f.cells[:0], keyframes: f.keyframes[:0], extras: f.extras[:0], keyframeCache: f.keyframeCache[:0]}
}

// Add appends a thing to the frame, quantised. It panics where id is zero, above
// MaxID, or not above the last one's, and on a rider of what is no body.
func (f *Snapshot) Add(id ID, s Sample) { f.Put(id, &s) }

// Put is Add of a sample that is not to be copied; it is not kept.
func (f *Snapshot) Put(id ID, s *Sample) {
	if id == 0 || id > MaxID {
		panic("track: Frame.Add needs an id of 1 … MaxID")
	}
	if n := len(f.cells); n > 0 && f.cells[n-1].id >= id {
		panic("track: Frame.Add needs ascending ids")
	}
	if s.Base >= collide.FirstObstacle {
		panic("track: Frame.Add needs a sample whose base is a body of the world")
	}
	f.cells = f.put(f.cells, id, s)
}

// PutKeyframe adds a kink to the frame: by ascending IDs of the frame's things and of one thing
// by time, at most MaxKinks of each.
func (f *Snapshot) PutKeyframe(id ID, s *Sample) { f.keyframes = f.put(f.keyframes, id, s) }

// put appends a cell to a list.
func (f *Snapshot) put(list []cell, id ID, s *Sample) []cell {
	n := len(list)
	if n == cap(list) { // by less than append does: a record is for long
		list = append(make([]cell, 0, n+n/8+4), list...)
	}
	list = list[:n+1]
	var r extras
	c := &list[n]
	if c.id = id; c.set(s, f.steps(), &r) {
		f.extras = append(f.extras, r)
		c.extras = uint16(len(f.extras))
	}
	return list
}

// Copy makes the frame's contents those of another, of its own tick and time, but for one
// thing; 0 leaves nothing out.
func (f *Snapshot) Copy(g *Snapshot, except ID) {
	f.Clear(g.Tick, g.At)
	f.Complete, f.Removed, f.extras = g.Complete, append(f.Removed, g.Removed...), append(f.extras, g.extras...)
	f.cells, f.keyframes = without(f.cells, g.cells, except), without(f.keyframes, g.keyframes, except)
}

// without appends all cells but those of an ID.
func without(into, cells []cell, except ID) []cell {
	if except == 0 {
		return append(into, cells...)
	}
	for i := range cells {
		if cells[i].id != except {
			into = append(into, cells[i])
		}
	}
	return into
}

// Index returns where a thing is, or −1. It looks at hint first: in most frames a
// thing is where it was in the frame before.
func (f *Snapshot) Index(id ID, hint int) int {
	if hint < len(f.cells) && f.cells[hint].id == id {
		return hint
	}
	lo, hi := 0, len(f.cells)
	for lo < hi {
		if m := (lo + hi) / 2; f.cells[m].id < id {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(f.cells) && f.cells[lo].id == id {
		return lo
	}
	return -1
}

// mark brings the sets up to date.
func (f *Snapshot) mark() {
	n := len(f.cells) + len(f.Removed)
	if f.marked == n {
		return
	}
	f.has, f.removed, f.marked = idSet{}, idSet{}, n
	for i := range f.cells {
		f.has.add(f.cells[i].id)
	}
	for _, id := range f.Removed {
		f.removed.add(id & MaxID)
	}
}

// SnapshotHistory is the last frames by tick, in storage that is reused: the server's
// record of every tick, or a client's of those that came. The zero Frames holds
// none; make one with NewFrames.
type SnapshotHistory struct {
	ring   []Snapshot
	newest uint32
}

// NewSnapshotHistory returns room for the frames of the given number of ticks. It panics where
// ticks is below Reach + 1, which one view may need.
func NewSnapshotHistory(ticks int) *SnapshotHistory {
	if ticks < ReceivedWindow+1 {
		panic("track: NewFrames needs room for the ticks of one view")
	}
	return &SnapshotHistory{ring: make([]Snapshot, ticks)}
}

// Ticks returns how many ticks there is room for.
func (f *SnapshotHistory) Ticks() int { return len(f.ring) }

// Newest returns the newest tick recorded, 0 for none.
func (f *SnapshotHistory) Newest() uint32 { return f.newest }

// Record returns the frame of a tick, empty, to be filled with Add. It replaces
// the frame Ticks ticks before it. A client may record older ticks that came
// late. It panics on tick 0, and on one so old that its place is taken.
func (f *SnapshotHistory) Record(tick uint32, at clock.Micros) *Snapshot {
	if tick == 0 || uint64(tick)+uint64(len(f.ring)) <= uint64(f.newest) {
		panic("track: Frames.Record needs a tick that is not zero and not too old")
	}
	r := f.slot(tick)
	if last := f.Snapshot(f.newest); last != nil && cap(r.cells) < len(last.cells) {
		r.cells = make([]cell, 0, len(last.cells))
	}
	r.Clear(tick, at)
	f.newest = max(f.newest, tick)
	return r
}

// Snapshot returns the frame of a tick, or nil where it was never recorded or is
// forgotten.
func (f *SnapshotHistory) Snapshot(tick uint32) *Snapshot {
	if tick == 0 || tick > f.newest || f.newest-tick >= uint32(len(f.ring)) {
		return nil // a skipped tick's place may still hold a much older one
	}
	if r := f.slot(tick); r.Tick == tick {
		return r
	}
	return nil
}

func (f *SnapshotHistory) slot(tick uint32) *Snapshot { return &f.ring[tick%uint32(len(f.ring))] }
