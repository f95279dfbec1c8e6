package lab

import (
	"cmp"
	"math"
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// spreadOf returns the spread of values, which it sorts; zero of none.
func spreadOf(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	slices.Sort(values)
	return Spread{
		Mean: round(mean(values)),
		P50:  round(rank(values, 50)),
		P99:  round(rank(values, 99)),
		Max:  round(values[len(values)-1]),
	}
}

// mean returns the mean of at least one value.
func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// rank returns the nearest rank of a percentile, 1 … 100, of sorted values: the smallest value that
// at least that share of the values do not exceed.
func rank(sorted []float64, percent int) float64 {
	n := len(sorted)
	return sorted[max((percent*n+99)/100, 1)-1]
}

// round rounds to six decimals, a micrometre or a microsecond; −0 becomes 0.
func round(x float64) float64 { return math.Round(float64(x*1e6))/1e6 + 0 }

func rounded(v geom.Vec3) [3]float64 { return [3]float64{round(v.X), round(v.Y), round(v.Z)} }

// seconds returns a time in seconds, exact to the microsecond.
func seconds(t clock.Micros) float64 { return round(t.Seconds()) }

// anglesTo returns the yaw and pitch from one point to another.
func anglesTo(from, to geom.Vec3) (yaw, pitch float64) {
	d := to.Sub(from)
	return geom.Yaw(d), geom.Pitch(d)
}

// sorted sorts by time; members of one time keep their order.
func sorted[T any](list []T, at func(T) clock.Micros) []T {
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(at(a), at(b)) })
	return list
}
