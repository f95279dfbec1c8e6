// Listen is a listen server: the process that hosts the match has a player of its own,
// over a connection in memory, and others join over the network. Start at play, which is
// one frame of any player.
//
//	go run ./examples/listen
//	go run ./examples/listen --join localhost:8090
package main

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
)

type (
	hero    = jetpack.Hero
	command = jetpack.Command
)

// rules are the game's, for the server and for each client.
var rules = jetpack.Game(new(movement.DefaultModel()))

// level is one large floor.
func level() *collide.World { return collide.Floor(50) }

// play is one frame of a player, at a local time: it runs in circles and leaps, and
// prints now and then where everybody is.
func play(p *session.Client[hero, command], now clock.Micros) {
	second := now / clock.Second
	c := command{Command: movement.Command{Forward: 1, Yaw: geom.WrapAngle(now.Seconds())}, Jet: second%4 == 0}
	before := p.Newest()
	p.Frame(now, &c)
	if p.Newest() == before || before%200 != 0 {
		return
	}
	fmt.Printf("I am player %d at %.1f\n", p.ID(), p.Position())
	for _, r := range p.Remotes() {
		fmt.Printf("  player %d is at %.1f, %d ms ago\n", r.ID, r.Position, (p.Now(now)-p.View().At)/clock.Millisecond)
	}
}

// match is the server with the player of this process in it. The host's loop ticks it,
// and between two ticks that player draws its frames: one at a time.
type match struct {
	*session.Server[hero, command]
	loop   session.Loopback
	mu     sync.Mutex
	began  time.Time // when match time was 0; zero before the first tick
	kicked []session.Event
}

func (m *match) Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.Server.Receive(from, ch, at, b)
}

func (m *match) Disconnect(peer session.Peer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Server.Disconnect(peer)
}

func (m *match) Tick(now clock.Micros) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.began.IsZero() {
		m.began = time.Now().Add(-time.Duration(now) * time.Microsecond)
	}
	m.Server.Tick(now)
	m.kicked = m.kicked[:0]
	for _, e := range m.Server.Events() {
		switch e.Kind {
		case session.Joined:
			m.SetState(e.Player, hero{State: movement.Spawn(geom.V(0, 0.1, 0), 0), Fuel: 20 * clock.Second})
		case session.Kick:
			m.kicked = append(m.kicked, e)
		}
	}
	m.Server.Send()
}

// Outgoing hands the player of this process its packets, and the host all others.
func (m *match) Outgoing() []session.Packet {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.loop.Deliver(m.now(), m.Server.Outgoing())
}

// now is the match time; only after the first tick.
func (m *match) now() clock.Micros { return clock.Micros(time.Since(m.began).Microseconds()) }

func (m *match) Kicked() []session.Event { return m.kicked }
func (m *match) Report() any             { return []any{} }

// listen hosts a match and plays in it.
func listen(ctx context.Context, addr string) error {
	w := level()
	m := &match{Server: session.NewServer(rules, session.ServerConfig{
		World: w, LevelHash: w.Hash(),
		NewKey: func() (k session.Key) { rand.Read(k[:]); return k },
	})}
	me := session.NewClient(rules, session.ClientConfig{SendRate: 500}) // every frame
	me.Hello("host", session.Key{})
	peer := m.loop.Add(me)
	h, err := host.New(host.Config{Addr: addr, QUIC: addr, Log: nil,
		Matches: []host.MatchConfig{{Name: "jetpack", TickRate: 60, Match: m}},
		Levels:  map[string]host.Level{w.Hash(): {World: w.AppendBinary(nil)}}})
	if err != nil {
		return err
	}
	ended := make(chan error)
	go func() { ended <- h.Run(ctx) }()
	for frame := time.Tick(time.Second / 144); ; {
		select {
		case err := <-ended:
			return err
		case <-frame:
		}
		m.mu.Lock()
		if !m.began.IsZero() {
			now := m.now()
			if me.Phase() == session.Loading {
				me.EnterWorld(w)
			}
			play(me, now)
			m.loop.Send(peer, m.Server, now)
		}
		m.mu.Unlock()
	}
}

// join plays in a match elsewhere.
func join(ctx context.Context, addr string) error {
	me, err := client.Dial(ctx, addr, rules, client.Config{Name: "guest"})
	if err != nil {
		return err
	}
	defer me.Close()
	for frame := time.Tick(time.Second / 144); ; <-frame {
		if err := me.FrameFunc(func(local clock.Micros) { play(me.Client, local) }); err != nil {
			return err
		}
	}
}

func main() {
	addr := flag.String("addr", ":8090", "where to host a match, HTTP and UDP")
	other := flag.String("join", "", "the address of a match to join, instead of hosting one")
	flag.Parse()
	run, where := listen, *addr
	if *other != "" {
		run, where = join, *other
	}
	if err := run(context.Background(), where); err != nil {
		log.Fatal(err)
	}
}
