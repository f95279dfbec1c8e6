package host_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/join"
)

// upgrade are the headers of a WebSocket's handshake.
func upgrade(more ...string) http.Header {
	h := http.Header{
		"Connection": {"Upgrade"}, "Upgrade": {"websocket"},
		"Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
	}
	for i := 0; i < len(more); i += 2 {
		h.Set(more[i], more[i+1])
	}
	return h
}

// A page of a stranger neither learns where to connect nor opens a WebSocket, and the log says what would
// allow it. [THR-40]
func TestPagesOfOtherOriginsDoNotJoin(t *testing.T) {
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(2))}, Origins: []string{"*.portal.example"}})
	for _, c := range []struct {
		what, origin, host string
		allowed            bool
	}{
		{"no browser", "", "game.example", true},
		{"the server's page", "http://game.example:8080", "game.example:8080", true},
		{"a page behind the proxy of a development server", "http://localhost:5173", "localhost:5173", true},
		{"a portal", "https://www.portal.example", "game.example", true},
		{"a stranger", "https://evil.example", "game.example", false},
		{"a stranger at this machine", "https://evil.example", "127.0.0.1:8080", false},
		{"a file", "null", "127.0.0.1:8080", false},
	} {
		head := http.Header{"Host": {c.host}}
		if c.origin != "" {
			head.Set("Origin", c.origin)
		}
		res, body := s.ask("GET", join.Path, head)
		want := map[bool]int{true: 200, false: 403}[c.allowed]
		echo := map[bool]string{true: c.origin}[c.allowed]
		if got := res.Header.Get("Access-Control-Allow-Origin"); res.StatusCode != want || got != echo || res.Header.Get("Vary") != "Origin" {
			t.Errorf("%s: /api/join: %s, allows %q, Vary %q; want %d, %q, Origin", c.what, res.Status, got, res.Header.Get("Vary"), want, echo)
		}
		// A lobby of an allowed page reads what runs; the status itself is public.
		status, _ := s.ask("GET", "/api/status", head)
		if got := status.Header.Get("Access-Control-Allow-Origin"); status.StatusCode != 200 || got != echo || status.Header.Get("Vary") != "Origin" {
			t.Errorf("%s: /api/status: %s, allows %q; want 200, %q", c.what, status.Status, got, echo)
		}
		if !c.allowed && !strings.Contains(string(body), "--origin") {
			t.Errorf("%s: the answer %q does not name the flag", c.what, body)
		}
		head = upgrade("Host", c.host)
		if c.origin != "" {
			head.Set("Origin", c.origin)
		}
		if got, want := s.handshake(head), map[bool]int{true: 101, false: 403}[c.allowed]; got != want {
			t.Errorf("%s: /ws: %d, want %d", c.what, got, want)
		}
	}
	if log := s.log.String(); !strings.Contains(log, "refused page") || !strings.Contains(log, "--origin evil.example") {
		t.Errorf("the log does not say what allows the page:\n%s", log)
	}
}

// handshake asks for a WebSocket and returns the status.
func (s *stage) handshake(head http.Header) int {
	s.t.Helper()
	req, err := http.NewRequest("GET", s.url+"/ws", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header, req.Host = head, head.Get("Host")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

// The address of QUIC has the host of the request, and what is no host is not repeated; a server that knows its
// own name repeats nothing. No cache may keep the answer. [THR-41]
func TestTheJoinAnswerIsNotPoisoned(t *testing.T) {
	open := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(2))}})
	for name, want := range map[string]int{"game.example": 200, "192.0.2.1:80": 200, "a;b": 400, "x'y": 400, "a(b)": 400, "fe80::1%25x": 400} {
		res, body := open.ask("GET", join.Path, http.Header{"Host": {name}})
		if res.StatusCode != want || want == 200 && res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("Host %q: %s, %q; want %d and no-store", name, res.Status, res.Header.Get("Cache-Control"), want)
		}
		if bytes.Contains(body, []byte(name)) && want != 200 {
			t.Errorf("Host %q is repeated in %s", name, body)
		}
	}
	for public, want := range map[string]string{"play.example": "play.example:" + portOf(open), "play.example:443": "play.example:443"} {
		s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(2))}, Public: public})
		want = strings.Replace(want, portOf(open), portOf(s), 1)
		res, body := s.ask("GET", join.Path, http.Header{"Host": {"evil.example"}})
		if res.StatusCode != 200 || bytes.Contains(body, []byte("evil")) || !bytes.Contains(body, []byte(`"https://`+want+`/play"`)) {
			t.Errorf("Public %q: %s %s; want %s", public, res.Status, body, want)
		}
	}
}

// portOf returns the port of a stage's QUIC.
func portOf(s *stage) string {
	at, _ := netip.ParseAddrPort(s.host.QUICAddr().String())
	return fmt.Sprint(at.Port())
}

