package geom

import "math"

// ln 2 in two parts: products of the first with small integers are exact (fdlibm's
// e_exp).
const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// Exp returns e to the power x, the same bits on every processor and within 1 unit
// in the last place. Below −708 it is 0, above 709 +Inf; of NaN it is NaN.
// Polynomial: fdlibm's e_exp.
func Exp(x float64) float64 {
	switch {
	case x < -708:
		return 0
	case x > 709:
		return math.Inf(1)
	}
	// x = k·ln 2 + r with |r| ≤ ln 2 / 2. hi and lo keep r to twice the precision, because k·ln 2
	// cancels nearly all of x.
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	hi := x - float64(k*ln2Hi)
	lo := float64(k * ln2Lo)
	r := hi - lo
	// e^r = 1 + 2r/(R − r), where R = r·coth(r/2) is even in r: a polynomial of r², in c.
	z := float64(r * r)
	p := float64(z*4.13813679705723846039e-08) - 1.65339022054652515390e-06
	p = float64(z*p) + 6.61375632143793436117e-05
	p = float64(z*p) - 2.77777777770155933842e-03
	p = float64(z*p) + 1.66666666666666019037e-01
	c := r - float64(z*p)
	y := 1 - ((lo - float64(r*c)/(2-c)) - hi)
	// 2^k is made of its exponent bits: k is within those of normal numbers. A NaN stays one, whatever
	// is made of k.
	return float64(y * math.Float64frombits(uint64(int64(k)+1023)<<52))
}

// atanBase is where the argument is reduced to: the arc tangents of ½, 1, 1½ and
// infinity in two parts each (fdlibm's s_atan).
var atanBase = [4][2]float64{
	{4.63647609000806093515e-01, 2.26987774529616870924e-17},
	{7.85398163397448278999e-01, 3.06161699786838301793e-17},
	{9.82793723247329054082e-01, 1.39033110312309984516e-17},
	{1.57079632679489655800e+00, 6.12323399573676603587e-17},
}

// Atan2 returns the angle of the point (x, y) from the X axis, −π … π, the same
// bits on every processor and within 2 units in the last place. It is 0 at the
// origin and where either is NaN; −0 counts as 0. Polynomial: fdlibm's s_atan.
func Atan2(y, x float64) float64 {
	ax, ay := math.Abs(x), math.Abs(y)
	var a float64
	switch {
	case !(ax >= 0 && ay >= 0) || ax == 0 && ay == 0:
		return 0
	case math.IsInf(x, 0) && math.IsInf(y, 0):
		a = math.Pi / 4
	default:
		a = atan(ay / ax) // +Inf on the Y axis
	}
	if x < 0 {
		a = math.Pi - (a - 1.2246467991473531772e-16) // π rounds down by as much
	}
	if y < 0 {
		return -a
	}
	return a
}

// atan is the arc tangent of x ≥ 0.
func atan(x float64) float64 {
	part := -1
	switch {
	case x < 7.0/16:
	case x < 11.0/16:
		part, x = 0, (float64(2*x)-1)/(2+x)
	case x < 19.0/16:
		part, x = 1, (x-1)/(x+1)
	case x < 39.0/16:
		part, x = 2, (x-1.5)/(1+float64(1.5*x))
	default:
		part, x = 3, -1/x
	}
	// The odd and the even coefficients separately, which halves the chain of products.
	z := float64(x * x)
	w := float64(z * z)
	odd := horner(w, 1.62858201153657823623e-02, 4.97687799461593236017e-02,
		6.66107313738753120669e-02, 9.09088713343650656196e-02,
		1.42857142725034663711e-01, 3.33333333333329318027e-01)
	even := horner(w, 0, -3.65315727442169155270e-02, -5.83357013379057348645e-02,
		-7.69187620504482999495e-02, -1.11111104054623557880e-01, -1.99999999998764832476e-01)
	s := float64(z*odd) + float64(w*even)
	if part < 0 {
		return x - float64(x*s)
	}
	b := atanBase[part]
	return b[0] - ((float64(x*s) - b[1]) - x)
}
