package parkour_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/parkour"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// newGame returns a game whose players have the moves of this package.
func newGame(model *parkour.Model) session.Game[hero, movement.Command] {
	game := session.Game[hero, movement.Command]{
		Step: func(m *session.Move, h *hero, c *movement.Command) {
			parkour.Step(model, &h.Parkour, &h.State, c, m.Duration, m.World, &m.Motor)
		},
		PackState: func(p *bits.Packer, h *hero) { h.pack(p) },
	}
	character.Fill(&game, &model.Model)
	return game
}

// match spawns each player above the middle of the yard.
type match struct {
	*session.Server[hero, movement.Command]
}

func (m *match) Tick(now clock.Micros) {
	m.Server.Tick(now)
	for _, e := range m.Events() {
		if e.Kind == session.Joined {
			m.SetState(e.Player, hero{State: movement.Spawn(geom.V(0, 5, 0), 0)})
		}
	}
	m.Send()
}

// Half a minute of everything at a round trip of 150 ms: no correction without loss, and with 5 %
// few, whatever the frame rate. [RMS-21, MOD-05, MOD-06, GRD-21, BAS-15]
func TestEverythingIsPredicted(t *testing.T) {
	for _, c := range []struct {
		hz   int
		loss float64
		most int
	}{{60, 0, 0}, {144, 0, 0}, {60, .05, 1}} {
		t.Run(fmt.Sprintf("%d Hz, loss %g", c.hz, c.loss), func(t *testing.T) {
			dice := rand.New(rand.NewPCG(4, 15))
			r := in(t, 60, geom.V(0, 5, 0), ground(t, dice))
			r.m.SlideFrom = 5
			did := play(t, r, c.hz, c.loss, c.most, dice)
			t.Log(did)
			for _, what := range []string{"ladder", "mantle", "slide", "prone"} {
				if did[what] == 0 {
					t.Errorf("nobody did: %s", what)
				}
			}
		})
	}
}

// play lets four players wander for 30 s, and returns how often they did what. An owner may be
// corrected most times.
func play(t *testing.T, r *runner, hz int, loss float64, most int, dice *rand.Rand) map[string]int {
	t.Helper()
	m := &match{session.NewServer(newGame(&r.m), session.ServerConfig{World: r.w.World, NewKey: func() session.Key { return session.Key{1} }})}
	experiment := lab.Experiment{Server: m, Duration: 30 * clock.Second, Seed: 5}
	did := map[string]int{}
	for i := range 4 {
		client := session.NewClient(newGame(&r.m), session.ClientConfig{})
		client.Hello(fmt.Sprint("Ann ", i), session.Key{})
		hands, was := &runner{t: t}, ""
		dice := rand.New(rand.NewPCG(dice.Uint64(), 15))
		experiment.Players = append(experiment.Players, lab.Player{
			Name: fmt.Sprint("Ann ", i), Client: client, Frames: []float64{float64(hz)},
			Network: mem.Network{RTT: 150 * time.Millisecond, Loss: loss},
			Play: func(local, now clock.Micros) {
				for _, e := range client.Events() {
					if e.Kind == session.Welcomed {
						client.EnterWorld(r.w.World)
					}
				}
				if now/16667 != hands.w.At/16667 {
					hands.wander(dice)
				}
				hands.w.At = now
				command := hands.c
				client.Frame(local, &command)
				if self := client.Self(); self != nil && self.doing() != was {
					was = self.doing()
					did[was]++
				}
			},
		})
	}
	result, err := lab.Run(experiment)
	if err != nil {
		t.Fatal(err)
	}
	corrections := 0
	for name, p := range result.Players {
		corrections += p.Corrections
		if p.Corrections > most {
			t.Errorf("%s was corrected %d times, by up to %.3f m; want at most %d", name, p.Corrections, p.CorrectionMax, most)
		}
	}
	t.Logf("%d corrections of 4 players in 30 s", corrections)
	return did
}
