package rewind

import (
	"math"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// BlastHit is a target that a blast reaches.
type BlastHit struct {
	Target track.ID // the entity; never zero
	Life   uint8    // of the target in the scene; see track.GameData.Life
	// Hitbox is the one that it reaches: the nearest uncovered one of those tested.
	Hitbox   rig.HitboxID
	HitGroup rig.HitGroup
	// Distance is from the centre to that hitbox in metres, 0 inside it, and Point the point of it
	// that is nearest to the centre.
	Distance float64
	Point    geom.Vec3
}

// edgeTolerance is how far outside of a blast a point still counts as on its edge, in metres:
// rounding.
const edgeTolerance = 1e-9

// Blast appends to into the targets that a blast of that radius in metres around a centre
// reaches, in ascending order of ID and each once [GAP-45, GAP-48]: the nearest hitbox of the body
// is within the radius, the radius itself included [HIT-09], and a line from the centre to some
// point of it is free. Tested are the nearest hitbox, then the one nearest to the middle of the
// body, then the head; the line goes to the point of the hitbox that is nearest to the centre,
// which has to be within the radius, too.
//
// A line is free if neither the level, a mover nor a shield, the target's own included, is
// in the way; other bodies cover nothing. A shield itself does not count. Of the level and the
// movers nothing counts that is nearer to the centre than ignoreWorldWithin metres, because the
// centre of a burst against a wall may lie in it. A target that was hit directly is among the
// results; leave it out or not as the weapon says.
func (s *Scene) Blast(centre geom.Vec3, radius, ignoreWorldWithin float64, into []BlastHit) []BlastHit {
	// A target exactly on the edge counts on both ends, whichever way their sums were rounded.
	radius += edgeTolerance
	q := newQuery(centre, geom.Vec3{}, 0, radius)
	for _, i := range s.poseCandidates(&q) {
		if b, ok := s.blast(int(i), centre, radius, ignoreWorldWithin); ok {
			into = append(into, b)
		}
	}
	return into
}

// blast tests the hitboxes of one target that is posed.
func (s *Scene) blast(i int, centre geom.Vec3, radius, ignore float64) (BlastHit, bool) {
	t, p := &s.targets[i], s.pose(i)
	local := p.back.Rotate(centre.Sub(p.at.Translation))
	// Three hitboxes are enough to tell a body that looks out from behind a corner from one that is
	// behind it, and bound the rays of a blast among many targets.
	for _, k := range p.blastParts(local, radius) {
		if k < 0 {
			continue
		}
		point, d := nearestOf(&p.figure.Solids[k], local)
		if d > radius {
			continue
		}
		at := p.at.Apply(point)
		if !s.open(centre, at, ignore) {
			continue
		}
		n := p.figure.Hitboxes[k]
		return BlastHit{Target: t.ID, Life: t.Life, Hitbox: n, HitGroup: p.rig.HitGroup(n), Distance: d, Point: at}, true
	}
	return BlastHit{}, false
}

// blastParts returns the solids that a blast at a point tests, −1 for none: the nearest, the one
// nearest to the middle of all, and the nearest head; none if nothing is within the radius.
func (p *posedFigure) blastParts(centre geom.Vec3, radius float64) [3]int {
	none := [3]int{-1, -1, -1}
	found, height := none, 0.0
	height, _ = p.rig.Bounds()
	// Bounds is a ball around the middle of all poses, so its height is that of the trunk.
	middle := geom.V(0, height, 0)
	least, trunk, head := math.Inf(1), math.Inf(1), math.Inf(1)
	for k := range p.figure.Count {
		group := p.rig.HitGroup(p.figure.Hitboxes[k])
		// A shield is cover and not a body: a blast before it would otherwise always reach its
		// holder.
		if group == rig.Shield {
			continue
		}
		solid := &p.figure.Solids[k]
		_, d := nearestOf(solid, centre)
		if d < least {
			least, found[0] = d, k
		}
		if group == rig.Head && d < head {
			head, found[2] = d, k
		}
		if _, m := nearestOf(solid, middle); m < trunk {
			trunk, found[1] = m, k
		}
	}
	if least > radius {
		return none
	}
	return found
}

// open reports whether a blast gets from its centre to a point.
func (s *Scene) open(centre, to geom.Vec3, ignore float64) bool {
	if target, _, _ := s.shielded(centre, to); target >= 0 {
		return false
	}
	way := to.Sub(centre)
	length := way.Len()
	// All of the way is within what is ignored.
	if length <= ignore {
		return true
	}
	return s.LineOfSight(centre.MulAdd(way, max(ignore, 0)/length), to)
}
