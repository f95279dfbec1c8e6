package movement

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// Mesh is what nav-walking needs of a navigation mesh; nav.Mesh is one.
type Mesh interface {
	// Along goes from the point at, on the polygon ref (0: look for it), straight
	// towards the point to, and stops at the mesh's border. It returns where that
	// leads and on which polygon, and false where at is not on the mesh.
	Along(ref uint32, at, to geom.Vec3) (geom.Vec3, uint32, bool)
}

// Nav is what nav-walking keeps between moves. The zero Nav knows nothing yet.
type Nav struct {
	// Polygon of the mesh that the feet are on, 0 for not known.
	Polygon uint32
	// From and To are heights above the mesh at the last two projections onto the
	// world, in metres, and Since the time since the last.
	From, To float64
	Since    clock.Micros
}

// pack costs one bit for none.
func (n *Nav) pack(p *bits.Packer) {
	some := *n != Nav{}
	p.Bool(&some)
	if !some {
		*n = Nav{}
		return
	}
	p.Uint32(&n.Polygon)
	p.Float64(&n.From)
	p.Float64(&n.To)
	since := int64(n.Since)
	p.Varint(&since)
	n.Since = clock.Micros(since)
	if *n == (Nav{}) {
		p.Fail(bits.ErrRange)
	}
}

// navWalk is mode NavWalking.
func (f *Frame) navWalk() { f.Become(Walking) }
