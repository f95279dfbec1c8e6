package movement

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// moveStart is the part of a move before the modes integrate.
type moveStart struct{ *StepContext }

// run runs its steps in the order of PRF-01.
func (f moveStart) run(d clock.Micros) {
	f.enterPlane()
	f.orient()
	f.rider().ride()
	if f.ForceFloor || f.tilted {
		f.refind()
	}
	f.enterVolume()
	f.jump(d)
	f.steer()
	f.rootMotion().clean()
	f.applyPushes()
	f.setStance()
	f.applyLaunch()
	f.rootMotion().prepare()
	f.aimInPlane()
}

// steer turns the command's input into an acceleration [INP-04, INP-06, INP-07]:
// level while walking or falling, along the view while swimming or flying. A
// request of path following replaces input, and is no faster than the body.
func (f moveStart) steer() {
	c := f.Command
	if !c.Request.IsZero() && c.Request.Finite() {
		f.request = c.Request.ClampLen(f.Model.SpeedLimit(f.State, c))
		return
	}
	if c.Forward == 0 && c.Right == 0 && c.Up == 0 {
		return
	}
	var dir geom.Vec3
	dir, f.Analog = c.input(f.Mode)
	if !(f.Analog > 0) { // nothing left, or not a number
		f.Analog = 0
		return
	}
	if !f.State.Up.IsZero() {
		dir = f.Orientation().Rotate(dir)
	}
	f.Acceleration = dir.Mul(f.Model.acceleration(f.State, c))
}

// refind frees a body that was moved by something else from overlaps, and looks for a walker's
// floor or lets it fall [PRF-03, STP-05]. A body that cannot be freed tries again in its next
// move.
func (f *StepContext) refind() {
	f.ForceFloor = false
	f.Queries++
	if f.crushed {
		f.ForceFloor = true
	} else if f.solid.Overlaps(f.capsule()) {
		f.unstick()
	} else {
		f.Stuck = false
	}
	if f.Mode != Walking {
		return
	}
	var found floorResult
	f.floors().find(&found, f.floors().reach())
	f.Floor = found.Floor
	if b := carrier(f.Floor.Mover); f.Floor.Walkable && b != f.Base.Mover { // set down on it: at rest on it
		f.Base = Base{Mover: b}
	}
	if !f.Floor.Walkable && !f.ForceFloor {
		f.SetMode(Falling)
	}
}
