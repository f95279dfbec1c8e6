package session

import (
	"slices"
	"strings"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// Receive takes one packet that arrived from a peer at a match time, which may be after that of the next Tick. A
// malformed packet is counted and changes nothing; the error says what was wrong, for the host's log. A peer that
// breaks the protocol on the stream, where nothing is lost or damaged on the way, gets the reason and is kicked at
// once, one that sends bad datagrams after many. Further packets of a kicked peer are refused until Disconnect. It
// panics on peer 0.
func (s *Server[S, C]) Receive(from Peer, ch Channel, at clock.Micros, b []byte) error {
	if from == 0 {
		panic("session: Receive needs a peer of 1 or more")
	}
	if slices.Contains(s.kicked, from) {
		return errKicked
	}
	t := s.ofPeer(from)
	if ch != Datagram {
		err := s.receiveStream(t, from, b)
		if err != nil {
			s.expel(t, from, err.Error())
		}
		return err
	}
	if t == nil {
		return s.receiveStray(from, b)
	}
	err := s.receiveDatagram(t, at, b)
	if err != nil {
		t.traffic.Bad++
		if t.limits.faults++; t.limits.faults == maxFaults {
			s.expel(t, from, err.Error())
		}
	}
	return err
}

// receiveStray refuses a datagram of a peer without a seat. A queued peer, which may wait for long, is
// kicked after maxFaults of them. [THR-68]
func (s *Server[S, C]) receiveStray(from Peer, b []byte) error {
	i := slices.IndexFunc(s.queue, func(n joiner) bool { return n.peer == from })
	if i >= 0 {
		if s.queue[i].strays++; s.queue[i].strays == maxFaults {
			s.expel(nil, from, errFlood.Error())
		}
	}
	if isProbe(b) {
		return nil
	}
	return errNoHello
}

// Disconnect records that a peer's connection was lost. Its seat waits for its return, and nothing
// more is sent to it.
func (s *Server[S, C]) Disconnect(peer Peer) {
	if t := s.ofPeer(peer); t != nil {
		t.peer, t.away = 0, s.now
	}
	delete(s.seatOf, peer)
	s.kicked = slices.DeleteFunc(s.kicked, func(p Peer) bool { return p == peer })
	// An identity that no hello took belongs to this connection only.
	s.identity(peer)
	s.dequeue(peer)
	s.packets.drop(peer)
}

// kick sends a peer the reason and lets the host close its connection. Its seat waits as for a lost
// connection.
func (s *Server[S, C]) kick(t *seat[S, C], peer Peer, why string) {
	s.close(t, Event{Peer: peer, Text: s.refuse(peer, why)})
}

// refuse sends a peer the reason, and returns as much of it as is sent.
func (s *Server[S, C]) refuse(peer Peer, why string) string {
	why = clipText(why)
	s.message(peer, messageRefused, func(p *bits.Packer) { packText(p, &why, maxText) })
	return why
}

// RefusalMessage returns the stream message by which a host refuses a connection that it hands to no match: its
// client ends and does not come back. At most 200 bytes of the reason are sent.
func RefusalMessage(why string) []byte {
	kind, why := uint8(messageRefused), clipText(why)
	p := bits.NewWriter(make([]byte, 2+maxText))
	p.Byte(&kind)
	packText(&p, &why, maxText)
	return p.Bytes()
}

// clipText returns as much of a text as a message may have.
func clipText(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxText)], "") }

// expel kicks a peer that broke the protocol. Its seat is free at once and its key invalid: otherwise it
// could return with its faults forgotten. [THR-34]
func (s *Server[S, C]) expel(t *seat[S, C], peer Peer, why string) {
	s.dequeue(peer)
	s.close(t, Event{Peer: peer, Text: s.refuse(peer, why), Expelled: t != nil})
	if t != nil {
		s.vacate(t)
	}
}

// Kick removes a player, with a reason of at most 200 bytes for it to read. The seat becomes free and its key
// invalid. It does nothing if the player is not in the match. host.Config.Limits sets for how long the address
// is refused then.
func (s *Server[S, C]) Kick(id PlayerID, why string) {
	t := s.seats.player(id)
	switch {
	case t.taken && t.present():
		s.expel(t, t.peer, why)
	case t.taken:
		s.vacate(t)
	}
}

