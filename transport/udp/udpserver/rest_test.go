package udpserver_test

import (
	"fmt"
	"net"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/quic"
	"github.com/backstep-net/backstep/transport/quic/quicserver"
	"github.com/backstep-net/backstep/transport/udp"
	"github.com/backstep-net/backstep/transport/udp/udpserver"
)

// gate is a Rest that sleeps until the test lets it go on, if it is closed.
type gate struct {
	closed atomic.Bool
	calls  atomic.Int64
	rests  atomic.Int64
	next   chan struct{}
}

func (g *gate) rest(time.Duration) bool {
	g.calls.Add(1)
	if !g.closed.Load() {
		return false
	}
	g.rests.Add(1)
	<-g.next
	return true
}

// open lets the reader go on for good.
func (g *gate) open() {
	g.closed.Store(false)
	close(g.next)
}

// gatedPair returns both ends of a connection over a socket that is read when the gate says so.
func gatedPair(t *testing.T, kind string) (g *gate, client, server transport.Conn) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems read packets as they arrive")
	}
	g = &gate{next: make(chan struct{})}
	l, err := udpserver.Listen(udpserver.Config{Addr: "127.0.0.1:0", Shared: true, Rest: g.rest})
	if err != nil {
		t.Fatal(err)
	}
	q, err := quicserver.Listen(quicserver.Config{Socket: l.Socket()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close(); q.Close() })
	var from transport.Listener = l
	if kind == "udp" {
		client, err = udp.Dial(within(t, 5*time.Second), l.Addr().String(), l.Ticket())
	} else {
		hashes, e := q.Hashes()
		if e != nil {
			t.Fatal(e)
		}
		from = q
		client, err = quic.Dial(within(t, 5*time.Second), l.Addr().String(), hashes)
	}
	if err != nil {
		t.Fatal(err)
	}
	client.Stream([]byte("hello"))
	if server, err = from.Accept(within(t, 5*time.Second)); err != nil {
		t.Fatal(err)
	}
	server.Drain(nil)
	t.Cleanup(func() { finish(t, client) })
	t.Cleanup(g.open)
	return g, client, server
}

// await drains a connection until a datagram with this text has come; it reports whether it has.
func await(c transport.Conn, last string) (got []transport.Packet, ok bool) {
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		got = c.Drain(got)
		if n := len(got); n > 0 && string(got[n-1].Bytes) == last {
			return got, true
		}
	}
	return got, false
}

// While the reader sleeps until a tick, the kernel keeps packets: they come together, after one sleep, and each with
// the time at which it arrived, not that at which it was read: its stamp is between its sending and the next one's. A
// busy machine may delay an arrival, so one round of several has to be right.
func TestPacketsThatWaitKeepTheirTimes(t *testing.T) {
	for _, kind := range []string{"udp", "quic"} {
		t.Run(kind, func(t *testing.T) {
			g, client, server := gatedPair(t, kind)
			g.closed.Store(true)
			client.Datagrams([]byte("this one is read at once"))
			if _, ok := await(server, "this one is read at once"); !ok {
				// The reader had a packet of the handshake in hand when the gate closed, and sleeps already.
				g.rests.Store(0)
				select {
				case g.next <- struct{}{}:
				case <-time.After(5 * time.Second):
				}
				if _, ok := await(server, "this one is read at once"); !ok {
					t.Fatal("it does not come")
				}
			}
			fault := "none was sent"
			for round := 0; round < 10 && fault != ""; round++ {
				fault = roundOfStamps(t, g, client, server, round)
			}
			if fault != "" {
				t.Error(fault)
			}
		})
	}
}

// roundOfStamps sends datagrams while the reader sleeps, and returns what is wrong with their times.
func roundOfStamps(t *testing.T, g *gate, client, server transport.Conn, round int) (fault string) {
	const n = 10
	for g.rests.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	var sent [n + 1]time.Time
	text := func(i int) string { return fmt.Sprintf("%d %d %*s", round, i, i%3*40, "") }
	for i := range n {
		sent[i] = time.Now()
		client.Datagrams([]byte(text(i)))
		time.Sleep(3 * time.Millisecond)
	}
	sent[n] = time.Now()
	if got := server.Drain(nil); len(got) > 0 {
		return fmt.Sprintf("round %d: %d datagrams came while the reader slept", round, len(got))
	}
	g.rests.Store(0)
	g.next <- struct{}{}
	got, ok := await(server, text(n-1))
	if !ok {
		return fmt.Sprintf("round %d: %d of %d datagrams came, and not the last", round, len(got), n)
	}
	for _, p := range got { // one may be lost: a busy client replaces a batch that it has not sent
		var of, i int
		if _, err := fmt.Sscan(string(p.Bytes), &of, &i); err != nil || of != round {
			return fmt.Sprintf("round %d: %q came", round, p.Bytes)
		}
		if p.At.Before(sent[i].Add(-time.Millisecond)) || p.At.After(sent[i+1]) {
			fault = fmt.Sprintf("datagram %d of round %d was sent at 0 and the next %v later, its time is %v", i, round, sent[i+1].Sub(sent[i]), p.At.Sub(sent[i]))
		}
	}
	if got := g.rests.Load(); got > 1 {
		return fmt.Sprintf("round %d: %d sleeps more for datagrams that had all arrived before, want 1", round, got)
	}
	return fault
}

// A server to which nobody is connected waits for a packet and does not wake up before.
func TestAnIdleReaderDoesNotWakeUp(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems read packets as they arrive")
	}
	g := &gate{}
	l := listen(t, udpserver.Config{Rest: g.rest})
	for g.calls.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond)
	if got := g.calls.Load(); got != 1 {
		t.Errorf("the reader woke up %d times with no packet, want 0", got-1)
	}
	stranger, err := net.Dial("udp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	for i := range int64(5) {
		if _, err := stranger.Write([]byte{0x33, 1, 2, 3}); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(5 * time.Second); g.calls.Load() != 2+i; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("after %d packets, one by one, the reader has woken up %d times", i+1, g.calls.Load()-1)
			}
		}
	}
}
