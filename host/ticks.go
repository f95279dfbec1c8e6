package host

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/backstep-net/backstep/clock"
)

// readAhead is how long before a tick the socket of UDP is read: packets then pass through QUIC before the tick.
const readAhead = time.Millisecond

// maxPhases is into how many phases the ticks of one rate are divided at most.
const maxPhases = 8

// ticks decides when the matches of a host tick. Matches of one rate tick at the same instants: the process wakes up
// once for all, and reads once what has arrived for all. Where they are more than two for a processor they are spread
// over several phases of a tick, so that the last of them is not late.
type ticks struct {
	epoch  time.Time
	alarm  *alarm
	reader *timer
	late   punctuality
	loops  atomic.Pointer[[]*loop] // nil before they are made
}

func newTicks(a *alarm) *ticks { return &ticks{epoch: time.Now(), alarm: a, reader: a.timer()} }

// align returns the first instant from start on at which match time may be zero.
func (t *ticks) align(start time.Time, l *loop) time.Time {
	rate := l.config.TickRate
	phases, index := 1, 0
	if all := t.loops.Load(); all != nil {
		phases = phasesOf(len(*all), runtime.GOMAXPROCS(0))
		for i, other := range *all {
			if other == l {
				index = i
			}
		}
	}
	phase := t.epoch.Add(time.Second / time.Duration(rate) * time.Duration(index%phases) / time.Duration(phases))
	second := phase.Add(start.Sub(phase).Truncate(time.Second)) // any rate has a tick at each whole second
	if second.After(start) {
		second = second.Add(-time.Second)
	}
	for n := int64(0); ; n++ {
		if at := second.Add(duration(clock.TickTime(n, rate))); !at.Before(start) {
			return at
		}
	}
}

// phasesOf returns over how many phases so many matches are spread.
func phasesOf(matches, processors int) int {
	return min((matches+2*processors-1)/(2*processors), maxPhases)
}

// rest sleeps until shortly before a match with connections ticks, atMost so long. It returns false at once if none
// has any: then packets are needed as they arrive.
func (t *ticks) rest(atMost time.Duration) bool {
	now := time.Now()
	due := t.nextRead(now)
	if due.IsZero() {
		return false
	}
	if latest := now.Add(atMost); latest.Before(due) {
		due = latest
	}
	t.reader.reset(due)
	<-t.reader.c
	return true
}

// nextRead returns when the socket is read next, zero for as soon as a packet arrives.
func (t *ticks) nextRead(now time.Time) (at time.Time) {
	all := t.loops.Load()
	if all == nil {
		return at
	}
	for _, l := range *all {
		due := l.dueIn.Load()
		if due == 0 {
			continue
		}
		next := t.epoch.Add(time.Duration(due) - readAhead)
		if late := now.Sub(next); late >= 0 { // this tick is about to begin, or has: the one after it
			period := time.Second / time.Duration(l.config.TickRate)
			next = next.Add((late/period + 1) * period)
		}
		if at.IsZero() || next.Before(at) {
			at = next
		}
	}
	return at
}

// publish says when the match ticks next.
func (l *loop) publish(due time.Time) {
	if len(l.connections) == 0 {
		l.dueIn.Store(0)
		return
	}
	l.dueIn.Store(max(1, int64(due.Sub(l.ticks.epoch))))
}
