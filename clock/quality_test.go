package clock

import (
	"math"
	"testing"
)

func TestBars(t *testing.T) {
	for _, c := range []struct {
		line        string
		rtt, jitter Micros
		up, down    float64
		want        Quality
		word        string
	}{
		{"a LAN", Millisecond, 100, 0, 0, Fine, "fine"},
		{"nothing known yet", 0, 0, 0, 0, Fine, "fine"},
		{"at every limit of four bars", 60 * Millisecond, 10 * Millisecond, 0.01, 0.01, Fine, "fine"},
		{"a microsecond beyond", 60*Millisecond + 1, 10 * Millisecond, 0.01, 0.01, Good, "good"},
		{"another continent's edge", 110 * Millisecond, 3 * Millisecond, 0, 0, Good, "good"},
		{"jitter of 30 ms and 5 % loss", 80 * Millisecond, 30 * Millisecond, 0.05, 0.05, Fair, "fair"},
		{"the ping notice's threshold", 200 * Millisecond, 0, 0, 0, Fair, "fair"},
		{"beyond it", 201 * Millisecond, 0, 0, 0, Poor, "poor"},
		{"20 % lost on the way up only", 40 * Millisecond, Millisecond, 0.2, 0, Poor, "poor"},
		{"30 % lost on the way down only", 40 * Millisecond, Millisecond, 0, 0.3, Bad, "bad"},
		{"a satellite", 600 * Millisecond, 5 * Millisecond, 0, 0, Bad, "bad"},
		{"no number", 40 * Millisecond, 0, math.NaN(), 0, Bad, "bad"},
		{"all is lost", 0, 0, 1, 1, Bad, "bad"},
	} {
		if got := RateLink(c.rtt, c.jitter, c.up, c.down); got != c.want || got.String() != c.word {
			t.Errorf("%s: %d bars, %q; want %d, %q", c.line, got, got, c.want, c.word)
		}
	}
}

// More of anything never makes a line better.
func TestBarsFallWithEachCause(t *testing.T) {
	last := Fine
	for rtt := Micros(0); rtt < Second; rtt += Millisecond {
		if q := RateLink(rtt, 0, 0, 0); q > last {
			t.Fatalf("round trip %d: %v after %v", rtt, q, last)
		} else {
			last = q
		}
	}
	for i := range 1000 {
		loss := float64(i) / 1000
		if a, b := RateLink(0, 0, loss, 0), RateLink(0, 0, 0, loss); a != b || a < RateLink(0, 0, loss+0.001, 0) {
			t.Fatalf("loss %v: %v up, %v down", loss, a, b)
		}
	}
}

func TestRateLinkAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { _ = RateLink(Second, 0, 0, 0).String() }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func BenchmarkRateLink(b *testing.B) {
	for b.Loop() {
		RateLink(150*Millisecond, 5*Millisecond, 0.01, 0.02)
	}
}
