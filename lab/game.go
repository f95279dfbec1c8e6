package lab

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Game is a game that scenarios are played with.
type Game interface {
	// Words returns the words that the game adds to the format.
	Words() scenario.Options
	// Levels returns the levels of the game, as .glb, by the name that files use.
	Levels() map[string][]byte
	// Match begins a match. An error is about the params.
	Match(Setup) (Match, error)
}

// Setup configures a match.
type Setup struct {
	session.ServerConfig
	// Spawns are the places where player 1, 2, … enters and respawns.
	Spawns []Spawn
	// FlightTimeline is the past in which projectiles fly, for all weapons; nil: as the weapons say.
	FlightTimeline *shot.FlightTimeline
	// Params are tunables of the movement model, as scenario files have them: gravity is negative.
	Params []scenario.Param
	// Paths are the paths of SetMode.
	Paths []collide.Path
	// Motions are those that players start with their own commands: Controls.Motion.
	Motions []*scenario.RootMotion
	// NavWalks reports that a player walks on the navigation mesh.
	NavWalks bool
	// Entities are the entities of the level, in its order; nil where the scenario does not want
	// them.
	Entities []level.Entity
	// Damage enables damage.
	Damage bool
	// Recorded plays commands of a recording: players do not die or respawn by themselves, and no
	// commands are combined.
	Recorded bool
	// KillHeight is the height below which a player dies, in metres.
	KillHeight float64
	// Seed decides what the match draws.
	Seed uint64
	// Quiet is the scenario's: above zero, package lab/swarm checks the match.
	Quiet clock.Micros
	// Honest says of each player whether it never cheats, nor sends what no honest client does.
	Honest []bool
}

// Vitals are what of a player can run out. Package lab/swarm compares them between both ends.
type Vitals struct {
	Life           uint8                 // number of the current life, from 1, modulo 256
	Dead           bool                  // the player waits to respawn
	Health, Armour int                   // points, 0 and more
	Held           int                   // index of the weapon in hand
	Rounds         [shot.MaxWeapons]int  // in the magazines
	Reloading      [shot.MaxWeapons]bool // a magazine fills up when that ends
}

// VitalsSource is a Match that reports the vitals of a player, false for none in the world.
type VitalsSource interface {
	Vitals(session.PlayerID) (Vitals, bool)
}

// OwnVitals is an Actor that reports the vitals that its player sees, false before it plays.
type OwnVitals interface {
	OwnVitals() (Vitals, bool)
}

// Spawn is the place where a player enters the match.
type Spawn struct {
	At  geom.Vec3 // position of the feet, m
	Yaw float64   // of the view, radians; 0 looks along −Z
}

// Match is a match of a Game.
type Match interface {
	Server
	Weapons() shot.Table
	// Join returns a client that has sent its hello.
	Join(Participant) Actor
	// Push launches a player with a velocity in m/s, at its next move.
	Push(id session.PlayerID, velocity geom.Vec3)
	// SetMode sets a player's movement mode, a word of scenarios; path is an index of Setup.Paths,
	// for mode path.
	SetMode(id session.PlayerID, mode string, path int)
	// Move starts a root motion of a player.
	Move(id session.PlayerID, motion *scenario.RootMotion)
}

// Wrapper is a Match or an Actor around another one, as that of package lab/swarm is. It need not
// implement what it leaves as it is.
type Wrapper interface{ Wrapped() any }

// As returns a Match or an Actor as one of the interfaces that only some implement, or else what it
// wraps. It reports false where neither implements that.
func As[T any](v any) (T, bool) {
	for {
		if t, ok := v.(T); ok {
			return t, true
		}
		w, ok := v.(Wrapper)
		if !ok {
			var none T
			return none, false
		}
		v = w.Wrapped()
	}
}

// hitboxesOf returns the hitboxes of a match's characters, nil where it has none of its own.
func hitboxesOf(m Match) rewind.HitboxProvider {
	if f, ok := As[interface{ Hitboxes() rewind.HitboxProvider }](m); ok {
		return f.Hitboxes()
	}
	return nil
}

// BodyCapsule is session.Game.BodyCapsule.
type BodyCapsule func(pose *track.Sample) (geom.Capsule, bool)

// BodyCapsuleOf returns the bodies of a match's characters, nil where it has none.
func BodyCapsuleOf(m Match) BodyCapsule {
	if b, ok := As[interface {
		BodyCapsule(pose *track.Sample) (geom.Capsule, bool)
	}](m); ok {
		return b.BodyCapsule
	}
	return nil
}

// Restorer is a Match that can set a player's state as packed in a file of commands. Scenarios with
// commands need it.
type Restorer interface {
	Restore(id session.PlayerID, packed []byte) error
}

// Participant is a player that joins a match.
type Participant struct {
	session.ClientConfig
	Name string // the player's name in the scenario, unique in the match
	// Cheat and Bot are words of a scenario; CheatParams is the strength of the cheat.
	Cheat, Bot  string
	CheatParams scenario.CheatParams
	Seed        uint64 // of the bot's random draws
}

// Actor is a Client that a script or a bot controls.
type Actor interface {
	Client
	// ApplyCorrection applies a received correction, so that Eye is the origin of the next shot.
	ApplyCorrection()
	Eye() geom.Vec3
	// Act plays one frame at a local time.
	Act(local clock.Micros, h *Controls)
	// Think returns the input of the bot for the frame. It is called for participants with a bot.
	Think(local clock.Micros) Controls
}

// Controls are the input of one frame.
type Controls struct {
	Forward, Right float64 // −1 … 1, relative to Yaw
	Up             float64 // −1 … 1, for swimming and flying
	Yaw, Pitch     float64 // of the view, radians
	Jump, Crouch   bool    // whether the keys are held
	Reload         bool    // held
	// Weapon is the name of the weapon to switch to, which takes time; empty keeps the one in hand.
	Weapon string
	// Buttons are the game's own buttons that are pressed, by name.
	Buttons []string
	// Motion is the number, from 1, of one of Setup.Motions to start; 0 is none.
	Motion int
	Fire   bool
	Aim    Aim // of the shot
	// Exact is a whole recorded command, packed, which replaces the other fields; nil is none. A
	// shot in it is aimed anew at the same angles.
	Exact []byte
}

// Aim is the direction of a shot.
type Aim struct {
	Yaw, Pitch float64 // radians
	// Target and HitGroup are the player and the hit group that it is aimed at; zero is none.
	Target   session.PlayerID
	HitGroup rig.HitGroup
}

// Words returns the words that files may use with a game: the game's, and the lab's levels and
// figures.
func Words(g Game) scenario.Options {
	o := g.Words()
	o.Levels = levelsOf(g)
	o.Figures = figureNames(o.Weapons)
	return o
}
