package session

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/replicate"
)

// notices is what a datagram has for a player beside moves and snapshots: its status, the
// triggers of bodies, and what has happened. All of it is repeated until the player acknowledges it.
type notices struct {
	hasStatus bool
	status    []byte
	triggers  triggerUpdates
	combat    combat.Notices
	hasFields bool // values follow
}

// Room in a player's first datagram of a tick, in bits: the most that a status takes, and
// the flags and counts of the lists.
const (
	statusBits = 7 + 7 + MaxStatus*8
	countBits  = 4 + triggerCountBits + combat.CountBits
)

// pack packs the notices of a tick at a match time: one bit where there are none.
func (n *notices) pack(p *bits.Packer, at clock.Micros) {
	some := n.some()
	p.Bool(&some)
	if !some {
		n.hasStatus, n.hasFields, n.triggers = false, false, n.triggers[:0]
		n.combat.Clear()
		return
	}
	p.Bool(&n.hasStatus)
	if n.hasStatus {
		p.Blob(&n.status, MaxStatus)
	}
	n.triggers.pack(p, at)
	n.combat.Pack(p, at)
	p.Bool(&n.hasFields)
	if !n.some() {
		p.Fail(bits.ErrRange) // one bit says so
	}
}

func (n *notices) some() bool {
	return n.hasStatus || n.hasFields || len(n.triggers) > 0 || n.combat.Len() > 0
}

// status is the newest status of a player, and the tick of the first datagram with it.
type status struct {
	bytes [MaxStatus]byte
	len   int
	set   bool   // whether there ever was one
	since uint32 // 0: acknowledged
}

// acknowledge takes in that the datagram of a tick has come.
func (s *status) acknowledge(tick uint32) {
	if s.since <= tick {
		s.since = 0
	}
}

// packNotices writes what the player has not acknowledged yet, as far as there is room: then
// the snapshot's entities are in further datagrams.
func (s *Server[S, C]) packNotices(t *seat[S, C], first bool) {
	n := &s.notices
	*n = notices{}
	if first {
		room := s.packer.Remaining() - replicate.MinBits - countBits
		if n.hasStatus = t.status.since != 0; n.hasStatus {
			n.status = t.status.bytes[:t.status.len]
			room -= statusBits
		}
		room = s.fillTriggers(t, room)
		t.combat.Fill(&n.combat, room, s.tick+1)
		n.hasFields = s.fields.Some(&t.fields, t.id)
	}
	n.pack(&s.packer, s.now)
	if n.hasFields {
		s.packFields(t)
	}
}

// receivedStatus is the newest status that a client has, and its tick; 0: none yet.
type receivedStatus struct {
	at    uint32
	bytes [MaxStatus]byte
	len   int
}

// receiveNotices takes the notices of a datagram.
func (c *Client[S, C]) receiveNotices(h *serverHeader) {
	n, s := &c.notices, &c.status
	if n.hasStatus && h.tick > s.at {
		s.at, s.len = h.tick, copy(s.bytes[:], n.status)
	}
	c.triggers.receive(n.triggers, h.tick)
	c.combat.Receive(&n.combat)
	if n.hasFields {
		c.fields.Apply(h.tick, c.ticks.at)
	}
}
