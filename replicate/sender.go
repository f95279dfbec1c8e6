package replicate

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// In ticks: how the sender keeps the client's picture alive.
const (
	// Refresh is how old the newest sample that a client is known to have of a thing may
	// get before it is told again, though nothing has changed: little more than half of
	// what a view may name, so that there is time for more tries.
	Refresh = track.ReceivedWindow * 9 / 16
	// overdueAge to mostUrgent is from which age on it is tried again every retry ticks: when
	// the first try has had its time.
	overdueAge    = track.ReceivedWindow * 11 / 16
	maxOverdueAge = track.ReceivedWindow * 13 / 16
	retryInterval = 4
	// ackSlack is how much longer than a round trip an acknowledgement may take.
	ackSlack = 4
	// initialRoundTrip is taken for the round trip until one is measured.
	initialRoundTrip = 12
	// maxReferenceAge is how many ticks back a reference may be: one in a snapshot that comes
	// track.ReceivedWindow ticks late is then still among the 2 × track.ReceivedWindow that a client keeps.
	maxReferenceAge = track.ReceivedWindow - 1
)

// historyTicks is for how many ticks it is remembered what a snapshot held: whose
// acknowledgement may still come.
const historyTicks = 2 * track.ReceivedWindow

// sentSnapshot is what one snapshot held.
type sentSnapshot struct {
	tick         uint32
	ids, removed []track.ID
}

// entityState is what a sender knows of one thing and its client.
type entityState struct {
	sent  uint32 // the newest snapshot with a sample of it, 0 for none
	acked uint32 // the newest of those that has come
	first uint32 // the first since it was not there
	// rest is the first of the newest row of snapshots whose samples of it are all alike
	// and like the newest: once one of the row has come, silence says the same.
	rest      uint32
	removedAt uint32  // the first snapshot that says that it is gone, 0: it is not
	relevant  bool    // it was relevant for the last snapshot, unless gone
	wait      float64 // how urgent it has become, waiting for room
}

// reset makes a thing one of which the client knows nothing, but for a sample to tell
// others against.
func (t *entityState) reset() { *t = entityState{acked: t.acked} }

// Sender makes the snapshots of one client. It remembers what it told and what of that
// has come. Make one with NewSender.
//
//	sender.Begin(tick, eye)
//	for sender.More() {
//		p.Write(buf)
//		… the tick, and what else the datagram says
//		sender.Pack(&p)
//		send(p.Bytes())
//	}
type Sender struct {
	match     *Match
	except    track.ID
	sentLog   *track.SentLog
	acks      track.Received
	roundTrip uint32        // ticks, as measured
	entities  []entityState // by id
	known     []track.ID
	history   [historyTicks]sentSnapshot

	// The snapshot that is being made.
	tick, base  uint32
	eye         track.Entity
	position    geom.Vec3 // of the eye
	nearby      []int32   // things near enough to look at, scratch
	relevantIDs []track.ID
	merged      []track.ID // scratch
	candidates  []candidate
	averageBits int // bits that a thing took of late
	removed     []track.ID
	nextRemoved int
	next        int
	part        int
	done        bool
}

// NewSender returns a sender for the player except, who is not told of itself; 0 leaves
// nobody out. A client that comes back with nothing kept needs a new one.
func NewSender(m *Match, except track.ID) *Sender {
	return &Sender{
		match: m, except: except, sentLog: track.NewSentLog(max(m.frames.Ticks(), historyTicks)),
		roundTrip: initialRoundTrip, averageBits: 100, done: true,
	}
}

// SentLog is what the client was told: with the record, what it could have. It is filled by
// Begin and Pack.
func (s *Sender) SentLog() *track.SentLog { return s.sentLog }

// Counts is what a snapshot came to.
type Counts struct {
	// Sent is of how many things it has samples, Gone how many it says are gone, and
	// Waiting how many were due for which there was no room.
	Sent, Removed, Deferred int
}

