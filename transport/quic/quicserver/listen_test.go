package quicserver

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/webtransport-go"
	"go.uber.org/goleak"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/quicwire"
	raw "github.com/backstep-net/backstep/transport/quic"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func listen(t *testing.T, c Config) (l *Listener, addr string, hashes []Hash) {
	t.Helper()
	if c.Addr == "" {
		c.Addr = "127.0.0.1:0"
	}
	l, err := Listen(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if hashes, err = l.Hashes(); err != nil {
		t.Fatal(err)
	}
	return l, l.Addr().String(), hashes
}

// connect opens a connection of raw QUIC to an address of the listener, and returns both ends.
func connect(t *testing.T, l *Listener, addr string, hashes []Hash) (client, server transport.Conn) {
	t.Helper()
	client, err := raw.Dial(within(t), addr, hashes)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Stream([]byte("hello")); err != nil { // until then Accept does not see it
		t.Fatal(err)
	}
	if server, err = l.Accept(within(t)); err != nil {
		t.Fatal(err)
	}
	return client, server
}

// shut closes and waits until nothing of the connection is left.
func shut(c transport.Conn) {
	c.Close("test over")
	<-c.(interface{ Finished() <-chan struct{} }).Finished()
}

func ended(t *testing.T, c transport.Conn) *transport.CloseError {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !c.Closed(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("still open")
		}
	}
	return c.Err().(*transport.CloseError)
}

// stranger is a client that speaks QUIC but keeps to no agreement.
func stranger(t *testing.T, addr, alpn string) *quic.Conn {
	t.Helper()
	conf := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{alpn}}
	conn, s, err := quicwire.Dial(within(t), addr, alpn, nil)
	if err == nil {
		t.Fatal("a self-made certificate was taken without a pin")
	}
	_ = s
	conn, err = quic.DialAddr(within(t), addr, conf, quicwire.ClientConfig())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseWithError(0, "") })
	return conn
}

func TestOnlyPinnedCertificatesAreTaken(t *testing.T) {
	_, addr, hashes := listen(t, Config{})
	for _, c := range []struct {
		name   string
		hashes []Hash
		ok     bool
	}{
		{"both of the server's", hashes, true},
		{"the current one", hashes[:1], true},
		{"the next one only", hashes[1:], false},
		{"somebody else's", []Hash{{1, 2, 3}}, false},
		{"none: it is not from an authority", nil, false},
	} {
		for name, dial := range map[string]func(context.Context, string, []Hash) (transport.Conn, error){"raw": raw.Dial, "web": DialWebTransport} {
			conn, err := dial(within(t), addr, c.hashes)
			if (err == nil) != c.ok {
				t.Errorf("%s, %s: %v", c.name, name, err)
			}
			if err == nil {
				shut(conn)
			}
		}
	}
}

func TestABadLengthFromAHostilePeerEndsTheConnection(t *testing.T) {
	l, addr, _ := listen(t, Config{})
	for _, c := range []struct {
		name   string
		prefix []byte
	}{
		{"2 MiB", []byte{0xff, 0xff, 0x7f}},
		{"64 KiB and one byte", []byte{0x81, 0x80, 0x04}},
		{"a prefix without end", []byte(strings.Repeat("\xff", 64))},
		{"a prefix longer than it needs", []byte{0x81, 0x00, 'x'}},
	} {
		conn := stranger(t, addr, quicwire.ALPN)
		str, err := conn.OpenStream()
		if err != nil {
			t.Fatal(err)
		}
		str.Write([]byte("\x05hello"))
		server, err := l.Accept(within(t))
		if err != nil {
			t.Fatal(err)
		}
		str.Write(c.prefix)
		e := ended(t, server)
		if e.Remote || !strings.Contains(e.Reason, "bad message length") {
			t.Errorf("%s: server ended with %v", c.name, e)
		}
		<-conn.Context().Done()
		var app *quic.ApplicationError
		if !errors.As(context.Cause(conn.Context()), &app) || !strings.Contains(app.ErrorMessage, "bad message length") {
			t.Errorf("%s: the peer heard %v", c.name, context.Cause(conn.Context()))
		}
	}
}

