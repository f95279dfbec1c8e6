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

// The speed that a follower requests, at the origin, heading east.
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
	} {
		f := nav.Follower{Speed: 6}
		f.Follow(c.way)
		v := f.Velocity(geom.Vec3{})
		if math.Abs(v.Len()-c.want) > 0.05 || v.X <= 0 || v.Y != 0 {
			t.Errorf("%s: %.3f m/s to %v, want %.2f to the east", c.name, v.Len(), v.Unit(), c.want)
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
