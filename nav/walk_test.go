package nav_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/nav"
)

// walker is a default character that follows paths by normal movement.
type walker struct {
	model   movement.Model
	state   movement.State
	frame   movement.StepContext
	view    collide.WorldAt
	command movement.Command
	follow  nav.Follower
	nearby  []float64 // how near it came to each corner
}

func newWalker(w *collide.World, at geom.Vec3) *walker {
	k := &walker{model: movement.DefaultModel(), state: movement.Spawn(at, 0), view: collide.WorldAt{World: w}}
	k.follow.Speed = k.model.MaxWalkSpeed
	return k
}

// step makes one move of d towards the next corner.
func (k *walker) step(m *nav.Mesh, d clock.Micros) {
	v := k.follow.Velocity(k.state.Position)
	c := movement.Command{Request: v}
	if ref, _, ok := m.Nearest(k.state.Position.MulAdd(v.Unit(), 0.4), 1); ok {
		c.Crouch = m.CrouchOnly(ref)
	}
	c.Quantise()
	movement.Step(&k.model, &k.state, &c, d, &k.view, &k.frame)
}

// arrive walks the path, and reports whether the walker reached its end. It records how
// near it came to each corner.
func (k *walker) arrive(m *nav.Mesh, way []nav.Corner) bool {
	k.follow.Follow(way)
	k.nearby = k.nearby[:0]
	for range way {
		k.nearby = append(k.nearby, math.Inf(1))
	}
	limit := 300 + int(60*2*k.follow.Remaining(k.state.Position))
	for range limit {
		k.step(m, 16_667)
		for i := max(k.follow.Passed()-1, 0); i <= k.follow.Passed() && i < len(way); i++ {
			off := k.state.Position.Sub(way[i].At)
			off.Y -= movement.MinFloor
			k.nearby[i] = min(k.nearby[i], off.Len())
		}
		if k.follow.Done() {
			return true
		}
	}
	return false
}

// Walkers go from place to place over cluttered ground, by normal movement: they come
// within 0.3 m of each of more than a hundred corners, and never fall further than a step.
// [VOL-06]
func TestWalkersComeToEveryCorner(t *testing.T) {
	const half = 14
	total, worst := 0, 0.0
	for seed := uint64(1); seed <= 5; seed++ {
		w := clutter(seed, half, 40)
		m := bake(t, w, params())
		q := nav.Query{Mesh: m, Avoid: 1 << nav.Drop}
		r := rand.New(rand.NewPCG(seed, 4))
		k := newWalker(w, geom.V(0, 0.1, 0))
		corners := 0
		for corners < 60 {
			_, to := somewhere(m, r, half)
			from := k.state.Position
			way, ok := q.Path(from, to, nil)
			if !ok {
				t.Fatalf("seed %d: no way from %.3f to %.3f", seed, from, to)
			}
			arrived := k.arrive(m, way)
			for i, d := range k.nearby[:min(k.follow.Passed()+1, len(way))] {
				if worst = max(worst, d); d > 0.3 {
					t.Errorf("seed %d: %.3f to %.3f: %.2f m from corner %d at %.3f", seed, from, to, d, i, way[i].At)
				}
			}
			if !arrived {
				t.Fatalf("seed %d: from %.3f to %.3f: at %.3f after %d of %d corners, the next at %.3f", seed,
					from, to, k.state.Position, k.follow.Passed(), len(way), k.follow.Next().At)
			}
			corners += len(way)
		}
		total += corners
	}
	t.Logf("%d corners, at worst %.2f m away", total, worst)
}

// One path of a hundred corners: a slalom between walls. [VOL-06]
func TestAHundredCorners(t *testing.T) {
	const walls = 50
	var b collide.Builder
	none := collide.Surface{}
	b.Box(geom.V(0, -1, -walls*1.25), geom.V(4, 1, walls*1.25+4), geom.IdentityQuat, none)
	for i := range walls {
		x := 1.6
		if i%2 == 0 {
			x = -x
		}
		b.Box(geom.V(x, 1, -2-2.5*float64(i)), geom.V(2.4, 1, 0.2), geom.IdentityQuat, none)
	}
	w := b.MustBake()
	m := bake(t, w, params())
	q := nav.Query{Mesh: m}
	way, ok := q.Path(geom.V(0, 0, 0), geom.V(0, 0, -2.5*walls), nil)
	if !ok || len(way) < 100 {
		t.Fatalf("%d corners, found %t; want 100", len(way), ok)
	}
	k := newWalker(w, geom.V(0, 0.02, 0))
	if !k.arrive(m, way) {
		t.Fatalf("stopped at %v before %v", k.state.Position, k.follow.Next().At)
	}
	worst := 0.0
	for i, d := range k.nearby {
		if worst = max(worst, d); d > 0.3 {
			t.Errorf("%.2f m away from corner %d at %v; want 0.3 (VOL-06)", d, i, way[i].At)
		}
	}
	t.Logf("%d corners, at worst %.2f m away", len(way), worst)
	for range 60 {
		k.step(m, 16_667)
	}
	if off := k.state.Position.Sub(way[len(way)-1].At).Flat(geom.Up).Len(); off > 0.3 || !k.state.Velocity.IsZero() {
		t.Errorf("a second later %.2f m from the goal at %.2f m/s, want 0.3 and a stop", off, k.state.Velocity.Len())
	}
}
