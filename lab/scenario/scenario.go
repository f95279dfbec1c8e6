package scenario

import (
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/strictyaml"
	"github.com/backstep-net/backstep/transport/mem"
)

// Scenario is an experiment as a file describes it: defaults filled in, checked, in SI units and
// radians. Match time zero is the first server tick at which every player has joined, spawned
// and synchronised its clock.
//
// Fields called Line are lines of the file, from 1; below zero they are overrides, and zero is a
// default. [Scenario.ErrorAt] places errors by them.
type Scenario struct {
	// File is the scenario's file. Overrides are the settings that replaced values of it, each as
	// `--set KEY=VALUE`.
	File      string
	Overrides []string

	// Name is for people. Default: the file's name without folder and ending.
	Name string
	// Seed decides everything random. Default 1.
	Seed uint64
	// Duration is the match time after time zero, above 0. It has no default.
	Duration clock.Micros
	// Quiet is the last part of Duration, in which no player acts. Above zero the run checks the
	// invariants of package lab/swarm at each tick, and in the end that both ends agree. Default 0.
	Quiet  clock.Micros
	Server Server
	// Geometry is the world, unless Level is given.
	Geometry []Shape
	// Level is the world, unless its name is empty.
	Level Level
	// Paths are paths for characters in mode path, in the order of the file.
	Paths []NamedPath
	// Params are tunables of the movement model that differ from their defaults, in the order of
	// the file.
	Params []Param
	// Network is the default network of players. By default it delivers everything at once, and
	// its Burst leaves with probability 1.
	Network mem.Network
	Players []Player
	Faults  []Fault
	Expect  []Expectation
}

// ErrorAt returns an error about something at a Line of the scenario.
func (s *Scenario) ErrorAt(line int, text string) strictyaml.Error {
	return strictyaml.ErrorAt(s.File, s.Overrides, line, text)
}

// Player returns the index of the player of that name, or −1.
func (s *Scenario) Player(name string) int {
	return slices.IndexFunc(s.Players, func(p Player) bool { return p.Name == name })
}

// Server configures the server of the match.
type Server struct {
	// StartTime is the time on the match's clock when the experiment begins, up to MaxStartTime: a
	// match that has run for long. Default 0.
	StartTime clock.Micros
	// Tick is in Hz, 1 … 1,000. Default 60.
	Tick int
	// Snapshots is in Hz, 1 … Tick: sent every Tick/Snapshots ticks. Default Tick.
	Snapshots int
	// MaxRewind is the longest time into the past at which any shot is judged, up to MaxRewind.
	// Zero judges every shot at the present. Default MaxRewind: whatever the link explains.
	MaxRewind clock.Micros
	// Beyond selects how shots into older views are judged: "capped" (the default) or "present".
	Beyond string
	// Cover is how long after it reached cover a player can still be hit, up to 10 s. Default 0:
	// as long as the shooter saw it.
	Cover clock.Micros
	// FlightTimeline is the timeline of projectiles, one of FlightTimelines, for all weapons.
	// Default empty: as the weapons say.
	FlightTimeline string
	// Damage enables damage. Default off.
	Damage bool
	// Block makes players obstacles to one another. Default off.
	Block bool
	// Budget is the largest number of bytes of other entities in a snapshot, 50 … 10,000.
	// Default 0: the library's default.
	Budget int
	// Radius is the distance in metres within which entities are sent to a client. Default 0:
	// any.
	Radius float64
	// Visibility withholds from a client the players that its player cannot see. Default off.
	Visibility bool
	// Entities spawns the entities of the level: bodies to push, pickups. Default off; only with
	// a Level.
	Entities bool
}

// Level is a world that is not in the scenario. One of Name and File is set.
type Level struct {
	Name string // of a built-in level
	File string // of a .glb or a .world (a packed world): a path from the working directory
	Line int    // line of the scenario file that says so
}

// Kind is what a Shape is.
type Kind string

