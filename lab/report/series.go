package report

import (
	"math"
	"strconv"
)

// grid has the instants of all charts: the middles of equal buckets of match time, in seconds.
type grid struct {
	width float64 // of a bucket
	count int
}

// Bounds of the resolution of time.
const (
	finest      = 0.01      // seconds of a bucket, at least
	mostBuckets = 2000      // of one series
	fewest      = 100       // of one series, however many series there are
	mostValues  = 1_500_000 // of all series together
)

// gridFor returns the grid of a run of so many seconds with so many series in its charts.
func gridFor(duration float64, series int) grid {
	n := min(mostBuckets, mostValues/max(series, 1))
	n = min(max(n, fewest), int(math.Ceil(duration/finest-1e-9)))
	n = max(n, 1)
	return grid{width: duration / float64(n), count: n}
}

// times returns the instants.
func (g grid) times() []Number {
	out := make([]Number, g.count)
	for i := range out {
		out[i] = Number((float64(i) + 0.5) * g.width)
	}
	return out
}

// bucket returns the index of the bucket of a time; times outside are in the nearest.
func (g grid) bucket(t float64) int {
	if !(t > 0) || g.width <= 0 {
		return 0
	}
	return int(min(t/g.width, float64(g.count-1)))
}

// peaks returns the largest value of each bucket, so that no peak is lost.
func (g grid) peaks(n int, at func(int) (t, v float64)) []*Number {
	out := make([]*Number, g.count)
	for i := range n {
		t, v := at(i)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		b := g.bucket(t)
		if out[b] == nil || Number(v) > *out[b] {
			n := Number(v)
			out[b] = &n
		}
	}
	return out
}

// Bounds of the points kept of one path, and of all paths together.
const (
	mostPoints  = 1500
	fewPoints   = 150
	mostOfPaths = 30_000
)

// pointsOf returns the number of points kept of each path with so many players.
func pointsOf(players int) int {
	return min(mostPoints, max(fewPoints, mostOfPaths/max(players, 1)))
}

// stride returns k so that every k-th of n points are at most so many.
func stride(n, most int) int {
	return max(1, (n+most-1)/max(most, 1))
}

// Number is a number in the page's data: six significant digits, more than a screen shows, in the
// fewest characters.
type Number float64

// MarshalJSON writes n, NaN as null.
func (n Number) MarshalJSON() ([]byte, error) {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	if math.Abs(v) < 5e-7 {
		return []byte("0"), nil
	}
	return strconv.AppendFloat(nil, v, 'g', 6, 64), nil
}
