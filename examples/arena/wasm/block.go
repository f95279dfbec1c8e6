package main

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// block is root "arena" and controls is root "controls".
var (
	block    Block
	controls Controls
)

// How much a Block shows at most.
const (
	maxFigures = 64
)

// Block is what the page reads of the arena besides the View. Lists of what happened are those of
// the last frame.
type Block struct {
	// Player is the player's side of the match: status, kills, hit markers, goals. Nil before the
	// first hello.
	Player *arena.Player
	// Scores is the scoreboard, by player id; those that are not connected are empty.
	Scores []arena.Score
	// Text is what the last export that returns a text had to say.
	Text string
	// Pressed are the page's actions that were pressed in this frame, Held those that are held.
	Pressed, Held Actions

	// Joins and Leaves are the players that joined, changed team or name, and left.
	Joins  []Join
	Leaves []track.ID
	// Spawned says that the player was placed alive.
	Spawned bool
	// Notices are messages for the player.
	Notices []string
	// Scored says that Player.Goals has changed.
	Scored bool
	// Tracers are the shots of all players.
	Tracers []Tracer
	// Detonations are where projectiles ended.
	Detonations []Detonation
	// Hurts are the hits that the player took.
	Hurts []Hurt

	// Respawn is the time until the respawn, 0 while alive.
	Respawn clock.Micros
	// HighPing says to warn of the round trip.
	HighPing bool
	// Hooks are the grappling hooks that hold, the player's own and those of others.
	Hooks []HookLine
	// Figures are the poses of other players, the nearest first: those that shots are tested
	// against.
	Figures []Figure
	// Entities are all entities that are not players, as they are to be drawn: rigid bodies by
	// this client's simulation, the player's own projectiles, and the rest of View.Entities.
	Entities []DrawnEntity

	// Shot is one of the player's last shots, while Controls.DebugShots.
	Shot ShownShot
	// Killcam is the evidence of the shot that killed the player.
	Killcam ShownKillcam
}

// Controls is what the page writes before each frame.
type Controls struct {
	// Input is what a script adds to the devices. Yaw and Pitch are the view: the devices turn
	// it in place.
	arena.Input
	// Alone says that the devices do not move the character: they only turn the view and
	// control the page.
	Alone bool
	// DebugShots fills Block.Shot, which takes time.
	DebugShots bool
	// Killcam replaces the players of this frame with those of one of its screens.
	Killcam KillcamTime
	// Samples are what the devices reported since the last frame, in order, Count of them; the
	// frame sets Count to 0.
	Samples [256]DeviceSample
	Count   int32
	// Recorded are recorded players, for the export pose.
	Recorded [maxFigures]Recorded
}

// Screen selects the screen that a killcam shows.
type Screen uint8

// The screens.
const (
	NoScreen Screen = iota
	KillerScreen
	OwnScreen
)

// KillcamTime selects a screen of the killcam and an instant of it.
type KillcamTime struct {
	Screen Screen
	// Before is the time from the drawn instant to the shot, on the killer's screen, or to its verdict, on the
	// player's own.
	Before clock.Micros
}

// ShownKillcam describes a death by another player, from the message until the respawn.
type ShownKillcam struct {
	Killer track.ID // 0 is none
	Weapon uint8    // its index
	// Age is how much older the killer's view was than the server's state, Hidden how long the player had been behind
	// cover, and Apart how far it had moved since the killer's view, in metres.
	Age, Hidden clock.Micros
	Apart       float64
	// Direct reports that the shot hit the player; false is a blast beside it.
	Direct bool
	// Eye, Yaw and Pitch are the camera of the screen that Controls.Killcam selects, and At is the match time at which
	// its movers are drawn.
	Eye        geom.Vec3
	Yaw, Pitch float64
	At         clock.Micros
	// Point is where the shot ended.
	Point geom.Vec3
	// Players are the characters on that screen, as in Figures; on the killer's screen one of them is the player.
	Players []track.Entity
}

