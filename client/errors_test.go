package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/join"
	"github.com/backstep-net/backstep/transport/mem"
)

// contains reports whether an error's text has a part.
func contains(err error, part string) bool { return err != nil && strings.Contains(err.Error(), part) }

// get is an HTTP client as a program may have it, for Config.Fetch.
func get(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return io.ReadAll(res.Body)
}

// altered returns a Fetch whose join answers are changed.
func altered(change func(a *join.Answer)) func(context.Context, string) ([]byte, error) {
	return func(ctx context.Context, url string) ([]byte, error) {
		b, err := get(ctx, url)
		if err != nil || !strings.Contains(url, join.Path) {
			return b, err
		}
		var a join.Answer
		if err := json.Unmarshal(b, &a); err != nil {
			return nil, err
		}
		change(&a)
		return json.Marshal(a)
	}
}

// A server of another protocol, or of a game that packs otherwise, is found before anything is
// connected: the error names both ends and the cure. [GAP-04]
func TestAMismatchIsFoundBeforeConnecting(t *testing.T) {
	t.Parallel()
	level := box(60)
	other := game
	other.PackCommand = func(p *bits.Packer, c, before *jetpack.Command) {
		game.PackCommand(p, c, before)
		more := false
		p.Bool(&more)
	}
	m := matchOf(other, level, 2)
	s := open(t, level, m)
	never := []client.Transport{func(context.Context, *client.Server) (transport.Conn, error) {
		t.Error("connected all the same")
		return nil, errors.New("no")
	}}
	own := session.NewClient(game, session.ClientConfig{}).Format()
	for _, c := range []struct {
		what   string
		change func(a *join.Answer)
		want   string
	}{
		{"a later protocol", func(a *join.Answer) { a.Protocol = session.Version + 1 },
			fmt.Sprintf("client: the server at %s (version v1.2.3) speaks protocol %d and this client protocol %d: reload the page, or build", s.url, session.Version+1, session.Version)},
		{"another format", func(*join.Answer) {},
			fmt.Sprintf("client: the server at %s (version v1.2.3) has game format %08x and this client %08x: it serves another game, or another version of this one: reload the page, or build", s.url, m.Format(), own)},
	} {
		_, err := tryDial(t, s.url, client.Config{Fetch: altered(c.change), Transports: never})
		var mismatch *client.MismatchError
		if !errors.As(err, &mismatch) || !contains(err, c.want) {
			t.Errorf("%s: got %v, want %s", c.what, err, c.want)
		}
	}
	// A server that does not say it refuses the hello, with both formats and the cure.
	_, err := tryDial(t, s.url, client.Config{Fetch: altered(func(a *join.Answer) { a.Format = 0 })})
	var refused *client.RefusedError
	if want := fmt.Sprintf("session: this server's game has format %x and the client's %x: reload", m.Format(), own); !errors.As(err, &refused) || !strings.HasPrefix(refused.Reason, want) {
		t.Errorf("a hello of another format: got %v, want %s", err, want)
	}
}

// A server that was started again with another version ends a client that comes back.
func TestAServerThatWasRenewed(t *testing.T) {
	t.Parallel()
	level := box(60)
	s := open(t, level, newMatch(level, 2))
	var renewed atomic.Bool
	fetch := altered(func(a *join.Answer) {
		if renewed.Load() {
			a.Protocol++
		}
	})
	var c cable
	p := dial(t, s.url, client.Config{Fetch: fetch, Transports: []client.Transport{c.dial}})
	playing(t, p)
	renewed.Store(true)
	c.cut(0)
	until(t, "the end", func() bool { return p.err != nil }, p)
	var mismatch *client.MismatchError
	if !errors.As(p.err, &mismatch) || mismatch.ServerProtocol != session.Version+1 {
		t.Errorf("ended with %v, want the mismatch", p.err)
	}
}

