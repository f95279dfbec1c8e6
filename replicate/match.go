package replicate

import (
	"cmp"
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// Rules say what is sent to the clients of a match. The zero Rules send every entity to every
// client, as far as it fits into 1,000 bytes a snapshot.
type Rules struct {
	// Budget is how many bytes of entities a snapshot for one client may take; 0 is 1,000. Entities
	// that do not fit are deferred and become more urgent. Removals, and the most urgent entity, are
	// sent whatever the budget.
	Budget int
	// Radius is the distance from the receiver, in metres, within which an entity is sent, 0 for
	// any distance. It continues to be sent until it is beyond LeaveRadius; 0 is 1.2 × Radius.
	Radius, LeaveRadius float64
	// Near is the distance in metres within which a visible entity is in every snapshot, resting or
	// not, before all others but one that is overdue; 0 for none. If players block each other it must cover every player
	// that may be in the way (session: 18 m), because both ends take from the snapshot which
	// players are there.
	Near float64
	// Visible reports whether the viewer may know of the entity. It is called once a snapshot for
	// each entity within Radius or Near; nil is always. Both arguments are as recorded, a rider in
	// its base's frame. Of an entity that is not visible not one bit is sent.
	Visible func(viewer, entity *track.Entity) bool
	// Importance is how urgent an entity is compared with others at the same distance, more than 0;
	// nil is 1 for all.
	Importance func(entity *track.Entity) float64
}

// defaultBudget is the Budget of the zero Rules, in bytes: one datagram's worth.
const defaultBudget = 1000

// withDefaults returns the rules with zero fields replaced by their defaults. It panics on rules
// that make no sense.
func (r Rules) withDefaults() Rules {
	// Negated comparisons, so that NaN is refused as well.
	if !(r.Radius >= 0) || !(r.LeaveRadius >= 0) || !(r.Near >= 0) || r.Budget < 0 {
		panic("replicate: Rules need distances and a budget that are not negative")
	}
	r.Budget = cmp.Or(r.Budget, defaultBudget)
	r.LeaveRadius = cmp.Or(r.LeaveRadius, float64(r.Radius*1.2))
	if r.LeaveRadius < r.Radius {
		panic("replicate: Rules need a LeaveRadius that is not below Radius")
	}
	return r
}

// Match is what the senders of one match share: the record, the rules, and what they compute
// together in a tick. Make one with NewMatch. Once a tick has begun its senders only read it, so
// several goroutines may make the snapshots of different clients, each in a Scratch of its own.
type Match struct {
	snapshots *track.SnapshotHistory
	world     *collide.World
	rules     Rules

	tick      uint32          // begun last, 0 before the first
	snapshot  *track.Snapshot // of the tick, in the record: its place there is later that of another tick
	entities  []track.Entity  // in it
	positions []geom.Vec3     // of those, in the world's frame
	last      uint32          // the tick before it that was begun, 0 for none that is still recorded
	moved     []bool          // which of the entities are visibly elsewhere than then
	grid      grid
	scratch   Scratch // of senders without another
}

// NewMatch returns the shared part of the senders of a match. snapshots is its record; each snapshot
// sends the newest tick of it. world has the movers that carry riders, nil for none. It panics on
// rules that make no sense.
func NewMatch(snapshots *track.SnapshotHistory, world *collide.World, rules Rules) *Match {
	m := &Match{snapshots: snapshots, world: world, rules: rules.withDefaults()}
	m.scratch.shared = true
	return m
}

// Reach returns the distance in metres beyond which no entity is sent, 0 for none.
func (m *Match) Reach() float64 {
	if m.rules.Radius == 0 {
		return 0
	}
	return m.rules.LeaveRadius
}

// Begin computes what all senders need of a tick, once. The first Sender.Begin of a tick calls it; where
// senders begin in several goroutines it must be called before. It panics on a tick that is not recorded.
func (m *Match) Begin(tick uint32) {
	if m.snapshot != nil && m.tick == tick {
		return
	}
	// The recorded samples are read, not those that the game handed in: they are quantised, so that
	// what is sent is bit for bit what a rewind finds.
	before := m.snapshots.Snapshot(m.tick)
	m.tick, m.snapshot = tick, m.snapshots.Snapshot(tick)
	if m.snapshot == nil {
		panic("replicate: Begin needs a tick that has been recorded")
	}
	m.entities, m.positions = m.snapshot.Entities(m.entities[:0]), m.positions[:0]
	for i := range m.entities {
		m.positions = append(m.positions, m.positionOf(&m.entities[i].Sample))
	}
	m.findMoved(before)
	// Whatever leaves is compared with LeaveRadius, so a cell must not be smaller.
	m.grid.size = 0
	if m.rules.Radius > 0 && len(m.positions) > gridMinEntities {
		m.grid.build(m.positions, max(m.rules.LeaveRadius, m.rules.Near))
	}
}

// findMoved compares the entities with a snapshot before, nil for none: what is found once here, the senders would find
// for each client.
func (m *Match) findMoved(before *track.Snapshot) {
	m.last, m.moved = 0, m.moved[:0]
	if before != nil {
		m.last = before.Tick
	}
	for i := range m.entities {
		k := -1
		if before != nil {
			k = before.Index(m.entities[i].ID, i)
		}
		m.moved = append(m.moved, k >= 0 && hasMoved(before, k, &m.entities[i].Sample))
	}
}

// positionOf returns where a sample is in the world's frame: a rider with its base at the time of the
// sample, so that distances are those of the same instant.
func (m *Match) positionOf(s *track.Sample) geom.Vec3 {
	if s.Base == collide.Static {
		return s.Position
	}
	return s.ToWorld(m.world, s.At).Position
}

// gridMinEntities is the number of entities from which a grid is worthwhile. For fewer every
// distance is compared.
const gridMinEntities = 64

// grid sorts entities by position, so that distant ones cost nothing. Cells are those of an endless
// plane: many share one of gridLists lists, and are distinguished when it is read.
type grid struct {
	size  float64 // of a cell, metres; 0: not built
	cells []cell  // of each entity
	// items are the entities, by their cell's list, then by index. List i is items[heads[i]:heads[i+1]].
	heads [gridLists + 1]int32
	items []int32
}

// gridLists is how many lists the cells share.
const gridLists = 256

// cell is a square of the plane, in sizes of the grid.
type cell struct{ x, z int32 }

// head returns which list a cell's entities are in: a hash, so that cells of one neighbourhood are
// spread over the lists (Teschner and others 2003).
func (c cell) head() uint32 { return (uint32(c.x)*73856093 ^ uint32(c.z)*19349663) >> 4 % gridLists }

// cellOf returns the cell of a position.
func (g *grid) cellOf(p geom.Vec3) cell { return cell{gridStep(p.X / g.size), gridStep(p.Z / g.size)} }

// gridStep rounds down. It clamps, because a conversion out of range differs between processors.
func gridStep(x float64) int32 { return int32(math.Floor(geom.Clamp(x, -1<<30, 1<<30))) }

// build sorts positions into cells of a size: it counts the entities of each list, so that the
// lists lie one after another in items, and nothing grows while it fills them.
func (g *grid) build(positions []geom.Vec3, size float64) {
	g.size, g.cells, g.heads = size, g.cells[:0], [gridLists + 1]int32{}
	for _, p := range positions {
		c := g.cellOf(p)
		g.cells = append(g.cells, c)
		g.heads[c.head()+1]++
	}
	for i := 1; i <= gridLists; i++ {
		g.heads[i] += g.heads[i-1]
	}
	if cap(g.items) < len(positions) {
		g.items = make([]int32, len(positions)*5/4)
	}
	g.items = g.items[:len(positions)]
	next := g.heads
	for i, c := range g.cells {
		g.items[next[c.head()]] = int32(i)
		next[c.head()]++
	}
}

// around appends the entities of the nine cells about a position, in no order.
func (g *grid) around(p geom.Vec3, into []int32) []int32 {
	// Other cells share these lists, so each entity's own cell is compared.
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
