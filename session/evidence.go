package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Evidence is by what the server judged one shot: enough to draw the figures that it
// tested beside those that the shooter saw, and to cast the shot again.
type Evidence struct {
	Shot uint32 // number of the command that fired
	// Known is whether the server still remembers it: it does the last 32 shots of each
	// player. Of an unknown one nothing else is told.
	Known   bool
	Receipt shot.Receipt // the newest, of a projectile
	// Eye is where it left, and Platform the match time at which bodies stood.
	Eye      geom.Vec3
	Platform clock.Micros
	// Targets are the samples that were tested, in the world's frame and bit for bit, by
	// ascending id: only things that the shooter's client was told of, at most 8.
	Targets []track.Entity
}

// Dispute asks the server for its Evidence on one of the player's last 32 shots, by the
// number of the command that fired it (Receipt.Shot). It comes as an event, Evidenced. More
// than 10 a second, or 40 at once, are not asked.
func (c *Client[S, C]) Dispute(shot uint32) {}

// Dispute asks for the Evidence on a shot, as Client.Dispute.
func (l *Local[S, C]) Dispute(shot uint32) {}
