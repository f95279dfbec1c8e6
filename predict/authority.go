package predict

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// queueMoves is how many successive numbers an Authority can hold: 5 s at 200 a
// second, which is what a stalled network delivers at once. It divides 2³².
const queueMoves = 1024

// Authority is the server's end of one owner's moves: it runs them in order of
// their numbers, each once, checks what the owner claims, and answers. Make one
// with NewAuthority.
type Authority[S comparable, C any] struct {
	// Limits hold for moves received from now on.
	Limits Limits
	// RoundTrip is the least time that the owner's packets have lately taken there and
	// back, by which its clock is checked (TIM-12): believed down at once and up by a
	// hundredth of the time that passes. Zero where it is not known yet.
	RoundTrip clock.Micros
	// Hold is for how long every move waits beyond the least that its line takes, 0 …
	// 250 ms, so that what is late or lost can still arrive: the owner's own choice.
	Hold clock.Micros

	rules     Rules[S, C]
	optional  optional[S, C]
	checked   bool // Limits were
	state     S
	before    S
	unaltered S            // scratch of Alter
	current   *Command[C]  // the step that Next made; in silence still the last input
	next      *Command[C]  // the move that is looked at; run makes it the current one
	arrived   clock.Micros // when it came
	missing   clock.Micros // time to be simulated before it
	drawn     drawn[S]     // until the move that follows it was run
	unaware   unaware[S]   // until the owner has learnt of what Alter changed
	filler    bool
	staged    bool // next runs next: its missing time was just simulated
	proof     proof

	started bool         // a move was run or refused
	last    uint32       // newest move that was run or refused
	stamp   clock.Micros // how far the owner's stamps have come
	began   clock.Micros // when the move that was run last began
	budget  budget
	lead    lead
	silence silence
	trusted float64      // m of Limits.TrustDistance that were used up …
	trustAt clock.Micros // … as of then

	queue  []queued[C]
	waits  int            // moves queued
	newest uint32         // newest number queued
	came   clock.Micros   // when the packet came that is being received
	line   clock.MinDelay // by which the newest moves came after their stamps

	lateness clock.Micros // by how much more than that the newest one did
	late     lateness

	epoch      uint8
	applied    uint8 // newest epoch that a packet has shown
	untold     bool  // something changed since the newest epoch was begun
	correcting bool  // until a packet shows the epoch
	fresh      bool  // and its correction was never sent
	large      bool
	cause      Cause
	places     uint8 // placements begun, wrapping
	sentAt     clock.Micros
	verdict    Verdict[S]

	in    packet[S, C]
	past  past[C]
	count AuthorityCounters
}

// queued is a move that waits for its turn, or did.
type queued[C any] struct {
	Command[C]
	proof   proof
	arrived clock.Micros
	full    bool // it waits
	used    bool // the slot ever held a move
}

// hold puts a move that came into its slot.
func (q *queued[C]) hold(c *Command[C], came clock.Micros) {
	q.Command = *c
	q.proof, q.arrived, q.full, q.used = proof{}, came, false, true
}

// proof is the claim that came with a packet's newest move.
type proof struct {
	claim
	epoch uint8
	made  bool
}

// AuthorityCounters are totals since NewAuthority.
type AuthorityCounters struct {
	Executed        int // moves run
	GapFills        int // steps of missing time
	Missing         int // moves that never came
	Refused         int // moves beyond a limit: too long, too early, too old, too many
	Stale           int // moves whose stamp was not above the one before
	Duplicates      int // moves that were run or queued already
	Tested          int // claims tested
	Corrections     int // corrections begun because the owner was wrong
	Teleports       int // corrections begun by Place and Force
	ServerForces    int // corrections begun by Alter
	CorrectionsSent int // verdicts that were corrections
	Throttled       int // verdicts that were not, because the last was just sent
	BadPackets      int // packets that could not be read
	Cut             int // moves run for less than they lasted, or not at all, to keep time
	SlowedDown      int // corrections begun because of that (TIM-13)
	Overdue         int // moves cut because too much came at once of what was late
	ServerDriven    int // steps of time in which the owner was silent (GAP-11)
	Timeouts        int // corrections begun because of that
	Trusted         int // claims adopted (SRV-14)
	Late            int // moves that came after a newer one, in time or not
	Unbased         int // packets too old to be read: coded against a move forgotten since
}

