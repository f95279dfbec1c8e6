package game

import (
	"math"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// Think returns a bot's input for the next frame, from its client's view: the bot that is "it" runs
// after the nearest player, every other bot runs away from the player that is "it".
func Think(c *session.Client[Player, Input]) (in Input) {
	nearest, run := math.Inf(1), geom.Vec3{}
	for _, other := range c.Remotes() {
		to := other.Position.Sub(c.Position())
		switch {
		case c.Number(c.ID(), "it") == 1 && to.Len() < nearest:
			nearest, run = to.Len(), to
		case c.Number(other.ID, "it") == 1:
			run = c.Position().Mul(-0.2).Sub(to) // away, and a little towards the centre
		}
	}
	if run != (geom.Vec3{}) {
		in.Forward, in.Sprint, in.Yaw = 1, true, geom.Yaw(run)
	}
	return in
}
