package udpwire

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// Messages of every length arrive once and in order, whatever the network loses, duplicates and reorders. [THR-27]
func TestMessagesOverABadNetwork(t *testing.T) {
	for _, c := range []struct{ loss, dup float64 }{{0, 0}, {0.1, 0.1}, {0.3, 0.2}} {
		t.Run(fmt.Sprintf("loss %v", c.loss), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const seed = 1
				p := newPair(seed, c.loss, c.dup, 20*time.Millisecond)
				random := rand.New(rand.NewPCG(seed, 1))
				var want, got [2][][]byte
				total := 0
				for range 200 {
					m := make([]byte, random.IntN(4000))
					if random.IntN(40) == 0 {
						m = make([]byte, transport.MaxMessage)
					}
					for i := range m {
						m[i] = byte(random.Uint32())
					}
					side := random.IntN(2)
					total += len(m)
					want[side] = append(want[side], m)
				}
				var next [2]int
				took := p.until(t, 2*time.Minute, "all messages", func() bool {
					for side, ends := range [2][2]*Conn{{p.client, p.server}, {p.server, p.client}} {
						if next[side] < len(want[side]) {
							if err := ends[0].Stream(want[side][next[side]]); err == nil {
								next[side]++
							} else if !errors.Is(err, transport.ErrFull) {
								t.Fatal(err)
							}
						}
						ends[0].Datagrams([]byte("between"))
						for _, in := range ends[1].Drain(nil) {
							if in.Channel == transport.Stream {
								got[side] = append(got[side], in.Bytes)
							}
						}
					}
					return len(got[0]) == len(want[0]) && len(got[1]) == len(want[1])
				})
				for side := range want {
					if !slices.EqualFunc(got[side], want[side], bytes.Equal) {
						t.Errorf("seed %d, side %d: %d messages are not those that were sent", seed, side, len(got[side]))
					}
				}
				t.Logf("loss %v: %d bytes in %v, %d packets of %d bytes", c.loss, total, took, p.up.packets+p.down.packets, p.up.bytes+p.down.bytes)
			})
		})
	}
}

// Each datagram that comes through comes once, though the network duplicates, and none is longer than it was.
func TestDatagramsOverABadNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(2, 0.1, 0.3, 20*time.Millisecond)
		seen := map[string]int{}
		const count = 3000
		for i := range count {
			p.client.Datagrams(fmt.Appendf(nil, "datagram %d", i))
			p.step()
			for _, in := range p.server.Drain(nil) {
				seen[string(in.Bytes)]++
			}
		}
		for s, n := range seen {
			if n != 1 {
				t.Errorf("%q came %d times", s, n)
			}
		}
		if got := float64(len(seen)) / count; got < 0.85 {
			t.Errorf("%d of %d came at 10 %% loss", len(seen), count)
		}
	})
}

// A connection on which nobody has anything to say stays open; one whose other side is gone ends after the idle
// timeout. [THR-08]
func TestIdleConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(3, 0, 0, 10*time.Millisecond)
		for begin := time.Now(); time.Since(begin) < time.Minute; {
			p.step()
		}
		if p.client.Closed() || p.server.Closed() {
			t.Fatalf("ended while idle: %v, %v", p.client.Err(), p.server.Err())
		}
		if n := p.up.packets + p.down.packets; n > 60 {
			t.Errorf("%d packets in an idle minute, want at most one a second", n)
		}
		p.up.loss = 1
		took := p.until(t, transport.IdleTimeout+10*time.Second, "the server's end", p.server.Closed)
		if took < transport.IdleTimeout-keepAlive {
			t.Errorf("ended after %v", took)
		}
		if want := "transport: closed by the other side: nothing received for too long"; p.server.Err().Error() != want {
			t.Errorf("ended with %q, want %q", p.server.Err(), want)
		}
	})
}

// A close is heard at 30 % loss both ways, and both ends are finished soon. [THR-32]
func TestClosesAreHeard(t *testing.T) {
	const tries = 500
	heard, worst := 0, time.Duration(0)
	for seed := range uint64(tries) {
		synctest.Test(t, func(t *testing.T) {
			p := newPair(seed, 0.3, 0.1, 20*time.Millisecond)
			from, to := p.client, p.server
			if seed%2 == 1 {
				from, to = to, from
			}
			from.Close("going home")
			worst = max(worst, p.until(t, 2*time.Second, "the end", func() bool {
				return isDone(from.Finished())
			}))
			if to.Closed() {
				heard++
				if got := to.Err().Error(); got != "transport: closed by the other side: going home" {
					t.Fatalf("heard %q", got)
				}
			}
		})
	}
	t.Logf("heard %d of %d; finished after %v at most", heard, tries, worst)
	if heard < tries-2 {
		t.Errorf("%d of %d were heard at 30 %% loss", heard, tries)
	}
}