// DeviceSample is what a key reported.
type DeviceSample struct {
	Key   uint16  // its number, as key_number returns it
	Value float64 // 0 or 1, −1 to 1 of a stick, counts of the mouse
}

// Recorded is a recorded sample of a player. A record that is not of a player is ignored, a
// number beyond reason is 0.
type Recorded struct {
	track.Entity
	// Played is for how long its clip has played, DeadFor how long ago it died.
	Played, DeadFor clock.Micros
}

// Actions are the actions that are for the page and not for the character; Fire is for both: a spectator follows
// the next player with it.
type Actions struct {
	Scores, Net, Lag, Sound, Spectate, Bindings    bool
	RemoteDebug, ShotDebug, PreviousShot, NextShot bool
	Fire                                           bool
}

// Join is a player that joined, or changed its team or name.
type Join struct {
	Player track.ID
	Bot    bool
	Team   uint8 // arena.Red, arena.Blue or 0
	Name   string
}

// Tracer is a shot to draw.
type Tracer struct {
	Shooter track.ID
	Weapon  uint8 // its index
	// From is the muzzle and To where the shot ended; of a projectile, a point that it was aimed
	// at, of an own blade what it hit. Hit says that To is on a player, Ends are those of the
	// other pellets.
	From, To geom.Vec3
	Hit      bool
	Ends     []geom.Vec3
}

// Detonation is where a projectile ended.
type Detonation struct {
	Shooter   track.ID
	Weapon    uint8 // its index
	At        geom.Vec3
	Radius    float64 // of the blast, metres; 0 is none
	Corrected bool    // an own projectile that was shown to end elsewhere
}

// Hurt is a hit that the player took.
type Hurt struct {
	Damage   uint16
	From     geom.Vec3 // where the shot left
	By       track.ID  // 0 is the world
	Weapon   uint8     // its index
	HitGroup rig.HitGroup
	Ago      clock.Micros // the time since the instant that it was judged by
}

// HookLine is a hook that holds.
type HookLine struct {
	Player track.ID
	// At is where it holds, metres: of another player, estimated from where that looked.
	At geom.Vec3
}

// Figure is the pose of a player.
type Figure struct {
	Player track.ID
	Held   uint16 // what the player holds: Sample.UserData
	// Bones are the rig's, in the world.
	Bones []geom.Transform
}

// DrawnEntity is an entity that is not a player.
type DrawnEntity struct {
	// ID is its number, 129 to 1023; of the player's own projectiles 1024 and more.
	ID   track.ID
	Kind track.Kind // arena.KindBall and so on
	// Position is the middle, of a pickup the foot, metres; Velocity in m/s.
	Position, Velocity geom.Vec3
	Rotation           geom.Quat
	Asleep             bool   // at rest
	Predicted          bool   // simulated in the player's own time
	UserData           uint16 // of a health pack, the health that it gives
}

// ShownShot is one of the player's last shots, as the page showed it and as the server judged
// it.
type ShownShot struct {
	// Stored is how many shots are stored, Selected which this one is: 0 is the newest.
	Stored, Selected int
	// Record is the shot, nil without one.
	Record *ShotRecord
	// Fired is the match time when it was fired, of a projectile that has ended when it did, and
	// ViewRequested the time of the view that it was aimed at, or in which it hit.
	Fired, ViewRequested clock.Micros
	// Hitboxes are those of the players near its way, as the page and as the server had
	// them, and HitboxError the largest distance between the two, metres; −1 if none has both.
	Hitboxes    []Hitbox
	HitboxError float64
	// Lines are its ways, on the page and on the server.
	Lines []Line
}

// Hitbox is one in the world.
type Hitbox struct {
	Player track.ID
	Number rig.HitboxID // in its rig
	Judged bool         // as the server rebuilt it
	rig.Solid
}

// Line is a part of a shot's way.
type Line struct {
	Judged bool // by the server
	A, B   geom.Vec3
}
