package session_test

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// The fair's bodies.
const (
	fairLift collide.MoverID = 1 + iota // as high as liftAt says, round x = 3, z = 0
	fairDoor                            // slides across x = 6 … 9, z = 20 every second
)

// fair is the toy's plane with a lift and a door.
func fair(t testing.TB) *collide.World {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -20, 0), geom.V(500, 1, 500), geom.IdentityQuat, collide.Surface{})
	b.Mover("lift", collide.Path{Loop: true, Keys: []collide.Key{
		{}, {At: 4 * clock.Second, Position: geom.V(0, 4, 0)}, {At: 8 * clock.Second},
	}}, func(b *collide.Builder) {
		b.Box(geom.V(0, -.5, 0), geom.V(30, .4, 8), geom.IdentityQuat, collide.Surface{})
	})
	b.Mover("door", collide.Path{Loop: true, Keys: []collide.Key{
		{Position: geom.V(0, 0, 20)}, {At: 500_000, Position: geom.V(8, 0, 20)}, {At: clock.Second, Position: geom.V(0, 0, 20)},
	}}, func(b *collide.Builder) {
		b.Box(geom.V(0, 3, 0), geom.V(2, 6, .1), geom.IdentityQuat, collide.Surface{})
	})
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// carried is the toy at the fair: the first half of the players ride on the lift.
type carried struct{ toy }

func rides(s *toyState) bool { return s.Pos.Z < 10 }

func (g *carried) Step(w *collide.WorldAt, s *toyState, c *toyCommand, d clock.Micros) {
	g.toy.Step(w, s, c, d)
	if rides(s) {
		s.Pos.Y = w.Pose(fairLift).Translation.Y
	}
}

func (g *carried) Pose(s *toyState) track.Sample {
	pose := g.toy.Pose(s)
	if rides(s) {
		pose.Base = fairLift
		pose.Position.Y = 0 // the lift only rises
	}
	return pose
}

// GAP-46, BAS-01, HIT-07: two players ride on a lift and two stand in front of it, a
// door going to and fro between them, over a link that loses and delays: whatever a
// shooter's screen shows, be it a rider, the lift or the door in the way, is what the
// server judges, also from a page that froze for 150 ms and shoots in the frame after.
// Riders are not corrected. [TIM-04, LAG-03, GAP-68]
func TestShotsOnMovingPlatforms(t *testing.T) { models(t, shotsAtTheFair) }

func shotsAtTheFair(t *testing.T, model int) {
	const seed = 3
	rnd := rand.New(rand.NewPCG(seed, 0))
	world := fair(t)
	r := newSimulationIn(t, session.ServerConfig{World: world}, func() toyGame { return &carried{*newToy()} })
	r.model = model
	r.m.place = func(id session.PlayerID) geom.Vec3 { return geom.V(float64(id), 0, float64((id-1)/2*40)) }
	r.playing(4)
	lossy := false
	r.fate = func(flight) []int {
		if lossy && rnd.IntN(20) == 0 {
			return nil
		}
		return []int{3 + rnd.IntN(4)}
	}
	var met [3]int
	var body, late int
	var thawed *testClient // shoots as soon as its frozen page moves on
	for _, g := range r.clients {
		frame, walk := rnd.IntN(20), walkAbout(rnd)
		g.input = func(g *testClient) toyCommand {
			c := walk(g)
			c.Z = 1 // along the lift only
			if x := g.Position().X - 4; x > 3 {
				c.X = 0
			} else if x < -3 {
				c.X = 2
			}
			if frame++; (frame%12 == 0 || thawed == g) && len(g.Remotes()) == 3 && g.Self().Ammo.Ready() && !g.Waiting() {
				e := g.Remotes()[rnd.IntN(3)].Sample
				c.Shot = aimAt(g.Eye(), e.Position.MulAdd(e.UpVector(), 1))
				o := g.Aim(&c.Shot)[0]
				met[o.Kind]++
				if thawed == g {
					late, thawed = late+1, nil
				}
				if o.Kind == rewind.World && o.Point.Z > 19 && o.Point.Z < 21 {
					body++
				}
			}
			return c
		}
	}
	for i := range 24 {
		lossy = true
		r.run(70)
		lossy = false // what is lost before a freeze is not repeated after it
		r.run(20)
		g := r.clients[i%4]
		g.frozen = true
		r.run(9)
		g.frozen, thawed = false, g
	}
	for _, g := range r.clients {
		s := g.Stats()
		strays := uint64(0) // what moves that never came may cost
		if p := r.m.Players(nil)[g.ID()-1]; p.Moves.Missing > 0 {
			strays = 2
		}
		if s.Agreed < 50 || s.Disagreed > strays || s.Moves.Corrections > int(strays) {
			t.Errorf("seed %d, player %d: %+v", seed, g.ID(), s)
		}
	}
	if met[rewind.World] < 50 || met[rewind.Player] < 50 || body < 50 || late < 20 {
		t.Errorf("met %v, the door %d times, %d shots after a freeze: too few to mean anything", met, body, late)
	}
	t.Logf("met nothing, the world, players: %v; the door: %d", met, body)
}