// NewAuthority returns the authority over a character in state start, which must
// equal the owner's.
func NewAuthority[S comparable, C any](rules Rules[S, C], start S) *Authority[S, C] {
	return &Authority[S, C]{
		Limits:   DefaultLimits(),
		rules:    rules,
		optional: optionalOf[S, C](rules),
		state:    start,
		before:   start,
		current:  new(Command[C]),
		next:     new(Command[C]),
		queue:    make([]queued[C], queueMoves),
	}
}

// State returns the true state. It changes with the next step; copy it to keep it,
// and use Place or Alter to change it. What is changed in it directly the owner is
// told of only once its prediction fails the error test.
func (a *Authority[S, C]) State() *S { return &a.state }

// StateBefore returns the state before the step that Next made.
func (a *Authority[S, C]) StateBefore() *S { return &a.before }

// Command returns the move that Next ran, as it ran it: cut where the owner's time is.
// For missing time its input is what Carry left of the next move's, its number that
// move's, its stamp where that begins; for forced time see Forced.
func (a *Authority[S, C]) Command() *Command[C] { return a.current }

// Began returns the match time at which the newest move began: when its owner drew
// what it saw before it made the move. That is where the move before it ended, also
// where a frame was too long to be simulated whole; if that one is missing, where the
// move's own duration says.
func (a *Authority[S, C]) Began() clock.Micros { return a.began }

// Stamp returns how far the owner's stamps have come: the platform time of State.
func (a *Authority[S, C]) Stamp() clock.Micros { return a.stamp }

// Arrived returns the match time at which the move that Next ran had come. Steps of
// time without a move leave it as it is.
func (a *Authority[S, C]) Arrived() clock.Micros { return a.arrived }

// GapFill reports whether Next simulated time instead of a move: missing or, where
// Forced says so, silent.
func (a *Authority[S, C]) GapFill() bool { return a.filler }

// Number returns the newest move that was run or refused; zero before the first.
func (a *Authority[S, C]) Number() uint32 { return a.last }

// Queued returns how many moves wait.
func (a *Authority[S, C]) Queued() int { return a.waits }

// Counters returns the totals so far.
func (a *Authority[S, C]) Counters() AuthorityCounters { return a.count }

// Receive reads a section of moves that Owner.Pack wrote, the last thing in its
// packet, and queues what is new. now is the match time and arrived that at which the
// packet came, not later. A section that cannot be read, or that bytes follow, is an
// error and changes nothing; it does not matter how often or in which order packets
// come.
func (a *Authority[S, C]) Receive(now, arrived clock.Micros, p *bits.Packer) error {
	if !a.checked {
		a.check()
	}
	a.past = past[C]{a.last, a.queue}
	a.in.pack(p, a.rules, now, &a.past)
	if a.in.lost {
		a.count.Unbased++
		return nil
	}
	p.End()
	if err := p.Err(); err != nil {
		a.count.BadPackets++
		return err
	}
	a.take(arrived)
	return nil
}

// take queues what is new of the packet that was read.
func (a *Authority[S, C]) take(arrived clock.Micros) {
	a.shown(a.in.epoch)
	if a.in.count > 0 {
		a.unaware.learn(a.applied, a.in.moves[a.in.count-1].Number)
	}
	a.came = arrived
	for i := range a.in.count {
		q := a.enqueue(&a.in.moves[i])
		if q != nil && i == a.in.count-1 {
			q.proof = proof{a.in.claim, a.in.epoch, true}
			a.hear(q)
		}
	}
}

// shown takes in which correction a packet shows as the newest that was applied.
func (a *Authority[S, C]) shown(low uint8) {
	behind := (a.epoch - low) & (1<<epochBits - 1)
	if behind < a.epoch-a.applied {
		a.applied = a.epoch - behind
	}
	if behind != 0 {
		return
	}
	a.correcting = false
	if a.untold {
		a.untold = false
		a.correct(a.large, a.cause)
	}
}

