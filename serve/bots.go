package serve

import (
	"errors"
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
)

// bots are the players of Config.Bots. Each is a client like any other, connected in memory.
type bots[S comparable, C any] struct {
	loop    session.Loopback
	clients []*session.Client[S, C]
	peers   []session.Peer
}

// addBots lets Config.Bots say hello.
func (m *Match[S, C]) addBots(game session.Game[S, C]) error {
	c := m.hooks
	switch {
	case c.Bots == 0:
		return nil
	case c.Bots < 0 || c.Bots > session.MaxPlayers:
		return fmt.Errorf("serve: Config.Bots is %d: want 0 to %d", c.Bots, session.MaxPlayers)
	case c.Think == nil:
		return errors.New("serve: Config.Think is nil: it has to return what a bot does in a frame")
	}
	for i := range c.Bots {
		client := session.NewClient(game, session.ClientConfig{SendRate: 500}) // every frame at once
		client.Hello(fmt.Sprint("Bot ", i+1), session.Key{})
		m.bots.clients = append(m.bots.clients, client)
		m.bots.peers = append(m.bots.peers, m.bots.loop.Add(client))
	}
	return nil
}

// play lets each bot play a frame, which the tick of the same time simulates.
func (m *Match[S, C]) play(now clock.Micros) {
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
