package session

import "github.com/backstep-net/backstep/clock"

// FirstLoopback is the peer number of the first client of a [Loopback]. A host counts
// the connections of its network from 1 and does not get this far.
const FirstLoopback Peer = 1 << 31

// Loopback connects clients to a match that runs in the same process: the player of a
// listen host, or bots. Packets pass in memory, at once and without loss; a client's local
// time is match time. The zero Loopback has no clients.
//
// Such a client is one like any other. It simulates each command at once and the server
// simulates it again in the next tick, so what the server and the others know of its player
// is at most one tick old if every frame is sent (ClientConfig.SendRate 500), and it is
// corrected only by what the server does to its player [ENT-07].
type Loopback struct{ clients []LoopbackClient }

// LoopbackClient is what a [Loopback] needs of a client; a [Client] has it.
type LoopbackClient interface {
	Receive(ch Channel, local clock.Micros, b []byte) error
	Outgoing() []Packet
}

// LoopbackServer is what a [Loopback] needs of a match; a [Server] has it.
type LoopbackServer interface {
	Receive(from Peer, ch Channel, at clock.Micros, b []byte) error
}

// Add connects a client and returns its peer number.
func (l *Loopback) Add(c LoopbackClient) Peer {
	l.clients = append(l.clients, c)
	return FirstLoopback + Peer(len(l.clients)-1)
}

// Send hands the match what a client has to send: call it after each Frame, with the
// match time of that frame. The server counts a packet that it refuses, as of any peer.
func (l *Loopback) Send(peer Peer, match LoopbackServer, now clock.Micros) {
	for _, p := range l.clients[peer-FirstLoopback].Outgoing() {
		_ = match.Receive(peer, p.Channel, now, p.Bytes)
	}
}

// Deliver hands the clients what the match has for them at match time now, and returns
// the packets of all other peers, in the storage of out: call it with Server.Outgoing.
func (l *Loopback) Deliver(now clock.Micros, out []Packet) []Packet {
	rest := out[:0]
	for _, p := range out {
		if p.Peer < FirstLoopback {
			rest = append(rest, p)
		} else if i := p.Peer - FirstLoopback; int(i) < len(l.clients) {
			_ = l.clients[i].Receive(p.Channel, now, p.Bytes)
		}
	}
	return rest
}
