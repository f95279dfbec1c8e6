package body

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

const (
	// contactHertz is how stiff the spring of a contact is at most, and stiffLevel how
	// many times stiffer it is against what cannot give way.
	contactHertz = 30
	stiffLevel   = 2
	// dampingRatio of that spring: far beyond critical, so that it never swings.
	dampingRatio = 10
	// partSpeed is the fastest that overlapping bodies are moved apart, m/s. Higher, and
	// what is pinned between a pusher and a wall is shot out.
	partSpeed = 3
)

// spring is a contact's softness for one length of substep (Catto, "Soft Constraints",
// 2011; box3d's b3MakeSoft).
type spring struct{ rate, mass, impulse float64 }

func makeSpring(hertz, h float64) spring {
	omega := float64(2 * float64(math.Pi*hertz))
	a1 := float64(2*dampingRatio) + float64(h*omega)
	a2 := float64(float64(h*omega) * a1)
	a3 := 1 / (1 + a2)
	return spring{omega / a1, float64(a2 * a3), a3}
}

// rigid is no spring at all.
var rigid = spring{0, 1, 0}

// solve takes the piece of h·substeps seconds.
func (w *World) solve(h float64, substeps int) {
	hertz := min(contactHertz, 0.25/h)
	soft, stiff := makeSpring(hertz, h), makeSpring(float64(hertz*stiffLevel), h)
	for k := range substeps {
		for i := range w.movers {
			if m := &w.movers[i]; m.im > 0 {
				m.accelerate(h)
			}
		}
		for i := range w.contacts {
			w.warm(&w.contacts[i])
		}
		past := float64(float64(k) * h)
		for i := range w.contacts {
			s := soft
			if i >= w.fixed {
				s = stiff
			}
			w.relieve(&w.contacts[i], s, h, past)
		}
		w.advanceAll(h)
		for i := range w.contacts {
			c := &w.contacts[i]
			w.relieve(c, rigid, h, past+h)
			c.sum += c.n.j
		}
	}
	w.rebound()
	w.calm()
}

func (w *World) advanceAll(h float64) {
	for i := 1; i < len(w.movers); i++ {
		if m := &w.movers[i]; !m.asleep {
			m.advance(h)
		}
	}
}

// warm applies the impulses known so far.
func (w *World) warm(c *contact) {
	if c.n.j == 0 {
		return
	}
	a, b := &w.movers[c.a], &w.movers[c.b]
	c.n.push(a, b, c.lone, c.n.j)
	if c.friction > 0 {
		c.t.push(a, b, c.lone, c.t.j)
		c.u.push(a, b, c.lone, c.u.j)
	}
	if c.rolls {
		c.twist(a, b, c.jr)
	}
}

// twist applies an angular impulse.
func (c *contact) twist(a, b *mover, impulse geom.Vec3) {
	a.w = a.w.Add(a.ii.Mul(impulse))
	if !c.lone {
		b.w = b.w.Sub(b.ii.Mul(impulse))
	}
}

// apart returns the gap as it is now, past seconds after it was found.
func (c *contact) apart(a, b *mover, past float64) float64 {
	gap := c.gap + c.n.d.Dot(a.moved.Add(a.turned.Cross(c.ca))) - float64(c.n.slide*past)
	if c.lone {
		return gap
	}
	return gap - c.n.d.Dot(b.moved.Add(b.turned.Cross(c.cb)))
}

// relieve makes the two part, or approach no further than they are apart, with friction.
// past is how long ago the contact was found.
func (w *World) relieve(c *contact, s spring, h, past float64) {
	a, b := &w.movers[c.a], &w.movers[c.b]
	bias, mass, back := 0.0, 1.0, 0.0
	if gap := c.apart(a, b, past); gap > 0 {
		bias = gap / h
	} else if s.rate > 0 {
		bias = max(float64(s.rate*gap), -partSpeed)
		mass, back = s.mass, s.impulse
	}
	fresh := c.n.j == 0
	if !fresh {
		c.grip(a, b)
	}
	closing := c.n.speed(a, b, c.lone)
	j := c.n.j - float64(float64(c.n.mass*mass)*(closing+bias)) - float64(back*c.n.j)
	j = max(j, 0)
	if c.force > 0 {
		j = min(j, float64(c.force*h))
	}
	more := j - c.n.j
	c.n.j = j
	if more != 0 {
		c.n.push(a, b, c.lone, more)
	}
	if fresh && j > 0 {
		c.grip(a, b)
	}
}

// grip is friction and the resistance to rolling, each within what the normal impulse
// allows.
func (c *contact) grip(a, b *mover) {
	if c.rolls {
		was := c.jr
		c.jr = was.MulAdd(a.w.Sub(b.w), -c.mr).ClampLen(float64(c.rolling * c.n.j))
		c.twist(a, b, c.jr.Sub(was))
	}
	if c.friction == 0 {
		return
	}
	jt := c.t.j - float64(c.t.mass*c.t.speed(a, b, c.lone))
	ju := c.u.j - float64(c.u.mass*c.u.speed(a, b, c.lone))
	most := float64(c.friction * c.n.j)
	if l := float64(jt*jt) + float64(ju*ju); l > float64(most*most) {
		k := most / math.Sqrt(l)
		jt, ju = float64(jt*k), float64(ju*k)
	}
	c.t.push(a, b, c.lone, jt-c.t.j)
	c.u.push(a, b, c.lone, ju-c.u.j)
	c.t.j, c.u.j = jt, ju
}

// rebound gives back what bodies that met fast enough part with.
func (w *World) rebound() {
	for i := range w.contacts {
		c := &w.contacts[i]
		if c.bounce == 0 || c.sum == 0 || c.approach > -w.config.BounceSpeed {
			continue
		}
		a, b := &w.movers[c.a], &w.movers[c.b]
		closing := c.n.speed(a, b, c.lone)
		j := -float64(c.n.mass * (closing + float64(c.bounce*c.approach)))
		// No more than that share of what stopped them (Poisson): of many spots each
		// was hit by a part of the body only.
		j = geom.Clamp(j, -c.n.j, float64(float64(c.bounce*c.sum)*1.02))
		c.n.push(a, b, c.lone, j)
		c.n.j = 0 // a blow leaves nothing to start with
	}
}

// calm holds what pushers touched to the speed that pushing gives: what is squeezed out
// between a pusher and a wall slips away, but is not shot.
func (w *World) calm() {
	for i := range w.contacts {
		c := &w.contacts[i]
		if c.key>>48 != withPusher {
			return // they are the first
		}
		m := &w.movers[c.a]
		fastest := float64(w.movers[c.b].v.Len()*(1+c.bounce)) + partSpeed
		m.v = m.v.ClampLen(max(m.speed, fastest))
	}
}
