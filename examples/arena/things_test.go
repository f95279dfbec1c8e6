package arena

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// meadow is a flat floor, 400 m wide.
func meadow(t testing.TB) *collide.World {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(200, 1, 200), geom.NoTurn, collide.Surface{})
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// furnished is a stage with things in it.
func furnished(t testing.TB, world *collide.World, things []Thing, spawns ...Spawn) *stage {
	t.Helper()
	s := &stage{t: t, exp: lab.Experiment{TickRate: 60, Seed: 1}}
	s.match = NewMatch(MatchConfig{
		ServerConfig: session.ServerConfig{World: world, LevelHash: "test", NewKey: keys()},
		Spawns:       spawns, Things: things, KillHeight: -50, Seed: 1, Assigned: true,
	})
	s.exp.Server = s.match
	return s
}

// follow is hands that walk after the nearest body, straight at it, and now and then rest.
func follow(p *Player, t clock.Micros) Input {
	self, in := p.Self(), Input{}
	if self == nil || len(p.Bodies()) == 0 {
		return in
	}
	way := p.Bodies()[0].Position.Sub(self.Position).Flat(geom.Up)
	in.Yaw = geom.Atan2(-way.X, -way.Z)
	if math.Mod(t.Seconds(), 3) < 2.3 {
		in.Forward = 1
	}
	return in
}

// pulled is how a body is drawn to who pushes it.
type pulled struct {
	frame float64 // the most that it was drawn back against its own motion from one frame to the next, metres
	back  float64 // likewise within 250 ms
	went  float64 // how far it went
	at    geom.Vec3
	v     geom.Vec3
	taken []geom.Vec3
	times []clock.Micros
}

// see takes in a frame's picture.
func (f *pulled) see(b *remote.DrawnBody, now clock.Micros) {
	if n := len(f.times); n > 0 {
		d := (now - f.times[n-1]).Seconds()
		f.taken = append(f.taken, beyond(b.Position, f.at.MulAdd(f.v, d), f.at.MulAdd(b.Velocity, d)))
		dir, sum := b.Velocity.Unit(), geom.Vec3{}
		for i := len(f.taken) - 1; i >= 0 && now-f.times[i] <= clock.Second/4; i-- {
			sum = sum.Add(f.taken[i])
			f.back = max(f.back, -sum.Dot(dir))
		}
		f.frame = max(f.frame, -f.taken[len(f.taken)-1].Dot(dir))
		f.went += b.Position.Dist(f.at)
	}
	f.at, f.v, f.times = b.Position, b.Velocity, append(f.times, now)
}

// beyond is what takes the nearest point of a–b to p.
func beyond(p, a, b geom.Vec3) geom.Vec3 {
	ab := b.Sub(a)
	share := geom.Clamp(p.Sub(a).Dot(ab)/max(ab.LenSq(), 1e-12), 0, 1)
	return p.Sub(a.MulAdd(ab, share))
}

// Issue 6: who pushes a ball about at 100 ms RTT does not see it drawn back by more than
// 10 cm; with 30 ms of jitter and 2 % lost as well the figure is printed, and bounded.
func TestPushingABallIsSmooth(t *testing.T) {
	for _, c := range []struct {
		line mem.Network
		most float64
	}{
		{mem.Network{RTT: 100 * time.Millisecond}, .1},
		{mem.Network{RTT: 100 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: .02}, .15},
	} {
		for _, word := range []string{"football", "crate"} {
			for _, frame := range []int{60, 144} {
				thing := Thing{Kind: word, Position: geom.V(0, .41, -4)}
				s := furnished(t, meadow(t), []Thing{thing}, Spawn{Position: geom.V(0, .02, 0)})
				var f pulled
				p := s.join(frame, c.line, func(p *Player, at clock.Micros) Input {
					if b := p.Bodies(); len(b) > 0 {
						f.see(&b[0], at)
					}
					return follow(p, at)
				})
				s.run(20 * clock.Second)
				stats := p.BodyStats()
				t.Logf("%v, %s, %d frames a second: it went %.1f m, back by at most %.4f m in a frame and %.3f m in 250 ms; states off by %.4f m RMS, %.3f m at most, %d snaps",
					c.line, word, frame, f.went, f.frame, f.back, stats.RMS(), stats.Farthest, stats.Snaps)
				if f.frame > .1 || f.back > c.most || stats.Snaps != 0 || f.went < 5 {
					t.Errorf("%s: back by %.3f m, want %v at most", word, f.back, c.most)
				}
			}
		}
	}
}

var _ = fmt.Sprint
var _ = slices.Sort[[]int]
