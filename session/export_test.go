package session

import (
	"fmt"
	"unsafe"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/track"
)

// Forgive lets a peer begin anew with its faults and budgets, for tests that send
// more bad packets than a peer may.
func (s *Server[S, C]) Forgive(peer Peer) {
	if t := s.ofPeer(peer); t != nil {
		t.limits.faults, t.limits.datagrams = 0, allowance{}
	}
}

// SetMinBatch sets how many players a batch has at least.
func (s *Server[S, C]) SetMinBatch(n int) { s.batches.least = n }

// Fingerprint returns all that a packet can change of a seat, without counters.
func (s *Server[S, C]) Fingerprint(id PlayerID) string {
	t := s.seats.player(id)
	text := fmt.Sprint(t.taken, t.peer, t.name, t.link.arrivals, t.link.acked, t.link.roundTrip, t.inputDelay,
		t.remote.stamp, t.remote.teleports, s.fields.Update(&t.fields, t.id), t.combat.Waiting())
	if a := t.authority; a != nil {
		text += fmt.Sprint(a.Number(), a.Queued(), *a.State())
	}
	return text
}

// Fingerprint returns all that a packet can change of a client, without counters.
func (c *Client[S, C]) Fingerprint() string {
	text := fmt.Sprint(c.phase, c.id,
		c.clock.newestAt, c.uplink.ackTick, c.clock.RTT(), c.stats.LossUp, c.stats.LossRunUp, c.events.waiting())
	if c.others != nil {
		text += fmt.Sprint(c.others.Received())
	}
	if c.owner != nil {
		text += fmt.Sprint(*c.owner.State(), c.owner.Unacked(), c.owner.Epoch())
	}
	return text
}

// SeatBytes is what a seat of a server takes.
func SeatBytes[S comparable, C any]() uintptr { return unsafe.Sizeof(seat[S, C]{}) }

// FormatOf is formatOf.
func FormatOf[S comparable, C any](game Game[S, C]) uint32 { return formatOf(&game) }

// KeyframeCount returns how many keyframes the newest snapshot has.
func (c *Client[S, C]) KeyframeCount() int {
	if f := c.others.History().Snapshot(c.stats.Tick); f != nil {
		return len(f.Keyframes(nil))
	}
	return 0
}

// HeaderBits returns how many bits of a datagram are its header.
func HeaderBits(b []byte, up bool, ticks, snapshots int) int {
	var p bits.Packer
	p.Read(b)
	if up {
		h := clientHeader{}
		h.pack(&p, &ackCodec{width: tickBits, newest: 1 << 20, schedule: schedule{ticks, snapshots}})
	} else {
		h := serverHeader{}
		h.pack(&p, &ackCodec{width: sequenceBits, newest: 1 << 20})
	}
	if p.Err() != nil {
		panic(p.Err())
	}
	return p.Bits()
}

// Shows reports whether a player is shown to another.
func (s *Server[S, C]) Shows(viewer, thing track.ID) bool { return s.visible.Visible(viewer, thing) }

// Truth returns where an entity was at a match time of the last second, by all that was
// recorded: between two ticks on a straight line. False for a player that did not exist.
func (s *Server[S, C]) Truth(id track.ID, at clock.Micros) (track.Sample, bool) {
	var next, e track.Sample
	for tick := s.tick; tick > 0 && tick+60 > s.tick; tick-- {
		f := s.history.Snapshots.Snapshot(tick)
		if f == nil {
			continue
		}
		if !f.Find(id, &e) {
			return track.Sample{}, false
		}
		if e.At <= at {
			if next.At == 0 || !e.Continues(&next) {
				return e, true
			}
			sample := e
			sample.Position = e.Position.Lerp(next.Position, float64(at-e.At)/float64(next.At-e.At))
			return sample, true
		}
		next = e
	}
	return track.Sample{}, false
}

// Level is the world that the match is in.
func (s *Server[S, C]) Level() *collide.World { return s.config.World }

// Snapshots are the frames that the player draws from.
func (c *Client[S, C]) Snapshots() *track.SnapshotHistory { return c.others.History() }

// ReadDatagram reads a datagram of a peer's as far as p goes, for tests that look for its fields.
func (s *Server[S, C]) ReadDatagram(peer Peer, p *bits.Packer) {
	t := s.ofPeer(peer)
	var h clientHeader
	if h.pack(p, &s.sent); p.Err() == nil && h.moves {
		_ = t.authority.Receive(s.now, s.now, p)
	}
}

// ReadDatagram reads a datagram of the server's as far as p goes.
func (c *Client[S, C]) ReadDatagram(p *bits.Packer) {
	var h serverHeader
	h.pack(p, &ackCodec{width: sequenceBits, newest: c.uplink.sent.newest})
	judged := false
	if p.Bool(&judged); judged {
		predict.PackVerdict(p, &c.rules, &c.verdict)
	}
	at := c.ticks.at(h.tick)
	if c.notices.pack(p, at); c.notices.hasFields {
		c.fields.Read(p)
	}
	c.inbox.Read(p, h.tick, at, c.others.Received(), c.others.History())
}

// Held returns how many things the server keeps of its peers: kicked ones, those in the queue, identities,
// moves and notices that wait.
func (s *Server[S, C]) Held() (n int) {
	n = len(s.kicked) + len(s.queue) + len(s.identities) + s.events.waiting()
	for i := range s.seats {
		t := &s.seats[i]
		n += t.combat.Waiting()
		if t.authority != nil {
			n += t.authority.Queued()
		}
	}
	return n
}

// TakenSeats returns how many seats are taken, also by players that are away.
func (s *Server[S, C]) TakenSeats() (n int) {
	for i := range s.seats {
		if s.seats[i].taken {
			n++
		}
	}
	return n
}
