package quicserver

import (
	"bytes"
	"context"
	"crypto/tls"
	"math/rand/v2"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/backstep-net/backstep/transport/internal/quicwire"
	raw "github.com/backstep-net/backstep/transport/quic"
)

// firstFlight returns the datagrams with which a client begins.
func firstFlight(t *testing.T, dial func(ctx context.Context, addr string) error) (flight [][]byte) {
	t.Helper()
	silent, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithCancel(t.Context())
	dialled := make(chan struct{})
	go func() {
		defer close(dialled)
		_ = dial(ctx, silent.LocalAddr().String()) // nobody answers
	}()
	b := make([]byte, 2048)
	for {
		n, err := silent.Read(b)
		if err != nil {
			break
		}
		flight = append(flight, append([]byte(nil), b[:n]...))
		_ = silent.SetReadDeadline(time.Now().Add(50 * time.Millisecond)) // repeats come after 200 ms or more
	}
	cancel()
	<-dialled
	return flight
}

// dialAsPlayers begins as our clients and browsers do, with two datagrams.
func dialAsPlayers(ctx context.Context, addr string) error {
	_, err := raw.Dial(ctx, addr, []Hash{{}})
	return err
}

// dialSmallest begins with one datagram of the least size that a server answers.
func dialSmallest(ctx context.Context, addr string) error {
	conf := &tls.Config{NextProtos: []string{quicwire.ALPN}, InsecureSkipVerify: true, CurvePreferences: []tls.CurveID{tls.X25519}}
	_, err := quic.DialAddr(ctx, addr, conf, &quic.Config{InitialPacketSize: 1200, EnableDatagrams: true})
	return err
}

// longChain returns a certificate of so many bytes, as authorities issue them with those above, and the hash by which
// a client knows it.
func longChain(t *testing.T, size int) (func(*tls.ClientHelloInfo) (*tls.Certificate, error), Hash) {
	t.Helper()
	own, err := makeCertificate(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	leaf := own.cert.Certificate[0]
	for n := len(leaf); n < size; n += len(leaf) {
		own.cert.Certificate = append(own.cert.Certificate, leaf)
	}
	return func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &own.cert, nil }, own.hash
}

// THR-01: whoever begins a handshake under somebody else's address makes the server send that address at most
// three times what it sent itself, repeats included; and no more than it sent itself where clients have to prove
// their address first. Also with a certificate that alone is longer than that.
func TestTheServerIsNoAmplifier(t *testing.T) {
	long, _ := longChain(t, 12000)
	for _, c := range []struct {
		name   string
		config Config
		dial   func(ctx context.Context, addr string) error
		most   float64
	}{
		{"quiet", Config{}, dialAsPlayers, 3},
		{"quiet, smallest", Config{}, dialSmallest, 3},
		{"quiet, long certificate", Config{Certificate: long}, dialAsPlayers, 3},
		{"quiet, long certificate, smallest", Config{Certificate: long}, dialSmallest, 3},
		{"under load", Config{RetryAbove: -1}, dialAsPlayers, 1},
		{"under load, smallest", Config{RetryAbove: -1}, dialSmallest, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, addr, _ := listen(t, c.config)
			spoofed, err := net.Dial("udp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer spoofed.Close()
			sent, got, answers := 0, 0, 0
			for _, b := range firstFlight(t, c.dial) {
				n, err := spoofed.Write(b)
				if err != nil {
					t.Fatal(err)
				}
				sent += n
			}
			_ = spoofed.SetReadDeadline(time.Now().Add(7 * time.Second)) // longer than a handshake takes
			b := make([]byte, 2048)
			for {
				n, err := spoofed.Read(b)
				if err != nil {
					break
				}
				got, answers = got+n, answers+1
			}
			ratio := float64(got) / float64(sent)
			t.Logf("%d bytes sent, %d bytes in %d datagrams come back: %.2f times as much", sent, got, answers, ratio)
			if ratio > c.most || answers == 0 {
				t.Errorf("got %.2f times as much in %d datagrams, want an answer and at most %v", ratio, answers, c.most)
			}
		})
	}
}

// A certificate longer than what an address may be sent before it is validated delays a handshake by what its client has to say
// meanwhile, and does not end it; the limit ends with the handshake. [THR-01]
func TestALongCertificateIsNoObstacle(t *testing.T) {
	long, hash := longChain(t, 12000)
	l, addr, _ := listen(t, Config{Certificate: long})
	connect(t, l, addr, []Hash{hash})
	l.limit.mu.Lock()
	limited := len(l.limit.allowed)
	l.limit.mu.Unlock()
	if limited != 0 || l.limit.some.Load() {
		t.Errorf("after the handshake %d addresses are limited, want 0", limited)
	}
}

// long returns a datagram with a long header and connection IDs of these lengths, of such bytes.
func long(toSize int, to byte, fromSize int, from byte) []byte {
	b := append([]byte{0xe0, 0, 0, 0, 1, byte(toSize)}, bytes.Repeat([]byte{to}, toSize)...)
	b = append(append(b, byte(fromSize)), bytes.Repeat([]byte{from}, fromSize)...)
	return append(b, 0, 0, 0)
}

