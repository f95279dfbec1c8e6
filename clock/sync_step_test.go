package clock

import (
	"testing"

	"github.com/backstep-net/backstep/internal/figures"
)

// at returns a function of true time that is before until when, and then after.
func at(when Micros, before, after func(Micros) Micros) func(Micros) Micros {
	return func(m Micros) Micros {
		if m < when {
			return before(m)
		}
		return after(m)
	}
}

// One way grows or shrinks by 200 ms for good, or gives to the other: neither end can
// tell this from clocks that are off by half of it, so that much error there may be
// while it lasts, never more, and time does not jump. A path that gets better is
// believed at once, one that gets worse only once what was known before is stale.
// What changes by more than 250 ms is followed by 1 ms a second from there on.
func TestPathsThatChangeForGood(t *testing.T) {
	const change, s, l = 60 * Second, 30 * Millisecond, 230 * Millisecond
	for _, c := range []struct {
		name                   string
		up1, up2, down1, down2 Micros
		soon, late             Micros // how far Now is ahead after 30 s and after 240 s
	}{
		{"up +200 ms", s, l, s, s, 0, 100 * Millisecond},
		{"down +200 ms", s, s, s, l, 0, -100 * Millisecond},
		{"up −200 ms", l, s, s, s, 0, 0},
		{"down −200 ms", s, s, l, s, 0, 0},
		{"both +200 ms", s, l, s, l, 0, 0},
		{"both −200 ms", l, s, l, s, 0, 0},
		{"200 ms from up to down", l, s, s, l, -100 * Millisecond, -100 * Millisecond},
	} {
		w := newLink(8)
		w.own = running(200, 0)
		w.up, w.down = at(change, constant(c.up1), constant(c.up2)), at(change, constant(c.down1), constant(c.down2))
		var most, soon, late Micros
		w.play(0, change+240*Second, func(m, ahead Micros) {
			most, late = max(most, magnitude(ahead)), ahead
			if m < change+30*Second {
				soon = ahead
			}
		})
		t.Logf("%s: worst %.1f ms, %.1f after 30 s, %.1f after 240 s; drift %.0f ppm", c.name, ms(most), ms(soon), ms(late), w.s.Drift())
		if most > 102*Millisecond || magnitude(soon-c.soon) > 2*Millisecond || magnitude(late-c.late) > 2*Millisecond || w.s.Jumps() != 0 {
			t.Errorf("%s: worst %.1f ms, %.1f ms after 30 s, %.1f ms after 240 s, %d jumps; want < 102, %.0f, %.0f, none",
				c.name, ms(most), ms(soon), ms(late), w.s.Jumps(), ms(c.soon), ms(c.late))
		}
		if d := w.s.Drift(); d < -250 || d > -150 {
			t.Errorf("%s: drift %.0f ppm, want −200 ± 50", c.name, d)
		}
	}
}

// What the server calls lead, a move's stamp less its arrival and half the least
// round trip there ever was, stays far below its slack of 250 ms for an honest client while a
// buffer on its way fills by up to a second for a minute and empties again: the
// path got longer, the clocks did not change. [TIM-12]
func TestAFullBufferIsNoFasterClock(t *testing.T) {
	for _, full := range []Micros{200 * Millisecond, Second} {
		for _, way := range []string{"up", "down", "both"} {
			for seed := range uint64(3) {
				w := newLink(seed)
				w.own = running(100, 0)
				bloat := func(named string, plain func(Micros) Micros) func(Micros) Micros {
					return func(m Micros) Micros {
						if (way == named || way == "both") && m > 60*Second && m < 120*Second {
							return plain(m) + min(full, (m-60*Second)/2, (120*Second-m)*2)
						}
						return plain(m)
					}
				}
				w.up = bloat("up", w.jittery(30*Millisecond, 10*Millisecond))
				w.down = bloat("down", w.jittery(30*Millisecond, 10*Millisecond))
				lead, most := -Second, Micros(0)
				w.play(0, 150*Second, func(m, ahead Micros) {
					if m > Second {
						lead, most = max(lead, ahead-w.up(m)+30*Millisecond), max(most, magnitude(ahead))
					}
				})
				if seed == 0 {
					t.Logf("%s by %.0f ms: worst %.1f ms, lead at most %.1f ms", way, ms(full), ms(most), ms(lead))
				}
				if lead > 60*Millisecond || most > 60*Millisecond || w.s.Jumps() != 0 {
					t.Errorf("seed %d, %s by %.0f ms: worst %.1f ms, lead %.1f ms, %d jumps; want < 60, < 60, none", seed, way, ms(full), ms(most), ms(lead), w.s.Jumps())
				}
			}
		}
	}
}

