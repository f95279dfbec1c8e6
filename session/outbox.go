package session

import "slices"

// queue gathers entities until they are handed out, in storage that is reused:
// what hand returned is good until something is put in afterwards.
type queue[T any] struct {
	list   []T
	handed bool
}

// put appends an item and reports whether it is the first since hand.
func (q *queue[T]) put(item T) (first bool) {
	if first = q.handed; first {
		q.list, q.handed = q.list[:0], false
	}
	q.list = append(q.list, item)
	return first
}

// waiting is how many items were not handed out yet.
func (q *queue[T]) waiting() int {
	if q.handed {
		return 0
	}
	return len(q.list)
}

// hand returns what was put in since the last time, in order.
func (q *queue[T]) hand() []T {
	if q.handed {
		return nil
	}
	q.handed = true
	return q.list
}

// outbox gathers packets, and keeps their bytes.
type outbox struct {
	queue[Packet]
	bytes []byte
}

// drop takes out what is for a peer, unless it was handed out already.
func (o *outbox) drop(peer Peer) {
	if !o.handed {
		o.list = slices.DeleteFunc(o.list, func(p Packet) bool { return p.Peer == peer })
	}
}

// send copies b in.
func (o *outbox) send(to Peer, ch Channel, b []byte) {
	if o.handed {
		o.bytes = o.bytes[:0]
	}
	from := len(o.bytes)
	o.bytes = append(o.bytes, b...)
	o.put(Packet{to, ch, o.bytes[from:len(o.bytes):len(o.bytes)]})
}
