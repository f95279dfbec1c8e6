package movement

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/geom"
)

// Command is the input of a player during one move, whose duration is sent
// separately. The zero Command is no input, and looks along −Z.
type Command struct {
	// Forward and Right are −1 … 1 relative to Yaw, on a grid of 1/127; together
	// they count for at most length 1.
	Forward, Right float64
	// Yaw and Pitch of the view in radians, −π … π on a 16-bit grid; pitch is
	// positive upwards.
	Yaw, Pitch float64
	// Jump and Crouch are held buttons.
	Jump, Crouch bool
	// Sprint is a held button: faster, where the model has a speed for it [INP-09].
	Sprint bool
	// Buttons are eight more held buttons, for the game's own moves. This package carries
	// them and does not read them [INP-12].
	Buttons uint8
	// Up is −1 … 1 along Up, on a grid of 1/127: for swimming and flying.
	Up float64
	// Request is a velocity in m/s that path following requests instead of input,
	// on a grid of 1/64 [VOL-06]. Zero is none.
	Request geom.Vec3
}

// Controls returns c: package character finds the movement of a command that embeds it.
func (c *Command) Controls() *Command { return c }

// requestScale is the grid of Request, in units per m/s.
const requestScale = 64

// inputSteps is how many steps of input lie between 0 and 1 on the wire.
const inputSteps = 127

// Quantise snaps the command to what the wire carries. Call it before the
// command is simulated, so that client and server simulate the same one. NaN
// becomes 0.
func (c *Command) Quantise() {
	c.Forward = float64(inputStep(c.Forward)) / inputSteps
	c.Right = float64(inputStep(c.Right)) / inputSteps
	c.Up = float64(inputStep(c.Up)) / inputSteps
	c.Request = snapRequest(c.Request)
	c.Yaw = snapAngle(c.Yaw)
	c.Pitch = snapAngle(c.Pitch)
}

// input returns where the input pushes a character in that mode, of at most length 1,
// and how strongly, 0 … 1: in the world or, where gravity is askew, in its own frame.
func (c *Command) input(m Mode) (dir geom.Vec3, strength float64) {
	if m == Swimming || m == Flying {
		return c.free()
	}
	return c.level()
}

// level returns the input of walking and falling: level.
func (c *Command) level() (dir geom.Vec3, strength float64) {
	in := geom.Vec3{X: c.Right, Z: c.Forward}.ClampLen(1)
	ahead := geom.Forward(c.Yaw)
	right := geom.Vec3{X: -ahead.Z, Z: ahead.X} // geom.Right(c.Yaw), without another sine
	dir = ahead.Mul(in.Z).MulAdd(right, in.X)
	return dir, min(in.Len(), 1)
}

// free returns the input of swimming and flying: along the view, to its right and
// straight up.
func (c *Command) free() (dir geom.Vec3, strength float64) {
	dir = geom.Look(c.Yaw, c.Pitch).Mul(c.Forward).MulAdd(geom.Right(c.Yaw), c.Right)
	dir = dir.MulAdd(geom.Up, c.Up).ClampLen(1)
	return dir, min(dir.Len(), 1)
}

// inputStep returns the nearest wire step for x, half up [GAP-02]; NaN is 0.
func inputStep(x float64) int {
	if x != x {
		return 0
	}
	if x > 1 {
		x = 1
	} else if x < -1 {
		x = -1
	}
	return int(math.Floor(float64(x*inputSteps) + 0.5))
}

// snapAngle snaps to the 16-bit grid [WIR-01]; what is not finite becomes 0.
func snapAngle(x float64) float64 {
	if x-x != 0 {
		return 0
	}
	return bits.SnapAngle16(x)
}

// snapRequest snaps to the wire's grid; what is not finite is none.
func snapRequest(v geom.Vec3) geom.Vec3 {
	if !v.Finite() {
		return geom.Vec3{}
	}
	return bits.SnapVec(v, requestScale)
}
