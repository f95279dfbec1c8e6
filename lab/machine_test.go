package lab

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/mem"
)

const ms = clock.Millisecond

// framesOf returns the true times of a machine's first frames.
func framesOf(l *machine, n int) (times []clock.Micros) {
	for range n {
		times = append(times, l.next)
		l.frame++
		l.schedule()
	}
	return times
}

// The frames of a clock that runs at double speed come twice as often, and an offset changes nothing
// but what the clock shows.
func TestFramesFollowTheClock(t *testing.T) {
	for _, c := range []struct {
		what   string
		player Player
		every  clock.Micros
	}{
		{"no rates", Player{}, 16667},
		{"50 Hz", Player{Frames: []float64{50}}, 20 * ms},
		{"50 Hz, a clock twice as fast", Player{Frames: []float64{50}, Rate: 2}, 10 * ms},
		{"50 Hz, an hour ahead", Player{Frames: []float64{50}, Offset: 3600 * clock.Second}, 20 * ms},
	} {
		l := newMachine(&c.player, 1, 0)
		l.begin(10 * clock.Second)
		times := framesOf(&l, 50)
		if times[0] < 10*clock.Second || times[0] >= 10*clock.Second+c.every+1 {
			t.Errorf("%s: the first frame is at %d, want within a frame of 10 s", c.what, times[0])
		}
		for i := range times[1:] {
			if d := times[i+1] - times[i]; d < c.every-1 || d > c.every+1 {
				t.Errorf("%s: frame %d comes after %d µs, want %d", c.what, i+1, d, c.every)
			}
		}
		rate := max(c.player.Rate, 0)
		if rate == 0 {
			rate = 1
		}
		if got, want := l.clock(clock.Second), clientEpoch+c.player.Offset+clock.Micros(rate*1e6); got != want {
			t.Errorf("%s: after a second the clock shows %d, want %d", c.what, got, want)
		}
	}
}

// Recorded frames are played at their times, and none after them.
func TestRecordedFramesAreAllThereAre(t *testing.T) {
	l := newMachine(&Player{}, 1, 0)
	l.times = []clock.Micros{5 * ms, 6 * ms, 100 * ms}
	l.begin(clock.Second)
	times := framesOf(&l, 4)
	if want := []clock.Micros{1005 * ms, 1006 * ms, 1100 * ms}; !slices.Equal(times[:3], want) {
		t.Errorf("got %v, want %v", times[:3], want)
	}
	if times[3] < clock.Micros(scenario.MaxTime) {
		t.Errorf("a frame after the last recorded one, at %d", times[3])
	}
	if got := timesOf(&scenario.Commands{Commands: []scenario.Command{{End: 0}, {End: 20 * ms}}}); !slices.Equal(got, []clock.Micros{0, 20*ms - recordedLead}) {
		t.Errorf("frames of commands that end at 0 and 20 ms: %v", got)
	}
	if timesOf(nil) != nil {
		t.Error("no recording has frames")
	}
}

// A fault lasts for its time: a frozen process, a page in the background with and without frames, a
// network that drops everything.
func TestFaultsLastForTheirTime(t *testing.T) {
	begin := 10 * clock.Second
	for _, c := range []struct {
		fault  scenario.Fault
		event  string
		frames int // of those every 10 ms in the next three seconds
	}{
		{scenario.Fault{Kind: "background", For: 2 * clock.Second, Frame: 4}, "hidden", 100 + 7},
		{scenario.Fault{Kind: "background", For: 2 * clock.Second}, "hidden", 100},
		{scenario.Fault{Kind: "freeze", For: 2 * clock.Second}, "frozen", 300}, // left out elsewhere: before packets are received
		{scenario.Fault{Kind: "partition", For: 2 * clock.Second}, "cut", 300},
	} {
		l := newMachine(&Player{}, 1, 0)
		if got := l.startFault(begin, &c.fault); got != c.event {
			t.Errorf("%+v: the event is %s, want %s", c.fault, got, c.event)
		}
		n := 0
		for at := begin; at < begin+3*clock.Second; at += 10 * ms {
			n += count(!l.skipsFrame(at))
		}
		if n != c.frames {
			t.Errorf("%+v: %d frames, want %d", c.fault, n, c.frames)
		}
		frozen := c.fault.Kind == "freeze"
		if (l.frozenFrom == begin && l.frozenUntil == begin+2*clock.Second) != frozen {
			t.Errorf("%+v: frozen from %d to %d", c.fault, l.frozenFrom, l.frozenUntil)
		}
		l.up.Send(std(begin+clock.Second), transport.Channel(0), []byte("one"))
		l.up.Send(std(begin+2*clock.Second+ms), transport.Channel(0), []byte("two"))
		arrived := len(l.up.Deliver(std(begin+3*clock.Second), nil))
		if want := 2 - count(c.fault.Kind == "partition"); arrived != want {
			t.Errorf("%+v: %d packets arrive, want %d", c.fault, arrived, want)
		}
	}
}