// Counts returns what the last snapshot came to, once all of it was packed.
func (s *Sender) Counts() Counts {
	p := &s.history[s.tick%historyTicks]
	return Counts{len(p.ids), len(s.removed), len(s.candidates) - len(p.ids)}
}

// RoundTrip returns how many ticks pass from a snapshot to its acknowledgement, as
// measured of late.
func (s *Sender) RoundTrip() int { return int(s.roundTrip) }

// Acknowledge notes which snapshots have come. What was never sent, or is too long ago,
// changes nothing.
func (s *Sender) Acknowledge(r track.Received) {
	if r.Newest > s.acks.Newest && r.Newest <= s.tick {
		took := s.tick - r.Newest
		s.roundTrip = max(took, s.roundTrip-(s.roundTrip-min(took, s.roundTrip)+7)/8)
	}
	for back := uint32(track.ReceivedWindow); back > 0; back-- {
		if r.Mask>>(back-1)&1 != 0 && back < r.Newest {
			s.acknowledged(r.Newest - back)
		}
	}
	s.acknowledged(r.Newest)
}

// acknowledged notes that a snapshot has come.
func (s *Sender) acknowledged(tick uint32) {
	if tick == 0 || s.acks.Has(tick) {
		return
	}
	parcel := &s.history[tick%historyTicks]
	if parcel.tick != tick || tick > s.tick || !s.acks.Mark(tick) {
		return
	}
	for _, id := range parcel.ids {
		if t := &s.entities[id]; t.sent != 0 && tick >= t.first {
			t.acked = max(t.acked, tick)
		}
	}
	for _, id := range parcel.removed {
		if t := &s.entities[id]; t.removedAt != 0 && tick >= t.removedAt {
			t.reset()
		}
	}
}

// Begin chooses what the snapshot of a tick tells: the newest that was recorded, later
// than the last one. The eye is how the receiver stands, as it was recorded. It panics on
// a tick that is not recorded, and on one that is not later.
func (s *Sender) Begin(tick uint32, eye track.Entity) {
	if tick <= s.tick {
		panic("replicate: Sender.Begin needs a later tick")
	}
	m := s.match
	m.begin(tick)
	s.tick, s.eye, s.position = tick, eye, m.positionOf(&eye.Sample)
	if s.base = s.acks.Newest; s.base == 0 || tick-s.base > maxReferenceAge {
		s.base = 0
	}
	s.sentLog.Begin(tick)
	parcel := &s.history[tick%historyTicks]
	parcel.tick, parcel.ids, parcel.removed = tick, parcel.ids[:0], parcel.removed[:0]
	s.next, s.nextRemoved, s.part, s.done = 0, 0, 0, false
	s.candidates, s.relevantIDs, s.removed = s.candidates[:0], s.relevantIDs[:0], s.removed[:0]
	s.choose()
	s.updateRemoved()
	s.choosePayload()
}

// entity returns what is known of a thing.
func (s *Sender) entity(id track.ID) *entityState {
	if int(id) >= len(s.entities) {
		s.entities = append(s.entities, make([]entityState, int(id)+1-len(s.entities)+15)...)
	}
	return &s.entities[id]
}

// updateRemoved tells of what was known and is not relevant now that it is gone, in each snapshot
// until one has come, and makes known what is here.
func (s *Sender) updateRemoved() {
	s.merged = s.merged[:0]
	i := 0
	for _, id := range s.known {
		for ; i < len(s.relevantIDs) && s.relevantIDs[i] < id; i++ {
			s.merged = append(s.merged, s.relevantIDs[i])
		}
		t := &s.entities[id]
		if i < len(s.relevantIDs) && s.relevantIDs[i] == id {
			continue // in the next round
		}
		if t.sent == 0 {
			t.reset() // never told of, or known to be gone
			continue
		}
		if t.removedAt == 0 {
			t.removedAt = s.tick
		}
		s.removed = append(s.removed, id)
		s.merged = append(s.merged, id)
	}
	s.merged = append(s.merged, s.relevantIDs[i:]...)
	s.known, s.merged = s.merged, s.known
}