// enqueue queues c by its number, or returns nil where it was run, refused or
// queued before. A number beyond the queue's end pushes the oldest ones out.
func (a *Authority[S, C]) enqueue(c *Command[C]) *queued[C] {
	q := &a.queue[c.Number%queueMoves]
	passed := a.started && newer(c.Number, a.last) <= 0
	if passed || q.used && q.Number == c.Number || a.waits > 0 && newer(a.newest, c.Number) >= queueMoves {
		a.count.Duplicates++
		if passed {
			a.tooLate(q, c)
		}
		return nil
	}
	if ahead := newer(c.Number, a.newest); a.waits == 0 || ahead > 0 {
		if a.waits > 0 {
			a.pushOut(ahead)
		}
		a.newest = c.Number
	} else {
		a.noteLate(c.Number)
	}
	q.hold(c, a.came)
	q.full = true
	a.waits++
	return q
}

// pushOut frees the slots of the next ahead numbers.
func (a *Authority[S, C]) pushOut(ahead int) {
	for i := 1; i <= min(ahead, queueMoves) && a.waits > 0; i++ {
		if q := &a.queue[(a.newest+uint32(i))%queueMoves]; q.full {
			q.full = false
			a.waits--
			a.count.Refused++
		}
	}
}

// front returns the queued move with the lowest number, or nil.
func (a *Authority[S, C]) front() *queued[C] {
	if a.waits == 0 {
		return nil
	}
	n := a.newest - (queueMoves - 1)
	if a.started && newer(a.last+1, n) > 0 {
		n = a.last + 1
	}
	for ; newer(a.newest, n) > 0 && !a.queue[n%queueMoves].full; n++ {
	}
	return &a.queue[n%queueMoves]
}

// SetState puts the character into state s: a teleport, a new life. The owner is
// corrected at once and told that it was placed.
func (a *Authority[S, C]) SetState(s S) {
	a.state, a.drawn.held, a.unaware.held = s, false, false
	a.ForceCorrection()
}

// ForceCorrection corrects the owner at once whether or not it is wrong, with the fast
// repetition (SRV-11, SRV-12).
func (a *Authority[S, C]) ForceCorrection() {
	a.correct(true, Teleport)
	a.places++
	a.count.Teleports++
}

// Modify lets something change the state that the owner could not foresee: a push, a
// launch, a mode or a motion that the server sets (RMS-21, MOD-01). The owner is told
// at once, as one correction with the fast repetition: it goes on from there with the
// moves that it has made meanwhile, and none that it made before it knew is corrected
// again (E2E-05). It reports false, and tells nobody, where nothing changed.
func (a *Authority[S, C]) Modify(change func(*S)) bool {
	a.unaltered = a.state
	change(&a.state)
	if a.state == a.unaltered {
		return false
	}
	a.drawn.held = false
	a.correct(true, ServerForce)
	a.unaware.begin(&a.unaltered, a.epoch, a.RoundTrip+unawareMost)
	a.count.ServerForces++
	return true
}

// wrong begins a correction of an owner who was wrong, or could not be right.
func (a *Authority[S, C]) wrong(large bool) {
	if a.silence.overtook {
		a.silence.overtook = false
		a.correct(large, Timeout)
		a.count.Timeouts++
		return
	}
	a.correct(large, Misprediction)
	a.count.Corrections++
}

// mostOpen is how many corrections are open at most, begun and not shown as applied, so
// that the low bits of an epoch always tell which is meant.
const mostOpen = 1<<epochBits - 4

// correct begins a correction. Where too many are open it takes the place of the newest,
// and what an owner who knows that one already must still be told waits for the packet
// that shows it.
func (a *Authority[S, C]) correct(large bool, cause Cause) {
	if a.epoch-a.applied < mostOpen {
		a.epoch++
	} else {
		a.untold = true
	}
	a.correcting, a.fresh, a.large, a.cause = true, true, large, cause
}
