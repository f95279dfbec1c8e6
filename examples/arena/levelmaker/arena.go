package levelmaker

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// KillHeight is the arena's kill height, in metres.
const KillHeight = -12.0

// The teams of the spawn points.
const (
	Red  = 1
	Blue = 2
)

// The course is a straight strip for tests and players. From CourseStart, walking north
// (−Z), it has the floor, stairs of 0.15 m, a landing, stairs of 0.30 m, a bridge, a ramp
// of 20° down, a ramp of 40° up, a drop, and a ramp of 50°, which is too steep to walk.
// Everything is at least 4 m wide about x = CourseX, and every z is where the piece begins.
const (
	// CourseX is the middle of the strip, CourseYaw its direction.
	CourseX   = -31.0
	CourseYaw = 0.0
	// CourseStartZ is the start, on the floor at height 0; there is a spawn point named
	// "course".
	CourseStartZ = 24.0
	// The gentle stairs: CourseGentleRiser each, from height 0 to CourseLanding.
	CourseGentleZ     = 20.0
	CourseGentleRiser = 0.15
	CourseLandingZ    = 17.0
	CourseLanding     = 1.5
	// The steep stairs: CourseSteepRiser each, from the landing to CourseTop.
	CourseSteepZ     = 13.0
	CourseSteepRiser = 0.30
	CourseTopZ       = 11.0
	CourseTop        = 3.0
	// The ramp of 20° leads down from CourseTop to the floor.
	CourseRamp20Z = 7.0
	// The ramp of 40° leads up from the floor to CourseMound, which ends in a
	// drop back to the floor at CourseDropZ.
	CourseRamp40Z = -5.0
	CourseMound   = 2.0
	CourseDropZ   = -11.0
	// The ramp of 50° begins here, and would lead to height 2 on the back step.
	CourseRamp50Z = -16.0
	CourseBackZ   = -20.0
)

// CourseStart is where to begin the course: the feet, on the floor.
var CourseStart = geom.Vec3{X: CourseX, Y: 0, Z: CourseStartZ}

// Build returns the arena as a .glb. The bytes are the same on every call and processor.
func Build() ([]byte, error) {
	s := &sceneBuilder{name: "Arena"}
	s.add(ground(), cliffs(), bounds(), middle(), course(), corridorLane(), woods(), line(), train(), entities())
	s.add(half(side{"red", Red, crimson, glowRed}, 0))
	s.add(half(side{"blue", Blue, azure, glowBlue}, math.Pi))
	return s.file()
}

// side is what differs between the halves.
type side struct {
	name string
	team int
	hue  colour
	glow material
}

// half returns one team's half, described for red in the south.
func half(s side, yaw float64) *part {
	h := &part{name: s.name, yaw: yaw}
	h.add(tower(s), platform(s), lift(s), base(s), pad(s), bastion(s))
	h.add(crates()...)
	h.add(barriers()...)
	h.add(boulders()...)
	h.add(lamps(s)...)
	h.add(spawns(s)...)
	return h
}

// spawns returns the spawn points of one half: the team's own, and some for any team.
func spawns(s side) []*part {
	const lift = 0.02
	at := []struct {
		name string
		x, z float64
		y    float64
		yaw  float64
		team int
	}{
		{"gate left", -1.3, 28, baseTop, 0, s.team},
		{"gate right", 1.3, 28, baseTop, 0, s.team},
		{"hall left", -5.2, 30.8, baseTop, 0, s.team},
		{"hall right", 5.2, 30.8, baseTop, 0, s.team},
		{"tower top", towerX, 1, towerTop, -math.Pi / 2, 0},
		{"yard", -9.5, 21.5, 0, -0.4, 0},
		{"ridge", 25, 20, 0, 0.7, 0},
		{"poolside", 9, 10.6, 0, 0.8, 0},
	}
	var out []*part
	for _, a := range at {
		out = append(out, spawn(s.name+" "+a.name, geom.V(a.x, a.y+lift, a.z), a.yaw, a.team))
	}
	return out
}

func spawn(name string, at geom.Vec3, yaw float64, team int) *part {
	return &part{name: name, at: at, yaw: yaw, marks: extras{Spawn: true, Team: team}}
}
