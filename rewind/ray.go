package rewind

import (
	"math"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
)

// raySphere returns the distance at which the ray from o along the unit vector d enters the
// ball: 0 if o is inside. It starts from the point of the line that is nearest to the centre, so
// that a far origin costs no precision.
func raySphere(o, d, centre geom.Vec3, radius float64) (float64, bool) {
	rel := o.Sub(centre)
	rr := float64(radius * radius)
	if rel.LenSq() <= rr {
		return 0, true
	}
	t, ok := enter(rel, d, 1, rr)
	return t, ok && t >= 0
}

// enter returns where the line rel + d·t comes within √rr of the origin, d·d
// being a: −∞ … ∞.
func enter(rel, d geom.Vec3, a, rr float64) (float64, bool) {
	mid := -rel.Dot(d) / a
	// From the nearest point of the line, not from b² − 4ac, which cancels for a distant origin.
	left := rr - rel.MulAdd(d, mid).LenSq()
	if left < 0 {
		return 0, false
	}
	return mid - math.Sqrt(left/a), true
}

// rayCapsule returns the distance at which the ray from o along the unit vector d enters the
// capsule: 0 if o is inside. The line enters either through the side or through one end; where
// along the axis it enters the infinite cylinder decides which.
func rayCapsule(o, d geom.Vec3, c geom.Capsule) (float64, bool) {
	axis := c.B.Sub(c.A)
	length := axis.Len()
	// The axis has no direction: a ball.
	if length < 1e-9 {
		return raySphere(o, d, c.A, c.Radius)
	}
	axis = axis.Div(length)
	rel := o.Sub(c.A)
	rr := float64(c.Radius * c.Radius)
	height := rel.Dot(axis)
	// A muzzle inside a body hits it at distance 0. Without this a shot from within would only find
	// where the ray leaves, and pass through.
	if rel.MulAdd(axis, -geom.Clamp(height, 0, length)).LenSq() <= rr {
		return 0, true
	}
	climb := d.Dot(axis)
	flat, turn := rel.MulAdd(axis, -height), d.MulAdd(axis, -climb)
	at, a := height, turn.LenSq()
	// The ray crosses the axis at an angle. Where it enters the infinite cylinder tells which of
	// the three parts it enters first.
	if a > 1e-18 {
		t, ok := enter(flat, turn, a, rr)
		if !ok {
			return 0, false
		}
		at = height + float64(climb*t)
		if at >= 0 && at <= length {
			return t, t >= 0
		}
	} else if climb < 0 {
		at = math.Inf(1) // straight along the axis: in through the far end's ball
	} else {
		at = math.Inf(-1)
	}
	if at < 0 {
		return raySphere(o, d, c.A, c.Radius)
	}
	return raySphere(o, d, c.B, c.Radius)
}

// castSolid returns the distance at which a ball of the radius grow that is swept from o along
// the unit vector d touches the solid: 0 if it does so from the start. A radius of 0 is a ray.
func castSolid(o, d geom.Vec3, s *rig.Solid, grow float64) (float64, bool) {
	switch s.Shape {
	case rig.Capsule:
		return rayCapsule(o, d, geom.Capsule{A: s.A, B: s.B, Radius: s.Radius + grow})
	case rig.Box:
		back := s.Rotation.Inverse()
		return rayRoundedBox(back.Rotate(o.Sub(s.A)), back.Rotate(d), s.Half, grow)
	}
	return raySphere(o, d, s.A, s.Radius+grow)
}

// rayBox returns where the ray enters the box around the origin that is half as large as
// half says: the last of the three slabs that is entered, if none is left before.
func rayBox(p, v, half geom.Vec3) (float64, bool) {
	in, out := 0.0, math.Inf(1)
	for _, k := range [3][3]float64{{p.X, v.X, half.X}, {p.Y, v.Y, half.Y}, {p.Z, v.Z, half.Z}} {
		at, speed, half := k[0], k[1], k[2]
		// A division by such a speed would give ±∞ or NaN by the sign of zero, which differs
		// between otherwise equal inputs.
		if math.Abs(speed) < 1e-12 {
			if math.Abs(at) > half {
				return 0, false
			}
			continue
		}
		a, b := (-half-at)/speed, (half-at)/speed
		in, out = max(in, min(a, b)), min(out, max(a, b))
	}
	return in, in <= out
}

// rayRoundedBox is rayBox for a box whose every point is a ball of the radius r: three boxes, each
// grown along one axis, and a capsule along each edge. Together they are convex, so the first
// one that is entered is where the whole is entered.
func rayRoundedBox(p, v, half geom.Vec3, r float64) (float64, bool) {
	if r == 0 {
		return rayBox(p, v, half)
	}
	// Most queries miss even the box around all: test that before the fifteen parts.
	all, ok := rayBox(p, v, half.Add(geom.V(r, r, r)))
	if !ok {
		return 0, false
	}
	first := math.Inf(1)
	for _, grown := range [3]geom.Vec3{
		{X: half.X + r, Y: half.Y, Z: half.Z}, {X: half.X, Y: half.Y + r, Z: half.Z}, {X: half.X, Y: half.Y, Z: half.Z + r},
	} {
		if x, ok := rayBox(p, v, grown); ok {
			first = min(first, x)
		}
	}
	if first <= all {
		return first, true // nothing is entered before what is around all
	}
	for i := range 12 {
		if x, ok := rayCapsule(p, v, edgeOf(half, i, r)); ok {
			first = min(first, x)
		}
	}
	return first, first < math.Inf(1)
}

// edgeOf returns one of the twelve edges of the box around the origin, as a capsule.
func edgeOf(half geom.Vec3, i int, r float64) geom.Capsule {
	// i/4 is the axis along which the edge runs, and the low two bits are on which side it is along
	// the other two.
	side := func(bit int, h float64) float64 {
		if i>>bit&1 == 0 {
			return -h
		}
		return h
	}
	var a, b geom.Vec3
	switch i / 4 {
	case 0:
		a = geom.V(-half.X, side(0, half.Y), side(1, half.Z))
		b = geom.V(half.X, a.Y, a.Z)
	case 1:
		a = geom.V(side(0, half.X), -half.Y, side(1, half.Z))
		b = geom.V(a.X, half.Y, a.Z)
	default:
		a = geom.V(side(0, half.X), side(1, half.Y), -half.Z)
		b = geom.V(a.X, a.Y, half.Z)
	}
	return geom.Capsule{A: a, B: b, Radius: r}
}
