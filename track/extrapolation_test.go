package track

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// upright is the body of every character: a capsule 1.8 m tall and 0.7 m wide, 2 cm above the
// floor.
type upright struct{}

func (upright) BodyCapsule(s Sample) (geom.Capsule, bool) {
	return geom.Upright(s.Position.Add(geom.V(0, .92, 0)), geom.Up, .35, .9), !s.Dead && s.Kind == 0
}

// walls is a floor with pillars and walls at many angles, and a ramp.
func walls() *collide.World {
	var b collide.Builder
	b.Box(geom.V(0, -.5, 0), geom.V(40, .5, 40), geom.IdentityQuat, collide.Surface{})
	r := rand.New(rand.NewPCG(15, 15))
	for range 60 {
		b.Box(geom.V(r.Float64()*60-30, 1, r.Float64()*60-30), geom.V(.2+r.Float64()*2, 1, .1+r.Float64()), geom.YawQuat(r.Float64()*6), collide.Surface{})
	}
	return b.MustBake()
}

// SMO-15, SIM-03: a character that runs at a wall 0.2 m ahead is drawn at the wall, and sliding
// along it if it hits it at an angle; other entities go through.
func TestAWallStopsExtrapolation(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(1, 1, 0), geom.V(.45, 2, 9), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(-1.55, 0, 0), geom.V(1, .3, .5), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 0, -1.55), geom.V(.5, .6, 1), geom.IdentityQuat, collide.Surface{})
	w := b.MustBake()
	for _, c := range []struct {
		name string
		v    geom.Vec3
		kind Kind
		want geom.Vec3
	}{
		{"straight at it", geom.V(6, 0, 0), 0, geom.V(.2, 0, 0)},
		{"at an angle", geom.V(6, 0, 6), 0, geom.V(.2, 0, .9)},
		{"along it", geom.V(0, 0, 6), 0, geom.V(0, 0, .9)},
		{"up a step", geom.V(-6, 0, 0), 0, geom.V(-.9, .3, 0)},
		{"up a ledge", geom.V(0, 0, -6), 0, geom.V(0, 0, -.2)},
		{"a ball", geom.V(6, 0, 0), 3, geom.V(.9, 0, 0)},
	} {
		moving := Sample{Pose: Pose{Velocity: c.v}, GameData: GameData{Kind: c.kind}}
		p := Interpolator{History: path(moving), World: w, Extrapolation: &Extrapolation{Body: upright{}}}
		v := every(1, 150*ms)
		v.Mode = DrawLinear
		s, fit := p.At(1, v)
		if s.Position.Dist(c.want) > .025 || fit != Extrapolated || s.Velocity != c.v {
			t.Errorf("%s: %v at %v with %v, want %v", c.name, fit, s.Position, s.Velocity, c.want)
		}
	}
}

// SMO-15: runners among walls, sent at random and turning at random, are never drawn inside one,
// while corrections are smoothed and while no sample arrives; and a client that keeps
// corrections has the same poses as one that does not, bit for bit.
func TestNoCharacterIsDrawnInsideAWall(t *testing.T) {
	if testing.Short() {
		t.Skip("long, in one goroutine; go test without -short runs it")
	}
	w := walls()
	world := collide.WorldAt{World: w}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 15))
		f := NewSnapshotHistory(400)
		body := Sample{Pose: Pose{Position: geom.V(0, 0, 0)}}
		for world.Overlaps(shrunk(body)) {
			body.Position = geom.V(r.Float64()*50-25, 0, r.Float64()*50-25)
		}
		for tick := uint32(1); tick <= 300; tick++ {
			if r.IntN(20) == 0 {
				body.Velocity = geom.Forward(r.Float64() * 2 * math.Pi).Mul(6 + r.Float64()*6)
				body.Yaw = r.Float64()
			}
			body.At = clock.TickTime(int64(tick), 60) - 20*ms
			c, _ := upright{}.BodyCapsule(body)
			body.Position = body.Position.Add((&sweeper{world: w, body: c, up: geom.Up}).move(body.Velocity.Mul(1. / 60)))
			g := f.Record(tick, clock.TickTime(int64(tick), 60))
			if g.Complete = true; r.IntN(3) > 0 {
				g.Add(1, body)
			} else {
				g.Complete = false
			}
		}
		client := Interpolator{History: f, World: w, Extrapolation: &Extrapolation{Body: upright{}, Stateful: true}}
		server := Interpolator{History: f, World: w, Extrapolation: &Extrapolation{Body: upright{}}}
		beside := 0
		for tick := uint32(70); tick <= 300; tick += 2 {
			v := View{Seen: Received{tick, r.Uint64() | r.Uint64()}, Mode: DrawLinear + DrawMode(seed%2)}
			for v.At = clock.TickTime(int64(tick), 60) - 50*ms; v.At < clock.TickTime(int64(tick), 60)+400*ms; v.At += 33 * ms {
				v := v
				for at, before := v.At, tick; v.AddArrival(at, before-1) && before > 9; {
					at, before = at-clock.Micros(8+r.IntN(60))*ms, before-uint32(1+r.IntN(6))
				}
				s, fit := client.At(1, v)
				again, _ := server.At(1, v)
				if s != again {
					t.Fatalf("seed %d, tick %d: the client has %+v, the server %+v", seed, tick, s, again)
				}
				if fit == Missing {
					continue
				}
				if world.Overlaps(shrunk(s)) {
					t.Fatalf("seed %d, tick %d, view %+v: inside a wall at %v", seed, tick, v, s.Position)
				}
				v.Cut(0)
				if plain, _ := server.At(1, v); plain.Position != s.Position {
					beside++
				}
			}
		}
		if beside < 100 {
			t.Errorf("seed %d: only %d views smoothed anything", seed, beside)
		}
	}
}

