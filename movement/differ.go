package movement

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// Differ appends to into the fields in which truth is not as predicted, and by how
// much, the most telling first: it explains why a character was corrected [ACK-14]. Two states that differ at all differ in one of its fields. D is
// predict.Difference, or whatever else a game keeps: its fields are the field's name
// and the amount, in metres, m/s, radians, seconds or jumps; 1 for what is only equal
// or not. Places are the world's, of riders too.
func Differ[D ~struct {
	Field string
	By    float64
}](predicted, truth *State, into []D) []D {
	p, t := predicted, truth
	differs := func(field string, by float64) {
		if by != 0 {
			into = append(into, D{Field: field, By: by})
		}
	}
	differs("mode", unequal(p.Mode != t.Mode))
	differs("base", unequal(p.Base.Body != t.Base.Body))
	differs("position", p.Position.Dist(t.Position))
	differs("velocity", p.Velocity.Dist(t.Velocity))
	differs("crouched", unequal(p.Crouched != t.Crouched))
	differs("jumps", math.Abs(float64(p.JumpCount)-float64(t.JumpCount)))
	differs("jump hold", math.Abs((p.JumpHold - t.JumpHold).Seconds()))
	differs("root motion", unequal(p.Motion != t.Motion))
	differs("push", unequal(p.Impulse != t.Impulse || p.Force != t.Force || p.Launch != t.Launch))
	differs("path", unequal(p.Rail != t.Rail))
	differs("up", unequal(p.Up != t.Up))
	differs("yaw", math.Abs(geom.WrapAngle(p.Yaw-t.Yaw)))
	differs("pitch", math.Abs(geom.WrapAngle(p.Pitch-t.Pitch)))
	differs("jump button", unequal(p.JumpHeld != t.JumpHeld))
	differs("stuck", unequal(p.Stuck != t.Stuck))
	differs("floor", unequal(p.Floor != t.Floor || p.ForceFloor != t.ForceFloor))
	differs("place on the base", unequal(p.Base != t.Base && p.Base.Body == t.Base.Body))
	differs("mesh", unequal(p.Nav != t.Nav || p.WantsWalking != t.WantsWalking))
	return into
}

// unequal returns 1 for fields that differ, 0 for equal ones.
func unequal(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
