package host_test

import (
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/token"
	"github.com/backstep-net/backstep/transport/join"
)

// issue makes a token for a stage's match, as a backend would.
func (s *stage) issue(k token.Key, account string) string {
	s.t.Helper()
	var to join.Answer
	if s.getJSON("/api/join", &to); !to.Tokens || to.Server == "" {
		s.t.Fatalf("/api/join: tokens %v, server %q; want true and a name", to.Tokens, to.Server)
	}
	text, err := k.Issue(token.Claims{Account: account, Name: strings.ToUpper(account), Server: to.Server, Match: to.Match, Protocol: to.Protocol}, time.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

// helloWith is hello with a connect token.
func (s *stage) helloWith(via, connect string, key session.Key) *client {
	s.t.Helper()
	c := s.connect(via, "")
	c.SetToken(connect)
	c.Hello("Anybody", key)
	c.send()
	return c
}

// refusedWith waits for a client's refusal.
func (s *stage) refusedWith(c *client, what, want string) {
	s.t.Helper()
	s.until(what+" is refused", func() bool { return c.refused != "" })
	if !strings.Contains(c.refused, want) {
		s.t.Errorf("%s: the player reads %q, want %q in it", what, c.refused, want)
	}
}

// THR-05: with keys, a server lets in who has a token, under the name and the account of the backend; a used
// token, one of another key and none are refused in words, on every transport.
func TestTokensOpenTheDoor(t *testing.T) {
	k := token.NewSharedKey()
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(8))}, Tokens: []token.Key{k}})
	for _, via := range transportNames {
		text := s.issue(k, via)
		c := s.helloWith(via, text, session.Key{})
		s.until(via+" plays", func() bool { return c.Phase() == session.Playing })
		s.refusedWith(s.helloWith(via, text, session.Key{}), "the same token again", "used before")
		s.refusedWith(s.helloWith(via, "", session.Key{}), "no token", "wants a connect token")
		s.refusedWith(s.helloWith(via, s.issue(token.NewSharedKey(), "eve"), session.Key{}), "a token of another key", "no key of this server")
	}
	s.until("all have the names of their accounts", func() bool { return knows(s.clients[0], "WEBSOCKET") && knows(s.clients[0], "QUIC") })
	s.until("the status has these players and no more", func() bool { return len(s.status().Matches[0].Players) == len(transportNames) })
}

// THR-05: a token does not outlive the server's start: after a restart with the same key the memory of used
// tokens is gone, and so are the tokens.
func TestATokenIsForOneStart(t *testing.T) {
	k := token.NewSharedKey()
	config := func() host.Config {
		return host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(8))}, Tokens: []token.Key{k}}
	}
	text := openWith(t, config()).issue(k, "ada")
	again := openWith(t, config())
	again.refusedWith(again.helloWith("quic", text, session.Key{}), "a token of the start before", "another server")
}

// THR-08: a player whose connection was lost comes back with the key and the token that it has, though that
// was used; the key alone does too, and a new token takes the seat over without a key.
func TestComingBackNeedsNoNewToken(t *testing.T) {
	k := token.NewSharedKey()
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(1))}, Tokens: []token.Key{k}})
	text := s.issue(k, "ada")
	first := s.helloWith("quic", text, session.Key{})
	s.until("Ada plays", func() bool { return first.Phase() == session.Playing })
	for what, connect := range map[string]string{"with the used token": text, "with the key alone": ""} {
		c := s.helloWith("websocket", connect, first.Key())
		s.until("Ada is back "+what, func() bool { return c.Phase() == session.Playing })
		if c.ID() != first.ID() {
			t.Errorf("%s: player %d, want %d", what, c.ID(), first.ID())
		}
	}
	c := s.helloWith("quic", s.issue(k, "ada"), session.Key{})
	s.until("another page of Ada's takes over", func() bool { return c.Phase() == session.Playing })
	s.refusedWith(s.helloWith("quic", s.issue(k, "bob"), session.Key{}), "Bob", "full")
	s.until("the metrics say so", func() bool { return s.refusals("session") == 1 })
}

// THR-35: strangers who have all the connections that their address may have do not lock out a player behind it who has a
// token.
func TestATokenPassesACrowdedAddress(t *testing.T) {
	k := token.NewSharedKey()
	s := openWith(t, host.Config{
		Matches: []host.MatchConfig{seat("arena", newMatch(8))}, Tokens: []token.Key{k},
		Limits: host.Limits{Connections: 2, Joins: 5, Loopback: true},
	})
	refused := ""
	for range 10 {
		c := s.helloWith("websocket", "", session.Key{})
		s.until("a stranger is refused", func() bool { return c.refused != "" || reason(c.conn) != "" })
		refused += c.refused + reason(c.conn) + "\n"
	}
	s.until("the metrics count all ten", func() bool { return s.refusals("token")+s.refusals("limit") == 10 })
	if !strings.Contains(refused, "too many players") {
		t.Fatalf("the strangers' address is not at its bound:\n%s", refused)
	}
	for range 4 {
		c := s.helloWith("quic", s.issue(k, "a"+string(rune('a'+len(s.clients)))), session.Key{})
		s.until("a player with a token plays", func() bool { return c.Phase() == session.Playing })
	}
}

// In open mode, on an address that others reach, the log says so; with keys it does not, nor on this machine
// alone.
func TestTheLogSaysWhoMayJoin(t *testing.T) {
	const line = "open mode"
	if s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(1))}}); strings.Contains(s.log.String(), line) {
		t.Errorf("on this machine alone: %s", s.log)
	}
	for _, keys := range [][]token.Key{nil, {token.NewSharedKey()}} {
		s := openAt(t, ":0", host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(1))}, Tokens: keys})
		s.get("/healthz")
		if got, want := strings.Contains(s.log.String(), line), keys == nil; got != want {
			t.Errorf("with %d keys: the log says %q: %v, want %v\n%s", len(keys), line, got, want, s.log)
		}
	}
}
