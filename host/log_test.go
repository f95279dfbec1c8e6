package host_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/internal/locked"
	"github.com/backstep-net/backstep/session"
)

// In JSON each line about a player has its match, peer, seat and address as attributes, and no value is an object:
// what reads logs finds a player by one key. [THR-57]
func TestLinesHaveAttributes(t *testing.T) {
	log := &locked.Buffer{}
	s := openWith(t, host.Config{
		Matches: []host.MatchConfig{seat("arena", newMatch(4))},
		Log:     slog.New(slog.NewJSONHandler(log, nil)),
	})
	c := s.join("quic", "", "ann", session.Key{})
	c.conn.Close("bye")
	s.until("she has left", func() bool { return strings.Contains(log.String(), `"disconnected"`) })
	seen := map[string]bool{}
	for line := range strings.Lines(log.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		for key, value := range fields {
			if _, nested := value.(map[string]any); nested {
				t.Errorf("%s is an object: %s", key, line)
			}
		}
		message := fields["msg"].(string)
		seen[message] = true
		want := map[string][]string{
			"connected": {"match", "peer", "from"}, "joined": {"match", "peer", "player", "name", "from"}, "disconnected": {"match", "peer", "player", "from"},
		}[message]
		for _, key := range want {
			if fields[key] == nil {
				t.Errorf("%s is missing: %s", key, line)
			}
		}
		if message == "disconnected" && fields["player"] != 1.0 {
			t.Errorf("got player %v, want 1: %s", fields["player"], line)
		}
	}
	if !seen["connected"] || !seen["joined"] || !seen["disconnected"] {
		t.Errorf("lines are missing:\n%s", log.String())
	}
}

// The line about a player that leaves, is kicked or is banned has its seat, by which an operator filters the log.
// [THR-57]
func TestRemovedPlayersHaveTheirSeatInTheLog(t *testing.T) {
	for _, c := range []struct {
		what   string
		remove func(s *stage, bob *client) error
	}{
		{"a player that leaves", func(_ *stage, bob *client) error { bob.Leave(); return nil }},
		{"a kicked player", func(s *stage, bob *client) error {
			if code, text := s.askAdmin("POST", "/kick", fmt.Sprintf(`{"player": %d, "why": "Bad manners"}`, bob.ID()), nil); code != 200 {
				return errors.New(text)
			}
			return nil
		}},
		{"a banned player", func(s *stage, _ *client) error {
			return s.host.Ban(host.Ban{Address: netip.MustParsePrefix("127.0.0.1/32")})
		}},
	} {
		s := open(t, seat("arena", newMatch(4)))
		bob := s.join("quic", "", "bob", session.Key{})
		seat := bob.ID()
		if err := c.remove(s, bob); err != nil {
			t.Fatal(err)
		}
		var line string
		s.until("the log has the line about "+c.what, func() bool {
			for l := range strings.Lines(s.log.String()) {
				if strings.Contains(l, `"removed from match"`) {
					line = l
				}
			}
			return line != ""
		})
		if want := fmt.Sprintf(" player=%d ", seat); !strings.Contains(line, want) {
			t.Errorf("%s: got %s, want %s in it", c.what, line, want)
		}
	}
}
