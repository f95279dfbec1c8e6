package arena

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// Body is everybody's rig, for drawing.
func Body() *rig.Rig { return humanoid() }

// Figure poses somebody as a picture shows them, and returns where the figure stands: of
// the living the very pose that shots are tested against. Who has been dead for so long
// lies down. It is false for what is no player. p is scratch.
func (g *Game) Figure(s *track.Sample, dead clock.Micros, p *rig.Posture, into *rig.Figure) (geom.Transform, bool) {
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

// Game is the rules that the player's end simulates by.
func (p *Player) Game() *Game { return p.game }
