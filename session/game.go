package session

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Game is the rules of a match: how a command changes a state, how both are packed, and how
// others see a state. S is everything that one move hands to the next, plain data; C is a
// player's input for one move.
//
// A Game is a value of functions, so a function of a wrong signature does not compile, and one
// that is missing is missing visibly. The functions must give the same bits on every machine
// and keep nothing between calls: then one Game serves any number of servers and clients, also
// in several goroutines. (A game whose functions share scratch belongs to one of them.)
//
// Step, PackCommand, PackState, Position and Pose are required; NewServer and NewClient panic
// without them. Package character fills what a state that embeds movement.State leaves nil.
// Package check tests a Game for what the compiler cannot see.
type Game[S comparable, C any] struct {
	// Step simulates one move. Required.
	Step func(m *Move, s *S, c *C)
	// PackCommand packs c in either direction; before is the command that stands before it in
	// the packet, the zero command for the first. Required. The session packs and unpacks each
	// command before it simulates it, so both ends step with what the wire carries; a number
	// out of its range is clamped (bits.Packer.WriteClamped), and a command that cannot be read
	// again is the zero command.
	PackCommand func(p *bits.Packer, c, before *C)
	// PackState packs s in either direction without loss. Required.
	PackState func(p *bits.Packer, s *S)
	// Position returns what predictions are compared by, in metres. Required.
	Position func(s *S) geom.Vec3
	// Pose returns what others see of s. Required. The session sets At and Kind, and adds its own counts to
	// Life and Teleport. A step that puts the character elsewhere, such as a respawn that it predicts, must
	// count that in s, and Pose return the count as Teleport: else others see the character fly there. A move
	// that changes Mode, Crouched or the GameData is sent at once, and in more packets [CMD-10]; UserData that
	// changes with each move would make all moves so.
	Pose func(s *S) track.Sample

	// Eye returns where the player sees and shoots from; nil means Position.
	Eye func(s *S) geom.Vec3
	// Digest returns a hash of what must agree exactly besides the position: mode, stance,
	// ammunition. Nil: the packed state without what ClearInexact clears is hashed.
	Digest func(s *S) uint16
	// ClearInexact clears, in a copy of a state, the fields that a prediction may have slightly wrong, such as
	// the velocity; those that it leaves must agree exactly. It is used without a Digest. Nil with
	// a nil Digest: only the position is compared.
	ClearInexact func(s *S)
	// ClearOneTime clears the one-time input of c (a shot, a press) and leaves held input: the result is
	// the input for time whose own command is missing. The session itself removes the claim of a shot. Nil:
	// all else is held.
	ClearOneTime func(c *C)
	// ReleaseHeld releases all that c holds and leaves what is not held, such as where the player
	// looks: the command of a player that has been silent for more than a second [GAP-11].
	// Nil means the zero command.
	ReleaseHeld func(c *C)
	// Combine reports whether one command may take the place of two that follow each other
	// (rows CMB), so that a screen of many frames a second needs no more packets than one of
	// few: first, which led from start to between, and second, which is not simulated yet.
	// The one has second's input and lasts m.Duration, in the world that it would collide with.
	// movement.Model.CanCombine knows what concerns movement. Nil: nothing is combined.
	Combine func(m *Move, start, between *S, first, second *C) bool
	// Differ appends to into the fields in which a prediction was wrong [ACK-14]; see
	// movement.Differ. Nil: corrections list no fields.
	Differ func(predicted, truth *S, into []predict.Difference) []predict.Difference
	// Trust decides whether a position that a client claims is adopted; see predict.Truster.
	// Nil trusts none. ServerConfig.Limits.TrustDistance needs it.
	Trust func(s *S, claimed geom.Vec3) bool

	// BodyCapsule returns the capsule, in metres, of a player that is seen in that pose, which
	// is in the world's frame; and false for one that is no obstacle, such as the dead.
	// ServerConfig.PlayersBlock needs it [BAS-08]; it also keeps those out of walls that the
	// modes remote.Linear and remote.Exponential extrapolate [SMO-15]. Nil: no bodies.
	BodyCapsule func(pose *track.Sample) (geom.Capsule, bool)
	// IsCharacter reports which kinds of entities are characters as players are, beside kind 0: they
	// are hit (by rig.DefaultRig, unless Hitboxes says otherwise), and BodyCapsule is called for
	// them, with their Kind in the pose. It must always return the same. Nil: kind 0 alone.
	IsCharacter func(kind track.Kind) bool
	// Hitboxes returns a new provider of the characters' hitboxes; nil means rig.DefaultRig.
	Hitboxes func() rewind.HitboxProvider
	// Blockers returns new rules for which of the level's movers stop shots, and which
	// can be broken [GAP-46]. Nil: they all stop them where the shooter sees them.
	Blockers func() rewind.Blockers
	// Fields declares values that clients read by name, such as team, score and what is in
	// hand: at most field.MaxFields. Both ends declare the same.
	Fields []Field[S]
	// Combat is the part of the game that is about shots; the zero Rules have none.
	Combat combat.Rules[S, C]
}

