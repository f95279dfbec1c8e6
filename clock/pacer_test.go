package clock

import "testing"

// paced counts what a Pacer does, frame by frame.
type paced struct {
	t            *testing.T
	p            Pacer
	begun        bool
	first, last  Micros
	ticks, most  int // all, and most in a frame
	pauses       Micros
	lateByAtMost Micros
}

// frame asks for all ticks due at now: each is one tick after the one before,
// unless ticks were skipped, and none is ahead of the clock.
func (c *paced) frame(now Micros) {
	c.t.Helper()
	made := 0
	for skipped := c.p.Skipped(); ; skipped = c.p.Skipped() {
		stamp, ok := c.p.Due(now)
		if !c.begun {
			c.begun, c.first, c.last = true, stamp, stamp
		}
		if !ok {
			break
		}
		made++
		pause := stamp - c.last - c.p.Tick()
		if want := Micros(c.p.Skipped()-skipped) * c.p.Tick(); pause != want || stamp > now || stamp%40 != 0 {
			c.t.Fatalf("at %d: tick %d after %d with %d skipped", now, stamp, c.last, c.p.Skipped()-skipped)
		}
		c.pauses += pause
		c.lateByAtMost = max(c.lateByAtMost, now-stamp)
		c.last = stamp
	}
	c.ticks, c.most = c.ticks+made, max(c.most, made)
	if share := c.p.InterpolationAlpha(now); share < 0 || share > 1 || now >= c.last && now-c.last < c.p.Tick() &&
		share != float64(now-c.last)/float64(c.p.Tick()) {
		c.t.Fatalf("at %d: share %v, %d after a tick", now, share, now-c.last)
	}
}

func TestTicksAreRoundedToTheQuantum(t *testing.T) { // TIM-03
	for _, c := range []struct {
		rate        int
		grain, want Micros
	}{
		{60, 40, 16680}, {64, 40, 15640}, {30, 40, 33320}, {128, 40, 7800}, {50, 40, 20000},
		{20, 40, 50000}, {8, 40, 125000}, {60, 1, 16667}, {1000, 40, 1000},
	} {
		p := NewPacer(c.rate, c.grain)
		if p.Tick() != c.want {
			t.Errorf("%d a second on %d µs: %d, want %d", c.rate, c.grain, p.Tick(), c.want)
		}
	}
	for _, c := range [][2]int{{0, 40}, {-1, 40}, {60, 0}, {7, 40}, {100000, 40}} {
		if !panics(func() { NewPacer(c[0], Micros(c[1])) }) {
			t.Errorf("%d a second on %d µs: no panic", c[0], c[1])
		}
	}
}

func panics(f func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	f()
	return false
}

// A display of 144 Hz shows a game of 60 ticks a second: no frame or one has a
// tick, at most a frame late, and one of 20 Hz three.
func TestTicksUnderADisplay(t *testing.T) {
	for _, c := range []struct{ hz, most int }{{144, 1}, {60, 1}, {20, 3}} {
		w := paced{t: t, p: NewPacer(60, 40)}
		for n := range int64(60 * c.hz) {
			w.frame(777 + TickTime(n, c.hz))
		}
		want := int(60 * Second / w.p.Tick())
		if w.ticks < want-4 || w.ticks > want || w.most != c.most || w.p.Skipped() != 0 {
			t.Errorf("%d Hz: %d ticks, at most %d a frame, %d skipped; want %d, %d, none", c.hz, w.ticks, w.most, w.p.Skipped(), want, c.most)
		}
		if late := TickTime(1, c.hz); w.lateByAtMost > late+w.p.Tick()*Micros(c.most-1) {
			t.Errorf("%d Hz: a tick was %d µs late, want at most a frame of %d", c.hz, w.lateByAtMost, late)
		}
	}
}

// SND-09: no tick is skipped where frames last up to 125 ms, however they and the ticks meet.
func TestTicksUnderASlowDisplay(t *testing.T) {
	for _, rate := range []int{8, 20, 30, 60, 128, 500} {
		for _, hz := range []int{8, 9, 10, 11, 13, 17, 24} {
			w := paced{t: t, p: NewPacer(rate, 40)}
			for n := range int64(20 * hz) {
				w.frame(777 + TickTime(n, hz))
			}
			if want := int(w.last / w.p.Tick()); w.p.Skipped() != 0 || w.ticks < want-1 || w.ticks > want {
				t.Errorf("%d ticks, %d frames a second: %d ticks, %d skipped; want %d, none", rate, hz, w.ticks, w.p.Skipped(), want)
			}
		}
	}
}

