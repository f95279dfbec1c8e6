package body

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// margin is the distance in metres within which bodies count as touching. A contact exists before
// it is needed, so that no body has to sink in to be found. With a larger one, contacts with the sides
// of things that are merely passed cost time.
const margin = 0.02

// manifold is where two shapes touch, or will within the piece: up to maxPoints places with one
// normal. Without a point they do not.
type manifold struct {
	normal geom.Vec3 // from the second to the first
	n      int
	points [maxPoints]contactPoint
}

// maxPoints is how many places of one manifold are kept. Four hold a face as well as eight, at half the
// cost.
const maxPoints = 4

// contactPoint is a place on the surface of the second shape, and how far above it, along the
// normal, the first shape's surface is; negative where they overlap.
type contactPoint struct {
	at  geom.Vec3
	gap float64
}

// add appends a point. What is over maxPoints is dropped: callers with more reduce them first.
func (m *manifold) add(at geom.Vec3, gap float64) {
	if m.n < maxPoints {
		m.points[m.n] = contactPoint{at, gap}
		m.n++
	}
}

// contact is one contact point in the solver. Velocities are those of a against b.
type contact struct {
	// key orders contacts and finds those of the piece before.
	key        uint64
	a, b       int32 // indices of sims
	single     bool  // b is the level, which no impulse moves or turns
	hasRolling bool  // there is rolling resistance
	n          constraintRow
	t, u       constraintRow // the two tangents, if there is friction
	ra         geom.Vec3     // from the centre of a to the point
	ca, cb     geom.Vec3     // from the centres to the part that turns with the body: zero for a ball
	gap        float64       // when it was found, metres; negative where they overlap
	// Materials of both sides, combined.
	friction float64
	bounce   float64
	rolling  float64
	mr       float64 // the effective inertia against rolling
	// Used once, after the substeps.
	approach float64 // along n at the moment of the touch, m/s; negative is closing
	jr       geom.Vec3
	sum      float64 // of n.impulse over the substeps
	force    float64 // n.impulse is at most this many newtons times the time; 0 is unbounded
}

// constraintRow is one direction of a contact, with what stays constant while it is solved.
// An impulse along it changes the velocities of a and b by fixed vectors.
type constraintRow struct {
	d            geom.Vec3 // unit
	a, b         geom.Vec3 // arms × d
	ia, ib       geom.Vec3 // angular velocity from an impulse of 1
	ma, mb       float64   // speed from an impulse of 1
	mass         float64   // effective mass
	surfaceSpeed float64   // of the level's surface along d, m/s
	impulse      float64   // accumulated, kg·m/s
}

// makeConstraintRow makes the row along the unit vector d for arms ra and rb, in metres; slide is the
// velocity of the level's surface, in m/s.
func makeConstraintRow(a, b *bodySim, d, ra, rb, slide geom.Vec3) constraintRow {
	// How much speed along d an impulse of 1 makes: 1/m + (r × d)·I⁻¹·(r × d), of both sides.
	r := constraintRow{d: d, a: ra.Cross(d), b: rb.Cross(d), ma: a.im, mb: b.im, surfaceSpeed: d.Dot(slide)}
	r.ia, r.ib = a.ii.Mul(r.a), b.ii.Mul(r.b)
	if k := a.im + b.im + r.a.Dot(r.ia) + r.b.Dot(r.ib); k > 0 {
		r.mass = 1 / k
	}
	return r
}

// speed returns how fast a moves along the row against b, in m/s. Negative is closing.
func (r *constraintRow) speed(a, b *bodySim, single bool) float64 {
	s := r.d.Dot(a.v) + r.a.Dot(a.w) - r.surfaceSpeed
	if single {
		return s
	}
	return s - r.d.Dot(b.v) - r.b.Dot(b.w)
}

// applyImpulse applies an impulse of j kg·m/s along the row, to a and against b.
func (r *constraintRow) applyImpulse(a, b *bodySim, single bool, j float64) {
	a.v = a.v.MulAdd(r.d, float64(r.ma*j))
	a.w = a.w.MulAdd(r.ia, j)
	if !single {
		b.v = b.v.MulAdd(r.d, -float64(r.mb*j))
		b.w = b.w.MulAdd(r.ib, -j)
	}
}

