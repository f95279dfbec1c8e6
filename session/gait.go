package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// gait is what others see of how a player moves beside where: how far it has walked, and
// how far it has got into the stance that Game.Pose asks for. It is of the moves that were
// made, whoever made them: what was missing or forced counts, too. What moves a player
// otherwise, a placement or a push of the game's, is no walking.
type gait struct {
	walked float64 // metres, as Sample.StrideDistance
	stance track.Stance
	begun  bool
}

// follow takes in a move that lasted d, from one pose to the next, each in the frame of what
// it stands on.
func (g *gait) follow(from, to *track.Sample, d clock.Micros) {
	if !g.begun || from.Life != to.Life {
		*g = gait{walked: g.walked, stance: to.Stance, begun: true} // it stands as it is told to
		return
	}
	g.stance = g.stance.Towards(to.Stance, d)
	way := to.Position.Sub(from.Position)
	if from.Base != to.Base {
		way = to.Velocity.Mul(d.Seconds())
	}
	if way = way.Flat(to.UpVector()); way.LenSq() > 0 {
		g.walked = track.WrapStride(g.walked + way.Len())
		if g.walked < 1./track.StrideScale { // 0: it does not walk
			g.walked = 1. / track.StrideScale
		}
	}
}

// show fills in what others see of it.
func (g *gait) show(pose *track.Sample) {
	if pose.StrideDistance = g.walked; g.begun {
		pose.Stance = g.stance
	}
}

// walked takes in the step that a player's authority made last, which led to a pose.
func (s *Server[S, C]) walked(t *seat[S, C], pose *track.Sample) {
	from := s.rules.Pose(t.authority.StateBefore())
	t.gait.follow(&from, pose, t.authority.Command().Duration)
}
