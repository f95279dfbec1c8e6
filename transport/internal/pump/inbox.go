package pump

import (
	"sync"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// messageCost is what one waiting message costs beside its bytes, so that a
// flood of empty messages fills the inbox too.
const messageCost = 64

// stamped is a packet with its place in the order of arrival.
type stamped struct {
	transport.Packet
	order uint64
}

// Inbox is what has arrived and waits for Drain: datagrams in a ring that
// drops its oldest, messages in a queue that refuses. Its methods may be
// called from any goroutine.
type Inbox struct {
	room     chan struct{} // told when a drain has made room; holds one
	mu       sync.Mutex
	order    uint64
	ring     []stamped // grows to MaxInboxDatagrams, then turns
	first    int       // the oldest in ring, once it turns
	messages []stamped
	bytes    int // that the messages cost
	counts   transport.Stats
}

// NewInbox gives an empty inbox.
func NewInbox() *Inbox { return &Inbox{room: make(chan struct{}, 1)} }

// Room tells when a drain has made room, for one waiting reader.
func (q *Inbox) Room() <-chan struct{} { return q.room }

// Put takes a packet and owns its bytes from now on. It reports false when a
// message does not fit until somebody drains; then it has taken nothing.
func (q *Inbox) Put(ch transport.Channel, b []byte, at time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := stamped{transport.Packet{Channel: ch, At: at, Bytes: b}, q.order}
	if ch == transport.Stream {
		if q.bytes+len(b)+messageCost > transport.MaxInboxMessages {
			return false
		}
		q.messages = append(q.messages, p)
		q.bytes += len(b) + messageCost
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

// putDatagram adds to the ring, over the oldest when it is full.
func (q *Inbox) putDatagram(p stamped) {
	if len(q.ring) < transport.MaxInboxDatagrams {
		q.ring = append(q.ring, p)
		return
	}
	q.ring[q.first] = p
	q.first = (q.first + 1) % len(q.ring)
	q.counts.DroppedIn++
}

// Drain appends everything that waits, oldest first, and forgets it.
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
	case q.room <- struct{}{}:
	default:
	}
	return into
}

// Counts is the inward half of the statistics.
func (q *Inbox) Counts() transport.Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.counts
}
