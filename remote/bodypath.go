package remote

import (
	rigid "github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// How many places of a body's own path are kept, and how far apart in time: at least half a second at
// any frame rate, which is longer than any state may be late.
const (
	pathLength   = 64
	pathInterval = 8 * clock.Millisecond
)

// pathPoint is where the client had a body at an instant of the server's time.
type pathPoint struct {
	at clock.Micros
	rigid.Motion
}

// path is where the client had a body over the recent past, corrected by later states, by time. A
// state that arrives late is compared with it.
type path struct {
	ring [pathLength]pathPoint
	next int // index of the next entry
	n    int // number of entries
}

// get returns the i-th newest.
func (p *path) get(i int) *pathPoint { return &p.ring[(p.next-1-i+2*pathLength)%pathLength] }

func (p *path) clear() { p.n = 0 }

// truncate removes the entries at an instant and after it, before a replay writes them anew.
func (p *path) truncate(at clock.Micros) {
	for p.n > 0 && p.get(0).at >= at {
		p.next = (p.next - 1 + pathLength) % pathLength
		p.n--
	}
}

// add appends where the body is at an instant. An entry less than pathInterval after the one before
// replaces the newest one, unless that is the first.
func (p *path) add(at clock.Micros, m rigid.Motion) {
	// The newest place is always exact; those before are about an interval apart.
	if p.n > 1 && at-p.get(1).at < pathInterval {
		*p.get(0) = pathPoint{at, m}
		return
	}
	p.ring[p.next] = pathPoint{at, m}
	p.next = (p.next + 1) % pathLength
	p.n = min(p.n+1, pathLength)
}

// at returns where the body was at an instant: between two entries, or the newest entry for a later
// instant. It is false for an instant before the path.
func (p *path) at(t clock.Micros) (rigid.Motion, bool) {
	// From the newest: states are a few frames old.
	for i := range p.n {
		a := p.get(i)
		if a.at > t {
			continue
		}
		if i == 0 {
			return a.Motion, true
		}
		b := p.get(i - 1)
		return interpolate(&a.Motion, &b.Motion, float64(t-a.at)/float64(b.at-a.at)), true
	}
	return rigid.Motion{}, false
}

// interpolate returns the motion a share of the way from a to b, 0 … 1. Velocities are interpolated too:
// within a frame that is what gravity does to them.
func interpolate(a, b *rigid.Motion, share float64) rigid.Motion {
	return rigid.Motion{
		Position:        a.Position.Lerp(b.Position, share),
		Velocity:        a.Velocity.Lerp(b.Velocity, share),
		AngularVelocity: a.AngularVelocity.Lerp(b.AngularVelocity, share),
		Rotation:        rotatedBy(a.Rotation, rotationBetween(a.Rotation, b.Rotation).Mul(share)),
	}
}

// difference is the error of the client's motion of a body at an instant.
type difference struct {
	at                                            clock.Micros
	position, velocity, rotation, angularVelocity geom.Vec3
}

// differenceOf returns the difference from the client's motion to the server's, both of one instant.
func differenceOf(at clock.Micros, ours, theirs *rigid.Motion) difference {
	return difference{
		at:              at,
		position:        theirs.Position.Sub(ours.Position),
		velocity:        theirs.Velocity.Sub(ours.Velocity),
		rotation:        rotationBetween(ours.Rotation, theirs.Rotation),
		angularVelocity: theirs.AngularVelocity.Sub(ours.AngularVelocity),
	}
}

// scaled returns a share of the difference, 0 … 1.
func (c *difference) scaled(share float64) difference {
	return difference{c.at, c.position.Mul(share), c.velocity.Mul(share), c.rotation.Mul(share), c.angularVelocity.Mul(share)}
}

// negligible reports whether the difference is too small to be seen: 2 mm, 3 cm/s. States are quantised,
// so every one differs by a little; correcting that would keep bodies awake.
func (c *difference) negligible() bool {
	const mm, slow = 0.002, 0.03
	return c.position.LenSq() < mm*mm && c.velocity.LenSq() < slow*slow && c.rotation.LenSq() < mm && c.angularVelocity.LenSq() < slow
}

// applyTo returns a motion with the difference applied, later seconds after it.
func (c *difference) applyTo(m rigid.Motion, later float64) rigid.Motion {
	m.Position = m.Position.Add(c.position).MulAdd(c.velocity, later)
	m.Velocity = m.Velocity.Add(c.velocity)
	m.Rotation = rotatedBy(m.Rotation, c.rotation.MulAdd(c.angularVelocity, later))
	m.AngularVelocity = m.AngularVelocity.Add(c.angularVelocity)
	return m
}

// correct applies a difference to the entries from its instant on. later bounds the time for which
// its velocity counts.
func (p *path) correct(c *difference, later clock.Micros) {
	for i := range p.n {
		e := p.get(i)
		if e.at < c.at {
			return
		}
		e.Motion = c.applyTo(e.Motion, min(e.at-c.at, later).Seconds())
	}
}
