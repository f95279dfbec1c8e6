package host_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/token"
)

// THR-34: a banned account is thrown out, reads why, and stays out with new tokens and with its key, also after a
// restart; another account of the same address plays. Lifted, it joins again.
func TestABannedAccountStaysOut(t *testing.T) {
	k := token.NewSharedKey()
	file := filepath.Join(t.TempDir(), "bans.json")
	config := func() host.Config {
		return host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(4))}, Tokens: []token.Key{k}, Bans: file, Admin: "127.0.0.1:0"}
	}
	s := openWith(t, config())
	eve := s.helloWith("quic", s.issue(k, "eve"), session.Key{})
	ada := s.helloWith("websocket", s.issue(k, "ada"), session.Key{})
	s.until("both play", func() bool { return eve.Phase() == session.Playing && ada.Phase() == session.Playing })
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	body, _ := json.Marshal(host.Ban{Account: "eve", Until: until, Why: "Bad manners"})
	if code, text := s.askAdmin("POST", "/ban", string(body), nil); code != 200 {
		t.Fatalf("ban: %d %s", code, text)
	}
	want := "host: you are banned until " + until.Format("2006-01-02 15:04 MST") + ": Bad manners"
	refused := func(s *stage, what string, c *client) {
		t.Helper()
		s.refusedWith(c, what, want) // not a lost connection, after which clients come back
		s.until(what+" is out", func() bool { return reason(c.conn) == want })
	}
	refused(s, "Eve, who plays", eve)
	refused(s, "a new token", s.helloWith("quic", s.issue(k, "eve"), session.Key{}))
	again := openWith(t, config())
	refused(again, "after a restart", again.helloWith("websocket", again.issue(k, "eve"), session.Key{}))
	for _, account := range []string{"eve", "ada"} {
		if code, text := s.askAdmin("POST", "/ban", `{"account": "`+account+`", "until": "1970-01-01T00:00:01Z"}`, nil); code != 200 || text != "lifted\n" {
			t.Errorf("lifting one of %s: %d %q", account, code, text)
		}
	}
	s.until("the status has who to ban", func() bool {
		_, text := s.askAdmin("GET", "/status", "", nil)
		return strings.Contains(text, `"account":"ada","address":"127.0.0.1:`)
	})
	for ban, want := range map[string]int{
		`"address": "203.0.113.7"`: 200, `"address": "203.0.113.0/24"`: 200, `"address": "2001:db8::7", "until": "2999-01-01T00:00:00Z"`: 200,
		`"address": "203.0.113"`: 400, `"until": "tomorrow"`: 400, `"why": "nobody"`: 400,
	} {
		if code, text := s.askAdmin("POST", "/ban", "{"+ban+"}", nil); code != want || code == 200 && text != "banned\n" {
			t.Errorf("ban of %s: %d %q, want %d", ban, code, text, want)
		}
	}
	if n := s.refusals("banned"); n != 1 {
		t.Errorf("the metrics count %d refusals of a ban, want 1", n)
	}
	if _, text := s.askAdmin("GET", "/bans", "", nil); strings.Contains(text, "eve") {
		t.Errorf("a ban that was lifted is still there: %s", text)
	}
	back := s.helloWith("quic", s.issue(k, "eve"), session.Key{})
	s.until("Eve plays again", func() bool { return back.Phase() == session.Playing })
	if ada.Phase() != session.Playing || ada.conn.Closed() {
		t.Errorf("another account, of which a ban was lifted that there never was, was thrown out too: %v", ada.conn.Err())
	}
}

