package predict

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// queueMoves is how many successive numbers an Authority can queue: 5 s at 200 moves a
// second, which a stalled network delivers at once. It divides 2³², so numbers may wrap.
const queueMoves = 1024

// Authority is the server's end of one owner's moves: it runs each move once, in order of
// their numbers, compares the result with the owner's claim, and answers with a Verdict. Make
// one with NewAuthority.
type Authority[S comparable, C any] struct {
	// Limits are what is tolerated of the moves, set before the first Receive. Zero means the
	// defaults.
	Limits Limits
	// RoundTrip is the shortest recent round trip of the owner's packets, in microseconds; the
	// owner's clock is checked against it (TIM-12). A decrease counts at once, an increase by
	// at most a hundredth of the time that passes. Zero means unknown.
	RoundTrip clock.Micros
	// InputDelay is how long every move waits beyond the least delay of its link, 0 … 250 ms, so
	// that late and lost moves can still arrive. The owner chooses it. Zero means no wait.
	InputDelay clock.Micros

	// The fields that each packet and each move touch come first, large and rarely used ones last: a
	// server's caches hold little of a match between two ticks.
	*Scratch[S, C]
	rules    Rules[S, C]
	optional optional[S, C]
	moveQueue[C]
	nextMove[C]
	linkDelays
	last    uint32       // newest move that was run or refused
	started bool         // a move was run or refused
	checked bool         // Limits passed check
	gapFill bool         // the step that Next made is no move
	stamp   clock.Micros // of the newest step
	from    clock.Micros // match time before which no move begins; 0: none, see Continue
	began   clock.Micros // start of the newest move
	current *Command[C]  // the step that Next made; in silence it keeps the last input
	budget  budget
	lead    lead
	silence silence
	corrections
	limits Limits // Limits when they passed check, filled
	count  AuthorityCounters
	trust  trustBudget

	verdict Verdict[S]
	absence absence[S]
	stale   stalePrediction[S]
	state   S
}

// Scratch is memory that an Authority uses during a call. The authorities that one goroutine calls may share
// one: then it stays in the processor's caches from player to player.
type Scratch[S comparable, C any] struct {
	in        packet[S, C]
	baselines baselineTable[C]
	before    S // the newest step
	unaltered S // the change of a Modify
}

// corrections are the corrections that were begun, and which of them the owner has applied.
type corrections struct {
	epoch      uint8 // the newest
	applied    uint8 // the newest that a packet has shown as applied
	deferred   bool  // the state changed again since the newest epoch began
	correcting bool  // no packet has shown the epoch yet
	unsent     bool  // the newest correction was never sent
	large      bool  // repeated at the short interval
	cause      Cause
	teleports  uint8   // begun, wrapping
	yaw, pitch float64 // of the newest teleport
	sentAt     clock.Micros
}

// moveQueue holds the received moves by number. A slot keeps its move after it was run, as a baseline of
// later packets, until a newer number needs it.
type moveQueue[C any] struct {
	queue   []queued[C]
	waiting int    // moves queued
	newest  uint32 // newest number queued
}

// nextMove is the move to run next.
type nextMove[C any] struct {
	next    *Command[C]
	claim   receivedClaim
	arrived clock.Micros
	missing clock.Micros // time to simulate before it
	staged  bool         // that time is being simulated; the move is run after it
}

// linkDelays are the delays of the packets of the owner.
type linkDelays struct {
	receivedAt clock.Micros   // arrival of the packet that is being received
	lateness   clock.Micros   // of the newest move, beyond the least delay
	reorder    wait           // for missing moves
	linkDelay  clock.MinDelay // least delay between stamp and arrival of newest moves
}

// queued is a slot of the queue: a move that waits to be run, or was run.
type queued[C any] struct {
	waiting bool // the move was not run yet
	used    bool // the slot has ever held a move
	arrived clock.Micros
	claim   receivedClaim
	Command[C]
}

// store puts a received move into its slot.
func (q *queued[C]) store(c *Command[C], arrived clock.Micros) {
	q.Command = *c
	q.claim, q.arrived, q.waiting, q.used = receivedClaim{}, arrived, false, true
}

// receivedClaim is the claim that a packet carries for its newest move.
type receivedClaim struct {
	claim
	epoch uint8 // low bits of the newest correction that the owner had applied
	made  bool  // the move has a claim
}

// AuthorityCounters are totals since NewAuthority.
type AuthorityCounters struct {
	Executed        int // moves run
	GapFills        int // steps of missing time
	Missing         int // moves that never arrived
	Refused         int // moves beyond a limit: too old, too many, or pushed out of the queue
	Stale           int // moves whose stamp was not above the one before
	Duplicates      int // moves that were run or queued already
	Tested          int // claims compared with the true state
	Corrections     int // corrections begun because of a misprediction
	Teleports       int // corrections begun by SetState
	ServerForces    int // corrections begun by Modify
	CorrectionsSent int // verdicts that were corrections
	RepeatsHeld     int // verdicts that were no correction, because the last one was just sent
	BadPackets      int // packets that could not be read
	Cut             int // moves shortened or dropped because the owner's time ran ahead
	Throttles       int // corrections begun because of that (TIM-13)
	Overdue         int // moves shortened because too many late ones arrived at once
	ServerDriven    int // steps of time in which the owner was silent (GAP-11)
	Timeouts        int // corrections begun because of that
	Trusted         int // claims adopted (SRV-14)
	Late            int // moves that arrived after a newer one, in time or not
	MissingBaseline int // packets too old to be read: coded against a move forgotten since
}

