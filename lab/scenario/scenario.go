package scenario

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/transport/mem"
)

// Scenario is an experiment: what a file says, with every default filled in,
// checked, in SI units and radians. Match time zero is the first server tick at
// which every player has joined, spawned and synchronised its clock.
//
// Fields called Line are lines of the file, from 1; below zero they are settings
// of the command line, and zero is a default. [Scenario.ErrorAt] says them.
type Scenario struct {
	// File is where it was read, Sets each key=value that overrode it.
	File string
	Sets []string

	// Name is for people; by default the file's, without folder and ending.
	Name string
	// Seed is where everything random comes from. Default 1.
	Seed uint64
	// Duration is the match time from time zero on, above 0. It has no default.
	Duration clock.Micros
	Server   Server
	// Geometry is the world, unless Level is given.
	Geometry []Shape
	// Level is the world, unless its name is empty.
	Level Level
	// Paths are those that characters may follow, in the file's order.
	Paths []Rail
	// Params are tunables of the movement model that differ from their defaults,
	// in the file's order.
	Params []Param
	// Network is what players have who say nothing else. By default it delivers
	// everything at once. Its Burst leaves with probability 1 unless it says
	// otherwise.
	Network mem.Network
	Players []Player
	Faults  []Fault
	Expect  []Expectation
	// Uses are the words of the file that a build may not know yet; see
	// [Scenario.Unsupported].
	Uses []Use
}

// ErrorAt is an error about something in the scenario, placed at a Line of it.
func (s *Scenario) ErrorAt(line int, text string) Error { return at(s.File, s.Sets, line, text) }

// Player returns the index of the player of that name, and −1 for nobody's.
func (s *Scenario) Player(name string) int {
	for i := range s.Players {
		if s.Players[i].Name == name {
			return i
		}
	}
	return -1
}

// Server is how the match is served.
type Server struct {
	// Begin is what the match's clock shows when the experiment begins, for clocks that
	// have run for long, up to MaxBegin. Default 0: a new match.
	Begin clock.Micros
	// Tick is in Hz, 1 … 1,000. Default 60.
	Tick int
	// Snapshots is in Hz, 1 … Tick: sent on every Tick/Snapshots-th tick. Default
	// Tick.
	Snapshots int
	// MaxRewind is how far back any shot is judged at most, up to MostRewind. Default 600 ms.
	MaxRewind clock.Micros
	// Cap is the largest round trip credited to a shooter, up to 10 s. Default
	// 400 ms.
	Cap clock.Micros
	// Beyond is what becomes of shots over a longer round trip: one of Beyonds. Default
	// capped.
	Beyond string
	// Cover is for how long at most somebody who has got behind cover can still be hit, up
	// to 10 s. Default 0: for as long as the shooter saw them.
	Cover clock.Micros
	// Favour is against which past projectiles fly, whatever their weapons say: one of
	// Favours. Default empty: as the weapons say.
	Favour string
	// Damage lets hits hurt. Default off.
	Damage bool
	// Block makes players obstacles to one another. Default off.
	Block bool
	// Budget is how many bytes of others a snapshot for one client may take, 50 … 10,000.
	// Default 0, which is the library's own.
	Budget int
	// Radius is how far away in metres others may be to be told of. Default 0: anywhere.
	Radius float64
	// Sight hides whom a player cannot see. Default off.
	Sight bool
	// Things brings what the level has places for: bodies to push, what is picked up.
	// Default off; only with a Level.
	Things bool
}

// Level is a world from elsewhere. One of the two is set.
type Level struct {
	Name string // of a built-in level
	File string // of a .glb or a .world (a packed world): a path from where the program runs
	Line int
}

// Kind is what a Shape is.
type Kind string

