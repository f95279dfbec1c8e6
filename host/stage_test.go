package host_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/internal/locked"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/join"
	"github.com/backstep-net/backstep/transport/quic"
	"github.com/backstep-net/backstep/transport/quic/quicserver"
	"github.com/backstep-net/backstep/transport/udp"
	"github.com/backstep-net/backstep/transport/websocket"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come; nothing is timed by it.
const patience = time.Minute

// floor is a level of one big box, spawns in a row on it.
var floor = sync.OnceValue(func() *collide.World {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(60, 1, 60), geom.IdentityQuat, collide.Surface{})
	w, err := b.Bake()
	if err != nil {
		panic(err)
	}
	return w
})

// newMatch is a peaceful arena on the floor.
func newMatch(seats int) *arena.Match { return newMatchWithQueue(seats, 0) }

// newMatchWithQueue is newMatch with a queue of so many players.
func newMatchWithQueue(seats, queue int) *arena.Match {
	n := byte(0)
	config := arena.MatchConfig{
		ServerConfig: session.ServerConfig{
			World: floor(), LevelHash: floor().Hash(), TickRate: 60, Players: seats, Queue: queue,
			NewKey: func() session.Key { n++; return session.Key{n} },
		},
		KillHeight: -50, Peaceful: true, Seed: 1,
	}
	for i := range 8 {
		config.Spawns = append(config.Spawns, arena.Spawn{Position: geom.V(float64(3*i), 0.1, 0)})
	}
	return arena.NewMatch(config)
}

func seat(name string, m host.Match) host.MatchConfig {
	return host.MatchConfig{Name: name, TickRate: 60, Match: m}
}

// stage is a running host and the clients that the test plays.
type stage struct {
	t       *testing.T
	host    *host.Host
	url     string
	log     *locked.Buffer
	clients []*client
	halt    context.CancelFunc
	ended   chan error
}

// open starts a host with these matches; the test's end stops it.
func open(t *testing.T, matches ...host.MatchConfig) *stage {
	t.Helper()
	return openWith(t, host.Config{Matches: matches})
}

func openWith(t *testing.T, c host.Config) *stage {
	t.Helper()
	return openAt(t, "127.0.0.1:0", c)
}

// openAt is openWith with another address than this machine's own.
func openAt(t *testing.T, addr string, c host.Config) *stage {
	t.Helper()
	s := &stage{t: t, log: &locked.Buffer{}, ended: make(chan error, 1)}
	c.Addr, c.QUIC, c.Version = addr, "127.0.0.1:0", "test"
	if c.Admin == "" {
		c.Admin = "127.0.0.1:0"
	}
	if c.Log == nil {
		c.Log = slog.New(slog.NewTextHandler(s.log, nil))
	}
	if c.Levels == nil {
		c.Levels = map[string]host.Level{
			floor().Hash(): {World: floor().AppendBinary(nil), Model: []byte(strings.Repeat("a model ", 500))},
		}
	}
	var err error
	if s.host, err = host.New(c); err != nil {
		t.Fatal(err)
	}
	s.url = "http://" + strings.Replace(s.host.Addr().String(), "[::]", "127.0.0.1", 1)
	ctx, halt := context.WithCancel(context.Background())
	s.halt = halt
	go func() { s.ended <- s.host.Run(ctx); close(s.ended) }()
	t.Cleanup(func() {
		for _, c := range s.clients {
			c.conn.Close("the test is over")
		}
		halt()
		<-s.ended
		http.DefaultClient.CloseIdleConnections()
	})
	return s
}

// client is one player, played by until.
type client struct {
	*arena.Player
	conn    transport.Conn
	begun   time.Time
	input   arena.Input
	refused string
}

// join connects by a transport, sends the hello, and plays until it has spawned.
func (s *stage) join(via, match, name string, key session.Key) *client {
	s.t.Helper()
	c := s.hello(via, match, name, key)
	s.until(name+" plays", func() bool { return c.Phase() == session.Playing })
	return c
}

// hello connects by a transport and sends the hello.
func (s *stage) hello(via, match, name string, key session.Key) *client {
	s.t.Helper()
	c := s.connect(via, match)
	c.Hello(name, key)
	c.send()
	return c
}

// connect connects by a transport and says nothing yet.
func (s *stage) connect(via, match string) *client {
	s.t.Helper()
	c := &client{conn: s.dial(via), Player: arena.NewPlayer(session.ClientConfig{}), begun: time.Now()}
	c.SetMatch(match)
	s.clients = append(s.clients, c)
	return c
}

// dial connects by a transport, as in /api/join.
func (s *stage) dial(via string) transport.Conn {
	s.t.Helper()
	conns, errs := s.dialAll(via)
	if errs[0] != nil {
		s.t.Fatal(errs[0])
	}
	return conns[0]
}

