package predict

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/smoothing"
)

// ownerMoves is the most unacknowledged moves that an Owner keeps: 2 s at 240 a second. It
// divides 2³², so numbers may wrap.
const ownerMoves = 512

// Owner predicts a client's own character: it simulates every move at once, saves it until the
// authority acknowledges it, and replays the saved moves after a correction. Make one with
// NewOwner.
type Owner[S comparable, C any] struct {
	// Combining lets a move that waits to be sent grow into one longer move with the next,
	// where Rules.Combine agrees (rows CMB). NewOwner sets it; a client with a fixed tick,
	// whose moves must have one length, clears it.
	Combining bool
	// Redundancy is the least number of packets in which each move is sent (GAP-21), unless it
	// is acknowledged before: NewOwner sets 5. SetLoss can raise the number, to 16 at most; before
	// SetLoss it is at least 5. Zero means one.
	Redundancy int
	// Keep is the longest time that unacknowledged moves may span (GAP-22); beyond it the older
	// half is dropped. NewOwner sets 2 s; it should be twice the longest round trip. Zero
	// keeps only a few moves.
	Keep clock.Micros

	rules   Rules[S, C]
	state   S
	before  S
	drawn   S            // state before the gap, if gapped
	gapped  bool         // a gap was simulated before the newest move
	stamp   clock.Micros // of the newest move
	spare   clock.Micros // frame time since then that no move covers yet
	pending bool         // the newest move may still be combined with the next
	pressed bool         // the next move is a press, which may not be combined with the newest
	scratch Command[C]   // scratch of join and fillGap

	moveBuffer[C]
	lossRedundancy int // packets for each move that the measured loss needs
	ackDelay       ackDelay

	received[S]
	viewError    smoothing.Offset
	acknowledged *acknowledged[S] // nil before KeepAcknowledgedState

	checkpoints checkpoints[S]
	replica     S // scratch of predicted
	log         correctionLog

	out   packet[S, C]
	count OwnerCounters
}

// moveBuffer is a ring of the moves that are not acknowledged.
type moveBuffer[C any] struct {
	saved  []saved[C] // by number
	number uint32     // newest move made
	oldest uint32     // oldest move saved; number+1 if none
	sent   uint32     // newest move ever packed
	acked  uint32     // newest move acknowledged
}

func (b *moveBuffer[C]) slot(number uint32) *saved[C] { return &b.saved[number%ownerMoves] }

// received is the newest correction that an owner received.
type received[S comparable] struct {
	epoch      uint8 // newest correction applied
	corrected  bool  // one was applied
	teleports  uint8 // newest teleport applied
	waiting    bool  // correction is to be applied before the next move
	correction Verdict[S]
}

// saved is an unacknowledged move, and where it ended (CMD-02).
type saved[C any] struct {
	Command[C]
	after     end
	sends     uint8 // packets in which it was sent
	important bool  // by Rules.Important
	pressed   bool  // it was a press
}

// end is where a move ended.
type end struct {
	position geom.Vec3
	digest   uint16
}

// OwnerCounters are totals since NewOwner.
type OwnerCounters struct {
	Made         int     // moves made
	Combined     int     // frames that lengthened the pending move
	NotCombined  int     // frames that could not lengthen the pending move
	Sent         int     // moves packed for the first time
	Resent       int     // moves packed again
	Stalled      int     // packets that carried all saved moves, because acknowledgements were overdue
	Acked        int     // moves acknowledged, by corrections too
	Dropped      int     // moves dropped because no answer arrived (GAP-22)
	Corrections  int     // applied corrections with the cause Misprediction
	Teleports    int     // with the cause Teleport
	ServerForces int     // with the cause ServerForce
	Timeouts     int     // with the cause Timeout
	Throttles    int     // with the cause Throttle
	Replayed     int     // moves simulated again after corrections
	Ignored      int     // verdicts that were old, duplicated or about unknown moves
	MaxDistance  float64 // largest Correction.Distance except of teleports, m
}

// NewOwner returns an owner whose character is in state start.
func NewOwner[S comparable, C any](rules Rules[S, C], start S) *Owner[S, C] {
	o := &Owner[S, C]{
		Combining:      true,
		Redundancy:     5,
		Keep:           2 * clock.Second,
		lossRedundancy: defaultRedundancy,
		rules:          rules,
		state:          start,
		before:         start,
		moveBuffer:     moveBuffer[C]{saved: make([]saved[C], ownerMoves), oldest: 1},
		log:            correctionLog{differences: make([]Difference, 0, 4*maxDifferences)},
	}
	o.slot(0).after = o.end(&o.state)
	o.saveCheckpoint(0, 0)
	return o
}