func TestClosingOrResettingTheStreamEndsTheConnection(t *testing.T) {
	l, addr, _ := listen(t, Config{})
	for name, end := range map[string]func(*quic.Stream){
		"closing":   func(s *quic.Stream) { s.Close() },
		"resetting": func(s *quic.Stream) { s.CancelWrite(7) },
	} {
		conn := stranger(t, addr, quicwire.ALPN)
		str, _ := conn.OpenStream()
		str.Write([]byte("\x05hello"))
		server, err := l.Accept(within(t))
		if err != nil {
			t.Fatal(err)
		}
		end(str)
		if e := ended(t, server); !e.Remote {
			t.Errorf("%s: %v", name, e)
		}
	}
}

// THR-11: whatever a peer opens and sends beside the agreement is bounded.
func TestAPeerThatOpensMoreStreamsIsBounded(t *testing.T) {
	l, addr, _ := listen(t, Config{})
	conn := stranger(t, addr, quicwire.ALPN)
	str, _ := conn.OpenStream()
	str.Write([]byte("\x05hello"))
	server, err := l.Accept(within(t))
	if err != nil {
		t.Fatal(err)
	}
	opened, took := 1, 0
	for {
		more, err := conn.OpenStream()
		if err != nil {
			break
		}
		opened++
		more.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
		n, _ := more.Write(make([]byte, 1<<20))
		took += n
	}
	if opened > 4 || took > 256<<10 {
		t.Errorf("%d streams opened, %d bytes taken", opened, took)
	}
	server.Datagrams([]byte("still here"))
	if b, err := conn.ReceiveDatagram(within(t)); err != nil || string(b) != "still here" {
		t.Errorf("got %q, %v", b, err)
	}
}

func TestASecondSessionOnAConnectionIsRefused(t *testing.T) {
	l, addr, _ := listen(t, Config{})
	conn := stranger(t, addr, http3.NextProtoH3)
	web := &webtransport.Transport{Config: &webtransport.Config{MaxIncomingStreams: 1, MaxIncomingUniStreams: 1, MaxIncomingData: 1 << 16}}
	client, err := web.NewClientConn(conn)
	if err != nil {
		t.Fatal(err)
	}
	_, session, err := client.Dial(within(t), "https://"+addr+Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	str, _ := session.OpenStream()
	str.Write([]byte("\x05hello"))
	if _, err := l.Accept(within(t)); err != nil {
		t.Fatal(err)
	}
	if rsp, _, err := client.Dial(within(t), "https://"+addr+Path, nil); err == nil || rsp.StatusCode != 429 {
		t.Errorf("a second session: %v, %v", rsp, err)
	}
	session.CloseWithError(0, "")
}

// [THR-40]
func TestOriginsAndPathsAreChecked(t *testing.T) {
	_, addr, _ := listen(t, Config{Origins: []string{"game.example"}})
	for _, c := range []struct {
		origin, path string
		ok           bool
	}{
		{"https://game.example", Path, true},
		{"", Path, true},
		{"http://localhost:8080", Path, true}, // the test's server is on 127.0.0.1
		{"https://evil.example", Path, false},
		{"https://game.example", "/other", false},
	} {
		conn := stranger(t, addr, http3.NextProtoH3)
		web := &webtransport.Transport{}
		client, err := web.NewClientConn(conn)
		if err != nil {
			t.Fatal(err)
		}
		head := map[string][]string{}
		if c.origin != "" {
			head["Origin"] = []string{c.origin}
		}
		_, session, err := client.Dial(within(t), "https://"+addr+c.path, head)
		if (err == nil) != c.ok {
			t.Errorf("origin %q, path %q: %v", c.origin, c.path, err)
		}
		if err == nil {
			session.CloseWithError(0, "")
		}
	}
}

// THR-09: with a persistent reset key a client notices a restarted server
// at once, without one after the idle timeout.
func TestAClientNoticesARestartedServer(t *testing.T) {
	key := [32]byte{1, 2, 3}
	l, addr, hashes := listen(t, Config{ResetKey: key})
	c, _ := connect(t, l, addr, hashes)
	defer shut(c)
	l.udp.Close() // as in a crash: no close is sent
	l.Close()
	if c.Closed() {
		t.Fatalf("the crash was heard: %v", c.Err())
	}
	listen(t, Config{Addr: addr, ResetKey: key})
	begin := time.Now()
	for !c.Closed() && time.Since(begin) < 10*time.Second {
		c.Datagrams([]byte("anybody there? a datagram must be longer than a reset to be answered with one"))
		time.Sleep(10 * time.Millisecond)
	}
	e := ended(t, c)
	t.Logf("noticed after %v", time.Since(begin))
	if e.Reason != "the server has restarted" {
		t.Errorf("ended with %v", e)
	}
}

// THR-01, THR-02: under load every newcomer proves its address first.
func TestUnderLoadClientsValidateTheirAddress(t *testing.T) {
	l, addr, hashes := listen(t, Config{RetryAbove: -1})
	c, _ := connect(t, l, addr, hashes)
	shut(c)
}

func TestNothingIsResumed(t *testing.T) { // THR-06
	_, addr, _ := listen(t, Config{})
	conf := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{quicwire.ALPN}, ClientSessionCache: tls.NewLRUClientSessionCache(4), ServerName: "localhost"}
	for i := range 2 {
		conn, err := quic.DialAddrEarly(within(t), addr, conf, quicwire.ClientConfig())
		if err != nil {
			t.Fatal(err)
		}
		<-conn.HandshakeComplete()
		if s := conn.ConnectionState(); s.Used0RTT || s.TLS.DidResume {
			t.Errorf("connection %d: 0-RTT %v, resumed %v", i, s.Used0RTT, s.TLS.DidResume)
		}
		time.Sleep(20 * time.Millisecond)
		conn.CloseWithError(0, "")
	}
}

