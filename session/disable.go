package session

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/remote"
)

// Disabled is which parts of the netcode a player does without, to see what they do: for
// demonstrations. The zero Disabled has all of them on.
type Disabled struct {
	// Prediction draws the own character where the server is known to have it, so each input waits for the
	// server's answer. Moves are made, sent and judged as always, and Self is still predicted.
	Prediction bool
	// Interpolation draws others at the newest snapshot (remote.Newest). Shots claim what was drawn.
	Interpolation bool
	// LagCompensation has the server judge the player's shots at the present instead of in the view
	// that it saw. A match allows it with ServerConfig.LagCompensationOptOut; in others it does nothing.
	LagCompensation bool
}

// How often a client may switch its lag compensation.
const (
	optOutEvery = clock.Second / 4
	optOutRate  = 4  // a second,
	optOutBurst = 40 // and at once
)

// optOut is a client's request to have its shots judged at the present.
type optOut struct {
	allowed, sent bool
	at            clock.Micros // local time when it was sent
	ever          bool         // it was sent before
}

// Disable switches parts of the netcode off and the others on, from the next Frame on. The server learns of
// LagCompensation at most four times a second.
func (c *Client[S, C]) Disable(d Disabled) {
	c.disabled = d
	if c.owner != nil {
		c.owner.KeepAcknowledgedState(d.Prediction)
	}
	if c.others != nil {
		c.others.SetDefaultMode(c.mode())
	}
}

// Disabled returns which parts of the netcode are off, as Disable set them.
func (c *Client[S, C]) Disabled() Disabled { return c.disabled }

// LagCompensationOptOut reports whether the match lets its players do without lag compensation; false before
// Welcomed.
func (c *Client[S, C]) LagCompensationOptOut() bool { return c.uplink.optOut.allowed }

// mode returns how others are drawn.
func (c *Client[S, C]) mode() remote.Mode {
	if c.disabled.Interpolation {
		return remote.Newest
	}
	return c.config.Mode
}

// sendOptOut sends the server whether to judge this player's shots at the present, if that changed.
func (c *Client[S, C]) sendOptOut(local clock.Micros) {
	o := &c.uplink.optOut
	off := c.disabled.LagCompensation
	if !o.allowed || off == o.sent || o.ever && local-o.at < optOutEvery {
		return
	}
	o.sent, o.at, o.ever = off, local, true
	c.message(0, messageOptOut, func(p *bits.Packer) { p.Bool(&c.uplink.optOut.sent) })
}

// receiveOptOut changes how a player's shots are judged, in a match that allows it. Otherwise it is ignored
// and counted.
func (s *Server[S, C]) receiveOptOut(t *seat[S, C]) error {
	var off bool
	s.packer.Bool(&off)
	s.packer.End()
	if err := s.packer.Err(); err != nil {
		return err
	}
	if !t.limits.optOuts.take(s.now, 1, optOutRate, optOutBurst) {
		return errFlood
	}
	if !s.config.LagCompensationOptOut {
		t.traffic.Ignored++
		return nil
	}
	t.optedOut = off
	return nil
}
