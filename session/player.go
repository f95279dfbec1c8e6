package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Player is a player's side of a match as its game sees it, whether over a line
// (Client) or at the server's own machine (Local): what concerns the line alone
// (Hello, Receive, Outgoing) is not in it. What each method is, Client says.
type Player[S comparable, C any] interface {
	// The match.
	Enter(world *collide.World)
	Leave()
	Phase() Phase
	ID() PlayerID
	Key() Key
	Now(local clock.Micros) clock.Micros
	Tell(b []byte)
	Status() []byte
	Events() []Event
	Stats() Stats

	// Oneself.
	Frame(local clock.Micros, in *C)
	Self() *S
	Before() *S
	Share() float64
	Offset() geom.Vec3
	Position() geom.Vec3
	Eye() geom.Vec3
	Newest() uint32
	LastCorrection() predict.Correction
	Corrections() []predict.Correction

	// The picture.
	Remotes() []track.Entity
	Things() []track.Entity
	Arrived() []track.Entity
	Others() *remote.Remotes
	View() track.View
	// Fit says how the last Frame found where it shows somebody.
	Fit(id track.ID) track.Fit
	World() *collide.View

	// Shots.
	Settle()
	Waiting() bool
	Aim(claim *shot.Claim) []rewind.Outcome
	Claims() []Claimed
	Claimed() (*Claimed, bool)
	Flights() []Flying
	Dispute(shot uint32)
}

var (
	_ Player[int, int] = (*Client[int, int])(nil)
	_ Player[int, int] = (*Local[int, int])(nil)
)
