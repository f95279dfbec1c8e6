package body

import (
	"cmp"
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// maxPiece is how long contacts are valid before they are searched again: a tick of 60 Hz. A ball of
	// 20 m/s goes 33 cm in it, which contacts that are found ahead cover.
	maxPiece clock.Micros = 16667
	// maxSubstep is the longest time for which velocities stay constant: a quarter of a piece. Four
	// substeps of one iteration hold a stack better than one of many (Macklin et al., "Small Steps in
	// Physics Simulation", 2019).
	maxSubstep clock.Micros = 4167
	// maxStep is the longest time of one Step, which bounds the work of it. The rest of a longer one is
	// cut off.
	maxStep = clock.Second
)

// Pusher is a character: it moves through the step with its velocity, pushes bodies out of its way
// and is not pushed. That bodies stop characters is the character's own step (collide.Obstacles), which
// its owner predicts; a solver that pushed both would have to run on the owner's replay.
type Pusher struct {
	ID       uint16       // the game's number; each once
	Capsule  geom.Capsule // at the beginning of the step, metres
	Velocity geom.Vec3    // m/s: the displacement in the step, over its time
	// Force is the largest force with which it pushes, in newtons. Zero means 1,500: two boxes of a
	// person's weight slide before it, and a body between it and a wall does not break through.
	Force float64
	// Bounce is the restitution of a touch, instead of the body's: a ball leaves with 1+Bounce
	// times the pusher's speed. Zero keeps it at the foot, 1 kicks it away at twice the speed. A body
	// with a larger Kick takes that.
	Bounce float64
	// Groups are the groups that it belongs to, a bit each: a team, goalkeepers. A body with PushedBy
	// is pushed only by pushers of one of those groups, and touched by no other. Zero is no group.
	Groups uint8
}

// maxPushers is how many pushers of a Step count. The rest do not push: a bound on the work.
const maxPushers = 256

// Touch is a body that a pusher touched, or would have within a piece.
type Touch struct {
	Pusher uint16 // Pusher.ID
	Body   ID     // never zero in what World.Touches returns
}

// Step advances the world by d from the match time at, at which the bodies are where they are. The
// level's movers follow their paths meanwhile, and pushers move straight on. A d of zero or
// less does nothing, one above a second counts as a second.
//
// It is done in ⌈d / 16,667 µs⌉ equal pieces, for each of which contacts are found once, and those
// in ⌈piece / 4,167 µs⌉ equal substeps: a tick of 20 Hz is three pieces of four, one of 60 Hz one
// of four, a frame of 144 Hz one of two.
func (w *World) Step(d, at clock.Micros, pushers []Pusher) {
	w.touches = w.touches[:0]
	if d <= 0 {
		return
	}
	d = min(d, maxStep)
	pushers = pushers[:min(len(pushers), maxPushers)]
	// Equal parts, rounded up: a remainder of its own would be a substep so short that the springs of
	// the contacts become stiff.
	pieces := (d + maxPiece - 1) / maxPiece
	substeps := (d + pieces*maxSubstep - 1) / (pieces * maxSubstep)
	h := d.Seconds() / float64(pieces*substeps)
	w.loadPushers(pushers)
	for k := range pieces {
		// By multiplication, so that no rounding adds up and the last piece ends at d.
		from, to := k*d/pieces, (k+1)*d/pieces
		w.view.At, w.pieceEnd = at+from, at+to
		w.wakeByLevel(w.pieceEnd)
		if w.allAsleep(pushers) {
			// A world at rest costs next to nothing. Its impulses would be of another length of step when it
			// wakes.
			w.cachedImpulses = w.cachedImpulses[:0]
			w.movePushers(float64(h * float64(substeps)))
			continue
		}
		w.piece(to-from, h, int(substeps), pushers)
	}
	// Pushers exist for one Step.
	w.sims = w.sims[:len(w.bodies)]
	// Each piece reports what it touches. A body that is touched in all three pieces of a tick is one touch.
	slices.SortFunc(w.touches, func(a, b Touch) int {
		return cmp.Or(cmp.Compare(a.Pusher, b.Pusher), cmp.Compare(a.Body, b.Body))
	})
	w.touches = slices.Compact(w.touches)
}

// loadPushers makes sims of the pushers, after those of the bodies, so that contacts find both by one
// index.
func (w *World) loadPushers(pushers []Pusher) {
	w.sims = w.sims[:len(w.bodies)]
	for i := range pushers {
		p := &pushers[i]
		// Without mass: no impulse changes its velocity, and no spin turns it.
		c := p.Capsule
		m := bodySim{pos: c.A.Add(c.B).Mul(0.5), v: p.Velocity, q: geom.IdentityQuat, maxSpeed: MaxSpeed, maxSpin: MaxSpin}
		w.sims = append(w.sims, m)
	}
}

// movePushers advances the pushers by d seconds in a piece that has nothing else to do. In the others
// advanceAll does.
func (w *World) movePushers(d float64) {
	for i := len(w.bodies); i < len(w.sims); i++ {
		m := &w.sims[i]
		m.pos = m.pos.MulAdd(m.v, d)
	}
}

