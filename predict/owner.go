package predict

import (
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
	// Redundancy is in how many packets each move rides at least (GAP-21), until it is
	// acknowledged: NewOwner sets 5. What Line tells may raise it. to 16 at most, and
	// until Line tells anything it is 5. Zero or one sends each move once.
	Redundancy int
	// Keep is how much time of unacknowledged moves is kept (GAP-22); beyond it the
	// newest half stays. NewOwner sets 2 s; it should be twice the longest round trip.
	Keep clock.Micros

	rules   Rules[S, C]
	state   S
	before  S
	drawn   S
	number  uint32       // newest move made
	stamp   clock.Micros // its stamp
	spare   clock.Micros // time since then that no move lasted yet
	oldest  uint32       // oldest move saved; number+1 where none is
	sent    uint32       // newest move ever packed
	acked   uint32       // newest move acknowledged
	pending bool         // the newest move may still take the next into it
	pressed bool         // the next one is a press, and so may not be taken into it
	second  Command[C]   // scratch of join
	saved   []saved[C]

	line   int          // in how many packets a move should ride, as the line is
	usual  clock.Micros // how old moves are when they are acknowledged; 0 where unknown
	varies clock.Micros // by how much that varies

	epoch   uint8 // newest correction applied
	begun   bool  // whether one was
	places  uint8 // newest placement applied
	waiting bool  // a correction is to be applied before the next move
	fix     Verdict[S]
	view    geom.Vec3

	marked   [checkpoints]checkpoint[S]
	marks    int          // marked ever since the newest correction
	replica  S            // scratch of predicted
	named    []Difference // scratch of record
	records  [16]Correction
	recorded int

	out   packet[S, C]
	count OwnerCounters
}

// saved is a move that is not acknowledged, and where it ended (CMD-02).
type saved[C any] struct {
	Command[C]
	after   end
	rode    uint8 // in how many packets
	tells   bool  // it changed what Rules.Digest sums up
	pressed bool  // it was a press
}

// end is where a move ended.
type end struct {
	position geom.Vec3
	digest   uint16
}

// OwnerCounters are totals since NewOwner.
type OwnerCounters struct {
	Made         int     // moves made
	Combined     int     // frames that lengthened a move instead of making one
	Apart        int     // frames that could not lengthen the move that waited
	Sent         int     // moves packed for the first time
	Resent       int     // moves packed again
	Stalled      int     // packets that carried all there was, because nothing was acknowledged
	Acked        int     // moves acknowledged, by corrections too
	Dropped      int     // moves given up because no answer came (GAP-22)
	Corrections  int     // corrections applied because the prediction was wrong
	Teleports    int     // corrections applied because the server put the character there
	ServerForces int     // corrections applied because of what no owner can foresee
	Timeouts     int     // corrections applied because the server went on without the owner
	Throttles    int     // corrections applied because the owner's time ran ahead
	Replayed     int     // moves simulated again
	Ignored      int     // verdicts that were old, doubled or about unknown moves
	Farthest     float64 // largest distance of one, placements left aside, m
}

// NewOwner returns an owner whose character is in state start.
func NewOwner[S comparable, C any](rules Rules[S, C], start S) *Owner[S, C] {
	o := &Owner[S, C]{
		Combining:  true,
		Redundancy: 5,
		Keep:       2 * clock.Second,
		line:       unknownLine,
		rules:      rules,
		state:      start,
		before:     start,
		drawn:      start,
		oldest:     1,
		saved:      make([]saved[C], ownerMoves),
		named:      make([]Difference, 0, 4*maxDifferences),
	}
	o.slot(0).after = o.end(&o.state)
	o.mark(0, 0)
	return o
}

// State returns the predicted state after the newest move. It changes with the
// next Advance; copy it to keep it.
func (o *Owner[S, C]) State() *S { return &o.state }

// StateBefore returns the state before the newest move.
func (o *Owner[S, C]) StateBefore() *S { return &o.before }

// DrawnState returns the state that was drawn before the newest move: what a shot of that move
// leaves from. It is Before but where a gap lies between the two.
func (o *Owner[S, C]) DrawnState() *S { return &o.drawn }

// Unacked returns how many moves are saved.
func (o *Owner[S, C]) Unacked() int { return newer(o.number+1, o.oldest) }

// Number returns the newest move made, 0 before the first.
func (o *Owner[S, C]) Number() uint32 { return o.number }

// Epoch returns the newest correction applied; zero before the first.
func (o *Owner[S, C]) Epoch() uint8 { return o.epoch }

// Counters returns the totals so far.
func (o *Owner[S, C]) Counters() OwnerCounters { return o.count }

// Advance makes one move that ends at match time stamp, for a frame that lasted d: it
// applies a waiting correction and replays (ACK-10), then numbers, simulates and saves
// the move (CMD-03), or lets the move that waits to be sent grow by it (CMB-11). The
// stamp is rounded down to Grain, and what that takes from d the next move gets, so
// moves of frames end to end are end to end. A d above MaxDuration is cut to it
// (TIM-04), and what lies between the move before and this one is simulated first, up to
// MaxGap, with what was held. A stamp not above the one before becomes one Grain more than
// it. It returns the move, valid until the next Advance.
//
// It returns nil, and in is not used, until a Grain has passed; and, where the move may not
// join the one that waits to be sent, until 4 ms have (SND-08). The time is the next move's.
// Hand what in has that happens once to the next Advance.
func (o *Owner[S, C]) Advance(stamp, d clock.Micros, in C) *Command[C] {
	o.fade(d)
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
		o.make(Command[C]{o.number + 1, rounded, lasts, in})
	}
	o.stamp, o.spare = rounded, max(stamp-rounded, 0)
	return &o.slot(o.number).Command
}

// make makes a move of its own.
func (o *Owner[S, C]) make(c Command[C]) {
	o.mark(o.number, o.stamp)
	o.makeRoom(c.Stamp)
	m := o.slot(c.Number)
	*m = saved[C]{Command: c, pressed: o.pressed}
	o.simulate(m)
	o.number, o.pending = c.Number, true
	o.count.Made++
}

// simulate runs a saved move and notes where it ended.
func (o *Owner[S, C]) simulate(m *saved[C]) {
	o.drawn = o.state
	o.fill(&o.state, &m.Command)
	o.before = o.state
	o.rules.Step(&o.state, &m.Command)
	m.after = o.end(&o.state)
	m.tells = m.after.digest != o.rules.Digest(&o.before)
}

func (o *Owner[S, C]) end(s *S) end { return end{o.rules.Position(s), o.rules.Digest(s)} }

func (o *Owner[S, C]) slot(number uint32) *saved[C] { return &o.saved[number%ownerMoves] }

// makeRoom drops the oldest half where the saved moves would span more than Keep with
// one that ends at stamp, or fill the ring (GAP-22).
func (o *Owner[S, C]) makeRoom(stamp clock.Micros) {
	n := o.Unacked()
	if n == 0 || n < ownerMoves && stamp-o.slot(o.oldest).Stamp <= o.Keep {
		return
	}
	drop := (n + 1) / 2
	o.oldest += uint32(drop)
	o.count.Dropped += drop
}
