package bench

import (
	"runtime"
	"slices"
	"time"
)

// Two threads of a processor's core share its units. Whatever runs on the other thread, which on a rented machine is
// somebody else's program, makes the same work take up to twice the processor time, and no clock of the system says so.
// So probes between samples measure what the core gives: a chain of operations that depend on each other takes the same
// time either way, and several chains at once take longer while units are shared. The ratio of the two does not depend
// on the processor's clock.

// probeLength is how many rounds the chains of a probe have: a few microseconds, short beside a sample.
const probeLength = 500

// A sample counts if all probes from probesAround before it to probesAround after it gave at most aloneWithin times the
// ratio of an idle neighbour. A neighbour comes and goes within a tenth of a millisecond.
const (
	probesAround = 100 * time.Microsecond
	aloneWithin  = 1.05
)

// A run repeats its calls until enoughAlone of them counted, mostPasses times at most: a busy neighbour is idle now and
// then. If fewer than fewestAlone of all samples were alone, all count.
const (
	enoughAlone = .25
	mostPasses  = 3
	fewestAlone = .05
)

// neighbour finds out whether the other thread of this thread's core is idle. A processor without a second thread
// always looks so.
type neighbour struct {
	probe func() float64 // probeCore, but in tests
	idle  float64        // the ratio while it is idle: the least so far
}

// learn lowers the ratio of an idle neighbour to that of the given probes. An interrupt can make a ratio too small, so
// the least hundredth does not count.
func (n *neighbour) learn(ratios []float64) {
	slices.Sort(ratios)
	if least := ratios[len(ratios)/100]; n.idle == 0 || least < n.idle {
		n.idle = least
	}
}

// probeCore returns how many times as long five chains take as one.
func probeCore() float64 {
	start := time.Now()
	runtime.KeepAlive(chain(probeLength))
	one := time.Since(start)
	start = time.Now()
	runtime.KeepAlive(chains(probeLength))
	return float64(time.Since(start)) / float64(max(1, one))
}

// chain makes n rounds of six operations, each of which needs the one before. A function that is not inlined is also not
// optimised away.
//
//go:noinline
func chain(n int) uint64 {
	a := uint64(1)
	for range n {
		a ^= a << 13
		a ^= a >> 7
		a ^= a << 17
	}
	return a
}

// chains makes n rounds of five such chains, which is more than the units of a core can do at once.
//
//go:noinline
func chains(n int) uint64 {
	a, b, c, d, e := uint64(1), uint64(2), uint64(3), uint64(4), uint64(5)
	for range n {
		a ^= a << 13
		a ^= a >> 7
		a ^= a << 17
		b ^= b << 13
		b ^= b >> 7
		b ^= b << 17
		c ^= c << 13
		c ^= c >> 7
		c ^= c << 17
		d ^= d << 13
		d ^= d >> 7
		d ^= d << 17
		e ^= e << 13
		e ^= e >> 7
		e ^= e << 17
	}
	return a ^ b ^ c ^ d ^ e
}

// sample is a number of calls that were timed at once.
type sample struct {
	calls int
	took  time.Duration
	ratio float64 // the largest of the probes around it
}

// probed is the result of a probe.
type probed struct {
	from, to time.Time
	ratio    float64
}

// look probes now.
func (n *neighbour) look() probed {
	from := time.Now()
	ratio := n.probe()
	return probed{from, time.Now(), ratio}
}

// worst returns the largest ratio of the probes around what was timed between probe i and the next.
func worst(probes []probed, i int) (ratio float64) {
	before, after := probes[i], probes[i+1]
	for k := i; k >= 0 && before.to.Sub(probes[k].to) <= probesAround; k-- {
		ratio = max(ratio, probes[k].ratio)
	}
	for k := i + 1; k < len(probes) && probes[k].from.Sub(after.from) <= probesAround; k++ {
		ratio = max(ratio, probes[k].ratio)
	}
	return ratio
}

// counted returns the samples that count, run by run: those that were alone if there are enough. A run may then have
// none. It also returns the share of samples that were alone.
func (n *neighbour) counted(runs [][]sample) (kept [][]sample, alone float64) {
	all, quiet := 0, 0
	for _, run := range runs {
		kept = append(kept, n.alone(run))
		all, quiet = all+len(run), quiet+len(kept[len(kept)-1])
	}
	if alone = float64(quiet) / float64(all); alone < fewestAlone {
		return runs, alone
	}
	return kept, alone
}

// alone returns the samples that were alone, as far as the probes so far show.
func (n *neighbour) alone(all []sample) (kept []sample) {
	var ratios []float64
	for _, s := range all {
		ratios = append(ratios, s.ratio)
	}
	n.learn(ratios)
	for _, s := range all {
		if s.ratio <= aloneWithin*n.idle {
			kept = append(kept, s)
		}
	}
	return kept
}

// enough reports whether a run needs no other pass over so many calls.
func (n *neighbour) enough(run []sample, calls int) bool {
	made := 0
	for _, s := range n.alone(run) {
		made += s.calls
	}
	return float64(made) >= enoughAlone*float64(calls)
}
