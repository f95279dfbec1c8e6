package session

import (
	"slices"

	"github.com/backstep-net/backstep/bits"
)

// output is what one end of a session produces: events for its game and packets for its
// peers. Its packer also reads what comes in, since nothing is read while something is written.
type output struct {
	packer  bits.Packer
	scratch [2*MaxMessage + 512]byte // the longest message is a welcome with MatchInfo and weapons
	events  queue[Event]
	packets outbox
}

// Events returns what has happened, oldest first, each event once: valid until the next
// Receive, Disconnect, Tick or Frame. What happens by a call between, such as a Kick, is among the next ones.
func (o *output) Events() []Event { return o.events.take() }

// Outgoing returns what is to be sent, in order: valid until the next Receive, SendMessage,
// Tick or Frame.
func (o *output) Outgoing() []Packet { return o.packets.take() }

// message sends a stream message to a peer; 0 is the server. A game's message that is too
// long is misuse.
func (o *output) message(to Peer, kind uint8, body func(*bits.Packer)) {
	o.packer.Write(o.scratch[:])
	o.packer.Byte(&kind)
	body(&o.packer)
	if err := o.packer.Err(); err != nil {
		panic("session: a message cannot be packed: " + err.Error())
	}
	o.packets.send(to, Stream, o.packer.Bytes())
}

// queue gathers items until they are taken, in storage that is reused: what take returned is valid until it returns
// other items. What is put in meanwhile does not touch it, because a game that goes through its events kicks players.
type queue[T any] struct{ list, taken []T }

// put appends an item.
func (q *queue[T]) put(item T) { q.list = append(q.list, item) }

// waiting returns how many items were not taken yet.
func (q *queue[T]) waiting() int { return len(q.list) }

// take returns what was put in since the last time, in order.
func (q *queue[T]) take() []T {
	if len(q.list) == 0 {
		return nil
	}
	q.list, q.taken = q.taken[:0], q.list
	return q.taken
}

// outbox gathers packets, and keeps their bytes.
type outbox struct {
	queue[Packet]
	bytes []byte
}

// drop removes the packets to a peer, unless they were taken already.
func (o *outbox) drop(peer Peer) {
	o.list = slices.DeleteFunc(o.list, func(p Packet) bool { return p.Peer == peer })
}

// send appends a packet with a copy of b.
func (o *outbox) send(to Peer, ch Channel, b []byte) {
	if len(o.list) == 0 {
		o.bytes = o.bytes[:0]
	}
	from := len(o.bytes)
	o.bytes = append(o.bytes, b...)
	// Without room behind it: a transport that appends to a packet must not write into the next one.
	o.put(Packet{to, ch, o.bytes[from:len(o.bytes):len(o.bytes)]})
}
