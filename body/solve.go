package body

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

const (
	// contactHertz is the largest stiffness of a contact's spring, and levelStiffness is how many
	// times stiffer it is against the level, which does not give way.
	//
	// Stiffer ones make a heap tremble; with softer ones bodies sink in by centimetres when they land.
	contactHertz   = 30
	levelStiffness = 2
	// dampingRatio of that spring, of the critical one: far beyond it, so that it never swings.
	dampingRatio = 10
	// maxPushOutSpeed is the largest speed in m/s at which overlapping bodies are separated. With a
	// higher one, a body that is pinned between a pusher and a wall is shot out.
	maxPushOutSpeed = 3
)

// spring is a contact's softness for one length of substep (Catto, "Soft Constraints", 2011;
// box3d's b3MakeSoft).
// rate is the share of an overlap that is removed in a second, mass and impulse are factors.
type spring struct{ rate, mass, impulse float64 }

// makeSpring returns the softness for a frequency in Hz and a substep of h seconds.
func makeSpring(hertz, h float64) spring {
	// ω is the angular frequency. The three factors make an implicit Euler step of the damped spring: the
	// speed that it asks for, the share of the mass, and what it gives back of the impulse so far.
	omega := float64(2 * float64(math.Pi*hertz))
	a1 := float64(2*dampingRatio) + float64(h*omega)
	a2 := float64(float64(h*omega) * a1)
	a3 := 1 / (1 + a2)
	return spring{omega / a1, float64(a2 * a3), a3}
}

// hardContact is no spring at all: the speed of approach becomes zero, and overlaps stay.
var hardContact = spring{0, 1, 0}

// solve solves the contacts of a piece of h·substeps seconds, in the order in which they were made: each
// undoes a little of those before it, so the level, which is last, holds best.
func (w *World) solve(h float64, substeps int) {
	// A spring of more than a quarter of the rate of substeps would swing.
	hertz := min(contactHertz, 0.25/h)
	soft, stiff := makeSpring(hertz, h), makeSpring(float64(hertz*levelStiffness), h)
	for k := range substeps {
		for i := range w.sims {
			if m := &w.sims[i]; m.im > 0 {
				// Every body first: a contact needs the velocities of both sides.
				m.accelerate(h)
			}
		}
		for i := range w.contacts {
			w.applyCachedImpulses(&w.contacts[i])
		}
		// Since the contacts were found. The level's movers have moved since.
		past := float64(float64(k) * h)
		for i := range w.contacts {
			s := soft
			if i >= w.firstLevelContact {
				s = stiff
			}
			w.solveContact(&w.contacts[i], s, h, past)
		}
		// After this, once more without the springs ("relaxing"): the speed with which they pushed bodies
		// apart is taken back, or it would be energy.
		w.advanceAll(h)
		for i := range w.contacts {
			c := &w.contacts[i]
			w.solveContact(c, hardContact, h, past+h)
			c.sum += c.n.impulse
		}
	}
	w.applyRestitution()
	w.limitPushed()
}

// advanceAll moves all that is awake, pushers included, by a substep of h seconds.
func (w *World) advanceAll(h float64) {
	for i := 1; i < len(w.sims); i++ {
		if m := &w.sims[i]; !m.asleep {
			m.advance(h)
		}
	}
}

// applyCachedImpulses applies the impulses known so far, of the substep or piece before. A stack needs
// them: from zero, the weight of ten boxes would take ten iterations to reach the floor.
func (w *World) applyCachedImpulses(c *contact) {
	// A contact that has not carried anything has no friction either.
	if c.n.impulse == 0 {
		return
	}
	a, b := &w.sims[c.a], &w.sims[c.b]
	c.n.applyImpulse(a, b, c.single, c.n.impulse)
	if c.friction > 0 {
		c.t.applyImpulse(a, b, c.single, c.t.impulse)
		c.u.applyImpulse(a, b, c.single, c.u.impulse)
	}
	if c.hasRolling {
		c.applyAngularImpulse(a, b, c.jr)
	}
}

// applyAngularImpulse applies an angular impulse.
func (c *contact) applyAngularImpulse(a, b *bodySim, impulse geom.Vec3) {
	a.w = a.w.Add(a.ii.Mul(impulse))
	if !c.single {
		b.w = b.w.Sub(b.ii.Mul(impulse))
	}
}

// separation returns the gap in metres as it is now, past seconds after it was found. The bodies have
// moved and turned a little, so the gap is linear in both; finding it anew would cost as much as the
// rest of the piece.
func (c *contact) separation(a, b *bodySim, past float64) float64 {
	gap := c.gap + c.n.d.Dot(a.moved.Add(a.turned.Cross(c.ca))) - float64(c.n.surfaceSpeed*past)
	if c.single {
		return gap
	}
	return gap - c.n.d.Dot(b.moved.Add(b.turned.Cross(c.cb)))
}