func TestCertificatesRotateWithOverlap(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	certs, err := NewCertificates(func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	begin := now
	known := map[Hash]time.Time{} // when a page got it
	for ; now.Before(begin.Add(60 * day)); now = now.Add(6 * time.Hour) {
		cert, err := certs.Current()
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := x509.ParseCertificate(cert.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		if life := leaf.NotAfter.Sub(leaf.NotBefore); life > 14*day {
			t.Fatalf("valid for %v: no browser takes more than 14 days", life)
		}
		if err := quicwire.CheckValidity(leaf, now.Add(-30*time.Minute)); err != nil {
			t.Errorf("at %v, for a clock half an hour slow: %v", now, err)
		}
		if left := leaf.NotAfter.Sub(now); left < 2*day {
			t.Errorf("at %v the certificate has only %v left", now, left)
		}
		hash := Hash(sha256.Sum256(leaf.Raw))
		told, ok := known[hash]
		if now.After(begin) && (!ok || now.Sub(told) < certificateRotation && told.After(begin)) {
			t.Errorf("at %v the certificate in use was told at %v only", now, told)
		}
		hashes, _ := certs.Hashes()
		for _, h := range hashes {
			if _, ok := known[h]; !ok {
				known[h] = now
			}
		}
	}
	if len(known) < 60/4 {
		t.Errorf("only %d certificates in 60 days", len(known))
	}
	now = now.Add(365 * day) // a machine asleep for a year
	cert, err := certs.Current()
	if err != nil {
		t.Fatal(err)
	}
	leaf, _ := x509.ParseCertificate(cert.Certificate[0])
	if err := quicwire.CheckValidity(leaf, now); err != nil {
		t.Errorf("after a year asleep: %v", err)
	}
}

func TestARunningListenerRotatesItsCertificates(t *testing.T) {
	offset := make(chan time.Duration, 1)
	offset <- 0
	clock := func() time.Time { d := <-offset; offset <- d; return time.Now().Add(d) }
	l, addr, before := listen(t, Config{Now: clock})
	<-offset
	offset <- certificateRotation + time.Minute
	after, err := l.Hashes()
	if err != nil {
		t.Fatal(err)
	}
	if after[0] != before[1] || after[1] == before[0] || after[1] == before[1] {
		t.Errorf("before %x, after %x: the next must become the current", before, after)
	}
	// A page loaded before the turn still connects; the new next one's
	// NotBefore is in the test's future, the current one's is not.
	c, err := raw.Dial(within(t), addr, before)
	if err != nil {
		t.Fatal(err)
	}
	shut(c)
}

// THR-11: the heap of a client that floods both channels and opens every
// stream it may, on a server that drains nothing and has its own queue full.
// The client's half of the memory (what it sent and what it does not read)
// is in the figure too, so it is an upper bound with room for a loaded machine.
func TestAHostileClientCostsABoundedHeap(t *testing.T) {
	const clients = 16
	l, addr, _ := listen(t, Config{})
	before := heap()
	for range clients {
		conn := stranger(t, addr, quicwire.ALPN)
		str, _ := conn.OpenStream()
		str.Write([]byte("\x05hello"))
		server, err := l.Accept(within(t))
		if err != nil {
			t.Fatal(err)
		}
		msg := append([]byte{0x80, 0x80, 0x02}, make([]byte, 32<<10)...)
		for full := false; !full; {
			str.SetWriteDeadline(time.Now().Add(20 * time.Millisecond))
			n, _ := str.Write(msg)
			full = n < len(msg)
		}
		for i := 0; i < 3; i++ {
			if more, err := conn.OpenStream(); err == nil {
				more.SetWriteDeadline(time.Now().Add(20 * time.Millisecond))
				more.Write(make([]byte, 64<<10))
			}
		}
		for range 200 {
			conn.SendDatagram(make([]byte, 1000))
		}
		for server.Stream(make([]byte, 32<<10)) == nil {
		}
	}
	each := (heap() - before) / clients
	t.Logf("%d KiB a hostile client, both ends", each>>10)
	if each > 1024<<10 {
		t.Errorf("%d KiB a hostile client, both ends; want at most 1024", each>>10)
	}
}

// heap is what is in use after a collection.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc + m.StackInuse)
}

// THR-04: 1,400 clients open a connection each and say nothing. Honest ones that come after a hundred of those
// each are all accepted: those that only hold places lose them first. Before, the newcomer was refused, and one
// honest client in four got in.
func TestHonestClientsPassHalfOpenOnes(t *testing.T) {
	if testing.Short() {
		t.Skip("1,400 handshakes")
	}
	l, addr, hashes := listen(t, Config{Hello: 30 * time.Second, RetryAbove: 1 << 20, Handshakes: 1 << 20})
	refused := 0
	test, over := context.WithCancel(t.Context())
	var closing sync.WaitGroup
	defer closing.Wait()
	defer over()
	for i := range 14 {
		var dialing sync.WaitGroup
		for range 4 {
			dialing.Go(func() {
				for range 25 {
					conn, owner, err := quicwire.Dial(within(t), addr, raw.ALPN, hashes)
					if err != nil {
						t.Errorf("round %d: a half-open client: %v", i, err)
						return
					}
					closing.Go(func() { // all at once: closing takes a moment
						<-test.Done()
						conn.CloseWithError(0, "")
						owner.Close()
					})
				}
			})
		}
		dialing.Wait()
		c, err := raw.Dial(within(t), addr, hashes)
		if err == nil {
			err = c.Stream([]byte("hello"))
		}
		if err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		s, err := l.Accept(ctx)
		cancel()
		if err != nil {
			refused++
			t.Logf("round %d: the honest client is not accepted: %v, %v", i, err, c.Err())
		} else {
			s.Drain(nil)
		}
		shut(c)
	}
	if refused > 0 {
		t.Errorf("%d of 14 honest clients were refused, want 0", refused)
	}
}
