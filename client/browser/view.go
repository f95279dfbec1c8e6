package browser

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// View is what one frame draws: root "view". Between a lost connection and the next hello it
// keeps what the last frame showed, with Phase Outside.
type View[S comparable, C any] struct {
	// Protocol is session.Version, which the server's must equal: where it does not, the page is
	// an old one.
	Protocol uint16
	// Format is a hash of how the game's commands and states are packed
	// (session.Client.Format), which the server's must equal too.
	Format uint32
	// Phase is how far the session has got; Outside without one.
	Phase session.Phase
	// Error is why the last call of an export failed, "" if it did not.
	Error string
	// Closed is why the session is over, a sentence for the player that also says what helps
	// ("reload the page"), while Phase is Ended; "" after leave.
	Closed string
	// Queue is the player's place in the queue of a full match, 1 is the next; 0 if it does not wait.
	Queue int32
	// ID is the player's number, 0 before joining.
	ID track.ID
	// ResumeKey is the secret by which the player comes back to its seat after a lost
	// connection, in hex: for the next hello. "" before joining.
	ResumeKey string
	// MatchInfo is what the game on the server told about the match when the player joined
	// (session.ServerConfig.MatchInfo).
	MatchInfo []byte
	// Weapons is the match's table; empty before joining, and without any.
	Weapons shot.Table
	// Now is the match time of this frame.
	Now clock.Micros

	// Placed is whether the server has placed the player: without it, Self, Position, Eye and
	// Pose mean nothing.
	Placed bool
	// Self is the player's own state as predicted; without prediction
	// (session.Disabled) the newest that the server
	// is known to have. Draw the character at Position.
	Self S
	// Position is where the own character is drawn, and Eye where its player looks from, in
	// metres: both with Offset, and InterpolationAlpha of the way from the state before.
	Position, Eye geom.Vec3
	// Pose is how the own character is drawn: session.Game.Pose of Self in the world's frame, at Position.
	Pose track.Sample
	// Offset is the rest of the last corrections, fading: by how much Position differs from where
	// the state has it.
	Offset geom.Vec3
	// InterpolationAlpha is how far this frame is between the last two commands, 0 … 1: always 1
	// where each frame makes one.
	InterpolationAlpha float64

	// Fields are the fields that the game declares (session.Game.Fields), of the player itself,
	// and Match those of the match. A game without has neither.
	Fields, Match *Value
	// Remotes are all other players at the view time, by ascending id.
	Remotes []Entity
	// Entities are all other entities at the view time, by ascending id, without the player's
	// own projectiles.
	Entities []Entity
	// Movers are the poses of the level's movers, in the order of their nodes in its file.
	Movers []geom.Transform
	// Projectiles are the player's own that are on their way.
	Projectiles []combat.Projectile

	// Shots are the shots that the player fired in this frame.
	Shots []combat.ClientShot
	// Events is what has happened since the frame before, oldest first.
	Events []session.Event
	// Corrections are those that were applied since the frame before, oldest first, at most 16. Those of
	// earlier frames are not in it: session.Client.RecentCorrections has the newest since joining.
	Corrections []predict.Correction

	// Stats are the figures of the network.
	Stats session.Stats
	// InputDelay is the input delay that the page asked for.
	InputDelay clock.Micros
	// Packets is what this frame has to send, in order.
	Packets []session.Packet
}

// Entity is an entity at the view time.
type Entity struct {
	track.Entity
	// Fields are the fields that the game declares, as they were at the view time.
	Fields *Value
}

// Value is the value of a declared field: a number or a text. A pointer to one is to the first of
// as many as the game declares; on the page it is an object with the fields by their names.
type Value struct {
	// Number is the value of a number.
	Number int64
	// Text is the value of a text.
	Text string
}
