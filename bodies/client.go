package bodies

import (
	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// Player is what a Client needs of its player's session; a session.Client is one.
type Player interface {
	// Phase is how far the client has got in joining its match; bodies appear from Syncing on.
	Phase() session.Phase
	// World returns the level at the time of the last frame; its World is nil until the level is loaded.
	World() *collide.WorldAt
	// Now converts local time to match time.
	Now(local clock.Micros) clock.Micros
	// CommandLead is by how much the player's commands are ahead of what the server has simulated.
	CommandLead() clock.Micros
	// NewEntities returns the states received since the last call, each once.
	NewEntities() []track.Entity
	// Entities returns all entities that the client knows; bodies of others are removed.
	Entities() []track.Entity
	// OwnBody is as Match.PlayerBody, of the predicted player.
	OwnBody() (pose track.Sample, capsule geom.Capsule, solid bool)
}

// Client is the bodies of a match as one client draws them. Make one with Config.Join. It takes
// Player.NewEntities, which returns each state once: a game that reads it too has to share it.
type Client struct {
	config *Config
	player Player
	bodies *remote.Bodies // nil before the level is known
	pusher body.Pusher    // scratch: arguments of Config.Pusher escape
	pose   track.Sample   // the same
}

// Join returns the client's end of the bodies. It may be called at any time: the bodies appear once
// the client has entered the level. It panics where the declaration is wrong.
func (c *Config) Join(player Player) *Client {
	c.check()
	return &Client{config: c, player: player}
}

// Step simulates the bodies up to a local time: call it once a drawn frame, after
// session.Client.Frame with the same time. Bodies that the player pushes are simulated in the
// player's own time, by how much its commands are ahead of what the server has simulated.
func (c *Client) Step(local clock.Micros) {
	if c.player.Phase() < session.Syncing || !c.enter() {
		return
	}
	now := c.player.Now(local)
	// New states first, then removals, then the step: a body that is gone must not push others in this frame.
	c.bodies.Receive(c.player.NewEntities(), now)
	c.bodies.Retain(c.player.Entities())
	c.bodies.Step(now, c.player.CommandLead(), c.ownPusher())
}

// enter makes the bodies' world once the level is known, and reports whether it is.
func (c *Client) enter() bool {
	if level := c.player.World().World; c.bodies == nil && level != nil {
		c.bodies = remote.NewBodies(body.New(level, c.config.Physics), c.config.Follow, c.config.Body)
	}
	return c.bodies != nil
}

// ownPusher returns how the player pushes as it stands, nil if it does not. It has no velocity: the bodies
// find it from where the pusher was in the frame before.
func (c *Client) ownPusher() *body.Pusher {
	pose, capsule, solid := c.player.OwnBody()
	if !solid {
		return nil
	}
	c.pusher = body.Pusher{Capsule: capsule}
	if c.config.Pusher != nil {
		c.pose = pose
		if !c.config.Pusher(&c.pose, &c.pusher) {
			return nil
		}
	}
	return &c.pusher
}

// Drawn returns every body as the last Step left it, by ascending id, valid until the next Step. Draw
// bodies from here: session.Client.Entities has them too, as late as other players are drawn.
func (c *Client) Drawn() []remote.DrawnBody {
	if c.bodies == nil {
		return nil
	}
	return c.bodies.Drawn()
}

// Stats returns the corrections of the bodies so far.
func (c *Client) Stats() remote.BodyStats {
	if c.bodies == nil {
		return remote.BodyStats{}
	}
	return c.bodies.Stats()
}
