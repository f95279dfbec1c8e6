package levelmaker

import (
	"math"

	"github.com/backstep-net/backstep/examples/arena/glb"
	"github.com/backstep-net/backstep/geom"
)

// part is a node of the file: a mesh, a collider, or a place, with its child parts.
type part struct {
	name  string
	at    geom.Vec3
	yaw   float64
	scale geom.Vec3 // zero means 1, 1, 1
	marks extras
	shape *shape // nil draws nothing
	kids  []*part
}

// extras is the node's extras.backstep; see docs/level.md.
type extras struct {
	Collide string  `json:"collide,omitempty"`
	Walk    string  `json:"walk,omitempty"`
	Step    string  `json:"step,omitempty"`
	Spawn   bool    `json:"spawn,omitempty"`
	Entity  string  `json:"entity,omitempty"`
	Team    int     `json:"team,omitempty"`
	Mover   *mover  `json:"mover,omitempty"`
	Volume  *volume `json:"volume,omitempty"`
}

// mover marks a part that moves with its children.
type mover struct {
	Name   string `json:"name"`
	Path   []key  `json:"path"`
	Loop   bool   `json:"loop,omitempty"`
	Smooth bool   `json:"smooth,omitempty"`
}

// key is a key of a mover's path in the file's format: seconds, metres, degrees.
type key [3]any

// keyAt returns a key, rounded to visible precision.
func keyAt(seconds float64, at geom.Vec3, degrees float64) key {
	tidy := func(x float64) float64 { return math.Round(x*1e4)/1e4 + 0 }
	return key{tidy(seconds), [3]float64{tidy(at.X), tidy(at.Y), tidy(at.Z)}, tidy(degrees)}
}

// volume marks a region: the part's cube of −1 … 1.
type volume struct {
	Water  bool        `json:"water,omitempty"`
	Launch *[3]float64 `json:"launch,omitempty"`
}

// shape is a drawn mesh, one patch of triangles per material.
type shape struct{ patches [materials]patch }

type patch struct {
	vertices []glb.Vertex
	indices  []uint32
}

func (p *part) add(kids ...*part) { p.kids = append(p.kids, kids...) }

// structure begins a part with a mesh that is not solid.
func structure(name string, at geom.Vec3) *part {
	return &part{name: name, at: at, shape: &shape{}, marks: extras{Collide: "none"}}
}

// block adds a bevelled box from corner lo to corner hi, drawn and solid.
func (p *part) block(m material, c colour, lo, hi geom.Vec3) {
	p.decoration(m, c, lo, hi)
	p.solid(lo, hi)
}

// decoration adds a bevelled box that is drawn and not solid.
func (p *part) decoration(m material, c colour, lo, hi geom.Vec3) {
	p.shape.patches[m].bevelled(speckle(c, 0.035, len(p.shape.patches[m].vertices), int(p.at.X)), lo, hi)
}

// solid adds an invisible collider: a node without a mesh is the cube of −1 … 1.
func (p *part) solid(lo, hi geom.Vec3) {
	p.add(&part{
		name: p.name + " solid", at: lo.Add(hi).Mul(0.5), scale: hi.Sub(lo).Mul(0.5),
		marks: extras{Collide: "box"},
	})
}

// bevel is the width of bevels, in metres, on a box that is thick enough.
const bevel = 0.035

// bevelled adds a box with bevelled edges. Each corner has three vertices, one per face,
// with the faces' normals, so that the bevels are shaded smoothly. Tall boxes are darker
// towards the ground.
func (p *patch) bevelled(c colour, lo, hi geom.Vec3) {
	size := hi.Sub(lo)
	b := min(bevel, float64(min(size.X, size.Y, size.Z)*0.25))
	first := uint32(len(p.vertices))
	for corner := range 8 {
		for axis := range 3 {
			at, n := [3]float64{}, [3]float64{}
			l, h := [3]float64{lo.X, lo.Y, lo.Z}, [3]float64{hi.X, hi.Y, hi.Z}
			for k := range 3 {
				inset := b
				if k == axis {
					inset = 0
				}
				at[k] = l[k] + inset
				if corner>>k&1 == 1 {
					at[k] = h[k] - inset
				}
			}
			n[axis] = float64(2*(corner>>axis&1) - 1)
			tint := c
			if corner&2 == 0 && size.Y > 0.5 {
				tint = shade(c, 0.72)
			}
			p.vertices = append(p.vertices, glb.Vertex{Position: geom.V(at[0], at[1], at[2]), Normal: geom.V(n[0], n[1], n[2]), Colour: tint})
		}
	}
	middle := lo.Add(hi).Mul(0.5)
	for _, t := range bevelledBox {
		p.facing(first+t[0], first+t[1], first+t[2], middle)
	}
}

