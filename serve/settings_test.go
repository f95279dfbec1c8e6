package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/internal/locked"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/token"
	"github.com/backstep-net/backstep/transport/join"
)

// server is a server that runs in this process.
type server struct {
	ctx  context.Context // its own, which ends with patience
	url  string
	log  *locked.Buffer
	stop func() // and waits for its end
}

// start starts a server on free ports; the test's end stops it.
func start(t *testing.T, c config, args ...string) *server {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), patience)
	s := &server{ctx: ctx, log: &locked.Buffer{}}
	ended := make(chan error, 1)
	go func() {
		ended <- serve.Run(ctx, jetpack.Game(&model), c, append(args, "-addr", "127.0.0.1:0", "-quic", "127.0.0.1:0"), s.log)
	}()
	s.stop = sync.OnceFunc(func() {
		end()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("%q: got %v", args, err)
		}
	})
	t.Cleanup(s.stop)
	until(ctx, t, "the server starts, or ends", func() bool { return s.logged(`serving http=(\S+)`) != "" || len(ended) > 0 })
	if s.url = "http://" + s.logged(`serving http=(\S+)`); s.url == "http://" {
		s.stop()
		t.Fatalf("the server does not start:\n%s", s.log)
	}
	return s
}

// logged returns what the log has for the group of an expression, "" for nothing.
func (s *server) logged(expression string) string {
	if found := regexp.MustCompile(expression).FindStringSubmatch(s.log.String()); found != nil {
		return found[1]
	}
	return ""
}

// get asks the server with one header, and returns the answer's status, headers and body.
func get(t *testing.T, url, name, value string) (int, http.Header, string) {
	t.Helper()
	r, _ := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	r.Header.Set(name, value)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	return res.StatusCode, res.Header, string(body)
}

// What an operator sets reaches the ports: other sites' pages may join or not, players reach QUIC where it is said, native
// clients get no UDP, nobody joins without a token, and the admin port wants its secret. [THR-33, THR-40, THR-41]
func TestSettingsReachTheServer(t *testing.T) {
	folder := t.TempDir()
	signs, checks := token.NewKeyPair()
	file := func(name, text string) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	c := config{Session: session.ServerConfig{World: floor()}, OnJoin: place, Origins: []string{"b.example"}}
	err := serve.Run(t.Context(), jetpack.Game(&model), c, []string{"-token-key", file("signs", signs.Encode())}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "a signing key is the backend's") {
		t.Errorf("a key that signs: got %v, want whose it is", err)
	}
	s := start(t, c, "-origin", "a.example", "-public", "play.example:443", "-no-udp",
		"-token-key", file("checks", checks.Encode()), "-admin", "127.0.0.1:0", "-admin-secret", file("secret", "correct horse battery"))
	for origin, want := range map[string]int{"https://a.example": 200, "https://evil.example": 403} {
		status, head, body := get(t, s.url+join.Path, "Origin", origin)
		if status != want || (head.Get("Access-Control-Allow-Origin") == origin) != (want == 200) {
			t.Errorf("a page of %s: %d %v, want %d", origin, status, head, want)
		}
		var a join.Answer
		if want == 200 && (json.Unmarshal([]byte(body), &a) != nil || a.QUIC != "play.example:443" || a.UDP != nil || !a.Tokens) {
			t.Errorf("got %s, want QUIC at play.example:443, no UDP, and tokens", body)
		}
	}
	admin := "http://" + s.logged(`serving.* admin=(\S+)`) + "/status"
	for secret, want := range map[string]int{"wrong": 401, "correct horse battery": 200} {
		if status, _, _ := get(t, admin, "Authorization", "Bearer "+secret); status != want {
			t.Errorf("the admin port with the secret %q: %d, want %d", secret, status, want)
		}
	}
}

// The settings of a server hold in each of its matches, also where the function that makes another one has others.
func TestSettingsOfSeveralMatches(t *testing.T) {
	var mu sync.Mutex
	got := map[string][3]int{} // seats, bots and tick rate
	var c config
	c = config{
		Session: session.ServerConfig{World: floor(), Players: 9, TickRate: 30}, OnJoin: place,
		Think: func(c *session.Client[hero, command]) command {
			if c.Self() == nil {
				t.Error("a bot thinks before it is placed")
			}
			return command{}
		},
		Another: func() config { a := c; a.Session.Players, a.Session.TickRate = 7, 50; return a },
		OnTick: func(m *match, now clock.Micros) {
			mu.Lock()
			defer mu.Unlock()
			if n := len(m.Players(nil)); n > 0 {
				got[m.Name] = [3]int{m.Seats(), n, int((clock.Micros(m.TickNumber())*clock.Second + now/2) / now)}
			}
		},
	}
	s := start(t, c, "-matches", "3", "-players", "5", "-bots", "2", "-tick", "20")
	until(s.ctx, t, "three matches have their bots", func() bool { mu.Lock(); defer mu.Unlock(); return len(got) == 3 })
	s.stop()
	for _, name := range []string{"match", "match-2", "match-3"} {
		if want := [3]int{5, 2, 20}; got[name] != want {
			t.Errorf("%s has %d seats, bots and ticks a second; want %d", name, got[name], want)
		}
	}
}

// A player whose connection is lost comes back to a recorded match by its key, which the match drew: simulated again, it has
// its seat again. The file says by which program it can be simulated.
func TestAPlayerThatComesBackIsRecorded(t *testing.T) {
	folder := t.TempDir()
	again := make(chan session.Event, 4)
	c := config{Session: session.ServerConfig{World: floor(), SnapshotRate: 30}, OnJoin: func(m *match, e session.Event) {
		if place(m, e); e.Reconnected {
			again <- e
		}
	}}
	s := start(t, c, "-record", folder)
	dial := func(key session.Key) *client.Client[hero, command] {
		p, err := client.Dial(s.ctx, s.url, jetpack.Game(&model), client.Config{Name: "Ann", Key: key})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		return p
	}
	first := dial(session.Key{})
	until(s.ctx, t, "Ann plays", func() bool { _ = first.Frame(&command{}); return first.Self() != nil })
	back := dial(first.Key())
	until(s.ctx, t, "Ann is back", func() bool { _ = back.Frame(&command{}); return len(again) > 0 })
	s.stop()
	if e := <-again; e.Player != first.ID() || s.logged(`msg=joined .*player=(\d+) .* reconnected=true`) == "" {
		t.Errorf("back as player %d, log\n%s\nwant player %d, and the log to say so", e.Player, s.log, first.ID())
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*.bsrec"))
	if len(files) != 1 {
		t.Fatalf("recordings: %q, want one", files)
	}
	f, err := record.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var format uint32
	result, err := f.Verify(func(f *record.File, newKey func() session.Key) (record.Match, error) {
		c.Session.World, c.Session.NewKey = f.World(), newKey
		m, err := serve.New(jetpack.Game(&model), c)
		format = m.Format()
		return m, err
	})
	if err != nil || result.Differed || result.Hashes == 0 {
		t.Errorf("simulated again: %v, %v", result, err)
	}
	h := f.Head()
	if h.Protocol != session.Version || h.Format != format || h.TickRate != 60 || h.SnapshotRate != 30 || h.Level != floor().Hash() || time.Since(h.Began) > patience {
		t.Errorf("got the head %+v, want protocol %d, format %d, 60 and 30 a second, and level %s", h, session.Version, format, floor().Hash())
	}
}
