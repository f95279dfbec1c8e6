package movement

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// Rail is the path that a character in mode OnPath follows: a function of match
// time [VOL-05]. The zero Rail is none.
type Rail struct {
	// Path is the number, from 1, of a path of Model.Paths; 0 is none.
	Path uint16
	// Start is the match time at which it began.
	Start clock.Micros
}

// EnterPath makes s follow path number path (from 1) of Model.Paths, from the match time start
// on, instead of its player's commands. A server calls it in session.Server.Modify; every
// client then predicts and draws the same function of time (MOD-01, VOL-05). Pending pushes
// are dropped. If there is no path of that number, s stands still.
func (s *State) EnterPath(path uint16, start clock.Micros) {
	*s = State{
		Position: s.Position, Velocity: s.Velocity, Yaw: s.Yaw, Pitch: s.Pitch, Up: s.Up,
		Mode: OnPath, Rail: Rail{Path: path, Start: start}, Crouched: s.Crouched, HalfHeight: s.HalfHeight, SpeedScale: s.SpeedScale, JumpHeld: s.JumpHeld,
	}
}

// LeavePath returns s to its player's commands where it is, with the velocity of the path: it
// walks on, or falls if there is no floor [MOD-01, MOD-03].
func (s *State) LeavePath() {
	if s.Mode != OnPath {
		return
	}
	s.Mode, s.Rail, s.ForceFloor = Walking, Rail{}, true
	s.Impulse, s.Force, s.Launch = geom.Vec3{}, geom.Vec3{}, geom.Vec3{}
}

// followPath is mode OnPath: the body is where the path is at the world's time, whatever the
// input is and even inside the level. It faces as the path is turned, or along the motion if
// the path never turns.
func (f *StepContext) followPath() {
	f.Remaining = 0
	n := int(f.Rail.Path)
	if n < 1 || n > len(f.Model.Paths) {
		f.Velocity = geom.Vec3{}
		return
	}
	path, t := &f.Model.Paths[n-1], f.World.At-f.Rail.Start
	pose := path.Pose(t)
	f.Position = pose.Translation
	f.Velocity, _ = path.Velocity(t)
	ahead := pose.Rotation.Rotate(geom.Forward(0))
	if !turns(path) {
		ahead = f.Velocity
	}
	if yaw, ok := f.yawOf(ahead); ok {
		f.Yaw = yaw
	}
}

// turns reports whether any key of the path has an angle.
func turns(p *collide.Path) bool {
	for i := range p.Keys {
		if p.Keys[i].Angle != 0 {
			return true
		}
	}
	return false
}
