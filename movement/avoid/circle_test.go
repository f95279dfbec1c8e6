package avoid_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/avoid"
)

// walkers are characters of movement on an empty floor, each on its way.
type walkers struct {
	model movement.Model
	view  collide.WorldAt
	frame movement.StepContext
	state []movement.State
	goal  []geom.Vec3
	agent []avoid.Agent
	crowd avoid.Crowd
	vel   []geom.Vec3
}

func newWalkers(t testing.TB) *walkers {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(60, 1, 60), geom.IdentityQuat, collide.Surface{})
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return &walkers{model: movement.DefaultModel(), view: collide.WorldAt{World: w}}
}

// add puts one more walker down.
func (w *walkers) add(at, goal geom.Vec3) *avoid.Agent {
	w.state = append(w.state, movement.Spawn(at, 0))
	w.goal = append(w.goal, goal)
	w.agent = append(w.agent, avoid.Agent{Radius: w.model.Radius + 0.06, MaxSpeed: w.model.MaxWalkSpeed})
	return &w.agent[len(w.agent)-1]
}

// step moves everybody by d, each at a speed from which it can stop at its goal.
func (w *walkers) step(d clock.Micros, speed float64) {
	for i := range w.agent {
		a, s := &w.agent[i], &w.state[i]
		a.Position, a.Velocity = s.Position, s.Velocity
		way := w.goal[i].Sub(s.Position).Flat(geom.Up)
		a.Wish = way.Unit().Mul(math.Min(speed, 4*way.Len()))
		a.MaxSpeed = speed
	}
	w.vel = w.crowd.Solve(w.agent, d.Seconds(), w.vel[:0])
	for i := range w.state {
		c := movement.Command{Request: w.vel[i]}
		c.Quantise()
		movement.Step(&w.model, &w.state[i], &c, d, &w.view, &w.frame)
	}
}

// closest returns the least distance between two walkers' skins.
func (w *walkers) closest() float64 {
	least := math.Inf(1)
	for i := range w.state {
		for j := range i {
			d := w.state[i].Position.Sub(w.state[j].Position).Flat(geom.Up).Len()
			least = math.Min(least, d-2*w.model.Radius)
		}
	}
	return least
}

// arrived counts those within 0.3 m of their goals.
func (w *walkers) arrived() (n int) {
	for i := range w.state {
		if w.state[i].Position.Sub(w.goal[i]).Flat(geom.Up).Len() < 0.3 {
			n++
		}
	}
	return n
}

// VOL-07: 20 walkers cross a circle, each to the place opposite: nobody touches
// anybody, and all arrive in twice the time that a free one takes.
func TestTwentyCrossACircle(t *testing.T) {
	const n, d = 20, clock.Micros(16_667)
	var times, apart figures.Range
	for _, c := range []struct {
		name                  string
		radius, speed, jitter float64
		seeds                 uint64
	}{
		{"perfectly even, 10 m, running", 10, 6, 0, 1},
		{"perfectly even, 8 m, at 3 m/s", 8, 3, 0, 1},
		{"uneven, 10 m, running", 10, 6, 0.5, 6},
		{"uneven, 8 m, at 3 m/s", 8, 3, 0.5, 4},
	} {
		for seed := uint64(1); seed <= c.seeds; seed++ {
			r := rand.New(rand.NewPCG(seed, 1))
			w := newWalkers(t)
			for i := range n {
				at := geom.Forward(2 * math.Pi * float64(i) / n).Mul(c.radius)
				at = at.Add(geom.V(c.jitter*(2*r.Float64()-1), 0, c.jitter*(2*r.Float64()-1)))
				w.add(at, at.Neg())
			}
			free := 2*c.radius/c.speed + c.speed/w.model.MaxAcceleration
			least, took := math.Inf(1), 0.0
			for took = 0; took < 3*free && w.arrived() < n; took += d.Seconds() {
				w.step(d, c.speed)
				least = math.Min(least, w.closest())
			}
			times.Add(took / free)
			apart.Add(least)
			t.Logf("%s, seed %d: %.2f s, %.2f × the free time; %.3f m between the closest", c.name, seed, took, took/free, least)
			if least < 0 || took > 2*free {
				t.Errorf("%s, seed %d: want no overlap and at most 2 ×", c.name, seed)
			}
		}
	}
	figures.Check(t, "seen", 0.1, "%.2f to %.2f times the free time, %.0f cm between the closest", times.Least, times.Most, 100*apart.Least)
}
