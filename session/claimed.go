package session

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Claimed is a shot as its shooter's screen showed it, for measuring.
type Claimed struct {
	Number uint32 // of the command that it rides in
	Claim  shot.Claim
	// Eye and Outcome are where it left and what it met, by Aim.
	Eye     geom.Vec3
	Outcome rewind.Outcome
	// Targets are the picture that it was aimed at.
	Targets []track.Entity
}

// Claimed returns the shot that rides in the command of the last Frame, and false
// where none does: valid until the next Frame.
func (c *Client[S, C]) Claimed() (*Claimed, bool) { return &c.claimed, c.claimed.Claim.Fire }

// noteClaim keeps what Aim met beside the command just made, nil for none.
func (c *Client[S, C]) noteClaim(made *predict.Command[move[C]]) {
	if made == nil {
		return
	}
	before := c.claimed.Targets
	c.claimed, c.aimed = c.aimed, Claimed{}
	if c.config.Tick == 0 {
		c.claimed.Targets = before
	} else {
		c.aimed.Targets = before[:0] // room for the next picture
	}
	c.claimed.Claim, c.claimed.Number = *c.rules.Trigger(&made.Input.Game), made.Number
}

// Newest is the number of the newest command, 0 before the first.
func (c *Client[S, C]) Newest() uint32 {
	if c.owner == nil {
		return 0
	}
	return c.owner.Number()
}

// Position is where Self stands, without Offset.
func (c *Client[S, C]) Position() geom.Vec3 {
	if c.owner == nil {
		return geom.Vec3{}
	}
	return c.rules.Position(c.owner.State())
}

// Corrections are the last ones that came, at most 16, oldest first, for people who ask
// why (ACK-14): valid until the next Receive or Frame.
func (c *Client[S, C]) Corrections() []predict.Correction {
	if c.owner == nil {
		return nil
	}
	return c.owner.Corrections()
}

// LastCorrection is what is known of the newest correction that came.
func (c *Client[S, C]) LastCorrection() predict.Correction {
	if c.owner == nil {
		return predict.Correction{}
	}
	return c.owner.LastCorrection()
}