// shrunk is a body 1 cm thinner than it is.
func shrunk(s Sample) geom.Capsule {
	c, _ := upright{}.BodyCapsule(s)
	c.Radius -= .01
	return c
}

// 0 allocations, on a client and on a server.
func TestExtrapolationDoesNotAllocate(t *testing.T) {
	w, f := walls(), NewSnapshotHistory(ReceivedWindow+1)
	for tick := uint32(1); tick <= 60; tick++ {
		g := f.Record(tick, clock.TickTime(int64(tick), 60))
		g.Complete = true
		for id := ID(1); id <= 8; id++ {
			g.Add(id, Sample{At: g.At, Pose: Pose{Position: geom.V(float64(id), 0, float64(tick)/10), Velocity: geom.V(6, 0, float64(tick%5))}})
		}
	}
	v := View{At: clock.TickTime(62, 60), Seen: Received{60, 1<<59 - 1}, Mode: DrawExponential}
	for i := range 20 {
		v.AddArrival(v.At-clock.Micros(i)*20*ms, 59-2*uint32(i))
	}
	into := make([]Entity, 0, 8)
	for _, keeps := range []bool{true, false} {
		p := Interpolator{History: f, World: w, Extrapolation: &Extrapolation{Body: upright{}, Stateful: keeps}}
		into = p.Entities(v, 0, into[:0])
		if n := testing.AllocsPerRun(50, func() {
			into = p.Entities(v, 0, into[:0])
			into[0].Sample, _ = p.At(1, v)
		}); n != 0 || len(into) != 8 {
			t.Errorf("keeps %v: %v allocations for %d things", keeps, n, len(into))
		}
	}
}

// An entity that leaves makes room for the next: a match of many lives keeps no more corrections
// than the most entities at once.
func TestCorrectionsOfRemovedEntitiesAreForgotten(t *testing.T) {
	var k correctionCache
	at := clock.Micros(0)
	for id := ID(1); id <= 900; id++ {
		for n := range ID(3) {
			at += 20 * ms
			c := k.of(id+n, at)
			c.at, c.before = at, uint32(id+n)
			if again := k.of(id+n, at); again.before != uint32(id+n) {
				t.Fatalf("entity %d: its correction is that of %d", id+n, again.before)
			}
		}
	}
	if n := len(k.list); n > 40 {
		t.Errorf("%d places for the things of a second, %d at a time", n, 3)
	}
}

// What a runner costs in a mode that smooths: on a client that keeps corrections, and on a
// server that rebuilds them.
func BenchmarkExtrapolate(b *testing.B) {
	w, f := walls(), NewSnapshotHistory(ReceivedWindow+1)
	for tick := uint32(1); tick <= 60; tick++ {
		g := f.Record(tick, clock.TickTime(int64(tick), 60))
		g.Complete = true
		g.Add(1, Sample{At: g.At, Pose: Pose{Position: geom.V(0, 0, float64(tick)/10), Velocity: geom.V(6, 0, float64(tick%5))}})
	}
	v := View{At: clock.TickTime(62, 60), Seen: Received{60, 1<<59 - 1}, Mode: DrawExponential}
	for i := range MaxArrivals {
		v.AddArrival(v.At-clock.Micros(i)*ArrivalGap, 59-uint32(i))
	}
	for _, keeps := range []bool{true, false} {
		p := Interpolator{History: f, World: w, Extrapolation: &Extrapolation{Body: upright{}, Stateful: keeps}}
		b.Run(map[bool]string{true: "client", false: "server"}[keeps], func(b *testing.B) {
			for b.Loop() {
				p.At(1, v)
			}
		})
	}
}
