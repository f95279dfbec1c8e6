package host_test

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/token"
)

// round is a match of rounds: once it was told of the end, it finishes with its round.
type round struct {
	*arena.Match
	lasts   clock.Micros // match time of a round
	now     clock.Micros
	drained clock.Micros // when the round ends after which it stops; 0 while it does not stop
	told    int
	over    atomic.Bool
	cut     atomic.Bool // the test ends the round early
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

func (m *round) Drained() bool { return m.drained > 0 && (m.now >= m.drained || m.cut.Load()) }

// THR-32: a server that is told to stop while matches are on lets each finish its round: it is not ready,
// takes no newcomers but lets a player come back by its key, and then ends with the reason for all. No match is
// cut, whenever the end was called for.
func TestDrainsCutNoMatch(t *testing.T) {
	const drains = 8
	cut := 0
	for i := range drains {
		c, unread := drained(t, i, 1)
		cut += c
		if unread > 0 {
			t.Errorf("drain %d: %d players read another reason than the server's", i, unread)
		}
	}
	figures.Check(t, "cut", 0, "%d of %d matches cut in %d drains", cut, 2*drains, drains)
}

// THR-78: as above under load: as many drains as BACKSTEP_DRAINS says, several at a time (-parallel), with four
// players who walk in each match. make drains runs a thousand.
func TestManyDrainsUnderLoad(t *testing.T) {
	drains, err := strconv.Atoi(cmp.Or(os.Getenv("BACKSTEP_DRAINS"), "0"))
	if err != nil || drains < 0 {
		t.Fatalf("BACKSTEP_DRAINS: %v: want a number", err)
	}
	if drains == 0 {
		t.Skip("BACKSTEP_DRAINS says how many: make drains")
	}
	var cut, unread, ended atomic.Int64
	t.Run("drains", func(t *testing.T) {
		for i := range drains {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				c, u := drained(t, i, 4)
				cut.Add(int64(c))
				unread.Add(int64(u))
				ended.Add(1)
			})
		}
	})
	t.Logf("%d of %d matches cut in %d drains, with 8 players each; %d of %d players did not read why the server stops",
		cut.Load(), 2*ended.Load(), ended.Load(), unread.Load(), 8*ended.Load())
	if cut.Load() > 0 || ended.Load() != int64(drains) {
		t.Errorf("want 0 cut in %d", drains)
	}
}

// drained drains a server of two matches with so many players each, and returns how many matches were cut, and how
// many players did not read why.
func drained(t *testing.T, i, players int) (cut, unread int) {
	t.Helper()
	first := &round{Match: newMatch(4), lasts: clock.Micros(200+40*(i%20)) * clock.Millisecond}
	second := &round{Match: newMatch(4), lasts: 300 * clock.Millisecond}
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("first", first), seat("second", second)}, Drain: time.Minute})
	for n := range players {
		s.join("websocket", "first", fmt.Sprint("ann ", n), session.Key{}).input.Forward = 1
		s.join("quic", "second", fmt.Sprint("bob ", n), session.Key{}).input.Forward = 1
	}
	if i%2 == 0 {
		s.halt() // as SIGTERM does
	} else {
		s.host.Drain()
		s.host.Drain()
	}
	s.until("all have ended", func() bool {
		return !slices.ContainsFunc(s.clients, func(c *client) bool { return reason(c.conn) == "" })
	})
	if err := <-s.ended; err != nil {
		t.Errorf("drain %d: the server ends with %v", i, err)
	}
	for _, m := range []*round{first, second} {
		if m.told != 1 {
			t.Errorf("drain %d: a match was told %d times, want once", i, m.told)
		}
		if !m.over.Load() {
			t.Errorf("drain %d: a match was cut", i)
			cut++
		}
	}
	for _, c := range s.clients {
		if got := reason(c.conn); got != "host: the server is stopping" {
			t.Logf("drain %d: a player (%s) reads %q", i, c.conn.Kind(), got)
			unread++
		}
	}
	return cut, unread
}

// THR-32: while a server drains, a newcomer is refused in words and the server is not ready, but healthy; a player
// whose connection was lost comes back. At the deadline it stops though a match has not finished, and a match that
// says nothing about drains has finished when nobody is connected.
func TestWhileAServerDrains(t *testing.T) {
	long := &round{Match: newMatch(4), lasts: 3600 * clock.Second}
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", long)}, Drain: time.Hour})
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
	s.refusedWith(late, "a newcomer", "about to stop")
	ann.conn.Close("lost")
	s.join("quic", "", "ann", ann.Key())
	long.cut.Store(true)
	if err := <-s.ended; err != nil {
		t.Errorf("at the end of the round: %v", err)
	}

	short := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", &round{Match: newMatch(4), lasts: 3600 * clock.Second})}, Drain: time.Second})
	short.join("websocket", "", "cleo", session.Key{})
	short.host.Drain()
	if err := <-short.ended; err != nil {
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

// THR-32: a server drains. A player with the key of a match that is over, such as one that its page has kept, is a
// newcomer and refused. One that has its seat by its account comes back to it without a key, as after a reload.
func TestWhoComesBackWhileAServerDrains(t *testing.T) {
	k := token.NewSharedKey()
	long := &round{Match: newMatch(4), lasts: 3600 * clock.Second}
	defer long.cut.Store(true)
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", long)}, Tokens: []token.Key{k}, Drain: time.Hour})
	ada := s.helloWith("quic", s.issue(k, "ada"), session.Key{})
	s.until("Ada plays", func() bool { return ada.Phase() == session.Playing })
	s.host.Drain()
	ada.conn.Close("reloaded")
	back := s.helloWith("websocket", s.issue(k, "ada"), session.Key{})
	s.until("Ada plays again, or is refused", func() bool { return back.Phase() == session.Playing || back.refused != "" })
	if back.refused != "" {
		t.Errorf("Ada, whose seat is here, reads %q", back.refused)
	}
	late := s.helloWith("quic", s.issue(k, "eve"), session.Key{200})
	s.until("Eve plays, or is refused", func() bool { return late.Phase() == session.Playing || late.refused != "" })
	if want := "host: the server is about to stop: join another one"; late.refused != want {
		t.Errorf("Eve, whose key is of another match, reads %q, want %q", late.refused, want)
	}
	s.until("the metrics say so", func() bool { return s.refusals("draining") == 1 })
}

// THR-32: a server drains whose full match has a queue. The waiting players are refused like newcomers: else each that
// leaves would be followed by the next, and the match would never be empty. [THR-37]
func TestTheQueueOfAServerThatDrains(t *testing.T) {
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatchWithQueue(1, 4))}, Drain: time.Hour})
	ann := s.join("websocket", "", "ann", session.Key{})
	waiting := []*client{s.hello("quic", "", "bob", session.Key{}), s.hello("websocket", "", "cleo", session.Key{})}
	s.until("two wait", func() bool { return waiting[0].QueuePlace()*waiting[1].QueuePlace() == 2 })
	s.host.Drain()
	for _, c := range waiting {
		s.refusedWith(c, "a player of the queue", "host: the server is about to stop: join another one")
	}
	s.until("the metrics say so", func() bool { return s.refusals("draining") == 2 })
	if ann.refused != "" || ann.conn.Closed() {
		t.Errorf("the player with a seat reads %q, closed %v; want it to play on", ann.refused, ann.conn.Closed())
	}
	ann.conn.Close("enough")
	if err := <-s.ended; err != nil {
		t.Errorf("once the last player has left: %v", err)
	}
}
