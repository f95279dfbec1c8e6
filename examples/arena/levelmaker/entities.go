package levelmaker

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// Entities: a pit of balls in the north of the east lane, a football pitch in the south of
// it, loose crates in the west, and health packs. The level marks the places; the game
// creates the objects (level.Entity).

// The kinds of the arena's entities.
const (
	KindBall     = "ball"     // of the pit: BallRadius
	KindFootball = "football" // in the middle of the pitch: FootballRadius
	KindGoal     = "goal"     // the inside of a goal, and the team that defends it
	KindPitch    = "pitch"    // where the football belongs, up to 3 m high
	KindCrate    = "crate"    // loose; a cube of 2 × CrateHalf
	KindHealth   = "health"   // a health pack, its foot
)

// The sizes of the bodies, in metres.
const (
	BallRadius     = 0.25
	FootballRadius = 0.25
	CrateHalf      = 0.4
)

// The pitch: its middle, and half its size inside the walls. North and south are the goal
// lines.
const (
	PitchX, PitchZ       = 31.7, 25.5
	pitchHalfX           = 3.0
	pitchHalfZ           = 4.6
	kerb                 = 0.42 // height of the walls: low enough to step over
	goalWide, goalHigh   = 1.4, 1.5
	goalDeep             = 0.9
	goalPost             = 0.14
	pitchWall, pitWall   = 0.3, 0.4
	PitX, PitZ           = 30.4, -30.0
	pitHalfX, pitHalfZ   = 2.2, 2.1
	pitHigh, pitStep     = 0.8, 0.4
	pitGate, pitStepDeep = 0.8, 0.55
)

// Balls is the number of balls in the pit.
const Balls = 32

// entities returns all of them.
func entities() *part {
	p := &part{name: "play"}
	p.add(pitch(), pit())
	p.add(props()...)
	return p
}

// entity marks a place, with the cube of −1 … 1 scaled to half.
func entity(kind, name string, at, half geom.Vec3, yaw float64, team int) *part {
	return &part{name: name, at: at, yaw: yaw, scale: half, marks: extras{Entity: kind, Team: team}}
}

// pitch is the football pitch: low walls, and a goal at either end. Red defends the
// southern one.
func pitch() *part {
	p := structure("pitch", geom.V(PitchX, 0, PitchZ))
	const x, z, w = pitchHalfX, pitchHalfZ, pitchWall
	p.decoration(matte, meadow, geom.V(-x, -0.3, -z), geom.V(x, 0.012, z))
	for _, s := range []float64{-1, 1} {
		a, b := geom.V(s*x, -root, -z-w), geom.V(s*(x+w), kerb, z+w)
		p.block(matte, limestone, a.Min(b), a.Max(b))
		for _, t := range []float64{-1, 1} { // beside the goal
			a, b = geom.V(t*(goalWide+goalPost), -root, s*z), geom.V(t*x, kerb, s*(z+w))
			p.block(matte, limestone, a.Min(b), a.Max(b))
		}
		a, b = geom.V(-x, -0.2, s*z), geom.V(x, 0.022, s*(z-0.08))
		p.decoration(satin, limestone, a.Min(b), a.Max(b))
	}
	p.decoration(satin, limestone, geom.V(-x, -0.2, -0.04), geom.V(x, 0.022, 0.04))
	p.decoration(satin, limestone, geom.V(-0.25, -0.2, -0.25), geom.V(0.25, 0.026, 0.25))
	p.add(goal(side{"red", Red, crimson, glowRed}, 0), goal(side{"blue", Blue, azure, glowBlue}, math.Pi),
		entity(KindFootball, "football", geom.V(0, FootballRadius, 0), geom.V(FootballRadius, FootballRadius, FootballRadius), 0, 0),
		entity(KindPitch, "pitch within", geom.V(0, 1.4, 0), geom.V(x+w, 1.6, z+goalDeep+0.2), 0, 0))
	return p
}

