package quicserver

import (
	"encoding/binary"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// natBox passes datagrams between one client and a server, and can change the port that the server sees, as a
// router does that forgets a mapping.
type natBox struct {
	t      *testing.T
	inside *net.UDPConn // towards the client
	server *net.UDPAddr
	client atomic.Pointer[net.UDPAddr]
	// How many of the next datagrams are lost, to the server and to the client.
	loseUp, loseDown atomic.Int32
	holdDown         atomic.Int64 // how long the next datagram to the client, and those behind it, is held; a time.Duration
	mu               sync.Mutex
	out              *net.UDPConn
	work             sync.WaitGroup
}

func newNATBox(t *testing.T, server string) *natBox {
	to, err := net.ResolveUDPAddr("udp", server)
	if err != nil {
		t.Fatal(err)
	}
	n := &natBox{t: t, server: to}
	if n.inside, err = net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}); err != nil {
		t.Fatal(err)
	}
	n.rebind()
	n.work.Go(func() {
		b := make([]byte, 2048)
		for {
			k, from, err := n.inside.ReadFromUDP(b)
			if err != nil {
				return
			}
			n.client.Store(from)
			if n.loseUp.Add(-1) >= 0 {
				continue
			}
			n.mu.Lock()
			_, _ = n.out.WriteToUDP(b[:k], n.server)
			n.mu.Unlock()
		}
	})
	t.Cleanup(func() {
		n.inside.Close()
		n.mu.Lock()
		n.out.Close()
		n.mu.Unlock()
		n.work.Wait()
	})
	return n
}

// rebind gives the client a new port. What comes to the old one is lost.
func (n *natBox) rebind() {
	out, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		n.t.Error(err)
		return
	}
	n.mu.Lock()
	old := n.out
	n.out = out
	n.mu.Unlock()
	if old != nil {
		old.Close()
	}
	n.work.Go(func() {
		b := make([]byte, 2048)
		for {
			k, err := out.Read(b)
			if err != nil {
				return
			}
			time.Sleep(time.Duration(n.holdDown.Swap(0)))
			if to := n.client.Load(); to != nil && n.loseDown.Add(-1) < 0 {
				_, _ = n.inside.WriteToUDP(b[:k], to)
			}
		}
	})
}

// THR-07: a client whose port changes five times plays on: its connection lives, its inputs arrive, and it hears
// the server again, each time. An input goes out sixty times a second and is echoed.
func TestAClientWhosePortChangesPlaysOn(t *testing.T) {
	const frames, changes = 360, 5
	l, addr, hashes := listen(t, Config{})
	nat := newNATBox(t, addr)
	c, s := connect(t, l, nat.inside.LocalAddr().String(), hashes)
	defer shut(c)
	came := map[uint32]bool{}
	var echoes [changes + 1]int // after so many changes
	var heard time.Time
	silence, changed := time.Duration(0), 0
	input := make([]byte, 4)
	var packets []transport.Packet
	for frame := uint32(1); frame <= frames+30; frame++ { // half a second for the last ones
		if frame <= frames {
			if frame%(frames/(changes+1)) == 0 && changed < changes {
				nat.rebind()
				changed++
			}
			binary.LittleEndian.PutUint32(input, frame)
			c.Datagrams(input)
		}
		time.Sleep(time.Second / 60)
		packets = s.Drain(packets[:0])
		for _, p := range packets {
			if p.Channel == transport.Datagram {
				came[binary.LittleEndian.Uint32(p.Bytes)] = true
				s.Datagrams(p.Bytes)
			}
		}
		if packets = c.Drain(packets[:0]); len(packets) > 0 {
			if !heard.IsZero() {
				silence = max(silence, time.Since(heard))
			}
			heard = time.Now()
			echoes[changed] += len(packets)
		}
	}
	lost := frames - len(came)
	t.Logf("%d changes: %d of %d inputs lost, longest silence %v, echoes after each: %v", changed, lost, frames, silence.Round(time.Millisecond), echoes)
	for k, n := range echoes {
		if n == 0 {
			t.Errorf("after %d changes no echo came", k)
		}
	}
	if c.Closed() || s.Closed() || lost > frames/10 {
		t.Errorf("closed: client %v, server %v; %d of %d inputs lost, want at most one in ten on a busy machine", c.Err(), s.Err(), lost, frames)
	}
}

