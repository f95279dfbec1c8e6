package quicserver

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/webtransport-go"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/pump"
	"github.com/backstep-net/backstep/transport/internal/quicwire"
	raw "github.com/backstep-net/backstep/transport/quic"
)

// dials are the two ways to connect, by the kind of the connection.
var dials = map[string]func(context.Context, string, []Hash) (transport.Conn, error){"quic": raw.Dial, "webtransport": DialWebTransport}

// An address that nobody can listen on, or that is taken, is an error at once; a listener
// that failed leaves no socket and no goroutine behind.
func TestListenReportsABadAddress(t *testing.T) {
	_, taken, _ := listen(t, Config{})
	for _, addr := range []string{taken, "127.0.0.1:99999", "no port", "192.0.2.1:0"} {
		if l, err := Listen(Config{Addr: addr}); err == nil {
			l.Close()
			t.Errorf("listening on %q: no error", addr)
		} else if !strings.HasPrefix(err.Error(), "quic: ") {
			t.Errorf("%q: the error is %q, want it to begin with the package", addr, err)
		}
	}
}

// Close frees the port, ends Accept, and may be called again.
func TestTheListenersPortIsFreeAfterClose(t *testing.T) {
	l, addr, _ := listen(t, Config{})
	accepted := make(chan error)
	go func() {
		_, err := l.Accept(context.Background())
		accepted <- err
	}()
	if err := l.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := <-accepted; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept: got %v, want net.ErrClosed", err)
	}
	if err := l.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
	again, err := Listen(Config{Addr: addr})
	if err != nil {
		t.Fatalf("the port is not free: %v", err)
	}
	again.Close()
}

// A client whose server is not there, does not answer in time, or is no address fails with
// the address in its error.
func TestDialingNothingFails(t *testing.T) {
	silent, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, addr := range []string{silent.LocalAddr().String(), "127.0.0.1:notaport", "no port"} {
		for kind, dial := range dials {
			ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
			began := time.Now()
			if c, err := dial(ctx, addr, []Hash{{}}); err == nil {
				shut(c)
				t.Errorf("%s to %q: no error", kind, addr)
			} else if !strings.Contains(err.Error(), addr) {
				t.Errorf("%s: the error %q does not name %q", kind, err, addr)
			}
			if d := time.Since(began); d > 5*time.Second {
				t.Errorf("%s to %q: %v though the context had 200 ms", kind, addr, d)
			}
			cancel()
		}
	}
}

// A pinned certificate counts only within its validity, at both ends of it.
func TestAPinnedCertificateMustBeValid(t *testing.T) {
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c := &x509.Certificate{NotBefore: from, NotAfter: from.Add(certificateLife)}
	for _, at := range []struct {
		after time.Duration
		valid bool
	}{{-time.Nanosecond, false}, {0, true}, {certificateLife, true}, {certificateLife + time.Nanosecond, false}} {
		if err := quicwire.CheckValidity(c, from.Add(at.after)); (err == nil) != at.valid {
			t.Errorf("%v after its beginning: got %v, want valid %v", at.after, err, at.valid)
		}
	}
	_, addr, hashes := listen(t, Config{Now: func() time.Time { return time.Now().Add(-30 * 24 * time.Hour) }})
	for kind, dial := range dials {
		if conn, err := dial(within(t), addr, hashes); err == nil {
			shut(conn)
			t.Errorf("%s: a certificate that expired 20 days ago was accepted", kind)
		} else if !strings.Contains(err.Error(), "is valid from") {
			t.Errorf("%s: the error %q does not say why", kind, err)
		}
	}
}

