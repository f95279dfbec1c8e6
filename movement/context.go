package movement

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// maxSlice in seconds is the longest slice integrated at once (PRF-11): at
	// 6 m/s it covers 0.3 m, less than the body is wide.
	maxSlice = 0.05
	// maxIterations bounds the slices of one move, over all its modes.
	maxIterations = 8
	// maxHandovers bounds how often modes hand over within one move (PRF-10).
	maxHandovers = 8
	// MaxEvents is how many events one move can report; later ones are dropped.
	MaxEvents = 8
)

// EventKind says what happened during a move.
type EventKind uint8

// What can happen. Speed and Height name what Event.Value is.
const (
	Jumped       EventKind = 1 + iota // Value: upward speed after it, m/s
	Landed                            // Value: downward speed before it, m/s
	Stepped                           // Value: height climbed, m
	WalkedOff                         // left the floor without jumping; Value 0
	Stuck                             // in geometry, with no way out found: once, until it was free; Value 0
	Crushed                           // between a moving body and what does not yield; Value: how deep, m
	EnteredWater                      // Value: speed, m/s
	LeftWater                         // Value: speed, m/s
	Boosted                           // by a jump pad; Value: speed after it, m/s
)

// Event is something that happened during a move, for sounds, damage and logs.
// It is not state: a replay reports it again.
type Event struct {
	Kind  EventKind
	Value float64 // as Kind says
}

// StepContext is the scratch of one move: what the modes share while it runs, and what
// it reports. Keep one for each goroutine and reuse it; nothing in it outlives
// the move. A game's own modes read and change the State through it.
type StepContext struct {
	*State  // of the moving character: f.Mode, f.Position, f.Velocity
	Model   *Model
	Command *Command
	World   *collide.WorldAt
	// Mesh is for those who are NavWalking; nil is none. Begin leaves it alone.
	Mesh Mesh

	// Up is the unit vector against gravity, never zero: the State's Up.
	Up geom.Vec3
	// Duration is the whole move's, in seconds.
	Duration float64
	// Remaining is the time not yet simulated, in seconds.
	Remaining float64
	// Acceleration by input in m/s², horizontal but for those who swim or fly, and
	// Analog, how far the stick
	// is pressed, 0 … 1 (INP-06, INP-07).
	Acceleration geom.Vec3
	Analog       float64
	// Queries counts the questions put to the world: the move's work.
	Queries int

	// Turned is by how much the base, gravity and root motion have turned the body in
	// this move, in radians (BAS-01, BAS-05, RMS-05): with FaceView, what the client turns its view
	// by, once for each move of its own and not for replays. A move that took the place of
	// another turns again what that one had turned: a client that combines moves compares
	// Base.Angle before and after its frame instead.
	Turned float64

	solid    collide.WorldAt // World without the obstacles, which part softly
	since    clock.Micros    // platform time before the move
	upright  geom.Vec3       // up, before the move
	forced   bool            // ForceFloor, before the move
	ridden   geom.Vec3       // where the base has brought the rider
	crushed  bool            // and so reported already
	searched bool            // room for a body that is stuck
	given    geom.Vec3       // how far it was pushed, of its own way in this move
	giving   geom.Vec3       // how much of that the slice makes, a second
	alone    bool            // there are neither bodies nor obstacles
	barred   barred          // which obstacles a wall separates, in this slice
	pushes   [MaxPushes]Push
	pushed   int
	near     [maxNear]collide.BodyID // bodies that moved nearby

	request    geom.Vec3       // velocity that path following asks for, m/s (VEL-02)
	hold       float64         // seconds that a jump is still held, this move's part included
	volume     *collide.Volume // that counts where the body is; nil is none
	volumes    bool            // the world has any
	askew      bool            // gravity has turned the body in this move
	begun      bool            // and not ended
	walkable   float64         // least upward part of a walkable normal
	iterations int             // slices taken
	handovers  int             // calls of Advance and Handover
	from       geom.Vec3       // where the slice began, shifted with every push out
	stepped    bool            // the slice climbed a step; its floor is known
	wide       bool            // the floor was found by a probe of the body's own width
	under      geom.Vec3       // contact normal of the last probe that touched
	sill       float64         // how high walkers get without a step; infinite for all others
	held       bool            // the floor is a wedge
	sink       geom.Vec3       // where that one has its middle, from the body
	banks      [2]geom.Vec3    // and its sides, as walls
	edged      bool            // the move turned along a ledge once (GRD-16)
	motion     motion
	planar     bool    // the move is constrained to Model.Plane
	guess      State   // of those who ask what will be (foresee.go)
	idle       Command // who ask for nothing meanwhile
	contacts   [16]collide.Contact
	reachable  [collide.MaxObstacles]collide.Obstacle // scratch
	events     [MaxEvents]Event
	eventCount int
}

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
	f.iterations, f.handovers, f.eventCount = 0, 0, 0
	f.stepped, f.edged, f.begun = false, false, true
	f.sill = math.Inf(1)
	f.walkable = collide.MinWalkableNormal(m.WalkableSlope)
	f.Acceleration, f.Analog, f.request = geom.Vec3{}, 0, geom.Vec3{}
	f.hold, f.volume, f.volumes, f.askew = 0, nil, false, false
	f.meet(w, d)
	f.Up = s.UpVector()
	if geom.Finite(c.Yaw) && geom.Finite(c.Pitch) {
		s.Pitch = c.Pitch
		if m.Facing == FaceView && s.Mode != OnPath {
			s.Yaw = c.Yaw
		}
	}
	if s.Mode == None {
		f.dropPushes()
		f.dropMotion()
		s.JumpHeld = c.Jump
		return
	}
	if d <= 0 {
		return
	}
	f.Remaining = f.Duration
	f.planar = false
	if s.Mode == OnPath { // nobody steers it
		f.dropPushes()
		f.dropMotion()
		s.JumpHeld = c.Jump
		return
	}
	f.enterPlane()
	f.orient()
	f.ride()
	if s.ForceFloor || f.askew {
		f.refind()
	}
	f.immerse()
	f.jump(d)
	f.steer()
	f.cleanMotion()
	f.applyPushes()
	f.stance()
	f.applyLaunch()
	f.prepareMotion()
	f.aimInPlane()
}

