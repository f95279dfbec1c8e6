package arena

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// E2E-01: a minute of everything, no loss: the server computes bit for bit what
// the owner predicted, after every single move.
func TestOwnerAndServerAreEqualAfterEveryMoveWithoutLoss(t *testing.T) {
	world := yard(t)
	for _, frame := range []int{60, 144} {
		s := newStage(t, world, Spawn{Position: geom.V(0, 0.1, 4)})
		var ours, theirs []uint64
		s.exp.Server = watched{s.match, func(m *session.Moved) {
			if h, _ := s.match.State(m.Player); !m.Filler {
				theirs = append(theirs, h.Hash())
			}
		}}
		var heights []float64
		hands := newTour(0)
		s.join(frame, mem.Network{RTT: 100 * time.Millisecond}, func(p *Player, at clock.Micros) Input {
			if made := p.Stats().Moves.Made; made > len(ours) {
				ours = append(ours, p.Self().Hash())
				heights = append(heights, p.Self().Position.Y)
			}
			return hands(p, at)
		})
		f := s.run(60 * clock.Second).Players["0"]
		n := min(len(ours), len(theirs))
		if n < 59*frame {
			t.Fatalf("%d frames/s: only %d moves to compare", frame, n)
		}
		if !slices.Equal(ours[:n], theirs[:n]) {
			t.Errorf("%d frames/s: the states differ", frame)
		}
		if f.Corrections != 0 {
			t.Errorf("%d frames/s: got %d corrections, want 0", frame, f.Corrections)
		}
		t.Logf("%d frames/s: %d moves, hash %016x, heights up to %.2f m, up %.0f B/s, down %.0f B/s",
			frame, n, ours[n-1], slices.Max(heights), f.Up, f.Down)
	}
}

var bad = mem.Network{RTT: 100 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.05}

// The bar: 100 ms round trip, 30 ms jitter, 5 % loss: at most one
// correction in 10 s, none over 5 cm, others drawn within 3 cm on average.
func TestABadNetworkIsHardlySeen(t *testing.T) {
	world := yard(t)
	var corrections int
	var worst float64
	const runs = 5
	for seed := range uint64(runs) {
		for _, frame := range []int{60, 144} {
			s := newStage(t, world, Spawn{Position: geom.V(0, 0.1, 4)})
			s.exp.Seed = seed + 1
			s.join(frame, bad, newTour(0))
			s.join(frame, bad, newTour(10))
			r := s.run(60 * clock.Second)
			for i, name := range r.Order {
				f := r.Players[name]
				corrections += f.Corrections
				worst = math.Max(worst, f.CorrectionMax)
				t.Logf("seed %d, %d frames/s, player %d: corrections %d (max %.3f m), remote error mean %.4f p99 %.4f max %.4f, view delay mean %.3f p99 %.3f, reversals %d, snaps %d, up %.0f down %.0f B/s",
					seed+1, frame, i, f.Corrections, f.CorrectionMax, f.RemoteError.Mean, f.RemoteError.P99, f.RemoteError.Max,
					f.ViewDelay.Mean, f.ViewDelay.P99, f.Reversals, f.Snaps, f.Up, f.Down)
				if f.RemoteError.Mean >= 0.03 {
					t.Errorf("remote error: got %.4f m, want below 0.03", f.RemoteError.Mean)
				}
				if f.Corrections > 6 {
					t.Errorf("corrections in 60 s: got %d, want at most 6", f.Corrections)
				}
			}
		}
	}
	if worst > 0.05 {
		t.Errorf("largest correction: got %.3f m, want at most 0.05", worst)
	}
	t.Logf("%d corrections in %d player-minutes", corrections, runs*4)
}

// E2E-07 and the bar: of 1,000 shots that bots aim at what they see, at
// 100 ms round trip and 1 % loss, at least 99 % get the verdict the screen showed.
// Heroes die and return while the shots are under way.
func TestShotsAreJudgedAsTheShooterSawThem(t *testing.T) {
	world := yard(t)
	net := mem.Network{RTT: 100 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.01}
	shaky := Sharp
	shaky.Shake = 0.03 // so that some miss, and some only just
	for _, frame := range []int{60, 144} {
		s := newStage(t, world, Spawn{Position: geom.V(0, 0.1, 4)}, Spawn{Position: geom.V(-10, 0.1, -10), Yaw: 3},
			Spawn{Position: geom.V(10, 0.1, -10), Yaw: 2}, Spawn{Position: geom.V(10, 0.1, 10), Yaw: 1})
		kills := 0
		for i := range 4 {
			bot := NewBot(shaky, uint64(i)+1)
			s.join(frame, net, func(p *Player, at clock.Micros) Input {
				for _, k := range p.Kills {
					if i == 0 && k.Killer != k.Victim {
						kills++
					}
				}
				return bot.Think(p, at)
			})
		}
		r := s.run(180 * clock.Second)
		judged, hits, share := len(r.Shots.Receipts), r.Shots.Confirmed, r.Shots.Agreement
		t.Logf("%d unfired, %d refused, %d false hits, pose error %v", r.Shots.Unfired, r.Shots.Refused, r.Shots.FalseHits, r.Shots.PoseError)
		t.Logf("%d frames/s: %d shots, %d hits, %d kills, %.2f %% judged as seen", frame, judged, hits, kills, 100*share)
		if judged < 1000 || hits < 300 || kills < 20 {
			t.Errorf("%d frames/s: got %d shots, %d hits, %d kills; want a fight of 1,000, 300, 20", frame, judged, hits, kills)
		}
		if share < 0.99 {
			t.Errorf("%d frames/s: got %.2f %% agreement, want at least 99", frame, 100*share)
		}
	}
}
