package quic

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/webtransport-go"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/pump"
)

// linger is how long an ended WebTransport session's connection stays, so
// that the reason for the end gets through.
const linger = 200 * time.Millisecond

// datagrams is what QUIC connections and WebTransport sessions have in common.
type datagrams interface {
	SendDatagram([]byte) error
	ReceiveDatagram(context.Context) ([]byte, error)
}

// stream is what their streams have in common.
type stream interface {
	io.Reader
	Write([]byte) (int, error)
	SetWriteDeadline(time.Time) error
}

// wire is the pump's road over one QUIC connection. session is nil on a raw
// one.
type wire struct {
	conn    *quic.Conn
	session *webtransport.Session
	grams   datagrams
	stream  stream
	owner   io.Closer // shut with the connection; nil on a server

	// What Clear compares: the bytes that had left this machine before the
	// last set, and how many bytes that set had so far.
	before, handed uint64
}

var _ pump.Wire = (*wire)(nil)

// Kind implements pump.Wire.
func (w *wire) Kind() string {
	if w.session != nil {
		return "webtransport"
	}
	return "quic"
}

// Remote implements pump.Wire.
func (w *wire) Remote() string { return w.conn.RemoteAddr().String() }

// RTT implements pump.Wire.
func (w *wire) RTT() time.Duration { return w.conn.ConnectionStats().SmoothedRTT }

// AppendFrame implements pump.Wire.
func (w *wire) AppendFrame(dst, msg []byte) []byte { return pump.AppendFrame(dst, msg) }

// Datagram implements pump.Wire. quic-go queues 32 and then blocks; since a
// set has at most 16 and waits until the one before it has left, it does not.
func (w *wire) Datagram(b []byte) error {
	err := w.grams.SendDatagram(b)
	var large *quic.DatagramTooLargeError
	if errors.As(err, &large) {
		return pump.ErrTooLarge
	}
	if err == nil {
		w.handed += uint64(len(b))
	}
	return err
}

// Clear implements pump.Wire: quic-go does not tell how many datagrams it
// still holds, but it tells how many bytes it has sent. Until that has grown
// by what was handed over, congestion control holds the set back, and a newer
// set had better wait here, where it can be replaced by an even newer one.
func (w *wire) Clear() bool {
	sent := w.conn.ConnectionStats().BytesSent
	if sent < w.before+w.handed {
		return false
	}
	w.before, w.handed = sent, 0
	return true
}

// Write implements pump.Wire.
func (w *wire) Write(b []byte, until time.Time) (int, error) {
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
func (w *wire) Shut(reason string) {
	if w.session != nil {
		w.session.CloseWithError(0, reason)
		select { // the other side closes the connection when it has the reason
		case <-w.conn.Context().Done():
		case <-time.After(linger):
		}
		w.conn.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeNoError), "")
	} else {
		w.conn.CloseWithError(0, reason)
	}
	if w.owner != nil {
		w.owner.Close()
	}
}

// Explain implements pump.Wire.
func (w *wire) Explain(err error) string {
	var (
		app     *quic.ApplicationError
		session *webtransport.SessionError
		reset   *quic.StatelessResetError
		idle    *quic.IdleTimeoutError
	)
	switch {
	case errors.As(err, &session):
		return session.Message
	case errors.As(err, &app):
		return app.ErrorMessage
	case errors.As(err, &reset):
		return "the server has restarted"
	case errors.As(err, &idle):
		return "nothing heard for too long"
	case errors.Is(err, pump.ErrPrefix):
		return "bad message length"
	case errors.Is(err, io.EOF):
		return "stream closed"
	case errors.Is(err, net.ErrClosed):
		return "socket closed"
	}
	return "connection lost"
}

// cause finds the best word on why the connection failed: a session that was
// closed with a reason says so, but its stream and its datagrams report just
// a reset, and sometimes first.
func (w *wire) cause(err error) error {
	if w.session == nil {
		return err
	}
	select {
	case <-w.session.Context().Done():
	case <-time.After(linger):
		return err
	}
	var closed *webtransport.SessionError
	if _, end := w.session.OpenStream(); errors.As(end, &closed) {
		return closed
	}
	if end := context.Cause(w.conn.Context()); end != nil {
		return end
	}
	return err
}

// start makes the connection and its readers. They end with the connection.
func (w *wire) start() *pump.Conn {
	c := pump.New(w)
	go w.readDatagrams(c)
	go w.readMessages(c)
	return c
}

// readDatagrams moves datagrams into the inbox.
func (w *wire) readDatagrams(c *pump.Conn) {
	for {
		b, err := w.grams.ReceiveDatagram(context.Background())
		if err != nil {
			c.Fail(w.cause(err))
			return
		}
		if !c.Arrive(transport.Datagram, b) {
			return
		}
	}
}

// readMessages moves messages into the inbox. A length out of bounds ends
// the connection.
func (w *wire) readMessages(c *pump.Conn) {
	r := bufio.NewReaderSize(w.stream, 2048)
	for {
		b, err := pump.ReadMessage(r)
		if errors.Is(err, pump.ErrPrefix) {
			c.End(false, err.Error(), err)
			return
		}
		if err != nil {
			c.Fail(w.cause(err))
			return
		}
		if !c.Arrive(transport.Stream, b) {
			return
		}
	}
}
