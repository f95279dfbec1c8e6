package body

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// margin is how far apart, in metres, bodies may be and count as touching: what is nearer
// is a contact before it is needed, so that nothing has to sink in to be found.
const margin = 0.02

// manifold is where two shapes touch, or will within the piece: up to maxPoints places
// with one normal.
type manifold struct {
	normal geom.Vec3 // from the second to the first
	n      int
	points [maxPoints]spot
}

// maxPoints is how many places of one manifold are kept.
const maxPoints = 4

// spot is a place on the surface of the second shape, and how far above it, along the
// normal, that of the first one is; negative where they overlap.
type spot struct {
	at  geom.Vec3
	gap float64
}

func (m *manifold) add(at geom.Vec3, gap float64) {
	if m.n < maxPoints {
		m.points[m.n] = spot{at, gap}
		m.n++
	}
}

// contact is one spot as the solver has it. Velocities are those of a against b.
type contact struct {
	key     uint64
	a, b    int32 // movers
	n, t, u geom.Vec3
	ra, rb  geom.Vec3 // from the centres to the spot: where impulses act
	ca, cb  geom.Vec3 // from the centres to what turns with the body: of a ball nothing does
	slide   geom.Vec3 // velocity of the level's surface, m/s
	gap     float64   // when it was found

	mn, mt, mu, mr            float64 // masses that the impulses feel; mr an inertia
	friction, bounce, rolling float64
	approach                  float64 // along n at the moment of the touch, m/s; negative is closing
	jn, jt, ju                float64 // impulses so far, kg·m/s
	jr                        geom.Vec3
	most                      float64 // largest jn so far
	force                     float64 // jn is at most this many newtons times the time
}

// imprint is what a contact leaves for the one at the same place in the next piece: forces,
// for its substeps may be of another length.
type imprint struct {
	key              uint64
	arm              geom.Vec3 // ra
	normal           float64
	tangent, rolling geom.Vec3
}

// The kinds of contacts in the order in which they are solved: what cannot give way has
// the last word.
const (
	withPusher = iota
	withBody
	withLevel
)

// keyOf orders contacts by kind, then body, then whom with.
func keyOf(kind int, a, b int32) uint64 {
	return uint64(kind)<<48 | uint64(a)<<24 | uint64(b)
}

// link is what all contacts of a manifold have in common: between whom, and of what kind.
type link struct {
	kind    int
	a, b    int32          // movers
	whom    int32          // tells contacts of a apart: the other body, the pusher's ID
	surface collide.BodyID // of the level
	force   float64        // in newtons, 0 without bound
	bounce  float64        // of a pusher
}

// join makes contacts of a manifold.
func (w *World) join(l link, m *manifold) {
	for i := range m.n {
		c := contact{a: l.a, b: l.b, n: m.normal, gap: m.points[i].gap, force: l.force}
		c.key = keyOf(l.kind, l.a, l.whom)
		at := m.points[i].at
		c.ra = at.MulAdd(c.n, c.gap).Sub(w.movers[l.a].pos)
		c.ra, c.ca = arms(&w.bodies[l.a], c.ra, c.n)
		switch l.kind {
		case withLevel:
			if l.surface != collide.Static {
				c.slide = w.view.VelocityAt(l.surface, at)
			}
		case withBody:
			c.rb, c.cb = arms(&w.bodies[l.b], at.Sub(w.movers[l.b].pos), c.n.Neg())
		}
		w.material(&c, &l)
		w.prepare(&c)
		w.contacts = append(w.contacts, c)
	}
}

// arms returns where an impulse acts on a body, and what of that turns with it: the skin
// of a ball or capsule goes round without taking the spot along. n leads into the body.
func arms(b *Body, arm, n geom.Vec3) (skin, turns geom.Vec3) {
	switch b.Shape {
	case Ball:
		return n.Mul(-b.Half.X), geom.Vec3{}
	case Capsule:
		return arm, arm.MulAdd(n, b.Half.X)
	}
	return arm, arm
}

