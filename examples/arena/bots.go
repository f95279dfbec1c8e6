package arena

import (
	"cmp"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// Bots is a match with bots in it. Each bot plays through a client of its own, with all
// packets; only the network is missing.
type Bots struct {
	*Match
	endpoint Endpoint
	bots     []botPlayer
	loop     session.Loopback
}

// Endpoint is what packets go through between a match and its host and bots: the match
// itself, or a recorder in front of it.
type Endpoint interface {
	Identify(peer session.Peer, who session.Identity)
	Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error
	Disconnect(peer session.Peer)
	Kick(id session.PlayerID, why string)
	Tick(now clock.Micros)
	Outgoing() []session.Packet
}

type botPlayer struct {
	player  *Player
	bot     *Bot
	name    string
	key     session.Key // of its seat in a restored match, else zero
	greeted bool        // it has said hello
}

// botNames are assigned in turn.
var botNames = [...]string{"Ada", "Brook", "Cleo", "Dara", "Eli", "Fern", "Gus", "Hana"}

// NewBots returns the match with n bots that will join it; it needs as many places. Without
// MatchConfig.Mesh it bakes a mesh, which takes some tenths of a second.
func NewBots(match *Match, n int, skill Skill) *Bots {
	c := &Bots{Match: match, endpoint: match}
	mesh := match.config.Mesh
	if mesh == nil && n > 0 {
		mesh = meshOrEmpty(match.config.World, feetOf(match.config.Spawns)...)
	}
	for i := range n {
		b := botPlayer{player: NewPlayer(session.ClientConfig{}), bot: NewBot(skill, match.config.Seed+uint64(i)*7919+1), name: botNames[i%len(botNames)]}
		b.bot.Mesh = mesh
		b.player.NoBodies = true
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

// SetEndpoint sends all further packets of the match through d.
func (c *Bots) SetEndpoint(d Endpoint) { c.endpoint = d }

// Receive passes a connection's packet to the match.
func (c *Bots) Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error {
	return c.endpoint.Receive(from, ch, at, b)
}

// Identify sets the identity of a connection's player.
func (c *Bots) Identify(peer session.Peer, who session.Identity) { c.endpoint.Identify(peer, who) }

// Disconnect reports that a connection has ended.
func (c *Bots) Disconnect(peer session.Peer) { c.endpoint.Disconnect(peer) }

// Kick throws a player out.
func (c *Bots) Kick(id session.PlayerID, why string) { c.endpoint.Kick(id, why) }

// Tick runs one frame of every bot, then the match's tick.
func (c *Bots) Tick(now clock.Micros) {
	for i := range c.bots {
		c.play(i, now)
	}
	c.endpoint.Tick(now)
}

// follow lets the bots of an earlier match come back to their seats in this one, which follows it.
func (c *Bots) follow(earlier *Bots) {
	for i := range earlier.bots {
		c.bots[i].key = cmp.Or(earlier.bots[i].player.Key(), earlier.bots[i].key) // it may not have taken up that of a checkpoint
		c.Match.Disconnect(session.FirstLoopback + session.Peer(i))
	}
}

// play runs one bot's frame.
func (c *Bots) play(i int, now clock.Micros) {
	b := &c.bots[i]
	if !b.greeted {
		b.greeted = true
		b.player.Hello(b.name, b.key)
	}
	b.player.Play(now, b.bot.Think(b.player, now))
	for _, e := range b.player.Notices {
		if e.Kind == session.Welcomed {
			b.player.Enter(c.Match.config.World)
		}
	}
	c.loop.Send(session.FirstLoopback+session.Peer(i), c.endpoint, now)
}

// Outgoing returns the packets for connections; packets for the bots are delivered
// directly.
func (c *Bots) Outgoing() []session.Packet {
	return c.loop.Deliver(c.Match.Now(), c.endpoint.Outgoing())
}