// NewAuthority returns the authority over a character in state start, which must equal the
// state that the owner starts with. It allocates a queue of 1,024 moves. With a nil scratch it
// allocates one of its own.
func NewAuthority[S comparable, C any](rules Rules[S, C], start S, scratch *Scratch[S, C]) *Authority[S, C] {
	if scratch == nil {
		scratch = new(Scratch[S, C])
	}
	return &Authority[S, C]{
		Scratch:   scratch,
		limits:    Limits{}.filled(),
		rules:     rules,
		optional:  optionalOf[S, C](rules),
		state:     start,
		current:   new(Command[C]),
		nextMove:  nextMove[C]{next: new(Command[C])},
		moveQueue: moveQueue[C]{queue: make([]queued[C], queueMoves)},
	}
}

// Use sets the scratch and the rules of the goroutine that calls the authority from now on. The rules
// may differ from its own only in the memory that they use.
func (a *Authority[S, C]) Use(rules Rules[S, C], scratch *Scratch[S, C]) {
	if a.Scratch != scratch {
		a.Scratch, a.rules, a.optional = scratch, rules, optionalOf[S, C](rules)
	}
}

// State returns the true state. It changes with the next step; copy it to keep it, and use
// SetState or Modify to change it. After a direct change the owner is corrected only once a
// claim fails the error test.
func (a *Authority[S, C]) State() *S { return &a.state }

// StateBefore returns the state before the step that Next made, until the next step of any authority
// of the Scratch.
func (a *Authority[S, C]) StateBefore() *S { return &a.before }

// Command returns the move that Next ran, with the duration for which it ran. For missing time
// it has the held input (Rules.ClearOneTime), the number of the next move, and the stamp at which the
// step ends; for time without the owner see ServerDriven.
func (a *Authority[S, C]) Command() *Command[C] { return a.current }

// Began returns the match time at which the newest move began, which is when its owner drew
// the frame before it. That is the end of the move before, also after a frame that was too
// long to be simulated whole. If that move is missing it is Stamp − Duration of the move.
func (a *Authority[S, C]) Began() clock.Micros { return a.began }

// Stamp returns the stamp of the newest step: the platform time of State.
func (a *Authority[S, C]) Stamp() clock.Micros { return a.stamp }

// Arrived returns the match time at which the move that Next ran arrived. Steps without a move
// do not change it.
func (a *Authority[S, C]) Arrived() clock.Micros { return a.arrived }

// GapFill reports whether Next simulated time instead of a move: missing time, or time
// without the owner (ServerDriven).
func (a *Authority[S, C]) GapFill() bool { return a.gapFill }

// Number returns the newest move that was run or refused; zero before the first.
func (a *Authority[S, C]) Number() uint32 { return a.last }

// Queued returns how many moves wait to be run.
func (a *Authority[S, C]) Queued() int { return a.waiting }

// Counters returns the totals so far.
func (a *Authority[S, C]) Counters() AuthorityCounters { return a.count }

// Receive reads a section of moves that Owner.Pack wrote, the last part of its packet, and
// queues the new moves. now is the match time of the last tick and arrived that at which the packet arrived.
// An unreadable section, or bytes after it, is an error and changes nothing. Packets may be duplicated and
// arrive in any order.
func (a *Authority[S, C]) Receive(now, arrived clock.Micros, p *bits.Packer) error {
	if !a.checked {
		a.check()
	}
	a.baselines = baselineTable[C]{a.last, a.queue}
	a.in.pack(p, a.rules, now, &a.baselines)
	if a.in.missingBaseline {
		a.count.MissingBaseline++
		return nil
	}
	p.End()
	if err := p.Err(); err != nil {
		a.count.BadPackets++
		return err
	}
	a.enqueuePacket(arrived)
	return nil
}

// enqueuePacket queues the new moves of the packet that was read.
func (a *Authority[S, C]) enqueuePacket(arrived clock.Micros) {
	a.receiveEpoch(a.in.epoch)
	if a.in.count > 0 {
		a.stale.noteApplied(a.applied, a.in.moves[a.in.count-1].Number)
	}
	a.receivedAt = arrived
	first := clock.Micros(0) // stamp of the oldest new one
	for i := range a.in.count {
		q := a.enqueue(&a.in.moves[i])
		if q == nil {
			continue
		}
		if first == 0 {
			first = q.Stamp
		}
		if i == a.in.count-1 {
			q.claim = receivedClaim{a.in.claim, a.in.epoch, true}
			a.noteLostRun(first, q.Stamp, arrived)
			a.noteArrival(q)
		}
	}
}

