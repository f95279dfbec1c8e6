package session

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
)

// triggerRecorder lets the steps of a player's commands trigger movers of the level. A step of another
// state, such as the stale prediction of an owner, triggers nothing.
type triggerRecorder[S comparable] struct {
	log   *collide.Triggers // nil: the level has no triggered movers
	state *S                // only its steps trigger movers
	cause collide.TriggerCause
}

// begin starts the recording of the step of a command from s, which begins at a platform time.
func (r *triggerRecorder[S]) begin(s *S, number uint32, begins clock.Micros) {
	if r.log != nil && s == r.state {
		r.cause.Number = number
		r.log.Open(r.cause, begins)
	}
}

// end ends the recording.
func (r *triggerRecorder[S]) end() {
	if r.log != nil {
		r.log.Close()
	}
}

// triggerUpdate is the log of one mover as a datagram carries it.
type triggerUpdate struct {
	mover collide.MoverID
	log   collide.TriggerLog
}

// triggerUpdates are the logs that a client has not acknowledged, by ascending mover.
type triggerUpdates []triggerUpdate

// maxTriggerUpdates is how many logs a datagram carries at most.
const maxTriggerUpdates = 31

// triggerCountBits is what the list takes beside its logs.
const triggerCountBits = 1 + 5

// pack packs the list in either direction, in a datagram of a tick at a match time: one bit where
// it is empty.
func (u *triggerUpdates) pack(p *bits.Packer, at clock.Micros) {
	n := len(*u)
	some := n > 0
	if p.Bool(&some); !some {
		*u = (*u)[:0]
		return
	}
	p.Ranged(&n, 1, maxTriggerUpdates)
	if !p.Writing() {
		if cap(*u) < n {
			*u = make([]triggerUpdate, maxTriggerUpdates)
		}
		*u = (*u)[:n]
	}
	before := 0
	for i := range *u {
		t := &(*u)[i]
		id := int(t.mover)
		p.Ranged(&id, 1, collide.MaxMovers)
		if id <= before {
			p.Fail(bits.ErrRange)
		}
		t.mover, before = collide.MoverID(id), id
		t.log.Pack(p, at)
	}
}

// triggerTracker is which logs a client has yet to acknowledge.
type triggerTracker struct {
	since   []uint32 // by MoverID − 1: tick of the first datagram with the newest log; 0: acknowledged
	waiting int      // how many are not 0
}

// changed notes that datagrams carry the log of a mover from a tick on.
func (t *triggerTracker) changed(id collide.MoverID, tick uint32) {
	for len(t.since) < int(id) {
		t.since = append(t.since, 0)
	}
	if t.since[id-1] == 0 {
		t.waiting++
	}
	t.since[id-1] = tick
}

// acknowledge records that the snapshot of a tick has arrived.
func (t *triggerTracker) acknowledge(tick uint32) {
	for i := 0; i < len(t.since) && t.waiting > 0; i++ {
		if t.since[i] != 0 && t.since[i] <= tick {
			t.since[i] = 0
			t.waiting--
		}
	}
}

// fill appends to into the logs that are not acknowledged, as many as fit into so many bits, and
// returns how many bits they leave. The rest is not sent before the tick next.
func (t *triggerTracker) fill(into triggerUpdates, log *collide.Triggers, at clock.Micros, room int, next uint32) (triggerUpdates, int) {
	left := t.waiting
	for i := 0; left > 0; i++ {
		if t.since[i] == 0 {
			continue
		}
		left--
		id := collide.MoverID(i + 1)
		if n := triggerBits(*log.Log(id), at); n > room || len(into) == maxTriggerUpdates {
			t.since[i] = next
		} else {
			room -= n
			into = append(into, triggerUpdate{id, *log.Log(id)})
		}
	}
	return into, room
}

// triggerBits returns what an update with the log takes.
func triggerBits(log collide.TriggerLog, at clock.Micros) int { // a copy, because packing writes to it
	var buffer [(collide.TriggerLogBits + 7) / 8]byte
	p := bits.NewWriter(buffer[:])
	log.Pack(&p, at)
	return 10 + p.Bits() // the mover's number
}

// Trigger triggers a mover of the level from outside a command: by a game's clock or a scripted event. waypoint
// is the target key of the path, from 1, or collide.Press for the default action of the mover's kind. at is the
// match time; it counts as 250 ms before now at the earliest, and may be in the future. The mover moves its Delay
// later. Trigger reports whether that changes what the mover does (collide.WorldAt.Trigger). It panics on a mover
// without a trigger.
func (s *Server[S, C]) Trigger(mover collide.MoverID, waypoint int, at clock.Micros) bool {
	if b := s.config.World.Mover(mover); b == nil || b.Trigger.Kind == collide.Untriggered {
		panic("session: Trigger needs a mover of the level that has a trigger: give it one in the level")
	}
	tick := s.tick
	if s.sent.newest == tick { // it has been sent already
		tick++
	}
	log := s.rules.triggers.log
	log.Open(collide.TriggerCause{Now: s.now, Tick: tick}, 0)
	defer log.Close()
	view := collide.WorldAt{World: s.config.World, At: at}
	return view.Trigger(mover, waypoint)
}

// recordTriggers lets the steps of a player's commands trigger movers.
func (s *Server[S, C]) recordTriggers(l *batch[S, C], t *seat[S, C]) {
	r := &l.rules.triggers
	r.state = t.authority.State()
	// A player with an input delay has its commands run that much later: that is not late.
	r.cause = collide.TriggerCause{Now: s.now - t.inputDelay, By: uint16(t.id), Tick: s.tick}
}

// noteTriggers marks the logs that changed since the last snapshot to be sent to every client.
func (s *Server[S, C]) noteTriggers() {
	log := s.rules.triggers.log
	if log == nil {
		return
	}
	s.triggered, s.triggersNoted = log.Changed(s.triggersNoted, s.triggered[:0])
	for i := range s.seats {
		for _, id := range s.triggered {
			s.seats[i].triggers.changed(id, s.tick)
		}
	}
}

// resendTriggers marks every log to be sent to a new client.
func (s *Server[S, C]) resendTriggers(t *seat[S, C]) {
	if log := s.rules.triggers.log; log != nil {
		for i := range s.config.World.Movers() {
			if id := collide.MoverID(i + 1); log.Log(id).Used() {
				t.triggers.changed(id, s.tick)
			}
		}
	}
}

// fillTriggers puts the logs that a player has not acknowledged into the notices, as far as there
// is room, and returns the bits that are left.
func (s *Server[S, C]) fillTriggers(l *batch[S, C], t *seat[S, C], room int) int {
	if t.triggers.waiting > 0 {
		l.updates, room = t.triggers.fill(l.updates[:0], s.rules.triggers.log, s.now, room, s.tick+1)
		l.notices.triggers = l.updates
	}
	return room
}

// receivedTriggers is a client's log of the movers' triggers.
type receivedTriggers struct {
	log  collide.Triggers
	tick uint32 // of the newest datagram that had any
}

// receive takes the logs of a datagram.
func (r *receivedTriggers) receive(updates triggerUpdates, tick uint32) {
	if len(updates) == 0 || tick <= r.tick {
		return
	}
	r.tick = tick
	for i := range updates {
		r.log.Replace(updates[i].mover, &updates[i].log)
	}
}

// predictTriggers lets the steps of the client's own commands trigger movers.
func (c *Client[S, C]) predictTriggers() {
	if c.rules.view.World.Triggered() {
		c.rules.triggers = triggerRecorder[S]{log: &c.triggers.log, state: c.owner.State(), cause: collide.TriggerCause{Predicted: true}}
	}
}
