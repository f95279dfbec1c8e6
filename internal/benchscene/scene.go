// Package benchscene makes the worlds, characters and queries that speed is
// measured on, the same bit for bit on every machine. Start at A.
//
// The scenes and their hashes are those of the design's bench page: a rolling
// terrain of 2 m cells with walls, crates and stairs strewn over it.
package benchscene

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// Scene names one of the worlds.
type Scene struct {
	// Name is the variable's: A, B, D, F1 or F2.
	Name string
	// Cells along a side of the terrain; 0 means one solid box instead.
	Cells int
	// Boxes strewn up to so many metres from the middle; 0 means none.
	Boxes float64
	// Flat terrain instead of hills.
	Flat bool
	// Start is how far from the middle characters start, Turn where they turn
	// back, in metres.
	Start, Turn float64
	// Published is the Hash that other programs measured the scene with; F2's is this program's own. "" for F1.
	Published string
}

// The scenes: A open land, B a dense arena, D a fine mesh, F1 one flat box, F2 a
// flat mesh.
var (
	A  = Scene{Name: "A", Cells: 100, Boxes: 90, Start: 90, Turn: 95, Published: "bd80029e90c7ecf3"}
	B  = Scene{Name: "B", Cells: 100, Boxes: 25, Start: 25, Turn: 28, Published: "3f7bc94cc0459cbc"}
	D  = Scene{Name: "D", Cells: 400, Boxes: 90, Start: 90, Turn: 95, Published: "32c94e2bdbcaa737"}
	F1 = Scene{Name: "F1", Flat: true, Start: 90, Turn: 95}
	F2 = Scene{Name: "F2", Cells: 100, Flat: true, Start: 90, Turn: 95, Published: "f9c84621dd81d133"}
)

// Measured are the scenes of backstep bench.
var Measured = []Scene{A, B, D, F2}

// Draw is the generator of all random draws (Numerical Recipes' LCG).
type Draw uint32

// Next returns the next state.
func (d *Draw) Next() uint32 {
	*d = *d*1664525 + 1013904223
	return uint32(*d)
}

// Unit returns the next draw in 0 … 1, 1 excluded.
func (d *Draw) Unit() float64 { return float64(d.Next()>>8) / 16777216 }

// Within returns Q(-e + 2e·u).
func (d *Draw) Within(e float64) float64 { return Quantise(-e + float64(2*e*d.Unit())) }

// Quantise rounds to 1/1024 m.
func Quantise(v float64) float64 { return math.Floor(float64(v*1024)+0.5) / 1024 }

// Height returns the ground's height in metres, quantised.
func (s Scene) Height(x, z float64) float64 { return Quantise(s.height(x, z)) }

func (s Scene) height(x, z float64) float64 {
	if s.Flat {
		return 0
	}
	return float64(1.5*geom.Sin(0.10*x)*geom.Cos(0.08*z)) +
		float64(0.3*geom.Sin(float64(0.45*x)+0.5)*geom.Sin(float64(0.40*z)+1.1))
}

// Terrain returns the ground's vertices and triangles.
func (s Scene) Terrain() (vertices []geom.Vec3, indices []uint32) {
	n := s.Cells
	cell := 200 / float64(n)
	for j := range n + 1 {
		for i := range n + 1 {
			x, z := -100+float64(cell*float64(i)), -100+float64(cell*float64(j))
			vertices = append(vertices, single(geom.V(x, s.Height(x, z), z)))
		}
	}
	for j := range n {
		for i := range n {
			v00 := uint32(j*(n+1) + i)
			v10, v01 := v00+1, v00+uint32(n)+1
			indices = append(indices, v00, v01, v10, v10, v01, v01+1)
		}
	}
	return vertices, indices
}

// single rounds to what a float32 holds, as level files do.
func single(v geom.Vec3) geom.Vec3 {
	return geom.V(float64(float32(v.X)), float64(float32(v.Y)), float64(float32(v.Z)))
}

// Box is one box.
type Box struct {
	Half, Centre geom.Vec3 // half the size along its own axes, and the centre, metres
	Yaw          int       // in 64ths of a turn about +Y, 0 … 63
}

// Strewn returns the walls, crates and stairs.
func (s Scene) Strewn() []Box {
	if s.Boxes == 0 {
		return nil
	}
	var out []Box
	d := Draw(1)
	place := func() (x, z, h float64) {
		x, z = d.Within(s.Boxes), d.Within(s.Boxes)
		return x, z, s.Height(x, z)
	}
	add := func(half, centre geom.Vec3, yaw int) {
		out = append(out, Box{single(half), single(centre), yaw})
	}
	for range 100 {
		x, z, h := place()
		l := 3 + float64(5*d.Unit())
		yaw := int(64 * d.Unit())
		add(geom.V(Quantise(l/2), 1.5, Quantise(0.15)), geom.V(x, Quantise(h+1.2), z), yaw)
	}
	for range 200 {
		x, z, h := place()
		hx := Quantise(.15 + float64(.6*d.Unit()))
		hy := Quantise(.15 + float64(.6*d.Unit()))
		hz := Quantise(.15 + float64(.6*d.Unit()))
		yaw := int(64 * d.Unit())
		add(geom.V(hx, hy, hz), geom.V(x, Quantise(h+hy-0.1), z), yaw)
	}
	for range 20 {
		x, z, h := place()
		rise := Quantise(0.2 + float64(0.1*d.Unit()))
		q := int(4 * d.Unit())
		dx, dz := [4]float64{1, 0, -1, 0}[q], [4]float64{0, -1, 0, 1}[q]
		for i := range 10 {
			at := float64((float64(i) + .5) * 0.3)
			top, bot := h+float64(float64(i+1)*rise), h-1
			add(geom.V(Quantise(.15), Quantise((top-bot)/2), 1),
				geom.V(Quantise(x+float64(dx*at)), Quantise((top+bot)/2), Quantise(z+float64(dz*at))), 16*q)
		}
	}
	return out
}

// World bakes the scene.
func (s Scene) World() (*collide.World, error) {
	var b collide.Builder
	if s.Cells > 0 {
		v, i := s.Terrain()
		if _, err := b.Triangles(v, i, collide.Surface{}); err != nil {
			return nil, err
		}
	} else {
		b.Box(geom.V(0, -1, 0), geom.V(100, 1, 100), geom.IdentityQuat, collide.Surface{})
	}
	for _, x := range s.Strewn() {
		b.Box(x.Centre, x.Half, geom.YawQuat(float64(x.Yaw)*(2*math.Pi/64)), collide.Surface{})
	}
	return b.Bake()
}

// Hash is FNV-1a over the vertices and boxes as float32 and int32, little endian, from the
// offset basis that the published hashes were made with.
func (s Scene) Hash() uint64 {
	h := uint64(1469598103934665603)
	word := func(w uint32) {
		for range 4 {
			h = (h ^ uint64(w&255)) * 1099511628211
			w >>= 8
		}
	}
	vector := func(v geom.Vec3) {
		word(math.Float32bits(float32(v.X)))
		word(math.Float32bits(float32(v.Y)))
		word(math.Float32bits(float32(v.Z)))
	}
	if s.Cells > 0 {
		v, _ := s.Terrain()
		for _, p := range v {
			vector(p)
		}
	}
	for _, b := range s.Strewn() {
		vector(b.Half)
		vector(b.Centre)
		word(uint32(int32(b.Yaw)))
	}
	return h
}
