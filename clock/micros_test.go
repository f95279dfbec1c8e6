package clock

import (
	"math"
	"testing"
)

func TestTicksNeverDriftFromRealTime(t *testing.T) {
	for _, rate := range []int{1, 30, 60, 64, 128} {
		for _, n := range []int64{0, 1, 2, 59, int64(rate) * 3600} {
			want := Micros(math.Round(float64(n) * 1e6 / float64(rate)))
			if got := TickTime(n, rate); got != want {
				t.Errorf("tick %d at %d Hz: got %d want %d", n, rate, got, want)
			}
		}
	}
}