// What must never look like a fast clock: ±500 ppm, 30 ms of jitter, 30 % loss, a
// network that holds everything for 5 s now and then, a page in the background that
// hears its echoes up to a second late. In ten hours no stamp leads by a tenth of
// the slack of 250 ms. [TIM-12]
func TestHonestClientsDoNotLead(t *testing.T) {
	for seed := range uint64(10) {
		w := newLink(seed)
		w.own, w.loss = running(float64(seed%3)*500-500, 1e12), 0.3
		up := w.jittery(40*Millisecond, 30*Millisecond)
		w.up = up
		down := w.jittery(40*Millisecond, 30*Millisecond)
		w.down = func(m Micros) Micros {
			switch m / Second % 120 {
			case 50, 51, 52, 53, 54: // held
				return 55*Second - m%(120*Second) + 40*Millisecond
			case 80, 81, 82, 83, 84, 85, 86, 87, 88, 89: // heard late
				return down(m) + Second - m%Second
			}
			return down(m)
		}
		lead, most := -Second, Micros(0)
		w.play(0, 3600*Second, func(m, ahead Micros) {
			if m > Second {
				lead, most = max(lead, ahead-w.up(m)+40*Millisecond), max(most, magnitude(ahead))
			}
		})
		if seed < 3 {
			t.Logf("seed %d: worst %.1f ms, lead at most %.1f ms, drift %.0f ppm", seed, ms(most), ms(lead), w.s.Drift())
		}
		if lead > 25*Millisecond || w.s.Jumps() != 0 {
			t.Errorf("seed %d: lead %.1f ms, worst %.1f ms, %d jumps; want < 25 and none", seed, ms(lead), ms(most), w.s.Jumps())
		}
	}
}

// A first echo that a slow start held up for 400 ms one way: what it was wrong by
// is slewed in full, at 2 %, as soon as better ones say so.
func TestAFirstEchoThatWasLate(t *testing.T) {
	w := newLink(9)
	w.down = at(40*Millisecond, constant(420*Millisecond), constant(20*Millisecond))
	w.dead = func(m Micros) bool { return m > 20*Millisecond && m < 500*Millisecond }
	var most, late Micros
	w.play(0, 13*Second, func(m, ahead Micros) {
		most = max(most, magnitude(ahead))
		late = ahead
	})
	if most < 190*Millisecond || magnitude(late) > Millisecond || w.s.Jumps() != 0 {
		t.Errorf("worst %.1f ms, at the end %.1f, %d jumps; want about 200, < 1, none", ms(most), ms(late), w.s.Jumps())
	}
}

// A network that stalls for 5 s and then delivers everything at one instant does
// not move the clock, nor does one where half of it was held up.
func TestAStallWithABurstOfEchoes(t *testing.T) {
	for seed := range uint64(5) {
		w := newLink(seed)
		w.own = running(300, 7)
		w.up = w.jittery(30*Millisecond, 10*Millisecond)
		down := w.jittery(30*Millisecond, 10*Millisecond)
		w.down = func(m Micros) Micros {
			if m > 40*Second && m < 45*Second {
				return 45*Second - m + 30*Millisecond
			}
			return down(m)
		}
		var most Micros
		w.play(0, 60*Second, worst(&most, 20*Second))
		if most > 4*Millisecond || w.s.Jumps() != 0 {
			t.Errorf("seed %d: worst %.1f ms, %d jumps; want < 4 and none", seed, ms(most), w.s.Jumps())
		}
	}
}

// The server starts its match over: three echoes later Now is the new match's,
// without a word of the old one's offset, after one jump.
func TestAServerThatStartsOver(t *testing.T) {
	w := newLink(10)
	w.own = running(-100, 0)
	const restart = 30 * Second
	w.match = at(restart, running(0, 500*Second), running(0, -restart))
	wrong, most := Micros(0), Micros(0)
	w.play(0, restart+30*Second, func(m, ahead Micros) {
		switch {
		case m > restart && magnitude(ahead) > 10*Millisecond:
			wrong = m - restart
		case m > restart+Second:
			most = max(most, magnitude(ahead))
		}
	})
	t.Logf("right after %.0f ms, then within %d µs, jitter %.1f ms", ms(wrong), most, ms(w.s.Jitter()))
	if wrong > 300*Millisecond || most > 700 || w.s.Jumps() != 1 || w.s.Jitter() > Millisecond {
		t.Errorf("wrong for %.0f ms, then worst %.1f ms, %d jumps, jitter %.1f ms; want < 300, < 0.7, 1, < 1", ms(wrong), ms(most), w.s.Jumps(), ms(w.s.Jitter()))
	}
}

