package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// bodyOf returns a player's body by its pose, which is in the world's frame; false for one that
// nothing collides with. scratch is the caller's:
// what a game's function is handed escapes.
func (r *rules[S, C]) bodyOf(pose, scratch *track.Sample) (geom.Capsule, bool) {
	if r.game.BodyCapsule == nil {
		return geom.Capsule{}, false
	}
	*scratch = *pose
	return r.game.BodyCapsule(scratch)
}

// PlayerBody returns Pose and, of a player that others collide with, its capsule in metres
// (Game.BodyCapsule). It is false where there is no such player in the world, where nothing collides
// with it, such as with the dead, and in a game without BodyCapsule.
func (s *Server[S, C]) PlayerBody(id PlayerID) (pose track.Sample, body geom.Capsule, solid bool) {
	if pose, solid = s.Pose(id); solid {
		body, solid = s.rules.bodyOf(&pose, &s.bodyPose)
	}
	return pose, body, solid
}

// EntityLife returns the number of the life of an entity (track.GameData.Life), by which a hit names
// the one that it met: what damage.Ledger.Spawn needs of an entity with health. It panics where there
// is no such entity.
func (s *entityTable) EntityLife(id track.ID) uint8 { return s.entity(id).life }

// OwnBody is PlayerBody of the client's own player, as predicted.
func (c *Client[S, C]) OwnBody() (pose track.Sample, body geom.Capsule, solid bool) {
	if c.owner == nil {
		return pose, body, false
	}
	pose = c.pose()
	body, solid = c.rules.bodyOf(&pose, &c.bodyPose)
	return pose, body, solid
}

// CommandLead returns by how much the player's commands are ahead of what the server has simulated:
// half the round trip, the input delay, and half a tick, for which a command waits on average. A body
// that the player pushes is simulated that much ahead of its newest state.
func (c *Client[S, C]) CommandLead() clock.Micros {
	lead := c.clock.RTT()/2 + c.uplink.delay.sent
	if c.ticks.ticks > 0 {
		lead += clock.Second / clock.Micros(2*c.ticks.ticks)
	}
	return lead
}

// PlayersBlock is ServerConfig.PlayersBlock: characters that the game moves itself then block players,
// and are blocked by them.
func (s *Server[S, C]) PlayersBlock() bool { return s.config.PlayersBlock }
