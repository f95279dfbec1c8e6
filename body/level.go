package body

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// meetLevel makes the contacts of an awake body with the level.
func (w *World) meetLevel(i int32, d float64) {
	if w.view.World == nil {
		return
	}
	m, b := &w.movers[i], &w.bodies[i]
	way := m.v.Mul(d).MulAdd(m.pull, float64(d*d))
	if b.Shape == Box {
		w.boxOnLevel(i, way)
		return
	}
	w.roundOnLevel(i, core(b, m.pos, m.q), way)
}

// roundOnLevel is meetLevel for balls and capsules.
func (w *World) roundOnLevel(i int32, c geom.Capsule, way geom.Vec3) {
	w.found = w.found[:0]
	if c.A != c.B {
		w.found = w.view.Contacts(geom.Capsule{A: c.A, B: c.A, Radius: c.Radius}, margin, w.found)
		w.found = w.view.Contacts(geom.Capsule{A: c.B, B: c.B, Radius: c.Radius}, margin, w.found)
	}
	ends := len(w.found)
	w.found = w.view.Contacts(c, margin, w.found)
	w.found = w.found[:ends+fresh(w.found[:ends], w.found[ends:])]
	for k := range w.found {
		x := &w.found[k]
		s := manifold{normal: x.Normal}
		s.add(x.Point, x.Distance)
		w.join(link{kind: withLevel, a: i, surface: x.Body}, &s)
	}
	if way.LenSq() > float64(margin*margin) {
		w.ahead(i, c, way)
	}
}

// fresh moves those of list to its front that are at none of the places known, and
// returns how many they are.
func fresh(known, list []collide.Contact) int {
	n := 0
	for k := range list {
		same := false
		for j := range known {
			same = same || known[j].Point.Sub(list[k].Point).LenSq() < float64(margin*margin) &&
				known[j].Normal.Dot(list[k].Normal) > 0.99
		}
		if !same {
			list[n] = list[k]
			n++
		}
	}
	return n
}

// ahead makes a contact with what the body will run into within the piece, so that it
// stops there and not inside.
func (w *World) ahead(i int32, c geom.Capsule, way geom.Vec3) {
	hit, ok := w.view.World.SweepCapsule(c, way)
	if !ok || hit.Penetrating {
		return
	}
	gap := -float64(hit.Normal.Dot(way) * hit.Fraction)
	if gap <= margin {
		return // known already
	}
	s := manifold{normal: hit.Normal}
	s.add(hit.Point, gap)
	w.join(link{kind: withLevel, a: i}, &s)
}

// arrest stops what went through a wall nevertheless: the ball inside of each body that
// is fast for its size is swept along its way.
func (w *World) arrest() {
	if w.view.World == nil {
		return
	}
	for i := 1; i < len(w.bodies); i++ {
		m := &w.movers[i]
		if m.im == 0 {
			continue
		}
		r := w.bodies[i].inner()
		way := m.pos.Sub(m.from)
		if way.LenSq() < float64(float64(r*r)*0.0625) {
			continue
		}
		ball := geom.Capsule{A: m.from, B: m.from, Radius: float64(r * 0.7)}
		if hit, ok := w.view.World.SweepCapsule(ball, way); ok {
			m.pos = m.from.MulAdd(way, hit.Fraction)
		}
	}
}

// soak sets what water does to a body: it floats by its density, drags what is around it
// along when it speeds up (half its own volume of water), and slows down.
func (w *World) soak(m *mover, b *Body, up geom.Vec3) {
	if len(w.view.World.Volumes()) == 0 || w.config.Water == 0 {
		return
	}
	half := b.around(m)
	h := half.Max.Sub(half.Min).Mul(0.5)
	tall := geom.V(h.X*abs(up.X), h.Y*abs(up.Y), h.Z*abs(up.Z)).Len()
	wet := w.view.Submerged(geom.Capsule{A: m.pos.MulAdd(up, -tall), B: m.pos.MulAdd(up, tall)}, up)
	if wet <= 0 {
		return
	}
	carried := float64(float64(w.config.Water*b.Volume()) * wet)
	lift := (carried-m.mass)/(m.mass+float64(carried*0.5)) + 1
	m.pull = m.pull.MulAdd(up, float64(lift*w.config.Gravity))
	m.slow += float64(waterDrag * wet)
	m.still += float64(waterDrag * wet)
}

// waterDrag slows what is under water, in 1/s.
const waterDrag = 2

func abs(x float64) float64 {
	if x < 0 {
		return -x
	}
	return x
}
