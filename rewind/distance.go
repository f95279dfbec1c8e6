package rewind

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
)

// ballAround returns a ball that contains the solid.
func ballAround(s *rig.Solid) geom.Sphere {
	switch s.Shape {
	case rig.Capsule:
		// The margin is for rounding: a solid that touches its ball from within must not be
		// skipped.
		return geom.Sphere{Centre: s.A.Lerp(s.B, 0.5), Radius: s.Radius + float64(s.A.Dist(s.B)*0.5) + 1e-9}
	case rig.Box:
		return geom.Sphere{Centre: s.A, Radius: s.Half.Len() + 1e-9}
	}
	return geom.Sphere{Centre: s.A, Radius: s.Radius}
}

// nearestOf returns the point of a solid that is nearest to p, which is p itself inside, and
// how far that is.
func nearestOf(s *rig.Solid, p geom.Vec3) (geom.Vec3, float64) {
	if s.Shape == rig.Box {
		local := s.Rotation.Inverse().Rotate(p.Sub(s.A))
		inside := local.Max(s.Half.Neg()).Min(s.Half)
		d := local.Dist(inside)
		if d == 0 {
			return p, 0
		}
		return s.A.Add(s.Rotation.Rotate(inside)), d
	}
	core := s.A
	if s.Shape == rig.Capsule {
		core = onSegment(s.A, s.B, p)
	}
	way := p.Sub(core)
	d := way.Len()
	// Also where d is 0, which the division below does not survive.
	if d <= s.Radius {
		return p, 0
	}
	return core.MulAdd(way, s.Radius/d), d - s.Radius
}

// onSegment returns the point of the segment from a to b that is nearest to p.
func onSegment(a, b, p geom.Vec3) geom.Vec3 {
	axis := b.Sub(a)
	l := axis.LenSq()
	if !(l > 0) {
		return a
	}
	return a.MulAdd(axis, geom.Clamp(p.Sub(a).Dot(axis)/l, 0, 1))
}

// segmentDistance returns the distance of the segment from a to b from a solid, 0 if they touch, and the
// nearest points of the segment and of the solid.
func segmentDistance(a, b geom.Vec3, s *rig.Solid) (d float64, on, of geom.Vec3) {
	switch s.Shape {
	case rig.Capsule:
		var core geom.Vec3
		on, core = nearestPair(a, b, s.A, s.B)
		return fromCore(on, core, s.Radius)
	case rig.Box:
		back := s.Rotation.Inverse()
		on = nearestToBox(back.Rotate(a.Sub(s.A)), back.Rotate(b.Sub(s.A)), s.Half)
		of = on.Max(s.Half.Neg()).Min(s.Half)
		return on.Dist(of), s.A.Add(s.Rotation.Rotate(on)), s.A.Add(s.Rotation.Rotate(of))
	}
	on = onSegment(a, b, s.A)
	return fromCore(on, s.A, s.Radius)
}

// fromCore returns the distance of a point from the ball around core, and the ball's nearest
// point: the point itself if it is inside.
func fromCore(on, core geom.Vec3, radius float64) (float64, geom.Vec3, geom.Vec3) {
	way := on.Sub(core)
	d := way.Len()
	if d <= radius {
		return 0, on, on
	}
	return d - radius, on, core.MulAdd(way, radius/d)
}

// nearestPair returns the nearest points of two segments (Ericson 2005, 5.1.9); of parallel
// segments one such pair.
func nearestPair(a, b, c, d geom.Vec3) (geom.Vec3, geom.Vec3) {
	u, v, r := b.Sub(a), d.Sub(c), a.Sub(c)
	uu, vv, uv := u.LenSq(), v.LenSq(), u.Dot(v)
	f, g := u.Dot(r), v.Dot(r)
	if !(uu > 0) {
		return a, onSegment(c, d, a)
	}
	if !(vv > 0) {
		return onSegment(a, b, c), c
	}
	s := 0.0
	// Nearly parallel segments have no single nearest pair, and their quotient is noise: s stays 0,
	// and the clamps below find a right pair.
	if den := float64(uu*vv) - float64(uv*uv); den > float64(float64(uu*vv)*1e-12) {
		s = geom.Clamp((float64(uv*g)-float64(f*vv))/den, 0, 1)
	}
	t := (float64(uv*s) + g) / vv
	if t < 0 {
		t, s = 0, geom.Clamp(-f/uu, 0, 1)
	} else if t > 1 {
		t, s = 1, geom.Clamp((uv-f)/uu, 0, 1)
	}
	return a.MulAdd(u, s), c.MulAdd(v, t)
}

// nearestToBox returns the point of the segment from a to b that is nearest to the box
// around the origin: half the square of the distance is convex along it, its slope rises
// from one piece to the next where a slab is entered or left, so the piece is found in which
// the slope is zero.
func nearestToBox(a, b, half geom.Vec3) geom.Vec3 {
	way := b.Sub(a)
	slope := func(t float64) float64 {
		p := a.MulAdd(way, t)
		return p.Sub(p.Max(half.Neg()).Min(half)).Dot(way)
	}
	lo, hi := 0.0, 1.0
	at, end := slope(lo), slope(hi)
	if at >= 0 {
		return a
	}
	if end <= 0 {
		return b
	}
	for _, k := range [3][3]float64{{a.X, way.X, half.X}, {a.Y, way.Y, half.Y}, {a.Z, way.Z, half.Z}} {
		for _, edge := range [2]float64{-k[2], k[2]} {
			t := (edge - k[0]) / k[1]
			// Also false for NaN and ±∞, which a way parallel to the slab gives.
			if !(t > lo && t < hi) { // nor where there is none
				continue
			}
			if x := slope(t); x < 0 {
				lo, at = t, x
			} else {
				hi, end = t, x
			}
		}
	}
	if rise := end - at; rise > 0 {
		lo += float64((hi - lo) * (-at / rise))
	}
	// Rounding may put lo beyond hi by a bit.
	return a.MulAdd(way, min(lo, hi))
}
