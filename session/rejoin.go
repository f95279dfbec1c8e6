package session

import "slices"

// Reset prepares the client for a new connection after the old one was lost. The phase becomes [Outside]; Hello
// with [Client.Key] reclaims the seat, or gets a new one if the seat is gone. Reset keeps the key, the input
// delay, what Disable has switched off and unread events but Welcomed, which is of the old connection; local times
// run on. It may be called again before there was an answer.
func (c *Client[S, C]) Reset() {
	key, events, disabled, config := c.key, c.events, c.disabled, c.config
	// A game that reads of the old welcome would enter a level before the new one.
	events.list = slices.DeleteFunc(events.list, func(e Event) bool { return e.Kind == Welcomed })
	config.InputDelay = c.uplink.delay.wanted
	c.reset(c.rules.game, config)
	c.key, c.events, c.disabled = key, events, disabled
}

// Format returns a hash of how the game's commands and states are packed; the server's must
// be the same. See [Server.Format].
func (c *Client[S, C]) Format() uint32 { return formatOf(&c.rules.game) }

// LevelHash returns the hash of the level that the server plays, "" before Welcomed.
func (c *Client[S, C]) LevelHash() string { return c.level }

// Refusal returns the server's reason for refusing or kicking the client, "" if it did neither.
func (c *Client[S, C]) Refusal() string { return c.refusal }
