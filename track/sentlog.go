package track

import "math/bits"

// SentLog is what one client was told, snapshot by snapshot: of which things its frame of a
// tick had a sample, and which it was told are gone. A server keeps one for each client
// beside the Frames that all have in common; the two make the frames that this client
// could receive. The zero Told remembers nothing; make one with NewTold.
type SentLog struct {
	ring []sentSnapshot
	last [MaxID + 1]uint32 // the newest tick whose snapshot mentions an ID
}

// idWords is how many words a bit for each ID takes.
const idWords = (int(MaxID) + 64) / 64

// idSet is a set of IDs.
type idSet struct {
	bits  [idWords]uint64
	words int // in use: those after them are 0
}

func (s *idSet) has(id ID) bool { return s.bits[id/64]>>(id%64)&1 != 0 }

func (s *idSet) add(id ID) {
	s.bits[id/64] |= 1 << (id % 64)
	s.words = max(s.words, int(id/64)+1)
}

// sentSnapshot is one snapshot's.
type sentSnapshot struct {
	tick      uint32 // 0: none
	has, gone idSet
}

// NewSentLog returns room for the snapshots of at least the given number of ticks: as many
// as the Frames beside it. It panics where ticks is below Reach + 1.
func NewSentLog(ticks int) *SentLog {
	if ticks < ReceivedWindow+1 {
		panic("track: NewTold needs room for the ticks of one view")
	}
	return &SentLog{ring: make([]sentSnapshot, 1<<bits.Len(uint(ticks-1)))}
}

// Begin starts the snapshot of a tick, of nothing so far. Ticks ascend.
func (t *SentLog) Begin(tick uint32) { *t.slot(tick) = sentSnapshot{tick: tick} }

// Add notes that the snapshot of the tick, which was begun, has a sample of the thing.
func (t *SentLog) Add(tick uint32, id ID) {
	t.slot(tick).has.add(id)
	t.last[id] = tick
}

// AddRemoved notes that it tells that the thing is gone.
func (t *SentLog) AddRemoved(tick uint32, id ID) {
	t.slot(tick).gone.add(id)
	t.last[id] = tick
}

// LastMention returns the newest tick whose snapshot had a sample of the thing or told that it is
// gone; 0 for none.
func (t *SentLog) LastMention(id ID) uint32 { return t.last[id] }

// Has reports whether the snapshot of the tick had a sample of the thing.
func (t *SentLog) Has(tick uint32, id ID) bool {
	s := t.slot(tick)
	return s.tick == tick && tick != 0 && s.has.has(id)
}

// Removed reports whether the snapshot of the tick told that the thing is gone.
func (t *SentLog) Removed(tick uint32, id ID) bool {
	s := t.slot(tick)
	return s.tick == tick && tick != 0 && s.gone.has(id)
}

// SentBefore returns the newest tick before the given one, by at most Reach, whose snapshot
// had a sample of the thing; 0 for none, and where it was told gone in between.
func (t *SentLog) SentBefore(tick uint32, id ID) uint32 {
	for back := uint32(1); back <= ReceivedWindow && back < tick; back++ {
		switch {
		case t.Has(tick-back, id):
			return tick - back
		case t.Removed(tick-back, id):
			return 0
		}
	}
	return 0
}

// snapshot returns what was told in the snapshot of a tick, nil for none.
func (t *SentLog) snapshot(tick uint32) *sentSnapshot {
	if s := t.slot(tick); s.tick == tick && tick != 0 {
		return s
	}
	return nil
}

func (t *SentLog) slot(tick uint32) *sentSnapshot { return &t.ring[tick&uint32(len(t.ring)-1)] }
