package movement

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// Model is what a kind of character can do: every tunable of its movement. Each
// number means what it says, zero included, so begin with DefaultModel and
// change what should differ. Client and server must use equal Models. It is read
// only during a step and may be shared.
type Model struct {
	// Radius and HalfHeight of the upright capsule in metres; HalfHeight counts
	// the round ends. Default 0.34 and 0.88: a person of 1.76 m.
	Radius, HalfHeight float64
	// CrouchedHalfHeight of the capsule while crouched, in metres, at least
	// Radius. Default 0.40.
	CrouchedHalfHeight float64
	// EyeHeight and CrouchedEyeHeight above the feet in metres. Default 1.52 and
	// 0.72.
	EyeHeight, CrouchedEyeHeight float64
	// Mass in kg divides impulses and forces [PRF-04], nothing else. Default 100.
	Mass float64

	// MaxWalkSpeed in m/s, in the air too. Default 6.
	MaxWalkSpeed float64
	// MaxCrouchedSpeed in m/s on the ground. Default 3.
	MaxCrouchedSpeed float64
	// MaxSprintSpeed in m/s on the ground and in the air while Sprint is held, upright
	// [INP-09]. Default 0: no sprinting.
	MaxSprintSpeed float64
	// SprintCone in radians is how far from straight ahead the input may point for a
	// sprint, 0 … π [INP-10]. Default π/3, which has the diagonals in it. Zero sprints
	// only straight ahead, π in every direction.
	SprintCone float64
	// SprintAccelerationFactor multiplies MaxAcceleration while sprinting [INP-10].
	// Default 1. Zero cannot start.
	SprintAccelerationFactor float64
	// MinAnalogSpeed in m/s that the slightest input allows. Default 0.
	MinAnalogSpeed float64
	// MaxAcceleration by input in m/s². Default 20.48. Zero cannot start.
	MaxAcceleration float64
	// GroundFriction in 1/s turns the velocity towards the input and, times
	// BrakingFrictionFactor, brakes. Default 8. Zero is ice.
	GroundFriction float64
	// BrakingFrictionFactor multiplies friction while braking. Default 2.
	BrakingFrictionFactor float64
	// SeparateBrakingFriction takes BrakingFriction (1/s) instead of
	// GroundFriction for braking. Default off, 0.
	SeparateBrakingFriction bool
	BrakingFriction         float64
	// BrakingDeceleration in m/s² without input. Default 20.48. Zero brakes by
	// friction alone, and never snaps to a stop below 0.1 m/s.
	BrakingDeceleration float64
	// BrakingSubStep in seconds: braking integrates in steps no longer, so that
	// a slow frame stops where fast ones do. Used within 1/75 … 1/20; default
	// 1/33.
	BrakingSubStep float64
	// MaintainHorizontal keeps the horizontal speed on slopes. Default true; off
	// keeps the speed along the slope [GRD-06].
	MaintainHorizontal bool

	// StepHeight is the tallest ledge a walker climbs without jumping, in
	// metres, and how far it reaches down to keep contact. Default 0.45. Less than
	// 5 mm is 5 mm, the unevenness of a floor, and zero follows no steps down.
	StepHeight float64
	// WalkableSlope is the steepest slope that can be stood on, in radians from
	// the level. Default 44.765° (a normal of 0.71 upwards).
	WalkableSlope float64
	// PerchRadius in metres: a floor touched only by this outer ring of the
	// capsule is no floor, unless another lies within StepHeight and PerchHeight
	// below [FLR-04]. Default 0: every edge holds.
	PerchRadius, PerchHeight float64
	// WalkOffLedges lets a walker leave the floor. Default true; off stops at
	// edges and goes along them [GRD-16].
	WalkOffLedges bool
	// CatchAir in m/s is how fast the floor must fall away below a walker, over a crest
	// or a low ledge, for it to leave the ground instead of following [AIR-08]; 2 to 3
	// suits a run of 6 m/s. Above 0, a walker that leaves the ground keeps its velocity
	// along the slope, upwards too. Default 0: it follows as far as StepHeight reaches,
	// and leaves level. CatchAir does nothing without WalkOffLedges.
	CatchAir float64

	// Gravity in m/s² against Up, at least 0. Default 9.8.
	Gravity float64
	// TerminalSpeed is the fastest fall in m/s. Default 40.
	TerminalSpeed float64
	// JumpSpeed upwards in m/s. Default 4.2, which is 0.9 m high.
	JumpSpeed float64
	// MaxJumps before standing again, 0 … 255. Default 1; zero cannot jump.
	MaxJumps int
	// AirControl is the share of input acceleration that works while falling,
	// 0 … 1. Default 0.05.
	AirControl float64
	// AirControlBoost multiplies AirControl, up to 1, while the horizontal speed
	// is below AirControlBoostSpeed in m/s. Default 2 and 0.25. Zero: no boost.
	AirControlBoost, AirControlBoostSpeed float64
	// MaxJumpHold is for how long, in seconds, holding the button keeps the jump's
	// speed [JMP-02]. Default 0.
	MaxJumpHold float64
	// FallingFriction in 1/s and FallingBraking in m/s² act on the horizontal
	// speed in the air. Default 0.
	FallingFriction, FallingBraking float64

	// MaxSwimSpeed in m/s. Default 3.
	MaxSwimSpeed float64
	// SwimBraking in m/s² without input. Default 0.
	SwimBraking float64
	// FluidFriction in 1/s of water that has none of its own. Default 0.3.
	FluidFriction float64
	// Buoyancy is the share of gravity that water takes off a body that is wholly
	// in it: 1 floats, less sinks, more rises; 0 … 2. Default 1.
	Buoyancy float64
	// JumpOutSpeed upwards in m/s of a jump out of the water at a bank. Default 4.2.
	JumpOutSpeed float64

	// MaxFlySpeed in m/s. Default 6.
	MaxFlySpeed float64
	// FlyBraking in m/s² without input. Default 2.
	FlyBraking float64

	// Facing says what the body faces, and TurnRate in rad/s how fast it turns
	// there [BAS-04]. Default FaceView and 2π. Zero does not turn.
	Facing   FacingPolicy
	TurnRate float64

	// KeepBaseVelocity and KeepBaseLift say whether a character that leaves a
	// mover takes its horizontal and its vertical velocity along [JMP-06]. Default true.
	KeepBaseVelocity, KeepBaseLift bool
	// RideTurn turns riders with what they stand on; with FaceView the client turns
	// the view (see StepContext.Turned). Default true.
	RideTurn bool
	// PushForce in N is how hard a walker presses against what gives way, and
	// StandWeight the share of its weight that it puts on what it stands on, 0 … 1
	// [BAS-07]. Default 500 and 1.
	PushForce, StandWeight float64
	// Repulsion in 1/s is how fast characters that overlap separate: the share of the
	// depth a second [BAS-08], half of it by each; and how fast walkers approach each
	// other at most, in m/s per metre between them. Default 10. Zero lets them overlap.
	Repulsion float64

	// NavInterval in seconds between two projections of a nav-walker onto the world.
	// Default 0.1. Zero projects in every move.
	NavInterval float64

	// Motion is the curves, offsets and clips that root motion sources name. Nil has
	// none.
	Motion *rootmotion.Library

	// Paths that characters may follow OnPath, by number from 1 [VOL-05]: where the
	// feet are, and the facing as the Angle. Nil has none.
	Paths []collide.Path

	// Plane that bodies are constrained to: neither their motion, nor pushes, nor
	// surfaces, nor bases carry them out of it [PRF-15], in all modes but None and
	// OnPath. A surface counts as its line in the plane. Default none.
	Plane Plane
}

