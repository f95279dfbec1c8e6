package clock

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// noticed plays frames of 10 ms for long and returns when the notice was shown and
// hidden, in seconds.
func noticed(n *PingNotice, long Micros, ping func(now Micros) Micros) (events []string) {
	const start = 1e12 // GAP-07: any instant will do
	for now := Micros(0); now < long; now += 10 * Millisecond {
		if n.Update(start+now, ping(now)) {
			word := "hidden"
			if n.Shown() {
				word = "shown"
			}
			events = append(events, fmt.Sprintf("%s %v", word, now.Seconds()))
		}
	}
	return events
}

// LAG-02 with its own figures, GAP-51 (hidden or shown, and told once), GAP-37
// (one unit: 250 is 250 ms and not seconds). [GAP-07]
func TestPingNotice(t *testing.T) {
	const high = 250 * Millisecond
	row := PingNotice{Interval: 20 * Second, Threshold: 200 * Millisecond, Duration: 5 * Second}
	for _, c := range []struct {
		what   string
		notice PingNotice
		ping   func(now Micros) Micros
		want   []string
	}{
		{"ping 250", row, constant(high), []string{"shown 20", "hidden 25", "shown 40", "hidden 45"}},
		{"ping 250, values of zero", PingNotice{}, constant(high), []string{"shown 20", "hidden 25", "shown 40", "hidden 45"}},
		{"exactly 200", row, constant(200 * Millisecond), nil},
		{"a microsecond more", row, constant(200*Millisecond + 1), []string{"shown 20", "hidden 25", "shown 40", "hidden 45"}},
		{"it falls while shown: the display period is kept", row, at(22*Second, constant(high), constant(0)), []string{"shown 20", "hidden 25"}},
		{"high between samples only", row, func(m Micros) Micros {
			if m%(20*Second) == 0 {
				return 0
			}
			return high
		}, nil},
		{"high once, at a sample", row, func(m Micros) Micros {
			if m == 40*Second {
				return high
			}
			return 0
		}, []string{"shown 40", "hidden 45"}},
		{"shown for longer than from sample to sample: the display starts over", PingNotice{Interval: 20 * Second, Threshold: 200 * Millisecond, Duration: 25 * Second},
			at(30*Second, constant(high), constant(0)), []string{"shown 20", "hidden 45"}},
		{"and stays while the ping is high", PingNotice{Interval: 20 * Second, Duration: 20 * Second}, constant(high), []string{"shown 20"}},
		{"a first sample after 2 s", PingNotice{FirstDelay: 2 * Second}, constant(high), []string{"shown 2", "hidden 7", "shown 22", "hidden 27", "shown 42", "hidden 47"}},
	} {
		n := c.notice
		if got := noticed(&n, 59*Second, c.ping); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// A page that was in the background for minutes takes one sample when it comes
// back and hides what is over; the beat stays. [LAG-02, GAP-51]
func TestPingNoticeAfterAGap(t *testing.T) {
	var n PingNotice
	n.Update(0, 0)
	for _, c := range []struct {
		now, ping Micros
		shown     bool
	}{
		{20, 250, true}, {330, 10, false}, {331, 250, false}, {340, 250, true}, {900, 250, true}, {906, 250, false}, {919, 250, false}, {920, 250, true},
	} {
		n.Update(c.now*Second, c.ping*Millisecond)
		if n.Shown() != c.shown {
			t.Errorf("at %d s, ping %d ms: shown %v, want %v", c.now, c.ping, n.Shown(), c.shown)
		}
	}
}

func TestPingNoticeAllocatesNothing(t *testing.T) {
	var n PingNotice
	now := Micros(0)
	if a := testing.AllocsPerRun(1000, func() {
		now += Second
		n.Update(now, Second)
	}); a != 0 {
		t.Errorf("%v allocations, want 0", a)
	}
}

func BenchmarkPingNotice(b *testing.B) {
	var n PingNotice
	now := Micros(0)
	for b.Loop() {
		now += 10 * Millisecond
		n.Update(now, 250*Millisecond)
	}
}

// TIM-15: up to 1 % off there is no notice, beyond it there is one, with the rate; and
// again where the clock was right in between.
func TestTheNoticeOfAClockThatIsOff(t *testing.T) {
	for _, c := range []struct {
		rate  float64
		width Micros
		want  float64 // percent; 0: not told
	}{
		{0.5, 3 * Millisecond, 0}, // which is no clock: Now jumps
		{0.95, 3 * Millisecond, -5.0}, {0.98, 3 * Millisecond, -2.0}, {0.985, 3 * Millisecond, -1.5},
		{0.98, 60 * Millisecond, -2.0}, {0.985, 60 * Millisecond, -1.5},
		{0.9902, 3 * Millisecond, 0}, {0.9902, 60 * Millisecond, 0}, {0.995, 60 * Millisecond, 0}, {1, 60 * Millisecond, 0},
		{1.005, 3 * Millisecond, 0}, {1.0098, 60 * Millisecond, 0},
		{1.015, 3 * Millisecond, 1.5}, {1.02, 60 * Millisecond, 2.0}, {1.05, 3 * Millisecond, 5.0}, {1.1, 3 * Millisecond, 10.0},
	} {
		for seed := range uint64(5) {
			w := newLink(seed)
			w.own, w.loss = running((c.rate-1)*1e6, 1e9), 0.1
			w.up, w.down = w.jittery(40*Millisecond, c.width), w.jittery(40*Millisecond, c.width)
			var n DriftNotice
			got, times, told := 0.0, 0, Micros(0)
			w.play(0, 120*Second, func(m, _ Micros) {
				if percent, tell := n.Update(&w.s); tell {
					got, times, told = percent, times+1, m
				}
			})
			if seed == 0 {
				t.Logf("%v× with %v ms of jitter: %.2f %% after %.1f s", c.rate, c.width/1000, got, told.Seconds())
			}
			if math.Abs(got-c.want) > 0.25 || times > 1 || told > 30*Second {
				t.Errorf("seed %d, %v× with %v ms of jitter: %.2f %% after %.1f s, %d times; want %v within 30, once", seed, c.rate, c.width/1000, got, told.Seconds(), times, c.want)
			}
		}
	}
}
