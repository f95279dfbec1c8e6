package session

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

// push appends an item first sent at the tick and returns its place, to be filled in, and
// its number; a full queue forgets its oldest.
func (u *until[T]) push(tick uint32) (item *T, number uint16) {
	if u.n == len(u.items) {
		u.drop(1)
	}
	u.since[u.n] = tick
	u.n++
	u.count++
	return &u.items[u.n-1], u.count
}

// first returns the oldest items, at most maxTold, that fit into so many bits, and how many
// bits are left; the others are not sent before the tick.
func (u *until[T]) first(left int, size func(*T) int, tick uint32) ([]T, int) {
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
	return u.items[:k], left
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
