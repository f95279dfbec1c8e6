package host

import (
	"log/slog"
	"sync"
	"time"
)

// A server cannot keep its tick rate if in 10 s more than one tick in 100 begins late by more than a quarter of its
// interval. A process that freezes once makes one late tick a match, which is far less.
const (
	lateWindow = 10 * time.Second
	lateOneIn  = 100
	latePart   = 4
	lateFewest = 100 // fewer ticks in a window are too few to tell
)

// punctuality watches how late the ticks of all matches begin, and logs once a window if the server cannot keep
// its tick rate. [THR-29]
type punctuality struct {
	log *slog.Logger // nil: nothing is logged

	mu    sync.Mutex
	began time.Time // of the window
	ticks int
	late  int
	worst time.Duration
}

// count records a tick that began at now, late by that much, in a match with that tick interval.
func (p *punctuality) count(now time.Time, late, interval time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.began) >= lateWindow {
		p.report()
		p.began, p.ticks, p.late, p.worst = now, 0, 0, 0
	}
	p.ticks++
	p.worst = max(p.worst, late)
	if late > interval/latePart {
		p.late++
	}
}

func (p *punctuality) report() {
	if p.log == nil || p.ticks < lateFewest || p.late*lateOneIn <= p.ticks {
		return
	}
	p.log.Warn("the server cannot keep its tick rate: run fewer matches or players in this process, or give it more cores; backstep doctor and backstep bench look at the machine",
		"ticks", p.ticks, "late", p.late, "worst", p.worst.Round(time.Microsecond))
}
