package session

import (
	mathbits "math/bits"
	"slices"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// Receive takes one packet that arrived from a peer at that match time. A packet
// that makes no sense changes nothing and is counted; the error says what was
// wrong, for the host's log. A peer that breaks the protocol on the stream, where
// nothing is lost or damaged on the way, gets the reason and is kicked at once, one that
// sends bad datagrams after many. What a kicked peer goes on to say is refused
// until Disconnect. It panics on peer 0.
func (s *Server[S, C]) Receive(from Peer, ch Channel, at clock.Micros, b []byte) error {
	if from == 0 {
		panic("session: peers count from 1")
	}
	if slices.Contains(s.kicked, from) {
		return errKicked
	}
	t := s.seatOf(from)
	if ch != Datagram {
		err := s.receiveStream(t, from, b)
		if err != nil {
			s.kick(t, from, err.Error())
		}
		return err
	}
	if isProbe(b) {
		return nil
	}
	if t == nil {
		return errNoHello
	}
	err := s.receiveDatagram(t, at, b)
	if err != nil {
		t.traffic.Bad++
		if t.faults++; t.faults == maxFaults {
			s.kick(t, from, err.Error())
		}
	}
	return err
}

// Disconnect notes that a peer's connection is gone. Its seat waits for it to
// come back, and nothing more goes out to it.
func (s *Server[S, C]) Disconnect(peer Peer) {
	if t := s.seatOf(peer); t != nil {
		t.peer, t.away = 0, s.now
	}
	s.kicked = slices.DeleteFunc(s.kicked, func(p Peer) bool { return p == peer })
	s.outbox.drop(peer)
}

// kick sends a peer the reason why it must go, and asks the host to close it. A seat it had waits
// as for a lost connection.
func (s *Server[S, C]) kick(t *seat[S, C], peer Peer, why string) {
	why = why[:min(len(why), maxText)]
	s.say(peer, sayRefused, func(p *bits.Packer) { packText(p, &why, maxText) })
	s.close(t, peer, why)
}

// close asks the host to close a peer, from which nothing more is received.
func (s *Server[S, C]) close(t *seat[S, C], peer Peer, why string) {
	e := Event{Kind: Kick, Peer: peer, Text: why}
	if t != nil {
		e.Player = t.id
		t.peer, t.away = 0, s.now
	}
	s.kicked = append(s.kicked, peer)
	s.event(e)
}

// seatOf returns the seat of a peer, nil where it has none.
func (s *Server[S, C]) seatOf(peer Peer) *seat[S, C] {
	for i := range s.seats {
		if t := &s.seats[i]; t.taken && t.peer == peer && peer != 0 {
			return t
		}
	}
	return nil
}

// receiveDatagram reads what a client says in each packet: its clock, what it has
// received, its moves. The moves come last and are taken only if all of the packet
// made sense; then the rest counts too.
func (s *Server[S, C]) receiveDatagram(t *seat[S, C], at clock.Micros, b []byte) error {
	t.traffic.DatagramsIn++
	t.traffic.BytesIn += uint64(len(b))
	if !t.datagrams.take(s.now, 1, datagramRate, datagramBurst) {
		return errFlood
	}
	var h clientHeader
	s.packer.Read(b)
	h.pack(&s.packer, &s.ticks)
	if err := s.packer.Err(); err != nil {
		return err
	}
	if !s.wasSent(t, &h.received) {
		return errUnsent
	}
	if err := s.receiveMoves(t, at, h.moves); err != nil {
		return err
	}
	s.receiveHeader(t, at, &h)
	return nil
}

// receiveMoves reads the moves to the packet's end, if there are any.
func (s *Server[S, C]) receiveMoves(t *seat[S, C], at clock.Micros, some bool) error {
	switch {
	case !some:
		s.packer.End()
		return s.packer.Err()
	case t.authority == nil:
		return errOutside
	}
	return t.authority.Receive(s.now, at, &s.packer)
}

// wasSent reports whether a client can have received what it says: snapshots that
// went out to it.
func (s *Server[S, C]) wasSent(t *seat[S, C], r *track.Received) bool {
	if r.Newest == 0 {
		return true
	}
	if t.since == 0 || r.Newest < t.since || r.Newest > s.ticks.newest || !s.sends(r.Newest) {
		return false
	}
	before := r.Newest - t.since
	if before < track.ReceivedWindow && r.Mask>>before != 0 {
		return false
	}
	if s.ticks.only.every() {
		return true
	}
	for mask := r.Mask; mask != 0; mask &= mask - 1 {
		if !s.sends(r.Newest - 1 - uint32(mathbits.TrailingZeros64(mask))) {
			return false
		}
	}
	return true
}

// receiveHeader takes in a header, if it is newer than what is known.
func (s *Server[S, C]) receiveHeader(t *seat[S, C], at clock.Micros, h *clientHeader) {
	newest := h.received.Newest
	number, newer := t.arrivals.full(h.sequence, newest, t.received)
	t.arrivals.note(number, newer, at)
	earlier, sent := t.sent(newer, at)
	if !newer || newest <= t.received {
		return // overtaken by a later packet, or doubled, or nothing new
	}
	s.acknowledged(t, h, sent, earlier)
	t.received = newest
	t.sender.Acknowledge(h.received)
	if h.hold != noHold {
		t.roundTrip.sample(at, at-clock.TickTime(int64(newest), s.config.TickRate)-h.hold)
	}
	t.status.acknowledge(newest)
	t.combat.Acknowledge(newest)
}

// receiveStream reads a reliable message.
func (s *Server[S, C]) receiveStream(t *seat[S, C], from Peer, b []byte) error {
	s.packer.Read(b)
	var kind uint8
	s.packer.Byte(&kind)
	switch {
	case kind == sayHello:
		return s.admit(t, from)
	case t == nil:
		return errNoHello
	case kind == sayLeave:
		return s.leave(t, from)
	case kind == sayGame:
		return s.relay(t)
	case kind == sayDelay:
		return s.receiveDelay(t)
	case kind == sayShotDebugRequest:
		return s.receiveShotDebugRequest(t, from)
	}
	return errKind
}

// leave frees the seat of a player that leaves; its connection is closed.
func (s *Server[S, C]) leave(t *seat[S, C], from Peer) error {
	s.packer.End()
	if err := s.packer.Err(); err != nil {
		return err
	}
	s.vacate(t)
	s.close(nil, from, "session: left")
	return nil
}

// relay hands a game's own message to the game.
func (s *Server[S, C]) relay(t *seat[S, C]) error {
	var body []byte
	s.packer.Blob(&body, MaxMessage)
	s.packer.End()
	if err := s.packer.Err(); err != nil {
		return err
	}
	if !t.messages.take(s.now, 1, messageRate, messageBurst) || !t.mail.take(s.now, len(body), mailRate, mailBurst) {
		return errFlood
	}
	s.event(Event{Kind: Message, Player: t.id, Bytes: slices.Clone(body)})
	return nil
}
