package session

// Rejoin begins again over a new connection: the client says hello with the key that it has,
// for the seat that it had, or for a new one where that is no longer kept. It is then in the
// phase [Outside]. It forgets what it knew of the match, except its key, the
// input delay and events that were not read yet; local times run on. It may be called again
// before there was an answer.
func (c *Client[S, C]) Rejoin(name string) {
	key, events, config := c.key, c.events, c.config
	config.InputDelay = c.uplink.delay.wanted
	c.reset(c.rules.game, config)
	c.key, c.events = key, events
	c.Hello(name, key)
}

// Format returns a hash of how the game's commands and states are packed; the server's must
// be the same. See [Server.Format].
func (c *Client[S, C]) Format() uint32 { return formatOf(&c.rules.game) }

// LevelHash returns the hash of the level that the server plays, "" before Welcomed.
func (c *Client[S, C]) LevelHash() string { return c.level }

// Refusal returns the server's reason for refusing the client or for throwing it out, ""
// if it has done neither.
func (c *Client[S, C]) Refusal() string { return c.refusal }
