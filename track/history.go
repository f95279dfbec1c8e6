package track

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// Entity is the sample of one entity in a snapshot.
type Entity struct {
	ID ID // never zero in a snapshot
	Sample
}

// Snapshot is one tick: on a server every entity, on a client those that it was sent. Entities
// are in ascending order of ID, each stamped with its owner's time, which is near the snapshot's
// own. They take 64 bytes each and are decoded one at a time: by Find, or by Len, ID and Load.
type Snapshot struct {
	Tick uint32 // number of the tick, from 1; 0 is no snapshot
	// At is the match time of the tick. Stamps are stored relative to it, so it is set before
	// entities are added (Clear).
	At clock.Micros

	cells  []cell
	extras []extras // of cells and keyframes

	// Complete says that an entity without a sample is not in the match, as in a server's own
	// snapshots. In any other snapshot what is not mentioned has not changed.
	Complete bool
	// Removed are the entities that a received snapshot removes, in ascending order. A server's
	// own snapshots have none.
	Removed []ID

	// keyframes are samples between those of this snapshot and those that the client was sent
	// before, in ascending order of ID and, of one entity, by time. See
	// SnapshotHistory.KeyframesBetween.
	keyframes []cell

	// has and removed are the ids of cells and of Removed as sets, for views of many entities; marked
	// is the number of entries in them.
	has, removed  idSet
	marked        int
	keyframeCache KeyframeCache

	mentioned *idSet // of its history; nil: it is in none
}

// Len returns the number of entities in the snapshot.
func (f *Snapshot) Len() int { return len(f.cells) }

// ID returns the ID of the i-th entity.
func (f *Snapshot) ID(i int) ID { return f.cells[i].id }

// Kind returns the i-th entity's Sample.Kind. With Position it lets a search skip entities
// before it loads all of a sample.
func (f *Snapshot) Kind(i int) Kind { return f.cells[i].kind }

// Position returns the i-th entity's Sample.Position and the Sample.Base in whose frame that is.
func (f *Snapshot) Position(i int) (geom.Vec3, collide.MoverID) {
	c := &f.cells[i]
	return vecOf(&c.position, PositionScale), c.base
}

// Path returns the i-th entity's Sample.At, Position and Velocity.
func (f *Snapshot) Path(i int) (at clock.Micros, position, velocity geom.Vec3) {
	c := &f.cells[i]
	return c.stamp(f.steps(), f.extras), vecOf(&c.position, PositionScale), vecOf(&c.velocity, VelocityScale)
}

// Load makes s the i-th entity's sample.
func (f *Snapshot) Load(i int, s *Sample) { f.cells[i].load(s, f.steps(), f.extras) }

// steps returns the snapshot's instant, from which the cells' stamps count, in steps of
// StampGrid.
func (f *Snapshot) steps() int64 { return int64(f.At / StampGrid) }

// Find makes s the entity's sample and reports whether the snapshot has one. If not, s is left
// as it is.
func (f *Snapshot) Find(id ID, s *Sample) bool {
	i := f.Index(id, 0)
	if i < 0 {
		return false
	}
	f.Load(i, s)
	return true
}

// Entities appends all entities of the snapshot to into.
func (f *Snapshot) Entities(into []Entity) []Entity { return f.append(f.cells, into) }

// append appends the samples of some cells of the snapshot.
func (f *Snapshot) append(cells []cell, into []Entity) []Entity {
	at := f.steps()
	for i := range cells {
		into = append(into, Entity{ID: cells[i].id})
		cells[i].load(&into[len(into)-1].Sample, at, f.extras)
	}
	return into
}

// Clear makes the snapshot that of a tick at a match time, without entities.
func (f *Snapshot) Clear(tick uint32, at clock.Micros) {
	*f = Snapshot{Tick: tick, At: at, Removed: f.Removed[:0], cells: f.cells[:0], keyframes: f.keyframes[:0], extras: f.extras[:0], keyframeCache: KeyframeCache{list: f.keyframeCache.list[:0]},
		has: idSet{far: f.has.far[:0]}, removed: idSet{far: f.removed.far[:0]}, mentioned: f.mentioned}
}

// Add appends an entity to the snapshot, quantised. It panics if id is zero, above MaxID or not
// above the last one's, and if the sample's base is no mover.
func (f *Snapshot) Add(id ID, s Sample) { f.Put(id, &s) }

// Put is Add without a copy of the sample.
func (f *Snapshot) Put(id ID, s *Sample) {
	if id == 0 || id > MaxID {
		panic("track: Snapshot.Add needs an id of 1 … MaxID")
	}
	if n := len(f.cells); n > 0 && f.cells[n-1].id >= id {
		panic("track: Snapshot.Add needs ascending ids")
	}
	if s.Base >= collide.FirstObstacle {
		panic("track: Snapshot.Add needs a sample whose base is a mover of the world")
	}
	f.cells = f.put(f.cells, id, s)
}

// PutKeyframe adds a keyframe to the snapshot: in ascending order of the snapshot's IDs and, of
// one entity, by time; at most MaxKeyframes of each.
func (f *Snapshot) PutKeyframe(id ID, s *Sample) { f.keyframes = f.put(f.keyframes, id, s) }

// put appends a cell to a list.
func (f *Snapshot) put(list []cell, id ID, s *Sample) []cell {
	n := len(list)
	if n == cap(list) { // grows by less than append would, because histories live long
		list = append(make([]cell, 0, n+n/8+4), list...)
	}
	list = list[:n+1]
	var r extras
	c := &list[n]
	if c.id = id; c.set(s, f.steps(), &r) {
		f.extras = append(f.extras, r)
		c.extras = uint16(len(f.extras))
	}
	if f.mentioned != nil {
		f.mentioned.add(id)
	}
	return list
}