// receiveEpoch handles the low bits of the newest epoch that the owner has applied.
func (a *Authority[S, C]) receiveEpoch(low uint8) {
	behind := (a.epoch - low) & (1<<epochBits - 1)
	if behind < a.epoch-a.applied {
		a.applied = a.epoch - behind
	}
	if behind != 0 {
		return
	}
	a.correcting = false
	if a.deferred {
		a.deferred = false
		a.correct(a.large, a.cause)
	}
}

// enqueue queues c by its number. It returns nil for a move that was run, refused or queued
// before. A number beyond the end of the queue pushes the oldest moves out.
func (a *Authority[S, C]) enqueue(c *Command[C]) *queued[C] {
	q := &a.queue[c.Number%queueMoves]
	passed := a.started && newer(c.Number, a.last) <= 0
	if passed || q.used && q.Number == c.Number || a.waiting > 0 && newer(a.newest, c.Number) >= queueMoves {
		a.count.Duplicates++
		if passed {
			a.noteTooLate(q, c)
		}
		return nil
	}
	if ahead := newer(c.Number, a.newest); a.waiting == 0 || ahead > 0 {
		if a.waiting > 0 {
			a.count.Refused += a.pushOut(ahead)
		}
		a.newest = c.Number
	} else {
		a.noteLate(c.Number)
	}
	q.store(c, a.receivedAt)
	q.waiting = true
	a.waiting++
	return q
}

// pushOut frees the slots of the next ahead numbers, and returns how many moves waited in them.
func (m *moveQueue[C]) pushOut(ahead int) (refused int) {
	for i := 1; i <= min(ahead, queueMoves) && m.waiting > 0; i++ {
		if q := &m.queue[(m.newest+uint32(i))%queueMoves]; q.waiting {
			m.remove(q)
			refused++
		}
	}
	return refused
}

// remove ends the wait of a slot's move.
func (m *moveQueue[C]) remove(q *queued[C]) {
	q.waiting = false
	m.waiting--
}

// front returns the queued move with the lowest number, or nil.
func (a *Authority[S, C]) front() *queued[C] {
	if a.waiting == 0 {
		return nil
	}
	n := a.newest - (queueMoves - 1)
	if a.started && newer(a.last+1, n) > 0 {
		n = a.last + 1
	}
	for ; newer(a.newest, n) > 0 && !a.queue[n%queueMoves].waiting; n++ {
	}
	return &a.queue[n%queueMoves]
}

// SetState puts the character into state s, in which it looks by yaw and pitch, in rad: a teleport, a new life. The owner is corrected at
// once, with the cause Teleport, whether or not its prediction is wrong, and the correction is
// repeated at the short interval (SRV-11, SRV-12).
func (a *Authority[S, C]) SetState(s S, yaw, pitch float64) {
	a.state, a.yaw, a.pitch = s, yaw, pitch
	a.absence.phase, a.stale.active = present, false
	a.correct(true, Teleport)
	a.teleports++
	a.count.Teleports++
}

// Modify changes the state in a way that the owner cannot predict: a push, a launch, a mode or
// a root motion that the server sets (RMS-21, MOD-01). The owner receives it at once, as one
// correction that is repeated at the short interval, and replays its newer moves on top. Moves
// that it made before it applied the correction are not corrected again (E2E-05). Modify
// reports whether the state changed; if not, nothing is sent.
func (a *Authority[S, C]) Modify(change func(*S)) bool {
	a.unaltered = a.state
	change(&a.state)
	if a.state == a.unaltered {
		return false
	}
	a.absence.phase = present
	a.correct(true, ServerForce)
	a.stale.begin(&a.unaltered, a.epoch, a.RoundTrip+maxUnaware)
	a.count.ServerForces++
	return true
}

// mispredicted begins a correction of a wrong prediction. Its cause is Timeout where the owner could
// not predict it: time was simulated without it since the last claim that agreed exactly.
func (a *Authority[S, C]) mispredicted(large bool) {
	if a.silence.timedOut {
		a.silence.timedOut = false
		a.correct(large, Timeout)
		a.count.Timeouts++
		return
	}
	a.correct(large, Misprediction)
	a.count.Corrections++
}

// maxOpenCorrections is the most corrections that may be begun and not yet shown as applied.
// With more the low bits of an epoch would be ambiguous.
const maxOpenCorrections = 1<<epochBits - 4

// correct begins a correction. Where too many are open it replaces the newest one, and begins
// another one later, when a packet shows the newest as applied, for an owner that applied it
// before it was replaced.
func (a *Authority[S, C]) correct(large bool, cause Cause) {
	if a.epoch-a.applied < maxOpenCorrections {
		a.epoch++
	} else {
		a.deferred = true
	}
	a.correcting, a.unsent, a.large, a.cause = true, true, large, cause
}
