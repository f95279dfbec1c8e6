package fleet

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// fixed is a server whose numbers a test sets.
type fixed struct {
	rooms, players  int
	still, draining bool
	drains          int // calls of Drain
}

func (f *fixed) Healthy() bool              { return !f.still }
func (f *fixed) Load() (rooms, players int) { return f.rooms, f.players }
func (f *fixed) Draining() bool             { return f.draining }
func (f *fixed) Drain()                     { f.draining = true; f.drains++ }

// notebook is a sidecar that takes every call, carries out none, and notes them.
type notebook struct {
	mu    sync.Mutex
	calls []string
}

func (n *notebook) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls = append(n.calls, strings.TrimSuffix(r.URL.Path+" "+string(body), " {}"))
}

// take returns the calls since the last take.
func (n *notebook) take() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	calls := n.calls
	n.calls = nil
	return strings.Join(calls, ", ")
}

// newNoted returns an agent of a server, with room for 4 matches and 10 players, whose calls are noted.
func newNoted(t *testing.T, s Server) (*Agent, *notebook) {
	t.Helper()
	n := &notebook{}
	sidecar := httptest.NewServer(n)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(sidecar.URL, "http://"))
	a := New(Config{Port: port, Rooms: 4, Players: 10}, s)
	t.Cleanup(func() { a.sidecar.client.CloseIdleConnections(); sidecar.Close() })
	return a, n
}

// shows returns what the watch shows of a game server: its state, the time of its last allocation, and
// pairs of a counter's count and capacity, of matches and of players.
func shows(state, allocated string, counts ...int64) (g gameServer) {
	g.Status.State = state
	g.Meta.Annotations = map[string]string{lastAllocated: allocated}
	g.Status.Counters = map[string]counter{}
	for i := 0; i < len(counts); i += 2 {
		g.Status.Counters[[]string{Rooms, Players}[i/2]] = counter{counts[i], counts[i+1]}
	}
	return g
}

// moment is an instant of a transcript: what the watch shows then, if anything, what the server has, and
// the calls that the agent makes.
type moment struct {
	at      float64 // seconds
	shows   *gameServer
	players int
	want    string
}

// transcript plays moments.
func transcript(t *testing.T, moments []moment) {
	t.Helper()
	s := &fixed{}
	a, calls := newNoted(t, s)
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, m := range moments {
		now := begin.Add(time.Duration(m.at * float64(time.Second)))
		if m.shows != nil {
			a.see(*m.shows, now)
		}
		s.players = m.players
		a.step(t.Context(), now)
		if got := calls.take(); got != m.want {
			t.Errorf("at %g s: got the calls %q, want %q", m.at, got, m.want)
		}
	}
}

// THR-73: an allocated server without players is ready again a minute after its last reason to be there:
// a player, or an allocation, since its players are on their way: also one that comes while the minute passes, and one
// whose time the sidecar does not write, as without a cluster.
func TestIdleServersByTheClock(t *testing.T) {
	state := func(state, allocated string) *gameServer { g := shows(state, allocated); return &g }
	transcript(t, []moment{
		{0, nil, 0, ""}, // the watch has shown nothing
		{1, state("Scheduled", ""), 0, "/ready"},
		{3.9, nil, 0, ""},
		{4, nil, 0, "/ready"}, // no effect yet
		{5, state("Ready", ""), 0, ""},
		{100, nil, 0, ""},
		{200, state("Allocated", "1"), 0, ""},
		{250, state("Allocated", "2"), 0, ""},
		{260, state("Allocated", "2"), 0, ""}, // a line about something else
		{309.9, nil, 0, ""},
		{310, nil, 0, "/ready"},
		{310.5, nil, 0, ""},
		{311, state("Ready", "2"), 0, ""},
		{400, state("Allocated", "3"), 0, ""},
		{410, nil, 1, ""},
		{500, nil, 1, ""}, // longer than a minute since the allocation
		{559.9, nil, 0, ""},
		{560, nil, 0, "/ready"},
		{561, state("Ready", "3"), 0, ""},
		{600, state("Allocated", "3"), 0, ""}, // no other time
		{659.9, nil, 0, ""},
		{660, nil, 0, "/ready"},
		// The call for the state before does not hold up that for this one.
		{661, state("Ready", "3"), 0, ""},
		{661.1, state("Scheduled", "3"), 0, "/ready"},
		{662, state("Shutdown", "3"), 0, ""},
		{800, nil, 0, ""},
	})
}

