package bench

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// calls counts what a meter calls, run by run.
type calls struct {
	begins, betweens int
	numbers          []int // of the calls
}

// work returns work that counts.
func (c *calls) work(n, batch int, between bool) Work {
	w := Work{Calls: n, Batch: batch, Call: func(i int) { c.numbers = append(c.numbers, i) }, Begin: func() { c.begins++ }}
	if between {
		w.Between = func() { c.betweens++ }
	}
	return w
}

// upTo returns the numbers from 0 to before n, so often.
func upTo(n, times int) (list []int) {
	for range times {
		for i := range n {
			list = append(list, i)
		}
	}
	return list
}

// A run makes the share of its calls that is measured, ten at least, in order; it is prepared once, and
// each batch once. Calls that are timed one by one are timed in the run, others in one more.
func TestWhatAMeterCalls(t *testing.T) {
	for _, c := range []struct {
		what             string
		n, batch         int
		between          bool
		share            float64
		made             int // a run
		begins, betweens int // of runs and, for the 99th percentile, of single calls
		extra            int // runs of single calls
	}{
		{"the whole run at once", 40, 0, false, 1, 40, 4, 0, 1},
		{"half of them", 40, 0, false, .5, 20, 4, 0, 1},
		{"ten at least", 40, 0, false, .01, 10, 4, 0, 1},
		{"fewer than ten", 4, 0, false, .01, 4, 4, 0, 1},
		{"in batches, the last of them short", 10, 4, true, 1, 10, 4, 4 * 3, 1},
		{"one by one", 12, 1, true, 1, 12, 3, 3 * 12, 0},
	} {
		m := newMeter(Options{Runs: 3, Share: c.share})
		m.neighbour.probe = alwaysIdle
		var seen calls
		if err := m.Time("step_a_us", seen.work(c.n, c.batch, c.between)); err != nil {
			t.Fatal(err)
		}
		if seen.begins != c.begins || seen.betweens != c.betweens || !slices.Equal(seen.numbers, upTo(c.made, 3+c.extra)) {
			t.Errorf("%s: %d begins, %d betweens, calls %v; want %d, %d, and %d calls in each of %d runs", c.what, seen.begins, seen.betweens, seen.numbers, c.begins, c.betweens, c.made, 3+c.extra)
		}
		for _, figure := range []string{"step_a_us", "step_a_us" + P99} {
			if v, ok := m.report.Figures[figure]; !ok || v < 0 {
				t.Errorf("%s: %s is %v, %v", c.what, figure, v, ok)
			}
		}
	}
}

// Figures by hand: the mean and the 99th percentile of calls, the median of runs, rounded to four
// decimals, in the unit that the name's end says.
func TestFiguresOfAMeterByHand(t *testing.T) {
	m := newMeter(Options{})
	var list []time.Duration
	for i := range 200 {
		list = append(list, time.Duration(200-i)*time.Microsecond)
	}
	m.setCalls("tick_us", list)
	m.setCalls("ray_ns", list)
	m.SetMedian("runs_us", []float64{9, 1, 5, 7, 3.00004})
	m.Set("share_percent", 1./3)
	want := map[string]float64{"tick_us": 100.5, "tick_us_p99": 199, "ray_ns": 100500, "ray_ns_p99": 199000, "runs_us": 5, "share_percent": .3333}
	for name, v := range want {
		if got := m.report.Figures[name]; got != v {
			t.Errorf("%s is %v, want %v", name, got, v)
		}
	}
	if m.Runs() != 3 || m.Shorten(time.Second) != time.Second {
		t.Errorf("by default %d runs and %v of a second, want 3 and all of it", m.Runs(), m.Shorten(time.Second))
	}
	half := newMeter(Options{Runs: 1, Share: .5})
	for n, few := range map[int]int{1: 1, 2: 2, 3: 2, 8: 4} {
		if got := half.Fewer(n); got != few {
			t.Errorf("half of %d are %d, want %d", n, got, few)
		}
	}
}

// Each figure has a name of its own that ends with its unit, a group, and a goal that is a multiple of a
// figure before it where it is one; the table shows three digits and the unit.
func TestEveryFigureHasAUnit(t *testing.T) {
	var before []string
	for _, f := range Figures {
		if slices.Contains(before, f.Name) {
			t.Errorf("%s is there twice", f.Name)
		}
		if f.Of != "" && !slices.Contains(before, f.Of) {
			t.Errorf("the goal of %s is a multiple of %s, which comes after it or never", f.Name, f.Of)
		}
		if unitName(f.Name) == "" && f.Name != "allocs_per_tick" || f.What == "" || f.Group == "" || f.Goal < 0 && f.Goal != NoGoal {
			t.Errorf("%+v has no unit, text, group or goal", f)
		}
		before = append(before, f.Name)
	}
	for _, c := range []struct {
		name string
		v    float64
		want string
	}{
		{"a_us", 0, "0 µs"}, {"a_us", 1.234, "1.23 µs"}, {"a_ns", 123.4, "123 ns"}, {"a_ns", 12345, "12345 ns"}, {"a_kBps", .01234, "0.0123 kB/s"}, {"a_percent", .5, "0.500 %"}, {"allocs", 2, "2.00"}, {"a_us", -1.5, "-1.50 µs"},
	} {
		if got := (&Figure{Name: c.name}).show(c.v); got != c.want {
			t.Errorf("%v of %s: got %q, want %q", c.v, c.name, got, c.want)
		}
	}
}

// Progress names each figure when its turn comes; without a listener nothing is called.
func TestProgressOfAMeter(t *testing.T) {
	var names []string
	m := newMeter(Options{Runs: 1, Progress: func(figure string) { names = append(names, figure) }})
	var seen calls
	for i := range 3 {
		if err := m.Time(fmt.Sprintf("f%d_ns", i), seen.work(1, 0, false)); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(names); got != "[f0_ns f1_ns f2_ns]" {
		t.Errorf("got %s, want each once and in order", got)
	}
	newMeter(Options{}).Progress("nobody listens")
}
