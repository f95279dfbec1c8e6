package levelmaker

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// The yard: a walled square of 2 × yardHalf metres with a platform in the middle, for few players.
const (
	yardHalf   = 21.0
	yardWall   = 5.0 // height of the walls
	yardDeck   = 2.4 // height of the platform in the middle
	yardDeckXZ = 4.5 // half its side
)

// BuildYard returns the small level as a .glb: Build's materials, shapes and conventions.
func BuildYard() ([]byte, error) {
	s := &sceneBuilder{name: "Yard"}
	s.add(yardGround(), yardBounds(), yardMiddle())
	s.add(yardSide(side{"red", Red, crimson, glowRed}, 0))
	s.add(yardSide(side{"blue", Blue, azure, glowBlue}, math.Pi))
	return s.file()
}

// yardGround is the paved floor, of slabs of two tints, and the walls around it.
func yardGround() *part {
	p := structure("yard", geom.Vec3{})
	const h = yardHalf
	p.solid(geom.V(-h-1, -2, -h-1), geom.V(h+1, 0, h+1))
	for i := range 14 {
		for j := range 14 {
			lo := geom.V(float64(3*float64(i))-h, -0.3, float64(3*float64(j))-h)
			tint := paving
			if (i+j)%2 == 1 {
				tint = gravel
			}
			p.decoration(matte, speckle(tint, 0.05, i, j), lo, lo.Add(geom.V(3, 0.3, 3)))
		}
	}
	for _, t := range []float64{-1, 1} {
		a, b := geom.V(-h-1, -root, t*h), geom.V(h+1, yardWall, t*(h+1))
		p.block(matte, sandstone, a.Min(b), a.Max(b))
		a, b = geom.V(t*h, -root, -h), geom.V(t*(h+1), yardWall, h)
		p.block(matte, sandstone, a.Min(b), a.Max(b))
		a, b = geom.V(-h-1.1, yardWall, t*(h-0.1)), geom.V(h+1.1, yardWall+0.3, t*(h+1.1))
		p.decoration(matte, limestone, a.Min(b), a.Max(b))
		a, b = geom.V(t*(h-0.1), yardWall, -h), geom.V(t*(h+1.1), yardWall+0.3, h)
		p.decoration(matte, limestone, a.Min(b), a.Max(b))
	}
	return p
}

// yardBounds are invisible walls above the walls: nobody leaves.
func yardBounds() *part {
	p := &part{name: "bounds"}
	const in, out, low, high = yardHalf, yardHalf + 4, yardWall, 30.0
	p.solid(geom.V(-out, low, -out), geom.V(-in, high, out))
	p.solid(geom.V(in, low, -out), geom.V(out, high, out))
	p.solid(geom.V(-in, low, -out), geom.V(in, high, -in))
	p.solid(geom.V(-in, low, in), geom.V(in, high, out))
	for _, k := range p.kids {
		k.marks.Walk, k.marks.Step = "never", "never"
	}
	return p
}

// yardMiddle is a platform with a ramp from the north and the south, a parapet, and a health pack on top.
func yardMiddle() *part {
	p := structure("middle", geom.Vec3{})
	const d = yardDeckXZ
	p.block(matte, limestone, geom.V(-d, -root, -d), geom.V(d, yardDeck, d))
	p.decoration(matte, slate, geom.V(-d-0.06, -root, -d-0.06), geom.V(d+0.06, 0.3, d+0.06))
	p.decoration(glowWarm, limestone, geom.V(-d-0.03, yardDeck-0.3, -d-0.03), geom.V(d+0.03, yardDeck-0.2, d+0.03))
	for _, t := range []float64{-1, 1} {
		a, b := geom.V(t*(d-0.35), yardDeck, -d), geom.V(t*d, yardDeck+1, d)
		p.block(matte, teal, a.Min(b), a.Max(b))
	}
	p.add(
		ramp("south ramp", geom.V(0, 0, d+run(yardDeck, 25)), 0, 3, yardDeck, 25, sandstone),
		ramp("north ramp", geom.V(0, 0, -d-run(yardDeck, 25)), math.Pi, 3, yardDeck, 25, sandstone),
		entity(KindHealth, "health", geom.V(0, yardDeck, 0), geom.V(0.4, 0.5, 0.4), 0, 0))
	return p
}

// yardSide is one team's half, described for red in the south: two walls to hide behind, crates, barriers, lamps and
// spawn points.
func yardSide(s side, yaw float64) *part {
	h := &part{name: s.name, yaw: yaw}
	for _, x := range []float64{-12, 12} {
		w := structure(s.name+" wall", geom.V(x, 0, 13))
		w.block(matte, sandstone, geom.V(-3.5, -root, -0.3), geom.V(3.5, 2.8, 0.3))
		w.decoration(satin, s.hue, geom.V(-3.6, 2.7, -0.4), geom.V(3.6, 3, 0.4))
		w.decoration(s.glow, limestone, geom.V(-3.4, 2.4, -0.34), geom.V(3.4, 2.5, 0.34))
		h.add(w)
	}
	box := extras{Collide: "box"}
	h.add(scatter("crate", crateShape, box, spot{-6, 0, 9.5, 0.2}, spot{-5, 0, 9.7, -0.1}, spot{-5.6, 1, 9.6, 0.3}, spot{7, 0, 16, 0.4}, spot{15.5, 0, 4.5, 0.1}, spot{15.6, 0, 5.6, -0.2})...)
	h.add(scatter("pallet", palletShape, box, spot{6, 0, 9, 0.3}, spot{-15, 0, 3, 0.1})...)
	h.add(scatter("barrier", barrierShape, extras{Collide: "hull"}, spot{0, 0, 15.5, 0}, spot{-9, 0, 2.5, math.Pi / 2}, spot{10, 0, 7, 0.6})...)
	for _, at := range []spot{{-18.5, 0, 18.5, 0.8}, {18.5, 0, 18.5, 2.4}} {
		l := scatter("lamp", lampShape, extras{Collide: "none"}, at)[0]
		l.name = s.name + " lamp"
		l.solid(geom.V(-0.14, -root, -0.14), geom.V(0.14, 3.3, 0.14))
		h.add(l)
	}
	h.add(entity(KindHealth, "health", geom.V(18, 0, 1), geom.V(0.4, 0.5, 0.4), 0, 0))
	for i, at := range []spot{{-16, 0, 17.5, -1.2}, {16, 0, 17.5, 1.2}, {-4, 0, 19, 0.1}, {4, 0, 19, -0.1}} {
		h.add(spawn(s.name+" "+string(rune('a'+i)), geom.V(at.x, 0.02, at.z), at.yaw, s.team))
	}
	for i, at := range []spot{{-18.5, 0, 8, -0.9}, {18.5, 0, 9, 0.9}} {
		h.add(spawn(s.name+" side "+string(rune('a'+i)), geom.V(at.x, 0.02, at.z), at.yaw, 0))
	}
	return h
}
