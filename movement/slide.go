package movement

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// skin in metres is how far a sweep stops short of what it hits, so that the
	// next one does not start inside (STP-04). Larger catches on seams, smaller
	// drowns in rounding far from the origin.
	skin = 0.00125
	// feel in metres is how much wider a falling body sweeps than it is: all of the skin
	// but what rounding needs. A sweep of the body itself does not see what the motion
	// nears at a small angle before it is well within the skin, and so would miss, now
	// and then, a face that the body slides down: input acts into it there, and many
	// such slices at a high frame rate hold the body up (AIR-07).
	feel = skin - 1e-5
	// maxSlides is how often a slice may be deflected (STP-03).
	maxSlides = 4
	// steepest is the upward part of a normal below which a surface counts as
	// vertical.
	steepest = 1e-4
)

// body is the capsule as it stands now.
func (f *StepContext) body() geom.Capsule { return f.Model.capsuleAt(f.Position, f.Up, f.Crouched) }

// sweep asks the world what the capsule meets: the level, bodies, and the characters
// that nothing separates from the body.
func (f *StepContext) sweep(c geom.Capsule, delta geom.Vec3) (collide.Hit, bool) {
	f.Queries++
	hit, ok := f.World.SweepCapsule(c, delta)
	for ok && hit.Body >= collide.FirstObstacle && f.walledOff(int(hit.Body-collide.FirstObstacle)) {
		hit, ok = f.sweepReachable(c, delta)
	}
	return hit, ok
}

// clearance returns how far from a surface with contact normal n the body stops,
// along n. A walker keeps its height above everything it touches from above, so
// that it hovers over a slope it runs into and above the edge that holds it.
func (f *StepContext) clearance(n geom.Vec3) float64 {
	if f.Mode != Walking {
		return skin
	}
	return f.hover(n)
}

// Move sweeps the body by delta metres and leaves it there, or a skin short of
// what is in the way (STP-04); a walker keeps its height above what it touches
// from above. Blocked tells which; hit.Fraction is then the share of
// delta that was made. A body that overlaps something and would go deeper stays,
// with hit.Penetrating.
func (f *StepContext) Move(delta geom.Vec3) (hit collide.Hit, blocked bool) {
	return f.moveLow(delta, 0)
}

// moveLow is Move of a body that reaches low metres further down.
func (f *StepContext) moveLow(delta geom.Vec3, low float64) (hit collide.Hit, blocked bool) {
	delta = f.inPlane(delta)
	length := delta.Len()
	if length < 1e-9 {
		return collide.Hit{Fraction: 1, Shape: collide.NoShape}, false
	}
	dir, reach := delta.Div(length), length+midFloor
	body, wider := f.body(), 0.0
	if f.Mode == Falling {
		wider = feel
		body.Radius += wider
	}
	if low > 0 {
		body.A = body.A.MulAdd(f.Up, -low)
	}
	hit, blocked = f.sweep(body, dir.Mul(reach))
	if !blocked {
		f.Position = f.Position.Add(delta)
		return hit, false
	}
	if hit.Penetrating {
		hit.Fraction, hit.Depth = 0, math.Max(hit.Depth-wider, 0)
		hit.Penetrating = hit.Depth > 0
		return hit, true
	}
	stop := f.stop(&hit, dir, reach, wider+float64(low*hit.Normal.Dot(f.Up)))
	f.flatten(&hit)
	if stop >= length {
		f.Position = f.Position.Add(delta)
		return hit, false
	}
	f.Position = f.Position.MulAdd(dir, stop)
	hit.Fraction = stop / length
	return hit, true
}

// stop returns how far along dir the body gets that was swept over reach, nearer by so
// many metres to what it hit than it is.
func (f *StepContext) stop(hit *collide.Hit, dir geom.Vec3, reach, nearer float64) float64 {
	short := (f.clearance(hit.Normal) - nearer) / math.Max(-hit.Normal.Dot(dir), 1e-6)
	return math.Max(float64(hit.Fraction*reach)-short, 0)
}

// deflect takes from v what leads into a surface with normal n, after prev was
// met before (zero: none). Two surfaces that meet at 90° or less leave only
// their crease; otherwise the second one decides (STP-02).
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

// limitRise keeps a deflection from adding upward motion: a slope met in the air
// is no ramp. The part along the slope's contour stays.
func limitRise(out, in, n, up geom.Vec3) geom.Vec3 {
	rise, limit := out.Dot(up), math.Max(in.Dot(up), 0)
	if rise <= limit {
		return out
	}
	contour := n.Cross(up).Unit()
	along := contour.Mul(out.Dot(contour))
	return along.Add(out.Sub(along).Mul(limit / rise))
}

// wall returns the horizontal normal of what a walker met: an unwalkable surface
// acts as a vertical wall. Zero where it leans nowhere.
func (f *StepContext) wall(n geom.Vec3) geom.Vec3 {
	flat := n.Flat(f.Up)
	if flat.LenSq() < 1e-6 {
		return geom.Vec3{}
	}
	return flat.Unit()
}

// wallOn returns the wall that a surface with normal n is to a walker on ground with
// that normal: horizontal, and such that motion along it, made along the ground, leads
// along the surface.
func (f *StepContext) wallOn(n, ground geom.Vec3) geom.Vec3 {
	return f.wall(n.MulAdd(ground, -(n.Dot(f.Up) / ground.Dot(f.Up))))
}
