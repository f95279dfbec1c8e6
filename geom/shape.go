package geom

import "math"

// AABB is an axis-aligned box. The zero AABB is the point at the origin; use
// EmptyAABB to start a union.
type AABB struct {
	// Min and Max are the corners with the smallest and the largest coordinates, in metres. Both
	// belong to the box.
	Min, Max Vec3
}

// EmptyAABB returns the box that contains nothing and that Include grows.
func EmptyAABB() AABB {
	i := math.Inf(1)
	return AABB{Vec3{i, i, i}, Vec3{-i, -i, -i}}
}

// Include returns the smallest box that holds b and p.
func (b AABB) Include(p Vec3) AABB { return AABB{b.Min.Min(p), b.Max.Max(p)} }

// Union returns the smallest box that holds both.
func (b AABB) Union(c AABB) AABB { return AABB{b.Min.Min(c.Min), b.Max.Max(c.Max)} }

// Grow returns b with every face moved outwards by d metres.
func (b AABB) Grow(d float64) AABB {
	e := Vec3{d, d, d}
	return AABB{b.Min.Sub(e), b.Max.Add(e)}
}

// Overlaps reports whether the boxes share a point, faces included.
func (b AABB) Overlaps(c AABB) bool {
	return b.Min.X <= c.Max.X && c.Min.X <= b.Max.X &&
		b.Min.Y <= c.Max.Y && c.Min.Y <= b.Max.Y &&
		b.Min.Z <= c.Max.Z && c.Min.Z <= b.Max.Z
}

// Contains reports whether p is inside or on the box.
func (b AABB) Contains(p Vec3) bool {
	return p.X >= b.Min.X && p.X <= b.Max.X && p.Y >= b.Min.Y && p.Y <= b.Max.Y &&
		p.Z >= b.Min.Z && p.Z <= b.Max.Z
}

// Centre returns the middle of the box.
func (b AABB) Centre() Vec3 { return b.Min.Add(b.Max).Mul(0.5) }

// Sphere is a ball.
type Sphere struct {
	Centre Vec3    // metres
	Radius float64 // metres; zero is a point
}

// Capsule is everything within Radius of the segment A–B. A == B is a sphere.
type Capsule struct {
	A, B   Vec3    // ends of the segment, the centres of the round ends, in metres
	Radius float64 // metres; zero is the segment itself
}

// Upright returns the capsule that stands along the unit vector up with its
// middle at centre. halfHeight counts the round ends and is at least radius.
func Upright(centre, up Vec3, radius, halfHeight float64) Capsule {
	h := max(halfHeight-radius, 0)
	return Capsule{centre.MulAdd(up, -h), centre.MulAdd(up, h), radius}
}

// Moved returns the capsule displaced by d.
func (c Capsule) Moved(d Vec3) Capsule { return Capsule{c.A.Add(d), c.B.Add(d), c.Radius} }

// Bounds returns the box around the capsule.
func (c Capsule) Bounds() AABB {
	return AABB{c.A.Min(c.B), c.A.Max(c.B)}.Grow(c.Radius)
}

// Transformed returns the capsule, given in the space of t, in world space.
func (c Capsule) Transformed(t Transform) Capsule {
	return Capsule{t.Apply(c.A), t.Apply(c.B), c.Radius}
}

// InverseTransformed returns the capsule as it is in the space of t: the inverse of Transformed.
func (c Capsule) InverseTransformed(t Transform) Capsule {
	return Capsule{t.ApplyInverse(c.A), t.ApplyInverse(c.B), c.Radius}
}

// Transformed returns a box around the box, given in the space of t, as the world has
// it: no smaller than the box turned by t.
func (b AABB) Transformed(t Transform) AABB {
	half := b.Max.Sub(b.Min).Mul(0.5)
	middle := t.Apply(b.Centre())
	x := t.Rotation.Rotate(Vec3{X: half.X})
	y := t.Rotation.Rotate(Vec3{Y: half.Y})
	z := t.Rotation.Rotate(Vec3{Z: half.Z})
	reach := x.Max(x.Neg()).Add(y.Max(y.Neg())).Add(z.Max(z.Neg()))
	return AABB{middle.Sub(reach), middle.Add(reach)}
}