// cachedImpulse is the impulse of a contact, kept for the contact at the same place in the next piece, for
// warm starting: the solver then begins near its result. It holds forces, because the next substeps may have
// another length.
type cachedImpulse struct {
	key              uint64
	arm              geom.Vec3 // ra
	normal           float64
	tangent, rolling geom.Vec3
}

// The kinds of contacts in the order in which they are solved. The last ones win, so the static
// level comes last: a player may press a ball into another, but not through the floor.
const (
	pusherContact = iota
	bodyContact
	levelContact
)

// keyOf returns a key that orders contacts by kind, then body, then the other side.
// The fields are 24 bits wide, since indices of sims are below 4,096 + 256.
func keyOf(kind int, a, b int32) uint64 {
	return uint64(kind)<<48 | uint64(a)<<24 | uint64(b)
}

// contactInfo is common to all contacts of a manifold: the two sides, the kind, and the force and bounce of a
// pusher.
type contactInfo struct {
	kind int
	a, b int32 // indices of sims
	// other distinguishes contacts of a: the other body, the pusher's ID. A pusher's index would not do,
	// because the impulses kept for it would be those of another character when one joins.
	other   int32
	surface collide.MoverID // of the level
	force   float64         // in newtons, 0 is unbounded
	bounce  float64         // of a pusher
}

// addContacts makes the contacts of a manifold, one for each of its points. Body a is never the level or
// a pusher.
func (w *World) addContacts(l contactInfo, m *manifold) {
	for i := range m.n {
		c := contact{a: l.a, b: l.b, gap: m.points[i].gap, force: l.force}
		c.key = keyOf(l.kind, l.a, l.other)
		at, n := m.points[i].at, m.normal
		// In the middle of the gap the two sides would have different arms; each has its own surface.
		c.ra, c.ca = arms(&w.bodies[l.a], at.MulAdd(n, c.gap).Sub(w.sims[l.a].pos), n)
		var rb, slide geom.Vec3
		switch l.kind {
		case levelContact:
			// A conveyor or a lift: its surface moves under the body.
			if l.surface != collide.Static {
				slide = w.view.VelocityAt(l.surface, at)
			} else if c.gap < float64(w.bodies[l.a].innerRadius()*-0.25) {
				// Others press it in. Once its centre is behind the surface, contacts may push it out on
				// the far side, so stopTunnelling sweeps it.
				w.sims[l.a].deep = true
			}
		case bodyContact:
			rb, c.cb = arms(&w.bodies[l.b], at.Sub(w.sims[l.b].pos), n.Neg())
		}
		w.material(&c, &l)
		w.prepare(&c, n, rb, slide)
		w.contacts = append(w.contacts, c)
	}
}

// arms returns the point where an impulse acts on a body, from its centre, and the part of it that turns with
// the body: the skin of a ball or capsule rotates without moving the contact point. n points into the body.
func arms(b *Body, arm, n geom.Vec3) (skin, turns geom.Vec3) {
	switch b.Shape {
	case Ball:
		return n.Mul(-b.Half.X), geom.Vec3{}
	case Capsule:
		return arm, arm.MulAdd(n, b.Half.X)
	}
	return arm, arm
}

// material combines the materials of both sides into the contact's. A pusher has no friction.
func (w *World) material(c *contact, l *contactInfo) {
	a := &w.bodies[c.a]
	if l.kind == pusherContact {
		c.bounce = l.bounce // and no friction: a character that brushes past does not spin a ball
		return
	}
	// Of a alone, so far: the level has no material of its own unless the Config gives it one.
	c.friction, c.bounce = a.Friction, a.Restitution
	c.rolling = float64(a.Rolling * a.Half.X)
	switch l.kind {
	case bodyContact:
		b := &w.bodies[c.b]
		// As most engines do: something slippery is slippery on everything.
		c.friction = math.Sqrt(float64(a.Friction * b.Friction))
		// The larger: a rubber ball bounces on stone.
		c.bounce = max(c.bounce, b.Restitution)
		c.rolling = max(c.rolling, float64(b.Rolling*b.Half.X))
	case levelContact:
		c.bounce = max(c.bounce, w.config.Restitution)
		if f := w.config.Friction; f != 0 {
			c.friction = math.Sqrt(float64(a.Friction * max(f, 0)))
		}
	}
	// A box has its corners to stop it; with rolling resistance it would not tip over.
	if c.rolling > 0 && a.Shape == Box {
		c.rolling = 0
	}
}

