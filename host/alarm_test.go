package host

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Matches and the reader of the socket set their timers in any order, also again before they have rung: each rings once,
// when it is due, and the kernel is set to the next of them. Against a list of instants. [THR-29]
func TestTheAlarmAgainstAList(t *testing.T) {
	a := newAlarm()
	if a == nil {
		t.Skip("this system has no such timer")
	}
	defer a.close()
	random := rand.New(rand.NewPCG(7, 1))
	now := time.Now()
	var timers [5]*timer
	var due [5]time.Time // zero: it is not set
	for i := range timers {
		timers[i] = a.timer()
	}
	for step := range 10_000 {
		i, rung := random.IntN(len(timers)), random.IntN(3) == 0
		if !rung {
			due[i] = now.Add(time.Duration(random.IntN(50)) * time.Millisecond)
			timers[i].reset(due[i])
		} else {
			if now = now.Add(time.Duration(random.IntN(20)) * time.Millisecond); !a.at.IsZero() && a.at.After(now) {
				now = a.at // the kernel rings no earlier
			}
			a.ring(now)
		}
		var next time.Time
		for i, c := range timers {
			rings := false
			select {
			case <-c.c:
				rings = true
			default:
			}
			if want := rung && !due[i].IsZero() && !due[i].After(now); rings != want {
				t.Fatalf("step %d: timer %d rings %v, want %v", step, i, rings, want)
			}
			if rings {
				due[i] = time.Time{}
			}
			if !due[i].IsZero() && (next.IsZero() || due[i].Before(next)) {
				next = due[i]
			}
		}
		if !next.IsZero() && (a.at.IsZero() || a.at.After(next)) {
			t.Fatalf("step %d: the kernel is set to %v, want %v at the latest", step, a.at, next)
		}
	}
}
