package arena

import (
	"math"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// fair is the court with a lift, a platform that orbits the origin at 10 m and 30°/s,
// and a train that sways along on a curve.
func fair(t testing.TB) *collide.World {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(60, 1, 60), geom.NoTurn, collide.Surface{})
	board := func(x, z float64) func(*collide.Builder) {
		return func(b *collide.Builder) {
			b.Box(geom.V(x, -.15, z), geom.V(3, .15, 3), geom.NoTurn, collide.Surface{})
		}
	}
	b.Body("orbit", collide.Path{Loop: true, Keys: []collide.Key{
		{Move: geom.V(0, 1, 0)}, {At: 12 * clock.Second, Move: geom.V(0, 1, 0), Angle: 2 * math.Pi},
	}}, board(10, 0))
	b.Body("lift", collide.Path{Loop: true, Smooth: true, Keys: []collide.Key{
		{Move: geom.V(-20, .3, 0)}, {At: 4 * clock.Second, Move: geom.V(-20, 6, 0)}, {At: 8 * clock.Second, Move: geom.V(-20, .3, 0)},
	}}, board(0, 0))
	b.Body("train", collide.Path{Loop: true, Smooth: true, Keys: []collide.Key{
		{Move: geom.V(-20, .5, 25)}, {At: 4 * clock.Second, Move: geom.V(20, 2, 25), Angle: .5}, {At: 9 * clock.Second, Move: geom.V(-20, .5, 25)},
	}}, board(0, 0))
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// BAS-01, SRV-15, E2E: at a round trip of 150 ms, with jitter and 5 % loss, riders of
// an orbiting platform, a lift and a train, who stand, walk about and jump on them,
// are never corrected; who stands keeps its place on the platform within a
// centimetre; and others see them where the server has them.
func TestRidersAreNotCorrected(t *testing.T) {
	world := fair(t)
	s := newStage(t, world,
		Spawn{Position: geom.V(10, 1.05, 0)}, Spawn{Position: geom.V(9, 1.05, 1)}, Spawn{Position: geom.V(-20, .35, 0)}, Spawn{Position: geom.V(-20, .55, 25)})
	for i := range 4 {
		s.join(60, line(150*time.Millisecond, 15*time.Millisecond, 0.05), func(p *Player, now clock.Micros) Input {
			if i == 0 || p.Self().Base.Body == collide.Static && p.Self().Position.Y < .3 {
				return Input{}
			}
			home := world.Body(p.Self().Base.Body)
			in := Input{Forward: 1, Jump: now%(2*clock.Second) < 100*clock.Millisecond, Yaw: now.Seconds()}
			if home != nil { // about the middle of the board
				middle := geom.Vec3{}
				if p.Self().Base.Body == 1 {
					middle.X = 10
				}
				way := home.Path.Pose(p.View().Platform).Apply(middle).Sub(p.Position()).Flat(geom.Up)
				if way.Len() > .7 {
					in.Yaw = geom.Atan2(-way.X, -way.Z)
				} else {
					in.Forward = 0.5
				}
			}
			return in
		})
	}
	var first, drift geom.Vec3
	rode := map[collide.BodyID]int{}
	s.exp.Server, s.exp.World = watched{s.match, func(m *session.Moved) {
		rode[m.Pose.Base]++
		if m.Player != 1 || m.Pose.Base != 1 {
			return
		}
		if first.IsZero() && m.Number > 120 {
			first = m.Pose.Position
		} else if !first.IsZero() {
			drift = m.Pose.Position.Sub(first)
		}
	}}, world
	r := s.run(60 * clock.Second)
	for name, f := range r.Players {
		t.Logf("%s: %d corrections, up to %v m; remote error %+v, reversals %d, snaps %d", name, f.Corrections, f.CorrectionMax, f.RemoteError, f.Reversals, f.Snaps)
		if f.Corrections != 0 {
			t.Errorf("player %s: %d corrections", name, f.Corrections)
		}
	}
	t.Logf("steps by base: %v; drift %v", rode, drift)
	if drift.Len() > 0.01 || first.IsZero() || rode[1] < 3000 || rode[2] < 1000 || rode[3] < 1000 {
		t.Errorf("drift %v, steps by base %v", drift, rode)
	}
}
