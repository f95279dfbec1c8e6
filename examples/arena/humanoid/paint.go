package humanoid

import (
	"math"

	"github.com/backstep-net/backstep/examples/arena/glb"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
)

// paint is the colour of a part.
type paint int

const (
	cloth paint = iota
	armour
	belt
	glove
	helmet
	metal
)

// colours are linear vertex colours. Armour and helmet are light, so that a renderer can
// multiply them by a player's colour.
var colours = [...]geom.Vec3{
	cloth:  {X: 0.10, Y: 0.11, Z: 0.13},
	armour: {X: 0.62, Y: 0.63, Z: 0.65},
	belt:   {X: 0.16, Y: 0.15, Z: 0.14},
	glove:  {X: 0.05, Y: 0.05, Z: 0.06},
	helmet: {X: 0.62, Y: 0.63, Z: 0.65},
	metal:  {X: 0.30, Y: 0.32, Z: 0.36},
}

// visor is the front of a helmet.
var visor = geom.V(0.02, 0.05, 0.08)

// skin is the mesh of a part, in the part's own space: exactly its hitbox.
type skin struct {
	vertices []glb.Vertex
	indices  []uint32
}

// The number of vertices of round shapes, around and from pole to pole.
const (
	segments = 16
	rings    = 12 // even: half of them on each end of a capsule
)

func (p *part) skin() *skin {
	s := &skin{}
	if p.Shape == rig.Box {
		s.box(p.Half, colours[p.paint])
	} else {
		s.round(p)
	}
	return s
}

// round returns a ball, or a capsule along Y.
func (s *skin) round(p *part) {
	for i := range rings + 2 { // the equator twice: the two edges of a capsule
		row, lift := i, p.Half.Y
		if i > rings/2 {
			row, lift = i-1, -p.Half.Y
		}
		sin, cos := geom.SinCos(float64(math.Pi*float64(row)) / rings)
		for j := range segments + 1 {
			e, n := geom.SinCos(float64(2*math.Pi*float64(j%segments)) / segments)
			normal := geom.V(float64(sin*e), cos, float64(-sin*n))
			colour := colours[p.paint]
			if p.paint == helmet && normal.Z < -0.45 && math.Abs(normal.Y+0.02) < 0.36 {
				colour = visor
			}
			s.vertices = append(s.vertices, glb.Vertex{Position: normal.Mul(p.Radius).Add(geom.V(0, lift, 0)), Normal: normal, Colour: colour})
		}
	}
	const wide = segments + 1
	for i := range rings + 1 {
		for j := range segments {
			a := uint32(i*wide + j)
			s.indices = append(s.indices, a, a+wide, a+1, a+1, a+wide, a+wide+1)
		}
	}
}

// box returns six faces of four corners.
func (s *skin) box(half, colour geom.Vec3) {
	for axis := range 3 {
		for _, sign := range [2]float64{-1, 1} {
			at := func(u, v float64) geom.Vec3 {
				c := [3]float64{}
				c[axis], c[(axis+1)%3], c[(axis+2)%3] = sign, float64(u*sign), v
				return geom.V(c[0], c[1], c[2])
			}
			first := uint32(len(s.vertices))
			for _, c := range [4][2]float64{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
				q := at(c[0], c[1])
				s.vertices = append(s.vertices, glb.Vertex{Position: geom.V(float64(q.X*half.X), float64(q.Y*half.Y), float64(q.Z*half.Z)), Normal: at(0, 0), Colour: colour})
			}
			s.indices = append(s.indices, first, first+1, first+2, first, first+2, first+3)
		}
	}
}