// The kinds of shape, each with the fields of Shape that it uses. From Water on they are volumes,
// which do not collide and have a Priority.
const (
	Box       Kind = "box"       // Min, Max, Yaw
	Ramp      Kind = "ramp"      // At, Width, Rise, Run, Yaw
	Stairs    Kind = "stairs"    // At, Width, Rise, Run, Steps, Yaw
	Triangles Kind = "triangles" // Triangles
	Hull      Kind = "hull"      // Hull
	Mover     Kind = "mover"     // Name, Parts, Path, Trigger; if triggered, Min and Max
	Water     Kind = "water"     // Min, Max, Yaw, Friction, TerminalSpeed
	Pad       Kind = "pad"       // Min, Max, Yaw, Launch
	Gravity   Kind = "gravity"   // Min, Max, Yaw, Up
	Planet    Kind = "planet"    // At, Radius
	Kill      Kind = "kill"      // Min, Max, Yaw
)

// Shape is one piece of the world. Lengths are in metres.
type Shape struct {
	Kind Kind // decides which of the fields below are used
	// Min and Max are opposite corners; of a mover, those of the box in the world in which a
	// character triggers it.
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
	// Hull is the points of a solid convex hull, 4 … MaxHull.
	Hull []geom.Vec3
	// Name, Parts and Path of a mover: the solid shapes that it is made of, relative to its place.
	Name  string
	Parts []Shape
	Path  Path
	// Trigger is what starts the path of a mover; zero is match time.
	Trigger collide.Trigger
	// Priority of a volume, −128 … 127: where volumes overlap, the highest acts.
	Priority int
	// Friction of the water in 1/s; zero is the character's own.
	Friction float64
	// TerminalSpeed in the water in m/s; zero is the character's own.
	TerminalSpeed float64
	// Launch is the velocity that a jump pad gives, in m/s.
	Launch geom.Vec3
	// Up is the direction against gravity, of length 1.
	Up geom.Vec3
	// Radius of the ball in which everything falls towards At.
	Radius float64
	Line   int
}

// Path is a position over match time: at the first point before it, at the last point after it,
// and in between on the way from point to point.
type Path struct {
	// Loop repeats the path; the last point then equals the first.
	Loop bool
	// Smooth runs through the points on a curve instead of straight lines.
	Smooth bool
	// Axis of a mover's angles; zero means +Y.
	Axis geom.Vec3
	// Points are at least one, in order of time, the first at 0.
	Points []Point
}

// Point is one point of a Path.
type Point struct {
	// At is the time since the start of the path. A mover starts at time zero, a character when it
	// is set on the path.
	At clock.Micros
	// Place is the position of the mover or of the character's feet, in metres.
	Place geom.Vec3
	// Angle turns a mover about the path's Axis; for a character it is the yaw of its facing. In
	// radians, also of several turns. Default 0.
	Angle float64
}

// NamedPath is a path that characters in mode path follow.
type NamedPath struct {
	Name string // unique among the Paths; scripts name the path by it
	Path
	Line int // of the file, as in Scenario
}

// path returns the index of the path of that name, or −1.
func (s *Scenario) path(name string) int {
	return slices.IndexFunc(s.Paths, func(p NamedPath) bool { return p.Name == name })
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
	// Name is of letters, digits, - and _, and unique.
	Name string
	// At is the position of the feet until time zero. Default the origin.
	At geom.Vec3
	// Yaw is the first yaw of the view, in radians. Default 0.
	Yaw float64
	// Frame is the display rate in Hz, 1 … 1,000. Rates in a list are whole and alternate every
	// second of client time. Default 60.
	Frame []float64
	// Send is the largest number of packets a second, 1 … MaxSend. Default 60.
	Send int
	// Tick is the rate of the client's commands in Hz, all equally long, MinTick … MaxTick; zero,
	// the default, is a command per frame.
	Tick int
	// InputDelay is how long the server holds this player's moves, so that late ones arrive in
	// time, up to MaxInputDelay. Default 0.
	InputDelay clock.Micros
	// Network is the scenario's with the player's overrides.
	Network mem.Network
	Clock   Clock
	// Remote is how this client draws other players, one of Remotes. Default interpolate.
	Remote string
	// Cheat is one of Cheats; Bot is none, wander or hunter. Default none.
	Cheat, Bot  string
	CheatParams CheatParams
	// Script is in order of time. A bot ignores it.
	Script []Entry
	// Commands is a file of recorded commands that replaces the script: a path from the working
	// directory; empty is none. See [Commands].
	Commands string
	Line     int
}

