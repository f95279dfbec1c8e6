package body

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// wake wakes a body. Its mass is back at once, so that contacts of this piece can move it. One of mass
// zero stays where it is.
func (w *World) wake(i int) {
	b, m := &w.bodies[i], &w.sims[i]
	b.Idle = 0
	if !m.asleep {
		return
	}
	b.Asleep, m.asleep, w.sleepersValid = false, false, false
	// It wakes in the middle of a piece, after beginPiece; without this it would fall a piece later.
	m.beginPiece()
	m.linearDamping, m.angularDamping, m.acceleration = b.LinearDamping, b.AngularDamping, geom.Vec3{}
	if m.updateMass(); m.im > 0 {
		w.applyVolumes(m, b)
	}
}

// wakeAround wakes a body and the sleeping bodies that touch its place. Their own neighbours wake when
// they move.
func (w *World) wakeAround(i int) {
	// Bounds, not contacts: a sleeping body has none. To wake one too many does no harm.
	box := w.bodies[i].bounds(&w.sims[i]).Grow(margin)
	for j := 1; j < len(w.bodies); j++ {
		if w.used[j] && (j == i || w.sims[j].asleep && w.sims[j].bounds.Overlaps(box)) {
			w.wake(j)
		}
	}
}

// sleepIslands puts to sleep every island, which is a group of bodies that lean on each other, in
// which no body has moved for RestAfter. One by one they would sink: each lies on one that still gives
// way.
func (w *World) sleepIslands(lasts clock.Micros) {
	if w.config.RestAfter < 0 {
		return
	}
	// The islands follow from the contacts of this piece: nothing is kept between pieces.
	l := &w.islands
	l.roots, l.idle = l.roots[:0], l.idle[:0]
	for i := range w.bodies {
		l.roots, l.idle = append(l.roots, int32(i)), append(l.idle, math.MaxInt64)
		if m := &w.sims[i]; w.used[i] && !m.asleep {
			w.countIdle(&w.bodies[i], m, lasts)
		}
	}
	for i := range w.contacts {
		c := &w.contacts[i]
		// The level, pushers and kinematic bodies join no islands: all bodies on one floor would be one.
		if c.b != 0 && int(c.b) < len(w.bodies) && w.sims[c.a].im > 0 && w.sims[c.b].im > 0 {
			l.unite(c.a, c.b)
		}
	}
	// An island sleeps only if all of its bodies do: the least Idle counts.
	for i := 1; i < len(w.bodies); i++ {
		if r := l.root(int32(i)); w.used[i] && !w.sims[i].asleep {
			l.idle[r] = min(l.idle[r], w.bodies[i].Idle)
		}
	}
	for i := 1; i < len(w.bodies); i++ {
		m := &w.sims[i]
		if w.used[i] && !m.asleep && l.idle[l.root(int32(i))] >= w.config.RestAfter {
			// The whole island at once: one that sleeps on a body that is awake would be lifted by it.
			m.asleep, m.v, m.w = true, geom.Vec3{}, geom.Vec3{}
			// What it moved in this piece is in pos; contacts of the next one would count it again.
			m.beginPiece()
			w.sleepersValid = false
			m.bounds = w.bodies[i].bounds(m).Grow(margin)
			m.updateMass()
		}
	}
}

// countIdle counts how long a body has been slow, up to RestAfter. One fast moment starts anew, so a ball
// at the top of its bounce does not fall asleep in the air.
func (w *World) countIdle(b *Body, m *bodySim, lasts clock.Micros) {
	rest := w.config.RestSpeed
	if m.mass == 0 {
		rest = 0 // keeps moving, however slow
	}
	// The speed of its fastest point, so that a long body that turns slowly is not at rest.
	if m.v.Len()+float64(m.w.Len()*b.outerRadius()) > rest {
		b.Idle = 0
		return
	}
	b.Idle = min(b.Idle+lasts, w.config.RestAfter)
}

// islands is a union-find over the bodies of a piece (Tarjan 1975): bodies that lean on each other are one
// island.
type islands struct {
	roots []int32        // by body, one that is nearer to the root of its island, or the root itself
	idle  []clock.Micros // by root, the least Idle of the island
}

// root returns the lowest body of the island as far as it is known. Bodies of one island have one root.
func (l *islands) root(i int32) int32 {
	for l.roots[i] != i {
		// Paths are halved on the way, which keeps later searches short.
		l.roots[i] = l.roots[l.roots[i]]
		i = l.roots[i]
	}
	return i
}

// unite makes two islands one. The lower root stays, so the result does not depend on the order of
// contacts.
func (l *islands) unite(a, b int32) {
	a, b = l.root(a), l.root(b)
	l.roots[max(a, b)] = min(a, b)
}