// THR-32: a goodbye that is lost is said again: the other end hears the reason long before the idle timeout,
// whichever end closes, since it still sends. The end that has closed listens for some round trips only: where the
// machine stands still for longer than that the goodbye is lost for good, so each end has a few tries.
func TestALostGoodbyeIsSaidAgain(t *testing.T) {
	const tries = 5
	for _, clientCloses := range []bool{true, false} {
		heard := false
		for try := 0; try < tries && !heard; try++ {
			heard = loseGoodbye(t, clientCloses)
		}
		if !heard {
			t.Errorf("the client closes: %v: the reason was not heard in %d tries", clientCloses, tries)
		}
	}
}

// loseGoodbye ends a connection so that the first goodbye is lost, and reports whether the other end hears it.
func loseGoodbye(t *testing.T, clientCloses bool) (heard bool) {
	l, addr, hashes := listen(t, Config{})
	nat := newNATBox(t, addr)
	c, s := connect(t, l, nat.inside.LocalAddr().String(), hashes)
	defer shut(c)
	closes, hears, lose := c, s, &nat.loseUp
	if !clientCloses {
		closes, hears, lose = s, c, &nat.loseDown
	}
	for range 30 { // both talk
		c.Datagrams([]byte("input"))
		s.Datagrams([]byte("snapshot"))
		time.Sleep(time.Second / 60)
	}
	lose.Store(1)
	closes.Close("off to bed")
	begun := time.Now()
	for !hears.Closed() && time.Since(begun) < transport.IdleTimeout/8 {
		hears.Datagrams([]byte("still here"))
		time.Sleep(time.Second / 60)
	}
	t.Logf("the client closes: %v; heard after %v: %v", clientCloses, time.Since(begun).Round(time.Millisecond), hears.Err())
	if lose.Load() == 1 {
		t.Errorf("the client closes: %v: no goodbye was lost", clientCloses)
	}
	e, ok := hears.Err().(*transport.CloseError)
	return ok && e.Reason == "off to bed"
}

// THR-32: a page gets no packets for 0.6 s when the server closes its session, as on a busy machine, and then all of
// them at once: it reads the reason, because the connection below the session stays open until it has answered. Where
// this machine stands still too, that takes too long, so there are a few tries.
func TestTheReasonWaitsForABusyPage(t *testing.T) {
	const tries = 5
	read := ""
	for try := 0; try < tries && read != "off to bed"; try++ {
		read = closeBusyPage(t)
	}
	if read != "off to bed" {
		t.Errorf("the page read %q in the last of %d tries, want the reason", read, tries)
	}
}

// closeBusyPage closes the session of a page that gets no packets for 0.6 s, and returns what it reads.
func closeBusyPage(t *testing.T) string {
	l, addr, hashes := listen(t, Config{})
	nat := newNATBox(t, addr)
	c, err := DialWebTransport(within(t), nat.inside.LocalAddr().String(), hashes)
	if err != nil {
		t.Fatal(err)
	}
	defer shut(c)
	_ = c.Stream([]byte("hello"))
	s, err := l.Accept(within(t))
	if err != nil {
		t.Fatal(err)
	}
	nat.holdDown.Store(int64(600 * time.Millisecond))
	s.Close("off to bed")
	for begun := time.Now(); !c.Closed() && time.Since(begun) < transport.IdleTimeout/2; time.Sleep(time.Second / 60) {
		c.Datagrams([]byte("still here"))
	}
	e, ok := c.Err().(*transport.CloseError)
	if !ok {
		return "nothing"
	}
	return e.Reason
}
