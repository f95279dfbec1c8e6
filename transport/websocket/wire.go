//go:build !js

package websocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/pump"
)

const (
	// writeTimeout is how long a write may block before the connection ends.
	// coder/websocket cannot resume a write.
	writeTimeout = 10 * time.Second
	// pingInterval is how often a side that receives nothing sends a ping; after IdleTimeout
	// without an answer the connection ends.
	pingInterval = transport.IdleTimeout / 3
)

// wire is the pump.Wire of one WebSocket.
type wire struct {
	framing
	conn     *websocket.Conn
	socket   net.Conn // beneath conn
	frame    []byte   // scratch for datagrams
	received chan struct{}
	ended    chan struct{} // closed when read has ended, with
	err      error
}

var _ pump.Wire = (*wire)(nil)

// Datagram implements pump.Wire.
func (w *wire) Datagram(b []byte) error {
	w.frame = append(append(w.frame[:0], byte(transport.Datagram)), b...)
	return w.send(w.frame)
}

// Ready implements pump.Wire: a write returns when the kernel has the bytes, so the
// previous batch has left.
func (w *wire) Ready() bool { return true }

// Write implements pump.Wire. It writes whole messages, since half a WebSocket message
// cannot be taken back.
func (w *wire) Write(b []byte, _ time.Time) (int, error) {
	if err := w.send(b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// send writes one binary message.
func (w *wire) send(b []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	return w.conn.Write(ctx, websocket.MessageBinary, b)
}

// Cause implements pump.Wire. The library closes the socket before it hands the other side's close to the
// reader, and a write at that moment reports only a closed socket.
func (w *wire) Cause(err error) error {
	if !errors.Is(err, net.ErrClosed) {
		return err
	}
	late := time.NewTimer(closeTimeout)
	defer late.Stop()
	select {
	case <-w.ended:
	case <-late.C:
		return err
	}
	var closed websocket.CloseError
	if errors.As(w.err, &closed) {
		return w.err
	}
	return err
}

// Shut implements pump.Wire.
func (w *wire) Shut(reason string) {
	late := time.AfterFunc(closeTimeout, func() { w.socket.Close() })
	defer late.Stop()
	w.conn.Close(websocket.StatusNormalClosure, reason)
}

// Explain implements pump.Wire.
func (w *wire) Explain(err error) string {
	var closed websocket.CloseError
	switch {
	case errors.As(err, &closed):
		return closed.Reason
	case errors.Is(err, websocket.ErrMessageTooBig):
		return "message too long"
	case errors.Is(err, context.DeadlineExceeded):
		return "the other side does not read"
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
		return "socket closed"
	}
	return "connection lost"
}

// start makes the connection and starts its reader.
func (w *wire) start() *pump.Conn {
	w.conn.SetReadLimit(readLimit)
	c := pump.New(w)
	go w.read(c)
	go w.ping(c)
	return c
}

// read moves packets into the inbox.
func (w *wire) read(c *pump.Conn) {
	for {
		kind, b, err := w.conn.Read(context.Background())
		if err != nil {
			w.err = err
			close(w.ended)
			c.Fail(err)
			return
		}
		select {
		case w.received <- struct{}{}:
		default:
		}
		if err := check(kind == websocket.MessageBinary, b); err != nil {
			c.End(false, err.Error(), err)
			return
		}
		if !c.Receive(transport.Channel(b[0]), b[1:], time.Now()) {
			return
		}
	}
}

// ping sends pings while nothing is received.
func (w *wire) ping(c *pump.Conn) {
	timer := time.NewTicker(pingInterval)
	defer timer.Stop()
	for {
		select {
		case <-c.Done():
			return
		case <-timer.C:
		}
		select {
		case <-w.received: // since the last ping
			continue
		default:
		}
		ctx, cancel := context.WithTimeout(context.Background(), transport.IdleTimeout-pingInterval)
		err := w.conn.Ping(ctx)
		cancel()
		if err != nil {
			c.End(true, "nothing received for too long", err)
			return
		}
	}
}

// Dial connects to a server's WebSocket, "ws://host:port/ws" or "wss://…". ctx bounds the
// handshake only. The server accepts the connection when the first stream message arrives:
// send one.
func Dial(ctx context.Context, url string) (transport.Conn, error) {
	var socket net.Conn
	client := &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, addr string) (conn net.Conn, err error) {
			var d net.Dialer
			if conn, err = d.DialContext(ctx, network, addr); err == nil {
				limitSendBuffer(conn)
				socket = conn
			}
			return conn, err
		},
	}}
	conn, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		client.CloseIdleConnections()
		return nil, fmt.Errorf("websocket: dialing %s: %w", url, err)
	}
	return newWire(conn, socket, url).start(), nil
}

// newWire returns a wire that is ready to start.
func newWire(conn *websocket.Conn, socket net.Conn, remote string) *wire {
	return &wire{conn: conn, socket: socket, framing: framing{remote}, received: make(chan struct{}, 1), ended: make(chan struct{})}
}

// limitSendBuffer limits the kernel's send buffer. Where that fails, only the age of the datagrams
// suffers.
func limitSendBuffer(conn net.Conn) {
	if tcp, ok := conn.(interface{ SetWriteBuffer(int) error }); ok {
		_ = tcp.SetWriteBuffer(sendBuffer)
	}
}
