package collide

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// NearbyBodies appends to into the bodies that may have to do with the capsule: first those
// that are placed otherwise at the View's instant than at from and may touch it
// somewhere on the way, then the others that may touch it where they stand at the
// View's instant, each in the order of their ids, as many as it has room for.
func (v *WorldAt) NearbyBodies(c geom.Capsule, from clock.Micros, into []BodyID) []BodyID {
	if len(v.World.bodies) == 0 || !finite(c) {
		return into
	}
	search := aroundCore(c.A, c.B)
	search = search.grown(max(c.Radius, 0))
	way := math.Abs((v.At - from).Seconds())
	first := len(into)
	var store [16]BodyID
	resting := store[:0]
	var near tour
	near.begin(&v.World.lanes, &search)
	for near.lane(v.World) && len(into) < cap(into) {
		i := near.run[0]
		near.run = near.run[1:]
		m := &v.World.moving[i]
		path, passes := &v.World.bodies[i].Path, float64(m.fastest*way)
		if v.lacks(BodyID(i+1)) || !m.near(path, v.At, passes, &search) {
			continue
		}
		pose := path.Pose(v.At)
		around := outward(m.bounds.Transformed(pose))
		passed := around.grown(passes)
		switch {
		case passed.apart(&search) < 0:
		case m.fastest != 0 && from != v.At && path.Pose(from) != pose:
			into = append(into, BodyID(i+1))
		case around.apart(&search) >= 0 && len(resting) < len(store):
			resting = append(resting, BodyID(i+1))
		}
	}
	sortIDs(into[first:])
	sortIDs(resting)
	for _, id := range resting {
		if len(into) < cap(into) {
			into = append(into, id)
		}
	}
	return into
}