// solveContact makes the two sides separate, or approach no further than their gap, with friction. s is
// the spring of an overlap, h the length of the substep in seconds, and past how long ago the contact was
// found, in seconds.
func (w *World) solveContact(c *contact, s spring, h, past float64) {
	a, b := &w.sims[c.a], &w.sims[c.b]
	bias, mass, back := 0.0, 1.0, 0.0
	// Apart: they may close the gap in this substep and no more, so a fast body stops at the surface.
	if gap := c.separation(a, b, past); gap > 0 {
		bias = gap / h
	} else if s.rate > 0 {
		// Overlapping: pushed apart, softly.
		bias = max(float64(s.rate*gap), -maxPushOutSpeed)
		mass, back = s.mass, s.impulse
	}
	// Friction comes first, so that the normal impulse, which keeps bodies apart, is not changed after it. If
	// there was none yet, friction would be limited to zero, so it comes after.
	fresh := c.n.impulse == 0
	if !fresh {
		c.solveFriction(a, b)
	}
	closing := c.n.speed(a, b, c.single)
	// The sum over the substeps is clamped, not the part (Catto, "Iterative Dynamics", 2005): a contact
	// may take back what it gave too much.
	j := c.n.impulse - float64(float64(c.n.mass*mass)*(closing+bias)) - float64(back*c.n.impulse)
	j = max(j, 0)
	// A pusher is as strong as its Force, or a character would press bodies through walls.
	if c.force > 0 {
		j = min(j, float64(c.force*h))
	}
	more := j - c.n.impulse
	c.n.impulse = j
	if more != 0 {
		c.n.applyImpulse(a, b, c.single, more)
	}
	if fresh && j > 0 {
		c.solveFriction(a, b)
	}
}

// solveFriction applies friction and rolling resistance, each within what the normal impulse
// allows. Both stop motion and never reverse it: they are clamped impulses against the current
// speed.
func (c *contact) solveFriction(a, b *bodySim) {
	if c.hasRolling {
		before := c.jr
		// The torque is at most the lever of Rolling × radius times the force on the ground.
		c.jr = before.MulAdd(a.w.Sub(b.w), -c.mr).ClampLen(float64(c.rolling * c.n.impulse))
		c.applyAngularImpulse(a, b, c.jr.Sub(before))
	}
	if c.friction == 0 {
		return
	}
	jt := c.t.impulse - float64(c.t.mass*c.t.speed(a, b, c.single))
	ju := c.u.impulse - float64(c.u.mass*c.u.speed(a, b, c.single))
	most := float64(c.friction * c.n.impulse)
	// Coulomb's cone: both tangents together, so that friction is equal in all directions.
	if l := float64(jt*jt) + float64(ju*ju); l > float64(most*most) {
		k := most / math.Sqrt(l)
		jt, ju = float64(jt*k), float64(ju*k)
	}
	c.t.applyImpulse(a, b, c.single, jt-c.t.impulse)
	c.u.applyImpulse(a, b, c.single, ju-c.u.impulse)
	c.t.impulse, c.u.impulse = jt, ju
}

// applyRestitution makes bodies that touched fast enough bounce. Once, after the substeps: within them
// the springs would take a part of the bounce back.
func (w *World) applyRestitution() {
	for i := range w.contacts {
		c := &w.contacts[i]
		// sum is zero for a contact that was found ahead and never met.
		if c.bounce == 0 || c.sum == 0 || c.approach > -w.config.BounceSpeed {
			continue
		}
		a, b := &w.sims[c.a], &w.sims[c.b]
		// Newton's law of impact: they part with bounce times the speed of approach.
		closing := c.n.speed(a, b, c.single)
		j := -float64(c.n.mass * (closing + float64(c.bounce*c.approach)))
		// The bounce is at most that share of the impulse that stopped the bodies (Poisson): at
		// each of many contact points only a part of the body hit.
		j = geom.Clamp(j, -c.n.impulse, float64(float64(c.bounce*c.sum)*1.02))
		c.n.applyImpulse(a, b, c.single, j)
		c.n.impulse = 0 // an impact leaves nothing to warm start with
	}
}

// limitPushed limits the speed of bodies that pushers touched to the speed that pushing can give: a body that
// is squeezed between a pusher and a wall slips away, but is not shot out.
func (w *World) limitPushed() {
	for i := range w.contacts {
		c := &w.contacts[i]
		if c.key>>48 != pusherContact {
			return // pusher contacts are the first
		}
		m := &w.sims[c.a]
		// Never slower than it came: a ball that flies past an idle character keeps its speed.
		fastest := float64(w.sims[c.b].v.Len()*(1+c.bounce)) + maxPushOutSpeed
		m.v = m.v.ClampLen(max(m.speed, fastest))
	}
}
