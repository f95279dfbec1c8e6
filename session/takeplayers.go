package session

// TakePlayersFrom makes this new match the one that its host plays after an earlier one, on another level. The players keep
// their seats: id, name, key and account. Their connections are closed with the reason why, by events of the kind
// Kick, because what is under way on them is of the earlier level; clients reconnect by themselves, with their
// keys, and load the level of this match. Each player then joins this match as a new one does, with Joined, without
// Reconnected and without a state. One that does not come within ReconnectTime has left. The queue goes on as it is, and so
// does match time.
//
// Nothing else is taken over: states, fields, entities, projectiles and counters begin anew. Call TakePlayersFrom between two
// ticks, when the events of the earlier match have been handled, and use only this match from then on: the next
// Outgoing has what the earlier one still had to send. It panics if this match has begun, or has another number of seats,
// tick rate or snapshot rate. [THR-80]
func (s *Server[S, C]) TakePlayersFrom(earlier *Server[S, C], why string) {
	switch {
	case s.tick != 0 || s == earlier:
		panic("session: TakePlayersFrom is for a new match: make one with NewServer")
	case len(s.seats) != len(earlier.seats) || s.sent.schedule != earlier.sent.schedule:
		panic("session: TakePlayersFrom needs a ServerConfig with the Players, TickRate and SnapshotRate of the earlier match")
	}
	for i := range earlier.seats {
		earlier.clearDiscrepancy(&earlier.seats[i]) // this match measures anew
	}
	s.tick, s.now = earlier.tick, earlier.now
	s.events, s.packets, s.kicked = earlier.events, earlier.packets, earlier.kicked
	s.queue, s.identities = earlier.queue, earlier.identities
	why = clipText(why)
	for i := range s.seats {
		t, was := &s.seats[i], &earlier.seats[i]
		if t.away = was.away; !was.taken {
			continue
		}
		t.taken, t.reserved, t.away = true, true, s.now
		t.name, t.key, t.account = was.name, was.key, was.account
		if was.present() {
			s.close(nil, Event{Peer: was.peer, Player: was.id, Text: why})
		}
	}
}
