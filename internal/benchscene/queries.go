package benchscene

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// Query is one ray or sweep.
type Query struct {
	Body  geom.Capsule // the swept shape at its start; of radius 0 for a ray, which starts at Body.A
	Delta geom.Vec3    // the whole displacement, metres
}

// QuerySet names one of the query sets; its value is the seed.
type QuerySet uint32

// The sets: rays of 50 m nearly level and of 2 m down, capsules 1 m sideways and
// 1 m down, balls 1 m anywhere.
const (
	Ray50 QuerySet = 11 + iota
	RayDown
	CapsuleSideways
	CapsuleDown
	Ball
)

// Queries returns n queries of a set.
func (s Scene) Queries(set QuerySet, n int) []Query {
	d := Draw(set)
	out := make([]Query, n)
	for i := range out {
		x, z := d.Within(95), d.Within(95)
		a, b := float64(2*math.Pi*d.Unit()), d.Unit()
		out[i] = query(set, geom.V(x, s.Height(x, z), z), a, b)
	}
	return out
}

func query(set QuerySet, foot geom.Vec3, a, b float64) Query {
	sa, ca := geom.SinCos(a)
	above := func(h float64) geom.Vec3 { return foot.Add(geom.V(0, h, 0)) }
	switch set {
	case Ray50:
		sp, cp := geom.SinCos(float64((b - .5) * (10 * math.Pi / 180)))
		return Query{point(above(1.6)), geom.V(float64(ca*cp), sp, float64(sa*cp)).Mul(50)}
	case RayDown:
		return Query{point(above(1)), geom.V(0, -2, 0)}
	case CapsuleSideways:
		return Query{standing(above(1.05)), geom.V(ca, 0, sa)}
	case CapsuleDown:
		return Query{standing(above(1.4)), geom.V(0, -1, 0)}
	}
	y := float64(2*b) - 1
	r := math.Sqrt(1 - float64(y*y))
	return Query{geom.Capsule{A: above(.8), B: above(.8), Radius: .3},
		geom.V(float64(ca*r), y, float64(sa*r))}
}

func point(p geom.Vec3) geom.Capsule { return geom.Capsule{A: p, B: p} }

// standing is a character's capsule: radius 0.3 m, 1.8 m tall.
func standing(centre geom.Vec3) geom.Capsule { return geom.Upright(centre, geom.Up, .3, .9) }
