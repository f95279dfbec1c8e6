package session

import "github.com/backstep-net/backstep/bits"

// admit gives a peer that says hello a seat, the old one if it has its key, or
// returns why not.
func (s *Server[S, C]) admit(t *seat[S, C], from Peer) error {
	h := hello{}
	h.pack(&s.packer)
	s.packer.End()
	if err := s.packer.Err(); err != nil {
		return err
	}
	if t != nil {
		return errTwice
	}
	if h.format != s.format {
		return errFormat
	}
	if err := CheckName(h.name); err != nil {
		return err
	}
	if t = s.seatFor(h.key); t == nil {
		return errFull
	}
	s.settle(t, from, &h)
	return nil
}

// seatFor returns the seat whose key it is, or else the one that has been free for
// longest, or nil.
func (s *Server[S, C]) seatFor(key Key) *seat[S, C] {
	var free *seat[S, C]
	for i := range s.seats {
		t := &s.seats[i]
		if t.taken && key != (Key{}) && t.key == key {
			return t
		}
		if !t.taken && (free == nil || t.away < free.away) {
			free = t
		}
	}
	return free
}

// settle seats the peer. A player that returns keeps key, traffic and state; an
// older connection of theirs is closed. What was on its way to the old one is
// forgotten: the new client counts from the beginning.
func (s *Server[S, C]) settle(t *seat[S, C], from Peer, h *hello) {
	again := t.taken
	if again && t.peer != 0 {
		s.kick(t, t.peer, "session: you joined from elsewhere")
	}
	old := *t
	*t = seat[S, C]{id: old.id, taken: true, peer: from, name: h.name, teleports: old.teleports, stamp: old.stamp}
	if again {
		t.key, t.traffic, t.snapped, t.combat = old.key, old.traffic, old.snapped, old.combat.Reconnected()
		t.before = old.discrepancy()
		t.before.Error, t.before.Resolving = 0, false
		s.settled(&old)
	} else {
		t.key = s.config.NewKey()
	}
	s.startCombat()
	w := welcome{int(t.id), t.key, s.ticks.only, s.config.LevelHash, s.config.PlayersBlock, s.seed, s.config.MatchInfo}
	s.say(from, sayWelcome, func(p *bits.Packer) { w.pack(p) })
	s.event(Event{Kind: Joined, Player: t.id, Peer: from, Name: t.name, Again: again})
	if old.authority == nil {
		return
	}
	s.SetState(t.id, *old.authority.State())
	t.entered = old.entered
	if status := &old.status; status.set {
		s.SetStatus(t.id, status.bytes[:status.len])
	}
}

// vacate frees a seat for good. Its count of teleports and its stamp go on, so that
// nobody takes the next player of that number for this one.
func (s *Server[S, C]) vacate(t *seat[S, C]) {
	s.settled(t)
	s.combat.Ground(t.id)
	s.event(Event{Kind: Left, Player: t.id, Peer: t.peer, Name: t.name})
	*t = seat[S, C]{id: t.id, teleports: t.teleports, stamp: t.stamp, away: max(s.now, 1)}
}