// steer turns the command's input into an acceleration (INP-04, INP-06, INP-07):
// level for those who walk or fall, along the view for those who swim or fly. A
// request of path following is instead of input, and no faster than the body.
func (f *StepContext) steer() {
	c := f.Command
	if !c.Request.IsZero() && c.Request.Finite() {
		f.request = c.Request.ClampLen(f.Model.SpeedLimit(f.State, c))
		return
	}
	if c.Forward == 0 && c.Right == 0 && c.Up == 0 {
		return
	}
	var dir geom.Vec3
	if f.Mode == Swimming || f.Mode == Flying {
		dir, f.Analog = c.free()
	} else {
		dir, f.Analog = c.level()
	}
	if !(f.Analog > 0) { // nothing left, or not a number
		f.Analog = 0
		return
	}
	if !f.State.Up.IsZero() {
		dir = f.Orientation().Rotate(dir)
	}
	f.Acceleration = dir.Mul(f.Model.MaxAcceleration)
}

// Running reports whether the move has time left to simulate, and where it has
// not ends the move: call it until it says no. A mode that cannot go on lets go of
// the time by setting Left to 0.
func (f *StepContext) Running() bool {
	if f.Remaining >= MinTime && f.handovers < maxHandovers && f.Mode != None {
		return true
	}
	if f.begun {
		f.end()
	}
	return false
}

// end is what happens once after the modes have integrated (PRF-01).
func (f *StepContext) end() {
	f.begun = false
	if f.Mode == None || f.Duration <= 0 {
		return
	}
	f.face()
	f.turnMotion()
	f.holdPlane()
	f.alight()
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
		f.walk()
	case Falling:
		f.fall()
	case Swimming:
		f.swim()
	case Flying:
		f.fly()
	case NavWalking:
		f.navWalk()
	case OnPath:
		f.followRail()
	default:
		f.Remaining = 0
	}
	f.tidy()
}

// SetMode hands over to another mode: what a mode calls when it is done. The time
// left is the next mode's.
func (f *StepContext) SetMode(m Mode) {
	if m != Walking {
		f.Floor = Floor{}
	}
	if m != Falling {
		f.letGo()
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
// seconds (PRF-11): at most 50 ms, halves where that divides evenly, and all of
// it in the last of 8 slices.
func (f *StepContext) TakeSlice() float64 {
	f.iterations++
	f.barred = barred{}
	h := slice(f.Remaining, f.iterations)
	if f.motion.on {
		h = f.sliceMotion(h)
	}
	f.Remaining -= h
	if f.Remaining < MinTime {
		f.Remaining = 0
	}
	return h
}

// slice returns the length of the iteration-th slice (from 1) of what is left.
func slice(left float64, iteration int) float64 {
	if left > maxSlice && iteration < maxIterations {
		return math.Max(math.Min(maxSlice, float64(left*0.5)), MinTime)
	}
	return math.Max(left, MinTime)
}

// slicing reports whether the mode has another slice to integrate.
func (f *StepContext) slicing(m Mode) bool {
	return f.Mode == m && f.Remaining >= MinTime && f.iterations < maxIterations
}

// Events returns what happened so far, oldest first. It is valid until the next
// Begin.
func (f *StepContext) Events() []Event { return f.events[:f.eventCount] }

// report keeps an event while there is room.
func (f *StepContext) report(k EventKind, value float64) {
	if f.eventCount < MaxEvents {
		f.events[f.eventCount] = Event{k, value}
		f.eventCount++
	}
}
