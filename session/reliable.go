package session

import "github.com/backstep-net/backstep/bits"

// maxPending is how many receipts, and how many sights, and how many hurts a seat remembers
// that its player has not acknowledged. Where more happen the oldest is forgotten: who
// cannot be told what happened a while ago is not told of all that happens now.
const maxPending = 32

// maxTold is how many of each a datagram carries at most: the oldest.
const maxTold = 16

// statusNote is the newest status of a player and the tick of the first datagram that
// carries it.
type statusNote struct {
	bytes [MaxStatus]byte
	len   int
	told  bool   // whether there ever was one
	since uint32 // 0: nothing to tell
}

// until is a short queue of things that every datagram carries until one of them
// is acknowledged.
type until[T any] struct {
	items [maxPending]T
	since [maxPending]uint32 // tick of the first datagram with the item
	n     int
	count uint16 // how many there ever were: their numbers, which wrap
}

// push appends an item first sent at the tick and returns its place, to be filled in; a full
// queue forgets its oldest.
func (u *until[T]) push(tick uint32) *T {
	if u.n == len(u.items) {
		u.drop(1)
	}
	u.since[u.n] = tick
	u.n++
	u.count++
	return &u.items[u.n-1]
}

// first returns the oldest items, at most maxTold, that fit into so many bits, and how many
// bits are left; the others are not sent before the tick.
func (u *until[T]) first(left int, size func(*T) int, tick uint32) (row[T], int) {
	k := 0
	for k < min(u.n, maxTold) {
		n := size(&u.items[k])
		if n > left {
			break
		}
		left -= n
		k++
	}
	for i := k; i < u.n; i++ {
		u.since[i] = tick
	}
	return row[T]{u.items[:k], u.count - uint16(u.n) + 1}, left
}

// acknowledged forgets what the datagram of that tick, or one before it,
// carried.
func (u *until[T]) acknowledged(tick uint32) {
	k := 0
	for k < u.n && u.since[k] <= tick {
		k++
	}
	u.drop(k)
}

func (u *until[T]) drop(k int) {
	copy(u.items[:], u.items[k:u.n])
	copy(u.since[:], u.since[k:u.n])
	u.n -= k
}

// row is some of what waits, as it travels: in a row of numbers, which wrap.
type row[T any] struct {
	items  []T
	number uint16 // of the first
}

// pack packs how many there are and the first one's number, and makes room for them.
func (r *row[T]) pack(p *bits.Packer) {
	resize(p, &r.items, maxTold)
	if len(r.items) > 0 {
		p.Uint16(&r.number)
	} else if !p.Writing() {
		r.number = 0
	}
}

// fresh returns those that are newer than the last that was taken, which then is the last of
// them.
func (r *row[T]) fresh(last *uint16) []T {
	for i := range r.items {
		if int16(r.number+uint16(i)-*last) > 0 {
			*last = r.number + uint16(len(r.items)) - 1
			return r.items[i:]
		}
	}
	return nil
}