// bevelledBox lists the triangles between the 24 vertices corner·3 + axis: two per face,
// two per edge, one per corner.
var bevelledBox = func() (out [][3]uint32) {
	id := func(corner, axis int) uint32 { return uint32(3*corner + axis) }
	quad := func(a, b, c, d uint32) { out = append(out, [3]uint32{a, b, c}, [3]uint32{a, c, d}) }
	for a := range 3 {
		u, v := 1<<((a+1)%3), 1<<((a+2)%3)
		for _, s := range []int{0, 1 << a} {
			quad(id(s, a), id(s|u, a), id(s|u|v, a), id(s|v, a))
		}
		for _, s := range []int{0, u, v, u | v} { // the edges along axis a
			e, f := (a+1)%3, (a+2)%3
			quad(id(s, e), id(s|1<<a, e), id(s|1<<a, f), id(s, f))
		}
	}
	for corner := range 8 {
		out = append(out, [3]uint32{id(corner, 0), id(corner, 1), id(corner, 2)})
	}
	return out
}()

// facing adds a triangle with a front that faces away from an inside point.
func (p *patch) facing(a, b, c uint32, inside geom.Vec3) {
	pa, pb, pc := p.vertices[a].Position, p.vertices[b].Position, p.vertices[c].Position
	if pb.Sub(pa).Cross(pc.Sub(pa)).Dot(pa.Sub(inside)) < 0 {
		b, c = c, b
	}
	p.indices = append(p.indices, a, b, c)
}

// flat adds a convex polygon of one colour with its own normal; the corners are
// counter-clockwise seen from the front.
func (p *patch) flat(c colour, corners ...geom.Vec3) {
	n := corners[1].Sub(corners[0]).Cross(corners[2].Sub(corners[0])).Unit()
	first := uint32(len(p.vertices))
	for i, q := range corners {
		p.vertices = append(p.vertices, glb.Vertex{Position: q, Normal: n, Colour: c})
		if i >= 2 {
			p.indices = append(p.indices, first, first+uint32(i)-1, first+uint32(i))
		}
	}
}

// prism adds the solid between x0 and x1 with a cross-section that is a convex polygon of (z, y)
// pairs, counter-clockwise seen from +X.
func (p *patch) prism(c colour, x0, x1 float64, cut [][2]float64) {
	n := len(cut)
	near, far := make([]geom.Vec3, n), make([]geom.Vec3, n)
	for i, q := range cut {
		near[n-1-i] = geom.V(x0, q[1], q[0])
		far[i] = geom.V(x1, q[1], q[0])
	}
	p.flat(shade(c, 0.93), near...)
	p.flat(shade(c, 0.93), far...)
	for i, q := range cut {
		r := cut[(i+1)%n]
		p.flat(c, geom.V(x0, r[1], r[0]), geom.V(x1, r[1], r[0]), geom.V(x1, q[1], q[0]), geom.V(x0, q[1], q[0]))
	}
}

// cone adds a pointed roof of n flat sides, as used for trees.
func (p *patch) cone(c colour, at geom.Vec3, radius, height float64, n, seed int) {
	tip := at.Add(geom.V(0, height, 0))
	ring := func(i int) geom.Vec3 {
		s, k := geom.SinCos(float64(float64(i%n)*6.283185307179586) / float64(n))
		r := radius * (1 + float64(0.12*noise(seed, i%n)))
		return at.Add(geom.V(float64(k*r), float64(0.1*noise(seed, i%n, 7)), float64(s*r)))
	}
	for i := range n {
		p.flat(speckle(c, 0.07, seed, i), ring(i+1), ring(i), tip)
	}
}
