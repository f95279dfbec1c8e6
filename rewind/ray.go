package rewind

import (
	"math"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
)

// raySphere returns the distance at which the ray from o along the unit vector d
// enters the ball: 0 where o is inside. It works from the point of the line that
// is nearest to the centre, so that a far origin costs no precision.
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
	left := rr - rel.MulAdd(d, mid).LenSq()
	if left < 0 {
		return 0, false
	}
	return mid - math.Sqrt(left/a), true
}

// rayCapsule returns the distance at which the ray from o along the unit vector d
// enters the capsule: 0 where o is inside. The line enters either through the
// side or through one end, and where along the axis it enters the endless
// cylinder tells which.
func rayCapsule(o, d geom.Vec3, c geom.Capsule) (float64, bool) {
	axis := c.B.Sub(c.A)
	length := axis.Len()
	if length < 1e-9 {
		return raySphere(o, d, c.A, c.Radius)
	}
	axis = axis.Div(length)
	rel := o.Sub(c.A)
	rr := float64(c.Radius * c.Radius)
	height := rel.Dot(axis)
	if rel.MulAdd(axis, -geom.Clamp(height, 0, length)).LenSq() <= rr {
		return 0, true
	}
	climb := d.Dot(axis)
	flat, turn := rel.MulAdd(axis, -height), d.MulAdd(axis, -climb)
	at, a := height, turn.LenSq()
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

// raySolid returns the distance at which the ray from o along the unit vector d enters the
// solid: 0 where o is inside.
func raySolid(o, d geom.Vec3, s *rig.Solid) (float64, bool) {
	switch s.Shape {
	case rig.Capsule:
		return rayCapsule(o, d, geom.Capsule{A: s.A, B: s.B, Radius: s.Radius})
	case rig.Box:
		return rayBox(o, d, s)
	}
	return raySphere(o, d, s.A, s.Radius)
}

// rayBox is raySolid for a box: the last of the three slabs that are entered, if none is
// left before.
func rayBox(o, d geom.Vec3, s *rig.Solid) (float64, bool) {
	back := s.Turn.Inverse()
	p, v := back.Rotate(o.Sub(s.A)), back.Rotate(d)
	in, out := 0.0, math.Inf(1)
	for _, k := range [3][3]float64{{p.X, v.X, s.Half.X}, {p.Y, v.Y, s.Half.Y}, {p.Z, v.Z, s.Half.Z}} {
		at, speed, half := k[0], k[1], k[2]
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
