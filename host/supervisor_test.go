package host_test

import (
	"context"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/host"
)

// manager is a service manager's socket, and what it has received.
type manager struct {
	mu     sync.Mutex
	states []string
}

// received returns how often each state came so far.
func (m *manager) received(state string) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.states {
		if s == state {
			n++
		}
	}
	return n
}

// manage opens the socket and sets the environment as systemd does.
func manage(t *testing.T, watchdog string) *manager {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Skip("this system has no unix datagram sockets:", err)
	}
	m, ended := &manager{}, make(chan struct{})
	go func() {
		defer close(ended)
		b := make([]byte, 4096)
		for {
			n, err := conn.Read(b)
			if err != nil {
				return
			}
			m.mu.Lock()
			m.states = append(m.states, string(b[:n]))
			m.mu.Unlock()
		}
	}()
	t.Cleanup(func() { conn.Close(); <-ended })
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", watchdog)
	t.Setenv("WATCHDOG_PID", "")
	return m
}

// stuck is a match that stands still in a tick from when it is asked to until the test ends.
type stuck struct {
	host.Match
	still   atomic.Bool
	stands  atomic.Bool // in its tick
	release chan struct{}
}

func (m *stuck) Tick(now clock.Micros) {
	if m.still.Load() {
		m.stands.Store(true)
		<-m.release
	}
	m.Match.Tick(now)
}

// A server that systemd started reports that it is ready, feeds the watchdog while it ticks, and says that it
// stops. [THR-60]
func TestTheServiceManagerIsNotified(t *testing.T) {
	m := manage(t, "150000")
	s := open(t, seat("arena", newMatch(4)))
	s.until("the watchdog is fed", func() bool { return m.received("WATCHDOG=1") >= 3 })
	s.halt()
	<-s.ended
	s.until("the end is known", func() bool { return m.received("STOPPING=1") > 0 })
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.states[0] != "READY=1" || m.states[1] != "WATCHDOG=1" || !slices.Contains(m.states, "STOPPING=1") {
		t.Errorf("got %q, want READY=1, then WATCHDOG=1, and STOPPING=1 at the end", m.states)
	}
	for _, state := range []string{"READY=1", "STOPPING=1"} {
		if n := strings.Count(strings.Join(m.states, " "), state); n != 1 {
			t.Errorf("%s came %d times, want once", state, n)
		}
	}
}

// One match of two stands still in its tick: the watchdog is not fed any more, though the process lives and the other
// match ticks, and the log names the match. [THR-60]
func TestAStuckMatchStarvesTheWatchdog(t *testing.T) {
	m := manage(t, "150000")
	planted := &stuck{Match: newMatch(4), release: make(chan struct{})}
	s := open(t, seat("arena", newMatch(4)), seat("stuck", planted))
	t.Cleanup(sync.OnceFunc(func() { close(planted.release) })) // runs before the stage's own
	s.until("the watchdog is fed", func() bool { return m.received("WATCHDOG=1") >= 2 })
	planted.still.Store(true)
	s.until("it stands still", planted.stands.Load)
	warned := strings.Count(s.log.String(), "match=stuck")
	s.until("the log names the match", func() bool { return strings.Count(s.log.String(), "match=stuck") > warned+1 })
	fed := m.received("WATCHDOG=1")
	before := s.status().Matches[0].Tick
	s.until("the other match goes on", func() bool { return s.status().Matches[0].Tick > before+60 })
	if now := m.received("WATCHDOG=1"); now != fed {
		t.Errorf("the watchdog was fed %d more times while a match stood still", now-fed)
	}
}

// Without a watchdog, or with one for another process, nothing but the two notices is sent; and a socket that is not
// there is one warning, not the end of the server. [THR-60]
func TestNoWatchdog(t *testing.T) {
	m := manage(t, "150000")
	t.Setenv("WATCHDOG_PID", "1")
	s := open(t, seat("arena", newMatch(4)))
	s.until("it is ready", func() bool { return m.received("READY=1") == 1 })
	s.until("half a second of ticks is over", func() bool { return s.status().Matches[0].Tick > 30 })
	if n := m.received("WATCHDOG=1"); n != 0 {
		t.Errorf("the watchdog of another process was fed %d times", n)
	}

	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "nobody"))
	h, err := host.New(host.Config{Addr: "127.0.0.1:0", QUIC: "127.0.0.1:0", Matches: []host.MatchConfig{seat("arena", newMatch(1))}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, halt := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer halt()
	if err := h.Run(ctx); err != nil {
		t.Errorf("a socket that is not there: %v", err)
	}
}