// What the server refuses, Dial returns, with the reason.
func TestJoiningThatIsRefused(t *testing.T) {
	t.Parallel()
	level := box(60)
	s := open(t, level, newMatch(level, 1))
	dial(t, s.url, client.Config{})
	for _, c := range []struct {
		what   string
		config client.Config
		want   string
	}{
		{"a full match", client.Config{}, "client: refused by the server: session: the match is full"},
		{"a full match, by WebSocket", client.Config{Transports: []client.Transport{client.WebSocket}}, "client: refused by the server: session: the match is full"},
		{"an unknown match", client.Config{Match: "moon"}, "/api/join?match=moon: 404 Not Found: no match of that name"},
		{"a name of spaces", client.Config{Name: "  "}, `client: Config.Name "  ": session: a name is 1 to 24`},
		{"another level than the match's", client.Config{Level: box(3)}, "client: Config.Level has the hash " + box(3).Hash() + " and the match's level " + level.Hash()},
		{"an unknown certificate and no other transport", client.Config{
			Fetch: altered(func(a *join.Answer) { a.CertHashes = []string{strings.Repeat("0a", 32)} }), Transports: []client.Transport{client.QUIC},
		}, "no transport works: quic: dialing"},
		{"a hash that is none", client.Config{
			Fetch: altered(func(a *join.Answer) { a.CertHashes = []string{"12zz"} }), Transports: []client.Transport{client.QUIC},
		}, `/api/join: "12zz" is not a certificate hash`},
	} {
		if p, err := tryDial(t, s.url, c.config); !contains(err, c.want) {
			t.Errorf("%s: got %v, %v, want %s", c.what, p, err, c.want)
		}
	}
}

// Where UDP is not offered or its ticket is not valid, QUIC is used, and where that does not pass either, WebSocket.
func TestTransportsFallBack(t *testing.T) {
	t.Parallel()
	level := box(60)
	s := open(t, level, newMatch(level, 3))
	other := strings.Repeat("0a", 32)
	for _, c := range []struct {
		want   string
		change func(a *join.Answer)
	}{
		{"udp", func(*join.Answer) {}},
		{"quic", func(a *join.Answer) { a.UDP = nil }},
		{"quic", func(a *join.Answer) { a.UDP.Secret = other }}, // no ticket of this server
		{"websocket", func(a *join.Answer) { a.UDP, a.CertHashes = nil, []string{other} }},
	} {
		p := dial(t, s.url, client.Config{Fetch: altered(c.change)})
		if p.Transport() != c.want {
			t.Errorf("connected by %q, want %s", p.Transport(), c.want)
		}
		playing(t, p)
		p.Close()
	}
}

// A transport whose first attempt gets lost, as under a flood of first packets, is tried once more; one that never
// works is named once. [THR-02]
func TestTransportsAreTriedTwice(t *testing.T) {
	t.Parallel()
	level := box(60)
	s := open(t, level, newMatch(level, 3))
	for _, c := range []struct {
		lost int // attempts
		want string
	}{{1, ""}, {2, "no transport works: lost 2"}} {
		tries := 0
		p, err := tryDial(t, s.url, client.Config{Transports: []client.Transport{func(ctx context.Context, s *client.Server) (transport.Conn, error) {
			if tries++; tries <= c.lost {
				return nil, fmt.Errorf("lost %d", tries)
			}
			return client.QUIC(ctx, s)
		}}})
		switch {
		case c.want != "" && (!contains(err, c.want) || strings.Count(err.Error(), "lost") != 1):
			t.Errorf("%d attempts lost: got %v, want %s", c.lost, err, c.want)
		case c.want == "" && err != nil:
			t.Errorf("%d attempts lost: %v", c.lost, err)
		}
		if p != nil {
			p.Close()
		}
	}
}

// A server that was asked once can be connected to again and again: each connection has a ticket of its own.
func TestEachConnectionHasATicket(t *testing.T) {
	t.Parallel()
	level := box(60)
	s := open(t, level, newMatch(level, 3))
	found, err := client.Find(t.Context(), s.url, client.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		ticket := found.Answer.UDP.Ticket
		c, err := client.UDP(t.Context(), found)
		if err != nil {
			t.Fatalf("connection %d: %v", i+1, err)
		}
		defer c.Close("test over")
		if i > 0 && found.Answer.UDP.Ticket == ticket {
			t.Errorf("connection %d has the ticket of another", i+1)
		}
	}
}

