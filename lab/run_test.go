package lab_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// field is a flat level.
func field(t testing.TB) *collide.World {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(400, 1, 400), geom.NoTurn, collide.Surface{})
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// fight is an experiment of two bots on a field, each on a line and a clock of its
// own.
func fight(t testing.TB, begin clock.Micros, enter bool) (lab.Experiment, *arena.Match) {
	world := field(t)
	truth := &lab.Truth{}
	n := byte(0)
	m := arena.NewMatch(arena.MatchConfig{
		ServerConfig: session.ServerConfig{World: world, NewKey: func() session.Key { n++; return session.Key{n} }},
		Spawns:       []arena.Spawn{{Position: geom.V(0, 0.1, 0)}, {Position: geom.V(8, 0.1, 8)}}, KillHeight: -9, Seed: 1,
	})
	m.Watch(truth.Trace)
	e := lab.Experiment{Server: m, TickRate: 60, Begin: begin, Duration: 10 * clock.Second, Seed: 7, Truth: truth}
	for i := range 2 {
		p := arena.NewPlayer(session.ClientConfig{})
		p.Hello("bot", session.Key{})
		bot := arena.NewBot(arena.Rookie, uint64(i))
		e.Players = append(e.Players, lab.Player{
			Client: p, Frame: 60 + 30*i, Drift: []float64{300e-6, -300e-6}[i], Offset: clock.Micros(i) * 77 * clock.Second,
			Network: mem.Network{RTT: 80 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.02},
			Play: func(local, at clock.Micros) {
				in := arena.Input{}
				if at >= 0 {
					in = bot.Think(p, at)
				}
				p.Play(local, in)
				for _, ev := range p.News {
					if ev.Kind == session.Welcomed && enter {
						p.Enter(world)
					}
				}
			},
		})
	}
	return e, m
}

// The same experiment gives the same figures; clocks that drift and begin anywhere
// do not hurt; and one that begins 10⁶ s late gives what a new one gives but for
// luck (GAP-07).
func TestAnExperiment(t *testing.T) {
	text := func(r *lab.Result) (s string) {
		for _, f := range r.Players {
			s += fmt.Sprintf("error %.4f of %d, delay %.4f, %d reversals, %d snaps, %d corrections, %d placed, %d of %d shots, %.0f up, %.0f down\n",
				f.RemoteError.Mean(), f.RemoteError.Count(), f.ViewDelay.Mean(), f.Reversals, f.Snaps, f.Corrections, f.Placed,
				f.Confirmed, f.Confirmed+f.Contradicted, f.Up, f.Down)
		}
		return s
	}
	for _, begin := range []clock.Micros{0, 1e6 * clock.Second} {
		e, _ := fight(t, begin, true)
		r := lab.Run(e)
		e, m := fight(t, begin, true)
		if got, want := text(lab.Run(e)), text(r); got != want {
			t.Errorf("twice:\n%s%s", want, got)
		}
		if past := m.Now() - begin; past < 10*clock.Second || past > 12*clock.Second {
			t.Errorf("lasted %d µs", past)
		}
		t.Logf("from %d s\n%s", begin/clock.Second, text(r))
		for i, f := range r.Players {
			if f.RemoteError.Mean() > 0.03 || f.RemoteError.Count() < 500 || f.Corrections != 0 || f.Snaps != 0 || f.Up < 1000 || f.Down < 1000 {
				t.Errorf("from %d s, player %d: %s", begin/clock.Second, i, text(r))
			}
		}
	}
}

// An experiment whose players never enter is a fault of whoever set it up.
func TestNobodyIsReady(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	e, _ := fight(t, 0, false)
	lab.Run(e)
}
