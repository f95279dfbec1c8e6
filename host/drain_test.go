package host_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/session"
)

// round is a match of rounds: once it was told of the end, it finishes with its round.
type round struct {
	*arena.Match
	lasts   clock.Micros // match time of a round
	now     clock.Micros
	drained clock.Micros // when the round ends after which it stops; 0 while it does not stop
	told    int
	over    atomic.Bool
}

func (m *round) Tick(now clock.Micros) {
	m.now = now
	m.Match.Tick(now)
	m.over.Store(m.Drained())
}

func (m *round) Drain(time.Duration) {
	m.told++
	m.drained = (m.now/m.lasts + 1) * m.lasts
}

func (m *round) Drained() bool { return m.drained > 0 && m.now >= m.drained }

// THR-32: a server that is told to stop while matches are on lets each finish its round: it is not ready,
// takes no newcomers but lets a player come back by its key, and then ends with the reason for all. No match is
// cut, whenever the end was called for.
func TestDrainsCutNoMatch(t *testing.T) {
	const drains = 8
	cut := 0
	for i := range drains {
		first := &round{Match: newMatch(4), lasts: clock.Micros(200+40*i) * clock.Millisecond}
		second := &round{Match: newMatch(4), lasts: 300 * clock.Millisecond}
		s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("first", first), seat("second", second)}, Drain: time.Minute})
		ann := s.join("websocket", "first", "ann", session.Key{})
		bob := s.join("quic", "second", "bob", session.Key{})
		if i%2 == 0 {
			s.halt() // as SIGTERM does
		} else {
			s.host.Drain()
			s.host.Drain()
		}
		s.until("both have ended", func() bool { return reason(ann.conn) != "" && reason(bob.conn) != "" })
		if err := <-s.ended; err != nil {
			t.Errorf("drain %d: the server ends with %v", i, err)
		}
		for _, m := range []*round{first, second} {
			if m.told != 1 {
				t.Errorf("drain %d: a match was told %d times, want once", i, m.told)
			}
			if !m.over.Load() {
				cut++
			}
		}
		if got := reason(ann.conn); got != "host: the server is stopping" {
			t.Errorf("drain %d: the player reads %q", i, got)
		}
	}
	if cut > 0 {
		t.Errorf("%d of %d matches were cut", cut, 2*drains)
	}
	figures.Check(t, "cut", 0, "%d of %d matches cut in %d drains", cut, 2*drains, drains)
}

// THR-32: while a server drains, a newcomer is refused in words and the server is not ready, but healthy; a player
// whose connection was lost comes back. At the deadline it stops though a match has not finished, and a match that
// says nothing about drains has finished when nobody is connected.
func TestWhileAServerDrains(t *testing.T) {
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", &round{Match: newMatch(4), lasts: 3600 * clock.Second})}, Drain: 3 * time.Second})
	ann := s.join("websocket", "", "ann", session.Key{})
	if res, _ := s.get("/readyz"); res.StatusCode != http.StatusOK {
		t.Errorf("before: /readyz %s, want OK", res.Status)
	}
	s.host.Drain()
	for path, want := range map[string]int{"/readyz": http.StatusServiceUnavailable, "/healthz": http.StatusOK} {
		if res, body := s.get(path); res.StatusCode != want {
			t.Errorf("%s: %s %s, want %d", path, res.Status, body, want)
		}
	}
	late := s.hello("websocket", "", "late", session.Key{})
	s.until("a newcomer is refused", func() bool { return reason(late.conn) != "" })
	if got := reason(late.conn); !strings.Contains(got, "about to stop") {
		t.Errorf("the newcomer reads %q", got)
	}
	ann.conn.Close("lost")
	s.join("quic", "", "ann", ann.Key())
	if err := <-s.ended; err != nil {
		t.Errorf("at the deadline: %v", err)
	}

	empty := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(4))}, Drain: time.Hour})
	bob := empty.join("websocket", "", "bob", session.Key{})
	empty.halt()
	bob.Leave()
	bob.send()
	select {
	case err := <-empty.ended:
		if err != nil {
			t.Errorf("an empty match: %v", err)
		}
	case <-time.After(patience):
		t.Error("a server whose players have left does not stop")
	}
}
