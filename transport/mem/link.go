package mem

import (
	"math/rand/v2"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// Channel is transport's, for those who know only this road.
type Channel = transport.Channel

// Link is one direction of a bad network in virtual time. It is a pure
// function of its Network, its seed and what is sent when: the same calls
// give the same arrivals, on every machine. It starts no goroutine, reads no
// clock, and is not for more than one goroutine at a time. Times count from
// the experiment's beginning and must not go back.
type Link struct {
	network Network
	weather weather
	heap    []Arrival // by time, then number
	number  uint64
	busy    time.Duration // until when the limited rate is taken
	streams time.Duration // when the newest stream message arrives
	cut     time.Duration // until when nothing passes
	under   int           // bytes in heap
	spent   [][]byte      // handed out by the last Deliver
	free    [][]byte
	counts  LinkStats
}

// Arrival is a packet at the far end.
type Arrival struct {
	// At is when it arrived.
	At time.Duration
	// Number counts what was sent from 0; a duplicate has a number of its
	// own. Of two that arrive together the lower one comes first.
	Number uint64
	// Channel is the one it was sent on.
	Channel transport.Channel
	// Bytes are the Link's, and valid until the next call of Deliver.
	Bytes []byte
}

// LinkStats counts one direction's packets.
type LinkStats struct {
	Sent, Delivered, Lost, Duplicated uint64
	// Overflowed counts those that found the queue full; Lost has them too.
	Overflowed uint64
	// Bytes is the payload sent.
	Bytes uint64
}

// NewLink makes one direction. It panics when the network is out of range;
// see [Network.Check].
func NewLink(n Network, seed uint64) *Link {
	l := &Link{weather: weather{rng: rand.New(rand.NewPCG(seed, 0x6261636b73746570))}}
	l.Change(n)
	return l
}

// Change makes the network a different one for what is sent from now on. It
// panics when the network is out of range.
func (l *Link) Change(n Network) {
	if err := n.Check(); err != nil {
		panic(err)
	}
	l.network = n
}

// Cut lets nothing pass until a time: datagrams sent before it are lost, and
// stream messages come after it. What is under way already arrives.
func (l *Link) Cut(until time.Duration) { l.cut = max(l.cut, until) }

// Send takes one packet at a time and copies its bytes. Datagrams may be
// lost, doubled, and overtaken. Stream messages arrive once and in order; one
// of which a packet is lost comes a round trip later.
func (l *Link) Send(now time.Duration, ch transport.Channel, b []byte) {
	l.counts.Sent++
	l.counts.Bytes += uint64(len(b))
	if ch == transport.Stream {
		l.sendMessage(now, b)
		return
	}
	f := l.weather.draw(l.network)
	leaves, ok := l.queue(now, len(b), queueFor)
	if !ok {
		l.counts.Overflowed++
	}
	if !ok || f.lost || now < l.cut {
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
		f := l.weather.draw(l.network)
		if f.lost {
			again = l.network.RTT
		}
		slowest = max(slowest, f.delay)
		if left <= segment {
			break
		}
	}
	leaves, _ := l.queue(max(now, l.cut), len(b), 1<<62)
	at := leaves + l.network.RTT/2 + slowest + again
	l.streams = max(l.streams, at)
	l.push(l.streams, transport.Stream, b)
}

// queue is when n bytes have left through the limited rate, or false when
// they would wait longer than atMost.
func (l *Link) queue(now time.Duration, n int, atMost time.Duration) (time.Duration, bool) {
	if l.network.Rate == 0 {
		return now, true
	}
	begin := max(now, l.busy)
	if begin-now > atMost {
		return 0, false
	}
	l.busy = begin + onWire(n, l.network.Rate)
	return l.busy, true
}

// Deliver appends what arrives up to and including now, in order of time and
// then number.
func (l *Link) Deliver(now time.Duration, into []Arrival) []Arrival {
	l.free = append(l.free, l.spent...)
	l.spent = l.spent[:0]
	for len(l.heap) > 0 && l.heap[0].At <= now {
		a := l.pop()
		l.spent = append(l.spent, a.Bytes)
		l.counts.Delivered++
		into = append(into, a)
	}
	return into
}

// Next is when the next packet arrives; false when none is under way.
func (l *Link) Next() (time.Duration, bool) {
	if len(l.heap) == 0 {
		return 0, false
	}
	return l.heap[0].At, true
}

// UnderWay is how many bytes are on their way.
func (l *Link) UnderWay() int { return l.under }

// Stats is what has passed so far.
func (l *Link) Stats() LinkStats { return l.counts }

// push puts a copy under way.
func (l *Link) push(at time.Duration, ch transport.Channel, b []byte) {
	var buf []byte
	if n := len(l.free); n > 0 {
		buf, l.free = l.free[n-1], l.free[:n-1]
	}
	l.heap = append(l.heap, Arrival{At: at, Number: l.number, Channel: ch, Bytes: append(buf[:0], b...)})
	l.number++
	l.under += len(b)
	for i := len(l.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !before(&l.heap[i], &l.heap[up]) {
			break
		}
		l.heap[i], l.heap[up] = l.heap[up], l.heap[i]
		i = up
	}
}

// pop takes the earliest.
func (l *Link) pop() Arrival {
	first := l.heap[0]
	l.under -= len(first.Bytes)
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

// before is the order of arrival.
func before(a, b *Arrival) bool {
	if a.At != b.At {
		return a.At < b.At
	}
	return a.Number < b.Number
}
