package game

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// Think returns a bot's input for the next frame, from its client's view: the bot runs behind the
// first ball, and then through it towards the ring.
func Think(c *session.Client[Player, Input]) (in Input) {
	for _, e := range c.Entities() {
		if e.Kind != Ball {
			continue
		}
		out := e.Position.Sub(Ring.Position)
		out.Y = 0
		behind := e.Position.Add(out.Unit())
		to := behind.Sub(c.Position())
		to.Y = 0
		if to.Len() < 0.6 {
			to = Ring.Position.Sub(c.Position())
		}
		in.Forward, in.Yaw = 1, geom.Yaw(to)
		return in
	}
	return in
}
