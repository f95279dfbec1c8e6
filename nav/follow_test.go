package nav_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/nav"
)

// corners is a path over level ground.
func corners(xz ...float64) (way []nav.Corner) {
	for i := 0; i < len(xz); i += 2 {
		way = append(way, nav.Corner{At: geom.V(xz[i], 0, xz[i+1])})
	}
	return way
}

// The speed that a follower requests, at the beginning of a path that leads east, wherever that is.
func TestFollowerSpeed(t *testing.T) {
	for _, c := range []struct {
		name string
		way  []nav.Corner
		want float64
	}{
		{"far from the goal", corners(30, 0), 6},
		{"a metre before the goal: √(2·8·1)", corners(1, 0), 4},
		{"a quarter before the goal", corners(0.25, 0), 2},
		{"far from a sharp corner", corners(20, 0, 20, 20), 6},
		{"just before a sharp corner: √(8·0.15·0.707/0.293 + 2·8·0.15)", corners(0.151, 0, 0.151, 20), 2.3},
		{"at a gentle corner", corners(0.151, 0, 20, 3), 6},
		{"before a turn back", corners(0.151, 0, -20, 0), 1.63},
		{"before a corner that lies just before the goal", corners(0.2, 0, 0.4, 0.01), 2.53},
		{"before two corners close together", corners(1, 0, 1, 0.3, 1.3, 0.3, 9, 9), 4.35},
		{"at a corner of 45°: √(8·0.15·0.924/0.076 + 2·8·0.15)", corners(0.151, 0, 20.151, 20), 4.12},
		{"through many corners in one line", corners(0.2, 0, 0.4, 0, 0.6, 0, 0.8, 0, 1, 0, 1.2, 0, 30, 0), 6},
	} {
		for _, from := range []geom.Vec3{{}, {X: 70, Z: -40}} {
			f := nav.Follower{Speed: 6}
			for i := range c.way {
				c.way[i].At = c.way[i].At.Add(from)
			}
			f.Follow(c.way)
			v := f.Velocity(from)
			if math.Abs(v.Len()-c.want) > 0.05 || v.X <= 0 || v.Y != 0 {
				t.Errorf("%s, from %v: %.3f m/s to %v, want %.2f to the east", c.name, from, v.Len(), v.Unit(), c.want)
			}
		}
	}
	slow := nav.Follower{Speed: 6, Acceleration: 2}
	if slow.Follow(corners(1, 0)); math.Abs(slow.Velocity(geom.Vec3{}).Len()-2) > 0.05 {
		t.Errorf("with 2 m/s² a metre before the goal: %v, want √(2·2·1)", slow.Velocity(geom.Vec3{}))
	}
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 0))
	for range 1000 { // straight back, which rounding makes a little more than that
		x, z := r.NormFloat64(), r.NormFloat64()
		f := nav.Follower{Speed: 6}
		if f.Follow(corners(x, z, -2*x, -2*z)); !(f.Velocity(geom.Vec3{}).Len() <= 6+1e-9) {
			t.Fatalf("seed %d: straight back by %v, %v: %v", seed, x, z, f.Velocity(geom.Vec3{}))
		}
	}
}

// A goal is reached within ten centimetres, a corner within the radius, and both no further off than a
// smaller radius.
func TestWhatCountsAsReached(t *testing.T) {
	for _, c := range []struct {
		radius, off  float64
		corner, goal bool
	}{{0, .16, false, false}, {0, .14, true, false}, {0, .11, true, false}, {0, .09, true, true}, {.05, .09, false, false}, {.05, .04, true, true}, {.5, .4, true, false}} {
		f := nav.Follower{Speed: 6, CornerRadius: c.radius}
		f.Follow(corners(4, 0, 4, 4))
		if f.Velocity(geom.V(4-c.off, 0, 0)); (f.Passed() == 1) != c.corner {
			t.Errorf("radius %v, %v m from the corner: passed %d", c.radius, c.off, f.Passed())
		}
		f.Follow(corners(4, 0))
		if f.Velocity(geom.V(4-c.off, 0, 0)); f.Done() != c.goal {
			t.Errorf("radius %v, %v m from the goal: done %v", c.radius, c.off, f.Done())
		}
	}
}

// A follower passes its corners, but not those of the floor above.
func TestFollowerPassesCorners(t *testing.T) {
	f := nav.Follower{Speed: 6}
	if !f.Done() || !f.Velocity(geom.Vec3{}).IsZero() || f.Next() != (nav.Corner{}) || f.Kind() != nav.Walk {
		t.Error("the zero follower is on its way somewhere")
	}
	way := corners(2, 0, 2, 3, 8, 3)
	way[1].Kind = nav.Lift
	way[2].At.Y = 4
	f.Follow(way)
	way[0].At.X = 99 // it has its own
	for _, c := range []struct {
		at     geom.Vec3
		passed int
		kind   nav.Kind
		left   float64
	}{
		{geom.V(0, 0, 0), 0, nav.Walk, 11},
		{geom.V(2, 4, 0.1), 0, nav.Walk, 9.1},
		{geom.V(2, 0.1, 0.1), 1, nav.Walk, 8.9},
		{geom.V(2, 0, 2.9), 2, nav.Lift, 6},
		{geom.V(8, 0, 3), 2, nav.Lift, 0},
		{geom.V(8, 4, 3), 3, nav.Walk, 0},
	} {
		f.Velocity(c.at)
		if f.Passed() != c.passed || f.Kind() != c.kind || math.Abs(f.Remaining(c.at)-c.left) > 0.02 {
			t.Errorf("at %v: %d passed, kind %d, %.2f m left; want %d, %d, %.2f", c.at,
				f.Passed(), f.Kind(), f.Remaining(c.at), c.passed, c.kind, c.left)
		}
	}
	f.Follow(corners(4, 0, 4, 4))
	if at := f.PointAhead(geom.Vec3{}, 6); at.Dist(geom.V(4, 0, 2)) > 1e-9 {
		t.Errorf("6 m ahead is %v", at)
	}
	if at := f.PointAhead(geom.Vec3{}, 60); at != geom.V(4, 0, 4) {
		t.Errorf("60 m ahead is %v, want the goal", at)
	}
}

// A walker that cannot leave the mesh comes around every corner of a path: one that turned to the next
// corner too early would stand at the border in between for ever. [VOL-04]
func TestFollowersThatCannotLeaveTheMesh(t *testing.T) {
	const half, dt = 10, 1. / 60
	for seed := uint64(1); seed <= 6; seed++ {
		m := bake(t, clutter(seed, half, 40), params())
		r := rand.New(rand.NewPCG(seed, 4))
		q := nav.Query{Mesh: m, Avoid: ^uint32(0)}
		f := nav.Follower{Speed: 4, CornerRadius: 0.3, Mesh: m}
		for range 150 {
			ref, at := somewhere(m, r, half)
			end, goal := somewhere(m, r, half)
			way, ok := q.PathBetween(ref, at, end, goal, nil)
			if !ok {
				continue
			}
			f.Follow(way)
			seconds := 0.0
			for v := f.Velocity(at); !f.Done() && seconds < 60; v = f.Velocity(at) {
				step := v.Mul(dt).ClampLen(f.Next().At.Sub(at).Flat(geom.Up).Len())
				ref, at, _ = m.MoveAlong(ref, at, at.Add(step))
				seconds += dt
			}
			if !f.Done() {
				t.Errorf("seed %d: stands at %v before corner %d of %v", seed, at, f.Passed(), way)
			}
		}
	}
}
