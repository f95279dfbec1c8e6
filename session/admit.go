package session

import "github.com/backstep-net/backstep/bits"

// admit gives a peer that says hello a seat: its earlier one if it has the key. The error says
// why it gets none.
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
		return formatError{ours: s.format, theirs: h.format}
	}
	if err := CheckName(h.name); err != nil {
		return err
	}
	if t = s.seats.forKey(h.key); t == nil {
		return errFull
	}
	s.takeSeat(t, from, &h)
	return nil
}

// takeSeat seats the peer. A player that returns keeps key, traffic and state; its earlier
// connection is closed. What was on its way to that is forgotten: the new client counts its
// commands and datagrams from the beginning.
func (s *Server[S, C]) takeSeat(t *seat[S, C], from Peer, h *hello) {
	again := t.taken
	if again && t.peer != 0 {
		s.kick(t, t.peer, "session: you joined from elsewhere")
	}
	old := *t
	*t = seat[S, C]{id: old.id, taken: true, peer: from, name: h.name, remote: old.remote.vacated()}
	if again {
		t.key, t.traffic, t.snapshots, t.combat = old.key, old.traffic, old.snapshots, old.combat.Reconnected()
		t.discrepancy.earlier = old.timeDiscrepancy()
		t.discrepancy.earlier.Error, t.discrepancy.earlier.Resolving = 0, false
		s.clearDiscrepancy(&old)
	} else {
		t.key = s.config.NewKey()
	}
	s.startCombat()
	w := welcome{int(t.id), t.key, s.sent.schedule, s.config.LevelHash, s.config.PlayersBlock, s.seed, s.config.MatchInfo, s.weapons}
	s.message(from, messageWelcome, func(p *bits.Packer) { w.pack(p) })
	s.event(Event{Kind: Joined, Player: t.id, Peer: from, Name: t.name, Again: again})
	if old.authority == nil {
		return
	}
	s.SetState(t.id, *old.authority.State())
	t.remote.entered = old.remote.entered
}

// vacate frees a seat for good.
func (s *Server[S, C]) vacate(t *seat[S, C]) {
	s.clearDiscrepancy(t)
	s.combat.RemoveProjectiles(t.id)
	s.event(Event{Kind: Left, Player: t.id, Peer: t.peer, Name: t.name})
	s.fields.Clear(t.id, s.tick)
	*t = seat[S, C]{id: t.id, remote: t.remote.vacated(), away: max(s.now, 1)}
}
