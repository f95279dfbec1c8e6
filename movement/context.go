package movement

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// maxSlice in seconds is the longest slice integrated at once [PRF-11]: at
	// 6 m/s it covers 0.3 m, less than the body is wide.
	maxSlice = 0.05
	// maxIterations bounds the slices of one move, over all its modes.
	maxIterations = 8
	// maxHandovers bounds how often modes hand over within one move [PRF-10].
	maxHandovers = 8
)

// StepContext is the scratch of one move, shared by the modes while it runs, and its report.
// Keep one for each goroutine and reuse it; nothing in it outlives the move. A game's own
// modes read and change the State through it.
type StepContext struct {
	Body
	// Command that the player gave, read only.
	Command *Command
	// Mesh is for characters in mode NavWalking; nil is none. Begin leaves it alone.
	Mesh Mesh
	// Duration of the whole move in seconds.
	Duration float64
	// Remaining is the time not yet simulated, in seconds.
	Remaining float64
	// Acceleration by input in m/s²: horizontal, but in all directions while swimming
	// or flying [INP-06, INP-07]. Zero is no input.
	Acceleration geom.Vec3
	// Analog is how far the stick is pressed, 0 … 1 [INP-06].
	Analog float64
	// Turned is by how much the base, gravity and root motion have turned the body in
	// this move, in radians [BAS-01, BAS-05, RMS-05]. With FaceView it is what the client
	// turns its view by, once for each move of its own and not for replays. A move that
	// took the place of another turns again what that one had turned: a client that
	// combines moves compares Base.Angle before and after its frame instead.
	Turned float64
	// Coast makes walking leave Velocity as the game's step set it after Begin: no input,
	// no friction and no speed limit act in this move, and all else of walking does, from
	// steps to bases [GRD-20]. A slide or a skate works so. Begin clears it.
	Coast bool

	riding
	progress
	water
	events  eventList
	motion  motionDrive
	request geom.Vec3 // velocity that path following requests, m/s [VEL-02]
	tilted  bool      // gravity has turned the body in this move
}

// progress is the progress of a move.
type progress struct {
	begun      bool    // the move has begun and not ended
	iterations int     // slices taken
	handovers  int     // calls of Advance
	hold       float64 // seconds that a jump is still held, this move's part included
	stepped    bool    // the slice climbed a step; its floor is known
	edged      bool    // the move turned along a ledge once [GRD-16]
}

// The concerns of a move, each with its own functions.
func (f *StepContext) floors() floorProbe     { return floorProbe{&f.Body} }
func (f *StepContext) moveStart() moveStart   { return moveStart{f} }
func (f *StepContext) rider() rider           { return rider{f} }
func (f *StepContext) faller() faller         { return faller{f} }
func (f *StepContext) rootMotion() rootDriven { return rootDriven{f} }

// Step moves s by one command of duration d, at most 125 ms by agreement, with
// f as scratch: the whole loop for a game without modes of its own. It gives the
// same bits for the same arguments on every machine. A d of zero or less does
// nothing but face as commanded.
func Step(m *Model, s *State, c *Command, d clock.Micros, w *collide.WorldAt, f *StepContext) {
	f.Begin(m, s, c, d, w)
	for f.Running() {
		f.Advance()
	}
}

// Begin starts a move: everything that happens before the modes integrate. It
// forgets the move before.
func (f *StepContext) Begin(m *Model, s *State, c *Command, d clock.Micros, w *collide.WorldAt) {
	f.State, f.Model, f.Command = s, m, c
	f.Remaining, f.Duration, f.Queries = 0, d.Seconds(), 0
	f.progress, f.water, f.events.count = progress{begun: true}, water{}, 0
	f.stepTop = math.Inf(1)
	f.setSlope(m.WalkableSlope)
	f.Acceleration, f.Analog, f.request = geom.Vec3{}, 0, geom.Vec3{}
	f.tilted, f.planar, f.Coast = false, false, false
	f.rider().reset(w, d)
	f.Up = s.UpVector()
	if geom.Finite(c.Yaw) && geom.Finite(c.Pitch) {
		s.Pitch = c.Pitch
		if m.Facing == FaceView && s.Mode != OnPath {
			s.Yaw = c.Yaw
		}
	}
	if d <= 0 && s.Mode != None {
		return
	}
	if s.Mode != None {
		f.Remaining = f.Duration
	}
	if s.Mode == None || s.Mode == OnPath { // nothing steers it
		f.dropPushes()
		f.rootMotion().drop()
		s.JumpHeld = c.Jump
		return
	}
	f.moveStart().run(d)
}

