package bodies

import (
	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// maxTickDistance is the distance in metres beyond which a player did not walk there within a tick,
// but was put there. Without the bound, a teleport would sweep every ball on its way along.
const maxTickDistance = 2.5

// player is the state of a player as a pusher, from tick to tick.
type player struct {
	solid bool      // it had a body
	life  uint8     // with another life it did not walk where it stands
	feet  geom.Vec3 // m
}

// Push adds a pusher that is no player, such as a character of package npc, to the next Step. Its ID
// is what Event.Player names.
func (s *Server) Push(p body.Pusher) { s.extra = append(s.extra, p) }

// pushPlayers makes the pushers of a Step: of the players with a body, on their way from where they stood a
// tick ago to where they stand now, and those of Push.
func (s *Server) pushPlayers(d clock.Micros) {
	s.pushers = s.pushers[:0]
	for id := range s.players {
		s.pushPlayer(session.PlayerID(id), d)
	}
	s.pushers = append(s.pushers, s.extra...)
	s.extra = s.extra[:0]
}

// pushPlayer makes a pusher of a player.
func (s *Server) pushPlayer(id session.PlayerID, d clock.Micros) {
	pose, capsule, solid := s.match.PlayerBody(id)
	before := s.players[id]
	s.players[id] = player{solid, pose.Life, pose.Position}
	if !solid {
		return
	}
	moved := pose.Position.Sub(before.feet)
	// A player that spawned or was teleported did not walk here, so it has no velocity to push with.
	if !before.solid || before.life != pose.Life || moved.LenSq() > maxTickDistance*maxTickDistance {
		moved = geom.Vec3{}
	}
	v := pushVelocity(&pose, moved, d)
	// The world moves a pusher by its velocity, so it begins where the player stood a tick ago.
	s.pusher = body.Pusher{ID: uint16(id), Capsule: capsule.Moved(v.Mul(-d.Seconds())), Velocity: v}
	if s.config.Pusher != nil {
		s.pose = pose // a field, as Server.pusher
		if !s.config.Pusher(&s.pose, &s.pusher) {
			return
		}
	}
	s.pushers = append(s.pushers, s.pusher)
}

// pushVelocity returns the velocity in m/s with which a player pushes that has moved in the last d. Late
// moves arrive together, but do not push harder than the player runs.
func pushVelocity(pose *track.Sample, moved geom.Vec3, d clock.Micros) geom.Vec3 {
	if d <= 0 {
		return geom.Vec3{}
	}
	own := pose.Velocity.Sub(pose.BaseVelocity).Len()
	return moved.Div(d.Seconds()).ClampLen(max(own, 1) + pose.BaseVelocity.Len())
}
