package report

import (
	"math"
	"strconv"
)

// grid is the instants that all charts share: the middles of equal buckets of
// match time, in seconds.
type grid struct {
	width float64 // of a bucket
	count int
}

// The bounds of how finely a report shows time.
const (
	finest      = 0.01      // seconds of a bucket, at least
	mostBuckets = 2000      // of one series
	fewest      = 100       // of one series, however many series there are
	mostValues  = 1_500_000 // of all series together
)

// gridFor is the grid of a run of so many seconds whose charts have so many
// series.
func gridFor(duration float64, series int) grid {
	n := min(mostBuckets, mostValues/max(series, 1))
	n = min(max(n, fewest), int(math.Ceil(duration/finest-1e-9)))
	n = max(n, 1)
	return grid{width: duration / float64(n), count: n}
}

// times are the grid's instants.
func (g grid) times() []Number {
	out := make([]Number, g.count)
	for i := range out {
		out[i] = Number((float64(i) + 0.5) * g.width)
	}
	return out
}

// bucket is which bucket a time falls into; times outside fall into the nearest.
func (g grid) bucket(t float64) int {
	if !(t > 0) || g.width <= 0 {
		return 0
	}
	return int(min(t/g.width, float64(g.count-1)))
}

// peaks is the largest value of each bucket, so that no peak is lost; a bucket
// without one has none.
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

// The bounds of how many points of a path are kept: of one, and of all together.
const (
	mostPoints  = 1500
	fewPoints   = 150
	mostOfPaths = 30_000
)

// pointsOf is how many points of each path are kept where there are so many
// players.
func pointsOf(players int) int {
	return min(mostPoints, max(fewPoints, mostOfPaths/max(players, 1)))
}

// stride is every how manieth of n points to keep so that at most so many stay.
func stride(n, most int) int {
	return max(1, (n+most-1)/max(most, 1))
}

// Number is a number in the page's data: five significant digits, which is more
// than a screen shows, in the fewest characters.
type Number float64

// MarshalJSON writes n; what is no number is null.
func (n Number) MarshalJSON() ([]byte, error) {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	if math.Abs(v) < 5e-7 {
		return []byte("0"), nil
	}
	// Micrometres and microseconds: 6 decimals at most, and 5 digits below that.
	b := strconv.AppendFloat(nil, v, 'g', 6, 64)
	return b, nil
}
