package session

import (
	"math"
	"slices"
	"strconv"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Receive handles one packet that arrived from the server at a local time. A malformed one
// changes nothing and is counted; the error says what was wrong. Packets before Hello and after the
// end are ignored. A probe of the transport is ignored.
func (c *Client[S, C]) Receive(ch Channel, local clock.Micros, b []byte) error {
	if c.phase == Ended || !c.greeted || ch == Datagram && isProbe(b) {
		return nil
	}
	var err error
	if ch == Datagram {
		err = c.receiveSnapshot(local, b)
	} else {
		err = c.receiveMessage(b)
	}
	if err != nil {
		c.stats.Bad++
	}
	return err
}

// receiveMessage reads a reliable message.
func (c *Client[S, C]) receiveMessage(b []byte) error {
	p := &c.packer
	p.Read(b)
	var kind uint8
	p.Byte(&kind)
	switch kind {
	case messageWelcome:
		return c.receiveWelcome()
	case messageQueued:
		return c.receiveQueued()
	case messageRefused:
		var why string
		packText(p, &why, maxText)
		if p.End(); p.Err() == nil {
			c.phase, c.refusal = Ended, why
			c.event(Event{Kind: Refused, Text: why})
		}
	case messageShotDebug:
		return c.receiveShotDebug()
	case messageGame:
		var body []byte
		p.Blob(&body, MaxMessage)
		if p.End(); p.Err() == nil {
			c.event(Event{Kind: Message, Bytes: slices.Clone(body)})
		}
	default:
		p.Fail(errKind)
	}
	return p.Err()
}

// receiveWelcome joins the match. A second welcome is an error: it would replace the player's number
// during the match.
func (c *Client[S, C]) receiveWelcome() error {
	var w welcome
	w.pack(&c.packer)
	c.packer.End()
	if err := c.packer.Err(); err != nil {
		return err
	}
	if c.phase != Outside {
		return errTwice
	}
	solid := c.rules.game.BodyCapsule
	if w.block && solid == nil {
		return errNoShape
	}
	if err := c.setWeapons(w.weapons); err != nil {
		return err
	}
	c.phase, c.place = Loading, 0
	c.id, c.key, c.ticks, c.level = PlayerID(w.player), w.key, w.sent, w.level
	c.others = remote.New(w.sent.at(1))
	c.others.SetInterval(clock.TickTime(1, w.sent.snapshots))
	c.others.SetDefaultMode(c.mode())
	c.uplink.optOut.allowed = w.optOut
	c.others.SetBodyShape(c.rules.game.bodyShape())
	if w.block {
		c.rules.obstacles = &obstacleFinder{shape: solid, snapshots: c.others.History()}
		c.rules.obstacles.character = c.rules.game.isCharacter
		c.rules.obstacles.self = c.id
	}
	c.maxPlayer = track.ID(w.seats)
	c.combat.Join(c.id, w.seats, c.others, w.seed)
	c.event(Event{Kind: Welcomed, Player: c.id, Text: w.level, Bytes: slices.Clone(w.info)})
	return nil
}

// setWeapons takes the match's table; without one there are no shots.
func (c *Client[S, C]) setWeapons(b []byte) error {
	c.rules.step.Weapons = nil
	if len(b) == 0 {
		return nil
	}
	if c.rules.game.Combat.Trigger == nil {
		return errNoCombat
	}
	t, err := c.combat.ReadTable(b)
	if err != nil {
		return err
	}
	c.rules.step.Weapons = t
	return nil
}

// Weapons returns the match's table of weapons, as the server sent it: empty before Welcomed,
// and in a match without any. It must not be changed.
func (c *Client[S, C]) Weapons() shot.Table { return c.rules.Weapons() }

// event keeps an event until Events is called, if not too many wait.
func (c *Client[S, C]) event(e Event) {
	if c.events.waiting() >= maxEvents {
		c.stats.Missed++
		return
	}
	c.events.put(e)
}

// receiveSnapshot reads a datagram of the server. Nothing is applied unless the whole datagram is
// valid.
func (c *Client[S, C]) receiveSnapshot(local clock.Micros, b []byte) error {
	if c.others == nil {
		return nil // overtook the welcome
	}
	p := &c.packer
	p.Read(b)
	var h serverHeader
	h.pack(p, &ackCodec{width: sequenceBits, newest: c.uplink.sent.newest})
	judged := c.readVerdict()
	at := c.ticks.at(h.tick)
	if c.notices.pack(p, at); c.notices.hasFields {
		c.fields.Read(p)
	}
	frame := c.inbox.Read(p, h.tick, at, c.others.Received(), c.others.History())
	if err := p.Err(); err != nil {
		return err
	}
	c.stats.In.add(len(b))
	c.skip(&h)
	c.receiveAck(&h, local, at)
	if judged {
		c.applyVerdict()
	}
	c.receiveNotices(&h)
	// The server has run these commands: what is right of their predicted triggers is in its notices now.
	if judged {
		c.triggers.log.Acknowledge(c.verdict.Number)
	}
	// Without the clock it is not known when it arrived. It is not acknowledged then, so what it had is
	// sent again.
	if frame != nil && c.clock.Synced() {
		c.push(frame, local)
	}
	return nil
}

// skip records which ticks before this one were not sent to any client: they do not count as lost.
func (c *Client[S, C]) skip(h *serverHeader) {
	for tick := h.tick - 1; h.skipped > 0 && tick > 0 && tick+track.ReceivedWindow >= h.tick; tick-- {
		if c.ticks.sends(tick) {
			c.skips.Mark(tick)
			h.skipped--
		}
	}
}

// receiveAck applies the server's report, made at match time at, of which datagrams of this client
// arrived. A report that was overtaken by a newer one is ignored.
func (c *Client[S, C]) receiveAck(h *serverHeader, local, at clock.Micros) {
	if h.received.Newest == 0 || h.tick <= c.uplink.ackTick {
		return
	}
	c.uplink.ackTick = h.tick
	codec := ackCodec{}
	c.stats.LossUp, c.stats.LossRunUp = codec.lost(h.received, 1)
	if c.owner != nil {
		c.owner.SetLoss(c.uplink.loss.update(c.stats.LossUp, c.stats.LossRunUp))
	}
	sent := c.uplink.sent.at(h.received.Newest)
	if h.ackDelay == noAckDelay || !c.uplink.sent.certain(local) && local-sent < c.clock.At(local)-at {
		return // an older datagram: the acknowledgement cannot have been sent before its snapshot
	}
	c.clock.Sample(sent, local, at, h.ackDelay)
	c.watchClock()
}

// watchClock reports a machine's clock whose rate is wrong by too much.
func (c *Client[S, C]) watchClock() {
	percent, report := c.clock.drift.Update(&c.clock.Sync)
	if !report {
		return
	}
	way := " % fast"
	if percent < 0 {
		way = " % slow"
	}
	c.event(Event{Kind: ClockDrift, Text: "This machine's clock runs " + strconv.FormatFloat(math.Abs(percent), 'f', 1, 64) + way +
		", more than the 1 % that a match allows for. Beyond 2.5 % your moves are late or slowed down."})
}

// push adds a whole snapshot.
func (c *Client[S, C]) push(frame *track.Snapshot, local clock.Micros) {
	newest := c.others.Received().Newest
	if !c.others.Receive(frame, c.clock.At(local)) {
		return
	}
	c.newEntities.add(frame, c.others, c.maxPlayer)
	if newest == 0 {
		c.first = frame.Tick
	}
	if frame.Tick > newest {
		c.clock.newestAt, c.stats.Tick = local, frame.Tick
	}
}

// readVerdict reads the verdict on this client's moves, if there is one.
func (c *Client[S, C]) readVerdict() bool {
	judged := false
	c.packer.Bool(&judged)
	if judged {
		predict.PackVerdict(&c.packer, &c.rules, &c.verdict)
	}
	return judged
}

// applyVerdict applies a verdict. The first state that the server sends brings the player
// into the world.
func (c *Client[S, C]) applyVerdict() {
	// Before EnterWorld there is no level to simulate in. The server repeats the state until it is applied.
	if c.rules.view.World == nil {
		return
	}
	first := c.owner == nil
	if first {
		if !c.verdict.Correction {
			return
		}
		c.owner = predict.NewOwner[S, move[C]](&c.rules, c.verdict.State)
		c.owner.KeepAcknowledgedState(c.disabled.Prediction)
		c.predictTriggers()
	}
	c.owner.Receive(&c.verdict)
	if first {
		c.ApplyCorrection()
	}
}

// reportTeleports reports that the server has placed the player elsewhere.
func (c *Client[S, C]) reportTeleports() {
	if n := c.owner.Counters().Teleports; n != c.teleports {
		c.teleports = n
		v := c.owner.Correction()
		c.event(Event{Kind: Teleported, Player: c.id, Yaw: v.Yaw, Pitch: v.Pitch})
	}
}
