package predict

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// ownerMoves is how many unacknowledged moves an Owner keeps: 2 s at 240 a second.
// It divides 2³², so that numbers may wrap.
const ownerMoves = 512

// Owner is a client's own character: it simulates every move at once, keeps it
// until the authority has answered, and replays what is left when it is corrected.
// Make one with NewOwner.
type Owner[S comparable, C any] struct {
	// Combining lets a move that waits to be sent grow into one longer move with the
	// next, where Rules.Combine agrees (rows CMB). NewOwner sets it; a client whose
	// moves must all be of one length clears it.
	Combining bool
	// Fold is in how many packets each move rides at least (GAP-21), until it is
	// acknowledged: NewOwner sets 3. What Line tells may raise it.
	Fold int
	// Redundancy is how long an unacknowledged move is sent again with every packet
	// (GAP-21), measured by its stamp. NewOwner sets 150 ms; zero sends each once.
	Redundancy clock.Micros
	// Keep is how much time of unacknowledged moves is kept (GAP-22); beyond it the
	// newest half stays. NewOwner sets 2 s; it should be twice the longest round trip.
	Keep clock.Micros

	rules  Rules[S, C]
	state  S
	before S
	number uint32       // newest move made
	stamp  clock.Micros // its stamp
	oldest uint32       // oldest move saved; number+1 where none is
	sent   uint32       // newest move ever packed
	acked  uint32       // newest move acknowledged
	done   claim        // where move doneAt ended, as predicted
	doneAt uint32       // newest acknowledged move whose end is known
	saved  []saved[C]

	epoch   uint8 // newest correction applied
	begun   bool  // whether one was
	places  uint8 // newest placement applied
	waiting bool  // a correction is to be applied before the next move
	fix     Verdict[S]
	view    geom.Vec3

	out   packet[S, C]
	count OwnerCounters
	last  Correction
}

// saved is a move that is not acknowledged, and where it ended (CMD-02).
type saved[C any] struct {
	Command[C]
	after claim
}

// OwnerCounters are totals since NewOwner.
type OwnerCounters struct {
	Made        int     // moves simulated for the first time
	Sent        int     // moves packed for the first time
	Resent      int     // moves packed again
	Acked       int     // moves acknowledged, by corrections too
	Dropped     int     // moves given up because no answer came (GAP-22)
	Corrections int     // corrections applied because the prediction was wrong
	Placed      int     // corrections applied because the server put the character there
	Altered     int     // corrections applied because of what no owner can foresee
	Replayed    int     // moves simulated again
	Ignored     int     // verdicts that were old, doubled or about unknown moves
	Farthest    float64 // largest distance of one, placements left aside, m
}

// Correction describes a correction that an Owner took (ACK-14). The zero value means
// that there was none.
type Correction struct {
	Number   uint32       // the move it corrects
	At       clock.Micros // the stamp of the owner's newest move when it came
	Distance float64      // between predicted and true position after that move, m
	Digest   bool         // whether the digests differed
	Known    bool         // whether the move was still saved; else the two above are zero
	Cause    Cause        // why it was begun
	Replayed int          // moves simulated again on top of it
	// Differences are the fields in which the prediction was wrong, as Rules.Differ
	// names them; unused ones have no name.
	Differences [maxDifferences]Difference
}

// maxDifferences is how many fields a Correction names at most.
const maxDifferences = 4

// NewOwner returns an owner whose character is in state start.
func NewOwner[S comparable, C any](rules Rules[S, C], start S) *Owner[S, C] {
	return &Owner[S, C]{
		Combining:  true,
		Fold:       3,
		Redundancy: 150 * clock.Millisecond,
		Keep:       2 * clock.Second,
		rules:      rules,
		state:      start,
		before:     start,
		oldest:     1,
		done:       claim{rules.Position(&start), rules.Digest(&start)},
		saved:      make([]saved[C], ownerMoves),
	}
}

// State returns the predicted state after the newest move. It changes with the
// next Advance; copy it to keep it.
func (o *Owner[S, C]) State() *S { return &o.state }

// Before returns the state before the newest move: what a shot of that move leaves
// from.
func (o *Owner[S, C]) Before() *S { return &o.before }

// Unacked returns how many moves are saved.
func (o *Owner[S, C]) Unacked() int { return newer(o.number+1, o.oldest) }

