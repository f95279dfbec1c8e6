package movement

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/benchscene"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

func TestStepAllocatesNothing(t *testing.T) {
	w := course(t)
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

// crowd is the characters of the bench page.
type crowd struct {
	m     Model
	w     collide.WorldAt
	turn  float64
	state []State
	dice  []benchscene.Draw
	cmd   []Command
	use   Command
	f     StepContext
	n     int
}

func newCrowd(tb testing.TB, scene benchscene.Scene, edge, turn float64) *crowd {
	world, err := scene.World()
	if err != nil {
		tb.Fatal(err)
	}
	c := &crowd{m: DefaultModel(), w: collide.WorldAt{World: world}, turn: turn}
	c.m.Radius, c.m.HalfHeight, c.m.Gravity = .3, .9, 9.81
	d := benchscene.Draw(7)
	for i := range 1000 {
		x := d.Within(edge)
		z := d.Within(edge)
		s := State{Position: geom.V(x, scene.Height(x, z)+5, z), Mode: Falling}
		c.state = append(c.state, s)
		c.dice = append(c.dice, benchscene.Draw(d.Next()^uint32(uint64(i)*2654435761)))
	}
	c.cmd = make([]Command, len(c.state))
	return c
}

// step moves character i, which runs at 6 m/s wherever its dice point, and back
// where it strays too far.
func (c *crowd) step(i int) {
	s, cmd := &c.state[i], &c.cmd[i]
	if c.n == 0 || (c.n+i)%30 == 0 {
		cmd.Yaw = 2 * math.Pi * c.dice[i].Unit()
		cmd.Forward = 1
	}
	c.use = *cmd
	if p := s.Position; math.Abs(p.X) > c.turn || math.Abs(p.Z) > c.turn {
		c.use.Yaw = math.Atan2(p.X, p.Z)
	}
	s.Velocity = geom.Forward(c.use.Yaw).Mul(6).MulAdd(geom.Up, s.Velocity.Y)
	Step(&c.m, s, &c.use, 16667, &c.w, &c.f)
}

func benchmarkStep(b *testing.B, scene benchscene.Scene, edge, turn float64) {
	c := newCrowd(b, scene, edge, turn)
	for ; c.n < 120; c.n++ {
		for i := range c.state {
			c.step(i)
		}
	}
	ground, queries, made := 0, 0, 0.0
	b.ReportAllocs()
	b.ResetTimer()
	for k := range b.N {
		i := k % len(c.state)
		from := c.state[i].Position
		c.step(i)
		if i == len(c.state)-1 {
			c.n++
		}
		queries += c.f.Queries
		if c.state[i].Mode == Walking {
			ground++
		}
		made += c.state[i].Position.Sub(from).Flat(geom.Up).Len()
	}
	n := float64(b.N)
	b.ReportMetric(100*float64(ground)/n, "%ground")
	b.ReportMetric(float64(queries)/n, "queries/op")
	b.ReportMetric(made/n, "m/op")
}

// Steps on the scenes of the bench page. Goals: A 1.5 µs, B 2.5, D 2.8, F2 0.7.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		name       string
		scene      benchscene.Scene
		edge, turn float64
	}{
		{"A", benchscene.A, 90, 95}, {"B", benchscene.B, 25, 28}, {"D", benchscene.D, 90, 95},
		{"F1", benchscene.F1, 90, 95}, {"F2", benchscene.F2, 90, 95},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkStep(b, c.scene, c.edge, c.turn) })
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
		s.Base = Base{Body: 3, Position: geom.V(1, 0, 2), Angle: .5}
		s.Motion.Apply(rootmotion.Constant(geom.V(0, 0, -12), clock.Second/4), 1)
	}
}
