package arena

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// Bots is a match with bots in it. Each bot plays through a client of its own,
// packets and all; only the network is missing.
type Bots struct {
	*Match
	door Door
	bots []crewBot
	loop session.Loopback
}

// Door is where a match hears from its host and its bots, and is heard: the match itself,
// or what stands before it and records.
type Door interface {
	Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error
	Disconnect(peer session.Peer)
	Tick(now clock.Micros)
	Outgoing() []session.Packet
}

type crewBot struct {
	player *Player
	bot    *Bot
}

// botNames are given out in turn.
var botNames = [...]string{"Ada", "Brook", "Cleo", "Dara", "Eli", "Fern", "Gus", "Hana"}

// NewBots returns the match with n bots about to join it; it needs as many seats.
// Without MatchConfig.Mesh it bakes one, which takes some tenths of a second.
func NewBots(match *Match, n int, skill Skill) *Bots {
	c := &Bots{Match: match, door: match}
	mesh := match.config.Mesh
	if mesh == nil && n > 0 {
		mesh = meshOf(match.config.World, feetOf(match.config.Spawns)...)
	}
	for i := range n {
		b := crewBot{NewPlayer(session.ClientConfig{}), NewBot(skill, match.config.Seed+uint64(i)*7919+1)}
		b.bot.Mesh = mesh
		b.player.Bodiless = true
		b.player.Hello(botNames[i%len(botNames)], session.Key{})
		c.bots = append(c.bots, b)
		c.loop.Add(b.player)
	}
	return c
}

func feetOf(spawns []Spawn) []geom.Vec3 {
	var feet []geom.Vec3
	for _, s := range spawns {
		feet = append(feet, s.Position)
	}
	return feet
}

// Through has the match hear and be heard through the door from now on.
func (c *Bots) Through(d Door) { c.door = d }

// Receive hands the match a packet of a connection's.
func (c *Bots) Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error {
	return c.door.Receive(from, ch, at, b)
}

// Disconnect tells the match that a connection is gone.
func (c *Bots) Disconnect(peer session.Peer) { c.door.Disconnect(peer) }

// Tick lets the bots play one frame, then runs the match's tick.
func (c *Bots) Tick(now clock.Micros) {
	for i := range c.bots {
		c.play(i, now)
	}
	c.door.Tick(now)
}

// play is one bot's frame.
func (c *Bots) play(i int, now clock.Micros) {
	b := &c.bots[i]
	b.player.Play(now, b.bot.Think(b.player, now))
	for _, e := range b.player.Notices {
		if e.Kind == session.Welcomed {
			b.player.Enter(c.Match.config.World)
		}
	}
	c.loop.Send(session.FirstLoopback+session.Peer(i), c.door, now)
}

// Outgoing hands out what is to be sent to connections; what is for the bots goes
// straight to them.
func (c *Bots) Outgoing() []session.Packet {
	return c.loop.Deliver(c.Match.Now(), c.door.Outgoing())
}
