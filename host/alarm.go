package host

import (
	"sync"
	"time"
)

// alarm wakes the matches and the reader of the socket at their instants, with one timer of the kernel for all. The
// runtime waits for its own timers in whole milliseconds, so in an idle process they are late by most of one, and the
// reader would come too late for the tick that follows readAhead after it. A nil alarm has timers of the runtime.
type alarm struct {
	kernel *timerfd

	mu     sync.Mutex
	closed bool
	at     time.Time // when the kernel's timer expires; zero: it is not set
	timers []*timer
}

// timer wakes one goroutine.
type timer struct {
	c     <-chan time.Time // receives a value when the instant has come
	alarm *alarm
	ring  chan time.Time // c
	due   time.Time      // zero: it does not wait
	plain *time.Timer    // without an alarm
}

// newAlarm returns nil where the kernel has no such timer.
func newAlarm() *alarm {
	kernel, err := newTimerfd()
	if err != nil {
		return nil
	}
	return &alarm{kernel: kernel}
}

// run rings until close.
func (a *alarm) run() {
	for a != nil && a.kernel.wait() {
		a.ring(time.Now())
	}
}

// ring wakes the goroutines that are due, and sets the kernel's timer to the next instant.
func (a *alarm) ring(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at = time.Time{}
	for _, t := range a.timers {
		if t.due.IsZero() {
			continue
		}
		if !t.due.After(now) {
			t.due = time.Time{}
			t.ring <- now // has room: reset has emptied it
		} else if a.at.IsZero() || t.due.Before(a.at) {
			a.at = t.due
		}
	}
	a.set()
}

// set sets the kernel's timer; the caller holds the lock.
func (a *alarm) set() {
	if !a.at.IsZero() && !a.closed {
		a.kernel.set(time.Until(a.at))
	}
}

// close ends run. No timer rings after it.
func (a *alarm) close() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	a.kernel.close()
}

// timer returns a timer that is not set.
func (a *alarm) timer() *timer {
	if a == nil {
		plain := time.NewTimer(time.Hour)
		plain.Stop()
		return &timer{c: plain.C, plain: plain}
	}
	t := &timer{alarm: a, ring: make(chan time.Time, 1)}
	t.c = t.ring
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timers = append(a.timers, t)
	return t
}

// reset lets c receive a value at an instant, and none before.
func (t *timer) reset(due time.Time) {
	a := t.alarm
	if a == nil {
		t.plain.Reset(time.Until(due))
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-t.ring:
	default:
	}
	t.due = due
	if a.at.IsZero() || due.Before(a.at) {
		a.at = due
		a.set()
	}
}
