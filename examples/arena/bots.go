package arena

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// botPeers is where the peer numbers of a crew's bots begin, by which the scoreboard
// knows them; a host counts its connections from 1.
const botPeers session.Peer = 1 << 31

// Bots is a match with bots in it. Each bot plays through a client of its own,
// packets and all; only the network is missing.
type Bots struct {
	*Match
	door     Door
	bots     []crewBot
	outgoing []session.Packet
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
	for _, p := range b.player.Outgoing() {
		// What a bot of our own says is well-formed; an error would be counted.
		_ = c.door.Receive(botPeers+session.Peer(i), p.Channel, now, p.Bytes)
	}
}

// Outgoing hands out what is to be sent to connections; what is for the bots goes
// straight to them.
func (c *Bots) Outgoing() []session.Packet {
	c.outgoing = c.outgoing[:0]
	for _, p := range c.door.Outgoing() {
		if p.Peer < botPeers {
			c.outgoing = append(c.outgoing, p)
			continue
		}
		_ = c.bots[p.Peer-botPeers].player.Receive(p.Channel, c.Match.Now(), p.Bytes)
	}
	return c.outgoing
}