// allAsleep reports whether every body sleeps and no pusher is near one. Then a piece changes nothing.
func (w *World) allAsleep(pushers []Pusher) bool {
	if w.updateSleepers(); w.awake {
		return false
	}
	for i := range pushers {
		if w.sleepers.Overlaps(w.pusherBounds(pushers, i)) {
			return false
		}
	}
	return true
}

// updateSleepers finds whether a body is awake, and the bounds of those that sleep, unless nothing
// has changed since the last time. A server with a heap at rest needs this in every tick.
func (w *World) updateSleepers() {
	if w.sleepersValid {
		return
	}
	w.sleepersValid, w.awake, w.sleepers = true, false, geom.EmptyAABB()
	for i, used := range w.used {
		if !used {
			continue
		}
		if m := &w.sims[i]; m.asleep {
			w.sleepers = w.sleepers.Union(m.bounds)
		} else {
			w.awake = true
		}
	}
}

// piece finds contacts and solves them, in substeps of h seconds, lasts in total. The order matters: waking
// before the level, since only bodies that are awake collide with it; sleep last, since it uses the solved
// velocities.
func (w *World) piece(lasts clock.Micros, h float64, substeps int, pushers []Pusher) {
	d := float64(h * float64(substeps))
	w.h = h
	w.beginPiece(d)
	// A body that wakes may wake the next. Four rounds a piece bound the work; waking
	// then spreads through a heap within a few pieces, which is not visible.
	for range 4 {
		if w.findContacts(d, pushers); !w.woken {
			break
		}
	}
	// The level comes last, so that it wins: a body that is pressed from both sides stays out of the
	// level and overlaps what presses it.
	w.firstLevelContact = len(w.contacts)
	for i := 1; i < len(w.bodies); i++ {
		if m := &w.sims[i]; m.im > 0 {
			w.collideLevel(int32(i), d)
		}
	}
	// Before solving: free decides how the position is advanced in every substep.
	for i := range w.contacts {
		c := &w.contacts[i]
		w.sims[c.a].free, w.sims[c.b].free = false, false
	}
	w.solve(h, substeps)
	w.cacheImpulses()
	w.stopTunnelling()
	w.sleepIslands(lasts)
	for i := 1; i < len(w.bodies); i++ {
		w.store(i)
	}
}

// beginPiece prepares the sims for a piece of d seconds: mass, forces and the bounds of where they may
// get to. Gravity is constant within a piece.
func (w *World) beginPiece(d float64) {
	for i := 1; i < len(w.sims); i++ {
		m := &w.sims[i]
		if m.asleep {
			continue
		}
		m.beginPiece()
		if i >= len(w.bodies) || !w.used[i] {
			continue
		}
		b := &w.bodies[i]
		// Its rotation changed since the last piece, and the inverse inertia with it.
		m.updateMass()
		m.linearDamping, m.angularDamping = b.LinearDamping, b.AngularDamping
		m.acceleration = geom.Vec3{}
		if m.im > 0 {
			w.applyVolumes(m, b)
		}
		m.bounds = w.sweptBounds(m, b, d)
	}
}

// sweptBounds returns the bounds of a body and of where it may go within d seconds, straight on and with
// gravity.
func (w *World) sweptBounds(m *bodySim, b *Body, d float64) geom.AABB {
	at := b.bounds(m).Grow(margin)
	// Twice the fall that gravity adds: bounds may be larger, never smaller.
	step := m.v.Mul(d).MulAdd(m.acceleration, float64(d*d))
	return at.Union(geom.AABB{Min: at.Min.Add(step), Max: at.Max.Add(step)})
}

// store copies a sim back to its body, from which everything else can be made again.
func (w *World) store(i int) {
	m := &w.sims[i]
	// A body that slept all the time keeps its bits.
	if !w.used[i] || m.asleep && w.bodies[i].Asleep {
		return
	}
	m.clampSpeed()
	b := &w.bodies[i]
	b.Position, b.Velocity, b.AngularVelocity, b.Rotation, b.Asleep = m.pos, m.v, m.w, m.q, m.asleep
}

// applyVolumes sets gravity and the effects of water, as they are at the body's centre at the beginning
// of the piece.
func (w *World) applyVolumes(m *bodySim, b *Body) {
	up := geom.Up
	if w.view.World != nil {
		if v := w.view.VolumeAt(m.pos); v != nil {
			up = upIn(v, m.pos)
		}
		w.applyWater(m, b, up)
	}
	m.acceleration = m.acceleration.MulAdd(up, -w.config.Gravity)
}

// upIn returns the direction against gravity in a volume at p, a unit vector.
func upIn(v *collide.Volume, p geom.Vec3) geom.Vec3 {
	switch {
	case v.Planet:
		// At the very centre there is no direction; the body falls through it along −Y.
		if up := p.Sub(v.Centre).Unit(); !up.IsZero() {
			return up
		}
	case !v.Up.IsZero():
		return v.Up
	}
	return geom.Up
}
