package host

import (
	"context"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A server is healthy as long as its matches tick; one that has failed does not count while another runs. An orchestrator
// starts a server again whose match stands still, with the name of the match in the answer. [THR-74]
func TestHealthComesFromTheTicks(t *testing.T) {
	const running, still, failed = 0, 1, 2
	for _, c := range []struct {
		what string
		of   []int
		want string // in the answer
	}{
		{"all run", []int{running, running}, "ok"},
		{"one stands still", []int{running, still}, "match b stands still"},
		{"one has failed", []int{failed, running}, "ok"},
		{"one has failed, and the other stands still", []int{failed, still}, "match b stands still"},
		{"all have failed", []int{failed, failed}, "every match has failed"},
	} {
		h := &Host{}
		h.draining.begun = make(chan struct{})
		for i, state := range c.of {
			l, _ := newLedgerLoop(nil)
			l.config.Name = string(rune('a' + i))
			l.failed.Store(state == failed)
			if state == still {
				l.ticked.Store(time.Now().Add(-maxTickAge).UnixNano())
			}
			h.loops = append(h.loops, l)
		}
		for _, serve := range []http.HandlerFunc{h.serveHealth, h.serveReady} {
			w := httptest.NewRecorder()
			serve(w, nil)
			code := http.StatusOK
			if c.want != "ok" {
				code = http.StatusServiceUnavailable
			}
			if got := strings.TrimSpace(w.Body.String()); w.Code != code || got != c.want || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %d %q, want %d %q", c.what, w.Code, got, code, c.want)
			}
		}
		if h.Healthy() != (c.want == "ok") {
			t.Errorf("%s: Healthy %v, want %v", c.what, h.Healthy(), c.want == "ok")
		}
	}
}

// A report that JSON cannot represent is an error of the server in the operator's status, and no empty answer.
func TestAReportThatIsNoJSON(t *testing.T) {
	l, _ := newLedgerLoop(nil)
	l.status.Store(&Status{Players: math.NaN()})
	h := &Host{config: Config{Log: slog.New(slog.DiscardHandler)}, loops: []*loop{l}}
	w := httptest.NewRecorder()
	h.writeStatus(w, func(s *Status) any { return s })
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "NaN") {
		t.Errorf("got %d %q, want an error that names NaN", w.Code, w.Body)
	}
}

// The port of HTTP is lost while the server runs: Run ends with the reason, and does not go on as a server that nobody
// reaches.
func TestAServerWithoutItsPortEnds(t *testing.T) {
	h, err := New(Config{Addr: "127.0.0.1:0", QUIC: "127.0.0.1:0", Matches: []MatchConfig{{Name: "a", Match: &ledger{}}}})
	if err != nil {
		t.Fatal(err)
	}
	h.gate.Close()
	if err := h.Run(context.Background()); err == nil || !strings.HasPrefix(err.Error(), "host: HTTP: ") {
		t.Errorf("got %v, want an error of HTTP", err)
	}
}

// A fleet learns how many matches have a player and how many players there are: an empty match counts as none, and a full
// one as one. [THR-73]
func TestTheLoadOfAServer(t *testing.T) {
	h := &Host{}
	for _, connections := range []int{2, 0, 5, 1} {
		l, _ := newLedgerLoop(nil)
		l.status.Store(&Status{Connections: connections})
		h.loops = append(h.loops, l)
	}
	if matches, players := h.Load(); matches != 3 || players != 8 {
		t.Errorf("got %d matches and %d players, want 3 and 8", matches, players)
	}
}
