package parkour

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// State is what one move hands to the next besides movement.State: plain data. The zero
// State does nothing of this package. The mode of movement.State says whether the character
// is on a Ladder or in a Mantle.
type State struct {
	// Sliding and Prone report what the character does on the ground.
	Sliding, Prone bool
	// SlideCooldown is the time until the next slide, LadderCooldown until a ladder can be
	// grabbed.
	SlideCooldown, LadderCooldown clock.Micros
	// Wall is the level unit normal of the ladder's wall, on a Ladder; otherwise zero.
	Wall geom.Vec3
	// Ledge is where a Mantle leads; otherwise zero.
	Ledge Ledge
}

// Ledge is the path of the feet in a mantle: straight to a corner above the edge and
// straight from there. Its points are in metres, in the frame of Mover.
type Ledge struct {
	// Mover that the ledge is on; Static for the level.
	Mover collide.MoverID
	// From, Corner and To are the points of the path.
	From, Corner, To geom.Vec3
	// Elapsed is for how long the mantle has lasted.
	Elapsed clock.Micros
}

// maxCoordinate bounds what Pack reads, in metres, maxTime in microseconds.
const (
	maxCoordinate = 1e7
	maxTime       = int64(clock.Second) * 3600
)

// Pack packs the state without loss, in either direction; it costs one bit where it is
// zero. What no state can have is an error; a reader then gives the zero State.
func (s *State) Pack(p *bits.Packer) {
	some := *s != State{}
	if !p.Writing() {
		*s = State{}
	}
	if p.Bool(&some); some {
		s.pack(p)
		require(p, *s != State{})
	}
	if p.Err() != nil && !p.Writing() {
		*s = State{}
	}
}

func (s *State) pack(p *bits.Packer) {
	p.Bool(&s.Sliding)
	p.Bool(&s.Prone)
	packTime(p, &s.SlideCooldown)
	packTime(p, &s.LadderCooldown)
	onWall, mantles := !s.Wall.IsZero(), s.Ledge != Ledge{}
	if p.Bool(&onWall); onWall {
		packPoint(p, &s.Wall)
		require(p, !s.Wall.IsZero())
	}
	if p.Bool(&mantles); mantles {
		l := &s.Ledge
		p.Uint16((*uint16)(&l.Mover))
		packPoint(p, &l.From)
		packPoint(p, &l.Corner)
		packPoint(p, &l.To)
		packTime(p, &l.Elapsed)
		require(p, *l != Ledge{} && l.Mover < collide.FirstObstacle)
	}
}

// require fails a packet that says what no writer does.
func require(p *bits.Packer, ok bool) {
	if !ok {
		p.Fail(bits.ErrRange)
	}
}

func packPoint(p *bits.Packer, v *geom.Vec3) {
	p.Vec64(v)
	require(p, v.LenSq() <= 3*maxCoordinate*maxCoordinate)
}

func packTime(p *bits.Packer, t *clock.Micros) {
	n := int64(*t)
	p.Varint(&n)
	require(p, n >= 0 && n <= maxTime)
	*t = clock.Micros(n)
}
