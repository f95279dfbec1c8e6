//go:build !js

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

// Config configures a Listener. The zero Config is complete.
type Config struct {
	// Origins are host patterns ("game.example", "*.game.example") whose pages may
	// connect. Empty allows every page: no cookie is sent, and the connect token decides
	// which players may join.
	Origins []string

	// Addr is what Listener.Addr returns: the address of the HTTP server. Nil is returned as it
	// is.
	Addr net.Addr

	// Hello is how long a connection may take to send its first message. Zero means
	// transport.HelloTimeout; tests have a shorter one.
	Hello time.Duration
}

// Listener is an http.Handler whose WebSockets are returned by Accept. Mount it at /ws of
// the caller's HTTP server.
type Listener struct {
	config Config
	queue  *pump.AcceptQueue
}

var (
	_ transport.Listener = (*Listener)(nil)
	_ http.Handler       = (*Listener)(nil)
)

// New returns an open Listener.
func New(c Config) *Listener {
	if c.Hello <= 0 {
		c.Hello = transport.HelloTimeout
	}
	return &Listener{config: c, queue: pump.NewAcceptQueue()}
}

// ServeHTTP upgrades a request. It returns when the connection is queued for Accept; the
// socket stays open.
func (l *Listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	leave, ok := l.queue.Reserve(r.RemoteAddr)
	if !ok {
		http.Error(w, "server busy", http.StatusServiceUnavailable)
		return
	}
	defer leave()
	b := &boundedWriter{ResponseWriter: w}
	conn, err := websocket.Accept(b, r, &websocket.AcceptOptions{
		InsecureSkipVerify: len(l.config.Origins) == 0,
		OriginPatterns:     l.config.Origins,
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		return // websocket.Accept has answered
	}
	l.queue.Add(newWire(conn, b.socket, r.RemoteAddr).start(), l.config.Hello)
}

// Accept implements transport.Listener.
func (l *Listener) Accept(ctx context.Context) (transport.Conn, error) { return l.queue.Accept(ctx) }

// Addr implements transport.Listener; it is nil if the Config had none.
func (l *Listener) Addr() net.Addr { return l.config.Addr }

// Close implements transport.Listener. It closes every connection with the reason "server
// closed". The caller closes the HTTP server.
func (l *Listener) Close() error {
	l.queue.Close("server closed")
	return nil
}

// boundedWriter is a ResponseWriter that bounds the send buffer of its hijacked socket and
// keeps the socket.
type boundedWriter struct {
	http.ResponseWriter
	socket net.Conn
}

// Hijack implements http.Hijacker.
func (b *boundedWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(b.ResponseWriter).Hijack()
	if err == nil {
		limitSendBuffer(conn)
		b.socket = conn
	}
	return conn, rw, err
}