// What a command claims to have lasted: the truth, or what the cheat says, and next to nothing before
// time zero.
func TestClaimedDurations(t *testing.T) {
	burst := scenario.CheatParams{Rate: 3, Hold: 100 * ms, Every: clock.Second}
	for _, c := range []struct {
		what string
		r    controller
		want clock.Micros
	}{
		{"held", controller{held: true, cheat: "speed", cheatParams: scenario.CheatParams{Rate: 2}}, predict.TimeQuantum},
		{"honest", controller{cheat: "none"}, 10 * ms},
		{"speed", controller{cheat: "speed", cheatParams: scenario.CheatParams{Rate: 2}}, 20 * ms},
		{"slow", controller{cheat: "speed", cheatParams: scenario.CheatParams{Rate: 0.5}}, 5 * ms},
		{"in a burst", controller{cheat: "burst", cheatParams: burst, now: 2099 * ms}, 30 * ms},
		{"between bursts", controller{cheat: "burst", cheatParams: burst, now: 2100 * ms}, 10 * ms},
		{"recorded", controller{recording: &scenario.Commands{Commands: []scenario.Command{{Lasts: 7 * ms}}}}, 7 * ms},
	} {
		if got := c.r.lasted(10 * ms); got != c.want {
			t.Errorf("%s: got %d µs, want %d", c.what, got, c.want)
		}
	}
}

// The cheat withhold repeats its last honest acknowledgement for a part of each period.
func TestWithheldAcknowledgements(t *testing.T) {
	params := scenario.CheatParams{Hold: 150 * ms, Every: clock.Second}
	for _, cheat := range []string{"none", "withhold"} {
		r := &controller{cheat: cheat, cheatParams: params}
		for _, step := range []struct {
			now      clock.Micros
			newest   uint32
			withheld bool
		}{{0, 5, false}, {200 * ms, 6, false}, {1000 * ms, 7, true}, {1149 * ms, 8, true}, {1150 * ms, 9, false}, {2001 * ms, 10, true}} {
			before := r.acked
			r.now = step.now
			got, held := r.acknowledge(0, track.Received{Newest: step.newest}, 3*ms)
			want, wantHeld := track.Received{Newest: step.newest}, 3*ms
			if step.withheld && cheat == "withhold" {
				want, wantHeld = before, -1
			}
			if got != want || held != wantHeld {
				t.Errorf("%s at %d: got %+v, %d; want %+v, %d", cheat, step.now, got, held, want, wantHeld)
			}
		}
	}
}

// Every way to draw others that a file may name is a mode of its own.
func TestModesOfRemotes(t *testing.T) {
	seen := map[remote.Mode]string{}
	for _, word := range scenario.Remotes() {
		m := modeOf(word)
		if other, twice := seen[m]; twice {
			t.Errorf("%s and %s are one mode", word, other)
		}
		seen[m] = word
	}
	if seen[remote.Interpolate] != "interpolate" || seen[remote.Newest] != "none" {
		t.Errorf("got %v", seen)
	}
}

// Parallel begins every call once and in order, no more at a time than it may.
func TestParallelCallsEachOnce(t *testing.T) {
	for _, atOnce := range []int{0, 1, 3, 50} {
		const n = 40
		var mu sync.Mutex
		var order []int
		var running, most atomic.Int32
		err := Parallel(t.Context(), n, atOnce, func(i int) error {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			mu.Lock()
			defer mu.Unlock()
			order = append(order, i)
			return nil
		})
		if err != nil || len(order) != n {
			t.Errorf("%d at once: %d calls, %v; want %d", atOnce, len(order), err, n)
		}
		slices.Sort(order)
		for i, k := range order {
			if i != k {
				t.Fatalf("%d at once: call %d is missing or there twice", atOnce, i)
			}
		}
		if atOnce > 0 && int(most.Load()) > atOnce {
			t.Errorf("%d ran at once, want %d at most", most.Load(), atOnce)
		}
	}
}

// After an error no further call begins, and the first error is returned; an end of the context is
// ErrStopped.
func TestParallelEnds(t *testing.T) {
	broken := errors.New("broken")
	calls := 0
	err := Parallel(t.Context(), 10, 1, func(i int) error {
		if calls++; i == 3 {
			return broken
		}
		return nil
	})
	if err != broken || calls != 4 {
		t.Errorf("got %v after %d calls, want the error of the fourth", err, calls)
	}
	if err := Parallel(t.Context(), 0, 4, func(int) error { return broken }); err != nil {
		t.Errorf("of no calls: %v", err)
	}
}

