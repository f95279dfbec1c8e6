package arena

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// CharacterRig returns the rig of all players, for drawing.
func CharacterRig() *rig.Rig { return humanoid() }

// Figure poses a player as a view draws it and returns where the figure stands. Of the
// living it is the pose that shots are tested against; a player dead for that long lies
// down. It returns false for what is not a player. p is scratch.
func (g *Game) Figure(s *track.Sample, dead clock.Micros, p *rig.Posture, into *rig.PosedRig) (geom.Transform, bool) {
	if s.Kind != 0 {
		return geom.Transform{}, false
	}
	rewind.PostureOf(s, p)
	if s.Dead {
		*p = rig.Posture{Clip: g.figures.body.Motion("dead"), ClipTime: dead}
	} else if g.figures.Hitboxes(s, p) == nil {
		return geom.Transform{}, false
	}
	into.Pose(g.figures.body, p)
	return rewind.Placement(s), true
}

// Game returns the rules that the player simulates by.
func (p *Player) Game() *Game { return p.game }