// dialAll makes a connection by each of these transports, concurrently; where it cannot
// there is an error in its place.
func (s *stage) dialAll(by ...string) ([]transport.Conn, []error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var to join.Answer
	s.getJSON("/api/join", &to)
	conns, errs := make([]transport.Conn, len(by)), make([]error, len(by))
	var group sync.WaitGroup
	for i, via := range by {
		group.Go(func() { conns[i], errs[i] = dial(ctx, via, s.url, &to) })
	}
	group.Wait()
	for _, conn := range conns {
		if conn != nil {
			s.t.Cleanup(func() { conn.Close("the test is over") })
		}
	}
	return conns, errs
}

func dial(ctx context.Context, via, url string, to *join.Answer) (transport.Conn, error) {
	var hashes []quic.Hash
	for _, text := range to.CertHashes {
		var h quic.Hash
		if n, err := hex.Decode(h[:], []byte(text)); err != nil || n != len(h) {
			return nil, fmt.Errorf("certificate hash %q: %v", text, err)
		}
		hashes = append(hashes, h)
	}
	switch via {
	case "quic":
		return quic.Dial(ctx, to.QUIC, hashes)
	case "udp":
		ticket, err := udp.ParseTicket(to.UDP)
		if err != nil {
			return nil, err
		}
		return udp.Dial(ctx, to.QUIC, ticket)
	case "webtransport":
		return quicserver.DialWebTransport(ctx, to.QUIC, hashes)
	}
	return websocket.Dial(ctx, "ws"+strings.TrimPrefix(url, "http")+to.WebSocket)
}

// until plays all clients until something is so.
func (s *stage) until(what string, is func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(4 * time.Millisecond) {
		for _, c := range s.clients {
			c.frame()
		}
		if is() {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("in vain: %s\n%s", what, s.log.String())
		}
	}
}

// frame is one frame of a client: what came, the player, what goes.
func (c *client) frame() {
	local := func(t time.Time) clock.Micros { return max(clock.Micros(t.Sub(c.begun).Microseconds()), 0) + 1 }
	for _, p := range c.conn.Drain(nil) {
		_ = c.Receive(session.Channel(p.Channel), local(p.At), p.Bytes)
	}
	c.Play(local(time.Now()), c.input)
	for _, e := range c.Notices {
		switch e.Kind {
		case session.Welcomed:
			c.Enter(floor())
		case session.Refused:
			c.refused = e.Text
		}
	}
	c.send()
}

func (c *client) send() {
	var set [][]byte
	for _, p := range c.Outgoing() {
		if p.Channel == session.Datagram {
			set = append(set, p.Bytes)
		} else {
			_ = c.conn.Stream(p.Bytes)
		}
	}
	c.conn.Datagrams(set...)
}

// reason is why a connection ended, in the server's words; "" while it is open.
func reason(conn transport.Conn) string {
	var ended *transport.CloseError
	if !errors.As(conn.Err(), &ended) {
		return ""
	}
	if !ended.Remote {
		return "closed by ourselves: " + ended.Reason
	}
	return ended.Reason
}

// status is the admin port's status of matches of the arena.
type status struct {
	Version string  `json:"version"`
	Uptime  float64 `json:"uptime_s"`
	Matches []struct {
		host.Status
		Players []arena.PlayerReport `json:"players"`
	} `json:"matches"`
}

func (s *stage) status() (v status) {
	s.t.Helper()
	code, body := s.askAdmin("GET", "/status", "", nil)
	if err := json.Unmarshal([]byte(body), &v); err != nil || code != http.StatusOK {
		s.t.Fatalf("/status: %d, %v: %s", code, err, body)
	}
	return v
}

func (s *stage) getJSON(path string, into any) {
	s.t.Helper()
	res, body := s.get(path)
	if err := json.Unmarshal(body, into); err != nil || res.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %s, %v: %s", path, res.Status, err, body)
	}
}

func (s *stage) get(path string) (*http.Response, []byte) {
	s.t.Helper()
	return s.ask(http.MethodGet, path, nil)
}

// ask makes a request with these headers, and reads the answer as it is sent.
func (s *stage) ask(method, path string, head http.Header) (*http.Response, []byte) {
	s.t.Helper()
	asSent := http.Header{"Accept-Encoding": {"identity"}}
	maps.Copy(asSent, head)
	return s.request(method, s.url+path, "", asSent)
}

// request makes a request with these headers and reads the answer.
func (s *stage) request(method, url, body string, head http.Header) (*http.Response, []byte) {
	s.t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	maps.Copy(req.Header, head)
	if name := head.Get("Host"); name != "" {
		req.Host = name
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res, answer
}