// THR-73: each counter has its own numbers. A call is not repeated while its effect may still come, a
// change is reported at once, and more players than there is room for, as in a reconnect, are reported as a full
// server: the cluster rejects a count above its capacity.
func TestCountersByTheClock(t *testing.T) {
	state := func(counts ...int64) *gameServer { g := shows("Ready", "", counts...); return &g }
	players := func(n, of int) string {
		return fmt.Sprintf(`/v1beta1/counters/players {"count":"%d","capacity":"%d"}`, n, of)
	}
	transcript(t, []moment{
		{0, state(0, 4), 3, ""}, // the fleet declares no counter of players
		{1, state(0, 4, 0, 10), 3, players(3, 10)},
		{2, nil, 3, ""},
		{3, nil, 4, players(4, 10)},
		{5.9, nil, 4, ""},
		{6, nil, 4, players(4, 10)},
		{7, state(0, 4, 4, 10), 4, ""},
		{8, state(0, 4, 4, 12), 4, players(4, 10)}, // somebody else has changed it
		{9, nil, 13, players(10, 10)},
		{10, state(0, 4, 10, 10), 13, ""},
		{11, state(1, 4, 10, 10), 13, `/v1beta1/counters/rooms {"count":"0","capacity":"4"}`},
		{12, state(), 3, ""},
	})
}

// THR-74: a server that drains has room for those that it has, in both counters, and is never reported as
// ready again, however long it is empty: the fleet would send it new players.
func TestADrainingServerIsNeverReady(t *testing.T) {
	s := &fixed{rooms: 2, players: 5, draining: true}
	a, calls := newNoted(t, s)
	now := time.Now()
	a.see(shows("Allocated", "1", 2, 4, 5, 10), now)
	a.step(t.Context(), now)
	want := `/v1beta1/counters/rooms {"count":"2","capacity":"2"}, /v1beta1/counters/players {"count":"5","capacity":"5"}`
	if got := calls.take(); got != want {
		t.Errorf("while it drains: got %q, want %q", got, want)
	}
	s.rooms, s.players = 0, 0
	a.see(shows("Allocated", "1", 0, 0, 0, 0), now)
	a.step(t.Context(), now.Add(time.Hour))
	a.see(shows("Scheduled", "1", 0, 0, 0, 0), now.Add(time.Hour))
	a.step(t.Context(), now.Add(time.Hour))
	if got := calls.take(); got != "" {
		t.Errorf("drained and empty for an hour: got %q, want no call", got)
	}
}

// THR-74: a server whose matches stand still reports nothing: neither that it is ready nor numbers, so that no
// player is sent to it.
func TestAServerThatStandsStillReportsNothing(t *testing.T) {
	s := &fixed{still: true}
	a, calls := newNoted(t, s)
	now := time.Now()
	a.see(shows("Scheduled", "", 1, 4, 5, 10), now)
	if a.step(t.Context(), now); calls.take() != "" {
		t.Error("it reports something while its matches stand still")
	}
	s.still = false
	if a.step(t.Context(), now); !strings.HasPrefix(calls.take(), "/ready, ") {
		t.Error("it is not ready once they tick")
	}
}

// THR-74: the states in which the cluster stops a server drain it, once; no other state does.
func TestTheStatesThatDrain(t *testing.T) {
	for _, state := range []string{"Shutdown", "Unhealthy", "Error", "PortAllocation", "Creating", "Starting", "Scheduled", "RequestReady", "Ready", "Reserved", "Allocated"} {
		s := &fixed{}
		a, _ := newNoted(t, s)
		a.see(shows(state, ""), time.Now())
		a.see(shows(state, ""), time.Now())
		want := 0
		if slices.Contains([]string{"Shutdown", "Unhealthy", "Error"}, state) {
			want = 1
		}
		if s.drains != want {
			t.Errorf("state %s: drained %d times, want %d", state, s.drains, want)
		}
	}
}

// An agent without a port or without room is a mistake of its caller, and New says which fields it needs.
func TestAnAgentNeedsAPortAndRoom(t *testing.T) {
	for _, c := range []Config{{Rooms: 1, Players: 1}, {Port: "1", Players: 1}, {Port: "1", Rooms: 1}, {Port: "1", Rooms: -1, Players: 1}} {
		func() {
			defer func() {
				const want = "fleet: New needs Config.Port, and Rooms and Players of at least 1"
				if got := recover(); got != want {
					t.Errorf("%+v: got the panic %v, want %q", c, got, want)
				}
			}()
			New(c, &fixed{})
		}()
	}
}