// seedsOf returns runs with the values of one figure, and of one expectation about it.
func seedsOf(values ...float64) (runs []*seeded) {
	for i, v := range values {
		runs = append(runs, &seeded{uint64(i + 5), []Number{{"ann.up", v}}, []Checked{{Text: "ann.up < 4", Got: v, Held: v < 4}, {Text: "mean ann.up < 4", Got: v, Held: v < 4}}})
	}
	return runs
}

// Distributions by hand: ranges, expectations of each seed and of the mean, and the seeds that
// failed.
func TestDistributionsByHand(t *testing.T) {
	s := &scenario.Scenario{Name: "test", Duration: 1500 * ms, Players: []scenario.Player{{Name: "ann"}}, Server: scenario.Server{Tick: 30}, Expect: []scenario.Expectation{
		{Text: "ann.up < 4", Op: "<", Value: 4}, {Text: "mean ann.up < 4", Mean: true, Op: "<", Value: 4},
	}}
	d := distributions(s, seedsOf(1, 6, 2, 5, 3))
	if got, want := d.Figures["ann.up"], (Range{Min: 1, Median: 3, P95: 6, Max: 6, Mean: 3.4}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if d.Name != "test" || d.Duration != 1.5 || d.TickRate != 30 || !slices.Equal(d.Seeds, []uint64{5, 6, 7, 8, 9}) || !slices.Equal(d.Order, []string{"ann"}) {
		t.Errorf("got %+v", d)
	}
	if c := d.Expect[0]; c.Held || c.Mean || c.Got != 6 || !slices.Equal(c.Failed, []uint64{6, 8}) {
		t.Errorf("of each seed: %+v, want failures of 6 and 8, the first with 6", c)
	}
	if c := d.Expect[1]; !c.Held || !c.Mean || c.Got != 3.4 || c.Failed != nil {
		t.Errorf("of the mean: %+v, want 3.4 and held", c)
	}
	if d.Held() {
		t.Error("a failed expectation counts as held")
	}
	if none := distributions(s, nil); len(none.Seeds) != 0 || !none.Held() || len(none.Expect) != 2 {
		t.Errorf("of no runs: %+v", none)
	}
}

// Simulated time and its lead against a plain sum, for moves of any length at any time.
func TestTimeGainAgainstASum(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, 0))
	for range 50 {
		g := timeGain{first: 100, zero: clock.Second}
		now, sum, lead := clock.Second, clock.Micros(0), clock.Micros(0)
		g.add(100, 0, 5*ms, now)
		for n := uint32(101); n < 160; n++ {
			d := clock.Micros(r.IntN(40)) * ms
			now += clock.Micros(r.IntN(40)+1) * ms
			sum += d
			lead = max(lead, sum-(now-clock.Second))
			g.add(n, 0, d, now)
			g.add(50, 0, d, now) // a move from before the run
		}
		want := float64(sum)/float64(now-clock.Second) - 1
		if math.Abs(g.ratio()-want) > 1e-6 || g.most != lead {
			t.Fatalf("seed %d: ratio %v, lead %d; want %v, %d", seed, g.ratio(), g.most, want, lead)
		}
	}
}

// Different seeds, players and purposes draw differently.
func TestSeedsAreMixed(t *testing.T) {
	seen := map[uint64]bool{}
	for a := range uint64(60) {
		for b := range uint64(60) {
			x := mix(a, b)
			if seen[x] {
				t.Fatalf("mix(%d, %d) = %d came before", a, b, x)
			}
			seen[x] = true
		}
	}
	if mix(1, 2) == mix(2, 1) {
		t.Error("the order of the two does not matter")
	}
}

// Times of the network and of the match are the same to the microsecond.
func TestTimesOfTheNetwork(t *testing.T) {
	for _, at := range []clock.Micros{0, 1, 16667, 86_400 * clock.Second} {
		if got := micros(std(at)); got != at {
			t.Errorf("%d becomes %d", at, got)
		}
	}
	if got := micros(1999 * time.Nanosecond); got != 1 {
		t.Errorf("1.999 µs become %d", got)
	}
}

// A packet that the other end cannot read is a fault of the code: a panic, not a result.
func TestUnreadablePacketsPanic(t *testing.T) {
	defer func() {
		if got := recover(); got != "lab: one end cannot read a packet of the other: bits: short" {
			t.Errorf("got %v", got)
		}
	}()
	must(nil)
	must(errors.New("bits: short"))
}

// A machine on links that lose everything still plays its frames.
func TestAMachineWithoutNetwork(t *testing.T) {
	l := newMachine(&Player{Frames: []float64{100}, Network: mem.Network{Loss: 1}}, 2, 0)
	l.up.Send(0, transport.Channel(0), []byte("lost"))
	if got := l.up.Deliver(time.Minute, nil); len(got) != 0 {
		t.Errorf("%d packets arrive", len(got))
	}
	if times := framesOf(&l, 3); times[2]-times[0] != 20*ms {
		t.Errorf("frames at %v, want every 10 ms", times)
	}
}