// The kinds of shape. What stands beside a kind is what it uses of a Shape. From
// Water on they are volumes, which do not collide; all of those have a Priority.
const (
	Box       Kind = "box"       // Min, Max, Yaw
	Ramp      Kind = "ramp"      // At, Width, Rise, Run, Yaw
	Stairs    Kind = "stairs"    // At, Width, Rise, Run, Steps, Yaw
	Triangles Kind = "triangles" // Triangles
	Hull      Kind = "hull"      // Hull
	Body      Kind = "body"      // Name, Parts, Path
	Water     Kind = "water"     // Min, Max, Yaw, Friction, TerminalSpeed
	Pad       Kind = "pad"       // Min, Max, Yaw, Launch
	Gravity   Kind = "gravity"   // Min, Max, Yaw, Up
	Planet    Kind = "planet"    // At, Radius
	Kill      Kind = "kill"      // Min, Max, Yaw
)

// Shape is one piece of the world. Lengths are in metres.
type Shape struct {
	Kind Kind
	// Min and Max are opposite corners.
	Min, Max geom.Vec3
	// At is the middle of a ramp's low edge, of the foot of the first riser, or of a
	// planet.
	At geom.Vec3
	// Width, Rise and Run of a ramp, or of one step.
	Width, Rise, Run float64
	Steps            int // 1 … 1,000
	// Yaw turns a box about its middle, ramp and stairs about the vertical
	// through At, in radians.
	Yaw float64
	// Triangles are counter-clockwise seen from the solid's outside.
	Triangles [][3]geom.Vec3
	// Hull is the points whose convex hull is solid, 4 … MaxHull.
	Hull []geom.Vec3
	// Name and Path of a body, and the solid shapes that it is made of, relative to
	// its place.
	Name  string
	Parts []Shape
	Path  Path
	// Priority of a volume, −128 … 127: where several overlap the highest counts.
	Priority int
	// Friction of the water in 1/s; zero: the character's own.
	Friction float64
	// TerminalSpeed in the water, m/s; zero: the character's own.
	TerminalSpeed float64
	// Launch is the velocity that a jump pad gives, m/s.
	Launch geom.Vec3
	// Up is the direction against gravity, of length 1.
	Up geom.Vec3
	// Radius of the ball in which everything falls towards At.
	Radius float64
	Line   int
}

// Path is where something is, over match time: on the way from one point to the
// next, at the first before it and at the last after it.
type Path struct {
	// Loop repeats the path; the last point is then where the first is.
	Loop bool
	// Smooth runs through the points on a curve instead of straight lines.
	Smooth bool
	// Axis that a body's angles turn about; zero means +Y.
	Axis geom.Vec3
	// Points are at least one, in order of time, the first at 0.
	Points []Point
}

// Point is where something is at a match time since time zero, and how far it is
// turned then, in radians.
type Point struct {
	At    clock.Micros
	Place geom.Vec3
	Angle float64
}

// Rail is a path that characters in mode path follow, the feet at its places and
// facing its angle, from when they were set on it.
type Rail struct {
	Name string
	Path
	Line int
}

// Rail returns the index of the path of that name, and −1 for none.
func (s *Scenario) Rail(name string) int {
	for i := range s.Paths {
		if s.Paths[i].Name == name {
			return i
		}
	}
	return -1
}

// Param sets one tunable of the movement model.
type Param struct {
	Name string // snake_case
	// Value is in SI units, angles in radians; 1 and 0 stand for true and false.
	Value float64
	Line  int
}

// Player is one participant.
type Player struct {
	// Name is of letters, digits, - and _, and nobody else's.
	Name string
	// At is where the feet are held until time zero. Default the origin.
	At geom.Vec3
	// Yaw is where it looks at first, in radians. Default 0.
	Yaw float64
	// Frame is in display frames a second, 1 … 1,000: a list takes turns every
	// second of client time, and its rates are whole. Default 60.
	Frame []float64
	// Send is the most packets a second this client sends, 1 … 1,000. Default 60.
	Send float64
	// Tick is how many commands a second this client makes, all equally long, MinTick …
	// MaxTick; zero, the default, is one a frame.
	Tick int
	// InputDelay is for how long this player's moves wait on the server for what is late,
	// up to MaxInputDelay. Default 0.
	InputDelay clock.Micros
	// Network is the player's own: the scenario's with what the player overrides.
	Network mem.Network
	Clock   Clock
	// Remote is how this client draws others: see Remotes. Default interpolate.
	Remote string
	// Cheat is one of Cheats, Bot one of Bots. Default none.
	Cheat, Bot string
	// Foul is how much it cheats, where the cheat can say.
	Foul Foul
	// Script is in order of time. A bot ignores it.
	Script []Entry
	// Commands is a file of exact commands from a recording, in place of a script: a path
	// from where the program runs; "" is none. See Commands.
	Commands string
	Line     int
}

