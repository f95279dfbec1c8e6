package collide

import (
	"cmp"
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// NearbyMovers appends to into the movers that may interact with the capsule: first those
// whose pose at v.At differs from the pose at from and that may touch the capsule at some
// time in between, then the others that may touch it at their pose of v.At. Each group is
// in the order of ids. It stops at the capacity of into.
func (v *WorldAt) NearbyMovers(c geom.Capsule, from clock.Micros, into []MoverID) []MoverID {
	if len(v.World.movers) == 0 || !finite(c) {
		return into
	}
	// The box of the capsule itself; the travel of each mover is added to the mover and not
	// to the capsule, since a fast train must not make every slow door a candidate.
	search := coreBox(c.A, c.B)
	search = search.grown(max(c.Radius, 0))
	seconds := math.Abs((v.At - from).Seconds())
	first := len(into)
	var store [16]MoverID
	resting := store[:0]
	var near moverIterator
	near.begin(v.World, &search)
	for len(into) < cap(into) {
		i, ok := near.nearby(v.World)
		if !ok {
			break
		}
		m := &v.World.moving[i]
		id, travel := MoverID(i+1), float64(m.maxSpeed*seconds)
		if v.excludes(id) || !v.World.mayTouch(i, v.At, travel, &search) {
			continue
		}
		pose := v.Pose(id)
		around := outward(m.bounds.Transformed(pose))
		// An upper bound: no point of the mover has moved farther than its greatest speed
		// times the time.
		swept := around.grown(travel)
		switch {
		case swept.overlap(&search) < 0:
		case m.maxSpeed != 0 && from != v.At && v.PoseAt(id, from) != pose:
			into = append(into, id)
		case around.overlap(&search) >= 0 && len(resting) < len(store):
			resting = append(resting, id)
		}
	}
	// The order of the tree depends on the box, and the box on rounding: ids do not.
	sortFew(into[first:])
	sortFew(resting)
	for _, id := range resting {
		if len(into) < cap(into) {
			into = append(into, id)
		}
	}
	return into
}

// sortFew sorts a short list: an insertion sort.
//
// slices.Sort is no faster on a dozen numbers, and each type that it sorts adds 10 kB to the
// core that a browser loads.
func sortFew[T cmp.Ordered](list []T) {
	for i := 1; i < len(list); i++ {
		for k := i; k > 0 && list[k] < list[k-1]; k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
}
