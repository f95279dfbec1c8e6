package session

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// Receive takes one packet that arrived from a peer at that match time. A packet
// that makes no sense changes nothing and is counted; a peer that sends many is
// kicked. The error says what was wrong, for the host's log.
func (s *Server[S, C]) Receive(from Peer, ch Channel, at clock.Micros, b []byte) error {
	t := s.seatOf(from)
	var err error
	if ch == Datagram {
		err = s.receiveDatagram(t, at, b)
	} else {
		err = s.receiveStream(t, from, b)
	}
	if err != nil && t != nil {
		t.traffic.Bad++
		if t.faults++; t.faults == maxFaults {
			s.event(Event{Kind: Kick, Player: t.id, Peer: from, Text: err.Error()})
		}
	}
	return err
}

// Disconnect tells that a peer's connection is gone. Its seat waits for it to
// come back.
func (s *Server[S, C]) Disconnect(peer Peer) {
	if t := s.seatOf(peer); t != nil {
		t.peer, t.away = 0, s.now
	}
}

// seatOf returns the seat of a peer, nil where it has none.
func (s *Server[S, C]) seatOf(peer Peer) *seat[S, C] {
	for i := range s.seats {
		if s.seats[i].taken && s.seats[i].peer == peer {
			return &s.seats[i]
		}
	}
	return nil
}

// receiveDatagram reads what a client says in each packet: its clock, what it has
// received, its moves.
func (s *Server[S, C]) receiveDatagram(t *seat[S, C], at clock.Micros, b []byte) error {
	if t == nil {
		return errNoHello
	}
	t.traffic.DatagramsIn++
	t.traffic.BytesIn += uint64(len(b))
	var h clientHeader
	s.packer.Read(b)
	h.pack(&s.packer)
	if err := s.packer.Err(); err != nil {
		return err
	}
	if h.received.Newest > s.tick {
		return errFuture
	}
	if h.moves && t.authority != nil {
		if err := t.authority.Receive(s.now, &s.packer); err != nil {
			return err
		}
	}
	s.heed(t, at, &h)
	return nil
}

// heed notes what a header tells, if it is newer than what is known.
func (s *Server[S, C]) heed(t *seat[S, C], at clock.Micros, h *clientHeader) {
	if t.heard && int32(h.sent-t.sent) <= 0 {
		return // overtaken by a later packet
	}
	t.heard, t.sent, t.arrived = true, h.sent, at
	if h.received.Newest == 0 {
		return
	}
	if h.received.Newest != t.received.Newest {
		sent := clock.TickTime(int64(h.received.Newest), s.config.TickRate)
		t.roundTrip.sample(at - sent - h.hold)
	}
	t.received = h.received
	if t.status.since != 0 && h.received.Newest >= t.status.since {
		t.status.since = 0
	}
	t.receipts.acknowledged(h.received.Newest)
	t.sights.acknowledged(h.received.Newest)
}

// receiveStream reads a reliable message.
func (s *Server[S, C]) receiveStream(t *seat[S, C], from Peer, b []byte) error {
	s.packer.Read(b)
	var kind uint8
	s.packer.Byte(&kind)
	switch kind {
	case sayHello:
		return s.admit(t, from)
	case sayLeave:
		if t != nil {
			s.vacate(t)
		}
		return s.packer.Err()
	case sayGame:
		return s.relay(t)
	}
	return errKind
}

// relay hands a game's own message to the game.
func (s *Server[S, C]) relay(t *seat[S, C]) error {
	if t == nil {
		return errNoHello
	}
	var body []byte
	s.packer.Blob(&body, MaxMessage)
	s.packer.End()
	if err := s.packer.Err(); err != nil {
		return err
	}
	s.event(Event{Kind: Message, Player: t.id, Bytes: append([]byte(nil), body...)})
	return nil
}

// admit gives whoever says hello a seat, the old one to whoever has its key, or
// says why not.
func (s *Server[S, C]) admit(t *seat[S, C], from Peer) error {
	h := hello{}
	h.pack(&s.packer)
	s.packer.End()
	err := s.packer.Err()
	if err == nil && t != nil {
		return errTwice
	}
	if err == nil {
		err = CheckName(h.name)
	}
	if err == nil {
		t = s.seatFor(h.key)
		if t == nil {
			err = errFull
		}
	}
	if err != nil {
		s.refuse(from, err)
		return err
	}
	s.settle(t, from, &h)
	return nil
}

func (s *Server[S, C]) refuse(peer Peer, why error) {
	text := why.Error()
	s.say(peer, sayRefused, func(p *bits.Packer) { packText(p, &text, maxText) })
	s.event(Event{Kind: Kick, Peer: peer, Text: text})
}

// seatFor returns the seat whose key it is, or else a free one, or nil.
func (s *Server[S, C]) seatFor(key Key) *seat[S, C] {
	var free *seat[S, C]
	for i := range s.seats {
		t := &s.seats[i]
		if t.taken && key != (Key{}) && t.key == key {
			return t
		}
		if !t.taken && free == nil {
			free = t
		}
	}
	return free
}

// settle seats the peer. A player who returns keeps key, name and state; an older
// connection of theirs is closed.
func (s *Server[S, C]) settle(t *seat[S, C], from Peer, h *hello) {
	again := t.taken
	if again && t.peer != 0 {
		s.event(Event{Kind: Kick, Player: t.id, Peer: t.peer, Text: "session: you joined from elsewhere"})
	}
	old := *t
	*t = seat[S, C]{id: old.id, taken: true, peer: from, name: h.name, key: old.key, traffic: old.traffic}
	if !again {
		t.key, t.traffic = s.config.NewKey(), Traffic{}
	}
	w := welcome{uint16(t.id), t.key, s.config.TickRate, s.config.LevelHash}
	s.say(from, sayWelcome, w.pack)
	s.event(Event{Kind: Joined, Player: t.id, Peer: from, Name: t.name, Again: again})
	if old.authority != nil {
		s.Place(t.id, *old.authority.State())
		if old.status.len > 0 {
			s.SetStatus(t.id, old.status.bytes[:old.status.len])
		}
	}
}

// vacate frees a seat for good.
func (s *Server[S, C]) vacate(t *seat[S, C]) {
	s.event(Event{Kind: Left, Player: t.id, Peer: t.peer, Name: t.name})
	*t = seat[S, C]{id: t.id}
}