// Every file of the page comes with the policy, which lets it connect to its own server alone. [THR-41]
func TestThePageHasAPolicy(t *testing.T) {
	s := openWith(t, host.Config{
		Matches: []host.MatchConfig{seat("arena", newMatch(2))}, Web: builtPage(t), Origins: []string{"*.portal.example", "null"},
		Public: "play.example:4433",
	})
	for _, path := range []string{"/", "/assets/worker-entrance.js", "/missing.html"} {
		res, _ := s.ask("GET", path, http.Header{"Host": {"game.example:8080"}})
		policy := res.Header.Get("Content-Security-Policy")
		for _, want := range []string{
			"default-src 'self'; script-src 'self' 'wasm-unsafe-eval';", "object-src 'none'", "base-uri 'none'",
			"connect-src 'self' data: blob: ws://game.example:8080 wss://game.example:8080 https://play.example:4433;",
			"frame-ancestors 'self' *.portal.example",
		} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: %q is missing in the policy %q", path, want, policy)
			}
		}
		if strings.Contains(policy, "null") || res.Header.Get("Referrer-Policy") != "same-origin" || res.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", path, res.Header)
		}
	}
	res, _ := s.ask("GET", "/", http.Header{"Host": {"a;b"}})
	if policy := res.Header.Get("Content-Security-Policy"); strings.Contains(policy, "a;b") {
		t.Errorf("the policy repeats the header Host: %q", policy)
	}
}

// What everybody sees of a match is its name, its level, its state and a count: no name of a player, no position, no
// key and nothing that says how busy the server is. [THR-33]
func TestThePublicStatusHasCountsOnly(t *testing.T) {
	s := open(t, seat("arena", newMatch(4)))
	s.join("quic", "", "ann", session.Key{})
	s.until("the status has her", func() bool { return len(s.status().Matches[0].Players) == 1 })
	_, body := s.ask("GET", "/api/status", http.Header{"Host": {"game.example"}})
	want := `"matches":[{"name":"arena","level":"` + floor().Hash() + `","state":"running","tick_rate":60,"connections":1}]}`
	if !strings.HasSuffix(strings.TrimSpace(string(body)), want) {
		t.Errorf("got %s, want the end %s", body, want)
	}
}

// Behind a proxy of this machine that the server trusts, one player has the bounds of one address, whatever it writes
// into X-Forwarded-For itself; the log has its address. [THR-43]
func TestPlayersBehindAProxyHaveTheirOwnAddress(t *testing.T) {
	s := openWith(t, host.Config{
		Matches: []host.MatchConfig{seat("arena", newMatch(30))}, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	hello := masked(append([]byte{byte(transport.Stream)}, helloBytes("")...))
	for i := range 20 {
		conn := deafSocket(t, s.host.Addr().String(), fmt.Sprintf("X-Forwarded-For: 198.51.100.%d, 203.0.113.7", i))
		if _, err := conn.Write(hello); err != nil {
			t.Fatal(err)
		}
	}
	s.until("eight are refused", func() bool { return strings.Count(s.log.String(), "too many players from your address") >= 6 })
	conn := deafSocket(t, s.host.Addr().String(), "X-Forwarded-For: 203.0.113.8")
	if _, err := conn.Write(hello); err != nil {
		t.Fatal(err)
	}
	s.until("12 and another play", func() bool { return len(s.status().Matches[0].Players) == 13 })
	if log := s.log.String(); !strings.Contains(log, "from=203.0.113.7:0") || strings.Contains(log, "198.51.100") {
		t.Errorf("the log has other addresses than the client's:\n%s", log)
	}
}

// Without trusted proxies, and from other addresses, the header gives a client no other address: an attack comes
// from where it comes from. Nor does it make a request a local one. [THR-43, THR-33]
func TestAForgedHeaderGivesNoOtherAddress(t *testing.T) {
	for name, trusted := range map[string][]netip.Prefix{"none": nil, "another": {netip.MustParsePrefix("10.0.0.0/8")}} {
		s := openWith(t, host.Config{
			Matches: []host.MatchConfig{seat("arena", newMatch(30))}, Proxies: trusted, Limits: host.Limits{Loopback: true},
		})
		hello := masked(append([]byte{byte(transport.Stream)}, helloBytes("")...))
		for i := range 20 {
			conn := deafSocket(t, s.host.Addr().String(), fmt.Sprintf("X-Forwarded-For: 198.51.100.%d", i))
			if _, err := conn.Write(hello); err != nil {
				t.Fatal(err)
			}
		}
		s.until("eight are refused", func() bool { return strings.Count(s.log.String(), "too many players from your address") >= 6 })
		_, body := s.ask("GET", "/api/status", http.Header{"X-Forwarded-For": {"127.0.0.1"}})
		if strings.Contains(s.log.String(), "198.51.100") || bytes.Contains(body, []byte("players")) {
			t.Errorf("%s: the header was believed: %s\n%s", name, body, s.log.String())
		}
	}
}
