package udpserver_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/quic"
	"github.com/backstep-net/backstep/transport/quic/quicserver"
	"github.com/backstep-net/backstep/transport/udp"
	"github.com/backstep-net/backstep/transport/udp/udpserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func within(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

func listen(t testing.TB, c udpserver.Config) *udpserver.Listener {
	t.Helper()
	c.Addr = "127.0.0.1:0"
	l, err := udpserver.Listen(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("closing the listener: %v", err)
		}
	})
	return l
}

// relay passes datagrams between one client and a server, badly if it is told to.
type relay struct {
	front  *net.UDPConn // the client's side
	server *net.UDPAddr
	wg     sync.WaitGroup

	mu        sync.Mutex
	back      *net.UDPConn // the server's side
	olds      []*net.UDPConn
	client    *net.UDPAddr
	random    *rand.Rand
	loss, dup float64
	late      time.Duration // the longest delay, for reordering
	up        [][]byte      // all that the client sent
	in, out   int           // bytes from the client, and from the server
}

func newRelay(t testing.TB, server net.Addr, seed uint64) *relay {
	t.Helper()
	r := &relay{server: server.(*net.UDPAddr), random: rand.New(rand.NewPCG(seed, 0))}
	var err error
	if r.front, err = net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}); err != nil {
		t.Fatal(err)
	}
	r.rebind(t)
	r.wg.Go(func() { r.pass(r.front, true) })
	t.Cleanup(func() {
		r.front.Close()
		for _, c := range r.olds {
			c.Close()
		}
		r.wg.Wait()
	})
	return r
}

// rebind gives the client another address; the server's packets to the old one are lost.
func (r *relay) rebind(t testing.TB) {
	t.Helper()
	back, err := net.DialUDP("udp", nil, r.server)
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	r.back = back
	r.olds = append(r.olds, back)
	r.mu.Unlock()
	r.wg.Go(func() { r.pass(back, false) })
}

func (r *relay) pass(from *net.UDPConn, up bool) {
	b := make([]byte, 2048)
	for {
		n, addr, err := from.ReadFromUDP(b)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		r.forward(slices.Clone(b[:n]), addr, from, up)
	}
}

func (r *relay) forward(b []byte, addr *net.UDPAddr, from *net.UDPConn, up bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if up {
		r.client = addr
		r.in += len(b)
		r.up = append(r.up, b)
	} else if r.out += len(b); from != r.back {
		return
	}
	for range 2 {
		if r.random.Float64() >= r.loss {
			send := func() { r.send(b, up) }
			if r.late > 0 {
				time.AfterFunc(time.Duration(r.random.Int64N(int64(r.late))), send)
			} else {
				go send()
			}
		}
		if r.random.Float64() >= r.dup {
			return
		}
	}
}

func (r *relay) send(b []byte, up bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if up {
		r.back.Write(b)
	} else if r.client != nil {
		r.front.WriteToUDP(b, r.client)
	}
}

// set changes what the relay does.
func (r *relay) set(loss, dup float64, late time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.loss, r.dup, r.late = loss, dup, late
}