// Whatever the order of reads, handshakes that begin and end, and writes: from the moment its handshake begins until
// it answers with a connection ID of the server's, an address is sent up to three times what came from it, no more and no less, and nobody else is
// limited. [THR-01]
func TestTheAmplificationLimitAgainstAnOracle(t *testing.T) {
	const seed = 17
	random := rand.New(rand.NewPCG(seed, 0))
	now := time.Unix(1000, 0)
	refused, sent := 0, 0
	for run := range 5000 {
		var l amplificationLimit
		var accounts [3]struct {
			began   bool
			told    bool // a connection ID
			in, out int
		}
		for range recentReads {
			i, size := random.IntN(len(accounts)), 1+random.IntN(1500)
			a, from := &accounts[i], netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}), 4433)
			switch random.IntN(8) {
			case 0, 1:
				b := append(long(8, 9, 0, 0), make([]byte, size)...)
				l.received(net.UDPAddrFromAddrPort(from), b)
				a.in += len(b)
			case 2:
				l.begin(from, now)
				if !a.began {
					a.began, a.out = true, 0
				}
			case 3:
				id := byte(1 + random.IntN(2)) // of the server's own it is 1
				l.received(net.UDPAddrFromAddrPort(from), long(4, id, 8, 9))
				if a.in += 22; a.began && a.told && id == 1 {
					a.began, a.told, a.in = false, false, 0
				}
			default:
				b := make([]byte, size)
				if random.IntN(4) == 0 {
					b = long(8, 9, 4, 1)
				}
				size = len(b)
				got, want := l.take(from, b), !a.began || a.out+size <= amplification*a.in
				a.told = a.told || a.began && got && b[0] != 0
				if got != want {
					t.Fatalf("run %d (seed %d): %d bytes after %d in and %d out, began %v: sent %v, want %v", run, seed, size, a.in, a.out, a.began, got, want)
				}
				if a.out += size; !got {
					a.out -= size
					refused++
				} else if a.began {
					sent++
				}
			}
		}
	}
	if refused < 1000 || sent < 1000 {
		t.Errorf("%d refused and %d sent: want a thousand of both, or this says nothing", refused, sent)
	}
}

// An address that never completes its handshake is forgotten when that is over. [THR-01]
func TestUnvalidatedAddressesAreForgotten(t *testing.T) {
	var l amplificationLimit
	now := time.Unix(1000, 0)
	at := func(i int) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, byte(i >> 8), byte(i)}), 1)
	}
	for i := range 10000 {
		now = now.Add(100 * time.Millisecond)
		l.begin(at(i), now)
	}
	if got, most := len(l.allowed), 1+int(longestHandshake/(100*time.Millisecond)); got > most {
		t.Errorf("%d addresses are limited of 10 a second, want at most %d", got, most)
	}
	if l.take(at(9999), make([]byte, 1)) || !l.take(at(0), make([]byte, 1)) {
		t.Error("want the last one limited and the first one forgotten")
	}
}

// Whatever a datagram says of its connection IDs, they are parts of it, and an address is sent three times its bytes at
// most before it answers with one that it was told. [THR-01, THR-13]
func FuzzAmplificationLimit(f *testing.F) {
	for _, b := range [][]byte{{}, {0x80}, long(4, 1, 8, 9), long(8, 9, 4, 1), long(0, 0, 0, 0), append(long(20, 7, 20, 8), make([]byte, 1200)...), {0xff, 0, 0, 0, 1, 255, 1}} {
		f.Add(b, []byte{0xe0, 0, 0, 0, 1, 0, 2, 1, 1})
	}
	from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, 100, 1}), 4433)
	f.Fuzz(func(t *testing.T, in, out []byte) {
		var l amplificationLimit
		l.received(net.UDPAddrFromAddrPort(from), in)
		l.begin(from, time.Unix(1000, 0))
		allowed := 0
		if len(in) > 0 && in[0]&0x80 != 0 {
			allowed = amplification * len(in)
		}
		if got, want := l.take(from, out), len(out) <= allowed; got != want {
			t.Errorf("%d bytes after %d received: sent %v, want %v", len(out), len(in), got, want)
		}
		_, told := connectionIDs(out)
		to, by := connectionIDs(in)
		if !bytes.Contains(in, to) || !bytes.Contains(in, by) || len(to)+len(by)+6 > len(in) && len(to)+len(by) > 0 {
			t.Errorf("the connection IDs %x and %x are not in %x", to, by, in)
		}
		l.received(net.UDPAddrFromAddrPort(from), in)
		validated := len(out) <= allowed && 0 < len(told) && len(told) < clientIDs && bytes.Equal(to, told)
		if l.some.Load() == validated {
			t.Errorf("told %x, answered to %x: limited %v, want %v", told, to, !validated, validated)
		}
	})
}