// GAP-07, TIM-03: two hours under a clock that runs ±500 ppm wrong and is slewed:
// ticks last equally long all the time, and the newest is within a tick and 2 ms of
// the server's time at the end as at the beginning.
func TestTicksKeepStepForTwoHours(t *testing.T) {
	for _, rate := range []float64{-500, 500} {
		w, c := newLink(13), paced{t: t, p: NewPacer(60, 40)}
		w.own = running(rate, 0)
		w.up, w.down = w.jittery(20*Millisecond, 5*Millisecond), w.jittery(20*Millisecond, 5*Millisecond)
		var most Micros
		w.play(0, 7200*Second, func(m, ahead Micros) {
			c.frame(m + ahead)
			if m > Second {
				most = max(most, magnitude(m-c.last))
			}
		})
		t.Logf("%v ppm: %d ticks, at most %.1f ms from the server's time", rate, c.ticks, ms(most))
		want := int((c.last - c.first) / c.p.Tick())
		if most > c.p.Tick()+2*Millisecond || c.ticks != want || c.p.Skipped() != 0 || c.most > 2 {
			t.Errorf("%v ppm: %d ticks, at most %.1f ms from the server's time, %d skipped; want %d, a tick, none", rate, c.ticks, ms(most), c.p.Skipped(), want)
		}
	}
}

// A clock that is slewed by 2 % makes ticks come 2 % earlier or later in real time;
// they last as long as ever.
func TestTicksWhileTheClockIsSlewed(t *testing.T) {
	for _, percent := range []Micros{-2, 0, 2} {
		c := paced{t: t, p: NewPacer(60, 40)}
		for local := Micros(0); local < 10*Second; local += 6944 {
			c.frame(local + local*percent/100)
		}
		want := int(10 * Second * (100 + percent) / 100 / c.p.Tick())
		if c.ticks < want-1 || c.ticks > want {
			t.Errorf("slewed by %d %%: %d ticks in 10 s, want %d", percent, c.ticks, want)
		}
	}
}

// A stall or a jump of up to 125 ms is made up for, in whole ticks; of a longer one's only so
// many are made, and the stamps pause.
func TestTicksAfterAStall(t *testing.T) {
	for _, c := range []struct {
		stall         Micros
		made, skipped int
	}{
		{16680, 1, 0}, {125 * Millisecond, 7, 0}, {125*Millisecond + 40, 7, 0}, {Second, 8, 51}, {3600 * Second, 8, 215819},
	} {
		w := paced{t: t, p: NewPacer(60, 40)}
		w.frame(1e12)
		w.frame(1e12 + c.stall)
		if w.ticks != c.made || w.p.Skipped() != c.skipped || w.pauses != Micros(c.skipped)*w.p.Tick() {
			t.Errorf("stalled for %d: %d ticks, %d skipped, %d µs paused; want %d and %d", c.stall, w.ticks, w.p.Skipped(), w.pauses, c.made, c.skipped)
		}
		if _, ok := w.p.Due(1e12 + c.stall); ok {
			t.Errorf("stalled for %d: one more is due", c.stall)
		}
	}
}

// A clock that jumps back by a second: no tick until it is past the newest again,
// and drawing rests.
func TestTicksAfterAJumpBack(t *testing.T) {
	w := paced{t: t, p: NewPacer(60, 40)}
	for now := 10 * Second; now < 12*Second; now += 6944 {
		w.frame(now)
	}
	before := w.ticks
	for now := 11 * Second; now < w.last+w.p.Tick(); now += 6944 {
		w.frame(now)
		if now < w.last && w.p.InterpolationAlpha(now) != 0 {
			t.Fatalf("at %d: share %v, want 0", now, w.p.InterpolationAlpha(now))
		}
	}
	if w.ticks != before {
		t.Errorf("%d ticks in time that was lived already", w.ticks-before)
	}
	w.frame(w.last + w.p.Tick())
	if w.ticks != before+1 {
		t.Errorf("%d ticks after that, want 1", w.ticks-before)
	}
}

func TestPacerAllocatesNothing(t *testing.T) {
	p := NewPacer(60, 40)
	now := Micros(0)
	if n := testing.AllocsPerRun(1000, func() {
		now += 6944
		for _, ok := p.Due(now); ok; _, ok = p.Due(now) {
		}
		p.InterpolationAlpha(now)
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func BenchmarkPacerFrame(b *testing.B) {
	p := NewPacer(60, 40)
	now := Micros(0)
	for b.Loop() {
		now += 6944
		for _, ok := p.Due(now); ok; _, ok = p.Due(now) {
		}
		p.InterpolationAlpha(now)
	}
}
