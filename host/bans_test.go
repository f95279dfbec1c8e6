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
	if ada.Phase() != session.Playing {
		t.Error("another account was thrown out too")
	}
	if code, text := s.askAdmin("POST", "/ban", `{"account": "eve", "until": "1970-01-01T00:00:01Z"}`, nil); code != 200 || text != "lifted\n" {
		t.Errorf("lifting it: %d %q", code, text)
	}
	s.until("the status has who to ban", func() bool {
		_, text := s.askAdmin("GET", "/status", "", nil)
		return strings.Contains(text, `"account":"ada","address":"127.0.0.1:`)
	})
	for address, want := range map[string]int{"203.0.113.7": 200, "203.0.113.0/24": 200, "2001:db8::7": 200, "203.0.113": 400} {
		if code, text := s.askAdmin("POST", "/ban", `{"address": "`+address+`"}`, nil); code != want {
			t.Errorf("ban of %s: %d %s, want %d", address, code, text, want)
		}
	}
	if _, text := s.askAdmin("GET", "/bans", "", nil); strings.Contains(text, "eve") {
		t.Errorf("a ban that was lifted is still there: %s", text)
	}
	back := s.helloWith("quic", s.issue(k, "eve"), session.Key{})
	s.until("Eve plays again", func() bool { return back.Phase() == session.Playing })
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
