package game

import (
	"math"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// Think returns a bot's input for the next frame, from its client's view: the bot walks towards the
// nearest player and shoots at its chest.
func Think(c *session.Client[Player, Input]) (in Input) {
	nearest, to := math.Inf(1), geom.Vec3{}
	for _, other := range c.Remotes() {
		if d := other.Position.Sub(c.Position()); !other.Dead && d.Len() < nearest {
			nearest, to = d.Len(), d
		}
	}
	in.Yaw = c.Self().Yaw
	if nearest > 40 {
		return in
	}
	to.Y -= 0.5 // the chest, from the eye
	in.Yaw, in.Pitch = geom.Yaw(to), geom.Pitch(to)
	if nearest > 6 {
		in.Forward = 1
	} else {
		in.Right = 0.7
	}
	in.Claim.Fire = c.Newest()%90 < 20 // in bursts
	in.Reload = c.Self().Ammo[0].Rounds == 0
	return in
}
