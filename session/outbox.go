package session

// queue gathers things until they are handed out, in storage that is reused:
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

// send copies b in.
func (o *outbox) send(to Peer, ch Channel, b []byte) {
	if o.handed {
		o.bytes = o.bytes[:0]
	}
	from := len(o.bytes)
	o.bytes = append(o.bytes, b...)
	o.put(Packet{to, ch, o.bytes[from:len(o.bytes):len(o.bytes)]})
}
