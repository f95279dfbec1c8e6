// Command serve serves the jetpack game and a folder of files, such as its page. A
// message of a player comes back to it; the test of the npm package uses both.
package main

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"log"
	"os/signal"
	"syscall"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
)

// level is a floor.
func level() *collide.World {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(200, 1, 200), geom.IdentityQuat, collide.Surface{})
	w, err := b.Bake()
	if err != nil {
		log.Fatal(err)
	}
	return w
}

// match places who joins, and answers messages.
type match struct {
	*session.Server[jetpack.Hero, jetpack.Command]
	kicked []session.Event
}

// Tick advances the match.
func (m *match) Tick(now clock.Micros) {
	m.Server.Tick(now)
	m.kicked = m.kicked[:0]
	for _, e := range m.Events() {
		switch e.Kind {
		case session.Joined:
			at := geom.V(3*float64(e.Player), 0.1, 0)
			m.SetState(e.Player, jetpack.Hero{State: movement.Spawn(at, 0), Fuel: 20 * clock.Second})
		case session.Message:
			m.SendMessage(e.Player, e.Bytes)
		case session.Kick:
			m.kicked = append(m.kicked, e)
		}
	}
	m.Send()
}

// Kicked returns the peers to disconnect.
func (m *match) Kicked() []session.Event { return m.kicked }

// Report is the players' part of the status: none.
func (m *match) Report(bool) any { return []any{} }

func main() {
	web := flag.String("web", "", "folder of files to serve")
	flag.Parse()
	w := level()
	m := &match{Server: session.NewServer(jetpack.Game(new(movement.DefaultModel())), session.ServerConfig{
		World: w, LevelHash: w.Hash(), TickRate: 60, Players: 8,
		NewKey: func() (k session.Key) { rand.Read(k[:]); return k },
	})}
	h, err := host.New(host.Config{
		Addr: "127.0.0.1:0", QUIC: "127.0.0.1:0", Web: *web, Version: "test",
		Levels:  map[string]host.Level{w.Hash(): {World: w.AppendBinary(nil)}},
		Matches: []host.MatchConfig{{Name: "jetpack", TickRate: 60, Level: w.Hash(), Match: m}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("backstep: open http://%s\n", h.Addr())
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := h.Run(ctx); err != nil {
		log.Fatal(err)
	}
}
