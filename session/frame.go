package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/shot"
)

// moveBudget is how many bytes of a datagram moves may take.
const moveBudget = 600

// Frame processes one drawn frame at a local time. It makes a command from the input, with the frame's
// duration, or with ClientConfig.Tick as many commands as are due, simulates and sends it. It simulates
// in as PackCommand packs it, each number in its range. Input is ignored until the player is in the world.
// A shot into a frame that was on the screen for longer than shot.MaxDisplayTime, after a freeze, is
// ignored too: no server grants it.
func (c *Client[S, C]) Frame(local clock.Micros, in *C) {
	if c.others == nil || c.phase == Ended {
		return
	}
	c.combat.BeginFrame()
	c.sendDelay(local)
	c.sendOptOut(local)
	now := c.clock.Now(local)
	if c.phase == Syncing && c.owner != nil && c.clock.certain(local) {
		c.begin(now)
	}
	c.quantised = *in
	in = &c.quantised
	if c.phase == Playing {
		aim := c.rules.Trigger(in)
		c.aimYaw, c.aimPitch = aim.Yaw, aim.Pitch
		c.AimInput(in)
	}
	// After the aim, which is a part of the command: what is simulated must be what the server reads.
	c.rules.quantise(in)
	c.stale = c.drawnAt > 0 && now-c.drawnAt > shot.MaxDisplayTime
	if c.phase == Playing && c.config.Tick == 0 {
		c.move(now, in)
	} else if c.phase == Playing {
		c.fixed.tick(now, in, c)
	}
	if c.clock.Synced() {
		c.draw(now)
	}
	c.send(local)
}

// begin starts the count of commands.
func (c *Client[S, C]) begin(now clock.Micros) {
	c.phase = Playing
	c.framed = now - now%predict.TimeQuantum
	c.stamp = c.framed
	if c.config.Tick > 0 {
		c.owner.Combining = false
		c.fixed = newFixedTick(&c.rules, c.config.Tick)
	}
}

// move makes the command of a frame.
func (c *Client[S, C]) move(now clock.Micros, in *C) {
	w := &c.pending
	lasted, waited := max(now-c.framed, 0), w.waits
	c.framed += lasted
	// No command is made of no time: match time stands still where its estimate was ahead, and between two steps of a
	// coarse local clock.
	if lasted > 0 && !waited && c.make(now, lasted, in) {
		return
	}
	w.keep(in, c.combat)
	if lasted > 0 && waited {
		c.combat.SwapAim(&w.aimed)
		w.waits = !c.make(now, lasted, &w.input)
		c.combat.SwapAim(&w.aimed)
	}
}

// make makes one command that ends at stamp, unless it is too soon for one.
func (c *Client[S, C]) make(stamp, lasted clock.Micros, in *C) bool {
	if c.config.Lasted != nil {
		lasted = c.config.Lasted(lasted)
	}
	c.input = move[C]{*in, c.others.Received().Newest}
	if c.stale {
		c.rules.Trigger(&c.input.Game).Fire = false
	}
	made := c.owner.Advance(stamp, lasted, c.input)
	c.reportTeleports()
	if made != nil {
		begins := c.stamp
		c.stamp = made.Stamp
		claim := c.rules.Trigger(&made.Input.Game)
		if weapons := c.rules.Weapons(); claim.Fire && int(claim.Weapon) < len(weapons) {
			use := c.rules.Fired(c.owner.StateBefore(), &made.Input.Game, c.owner.State())
			c.fired = shot.FireParams{Number: made.Number, Eye: c.rules.Eye(c.owner.DrawnState()), Claim: claim, Result: use}
			c.combat.Fired(&c.fired, begins, weapons)
		}
		c.combat.Sent(made.Number, claim)
	}
	return made != nil
}

// draw computes what this frame shows.
func (c *Client[S, C]) draw(now clock.Micros) {
	platform := now
	c.alpha = 1
	if c.phase == Playing {
		platform = c.stamp
		if c.config.Tick > 0 {
			c.alpha, platform = c.fixed.drawn(now, c.stamp)
		}
	}
	weapons := c.rules.Weapons()
	c.drawnFrame.draw(now, platform, c.rules.view.World)
	c.combat.Draw(c.drawn, c.rules.view.World, c.pose(), weapons)
	c.sortEntities(c.combat, weapons)
	c.stats.ViewDelay = now - c.drawn.At
}

// send puts a datagram into the outbox if the last one is long enough ago, in real time (SND-05): at
// most SendRate a second. The interval is a little shorter, so that a client with that frame rate sends
// every frame. Urgent moves are sent at once (SND-04), but never faster than the server accepts.
func (c *Client[S, C]) send(local clock.Micros) {
	if c.uplink.sent.newest != 0 {
		since := local - c.uplink.sent.at(c.uplink.sent.newest)
		urgent := c.owner != nil && c.owner.Urgent()
		if since < clock.Second/datagramRate || since < clock.Micros(996_000/c.config.SendRate) && !urgent {
			return
		}
	}
	h := clientHeader{sequence: c.uplink.sent.next(local), ackDelay: noAckDelay, moves: c.owner != nil}
	c.acknowledge(&h, local)
	c.packer.Write(c.scratch[:maxDatagram])
	h.pack(&c.packer, &ackCodec{width: tickBits, schedule: c.ticks})
	if h.moves {
		c.owner.Pack(&c.packer, moveBudget)
	}
	if err := c.packer.Err(); err != nil {
		panic("session: a datagram of moves cannot be packed: " + err.Error())
	}
	b := c.packer.Bytes()
	c.packets.send(0, Datagram, b)
	c.stats.Out.add(len(b))
}

// oldAck is the largest age of the newest snapshot, in ticks, at which its low bits are
// unambiguous. A client that received nothing for longer acknowledges nothing.
const oldAck = 1<<tickBits - 1<<(tickBits-3)

// acknowledge puts the received snapshots into a header.
func (c *Client[S, C]) acknowledge(h *clientHeader, local clock.Micros) {
	received := c.others.Received()
	if c.clock.Now(local)-c.ticks.at(received.Newest) > c.ticks.at(oldAck) {
		return
	}
	c.uplink.acknowledge(h, received, local, c.clock.newestAt)
	if c.config.Acknowledge != nil {
		h.received, h.ackDelay = c.config.Acknowledge(local, h.received, h.ackDelay)
	}
}