// stanceHeight returns the capsule's half-height in this stance.
func (m *Model) stanceHeight(crouched bool) float64 {
	if crouched {
		return m.CrouchedHalfHeight
	}
	return m.HalfHeight
}

// halfHeight returns the half-height of the capsule of s: its own, or its stance's
// [BAS-14].
func (m *Model) halfHeight(s *State) float64 {
	if s.HalfHeight != 0 {
		return max(s.HalfHeight, m.Radius)
	}
	return m.stanceHeight(s.Crouched)
}

// Capsule returns the capsule that s has in the world.
func (m *Model) Capsule(s *State) geom.Capsule {
	return m.capsuleAt(s.Position, s.UpVector(), m.halfHeight(s))
}

// CapsuleAt returns the capsule of a stance with its feet at a place; a zero up means +Y. It is Capsule of a
// state with nothing else.
func (m *Model) CapsuleAt(feet, up geom.Vec3, crouched bool) geom.Capsule {
	if up.IsZero() {
		up = geom.Up
	}
	return m.capsuleAt(feet, up, m.stanceHeight(crouched))
}

func (m *Model) capsuleAt(feet, up geom.Vec3, half float64) geom.Capsule {
	a := feet.MulAdd(up, m.Radius)
	b := feet.MulAdd(up, float64(2*half)-m.Radius)
	return geom.Capsule{A: a, B: b, Radius: m.Radius}
}

