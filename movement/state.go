package movement

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// Mode is what moves the character.
type Mode uint8

// The modes. Numbers from Custom up are a game's own: Advance leaves them alone.
const (
	None       Mode = iota // nothing: held still
	Walking                // on a floor
	Falling                // in the air
	Swimming               // in water
	Flying                 // wherever the input says
	NavWalking             // on the navigation mesh, cheaply
	OnPath                 // along a path, whatever the input says
	Custom     Mode = 16
)

// valid reports whether the mode is one that this package or a game can have.
func (m Mode) valid() bool { return m <= OnPath || m >= Custom }

// Floor is what a walker stands on, as far as the next move needs to know. The
// zero Floor is none.
type Floor struct {
	// Normal is the surface's own normal (the face's), of length 1.
	Normal geom.Vec3
	// Rise is how far above the body's lowest point the two touch when they meet,
	// in metres: 0 on the level, more on slopes and edges, up to Radius; negative
	// where something too steep holds the body above a floor found by a ray.
	Rise float64
	// Distance the body would fall before it touched, in metres; 0.019 … 0.024
	// for a body at rest.
	Distance float64
	// Shape that is stood on, for footsteps and the like.
	Shape collide.ShapeID
	// Body that Shape belongs to; Static for the level.
	Body collide.BodyID
	// Walkable reports that it can be stood on. Otherwise there is something
	// below, but it is too steep.
	Walkable bool
	// Ray reports that the floor was found by a ray down the body's axis, not by
	// the body's own shape; its slope does not guide the feet [GRD-08].
	Ray bool
}

// State is everything that one move hands to the next, and nothing else. It is
// plain data: = saves it, == compares it. The zero State is nowhere in
// particular and held still; Spawn makes a useful one.
//
// Fields are ordered by how often they change; Pack keeps that order.
type State struct {
	// Position of the feet: the capsule's lowest point, in metres.
	Position geom.Vec3
	// Velocity in m/s. A walker's is horizontal, and a rider's relative to its Base.
	Velocity geom.Vec3
	// Yaw of the body and Pitch of the view in radians. Yaw is the last command's
	// with FaceView, otherwise on its way there.
	Yaw, Pitch float64
	// Floor that is stood on while Walking, otherwise zero.
	Floor Floor
	// Base is the moving body that is stood on, and where.
	Base Base

	// Impulse is a pending change of velocity in m/s, Force a pending
	// acceleration in m/s² for one move, Launch a pending replacement of the
	// velocity in m/s (zero: none). The next move uses them up. Model.AddImpulse,
	// Model.AddForce and State.LaunchAt set them.
	Impulse, Force, Launch geom.Vec3

	// Up is the unit vector against gravity; zero means +Y. Position and Yaw are
	// relative to it: see Orientation.
	Up geom.Vec3
	// Rail is the path followed OnPath, Nav what nav-walking remembers.
	Rail Rail
	Nav  Nav
	// Motion is the root motion sources that move the character [RMS-01]. A game
	// starts one by Motion.Apply: see the package's documentation.
	Motion rootmotion.Group
	// JumpHold is for how much longer holding the button keeps the jump's speed
	// [JMP-02].
	JumpHold clock.Micros

	// Mode that moves the character.
	Mode Mode
	// JumpCount is how often it jumped since it last stood, 0 … 255.
	JumpCount uint8
	// Crouched: the capsule is low and the feet are slow.
	Crouched bool
	// JumpHeld is the last command's Jump: a press counts once.
	JumpHeld bool
	// ForceFloor makes a walker look for its floor before it moves: set when
	// anything but a move changed Position [PRF-03].
	ForceFloor bool
	// Stuck reports that the body is in geometry with no way out; the event Stuck
	// reported the beginning.
	Stuck bool
	// WantsWalking lets a character in mode NavWalking walk on the ground as soon as
	// there is room [PRF-09].
	WantsWalking bool
}

// Spawn returns the state of a character set down with its feet at position,
// facing yaw: Walking, or Falling from the first move on where there is no
// floor.
func Spawn(position geom.Vec3, yaw float64) State {
	return State{Position: position, Yaw: yaw, Mode: Walking, ForceFloor: true}
}

// Teleport puts the feet at position, off what carried them, and keeps the
// velocity.
func (s *State) Teleport(position geom.Vec3) {
	s.Position, s.Base = position, Base{}
	s.ForceFloor, s.Stuck = true, false
}

// maxCoordinate bounds what Pack reads, in metres and m/s: beyond the 10⁴ km of
// the largest maps [WIR-09], well below where sweeps lose their meaning.
const maxCoordinate = 1e7

// Pack packs the state without loss (−0 as 0), so that after a correction both
// ends are equal bit for bit. A mode that does not exist, a coordinate beyond
// 10⁷ or a number that is not finite is an error.
func (s *State) Pack(p *bits.Packer) {
	packBounded(p, &s.Position)
	packBounded(p, &s.Velocity)
	p.Float64(&s.Yaw)
	p.Float64(&s.Pitch)
	mode := uint8(s.Mode)
	p.Byte(&mode)
	s.Mode = Mode(mode)
	if !s.Mode.valid() {
		p.Fail(bits.ErrRange)
		s.Mode = None
	}
	p.Bool(&s.Crouched)
	p.Bool(&s.JumpHeld)
	p.Bool(&s.ForceFloor)
	p.Byte(&s.JumpCount)
	s.Floor.pack(p)
	packSparse(p, &s.Impulse)
	packSparse(p, &s.Force)
	packSparse(p, &s.Launch)
	s.packRare(p)
}