// Number returns the newest move made, 0 before the first.
func (o *Owner[S, C]) Number() uint32 { return o.number }

// Epoch returns the newest correction applied; zero before the first.
func (o *Owner[S, C]) Epoch() uint8 { return o.epoch }

// Counters returns the totals so far.
func (o *Owner[S, C]) Counters() OwnerCounters { return o.count }

// LastCorrection returns what is known of the newest correction.
func (o *Owner[S, C]) LastCorrection() Correction { return o.last }

// Advance makes one move that ends at match time stamp and lasts d: it applies a
// waiting correction and replays (ACK-10), then numbers, simulates and saves the
// move (CMD-03). A d above MaxDuration is cut to it (TIM-04); below 1 µs no move is
// made. A stamp not above the one before becomes one microsecond more than it. It
// returns the move, valid until the next Advance, or nil.
func (o *Owner[S, C]) Advance(stamp, d clock.Micros, in C) *Command[C] {
	o.fade(d)
	o.Settle()
	if d < 1 {
		return nil
	}
	o.stamp = max(stamp, o.stamp+1)
	o.makeRoom()
	m := o.slot(o.number + 1)
	m.Command = Command[C]{o.number + 1, o.stamp, min(d, MaxDuration), in}
	o.simulate(m)
	o.number++
	o.count.Made++
	return &m.Command
}

// simulate runs a saved move and notes where it ended.
func (o *Owner[S, C]) simulate(m *saved[C]) {
	o.before = o.state
	o.rules.Step(&o.state, &m.Command)
	m.after = claim{o.rules.Position(&o.state), o.rules.Digest(&o.state)}
}

func (o *Owner[S, C]) slot(number uint32) *saved[C] { return &o.saved[number%ownerMoves] }

// makeRoom drops the oldest half where the saved moves span more than Keep or fill
// the ring (GAP-22).
func (o *Owner[S, C]) makeRoom() {
	n := o.Unacked()
	if n == 0 || n < ownerMoves && o.stamp-o.slot(o.oldest).Stamp <= o.Keep {
		return
	}
	drop := (n + 1) / 2
	o.oldest += uint32(drop)
	o.count.Dropped += drop
}

// Pack writes the moves that were never sent, and before them what is not
// acknowledged and younger than Redundancy, into at most budget bytes: redundancy
// gives way first, then the newest moves, which the next packet then carries. It
// returns how many moves were written. Not one fitting is bits.ErrShort. Without
// moves it writes two bytes, which still tell the epoch.
func (o *Owner[S, C]) Pack(p *bits.Packer, budget int) int {
	if p.Err() != nil {
		return 0
	}
	fresh := newer(o.number, o.sent)
	fresh = min(fresh, o.Unacked())
	again := min(o.again(fresh), MaxMoves-min(fresh, MaxMoves))
	fresh = min(fresh, MaxMoves)
	start := p.Bits()
	for {
		o.write(p, again, fresh)
		if p.Err() == nil && p.Bits()-start > budget*8 {
			p.Fail(bits.ErrShort)
		}
		if p.Err() == nil {
			break
		}
		if p.Err() != bits.ErrShort || again+fresh <= 1 {
			return 0
		}
		p.Rewind(start)
		if again > 0 {
			again /= 2
		} else {
			fresh -= (fresh + 3) / 4
		}
	}
	if fresh > 0 {
		o.sent = o.out.moves[o.out.count-1].Number
	}
	o.count.Sent += fresh
	o.count.Resent += again
	return again + fresh
}

// again counts the moves sent before that are worth sending again.
func (o *Owner[S, C]) again(fresh int) int {
	n := 0
	for i := o.Unacked() - fresh - 1; i >= 0 && o.stamp-o.slot(o.oldest+uint32(i)).Stamp < o.Redundancy; i-- {
		n++
	}
	return n
}

// write packs the oldest fresh moves never sent, with again older ones before them.
func (o *Owner[S, C]) write(p *bits.Packer, again, fresh int) {
	first := o.number + 1 - uint32(min(newer(o.number, o.sent), o.Unacked())) - uint32(again)
	o.out.epoch, o.out.count = o.epoch, again+fresh
	for i := range o.out.count {
		m := o.slot(first + uint32(i))
		o.out.moves[i], o.out.claim = m.Command, m.after
	}
	o.out.pack(p, o.rules, o.stamp)
}
