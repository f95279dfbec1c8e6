package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// moveBudget is how many bytes of a datagram moves may take.
const moveBudget = 600

// Frame is one drawn frame at a local time: what the player wants becomes a
// command as long as the frame took, or with ClientConfig.Tick as many as are due,
// simulated at once and sent. in must be quantised as PackCommand would. While
// nothing can be simulated yet, in is ignored. So is a shot into a picture that had been on
// the screen for longer than shot.MaxDisplayTime, after a freeze: no server grants it.
func (c *Client[S, C]) Frame(local clock.Micros, in *C) {
	if c.others == nil || c.phase == Ended {
		return
	}
	c.combat.BeginFrame()
	c.sendDelay(local)
	now := c.sync.Now(local)
	if c.phase == Syncing && c.owner != nil && c.certain(local) {
		c.begin(now)
	}
	c.outdated = c.drew > 0 && now-c.drew > shot.MaxDisplayTime
	if c.phase == Playing && c.config.Tick == 0 {
		c.move(now, in)
	} else if c.phase == Playing {
		c.pace.tick(now, in, c)
	}
	if c.sync.Synced() {
		c.draw(now)
	}
	c.send(local)
}

// How right a clock must be to be played by, and for how long that is waited for: an
// echo that a stalled line held for seconds would make a clock that runs ahead.
const (
	fairDoubt    = 150 * clock.Millisecond // a round trip of 300 ms
	maxDoubtTime = clock.Second
)

// certain reports whether the clock is as right as it will soon be.
func (c *Client[S, C]) certain(local clock.Micros) bool {
	if !c.sync.Synced() {
		return false
	}
	if c.syncedAt == 0 {
		c.syncedAt = max(local, 1)
	}
	return c.sync.Uncertainty(local) <= fairDoubt || local-c.syncedAt >= maxDoubtTime
}

// begin starts the count of commands.
func (c *Client[S, C]) begin(now clock.Micros) {
	c.phase = Playing
	c.framed = now - now%predict.TimeQuantum
	c.stamp = c.framed
	if c.config.Tick > 0 {
		c.owner.Combining = false
		c.pace = newPace(c.rules.Game, c.config.Tick)
	}
}

// move makes the command of a frame.
func (c *Client[S, C]) move(now clock.Micros, in *C) {
	if now <= c.framed {
		return
	}
	lasted := now - c.framed
	c.framed = now
	w := &c.waits
	if !w.some {
		if !c.make(now, lasted, in) {
			w.keep(in, c.combat)
		}
		return
	}
	w.keep(in, c.combat)
	c.combat.SwapAim(&w.aimed)
	w.some = !c.make(now, lasted, &w.input)
	c.combat.SwapAim(&w.aimed)
}

// make makes one command that ends at stamp, unless it is too soon for one.
func (c *Client[S, C]) make(stamp, lasted clock.Micros, in *C) bool {
	if c.config.Lasted != nil {
		lasted = c.config.Lasted(lasted)
	}
	c.input = move[C]{*in, c.others.Received().Newest}
	if c.outdated {
		c.rules.Trigger(&c.input.Game).Fire = false
	}
	made := c.owner.Advance(stamp, lasted, c.input)
	c.notice()
	if made != nil {
		begins := c.stamp
		c.stamp = made.Stamp
		claim := c.rules.Trigger(&made.Input.Game)
		if weapons := c.rules.Weapons(); claim.Fire && int(claim.Weapon) < len(weapons) {
			use := c.rules.Fired(c.owner.StateBefore(), &made.Input.Game, c.owner.State())
			c.combat.Fired(&shot.FireParams{Number: made.Number, Eye: c.rules.Eye(c.owner.DrawnState()), Claim: claim, Result: use}, begins, weapons)
		}
		c.combat.Sent(made.Number, claim)
	}
	return made != nil
}

// draw shows the picture of this frame.
func (c *Client[S, C]) draw(now clock.Micros) {
	platform := now
	c.share = 1
	if c.phase == Playing {
		platform = c.stamp
		if c.config.Tick > 0 {
			c.share, platform = c.pace.drawn(now, c.stamp)
		}
	}
	weapons := c.rules.Weapons()
	c.drew = now
	c.look(now, platform, c.rules.view.World)
	c.combat.Draw(c.drawn, c.rules.view.World, c.pose(), weapons)
	c.sort(c.combat, weapons)
	c.stats.ViewDelay = now - c.drawn.At
}

// pose is how the player stands itself, in the world's frame; the zero Sample before it is
// in the world.
func (c *Client[S, C]) pose() track.Sample {
	if c.owner == nil {
		return track.Sample{GameData: track.GameData{Dead: true}}
	}
	pose := c.rules.Pose(c.owner.State())
	return pose.ToWorld(c.rules.view.World, c.stamp)
}

// InterpolationAlpha is how far the picture of the last Frame is between Before and Self, 0 … 1:
// always 1 where each frame makes its command. With ClientConfig.Tick draw the player
// that far on the way, plus Offset; others and bodies are at the same instant.
func (c *Client[S, C]) InterpolationAlpha() float64 { return c.share }

// StateBefore is the player's own state before its newest command, nil before the server
// has placed it. It may be read until the next Receive or Frame.
func (c *Client[S, C]) StateBefore() *S {
	if c.owner == nil {
		return nil
	}
	return c.owner.StateBefore()
}

// send puts a datagram into the outbox if the last one is long enough ago, in real time
// (SND-05): no more than SendRate a second, and at that rate every frame of a client
// whose frames come as often (the interval is a little short for that). What must not
// wait is sent at once (SND-04), but never more than the server takes.
func (c *Client[S, C]) send(local clock.Micros) {
	if c.sends.newest != 0 {
		since := local - c.sends.sent(c.sends.newest)
		urgent := c.owner != nil && c.owner.Urgent()
		if since < clock.Second/datagramRate || since < clock.Micros(996_000/c.config.SendRate) && !urgent {
			return
		}
	}
	h := clientHeader{sequence: c.sends.next(local), hold: noHold, moves: c.owner != nil}
	c.acknowledge(&h, local)
	c.packer.Write(c.scratch[:maxDatagram])
	h.pack(&c.packer, &series{width: tickBits, only: c.ticks})
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

// When a datagram that acknowledges something new also says how long that was held:
// always at first, so that the server soon knows the line, then one in four.
const (
	holdsAtFirst = 16
	holdsEvery   = 4
)

// oldAck is how many ticks ago the newest snapshot may have come for its low bits to
// tell it apart. A client that received nothing for longer acknowledges nothing.
const oldAck = 1<<tickBits - 1<<(tickBits-3)

// acknowledge names the snapshots that have come.
func (c *Client[S, C]) acknowledge(h *clientHeader, local clock.Micros) {
	seen := c.others.Received()
	if c.sync.Now(local)-clock.TickTime(int64(seen.Newest), c.ticks.ticks) > clock.TickTime(oldAck, c.ticks.ticks) {
		return
	}
	h.received = seen
	if seen.Newest != c.acked {
		c.acked = seen.Newest
		if c.acks < holdsAtFirst || c.acks%holdsEvery == 0 {
			h.hold = local - c.heard
		}
		c.acks++
	}
	if c.config.Acknowledge != nil {
		h.received, h.hold = c.config.Acknowledge(local, h.received, h.hold)
	}
}
