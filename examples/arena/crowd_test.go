package arena

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// solidStage is a stage on the court with players in each other's way.
func solidStage(t testing.TB, spawns ...Spawn) *stage {
	s := newStage(t, court(), spawns...)
	s.match = NewMatch(MatchConfig{
		ServerConfig: session.ServerConfig{World: court(), LevelHash: "test", NewKey: keys(), PlayersBlock: true},
		Spawns:       spawns, KillHeight: -50, Seed: 1,
	})
	s.exp.Server = s.match
	return s
}

// line is a network of that round trip.
func line(rtt, jitter time.Duration, loss float64) mem.Network {
	return mem.Network{RTT: rtt, Jitter: jitter, Loss: loss}
}

// BAS-08, GAP-61: two players run head-on at a round trip of 150 ms: each sees the
// other where the server has it, neither is drawn going back by more than 5 cm from a
// frame to the next, and half a second after they met both creep at
// 5 % of their speed at most.
func TestHeadOn(t *testing.T) {
	for _, c := range []struct {
		aside float64
		net   mem.Network
		most  int // corrections
	}{
		{0, line(150*time.Millisecond, 0, 0), 0},
		{0.2, line(150*time.Millisecond, 0, 0), 0},
		{0, line(150*time.Millisecond, 15*time.Millisecond, 0.02), 0},
		{0.5, line(40*time.Millisecond, 5*time.Millisecond, 0), 0},
	} {
		s := solidStage(t, Spawn{Position: geom.V(c.aside, .02, 8)}, Spawn{Position: geom.V(0, .02, -8), Yaw: math.Pi})
		worst, met := [2]float64{}, clock.Micros(-1)
		var last, step [2]float64
		var late [2]float64
		for i := range 2 {
			s.join(60, c.net, func(p *Player, now clock.Micros) Input {
				drawn := p.Position().Add(p.Offset()).Z
				d := drawn - last[i]
				if now > clock.Second/2 && d*step[i] < 0 {
					worst[i] = max(worst[i], math.Abs(d-step[i]))
				}
				last[i], step[i] = drawn, d
				if met < 0 && math.Abs(last[0]-last[1]) < 0.8 {
					met = now
				}
				if met >= 0 && now > met+clock.Second/2 {
					late[i] = max(late[i], math.Abs(d)*60)
				}
				return Input{Forward: 1, Yaw: float64(i) * math.Pi}
			})
		}
		r := s.run(5 * clock.Second)
		a, _ := s.match.State(1)
		b, _ := s.match.State(2)
		apart := a.Position.Dist(b.Position) - 2*s.match.game.Model().Radius
		for i, name := range []string{"0", "1"} {
			f := r.Players[name]
			t.Logf("%+v: met at %v, %d corrections, worst %v m, reversal %v m, %v m/s after, apart %v", c, met, f.Corrections, f.CorrectionMax, worst[i], late[i], apart)
			if f.Corrections > c.most || worst[i] > 0.05 || (c.aside == 0 && late[i] > 0.01) || met < 0 {
				t.Errorf("%+v: %d corrections, reversal of %v m, %v m/s half a second after", c, f.Corrections, worst[i], late[i])
			}
		}
		if c.aside == 0 && (apart < -0.05 || apart > 0.3) {
			t.Errorf("%+v: %v m apart", c, apart)
		}
	}
}

// BAS-08: eight players run about in a square of 6 m over a bad line, into each
// other all the time: what each predicts of the others in its way is what the server
// has, so nobody is corrected. They see each other late, so two may get into one another,
// but are soon apart.
func TestMilling(t *testing.T) {
	const seed = 5
	var spawns []Spawn
	for i := range 8 {
		spawns = append(spawns, Spawn{Position: geom.V(float64(i%4)*1.5-2, .02, float64(i/4)*3-1.5)})
	}
	s := solidStage(t, spawns...)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 8 {
		to := geom.Vec3{}
		s.join(60, line(150*time.Millisecond, 15*time.Millisecond, 0.02), func(p *Player, _ clock.Micros) Input {
			way := to.Sub(p.Position()).Flat(geom.Up)
			if way.Len() < 0.5 || r.IntN(100) == 0 {
				to = geom.V(r.Float64()*6-3, 0, r.Float64()*6-3)
			}
			return Input{Forward: 1, Yaw: geom.Yaw(way)}
		})
	}
	deepest, frames, deep := 0.0, 0, 0
	s.exp.Server = watched{s.match, func(m *session.MoveStep) {
		for id := session.PlayerID(1); id <= 8; id++ {
			if o, ok := s.match.State(id); ok && id != m.Player {
				in := 2*s.match.game.model.Radius - o.Position.Dist(m.Position)
				deepest = max(deepest, in)
				if frames++; in > 0.05 {
					deep++
				}
			}
		}
	}}
	res := s.run(20 * clock.Second)
	for name, f := range res.Players {
		if f.Corrections != 0 {
			t.Errorf("seed %d: player %s corrected %d times, by up to %v m", seed, name, f.Corrections, f.CorrectionMax)
		}
	}
	t.Logf("deepest %.3f m; deeper than 5 cm in %d of %d", deepest, deep, frames)
	if deep > frames/20 {
		t.Errorf("seed %d: %v m deep, and more than 5 cm in %d of %d", seed, deepest, deep, frames)
	}
}
