package remote

import (
	rigid "github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// How far back a body's own path is remembered, and how finely.
const (
	pathLength = 64
	pathEvery  = 8 * clock.Millisecond
)

// passed is where the client had a body, at an instant of the server's.
type passed struct {
	at clock.Micros
	rigid.Motion
}

// path is where the client has had a body lately, corrected by what has been learnt
// since: what a state that comes late is compared with. By time.
type path struct {
	ring [pathLength]passed
	next int // where the next one goes
	n    int // how many there are
}

// get returns the i-th newest.
func (p *path) get(i int) *passed { return &p.ring[(p.next-1-i+2*pathLength)%pathLength] }

func (p *path) clear() { p.n = 0 }

// cut forgets what was at an instant and after it.
func (p *path) cut(at clock.Micros) {
	for p.n > 0 && p.get(0).at >= at {
		p.next = (p.next - 1 + pathLength) % pathLength
		p.n--
	}
}

// add notes where the body is at an instant. What is hardly later than the one before it
// replaces that one, unless that is the first.
func (p *path) add(at clock.Micros, m rigid.Motion) {
	if p.n > 1 && at-p.get(1).at < pathEvery {
		*p.get(0) = passed{at, m}
		return
	}
	p.ring[p.next] = passed{at, m}
	p.next = (p.next + 1) % pathLength
	p.n = min(p.n+1, pathLength)
}

// at returns where the body was at an instant: between two that are remembered, or the
// newest for what is later. False for what is before the path.
func (p *path) at(t clock.Micros) (rigid.Motion, bool) {
	for i := range p.n {
		a := p.get(i)
		if a.at > t {
			continue
		}
		if i == 0 {
			return a.Motion, true
		}
		b := p.get(i - 1)
		return between(&a.Motion, &b.Motion, float64(t-a.at)/float64(b.at-a.at)), true
	}
	return rigid.Motion{}, false
}

// between is a share of the way from a to b.
func between(a, b *rigid.Motion, share float64) rigid.Motion {
	return rigid.Motion{
		Position:        a.Position.Lerp(b.Position, share),
		Velocity:        a.Velocity.Lerp(b.Velocity, share),
		AngularVelocity: a.AngularVelocity.Lerp(b.AngularVelocity, share),
		Rotation:        turnedBy(a.Rotation, turnBetween(a.Rotation, b.Rotation).Mul(share)),
	}
}

// change is by how much the client had a body wrong at an instant.
type change struct {
	at                         clock.Micros
	move, velocity, turn, spin geom.Vec3
}

// changeTo is what takes the client's motion to the server's.
func changeTo(at clock.Micros, ours, theirs *rigid.Motion) change {
	return change{
		at:       at,
		move:     theirs.Position.Sub(ours.Position),
		velocity: theirs.Velocity.Sub(ours.Velocity),
		turn:     turnBetween(ours.Rotation, theirs.Rotation),
		spin:     theirs.AngularVelocity.Sub(ours.AngularVelocity),
	}
}

// share returns a part of the change.
func (c *change) share(of float64) change {
	return change{c.at, c.move.Mul(of), c.velocity.Mul(of), c.turn.Mul(of), c.spin.Mul(of)}
}

// slight reports whether nobody would see it.
func (c *change) slight() bool {
	const mm, slow = 0.002, 0.03
	return c.move.LenSq() < mm*mm && c.velocity.LenSq() < slow*slow && c.turn.LenSq() < mm && c.spin.LenSq() < slow
}

// carried returns a motion so much later, in seconds, with the change.
func (c *change) carried(m rigid.Motion, later float64) rigid.Motion {
	m.Position = m.Position.Add(c.move).MulAdd(c.velocity, later)
	m.Velocity = m.Velocity.Add(c.velocity)
	m.Rotation = turnedBy(m.Rotation, c.turn.MulAdd(c.spin, later))
	m.AngularVelocity = m.AngularVelocity.Add(c.spin)
	return m
}

// learn corrects what is remembered from the change's instant on; later bounds for how
// long its velocity counts.
func (p *path) learn(c *change, later clock.Micros) {
	for i := range p.n {
		e := p.get(i)
		if e.at < c.at {
			return
		}
		e.Motion = c.carried(e.Motion, min(e.at-c.at, later).Seconds())
	}
}
