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
			w.relieve(&w.contacts[i], rigid, h, past+h)
		}
	}
	w.rebound()
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
	if c.jn == 0 {
		return
	}
	w.apply(c, c.n.Mul(c.jn).MulAdd(c.t, c.jt).MulAdd(c.u, c.ju))
	if c.mr > 0 {
		w.twist(c, c.jr)
	}
}

func (w *World) apply(c *contact, impulse geom.Vec3) {
	w.movers[c.a].push(impulse, c.ra)
	w.movers[c.b].push(impulse.Neg(), c.rb)
}

// twist applies an angular impulse.
func (w *World) twist(c *contact, impulse geom.Vec3) {
	a, b := &w.movers[c.a], &w.movers[c.b]
	a.w = a.w.Add(a.ii.Mul(impulse))
	b.w = b.w.Sub(b.ii.Mul(impulse))
}

// relieve makes the two part, or approach no further than they are apart, with friction.
// past is how long ago the contact was found.
func (w *World) relieve(c *contact, s spring, h, past float64) {
	a, b := &w.movers[c.a], &w.movers[c.b]
	gap := c.gap + c.n.Dot(a.moved.Sub(b.moved)) + c.n.Dot(a.turned.Cross(c.ca)) -
		c.n.Dot(b.turned.Cross(c.cb)) - float64(c.n.Dot(c.slide)*past)
	bias, mass, back := 0.0, 1.0, 0.0
	if gap > 0 {
		bias = gap / h
	} else if s.rate > 0 {
		bias = max(float64(s.rate*gap), -partSpeed)
		mass, back = s.mass, s.impulse
	}
	fresh := c.jn == 0
	if !fresh {
		w.grip(c, a, b)
	}
	closing := c.n.Dot(c.speed(a, b))
	more := -float64(float64(c.mn*mass)*(closing+bias)) - float64(back*c.jn)
	jn := max(c.jn+more, 0)
	if c.force > 0 {
		jn = min(jn, float64(c.force*h))
	}
	more, c.jn = jn-c.jn, jn
	c.most = max(c.most, jn)
	if more != 0 {
		w.apply(c, c.n.Mul(more))
	}
	if fresh && jn > 0 {
		w.grip(c, a, b)
	}
}

// grip is friction and the resistance to rolling, each within what the normal impulse
// allows.
func (w *World) grip(c *contact, a, b *mover) {
	if c.mr > 0 {
		was := c.jr
		c.jr = was.MulAdd(a.w.Sub(b.w), -c.mr).ClampLen(float64(c.rolling * c.jn))
		w.twist(c, c.jr.Sub(was))
	}
	if c.friction == 0 {
		return
	}
	slip := c.speed(a, b)
	jt := c.jt - float64(c.mt*slip.Dot(c.t))
	ju := c.ju - float64(c.mu*slip.Dot(c.u))
	most := float64(c.friction * c.jn)
	if l := float64(jt*jt) + float64(ju*ju); l > float64(most*most) {
		k := most / math.Sqrt(l)
		jt, ju = float64(jt*k), float64(ju*k)
	}
	dt, du := jt-c.jt, ju-c.ju
	c.jt, c.ju = jt, ju
	w.apply(c, c.t.Mul(dt).MulAdd(c.u, du))
}

// rebound gives back what bodies that met fast enough part with.
func (w *World) rebound() {
	for i := range w.contacts {
		c := &w.contacts[i]
		if c.bounce == 0 || c.most == 0 || c.approach > -w.config.BounceSpeed {
			continue
		}
		a, b := &w.movers[c.a], &w.movers[c.b]
		closing := c.n.Dot(c.speed(a, b))
		more := -float64(c.mn * (closing + float64(c.bounce*c.approach)))
		jn := max(c.jn+more, 0)
		w.apply(c, c.n.Mul(jn-c.jn))
		c.jn = 0 // a blow leaves nothing to start with
	}
}
