package mem

import (
	"math/rand/v2"
	"slices"
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
	flying     []Arrival // by time, then number
	number     uint64
	busyUntil  time.Duration // when the limited rate is free again
	streamAt   time.Duration // arrival of the newest stream message
	cutUntil   time.Duration // end of the outage
	inFlight   int           // bytes of flying
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

// Renewed returns the link of another connection over the same link: with its network, its outage and what its limited
// rate is busy with, and with draws of its own and nothing in flight.
func (l *Link) Renewed(seed uint64) *Link {
	n := NewLink(l.network, seed)
	n.busyUntil, n.cutUntil = l.busyUntil, l.cutUntil
	return n
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
// arrives a round trip later. Send returns when the packet arrives, its first copy if there
// are two, and false if it is lost.
func (l *Link) Send(now time.Duration, ch transport.Channel, b []byte) (arrives time.Duration, ok bool) {
	l.counts.Sent++
	l.counts.Bytes += uint64(len(b))
	if ch == transport.Stream {
		return l.sendMessage(now, b), true
	}
	f := l.impairment.draw(l.network)
	leaves, ok := l.queue(now, len(b), l.network.queue())
	if !ok {
		l.counts.Overflowed++
	}
	if !ok || f.lost || now < l.cutUntil {
		l.counts.Lost++
		l.number++
		return 0, false
	}
	leaves += l.network.RTT / 2
	l.push(leaves+f.delay, transport.Datagram, b)
	if !f.twice {
		return leaves + f.delay, true
	}
	l.counts.Duplicated++
	l.push(leaves+f.secondDelay, transport.Datagram, b)
	return leaves + min(f.delay, f.secondDelay), true
}

// sendMessage sends one stream message as packets of at most one segment, and returns when it arrives.
func (l *Link) sendMessage(now time.Duration, b []byte) time.Duration {
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
	return l.streamAt
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
	n := 0
	for ; n < len(l.flying) && l.flying[n].At <= now; n++ {
		l.delivered = append(l.delivered, l.flying[n].Bytes)
		l.inFlight -= len(l.flying[n].Bytes)
	}
	l.counts.Delivered += uint64(n)
	into = append(into, l.flying[:n]...)
	l.flying = slices.Delete(l.flying, 0, n)
	return into
}

// Next returns when the next packet arrives, false when none is in flight.
func (l *Link) Next() (time.Duration, bool) {
	if len(l.flying) == 0 {
		return 0, false
	}
	return l.flying[0].At, true
}

// InFlight returns the bytes that have not arrived yet.
func (l *Link) InFlight() int { return l.inFlight }

// Stats returns the counts so far.
func (l *Link) Stats() LinkStats { return l.counts }

// push adds a copy of b to the packets in flight, behind those that arrive before it and those that were sent before it
// and arrive with it.
func (l *Link) push(at time.Duration, ch transport.Channel, b []byte) {
	var buf []byte
	if n := len(l.free); n > 0 {
		buf, l.free = l.free[n-1], l.free[:n-1]
	}
	i := len(l.flying)
	for i > 0 && l.flying[i-1].At > at {
		i--
	}
	l.flying = slices.Insert(l.flying, i, Arrival{At: at, Number: l.number, Channel: ch, Bytes: append(buf[:0], b...)})
	l.number++
	l.inFlight += len(b)
}
