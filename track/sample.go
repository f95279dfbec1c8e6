package track

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// Sample is what a pose is computed from, at one instant. A sample that came
// over the wire is quantised (Pack); the server keeps the same quantised values.
type Sample struct {
	At       clock.Micros // match time of the pose
	Position geom.Vec3    // the feet, metres
	Velocity geom.Vec3    // m/s
	Yaw      float64      // facing, radians
	Pitch    float64      // of the view, radians, positive upwards
	Mode     uint8        // the movement mode's number
	Crouched bool
	Dead     bool  // drawn as dead; nothing hits it
	Life     uint8 // counts respawns; a track never interpolates across lives
	Teleport uint8 // counts jumps in place; nor across these (HIS-10)
}
