package clock

import (
	"math"
	"math/rand/v2"
	"slices"
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

// path is a simulated way to a server and back: 50 ms and a one-sided jitter each
// way, and an own clock that is off and runs wrong.
type path struct {
	r      *rand.Rand
	ppm    float64
	start  Micros
	jitter float64
	loss   float64
}

// local returns the own clock's reading at true match time m.
func (p *path) local(m Micros) Micros {
	return p.start + m + Micros(math.Round(float64(m)*p.ppm/1e6))
}

func (p *path) delay() Micros { return 50*Millisecond + Micros(p.r.Float64()*p.jitter) }

type echo struct{ sent, server, hold, arrives Micros }

// 100 ms round trip, 30 ms of jitter each way, 5 % loss, ±500 ppm: after 3 s the
// error stays within 16 ms and its mean within 6 ms.
func TestSyncOverAJitteryPath(t *testing.T) {
	for seed := range uint64(20) {
		for _, ppm := range []float64{-500, 0, 500} {
			p := &path{rand.New(rand.NewPCG(seed, 7)), ppm, 1e9, 30e3, 0.05}
			worst, mean, steady := p.run(t, 20*Second)
			if seed < 2 || worst > 16e3 || mean > 6e3 {
				t.Logf("seed %d, %v ppm: worst %.1f ms, mean %.2f ms, slope within %.2f %%", seed, ppm, worst/1e3, mean/1e3, steady)
			}
			if worst > 16e3 || mean > 6e3 {
				t.Errorf("seed %d, %v ppm: worst %.1f ms, mean %.2f ms, want < 16 and < 6", seed, ppm, worst/1e3, mean/1e3)
			}
		}
	}
}

// run returns the worst and the mean error after 3 s in µs, and the worst change
// of speed in per cent.
func (p *path) run(t *testing.T, long Micros) (worst, mean, steady float64) {
	var s Sync
	var inFlight []echo
	var lastNow, lastLocal Micros
	n := 0
	for m := Micros(0); m < long; m += 1667 {
		local := p.local(m)
		if m%(1667*30) == 0 && p.r.Float64() >= p.loss {
			at, hold := m+p.delay(), Micros(p.r.IntN(16000))
			inFlight = append(inFlight, echo{local, at + hold, hold, at + hold + p.delay()})
		}
		for i := 0; i < len(inFlight); i++ {
			if e := inFlight[i]; e.arrives <= m {
				s.Sample(e.sent, p.local(e.arrives), e.server, e.hold)
				inFlight = append(inFlight[:i], inFlight[i+1:]...)
				i--
			}
		}
		now := s.Now(local)
		if s.Synced() && lastNow > 0 {
			d, dl := float64(now-lastNow), float64(local-lastLocal)
			steady = max(steady, 100*(math.Abs(d-dl)-1)/dl)
			if steady > 2 || now < lastNow {
				t.Fatalf("at %d: now went from %d to %d in %v µs", m, lastNow, now, dl)
			}
		}
		if lastNow, lastLocal = now, local; !s.Synced() {
			lastNow = 0
		}
		if m > 3*Second {
			e := math.Abs(float64(now - m))
			worst, mean = max(worst, e), mean+e
			n++
		}
	}
	if s.Jumps() != 0 {
		t.Errorf("%d jumps, want none", s.Jumps())
	}
	return worst, mean / float64(n), steady
}

// Without jitter the estimate is exact, the round trip too, and time flows at
// exactly the own clock's pace.
func TestSyncOnAQuietPath(t *testing.T) {
	var s Sync
	if s.Synced() || s.Now(5) != 0 {
		t.Errorf("before the first sample: synced %v, now %d", s.Synced(), s.Now(5))
	}
	for m := Micros(0); m < 5*Second; m += 50 * Millisecond {
		s.Sample(1000+m, 1000+m+100*Millisecond+7, m+50*Millisecond+7, 7)
		if got, want := s.Now(1000+m+100*Millisecond+7), m+100*Millisecond+7; got != want {
			t.Fatalf("at %d: got %d want %d", m, got, want)
		}
	}
	if s.RTT() != 100*Millisecond || s.MinRTT() != 100*Millisecond || s.Jitter() != 0 {
		t.Errorf("rtt %d, least %d, jitter %d, want 100 ms, 100 ms, 0", s.RTT(), s.MinRTT(), s.Jitter())
	}
}

// A network that stalls for 5 s and then delivers everything does not move the
// clock; a server whose match starts over does, once, and is counted.
func TestSyncStallsAndSteps(t *testing.T) {
	var s Sync
	for m := Micros(0); m < 3*Second; m += 50 * Millisecond {
		s.Sample(m, m+40*Millisecond, m+20*Millisecond, 0)
	}
	for m := 3 * Second; m < 8*Second; m += 50 * Millisecond {
		s.Sample(m, 8*Second, m+20*Millisecond, 0)
	}
	if e := s.Now(8*Second) - 8*Second; e > Millisecond || e < -Millisecond || s.Jumps() != 0 {
		t.Errorf("after a stall: error %d µs and %d jumps, want within 1 ms and none", e, s.Jumps())
	}
	for m := 8 * Second; m < 9*Second; m += 50 * Millisecond {
		s.Sample(m, m+40*Millisecond, m+20*Millisecond-7*Second, 0)
	}
	if got := s.Now(9 * Second); got != 2*Second || s.Jumps() != 1 {
		t.Errorf("after a new match: now %d with %d jumps, want 2 s and 1", got, s.Jumps())
	}
}

func TestSyncIgnoresWhatCannotBe(t *testing.T) {
	var s Sync
	s.Sample(10, 5, 100, 0)
	s.Sample(0, 10, 100, 11)
	s.Sample(0, 10, 100, -1)
	s.Sample(0, 11*Second, 100, 0)
	s.Sample(0, 10, -1, 0)
	if s.Synced() || s.Ignored() != 5 {
		t.Errorf("synced %v, ignored %d, want false and 5", s.Synced(), s.Ignored())
	}
}

// PRF-12: moves that arrive in bursts, with 30 ms of jitter, at 60 and 144 a
// second, with a clock off by 500 ppm: mapped stamps differ by the durations ±2 %,
// increase, and are never later than the arrival.
func TestMappingTakesOutBursts(t *testing.T) {
	for _, d := range []Micros{16667, 6944} {
		for _, ppm := range []Micros{-500, 0, 500} {
			for seed := range uint64(20) {
				worst, delay := mapBursts(t, seed, d, ppm)
				if seed == 0 {
					t.Logf("%d µs moves, %d ppm: durations within %.2f %%, at most %d µs behind the least delay", d, ppm, worst, delay)
				}
				if worst > 2.01 {
					t.Errorf("seed %d, %d µs moves, %d ppm: durations within %.2f %%, want 2 %%", seed, d, ppm, worst)
				}
			}
		}
	}
}

// mapBursts sends two moves a packet, each packet carrying the moves of the eight
// before it too, so a move arrives with the first packet that has it.
func mapBursts(t *testing.T, seed uint64, d, ppm Micros) (worst float64, behind Micros) {
	r := rand.New(rand.NewPCG(seed, 3))
	n := int(20 * Second / d / 2)
	packets := make([]Micros, n+8)
	for i := range packets {
		made := Micros(2*i+2) * d
		packets[i] = made + made*ppm/1e6 + 50*Millisecond + Micros(r.IntN(30000))
	}
	var m Mapping
	var last Micros
	for i := range 2 * n {
		stamp := Micros(i+1) * d
		arrived := slices.Min(packets[i/2 : i/2+8])
		got := m.Map(stamp, arrived)
		late := Micros(0)
		if stamp < 2*Second {
			late = 10
		}
		if got <= last || got > arrived+late {
			t.Fatalf("seed %d: stamp %d arrived %d maps to %d after %d", seed, stamp, arrived, got, last)
		}
		if stamp > 2*Second {
			worst = max(worst, 100*(math.Abs(float64(got-last-d))-1)/float64(d))
			behind = max(behind, stamp+stamp*ppm/1e6+50*Millisecond-got)
		}
		last = got
	}
	return worst, behind
}

// A network that stalls for 5 s delivers 5 s of moves at one instant: they map to
// when they were made.
func TestMappingThroughAStall(t *testing.T) {
	var m Mapping
	const d = 16667
	for stamp := Micros(d); stamp < 5*Second; stamp += d {
		m.Map(stamp, stamp+40*Millisecond)
	}
	for stamp := 5 * Second; stamp < 10*Second; stamp += d {
		m.Map(stamp, 10*Second+40*Millisecond)
	}
	got := m.Map(10*Second, 10*Second+40*Millisecond)
	if e := got - 10*Second - 37*Millisecond; e != 0 || m.Resets() != 0 {
		t.Errorf("after the stall off by %d µs with %d resets, want 0 and none", e, m.Resets())
	}
}

// Steps of the owner's clock start over: forward at once, backward after a second,
// and results still increase.
func TestMappingStepsOfTheClock(t *testing.T) {
	for _, step := range []Micros{400 * Millisecond, -400 * Millisecond, -200 * Millisecond} {
		var m Mapping
		var last Micros
		for now := Micros(0); now < 30*Second; now += 10 * Millisecond {
			stamp := now
			if now >= 4*Second {
				stamp += step
			}
			if got := m.Map(stamp, now+30*Millisecond); got < last || got > now+31*Millisecond {
				t.Fatalf("step %d at %d: %d after %d", step, now, got, last)
			} else {
				last = got
			}
		}
		if e := last - 30*Second - 18*Millisecond; e < -8*Millisecond || e > 3*Millisecond {
			t.Errorf("step %d: result off by %d µs at the end (%d resets)", step, e, m.Resets())
		}
	}
}

func TestNoAllocations(t *testing.T) {
	var s Sync
	var m Mapping
	now := Micros(0)
	if n := testing.AllocsPerRun(1000, func() {
		now += 10000
		s.Sample(now, now+40000, now+20000, 0)
		s.Now(now)
		m.Map(now, now+20000)
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func BenchmarkSyncSample(b *testing.B) {
	var s Sync
	now := Micros(0)
	for b.Loop() {
		now += 10000
		s.Sample(now, now+40000, now+20000, 0)
	}
}

func BenchmarkMap(b *testing.B) {
	var m Mapping
	now := Micros(0)
	for b.Loop() {
		now += 10000
		m.Map(now, now+20000)
	}
}
