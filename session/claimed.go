package session

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
)

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
