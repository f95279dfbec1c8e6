package main

import (
	"time"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/transport/mem"
)

// hero and command are the game of the pictures: characters with a rifle on a floor.
type (
	hero struct {
		movement.State
		shot.Loadout
	}
	command struct {
		movement.Command
		shot.Trigger
	}
	client = session.Client[hero, command]
)

// rules returns the game, the same on both ends.
func rules() session.Game[hero, command] {
	model := movement.DefaultModel()
	g := session.Game[hero, command]{
		Step: func(m *session.Move, h *hero, c *command) {
			h.Loadout.Step(m.Weapons, c.Trigger.Input(), m.Duration)
			m.Walk(&model, &h.State, &c.Command)
		},
		PackCommand: func(p *bits.Packer, c, before *command) { c.Command.Pack(p, &before.Command); c.Trigger.Pack(p) },
		PackState:   func(p *bits.Packer, h *hero) { h.State.Pack(p); h.Loadout.Pack(p) },
	}
	character.Arm(&g, shot.Table{shot.Rifle()}, nil)
	character.Fill(&g, &model)
	return g
}

// player is one player of a match that is drawn.
type player struct {
	name    string
	network mem.Network
	config  session.ClientConfig
	spawn   hero
	// play returns the input of a frame at a time since time zero.
	play func(c *client, t clock.Micros) command
	// drawn is called after the frame.
	drawn func(c *client, t clock.Micros)
	// sent is called with each datagram that the client sends.
	sent func(c *client, b []byte)
}

// match is a match that is played for a picture.
type match struct {
	session  session.ServerConfig
	world    *collide.World // nil: a floor
	seed     uint64
	duration clock.Micros
	players  []player
	// moved is called with each step of a move on the server, received with each packet of a
	// player, ticked after each tick, judged with each verdict; nil is not called. Times count
	// from time zero.
	moved    func(t clock.Micros, m *session.MoveStep)
	received func(t clock.Micros, b []byte)
	ticked   func(t clock.Micros, s *server)
	judged   func(t clock.Micros, s *server, r *shot.Receipt)
}

// begins is the match time that counts as zero: all have joined and the clocks are settled.
const begins = 3 * clock.Second

// server is the match's server, which reports what it does.
type server struct {
	*serve.Match[hero, command]
	of *match
}

func (s *server) Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error {
	if s.of.received != nil && ch == session.Datagram {
		s.of.received(at-begins, b)
	}
	return s.Match.Receive(from, ch, at, b)
}

func (s *server) Tick(now clock.Micros) {
	s.Match.Tick(now)
	if s.of.ticked != nil {
		s.of.ticked(now-begins, s)
	}
}

// Observe shows the lab's observer, and the match, every move.
func (s *server) Observe(o session.Observer) { s.Match.Observe(observer{o, s}) }

type observer struct {
	session.Observer
	of *server
}

func (o observer) ObserveMove(m *session.MoveStep) {
	if o.of.of.moved != nil {
		o.of.of.moved(m.Pose.At-begins, m)
	}
	o.Observer.ObserveMove(m)
}

// reporting is a client that reports its datagrams.
type reporting struct {
	*client
	sent func(c *client, b []byte)
}

func (r reporting) Outgoing() []session.Packet {
	out := r.client.Outgoing()
	for _, p := range out {
		if r.sent != nil && p.Channel == session.Datagram {
			r.sent(r.client, p.Bytes)
		}
	}
	return out
}

// run plays the match.
func (m *match) run() error {
	world := m.world
	if world == nil {
		world = collide.Floor(100)
	}
	m.session.World = world
	served, err := serve.New(rules(), serve.Config[hero, command]{
		Session: m.session,
		OnJoin: func(s *serve.Match[hero, command], e session.Event) {
			s.SetState(e.Player, m.players[e.Player-1].spawn)
		},
		OnShot: func(s *serve.Match[hero, command], _ session.PlayerID, r *shot.Receipt) {
			if m.judged != nil {
				m.judged(s.Now()-begins, &server{s, m}, r)
			}
		},
	})
	if err != nil {
		return err
	}
	e := lab.Experiment{Server: &server{served, m}, Duration: m.duration, Zero: begins, Seed: m.seed}
	for i := range m.players {
		e.Players = append(e.Players, m.players[i].join(world))
	}
	_, err = lab.Run(e)
	return err
}

// join returns the lab's player, in a level.
func (p *player) join(world *collide.World) lab.Player {
	c := session.NewClient(rules(), p.config)
	c.Hello(p.name, session.Key{})
	return lab.Player{
		Name: p.name, Client: reporting{c, p.sent}, Network: p.network,
		Play: func(local, t clock.Micros) {
			for _, e := range c.Events() {
				if e.Kind == session.Welcomed {
					c.EnterWorld(world)
				}
			}
			in := command{}
			if t >= 0 && p.play != nil {
				in = p.play(c, t)
			}
			c.Frame(local, &in)
			if t >= 0 && p.drawn != nil {
				p.drawn(c, t)
			}
		},
	}
}

// at returns a hero that stands there and looks along a yaw.
func at(x, z, yaw float64) hero {
	table := shot.Table{shot.Rifle()}
	return hero{State: movement.Spawn(geom.V(x, 0.1, z), yaw), Loadout: table.Loadout()}
}

// rtt returns a network of that round trip in milliseconds.
func rtt(ms int) mem.Network { return mem.Network{RTT: time.Duration(ms) * time.Millisecond} }
