package levelmaker

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// course is the strip in the west lane; the constants say what is where.
func course() *part {
	const w = 2.0 // half the width
	p := structure("course", geom.V(CourseX, 0, 0))
	slab := func(c colour, top, from, to float64) {
		p.block(matte, c, geom.V(-w, -root, to), geom.V(w, top, from))
		p.decoration(matte, slate, geom.V(-w-0.06, -root, to+0.05), geom.V(w+0.06, 0.22, from-0.05))
	}
	p.add(
		stairs("course gentle stairs", geom.V(0, 0, CourseGentleZ), 0, 2*w, 10, CourseGentleRiser, 0.3, 0, limestone),
		stairs("course steep stairs", geom.V(0, CourseLanding, CourseSteepZ), 0, 2*w, 5, CourseSteepRiser, 0.4, 0, limestone),
		ramp("course ramp 20", geom.V(0, 0, CourseRamp20Z-run(CourseTop, 20)), math.Pi, 2*w, CourseTop, 20, limestone),
		ramp("course ramp 40", geom.V(0, 0, CourseRamp40Z), 0, 2*w, CourseMound, 40, slate),
		ramp("course ramp 50", geom.V(0, 0, CourseRamp50Z), 0, 2*w, CourseMound, 50, amber),
		stairs("course back steps", geom.V(0, 0, CourseBackZ-5*0.4), math.Pi, 2*w, 5, 0.4, 0.4, 0, limestone),
	)
	slab(sandstone, CourseLanding, CourseLandingZ, CourseSteepZ-2)
	slab(sandstone, CourseTop, CourseTopZ, CourseRamp20Z)
	slab(sandstone, CourseMound, CourseRamp40Z-run(CourseMound, 40), CourseDropZ)
	slab(sandstone, CourseMound, CourseRamp50Z-run(CourseMound, 50), CourseBackZ)
	for _, x := range []float64{-w - 0.45, w + 0.05} { // the arch on top, a landmark
		p.block(matte, slate, geom.V(x, -root, 8.6), geom.V(x+0.4, 6.4, 9.4))
	}
	p.block(satin, amber, geom.V(-w-0.7, 6.3, 8.5), geom.V(w+0.7, 6.8, 9.5))
	p.decoration(glowWarm, limestone, geom.V(-1.4, 6.22, 8.8), geom.V(1.4, 6.34, 9.2))
	for _, z := range []float64{23.4, -1.9, -4.4, -13.2} { // marks across the way
		p.decoration(satin, amber, geom.V(-w, -0.2, z-0.12), geom.V(w, 0.025, z+0.12))
	}
	p.add(spawn("course", geom.V(0, 0.02, CourseStartZ), CourseYaw, 0),
		spawn("course end", geom.V(0, 0.02, -27), math.Pi, 0))
	return p
}

// corridorLane is the east lane: a roofed corridor 2 m wide, and before each of
// its mouths a slab 1.2 m above the ground to crouch under.
func corridorLane() *part {
	p := structure("corridor", geom.V(31, 0, 0))
	windows := []opening{{-5.6, -4, 1.1, 1.9}, {-0.8, 0.8, 1.1, 1.9}, {4, 5.6, 1.1, 1.9}}
	p.wall(matte, limestone, geom.V(-1.6, -root, -8), geom.V(-1, 2.85, 8), windows...)
	p.wall(matte, limestone, geom.V(1, -root, -8), geom.V(1.6, 2.85, 8), windows[1])
	p.block(matte, slate, geom.V(-1.8, 2.8, -8.2), geom.V(1.8, 3.2, 8.2))
	p.decoration(matte, charcoal, geom.V(-1.3, 3.15, -7.4), geom.V(1.3, 3.35, 7.4))
	for _, z := range []float64{-8.1, 7.5} {
		p.decoration(matte, sandstone, geom.V(-1.72, -root, z), geom.V(-0.99, 2.84, z+0.6))
		p.decoration(matte, sandstone, geom.V(0.99, -root, z), geom.V(1.72, 2.84, z+0.6))
	}
	for _, z := range []float64{-5, 0, 5} {
		p.decoration(glowWarm, limestone, geom.V(-0.12, 2.74, z-0.8), geom.V(0.12, 2.84, z+0.8))
	}
	for _, s := range []float64{1, -1} {
		overhang(p, float64(s*15))
		p.add(spawn("lane", geom.V(0, 0.02, float64(s*25)), (1-s)*math.Pi/2, 0))
	}
	return p
}

// overhang is a slab on two feet, 1.2 m above the ground and 3 m deep.
func overhang(p *part, z float64) {
	p.block(matte, sandstone, geom.V(-3, 1.2, z-1.5), geom.V(3, 2.1, z+1.5))
	p.decoration(satin, amber, geom.V(-1.9, 1.3, z-1.54), geom.V(1.9, 1.45, z+1.54))
	for _, x := range []float64{-3, 2} {
		p.block(matte, slate, geom.V(x-0.05, -root, z-1.55), geom.V(x+1.05, 1.25, z+1.55))
	}
	p.decoration(glowWarm, limestone, geom.V(-0.6, 1.16, z-0.1), geom.V(0.6, 1.24, z+0.1))
}
