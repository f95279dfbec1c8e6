package splitview

import (
	"math/rand/v2"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// Controls are what a player does in a step. The zero Controls do nothing.
type Controls struct {
	Right, Back float64 // where it runs, −1 … 1 along +X and +Z
	Jump, Fire  bool    // held
	// AtPoint aims at Point, in metres; otherwise the shot is aimed at the other player as this
	// player's screen shows it.
	AtPoint bool
	Point   geom.Vec3
	Off     float64 // radians by which the aim is off to the left: bots miss now and then
}

// bot plays one player. It runs from place to place, jumps now and then, and shoots.
type bot struct {
	dice           *rand.Rand
	to             geom.Vec3
	turnAt, fireAt clock.Micros
}

// places are where bots run to: around the middle, where no way between two is blocked for long.
var places = []geom.Vec3{
	geom.V(-3.2, 0, 0.8), geom.V(3.2, 0, 0.8), geom.V(-1, 0, 4.6), geom.V(1.2, 0, 4.3), geom.V(-1.2, 0, -4.3), geom.V(1, 0, -4.6),
	geom.V(-3.2, 0, -0.8), geom.V(3.2, 0, -0.8), geom.V(1.7, 0, 0.6), geom.V(-1.7, 0, -0.6),
}

func newBot(seed uint64) bot { return bot{dice: rand.New(rand.NewPCG(seed, 7))} }

// think returns what the bot does at a match time, standing there.
func (b *bot) think(now clock.Micros, at geom.Vec3) (c Controls) {
	if now >= b.turnAt || at.Sub(b.to).Flat(geom.Up).Len() < 0.4 {
		b.to = places[b.dice.IntN(len(places))]
		b.turnAt = now + clock.Second + clock.Micros(b.dice.IntN(800))*clock.Millisecond
		c.Jump = b.dice.IntN(4) == 0
	}
	if now >= b.fireAt {
		c.Fire = b.fireAt > 0
		if b.dice.IntN(4) == 0 {
			c.Off = 0.16
		}
		b.fireAt = now + 1500*clock.Millisecond + clock.Micros(b.dice.IntN(1400))*clock.Millisecond
	}
	way := b.to.Sub(at).Flat(geom.Up).Unit()
	c.Right, c.Back = way.X, way.Z
	return c
}
