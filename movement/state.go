package movement

import (
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
	// Mover that Shape belongs to; Static for the level.
	Mover collide.MoverID
	// Walkable reports that it can be stood on. Otherwise there is something
	// below, but it is too steep.
	Walkable bool
	// Ray reports that the floor was found by a ray down the body's axis, not by
	// the body's own shape; its slope does not guide the feet [GRD-08].
	Ray bool
}

// State is everything that one move passes to the next, and nothing else. It is plain data: =
// saves it, == compares it. The zero State is at the origin in mode None; Spawn makes one that
// walks.
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
	// Base is the mover that is stood on, and where.
	Base Base

	// Impulse is a pending change of velocity in m/s, Force a pending
	// acceleration in m/s² for one move, Launch a pending replacement of the
	// velocity in m/s (zero: none). The next move uses them up. Model.AddImpulse,
	// Model.AddForce and State.LaunchAt set them.
	Impulse, Force, Launch geom.Vec3

	// Up is the unit vector against gravity; zero means +Y. Position and Yaw are
	// relative to it: see Orientation.
	Up geom.Vec3
	// Rail is the path followed OnPath, Nav the state of nav-walking.
	Rail Rail
	Nav  Nav
	// Motion is the root motion sources that move the character [RMS-01]. A game
	// starts one by Motion.Apply: see the package's documentation.
	Motion rootmotion.Group
	// SpeedScale multiplies every speed limit: what slows a character that aims or
	// carries, or quickens one [INP-11]. The game sets it before a move, and it stays
	// until the game changes it. 0 means 1. Below 0 the character cannot move by input.
	SpeedScale float64
	// HalfHeight in metres is the half-height of the capsule, for a game's own stance; 0
	// means that of the stance: see Body.SetHalfHeight [BAS-14].
	HalfHeight float64
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

// Teleport puts the feet at position, off any base, and keeps the velocity.
func (s *State) Teleport(position geom.Vec3) {
	s.Position, s.Base = position, Base{}
	s.ForceFloor, s.Stuck = true, false
}

// fields visits every field of s, with the same field of t, in the order of a packet. It
// is the one list of them, from which Pack, Hash and Differ follow: see visitor. The last
// fields, which few characters use, are rareFields.
func (s *State) fields(v *visitor, t *State) {
	v.vector("position", &s.Position, &t.Position)
	v.vector("velocity", &s.Velocity, &t.Velocity)
	v.angle("yaw", &s.Yaw, &t.Yaw)
	v.angle("pitch", &s.Pitch, &t.Pitch)
	v.mode("mode", &s.Mode, &t.Mode)
	v.flag("crouched", &s.Crouched, &t.Crouched)
	v.flag("jump button", &s.JumpHeld, &t.JumpHeld)
	v.flag("floor", &s.ForceFloor, &t.ForceFloor)
	v.number("jumps", &s.JumpCount, &t.JumpCount)
	v.floor("floor", &s.Floor, &t.Floor)
	v.sparse("push", &s.Impulse, &t.Impulse)
	v.sparse("push", &s.Force, &t.Force)
	v.sparse("push", &s.Launch, &t.Launch)
	v.rare(s, t)
}

// rareFields visits the fields that few characters use: a packet has one bit for all of
// them together where they are zero.
func (s *State) rareFields(v *visitor, t *State) {
	v.base("base", "place on the base", &s.Base, &t.Base)
	v.sparse("up", &s.Up, &t.Up)
	v.rail("path", &s.Rail, &t.Rail)
	v.nav("mesh", &s.Nav, &t.Nav)
	v.time("jump hold", &s.JumpHold, &t.JumpHold)
	v.flag("mesh", &s.WantsWalking, &t.WantsWalking)
	v.flag("stuck", &s.Stuck, &t.Stuck)
	v.motion("root motion", &s.Motion, &t.Motion)
	v.amount("speed scale", &s.SpeedScale, &t.SpeedScale)
	v.amount("height", &s.HalfHeight, &t.HalfHeight)
}

// scaled returns a speed of the model's, in m/s, as it is for s [INP-11].
func (s *State) scaled(speed float64) float64 {
	if s.SpeedScale == 0 {
		return speed
	}
	return float64(speed * max(s.SpeedScale, 0))
}

// Pack packs the state without loss (−0 as 0), so that after a correction both
// ends are equal bit for bit. A mode that does not exist, a coordinate beyond
// 10⁷ or a number that is not finite is an error; a reader then gives the zero State.
func (s *State) Pack(p *bits.Packer) {
	if !p.Writing() {
		*s = State{}
	}
	s.fields(&visitor{packer: p}, s)
	if p.Err() != nil && !p.Writing() {
		*s = State{}
	}
}

// Hash returns FNV-1a over what Pack writes: equal states hash alike on every machine. It
// is 0 for a state that Pack refuses.
func (s *State) Hash() uint64 {
	var packet [maxPacked]byte
	p := bits.NewWriter(packet[:])
	if s.Pack(&p); p.Err() != nil {
		return 0
	}
	h := uint64(14695981039346656037)
	for _, b := range p.Bytes() {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}

// maxPacked in bytes is more than Pack writes of any state.
const maxPacked = 1024

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

// Character returns s: package character finds the movement of a state that embeds it.
func (s *State) Character() *State { return s }
