package arena

import (
	"math"
	"testing"
	"time"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/transport/mem"
)

// far is a line of 150 ms.
var far = mem.Network{RTT: 150 * time.Millisecond}

// gym is a floor with a gallows to hook on, a bar that rides to and fro, a turntable
// and a piston that comes down to the floor.
func gym(t testing.TB) *collide.World {
	t.Helper()
	var b collide.Builder
	plain := collide.Surface{}
	b.Box(geom.V(0, -1, 0), geom.V(60, 1, 60), geom.IdentityQuat, plain)
	b.Box(geom.V(0, 8, -10), geom.V(2, 0.2, 2), geom.IdentityQuat, plain)
	b.Box(geom.V(-20, 5, -10), geom.V(3, 5, 1), geom.IdentityQuat, collide.Surface{Walk: collide.Never})
	fro := func(a, b geom.Vec3, half clock.Micros) collide.Path {
		return collide.Path{Loop: true, Keys: []collide.Key{{Position: a}, {At: half, Position: b}, {At: 2 * half, Position: a}}}
	}
	b.Mover("bar", fro(geom.V(20, 8, -10), geom.V(32, 8, -10), 4*clock.Second), func(b *collide.Builder) {
		b.Box(geom.Vec3{}, geom.V(2, 0.2, 2), geom.IdentityQuat, plain)
	})
	b.Mover("table", collide.Path{Loop: true, Keys: []collide.Key{{Position: geom.V(0, 0, 20)}, {At: 8 * clock.Second, Position: geom.V(0, 0, 20), Angle: 2 * math.Pi}}},
		func(b *collide.Builder) { b.Box(geom.V(0, 0.1, 0), geom.V(4, 0.1, 4), geom.IdentityQuat, plain) })
	b.Mover("piston", fro(geom.V(0, 4, 40), geom.V(0, 1.1, 40), 2*clock.Second), func(b *collide.Builder) {
		b.Box(geom.Vec3{}, geom.V(1, 1, 1), geom.IdentityQuat, plain)
	})
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// honest fails where an owner was corrected, or owner and server disagree.
func (s *stage) honest(d clock.Micros) {
	s.t.Helper()
	r := s.run(d)
	for name, p := range r.Players {
		if p.Corrections != 0 {
			s.t.Errorf("player %s was corrected %d times, by up to %.3f m", name, p.Corrections, p.CorrectionMax)
		}
	}
}

// RMS-21: the owner's dash is predicted: it moves at once, and nothing has to be
// corrected; a second one must wait.
func TestDashesArePredicted(t *testing.T) {
	s := newStage(t, gym(t), Spawn{Position: geom.V(0, 0.02, 0)})
	at := map[clock.Micros]geom.Vec3{}
	s.join(60, far, func(p *Player, now clock.Micros) Input {
		tick := now / (clock.Second / 4) * (clock.Second / 4)
		if _, ok := at[tick]; !ok && p.Self() != nil {
			at[tick] = p.Position()
		}
		return Input{Dash: now > 2*clock.Second, Right: 1, Yaw: 0} // held, as by a script
	})
	s.honest(5 * clock.Second)
	run := at[9*clock.Second/4].X - at[2*clock.Second].X
	next := at[10*clock.Second/4].X - at[9*clock.Second/4].X
	t.Logf("in the quarter of a second of the dash %.2f m, in the next one %.2f m", run, next)
	if run < 2.5 || run > 4 || next > 1.7 {
		t.Errorf("dashed %.2f m and then %.2f m; want 2.5 … 4 m and no more than a walk's 1.5", run, next)
	}
}

// A game's own mode: the hook pulls a hero up to what it holds on, still or moving,
// over a long line without a correction; let go, the hero falls with its speed.
func TestTheHookIsPredicted(t *testing.T) {
	for _, c := range []struct {
		name string
		from geom.Vec3
		mark geom.Vec3 // looked at
		up   float64   // least height reached, metres
	}{
		{"a gallows", geom.V(0, 0.02, 0), geom.V(0, 7.8, -9.5), 4},
		{"a bar that moves", geom.V(26, 0.02, -2), geom.V(26, 7.8, -10), 3},
		{"too smooth a wall", geom.V(-20, 0.02, 0), geom.V(-20, 5, -10), 0},
		{"the sky", geom.V(0, 0.02, 0), geom.V(0, 80, 0.1), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, gym(t), Spawn{Position: c.from})
			top, fell := 0.0, 0.0
			var before movement.Mode
			s.join(60, far, func(p *Player, now clock.Micros) Input {
				self := p.Self()
				if self == nil {
					return Input{}
				}
				top = max(top, self.Position.Y)
				if before == Grappling && self.Mode == movement.Falling {
					fell = self.Velocity.Len()
				}
				before = self.Mode
				yaw, pitch := Aim(p.Eye(), c.mark)
				return Input{Yaw: yaw, Pitch: pitch, Hook: now > 2*clock.Second && now < 2700*clock.Millisecond}
			})
			s.honest(5 * clock.Second)
			t.Logf("up to %.2f m; let go at %.1f m/s", top, fell)
			if top < c.up || (c.up > 0) != (fell > 3) || c.up == 0 && top > 0.1 {
				t.Errorf("came up to %.2f m and fell at %.1f m/s from there; want %.1f m or more, and speed kept", top, fell, c.up)
			}
		})
	}
}

