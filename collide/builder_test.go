package collide

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/geom"
)

// Invalid shapes are errors that name the shape and the reason, at once and again at Bake.
func TestBuilderRefuses(t *testing.T) {
	flat := []geom.Vec3{{}, {X: 1}, {Z: 1}, {X: 1, Z: 1}, {X: .5, Z: .2}}
	for _, c := range []struct {
		name string
		add  func(b *Builder)
		want string
	}{
		{"NaN", func(b *Builder) { b.Triangles([]geom.Vec3{{}, {Y: math.NaN()}}, nil, Surface{}) }, "shape 1: vertex 1"},
		{"too far", func(b *Builder) { b.Triangles([]geom.Vec3{{X: 16385}}, nil, Surface{}) }, "shape 1: vertex 0"},
		{"bad index", func(b *Builder) { b.Triangles(flat, []uint32{0, 1, 2, 2, 1, 5}, Surface{}) }, "shape 1: triangle 1 names vertex 5 of 5"},
		{"half a triangle", func(b *Builder) { b.Triangles(flat, []uint32{0, 1}, Surface{}) }, "shape 1: 2 indices"},
		{"flat hull", func(b *Builder) { b.Hull(flat, Surface{}) }, "shape 1: the points of a hull lie in one plane"},
		{"three points", func(b *Builder) { b.Hull(flat[:3], Surface{}) }, "shape 1: a hull takes"},
		{"257 points", func(b *Builder) { b.Hull(make([]geom.Vec3, 257), Surface{}) }, "shape 1: a hull takes"},
		{"one place", func(b *Builder) { b.Hull(make([]geom.Vec3, 8), Surface{}) }, "shape 1: the points"},
		{"no height", func(b *Builder) { b.Box(geom.Vec3{}, geom.V(1, 0, 1), geom.IdentityQuat, Surface{}) }, "shape 1: a box"},
		{"NaN box", func(b *Builder) { b.Box(geom.V(math.NaN(), 0, 0), geom.V(1, 1, 1), geom.IdentityQuat, Surface{}) }, "shape 1: vertex"},
		{"ramp", func(b *Builder) { b.Ramp(geom.Vec3{}, 1, -1, 1, 0, Surface{}) }, "shape 1: a ramp"},
		{"no stairs", func(b *Builder) { b.Stairs(geom.Vec3{}, 1, 1, 1, 0, 0, Surface{}) }, "shape 1: stairs"},
	} {
		var b Builder
		b.Box(geom.Vec3{}, geom.V(1, 1, 1), geom.IdentityQuat, Surface{})
		c.add(&b)
		b.Box(geom.Vec3{}, geom.V(1, 1, -1), geom.IdentityQuat, Surface{})
		if _, err := b.Bake(); err == nil || !strings.HasPrefix(err.Error(), "collide: "+c.want) {
			t.Errorf("%s: got %v, want collide: %s …", c.name, err, c.want)
		}
	}
}

// Triangles without area are left out and counted; small ones are not, wherever they are.
func TestFlatTrianglesAreDropped(t *testing.T) {
	var b Builder
	v := []geom.Vec3{{}, {X: 1}, {X: 2}, {Z: 1}}
	id, err := b.Triangles(v, []uint32{0, 1, 2, 0, 0, 3, 0, 1, 3}, Surface{})
	w := b.MustBake()
	if id != 0 || err != nil || w.Dropped() != 2 || w.Triangles() != 1 {
		t.Errorf("shape %d, %v: dropped %d, kept %d; want 2 and 1", id, err, w.Dropped(), w.Triangles())
	}
	far := geom.V(16000, -3000, 16000)
	var small Builder
	for _, turn := range [][]uint32{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}} {
		small.Triangles([]geom.Vec3{far, far.Add(geom.V(.01, 0, 0)), far.Add(geom.V(0, 0, .005))}, turn, Surface{})
	}
	if w := small.MustBake(); w.Triangles() != 3 {
		t.Errorf("of three of 5 mm, 16 km away, %d are kept", w.Triangles())
	}
}

// A hull is convex and closed, contains all its points, and has no superfluous ones.
func TestHulls(t *testing.T) {
	const seed = 51
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 300 {
		var p []geom.Vec3
		n := 4 + r.IntN(60)
		if i%50 == 0 {
			n = MaxHullPoints
		}
		size := math.Pow(10, r.Float64()*4-2)
		at := vector(r, 100)
		for range n {
			v := vector(r, size)
			switch i % 4 {
			case 1: // on a grid: many points in a plane, many twice
				v = geom.V(math.Round(v.X/size*3), math.Round(v.Y/size*3), math.Round(v.Z/size*3)).Mul(size)
			case 2:
				v = v.Unit().Mul(size)
			case 3: // a thin plate
				v.Y *= 0.01
			}
			p = append(p, at.Add(v))
		}
		var b Builder
		if _, err := b.Hull(p, Surface{}); err != nil {
			if n > 20 {
				t.Errorf("seed %d, hull %d of %d points: %v", seed, i, n, err)
			}
			continue
		}
		s := &b.solids[0]
		for _, q := range p {
			for _, f := range s.planes {
				if d := f.n.Dot(q) - f.w; d > size*1e-5 {
					t.Fatalf("seed %d, hull %d: a point lies %g outside, size %g", seed, i, d, size)
				}
			}
		}
		if len(b.tris) != 2*len(s.corners)-4 {
			t.Fatalf("seed %d, hull %d: %d triangles, %d corners: no sphere (Euler)", seed, i, len(b.tris), len(s.corners))
		}
	}
}

// Ramps and stairs have the dimensions that scenario files specify.
func TestRampAndStairs(t *testing.T) {
	var b Builder
	ramp := b.Ramp(geom.V(10, 0, 0), 2, 2, 4, math.Pi/2, Surface{}) // climbs towards −X
	first := b.Stairs(geom.V(0, 0, 0), 2, 0.3, 0.5, 8, 0, Surface{})
	w := b.MustBake()
	down := func(x, z float64) Hit { h, _ := w.Ray(geom.V(x, 9, z), geom.V(0, -10, 0)); return h }
	if h := down(8, 0); h.Shape != ramp || !near(h.Point.Y, 1, 1e-9) || !near(h.Normal.X, 1/math.Sqrt(5), 1e-9) {
		t.Errorf("middle of the ramp: %+v, want 1 m up, leaning towards +X", h)
	}
	for i := range 8 {
		h := down(0.3, -0.25-0.5*float64(i))
		if h.Shape != first+ShapeID(i) || !near(h.Point.Y, 0.3*float64(i+1), 1e-9) {
			t.Errorf("step %d: %+v", i, h)
		}
	}
	if h := down(0, 0.01); h.Shape != 0 || h.Fraction != 0 {
		t.Errorf("before the first riser: %+v, want nothing", h)
	}
}

// A floor of one call is level, as large as asked for, and has an edge.
func TestFloor(t *testing.T) {
	w := Floor(20)
	for _, at := range []struct {
		x, z float64
		hit  bool
	}{{0, 0, true}, {19.9, -19.9, true}, {20.1, 0, false}} {
		hit, ok := (&WorldAt{World: w}).Ray(geom.V(at.x, 1, at.z), geom.V(0, -2, 0))
		if ok != at.hit || ok && hit.Fraction != 0.5 {
			t.Errorf("at %v, %v: got %v at %v of the way, want %v", at.x, at.z, ok, hit.Fraction, at.hit)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a floor of no size was made")
		}
	}()
	Floor(math.NaN())
}
