package mem

import (
	"math/rand/v2"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// Channel is transport.Channel, for callers that import only this package.
type Channel = transport.Channel

// Link is one direction of a bad network in virtual time. It is a pure function of its
// Network, its seed, and what is sent when: the same calls give the same arrivals on every
// machine. It starts no goroutine, reads no clock, and is not safe for concurrent use.
// Times count from the beginning of the experiment and must not decrease.
type Link struct {
	network    Network
	impairment impairment
	heap       []Arrival // by time, then number
	number     uint64
	busyUntil  time.Duration // when the limited rate is free again
	streamAt   time.Duration // arrival of the newest stream message
	cutUntil   time.Duration // end of the outage
	inFlight   int           // bytes in heap
	delivered  [][]byte      // returned by the last Deliver
	free       [][]byte
	counts     LinkStats
}

// Arrival is a packet at the far end.
type Arrival struct {
	// At is when it arrived.
	At time.Duration
	// Number counts the packets from 0; a duplicate has a number of its own. Of two
	// packets that arrive together, the lower number comes first.
	Number uint64
	// Channel is the channel it was sent on.
	Channel transport.Channel
	// Bytes belong to the Link and are valid until the next call of Deliver.
	Bytes []byte
}

// LinkStats counts one direction's packets: datagrams and whole stream messages.
type LinkStats struct {
	// Sent counts calls of Send. Delivered counts arrivals, second copies included. Lost and
	// Duplicated count datagrams only: stream messages arrive once.
	Sent, Delivered, Lost, Duplicated uint64
	// Overflowed counts packets that met a full queue; Lost includes them.
	Overflowed uint64
	// Bytes counts the payload sent.
	Bytes uint64
}

// NewLink returns one direction. It panics when the network is out of range; see
// [Network.Check].
func NewLink(n Network, seed uint64) *Link {
	l := &Link{impairment: impairment{rng: rand.New(rand.NewPCG(seed, 0x6261636b73746570))}}
	l.Change(n)
	return l
}

// Change replaces the network for what is sent from now on. It panics when the network is
// out of range.
func (l *Link) Change(n Network) {
	if err := n.Check(); err != nil {
		panic(err)
	}
	l.network = n
}

// Cut is an outage until a time: datagrams sent before it are lost, stream messages arrive
// after it. Packets in flight still arrive.
func (l *Link) Cut(until time.Duration) { l.cutUntil = max(l.cutUntil, until) }

// Send sends one packet and copies its bytes. Datagrams may be lost, duplicated and
// reordered. Stream messages arrive once and in order; a message of which a packet is lost
// arrives a round trip later.
func (l *Link) Send(now time.Duration, ch transport.Channel, b []byte) {
	l.counts.Sent++
	l.counts.Bytes += uint64(len(b))
	if ch == transport.Stream {
		l.sendMessage(now, b)
		return
	}
	f := l.impairment.draw(l.network)
	leaves, ok := l.queue(now, len(b), l.network.queue())
	if !ok {
		l.counts.Overflowed++
	}
	if !ok || f.lost || now < l.cutUntil {
		l.counts.Lost++
		l.number++
		return
	}
	half := l.network.RTT / 2
	l.push(leaves+half+f.delay, transport.Datagram, b)
	if f.twice {
		l.counts.Duplicated++
		l.push(leaves+half+f.secondDelay, transport.Datagram, b)
	}
}

// sendMessage sends one stream message as packets of at most one segment.
func (l *Link) sendMessage(now time.Duration, b []byte) {
	var again, slowest time.Duration
	for left := len(b); ; left -= segment {
		f := l.impairment.draw(l.network)
		if f.lost {
			again = l.network.RTT
		}
		slowest = max(slowest, f.delay)
		if left <= segment {
			break
		}
	}
	leaves, _ := l.queue(max(now, l.cutUntil), len(b), 1<<62)
	at := leaves + l.network.RTT/2 + slowest + again
	l.streamAt = max(l.streamAt, at)
	l.push(l.streamAt, transport.Stream, b)
}

// queue returns when n bytes have passed the limited rate, false if they would wait longer
// than atMost.
func (l *Link) queue(now time.Duration, n int, atMost time.Duration) (time.Duration, bool) {
	if l.network.Rate == 0 {
		return now, true
	}
	begin := max(now, l.busyUntil)
	if begin-now > atMost {
		return 0, false
	}
	l.busyUntil = begin + transmitTime(n, l.network.Rate)
	return l.busyUntil, true
}

// Deliver appends what arrives up to and including now, in order of time, then number.
func (l *Link) Deliver(now time.Duration, into []Arrival) []Arrival {
	l.free = append(l.free, l.delivered...)
	l.delivered = l.delivered[:0]
	for len(l.heap) > 0 && l.heap[0].At <= now {
		a := l.pop()
		l.delivered = append(l.delivered, a.Bytes)
		l.counts.Delivered++
		into = append(into, a)
	}
	return into
}

// Next returns when the next packet arrives, false when none is in flight.
func (l *Link) Next() (time.Duration, bool) {
	if len(l.heap) == 0 {
		return 0, false
	}
	return l.heap[0].At, true
}

// InFlight returns the bytes that have not arrived yet.
func (l *Link) InFlight() int { return l.inFlight }

// Stats returns the counts so far.
func (l *Link) Stats() LinkStats { return l.counts }

// push adds a copy of b to the packets in flight.
func (l *Link) push(at time.Duration, ch transport.Channel, b []byte) {
	var buf []byte
	if n := len(l.free); n > 0 {
		buf, l.free = l.free[n-1], l.free[:n-1]
	}
	l.heap = append(l.heap, Arrival{At: at, Number: l.number, Channel: ch, Bytes: append(buf[:0], b...)})
	l.number++
	l.inFlight += len(b)
	for i := len(l.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !before(&l.heap[i], &l.heap[up]) {
			break
		}
		l.heap[i], l.heap[up] = l.heap[up], l.heap[i]
		i = up
	}
}

// pop removes and returns the earliest packet.
func (l *Link) pop() Arrival {
	first := l.heap[0]
	l.inFlight -= len(first.Bytes)
	last := len(l.heap) - 1
	l.heap[0] = l.heap[last]
	l.heap[last] = Arrival{}
	l.heap = l.heap[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if before(&l.heap[child], &l.heap[least]) {
				least = child
			}
		}
		if least == i {
			return first
		}
		l.heap[i], l.heap[least] = l.heap[least], l.heap[i]
		i = least
	}
}

// before reports whether a arrives before b.
func before(a, b *Arrival) bool {
	if a.At != b.At {
		return a.At < b.At
	}
	return a.Number < b.Number
}
