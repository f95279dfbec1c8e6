package body

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// wake makes a body move again. What never moves stays as it is.
func (w *World) wake(i int) {
	b, m := &w.bodies[i], &w.movers[i]
	b.Idle = 0
	if !m.asleep {
		return
	}
	b.Asleep, m.asleep, w.surveyed = false, false, false
	m.start()
	m.slow, m.still, m.pull = b.LinearDamping, b.AngularDamping, geom.Vec3{}
	if m.masses(); m.im > 0 {
		w.surroundings(m, b)
	}
}

// wakeAround wakes a body and all that touches its place.
func (w *World) wakeAround(i int) {
	box := w.bodies[i].around(&w.movers[i]).Grow(margin)
	for j := 1; j < len(w.bodies); j++ {
		if w.used[j] && (j == i || w.movers[j].asleep && w.movers[j].bounds.Overlaps(box)) {
			w.wake(j)
		}
	}
}

// settle puts to sleep every island, which is bodies that lean on each other, of which
// none has moved for RestAfter.
func (w *World) settle(lasts clock.Micros) {
	if w.config.RestAfter < 0 {
		return
	}
	w.leader, w.rested = w.leader[:0], w.rested[:0]
	for i := range w.bodies {
		w.leader = append(w.leader, int32(i))
		w.rested = append(w.rested, math.MaxInt64)
		if m := &w.movers[i]; w.used[i] && !m.asleep {
			w.idle(&w.bodies[i], m, lasts)
		}
	}
	for i := range w.contacts {
		c := &w.contacts[i]
		if c.b != 0 && int(c.b) < len(w.bodies) && w.movers[c.a].im > 0 && w.movers[c.b].im > 0 {
			w.unite(c.a, c.b)
		}
	}
	for i := 1; i < len(w.bodies); i++ {
		if l := w.lead(int32(i)); w.used[i] && !w.movers[i].asleep {
			w.rested[l] = min(w.rested[l], w.bodies[i].Idle)
		}
	}
	for i := 1; i < len(w.bodies); i++ {
		m := &w.movers[i]
		if w.used[i] && !m.asleep && w.rested[w.lead(int32(i))] >= w.config.RestAfter {
			m.asleep, m.v, m.w = true, geom.Vec3{}, geom.Vec3{}
			m.start()
			w.surveyed = false
			m.bounds = w.bodies[i].around(m).Grow(margin)
			m.masses()
		}
	}
}

// idle counts for how long a body has been slow.
func (w *World) idle(b *Body, m *mover, lasts clock.Micros) {
	rest := w.config.RestSpeed
	if m.mass == 0 {
		rest = 0 // goes on however slow
	}
	if m.v.Len()+float64(m.w.Len()*b.reach()) > rest {
		b.Idle = 0
		return
	}
	b.Idle = min(b.Idle+lasts, w.config.RestAfter)
}

// lead returns the lowest body of the island as far as it is known.
func (w *World) lead(i int32) int32 {
	for w.leader[i] != i {
		w.leader[i] = w.leader[w.leader[i]]
		i = w.leader[i]
	}
	return i
}

func (w *World) unite(a, b int32) {
	a, b = w.lead(a), w.lead(b)
	w.leader[max(a, b)] = min(a, b)
}
