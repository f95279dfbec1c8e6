package udpclients

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/udp/udpserver"
)

// server is a server and a socket of clients.
type server struct {
	*testing.T
	ctx context.Context
	*udpserver.Listener
	socket *Socket
}

func newServer(t *testing.T) *server {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	l, err := udpserver.Listen(udpserver.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	socket, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	return &server{t, ctx, l, socket}
}

// until calls Receive until something is so.
func (s *server) until(what string, so func() bool) {
	s.Helper()
	for ; !so(); time.Sleep(time.Millisecond) {
		if s.ctx.Err() != nil {
			s.Fatalf("in vain: %s", what)
		}
		s.socket.Receive()
	}
}

// dial connects a client and returns both ends.
func (s *server) dial() (client, accepted transport.Conn) {
	s.Helper()
	done := make(chan error, 1)
	go func() {
		var err error
		client, err = s.socket.Dial(s.ctx, s.Addr().String(), s.Ticket())
		done <- err
	}()
	s.until("dial", func() bool { return len(done) > 0 })
	if err := <-done; err != nil {
		s.Fatal(err)
	}
	client.Stream([]byte("hello"))
	accepted, err := s.Accept(s.ctx)
	if err != nil {
		s.Fatal(err)
	}
	return client, accepted
}

// host returns the address of a client, as its server sees it.
func host(c transport.Conn) string { return c.Remote()[:strings.LastIndexByte(c.Remote(), ':')] }

// text returns the bytes of packets.
func text(packets []transport.Packet) (all []string) {
	for _, p := range packets {
		all = append(all, string(p.Bytes))
	}
	return all
}

// Three clients of one socket have three addresses and the same port. Each gets what its own end of the server sends, on
// both channels, and its server gets what it sends.
func TestClientsNeverGetEachOthersPackets(t *testing.T) {
	s := newServer(t)
	var clients, accepted [3]transport.Conn
	for i := range clients {
		clients[i], accepted[i] = s.dial()
		if got, want := host(accepted[i]), fmt.Sprintf("127.1.0.%d", i); got != want {
			t.Errorf("client %d has the address %s, want %s", i, got, want)
		}
		accepted[i].Drain(nil) // the hello
	}
	for i := range clients {
		accepted[i].Stream(fmt.Append(nil, "message ", i))
		accepted[i].Datagrams(fmt.Append(nil, "down ", i))
		clients[i].Datagrams(fmt.Append(nil, "up ", i))
	}
	s.socket.Flush()
	for i := range clients {
		var down, up []transport.Packet
		s.until("two packets down", func() bool { down = clients[i].Drain(down); return len(down) >= 2 })
		s.until("one packet up", func() bool { up = accepted[i].Drain(up); return len(up) >= 1 })
		if got, want := fmt.Sprint(text(down), text(up)), fmt.Sprintf("[message %d down %d] [up %d]", i, i, i); got != want {
			t.Errorf("client %d and its server: got %s, want %s", i, got, want)
		}
		if at := time.Since(down[1].At); at < 0 || at > time.Minute {
			t.Errorf("client %d: its datagram arrived %v ago", i, at)
		}
	}
	for i := range clients {
		if more := append(clients[i].Drain(nil), accepted[i].Drain(nil)...); len(more) > 0 {
			t.Errorf("client %d and its server also got %q", i, text(more))
		}
	}
}

// Datagrams wait for Flush, and leave together.
func TestDatagramsWaitForFlush(t *testing.T) {
	s := newServer(t)
	first, ofFirst := s.dial()
	second, ofSecond := s.dial()
	ofFirst.Drain(nil)
	ofSecond.Drain(nil)
	before := s.socket.out.n
	first.Datagrams([]byte("one"), []byte("two"))
	second.Datagrams([]byte("three"))
	if got := s.socket.out.n - before; got != 3 {
		t.Errorf("%d packets wait, want 3", got)
	}
	s.socket.Flush()
	if s.socket.out.n != 0 {
		t.Errorf("%d packets wait after Flush", s.socket.out.n)
	}
	var got [2][]transport.Packet
	s.until("all three", func() bool {
		got[0], got[1] = ofFirst.Drain(got[0]), ofSecond.Drain(got[1])
		return len(got[0])+len(got[1]) == 3
	})
	if all := fmt.Sprint(text(got[0]), text(got[1])); all != "[one two] [three]" {
		t.Errorf("got %s", all)
	}
}

// A client that closes gives its address back once the server has confirmed it: the next one gets it, and nothing of the one
// before.
func TestAClosedClientFreesItsAddress(t *testing.T) {
	s := newServer(t)
	first, ofFirst := s.dial()
	_, ofSecond := s.dial()
	ofFirst.Datagrams([]byte("for the first"))
	first.Close("leaving")
	s.until("the first is closed", func() bool { return ofFirst.Closed() && len(s.socket.free) == 1 })
	var ended *transport.CloseError
	if !errors.As(ofFirst.Err(), &ended) || !ended.Remote || ended.Reason != "leaving" {
		t.Errorf("the server's end: %v, want the client's reason", ofFirst.Err())
	}
	third, ofThird := s.dial()
	if host(ofThird) != host(ofFirst) || host(ofThird) == host(ofSecond) {
		t.Errorf("the third has %s, the first had %s, the second has %s", host(ofThird), host(ofFirst), host(ofSecond))
	}
	ofThird.Datagrams([]byte("for the third"))
	var got []transport.Packet
	s.until("a datagram", func() bool { got = third.Drain(got); return len(got) > 0 })
	if fmt.Sprint(text(got)) != "[for the third]" {
		t.Errorf("the third got %q", text(got))
	}
}

// Where the caller does not receive, the kernel's buffer fills: what has room in it arrives later, in order and whole, what comes
// then is lost, and the connection goes on.
func TestAFullReceiveBufferLosesPacketsAndNothingElse(t *testing.T) {
	s := newServer(t)
	client, accepted := s.dial()
	if err := unix.SetsockoptInt(s.socket.out.fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 4096); err != nil {
		t.Fatal(err)
	}
	const sent = 60 // an inbox holds 64
	for i := range sent {
		accepted.Datagrams(fmt.Appendf(nil, "%02d%1000d", i, 0))
	}
	var got []transport.Packet
	s.until("what had room", func() bool { got = client.Drain(got); return len(got) > 0 })
	accepted.Datagrams([]byte("later"))
	accepted.Stream([]byte("a message"))
	s.until("the message", func() bool {
		got = client.Drain(got)
		return got[len(got)-1].Channel == transport.Stream
	})
	n := len(got) - 2
	if n == sent || string(got[n].Bytes) != "later" || string(got[n+1].Bytes) != "a message" || client.Closed() {
		t.Errorf("%d of %d datagrams had room; then came %.8q; closed: %v", n, sent, text(got[n:]), client.Closed())
	}
	last := -1
	for _, p := range got[:n] {
		i := -1
		fmt.Sscanf(string(p.Bytes[:2]), "%d", &i)
		if i <= last || string(p.Bytes) != fmt.Sprintf("%02d%1000d", i, 0) {
			t.Errorf("after datagram %d came %.8q", last, p.Bytes)
		}
		last = i
	}
}

// A Dial that is given up frees its address. A server on another machine is refused: its packets would not come to the
// client's address.
func TestDialsThatFail(t *testing.T) {
	s := newServer(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the player has left")
	cancel(why)
	if _, err := s.socket.Dial(ctx, s.Addr().String(), s.Ticket()); !errors.Is(err, why) {
		t.Errorf("given up: %v", err)
	}
	if len(s.socket.free) != 1 {
		t.Errorf("%d addresses are free, want the one", len(s.socket.free))
	}
	if _, err := s.socket.Dial(t.Context(), "192.0.2.1:4433", s.Ticket()); !errors.Is(err, errRemote) {
		t.Errorf("another machine: %v", err)
	}
	if err := errors.Join(s.socket.Close(), s.socket.Close()); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	s.socket.Receive() // of a closed socket: nothing
}
