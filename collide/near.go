package collide

import "github.com/backstep-net/backstep/geom"

// Near appends to into the bodies that may touch the capsule where they stand at
// the View's instant, whether they move or not: those that into does not hold
// already, in the order of their ids, as many as it has room for.
func (v *View) Near(c geom.Capsule, into []BodyID) []BodyID {
	if len(v.World.bodies) == 0 || !finite(c) {
		return into
	}
	search := aroundCore(c.A, c.B)
	search = search.grown(max(c.Radius, 0))
	known := into
	var near tour
	near.begin(&v.World.lanes, &search)
	for len(into) < cap(into) {
		i, _, ok := near.next(v)
		if !ok {
			break
		}
		if id := BodyID(i + 1); !holds(known, id) {
			into = append(into, id)
		}
	}
	sortIDs(into[len(known):])
	return into
}

func holds(list []BodyID, id BodyID) bool {
	for _, b := range list {
		if b == id {
			return true
		}
	}
	return false
}