func isDone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Every packet of a session that is sent again, from its own address or another, changes nothing and is not
// answered. [THR-06]
func TestReplayedPackets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(4, 0, 0.1, 10*time.Millisecond)
		p.up.keep, p.down.keep = true, true
		for i := range 400 {
			p.client.Datagrams(fmt.Appendf(nil, "up %d", i))
			p.server.Datagrams(fmt.Appendf(nil, "down %d", i))
			if i%20 == 0 {
				p.client.Stream(make([]byte, 3000))
				p.server.Stream(make([]byte, 100))
			}
			p.step()
		}
		for range 500 {
			p.step()
		}
		p.client.Drain(nil)
		p.server.Drain(nil)
		up, down := p.up.passed, p.down.passed
		p.up.keep, p.down.keep = false, false
		state := func() [5]any {
			return [5]any{p.client.Stats(), p.server.Stats(), p.up.packets, p.down.packets, p.server.Address()}
		}
		before, again := state(), 0
		for _, from := range []netip.AddrPort{clientAddress, netip.MustParseAddrPort("203.0.113.9:9")} {
			for _, b := range slices.Concat(up, down) {
				again++
				p.server.Receive(slices.Clone(b), from, time.Now())
				p.client.Receive(slices.Clone(b), from, time.Now())
			}
		}
		p.client.Answer(time.Now())
		p.server.Answer(time.Now())
		if after := state(); after != before {
			t.Errorf("after %d packets that were sent again: %v, before %v", again, after, before)
		}
		t.Logf("%d packets sent again", again)
	})
}

// A client whose address changes goes on after a round trip; until then its new address gets no more bytes than
// came from it. No message is lost. [THR-07, THR-01]
func TestAddressesThatChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(5, 0.05, 0, 20*time.Millisecond)
		sent, got, changes, longest := 0, 0, 0, time.Duration(0)
		last := time.Now()
		for i := range 5000 {
			if i%1000 == 500 {
				changes++
				p.up.from = netip.AddrPortFrom(clientAddress.Addr(), uint16(2000+changes))
			}
			if i%16 == 0 {
				p.client.Datagrams([]byte("input"))
				p.server.Datagrams([]byte("snapshot"))
				if p.down.last != p.up.from && i%1000 > 600 {
					t.Fatalf("%d ms after a change packets still go to %v", i%1000-500, p.down.last)
				}
				if p.server.Stream([]byte("message")) == nil {
					sent++
				}
			}
			p.step()
			for _, in := range p.client.Drain(nil) {
				if in.Channel == transport.Stream {
					got++
				} else {
					longest = max(longest, in.At.Sub(last))
					last = in.At
				}
			}
		}
		p.until(t, 5*time.Second, "the last messages", func() bool { got += messages(p.client); return got == sent })
		t.Logf("%d changes: %d of %d messages, the longest silence %v", changes, got, sent, longest)
	})
}

func messages(c *Conn) (n int) {
	for _, in := range c.Drain(nil) {
		if in.Channel == transport.Stream {
			n++
		}
	}
	return n
}

// Whoever catches a client's packet and sends it first, from another address, gets at most as many bytes as it sent,
// and the client's address stays. [THR-01]
func TestAStolenPacketMovesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(6, 0, 0, 10*time.Millisecond)
		p.client.Datagrams([]byte("hello"))
		for range 50 {
			p.step()
		}
		thief := netip.MustParseAddrPort("203.0.113.66:666")
		for i := range 200 {
			p.client.Datagrams([]byte("x"))
			for _, f := range p.up.waiting {
				p.server.Receive(f.b, thief, time.Now())
			}
			p.up.waiting = nil
			p.down.last = netip.AddrPort{}
			p.server.Answer(time.Now())
			if i%10 == 0 {
				p.server.Datagrams([]byte("secret"))
				if p.down.last != clientAddress {
					t.Fatalf("a datagram went to %v", p.down.last)
				}
			}
			p.step()
		}
		if p.server.Address() != clientAddress {
			t.Errorf("the connection moved to %v", p.server.Address())
		}
		if n := p.server.path; n.sent > n.received || n.sent == 0 {
			t.Errorf("%d bytes went to the thief, who sent %d", n.sent, n.received)
		}
	})
}

