package host

import (
	"context"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// supervisor notifies the service manager that started the process, and feeds its watchdog: systemd with
// Type=notify, and what speaks its protocol (sd_notify: one datagram of text to the unix socket that
// NOTIFY_SOCKET names). A library for these lines would bring D-Bus into the module of every game.
type supervisor struct {
	socket string        // "" where nobody listens
	watch  time.Duration // how soon it wants a sign of life after the last one; 0 wants none
}

// newSupervisor reads the environment.
func newSupervisor() (s supervisor) {
	s.socket = os.Getenv("NOTIFY_SOCKET")
	if pid := os.Getenv("WATCHDOG_PID"); pid == "" || pid == strconv.Itoa(os.Getpid()) {
		micros, _ := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64)
		s.watch = time.Duration(min(max(micros, 0), int64(time.Hour/time.Microsecond))) * time.Microsecond
	}
	return s
}

// tell sends one datagram, such as "READY=1".
func (s supervisor) tell(state string) error {
	if s.socket == "" {
		return nil
	}
	conn, err := net.Dial("unixgram", s.socket) // a name that begins with @ is abstract
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Write([]byte(state))
	return err
}

// supervise says that the server is ready, then gives a sign of life three times in each interval of the watchdog,
// but only if every match has ticked since the last one: a process whose timer runs while a match stands still is
// started again. It says once that the server is about to stop. [THR-60]
func (h *Host) supervise(ctx context.Context) {
	s := newSupervisor()
	if s.socket == "" {
		return
	}
	tell := func(state string) {
		if err := s.tell(state); err != nil {
			h.config.Log.Warn("the service manager was not notified", "state", state, "why", err)
		}
	}
	tell("READY=1")
	var beat <-chan time.Time // nil where there is no watchdog
	if s.watch >= 3*time.Microsecond {
		t := time.NewTicker(s.watch / 3)
		defer t.Stop()
		beat = t.C
	}
	stopping, ticks := h.draining.begun, make([]int64, len(h.loops))
	for {
		select {
		case <-stopping:
			stopping = nil
			tell("STOPPING=1")
		case <-beat:
			if still := h.standStill(ticks); len(still) == 0 {
				tell("WATCHDOG=1")
			} else {
				h.config.Log.Warn("no sign of life for the watchdog: a match stands still", "match", strings.Join(still, ", "))
			}
		case <-ctx.Done():
			if stopping != nil {
				tell("STOPPING=1")
			}
			return
		}
	}
}

// standStill returns the names of the matches that run and have not ticked since the last call, which ticks
// remembers.
func (h *Host) standStill(ticks []int64) (names []string) {
	for i, l := range h.loops {
		last := l.ticked.Load()
		select {
		case <-l.done:
		default:
			if last == ticks[i] {
				names = append(names, l.config.Name)
			}
		}
		ticks[i] = last
	}
	return names
}
