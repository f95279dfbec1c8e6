package arena

import (
	"errors"
	"slices"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
)

// NextLevelReason is why connections are closed when a match changes its level.
const NextLevelReason = "arena: the next level begins"

// Rotation is a match on a server that changes its level when its players have voted for another one. A level
// belongs to a session from its beginning to its end, so there is a new Match for it, which begins empty. All
// connections are closed with NextLevelReason. Clients that reconnect ask for the match's level again, and so
// everybody is in the new match a moment later, under the same name. Match time is the host's.
type Rotation struct {
	*Bots // the match that is played

	// Failed is called with the reason when the next match cannot be made: the level stays. Nil ignores it.
	Failed func(error)

	newMatch func(level int) (*Bots, error)
	level    int   // of the match, an index of RoundRules.Levels
	first    int64 // the host's tick before the match's first
	rate     int   // ticks per second
	peers    []session.Peer
	moved    []session.Event
}

// NewRotation returns a rotation that begins with level 0. newMatch makes the match of a level, whose
// RoundRules.Level is the same; all have one tick rate. The error is newMatch's.
func NewRotation(newMatch func(level int) (*Bots, error)) (*Rotation, error) {
	first, err := newMatch(0)
	if err != nil {
		return nil, err
	}
	r := &Rotation{Bots: first, newMatch: newMatch, rate: first.Match.config.TickRate}
	if r.rate == 0 {
		r.rate = 60
	}
	return r, nil
}

// Identify sets the identity of a connection's player.
func (r *Rotation) Identify(peer session.Peer, who session.Identity) {
	r.peers = append(r.peers, peer)
	r.Bots.Identify(peer, who)
}

// Disconnect reports that a connection has ended.
func (r *Rotation) Disconnect(peer session.Peer) {
	r.peers = slices.DeleteFunc(r.peers, func(p session.Peer) bool { return p == peer })
	r.Bots.Disconnect(peer)
}

// Receive passes a connection's packet to the match.
func (r *Rotation) Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error {
	if r.first > 0 { // tick times are rounded, and a packet must not arrive after its tick
		at = max(at-clock.TickTime(r.first, r.rate)-1, 0)
	}
	return r.Bots.Receive(from, ch, at, b)
}

// Tick runs one tick of the match, or of the next one if its level is to be another.
func (r *Rotation) Tick(now clock.Micros) {
	tick := r.tickAt(now)
	r.moved = r.moved[:0]
	if next, ok := r.Bots.NextLevel(); ok {
		r.change(next, tick-1)
	}
	r.Bots.Tick(clock.TickTime(tick-r.first, r.rate))
}

// change replaces the match.
func (r *Rotation) change(level int, before int64) {
	next, err := r.newMatch(level)
	if err != nil {
		r.Bots.Match.round.next = 0
		if r.Failed != nil {
			r.Failed(err)
		}
		return
	}
	r.Bots, r.level, r.first = next, level, before
	for _, p := range r.peers {
		r.moved = append(r.moved, session.Event{Kind: session.Kick, Peer: p, Text: NextLevelReason})
	}
}

// tickAt returns the number of the tick at now.
func (r *Rotation) tickAt(now clock.Micros) int64 {
	return (int64(now)*int64(r.rate) + int64(clock.Second)/2) / int64(clock.Second)
}

// Kicked returns the peers to disconnect after this tick, with the reasons.
func (r *Rotation) Kicked() []session.Event {
	if len(r.moved) > 0 {
		return r.moved
	}
	return r.Bots.Kicked()
}

// Now returns the host's match time of the last tick.
func (r *Rotation) Now() clock.Micros {
	return clock.TickTime(r.tickAt(r.Bots.Now())+r.first, r.rate)
}

// maxFirst bounds the tick at which a match of a checkpoint began.
const maxFirst = 1 << 40

// Checkpoint packs the level and its match in either direction; see Bots.Checkpoint.
func (r *Rotation) Checkpoint(p *bits.Packer) {
	level, first := uint16(r.level), uint64(r.first)
	p.Uint16(&level)
	p.Uint(&first, 64)
	if p.Err() != nil {
		return
	}
	if !p.Writing() {
		if first > maxFirst || int(level) >= max(len(r.Bots.Match.config.Rounds.Levels), 1) {
			p.Fail(errors.New("arena: the checkpoint is of a level that this match does not have"))
			return
		}
		if int(level) != r.level {
			other, err := r.newMatch(int(level))
			if err != nil {
				p.Fail(err)
				return
			}
			r.Bots, r.level = other, int(level)
		}
		r.first = int64(first)
	}
	r.Bots.Checkpoint(p)
}
