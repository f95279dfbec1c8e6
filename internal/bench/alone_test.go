package bench

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// alwaysIdle is the probe of a core whose other thread does nothing.
func alwaysIdle() float64 { return 1.5 }

// A run repeats its calls while too few of them were alone, three times at most.
func TestABusyNeighbourRepeatsARun(t *testing.T) {
	for _, c := range []struct {
		what   string
		idle   func(probe int) bool
		passes int
		kept   int // samples of the run
	}{
		{"nobody else", func(int) bool { return true }, 1, 100},
		{"busy in the first pass, but for two of its samples", func(n int) bool { return n < 4 || n >= 200 }, 2, 102},
		{"idle in one of four samples", func(n int) bool { return n/2%4 == 0 }, 1, 25},
		{"idle in one of ten samples", func(n int) bool { return n/2%10 == 0 }, 3, 30},
		{"idle in one of fifty samples: all count", func(n int) bool { return n/2%50 == 0 }, 3, 300},
		{"an interrupt makes one probe too small", func(n int) bool { return n != 7 }, 1, 100},
	} {
		m, n := newMeter(Options{Runs: 1}), 0
		m.neighbour.probe = func() float64 {
			time.Sleep(probesAround + time.Microsecond) // so that a probe counts for one sample only
			n++
			switch {
			case strings.HasPrefix(c.what, "an interrupt") && n == 8:
				return .1
			case c.idle(n - 1):
				return 1.5
			}
			return 2.5
		}
		var seen calls
		w := seen.work(100, 1, false) // one by one: 200 probes a pass
		samples, _ := m.runs(&w)
		if got := len(slices.Concat(samples...)); seen.begins != c.passes || got != c.kept {
			t.Errorf("%s: %d passes and %d samples, want %d and %d", c.what, seen.begins, got, c.passes, c.kept)
		}
	}
}

// The probes that count are those within a tenth of a millisecond of a sample, and both beside it.
func TestProbesAround(t *testing.T) {
	var probes []probed
	start := time.Now()
	for i, ratio := range []float64{9, 2, 1, 1, 1, 3, 8, 1} { // each takes 10 µs, and 40 µs pass between two
		from := start.Add(time.Duration(i) * 50 * time.Microsecond)
		probes = append(probes, probed{from, from.Add(10 * time.Microsecond), ratio})
	}
	for i, want := range map[int]float64{0: 9, 2: 9, 3: 8, 4: 8, 6: 8} {
		if got := worst(probes, i); got != want {
			t.Errorf("between probes %d and %d: got %v, want %v", i, i+1, got, want)
		}
	}
	far := []probed{{from: start, to: start, ratio: 9}, {from: start.Add(time.Second), to: start.Add(time.Second), ratio: 1}, {from: start.Add(2 * time.Second), to: start.Add(2 * time.Second), ratio: 2}, {from: start.Add(4 * time.Second), to: start.Add(4 * time.Second), ratio: 9}}
	if got := worst(far, 1); got != 2 {
		t.Errorf("seconds apart: got %v, want 2", got)
	}
}

// By hand: of two runs the samples that were alone; a run without one is left out; if fewer than a twentieth were
// alone, all count. The report has the share, and the table says it.
func TestSamplesThatCount(t *testing.T) {
	n := neighbour{idle: 1.5}
	quiet := sample{calls: 10, took: 100 * time.Microsecond, ratio: 1.5}
	busy := sample{calls: 10, took: 200 * time.Microsecond, ratio: 2.9}
	kept, alone := n.counted([][]sample{{quiet, busy, quiet}, {busy, busy, busy}})
	if got := means(kept, 1000); len(got) != 1 || got[0] != 10 || alone != 2./6 {
		t.Errorf("runs of %v µs, %v alone; want one of 10 and a third", got, alone)
	}
	all := slices.Repeat([]sample{busy}, 99)
	kept, alone = n.counted([][]sample{append(all, quiet)})
	if got := means(kept, 1000); len(got) != 1 || got[0] != 19.9 || alone != .01 {
		t.Errorf("runs of %v µs, %v alone; want one of 19.9 and a hundredth", got, alone)
	}
	r := Report{Figures: map[string]float64{}, Alone: map[string]float64{"step_a_us": .25, "step_b_us": .5, "step_d_us": .01}}
	const want = "Of the samples, 25 to 50 % count: those during which the other thread of the core was idle. It was busy, and all samples count, for step_d_us."
	if got := (&Table{Report: &r}).alone(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// BenchmarkProbe fails where the probe is not one of this machine: several chains take at least as long as one, and at
// most as long as one after the other, but for interrupts. No test says so: it is wrong while the machine is taken away.
func BenchmarkProbe(b *testing.B) {
	var ratios []float64
	for range max(b.N, 2000) {
		ratios = append(ratios, probeCore())
	}
	n := neighbour{}
	n.learn(ratios)
	b.ReportMetric(n.idle, "chains/chain")
	if n.idle < .9 || n.idle > 6 {
		b.Errorf("five chains take %.2f times as long as one, want 1 to 5", n.idle)
	}
}
