package level

import (
	"sort"

	"github.com/backstep-net/backstep/geom"
)

// at returns the curve's value at a time (glTF 2.0, appendix C). Before the first key and
// after the last the value is constant.
//
// It runs when a rig is read and never in a match, so it may allocate and use Slerp.
func (c *curve) at(t float64) []float64 {
	n := sort.SearchFloat64s(c.times, t) // the first key at or after t
	switch {
	case n == 0:
		return c.key(0)
	case n == len(c.times):
		return c.key(n - 1)
	}
	t0, t1 := c.times[n-1], c.times[n]
	// Two equal times never bracket t: the search finds the first of them.
	u := (t - t0) / (t1 - t0)
	a, b := c.key(n-1), c.key(n)
	switch {
	case c.kind == "STEP" && u < 1:
		return a
	case c.kind == "CUBICSPLINE":
		return c.cubic(n-1, u, t1-t0)
	case c.width == 4:
		q := geom.Quat{X: a[0], Y: a[1], Z: a[2], W: a[3]}.Unit().Slerp(geom.Quat{X: b[0], Y: b[1], Z: b[2], W: b[3]}.Unit(), u)
		return []float64{q.X, q.Y, q.Z, q.W}
	}
	v := geom.V(a[0], a[1], a[2]).Lerp(geom.V(b[0], b[1], b[2]), u)
	return []float64{v.X, v.Y, v.Z}
}

// key returns the value of key k; in a cubic curve it is between two tangents.
func (c *curve) key(k int) []float64 {
	if c.kind == "CUBICSPLINE" {
		k = 3*k + 1
	}
	return c.values[k*c.width : k*c.width+c.width]
}

// cubic evaluates the Hermite spline from key k to the next, at the fraction u of d
// seconds.
//
// Tangents are per second, so they are multiplied by the length of the segment. A rotation
// is not of length 1 then; key normalises it.
func (c *curve) cubic(k int, u, d float64) []float64 {
	out := make([]float64, c.width)
	uu := float64(u * u)
	uuu := float64(uu * u)
	for i := range out {
		row := func(j int) float64 { return c.values[j*c.width+i] }
		p0, m0, p1, m1 := row(3*k+1), float64(row(3*k+2)*d), row(3*k+4), float64(row(3*k+3)*d)
		out[i] = float64((float64(2*uuu)-float64(3*uu)+1)*p0) + float64((uuu-float64(2*uu)+u)*m0) +
			float64((float64(3*uu)-float64(2*uuu))*p1) + float64((uuu-uu)*m1)
	}
	return out
}
