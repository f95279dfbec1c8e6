package splitview

import (
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// The kinds of packets, as the page tells them apart.
const (
	kindMoves    = iota // a client's datagram
	kindShot            // a client's datagram that carries a new shot
	kindSnapshot        // the server's datagram
	kindVerdict         // the server's datagram that first carries a verdict on a shot, or a push
	kindStream          // a message of the reliable stream
)

// forever is later than any packet arrives.
const forever = time.Duration(1) << 62

// link is one direction between a player and the server. A mem.Link decides at once when
// each packet arrives; the packets wait here, because the page draws them meanwhile.
type link struct {
	network  *mem.Link
	delay    clock.Micros // without jitter
	waiting  []packet     // by arrival; of two at the same time, the one sent first
	arrived  []packet     // returned by the last deliver
	arrivals []mem.Arrival
	free     [][]byte
	counts   Counts
}

// packet is a packet in flight.
type packet struct {
	due     clock.Micros
	channel session.Channel
	bytes   []byte
}

// Counts counts the packets of one direction: Sent is the sum of Delivered, Lost and those in flight.
type Counts struct {
	// Sent were handed to the link, Delivered have arrived, Lost never will.
	Sent, Delivered, Lost int
}

// Packet is a packet that was sent, for the page to draw.
type Packet struct {
	Player int  // 0 you, 1 the opponent
	Up     bool // to the server
	Number int  // of this direction, from 1
	Kind   int  // 0 moves, 1 moves with a new shot, 2 a snapshot, 3 one with a verdict or a push, 4 stream
	// Sent and Due are match times: a lost packet's Due is when it would have come.
	Sent, Due clock.Micros
	Lost      bool // it never arrives
	Bytes     int  // of payload
}

func newLink(n mem.Network, seed uint64) *link {
	l := &link{network: mem.NewLink(n, seed)}
	l.change(n)
	return l
}

// change replaces the network for packets from now on.
func (l *link) change(n mem.Network) {
	l.network.Change(n)
	l.delay = clock.Micros(n.RTT / 2 / time.Microsecond)
}

// send sends a packet and returns what became of it: a datagram may be lost.
func (l *link) send(now clock.Micros, p session.Packet) Packet {
	l.counts.Sent++
	sent := Packet{Number: l.counts.Sent, Kind: kindStream, Sent: now, Due: now + l.delay, Bytes: len(p.Bytes), Lost: true}
	l.network.Send(time.Duration(now)*time.Microsecond, mem.Channel(p.Channel), p.Bytes)
	l.arrivals = l.network.Deliver(forever, l.arrivals[:0])
	for _, a := range l.arrivals {
		sent.Due, sent.Lost = clock.Micros(a.At/time.Microsecond), false
		l.wait(packet{sent.Due, p.Channel, append(l.buffer(), a.Bytes...)})
	}
	if sent.Lost {
		l.counts.Lost++
	}
	return sent
}

// buffer returns memory for a packet.
func (l *link) buffer() []byte {
	n := len(l.free)
	if n == 0 {
		return make([]byte, 0, 1024)
	}
	b := l.free[n-1]
	l.free = l.free[:n-1]
	return b[:0]
}

// wait puts a packet behind those that arrive before it.
func (l *link) wait(p packet) {
	l.waiting = append(l.waiting, p)
	for i := len(l.waiting) - 1; i > 0 && l.waiting[i-1].due > p.due; i-- {
		l.waiting[i-1], l.waiting[i] = l.waiting[i], l.waiting[i-1]
	}
}

// deliver returns what has arrived by now, in order: valid until the next deliver.
func (l *link) deliver(now clock.Micros) []packet {
	for i := range l.arrived {
		l.free = append(l.free, l.arrived[i].bytes)
	}
	n := 0
	for n < len(l.waiting) && l.waiting[n].due <= now {
		n++
	}
	l.arrived = append(l.arrived[:0], l.waiting[:n]...)
	l.waiting = l.waiting[:copy(l.waiting, l.waiting[n:])]
	l.counts.Delivered += n
	return l.arrived
}
