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
			if got := TickAt(want, rate); got != n {
				t.Errorf("the last tick due at tick %d, %d Hz: got %d", n, rate, got)
			}
			if got := TickAt(want-1, rate); n > 0 && got != n-1 {
				t.Errorf("the last tick due before tick %d, %d Hz: got %d", n, rate, got)
			}
		}
	}
}