// join connects and says hello; it returns both ends.
func join(t testing.TB, l *udpserver.Listener, address string) (client, server transport.Conn) {
	t.Helper()
	c, err := udp.Dial(within(t, 5*time.Second), address, l.Ticket())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { finish(t, c) })
	if err := c.Stream([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	s, err := l.Accept(within(t, 10*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Drain(nil); len(got) != 1 || string(got[0].Bytes) != "hello" {
		t.Fatalf("the first drain gave %v, want the hello", got)
	}
	return c, s
}

// finish closes a client and waits until its goroutines are gone.
func finish(t testing.TB, c transport.Conn) {
	c.Close("test over")
	select {
	case <-c.(interface{ Finished() <-chan struct{} }).Finished():
	case <-time.After(10 * time.Second):
		t.Error("not finished 10 s after Close")
	}
	time.Sleep(20 * time.Millisecond) // its goroutines see it at their next tick
}

// Clients join, exchange messages and leave though the network loses, duplicates and reorders. [THR-27]
func TestHandshakesOverABadNetwork(t *testing.T) {
	for _, loss := range []float64{0.1, 0.3} {
		t.Run(fmt.Sprint(loss), func(t *testing.T) {
			l := listen(t, udpserver.Config{Hello: 10 * time.Second})
			for seed := range uint64(10) {
				r := newRelay(t, l.Addr(), seed)
				r.set(loss, 0.2, 15*time.Millisecond)
				c, s := join(t, l, r.front.LocalAddr().String())
				if err := s.Stream([]byte("welcome")); err != nil {
					t.Fatal(err)
				}
				for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
					if got := c.Drain(nil); len(got) > 0 {
						if string(got[0].Bytes) != "welcome" {
							t.Errorf("seed %d: got %q", seed, got[0].Bytes)
						}
						break
					}
					if time.Now().After(deadline) {
						t.Fatalf("seed %d: no welcome: %v", seed, c.Err())
					}
				}
			}
		})
	}
}

// A ticket opens one connection; the second client learns that after 2 s, and the first plays on. [THR-05]
func TestAUsedTicket(t *testing.T) {
	l := listen(t, udpserver.Config{Hello: 10 * time.Second})
	ticket := l.Ticket()
	first, err := udp.Dial(within(t, 5*time.Second), l.Addr().String(), ticket)
	if err != nil {
		t.Fatal(err)
	}
	defer finish(t, first)
	if c, err := udp.Dial(within(t, 5*time.Second), l.Addr().String(), ticket); !errors.Is(err, udp.ErrNoAnswer) {
		t.Errorf("the same ticket again: %v, %v; want ErrNoAnswer", c, err)
	}
	if first.Closed() {
		t.Errorf("the first connection ended: %v", first.Err())
	}
}

// Five new ports in five seconds of play: the client goes on, and no message is lost either way. [THR-07]
func TestPortChanges(t *testing.T) {
	l := listen(t, udpserver.Config{})
	r := newRelay(t, l.Addr(), 1)
	c, s := join(t, l, r.front.LocalAddr().String())
	sent, got := [2]int{}, [2]int{}
	last, longest := time.Now(), time.Duration(0)
	count := func(to transport.Conn, side int) {
		for _, in := range to.Drain(nil) {
			if in.Channel == transport.Stream {
				if want := fmt.Sprint(got[side]); string(in.Bytes) != want {
					t.Errorf("side %d: message %s came, want %s", side, in.Bytes, want)
				}
				got[side]++
			} else if side == 1 {
				longest = max(longest, in.At.Sub(last))
				last = in.At
			}
		}
	}
	for i := range 300 {
		if i%60 == 30 {
			r.rebind(t)
		}
		for side, from := range []transport.Conn{c, s} {
			from.Datagrams([]byte("something"))
			if i%4 == 0 && from.Stream(fmt.Append(nil, sent[side])) == nil {
				sent[side]++
			}
		}
		time.Sleep(16 * time.Millisecond)
		count(s, 0)
		count(c, 1)
	}
	for deadline := time.Now().Add(5 * time.Second); got != sent && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		count(s, 0)
		count(c, 1)
	}
	t.Logf("5 changes: %v of %v messages, the longest silence %v", got, sent, longest)
	if got != sent {
		t.Errorf("%v of %v messages came", got, sent)
	}
}

// Strangers get nothing, whatever they send, or at most as many bytes as they sent; no connection and no seat comes
// of it, and a session is not disturbed. [THR-01, THR-03]
func TestStrangersGetAtMostWhatTheySent(t *testing.T) {
	l := listen(t, udpserver.Config{})
	r := newRelay(t, l.Addr(), 2)
	c, s := join(t, l, r.front.LocalAddr().String())
	for range 50 {
		c.Datagrams([]byte("input"))
		s.Datagrams([]byte("snapshot"))
		time.Sleep(time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond)
	s.Drain(nil)
	before := s.Stats()
	r.mu.Lock()
	captured := slices.Clone(r.up)
	r.mu.Unlock()

	stranger, err := net.DialUDP("udp", nil, l.Addr().(*net.UDPAddr))
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	random := rand.New(rand.NewPCG(3, 0))
	sent, packets := 0, 0
	send := func(b []byte) {
		sent += len(b)
		packets++
		stranger.Write(b)
	}
	for _, b := range captured {
		send(b) // the handshake and every packet of a session
		for range 20 {
			x := slices.Clone(b)
			x[random.IntN(len(x))] ^= 1 << random.IntN(8)
			send(x[:1+random.IntN(len(x))])
		}
		x := make([]byte, 1+random.IntN(1300))
		for i := range x {
			x[i] = byte(random.Uint32())
		}
		x[0] &= 0x3f
		send(x)
	}
	got, answers := 0, 0
	b := make([]byte, 2048)
	for stranger.SetReadDeadline(time.Now().Add(200 * time.Millisecond)); ; answers++ {
		n, err := stranger.Read(b)
		if err != nil {
			break
		}
		got += n
	}
	t.Logf("a stranger sent %d packets of %d bytes and got %d of %d", packets, sent, answers, got)
	if got > sent/10 {
		t.Errorf("%d bytes for %d", got, sent)
	}
	if after := s.Stats(); after.DatagramsIn != before.DatagramsIn || after.MessagesIn != before.MessagesIn {
		t.Errorf("the session counts %+v, before %+v", after, before)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if c, err := l.Accept(ctx); err == nil {
		t.Errorf("a connection came of it: %v", c.Remote())
	}
	c.Datagrams([]byte("goes on"))
	for deadline := time.Now().Add(2 * time.Second); len(s.Drain(nil)) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the session does not go on")
		}
	}
}

// QUIC, WebTransport and UDP share one port.
func TestOnePortWithQUIC(t *testing.T) {
	l, err := udpserver.Listen(udpserver.Config{Addr: "127.0.0.1:0", Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	q, err := quicserver.Listen(quicserver.Config{Socket: l.Socket()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(l.Close(), q.Close()); err != nil {
			t.Errorf("closing: %v", err)
		}
	}()
	if l.Addr().String() != q.Addr().String() {
		t.Fatalf("addresses %v and %v", l.Addr(), q.Addr())
	}
	hashes, err := q.Hashes()
	if err != nil {
		t.Fatal(err)
	}
	var ends [3][2]transport.Conn
	for i, dial := range []func() (transport.Conn, error){
		func() (transport.Conn, error) {
			return udp.Dial(within(t, 5*time.Second), l.Addr().String(), l.Ticket())
		},
		func() (transport.Conn, error) { return quic.Dial(within(t, 5*time.Second), l.Addr().String(), hashes) },
		func() (transport.Conn, error) {
			return quicserver.DialWebTransport(within(t, 5*time.Second), l.Addr().String(), hashes)
		},
	} {
		c, err := dial()
		if err != nil {
			t.Fatal(err)
		}
		defer finish(t, c)
		from := transport.Listener(q)
		if i == 0 {
			from = l
		}
		c.Stream([]byte("hello"))
		s, err := from.Accept(within(t, 5*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		ends[i] = [2]transport.Conn{c, s}
	}
	got := [3][2]int{}
	for range 200 {
		for i := range ends {
			for side, c := range ends[i] {
				c.Datagrams(fmt.Appendf(nil, "%d %d", i, 1-side))
				for _, in := range c.Drain(nil) {
					if in.Channel == transport.Datagram {
						if want := fmt.Sprint(i, side); string(in.Bytes) != want {
							t.Fatalf("%s: %q came, want %q", c.Kind(), in.Bytes, want)
						}
						got[i][side]++
					}
				}
			}
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Logf("datagrams that came, of 200: %v", got)
	for i := range got {
		if got[i][0] < 100 || got[i][1] < 100 {
			t.Errorf("%s: %v of 200 datagrams came", ends[i][0].Kind(), got[i])
		}
	}
}

// Datagrams of a listener that holds them leave with one Flush, whichever connection is asked for it.
func TestHeldDatagrams(t *testing.T) {
	l := listen(t, udpserver.Config{Held: true})
	var clients, servers [5]transport.Conn
	for i := range clients {
		clients[i], servers[i] = join(t, l, l.Addr().String())
	}
	for round := range 20 {
		for i, s := range servers {
			s.Datagrams(fmt.Appendf(nil, "%d of %d", round, i))
		}
		servers[0].(transport.Flusher).Flush()
		for i, c := range clients {
			for deadline := time.Now().Add(2 * time.Second); ; time.Sleep(time.Millisecond) {
				if got := c.Drain(nil); len(got) > 0 {
					if want := fmt.Sprintf("%d of %d", round, i); string(got[0].Bytes) != want {
						t.Fatalf("got %q, want %q", got[0].Bytes, want)
					}
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("round %d: nothing for client %d", round, i)
				}
			}
		}
	}
}

// An IPv6 client and an IPv4 client of a socket of every address.
func TestBothFamilies(t *testing.T) {
	l, err := udpserver.Listen(udpserver.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := netip.MustParseAddrPort(l.Addr().String()).Port()
	for _, host := range []string{"127.0.0.1", "::1"} {
		address := net.JoinHostPort(host, fmt.Sprint(port))
		c, err := udp.Dial(within(t, 4*time.Second), address, l.Ticket())
		if err != nil {
			if host == "::1" {
				t.Skipf("no IPv6 here: %v", err)
			}
			t.Fatal(err)
		}
		c.Stream([]byte("hello"))
		s, err := l.Accept(within(t, 4*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		if got := netip.MustParseAddrPort(s.Remote()).Addr().String(); got != host {
			t.Errorf("the server sees %s, want %s", got, host)
		}
		finish(t, c)
	}
}

// A server of every address answers from the address that the client has sent to: a client behind NAT hears from no
// other. This machine's 127.0.0.2 stands for a second address.
func TestAnswersComeFromWhereTheyWereAsked(t *testing.T) {
	l, err := udpserver.Listen(udpserver.Config{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	q, err := quicserver.Listen(quicserver.Config{Socket: l.Socket()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { l.Close(); q.Close() }()
	port := int(netip.MustParseAddrPort(l.Addr().String()).Port())
	second := &net.UDPAddr{IP: net.IPv4(127, 0, 0, 2), Port: port}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has it, here")
	}
	r := newRelay(t, second, 4) // its socket hears from second alone
	c, s := join(t, l, r.front.LocalAddr().String())
	s.Datagrams([]byte("from there"))
	s.(transport.Flusher).Flush()
	for deadline := time.Now().Add(2 * time.Second); len(c.Drain(nil)) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing comes")
		}
	}
	finish(t, c)
}
