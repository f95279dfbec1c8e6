package collide

import (
	"github.com/backstep-net/backstep/geom"
)

// The oracle knows one thing, the distance of a point from a triangle, by a
// formula that the package does not use; everything else is a search. Distances
// to convex things are convex along a line, so ternary search and bisection find
// what the package computes in closed form.

// pointTriangle projects onto the plane, or else takes the nearest of the edges.
func pointTriangle(p, a, b, c geom.Vec3) float64 {
	u, v, w := b.Sub(a), c.Sub(a), p.Sub(a)
	uu, uv, vv, wu, wv := u.Dot(u), u.Dot(v), v.Dot(v), w.Dot(u), w.Dot(v)
	det := uu*vv - uv*uv
	x, y := (vv*wu-uv*wv)/det, (uu*wv-uv*wu)/det
	if x >= 0 && y >= 0 && x+y <= 1 {
		return w.Sub(u.Mul(x)).Sub(v.Mul(y)).Len()
	}
	return min(pointSegment(p, a, b), min(pointSegment(p, b, c), pointSegment(p, c, a)))
}

func pointSegment(p, a, b geom.Vec3) float64 {
	e := b.Sub(a)
	t := max(0, min(1, p.Sub(a).Dot(e)/e.Dot(e)))
	return p.Dist(a.Add(e.Mul(t)))
}

// least returns the least value of a convex function on 0 … 1 and where.
func least(f func(float64) float64) (at, value float64) {
	const golden = 0.6180339887498949
	lo, hi := 0.0, 1.0
	x, y := hi-golden*(hi-lo), lo+golden*(hi-lo)
	fx, fy := f(x), f(y)
	for range 60 {
		if fx < fy {
			hi, y, fy = y, x, fx
			x = hi - golden*(hi-lo)
			fx = f(x)
		} else {
			lo, x, fx = x, y, fy
			y = lo + golden*(hi-lo)
			fy = f(y)
		}
	}
	at, value = x, fx
	for _, end := range []float64{0, 1} {
		if v := f(end); v <= value {
			at, value = end, v
		}
	}
	return at, value
}

// coreTriangle is the distance of a capsule's core from a triangle.
func coreTriangle(c geom.Capsule, t *tri) float64 {
	if c.A == c.B {
		return pointTriangle(c.A, t.a, t.b, t.c)
	}
	_, d := least(func(s float64) float64 { return pointTriangle(c.A.Lerp(c.B, s), t.a, t.b, t.c) })
	return d
}

// oracleSweep returns when the capsule, which begins apart, first touches the triangle, and
// how deep it would get: a depth near zero is a grazing touch, about which two correct
// results may differ.
func oracleSweep(c geom.Capsule, d geom.Vec3, t *tri) (fraction, depth float64, hit bool) {
	f := func(u float64) float64 { return coreTriangle(c.Moved(d.Mul(u)), t) - c.Radius }
	at, value := least(f)
	if value > 0 {
		return 0, -value, false
	}
	lo, hi := 0.0, at
	for range 50 {
		if mid := (lo + hi) / 2; f(mid) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi, -value, true
}
