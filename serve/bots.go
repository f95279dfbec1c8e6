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
	keys    []session.Key            // of the seats in a restored match, else zero
	gone    []bool                   // those that have lost their seat: they were kicked
	greeted bool                     // they have said hello
	ids     map[session.PlayerID]int // by seat: the bot's number from 1, 0 for another player
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
	m.bots.keys, m.bots.gone = make([]session.Key, c.Bots), make([]bool, c.Bots)
	for range c.Bots {
		client := session.NewClient(game, session.ClientConfig{SendRate: 500}) // every frame at once
		m.bots.clients = append(m.bots.clients, client)
		m.bots.peers = append(m.bots.peers, m.bots.loop.Add(client))
	}
	return nil
}

// IsBot reports whether a player is a bot of Config.Bots, also in OnJoin and OnLeave. Bots that join over the network
// are players like any other.
func (m *Match[S, C]) IsBot(id session.PlayerID) bool { return m.bots.ids[id] > 0 }

// joined notes a bot that has joined. A player in the seat of one that was kicked is none.
func (b *bots[S, C]) joined(e *session.Event) {
	if b.ids == nil {
		b.ids = map[session.PlayerID]int{}
	}
	b.ids[e.Player] = slices.Index(b.peers, e.Peer) + 1
}

// left notes that a bot has lost its seat. Bots do not leave, so the game or an operator has kicked it: it must not
// come back with the next level.
func (b *bots[S, C]) left(id session.PlayerID) {
	if n := b.ids[id]; n > 0 {
		b.gone[n-1] = true
	}
}

// greet lets the bots say hello, before their first frame.
func (m *Match[S, C]) greet() {
	if m.bots.greeted {
		return
	}
	m.bots.greeted = true
	for i, client := range m.bots.clients {
		if m.bots.gone[i] {
			continue
		}
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
		if m.bots.gone[i] {
			continue
		}
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
