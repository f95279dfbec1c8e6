package avoid

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// Agent is one walker as its neighbours see it.
type Agent struct {
	// Position of the feet in metres, Velocity as it is and Wish as it should be, in
	// m/s. Heights of velocities do not count.
	Position, Velocity, Wish geom.Vec3
	// Radius in metres, a few centimetres more than the body's. Height in metres:
	// who is further above or below is on another floor. Zero means 2.
	Radius, Height float64
	// MaxSpeed in m/s that it can do.
	MaxSpeed float64
	// Weight is how little it gives way: of two, each does the other's share of
	// both weights. Zero means 1. One that does not avoid at all, a player, weighs
	// 1e6.
	Weight float64
	// Groups it belongs to and Ignores, those it does not give way to: bits. In no
	// group, nobody ignores it.
	Groups, Ignores uint32
	// Still is one whose velocity nobody asks for: it is only avoided.
	Still bool
}

// The bounds of what a walker heeds.
const (
	// MaxNeighbours is how many it heeds at most: the nearest.
	MaxNeighbours = 12
	// defaultRange is how far away they may be, in metres [VOL-07].
	defaultRange = 5
	// defaultHorizon is how far ahead it keeps clear, in seconds.
	defaultHorizon = 1
	// aside is how far, as a share of it, a wish is turned to the right while
	// somebody is ahead: who keeps to one side does not stand face to face. A crowd
	// of 20 crosses a circle in 1.3 × the free time with it, and without in 3 ×.
	aside = 0.2
)

// Crowd solves for many walkers at once. It is scratch and two tunables; keep one
// for each goroutine. The zero Crowd is ready.
type Crowd struct {
	// Range in metres within which walkers heed each other. Zero means 5.
	Range float64
	// Horizon in seconds for which velocities are kept safe: more avoids earlier
	// and leaves less freedom. Zero means 1.
	Horizon float64
	// Separated reports that a wall stands between the agents with those numbers, so that
	// neither is in the other's way. It is asked for those within Range that would count, and
	// must answer both ways alike. Nil: nothing separates anybody.
	Separated func(i, j int) bool

	near  []neighbour
	lines []line
	relax []line
}

// neighbour is a walker nearby.
type neighbour struct {
	distSq float64
	index  int
}

// Solve appends to into a velocity in m/s for each agent, for the next dt seconds:
// level, no faster than MaxSpeed; a Still one's is its own. Agents are in the order
// of their ids: that settles ties, so the same agents give the same velocities on
// every machine. Once into and the scratch are large enough it does not allocate.
func (c *Crowd) Solve(agents []Agent, dt float64, into []geom.Vec3) []geom.Vec3 {
	for i := range agents {
		a := &agents[i]
		if a.Still {
			into = append(into, a.Velocity)
			continue
		}
		c.heed(agents, i)
		c.bound(agents, i, math.Max(dt, 1e-3))
		v := c.choose(c.wish(agents, i), a.MaxSpeed)
		into = append(into, geom.V(v.x, 0, v.z))
	}
	return into
}

// wish is the agent's wish, within its speed, and to the right of somebody ahead.
func (c *Crowd) wish(agents []Agent, i int) vec {
	a := &agents[i]
	w := flat(geom.V(a.Wish.X, 0, a.Wish.Z).ClampLen(a.MaxSpeed))
	for _, n := range c.near {
		if w.dot(flat(agents[n.index].Position.Sub(a.Position))) > 0 {
			return vec{w.x - float64(w.z*aside), w.z + float64(w.x*aside)}
		}
	}
	return w
}

// heed collects the agent's neighbours, the nearest first.
func (c *Crowd) heed(agents []Agent, i int) {
	c.near = c.near[:0]
	a := &agents[i]
	reach := c.Range
	if reach == 0 {
		reach = defaultRange
	}
	for j := range agents {
		b := &agents[j]
		if j == i || a.Ignores&b.Groups != 0 || math.Abs(a.Position.Y-b.Position.Y) > a.tall(b) {
			continue
		}
		if d := flat(b.Position.Sub(a.Position)).lenSq(); d < float64(reach*reach) && !c.separates(i, j, d) {
			c.note(neighbour{d, j})
		}
	}
}

