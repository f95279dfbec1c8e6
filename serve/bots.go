package serve

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
)

// bots are the players of Config.Bots. Each is a client like any other, connected in memory.
type bots[S comparable, C any] struct {
	loop    session.Loopback
	clients []*session.Client[S, C]
	peers   []session.Peer
	keys    []session.Key // of the seats in a restored match, else zero
	greeted bool          // they have said hello
	ids     map[session.PlayerID]bool
}

// addBots adds Config.Bots.
func (m *Match[S, C]) addBots(game session.Game[S, C]) error {
	c := m.hooks
	switch {
	case c.Bots == 0:
		return nil
	case c.Bots < 0 || c.Bots > session.MaxPlayers:
		return fmt.Errorf("serve: Config.Bots is %d: want 0 to %d", c.Bots, session.MaxPlayers)
	case c.Think == nil:
		return errors.New("serve: bots need Config.Think, which returns what a bot does in a frame")
	}
	m.bots.keys = make([]session.Key, c.Bots)
	for range c.Bots {
		client := session.NewClient(game, session.ClientConfig{SendRate: 500}) // every frame at once
		m.bots.clients = append(m.bots.clients, client)
		m.bots.peers = append(m.bots.peers, m.bots.loop.Add(client))
	}
	return nil
}

// IsBot reports whether a player is a bot of Config.Bots, also in OnJoin and OnLeave. Bots that join over the network
// are players like any other.
func (m *Match[S, C]) IsBot(id session.PlayerID) bool { return m.bots.ids[id] }

// joined notes a bot that has joined. A player in the seat of one that was thrown out is none.
func (b *bots[S, C]) joined(e *session.Event) {
	if b.ids == nil {
		b.ids = map[session.PlayerID]bool{}
	}
	b.ids[e.Player] = slices.Contains(b.peers, e.Peer)
}

// greet lets the bots say hello, before their first frame.
func (m *Match[S, C]) greet() {
	if m.bots.greeted {
		return
	}
	m.bots.greeted = true
	for i, client := range m.bots.clients {
		client.Hello(fmt.Sprint("Bot ", i+1), cmp.Or(client.Key(), m.bots.keys[i]))
	}
}

// resetBots lets the bots come back to their seats, as other players do, when another level begins.
func (m *Match[S, C]) resetBots() {
	m.bots.greeted = false
	for i, client := range m.bots.clients {
		m.Server.Disconnect(m.bots.peers[i])
		client.Reset()
	}
}

// play lets each bot play a frame, which the tick of the same time simulates.
func (m *Match[S, C]) play(now clock.Micros) {
	m.greet()
	for i, client := range m.bots.clients {
		if client.Phase() == session.Loading {
			client.EnterWorld(m.World())
		}
		client.Events() // or they would pile up
		var in C
		if client.Self() != nil {
			in = m.hooks.Think(client)
		}
		client.Frame(now, &in)
		m.bots.loop.Send(m.bots.peers[i], m.Server, now)
	}
}

// Outgoing returns what is to be sent over the network, and hands the bots theirs.
func (m *Match[S, C]) Outgoing() []session.Packet {
	return m.bots.loop.Deliver(m.Now(), m.Server.Outgoing())
}