// prepare computes what stays constant while the contact is solved: directions, arms and effective
// masses. In 1/60 s a body turns little enough; the next piece begins anew.
func (w *World) prepare(c *contact, n, rb, slide geom.Vec3) {
	a, b := &w.sims[c.a], &w.sims[c.b]
	c.single = c.b == 0
	c.n = makeConstraintRow(a, b, n, c.ra, rb, slide)
	if c.friction > 0 {
		// Any tangent would do, but one that turned with the velocity would lose the impulses kept from the
		// piece before.
		t := n.Cross(geom.V(1, 0, 0))
		if math.Abs(n.X) > 0.7 {
			t = n.Cross(geom.V(0, 0, 1))
		}
		t = t.Unit()
		c.t = makeConstraintRow(a, b, t, c.ra, rb, slide)
		c.u = makeConstraintRow(a, b, n.Cross(t), c.ra, rb, slide)
	}
	if c.rolling > 0 {
		// The least effective inertia of the three axes: too small an impulse is made up for in the next
		// substep, one too large would swing.
		if k := max(a.ii.XX+b.ii.XX, a.ii.YY+b.ii.YY, a.ii.ZZ+b.ii.ZZ); k > 0 {
			c.mr, c.hasRolling = 1/k, true
		}
	}
	// Before anything is solved: afterwards they no longer approach, and nothing would bounce.
	c.approach = c.n.speed(a, b, c.single)
	// Gravity accelerates them until they touch.
	// v² = v₀² + 2·a·s. Without it the height of a bounce would depend on the length of the step.
	if pull := n.Dot(a.acceleration.Sub(b.acceleration)); pull < 0 && c.gap > 0 && c.approach < 0 {
		c.approach = -math.Sqrt(float64(c.approach*c.approach) - float64(2*float64(pull*c.gap)))
	}
	w.warmStart(c)
}

// warmStartDistance is how far, in metres, a contact point may have moved relative to the body's
// centre and count as the one of the piece before. Points of one manifold are further apart than that
// for all but the smallest bodies, where the nearest one counts.
const warmStartDistance = 0.03

// warmStart starts the contact with the impulses of the nearest one of the piece before between the
// same two sides.
func (w *World) warmStart(c *contact) {
	// Relative to the centre of a, because a body that slides or rolls takes its contacts along. All
	// contacts of a body with the level have one key, and only the arm tells them apart.
	best, at := float64(warmStartDistance*warmStartDistance), -1
	for i := w.cacheStart(c.key); i < len(w.cachedImpulses) && w.cachedImpulses[i].key == c.key; i++ {
		if d := w.cachedImpulses[i].arm.Sub(c.ra).LenSq(); d < best {
			best, at = d, i
		}
	}
	if at < 0 {
		return
	}
	k := &w.cachedImpulses[at]
	c.n.impulse = float64(k.normal * w.h)
	c.t.impulse, c.u.impulse = float64(k.tangent.Dot(c.t.d)*w.h), float64(k.tangent.Dot(c.u.d)*w.h)
	if c.hasRolling {
		c.jr = k.rolling.Mul(w.h)
	}
	k.arm.X = math.Inf(1) // each is used once
}

// cacheStart returns the index of the first cached impulse of a key, or where it would be.
func (w *World) cacheStart(key uint64) int {
	lo, hi := 0, len(w.cachedImpulses)
	// By halves: the cache is in the order of keys, as contacts are made.
	for lo < hi {
		mid := (lo + hi) / 2
		if w.cachedImpulses[mid].key < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// cacheImpulses keeps the impulses that the next piece starts with. They are part of the state of a
// World: without them a restored stack would sag for a piece, with other bits.
func (w *World) cacheImpulses() {
	w.cachedImpulses = w.cachedImpulses[:0]
	for i := range w.contacts {
		// Forces in the frame of the world: the tangents of the next piece may be others.
		if c := &w.contacts[i]; c.n.impulse > 0 {
			w.cachedImpulses = append(w.cachedImpulses, cachedImpulse{c.key, c.ra, c.n.impulse / w.h,
				c.t.d.Mul(c.t.impulse).MulAdd(c.u.d, c.u.impulse).Div(w.h), c.jr.Div(w.h)})
		}
	}
}
