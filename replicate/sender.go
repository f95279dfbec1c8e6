package replicate

import (
	mathbits "math/bits"
	"slices"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// In ticks: when the sender repeats what has not changed.
const (
	// Refresh is the age that the newest sample of an entity that a client is known to have may
	// reach before it is sent again, though nothing has changed: little more than half of what a
	// view may name, so that there is time for more attempts.
	Refresh = track.ReceivedWindow * 9 / 16
	// overdueAge and maxOverdueAge bound the age from which a sample is sent again every retryInterval
	// ticks: after the first attempt has had its time.
	overdueAge    = track.ReceivedWindow * 11 / 16
	maxOverdueAge = track.ReceivedWindow * 13 / 16
	retryInterval = 4
	// ackSlack is how much longer than a round trip an acknowledgement may take.
	ackSlack = 4
	// initialRoundTrip is the assumed round trip until one is measured.
	initialRoundTrip = 12
	// maxReferenceAge is how many ticks old a reference may be: one in a snapshot that arrives
	// track.ReceivedWindow ticks late is then still among the 2 × track.ReceivedWindow that a
	// client keeps.
	maxReferenceAge = track.ReceivedWindow - 1
)

// ackTicks is for how many ticks the acknowledgement of a snapshot counts: as long as a client keeps it
// (Inbox.Read).
const ackTicks = 2 * track.ReceivedWindow

// entityState is what a sender knows about one entity at its client.
type entityState struct {
	// sent is the newest snapshot with a sample of it, 0 for none; acked the newest of those that
	// arrived; first the first for which it was relevant since it was new to the client.
	sent, acked, first uint32
	// rest is the first of the last run of snapshots whose samples of it all equal the newest. Once
	// one of the run has arrived, nothing more need be sent.
	rest uint32
	// removedAt is the first snapshot that marks it as removed, 0 if none does. Only snapshots from
	// then on prove that the client knows.
	removedAt uint32
	// relevant says that it was relevant for the last snapshot, so it stays so up to LeaveRadius.
	relevant bool
	// wait is its urgency, which grows while it is deferred and is 0 again once it is sent.
	wait float64
}

// reset makes the entity unknown to the client, but keeps the acknowledged sample as a reference.
func (t *entityState) reset() { *t = entityState{acked: t.acked} }

// Sender makes the snapshots of one client. It remembers what it sent and what of that arrived.
// Make one with NewSender.
//
//	sender.Begin(tick, eye)
//	for sender.HasMore() {
//		p.Write(buf)
//		… the tick, and the rest of the datagram's header
//		sender.Pack(&p)
//		send(p.Bytes())
//	}
type Sender struct {
	match     *Match
	except    track.ID // the client's own player
	sentLog   *track.SentLog
	acks      track.Received
	roundTrip uint32        // ticks, as measured
	entities  []entityState // by id
	// known are the entities that are relevant, and those whose removal is not acknowledged yet, in
	// ascending order.
	known []track.ID
	// averageBits is how many bits an entity took recently. It estimates whether a snapshot fits into
	// the budget before anything is encoded.
	averageBits int
	budget      int // bytes of a snapshot's entities, as SetBudget says; 0: those of Rules

	// The snapshot that is being made, and the memory for it.
	*Scratch
	tick uint32
	// baseline is the newest snapshot that was acknowledged, 0 for none. Most references to samples up
	// to it take one bit.
	baseline uint32
	// nextRemoved and next are the first of removed and of candidates that are in no part yet, and
	// part is the next part's number.
	nextRemoved, next, part int
	done                    bool
	counts                  Counts
}

// Scratch is what a sender needs of a snapshot only until it is packed. Senders that make theirs one after
// the other use one Scratch, which stays in the processor's caches: that of the Match, unless Sender.Use
// says otherwise. The zero Scratch is ready.
type Scratch struct {
	owner       *Sender // the last to begin a snapshot in it
	encoded     uint32  // tick of encodings
	encodings   encodings
	shared      bool                // keyframes are cached in the snapshot, for views too
	keyframes   track.KeyframeCache // otherwise
	sample      track.Sample        // scratch
	entity      track.Entity        // scratch
	eye         track.Entity
	position    geom.Vec3   // of the eye
	nearby      []int32     // entities near enough to look at
	relevantIDs []track.ID  // ascending
	merged      []track.ID  // the next known
	candidates  []candidate // what is due, by id
	order       []place     // of those, by urgency
	removed     []track.ID  // what is marked as removed, ascending
	ids         []track.ID  // of an acknowledged snapshot
}

// NewSender returns a sender for the player except, which is not sent to itself; 0 leaves no entity
// out. A client that comes back with nothing kept needs a new one.
func NewSender(m *Match, except track.ID) *Sender {
	// A rewind reads the log as far back as the record reaches, and an acknowledgement may be of any of the
	// last ackTicks.
	return &Sender{
		match: m, except: except, sentLog: track.NewSentLog(max(m.snapshots.Ticks(), ackTicks)),
		roundTrip: initialRoundTrip, averageBits: 100, Scratch: &m.scratch, done: true,
	}
}

// Use makes the following snapshots in another Scratch: that of the goroutine that begins and packs them. Nil
// is that of the Match.
func (s *Sender) Use(d *Scratch) {
	if d == nil {
		d = &s.match.scratch
	}
	s.Scratch = d
}

// SentLog returns what the client was sent. Begin and Pack fill it.
func (s *Sender) SentLog() *track.SentLog { return s.sentLog }

// Acknowledged returns which snapshots are known to have arrived.
func (s *Sender) Acknowledged() track.Received { return s.acks }

// Counts describes a snapshot.
type Counts struct {
	// Sent is how many entities it has samples of, Removed how many it marks as removed, and
	// Deferred how many were due but did not fit.
	Sent, Removed, Deferred int
}

// Counts returns the counts of the last snapshot, once all of it was packed.
func (s *Sender) Counts() Counts { return s.counts }

// RoundTrip returns how many ticks pass from a snapshot to its acknowledgement, as measured
// recently.
func (s *Sender) RoundTrip() int { return int(s.roundTrip) }

// SetBudget changes how many bytes of entities the following snapshots may take, where that is less than
// Rules.Budget; 0 is Rules.Budget. It is for a client with less bandwidth.
func (s *Sender) SetBudget(bytes int) { s.budget = bytes }

// Acknowledge records which snapshots have arrived. Ticks that were never sent, or are too old,
// change nothing.
func (s *Sender) Acknowledge(r track.Received) {
	if r.Newest > s.acks.Newest && r.Newest <= s.tick {
		// The estimate rises at once and falls by an eighth: one that is too short repeats samples
		// whose acknowledgement is on its way, one that is too long only waits a little. The eighth is
		// rounded up, or the estimate would stay seven ticks too long.
		took := s.tick - r.Newest
		s.roundTrip = max(took, s.roundTrip-(s.roundTrip-min(took, s.roundTrip)+7)/8)
	}
	if r.Newest == 0 {
		return
	}
	for fresh := r.Mask &^ s.acks.MaskBefore(r.Newest); fresh != 0; { // the oldest first
		i := uint32(mathbits.Len64(fresh) - 1)
		fresh &^= 1 << i
		if i+1 < r.Newest {
			s.acknowledged(r.Newest - 1 - i)
		}
	}
	s.acknowledged(r.Newest)
}

// acknowledged records that a snapshot has arrived.
func (s *Sender) acknowledged(tick uint32) {
	if tick > s.tick || s.tick-tick >= ackTicks || s.acks.Has(tick) {
		return // invented, too old, or known
	}
	sent := s.sentLog.Snapshot(tick)
	if !sent.Exists() || !s.acks.Mark(tick) {
		return
	}
	// What arrived from before an entity was removed, or came back, says nothing about it now.
	s.ids = sent.Entities(s.ids[:0])
	for _, id := range s.ids {
		if t := &s.entities[id]; t.sent != 0 && tick >= t.first {
			t.acked = max(t.acked, tick)
		}
	}
	s.ids = sent.Removed(s.ids[:0])
	for _, id := range s.ids {
		if t := &s.entities[id]; t.removedAt != 0 && tick >= t.removedAt {
			t.reset()
		}
	}
}

// Begin chooses the content of the snapshot of a tick: the newest that was recorded, later than the
// last one. The eye is the receiver's entity, as it was recorded. All of it is packed before another
// sender with the same Scratch begins. It panics on a tick that is not recorded, and on one that is not later.
func (s *Sender) Begin(tick uint32, eye track.Entity) {
	if tick <= s.tick {
		panic("replicate: Sender.Begin needs a later tick")
	}
	m := s.match
	m.Begin(tick)
	if s.encoded != tick {
		s.encoded = tick
		s.encodings.begin(m.snapshot.Len())
	}
	s.tick, s.owner, s.eye, s.position = tick, s, eye, m.positionOf(&eye.Sample)
	if s.baseline = s.acks.Newest; s.baseline == 0 || tick-s.baseline > maxReferenceAge {
		s.baseline = 0 // the client may have forgotten it: everything is packed without a reference
	}
	s.sentLog.Begin(tick)
	s.next, s.nextRemoved, s.part, s.done = 0, 0, 0, false
	s.candidates, s.relevantIDs, s.removed = s.candidates[:0], s.relevantIDs[:0], s.removed[:0]
	s.choose()
	s.updateRemoved()
	s.choosePayload()
	s.counts = Counts{0, len(s.removed), len(s.candidates)}
}

// entity returns the state of an entity. The list grows to the highest id in use and a little more:
// few games use all of MaxID.
func (s *Sender) entity(id track.ID) *entityState {
	if int(id) >= len(s.entities) {
		s.entities = append(s.entities, make([]entityState, int(id)+1-len(s.entities)+15)...)
	}
	return &s.entities[id]
}

// updateRemoved marks known entities that are no longer relevant as removed, in each snapshot until
// one has arrived, and adds the relevant ones to the known. Both lists ascend, so it is one merge.
func (s *Sender) updateRemoved() {
	if slices.Equal(s.known, s.relevantIDs) {
		return // the usual case
	}
	s.merged = s.merged[:0]
	i := 0
	for _, id := range s.known {
		for ; i < len(s.relevantIDs) && s.relevantIDs[i] < id; i++ {
			s.merged = append(s.merged, s.relevantIDs[i])
		}
		t := &s.entities[id]
		if i < len(s.relevantIDs) && s.relevantIDs[i] == id {
			continue // the next iteration appends it
		}
		if t.sent == 0 {
			t.reset() // never sent, or known to be removed
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