// separates asks whether a wall keeps two apart, where that matters: the second is nearer
// than the farthest of the neighbours that fill the list.
func (c *Crowd) separates(i, j int, distSq float64) bool {
	full := len(c.near) == MaxNeighbours && distSq >= c.near[MaxNeighbours-1].distSq
	return c.Separated != nil && !full && c.Separated(i, j)
}

// tall returns how far apart in height two agents may be to be on one floor.
func (a *Agent) tall(b *Agent) float64 {
	h := math.Max(a.Height, b.Height)
	if h == 0 {
		h = 2
	}
	return h
}

// note keeps a neighbour among the nearest: sorted, of equals the lower number.
func (c *Crowd) note(n neighbour) {
	if len(c.near) < MaxNeighbours {
		c.near = append(c.near, n)
	} else if last := &c.near[MaxNeighbours-1]; n.distSq < last.distSq {
		*last = n
	} else {
		return
	}
	for k := len(c.near) - 1; k > 0 && c.near[k].distSq < c.near[k-1].distSq; k-- {
		c.near[k], c.near[k-1] = c.near[k-1], c.near[k]
	}
}

// bound makes one line for each neighbour.
func (c *Crowd) bound(agents []Agent, i int, dt float64) {
	horizon := c.Horizon
	if horizon == 0 {
		horizon = defaultHorizon
	}
	c.lines = c.lines[:0]
	a := &agents[i]
	for _, n := range c.near {
		b := &agents[n.index]
		at := flat(b.Position.Sub(a.Position))
		rel := flat(a.Velocity.Sub(b.Velocity))
		if at.lenSq() < 1e-12 { // one on the other: the lower number goes west
			at = vec{1e-3, 0}
			if n.index < i {
				at.x = -at.x
			}
		}
		u, dir := escape(at, rel, a.Radius+b.Radius, horizon, dt)
		share := b.weight() / (a.weight() + b.weight())
		if b.Still || b.Ignores&a.Groups != 0 {
			share = 1
		}
		c.lines = append(c.lines, line{flat(a.Velocity).add(u.mul(share)), dir})
	}
}

func (a *Agent) weight() float64 {
	if a.Weight == 0 {
		return 1
	}
	return a.Weight
}

// escape returns the smallest change of the relative velocity rel after which two
// whose centres are at apart do not come nearer than r within the horizon, and the
// direction of the border of what is safe there: safe is on its left. Those who
// overlap already have to part within dt.
func escape(at, rel vec, r, horizon, dt float64) (u, dir vec) {
	distSq := at.lenSq()
	apart := distSq > float64(r*r)
	if !apart {
		horizon = dt
	}
	w := rel.sub(at.mul(1 / horizon)) // from the middle of the cut-off circle
	ahead := w.dot(at)
	if !apart || ahead < 0 && float64(ahead*ahead) > float64(float64(r*r)*w.lenSq()) {
		length := math.Sqrt(w.lenSq())
		n := vec{-at.x, -at.z}.unit()
		if length > 1e-9 {
			n = w.mul(1 / length)
		}
		return n.mul(r/horizon - length), vec{n.z, -n.x}
	}
	leg := math.Sqrt(distSq - float64(r*r)) // along a side of the cone
	if at.cross(w) >= 0 {                   // straight ahead: to the right, as wishes turn
		dir = vec{float64(at.x*leg) - float64(at.z*r), float64(at.x*r) + float64(at.z*leg)}.mul(1 / distSq)
	} else {
		dir = vec{float64(at.x*leg) + float64(at.z*r), float64(at.z*leg) - float64(at.x*r)}.mul(-1 / distSq)
	}
	return dir.mul(rel.dot(dir)).sub(rel), dir
}
