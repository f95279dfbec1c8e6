package host

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/backstep-net/backstep/session"
)

// Drainer is a Match that takes part in the end of its server. Without it a match has finished when no
// connection is left. Both are called from the match's goroutine.
type Drainer interface {
	// Drain is called once when the server begins to drain. left is the time until it stops, which it does
	// earlier if the match has finished. A game announces it to its players and begins no new round.
	Drain(left time.Duration)
	// Drained reports whether the match has finished: no player loses anything when it stops.
	Drained() bool
}

// errDraining refuses a newcomer while the server drains.
var errDraining = errors.New("host: the server is about to stop: join another one")

// drainPoll is how often a server that drains looks whether its matches have finished.
const drainPoll = 50 * time.Millisecond

// drain is the state of a server that is about to stop.
type drain struct {
	once  sync.Once
	begun chan struct{}
	until time.Time // when it stops at the latest; valid after begun
}

// Drain begins to stop the server, as the end of Run's context does: it takes no newcomers any more, nor players of a
// queue, is not ready, and stops when its matches have finished, at the latest after Config.Drain. Players whose
// connection is lost still come back. It returns at once; any goroutine may call it, also again.
func (h *Host) Drain() {
	h.draining.once.Do(func() {
		h.draining.until = time.Now().Add(h.config.Drain)
		close(h.draining.begun)
	})
}

// isDraining reports whether Drain was called.
func (h *Host) isDraining() bool {
	select {
	case <-h.draining.begun:
		return true
	default:
		return false
	}
}

// finish waits until every match has finished, or the time is over. [THR-32]
func (h *Host) finish() {
	if h.config.Drain <= 0 {
		return
	}
	h.config.Log.Info("draining", "at most", h.config.Drain)
	began := time.Now()
	defer func() { tracePast(h.config.Tracer, "drain", began, nil) }()
	poll := time.NewTicker(drainPoll)
	defer poll.Stop()
	for left := 1; left > 0 && time.Now().Before(h.draining.until); {
		<-poll.C
		left = 0
		for _, l := range h.loops {
			if !l.finished.Load() && !l.failed.Load() {
				left++
			}
		}
	}
}

// queuer is a Match with a queue of players that wait for a seat, such as one that embeds its session.Server.
type queuer interface {
	Queued(peer session.Peer) bool
}

// refuseQueue refuses the players that wait for a seat: with them a match that drains would never be empty. [THR-32]
func (l *loop) refuseQueue(now time.Time) {
	m, ok := l.config.Match.(queuer)
	if !ok {
		return
	}
	// The last first, because those behind one that leaves get a message with their new place.
	for i := len(l.connections) - 1; i >= 0; i-- {
		if g := &l.connections[i]; !g.closing() && m.Queued(g.peer) {
			g.who.Refused = errDraining.Error()
			l.refusePeer(g, g.who.Refused, now)
		}
	}
}

// drainMatch tells a match once that the server drains, and notes whether it has finished.
func (l *loop) drainMatch(now time.Time) {
	select {
	case <-l.draining.begun:
	default:
		return
	}
	l.refuseQueue(now)
	d, ok := l.config.Match.(Drainer)
	if !l.told {
		if l.told = true; ok {
			d.Drain(time.Until(l.draining.until))
		}
	}
	if ok {
		l.finished.Store(d.Drained())
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.finished.Store(len(l.connections)+len(l.waiting) == 0)
}

// maxTickAge is how old the last tick of a match may be before the match is taken to stand still.
const maxTickAge = 2 * time.Second

// healthy reports whether a match's loop makes progress.
func (l *loop) healthy(now time.Time) bool {
	return !l.failed.Load() && now.Sub(time.Unix(0, l.ticked.Load())) < maxTickAge
}

// serveHealth answers ok while every match ticks.
func (h *Host) serveHealth(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if why := h.unhealthy(time.Now()); why != "" {
		http.Error(w, why, http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write([]byte("ok\n"))
}

// unhealthy returns why the server is not healthy, "" if it is.
func (h *Host) unhealthy(now time.Time) string {
	running := false
	for _, l := range h.loops {
		if !l.failed.Load() && !l.healthy(now) {
			return "match " + l.config.Name + " stands still"
		}
		running = running || !l.failed.Load()
	}
	if !running {
		return "every match has failed"
	}
	return ""
}

// serveReady answers ok while newcomers may join.
func (h *Host) serveReady(w http.ResponseWriter, r *http.Request) {
	if h.isDraining() {
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, "about to stop", http.StatusServiceUnavailable)
		return
	}
	h.serveHealth(w, r)
}
