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
)

// Game is a title that scenarios are played with.
type Game interface {
	// Words are those that its files may use beside the documented ones.
	Words() scenario.Options
	// Levels are the levels of its own, as .glb, by the name that a file calls them.
	Levels() map[string][]byte
	// Features are what it can do.
	Features() scenario.Features
	// Match begins a match. An error is about the params.
	Match(Setup) (Match, error)
}

// Setup is what a match is made of.
type Setup struct {
	session.ServerConfig
	// Spawns is where player 1, 2, … enters, and returns to after a death.
	Spawns []Spawn
	// Favour is against which past projectiles fly, whatever their weapons say; nil: as
	// they say.
	Favour *shot.FlightTimeline
	// Params are tunables of the movement model, as scenario files have them:
	// gravity is negative.
	Params []scenario.Param
	// Paths are those that SetMode may set a player on.
	Paths []collide.Path
	// Motions are those that players start with commands of their own: Hands.Motion.
	Motions []*scenario.RootMotion
	// NavWalks is whether somebody walks on the navigation mesh.
	NavWalks bool
	// Things are what the level has places for, in its order; nil where the scenario does
	// not want them.
	Things []level.Entity
	// Damage lets hits hurt.
	Damage bool
	// Recorded matches are played from a recording: nobody dies or returns by itself, and
	// no commands are combined.
	Recorded bool
	// KillHeight is the height below which a player dies, in metres.
	KillHeight float64
	// Seed is for what the match draws.
	Seed uint64
}

// Spawn is a place for somebody's feet and where they look, in radians.
type Spawn struct {
	At  geom.Vec3
	Yaw float64
}

// Match is a match of a Game.
type Match interface {
	Server
	Weapons() []shot.Weapon
	// Join returns a player's end, which has said hello.
	Join(Participant) Actor
	// Push gives a player that velocity, in m/s, with the next move.
	Push(id session.PlayerID, velocity geom.Vec3)
	// SetMode puts a player into a movement mode of the Game's Features; path is an
	// index of Setup.Paths, for mode path.
	SetMode(id session.PlayerID, mode string, path int)
	// Move starts a root motion of a player.
	Move(id session.PlayerID, motion *scenario.RootMotion)
}

// looksOf are how a match's characters look to shots (session.HitboxGame), nil where it does
// not say.
func looksOf(m Match) rewind.HitboxProvider {
	if f, ok := m.(session.HitboxGame); ok {
		return f.Hitboxes()
	}
	return nil
}

// solidOf knows the bodies of a match's characters, nil where the match does not.
func solidOf(m Match) session.BodyShape {
	s, _ := m.(session.BodyShape)
	return s
}

// Restorer is a Match that can give a player a state of the game's, as packed in a file
// of commands: what scenarios with commands need.
type Restorer interface {
	Restore(id session.PlayerID, packed []byte) error
}

// Participant is who joins a match.
type Participant struct {
	session.ClientConfig
	Name string
	// Cheat and Bot are words of a scenario; "none" is none. Foul is how much it cheats.
	Cheat, Bot string
	Foul       scenario.Foul
	Seed       uint64
}

// Actor is a player's end that somebody plays.
type Actor interface {
	Client
	// ApplyCorrection applies a correction that has come, so that Eye is what a shot leaves
	// from.
	ApplyCorrection()
	Eye() geom.Vec3
	// Act is one frame at a local time.
	Act(local clock.Micros, h *Hands)
	// Think is what the bot does in the frame; a participant without a bot is not
	// asked.
	Think(local clock.Micros) Hands
}

// Hands are what a player does during one frame.
type Hands struct {
	Forward, Right float64 // −1 … 1, relative to Yaw
	Up             float64 // −1 … 1, for those who swim or fly
	Yaw, Pitch     float64 // of the view, radians
	Jump, Crouch   bool
	Reload         bool
	// Weapon is the name of the one to have in hand, "" for whichever that is. Others are
	// put away for it, which takes time.
	Weapon string
	// Buttons are the game's own that are pressed, by the names of its Words.
	Buttons []string
	// Motion is the number, from 1, of one of Setup.Motions to start; 0 is none.
	Motion int
	Fire   bool
	Aim    Aim // of the shot
	// Exact is the whole command as a file of commands packs it; nil: there is none, and
	// the other fields say what is done. A shot in it is aimed anew, at the same angles.
	Exact []byte
}

// Aim is where a shot goes.
type Aim struct {
	Yaw, Pitch float64 // radians
	// Target and Part are what it is aimed at, if at somebody.
	Target session.PlayerID
	Part   rig.Tag
}

// Words are the words that a file may use with a game: the game's, and the lab's
// level and figures.
func Words(g Game) scenario.Options {
	o := g.Words()
	o.Levels = levelsOf(g)
	o.Figures = append(o.Figures, moreFigures(o.Weapons)...)
	return o
}