// aimAt is a shot from one point at another.
func aimAt(from, to geom.Vec3) shot.Claim {
	d := to.Sub(from)
	flat := geom.V(d.X, 0, d.Z).Len()
	return shot.Claim{Yaw: geom.Yaw(d), Pitch: geom.Atan2(d.Y, flat)}
}

// SRV-15: between packets, and for others, a rider stays on its lift: the pose that
// the server shows stands on it at the time of the tick, with its velocity. [ENT-08, GAP-13]
func TestRidersStayOnTheirLift(t *testing.T) {
	r := newSimulationIn(t, session.ServerConfig{World: fair(t)}, func() toyGame { return &carried{*newToy()} })
	g := r.playing(1)[0]
	r.run(60)
	g.frozen = true
	for range 12 { // 200 ms without a packet
		r.run(1)
		pose, ok := r.m.Pose(1)
		if want := liftAt(r.now()); !ok || pose.Position.Y != want || pose.Base != collide.Static || pose.Velocity.Len() != 1 {
			t.Errorf("at %d: %+v, want a height of %v", r.now(), pose, want)
		}
	}
}

// PRF-12, BAS-01: a rider that walks along its lift, its packets in bursts, is
// drawn standing on the lift as that is drawn in the same view, to the bit, and
// walking evenly. [REP-05, GAP-68]
func TestRidersAreDrawnOnTheirLift(t *testing.T) { models(t, ridersAreDrawnOnTheirLift) }

func ridersAreDrawnOnTheirLift(t *testing.T, model int) {
	world := fair(t)
	r := newSimulationIn(t, session.ServerConfig{World: world}, func() toyGame { return &carried{*newToy()} })
	r.model = model
	r.m.place = func(id session.PlayerID) geom.Vec3 { return geom.V(0, 0, float64(id-1)*40) }
	two := r.playing(2)
	two[0].input = func(*testClient) toyCommand { return hold(1, 0) }
	n := 0
	r.fate = func(f flight) []int {
		n++
		return []int{2 + n/2%3}
	}
	r.run(200)
	last, view := 0.0, clock.Micros(0)
	for range 600 {
		r.run(1)
		v := two[1].View()
		for _, e := range two[1].Remotes() {
			if lift := world.Mover(fairLift).Path.Pose(v.Platform).Translation.Y; e.Position.Y != lift {
				t.Fatalf("drawn %v m high on a lift that is drawn at %v", e.Position.Y, lift)
			}
			if view != 0 {
				speed := (e.Position.X - last) / (v.At - view).Seconds()
				if speed < toySpeed*.9 || speed > toySpeed*1.1 {
					t.Fatalf("walks at %.2f m/s of view time, want %d", speed, toySpeed)
				}
			}
			last, view = e.Position.X, v.At
		}
	}
}