// Eye returns where s sees and shoots from. The jump between standing and
// crouched is for the presentation to smooth. A body with a HalfHeight of its own has
// its eye as far below the crown as its stance has.
func (m *Model) Eye(s *State) geom.Vec3 {
	height := m.EyeHeight
	if s.Crouched {
		height = m.CrouchedEyeHeight
	}
	if s.HalfHeight != 0 {
		height = max(height-float64(2*(m.stanceHeight(s.Crouched)-m.halfHeight(s))), 0)
	}
	return s.Position.MulAdd(s.UpVector(), height)
}

// MaxSpeed returns the speed limit in m/s that s has in its mode, scaled by its
// SpeedScale; SpeedLimit counts sprinting too.
func (m *Model) MaxSpeed(s *State) float64 { return s.scaled(m.modeSpeed(s)) }

// modeSpeed returns the model's speed limit for the mode and stance of s.
func (m *Model) modeSpeed(s *State) float64 {
	switch {
	case s.Crouched && s.Mode == Walking:
		return m.MaxCrouchedSpeed
	case s.Mode == Swimming:
		return m.MaxSwimSpeed
	case s.Mode == Flying:
		return m.MaxFlySpeed
	}
	return m.MaxWalkSpeed
}

// SpeedLimit returns the speed limit in m/s that s has under the command c: that of
// its mode, or Model.MaxSprintSpeed while it sprints [INP-09].
func (m *Model) SpeedLimit(s *State, c *Command) float64 {
	if m.Sprints(s, c) {
		return s.scaled(m.MaxSprintSpeed)
	}
	return m.MaxSpeed(s)
}

// acceleration returns by how much, in m/s², the command c may accelerate s.
func (m *Model) acceleration(s *State, c *Command) float64 {
	if m.SprintAccelerationFactor != 1 && m.Sprints(s, c) {
		return float64(m.MaxAcceleration * m.SprintAccelerationFactor)
	}
	return m.MaxAcceleration
}

// Sprints reports whether the command makes s sprint: Sprint is held, the model has a
// speed for it, s is upright on the ground or in the air, and the input points ahead,
// within SprintCone [INP-10]. It need not move. A Request counts as ahead.
//
// A State does not remember Sprint: every command has the button. A binding that
// toggles ends with input.Input.EndToggle when the character stops:
//
//	moving := !self.Velocity.IsZero()
//	if wasMoving && !moving {
//		in.EndToggle(Sprint)
//	}
//	wasMoving = moving
func (m *Model) Sprints(s *State, c *Command) bool {
	return c.Sprint && m.MaxSprintSpeed > 0 && !s.Crouched &&
		(s.Mode == Walking || s.Mode == NavWalking || s.Mode == Falling) &&
		(!c.Request.IsZero() || c.pointsAhead(m.SprintCone))
}

// pointsAhead reports whether the input points no further than cone radians from
// straight ahead. No input does.
func (c *Command) pointsAhead(cone float64) bool {
	const rounding = 1e-9 // a diagonal is in a cone of π/4
	long := math.Sqrt(float64(c.Forward*c.Forward) + float64(c.Right*c.Right))
	return c.Forward >= float64(long*geom.Cos(cone))-rounding
}
