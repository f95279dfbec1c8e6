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
	EnterWorld(world *collide.World)
	Leave()
	Phase() Phase
	ID() PlayerID
	Key() Key
	Now(local clock.Micros) clock.Micros
	SendMessage(b []byte)
	Status() []byte
	Events() []Event
	Stats() Stats

	// Oneself.
	Frame(local clock.Micros, in *C)
	Self() *S
	StateBefore() *S
	InterpolationAlpha() float64
	Offset() geom.Vec3
	Position() geom.Vec3
	Eye() geom.Vec3
	Newest() uint32
	LastCorrection() predict.Correction
	Corrections() []predict.Correction

	// The picture.
	Remotes() []track.Entity
	Entities() []track.Entity
	NewEntities() []track.Entity
	Others() *remote.Remotes
	View() track.View
	// SampleSource says how the last Frame found where it shows somebody.
	SampleSource(id track.ID) track.SampleSource
	World() *collide.WorldAt

	// Shots.
	ApplyCorrection()
	Waiting() bool
	Aim(claim *shot.Claim) []rewind.Outcome
	FiredShots() []ClientShot
	LastShot() (*ClientShot, bool)
	Projectiles() []Projectile
	RequestShotDebug(shot uint32)
}

var (
	_ Player[int, int] = (*Client[int, int])(nil)
	_ Player[int, int] = (*Local[int, int])(nil)
)