// State returns the predicted state after the newest move. It changes with the next Advance;
// copy it to keep it.
func (o *Owner[S, C]) State() *S { return &o.state }

// Correction returns the newest correction that was received, zero if there was none.
func (o *Owner[S, C]) Correction() *Verdict[S] { return &o.correction }

// StateBefore returns the state before the newest move.
func (o *Owner[S, C]) StateBefore() *S { return &o.before }

// DrawnState returns the state that was drawn before the newest move, from which a shot of that
// move leaves. It differs from StateBefore only where a gap was simulated in between.
func (o *Owner[S, C]) DrawnState() *S {
	if o.gapped {
		return &o.drawn
	}
	return &o.before
}

// Unacked returns how many moves are saved, none of them acknowledged.
func (o *Owner[S, C]) Unacked() int { return newer(o.number+1, o.oldest) }

// Number returns the newest move made, 0 before the first.
func (o *Owner[S, C]) Number() uint32 { return o.number }

// Epoch returns the newest correction applied; zero before the first.
func (o *Owner[S, C]) Epoch() uint8 { return o.epoch }

// Counters returns the totals so far.
func (o *Owner[S, C]) Counters() OwnerCounters { return o.count }

// Advance makes one move that ends at match time stamp, for a frame that lasted d. It applies a
// waiting correction and replays (ACK-10), then numbers, simulates and saves the move (CMD-03),
// or combines it with the pending one (CMB-11). It returns the move, valid until the next
// Advance.
//
// The stamp is rounded down to TimeQuantum and the remainder of d is added to the next move, so
// contiguous frames make contiguous moves. A d above MaxDuration is cut to it (TIM-04), and the
// gap between the move before and this one is simulated first with the held input, if it is at
// most MaxGap. A stamp not above the one before is raised to one TimeQuantum above it.
//
// Advance returns nil, and does not use in, before a TimeQuantum has passed, and before 4 ms
// have passed where the move may not be combined with the pending one (SND-08). The time is
// added to the next move. Pass one-time input again to the next Advance.
func (o *Owner[S, C]) Advance(stamp, d clock.Micros, in C) *Command[C] {
	o.viewError.Decay(d, smoothing.Time, smoothing.TurnTime)
	o.ApplyCorrection()
	o.spare += max(d, 0)
	lasts := min(o.spare-o.spare%TimeQuantum, MaxDuration)
	if lasts < TimeQuantum {
		return nil
	}
	rounded := max(stamp-stamp%TimeQuantum, o.stamp+TimeQuantum)
	if !o.join(rounded, lasts, &in) {
		if o.tooSoon(rounded) {
			return nil
		}
		o.add(Command[C]{o.number + 1, rounded, lasts, in})
	}
	o.stamp, o.spare = rounded, max(stamp-rounded, 0)
	return &o.slot(o.number).Command
}

// add makes a move that is not combined.
func (o *Owner[S, C]) add(c Command[C]) {
	o.saveCheckpoint(o.number, o.stamp)
	o.makeRoom(c.Stamp)
	m := o.slot(c.Number)
	*m = saved[C]{Command: c, pressed: o.pressed}
	o.simulate(m)
	m.important = o.rules.Important(&o.before, &o.state, &m.Command)
	o.number, o.pending = c.Number, true
	o.count.Made++
}

// simulate runs the gap before a saved move, then the move, and saves where it ended.
func (o *Owner[S, C]) simulate(m *saved[C]) {
	gap := o.gapBefore(&m.Command)
	if o.gapped = gap > 0; o.gapped {
		o.drawn = o.state
		o.fillGap(&o.state, &m.Command, gap)
	}
	o.before = o.state
	o.rules.Step(&o.state, &m.Command)
	o.noteEnd(m.Number)
	m.after = o.end(&o.state)
}

func (o *Owner[S, C]) end(s *S) end { return end{o.rules.Position(s), o.rules.Digest(s)} }

// makeRoom drops the older half of the saved moves where they would span more than Keep with
// a move that ends at stamp, or where the ring is full (GAP-22).
func (o *Owner[S, C]) makeRoom(stamp clock.Micros) {
	n := o.Unacked()
	if n == 0 || n < ownerMoves && stamp-o.slot(o.oldest).Stamp <= o.Keep {
		return
	}
	drop := (n + 1) / 2
	o.oldest += uint32(drop)
	o.count.Dropped += drop
}
