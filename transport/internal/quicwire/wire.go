// Package quicwire is what the two ends of transport/quic share: a QUIC connection as a
// [pump.Wire], its configuration, and the certificates that a client pins. Start at [New].
// It knows nothing of HTTP/3, so a client that imports it links none.
package quicwire

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/pump"
)

// ALPN is the protocol name of raw QUIC connections.
const ALPN = "backstep/1"

// A blackout is assumed when datagrams go out and nothing comes in for blackoutAfter plus
// one and a half round trips (acknowledgements take 25 ms at most). Then batches wait, and
// a probe goes out every probeInterval.
const (
	blackoutAfter = 150 * time.Millisecond
	probeInterval = 100 * time.Millisecond
)

// Datagrams is what QUIC connections and WebTransport sessions have in common.
type Datagrams interface {
	SendDatagram([]byte) error
	ReceiveDatagram(context.Context) ([]byte, error)
}

// Stream is what their streams have in common.
type Stream interface {
	io.Reader
	Write([]byte) (int, error)
	SetWriteDeadline(time.Time) error
}

// Wire is the pump.Wire of one raw QUIC connection. A WebTransport session embeds it and
// has its own Kind, Shut and Explain.
type Wire struct {
	Conn  *quic.Conn // that of New
	Owner io.Closer  // closed with the connection; nil on a server
	// Arrival returns when the packet of a datagram arrived, by its sender, its length and the time now. Nil means now.
	Arrival func(from net.Addr, size int, now time.Time) time.Time

	datagrams Datagrams
	stream    Stream

	// For Ready: the bytes that had left this machine before the last batch, and the bytes
	// of that batch so far.
	sentBefore, batchBytes uint64
	// The number of packets received so far, and when the first datagram after the last of
	// them was sent; zero when none was.
	receivedBefore  uint64
	unansweredSince time.Time
	// When the last probe was sent.
	probedAt time.Time
}

var _ pump.Wire = (*Wire)(nil)

// New returns the wire of a connection: its datagrams and its one stream are those of the
// connection itself, or of a WebTransport session on it.
func New(conn *quic.Conn, d Datagrams, s Stream) *Wire {
	return &Wire{Conn: conn, datagrams: d, stream: s}
}

// Kind implements pump.Wire.
func (w *Wire) Kind() string { return "quic" }

// Remote implements pump.Wire.
func (w *Wire) Remote() string { return w.Conn.RemoteAddr().String() }

// Measure implements pump.Wire.
func (w *Wire) Measure(s *transport.Stats) {
	c := w.Conn.ConnectionStats()
	s.RTT, s.PacketsIn, s.EncryptedIn = c.SmoothedRTT, c.PacketsReceived, c.BytesReceived
}

// AppendFrame implements pump.Wire.
func (w *Wire) AppendFrame(dst, msg []byte) []byte { return pump.AppendFrame(dst, msg) }

// Datagram implements pump.Wire. quic-go queues 32 and then blocks; a batch has at most 16
// and waits until the previous one has left, so it does not block.
func (w *Wire) Datagram(b []byte) error {
	err := w.datagrams.SendDatagram(b)
	var large *quic.DatagramTooLargeError
	if errors.As(err, &large) {
		return pump.ErrTooLarge
	}
	if err == nil {
		w.batchBytes += uint64(len(b))
		if w.unansweredSince.IsZero() {
			w.unansweredSince = time.Now()
		}
	}
	return err
}

// Ready implements pump.Wire. quic-go does not report how many datagrams it still holds,
// but it reports how many bytes it has sent. Until that number has grown by the last batch,
// congestion control is holding the batch back, and the next one should wait here, where a
// newer one can replace it.
//
// A batch also waits during a blackout. Sent anyway, batches would fill the congestion
// window within a second; after that only QUIC's own probes go out, at doubling intervals,
// and the connection would stay silent for as long again as the blackout took.
func (w *Wire) Ready() bool {
	s := w.Conn.ConnectionStats()
	if s.BytesSent < w.sentBefore+w.batchBytes {
		return false
	}
	w.sentBefore, w.batchBytes = s.BytesSent, 0
	if s.PacketsReceived != w.receivedBefore {
		w.receivedBefore, w.unansweredSince = s.PacketsReceived, time.Time{}
	}
	if w.unansweredSince.IsZero() {
		return true
	}
	now := time.Now()
	if now.Sub(w.unansweredSince) < blackoutAfter+s.SmoothedRTT*3/2 {
		return true
	}
	if now.Sub(w.probedAt) >= probeInterval {
		w.probedAt, w.batchBytes = now, 1
		_ = w.datagrams.SendDatagram(pump.Probe()) // an error shows at the next send
	}
	return false
}

// Write implements pump.Wire.
func (w *Wire) Write(b []byte, until time.Time) (int, error) {
	if err := w.stream.SetWriteDeadline(until); err != nil {
		return 0, err
	}
	n, err := w.stream.Write(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
	}
	return n, err
}

// Shut implements pump.Wire.
func (w *Wire) Shut(reason string) {
	w.Conn.CloseWithError(0, reason)
	w.CloseOwner()
}

// CloseOwner closes the owner, if there is one.
func (w *Wire) CloseOwner() {
	if w.Owner != nil {
		w.Owner.Close()
	}
}

// Cause implements pump.Wire: each error of a connection says why it has ended.
func (w *Wire) Cause(err error) error { return err }

// Explain implements pump.Wire.
func (w *Wire) Explain(err error) string {
	var (
		app   *quic.ApplicationError
		reset *quic.StatelessResetError
		idle  *quic.IdleTimeoutError
	)
	switch {
	case errors.As(err, &app):
		return app.ErrorMessage
	case errors.As(err, &reset):
		return "the server has restarted"
	case errors.As(err, &idle):
		return "nothing received for too long"
	case errors.Is(err, pump.ErrPrefix):
		return "bad message length"
	case errors.Is(err, io.EOF):
		return "stream closed"
	case errors.Is(err, net.ErrClosed):
		return "socket closed"
	}
	return "connection lost"
}

// Start makes the connection of a raw wire and starts its readers, which end with it.
func (w *Wire) Start() *pump.Conn {
	c := pump.New(w)
	w.Read(c)
	return c
}

// Read starts the two readers of a connection.
func (w *Wire) Read(c *pump.Conn) {
	go w.readDatagrams(c)
	go w.readMessages(c)
}

// readDatagrams moves datagrams into the inbox.
func (w *Wire) readDatagrams(c *pump.Conn) {
	for {
		b, err := w.datagrams.ReceiveDatagram(context.Background())
		if err != nil {
			c.Fail(err)
			return
		}
		at := time.Now()
		if w.Arrival != nil {
			at = w.Arrival(w.Conn.RemoteAddr(), len(b), at)
		}
		if !c.Receive(transport.Datagram, b, at) {
			return
		}
	}
}

// readMessages moves messages into the inbox. An invalid length ends the connection.
func (w *Wire) readMessages(c *pump.Conn) {
	r := bufio.NewReaderSize(w.stream, 2048)
	for {
		b, err := pump.ReadMessage(r)
		if errors.Is(err, pump.ErrPrefix) {
			c.End(false, err.Error(), err)
			return
		}
		if err != nil {
			c.Fail(err)
			return
		}
		if !c.Receive(transport.Stream, b, time.Now()) {
			return
		}
	}
}