// packRare packs the fields that few characters use: one bit where all are zero.
func (s *State) packRare(p *bits.Packer) {
	some := s.hasRare()
	p.Bool(&some)
	if !some {
		s.Base, s.Up, s.Rail, s.Nav, s.JumpHold, s.WantsWalking, s.Stuck = Base{}, geom.Vec3{}, Rail{}, Nav{}, 0, false, false
		s.Motion = rootmotion.Group{}
		return
	}
	s.Base.pack(p)
	packSparse(p, &s.Up)
	s.Rail.pack(p)
	s.Nav.pack(p)
	hold := int64(s.JumpHold)
	p.Varint(&hold)
	s.JumpHold = clock.Micros(hold)
	p.Bool(&s.WantsWalking)
	p.Bool(&s.Stuck)
	s.Motion.Pack(p)
	if !s.hasRare() {
		p.Fail(bits.ErrRange)
	}
}

// hasRare reports whether a field that few characters use is set.
func (s *State) hasRare() bool {
	return s.Base != Base{} || !s.Up.IsZero() || s.Rail != Rail{} || s.Nav != Nav{} || s.JumpHold != 0 || s.WantsWalking || s.Stuck ||
		s.Motion.LastID != 0 // never again 0 once a source was applied
}

// pack costs one bit for no floor.
func (f *Floor) pack(p *bits.Packer) {
	some := *f != Floor{}
	p.Bool(&some)
	if !some {
		*f = Floor{}
		return
	}
	packBounded(p, &f.Normal)
	p.Float64(&f.Rise)
	p.Float64(&f.Distance)
	shape := uint32(f.Shape)
	p.Uint32(&shape)
	f.Shape = collide.ShapeID(shape)
	body := uint16(f.Body)
	moving := body != 0
	p.Bool(&moving)
	if moving {
		p.Uint16(&body)
		if body == 0 {
			p.Fail(bits.ErrRange)
		}
	} else {
		body = 0
	}
	f.Body = collide.BodyID(body)
	p.Bool(&f.Walkable)
	p.Bool(&f.Ray)
	if *f == (Floor{}) { // no writer spends a floor on none
		p.Fail(bits.ErrRange)
	}
}

// packSparse packs a vector that is mostly zero: it costs one bit for a zero vector.
func packSparse(p *bits.Packer, v *geom.Vec3) {
	some := !v.IsZero()
	p.Bool(&some)
	if !some {
		*v = geom.Vec3{}
		return
	}
	packBounded(p, v)
	if v.IsZero() {
		p.Fail(bits.ErrRange)
	}
}

// packBounded packs a vector whose components lie within ±maxCoordinate.
func packBounded(p *bits.Packer, v *geom.Vec3) {
	p.Vec64(v)
	if !(v.LenSq() <= 3*maxCoordinate*maxCoordinate) {
		p.Fail(bits.ErrRange)
		*v = geom.Vec3{}
	}
}

// Hash returns FNV-1a over the fields in the order of Pack, eight bytes each,
// −0 as 0: equal states hash alike on every machine.
func (s *State) Hash() uint64 {
	h := fnv(14695981039346656037)
	h.vector(s.Position)
	h.vector(s.Velocity)
	h.number(s.Yaw)
	h.number(s.Pitch)
	h.word(uint64(s.Mode) | uint64(s.JumpCount)<<8 | flag(s.Crouched)<<16 | flag(s.JumpHeld)<<17 |
		flag(s.ForceFloor)<<18 | flag(s.Floor.Walkable)<<19 | flag(s.Floor.Ray)<<20 | uint64(s.Floor.Shape)<<32)
	h.vector(s.Floor.Normal)
	h.number(s.Floor.Rise)
	h.number(s.Floor.Distance)
	h.vector(s.Impulse)
	h.vector(s.Force)
	h.vector(s.Launch)
	if s.hasRare() {
		h.vector(s.Base.Position)
		h.number(s.Base.Angle)
		h.word(uint64(s.Base.Body) | uint64(s.Floor.Body)<<16 | uint64(s.Rail.Path)<<32 | flag(s.WantsWalking)<<48 | flag(s.Stuck)<<49)
		h.vector(s.Up)
		h.word(uint64(s.Rail.Start))
		h.word(uint64(s.JumpHold))
		h.word(uint64(s.Nav.Polygon))
		h.number(s.Nav.From)
		h.number(s.Nav.To)
		h.word(uint64(s.Nav.Since))
		if s.Motion.LastID != 0 {
			h.word(s.Motion.Hash())
		}
	}
	return uint64(h)
}

// fnv is a running FNV-1a.
type fnv uint64

func (h *fnv) word(w uint64) {
	for range 8 {
		*h = (*h ^ fnv(w&255)) * 1099511628211
		w >>= 8
	}
}

func (h *fnv) number(x float64) { h.word(math.Float64bits(x + 0)) }

func (h *fnv) vector(v geom.Vec3) {
	h.number(v.X)
	h.number(v.Y)
	h.number(v.Z)
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// tidy turns −0 into 0, which packing does too: a step from a packed state then
// computes the same.
func (s *State) tidy() {
	s.Position = s.Position.Add(geom.Vec3{})
	s.Velocity = s.Velocity.Add(geom.Vec3{})
	s.Floor.Normal = s.Floor.Normal.Add(geom.Vec3{})
	s.Floor.Distance += 0
	s.Base.Position = s.Base.Position.Add(geom.Vec3{})
	s.Base.Angle += 0
}
