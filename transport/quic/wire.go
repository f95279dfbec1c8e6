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

// linger is how long an ended WebTransport session's connection stays at
// least, unless the other side answers, so that the reason gets through: longer by three
// round trips, which a machine out of breath has long ones of, and lingerMost at most.
const (
	linger     = 200 * time.Millisecond
	lingerMost = 3 * time.Second
)

// hearing is how long who has lost a session waits for the reason, which may come after the
// news that its streams are reset.
const hearing = 500 * time.Millisecond

// A blackout is assumed when datagrams go out and nothing at all comes in
// for patience beyond one and a half round trips (acknowledgements come
// within 25 ms). Then sets wait, and a probe goes out every probeEvery.
const (
	patience   = 150 * time.Millisecond
	probeEvery = 100 * time.Millisecond
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

// wire is the pump's road over one QUIC connection. session is nil on a raw
// one.
type wire struct {
	conn    *quic.Conn
	session *webtransport.Session
	connect *http3.Stream // that the session lives on; a server's only
	grams   datagrams
	stream  stream
	owner   io.Closer // shut with the connection; nil on a server

	// What Clear compares: the bytes that had left this machine before the
	// last set, and how many bytes that set had so far.
	before, handed uint64
	// How many packets had come, and when the first datagram since went out:
	// zero when none has.
	heard uint64
	asked time.Time
	// When the last probe went out.
	probed time.Time
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
		if w.asked.IsZero() {
			w.asked = time.Now()
		}
	}
	return err
}

// Clear implements pump.Wire: quic-go does not tell how many datagrams it
// still holds, but it tells how many bytes it has sent. Until that has grown
// by what was handed over, congestion control holds the set back, and a newer
// set had better wait here, where it can be replaced by an even newer one.
//
// A set waits in a blackout too. Sent into the dark, sets would fill the
// congestion window within a second, and then nothing goes out but QUIC's own
// probes, each after twice the wait of the one before: the connection would
// stay silent for as long again as the blackout took.
func (w *wire) Clear() bool {
	s := w.conn.ConnectionStats()
	if s.BytesSent < w.before+w.handed {
		return false
	}
	w.before, w.handed = s.BytesSent, 0
	if s.PacketsReceived != w.heard {
		w.heard, w.asked = s.PacketsReceived, time.Time{}
	}
	if w.asked.IsZero() {
		return true
	}
	now := time.Now()
	if now.Sub(w.asked) < patience+s.SmoothedRTT*3/2 {
		return true
	}
	if now.Sub(w.probed) >= probeEvery {
		w.probed, w.handed = now, 1
		_ = w.grams.SendDatagram(pump.Probe()) // the next one will tell
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

// closeSession ends a session so that the reason gets through, and returns
// when it has or has had the time.
//
// webtransport-go v0.13.0 sends STOP_SENDING before the capsule with the
// reason, and then Chromium reports "Connection lost" (its issue 242). So a
// server sends the capsule and the stream's end itself first.
func (w *wire) closeSession(reason string) {
	late := time.After(min(linger+3*w.RTT(), lingerMost))
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

// closeCapsule is WT_CLOSE_SESSION with code 0: type, length, code, reason
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
	case <-time.After(hearing):
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