// A listener with a certificate of its own has no hashes to publish; a client that pins it
// connects.
func TestACertificateOfAnAuthorityIsNotRotated(t *testing.T) {
	own, err := makeCertificate(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	l, err := Listen(Config{Addr: "127.0.0.1:0", Certificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &own.cert, nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if hashes, err := l.Hashes(); len(hashes) != 0 || err != nil {
		t.Errorf("got %d hashes, %v; want none", len(hashes), err)
	}
	for kind, dial := range dials {
		conn, err := dial(within(t), l.Addr().String(), []Hash{own.hash})
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		shut(conn)
	}
}

// Both ends of both kinds know their kind, the other's address and a round trip, and
// messages at each bound of the length prefix arrive whole, in both directions.
func TestMessagesOfEveryLengthArrive(t *testing.T) {
	const seed = 9
	r := rand.New(rand.NewPCG(seed, 1))
	l, addr, hashes := listen(t, Config{})
	for kind, dial := range dials {
		client, err := dial(within(t), addr, hashes)
		if err != nil {
			t.Fatal(err)
		}
		var server transport.Conn
		for _, n := range []int{1, 0, 127, 128, 129, 16383, 16384, transport.MaxMessage - 1, transport.MaxMessage} {
			want := make([]byte, n)
			for i := range want {
				want[i] = byte(r.Uint32())
			}
			if err := client.Stream(want); err != nil {
				t.Fatalf("%s, %d bytes: %v", kind, n, err)
			}
			if server == nil {
				if server, err = l.Accept(within(t)); err != nil {
					t.Fatal(err)
				}
			}
			if got := received(t, server); !bytes.Equal(got, want) {
				t.Errorf("seed %d, %s: got %d bytes, want the %d that were sent", seed, kind, len(got), n)
			}
			if err := server.Stream(want); err != nil {
				t.Fatalf("%s, %d bytes back: %v", kind, n, err)
			}
			if got := received(t, client); !bytes.Equal(got, want) {
				t.Errorf("seed %d, %s: got %d bytes back, want %d", seed, kind, len(got), n)
			}
		}
		for end, c := range map[string]transport.Conn{"client": client, "server": server} {
			host, _, err := net.SplitHostPort(c.Remote())
			if c.Kind() != kind || err != nil || host != "127.0.0.1" || c.Stats().RTT <= 0 {
				t.Errorf("%s of %s: kind %s, remote %s, round trip %v", end, kind, c.Kind(), c.Remote(), c.Stats().RTT)
			}
		}
		shut(client)
		ended(t, server)
	}
}

// Each way in which a connection may end has words for the player.
func TestErrorsAreExplained(t *testing.T) {
	w := &webWire{Wire: &quicwire.Wire{}}
	for want, err := range map[string]error{
		"kicked":                        &quic.ApplicationError{ErrorMessage: "kicked"},
		"match over":                    fmt.Errorf("reading: %w", &webtransport.SessionError{Message: "match over"}),
		"the server has restarted":      &quic.StatelessResetError{},
		"nothing received for too long": fmt.Errorf("reading: %w", &quic.IdleTimeoutError{}),
		"bad message length":            pump.ErrPrefix,
		"stream closed":                 io.EOF,
		"socket closed":                 net.ErrClosed,
		"connection lost":               errors.New("something else"),
	} {
		if got := w.Explain(err); got != want {
			t.Errorf("%v: got %q, want %q", err, got, want)
		}
	}
}

// The capsule that closes a session has the form of the draft, at every length of a reason.
func TestTheCloseCapsuleHasItsLength(t *testing.T) {
	for n := range transport.MaxReason + 1 {
		reason := strings.Repeat("x", n)
		b := closeCapsule(reason)
		if binary.BigEndian.Uint16(b) != 0x2843|1<<14 { // a variable-length integer of two bytes
			t.Fatalf("%d bytes: the type is %x", n, b[:2])
		}
		length, head := int(b[2]), 3
		if length >= 1<<6 {
			length, head = int(binary.BigEndian.Uint16(b[2:])&0x3fff), 4
		}
		if length != 4+n || !bytes.Equal(b[head:], append(make([]byte, 4), reason...)) {
			t.Errorf("%d bytes: got length %d and %q", n, length, b[head:])
		}
	}
}

// In every second, wherever it begins, at most twice the limit passes; after a second of
// silence the next event always does.
func TestABucketInEverySecond(t *testing.T) {
	const seed, limit = 13, 10
	r := rand.New(rand.NewPCG(seed, 3))
	h := newHandshakes(limit, limit)
	now := time.Unix(1000, 0)
	var passed []time.Time
	for i := range 5000 {
		pause := time.Duration(r.IntN(120)) * time.Millisecond
		if r.IntN(50) == 0 {
			pause = time.Second
		}
		now = now.Add(pause)
		switch {
		case !h.validate(now):
			passed = append(passed, now)
		case pause == time.Second:
			t.Fatalf("seed %d, event %d: held up after a second of silence", seed, i)
		}
	}
	for i := range passed {
		within := 0
		for _, at := range passed[i:] {
			if at.Sub(passed[i]) < time.Second {
				within++
			}
		}
		if within > 2*limit {
			t.Fatalf("seed %d: %d events passed within a second, want at most %d", seed, within, 2*limit)
		}
	}
	if len(passed) < 2000 {
		t.Errorf("seed %d: only %d of 5000 events passed", seed, len(passed))
	}
}

// received waits for one message.
func received(t *testing.T, c transport.Conn) []byte {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if p := c.Drain(nil); len(p) > 0 {
			return p[0].Bytes
		}
	}
	t.Fatal("no message in 10 s")
	return nil
}
