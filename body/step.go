package body

import (
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// longestPiece is how long contacts are good for before they are looked for again.
	longestPiece clock.Micros = 16667
	// longestSubstep is the longest time that velocities stay as they are.
	longestSubstep clock.Micros = 4167
	// longestStep is the longest time one Step takes; what is longer is cut off.
	longestStep = clock.Second
)

// Pusher is a character: it moves through the step with its velocity, pushes bodies out
// of its way and is not pushed.
type Pusher struct {
	ID       uint16       // the game's number; each once
	Capsule  geom.Capsule // where it is when the step begins, metres
	Velocity geom.Vec3    // m/s; where it is at the end, less where it began, over the time
	// Force is the most it presses with, in newtons. Zero means 1,500: two boxes of a
	// person's weight slide before it, and what is between it and a wall stays whole.
	Force float64
	// Bounce is the restitution of a touch, instead of the body's: a ball is left with
	// 1+Bounce times the speed. Zero keeps it at the foot, 1 kicks it away at twice.
	Bounce float64
}

// maxPushers is how many pushers of a Step count.
const maxPushers = 256

// Touch is a body that a pusher touched.
type Touch struct {
	Pusher uint16
	Body   ID
}

// Step goes on by d from the match time at, at which the bodies stand where they are; the
// level's moving bodies go along their paths meanwhile, and pushers straight on. A d of
// zero or less does nothing, one above a second counts as a second.
//
// It is done in ⌈d / 16,667 µs⌉ equal pieces, for each of which contacts are found once,
// and those in ⌈piece / 4,167 µs⌉ equal substeps: a tick of 20 Hz is three pieces of four,
// one of 60 Hz one of four, a frame of 144 Hz one of two.
func (w *World) Step(d, at clock.Micros, pushers []Pusher) {
	w.touches = w.touches[:0]
	if d <= 0 {
		return
	}
	d = min(d, longestStep)
	pushers = pushers[:min(len(pushers), maxPushers)]
	pieces := (d + longestPiece - 1) / longestPiece
	substeps := (d + pieces*longestSubstep - 1) / (pieces * longestSubstep)
	h := d.Seconds() / float64(pieces*substeps)
	w.place(pushers)
	for k := range pieces {
		from, to := k*d/pieces, (k+1)*d/pieces
		w.view.At, w.until = at+from, at+to
		w.stir(w.until)
		if w.quiet(pushers) {
			w.kept = w.kept[:0]
			w.movePushers(float64(h * float64(substeps)))
			continue
		}
		w.piece(to-from, h, int(substeps), pushers)
	}
	w.movers = w.movers[:len(w.bodies)]
	sortTouches(w.touches)
	w.touches = slices.Compact(w.touches)
}

// place makes movers of the pushers, after those of the bodies.
func (w *World) place(pushers []Pusher) {
	w.movers = w.movers[:len(w.bodies)]
	for i := range pushers {
		p := &pushers[i]
		c := p.Capsule
		m := mover{pos: c.A.Add(c.B).Mul(0.5), v: p.Velocity, q: geom.IdentityQuat}
		w.movers = append(w.movers, m)
	}
}

// movePushers takes pushers on where there is nothing else to do.
func (w *World) movePushers(d float64) {
	for i := len(w.bodies); i < len(w.movers); i++ {
		m := &w.movers[i]
		m.pos = m.pos.MulAdd(m.v, d)
	}
}

// quiet reports whether all sleep and no pusher is about.
func (w *World) quiet(pushers []Pusher) bool {
	if w.survey(); w.awake {
		return false
	}
	for i := range pushers {
		if w.sleepers.Overlaps(w.pusherBounds(pushers, i)) {
			return false
		}
	}
	return true
}

// survey finds whether anybody is awake, and the box around those that sleep, unless
// nothing has changed since.
func (w *World) survey() {
	if w.surveyed {
		return
	}
	w.surveyed, w.awake, w.sleepers = true, false, geom.EmptyAABB()
	for i, used := range w.used {
		if !used {
			continue
		}
		if m := &w.movers[i]; m.asleep {
			w.sleepers = w.sleepers.Union(m.bounds)
		} else {
			w.awake = true
		}
	}
}

// piece finds contacts and solves them.
func (w *World) piece(lasts clock.Micros, h float64, substeps int, pushers []Pusher) {
	d := float64(h * float64(substeps))
	w.h = h
	w.begin(d)
	for range 4 {
		if w.meet(d, pushers); !w.woken {
			break
		}
	}
	w.fixed = len(w.contacts)
	for i := 1; i < len(w.bodies); i++ {
		if m := &w.movers[i]; m.im > 0 {
			w.meetLevel(int32(i), d)
		}
	}
	for i := range w.contacts {
		c := &w.contacts[i]
		w.movers[c.a].free, w.movers[c.b].free = false, false
	}
	w.solve(h, substeps)
	w.imprint()
	w.arrest()
	w.settle(lasts)
	for i := 1; i < len(w.bodies); i++ {
		w.store(i)
	}
}

// begin readies the movers for a piece of d seconds.
func (w *World) begin(d float64) {
	for i := 1; i < len(w.movers); i++ {
		m := &w.movers[i]
		if m.asleep {
			continue
		}
		m.start()
		if i >= len(w.bodies) || !w.used[i] {
			continue
		}
		b := &w.bodies[i]
		m.masses()
		m.slow, m.still = b.LinearDamping, b.AngularDamping
		m.pull = geom.Vec3{}
		if m.im > 0 {
			w.surroundings(m, b)
		}
		m.bounds = w.way(m, b, d)
	}
}

// way returns the box around a body and where it may go within d seconds.
func (w *World) way(m *mover, b *Body, d float64) geom.AABB {
	at := b.around(m).Grow(margin)
	step := m.v.Mul(d).MulAdd(m.pull, float64(d*d))
	return at.Union(geom.AABB{Min: at.Min.Add(step), Max: at.Max.Add(step)})
}

// store copies a mover back to its body.
func (w *World) store(i int) {
	m := &w.movers[i]
	if !w.used[i] || m.asleep && w.bodies[i].Asleep {
		return
	}
	m.limit()
	b := &w.bodies[i]
	b.Position, b.Velocity, b.AngularVelocity, b.Rotation, b.Asleep = m.pos, m.v, m.w, m.q, m.asleep
}

// surroundings sets gravity, and what water does.
func (w *World) surroundings(m *mover, b *Body) {
	up := geom.Up
	if w.view.World != nil {
		if v := w.view.VolumeAt(m.pos); v != nil {
			up = upIn(v, m.pos)
		}
		w.soak(m, b, up)
	}
	m.pull = m.pull.MulAdd(up, -w.config.Gravity)
}

// upIn returns the direction against gravity in a volume.
func upIn(v *collide.Volume, p geom.Vec3) geom.Vec3 {
	switch {
	case v.Planet:
		if up := p.Sub(v.Centre).Unit(); !up.IsZero() {
			return up
		}
	case !v.Up.IsZero():
		return v.Up
	}
	return geom.Up
}

// sortTouches orders them by pusher and body.
func sortTouches(t []Touch) {
	for i := 1; i < len(t); i++ {
		for j := i; j > 0 && t[j].before(t[j-1]); j-- {
			t[j], t[j-1] = t[j-1], t[j]
		}
	}
}

func (t Touch) before(o Touch) bool {
	return t.Pusher < o.Pusher || t.Pusher == o.Pusher && t.Body < o.Body
}
