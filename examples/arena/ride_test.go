package arena

import (
	"math"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	docs "github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/session"
)

// fairground is the court with a lift, a platform that orbits the origin at 10 m and 30°/s,
// and a train that sways along on a curve.
func fairground(t testing.TB) *collide.World {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(60, 1, 60), geom.IdentityQuat, collide.Surface{})
	board := func(x, z float64) func(*collide.Builder) {
		return func(b *collide.Builder) {
			b.Box(geom.V(x, -.15, z), geom.V(5, .15, 5), geom.IdentityQuat, collide.Surface{})
		}
	}
	b.Mover("orbit", collide.Path{Loop: true, Keys: []collide.Key{
		{Position: geom.V(0, 1, 0)}, {At: 12 * clock.Second, Position: geom.V(0, 1, 0), Angle: 2 * math.Pi},
	}}, board(10, 0))
	b.Mover("lift", collide.Path{Loop: true, Smooth: true, Keys: []collide.Key{
		{Position: geom.V(-20, .3, 0)}, {At: 4 * clock.Second, Position: geom.V(-20, 6, 0)}, {At: 8 * clock.Second, Position: geom.V(-20, .3, 0)},
	}}, board(0, 0))
	b.Mover("train", collide.Path{Loop: true, Smooth: true, Keys: []collide.Key{
		{Position: geom.V(-20, .5, 25)}, {At: 8 * clock.Second, Position: geom.V(20, 2, 25), Angle: .5}, {At: 16 * clock.Second, Position: geom.V(-20, .5, 25)},
	}}, board(0, 0))
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// BAS-01, SRV-15, E2E: at a round trip of 150 ms, with jitter and 5 % loss, riders of
// an orbiting platform, a lift and a train are never corrected: not while they stand,
// when they keep their place on it within a centimetre, nor when they walk about and
// jump on it. Nobody sees another jump or go back, though trains are drawn later than
// people.
func TestRidersAreNotCorrected(t *testing.T) {
	world := fairground(t)
	s := newStage(t, world,
		Spawn{Position: geom.V(10, 1.05, 0)}, Spawn{Position: geom.V(9, 1.05, 1)}, Spawn{Position: geom.V(-20, .35, 0)}, Spawn{Position: geom.V(-20, .55, 25)})
	const half = 30 * clock.Second
	for range 4 {
		s.join(60, line(150*time.Millisecond, 15*time.Millisecond, 0.05), func(p *Player, now clock.Micros) Input {
			if now < half || p.Self().Base.Mover == collide.Static && p.Self().Position.Y < .3 {
				return Input{}
			}
			home := world.Mover(p.Self().Base.Mover)
			in := Input{Forward: 1, Jump: now%(2*clock.Second) < 100*clock.Millisecond, Yaw: now.Seconds()}
			if home != nil { // about the middle of the board
				middle := geom.Vec3{}
				if p.Self().Base.Mover == 1 {
					middle.X = 10
				}
				way := home.Path.Pose(p.View().Platform).Apply(middle).Sub(p.Position()).Flat(geom.Up)
				if way.Len() > .7 {
					in.Yaw = geom.Yaw(way)
				} else {
					in.Forward = 0.5
				}
			}
			return in
		})
	}
	type place struct {
		base collide.MoverID
		at   geom.Vec3
	}
	first, worst, rode := map[session.PlayerID]place{}, 0.0, map[collide.MoverID]int{}
	s.exp.Server, s.exp.World = watched{s.match, func(m *session.MoveStep) {
		rode[m.Pose.Base]++
		now := place{m.Pose.Base, m.Pose.Position}
		if m.Number == 180 {
			first[m.Player] = now
		} else if was, ok := first[m.Player]; ok && s.match.Now() < half {
			worst = max(worst, was.at.Dist(now.at))
			if now.base != was.base || was.base == collide.Static {
				t.Fatalf("player %d stood on mover %d and is on %d", m.Player, was.base, now.base)
			}
		}
	}}, world
	r := s.run(60 * clock.Second)
	corrections, mean, p99 := 0, 0.0, 0.0
	for name, f := range r.Players {
		corrections, mean, p99 = corrections+f.Corrections, max(mean, f.RemoteError.Mean), max(p99, f.RemoteError.P99)
		t.Logf("%s: %d corrections, up to %v m; remote error %+v, reversals %d, snaps %d", name, f.Corrections, f.CorrectionMax, f.RemoteError, f.Reversals, f.Snaps)
		if f.Corrections != 0 || f.Snaps+f.Reversals != 0 || f.RemoteError.P99 > 0.02 {
			t.Errorf("player %s: %d corrections; others: %d snaps, %d reversals, error %+v",
				name, f.Corrections, f.Snaps, f.Reversals, f.RemoteError)
		}
	}
	t.Logf("steps by base: %v; drift up to %v m", rode, worst)
	docs.Check(t, "seen", 0.2, "%d corrections in 4 player-minutes; others drawn %.1f mm off on average at most, %.0f mm p99", corrections, 1000*mean, 1000*p99)
	if worst > 0.01 || len(first) != 4 || rode[1] < 5000 || rode[2] < 2500 || rode[3] < 2500 {
		t.Errorf("drift up to %v m, steps by base %v", worst, rode)
	}
}