// Copy makes the snapshot's contents those of another, with its tick and time.
func (f *Snapshot) Copy(g *Snapshot) {
	f.Clear(g.Tick, g.At)
	f.Complete, f.Removed, f.extras = g.Complete, append(f.Removed, g.Removed...), append(f.extras, g.extras...)
	f.cells, f.keyframes = append(f.cells, g.cells...), append(f.keyframes, g.keyframes...)
	for i := range f.cells {
		if f.mentioned != nil {
			f.mentioned.add(f.cells[i].id)
		}
	}
}

// Index returns the index of an entity, or −1. It looks at hint first: in most snapshots an
// entity has the index that it had in the one before.
func (f *Snapshot) Index(id ID, hint int) int {
	if hint < len(f.cells) && f.cells[hint].id == id {
		return hint
	}
	if i := firstCell(f.cells, id); i < len(f.cells) && f.cells[i].id == id {
		return i
	}
	return -1
}

// firstCell returns the index of the first cell whose id is at least id. It is written out because
// slices.BinarySearchFunc calls its comparison by pointer, once a step.
func firstCell(cells []cell, id ID) int {
	lo, hi := 0, len(cells)
	for lo < hi {
		if m := (lo + hi) / 2; cells[m].id < id {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// mark brings the sets up to date. Entities are only added between two calls of Clear, so the sets are
// up to date if the number of entries is the same.
func (f *Snapshot) mark() {
	n := len(f.cells) + len(f.Removed)
	if f.marked == n {
		return
	}
	f.has.clear()
	f.removed.clear()
	f.marked = n
	for i := range f.cells {
		f.has.add(f.cells[i].id)
	}
	for _, id := range f.Removed {
		f.removed.add(id & MaxID)
	}
}

// SnapshotHistory holds the last snapshots by tick, in storage that is reused: a server's record
// of every tick, or a client's of those that it received. The zero SnapshotHistory holds none;
// make one with NewSnapshotHistory.
type SnapshotHistory struct {
	ring   []Snapshot
	newest uint32
	// mentioned has every entity that a snapshot of the ring has, and forgets those that none has had for twice the
	// ring: mentioned[0] are the entities of this round of the ring, which newest is in, mentioned[1] those of the round before.
	mentioned [2]idSet
}

// NewSnapshotHistory returns an empty history of the given number of ticks. It panics if ticks
// is below ReceivedWindow + 1, which one view may need.
func NewSnapshotHistory(ticks int) *SnapshotHistory {
	if ticks < ReceivedWindow+1 {
		panic("track: NewSnapshotHistory needs at least the ticks of one view")
	}
	return &SnapshotHistory{ring: make([]Snapshot, ticks)}
}

// Ticks returns how many ticks the history holds.
func (f *SnapshotHistory) Ticks() int { return len(f.ring) }

// Newest returns the newest tick recorded, 0 if there is none.
func (f *SnapshotHistory) Newest() uint32 { return f.newest }

// Record returns the snapshot of a tick, empty, to be filled with Add. It replaces the snapshot
// Ticks ticks before it. A client may record older ticks that arrived late. It panics on tick 0,
// and on a tick so old that its place is taken.
func (f *SnapshotHistory) Record(tick uint32, at clock.Micros) *Snapshot {
	if tick == 0 || uint64(tick)+uint64(len(f.ring)) <= uint64(f.newest) {
		panic("track: SnapshotHistory.Record needs a tick that is not zero and not too old")
	}
	r := f.slot(tick)
	// The last snapshot's number of entities is the best guess for this one's.
	if last := f.Snapshot(f.newest); last != nil && cap(r.cells) < len(last.cells) {
		r.cells = make([]cell, 0, len(last.cells))
	}
	f.turn(tick)
	r.mentioned = &f.mentioned[0]
	r.Clear(tick, at)
	f.newest = max(f.newest, tick)
	return r
}

// turn begins the round of the ring that a tick is in, if it is a new one.
func (f *SnapshotHistory) turn(tick uint32) {
	n := uint32(len(f.ring))
	for rounds := min(tick/n-min(f.newest, tick)/n, 2); rounds > 0; rounds-- {
		f.mentioned[0], f.mentioned[1] = f.mentioned[1], f.mentioned[0]
		f.mentioned[0].clear()
	}
}

// decides reports whether a set of entities, in words, has all that any snapshot of the ring has.
func (f *SnapshotHistory) decides(all *[idWords]uint64) bool {
	for i := range f.mentioned {
		for k := range f.mentioned[i].words {
			if f.mentioned[i].word(k)&^all[k] != 0 {
				return false
			}
		}
	}
	return true
}

// Snapshot returns the snapshot of a tick, or nil if it was never recorded or has been replaced.
func (f *SnapshotHistory) Snapshot(tick uint32) *Snapshot {
	if tick == 0 || tick > f.newest || f.newest-tick >= uint32(len(f.ring)) {
		return nil // a skipped tick's place may still hold a much older one
	}
	if r := f.slot(tick); r.Tick == tick {
		return r
	}
	return nil
}

// slot returns where the snapshot of a tick is or would be.
func (f *SnapshotHistory) slot(tick uint32) *Snapshot { return &f.ring[tick%uint32(len(f.ring))] }
