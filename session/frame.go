package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/shot"
)

// moveBudget is how many bytes of a datagram moves may take.
const moveBudget = 600

// Frame is one drawn frame at a local time: what the player wants becomes a
// command as long as the frame took, simulated at once and sent. in must be
// quantised as PackCommand would. While nothing can be simulated yet, in is
// ignored.
func (c *Client[S, C]) Frame(local clock.Micros, in *C) {
	if c.others == nil || c.phase == Ended {
		return
	}
	c.claimed.Claim = shot.Claim{}
	if c.phase == Syncing && c.owner != nil && c.sync.Synced() {
		c.phase = Playing
		c.stamp = c.sync.Now(local)
	}
	now := c.sync.Now(local)
	if c.phase == Playing && now > c.stamp {
		d := now - c.stamp
		if c.config.Lasted != nil {
			d = c.config.Lasted(d)
		}
		made := c.owner.Advance(now, d, move[C]{*in, c.others.Seen().Newest})
		c.stamp = now
		c.notice()
		c.noteClaim(made)
	}
	if c.sync.Synced() {
		c.drawn = c.others.View(now)
		if c.phase == Playing {
			c.drawn.Platform = max(c.stamp, c.drawn.At)
		}
		c.scene = collide.View{World: c.rules.view.World, At: c.drawn.Platform}
		c.claimed.Targets, c.targets = c.targets, c.claimed.Targets
		c.targets = c.others.Targets(c.drawn, c.scene.World, c.targets[:0])
		c.stats.ViewDelay = now - c.drawn.At
	}
	c.send(local)
}

// send puts a datagram into the outbox if the last one is long enough ago: never
// more than SendRate a second, and at that rate every frame of a client whose
// frames come as often (the interval is a little short for that).
func (c *Client[S, C]) send(local clock.Micros) {
	if c.sentAt != 0 && local-c.sentAt < clock.Micros(996_000/c.config.SendRate) {
		return
	}
	c.sentAt = local
	h := clientHeader{
		sent: uint32(local), received: c.others.Seen(), hold: local - c.heard,
		moves: c.owner != nil,
	}
	c.packer.Write(c.scratch[:maxDatagram])
	h.pack(&c.packer)
	if h.moves {
		c.owner.Pack(&c.packer, moveBudget)
	}
	if err := c.packer.Err(); err != nil {
		panic("session: a datagram of moves cannot be packed: " + err.Error())
	}
	b := c.packer.Bytes()
	c.outbox.send(0, Datagram, b)
	c.stats.Out.add(len(b))
}
