package host

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// loopsOf returns loops of matches at these rates, without a host.
func loopsOf(t *ticks, rates ...int) []*loop {
	var all []*loop
	for _, rate := range rates {
		all = append(all, newLoop(MatchConfig{Name: "test", TickRate: rate, Match: &ledger{}}, newDoor(Limits{}), t, new(drain), slog.New(slog.DiscardHandler)))
	}
	t.loops.Store(&all)
	return all
}

// Two matches of one rate that begin at any time, one of them from a checkpoint of long ago, tick at the same instants;
// match time is zero less than a tick after it was asked for.
func TestMatchesOfOneRateTickTogether(t *testing.T) {
	for _, rate := range []int{20, 60, 128} {
		ticks := newTicks(nil)
		two := loopsOf(ticks, rate, rate)
		period := time.Second / time.Duration(rate)
		for _, start := range []time.Duration{0, 1, 123456789, -98765432101, -1000 * time.Hour, 3 * time.Second} {
			at := ticks.align(ticks.epoch.Add(start), two[1]).Sub(ticks.epoch)
			if at < start || at-start > period+time.Microsecond {
				t.Errorf("rate %d: asked for %v, begins at %v", rate, start, at)
			}
			inSecond := (at%time.Second + time.Second) % time.Second
			if off := (inSecond + time.Microsecond) % period; off > 2*time.Microsecond*time.Duration(rate) {
				t.Errorf("rate %d: asked for %v, begins at %v, %v beside the ticks of the other", rate, start, at, off)
			}
		}
	}
}

// Many matches are spread over phases of a tick, few are not.
func TestPhases(t *testing.T) {
	for _, c := range []struct{ matches, processors, want int }{{1, 2, 1}, {4, 2, 1}, {5, 2, 2}, {50, 2, 8}, {50, 16, 2}, {1, 1, 1}} {
		if got := phasesOf(c.matches, c.processors); got != c.want {
			t.Errorf("%d matches on %d processors: %d phases, want %d", c.matches, c.processors, got, c.want)
		}
	}
}

// The socket is read shortly before the next tick of any match that has connections; if none has any, whenever a packet
// arrives.
func TestWhenTheSocketIsRead(t *testing.T) {
	ticks := newTicks(nil)
	l := loopsOf(ticks, 50, 20)
	at := func(d time.Duration) time.Time { return ticks.epoch.Add(d) }
	now := at(time.Second)
	if got := ticks.nextRead(now); !got.IsZero() {
		t.Errorf("nobody is connected: %v, want zero", got)
	}
	l[1].dueIn.Store(int64(1050 * time.Millisecond))
	if got, want := ticks.nextRead(now), at(1049*time.Millisecond); !got.Equal(want) {
		t.Errorf("one match: %v, want %v", got.Sub(ticks.epoch), want.Sub(ticks.epoch))
	}
	l[0].dueIn.Store(int64(1020 * time.Millisecond))
	if got, want := ticks.nextRead(now), at(1019*time.Millisecond); !got.Equal(want) {
		t.Errorf("two matches: %v, want %v", got.Sub(ticks.epoch), want.Sub(ticks.epoch))
	}
	if got, want := ticks.nextRead(at(1019*time.Millisecond)), at(1039*time.Millisecond); !got.Equal(want) {
		t.Errorf("the socket was read before this tick: %v, want %v", got.Sub(ticks.epoch), want.Sub(ticks.epoch))
	}
	if got, want := ticks.nextRead(at(time.Hour+5*time.Millisecond)), at(time.Hour+19*time.Millisecond); !got.Equal(want) {
		t.Errorf("a match that has hung for an hour: %v, want %v", got.Sub(ticks.epoch), want.Sub(ticks.epoch))
	}
}

// Without a timer of the kernel rest sleeps too, and no longer than it is allowed to.
func TestRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticks := newTicks(nil)
		l := loopsOf(ticks, 50)
		if ticks.rest(time.Second) {
			t.Error("it sleeps though nobody is connected")
		}
		l[0].dueIn.Store(int64(20 * time.Millisecond))
		for _, c := range []struct{ atMost, until time.Duration }{{time.Millisecond, time.Millisecond}, {time.Second, 19 * time.Millisecond}, {time.Second, 39 * time.Millisecond}} {
			if !ticks.rest(c.atMost) || time.Since(ticks.epoch) != c.until {
				t.Errorf("it sleeps until %v, want %v", time.Since(ticks.epoch), c.until)
			}
		}
	})
}

// Timers of one alarm ring once each, whatever the order in which they were set, and not before their instants.
// One that is set again rings at its new instant alone.
func TestAlarm(t *testing.T) {
	a := newAlarm()
	if a == nil {
		t.Skip("this system has no such timer")
	}
	ended := make(chan struct{})
	go func() { a.run(); close(ended) }()
	begin := time.Now()
	var timers []*timer
	for _, ms := range []int{30, 10, 20, 10} {
		timers = append(timers, a.timer())
		timers[len(timers)-1].reset(begin.Add(time.Duration(ms) * time.Millisecond))
	}
	again := a.timer()
	again.reset(begin.Add(5 * time.Millisecond))
	again.reset(begin.Add(40 * time.Millisecond))
	for _, c := range []struct {
		t  *timer
		ms int
	}{{timers[1], 10}, {timers[3], 10}, {timers[2], 20}, {timers[0], 30}, {again, 40}} {
		if at := <-c.t.c; at.Before(begin.Add(time.Duration(c.ms) * time.Millisecond)) {
			t.Errorf("the timer of %d ms rang after %v", c.ms, at.Sub(begin))
		}
	}
	select {
	case <-again.c:
		t.Error("the timer that was set again rang twice")
	default:
	}
	a.close()
	<-ended
}

// A server whose ticks take longer than their interval says every ten seconds that it cannot keep its tick rate. One
// that keeps it does not, nor does one that stood still for a second. [THR-29]
func TestALateServerSaysSo(t *testing.T) {
	for _, c := range []struct {
		situation string
		takes     func(tick int) time.Duration
		warnings  int // in 35 s
	}{
		{"each tick takes a quarter longer than its interval, so the next begins late", func(int) time.Duration { return 26 * time.Millisecond }, 3},
		{"each tick takes nine tenths of its interval", func(int) time.Duration { return 18 * time.Millisecond }, 0},
		{"one tick in ten seconds takes a second", func(n int) time.Duration {
			if n%450 == 300 {
				return time.Second
			}
			return time.Millisecond
		}, 0},
	} {
		t.Run(c.situation, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				ticks := newTicks(nil)
				ticks.late.log = slog.New(slog.NewTextHandler(&log, nil))
				m := &ledger{each: func(l *ledger) { time.Sleep(c.takes(len(l.ticks))) }}
				l := newLoop(MatchConfig{Name: "test", TickRate: 50, Match: m}, newDoor(Limits{}), ticks, new(drain), slog.New(slog.DiscardHandler))
				l.quiet = -1 << 30 // as with connections: it does not tick less often
				play(t, l, 35*time.Second)
				if got := strings.Count(log.String(), "cannot keep its tick rate"); got != c.warnings {
					t.Errorf("%d warnings, want %d:\n%s", got, c.warnings, &log)
				}
			})
		})
	}
}
