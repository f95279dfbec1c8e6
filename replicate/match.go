package replicate

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// Rules say what the clients of a match are told. The zero Rules tell everybody
// everything that fits into 1,000 bytes a snapshot.
type Rules struct {
	// Budget is how many bytes of things a snapshot for one client may take; 0 is 1,000.
	// What there is no room for waits and becomes more urgent. That something is gone is
	// told whatever the budget.
	Budget int
	// Radius is how far away, in metres from the receiver, a thing may be to be told of,
	// 0 for any distance. It goes on being told of until it is beyond Leave; 0 is
	// 1.2 × Radius.
	Radius, LeaveRadius float64
	// Near is within how many metres a thing that is visible is in every snapshot, resting
	// or not, before all others; 0 for none. Where players block each other it must cover
	// whoever may be in the way (session: 18 m), since both ends take from the snapshot
	// who is.
	Near float64
	// Visible reports whether the viewer is to know of the thing: asked once a snapshot
	// for each thing within Radius or Near; nil is always. Both are as recorded, a
	// rider in its base's frame. Of what is not visible not one bit is sent.
	Visible func(viewer, thing *track.Entity) bool
	// Importance is how urgent a thing is beside others at the same distance, more than 0;
	// nil is 1 for all.
	Importance func(thing *track.Entity) float64
}

// defaultBudget is the Budget of the zero Rules, in bytes: one datagram's worth.
const defaultBudget = 1000

// withDefaults returns the rules without zeros that mean something else. It panics on
// rules that make no sense.
func (r Rules) withDefaults() Rules {
	if !(r.Radius >= 0) || !(r.LeaveRadius >= 0) || !(r.Near >= 0) || r.Budget < 0 {
		panic("replicate: Rules need distances and a budget that are not negative")
	}
	if r.Budget == 0 {
		r.Budget = defaultBudget
	}
	if r.LeaveRadius == 0 {
		r.LeaveRadius = float64(r.Radius * 1.2)
	}
	if r.LeaveRadius < r.Radius {
		panic("replicate: Rules need a Leave that is not below Radius")
	}
	return r
}

// Match is what the senders of one match have in common: the record, the rules, and what
// they work out together in a tick. Make one with NewMatch.
type Match struct {
	frames *track.SnapshotHistory
	world  *collide.World
	rules  Rules

	frame     *track.Snapshot // of the tick
	entities  []track.Entity  // in it
	positions []geom.Vec3     // of those, in the world's frame
	grid      grid
	encodings encodings
	sample    track.Sample // scratch
}

// NewMatch returns the common part of the senders of a match: frames is its record, of
// which each snapshot tells the newest tick, and world has the bodies that carry riders,
// nil for none. It panics on rules that make no sense.
func NewMatch(frames *track.SnapshotHistory, world *collide.World, rules Rules) *Match {
	return &Match{frames: frames, world: world, rules: rules.withDefaults()}
}

// begin works out what all senders need of a tick, once.
func (m *Match) begin(tick uint32) {
	if m.frame != nil && m.frame.Tick == tick {
		return
	}
	m.frame = m.frames.Snapshot(tick)
	if m.frame == nil {
		panic("replicate: Sender.Begin needs a tick that has been recorded")
	}
	m.encodings.begin(m.frame.Len())
	m.entities, m.positions = m.frame.Entities(m.entities[:0]), m.positions[:0]
	for i := range m.entities {
		m.positions = append(m.positions, m.positionOf(&m.entities[i].Sample))
	}
	m.grid.size = 0
	if m.rules.Radius > 0 && len(m.positions) > gridMinEntities {
		m.grid.build(m.positions, math.Max(m.rules.LeaveRadius, m.rules.Near))
	}
}

// positionOf returns where a sample is in the world's frame.
func (m *Match) positionOf(s *track.Sample) geom.Vec3 {
	if s.Base == collide.Static {
		return s.Position
	}
	return s.ToWorld(m.world, s.At).Position
}

// gridMinEntities is from how many things on a grid pays.
const gridMinEntities = 64

// grid sorts things by where they are, so that what is far away costs nothing.
type grid struct {
	size  float64 // of a cell, metres; 0: not built
	cells []cell  // of each thing
	heads [gridLists + 1]int32
	items []int32 // the things, by their cell's head, then by index
}

// gridLists is how many lists the cells share.
const gridLists = 256

type cell struct{ x, z int32 }

// head returns which list a cell's things are in.
func (c cell) head() uint32 { return (uint32(c.x)*73856093 ^ uint32(c.z)*19349663) >> 4 % gridLists }

// cellOf returns the cell of a place.
func (g *grid) cellOf(p geom.Vec3) cell { return cell{gridStep(p.X / g.size), gridStep(p.Z / g.size)} }

func gridStep(x float64) int32 { return int32(math.Floor(geom.Clamp(x, -1<<30, 1<<30))) }

// build sorts places into cells of a size.
func (g *grid) build(places []geom.Vec3, size float64) {
	g.size, g.cells, g.heads = size, g.cells[:0], [gridLists + 1]int32{}
	for _, p := range places {
		c := g.cellOf(p)
		g.cells = append(g.cells, c)
		g.heads[c.head()+1]++
	}
	for i := 1; i <= gridLists; i++ {
		g.heads[i] += g.heads[i-1]
	}
	if cap(g.items) < len(places) {
		g.items = make([]int32, len(places)*5/4)
	}
	g.items = g.items[:len(places)]
	next := g.heads
	for i, c := range g.cells {
		g.items[next[c.head()]] = int32(i)
		next[c.head()]++
	}
}

// around appends the things of the nine cells about a place, in no order.
func (g *grid) around(p geom.Vec3, into []int32) []int32 {
	mid := g.cellOf(p)
	for dx := int32(-1); dx <= 1; dx++ {
		for dz := int32(-1); dz <= 1; dz++ {
			c := cell{mid.x + dx, mid.z + dz}
			h := c.head()
			for _, i := range g.items[g.heads[h]:g.heads[h+1]] {
				if g.cells[i] == c {
					into = append(into, i)
				}
			}
		}
	}
	return into
}
