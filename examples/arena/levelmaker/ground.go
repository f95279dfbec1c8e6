package levelmaker

import (
	"math"

	"github.com/backstep-net/backstep/examples/arena/glb"
	"github.com/backstep-net/backstep/geom"
)

// The ground is a grid of square cells; the pool's edges are grid lines.
const (
	cell     = 1.25
	cells    = 36 // from the middle to each side: 45 m
	rim      = 36.25
	rimRound = 10.0
	poolX    = 7.5 // half the pool's size
	poolZ    = 5.0
)

// hills are gentle: none is steeper than 22°. Each has a twin across the middle.
var hills = []struct{ x, z, radius, height float64 }{
	{20.5, 29, 8, 2.2},
	{-19.5, 28.5, 8.5, 2},
	{-22, 18.5, 5, 0.9},
	{23.5, 11, 4.5, 0.9},
	{8.5, -34, 4, 0.8},
}

// rise returns the height of the walkable ground.
func rise(x, z float64) float64 {
	y := 0.0
	for _, h := range hills {
		for _, s := range []float64{1, -1} {
			dx, dz := x-float64(s*h.x), z-float64(s*h.z)
			t := 1 - (float64(dx*dx)+float64(dz*dz))/float64(h.radius*h.radius)
			if t > 0 {
				y += float64(float64(t*t) * h.height)
			}
		}
	}
	return y
}

// outside returns the distance from the walkable ground, a square with rounded corners;
// negative inside.
func outside(x, z float64) float64 {
	dx, dz := max(math.Abs(x)-(rim-rimRound), 0), max(math.Abs(z)-(rim-rimRound), 0)
	return math.Sqrt(float64(dx*dx)+float64(dz*dz)) - rimRound
}

// corner returns the grid's vertex i, j. Beyond the rim it rises and is displaced, so that
// the cliffs look rough.
func corner(i, j int) geom.Vec3 {
	x, z := float64(float64(i)*cell), float64(float64(j)*cell)
	e := outside(x, z)
	if e <= 1e-9 {
		return geom.V(x, rise(x, z), z)
	}
	y := min(float64(e*2.5), 7.4) + float64(0.7*noise(i, j, 1))
	if e > 4 {
		y += float64(0.9 * noise(i/2, j/2, 2))
	}
	return geom.V(x+float64(0.3*noise(i, j, 3)), y, z+float64(0.3*noise(i, j, 4)))
}

// eachCell calls f with the cells of the grid, except the pool.
func eachCell(f func(i, j int, cliff bool)) {
	for j := -cells; j < cells; j++ {
		for i := -cells; i < cells; i++ {
			x, z := float64((float64(i)+0.5)*cell), float64((float64(j)+0.5)*cell)
			if math.Abs(x) < poolX && math.Abs(z) < poolZ {
				continue
			}
			e := math.Inf(-1)
			for k := range 4 {
				e = max(e, outside(float64(float64(i+k&1)*cell), float64(float64(j+k>>1)*cell)))
			}
			f(i, j, e > 1e-9)
		}
	}
}

// ground is the walkable floor and the hills.
func ground() *part {
	p := &part{name: "ground", shape: &shape{}, marks: extras{Collide: "mesh"}}
	m := &p.shape.patches[matte]
	eachCell(func(i, j int, cliff bool) {
		if cliff {
			return
		}
		first := uint32(len(m.vertices))
		for k := range 4 {
			v := corner(i+k&1, j+k>>1)
			m.vertices = append(m.vertices, glb.Vertex{Position: v, Normal: upFrom(v.X, v.Z), Colour: floorColour(v.X, v.Z, i, j)})
		}
		m.indices = append(m.indices, first, first+2, first+3, first, first+3, first+1)
	})
	return p
}

// upFrom returns the normal of the hills at a place.
func upFrom(x, z float64) geom.Vec3 {
	const d = 0.25
	dx := rise(x+d, z) - rise(x-d, z)
	dz := rise(x, z+d) - rise(x, z-d)
	return geom.V(-dx, 2*d, -dz).Unit()
}

// floorColour returns the ground's colour: paving in the middle and before the bases,
// gravel in the lanes, else grass that is paler on the hills.
func floorColour(x, z float64, i, j int) colour {
	ax, az := math.Abs(x), math.Abs(z)
	switch {
	case ax < 11.9 && az < 21.9 || ax < 21.3 && az < 10.1:
		c := speckle(paving, 0.05, i, j)
		if (i+j)&1 == 0 {
			c = shade(c, 0.9)
		}
		if ax < 10.1 && az < 7.6 {
			c = c.Lerp(teal, 0.12)
		}
		return c
	case ax > 27.4 && ax < 34.9 && az < 30.1:
		return speckle(gravel, 0.07, i, j)
	}
	up := geom.Clamp(rise(x, z)/2, 0, 1)
	worn := float64(0.5*noise(int(x/cell), int(z/cell), 9)) + 0.5
	return grass.Lerp(meadow, geom.Clamp(up+float64(0.45*worn), 0, 1))
}

// cliffs are the ring around the arena: too steep to walk, and marked so.
func cliffs() *part {
	p := &part{name: "cliffs", shape: &shape{}, marks: extras{Collide: "mesh", Walk: "never", Step: "never"}}
	m := &p.shape.patches[matte]
	eachCell(func(i, j int, cliff bool) {
		if !cliff {
			return
		}
		a, b, c, d := corner(i, j), corner(i, j+1), corner(i+1, j+1), corner(i+1, j)
		split := [][3]geom.Vec3{{a, b, c}, {a, c, d}}
		if (i+j)&1 == 0 {
			split = [][3]geom.Vec3{{a, b, d}, {b, c, d}}
		}
		for k, t := range split {
			n := t[1].Sub(t[0]).Cross(t[2].Sub(t[0])).Unit()
			tint := speckle(rock, 0.12, i, j, k)
			if n.Y > 0.8 {
				tint = speckle(cliffTop, 0.1, i, j, k)
			}
			m.flat(tint, t[0], t[1], t[2])
		}
	})
	return p
}

// bounds are invisible walls behind the face of the cliffs.
func bounds() *part {
	p := &part{name: "bounds"}
	const in, out, low, high = 40.0, 46.0, -6.0, 40.0
	p.solid(geom.V(-out, low, -out), geom.V(-in, high, out))
	p.solid(geom.V(in, low, -out), geom.V(out, high, out))
	p.solid(geom.V(-in, low, -out), geom.V(in, high, -in))
	p.solid(geom.V(-in, low, in), geom.V(in, high, out))
	for _, k := range p.kids { // a hook does not hold there either
		k.marks.Walk, k.marks.Step = "never", "never"
	}
	return p
}
