package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// How much a seat remembers of what its player has not acknowledged yet. Where
// more happens, the oldest is forgotten.
const (
	maxReceipts = 8
	maxSights   = 8
	maxFaults   = 200 // bad packets before the peer is kicked
)

// seat is one player's place in a match.
type seat[S comparable, C any] struct {
	id    PlayerID
	taken bool
	peer  Peer // 0 while the connection is lost
	away  clock.Micros
	name  string
	key   Key

	authority *predict.Authority[S, C] // nil until Place
	stamps    clock.Mapping
	stamp     clock.Micros // of the pose, in match time

	heard     bool         // a datagram has come
	sent      uint32       // the client's clock in its newest datagram, to echo
	arrived   clock.Micros // when that came
	received  track.Received
	roundTrip roundTrip
	faults    int

	shooter   shot.Shooter
	teleports uint8  // counts Places that jumped
	saw       uint16 // number of the newest sight

	status   statusNote
	receipts until[shot.Receipt]
	sights   until[sight]
	traffic  Traffic
}

// statusNote is the newest status of a player and the tick of the first datagram that
// carries it.
type statusNote struct {
	bytes [MaxStatus]byte
	len   int
	since uint32 // 0: nothing to tell
}

// sight is a shot as others see it.
type sight struct {
	number   uint16 // counts the sights of one player; wraps
	shooter  PlayerID
	from, to geom.Vec3
}

// until is a short queue of things that every datagram carries until one of them
// is acknowledged.
type until[T any] struct {
	items [maxSights]T
	since [maxSights]uint32 // tick of the first datagram with the item
	n     int
}

// push appends an item first sent at the tick; a full queue forgets its oldest.
func (u *until[T]) push(item T, tick uint32, limit int) {
	if u.n == limit {
		u.drop(1)
	}
	u.items[u.n], u.since[u.n] = item, tick
	u.n++
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

// Traffic counts one player's packets.
type Traffic struct {
	DatagramsIn, DatagramsOut uint64
	BytesIn, BytesOut         uint64 // of datagram payload
	Bad                       uint64 // packets refused as malformed
}
