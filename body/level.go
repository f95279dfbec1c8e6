package body

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// collideLevel makes the contacts of an awake body with the level, for a piece of d seconds. It looks as
// far ahead as the body may get in it.
func (w *World) collideLevel(i int32, d float64) {
	if w.view.World == nil {
		return
	}
	m, b := &w.sims[i], &w.bodies[i]
	// With all that gravity adds, so that a falling body is caught in the piece in which it lands.
	way := m.v.Mul(d).MulAdd(m.acceleration, float64(d*d))
	if b.Shape == Box {
		w.collideBoxLevel(i, way)
		return
	}
	w.collideCapsuleLevel(i, coreCapsule(b, m.pos, m.q), way)
}

// collideCapsuleLevel is collideLevel for balls and capsules, c being the body as it is and way where it
// goes within the piece.
func (w *World) collideCapsuleLevel(i int32, c geom.Capsule, way geom.Vec3) {
	w.level.found = w.level.found[:0]
	// The two round ends by themselves: the nearest point of a lying capsule is only one, and with one
	// contact it would see-saw.
	if c.A != c.B {
		w.level.found = w.view.Contacts(geom.Capsule{A: c.A, B: c.A, Radius: c.Radius}, margin, w.level.found)
		w.level.found = w.view.Contacts(geom.Capsule{A: c.B, B: c.B, Radius: c.Radius}, margin, w.level.found)
	}
	ends := len(w.level.found)
	w.level.found = w.view.Contacts(c, margin, w.level.found)
	w.level.found = w.level.found[:ends+filterNew(w.level.found[:ends], w.level.found[ends:])]
	w.sweepMoving(i, c, way)
	// Movers first, the static level last: see firstLevelContact.
	w.addFoundContacts(i, true)
	w.addFoundContacts(i, false)
	// Slower ones meet nothing that is not within the margin already.
	if way.LenSq() > float64(margin*margin) {
		w.sweepAhead(i, c, way)
	}
}

// addFoundContacts makes contacts of those found with the movers of the level, or with the
// static level. The latter come last, so that they hold against the former.
func (w *World) addFoundContacts(i int32, moving bool) {
	for k := range w.level.found {
		x := &w.level.found[k]
		if (x.Mover != collide.Static) != moving {
			continue
		}
		s := manifold{normal: x.Normal}
		s.add(x.Point, x.Distance)
		w.addContacts(contactInfo{kind: levelContact, a: i, surface: x.Mover}, &s)
	}
}

