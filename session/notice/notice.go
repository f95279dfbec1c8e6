// Package notice delivers one-time events (a verdict, damage, a shot of another player) exactly once over
// datagrams that can be lost, duplicated and reordered: it repeats them until they are acknowledged.
//
// Package session uses it for verdicts and damage; games send messages instead. The server has a
// [Queue] for each player and kind of notice. Every datagram carries the
// oldest of a queue, numbered in a row, until the client acknowledges a tick that carried
// them. The client has a [Reader] for each kind, which returns each notice once.
package notice

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// MaxWaiting is how many notices of one kind wait for one player. If there are more the oldest is
// dropped, so that after an outage a player does not miss new events because of old ones.
const MaxWaiting = 32

// MaxSent is how many notices of one kind a datagram carries at most: the oldest.
const MaxSent = 16

// CountBits is what a List takes at most beside its notices.
const CountBits = 5 + 16

// Notice is a message of a kind T.
type Notice[T any] interface {
	*T
	// Pack packs the notice in either direction, in a datagram of the tick at a match time.
	Pack(p *bits.Packer, at clock.Micros)
	// MaxBits returns a bound of what Pack writes.
	MaxBits() int
}

// Queue is the notices of one kind that a player has not acknowledged, oldest first. The zero
// Queue is empty.
type Queue[T any, P Notice[T]] struct {
	// The notices are a row of places that moves to higher ones, and is copied to the first ones only when it has come
	// to the last: a notice has up to 450 bytes.
	items [MaxWaiting]T
	since [MaxWaiting]uint32 // tick of the first datagram with the item
	first int                // place of the oldest
	n     int
	count uint16 // how many there ever were: their numbers, which wrap
}

// Push appends a notice that datagrams carry from a tick on, and returns its place, to be
// filled in. A full queue drops its oldest.
func (q *Queue[T, P]) Push(tick uint32) *T {
	if q.n == MaxWaiting {
		q.drop(1)
	}
	if q.first+q.n == MaxWaiting {
		copy(q.items[:], q.items[q.first:])
		copy(q.since[:], q.since[q.first:])
		q.first = 0
	}
	at := q.first + q.n
	q.since[at] = tick
	q.n++
	q.count++
	return &q.items[at]
}

// Len returns how many notices wait.
func (q *Queue[T, P]) Len() int { return q.n }

// Oldest returns the oldest notices, at most MaxSent, that fit into so many bits, and how
// many bits they leave. The rest is not sent before the tick next. The list is valid until the
// queue changes.
func (q *Queue[T, P]) Oldest(room int, next uint32) (List[T, P], int) {
	k := 0
	for k < min(q.n, MaxSent) {
		n := P(&q.items[q.first+k]).MaxBits()
		if n > room {
			break
		}
		room -= n
		k++
	}
	for i := q.first + k; i < q.first+q.n; i++ {
		q.since[i] = next
	}
	return List[T, P]{q.items[q.first : q.first+k], q.count - uint16(q.n) + 1}, room
}

// Acknowledge removes the notices that the datagram of a tick, or one before it, carried.
func (q *Queue[T, P]) Acknowledge(tick uint32) {
	k := 0
	for k < q.n && q.since[q.first+k] <= tick {
		k++
	}
	q.drop(k)
}

func (q *Queue[T, P]) drop(k int) {
	if q.n -= k; q.n > 0 {
		q.first += k
	} else {
		q.first = 0 // the same places again: they are in the caches
	}
}

// List is some notices of one kind as a datagram carries them.
type List[T any, P Notice[T]] struct {
	Items []T    // oldest first, at most MaxSent; valid until the Queue or List changes
	First uint16 // number of the first; the others follow, and wrap
}

// Pack packs the list in either direction. Reading, it makes room for MaxSent once.
func (l *List[T, P]) Pack(p *bits.Packer, at clock.Micros) {
	n := len(l.Items)
	p.Ranged(&n, 0, MaxSent)
	if !p.Writing() {
		if cap(l.Items) < MaxSent {
			l.Items = make([]T, MaxSent)
		}
		l.Items, l.First = l.Items[:n], 0
	}
	if n > 0 {
		p.Uint16(&l.First)
	}
	for i := range l.Items {
		P(&l.Items[i]).Pack(p, at)
	}
}

// Reader is the number of the newest notice that a client has taken. The zero Reader has
// taken none.
type Reader uint16

// New returns the notices of a list that are newer than those taken before, and takes them.
func New[T any, P Notice[T]](r *Reader, l *List[T, P]) []T {
	for i := range l.Items {
		if int16(l.First+uint16(i)-uint16(*r)) > 0 {
			*r = Reader(l.First + uint16(len(l.Items)) - 1)
			return l.Items[i:]
		}
	}
	return nil
}
