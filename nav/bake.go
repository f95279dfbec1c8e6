package nav

import (
	"errors"
	"strconv"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// snapReach is the largest distance of a seed or of an end of a link from the mesh, in
// metres.
//
// Marks in a level are set by hand: half a metre off is normal, the floor above is not.
const snapReach = 1

// Bake makes the mesh of a world for a body. It takes about 2.5 µs for each column of the
// grid (BenchmarkBake): a second for 9,000 m² at the default cell. It returns the error of
// Params.Check, or an error that says that the world is too large for the cell, or that
// names the first of Params.Links whose ends are not on the mesh.
func Bake(w *collide.World, p Params) (*Mesh, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	f, err := sampleWorld(w, p.filled())
	if err != nil {
		return nil, err
	}
	f.linkSamples()
	f.erodeLedges(f.p.LedgeMargin)
	r := buildRects(f)
	m := &Mesh{cell: f.p.Cell}
	m.portals = r.portals()
	m.heights = r.heights()
	m.polys = r.polys
	m.labelGroups()
	m.tiles.fill(m)
	links := r.drops(m)
	for i := range f.p.Links {
		if links, err = m.attach(links, i, &f.p.Links[i]); err != nil {
			return nil, err
		}
	}
	m.setLinks(links)
	m.prune(&f.p)
	return m, nil
}

// attach appends a link of the level, in one or both directions.
func (m *Mesh) attach(list []meshLink, i int, l *Link) ([]meshLink, error) {
	from, start, ok := m.Nearest(l.From, snapReach)
	to, end, ok2 := m.Nearest(l.To, snapReach)
	if !ok || !ok2 {
		return list, errors.New("nav: Links[" + strconv.Itoa(i) + "] does not begin and end on the mesh")
	}
	w := meshLink{from: int32(from - 1), to: int32(to - 1), start: start, end: end, kind: l.Kind, cost: l.Cost, link: int32(i)}
	if w.cost == 0 {
		w.cost = start.Dist(end)
	}
	list = append(list, w)
	if l.Bidirectional {
		w.from, w.to, w.start, w.end = w.to, w.from, w.end, w.start
		list = append(list, w)
	}
	return list, nil
}

// setLinks sorts the links by the polygon that they leave.
//
// It is a counting sort, which keeps the order of equal elements: the numbers of links are
// the same on every machine.
func (m *Mesh) setLinks(list []meshLink) {
	next := make([]int32, len(m.polys)+1)
	for i := range list {
		next[list[i].from+1]++
	}
	for i := range m.polys {
		next[i+1] += next[i]
		m.polys[i].linkStart, m.polys[i].linkEnd = next[i], next[i+1]
	}
	m.links = make([]meshLink, len(list))
	for i := range list {
		at := &next[list[i].from]
		m.links[*at] = list[i]
		*at++
	}
}

// labelGroups numbers the connected components of the mesh: polygons connected by portals
// have the same group.
//
// Two numbers then show that a goal on an island cannot be reached, without a search of the whole mesh.
func (m *Mesh) labelGroups() {
	for i := range m.polys {
		m.polys[i].group = -1
	}
	var queue []int32
	group := int32(0)
	for i := range m.polys {
		if m.polys[i].group >= 0 {
			continue
		}
		queue = append(queue[:0], int32(i))
		m.polys[i].group = group
		for k := 0; k < len(queue); k++ {
			p := &m.polys[queue[k]]
			for _, o := range m.portals[p.first:p.last] {
				if q := &m.polys[o.to]; q.group < 0 {
					q.group = group
					queue = append(queue, o.to)
				}
			}
		}
		group++
	}
}

// prune removes components that are small, or that cannot be reached from any seed.
//
// What no seed reaches are the tops of walls, the ground under the level, roofs: walkable,
// and useless. They would be the nearest polygon to a player on the other side of a wall.
func (m *Mesh) prune(p *Params) {
	keep := make([]bool, len(m.polys))
	groups := int32(0)
	for i := range m.polys {
		groups = max(groups, m.polys[i].group+1)
	}
	area := make([]float64, groups)
	for i := range m.polys {
		q := &m.polys[i]
		area[q.group] += float64(float64(int64(q.w)*int64(q.h)) * float64(m.cell*m.cell))
	}
	if len(p.Seeds) == 0 {
		for i := range m.polys {
			keep[i] = area[m.polys[i].group] >= p.MinArea
		}
		m.retain(keep)
		return
	}
	m.flood(p.Seeds, keep)
	for i := range keep {
		// A small component stays out even if a link leads there.
		keep[i] = keep[i] && area[m.polys[i].group] >= p.MinArea
	}
	m.retain(keep)
}

// flood marks the polygons that can be reached from the seeds.
func (m *Mesh) flood(seeds []geom.Vec3, reached []bool) {
	var queue []int32
	reach := func(i int32) {
		if !reached[i] {
			reached[i] = true
			queue = append(queue, i)
		}
	}
	for _, s := range seeds {
		if ref, _, ok := m.Nearest(s, snapReach); ok {
			reach(int32(ref - 1))
		}
	}
	for k := 0; k < len(queue); k++ {
		p := &m.polys[queue[k]]
		for _, o := range m.portals[p.first:p.last] {
			reach(o.to)
		}
		for _, l := range m.links[p.linkStart:p.linkEnd] {
			reach(l.to)
		}
	}
}

// retain keeps the given polygons, and renumbers them.
func (m *Mesh) retain(keep []bool) {
	number := make([]int32, len(keep))
	n := int32(0)
	for i, k := range keep {
		number[i] = n
		if k {
			n++
		}
	}
	if int(n) == len(keep) {
		return
	}
	old := *m
	m.polys, m.portals, m.heights = nil, nil, nil
	var links []meshLink
	for i := range old.polys {
		if !keep[i] {
			continue
		}
		p := old.polys[i]
		portals := old.portals[p.first:p.last]
		p.first = int32(len(m.portals))
		for _, o := range portals { // both sides of a portal are kept: they are in one component
			o.from, o.to = number[o.from], number[o.to]
			m.portals = append(m.portals, o)
		}
		p.last = int32(len(m.portals))
		count := (p.w + 1) * (p.h + 1)
		if p.flat {
			count = 4
		}
		heights := old.heights[p.height : p.height+count]
		p.height = int32(len(m.heights))
		m.heights = append(m.heights, heights...)
		m.polys = append(m.polys, p)
	}
	for _, l := range old.links {
		if keep[l.from] && keep[l.to] {
			l.from, l.to = number[l.from], number[l.to]
			links = append(links, l)
		}
	}
	m.setLinks(links)
	m.labelGroups()
	m.tiles = tiles{}
	m.tiles.fill(m)
}
