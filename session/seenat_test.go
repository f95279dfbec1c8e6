package session_test

import (
	"slices"
	"testing"
	"time"

	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// seenServer compares SeenAt after each command with what the client drew before it.
type seenServer struct {
	*session.Server[jetpack.Hero, jetpack.Command]
	session.Observer // the lab's
	drawn            map[session.PlayerID]map[uint32]clock.Micros
	off              []clock.Micros
}

func (m *seenServer) Observe(o session.Observer) {
	m.Observer = o
	m.Server.Observe(m)
}

func (m *seenServer) ObserveMove(step *session.MoveStep) {
	m.Observer.ObserveMove(step)
	if at, ok := m.drawn[step.Player][step.Number]; ok && !step.GapFill && m.Now() > 10*clock.Second {
		m.off = append(m.off, m.SeenAt(step.Player)-at)
	}
}

func (m *seenServer) Tick(now clock.Micros) {
	m.Server.Tick(now)
	for _, e := range m.Events() {
		if e.Kind == session.Joined {
			m.SetState(e.Player, jetpack.Hero{State: movement.Spawn(geom.V(float64(e.Player), 0, 0), 0)})
		}
	}
	m.Send()
}

// Over good and bad lines the server knows, without a shot, what a player saw of others when it made a command. The bound
// is half a frame without jitter, and a frame with it, for the 5th and the 95th percentile. (HIT-16)
func TestTheServerKnowsWhatAPlayerSees(t *testing.T) {
	for _, c := range []struct {
		network mem.Network
		within  clock.Micros
	}{
		{mem.Network{}, 8 * ms},
		{mem.Network{RTT: 100 * time.Millisecond}, 8 * ms},
		{mem.Network{RTT: 200 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: .05}, 16 * ms},
	} {
		model := movement.DefaultModel()
		game, world := jetpack.Game(&model), collide.Floor(100)
		m := &seenServer{
			Server: session.NewServer(game, session.ServerConfig{World: world, NewKey: countingKeys()}),
			drawn:  map[session.PlayerID]map[uint32]clock.Micros{},
		}
		check.Bots(t, game, check.Match[jetpack.Hero, jetpack.Command]{
			Server: m, World: world, Players: 2, Network: c.network, Duration: 30 * clock.Second,
			Think: func(*session.Client[jetpack.Hero, jetpack.Command]) (in jetpack.Command) { in.Forward = 1; return in },
			Each: func(c *session.Client[jetpack.Hero, jetpack.Command], _ clock.Micros) {
				if c.Self() != nil {
					if m.drawn[c.ID()] == nil {
						m.drawn[c.ID()] = map[uint32]clock.Micros{}
					}
					m.drawn[c.ID()][c.Newest()+1] = c.View().At
				}
			},
		})
		slices.Sort(m.off)
		n := len(m.off)
		if n < 1000 {
			t.Fatalf("%+v: %d commands compared", c.network, n)
		}
		low, high := m.off[n/20], m.off[n*19/20]
		t.Logf("%v, %v jitter, %.0f %% loss: %d commands, off by %d … %d ms (5th and 95th percentile), %d … %d ms at most", c.network.RTT, c.network.Jitter, 100*c.network.Loss, n, low/1000, high/1000, m.off[0]/1000, m.off[n-1]/1000)
		if low < -c.within || high > c.within {
			t.Errorf("off by %v … %v, want within %v", low, high, c.within)
		}
	}
}
