package edge

import (
	"context"
	"io"
	"strconv"
	"sync/atomic"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/internal/bench"
	"github.com/backstep-net/backstep/internal/benchscene"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
)

// counts are of the server's matches.
type counts struct {
	ticks   atomic.Int64
	players atomic.Int64
}

// Serve is the server: its matches on loopback, on ports of its own, until in ends. It answers each line of in.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	var c counts
	config := host.Config{Addr: "127.0.0.1:0", QUIC: "127.0.0.1:0"}
	for i := range matches {
		m, err := c.match()
		if err != nil {
			return err
		}
		config.Matches = append(config.Matches, host.MatchConfig{Name: strconv.Itoa(i), TickRate: tickRate, Match: m})
	}
	h, err := host.New(config)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	err = answer(ctx, in, out, func() sample {
		return sample{cpuTime(), c.ticks.Load(), int(c.players.Load()), "http://" + h.Addr().String()}
	})
	stop()
	if ended := <-ended; err == nil {
		err = ended
	}
	return err
}

// match returns one match of the measured game.
func (c *counts) match() (*serve.Match[bench.Hero, bench.Command], error) {
	type match = serve.Match[bench.Hero, bench.Command]
	world, err := benchscene.B.World()
	if err != nil {
		return nil, err
	}
	return serve.New(bench.Rules(), serve.Config[bench.Hero, bench.Command]{
		Session: session.ServerConfig{World: world, TickRate: tickRate, Players: players, PlayersBlock: true},
		OnJoin: func(m *match, e session.Event) {
			c.players.Add(1)
			m.SetState(e.Player, bench.Spawn(benchscene.B, e.Player))
		},
		OnLeave: func(*match, session.PlayerID) { c.players.Add(-1) },
		OnTick:  func(*match, clock.Micros) { c.ticks.Add(1) },
	})
}
