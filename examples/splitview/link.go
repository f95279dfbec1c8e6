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

// link is one direction between a player and the server.
type link struct {
	*mem.Link
	delay    clock.Micros  // without jitter
	arrivals []mem.Arrival // returned by the last deliver
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
	l := &link{Link: mem.NewLink(n, seed)}
	l.change(n)
	return l
}

// change replaces the network for packets from now on.
func (l *link) change(n mem.Network) {
	l.Change(n)
	l.delay = micros(n.RTT / 2)
}

// send sends a packet and returns what became of it: a datagram may be lost.
func (l *link) send(now clock.Micros, p session.Packet) Packet {
	at, arrives := l.Send(time.Duration(now)*time.Microsecond, mem.Channel(p.Channel), p.Bytes)
	sent := Packet{Number: int(l.Stats().Sent), Kind: kindStream, Sent: now, Due: micros(at), Bytes: len(p.Bytes), Lost: !arrives}
	if sent.Lost {
		sent.Due = now + l.delay
	}
	return sent
}

// deliver returns what has arrived by now, in order: valid until the next deliver.
func (l *link) deliver(now clock.Micros) []mem.Arrival {
	// What arrives in this microsecond has arrived by now.
	l.arrivals = l.Deliver(time.Duration(now+1)*time.Microsecond-1, l.arrivals[:0])
	return l.arrivals
}

func micros(d time.Duration) clock.Micros { return clock.Micros(d / time.Microsecond) }
