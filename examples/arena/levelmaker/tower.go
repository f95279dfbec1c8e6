package levelmaker

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// The towers stand west and east of the pool; towerTop is the height of the deck.
const (
	towerX   = -15.0
	towerTop = 4.2
)

// tower is a hall on the ground, a platform with a window wall above it, a
// canopy and a beacon. Two stairs lead up: 28 steps of 0.15 m from the south and
// 14 of 0.30 m from the north.
func tower(s side) *part {
	p := structure(s.name+" tower", geom.V(towerX, 0, 0))
	towerHall(p, s)
	towerDeck(p, s)
	towerCanopy(p, s)
	p.add(
		stairs(s.name+" long stairs", geom.V(2, 0, 4+28*0.3), 0, 2.4, 28, 0.15, 0.3, 0.25, limestone),
		stairs(s.name+" steep stairs", geom.V(-2, 0, -4-14*0.4), math.Pi, 2.4, 14, 0.3, 0.4, 0.25, limestone),
	)
	return p
}

func towerHall(p *part, s side) {
	const out, in = 3.6, 2.5
	for _, c := range [][2]float64{{-out, -out}, {in, -out}, {-out, in}, {in, in}} {
		p.block(matte, sandstone, geom.V(c[0], -root, c[1]), geom.V(c[0]+out-in, 3.75, c[1]+out-in))
		p.decoration(matte, slate, geom.V(c[0]-0.08, -root, c[1]-0.08), geom.V(c[0]+out-in+0.08, 0.35, c[1]+out-in+0.08))
	}
	p.wall(matte, limestone, geom.V(-3.4, -root, -in-0.05), geom.V(-2.9, 3.75, in+0.05),
		opening{-1.6, -0.4, 1, 2.3}, opening{0.4, 1.6, 1, 2.3})
	p.wall(matte, limestone, geom.V(-in-0.05, 2.9, 2.9), geom.V(in+0.05, 3.75, 3.4))
	p.wall(matte, limestone, geom.V(-in-0.05, 2.9, -3.4), geom.V(in+0.05, 3.75, -2.9))
	p.wall(matte, limestone, geom.V(2.9, 2.9, -in-0.05), geom.V(3.4, 3.75, in+0.05))
	p.decoration(s.glow, limestone, geom.V(-1.6, 3.62, -0.12), geom.V(1.6, 3.78, 0.12))
	p.decoration(satin, s.hue, geom.V(3.35, 3.05, -1.6), geom.V(3.46, 3.6, 1.6))
}

func towerDeck(p *part, s side) {
	p.block(matte, limestone, geom.V(-4, 3.75, -4), geom.V(4, towerTop, 4))
	p.decoration(matte, slate, geom.V(-3.8, 3.6, -3.8), geom.V(3.8, 3.8, 3.8))
	p.decoration(s.glow, limestone, geom.V(-4.03, 3.93, -3.2), geom.V(-3.9, 4.03, 3.2))
	p.decoration(s.glow, limestone, geom.V(3.9, 3.93, -3.4), geom.V(4.03, 4.03, -1.5))
	p.decoration(s.glow, limestone, geom.V(3.9, 3.93, 1.5), geom.V(4.03, 4.03, 3.4))
	p.wall(matte, sandstone, geom.V(-3.95, towerTop-0.1, -3.95), geom.V(-3.55, 6.9, 3.95),
		opening{-2.7, -1.5, 5.2, 6.2}, opening{-0.9, 0.9, -99, 6.3}, opening{1.5, 2.7, 5.2, 6.2})
	p.wall(matte, sandstone, geom.V(-3.6, towerTop-0.1, -3.95), geom.V(3.95, 5.2, -3.6), gap(-3.2, -0.8))
	p.wall(matte, sandstone, geom.V(-3.6, towerTop-0.1, 3.6), geom.V(3.95, 5.2, 3.95), gap(-3.2, -0.8), gap(0.8, 3.2))
	p.wall(matte, sandstone, geom.V(3.6, towerTop-0.1, -3.62), geom.V(3.95, 5.2, 3.62), gap(-1.3, 1.3))
}

func towerCanopy(p *part, s side) {
	for _, c := range [][2]float64{{-3.55, -2.6}, {-3.55, 2.3}, {2.3, -2.6}, {2.3, 2.3}} {
		p.block(metal, charcoal, geom.V(c[0], towerTop-0.1, c[1]), geom.V(c[0]+0.3, 7, c[1]+0.3))
	}
	p.block(satin, s.hue, geom.V(-4.2, 6.9, -3.3), geom.V(3.3, 7.2, 3.3))
	p.block(satin, shade(s.hue, 0.8), geom.V(-3.2, 7.15, -2.3), geom.V(2.3, 7.45, 2.3))
	p.block(metal, charcoal, geom.V(-0.6, 7.4, -0.15), geom.V(-0.3, 10.6, 0.15))
	p.decoration(s.glow, limestone, geom.V(-0.8, 10.6, -0.35), geom.V(-0.1, 11.3, 0.35))
	p.decoration(metal, charcoal, geom.V(-0.9, 11.28, -0.45), geom.V(0, 11.4, 0.45))
	p.decoration(metal, charcoal, geom.V(-0.9, 10.5, -0.45), geom.V(0, 10.62, 0.45))
}

// baseTop is the height of the bases' floors.
const baseTop = 1.2

