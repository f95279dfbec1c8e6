// Package splitview plays a whole match in one value: a server, your client and an opponent's, joined
// by simulated links, in virtual time. A page shows the three side by side with the packets between
// them; slow motion and pause are the rate at which it calls Advance. No goroutine, clock or socket:
// it runs in a web worker, so any static host can show it. Start at [New], then [Match.Advance] and
// [Match.AppendFrame].
package splitview

import (
	"errors"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/transport/mem"
)

// Network is both directions of both players' links.
type Network struct {
	Delay  clock.Micros // one way, 0 … MaxDelay
	Jitter clock.Micros // at most this is added to each packet's delay, 0 … MaxDelay
	Loss   float64      // share of the packets that are lost, 0 … MaxLoss
}

// The worst network.
const (
	MaxDelay = 500 * clock.Millisecond
	MaxLoss  = 0.5
)

// of returns the network of a link, each number in its range.
func (n Network) of() mem.Network {
	return mem.Network{
		RTT:    2 * duration(n.Delay),
		Jitter: duration(n.Jitter),
		Loss:   min(max(n.Loss, 0), MaxLoss),
	}
}

func duration(t clock.Micros) time.Duration {
	return time.Duration(min(max(t, 0), MaxDelay)) * time.Microsecond
}

// Match is a server and two players. Make it with New.
type Match struct {
	server  *session.Server[Hero, Input]
	players [players]*player
	steps   int64        // played
	now     clock.Micros // match time of the last step
	shown   clock.Micros // match time that the page draws: in the last step
	// before and after are what there is to draw before and after the last step.
	before, after Picture
	// moves are those of each player that the server has run.
	moves [players]moveLog
	// answers says to whom the next datagram brings a verdict or a push.
	answers [players]bool
	pushes  []push   // of this tick
	packets []Packet // since AppendFrame
	events  []Event  // since AppendFrame
}

// push is a player that a hit throws back from its shooter.
type push struct{ target, shooter session.PlayerID }

// joinSteps is in how many steps both players must be in the match.
const joinSteps = 60 * stepRate

// settleSteps is for how long they play before the first frame: clocks and view delays have settled then.
const settleSteps = 2 * stepRate

// New returns a match in which both players play, on links of that network. Equal seeds and calls give
// equal matches on every machine.
func New(n Network, seed uint64) (*Match, error) {
	m := &Match{server: session.NewServer(Rules(), session.ServerConfig{
		World: level, Players: players, TickRate: stepRate, SnapshotRate: sendRate,
		NewKey: func() session.Key { return session.Key{1} },
	})}
	m.server.Observe((*observer)(m))
	for i := range m.players {
		m.players[i] = newPlayer(i, n.of(), seed+uint64(100*i))
		m.send(i, kindStream)
	}
	settled := 0
	for range joinSteps {
		m.step(nil)
		if !m.after.complete() {
			settled = 0
		} else if settled++; settled > settleSteps {
			m.shown, m.packets, m.events = m.now, m.packets[:0], m.events[:0]
			return m, nil
		}
	}
	return nil, errors.New("splitview: the players could not join within a minute: does the network lose everything?")
}

// SetNetwork changes both links for packets from now on.
func (m *Match) SetNetwork(n Network) {
	for _, p := range m.players {
		p.up.change(n.of())
		p.down.change(n.of())
	}
}

// Advance shows the match so much later, at most a second, and plays what is missing for it. The bot
// plays you where you is nil.
func (m *Match) Advance(by clock.Micros, you *Controls) {
	m.shown += min(max(by, 0), clock.Second)
	for m.now < m.shown {
		m.step(you)
	}
}

// step plays a frame of each player, then a tick of the server.
func (m *Match) step(you *Controls) {
	m.steps++
	m.now = clock.TickTime(m.steps, stepRate)
	m.before = m.after
	for i, p := range m.players {
		m.receive(i)
		var c Controls
		switch {
		case p.client.Self() == nil:
		case i == 0 && you != nil:
			c = *you
		default:
			c = p.bot.think(m.now, p.client.Position())
		}
		fired := p.frame(m.now, c)
		if fired {
			m.noteShot(i)
		}
		m.send(i, kindOf(fired))
	}
	m.tick()
	m.picture(&m.after)
}

// kindOf returns the kind of the datagrams of a frame.
func kindOf(fired bool) int {
	if fired {
		return kindShot
	}
	return kindMoves
}

// receive hands a player what has arrived by now.
func (m *Match) receive(i int) {
	p := m.players[i]
	for _, a := range p.down.deliver(m.now) {
		must(p.client.Receive(session.Channel(a.Channel), micros(a.At)+p.offset, a.Bytes))
	}
	for _, e := range p.client.Events() {
		m.noteEvent(i, &e)
	}
	if c := p.client.RecentCorrections(); len(c) > 0 {
		m.noteCorrections(i, c)
	}
}

// send puts what a player sends on its way.
func (m *Match) send(i int, kind int) {
	p := m.players[i]
	for _, out := range p.client.Outgoing() {
		m.note(i, true, kind, out, p.up.send(m.now, out))
	}
}

// note keeps a packet for the page.
func (m *Match) note(i int, up bool, kind int, out session.Packet, sent Packet) {
	sent.Player, sent.Up = i, up
	if out.Channel == session.Datagram {
		sent.Kind = kind
	}
	m.packets = append(m.packets, sent)
}

// tick plays a tick of the server, with what has arrived by now.
func (m *Match) tick() {
	for i, p := range m.players {
		for _, a := range p.up.deliver(m.now) {
			must(m.server.Receive(session.Peer(i+1), session.Channel(a.Channel), micros(a.At), a.Bytes))
		}
	}
	m.pushes = m.pushes[:0]
	m.server.Tick(m.now)
	for _, e := range m.server.Events() {
		if e.Kind == session.Joined {
			m.server.SetState(e.Player, Hero{State: spawns[e.Player-1], Loadout: guns.Loadout()})
		}
	}
	for _, p := range m.pushes {
		m.push(p)
	}
	m.server.Send()
	for _, out := range m.server.Outgoing() {
		i, kind := int(out.Peer)-1, kindSnapshot
		if out.Channel == session.Datagram && m.answers[i] {
			kind, m.answers[i] = kindVerdict, false
		}
		m.note(i, false, kind, out, m.players[i].down.send(m.now, out))
	}
}

// push throws a target back from its shooter: what no prediction can know of.
func (m *Match) push(p push) {
	pose, ok := m.server.Pose(p.shooter)
	if !ok {
		return
	}
	m.answers[p.target-1] = true
	m.server.Modify(p.target, func(s *Hero) {
		s.Impulse = s.Position.Sub(pose.Position).Flat(up).Unit().Mul(pushSpeed)
	})
}

// must panics where one end cannot read a packet of the other: an error of the code.
func must(err error) {
	if err != nil {
		panic("splitview: one end cannot read a packet of the other: " + err.Error())
	}
}

// Hash returns a hash of both players as the server has them (session.Server.Hash).
func (m *Match) Hash() uint64 { return m.server.Hash() }

// observer is the Match as the server reports to it.
type observer Match

// ObserveMove implements session.Observer.
func (m *observer) ObserveMove(s *session.MoveStep) {
	if !s.GapFill {
		i := s.Player - 1
		m.moves[i].add(s.Pose.At, m.players[i].madeAt(s.Number))
	}
}

// ObserveShot implements session.Observer.
func (m *observer) ObserveShot(s *shot.Shot, r *shot.Receipt, targets []track.Entity) {
	(*Match)(m).noteVerdict(s, r, targets)
}
