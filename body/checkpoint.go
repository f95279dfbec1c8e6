package body

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// Checkpoint packs where all bodies are, how they move and rest, and the impulses of their contacts, in
// either direction. Reading, the world must have the same bodies under the same IDs: it then continues, bit
// for bit, as the one that was written. Values that no World has are bits.ErrRange.
func (w *World) Checkpoint(p *bits.Packer) {
	for i, used := range w.used {
		if used {
			w.checkpointBody(p, i)
		}
	}
	n := len(w.cachedImpulses)
	if p.Ranged(&n, 0, MaxBodies*maxPoints*4); !p.Writing() {
		w.cachedImpulses = w.cachedImpulses[:0]
	}
	for i := range n {
		if !p.Writing() {
			w.cachedImpulses = append(w.cachedImpulses, cachedImpulse{})
		}
		k := &w.cachedImpulses[i]
		p.Uint(&k.key, 64)
		p.Vec64(&k.arm)
		p.Float64(&k.normal)
		p.Vec64(&k.tangent)
		p.Vec64(&k.rolling)
		// Contacts find their impulses by a binary search over the keys.
		if i > 0 && k.key < w.cachedImpulses[i-1].key {
			p.Fail(bits.ErrRange)
		}
		if p.Err() != nil {
			return
		}
	}
}

// checkpointBody packs one body.
func (w *World) checkpointBody(p *bits.Packer, i int) {
	b := &w.bodies[i]
	m := &b.Motion
	p.Vec64(&m.Position)
	p.Vec64(&m.Velocity)
	p.Vec64(&m.AngularVelocity)
	q := &m.Rotation
	for _, v := range [...]*float64{&q.X, &q.Y, &q.Z, &q.W} {
		p.Float64(v)
	}
	p.Bool(&m.Asleep)
	idle := int64(b.Idle)
	p.Varint(&idle)
	if p.Writing() {
		return
	}
	b.Idle = clock.Micros(idle)
	length := float64(q.X*q.X) + float64(q.Y*q.Y) + float64(q.Z*q.Z) + float64(q.W*q.W)
	speed, spin := b.limits()
	// A velocity that was clamped to its limit may be above it by a rounding.
	const grace = 1.001
	if !(math.Abs(length-1) < 1e-6) || m.Velocity.Len() > speed*grace || m.AngularVelocity.Len() > spin*grace || idle < 0 || idle > int64(clock.Second)<<20 {
		p.Fail(bits.ErrRange)
		b.Motion = Motion{Position: m.Position}
		b.normalize()
	}
	w.load(i)
}

// Clear removes all bodies. The IDs are given out again from 1. Config and level stay, so a world that is read
// from a checkpoint needs no new one.
func (w *World) Clear() {
	w.bodies, w.used = append(w.bodies[:0], Body{}), append(w.used[:0], false)
	w.cachedImpulses = w.cachedImpulses[:0]
	w.sleepersValid = false
}
