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
	"github.com/quic-go/quic-go/quicvarint"
	"github.com/quic-go/webtransport-go"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/pump"
)

// minLinger is how long the connection of a closed WebTransport session stays open, unless
// the other side answers before, so that the reason arrives: plus three round trips, which
// may be long on a busy machine, and maxLinger at most.
const (
	minLinger = 200 * time.Millisecond
	maxLinger = 3 * time.Second
)

// reasonTimeout is how long a side that has lost its session waits for the reason, which
// may arrive after the reset of its streams.
const reasonTimeout = 500 * time.Millisecond

// A blackout is assumed when datagrams go out and nothing comes in for blackoutAfter plus
// one and a half round trips (acknowledgements take 25 ms at most). Then batches wait, and
// a probe goes out every probeInterval.
const (
	blackoutAfter = 150 * time.Millisecond
	probeInterval = 100 * time.Millisecond
)

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

// wire is the pump.Wire of one QUIC connection. session is nil on a raw connection.
type wire struct {
	conn      *quic.Conn
	session   *webtransport.Session
	connect   *http3.Stream // the session's CONNECT stream; servers only
	datagrams datagrams
	stream    stream
	owner     io.Closer // closed with the connection; nil on a server

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

// Datagram implements pump.Wire. quic-go queues 32 and then blocks; a batch has at most 16
// and waits until the previous one has left, so it does not block.
func (w *wire) Datagram(b []byte) error {
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
func (w *wire) Ready() bool {
	s := w.conn.ConnectionStats()
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
		w.closeSession(reason)
		w.conn.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeNoError), "")
	} else {
		w.conn.CloseWithError(0, reason)
	}
	if w.owner != nil {
		w.owner.Close()
	}
}

// closeSession ends a session so that the reason arrives; it returns when the other side
// has answered or after the linger time.
//
// webtransport-go v0.13.0 sends STOP_SENDING before the capsule with the reason, and
// Chromium then reports "Connection lost" (its issue 242). So a server first sends the
// capsule and the end of the stream itself.
func (w *wire) closeSession(reason string) {
	late := time.After(min(minLinger+3*w.RTT(), maxLinger))
	if w.connect != nil && w.session.Context().Err() == nil {
		_ = w.connect.TryWriteAll(closeCapsule(reason))
		_ = w.connect.Close()
		select {
		case <-w.session.Context().Done(): // the other side has answered
		case <-late:
		}
		w.session.CloseWithError(0, reason)
		return
	}
	w.session.CloseWithError(0, reason)
	select { // a server closes the connection when it has the reason
	case <-w.conn.Context().Done():
	case <-late:
	}
}

// closeCapsule returns WT_CLOSE_SESSION with code 0: type, length, code, reason
// (draft-ietf-webtrans-http3, section 6).
func closeCapsule(reason string) []byte {
	b := quicvarint.Append(nil, 0x2843)
	b = quicvarint.Append(b, uint64(4+len(reason)))
	return append(append(b, 0, 0, 0, 0), reason...)
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

// cause returns the most specific error of a failed connection: a session closed with a
// reason has it, while its stream and datagrams report only a reset, and sometimes earlier.
func (w *wire) cause(err error) error {
	if w.session == nil {
		return err
	}
	select {
	case <-w.session.Context().Done():
	case <-time.After(reasonTimeout):
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

// start makes the connection and starts its readers, which end with it.
func (w *wire) start() *pump.Conn {
	c := pump.New(w)
	go w.readDatagrams(c)
	go w.readMessages(c)
	return c
}

// readDatagrams moves datagrams into the inbox.
func (w *wire) readDatagrams(c *pump.Conn) {
	for {
		b, err := w.datagrams.ReceiveDatagram(context.Background())
		if err != nil {
			c.Fail(w.cause(err))
			return
		}
		if !c.Receive(transport.Datagram, b) {
			return
		}
	}
}

// readMessages moves messages into the inbox. An invalid length ends the connection.
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
		if !c.Receive(transport.Stream, b) {
			return
		}
	}
}
