package front_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/front"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/internal/locked"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/token"
	"github.com/backstep-net/backstep/transport/join"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come; nothing is timed by it.
const patience = time.Minute

var game = jetpack.Game(new(movement.DefaultModel()))

type (
	hero    = jetpack.Hero
	command = jetpack.Command
)

// server is a running host, which wants tokens. Told to stop, its matches end at once.
type server struct {
	url, quic string
	halt      func() // and waits for the end
	drain     func()
}

// openServer runs a server of one match until the test's end.
func openServer(t *testing.T, keys ...token.Key) *server {
	t.Helper()
	return openMatches(t, []string{"field"}, keys...)
}

// openMatches runs a server of matches with these names until the test's end.
func openMatches(t *testing.T, names []string, keys ...token.Key) *server {
	t.Helper()
	level := collide.Floor(60)
	var matches []host.MatchConfig
	for _, name := range names {
		matches = append(matches, host.MatchConfig{Name: name, Match: newMatch(t, level)})
	}
	h, err := host.New(host.Config{
		Addr: "127.0.0.1:0", QUIC: "127.0.0.1:0", Tokens: keys, Drain: time.Minute,
		Matches: matches,
		Levels:  map[string]host.Level{level.Hash(): {World: level.AppendBinary(nil)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { _ = h.Run(ctx); close(ended) }()
	s := &server{url: "http://" + h.Addr().String(), quic: h.QUICAddr().String(), halt: func() { stop(); <-ended }, drain: h.Drain}
	t.Cleanup(s.halt)
	return s
}

// newMatch returns a match of four seats.
func newMatch(t *testing.T, level *collide.World) *serve.Match[hero, command] {
	t.Helper()
	m, err := serve.New(game, serve.Config[hero, command]{
		Session: session.ServerConfig{World: level, Players: 4},
		OnJoin: func(m *serve.Match[hero, command], e session.Event) {
			if !e.Reconnected {
				m.SetState(e.Player, hero{State: movement.Spawn(geom.V(float64(3*e.Player), 0.1, 0), 0)})
			}
		},
		OnDrain: func(m *serve.Match[hero, command], _ time.Duration) { m.Finish() },
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// openFront runs a front door until the test's end, and returns its URL.
func openFront(t *testing.T, c front.Config) (url string, halt func()) {
	t.Helper()
	c.Addr = "127.0.0.1:0"
	c.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	f, err := front.New(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	halt = sync.OnceFunc(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	t.Cleanup(halt)
	return "http://" + f.Addr().String(), halt
}

// player is a client that the test plays.
type player struct {
	*client.Client[hero, command]
	input command
	err   error
}

// dial joins through a front door.
func dial(t *testing.T, url, name string, queued func(int)) *player {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, err := client.Dial(ctx, url, game, client.Config{
		Name: name, Queued: queued, Transports: []client.Transport{client.QUIC}, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return nil
	}
	t.Cleanup(c.Close)
	return &player{Client: c}
}

// until plays until something is so.
func until(t *testing.T, what string, is func() bool, players ...*player) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		for _, p := range players {
			p.err = errors.Join(p.err, p.Frame(&p.input))
		}
		if time.Now().After(deadline) {
			t.Fatalf("in vain: %s", what)
		}
	}
}

// walks plays until a player has walked two metres.
func walks(t *testing.T, what string, p *player) {
	t.Helper()
	until(t, what+" plays", func() bool { return p.Phase() == session.Playing }, p)
	start := p.Self().Position
	p.input.Forward = 1
	until(t, what+" walks", func() bool { return p.Self() != nil && p.Self().Position.Dist(start) > 2 }, p)
	p.input.Forward = 0
}

// THR-75: a player's whole way. The front door sends Ada to the first server and Bea to the second, each with a
// token of its own, and both play over QUIC; Cleo waits, knows its place, and gets Bea's seat. Ada's server drains:
// Ada reads the reason, asks the front door again by itself, waits, and plays on the other server when there is a seat.
func TestAPlayersWholeWay(t *testing.T) {
	t.Parallel()
	signs, checks := token.NewKeyPair()
	a, b := openServer(t, checks), openServer(t, checks)
	url, _ := openFront(t, front.Config{Allocator: &front.Static{Servers: []string{a.url, b.url + "/"}, Seats: 1}, Key: signs})
	ada := dial(t, url, "Ada", nil)
	walks(t, "Ada", ada)
	bea := dial(t, url, "Bea", nil)
	walks(t, "Bea", bea)
	if at, other := ada.Server().URL, bea.Server().URL; at != a.url || other != b.url {
		t.Errorf("Ada is on %s and Bea on %s, want %s and %s", at, other, a.url, b.url)
	}
	places, cleo := make(chan int, 16), make(chan *player)
	go func() { cleo <- dial(t, url, "Cleo", func(n int) { places <- n }) }()
	if n := <-places; n != 1 {
		t.Errorf("Cleo's place is %d, want 1", n)
	}
	bea.Close()
	c := <-cleo
	if c == nil {
		t.FailNow()
	}
	walks(t, "Cleo", c)
	a.drain()
	until(t, "Ada's server stops", func() bool { return !ada.Connected() }, ada, c)
	time.Sleep(time.Second) // a few requests to the front door, which has no seat
	c.Close()
	until(t, "Ada is back", func() bool { return ada.Phase() == session.Playing }, ada)
	walks(t, "Ada", ada)
	if got := ada.Server().URL; got != b.url || ada.err != nil {
		t.Errorf("Ada is on %s with the error %v, want %s", got, ada.err, b.url)
	}
}

// THR-75: the front door fills the matches of a server one after another. Players that name no match play in the one that
// it has chosen for them, with their tokens for it.
func TestMatchesOfOneServerBehindAFrontDoor(t *testing.T) {
	t.Parallel()
	key := token.NewSharedKey()
	s := openMatches(t, []string{"field", "field-2", "field-3"}, key)
	url, _ := openFront(t, front.Config{Allocator: &front.Static{Servers: []string{s.url}, Seats: 1}, Key: key})
	got := map[string]bool{}
	for _, name := range []string{"Ada", "Bea", "Cleo"} {
		p := dial(t, url, name, nil)
		if p == nil {
			t.FailNow()
		}
		walks(t, name, p)
		got[p.Server().Match] = true
	}
	if len(got) != 3 {
		t.Errorf("the players are in %v, want one in each match", got)
	}
}

// A front door serves the page of its players, whose policy lets it connect to the servers of their seats, whatever their
// addresses. A folder that is not there is an error that names it. [THR-41]
func TestThePageOfAFrontDoor(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "index.html"), []byte("a game"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := front.Config{Allocator: none{front.ErrFull}, Key: token.NewSharedKey(), Web: folder, Origins: []string{"portal.example"}}
	url, _ := openFront(t, c)
	res, err := http.DefaultClient.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	policy := res.Header.Get("Content-Security-Policy")
	for _, want := range []string{"script-src 'self' 'wasm-unsafe-eval';", " http: https: ws: wss:;", "frame-ancestors 'self' portal.example"} {
		if !strings.Contains(policy, want) {
			t.Errorf("%q is missing in the policy %q", want, policy)
		}
	}
	if string(body) != "a game" {
		t.Errorf("the page is %q", body)
	}
	c.Web = filepath.Join(folder, "missing")
	var wrong *host.AddressError
	if _, err := front.New(c); !errors.As(err, &wrong) || wrong.Field != "Web" || wrong.Value != c.Web {
		t.Errorf("a folder that is not there: got %v", err)
	}
}

// A page that shows the level before its visitor plays takes no seat: the front door answers for a server of its list,
// without a ticket and a token, and the one seat is still there. With no server that answers it says so.
func TestAPreviewTakesNoSeat(t *testing.T) {
	t.Parallel()
	key := token.NewSharedKey()
	s := openServer(t, key)
	url, _ := openFront(t, front.Config{Allocator: &front.Static{Servers: []string{s.url}, Seats: 1}, Key: key})
	for range 3 {
		status, a, body := request(t, url+join.Path+"?preview=1")
		if status != http.StatusOK || a.Address != s.url || a.World == "" || a.Ticket != "" || a.Token != "" {
			t.Errorf("got %d %s, want the answer of %s without a ticket and a token", status, body, s.url)
		}
	}
	if _, a, body := request(t, url+join.Path); a.Address != s.url || a.Ticket == "" || a.Token == "" {
		t.Errorf("after the previews: %s, want the seat", body)
	}
	url, _ = openFront(t, front.Config{Allocator: none{front.ErrFull}, Key: key})
	if status, _, body := request(t, url+join.Path+"?preview=1"); status != http.StatusServiceUnavailable || !strings.Contains(body, "no server answers yet") {
		t.Errorf("without a server: %d %s", status, body)
	}
}

// request asks a front door and returns the status and the answer.
func request(t *testing.T, url string, header ...string) (int, join.Answer, string) {
	t.Helper()
	r, _ := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	var a join.Answer
	_ = json.Unmarshal(body, &a)
	return res.StatusCode, a, string(body)
}

// THR-75: a player that comes back with its ticket gets a fresh token for its match; another account with it does not.
func TestATicket(t *testing.T) {
	t.Parallel()
	key := token.NewSharedKey()
	s := openServer(t, key)
	url, _ := openFront(t, front.Config{
		Allocator: &front.Static{Servers: []string{s.url}, Seats: 2}, Key: key,
		Identify: func(r *http.Request) (session.Identity, error) {
			if r.Header.Get("Account") == "" {
				return session.Identity{}, errors.New("log in first")
			}
			return session.Identity{Account: r.Header.Get("Account"), Name: "Ada"}, nil
		},
	})
	if status, _, body := request(t, url+join.Path); status != http.StatusForbidden || !strings.Contains(body, "log in first") {
		t.Errorf("without an account: %d %s", status, body)
	}
	_, first, _ := request(t, url+join.Path, "Account", "a-1")
	_, again, _ := request(t, url+join.Path+"?ticket="+first.Ticket, "Account", "a-1")
	_, thief, _ := request(t, url+join.Path+"?ticket="+first.Ticket, "Account", "a-2")
	check := token.NewChecker([]token.Key{key}, first.Server)
	for account, a := range map[string]join.Answer{"a-1": first, "a-1 ": again, "a-2": thief} {
		who, err := check.Check(a.Token, "field", time.Now())
		if err != nil || who.Account != strings.TrimSpace(account) || who.Name != "Ada" || a.Address != s.url || a.QUIC != s.quic {
			t.Errorf("%s: %+v, %v; the answer %+v", account, who, err, a)
		}
	}
	if first.Ticket != again.Ticket || first.Ticket == thief.Ticket || first.Token == again.Token {
		t.Errorf("tickets %s, %s, of another account %s; want the same twice, and tokens that differ", first.Ticket, again.Ticket, thief.Ticket)
	}
}

// none is an allocator without servers.
type none struct{ err error }

func (n none) Allocate(context.Context) (front.Place, error) { return front.Place{}, n.err }

// THR-76: the line is bounded, in all and of an address; a page of another origin is refused; the line goes on
// where the allocator fails. A player that has gone away loses the place. A front door that drains refuses newcomers, and says
// so at /readyz.
func TestTheLineIsBounded(t *testing.T) {
	t.Parallel()
	url, halt := openFront(t, front.Config{
		Allocator: none{errors.New("the cluster is away")}, Key: token.NewSharedKey(), Queue: 3, Drain: patience,
		Limits: host.Limits{Connections: 2, Loopback: true},
	})
	var group sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]int{}
	for range 4 {
		group.Go(func() {
			status, a, _ := request(t, url+join.Path)
			mu.Lock()
			defer mu.Unlock()
			seen[fmt.Sprint(status, " place ", a.Place)]++
		})
	}
	group.Wait()
	if seen["200 place 1"] != 1 || seen["200 place 2"] != 1 || seen["503 place 0"] != 2 {
		t.Errorf("four players of one address: %v, want places 1 and 2 and two refused", seen)
	}
	if status, _, _ := request(t, url+join.Path, "Origin", "https://evil.example"); status != http.StatusForbidden {
		t.Errorf("a page of another origin: %d", status)
	}
	go halt()
	until(t, "not ready", func() bool { status, _, _ := request(t, url+"/readyz"); return status == http.StatusServiceUnavailable })
	if status, _, _ := request(t, url+"/healthz"); status != http.StatusOK {
		t.Errorf("/healthz while it drains: %d", status)
	}
	halt() // the line empties, since nobody asks any more
}

// THR-77: seats of a fleet come from the allocator service of Agones, by the contract of its REST API: allocated
// servers with room first, then ready ones; none there is no error; a server's ports by their names.
func TestAgonesAllocates(t *testing.T) {
	t.Parallel()
	key := token.NewSharedKey()
	s := openServer(t, key)
	_, port, _ := strings.Cut(strings.TrimPrefix(s.url, "http://"), ":")
	_, udp, _ := strings.Cut(s.quic, ":")
	answers := make(chan string, 8)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		want := `{"gameServerSelectors":[{"matchLabels":{"agones.dev/fleet":"arena"},"gameServerState":"ALLOCATED","counters":{"players":{"minAvailable":"1"}}},` +
			`{"matchLabels":{"agones.dev/fleet":"arena"},"gameServerState":"READY"}],"namespace":"games"}`
		if r.Method != "POST" || r.URL.Path != "/gameserverallocation" || string(body) != want {
			t.Errorf("%s %s %s", r.Method, r.URL.Path, body)
		}
		answer := <-answers
		if code, err := strconv.Atoi(answer); err == nil {
			http.Error(w, `{"code":8,"message":"there is no available GameServer to allocate"}`, code)
			return
		}
		io.WriteString(w, answer)
	}))
	defer service.Close()
	a := &front.Agones{URL: service.URL, Namespace: "games", Fleet: "arena", Seats: 2}
	for code, full := range map[string]bool{"429": true, "409": true, "500": false} { // none is free, another door was faster, a fault
		answers <- code
		if _, err := a.Allocate(t.Context()); err == nil || errors.Is(err, front.ErrFull) != full {
			t.Errorf("after %s: %v, want ErrFull: %v", code, err, full)
		}
	}
	answers <- `{"gameServerName":"arena-1","address":"127.0.0.1","ports":[{"name":"default","port":7000}]}`
	if _, err := a.Allocate(t.Context()); err == nil || !strings.Contains(err.Error(), `ports named "http" and "quic"`) {
		t.Errorf("a server without our ports: %v", err)
	}
	for range 2 {
		answers <- fmt.Sprintf(`{"gameServerName":"arena-1","ports":[{"name":"http","port":%s},{"name":"quic","port":%s}],"address":"127.0.0.1","nodeName":"n","source":"local"}`, port, udp)
	}
	url, _ := openFront(t, front.Config{Allocator: a, Key: key})
	ada := dial(t, url, "Ada", nil)
	if ada == nil {
		t.FailNow()
	}
	walks(t, "Ada", ada)
	if got := ada.Server().QUIC; got != s.quic {
		t.Errorf("QUIC at %s, want %s", got, s.quic)
	}
}

// A front door whose servers do not answer says so in its log and its metrics: else a wrong URL would
// look like full servers for ever. The admin port wants its secret, and shows who waits.
func TestServersThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	var log locked.Buffer
	f, err := front.New(front.Config{
		Addr: "127.0.0.1:0", Allocator: &front.Static{Servers: []string{gone.URL}, Seats: 1}, Key: token.NewSharedKey(),
		Admin: "127.0.0.1:0", AdminSecret: "open", Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	if status, a, _ := request(t, "http://"+f.Addr().String()+join.Path); status != http.StatusOK || a.Place != 1 {
		t.Errorf("a player gets %d and place %d, want to wait at place 1", status, a.Place)
	}
	admin := "http://" + f.AdminAddr().String()
	var body string
	until(t, "a failed allocation is counted", func() bool {
		_, _, body = request(t, admin+"/metrics", "Authorization", "Bearer open")
		return strings.Contains(body, "backstep_front_allocations_failed_total") && !strings.Contains(body, "backstep_front_allocations_failed_total 0")
	})
	if !strings.Contains(body, "backstep_front_waiting 1") {
		t.Errorf("the metrics do not show who waits:\n%s", body)
	}
	if status, _, _ := request(t, admin+"/metrics"); status != http.StatusUnauthorized {
		t.Errorf("without the secret: %d, want 401", status)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
	if got := log.String(); !strings.Contains(got, "allocating") || !strings.Contains(got, strings.TrimPrefix(gone.URL, "http://")) {
		t.Errorf("the log does not name the server that does not answer:\n%s", got)
	}
}

// A front door that cannot reach its peers ends with an error, and leaves neither port open.
func TestAFrontDoorWithoutItsPeers(t *testing.T) {
	t.Parallel()
	conn, err := nats.Connect(embedded(t))
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	f, err := front.New(front.Config{
		Addr: "127.0.0.1:0", Admin: "127.0.0.1:0", Allocator: none{front.ErrFull}, Key: token.NewSharedKey(), NATS: conn, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Run(t.Context()); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("got %v, want that the connection is closed", err)
	}
	for _, a := range []net.Addr{f.Addr(), f.AdminAddr()} {
		l, err := net.Listen("tcp", a.String())
		if err != nil {
			t.Errorf("%s is still open: %v", a, err)
			continue
		}
		l.Close()
	}
}

// What a front door cannot be without is a panic that says what to do; a port that cannot be opened is
// an error, and leaves the other one closed.
func TestFrontDoorsThatCannotBe(t *testing.T) {
	_, checks := token.NewKeyPair()
	for what, c := range map[string]front.Config{
		"no allocator":           {Key: token.NewSharedKey()},
		"no key":                 {Allocator: none{}},
		"a key that only checks": {Allocator: none{}, Key: checks},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "front: New needs Config.Allocator, and as Config.Key one that makes tokens") {
					t.Errorf("%s: got %q", what, got)
				}
			}()
			_, _ = front.New(c)
		}()
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for field, c := range map[string]front.Config{"Addr": {Addr: taken.Addr().String()}, "Admin": {Addr: "127.0.0.1:0", Admin: taken.Addr().String()}} {
		c.Allocator, c.Key, c.Log = none{}, token.NewSharedKey(), slog.New(slog.DiscardHandler)
		_, err := front.New(c)
		var address *host.AddressError
		if !errors.As(err, &address) || address.Field != field {
			t.Errorf("%s is taken: got %v, want an error of that field", field, err)
		}
	}
}