// A flipped bit anywhere makes a packet nobody's. [THR-05]
func TestFlippedBitsOfPackets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(7, 0, 0, 0)
		p.client.Datagrams([]byte("to be flipped"))
		whole := p.up.waiting[0].b
		for i := range len(whole) * 8 {
			b := slices.Clone(whole)
			b[i/8] ^= 1 << (i % 8)
			if i/8 >= 1 && i/8 < 1+idBytes {
				if id, _ := PacketID(b); id == 7 {
					t.Errorf("bit %d of the ID makes no difference", i)
				}
				p.server.Receive(b, clientAddress, time.Now())
				continue
			}
			if p.server.Receive(b, clientAddress, time.Now()) {
				t.Errorf("bit %d flipped: taken", i)
			}
		}
		if n := p.server.Stats().DatagramsIn; n != 0 || p.down.packets != 0 {
			t.Errorf("%d datagrams taken, %d answers", n, p.down.packets)
		}
		if !p.server.Receive(whole, clientAddress, time.Now()) {
			t.Error("the packet itself was refused")
		}
	})
}

// A datagram costs no garbage, from Datagrams to Drain, for a loop that gives buffers back.
func TestDatagramsMakeNoGarbage(t *testing.T) {
	round := exchange()
	for range 100 {
		round()
	}
	if n := testing.AllocsPerRun(1000, round); n != 0 {
		t.Errorf("%v allocations a round of two datagrams, want 0", n)
	}
}

// BenchmarkTwoDatagrams is the way of two datagrams without a kernel: sealed, opened, drained, given back.
func BenchmarkTwoDatagrams(b *testing.B) {
	round := exchange()
	b.ReportAllocs()
	for range b.N {
		round()
	}
}

// exchange returns a function that sends a datagram of 300 bytes and one of 50 from a client to a server.
func exchange() func() {
	var boxes [2]box
	var k Keys
	now := time.Now()
	client := New(Config{Sender: &boxes[0], Keys: k, ID: 7, Remote: serverAddress}, now)
	server := New(Config{Sender: &boxes[1], Keys: k, ID: 7, Remote: clientAddress, Server: true}, now)
	gram := make([]byte, 300)
	set := [][]byte{gram, gram[:50]}
	var in []transport.Packet
	return func() {
		client.Datagrams(set...)
		for i := range boxes[0].n {
			server.Receive(boxes[0].bytes[i][:boxes[0].sizes[i]], clientAddress, now)
		}
		boxes[0].n = 0
		server.Answer(now)
		in = server.Drain(in[:0])
		server.Release(in)
		server.Sweep(now)
	}
}

// box keeps packets without allocating.
type box struct {
	n     int
	sizes [16]int
	bytes [16][MaxPacket]byte
}

func (b *box) Flush() {}

func (b *box) Send(packet []byte, _ netip.AddrPort) {
	if b.n < len(b.bytes) {
		b.sizes[b.n] = copy(b.bytes[b.n][:], packet)
		b.n++
	}
}

// The replay window against a set of all numbers that were seen.
func TestTheReplayWindowAgainstASet(t *testing.T) {
	const seed = 8
	random := rand.New(rand.NewPCG(seed, 0))
	var w replayWindow
	seen := map[uint64]bool{}
	highest := uint64(0)
	for step := range 200_000 {
		n := highest + uint64(random.IntN(40))
		switch random.IntN(1000) {
		case 0:
			n += uint64(random.IntN(20_000))
		default:
			n -= min(n, uint64(random.IntN(1500)))
		}
		if got := w.expand(uint16(n)); got != n {
			t.Fatalf("seed %d, step %d: %d expanded to %d, next %d", seed, step, n, got, w.next)
		}
		want := !seen[n] && n+replayBits >= w.next
		if got := w.fresh(n); got != want {
			t.Fatalf("seed %d, step %d: number %d fresh: got %v, want %v (next %d)", seed, step, n, got, want, w.next)
		} else if got {
			w.mark(n)
			seen[n] = true
			highest = max(highest, n)
		}
	}
}