// THR-30: a laptop sleeps for an hour. Whether its clock ran on or stood still,
// Now is right again within a second of the first echo.
func TestALaptopThatSlept(t *testing.T) {
	const sleep, wake = 60 * Second, 3660 * Second
	asleep := func(m Micros) bool { return m > sleep-30*Millisecond && m < wake }
	var worst Micros
	for _, c := range []struct {
		name  string
		own   func(Micros) Micros
		jumps int
	}{
		{"its clock ran on", running(500, 0), 0},
		{"its clock stood still", at(sleep, running(-500, 0), at(wake, constant(sleep), running(-500, sleep-wake))), 1},
	} {
		w := newLink(11)
		w.own, w.dead = c.own, asleep
		var wrong Micros
		w.play(0, wake+20*Second, func(m, ahead Micros) {
			if m > wake && magnitude(ahead) > 5*Millisecond {
				wrong = m - wake
			}
		})
		if wrong > Second || w.s.Jumps() != c.jumps {
			t.Errorf("%s: wrong for %.0f ms with %d jumps, want < 1000 and %d", c.name, ms(wrong), w.s.Jumps(), c.jumps)
		}
		worst = max(worst, wrong)
	}
	figures.Check(t, "right", 0, "right again after %.0f ms at most", ms(worst))
}

// The client's own clock is set, back or forward: once three echoes agree Now jumps
// to what is right; what it is off by less than can be told is slewed.
func TestAClockThatIsSet(t *testing.T) {
	for _, c := range []struct {
		by    Micros
		jumps int
		most  Micros // how long it is wrong by more than 5 ms
	}{
		{-3600 * Second, 1, 400 * Millisecond},
		{-10 * Second, 1, 400 * Millisecond},
		{-Second, 1, 400 * Millisecond},
		{Second, 1, 400 * Millisecond},
		{3600 * Second, 1, 400 * Millisecond},
		{-80 * Millisecond, 0, 12 * Second},
		{80 * Millisecond, 0, 12 * Second},
	} {
		w := newLink(12)
		w.own = at(30*Second, running(50, 7200*Second), running(50, 7200*Second+c.by))
		wrong := Micros(0)
		w.play(0, 60*Second, func(m, ahead Micros) {
			if m > 30*Second && magnitude(ahead) > 5*Millisecond {
				wrong = m - 30*Second
			}
		})
		t.Logf("set by %.2f s: wrong for %.0f ms, %d jumps", c.by.Seconds(), ms(wrong), w.s.Jumps())
		if wrong > c.most || w.s.Jumps() != c.jumps {
			t.Errorf("set by %.2f s: wrong for %.0f ms with %d jumps, want < %.0f and %d", c.by.Seconds(), ms(wrong), w.s.Jumps(), ms(c.most), c.jumps)
		}
	}
}

// One or two echoes that contradict all others, such as stragglers of a match that
// is over, move nothing.
func TestEchoesThatContradictAreNotBelievedAtOnce(t *testing.T) {
	var s Sync
	for m := Micros(0); m < 20*Second; m += 50 * Millisecond {
		s.Sample(m, m+40*Millisecond, m+20*Millisecond, 0)
		if m%Second == 0 && m > 0 {
			s.Sample(m, m+40*Millisecond, m+9*Second, 0)
			s.Sample(m, m+40*Millisecond, m+9*Second, 0)
		}
		if got := s.Now(m + 40*Millisecond); got != m+40*Millisecond {
			t.Fatalf("at %d: now %d", m, got)
		}
	}
	if s.Jumps() != 0 {
		t.Errorf("%d jumps, want none", s.Jumps())
	}
}

// Whatever echoes come, in any order and with clocks set at will, Now runs on:
// backwards only where a jump was counted; otherwise at most 3.5 % faster or slower than the own clock: MaxDrift and half of
// what is slewed.
func FuzzSync(f *testing.F) {
	f.Add([]byte("a few bytes of a clock that is set and a path that changes"))
	f.Add([]byte{0, 0, 0, 255, 255, 255, 1, 2, 3, 128, 128, 128, 64, 0, 64})
	f.Fuzz(func(t *testing.T, b []byte) {
		var s Sync
		local, match := Micros(1e12), Micros(7)
		for ; len(b) >= 3; b = b[3:] {
			pass := Micros(b[0]) * 1000
			local, match = local+pass, match+pass+Micros(int8(b[1]))*(1<<(b[1]%20))
			before, jumps := s.Now(local), s.Jumps()
			rtt := Micros(b[2]) * 4000
			s.Sample(local-rtt, local, match, rtt*Micros(b[1]&3)/4)
			if now := s.Now(local); s.Jumps() == jumps && before != 0 && now != before {
				t.Fatalf("a sample moved now from %d to %d", before, now)
			}
			a, z := s.Now(local), s.Now(local+Second)
			if s.Synced() && (z-a < 964_999 || z-a > 1_035_001) && a > 0 {
				t.Fatalf("a second lasts %d", z-a)
			}
			if d := s.Drift(); d < -driftMaxSlope || d > driftMaxSlope || d != d {
				t.Fatalf("drift %v", d)
			}
			local += Second
			match += Second
		}
	})
}
