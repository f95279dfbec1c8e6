package levelmaker

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// The pool: its floor, the stone edge around it that stands a little above the
// ground, and the water's surface.
const (
	poolFloor = -2.6
	poolEdge  = 0.06
	// PoolSurface is the height of the pool's water.
	PoolSurface = -0.12
)

// middle is the pool with the bridge and the turning bridge over it.
func middle() *part {
	p := structure("middle", geom.Vec3{})
	pool(p)
	plinth(p)
	bridge(p)
	p.add(water(), turningBridge())
	for _, turn := range []float64{0, math.Pi} {
		way := &part{name: "pool way", yaw: turn}
		way.add(
			stairs("pool steps", geom.V(-poolX+7*0.4, poolFloor, 0), math.Pi/2, 4, 8, (poolEdge-poolFloor)/8, 0.4, 0, limestone),
			ramp("pool ramp", geom.V(-3.0, poolFloor, poolZ-0.05-run(poolEdge-poolFloor, 20)), math.Pi, 2.2, poolEdge-poolFloor, 20, aqua),
			landing(),
		)
		p.add(way)
	}
	return p
}

func pool(p *part) {
	const out, deep = 0.8, -3.2
	p.solid(geom.V(-poolX-out, deep, -poolZ-out), geom.V(poolX+out, poolFloor, poolZ+out))
	for j := range 8 {
		for i := range 12 {
			x, z := -poolX+float64(float64(i)*1.25), -poolZ+float64(float64(j)*1.25)
			c := teal
			if (i+j)&1 == 0 {
				c = aqua
			}
			p.shape.patches[satin].flat(speckle(c, 0.06, i, j), geom.V(x, poolFloor, z), geom.V(x, poolFloor, z+1.25),
				geom.V(x+1.25, poolFloor, z+1.25), geom.V(x+1.25, poolFloor, z))
		}
	}
	sides := [][2]geom.Vec3{
		{geom.V(-poolX-out, deep, -poolZ-out), geom.V(-poolX, 0, poolZ+out)},
		{geom.V(poolX, deep, -poolZ-out), geom.V(poolX+out, 0, poolZ+out)},
		{geom.V(-poolX, deep, -poolZ-out), geom.V(poolX, 0, -poolZ)},
		{geom.V(-poolX, deep, poolZ), geom.V(poolX, 0, poolZ+out)},
	}
	for i, s := range sides {
		lo, hi := s[0], s[1]
		p.decoration(satin, teal, lo, geom.V(hi.X, -0.05, hi.Z))
		hi.Y = poolEdge
		p.solid(lo, hi)
		edge, inner := geom.V(lo.X+0.1, -0.1, lo.Z+0.1), geom.V(hi.X-0.1, poolEdge, hi.Z-0.1)
		switch i { // the edge stones reach a little over the water's side
		case 0:
			inner.X = hi.X + 0.05
		case 1:
			edge.X = lo.X - 0.05
		case 2:
			edge.X, inner.X, inner.Z = lo.X+0.05, hi.X-0.05, hi.Z+0.05
		case 3:
			edge.X, inner.X, edge.Z = lo.X+0.05, hi.X-0.05, lo.Z-0.05
		}
		p.decoration(matte, limestone, edge, inner)
	}
	for _, z := range []float64{-poolZ, poolZ} {
		p.decoration(glowCyan, limestone, geom.V(-2.8, -0.92, z-0.04), geom.V(2.8, -0.8, z+0.04))
	}
}

// plinth is the stone under the bridge, cover for players in the pool.
func plinth(p *part) {
	p.block(matte, slate, geom.V(-1.7, -3, -1.7), geom.V(1.7, -1.9, 1.7))
	p.block(matte, limestone, geom.V(-1.1, -2, -1.1), geom.V(1.1, 0.4, 1.1))
	p.decoration(glowCyan, limestone, geom.V(-1.14, 0.1, -1.14), geom.V(1.14, 0.2, 1.14))
	p.block(matte, sandstone, geom.V(-0.55, 0.3, -0.55), geom.V(0.55, 3.8, 0.55))
	p.decoration(matte, slate, geom.V(-0.8, 3.3, -0.8), geom.V(0.8, 3.8, 0.8))
}

// bridge leads from tower to tower at towerTop. Its railings leave gaps over the
// pool to jump from.
func bridge(p *part) {
	const reach, wide = 11.0, 1.35
	for i := range 22 {
		x := float64(i) - reach
		p.decoration(matte, speckle(oak, 0.1, i), geom.V(x+0.01, towerTop-0.12, -wide), geom.V(x+0.99, towerTop, wide))
	}
	p.decoration(metal, charcoal, geom.V(-reach, 3.8, -wide+0.05), geom.V(reach, towerTop-0.08, -wide+0.3))
	p.decoration(metal, charcoal, geom.V(-reach, 3.8, wide-0.3), geom.V(reach, towerTop-0.08, wide-0.05))
	p.solid(geom.V(-reach-0.05, 3.8, -wide), geom.V(reach+0.05, towerTop, wide))
	for _, z := range []float64{-wide + 0.12, wide - 0.12} {
		p.rail(-reach+0.1, -1.6, towerTop, z)
		p.rail(1.6, reach-0.1, towerTop, z)
	}
	for _, x := range []float64{-9.4, 8.6} {
		p.block(matte, sandstone, geom.V(x, -root, -1.2), geom.V(x+0.8, 3.85, 1.2))
		p.decoration(matte, slate, geom.V(x-0.1, -root, -1.3), geom.V(x+0.9, 0.4, 1.3))
		p.decoration(matte, slate, geom.V(x-0.1, 3.4, -1.3), geom.V(x+0.9, 3.82, 1.3))
	}
	for _, x := range []float64{-5, 0, 5} {
		p.decoration(glowWarm, limestone, geom.V(x-0.3, 3.78, -1), geom.V(x+0.3, 3.86, -0.8))
		p.decoration(glowWarm, limestone, geom.V(x-0.3, 3.78, 0.8), geom.V(x+0.3, 3.86, 1))
	}
}