// goal is an open box: posts, a bar, and a solid net.
func goal(s side, yaw float64) *part {
	const wide, post = goalWide, goalPost
	p := structure(s.name+" goal", geom.Vec3{})
	p.yaw = yaw
	front, back := pitchHalfZ, pitchHalfZ+goalDeep
	for _, t := range []float64{-1, 1} {
		a, b := geom.V(t*wide, -root, front), geom.V(t*(wide+post), goalHigh, front+post)
		p.decoration(satin, limestone, a.Min(b), a.Max(b))
		a, b = geom.V(t*wide, -root, front), geom.V(t*(wide+post), goalHigh, back)
		p.solid(a.Min(b), a.Max(b))
		a, b = geom.V(t*(wide+0.05), 0.04, front+post), geom.V(t*(wide+0.09), goalHigh-0.1, back)
		p.decoration(satin, s.hue, a.Min(b), a.Max(b))
	}
	p.decoration(satin, limestone, geom.V(-wide-post, goalHigh-post, front), geom.V(wide+post, goalHigh, front+post))
	p.solid(geom.V(-wide-post, goalHigh-post, front), geom.V(wide+post, goalHigh, back+post))
	p.decoration(satin, s.hue, geom.V(-wide, goalHigh-0.1, front+post), geom.V(wide, goalHigh-0.04, back))
	p.decoration(satin, s.hue, geom.V(-wide, 0, back), geom.V(wide, goalHigh-0.06, back+0.08))
	p.solid(geom.V(-wide-post, -root, back), geom.V(wide+post, goalHigh, back+post))
	p.decoration(s.glow, limestone, geom.V(-wide, goalHigh-0.03, front+0.02), geom.V(wide, goalHigh+0.05, front+0.1))
	inside := geom.V(wide, goalHigh/2, (goalDeep-FootballRadius)/2)
	p.add(entity(KindGoal, s.name+" goal inside", geom.V(0, goalHigh/2, back-inside.Z), inside, 0, s.team))
	return p
}

// pit is a basin full of balls: walls too high to step onto, with steps in the north and
// south.
func pit() *part {
	p := structure("ball pit", geom.V(PitX, 0, PitZ))
	const x, z, w = pitHalfX, pitHalfZ, pitWall
	p.decoration(satin, aqua, geom.V(-x, -0.3, -z), geom.V(x, 0.012, z))
	for i, s := range []float64{-1, 1} {
		tint := []colour{crimson, azure}[i]
		a, b := geom.V(s*x, -root, -z-w), geom.V(s*(x+w), pitHigh, z+w)
		p.block(satin, amber, a.Min(b), a.Max(b))
		a, b = geom.V(-x, -root, s*z), geom.V(x, pitHigh, s*(z+w))
		p.block(satin, tint, a.Min(b), a.Max(b))
		for _, from := range []float64{z - pitStepDeep, z + w} { // a step inside and one outside
			a, b = geom.V(-pitGate, -root, s*from), geom.V(pitGate, pitStep, s*(from+pitStepDeep))
			p.block(matte, limestone, a.Min(b), a.Max(b))
		}
		a, b = geom.V(-pitGate, pitHigh-0.1, s*z), geom.V(pitGate, pitHigh+0.015, s*(z+w))
		p.decoration(matte, limestone, a.Min(b), a.Max(b))
	}
	for i := range Balls { // two layers with gaps, so that they settle
		layer, n := i/20, i%20
		at := geom.V(float64(float64(n%5)*0.8)-1.6, 0.3+float64(float64(layer)*0.55), float64(float64(n/5)*0.62)-0.93)
		if layer == 1 {
			at = geom.V(float64(float64(n%4)*0.8)-1.2, at.Y, float64(float64(n/4)*0.62)-0.62)
		}
		p.add(entity(KindBall, "ball", at, geom.V(BallRadius, BallRadius, BallRadius), 0, 0))
	}
	return p
}

// props are loose crates and health packs.
func props() []*part {
	half := geom.V(CrateHalf, CrateHalf, CrateHalf)
	var out []*part
	for _, c := range []spot{{-25.9, 0, 1.2, 0.1}, {-25.2, 0, 2.3, -0.2}, {-26.1, 0, 3.3, 0.3}, {-25.8, 0.8, 1.3, 0.2}} {
		out = append(out, entity(KindCrate, "loose crate", geom.V(c.x, c.y+CrateHalf+0.01, c.z), half, c.yaw, 0))
	}
	for _, h := range []spot{{14, 3, 17, 0}, {-14, 3, -17, 0}, {31, 0, 0, 0}, {CourseX, CourseTop, 9, 0}, {0, towerTop, 0, 0}} {
		out = append(out, entity(KindHealth, "health", geom.V(h.x, h.y, h.z), geom.V(0.4, 0.5, 0.4), 0, 0))
	}
	return out
}
