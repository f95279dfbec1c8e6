package coop

import (
	"bytes"
	"testing"
	"time"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/transport/mem"
)

type client = session.Client[Guard, Input]

// The rules are right in what the compiler cannot see.
func TestTheRules(t *testing.T) {
	start := Guard{State: movement.Spawn(geom.V(0, 0.1, 3), 0), Loadout: rifles.Loadout()}
	check.Game(t, Rules(), check.Play[Guard, Input]{Start: start, World: Field(), Moves: 5000})
}

// Two bots hold the fort for two minutes at 150 ms: waves come and are shot. Without loss each shot is judged
// as it was seen, at characters that nobody plays too, and the only corrections are deaths.
func TestAMatchOfBots(t *testing.T) {
	for _, loss := range []float64{0, 0.05} {
		config := Config()
		config.Bots = 0
		shots, hits, otherwise := 0, 0, 0
		onShot := config.OnShot
		config.OnShot = func(m *match, by session.PlayerID, r *shot.Receipt) {
			if shots++; r.Verdict == shot.Hit {
				hits++
			}
			if !r.Agrees && r.Reason != shot.ShooterDead { // its client did not know
				otherwise++
				t.Logf("loss %v: shot %d of %d was not judged as seen: %v, %v", loss, r.Shot, by, r.Verdict, r.Reason)
			}
			onShot(m, by, r)
		}
		m, err := serve.New(Rules(), config)
		if err != nil {
			t.Fatal(err)
		}
		wave := int64(0)
		clients := check.Bots(t, Rules(), check.Match[Guard, Input]{
			Server: m, World: Field(), Think: Think, Players: 2, Duration: 120 * clock.Second,
			Network: mem.Network{RTT: 150 * time.Millisecond, Loss: loss},
			Each:    func(c *client, _ clock.Micros) { wave = max(wave, c.Number(session.OfMatch, "wave")) },
		})
		score := int64(0)
		for _, c := range clients {
			stats := c.Stats().Moves
			score += m.Number(c.ID(), "score")
			t.Logf("loss %v: player %d: score %d, %d corrections, %d of them by its death", loss, c.ID(), m.Number(c.ID(), "score"), stats.Corrections+stats.ServerForces, stats.ServerForces)
			if loss == 0 && stats.Corrections != 0 {
				t.Errorf("player %d: got %d mispredictions without loss, want none", c.ID(), stats.Corrections)
			}
		}
		t.Logf("loss %v: wave %d, %d shots, %d hits, %d not as seen, %d attackers shot", loss, wave, shots, hits, otherwise, score)
		if most := int(100 * loss); otherwise*100 > most*shots*2 {
			t.Errorf("got %d of %d shots judged otherwise at %v loss", otherwise, shots, loss)
		}
		if wave < 3 || score < 10 {
			t.Errorf("got wave %d and %d attackers shot: too little happens", wave, score)
		}
	}
}

// A player that stands on the plate in the south shuts that gate, and when it has left the gate opens again.
func TestAPlateHoldsItsGate(t *testing.T) {
	config := Config()
	config.Bots = 0
	m, err := serve.New(Rules(), config)
	if err != nil {
		t.Fatal(err)
	}
	shut, opened := clock.Micros(0), clock.Micros(0)
	check.Bots(t, Rules(), check.Match[Guard, Input]{
		Server: m, World: Field(), Players: 1, Duration: 9 * clock.Second, Network: mem.Network{RTT: 150 * time.Millisecond},
		Think: func(c *client) (in Input) {
			to := geom.V(0, 0, 0.6*fort)
			if c.View().At > 4*clock.Second {
				to = geom.V(5, 0, 0)
			}
			if to = to.Sub(c.Position()).Flat(geom.Up); to.Len() > 0.3 {
				in.Forward, in.Yaw = 1, geom.Yaw(to)
			}
			return in
		},
		Each: func(c *client, local clock.Micros) {
			if w := c.World(); w.World != nil {
				up := w.Pose(2).Translation.Y > 0.6
				if up && shut == 0 {
					shut = local
				}
				if !up && shut != 0 && opened == 0 {
					opened = local
				}
			}
		},
	})
	t.Logf("shut for %.1f s", (opened - shut).Seconds())
	if shut == 0 || opened-shut < 2*clock.Second {
		t.Errorf("got a gate that is shut at %v and opens at %v, want it shut until the player has left", shut, opened)
	}
}

// A server that starts again in the middle of a wave goes on with it: the same attackers walk on, no other
// comes on top, and the state is saved again as the same bytes. After a refused checkpoint the same hooks
// serve a match that begins anew.
func TestAWaveGoesOnAfterARestart(t *testing.T) {
	made := func(config serve.Config[Guard, Input]) *match {
		config.Bots = 0
		m, err := serve.New(Rules(), config)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	before := made(Config())
	check.Bots(t, Rules(), check.Match[Guard, Input]{Server: before, World: Field(), Think: Think, Players: 2, Duration: 6 * clock.Second})
	w := bits.NewWriter(make([]byte, 1<<17))
	before.Checkpoint(&w)
	config := Config()
	read := func(m *match, b []byte) error {
		var p bits.Packer
		p.Read(b)
		m.Checkpoint(&p)
		p.End()
		return p.Err()
	}
	if read(made(config), w.Bytes()[:len(w.Bytes())-20]) == nil {
		t.Error("a checkpoint that was cut is accepted")
	}
	run := func(m *match, ticks int) (where map[track.ID]geom.Vec3) {
		for range ticks {
			m.Tick(clock.TickTime(int64(m.TickNumber())+1, 60))
			m.Outgoing()
		}
		where = map[track.ID]geom.Vec3{}
		for _, e := range m.FullSnapshot().Entities(nil) {
			if int(e.ID) > m.Seats() {
				where[e.ID] = e.Position
			}
		}
		return where
	}
	if where := run(made(config), 60); len(where) != 0 {
		t.Errorf("after a refused checkpoint a match without players has %d attackers", len(where))
	}
	after := made(config)
	if err := read(after, w.Bytes()); err != nil {
		t.Fatal(err)
	}
	again := bits.NewWriter(make([]byte, 1<<17))
	if after.Checkpoint(&again); !bytes.Equal(w.Bytes(), again.Bytes()) {
		t.Error("the restored match is saved as other bytes")
	}
	first := run(after, 1)
	wave, left := after.Number(session.OfMatch, "wave"), after.Number(session.OfMatch, "left")
	if wave != before.Number(session.OfMatch, "wave") || left != before.Number(session.OfMatch, "left") || int(left) != len(first) || left == 0 {
		t.Errorf("got wave %d with %d left and %d entities, want wave %d with %d", wave, left, len(first), before.Number(session.OfMatch, "wave"), before.Number(session.OfMatch, "left"))
	}
	walked, then := 0, run(after, 120)
	for id, at := range then {
		if from, there := first[id]; !there {
			t.Errorf("attacker %d came on top", id)
		} else if at.Dist(from) > 1 {
			walked++
		}
	}
	if walked == 0 {
		t.Errorf("none of %d attackers walks", len(then))
	}
}