// base is where a team spawns: a raised hall against the cliffs, steps of 0.15 m in front,
// a ramp of 20° on either side.
func base(s side) *part {
	p := structure(s.name+" base", geom.V(0, 0, 0))
	p.block(matte, sandstone, geom.V(-8, -root, 25.5), geom.V(8, baseTop, 33.5))
	p.decoration(matte, slate, geom.V(-8.08, -root, 25.42), geom.V(8.08, 0.3, 33.5))
	p.decoration(s.glow, limestone, geom.V(-8.03, 0.86, 25.47), geom.V(-3.4, 0.94, 25.6))
	p.decoration(s.glow, limestone, geom.V(3.4, 0.86, 25.47), geom.V(8.03, 0.94, 25.6))
	p.add(
		stairs(s.name+" front steps", geom.V(0, 0, 25.5-8*0.3), math.Pi, 6, 8, 0.15, 0.3, 0.35, limestone),
		ramp(s.name+" right ramp", geom.V(8+run(baseTop, 20), 0, 27.3), math.Pi/2, 2.4, baseTop, 20, limestone),
		ramp(s.name+" left ramp", geom.V(-8-run(baseTop, 20), 0, 27.3), -math.Pi/2, 2.4, baseTop, 20, limestone),
	)
	baseHall(p, s)
	return p
}

func baseHall(p *part, s side) {
	foot := baseTop - 0.1
	window := func(at float64) opening { return opening{at - 0.8, at + 0.8, 2.2, 3.5} }
	p.wall(matte, limestone, geom.V(-8, foot, 33), geom.V(8, 4.7, 33.5), window(-5), window(0), window(5))
	for _, x := range []float64{-8, 7.5} {
		p.wall(matte, limestone, geom.V(x, foot, 29.4), geom.V(x+0.5, 4.7, 33.05), window(31.2))
	}
	for _, x := range []float64{-8, -3.3, 2.8, 7.5} {
		p.block(matte, sandstone, geom.V(x-0.05, foot, 28.9), geom.V(x+0.55, 4.7, 29.5))
		p.decoration(matte, slate, geom.V(x-0.13, foot, 28.82), geom.V(x+0.63, 1.5, 29.58))
	}
	p.block(satin, s.hue, geom.V(-8.5, 4.6, 28.5), geom.V(8.5, 5, 34))
	p.block(satin, shade(s.hue, 0.8), geom.V(-7, 4.95, 29.5), geom.V(7, 5.25, 33.5))
	p.decoration(s.glow, limestone, geom.V(-8.4, 4.72, 28.44), geom.V(8.4, 4.86, 28.56))
	p.decoration(s.glow, limestone, geom.V(-1.2, 3.7, 32.9), geom.V(1.2, 4.3, 33.05))
	p.decoration(glowWarm, limestone, geom.V(-5.4, 4.5, 30.5), geom.V(-4.6, 4.64, 31.7))
	p.decoration(glowWarm, limestone, geom.V(4.6, 4.5, 30.5), geom.V(5.4, 4.64, 31.7))
	for _, x := range []float64{-6.9, 4.1} {
		p.block(matte, sandstone, geom.V(x, foot, 25.6), geom.V(x+2.8, 2.2, 26))
	}
	for _, x := range []float64{-6.6, 5.2} {
		p.decoration(satin, s.hue, geom.V(x, 2, 28.86), geom.V(x+1.4, 4.4, 28.94))
	}
}

// bastion is a block 3 m high with three ramps: 20° from the west, 40° from the north, and
// 50° in the east, which only leads down.
func bastion(s side) *part {
	const h = 3.0
	p := structure(s.name+" bastion", geom.V(14, 0, 17))
	p.block(matte, sandstone, geom.V(-3, -root, -3), geom.V(3, h, 3))
	for _, c := range [][2]float64{{-3.1, -3.1}, {2.4, -3.1}, {-3.1, 2.4}, {2.4, 2.4}} {
		p.decoration(matte, limestone, geom.V(c[0], -root, c[1]), geom.V(c[0]+0.7, h-0.15, c[1]+0.7))
	}
	p.decoration(satin, s.hue, geom.V(-1.6, 0.8, 2.95), geom.V(1.6, 2.2, 3.06))
	p.wall(matte, limestone, geom.V(-2.95, h-0.1, 2.6), geom.V(2.95, h+1, 2.95), opening{-1.1, -0.3, h + 0.4, 99}, opening{0.3, 1.1, h + 0.4, 99})
	for _, c := range [][2]float64{{-2.95, -2.95}, {1.6, -2.95}} {
		p.block(matte, limestone, geom.V(c[0], h-0.1, c[1]), geom.V(c[0]+1.35, h+1, c[1]+0.35))
	}
	for _, x := range []float64{-2.95, 2.6} {
		p.block(matte, limestone, geom.V(x, h-0.1, 1.45), geom.V(x+0.35, h+1, 2.65))
		p.block(matte, limestone, geom.V(x, h-0.1, -2.65), geom.V(x+0.35, h+1, -1.45))
	}
	p.decoration(s.glow, limestone, geom.V(-0.5, 2.5, -3.04), geom.V(0.5, 2.6, -2.9))
	p.add(
		ramp(s.name+" ramp 20", geom.V(-3-run(h, 20), 0, 0), -math.Pi/2, 2.5, h, 20, limestone),
		ramp(s.name+" ramp 40", geom.V(0, 0, -3-run(h, 40)), math.Pi, 2.5, h, 40, slate),
		ramp(s.name+" ramp 50", geom.V(3+run(h, 50), 0, 0), math.Pi/2, 2.5, h, 50, amber),
	)
	return p
}