// A level that arrives damaged is downloaded again; one that has another hash than the match says,
// each time, is an error with both.
func TestTheLevelsHashIsChecked(t *testing.T) {
	t.Parallel()
	level, other := box(60), box(3)
	s := open(t, level, newMatch(level, 2))
	var loads int
	serve := func(levels ...[]byte) func(context.Context, string) ([]byte, error) {
		loads = 0
		return func(ctx context.Context, url string) ([]byte, error) {
			if !strings.Contains(url, "/levels/") {
				return get(ctx, url)
			}
			loads++
			return levels[min(loads, len(levels))-1], nil
		}
	}
	good, wrong := level.AppendBinary(nil), other.AppendBinary(nil)
	if dial(t, s.url, client.Config{Fetch: serve(good[:len(good)/2], wrong, good)}); loads != 3 {
		t.Errorf("a damaged level, then a wrong one: %d downloads, want 3", loads)
	}
	want := "the level's hash is " + other.Hash() + ", not " + level.Hash()
	if _, err := tryDial(t, s.url, client.Config{Name: "Bea", Fetch: serve(wrong)}); !contains(err, want) || loads != 3 {
		t.Errorf("a wrong level: got %v after %d downloads, want %s after 3", err, loads, want)
	}
	if _, err := tryDial(t, s.url, client.Config{Name: "Bea", Fetch: serve([]byte("world"))}); !contains(err, "/levels/"+level.Hash()+": collide: ") {
		t.Errorf("no level: got %v, want collide's error", err)
	}
	none := altered(func(a *join.Answer) { a.Level, a.World = "", "" })
	if _, err := tryDial(t, s.url, client.Config{Name: "Bea", Fetch: none}); !contains(err, "/api/join names no level: its match needs a session.ServerConfig.LevelHash") {
		t.Errorf("without a level: got %v", err)
	}
}

// Addresses that are none, and servers that are none.
func TestAddressesWithoutAServer(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<html>") }))
	defer web.Close()
	var address *client.AddressError
	for _, url := range []string{"", "ftp://localhost", "http://", "http://local host", ":8080x"} {
		if _, err := tryDial(t, url, client.Config{}); !errors.As(err, &address) || !contains(err, "want something like http://localhost:8080") {
			t.Errorf("%q: got %v, want an AddressError", url, err)
		}
	}
	if _, err := tryDial(t, "127.0.0.1:1", client.Config{}); !errors.Is(err, syscall.ECONNREFUSED) || !contains(err, "http://127.0.0.1:1/api/join") {
		t.Errorf("no server: got %v, want a refused connection to it", err)
	}
	if _, err := tryDial(t, web.URL+"/", client.Config{}); !contains(err, web.URL+"/api/join: invalid character '<'") {
		t.Errorf("another server: got %v", err)
	}
}

// A context that ends, ends Dial at once and leaves nothing behind, wherever Dial waits.
func TestDialEndsWithItsContext(t *testing.T) {
	t.Parallel()
	level := box(60)
	s := open(t, level, newMatch(level, 2))
	deaf, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer deaf.Close()
	mute := func(ctx context.Context, _ *client.Server) (transport.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	silent := func(context.Context, *client.Server) (transport.Conn, error) {
		here, _ := mem.Pipe()
		return here, nil
	}
	for what, c := range map[string]struct {
		url    string
		config client.Config
	}{
		"the join request":  {"http://" + deaf.Addr().String(), client.Config{}},
		"the level":         {s.url, client.Config{Fetch: stuckAt("/levels/")}},
		"the connection":    {s.url, client.Config{Transports: []client.Transport{mute}}},
		"the hello's reply": {s.url, client.Config{Transports: []client.Transport{silent}}},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(300*time.Millisecond, cancel)
		began := time.Now()
		c.config.Name = "Ada"
		_, err := client.Dial(ctx, c.url, game, c.config)
		if d := time.Since(began); !errors.Is(err, context.Canceled) || d > 3*time.Second { // less than Dial's own timeouts
			t.Errorf("%s: got %v after %v, want the context's error at once", what, err, d)
		}
	}
}

// stuckAt returns a Fetch that does not return for some URLs.
func stuckAt(part string) func(context.Context, string) ([]byte, error) {
	return func(ctx context.Context, url string) ([]byte, error) {
		if strings.Contains(url, part) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return get(ctx, url)
	}
}

// Find and Fetch serve programs that want more of a server than a player.
func TestFindingAMatch(t *testing.T) {
	t.Parallel()
	level := box(60)
	s := open(t, level, newMatch(level, 2))
	found, err := client.Find(t.Context(), s.url, client.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if found.URL != s.url || found.Match != "field" || found.Level != level.Hash() || found.Protocol != session.Version {
		t.Errorf("found %+v", found)
	}
	world, err := found.LoadLevel(t.Context())
	if err != nil || world.Hash() != level.Hash() {
		t.Errorf("its level: %v", err)
	}
	b, err := found.Fetch(t.Context(), "/healthz")
	if err != nil || !bytes.Equal(b, []byte("ok\n")) {
		t.Errorf("/healthz: %q, %v", b, err)
	}
}
