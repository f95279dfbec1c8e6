package pump

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// THR-04: who only holds places loses them to newcomers, the oldest first: those of one address to others of
// that address, and when all places are taken those of any. An honest client that says hello within 300 ms has
// its place until then against 200 half-open joins a second of its own address, and 3,000 of others.
func TestTheOldestHandshakesGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewAcceptQueue()
		lost := map[string]int{} // how many of each address had to give way
		leave := map[string]func(){}
		reserve := func(address string) {
			var ok bool
			block := transport.AddressBlock(address).String()
			if leave[address], ok = d.Reserve(address, func() { lost[block]++; lost[address]++ }); !ok {
				t.Fatalf("%s got no place", address)
			}
			synctest.Wait()
		}
		many := func(format string, n int) {
			for i := range n {
				reserve(fmt.Sprintf(format, i+1))
			}
		}
		want := func(when, who string, n int) {
			if lost[who] != n {
				t.Errorf("%s: %d of %s gave way, want %d", when, lost[who], who, n)
			}
		}
		many("203.0.113.7:%d", 200)
		want("one IPv4 address opens 200", "203.0.113.7/32", 200-maxHandshakesPerAddress)
		want("the first of them", "203.0.113.7:1", 1)
		want("the newest of them", "203.0.113.7:200", 0)
		leave["203.0.113.7:200"]()
		leave["203.0.113.7:200"]()
		leave["203.0.113.7:1"]() // which has no place any more
		reserve("203.0.113.7:201")
		want("after one has said hello there is a place", "203.0.113.7/32", 200-maxHandshakesPerAddress)
		many("[2001:db8::%x]:443", 200)
		want("a /64 of IPv6", "2001:db8::/64", 200-maxHandshakesPerAddress)
		many("198.51.100.%d:443", 20)
		rest := maxHandshakes - 2*maxHandshakesPerAddress - 20
		many("127.0.0.1:%d", rest)
		want("this machine fills the rest", "127.0.0.1/32", 0)
		many("192.0.2.%d:443", maxHandshakesPerAddress)
		want("64 more: the oldest of all give way", "203.0.113.7/32", 200)
		want("and nobody else", "198.51.100.1/32", 0)

		honest := "198.51.100.200:7"
		reserve(honest)
		for i := range 900 { // of 300 ms at 3,000 a second
			reserve(fmt.Sprintf("10.1.%d.%d:9", i/200, i%200))
		}
		neighbour := "203.0.113.7:9000"
		reserve(neighbour)
		many("203.0.113.7:%d", 60) // of 300 ms at 200 a second
		want("an honest client after 900 of other addresses", honest, 0)
		want("one after 60 of its own address", neighbour, 0)
		d.Close("")
		if _, ok := d.Reserve("192.0.2.1:1", func() {}); ok {
			t.Error("a closed queue reserved a place")
		}
	})
}

// accepted is a connection on a wire in memory, in a queue of its own.
func accepted(t *testing.T, d *AcceptQueue, hello time.Duration) (*Conn, *fakeWire, chan struct{}) {
	t.Helper()
	w := &fakeWire{}
	c := New(w)
	added := make(chan struct{})
	go func() {
		defer close(added)
		d.Add(c, hello)
	}()
	return c, w, added
}

// THR-11: a connection that never sends a message costs its place for a bounded time, and
// the game does not see it.
func TestAConnectionWithoutAHelloIsClosedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewAcceptQueue()
		silent, wire, _ := accepted(t, d, 3*time.Second)
		silent.Receive(transport.Datagram, []byte("no hello"), time.Now())
		time.Sleep(2999 * time.Millisecond)
		synctest.Wait()
		if silent.Closed() {
			t.Error("closed before its time")
		}
		time.Sleep(2 * time.Millisecond)
		<-silent.Finished()
		if wire.reason != "no hello in time" {
			t.Errorf("closed with %q, want %q", wire.reason, "no hello in time")
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("nothing to accept"))
		defer cancel()
		if c, err := d.Accept(ctx); c != nil || err == nil || err.Error() != "nothing to accept" {
			t.Errorf("Accept: got %v, %v; want the context's cause", c, err)
		}
		d.Close("")
	})
}

// The first message makes a connection acceptable. A connection that ended while it waited
// is skipped.
func TestAcceptSkipsWhatEndedWhileItWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewAcceptQueue()
		var conns []*Conn
		for range 3 {
			c, _, added := accepted(t, d, time.Second)
			c.Receive(transport.Stream, []byte("hello"), time.Now())
			<-added
			conns = append(conns, c)
		}
		conns[0].End(true, "changed its mind", nil)
		conns[1].Close("")
		got, err := d.Accept(t.Context())
		if err != nil || got != transport.Conn(conns[2]) {
			t.Errorf("got %v, %v; want the third", got, err)
		}
		if p := got.Drain(nil); len(p) != 1 || string(p[0].Bytes) != "hello" {
			t.Errorf("its inbox: got %v, want the hello", p)
		}
		d.Close("")
	})
}

// THR-04: more connections than may wait are refused with a reason, and the waiting ones
// stay.
func TestAFullQueueRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewAcceptQueue()
		var last *fakeWire
		for range maxWaiting + 1 {
			c, w, added := accepted(t, d, time.Second)
			c.Receive(transport.Stream, []byte("hello"), time.Now())
			<-added
			last = w
		}
		synctest.Wait()
		if last.reason != "server busy" {
			t.Errorf("the last was closed with %q, want %q", last.reason, "server busy")
		}
		for i := range maxWaiting {
			if c, err := d.Accept(t.Context()); err != nil || c.Closed() {
				t.Fatalf("connection %d of %d: %v", i+1, maxWaiting, err)
			}
		}
		d.Close("")
	})
}

// Close ends what waits, what was accepted and what has not said hello, each with the
// reason, and waits for all of them.
func TestClosingTheQueueEndsEveryConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewAcceptQueue()
		silent, w0, _ := accepted(t, d, time.Minute)
		waiting, w1, added := accepted(t, d, time.Minute)
		waiting.Receive(transport.Stream, []byte("hello"), time.Now())
		<-added
		synctest.Wait()
		if !d.Close("shutting down") || d.Close("again") {
			t.Error("Close must report whether it was the first call")
		}
		if !silent.Closed() || !waiting.Closed() || w0.reason != "shutting down" || w1.reason != "shutting down" {
			t.Errorf("closed with %q and %q, want %q", w0.reason, w1.reason, "shutting down")
		}
		if _, err := d.Accept(t.Context()); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Accept after Close: got %v", err)
		}
		late, w2, added := accepted(t, d, time.Minute)
		<-added
		<-late.Finished()
		if w2.reason != "server closed" {
			t.Errorf("a late connection was closed with %q", w2.reason)
		}
	})
}

// Addresses that no transport reports are one client, and so is an IPv4 address in IPv6
// form.
func TestUnusualAddressesCountAsOneClient(t *testing.T) {
	for _, c := range [][2]string{{"", "nowhere"}, {"pipe", "host.example:443"},
		{"203.0.113.7:1", "[::ffff:203.0.113.7]:2"}, {"[fe80::1%eth0]:1", "[fe80::2%wlan1]:1"}} {
		if a, b := transport.AddressBlock(c[0]), transport.AddressBlock(c[1]); a != b {
			t.Errorf("%q and %q: got %v and %v, want one block", c[0], c[1], a, b)
		}
	}
	if a, b := transport.AddressBlock("203.0.113.7:1"), transport.AddressBlock("203.0.113.8:1"); a == b {
		t.Errorf("two hosts are one block: %v", a)
	}
}