// Move is one move as a Step gets it. It is the session's and valid during the call.
type Move struct {
	// World is the world that the command collides with: World.At is the platform time, the command's
	// own stamp on both ends [BAS-01], and World.Obstacles the others in the way. The Step may set World.Exclude, for
	// this move: movers that do not collide with it, such as thin platforms above it [BAS-17].
	World *collide.WorldAt
	// Duration is how long the move lasts.
	Duration clock.Micros
	// Weapons is the match's table of weapons, empty without any.
	Weapons shot.Table
	// Motor is scratch for movement.Step.
	Motor movement.StepContext
}

// Walk simulates a character by a model: movement.Step with what the move has.
func (m *Move) Walk(model *movement.Model, s *movement.State, c *movement.Command) {
	movement.Step(model, s, c, m.Duration, m.World, &m.Motor)
}

// SetMissing sets the functions that g leaves nil to those of another Game. Combat is taken as a
// whole, from a game with shots by one without.
func (g *Game[S, C]) SetMissing(from *Game[S, C]) {
	setIf(g.Step == nil, &g.Step, from.Step)
	setIf(g.PackCommand == nil, &g.PackCommand, from.PackCommand)
	setIf(g.PackState == nil, &g.PackState, from.PackState)
	setIf(g.Position == nil, &g.Position, from.Position)
	setIf(g.Pose == nil, &g.Pose, from.Pose)
	setIf(g.Eye == nil, &g.Eye, from.Eye)
	setIf(g.Digest == nil, &g.Digest, from.Digest)
	setIf(g.ClearInexact == nil, &g.ClearInexact, from.ClearInexact)
	setIf(g.ClearOneTime == nil, &g.ClearOneTime, from.ClearOneTime)
	setIf(g.ReleaseHeld == nil, &g.ReleaseHeld, from.ReleaseHeld)
	setIf(g.Combine == nil, &g.Combine, from.Combine)
	setIf(g.Differ == nil, &g.Differ, from.Differ)
	setIf(g.Trust == nil, &g.Trust, from.Trust)
	setIf(g.BodyCapsule == nil, &g.BodyCapsule, from.BodyCapsule)
	setIf(g.IsCharacter == nil, &g.IsCharacter, from.IsCharacter)
	setIf(g.Hitboxes == nil, &g.Hitboxes, from.Hitboxes)
	setIf(g.Blockers == nil, &g.Blockers, from.Blockers)
	setIf(g.Fields == nil, &g.Fields, from.Fields)
	setIf(g.Combat.Trigger == nil, &g.Combat, from.Combat)
}

func setIf[F any](missing bool, f *F, to F) {
	if missing {
		*f = to
	}
}

// check panics where a function is missing that the session cannot do without.
func (g *Game[S, C]) check() {
	for _, f := range []struct {
		name    string
		missing bool
	}{
		{"Step", g.Step == nil}, {"PackCommand", g.PackCommand == nil}, {"PackState", g.PackState == nil},
		{"Position", g.Position == nil}, {"Pose", g.Pose == nil},
	} {
		if f.missing {
			panic("session: Game." + f.name + " is nil: set it, or let character.Fill do it for a state that embeds movement.State")
		}
	}
	g.Combat.Check()
}

// targets returns what the game's shots can hit.
func (g *Game[S, C]) targets() combat.Targets {
	return combat.Targets{Hitboxes: g.Hitboxes, Characters: g.IsCharacter, Blockers: g.Blockers}
}

// isCharacter reports whether entities of a kind are characters.
func (g *Game[S, C]) isCharacter(kind track.Kind) bool {
	return kind == 0 || g.IsCharacter != nil && g.IsCharacter(kind)
}

// Channel says how a packet travels.
type Channel uint8

// The two channels; the numbers are transport's.
const (
	Datagram Channel = iota
	Stream
)

// Packet is bytes to send. They are valid until the next Tick or Frame.
type Packet struct {
	Peer    Peer    // to which a Server's packet goes; 0 from a Client
	Channel Channel // how it is sent
	Bytes   []byte  // the payload
}

// Peer names one connection of a Server; the host gives out the numbers, from 1.
type Peer uint32
