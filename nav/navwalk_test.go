package nav_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/nav"
)

// nav.Mesh is what movement needs for mode NavWalking.
var _ movement.Mesh = (*nav.Mesh)(nil)

// hillside is stairs of several rises, ramps of several slopes, and bumpy ground.
func hillside(t testing.TB) *collide.World {
	t.Helper()
	var b collide.Builder
	none := collide.Surface{}
	b.Box(geom.V(0, -1, 0), geom.V(30, 1, 30), geom.IdentityQuat, none)
	for i, rise := range []float64{0.1, 0.15, 0.2, 0.3, 0.4} {
		x := -24 + 6*float64(i)
		b.Stairs(geom.V(x, 0, -4), 4, rise, 0.3, 8, 0, none)
		b.Box(geom.V(x, 4*rise, -9), geom.V(2, 4*rise, 2.6), geom.IdentityQuat, none)
	}
	for i, slope := range []float64{5, 15, 25, 35, 43} {
		x := -24 + 6*float64(i)
		rise := 4 * math.Tan(slope*math.Pi/180)
		b.Ramp(geom.V(x, 0, 12), 4, rise, 4, 0.4*float64(i), none)
	}
	var bumps []geom.Vec3
	var faces []uint32
	const n, cell = 24, 0.8
	for k := range n + 1 {
		for i := range n + 1 {
			x, z := 8+cell*float64(i), -10+cell*float64(k)
			bumps = append(bumps, geom.V(x, 0.1+0.5*math.Sin(x)*math.Sin(z*0.8)*math.Sin(float64(i)/n*math.Pi)*math.Sin(float64(k)/n*math.Pi), z))
		}
	}
	for k := range uint32(n) {
		for i := range uint32(n) {
			a := k*(n+1) + i
			faces = append(faces, a, a+n+1, a+1, a+1, a+n+1, a+n+2)
		}
	}
	if _, err := b.Triangles(bumps, faces, none); err != nil {
		t.Fatal(err)
	}
	return b.MustBake()
}

// crowd is many walkers that follow random paths on one mesh.
type crowd struct {
	model movement.Model
	view  collide.WorldAt
	frame movement.StepContext
	query nav.Query
	dice  *rand.Rand
	half  float64
	way   []nav.Corner
	state []movement.State
	legs  []nav.Follower
}

func newCrowd(tb testing.TB, w *collide.World, m *nav.Mesh, n int, half float64, mode movement.Mode) *crowd {
	tb.Helper()
	c := &crowd{model: movement.DefaultModel(), view: collide.WorldAt{World: w}, half: half,
		query: nav.Query{Mesh: m, Avoid: 1 << nav.Drop}, dice: rand.New(rand.NewPCG(1, 11))}
	c.frame.Mesh = m
	for range n {
		_, at := somewhere(m, c.dice, half)
		s := movement.Spawn(at, 0)
		s.Mode = mode
		c.state = append(c.state, s)
		c.legs = append(c.legs, nav.Follower{Speed: 6})
	}
	return c
}

// step moves walker i by d; it starts a new path when it has arrived.
func (c *crowd) step(i int, d clock.Micros) {
	s, legs := &c.state[i], &c.legs[i]
	if legs.Done() {
		for range 20 {
			_, to := somewhere(c.query.Mesh, c.dice, c.half)
			var ok bool
			if c.way, ok = c.query.Path(s.Position, to, c.way[:0]); ok {
				break
			}
		}
		legs.Follow(c.way)
	}
	command := movement.Command{Request: legs.Velocity(s.Position)}
	command.Quantise()
	movement.Step(&c.model, s, &command, d, &c.view, &c.frame)
}

// restsAt is the height at which a body comes to rest over a point: what NavWalking should
// have.
func restsAt(w *collide.World, m *movement.Model, feet geom.Vec3) (float64, bool) {
	const lift = 0.45
	c := feet.MulAdd(geom.Up, m.Radius+lift)
	hit, ok := w.SweepCapsule(geom.Capsule{A: c, B: c, Radius: m.Radius}, geom.V(0, -2*lift, 0))
	return feet.Y + lift - float64(hit.Fraction*2*lift), ok && !hit.Penetrating
}

// VOL-04: 500 NavWalking characters on stairs, slopes and bumps: their feet are within 5 cm
// of where the ground supports a body, at 60 and at 20 Hz.
func TestNavWalkersKeepToTheGround(t *testing.T) {
	w := hillside(t)
	p := params()
	p.Seeds = nil
	m := bake(t, w, p)
	for _, d := range []clock.Micros{16_667, 50_000} {
		c := newCrowd(t, w, m, 500, 29, movement.NavWalking)
		worst, sum, n, queries := 0.0, 0.0, 0, 0
		for step := range int(4 * clock.Second / d) {
			for i := range c.state {
				c.step(i, d)
				queries += c.frame.Queries
				s := &c.state[i]
				if s.Mode != movement.NavWalking {
					t.Fatalf("walker %d is in mode %v at %v", i, s.Mode, s.Position)
				}
				feet := s.Position.MulAdd(geom.Up, -0.0215)
				y, ok := restsAt(w, &c.model, feet)
				if step < 12 || !ok {
					continue
				}
				off := math.Abs(y - feet.Y)
				if sum, n = sum+off, n+1; off > worst {
					worst = off
				}
				if off > 0.05 {
					t.Fatalf("%v a step: walker %d at %v with %+v rests at %.3f: %.3f m off", d, i, feet, s.Nav, y, off)
				}
			}
		}
		figures.Check(t, fmt.Sprint(d, " µs"), 0.1, "steps of %.1f ms: %.1f mm off on average, %.1f cm at worst, %.2f queries a step", 1000*d.Seconds(), 1000*sum/float64(n), 100*worst, float64(queries)/float64(n))
	}
}

// The cost of Walking and of NavWalking on the same paths: VOL-04 requires a quarter.
func BenchmarkModes(b *testing.B) {
	l, m := arenaMesh(b)
	hills := hillside(b)
	q := params()
	q.Seeds = nil
	for _, s := range []struct {
		name  string
		world *collide.World
		mesh  *nav.Mesh
		half  float64
	}{{"arena", l.World, m, 35}, {"hillside", hills, bake(b, hills, q), 29}} {
		for _, mode := range []struct {
			name string
			mode movement.Mode
		}{{"Walking", movement.Walking}, {"NavWalking", movement.NavWalking}} {
			b.Run(s.name+"/"+mode.name, func(b *testing.B) {
				c := newCrowd(b, s.world, s.mesh, 500, s.half, mode.mode)
				command := make([]movement.Command, 500)
				b.ReportAllocs()
				b.ResetTimer()
				for i := range b.N {
					k := i % 500
					if k == 0 { // where they go is not what is measured
						b.StopTimer()
						for j := range command {
							for range 6 {
								c.step(j, 16_667)
							}
							if s := &c.state[j]; s.Mode == movement.Walking {
								s.Mode = mode.mode // a jump pad threw it, and it landed
							}
							command[j] = movement.Command{Request: c.legs[j].Velocity(c.state[j].Position)}
							command[j].Quantise()
						}
						b.StartTimer()
					}
					movement.Step(&c.model, &c.state[k], &command[k], 16_667, &c.view, &c.frame)
				}
			})
		}
	}
}
