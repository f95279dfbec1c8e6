package movement

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// FacingPolicy says what the body faces [BAS-04].
type FacingPolicy int

// The policies.
const (
	// FaceView turns the body to the view at once.
	FaceView FacingPolicy = iota
	// TurnToView turns it there at Model.TurnRate.
	TurnToView
	// TurnToMotion turns it at Model.TurnRate to where the input pushes.
	TurnToMotion
)

// face turns the body as the Model's policy says, after the move. A body on a path
// faces as the path says.
func (f *StepContext) face() {
	if f.Mode == OnPath {
		return
	}
	switch f.Model.Facing {
	case TurnToView:
		f.turnTo(f.Command.Yaw)
	case TurnToMotion:
		push := f.Acceleration
		if !f.request.IsZero() {
			push = f.request
		}
		if yaw, ok := f.yawOf(push); ok {
			f.turnTo(yaw)
		}
	}
}

// turnTo turns the body towards yaw the shorter way, as far as it gets within the
// move, and stops exactly there.
func (f *StepContext) turnTo(yaw float64) {
	reach := float64(f.Model.TurnRate * f.Duration)
	way := geom.WrapAngle(yaw - f.Yaw)
	if math.Abs(way) <= reach {
		f.Yaw = yaw
		return
	}
	f.Yaw = geom.WrapAngle(f.Yaw + math.Copysign(reach, way))
}

// yawOf returns the yaw that looks along d, and false where d points along Up or
// nowhere.
func (f *StepContext) yawOf(d geom.Vec3) (float64, bool) {
	if !f.State.Up.IsZero() {
		d = f.Orientation().Inverse().Rotate(d)
	}
	if float64(d.X*d.X)+float64(d.Z*d.Z) < 1e-12 {
		return 0, false
	}
	return geom.Yaw(d), true
}
