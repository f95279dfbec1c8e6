package session

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/replicate"
)

// notices is the part of a datagram besides verdict and snapshot: triggers of movers, combat notices and
// fields. All of it is repeated until the player acknowledges it.
type notices struct {
	triggers  triggerUpdates
	combat    combat.Notices
	hasFields bool // values follow
}

// countBits is the room in a player's first datagram of a tick for the flags and counts of the
// lists.
const countBits = 3 + triggerCountBits + combat.CountBits

// pack packs the notices of a tick at a match time: one bit where there are none.
func (n *notices) pack(p *bits.Packer, at clock.Micros) {
	some := n.some()
	p.Bool(&some)
	if !some {
		n.hasFields, n.triggers = false, n.triggers[:0]
		n.combat.Clear()
		return
	}
	n.triggers.pack(p, at)
	n.combat.Pack(p, at)
	p.Bool(&n.hasFields)
	if !n.some() {
		p.Fail(bits.ErrRange) // one bit says so
	}
}

func (n *notices) some() bool {
	return n.hasFields || len(n.triggers) > 0 || n.combat.Len() > 0
}

// packNotices writes what the player has not acknowledged yet, as far as there is room: then
// the snapshot's entities are in further datagrams.
func (s *Server[S, C]) packNotices(l *batch[S, C], t *seat[S, C], first bool) {
	n := &l.notices
	*n = notices{}
	if first {
		room := l.packer.Remaining() - replicate.MinBits - countBits
		room = s.fillTriggers(l, t, room)
		// On a narrow link the other half is for the entities.
		if most := t.link.down.budget(0); most > 0 {
			room = min(room, most*8/2)
		}
		t.combat.Fill(&n.combat, room, s.tick+1)
		n.hasFields = s.fields.Update(&t.fields, t.id)
	}
	n.pack(&l.packer, s.now)
	if n.hasFields {
		s.packFields(l, t)
	}
}

// receiveNotices takes the notices of a datagram.
func (c *Client[S, C]) receiveNotices(h *serverHeader) {
	n := &c.notices
	c.triggers.receive(n.triggers, h.tick)
	c.combat.Receive(&n.combat)
	if n.hasFields {
		c.fields.Apply(h.tick, c.ticks.at)
	}
}
