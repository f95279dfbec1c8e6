package movement

import (
	"github.com/backstep-net/backstep/geom"
)

const (
	// skin in metres is how far a sweep stops short of what it hits, so that the
	// next one does not start inside [STP-04]. Larger catches on seams, smaller
	// drowns in rounding far from the origin.
	skin = 0.00125
	// airMargin in metres is how much wider a falling body sweeps than it is: all of
	// the skin but what rounding needs. A sweep of the body itself misses what the
	// motion nears at a small angle until it is well within the skin. So it would miss,
	// now and then, a face that the body slides down; input would act into the face, and
	// many such slices at a high frame rate would hold the body up [AIR-07].
	airMargin = skin - 1e-5
	// maxSlides is how often a slice may be deflected [STP-03].
	maxSlides = 4
	// steepest is the upward part of a normal below which a surface counts as
	// vertical.
	steepest = 1e-4
	// nearlyZero in metres: a shorter motion is none.
	nearlyZero = 1e-6
)

// slide is a motion that continues along the surfaces that it hits: the collide-and-slide of
// every mode. Its loop sweeps by rest, then clips by the hit.
type slide struct {
	rest geom.Vec3 // of the motion, in metres
	prev geom.Vec3 // normal of the surface met before, zero for none
	up   geom.Vec3 // of a fall: clipping adds no speed along it. Zero for all other modes
}

// clip returns v, a motion or velocity, without the part that leads into a surface with normal
// n [STP-02].
func (s *slide) clip(v, n geom.Vec3) geom.Vec3 {
	if s.up.IsZero() {
		return deflect(v, n, s.prev)
	}
	return clipAirVelocity(v, n, s.prev, s.up)
}

// along clips the rest by a surface with normal n. It reports whether the slide goes
// on: n leads somewhere, and the rest does not lead against goal, or the body would
// oscillate in a corner.
func (s *slide) along(n, goal geom.Vec3) bool {
	s.rest, s.prev = s.clip(s.rest, n), n
	return !n.IsZero() && s.rest.Dot(goal) > 0
}

// deflect removes from v the part that leads into a surface with normal n, after the normal
// prev was hit before (zero: none). Two surfaces that meet at 90° or less leave only their
// crease; otherwise the second one decides [STP-02].
func deflect(v, n, prev geom.Vec3) geom.Vec3 {
	into := v.Dot(n)
	if into >= 0 {
		return v
	}
	if !prev.IsZero() && prev.Dot(n) <= 0 {
		crease := prev.Cross(n).Unit()
		return crease.Mul(v.Dot(crease))
	}
	return v.MulAdd(n, -into)
}

// clipAirVelocity deflects a velocity or motion in the air. It adds no upward speed,
// or a slope met in the air would be a ramp [STP-02]; the part along the contour of the
// slope stays.
func clipAirVelocity(v, n, prev, up geom.Vec3) geom.Vec3 {
	out := deflect(v, n, prev)
	rise, limit := out.Dot(up), max(v.Dot(up), 0)
	if rise <= limit {
		return out
	}
	contour := n.Cross(up).Unit()
	along := contour.Mul(out.Dot(contour))
	return along.Add(out.Sub(along).Mul(limit / rise))
}

// wall returns the horizontal normal of a surface that a walker hit: an unwalkable surface
// acts as a vertical wall. It is zero for a level surface.
func wall(n, up geom.Vec3) geom.Vec3 {
	flat := n.Flat(up)
	if flat.LenSq() < 1e-6 {
		return geom.Vec3{}
	}
	return flat.Unit()
}

// wallOn returns the wall that a surface with normal n is to a walker on ground with
// that normal: horizontal, and such that motion along it, made along the ground, leads
// along the surface.
func wallOn(n, ground, up geom.Vec3) geom.Vec3 {
	return wall(n.MulAdd(ground, -(n.Dot(up)/ground.Dot(up))), up)
}
