package main

import "github.com/backstep-net/backstep/session"

// disabled is root "disabled".
var disabled Disabled

// Disabled is which parts of the netcode the page switches off, to show what they do.
type Disabled struct {
	// Disabled is what the page sets, for this and later sessions.
	session.Disabled
	// LagCompensationOptOut is whether the match lets its players do without lag compensation.
	LagCompensationOptOut bool
}

// apply switches what the page has changed.
func (d *Disabled) apply(c *client) {
	d.LagCompensationOptOut = c.LagCompensationOptOut()
	if c.Disabled() != d.Disabled {
		c.Disable(d.Disabled)
	}
}
