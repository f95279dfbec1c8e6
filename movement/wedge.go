package movement

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// wedgeNear in metres is how near a surface must be to hold a body: what one
// that hovers above it leaves.
const wedgeNear = MaxFloor + 2*skin

// wedged reports that the body has something below it and can slide nowhere
// down: held between steep surfaces. It stands then, although none of them is a
// floor, or it would fall in place for ever (JMP-05). The floor found below, if
// any, is made one to stand on.
func (f *Frame) wedged(fl *Floor) bool {
	f.Queries++
	c := f.World.Contacts(f.body(), wedgeNear, f.contacts[:0])
	for i := range c {
		if escapes(c, f.Up.Neg(), c[i].Normal, geom.Vec3{}) {
			return false
		}
		for j := range c[:i] {
			if escapes(c, f.Up.Neg(), c[i].Normal, c[j].Normal) {
				return false
			}
		}
	}
	if len(c) == 0 {
		return false
	}
	if *fl == (Floor{}) {
		fl.Normal, fl.Distance = f.Up, midFloor
		fl.Shape, fl.Body = c[0].Shape, c[0].Body
	}
	fl.Walkable, fl.Ray, f.wide = true, true, false
	return true
}

// escapes reports whether going down along plane n (and the crease with m, if
// not zero) leads out from among the contacts.
func escapes(c []collide.Contact, down, n, m geom.Vec3) bool {
	const level = 0.01 // as good as level: it would creep
	way := down.MulAdd(n, -down.Dot(n))
	if !m.IsZero() {
		crease := n.Cross(m).Unit()
		way = crease.Mul(down.Dot(crease))
	}
	way = way.Unit()
	if way.Dot(down) < level {
		return false
	}
	for i := range c {
		if way.Dot(c[i].Normal) < -1e-6 {
			return false
		}
	}
	return true
}