// close lets the host close a peer's connection. Nothing more is received from it.
func (s *Server[S, C]) close(t *seat[S, C], kick Event) {
	kick.Kind = Kick
	if t != nil {
		kick.Player = t.id
		t.peer, t.away = 0, s.now
	}
	s.kicked = append(s.kicked, kick.Peer)
	s.event(kick)
}

// receiveDatagram reads a client's datagram: its number, acknowledgements and moves. Nothing is applied
// unless all of it is valid.
func (s *Server[S, C]) receiveDatagram(t *seat[S, C], at clock.Micros, b []byte) error {
	t.traffic.DatagramsIn++
	t.traffic.BytesIn += uint64(len(b))
	if !t.limits.datagrams.take(s.now, 1, datagramRate, datagramBurst) {
		return errFlood
	}
	if isProbe(b) { // counted before, or it would cost its sender nothing
		return nil
	}
	var h clientHeader
	s.packer.Read(b)
	h.pack(&s.packer, &s.sent)
	if err := s.packer.Err(); err != nil {
		return err
	}
	if !s.wasSent(t.link.firstSent, &h.received) {
		return errUnsent
	}
	switch {
	case !h.moves:
		s.packer.End()
	case t.authority == nil:
		return errOutside
	default:
		if err := t.authority.Receive(s.now, at, &s.packer); err != nil {
			return err
		}
	}
	if err := s.packer.Err(); err != nil {
		return err
	}
	s.receiveHeader(t, at, &h)
	return nil
}

// receiveHeader applies a header if it is newer than what is known.
func (s *Server[S, C]) receiveHeader(t *seat[S, C], at clock.Micros, h *clientHeader) {
	newest := h.received.Newest
	number, newer := t.link.arrivals.full(h.sequence, newest, t.link.acked)
	t.link.arrivals.note(number, newer, at, s.at(s.tick+1))
	earlier, sent := t.bestArrival(newer, at)
	if !newer || newest <= t.link.acked {
		return // overtaken by a later packet, duplicated, or nothing new
	}
	t.link.acknowledged(&s.timeline, s.history.Snapshots, h, sent, earlier)
	t.link.acked = newest
	t.link.sender.Acknowledge(h.received)
	if h.ackDelay != noAckDelay {
		t.link.roundTrip.sample(at, at-s.at(newest)-h.ackDelay)
	}
	t.fields.Acknowledge(newest)
	t.triggers.acknowledge(newest)
	t.combat.Acknowledge(newest)
}

// receiveStream reads a reliable message.
func (s *Server[S, C]) receiveStream(t *seat[S, C], from Peer, b []byte) error {
	if t != nil {
		t.traffic.MessagesIn++
		if !t.limits.stream.take(s.now, 1, streamRate, streamBurst) {
			return errFlood
		}
	}
	// A peer without a seat has no limits here, because all but one hello ends its connection.
	s.packer.Read(b)
	var kind uint8
	s.packer.Byte(&kind)
	switch {
	case kind == messageHello:
		return s.admit(t, from)
	case kind == messageLeave:
		return s.leave(t, from)
	case t == nil:
		return errNoHello
	case kind == messageGame:
		return s.relay(t)
	case kind == messageDelay:
		return s.receiveDelay(t)
	case kind == messageOptOut:
		return s.receiveOptOut(t)
	case kind == messageShotDebugRequest:
		return s.receiveShotDebugRequest(t, from)
	}
	return errKind
}

// leave frees the seat of a player that leaves, or its place in the queue; its connection is closed.
func (s *Server[S, C]) leave(t *seat[S, C], from Peer) error {
	s.packer.End()
	if err := s.packer.Err(); err != nil {
		return err
	}
	switch {
	case t != nil:
		s.vacate(t)
	case !s.dequeue(from):
		return errNoHello
	}
	s.close(nil, Event{Peer: from, Text: "session: left"})
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
	if !t.limits.messages.take(s.now, 1, messageRate, messageBurst) || !t.limits.bytes.take(s.now, len(body), byteRate, byteBurst) {
		return errFlood
	}
	s.event(Event{Kind: Message, Player: t.id, Bytes: slices.Clone(body)})
	return nil
}
