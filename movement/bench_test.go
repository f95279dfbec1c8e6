package movement

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

func TestStepAllocatesNothing(t *testing.T) {
	w := course()
	m := DefaultModel()
	s, p := Spawn(geom.V(0, 0, 2), 0), player{dice: 1}
	var f StepContext
	now, c := clock.Micros(0), Command{}
	if n := testing.AllocsPerRun(5000, func() {
		c = p.at(now)
		Step(&m, &s, &c, 16667, &w, &f)
		now += 16667
		_ = s.Hash()
	}); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}

// BenchmarkRide is a rider on a lift that moves, a walker in a train, and a
// walker in a world in which a body moves far away.
func BenchmarkRide(b *testing.B) {
	for _, c := range []struct {
		name    string
		at      geom.Vec3
		forward float64
	}{{"standing", geom.V(0, 0, 0), 0}, {"walking", geom.V(0, 0, 0), 1}, {"far away", geom.V(200, 0, 0), 1}} {
		b.Run(c.name, func(b *testing.B) {
			w := stage(b, 60, c.at, func(b *collide.Builder) {
				box(b, geom.V(150, -1, -99), geom.V(250, 0, 99), collide.Surface{})
				slab(b, "plate", turning(geom.Vec3{}, .5), geom.V(-20, -1, -20), geom.V(20, 0, 20))
			})
			w.c.Forward = c.forward
			w.m.MaxWalkSpeed = .1
			w.run(.2)
			b.ReportAllocs()
			for b.Loop() {
				w.w.At += w.dt
				Step(&w.m, &w.s, &w.c, w.dt, &w.w, &w.f)
			}
		})
	}
}

// BenchmarkFall is a body in the air that steers, with nothing near and pressed into a
// cliff.
func BenchmarkFall(b *testing.B) {
	for _, c := range []struct {
		name string
		z    float64
	}{{"in the air", 30}, {"along a cliff", .7 - 50/math.Sqrt(3)}} {
		b.Run(c.name, func(b *testing.B) {
			w := in(b, 60, geom.Vec3{}, cliff(60))
			w.c.Forward, w.c.Right = 1, .3
			b.ReportAllocs()
			queries := 0
			for i := range b.N {
				if i%90 == 0 {
					w.s = State{Position: geom.V(0, 50, c.z), Mode: Falling}
				}
				Step(&w.m, &w.s, &w.c, w.dt, &w.w, &w.f)
				queries += w.f.Queries
			}
			b.ReportMetric(float64(queries)/float64(b.N), "queries/op")
		})
	}
}

// BenchmarkPack packs a walker, and one that rides and dashes; BenchmarkHash hashes them.
func BenchmarkPack(b *testing.B) {
	var buf [maxPacked]byte
	var p bits.Packer
	benchmarkStates(b, func(s *State) {
		p.Write(buf[:])
		s.Pack(&p)
	})
}

func BenchmarkHash(b *testing.B) { benchmarkStates(b, func(s *State) { s.Hash() }) }

func benchmarkStates(b *testing.B, do func(s *State)) {
	s := Spawn(geom.V(1, 2, 3), 1)
	s.Velocity, s.Floor = geom.V(6, 0, 1), Floor{Normal: geom.Up, Distance: .02, Shape: 3, Walkable: true}
	for _, name := range []string{"walker", "rare"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				do(&s)
			}
		})
		s.Base = Base{Mover: 3, Position: geom.V(1, 0, 2), Angle: .5}
		s.Motion.Apply(rootmotion.Constant(geom.V(0, 0, -12), clock.Second/4), 1)
	}
}