// Foul is how much a cheat cheats. What a cheat does not use is zero.
type Foul struct {
	// Rate is by what the durations of speed and burst are multiplied, 0.1 … 100. Default
	// 2.
	Rate float64
	// Hold is for how long lag holds the way up, and burst multiplies, out of each Every,
	// up to 60 s. Default 250 ms out of every second. For ping it is by how much longer the
	// line is made to look, for backdate by how much older views are claimed to be; Every is
	// 0 then.
	Hold, Every clock.Micros
}

// Clock is how wrong a client's clock is.
type Clock struct {
	// Rate is how fast it runs, 0.1 … 10. Default 1.
	Rate float64
	// Offset is what it shows too much at the beginning.
	Offset clock.Micros
}

// Entry is one line of a script. What is nil or empty is not in it.
type Entry struct {
	At clock.Micros
	// Forward and Right are −1 … 1 relative to the current yaw; Yaw in radians.
	Forward, Right, Yaw *float64
	// Turn and Tilt are how fast yaw and pitch go on turning, in radians a second.
	Turn, Tilt *float64
	// Up is −1 … 1 for those who swim or fly, Pitch of the view in radians.
	Up, Pitch *float64
	// Jump and Crouch are held buttons.
	Jump, Crouch *bool
	// Press and Release are buttons of the title's own.
	Press, Release string
	Fire           *Fire
	// Mode is a movement mode that the server sets; see Modes. With mode path, Path is
	// the index of one of the scenario's paths.
	Mode string
	Path int
	// Push is a launch velocity in the world, m/s, given by the server.
	Push *geom.Vec3
	// RootMotion is started by the server or the owner.
	RootMotion *RootMotion
	Line       int
}

// Fire is a shot. It aims at a part of a player, or along Yaw and Pitch where At
// is empty.
type Fire struct {
	Weapon string // default rifle
	At     string // the player's name
	Part   string // one of Parts; default body
	// Lead aims a projectile at where the part will be when it gets there, if the player
	// goes on as drawn.
	Lead bool
	// Yaw and Pitch in radians; pitch is positive upwards.
	Yaw, Pitch float64
}

// RootMotion is a scripted, timed motion.
type RootMotion struct {
	Kind string // one of RootMotions
	For  clock.Micros
	// Velocity of a constant_force, m/s, and whether it turns with the facing.
	Velocity geom.Vec3
	Local    bool
	// Centre, Radius and Strength (m/s away from the centre, negative towards it) of a
	// radial_force.
	Centre           geom.Vec3
	Radius, Strength float64
	// Target of a move_to, for the feet.
	Target geom.Vec3
	// Way is the horizontal way of a jump_to, in metres, Height its height.
	Way    geom.Vec3
	Height float64
	// Additive adds the velocity to the character's own; otherwise it overrides.
	Additive bool
	// Priority decides between those that override: the highest acts.
	Priority int
	// IgnoreVertical leaves the vertical velocity to gravity and the ground.
	IgnoreVertical bool
	// Finish is the velocity to leave with, in m/s, and Clamp the fastest speed; nil
	// leaves it alone.
	Finish *geom.Vec3
	Clamp  *float64
	// ByOwner starts it in the owner's own command; otherwise the server does.
	ByOwner bool
}

// Fault is something that goes wrong.
type Fault struct {
	At, For clock.Micros
	// Kind is one of FaultKinds.
	Kind   string
	Player string
	// Frame is how many frames a second there are in the background, 0 … 60. Default 1.
	Frame float64
	Line  int
}
