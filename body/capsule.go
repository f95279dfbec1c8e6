package body

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// collideBodies finds where two bodies touch, or will within d seconds. The manifold is on b, its normal
// from b to a. Both move straight on meanwhile, so only the velocity of a against b matters.
func (w *World) collideBodies(a, b int32, d float64, m *manifold) {
	x, y := &w.sims[a], &w.sims[b]
	s := &w.bodies[b]
	way := x.v.Sub(y.v).Mul(d)
	switch {
	case s.Shape != Box:
		w.collideWithCapsule(a, coreCapsule(s, y.pos, y.q), way, m)
	case w.bodies[a].Shape != Box:
		collideCapsuleBox(coreCapsule(&w.bodies[a], x.pos, x.q), y.pos, y.q, s.Half, way, m)
	default:
		w.collideBoxes(a, b, way, m)
	}
}

// collideWithCapsule finds where body a touches a ball or capsule, against which it moves by way.
func (w *World) collideWithCapsule(a int32, c geom.Capsule, way geom.Vec3, m *manifold) {
	x, s := &w.sims[a], &w.bodies[a]
	if s.Shape != Box {
		collideCapsules(coreCapsule(s, x.pos, x.q), c, way, m)
		return
	}
	// Seen from the box, which stands still, the capsule moves the other way.
	collideCapsuleBox(c, x.pos, x.q, s.Half, way.Neg(), m)
	for i := range m.n { // the points are on the box, and must be on c
		m.points[i].at = m.points[i].at.MulAdd(m.normal, m.points[i].gap)
	}
	m.normal = m.normal.Neg()
}

// collideCapsules finds where two capsules touch, the first of which moves by way. Balls are capsules
// whose core is a point.
func collideCapsules(a, b geom.Capsule, way geom.Vec3, m *manifold) {
	p, q := closestPoints(a.A, a.B, b.A, b.B)
	apart, r := p.Sub(q), a.Radius+b.Radius
	dist := apart.Len()
	if dist > r+margin {
		sweepCapsules(apart, way, r, q, b.Radius, m)
		return
	}
	// Cores that cross have no direction between them; any will do, and up falls apart by itself.
	m.normal = geom.Up
	if dist > 1e-9 {
		m.normal = apart.Div(dist)
	}
	if a.A != a.B && b.A != b.B && layAlong(a, b, m) {
		return
	}
	m.add(q.MulAdd(m.normal, b.Radius), dist-r)
}

// sweepCapsules handles capsules that are not near yet: two points apart, moving by way, touch
// where they are r from each other.
func sweepCapsules(apart, way geom.Vec3, r float64, q geom.Vec3, rb float64, m *manifold) {
	t, ok := sweepPoint(apart, way, r)
	if !ok {
		return
	}
	m.normal = apart.MulAdd(way, t).Unit()
	m.add(q.MulAdd(m.normal, rb), -float64(m.normal.Dot(way)*t))
}

// sweepPoint returns the share of way, 0 … 1, after which a point at p is r from the origin.
func sweepPoint(p, way geom.Vec3, r float64) (t float64, ok bool) {
	// |p + t·way| = r is a quadratic equation in t; the smaller root is the entry.
	a, b := way.LenSq(), p.Dot(way)
	c := p.LenSq() - float64(r*r)
	// It moves away, or not at all.
	if b >= 0 || a == 0 {
		return 0, false
	}
	disc := float64(b*b) - float64(a*c)
	if disc < 0 {
		return 0, false
	}
	t = (-b - math.Sqrt(disc)) / a
	return max(t, 0), t <= 1
}

// layAlong adds two points where capsules lie along each other: with one, the upper would see-saw. It
// reports whether they do.
func layAlong(a, b geom.Capsule, m *manifold) bool {
	along := b.B.Sub(b.A)
	l := along.Len()
	along = along.Div(l)
	u := a.B.Sub(a.A)
	// More than 6° apart: they cross in one point.
	if u.Cross(along).LenSq() > float64(u.LenSq()*0.01) {
		return false
	}
	from, to := a.A.Sub(b.A).Dot(along), a.B.Sub(b.A).Dot(along)
	if from > to {
		a.A, a.B, from, to = a.B, a.A, to, from
	}
	lo, hi := max(from, 0), min(to, l)
	// They only touch with their ends.
	if hi-lo < 0.01 {
		return false
	}
	for _, s := range [2]float64{lo, hi} {
		on := b.A.MulAdd(along, s)
		over := a.A.Lerp(a.B, (s-from)/(to-from))
		gap := over.Sub(on).Dot(m.normal) - a.Radius - b.Radius
		m.add(on.MulAdd(m.normal, b.Radius), gap)
	}
	return true
}

// closestPoints returns the closest points of the segments a–b and c–d (Ericson, "Real-Time Collision
// Detection", 2005, 5.1.9). For parallel ones they are in the middle of the part that overlaps. Either
// may be a point.
func closestPoints(a, b, c, d geom.Vec3) (p, q geom.Vec3) {
	u, v, r := b.Sub(a), d.Sub(c), a.Sub(c)
	uu, vv, uv := u.LenSq(), v.LenSq(), u.Dot(v)
	f, g := v.Dot(r), u.Dot(r)
	switch {
	case uu <= tinySquared && vv <= tinySquared:
		return a, c
	case uu <= tinySquared:
		return a, c.MulAdd(v, geom.Clamp(f/vv, 0, 1))
	case vv <= tinySquared:
		return a.MulAdd(u, geom.Clamp(-g/uu, 0, 1)), c
	}
	// The square of the sine of their angle, times both lengths: zero for parallel ones, where rounding
	// would pick any pair of points and a lying capsule would roll to and fro.
	den := float64(uu*vv) - float64(uv*uv)
	s := 0.0
	if den > float64(float64(uu*vv)*1e-6) {
		s = geom.Clamp((float64(uv*f)-float64(g*vv))/den, 0, 1)
	} else {
		s0, s1 := geom.Clamp(-g/uu, 0, 1), geom.Clamp((uv-g)/uu, 0, 1)
		s = float64((s0 + s1) * 0.5)
	}
	// The nearest of the other line, clamped to its segment; then the first once more.
	t := (float64(uv*s) + f) / vv
	if t < 0 {
		t, s = 0, geom.Clamp(-g/uu, 0, 1)
	} else if t > 1 {
		t, s = 1, geom.Clamp((uv-g)/uu, 0, 1)
	}
	return a.MulAdd(u, s), c.MulAdd(v, t)
}

// tinySquared is the square of a length that counts as zero: a nanometre.
const tinySquared = 1e-18
