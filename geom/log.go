package geom

import "math"

// Log returns the natural logarithm of x, the same bits on every processor and
// within 1 unit in the last place. Of 0 it is −Inf, below NaN. Polynomial:
// fdlibm's e_log.
func Log(x float64) float64 {
	switch {
	case math.IsInf(x, 1): // a NaN stays one by itself
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	// x = m·2^e with m near 1, where the series converges fastest.
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = float64(m*2), e-1
	}
	// With s = f/(2 + f) is ln(1 + f) = 2s + 2s³/3 + …: half as many terms as in f.
	f, k := m-1, float64(e)
	s := f / (2 + f)
	z := float64(s * s)
	w := float64(z * z)
	odd := float64(w*1.479819860511658591e-01) + 1.818357216161805012e-01
	odd = float64(w*odd) + 2.857142874366239149e-01
	odd = float64(w*odd) + 6.666666666666735130e-01
	even := float64(w*1.531383769920937332e-01) + 2.222219843214978396e-01
	even = float64(w*even) + 3.999999999940941908e-01
	r := float64(z*odd) + float64(w*even)
	h := float64(0.5 * float64(f*f))
	low := float64(s*(h+r)) + float64(k*ln2Lo)
	return float64(k*ln2Hi) - ((h - low) - f)
}