// BAS-01: the turn of a rider's base reaches the view, and adds up, on fast
// screens too.
func TestRidersTurnWithTheTable(t *testing.T) {
	for _, hz := range []int{60, 144, 240} {
		s := newStage(t, gym(t), Spawn{Position: geom.V(1.5, 0.25, 20)})
		turned, from, to := 0.0, clock.Micros(0), clock.Micros(0)
		s.join(hz, far, func(p *Player, now clock.Micros) Input {
			if now < clock.Second {
				turned, from = 0, p.World().At
			} else {
				turned, to = turned+p.Turned, p.World().At
			}
			return Input{}
		})
		s.honest(4 * clock.Second)
		want := (to - from).Seconds() * 2 * math.Pi / 8
		if math.Abs(turned-want) > 0.02 {
			t.Errorf("%d frames a second: told to turn by %.3f rad, want %.3f", hz, turned, want)
		}
	}
}

// BAS-02: a player under the piston dies of it.
func TestThePistonKills(t *testing.T) {
	s := newStage(t, gym(t), Spawn{Position: geom.V(0, 0.02, 40)})
	s.join(60, far, func(p *Player, now clock.Micros) Input { return Input{} })
	s.run(3 * clock.Second)
	if got := s.match.Score(1); got.Deaths != 1 || got.Kills != 0 {
		t.Errorf("the score of the player under the piston: %+v; want one death", got)
	}
}

func TestHeroesTravelWhole(t *testing.T) {
	hooked := Hero{Life: 3, DashCooldown: 700 * clock.Millisecond, Hook: Hook{Anchor: geom.V(1, 2.5, -3), Mover: 2, Remaining: clock.Second, Held: true}}
	hooked.Mode = Grappling
	for _, h := range []Hero{{}, hooked, {Spectating: true}, {Doomed: true}, {Hook: Hook{Cooldown: HookCooldown}}} {
		var p bits.Packer
		var room [512]byte
		p.Write(room[:])
		h.Pack(&p)
		b := p.Bytes()
		var got Hero
		p.Read(b)
		got.Pack(&p)
		p.End()
		if p.Err() != nil || got != h {
			t.Errorf("got %+v, %v; want %+v", got, p.Err(), h)
		}
	}
	bad := Hero{DashCooldown: DashCooldown + 1}
	var p bits.Packer
	var room [512]byte
	p.Write(room[:])
	if bad.Pack(&p); p.Err() == nil {
		t.Error("a rest longer than DashRest is packed")
	}
}