// filterNew moves the contacts of list that are at none of the places known to its front, and
// returns how many there are. Two contacts at one place would share the load, and friction would act
// twice.
func filterNew(known, list []collide.Contact) int {
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

// sweepAhead makes a contact with the surface that the body will hit within the piece, so that it stops
// there and not inside. The swept shape is a little thinner, so that the ground under the body is not in its
// way.
func (w *World) sweepAhead(i int32, c geom.Capsule, way geom.Vec3) {
	thin := min(float64(margin*0.5), float64(c.Radius*0.5))
	c.Radius -= thin
	// Overlapping geometry has a contact already, and a sweep that begins inside hits nothing.
	hit, ok := w.view.World.SweepCapsule(c, way)
	if !ok || hit.Penetrating {
		return
	}
	// The way to the surface along its normal, of the full radius.
	gap := -float64(hit.Normal.Dot(way)*hit.Fraction) - thin
	if gap <= margin {
		return // found already
	}
	s := manifold{normal: hit.Normal}
	s.add(hit.Point, gap)
	w.addContacts(contactInfo{kind: levelContact, a: i}, &s)
}

// sweepMoving is sweepAhead for the level's movers, which may move towards the body faster
// than it moves towards them: it is swept in the space of each.
func (w *World) sweepMoving(i int32, c geom.Capsule, way geom.Vec3) {
	thin := min(float64(margin*0.5), float64(c.Radius*0.5))
	c.Radius -= thin
	for _, id := range w.movingNear(c, way) {
		hit, step, ok := w.sweepAgainst(id, c, way)
		if !ok || hit.Penetrating {
			continue
		}
		pose := w.view.Pose(id)
		n := pose.Rotation.Rotate(hit.Normal)
		gap := -float64(hit.Normal.Dot(step)*hit.Fraction) - thin
		if gap <= margin {
			continue
		}
		s := manifold{normal: n}
		s.add(pose.Apply(hit.Point), gap)
		w.addContacts(contactInfo{kind: levelContact, a: i, surface: id}, &s)
	}
}

// movingNear returns the movers of the level that move within this piece and may be touched by c on its
// way. It is valid until the next call.
func (w *World) movingNear(c geom.Capsule, way geom.Vec3) []collide.MoverID {
	if len(w.view.World.Movers()) == 0 {
		return nil
	}
	// All that it may reach.
	c.Radius += way.Len() + margin
	then := w.view
	then.At = w.pieceEnd
	w.level.near = then.NearbyMovers(c, w.view.At, w.level.near[:0])
	n := 0
	for n < len(w.level.near) && w.view.Pose(w.level.near[n]) != then.Pose(w.level.near[n]) {
		n++ // those that move come first
	}
	return w.level.near[:n]
}

// sweepAgainst sweeps c by way against a mover of the level while that moves from its pose to the
// one at the end of the piece. The hit and the step are in the body's space.
func (w *World) sweepAgainst(id collide.MoverID, c geom.Capsule, way geom.Vec3) (collide.Hit, geom.Vec3, bool) {
	before, after := w.view.Pose(id), w.view.PoseAt(id, w.pieceEnd)
	// The way of the middle, relative to the body. That the capsule turns in that space is left out: a
	// body that turns faster than the limits of docs/bodies.md may graze it.
	middle := c.A.Add(c.B).Mul(0.5)
	step := after.ApplyInverse(middle.Add(way)).Sub(before.ApplyInverse(middle))
	hit, ok := w.view.SweepMover(id, c.InverseTransformed(before), step)
	return hit, step, ok
}

// stopTunnelling stops bodies that went through a wall in spite of their contacts: the ball inside
// of each body that is fast for its size, or deep in the level, is swept along its way. Contacts are
// solved one after another, so a later one may push a body through an earlier one.
func (w *World) stopTunnelling() {
	if w.view.World == nil {
		return
	}
	for i := 1; i < len(w.bodies); i++ {
		m := &w.sims[i]
		if m.im == 0 {
			continue
		}
		r := w.bodies[i].innerRadius()
		// Not all of the inner ball: one that lies on the ground would hit that.
		ball := geom.Capsule{A: m.from, B: m.from, Radius: float64(r * 0.7)}
		// The movers first: where one of them carries the body into the static level, that stops it.
		for _, id := range w.movingNear(ball, m.pos.Sub(m.from)) {
			hit, step, ok := w.sweepAgainst(id, ball, m.pos.Sub(m.from))
			if ok && !hit.Penetrating {
				at := w.view.Pose(id).ApplyInverse(m.from).MulAdd(step, hit.Fraction)
				// It goes on with the body that hit it. Its velocity stays: the contact of the next piece takes it.
				m.pos = w.view.PoseAt(id, w.pieceEnd).Apply(at)
			}
		}
		way := m.pos.Sub(m.from)
		// Farther than a quarter of its radius in one piece, or pushed in by others.
		if m.deep || way.LenSq() >= float64(float64(r*r)*0.0625) {
			if hit, ok := w.view.World.SweepCapsule(ball, way); ok {
				m.pos = m.from.MulAdd(way, hit.Fraction)
			}
		}
	}
}

// applyWater adds the effects of water on a body: buoyancy by its density, the added mass of the
// water that it accelerates (half its own volume, as for a ball in an ideal fluid), and drag. Without the
// added mass a beach ball would shoot up at many times g.
func (w *World) applyWater(m *bodySim, b *Body, up geom.Vec3) {
	if len(w.view.World.Volumes()) == 0 || w.config.Water == 0 {
		return
	}
	half := b.bounds(m)
	h := half.Max.Sub(half.Min).Mul(0.5)
	// Half its height along up, as a box that contains it has it.
	tall := geom.V(h.X*math.Abs(up.X), h.Y*math.Abs(up.Y), h.Z*math.Abs(up.Z)).Len()
	wet := w.view.Submerged(geom.Capsule{A: m.pos.MulAdd(up, -tall), B: m.pos.MulAdd(up, tall)}, up)
	if wet <= 0 {
		return
	}
	carried := float64(float64(w.config.Water*b.Volume()) * wet)
	// Archimedes: it is lifted by the weight of what it displaces and accelerates half of that water too.
	// The 1 takes back gravity, which is added after this.
	lift := (carried-m.mass)/(m.mass+float64(carried*0.5)) + 1
	m.acceleration = m.acceleration.MulAdd(up, float64(lift*w.config.Gravity))
	m.linearDamping += float64(waterDrag * wet)
	m.angularDamping += float64(waterDrag * wet)
}

// waterDrag is the damping under water, in 1/s: a ball that is thrown into a pool keeps a seventh of its
// speed after a second.
const waterDrag = 2
