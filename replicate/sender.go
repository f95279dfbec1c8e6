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
	// urgent to mostUrgent is from which age on it is tried again every retry ticks: when
	// the first try has had its time.
	urgent     = track.ReceivedWindow * 11 / 16
	mostUrgent = track.ReceivedWindow * 13 / 16
	retry      = 4
	// slack is how much longer than a round trip an acknowledgement may take.
	slack = 4
	// roundTripFirst is taken for the round trip until one is measured.
	roundTripFirst = 12
	// oldest is how many ticks back a reference may be: one in a snapshot that comes
	// track.ReceivedWindow ticks late is then still among the 2 × track.ReceivedWindow that a client keeps.
	oldest = track.ReceivedWindow - 1
)

// parcels is for how many ticks it is remembered what a snapshot held: whose
// acknowledgement may still come.
const parcels = 2 * track.ReceivedWindow

// parcel is what one snapshot held.
type parcel struct {
	tick      uint32
	ids, gone []track.ID
}

// thing is what a sender knows of one thing and its client.
type thing struct {
	sent  uint32 // the newest snapshot with a sample of it, 0 for none
	acked uint32 // the newest of those that has come
	first uint32 // the first since it was not there
	// rest is the first of the newest row of snapshots whose samples of it are all alike
	// and like the newest: once one of the row has come, silence says the same.
	rest uint32
	gone uint32  // the first snapshot that says that it is gone, 0: it is not
	here bool    // it was relevant for the last snapshot, unless gone
	wait float64 // how urgent it has become, waiting for room
}

// forget makes a thing one of which the client knows nothing, but for a sample to tell
// others against.
func (t *thing) forget() { *t = thing{acked: t.acked} }

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
	told      *track.SentLog
	acks      track.Received
	roundTrip uint32  // ticks, as measured
	things    []thing // by id
	known     []track.ID
	parcels   [parcels]parcel

	// The snapshot that is being made.
	tick, base uint32
	eye        track.Entity
	place      geom.Vec3 // of the eye
	found      []int32   // things near enough to look at, scratch
	here       []track.ID
	merged     []track.ID // scratch
	picks      []pick
	usual      int // bits that a thing took of late
	gone       []track.ID
	nextGone   int
	next       int
	part       int
	done       bool
}

// NewSender returns a sender for the player except, who is not told of itself; 0 leaves
// nobody out. A client that comes back with nothing kept needs a new one.
func NewSender(m *Match, except track.ID) *Sender {
	return &Sender{
		match: m, except: except, told: track.NewSentLog(max(m.frames.Ticks(), parcels)),
		roundTrip: roundTripFirst, usual: 100, done: true,
	}
}

// SentLog is what the client was told: with the record, what it could have. It is filled by
// Begin and Pack.
func (s *Sender) SentLog() *track.SentLog { return s.told }

// Counts is what a snapshot came to.
type Counts struct {
	// Sent is of how many things it has samples, Gone how many it says are gone, and
	// Waiting how many were due for which there was no room.
	Sent, Removed, Deferred int
}

// Counts returns what the last snapshot came to, once all of it was packed.
func (s *Sender) Counts() Counts {
	p := &s.parcels[s.tick%parcels]
	return Counts{len(p.ids), len(s.gone), len(s.picks) - len(p.ids)}
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
			s.arrived(r.Newest - back)
		}
	}
	s.arrived(r.Newest)
}

// arrived notes that a snapshot has come.
func (s *Sender) arrived(tick uint32) {
	if tick == 0 || s.acks.Has(tick) {
		return
	}
	parcel := &s.parcels[tick%parcels]
	if parcel.tick != tick || tick > s.tick || !s.acks.Mark(tick) {
		return
	}
	for _, id := range parcel.ids {
		if t := &s.things[id]; t.sent != 0 && tick >= t.first {
			t.acked = max(t.acked, tick)
		}
	}
	for _, id := range parcel.gone {
		if t := &s.things[id]; t.gone != 0 && tick >= t.gone {
			t.forget()
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
	s.tick, s.eye, s.place = tick, eye, m.place(&eye.Sample)
	if s.base = s.acks.Newest; s.base == 0 || tick-s.base > oldest {
		s.base = 0
	}
	s.told.Begin(tick)
	parcel := &s.parcels[tick%parcels]
	parcel.tick, parcel.ids, parcel.gone = tick, parcel.ids[:0], parcel.gone[:0]
	s.next, s.nextGone, s.part, s.done = 0, 0, 0, false
	s.picks, s.here, s.gone = s.picks[:0], s.here[:0], s.gone[:0]
	s.choose()
	s.retire()
	s.fill()
}

// at returns what is known of a thing.
func (s *Sender) at(id track.ID) *thing {
	if int(id) >= len(s.things) {
		s.things = append(s.things, make([]thing, int(id)+1-len(s.things)+15)...)
	}
	return &s.things[id]
}

// retire tells of what was known and is not relevant now that it is gone, in each snapshot
// until one has come, and makes known what is here.
func (s *Sender) retire() {
	s.merged = s.merged[:0]
	i := 0
	for _, id := range s.known {
		for ; i < len(s.here) && s.here[i] < id; i++ {
			s.merged = append(s.merged, s.here[i])
		}
		t := &s.things[id]
		if i < len(s.here) && s.here[i] == id {
			continue // in the next round
		}
		if t.sent == 0 {
			t.forget() // never told of, or known to be gone
			continue
		}
		if t.gone == 0 {
			t.gone = s.tick
		}
		s.gone = append(s.gone, id)
		s.merged = append(s.merged, id)
	}
	s.merged = append(s.merged, s.here[i:]...)
	s.known, s.merged = s.merged, s.known
}