// CheatParams are the strength of a cheat. Those that the cheat does not use are zero.
type CheatParams struct {
	// Rate is the factor by which speed and burst multiply durations, 0.1 … 100. Default 2.
	Rate float64
	// Hold is how long lag holds packets back, burst multiplies durations and withhold
	// acknowledges nothing, out of each Every, up to 60 s. Default 250 ms (withhold: 150 ms) of
	// every second. For ping it is the delay that the client adds (default 300 ms), for backdate
	// and withhold the age that it adds to views (backdate: 400 ms); Every is 0 for ping and
	// backdate.
	Hold, Every clock.Micros
}

// Clock is the error of a client's clock.
type Clock struct {
	// Rate is the speed of the clock, 0.1 … 10. Default 1.
	Rate float64
	// Offset is how far it is ahead at the beginning.
	Offset clock.Micros
}

// Entry is one entry of a script. Fields that it does not have are nil or empty.
type Entry struct {
	// At is the match time since time zero from which the entry is due: at the client's first frame,
	// or for the server's part at the first tick, at or after it.
	At clock.Micros
	// Forward and Right are −1 … 1 relative to the current yaw; Yaw in radians.
	Forward, Right, Yaw *float64
	// Turn and Tilt are the rates at which yaw and pitch change from then on, in radians a second.
	Turn, Tilt *float64
	// Up is −1 … 1 for swimming and flying, Pitch that of the view in radians.
	Up, Pitch *float64
	// Jump and Crouch are held buttons.
	Jump, Crouch *bool
	// Press and Release are the game's own buttons.
	Press, Release string
	Fire           *Fire
	// Mode is a movement mode that the server sets. With mode path, Path is an index of the
	// scenario's Paths.
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
	// Lead aims a projectile at the place where the part will be when the projectile arrives, if
	// the player moves on as drawn.
	Lead bool
	// Yaw and Pitch in radians; pitch is positive upwards.
	Yaw, Pitch float64
}

// RootMotion is a scripted, timed motion.
type RootMotion struct {
	Kind string       // constant_force, radial_force, move_to or jump_to
	For  clock.Micros // duration
	// Velocity of a constant_force in m/s; Local rotates it with the facing.
	Velocity geom.Vec3
	Local    bool
	// Centre, Radius and Strength (m/s away from the centre, negative towards it) of a
	// radial_force.
	Centre           geom.Vec3
	Radius, Strength float64
	// Target of a move_to, for the feet.
	Target geom.Vec3
	// Displacement is the horizontal displacement of a jump_to, Height its height, in metres.
	Displacement geom.Vec3
	Height       float64
	// Additive adds the velocity to the character's own; otherwise it overrides.
	Additive bool
	// Priority decides between motions that override: the highest acts.
	Priority int
	// IgnoreVertical leaves the vertical velocity to gravity and the ground.
	IgnoreVertical bool
	// Finish is the velocity at the end, Clamp the largest speed at the end, in m/s; nil leaves
	// the velocity as it is.
	Finish *geom.Vec3
	Clamp  *float64
	// ByOwner starts it in the owner's own command; otherwise the server starts it.
	ByOwner bool
}

// Fault is a fault of a player's process or network.
type Fault struct {
	// At is the match time since time zero at which the fault begins, For its duration, above 0.
	At, For clock.Micros
	// Kind is freeze, partition, background, clock_step, network, reconnect, restart (of the server,
	// with its state restored from a checkpoint), next_level (the same players go on on another level,
	// which is the same one begun anew), overload (of the server, which skips ticks), or
	// what a hostile client sends beside its own datagrams: garbage, bit_flips, replays,
	// wild_stamps.
	Kind   string
	Player string // name; empty for a restart, a next_level and an overload
	// Frame is the display rate in the background in Hz, 0 … 60. Default 1.
	Frame float64
	// By is how far a clock_step sets the player's clock forward, above 0. Its For is 0.
	By clock.Micros
	// Network is the player's network meanwhile, and Direction the one that has it: up, down, or
	// both if empty. Of kind network only; zero For is until the end.
	Network   mem.Network
	Direction string
	Line      int
}
