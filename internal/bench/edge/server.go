package edge

import (
	"context"
	"io"
	"strconv"
	"sync/atomic"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/internal/bench"
	"github.com/backstep-net/backstep/internal/benchscene"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// counts are of the server's matches.
type counts struct {
	ticks   atomic.Int64
	players atomic.Int64
}

// Serve is the server of a load with so many players in a match: its matches on loopback, on ports of its own, until in
// ends. It answers each line of in.
func Serve(ctx context.Context, name string, players int, in io.Reader, out io.Writer) error {
	var c counts
	l := loads[name]
	l.players = players
	world, err := l.world()
	if err != nil {
		return err
	}
	config := host.Config{Addr: "127.0.0.1:0", QUIC: "127.0.0.1:0"}
	for i := range l.matches {
		m, err := c.match(&l, world)
		if err != nil {
			return err
		}
		config.Matches = append(config.Matches, host.MatchConfig{Name: strconv.Itoa(i), TickRate: l.tickRate, Match: m})
	}
	h, err := host.New(config)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	err = answer(ctx, in, out, func() sample {
		s := newSample()
		s.Ticks, s.Players, s.URL = c.ticks.Load(), int(c.players.Load()), "http://"+h.Addr().String()
		return s
	})
	stop()
	if ended := <-ended; err == nil {
		err = ended
	}
	return err
}

// world returns the level of the matches.
func (l *load) world() (*collide.World, error) {
	if l.objects > 0 {
		return collide.Floor(50), nil
	}
	return benchscene.B.World()
}

// match returns one match of a load.
func (c *counts) match(l *load, world *collide.World) (*serve.Match[bench.Hero, bench.Command], error) {
	type match = serve.Match[bench.Hero, bench.Command]
	config := serve.Config[bench.Hero, bench.Command]{
		Session: session.ServerConfig{World: world, TickRate: l.tickRate, Players: l.players, PlayersBlock: l.objects == 0},
		OnJoin: func(m *match, e session.Event) {
			c.players.Add(1)
			if l.objects == 0 {
				m.SetState(e.Player, bench.Spawn(benchscene.B, e.Player))
			}
		},
		OnLeave: func(*match, session.PlayerID) { c.players.Add(-1) },
		OnTick:  func(*match, clock.Micros) { c.ticks.Add(1) },
	}
	objects, ids := make([]*bench.Wanderer, l.objects), make([]track.ID, l.objects)
	config.Simulate = func(m *match, now clock.Micros) {
		for i := range objects {
			if objects[i] == nil {
				objects[i], ids[i] = bench.NewWanderer(i), m.Spawn(1)
			}
			objects[i].Step(clock.Second / clock.Micros(l.tickRate))
			sample := objects[i].Sample()
			if l.derived {
				sample.Yaw, sample.Pitch = 0, 0
			}
			m.UpdateEntity(ids[i], sample)
		}
	}
	return serve.New(bench.Rules(), config)
}
