package clock

import (
	"math/rand/v2"
	"testing"
)

// PRF-12: the least delay of the last eight bins, after silence and whatever came late,
// beside one that remembers everything.
func TestMinDelayRemembersTwoSeconds(t *testing.T) {
	const seed = 11
	r := rand.New(rand.NewPCG(seed, 0))
	type noted struct{ bin, delay Micros }
	var all []noted
	var l MinDelay
	if got := l.Delay(); got != 0 {
		t.Errorf("nothing was noted, and the least is %d", got)
	}
	for at := -3 * Second; at < 60*Second; at += Micros(r.Int64N(int64(100 * Millisecond))) {
		if r.IntN(50) == 0 { // silence
			at += Micros(r.Int64N(int64(3 * Second)))
		}
		when, delay := at, Micros(r.Int64N(1000))-300
		if r.IntN(10) == 0 { // what comes late
			when -= Micros(r.Int64N(int64(Second)))
			all = append(all, noted{when / minDelayBin, delay})
			l.Note(when, delay)
			continue
		}
		n, want := when/minDelayBin, delay
		all = append(all, noted{n, delay})
		for _, o := range all {
			if o.bin > n-minDelayBins {
				want = min(want, o.delay)
			}
		}
		if got := l.Note(when, delay); got != want || l.Delay() != want {
			t.Fatalf("seed %d: %d noted at %d: least %d, Delay %d; want %d", seed, delay, when, got, l.Delay(), want)
		}
	}
}
