package body

import (
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// proxy is the interval of a body or pusher along X, for the sweep-and-prune that finds near pairs.
type proxy struct {
	lo, hi float64
	sim    int32
}

// updateProxies sorts the proxies by their lower end along X. Levels are flat, so either axis of the ground
// separates as well as the other. The order is total, so the result does not depend on the order before,
// which only makes sorting fast.
func (w *World) updateProxies() {
	// The list is kept from piece to piece, if it is of the same bodies: then it is nearly sorted.
	n := len(w.sims) - len(w.bodies)
	for i := range w.used {
		if w.used[i] {
			n++
		}
	}
	same := n == len(w.proxies)
	for i := 0; same && i < n; i++ {
		at := int(w.proxies[i].sim)
		same = at < len(w.sims) && (at >= len(w.used) || w.used[at])
	}
	if !same {
		w.proxies = w.proxies[:0]
		for i := 1; i < len(w.sims); i++ {
			if i >= len(w.used) || w.used[i] {
				w.proxies = append(w.proxies, proxy{sim: int32(i)})
			}
		}
	}
	for i := range w.proxies {
		p := &w.proxies[i]
		b := &w.sims[p.sim].bounds
		p.lo, p.hi = b.Min.X, b.Max.X
	}
	sortProxies(w.proxies)
}

// sortProxies is an insertion sort: the proxies are nearly sorted since the piece before, so it is linear
// where a general one is not.
func sortProxies(p []proxy) {
	for i := 1; i < len(p); i++ {
		x := p[i]
		j := i
		// By index where the ends are equal, or the order, and with it the bits, would depend on the past.
		for ; j > 0 && (x.lo < p[j-1].lo || x.lo == p[j-1].lo && x.sim < p[j-1].sim); j-- {
			p[j] = p[j-1]
		}
		p[j] = x
	}
}

// findPairs finds the pairs that may touch: pushers first, then by the lower and the higher index.
// Two sleeping bodies are no pair.
func (w *World) findPairs() {
	w.pairs = w.pairs[:0]
	bodies := int32(len(w.bodies))
	for i := range w.proxies {
		p := &w.proxies[i]
		m := &w.sims[p.sim]
		for j := i + 1; j < len(w.proxies) && w.proxies[j].lo <= p.hi; j++ {
			o := w.proxies[j].sim
			n := &w.sims[o]
			if m.bounds.Min.Y > n.bounds.Max.Y || n.bounds.Min.Y > m.bounds.Max.Y ||
				m.bounds.Min.Z > n.bounds.Max.Z || n.bounds.Min.Z > m.bounds.Max.Z ||
				// Nothing could change: neither moves, or no impulse moves either.
				m.asleep && n.asleep || m.mass == 0 && n.mass == 0 {
				continue
			}
			a, b := min(p.sim, o), max(p.sim, o)
			kind := bodyContact
			if b >= bodies {
				kind = pusherContact
			}
			w.pairs = append(w.pairs, keyOf(kind, a, b))
		}
	}
	// The order of solving changes the bits, so it must not be that of the sweep.
	slices.Sort(w.pairs)
}

// findContacts finds the contacts of bodies with pushers and with each other. It sets woken if a
// body woke; then it must run again.
func (w *World) findContacts(d float64, pushers []Pusher) {
	w.woken = false
	for i := range pushers {
		w.sims[len(w.bodies)+i].bounds = w.pusherBounds(pushers, i)
	}
	w.updateProxies()
	w.findPairs()
	w.contacts = w.contacts[:0]
	for _, key := range w.pairs {
		a, b := int32(key>>24&0xffffff), int32(key&0xffffff)
		var m manifold
		if int(b) >= len(w.bodies) {
			w.collidePusher(a, b, &pushers[int(b)-len(w.bodies)], d, &m)
		} else if w.collideBodies(a, b, d, &m); m.n > 0 {
			w.wakeByContact(a, b, &m)
			w.addContacts(contactInfo{kind: bodyContact, a: a, b: b, other: b}, &m)
		}
	}
}

// wakeByContact wakes both of two touching bodies, one of which sleeps, if they move against each
// other faster than RestSpeed. A slower one would come to rest on it anyway.
func (w *World) wakeByContact(a, b int32, m *manifold) {
	x, y := &w.sims[a], &w.sims[b]
	if x.asleep == y.asleep {
		return
	}
	for i := range m.n {
		at := m.points[i].at
		// The speed of the matter there: a ball that rolls on a sleeping box does not wake it, one that slides
		// does.
		speed := x.velocityAt(at.Sub(x.pos)).Sub(y.velocityAt(at.Sub(y.pos))).LenSq()
		if speed > float64(w.config.RestSpeed*w.config.RestSpeed) {
			w.wake(int(a))
			w.wake(int(b))
			w.woken = true
			return
		}
	}
}

// pusherBounds returns the bounds of a pusher in this piece, with the way that it goes in it.
func (w *World) pusherBounds(pushers []Pusher, i int) geom.AABB {
	m := &w.sims[len(w.bodies)+i]
	c := pushers[i].Capsule.Moved(m.pos.Sub(pushers[i].Capsule.A.Add(pushers[i].Capsule.B).Mul(0.5)))
	at := c.Bounds().Grow(margin)
	// Of the longest piece: larger bounds only cost time.
	step := m.v.Mul(maxPiece.Seconds())
	return at.Union(geom.AABB{Min: at.Min.Add(step), Max: at.Max.Add(step)})
}

// collidePusher makes the contacts of a body with a pusher, and notes the touch. A body of mass zero
// never comes here: findPairs leaves it out, since neither side could give way.
func (w *World) collidePusher(a, b int32, p *Pusher, d float64, m *manifold) {
	if by := w.bodies[a].PushedBy; by != 0 && by&p.Groups == 0 {
		return
	}
	x, y := &w.sims[a], &w.sims[b]
	c := p.Capsule.Moved(y.pos.Sub(p.Capsule.A.Add(p.Capsule.B).Mul(0.5)))
	if w.bodies[a].Shape == Ball {
		c = lowerToBall(c, x.pos)
	}
	w.collideWithCapsule(a, c, x.v.Sub(y.v).Mul(d), m)
	if m.n == 0 {
		return
	}
	if x.asleep {
		// A character that stands in a heap, or walks away, lets it sleep. One that stands more than a
		// centimetre deep in a body wakes it, or the two would stay in each other.
		closing := m.normal.Dot(x.v.Sub(y.v))
		if closing > -w.config.RestSpeed && m.points[0].gap > -0.01 {
			return
		}
		w.wake(int(a))
		w.woken = true
	}
	w.addContacts(contactInfo{kind: pusherContact, a: a, b: b, other: int32(p.ID),
		force: orDefault(p.Force, 1500), bounce: max(p.Bounce, w.bodies[a].Kick)}, m)
	w.touches = append(w.touches, Touch{p.ID, ID(a)})
}

// lowerToBall returns the capsule with its core extended down to the height of a ball at its foot.
// The round end would press that ball into the floor instead of pushing it along.
func lowerToBall(c geom.Capsule, ball geom.Vec3) geom.Capsule {
	up := c.B.Sub(c.A).Unit()
	if up.IsZero() {
		up = geom.Up
	}
	// Only as far down as the round end reaches, so that a ball under the feet is under the feet.
	if low := up.Dot(ball.Sub(c.A)); low < 0 && low > -c.Radius {
		c.A = c.A.MulAdd(up, low)
	}
	return c
}

// wakeByLevel wakes the bodies that a mover of the level may touch until the end of the
// piece.
func (w *World) wakeByLevel(to clock.Micros) {
	if w.view.World == nil || len(w.view.World.Movers()) == 0 {
		return
	}
	if w.updateSleepers(); w.sleepers.Min.X <= w.sleepers.Max.X {
		w.wakeByLevelWithin(to, w.sleepers)
	}
}

// wakeByLevelWithin is wakeByLevel, given the bounds of all sleeping bodies, which most movers
// of a level never come near.
func (w *World) wakeByLevelWithin(to clock.Micros, all geom.AABB) {
	list := w.view.World.Movers()
	for k := range list {
		id := collide.MoverID(k + 1)
		before, after := w.view.Pose(id), w.view.PoseAt(id, to)
		// A lift that waits wakes nothing.
		if before == after {
			continue
		}
		shape := list[k].Shape.Bounds()
		box := shape.Transformed(before).Union(shape.Transformed(after)).Grow(margin)
		if !box.Overlaps(all) {
			continue
		}
		for i := 1; i < len(w.bodies); i++ {
			if m := &w.sims[i]; w.used[i] && m.asleep && m.bounds.Overlaps(box) {
				w.wake(i)
			}
		}
	}
}
