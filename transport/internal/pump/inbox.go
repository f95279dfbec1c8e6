package pump

import (
	"sync"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// messageOverhead is counted for each waiting message in addition to its bytes, so that a
// flood of empty messages fills the inbox too.
const messageOverhead = 64

// orderedPacket is a packet with its position in the order of arrival.
type orderedPacket struct {
	transport.Packet
	order uint64
}

// Inbox holds packets until Drain: datagrams in a ring that drops its oldest, messages in a
// queue that refuses when full. Its methods are safe for concurrent use.
type Inbox struct {
	space    chan struct{} // holds one token after a drain
	mu       sync.Mutex
	order    uint64
	ring     []orderedPacket // grows to MaxInboxDatagrams, then wraps around
	first    int             // index of the oldest in ring, once it wraps
	messages []orderedPacket
	bytes    int // cost of the messages
	counts   transport.Stats
}

// NewInbox returns an empty inbox.
func NewInbox() *Inbox { return &Inbox{space: make(chan struct{}, 1)} }

// Space receives a value after a drain has made room, for one waiting reader.
func (q *Inbox) Space() <-chan struct{} { return q.space }

// Put adds a packet and takes over its bytes. It returns false, and takes nothing, when a
// message does not fit until the next drain.
func (q *Inbox) Put(ch transport.Channel, b []byte, at time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := orderedPacket{transport.Packet{Channel: ch, At: at, Bytes: b}, q.order}
	if ch == transport.Stream {
		if q.bytes+len(b)+messageOverhead > transport.MaxInboxMessages {
			return false
		}
		q.messages = append(q.messages, p)
		q.bytes += len(b) + messageOverhead
		q.counts.MessagesIn++
	} else if len(b) > transport.MaxDatagram {
		q.counts.Refused++
		return true
	} else if IsProbe(b) {
		return true
	} else {
		q.putDatagram(p)
		q.counts.DatagramsIn++
	}
	q.order++
	q.counts.BytesIn += uint64(len(b))
	return true
}

// putDatagram adds to the ring, replacing the oldest when it is full.
func (q *Inbox) putDatagram(p orderedPacket) {
	if len(q.ring) < transport.MaxInboxDatagrams {
		q.ring = append(q.ring, p)
		return
	}
	q.ring[q.first] = p
	q.first = (q.first + 1) % len(q.ring)
	q.counts.DroppedIn++
}

// Drain appends everything that waits, oldest first, and empties the inbox.
func (q *Inbox) Drain(into []transport.Packet) []transport.Packet {
	q.mu.Lock()
	defer q.mu.Unlock()
	m := 0
	for i := range q.ring {
		d := &q.ring[(q.first+i)%len(q.ring)]
		for m < len(q.messages) && q.messages[m].order < d.order {
			into = append(into, q.messages[m].Packet)
			m++
		}
		into = append(into, d.Packet)
	}
	for ; m < len(q.messages); m++ {
		into = append(into, q.messages[m].Packet)
	}
	clear(q.ring)
	clear(q.messages)
	q.ring, q.messages = q.ring[:0], q.messages[:0]
	q.first, q.bytes = 0, 0
	select {
	case q.space <- struct{}{}:
	default:
	}
	return into
}

// Counts returns the inbound half of the statistics.
func (q *Inbox) Counts() transport.Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.counts
}
