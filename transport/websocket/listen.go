//go:build !js

package websocket

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/pump"
	"github.com/backstep-net/backstep/transport/origin"
)

// Config configures a Listener. The zero Config is complete.
type Config struct {
	// Origins are the hosts ("game.example", "*.game.example", "*") whose pages may connect
	// beside the server's own; see origin.Check. Nil allows no others.
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
	if err := origin.Check(l.config.Origins, r.Header.Get("Origin"), r.Host); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	var opened atomic.Pointer[pump.Conn]
	leave, ok := l.queue.Reserve(r.RemoteAddr, func() {
		if c := opened.Load(); c != nil { // else it is being opened, which takes no time
			c.Close(pump.Busy)
		}
	})
	if !ok {
		http.Error(w, "server closed", http.StatusServiceUnavailable)
		return
	}
	defer leave()
	b := &boundedWriter{ResponseWriter: w}
	conn, err := websocket.Accept(b, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // the origin has been checked
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		return // websocket.Accept has answered
	}
	c := newWire(conn, b.socket, r.RemoteAddr).start()
	opened.Store(c)
	l.queue.Add(c, l.config.Hello)
}

// Unheard returns how many connections have sent no hello in time, or gave way to newer ones before.
func (l *Listener) Unheard() uint64 { return l.queue.Unheard() }

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
// keeps the socket: the one beneath TLS, which closes without waiting.
type boundedWriter struct {
	http.ResponseWriter
	socket net.Conn
}

// Hijack implements http.Hijacker.
func (b *boundedWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(b.ResponseWriter).Hijack()
	if err == nil {
		b.socket = conn
		if over, ok := conn.(interface{ NetConn() net.Conn }); ok { // TLS
			b.socket = over.NetConn()
		}
		limitSendBuffer(b.socket)
	}
	return conn, rw, err
}
