package quicserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/quic-go/quicvarint"
	"github.com/quic-go/webtransport-go"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/pump"
	"github.com/backstep-net/backstep/transport/internal/quicwire"
)

// minLinger is how long the connection of a closed WebTransport session stays open, unless
// the other side answers before, so that the reason arrives: plus three round trips, and
// maxLinger at most. Chromium on a busy machine takes longer than 200 ms to answer, and
// says "Connection lost" if it finds the end of the connection behind the reason.
const (
	minLinger = time.Second
	maxLinger = 3 * time.Second
)

// reasonTimeout is how long a side that has lost its session waits for the reason, which
// may arrive after the reset of its streams.
const reasonTimeout = 500 * time.Millisecond

// webWire is the pump.Wire of one WebTransport session.
type webWire struct {
	*quicwire.Wire
	session *webtransport.Session
	connect *http3.Stream // the session's CONNECT stream; servers only
}

var _ pump.Wire = (*webWire)(nil)

// DialWebTransport connects to Path on addr as a browser does. It is for tests and
// measurements; Go clients should use quic.Dial.
func DialWebTransport(ctx context.Context, addr string, hashes []Hash) (transport.Conn, error) {
	conn, owner, err := quicwire.Dial(ctx, addr, http3.NextProtoH3, hashes)
	if err != nil {
		return nil, fmt.Errorf("quic: dialing %s: %w", addr, err)
	}
	w, err := openSession(ctx, conn, addr)
	if err != nil {
		conn.CloseWithError(0, "")
		owner.Close()
		return nil, fmt.Errorf("quic: dialing %s: %w", addr, err)
	}
	w.Owner = owner
	return w.start(), nil
}

// openSession opens a WebTransport session and its stream.
func openSession(ctx context.Context, conn *quic.Conn, addr string) (*webWire, error) {
	web := &webtransport.Transport{
		Config: &webtransport.Config{MaxIncomingStreams: 1, MaxIncomingUniStreams: 1, MaxIncomingData: 1 << 20},
	}
	client, err := web.NewClientConn(conn)
	if err != nil {
		return nil, err
	}
	_, session, err := client.Dial(ctx, "https://"+addr+Path, nil)
	if err != nil {
		return nil, err
	}
	str, err := session.OpenStream()
	if err != nil {
		return nil, err
	}
	return &webWire{Wire: quicwire.New(conn, session, str), session: session}, nil
}

// start makes the connection and starts its readers, which end with it.
func (w *webWire) start() *pump.Conn {
	c := pump.New(w)
	w.Read(c)
	return c
}

// Kind implements pump.Wire.
func (w *webWire) Kind() string { return "webtransport" }

// Shut implements pump.Wire.
func (w *webWire) Shut(reason string) {
	w.closeSession(reason)
	w.Conn.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeNoError), "")
	w.CloseOwner()
}

// closeSession ends a session so that the reason arrives; it returns when the other side
// has answered or after the linger time.
//
// webtransport-go v0.13.0 sends STOP_SENDING before the capsule with the reason, and
// Chromium then reports "Connection lost" (its issue 242). So a server first sends the
// capsule and the end of the stream itself.
func (w *webWire) closeSession(reason string) {
	late := time.After(min(minLinger+3*w.Conn.ConnectionStats().SmoothedRTT, maxLinger))
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
	case <-w.Conn.Context().Done():
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

// Cause implements pump.Wire: a session closed with a reason has it, while its stream and
// datagrams report only a reset, and sometimes earlier.
func (w *webWire) Cause(err error) error {
	select {
	case <-w.session.Context().Done():
	case <-time.After(reasonTimeout):
		return err
	}
	var closed *webtransport.SessionError
	if _, end := w.session.OpenStream(); errors.As(end, &closed) {
		return closed
	}
	if end := context.Cause(w.Conn.Context()); end != nil {
		return end
	}
	return err
}

// Explain implements pump.Wire.
func (w *webWire) Explain(err error) string {
	var session *webtransport.SessionError
	if errors.As(err, &session) {
		return session.Message
	}
	return w.Wire.Explain(err)
}
