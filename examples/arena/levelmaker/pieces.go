package levelmaker

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// The building blocks of structures. Each has its foot at its own origin and climbs north;
// rotate the part for other directions.

// root is how deep structures reach into the ground, so that no gap shows.
const root = 0.5

// stairs returns n solid steps of one riser and tread, with cheek walls if cheek is greater
// than zero. The top step is level with n·riser.
func stairs(name string, at geom.Vec3, yaw, width float64, n int, riser, tread, cheek float64, c colour) *part {
	p := structure(name, at)
	p.yaw = yaw
	x := float64(width / 2)
	for i := range n {
		top, front := float64(float64(i+1)*riser), -float64(float64(i)*tread)
		tint := c
		if i&1 == 1 {
			tint = shade(c, 0.93)
		}
		p.shape.patches[matte].bevelled(tint, geom.V(-x, top-riser-0.2, front-tread-0.04), geom.V(x, top, front))
		p.solid(geom.V(-x, -root, front-tread-0.05), geom.V(x, top, front))
	}
	if cheek > 0 {
		h, l := float64(float64(n)*riser), float64(float64(n)*tread)
		for _, s := range []float64{-x - cheek, x} {
			p.add(cheekOf(name+" cheek", s, s+cheek, h, l, shade(c, 0.85)))
		}
	}
	return p
}

// cheekOf is the low sloped wall beside stairs that rise h over l metres.
func cheekOf(name string, x0, x1, h, l float64, c colour) *part {
	p := &part{name: name, shape: &shape{}, marks: extras{Collide: "hull", Step: "never"}}
	p.shape.patches[matte].prism(c, x0, x1, [][2]float64{
		{0.2, -root}, {-l, -root}, {-l, h + 0.28}, {-l + 0.05, h + 0.28}, {0.05, 0.32}, {0.2, 0.32},
	})
	return p
}

// run returns the horizontal length of a ramp of so many degrees that rises h.
func run(h, degrees float64) float64 {
	s, c := geom.SinCos(float64(degrees*math.Pi) / 180)
	return float64(h*c) / s
}

// ramp returns a solid ramp. Its top edge is at −run(h, degrees), and it extends slightly
// further at the bottom, into what it leans against.
func ramp(name string, at geom.Vec3, yaw, width, h, degrees float64, c colour) *part {
	p := &part{name: name, at: at, yaw: yaw, shape: &shape{}, marks: extras{Collide: "hull"}}
	l := run(h, degrees)
	p.shape.patches[matte].prism(c, -width/2, width/2, [][2]float64{
		{run(0.3, degrees), -0.3}, {-l - 0.2, -0.3}, {-l - 0.2, h - 0.02}, {-l, h},
	})
	return p
}

// opening is a hole in a wall, from … to along it and bottom … top in height.
type opening struct{ from, to, bottom, top float64 }

// wall adds a wall from lo to hi along its longer side, with openings in order. Openings
// may extend below the wall's foot or above its top.
func (p *part) wall(m material, c colour, lo, hi geom.Vec3, openings ...opening) {
	alongX := hi.X-lo.X > hi.Z-lo.Z
	piece := func(from, to, bottom, top float64) {
		if to-from < 0.01 || top-bottom < 0.01 {
			return
		}
		a, b := geom.V(lo.X, bottom, from), geom.V(hi.X, top, to)
		if alongX {
			a, b = geom.V(from, bottom, lo.Z), geom.V(to, top, hi.Z)
		}
		p.block(m, c, a, b)
	}
	at, end := lo.Z, hi.Z
	if alongX {
		at, end = lo.X, hi.X
	}
	for _, o := range openings {
		piece(at, o.from, lo.Y, hi.Y)
		piece(o.from, o.to, lo.Y, o.bottom)
		piece(o.from, o.to, o.top, hi.Y)
		at = o.to
	}
	piece(at, end, lo.Y, hi.Y)
}

// gap is an opening through the whole height.
func gap(from, to float64) opening { return opening{from, to, -99, 99} }

// rail adds a railing along X at z: drawn posts and bars, and a thin solid wall.
func (p *part) rail(from, to, y, z float64) {
	n := int(math.Ceil((to - from) / 1.6))
	for i := range n + 1 {
		x := from + float64((to-from)*float64(i))/float64(n)
		p.decoration(metal, charcoal, geom.V(x-0.05, y-0.1, z-0.05), geom.V(x+0.05, y+0.95, z+0.05))
	}
	p.decoration(metal, charcoal, geom.V(from, y+0.86, z-0.07), geom.V(to, y+0.98, z+0.07))
	p.decoration(metal, charcoal, geom.V(from, y+0.42, z-0.03), geom.V(to, y+0.5, z+0.03))
	p.solid(geom.V(from-0.05, y-0.1, z-0.08), geom.V(to+0.05, y+0.98, z+0.08))
}