// setSlope makes slopes of up to slope radians walkable. Most moves have the slope of the move
// before: that saves a cosine.
func (b *Body) setSlope(slope float64) {
	if b.walkable == 0 || b.slope != slope {
		b.slope, b.walkable = slope, collide.MinWalkableNormal(slope)
	}
}

// Running reports whether the move has time left to simulate, and where it has
// not ends the move: call it until it returns false. A mode that cannot go on drops
// the time by setting Remaining to 0.
func (f *StepContext) Running() bool {
	if f.Remaining >= MinTime && f.handovers < maxHandovers && f.Mode != None {
		return true
	}
	if f.begun {
		f.end()
	}
	return false
}

// end runs once after the modes have integrated [PRF-01].
func (f *StepContext) end() {
	f.begun = false
	if f.Mode == None || f.Duration <= 0 {
		return
	}
	f.face()
	f.rootMotion().turn()
	f.holdPlane()
	f.rider().saveBase()
	f.holdPlane()
}

// Advance runs the present built-in mode until the time is spent or it hands
// over to another. A mode that it does not know drops the time.
func (f *StepContext) Advance() {
	f.handovers++
	if f.iterations >= maxIterations {
		f.Remaining = 0
	}
	switch f.Mode {
	case Walking:
		walker{f}.walk()
	case Falling:
		f.faller().fall()
	case Swimming:
		swimmer{flyer{f}}.swim()
	case Flying:
		flyer{f}.fly()
	case NavWalking:
		navWalker{f}.walk()
	case OnPath:
		f.followPath()
	default:
		f.Remaining = 0
	}
	f.tidy()
}

// SetMode changes the mode; a mode calls it when it ends. The next mode gets the remaining
// time.
func (f *StepContext) SetMode(m Mode) {
	if m != Walking {
		f.Floor = Floor{}
	}
	if m != Falling {
		f.endHold()
	}
	switch was := f.Mode; {
	case was == m:
	case m == Swimming:
		f.report(EnteredWater, f.Velocity.Len())
	case was == Swimming:
		f.report(LeftWater, f.Velocity.Len())
	}
	f.Mode = m
}

// TakeSlice takes the next slice of time off what is left and returns it in
// seconds [PRF-11]: at most 50 ms, halves where that divides evenly, and all of
// it in the last of 8 slices.
func (f *StepContext) TakeSlice() float64 {
	f.iterations++
	f.walls = obstacleWalls{}
	h := max(f.Remaining, MinTime)
	if f.Remaining > maxSlice && f.iterations < maxIterations {
		h = max(min(maxSlice, float64(f.Remaining*0.5)), MinTime)
	}
	if f.motion.on {
		h = f.rootMotion().beginSlice(h)
	}
	f.Remaining -= h
	if f.Remaining < MinTime {
		f.Remaining = 0
	}
	return h
}

// slicing reports whether the mode has another slice to integrate.
func (f *StepContext) slicing(m Mode) bool {
	return f.Mode == m && f.Remaining >= MinTime && f.iterations < maxIterations
}

// drive fills in d: input, request and limits, in a medium with that friction (1/s), with that
// deceleration (m/s²) without input.
func (f *StepContext) drive(d *Drive, friction, braking float64) {
	m := f.Model
	d.Acceleration, d.Analog, d.Request = f.Acceleration, f.Analog, f.request
	d.MaxSpeed, d.MinSpeed = m.SpeedLimit(f.State, f.Command), f.scaled(m.MinAnalogSpeed)
	d.MaxAcceleration = m.acceleration(f.State, f.Command)
	d.Friction, d.BrakingFriction, d.Braking = friction, m.brakingFriction(friction), braking
	d.SubStep = m.BrakingSubStep
}
