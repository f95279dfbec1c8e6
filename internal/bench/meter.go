package bench

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/internal/benchscene"
)

// Meter times work and collects the figures.
type Meter struct {
	options Options
	report  Report
	worlds  map[string]*collide.World
	clock   time.Duration // cost of reading the wall clock twice
	cpu     time.Duration // cost of reading the thread's clock twice

	neighbour neighbour
}

func newMeter(o Options) *Meter {
	o.Runs = cmp.Or(o.Runs, 3)
	o.Share = cmp.Or(o.Share, 1)
	m := &Meter{options: o, report: newReport(), worlds: map[string]*collide.World{}, neighbour: neighbour{probe: probeCore}}
	m.clock = least(func() time.Duration { return time.Since(time.Now()) })
	m.cpu = least(func() time.Duration { t := threadTime(); return threadTime() - t })
	return m
}

// least returns the shortest of many durations.
func least(f func() time.Duration) time.Duration {
	d := time.Duration(math.MaxInt64)
	for range 1000 {
		d = min(d, f())
	}
	return d
}

// checkScenes compares the scenes with the published hashes and notes them in the report.
func (m *Meter) checkScenes() error {
	for _, s := range benchscene.Measured {
		got := fmt.Sprintf("%016x", s.Hash())
		if got != s.Published {
			return fmt.Errorf("bench: scene %s has the hash %s, not the published %s: its figures cannot be compared with those of other programs", s.Name, got, s.Published)
		}
		m.report.Scenes[s.Name] = got
	}
	return nil
}

// world returns a scene, baked once.
func (m *Meter) world(s benchscene.Scene) (*collide.World, error) {
	if w := m.worlds[s.Name]; w != nil {
		return w, nil
	}
	w, err := s.World()
	m.worlds[s.Name] = w
	return w, err
}

// Work is what a figure times: so many calls a run.
type Work struct {
	// Calls of a run.
	Calls int
	// Call is what is timed; i counts from 0 in each run.
	Call func(i int)
	// Begin prepares a run, untimed; nil means there is nothing to do.
	Begin func()
	// Between prepares Batch calls, untimed; nil means there is nothing to do.
	Between func()
	// Batch is how many calls are a sample, which is timed at once: 1 for calls of tens of microseconds and more, as the
	// thread's clock takes one itself; 0 means 25.
	Batch int
}

// defaultBatch is what a Batch of 0 means.
const defaultBatch = 25

// Time measures a figure. The end of its name is its unit: _ns or _us.
func (m *Meter) Time(figure string, w Work) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m.Progress(figure)
	samples, alone := m.runs(&w)
	m.SetMedian(figure, means(samples, unitOf(figure)))
	if w.Batch != 1 {
		samples, _ = m.neighbour.counted([][]sample{m.singleCalls(&w)})
	}
	var calls []time.Duration
	for _, s := range slices.Concat(samples...) {
		calls = append(calls, s.took)
	}
	slices.Sort(calls)
	m.Set(figure+P99, float64(calls[len(calls)*99/100])/unitOf(figure))
	m.report.Alone[figure] = math.Round(alone*1e4) / 1e4
	return m.profile(figure, &w)
}

// setCalls notes the mean of some calls, and their 99th percentile.
func (m *Meter) setCalls(figure string, calls []time.Duration) {
	slices.Sort(calls)
	sum := time.Duration(0)
	for _, c := range calls {
		sum += c
	}
	m.Set(figure, float64(sum)/float64(len(calls))/unitOf(figure))
	m.Set(figure+P99, float64(calls[len(calls)*99/100])/unitOf(figure))
}

// runs makes all runs of the work. It returns the samples that count, and the share of samples that were alone.
func (m *Meter) runs(w *Work) (samples [][]sample, alone float64) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	w.Calls = max(min(w.Calls, 10), int(float64(w.Calls)*m.options.Share))
	w.Batch = cmp.Or(w.Batch, defaultBatch)
	for range m.options.Runs {
		samples = append(samples, m.run(w))
	}
	return m.neighbour.counted(samples)
}

// means returns what a call took in each run, in a unit of so many nanoseconds. A run without a sample is left out.
func means(runs [][]sample, unit float64) (list []float64) {
	for _, samples := range runs {
		took, calls := time.Duration(0), 0
		for _, s := range samples {
			took, calls = took+s.took, calls+s.calls
		}
		if calls > 0 {
			list = append(list, float64(took)/float64(calls)/unit)
		}
	}
	return list
}

// Progress reports that a figure is measured now.
func (m *Meter) Progress(figure string) {
	if m.options.Progress != nil {
		m.options.Progress(figure)
	}
}

// Runs is how many runs a figure has.
func (m *Meter) Runs() int { return m.options.Runs }

// Shorten returns the part of d that is measured, by Options.Share.
func (m *Meter) Shorten(d time.Duration) time.Duration {
	return time.Duration(float64(d) * m.options.Share)
}

// Fewer returns how many of n are measured, by Options.Share: two at least.
func (m *Meter) Fewer(n int) int { return max(min(n, 2), int(float64(n)*m.options.Share)) }

// SetMedian notes the median of a figure's runs, in its unit, and sorts them.
func (m *Meter) SetMedian(figure string, runs []float64) { m.Set(figure, median(runs)) }

// median returns the median of some values, and sorts them.
func median(runs []float64) float64 {
	slices.Sort(runs)
	return runs[len(runs)/2]
}

// Set notes a figure, in its unit.
func (m *Meter) Set(figure string, value float64) {
	m.report.Figures[figure] = math.Round(value*1e4) / 1e4
}

// timed labels what is timed in profiles.
var timed = pprof.WithLabels(context.Background(), pprof.Labels("timed", "yes"))

// run makes a run and returns its samples, in processor time.
func (m *Meter) run(w *Work) (samples []sample) {
	return m.samples(w, func(from, to int) []sample {
		pprof.SetGoroutineLabels(timed)
		t := threadTime()
		for i := from; i < to; i++ {
			w.Call(i)
		}
		took := max(0, threadTime()-t-m.cpu)
		pprof.SetGoroutineLabels(context.Background())
		return []sample{{calls: to - from, took: took}}
	})
}

// singleCalls makes one more run and returns each call as a sample, by the wall clock: reading the thread's clock takes
// longer than such a call.
func (m *Meter) singleCalls(w *Work) []sample {
	return m.samples(w, func(from, to int) (list []sample) {
		for i := from; i < to; i++ {
			t := time.Now()
			w.Call(i)
			list = append(list, sample{calls: 1, took: max(0, time.Since(t)-m.clock)})
		}
		return list
	})
}

// samples makes a run, a batch at a time, which measure turns into samples. It makes all calls again while too few were
// alone.
func (m *Meter) samples(w *Work, measure func(from, to int) []sample) (all []sample) {
	for pass := 0; pass == 0 || pass < mostPasses && !m.neighbour.enough(all, w.Calls); pass++ {
		if w.Begin != nil {
			w.Begin()
		}
		var batches [][]sample
		var probes []probed // before and after each batch
		for i := 0; i < w.Calls; i += w.Batch {
			if w.Between != nil {
				w.Between()
			}
			probes = append(probes, m.neighbour.look())
			batches = append(batches, measure(i, min(i+w.Batch, w.Calls)))
			probes = append(probes, m.neighbour.look())
		}
		for i, batch := range batches {
			for _, s := range batch {
				s.ratio = worst(probes, 2*i)
				all = append(all, s)
			}
		}
	}
	return all
}
