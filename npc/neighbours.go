package npc

import (
	"cmp"
	"slices"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// blockReach is how far away, in metres, a character may be to count as an obstacle of one move. A move
// of longestStep at 6 m/s is 0.75 m, and two capsules of the default model touch at 0.68 m.
const blockReach = 2.0

// slowest is the speed in m/s at which a character must approach another for that to be in its way. With
// zero, characters that walk one behind the other would swerve whenever one of them is a little slower.
const slowest = 0.3

// neighbours are all characters and players at their places at the beginning of a Step, sorted by X, so that
// a search for those nearby need not look at all.
type neighbours struct {
	list  []neighbour
	block bool
	found [collide.MaxObstacles]collide.Obstacle
	away  [collide.MaxObstacles]float64 // square of the distance of each, m²
}

// neighbour is a character or player.
type neighbour struct {
	id       track.ID
	player   bool
	at       geom.Vec3 // its feet
	velocity geom.Vec3
	capsule  geom.Capsule
}

// gather collects the neighbours.
func (b *neighbours) gather(c *Crowd) {
	// The list is made even where nobody blocks: characters step around each other and around players then too.
	b.list, b.block = b.list[:0], c.config.Match.PlayersBlock()
	for id := session.PlayerID(1); int(id) <= c.config.Match.Seats(); id++ {
		if pose, capsule, solid := c.config.Match.PlayerBody(id); solid {
			b.list = append(b.list, neighbour{id, true, pose.Position, pose.Velocity, capsule})
		}
	}
	for _, n := range c.list {
		if !n.dead {
			b.list = append(b.list, neighbour{n.id, false, n.state.Position, n.state.Velocity, n.kind.Model.Capsule(&n.state)})
		}
	}
	// By id where X is equal: the order, and with it every Step, depends on nothing but the places.
	slices.SortFunc(b.list, func(x, y neighbour) int { return cmp.Or(cmp.Compare(x.at.X, y.at.X), cmp.Compare(x.id, y.id)) })
}

// first returns the index of the first neighbour from an X on. A hundred characters would otherwise
// compare 10,000 pairs in a Step.
func (b *neighbours) first(x float64) int {
	i, _ := slices.BinarySearchFunc(b.list, x, func(n neighbour, x float64) int { return cmp.Compare(n.at.X, x) })
	return i
}

// inTheWay returns how far the nearest one ahead of a character is, and how far to its right; false
// where none is in the way. One that walks ahead as fast is not.
func (b *neighbours) inTheWay(n *character, dir, right geom.Vec3, speed float64) (ahead, aside float64, ok bool) {
	from := n.state.Position
	for i := b.first(from.X - avoidFrom); i < len(b.list) && b.list[i].at.X <= from.X+avoidFrom; i++ {
		o := &b.list[i]
		a, r, met := sideOf(o.at.Sub(from), dir, right)
		if met && speed-o.velocity.Dot(dir) > slowest && o.id != n.id && (!ok || a < ahead) {
			ahead, aside, ok = a, r, true
		}
	}
	return ahead, aside, ok
}

// obstacles returns the others near a character, at most collide.MaxObstacles of them, the nearest. It is
// valid until the next call.
func (b *neighbours) obstacles(n *character) []collide.Obstacle {
	k, from := 0, n.state.Position
	for i := b.first(from.X - blockReach); i < len(b.list) && b.list[i].at.X <= from.X+blockReach; i++ {
		o := &b.list[i]
		// Players stay in the way of a character that walks through other characters.
		if o.id == n.id || !n.solid && !o.player {
			continue
		}
		away, at := o.at.Sub(from).LenSq(), k
		switch {
		case away >= blockReach*blockReach:
			continue
		case k < len(b.found):
			k++
		default: // it takes the place of the farthest
			if at = farthest(&b.away); away >= b.away[at] {
				continue
			}
		}
		b.found[at], b.away[at] = collide.Obstacle{ID: uint16(o.id), Capsule: o.capsule, Velocity: o.velocity}, away
	}
	return b.found[:k]
}

// farthest returns the index of the largest distance.
func farthest(away *[collide.MaxObstacles]float64) int {
	far := 0
	for i, d := range away {
		if d > away[far] {
			far = i
		}
	}
	return far
}