// material mixes what both sides are made of.
func (w *World) material(c *contact, l *link) {
	a := &w.bodies[c.a]
	if l.kind == withPusher {
		c.bounce = l.bounce // and no friction: who brushes past does not spin a ball
		return
	}
	c.friction, c.bounce = a.Friction, a.Restitution
	c.rolling = float64(a.Rolling * a.Half.X)
	switch l.kind {
	case withBody:
		b := &w.bodies[c.b]
		c.friction = math.Sqrt(float64(a.Friction * b.Friction))
		c.bounce = max(c.bounce, b.Restitution)
		c.rolling = max(c.rolling, float64(b.Rolling*b.Half.X))
	case withLevel:
		c.bounce = max(c.bounce, w.config.Restitution)
		if f := w.config.Friction; f != 0 {
			c.friction = math.Sqrt(float64(a.Friction * max(f, 0)))
		}
	}
	if c.rolling > 0 && a.Shape == Box {
		c.rolling = 0
	}
}

// prepare works out what stays the same while the contact is solved.
func (w *World) prepare(c *contact) {
	a, b := &w.movers[c.a], &w.movers[c.b]
	c.t = c.n.Cross(geom.V(1, 0, 0))
	if math.Abs(c.n.X) > 0.7 {
		c.t = c.n.Cross(geom.V(0, 0, 1))
	}
	c.t = c.t.Unit()
	c.u = c.n.Cross(c.t)
	c.mn, c.mt, c.mu = c.mass(a, b, c.n), c.mass(a, b, c.t), c.mass(a, b, c.u)
	if c.rolling > 0 {
		k := max(a.ii.XX+b.ii.XX, a.ii.YY+b.ii.YY, a.ii.ZZ+b.ii.ZZ)
		if k > 0 {
			c.mr = 1 / k
		}
	}
	c.approach = c.n.Dot(c.speed(a, b))
	// Gravity goes on pulling until they meet.
	if pull := c.n.Dot(a.pull.Sub(b.pull)); pull < 0 && c.gap > 0 && c.approach < 0 {
		c.approach = -math.Sqrt(float64(c.approach*c.approach) - float64(2*float64(pull*c.gap)))
	}
	w.recall(c)
}

// mass returns the mass that an impulse along d feels.
func (c *contact) mass(a, b *mover, d geom.Vec3) float64 {
	k := a.im + b.im + a.ii.Along(c.ra.Cross(d)) + b.ii.Along(c.rb.Cross(d))
	if k <= 0 {
		return 0
	}
	return 1 / k
}

// speed returns the velocity of a against b at the spot.
func (c *contact) speed(a, b *mover) geom.Vec3 {
	return a.speedAt(c.ra).Sub(b.speedAt(c.rb)).Sub(c.slide)
}

// recallWithin is how far a spot may have wandered, seen from the centre of the body, and
// be the one of the piece before; metres.
const recallWithin = 0.03

// recall starts the contact with the impulses of the nearest one of the piece before that
// was between the same two.
func (w *World) recall(c *contact) {
	best, at := float64(recallWithin*recallWithin), -1
	for i := w.keptFrom(c.key); i < len(w.kept) && w.kept[i].key == c.key; i++ {
		if d := w.kept[i].arm.Sub(c.ra).LenSq(); d < best {
			best, at = d, i
		}
	}
	if at < 0 {
		return
	}
	k := &w.kept[at]
	c.jn = float64(k.normal * w.h)
	c.jt, c.ju = float64(k.tangent.Dot(c.t)*w.h), float64(k.tangent.Dot(c.u)*w.h)
	if c.rolling > 0 {
		c.jr = k.rolling.Mul(w.h)
	}
	k.arm.X = math.Inf(1) // each is recalled once
}

// keptFrom returns where the imprints of a key begin.
func (w *World) keptFrom(key uint64) int {
	lo, hi := 0, len(w.kept)
	for lo < hi {
		mid := (lo + hi) / 2
		if w.kept[mid].key < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// imprint keeps what the next piece starts with.
func (w *World) imprint() {
	w.kept = w.kept[:0]
	for i := range w.contacts {
		if c := &w.contacts[i]; c.jn > 0 {
			w.kept = append(w.kept, imprint{c.key, c.ra, c.jn / w.h,
				c.t.Mul(c.jt).MulAdd(c.u, c.ju).Div(w.h), c.jr.Div(w.h)})
		}
	}
}
