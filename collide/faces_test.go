package collide_test

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// Faces returns the triangles of the static world and of its movers at their current poses,
// each once, with outward normals, and no more than requested.
func TestFacesNearABox(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(10, 1, 10), geom.IdentityQuat, collide.Surface{})
	path := collide.Path{Keys: []collide.Key{{Position: geom.V(0, 5, 0)}, {At: clock.Second, Position: geom.V(0, 0.5, 0), Angle: 0.5}}}
	id := b.Mover("lift", path, func(b *collide.Builder) {
		b.Box(geom.Vec3{}, geom.V(0.5, 0.5, 0.5), geom.IdentityQuat, collide.Surface{})
	})
	w := b.MustBake()
	v := collide.WorldAt{World: w}
	low := geom.AABB{Min: geom.V(-1, -0.1, -1), Max: geom.V(1, 1.5, 1)}
	if got := v.Faces(low, 99, nil); len(got) != 2 || got[0].Normal != geom.Up || !got[0].Solid {
		t.Errorf("with the lift above: got %+v, want the two faces of the floor's top", got)
	}
	v.At = clock.Second
	got := v.Faces(low, 99, nil)
	count := 0
	for _, f := range got {
		if f.Mover == id {
			count++
			pose := v.Pose(id)
			middle := f.A.Add(f.B).Add(f.C).Div(3)
			if d := f.Normal.Dot(middle.Sub(pose.Translation)); d < 0.499 || d > 0.501 {
				t.Errorf("face %d of the lift: its normal leads %.3f m from the middle, want 0.5", f.Triangle, d)
			}
		}
	}
	if count != 12 || len(got) != 14 {
		t.Errorf("with the lift down: got %d faces, %d of the lift; want 14, 12", len(got), count)
	}
	for most := range 14 { // half of a limit at least, and of what is there
		if n := len(v.Faces(low, most, nil)); n > most || 2*n < most {
			t.Errorf("of at most %d: got %d", most, n)
		}
	}
}

// Faces returns exactly the triangles whose bounds overlap the box.
func TestFacesAgainstAll(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var b collide.Builder
	for range 200 {
		at := geom.V(r.Float64()*20, r.Float64()*20, r.Float64()*20)
		p := func() geom.Vec3 { return at.Add(geom.V(r.Float64()*2, r.Float64()*2, r.Float64()*2)) }
		b.Triangles([]geom.Vec3{p(), p(), p()}, []uint32{0, 1, 2}, collide.Surface{})
	}
	w := b.MustBake()
	v := collide.WorldAt{World: w}
	all := v.Faces(w.Bounds(), 1000, nil)
	if len(all) != 200 {
		t.Fatalf("of the whole world: got %d faces, want 200", len(all))
	}
	for range 200 {
		lo := geom.V(r.Float64()*20, r.Float64()*20, r.Float64()*20)
		box := geom.AABB{Min: lo, Max: lo.Add(geom.V(3, 3, 3))}
		want := 0
		for _, f := range all {
			if (geom.AABB{Min: f.A.Min(f.B).Min(f.C), Max: f.A.Max(f.B).Max(f.C)}).Overlaps(box) {
				want++
			}
		}
		if got := v.Faces(box, 1000, nil); len(got) != want {
			t.Errorf("%v: got %d faces, want %d", box, len(got), want)
		}
	}
}
