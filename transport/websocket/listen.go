package websocket

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/pump"
)

// Config is how to take WebSockets in. The zero Config is complete.
type Config struct {
	// Origins are host patterns ("game.example", "*.game.example") whose
	// pages may connect. Empty allows every page: no cookie travels, and who
	// may play is the connect token's matter.
	Origins []string

	// Addr is what Listener.Addr reports: where the HTTP server listens.
	Addr net.Addr

	// Hello is transport.HelloDeadline, or a shorter one for tests.
	Hello time.Duration
}

// Listener is an http.Handler whose WebSockets come out of Accept. Mount it
// at /ws of the HTTP server, which stays the caller's.
type Listener struct {
	config Config
	door   *pump.Door
}

var (
	_ transport.Listener = (*Listener)(nil)
	_ http.Handler       = (*Listener)(nil)
)

// New gives an open Listener.
func New(c Config) *Listener {
	if c.Hello <= 0 {
		c.Hello = transport.HelloDeadline
	}
	return &Listener{config: c, door: pump.NewDoor()}
}

// ServeHTTP upgrades a request. It returns when the connection is on its way
// to Accept; the socket lives on.
func (l *Listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	leave, ok := l.door.Knock(r.RemoteAddr)
	if !ok {
		http.Error(w, "server busy", http.StatusServiceUnavailable)
		return
	}
	defer leave()
	b := &bounded{ResponseWriter: w}
	conn, err := websocket.Accept(b, r, &websocket.AcceptOptions{
		InsecureSkipVerify: len(l.config.Origins) == 0,
		OriginPatterns:     l.config.Origins,
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		return // Accept has answered
	}
	l.door.Admit(newWire(conn, b.socket, r.RemoteAddr).start(), l.config.Hello)
}

// Accept implements transport.Listener.
func (l *Listener) Accept(ctx context.Context) (transport.Conn, error) { return l.door.Accept(ctx) }

// Addr implements transport.Listener; nil when the Config had none.
func (l *Listener) Addr() net.Addr { return l.config.Addr }

// Close implements transport.Listener: every connection hears "server
// closed". The HTTP server is the caller's to close.
func (l *Listener) Close() error {
	l.door.Close("server closed")
	return nil
}

// bounded is a ResponseWriter whose hijacked socket has a bounded send
// buffer, and is remembered.
type bounded struct {
	http.ResponseWriter
	socket net.Conn
}

// Hijack implements http.Hijacker.
func (b *bounded) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(b.ResponseWriter).Hijack()
	if err == nil {
		bound(conn)
		b.socket = conn
	}
	return conn, rw, err
}
