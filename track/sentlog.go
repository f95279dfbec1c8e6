package track

import "math/bits"

// SentLog records, for each snapshot sent to one client, which entities it contained and which
// it removed. A server keeps one for each client beside the SnapshotHistory that all clients
// share; together they make the snapshots that this client could receive. The zero SentLog
// records nothing; make one with NewSentLog.
type SentLog struct {
	ring []sentSnapshot
	last ByID[uint32] // the newest tick whose snapshot mentions it
}

// sentSnapshot is the entry of one snapshot.
type sentSnapshot struct {
	tick      uint32 // 0: none
	has, gone idSet
}

// NewSentLog returns an empty log of at least the given number of ticks: as many as the
// SnapshotHistory beside it has. It panics if ticks is below ReceivedWindow + 1.
func NewSentLog(ticks int) *SentLog {
	if ticks < ReceivedWindow+1 {
		panic("track: NewSentLog needs at least the ticks of one view")
	}
	return &SentLog{ring: make([]sentSnapshot, 1<<bits.Len(uint(ticks-1)))}
}

// Begin starts the entry of a tick's snapshot, which is empty. Ticks ascend.
func (t *SentLog) Begin(tick uint32) {
	s := t.slot(tick)
	s.tick = tick
	s.has.clear()
	s.gone.clear()
}

// Add records that the snapshot of the tick, which was begun, has a sample of the entity.
func (t *SentLog) Add(tick uint32, id ID) {
	t.slot(tick).has.add(id)
	*t.last.At(id) = tick
}

// AddRemoved records that the snapshot of the tick says that the entity is removed.
func (t *SentLog) AddRemoved(tick uint32, id ID) {
	t.slot(tick).gone.add(id)
	*t.last.At(id) = tick
}

// LastMention returns the newest tick whose snapshot had a sample of the entity or removed it; 0
// if there is none.
func (t *SentLog) LastMention(id ID) uint32 { return t.last.Get(id) }

// Has reports whether the snapshot of the tick had a sample of the entity.
func (t *SentLog) Has(tick uint32, id ID) bool {
	s := t.snapshot(tick)
	return s != nil && s.has.has(id)
}

// Sent is one snapshot of a SentLog. The zero Sent has no entity.
type Sent struct{ of *sentSnapshot }

// Snapshot returns the snapshot of a tick, for several look-ups; valid until the next Begin. One that is not
// in the log has no entity.
func (t *SentLog) Snapshot(tick uint32) Sent { return Sent{t.snapshot(tick)} }

// Exists reports whether the log has the snapshot.
func (s Sent) Exists() bool { return s.of != nil }

// Has reports whether the snapshot had a sample of the entity.
func (s Sent) Has(id ID) bool { return s.of != nil && s.of.has.has(id) }

// Word returns for which of the entities 64·k … 64·k + 63 the snapshot had a sample, a bit for each.
func (s Sent) Word(k int) uint64 {
	if s.of == nil || k >= s.of.has.words {
		return 0
	}
	return s.of.has.word(k)
}

// Entities appends the entities of which the snapshot had a sample, in ascending order.
func (s Sent) Entities(into []ID) []ID {
	if s.of == nil {
		return into
	}
	return s.of.has.append(into)
}

// Removed appends the entities that the snapshot removed, in ascending order.
func (s Sent) Removed(into []ID) []ID {
	if s.of == nil {
		return into
	}
	return s.of.gone.append(into)
}

// Removed reports whether the snapshot of the tick removed the entity.
func (t *SentLog) Removed(tick uint32, id ID) bool {
	s := t.snapshot(tick)
	return s != nil && s.gone.has(id)
}

// SentBefore returns the newest tick before the given one, by at most ReceivedWindow, whose
// snapshot had a sample of the entity; 0 if there is none or if the entity was removed in
// between.
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

// snapshot returns the entry of a tick, nil if there is none.
func (t *SentLog) snapshot(tick uint32) *sentSnapshot {
	if s := t.slot(tick); s.tick == tick && tick != 0 {
		return s
	}
	return nil
}

// slot returns where the entry of a tick is or would be. The ring's size is a power of two.
func (t *SentLog) slot(tick uint32) *sentSnapshot { return &t.ring[tick&uint32(len(t.ring)-1)] }