// THR-34: an account is banned whose player is away: its seat does not wait for it. A player that is away in open mode, as
// all others without an account, has its seat after the ban of an address.
func TestABanOfAPlayerThatIsAway(t *testing.T) {
	k := token.NewSharedKey()
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(1))}, Tokens: []token.Key{k}})
	leaveAndBan := func(s *stage, c *client, b host.Ban) (seats int) {
		s.until("it plays", func() bool { return c.Phase() == session.Playing })
		c.conn.Close("the cable is cut")
		s.until("its seat waits", func() bool {
			m := s.status().Matches[0]
			return m.Connections == 0 && len(m.Players) == 1 && !m.Players[0].Connected
		})
		if err := s.host.Ban(b); err != nil {
			t.Fatal(err)
		}
		m := s.status().Matches[0]
		ticks := m.Tick
		s.until("the match has heard of the ban", func() bool { m = s.status().Matches[0]; return m.Tick > ticks+30 })
		return len(m.Players)
	}
	if n := leaveAndBan(s, s.helloWith("quic", s.issue(k, "eve"), session.Key{}), host.Ban{Account: "eve"}); n != 0 {
		t.Errorf("after a ban of its account %d seats are taken, want none", n)
	}
	open := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(1))}})
	bob := open.hello("quic", "", "bob", session.Key{})
	if n := leaveAndBan(open, bob, host.Ban{Address: netip.MustParsePrefix("203.0.113.7/32")}); n != 1 {
		t.Errorf("after a ban of an address %d seats are taken, want Bob's", n)
	}
	if back := open.join("websocket", "", "bob", bob.Key()); back.ID() != bob.ID() || back.Key() != bob.Key() {
		t.Errorf("back as %d with the key %x, want %d with %x", back.ID(), back.Key(), bob.ID(), bob.Key())
	}
}

// THR-34: a banned network is thrown out and refused; a ban of nobody, of two at once, and a file that is none of
// bans are refused in words.
func TestABannedAddress(t *testing.T) {
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(4))}})
	eve := s.join("quic", "", "eve", session.Key{})
	for what, bad := range map[string]host.Ban{
		"nobody": {}, "two at once": {Account: "x", Address: netip.MustParsePrefix("127.0.0.0/8")}, "a long reason": {Account: "x", Why: strings.Repeat("x", 101)},
	} {
		if err := s.host.Ban(bad); err == nil {
			t.Errorf("%s: taken", what)
		}
	}
	if err := s.host.Ban(host.Ban{Address: netip.MustParsePrefix("203.0.113.0/24")}); err != nil {
		t.Fatal(err)
	}
	s.join("websocket", "", "ada", session.Key{})
	if err := s.host.Ban(host.Ban{Address: netip.MustParsePrefix("127.0.0.0/8"), Why: "here"}); err != nil {
		t.Fatal(err)
	}
	if got := s.log.String(); !strings.Contains(got, "for good") || strings.Contains(got, "0001-01-01") {
		t.Errorf("got the log %s; want bans for good", got)
	}
	s.refusedWith(eve, "who played", "host: you are banned: here")
	s.refusedWith(s.hello("websocket", "", "late", session.Key{}), "who comes", "host: you are banned: here")
	file := filepath.Join(t.TempDir(), "bans.json")
	os.WriteFile(file, []byte("no list"), 0o600)
	if _, err := host.New(host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(1))}, Bans: file}); err == nil || !strings.Contains(err.Error(), "Bans") {
		t.Errorf("a damaged file: got %v, want an error that names it", err)
	}
}

// THR-34: an operator's script bans a list, which is longer than what other goroutines may queue for a match: the player
// at its end is thrown out as the first one would be. One ban is of the address as a dual-stack socket writes it.
func TestManyBansAtOnce(t *testing.T) {
	for _, last := range []string{"127.0.0.0/8", "::ffff:127.0.0.1/128"} {
		s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(4))}})
		eve := s.join("quic", "", "eve", session.Key{})
		for i := range 100 {
			if err := s.host.Ban(host.Ban{Account: fmt.Sprint("bot-", i)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.host.Ban(host.Ban{Address: netip.MustParsePrefix(last)}); err != nil {
			t.Fatal(err)
		}
		s.until("Eve is out by a ban of "+last, func() bool { return eve.conn.Closed() })
		s.refusedWith(eve, "Eve", "host: you are banned")
	}
}

// THR-34: the disk is full as a player is banned. The operator reads it, and the player is out all the same.
func TestABanThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "gone", "bans.json")
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(4))}, Bans: file})
	eve := s.join("quic", "", "eve", session.Key{})
	if err := s.host.Ban(host.Ban{Address: netip.MustParsePrefix("127.0.0.1/32")}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that of the file", err)
	}
	s.until("Eve is out", func() bool { return eve.conn.Closed() })
	s.refusedWith(eve, "Eve", "host: you are banned")
}
