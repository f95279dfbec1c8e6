package arena

import (
	"math"
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

// pulled is how a body is drawn to who pushes it, against its own motion: within 250 ms,
// in metres.
type pulled struct {
	back  float64 // the most that the picture went backwards
	frame float64 // likewise, from one frame to the next
	held  float64 // the most that it fell behind, without going backwards
	went  float64 // how far it went, all in all
	last  remote.DrawnBody
	list  []pull
}

// pull is one frame's.
type pull struct {
	at    clock.Micros
	taken geom.Vec3 // what the picture's way was beyond the body's own
	back  float64
}

// see takes in a frame's picture.
func (f *pulled) see(b *remote.DrawnBody, now clock.Micros) {
	was := f.last
	f.last = *b
	if len(f.list) == 0 {
		f.list = append(f.list, pull{at: now})
		return
	}
	d, way := (now - f.list[len(f.list)-1].at).Seconds(), b.Position.Sub(was.Position)
	p := pull{at: now, taken: beyond(b.Position, was.Position.MulAdd(was.Velocity, d), was.Position.MulAdd(b.Velocity, d))}
	if dir := b.Velocity.Unit(); was.Velocity.Dot(dir) > 0 { // not when it has just bounced
		p.back = max(-way.Dot(dir), 0)
	}
	f.list, f.went = append(f.list, p), f.went+way.Len()
	sum, back := geom.Vec3{}, 0.0
	for i := len(f.list) - 1; i >= 0 && now-f.list[i].at <= clock.Second/4; i-- {
		sum, back = sum.Add(f.list[i].taken), back+f.list[i].back
	}
	f.frame, f.back = max(f.frame, p.back), max(f.back, back)
	f.held = max(f.held, -sum.Dot(b.Velocity.Unit()))
}

// beyond is what takes the nearest point of a–b to p.
func beyond(p, a, b geom.Vec3) geom.Vec3 {
	ab := b.Sub(a)
	share := geom.Clamp(p.Sub(a).Dot(ab)/max(ab.LenSq(), 1e-12), 0, 1)
	return p.Sub(a.MulAdd(ab, share))
}

// Issue 6: who pushes a ball about at 100 ms RTT does not see it drawn back by more than
// 10 cm, neither in a frame nor within 250 ms; nor with 30 ms of jitter and 2 % lost.
func TestPushingABallIsSmooth(t *testing.T) {
	for _, c := range []struct {
		line mem.Network
		most float64
	}{
		{mem.Network{RTT: 100 * time.Millisecond}, .1},
		{mem.Network{RTT: 100 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: .02}, .1},
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
				t.Logf("%v, %s, %d frames a second: it went %.1f m, was drawn backwards by at most %.4f m in a frame and %.4f m in 250 ms, fell behind by %.3f m; states off by %.4f m RMS, %.3f m at most, %d snaps",
					c.line, word, frame, f.went, f.frame, f.back, f.held, stats.RMS(), stats.Farthest, stats.Snaps)
				if f.back > c.most || stats.Snaps != 0 || f.went < 5 {
					t.Errorf("%s: back by %.3f m, want %v at most", word, f.back, c.most)
				}
			}
		}
	}
}
