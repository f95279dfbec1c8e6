package lab_test

import (
	"strings"
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
func field() *collide.World { return collide.Floor(40) }

// fight is an experiment of two bots on a field, each with its own network and clock.
func fight(t testing.TB, begin clock.Micros, enter bool) (lab.Experiment, *arena.Match) {
	world := field()
	truth := &lab.Truth{}
	n := byte(0)
	m := arena.NewMatch(arena.MatchConfig{
		ServerConfig: session.ServerConfig{World: world, NewKey: func() session.Key { n++; return session.Key{n} }},
		Spawns:       []arena.Spawn{{Position: geom.V(0, 0.1, 0)}, {Position: geom.V(8, 0.1, 8)}}, KillHeight: -9, Seed: 1,
	})
	e := lab.Experiment{Server: m, StartTime: begin, Duration: 10 * clock.Second, Seed: 7, Truth: truth}
	mesh, err := arena.Mesh(world)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		p := arena.NewPlayer(session.ClientConfig{})
		p.Hello("bot", session.Key{})
		bot := arena.NewBot(arena.Rookie, uint64(i))
		bot.Mesh = mesh
		e.Players = append(e.Players, lab.Player{
			Name: []string{"ann", "bob"}[i], Client: p, Frames: []float64{60 + 30*float64(i)}, Rate: []float64{1 + 300e-6, 1 - 300e-6}[i], Offset: clock.Micros(i) * 77 * clock.Second,
			Network: mem.Network{RTT: 80 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.02},
			Play: func(local, at clock.Micros) {
				in := arena.Input{}
				if at >= 0 {
					in = bot.Think(p, at)
				}
				p.Play(local, in)
				for _, ev := range p.Notices {
					if ev.Kind == session.Welcomed && enter {
						p.Enter(world)
					}
				}
			},
		})
	}
	return e, m
}

// run plays an experiment that must have no errors.
func run(t testing.TB, e lab.Experiment) *lab.Result {
	t.Helper()
	r, err := lab.Run(e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func text(t testing.TB, r *lab.Result) string {
	t.Helper()
	var b strings.Builder
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The same experiment gives the same figures; clocks that drift and begin at any time do
// no harm; and one that begins 10⁶ s late gives the same but for random draws (GAP-07).
func TestAnExperiment(t *testing.T) {
	if testing.Short() {
		t.Skip("long matches in one goroutine")
	}
	for _, begin := range []clock.Micros{0, 1e6 * clock.Second} {
		e, _ := fight(t, begin, true)
		r := run(t, e)
		e, m := fight(t, begin, true)
		if text(t, run(t, e)) != text(t, r) {
			t.Errorf("twice, from %d s: the results differ", begin/clock.Second)
		}
		if past := m.Now() - begin; past < 10*clock.Second || past > 12*clock.Second {
			t.Errorf("lasted %d µs", past)
		}
		for _, name := range r.Order {
			f := r.Players[name]
			t.Logf("from %d s, %s: error %+v, delay %+v, owner %+v, %d reversals, %d snaps, %d corrections, %.0f up, %.0f down, gain %v",
				begin/clock.Second, name, f.RemoteError, f.ViewDelay, f.OwnerError, f.Reversals, f.Snaps, f.Corrections, f.Up, f.Down, f.TimeDiscrepancy.Gain)
			if f.RemoteError.Mean > 0.03 || f.View.Known < 350 || f.Corrections != 0 || f.Snaps != 0 || f.Up < 1000 || f.Down < 1000 {
				t.Errorf("from %d s, %s: out of bounds", begin/clock.Second, name)
			}
		}
	}
}

// An experiment does not begin if its players never enter.
func TestNobodyIsReady(t *testing.T) {
	e, _ := fight(t, 0, false)
	if _, err := lab.Run(e); err == nil || !strings.Contains(err.Error(), "ann was not ready") {
		t.Errorf("got %v, want that ann was not ready", err)
	}
}
