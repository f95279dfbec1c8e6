package edge

import (
	"context"
	"encoding/json"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

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
	times   tickTimes
}

// Serve is the server of a load with so many matches and players in each: on loopback, on ports of its own, until in
// ends. It answers each line of in.
func Serve(ctx context.Context, name string, matches, players int, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithTimeout(ctx, longest)
	defer stop()
	var c counts
	l := loads[name]
	l.matches, l.players = matches, players
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
		m.Name = strconv.Itoa(i)
		config.Matches = append(config.Matches, m)
	}
	h, err := host.New(config)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	for lines := linesOf(ctx, in); ; {
		select {
		case err := <-ended:
			return err
		case _, ok := <-lines:
			s := newSample()
			s.Ticks, s.Players, s.URL = c.ticks.Load(), int(c.players.Load()), "http://"+h.Addr().String()
			c.times.fill(&s)
			if !ok || json.NewEncoder(out).Encode(s) != nil {
				stop()
				return <-ended
			}
		}
	}
}

// world returns the level of the matches.
func (l *load) world() (*collide.World, error) {
	if l.objects > 0 {
		return collide.Floor(50), nil
	}
	return benchscene.B.World()
}

// match returns one match of a load.
func (c *counts) match(l *load, world *collide.World) (host.MatchConfig, error) {
	type match = serve.Match[bench.Hero, bench.Command]
	players := 0 // of this match
	config := serve.Config[bench.Hero, bench.Command]{
		Session: session.ServerConfig{World: world, TickRate: l.tickRate, Players: l.players, PlayersBlock: l.objects == 0},
		OnJoin: func(m *match, e session.Event) {
			players++
			c.players.Add(1)
			if l.objects == 0 {
				m.SetState(e.Player, bench.Spawn(benchscene.B, e.Player))
			}
		},
		OnLeave: func(*match, session.PlayerID) { players--; c.players.Add(-1) },
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
	m, err := serve.New(bench.Rules(), config)
	return host.MatchConfig{TickRate: l.tickRate, Match: m, Ticked: func(took, late time.Duration) {
		if players > 0 {
			c.times.add(took, late)
		}
	}}, err
}

// tickTimes count the ticks since the last sample by how long they took and how late they began. They are allocated
// once, because the server's garbage is measured too, and nothing is sorted, because that would delay ticks.
type tickTimes struct {
	mu         sync.Mutex
	took, late [1 << 16]uint32 // by µs; the last has all longer ones
}

// add counts a tick.
func (t *tickTimes) add(took, late time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.took[min(max(took.Microseconds(), 0), int64(len(t.took)-1))]++
	t.late[min(max(late.Microseconds(), 0), int64(len(t.late)-1))]++
}

// fill writes the percentiles into a sample and forgets the ticks.
func (t *tickTimes) fill(s *sample) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.Tick50, s.Tick99 = percentile(t.took[:], .5), percentile(t.took[:], .99)
	s.Late99, s.Late999 = percentile(t.late[:], .99), percentile(t.late[:], .999)
	clear(t.took[:])
	clear(t.late[:])
}

// percentile returns the index at or below which a share of the counts is.
func percentile(counts []uint32, share float64) float64 {
	all := uint64(0)
	for _, n := range counts {
		all += uint64(n)
	}
	for i, below := 0, uint64(0); i < len(counts); i++ {
		if below += uint64(counts[i]); float64(below) >= share*float64(all) {
			return float64(i)
		}
	}
	return 0
}
