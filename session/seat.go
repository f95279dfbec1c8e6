package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// maxPending is how many receipts, and how many sights, a seat remembers that its
// player has not acknowledged. Where more happen, the oldest is forgotten.
const maxPending = 16

// seat is one player's place in a match.
type seat[S comparable, C any] struct {
	id    PlayerID
	taken bool
	peer  Peer         // 0 while the connection is lost
	local *Local[S, C] // who sits here without a peer, or nil
	away  clock.Micros // when it was lost, or the seat given up; 0: never
	name  string
	key   Key

	authority *predict.Authority[S, move[C]] // nil until Place
	stamps    clock.Mapping
	stamp     clock.Micros // of the pose, in match time
	ride      ride
	motion    motion
	gait      gait
	teleports uint8        // counts where the path of the poses breaks
	entered   clock.Micros // when this player was first placed

	heard     arrivals          // its datagrams
	since     uint32            // first tick sent to this connection; 0: none yet
	sender    *replicate.Sender // from then on
	eye       track.Entity      // how the player stood when it was recorded last
	received  uint32            // newest tick that it acknowledged
	roundTrip roundTrip

	faults    int
	datagrams allowance
	messages  allowance
	mail      allowance
	wishes    allowance    // for its input delay
	hold      clock.Micros // the one granted

	shooter shot.Shooter
	saw     uint16 // number of the newest sight

	status   statusNote
	receipts until[shot.Receipt]
	sights   until[sight]
	traffic  Traffic
	snapped  Snapshots

	before predict.Discrepancy // of earlier connections
	ahead  bool                // whether the host was told of one that is not over
}

// discrepancy is how the player's time stands, over all its connections.
func (t *seat[S, C]) discrepancy() predict.Discrepancy {
	d := t.before
	if t.authority != nil {
		now := t.authority.Discrepancy()
		d.Error, d.Resolving = now.Error, now.Resolving
		d.Lifetime += now.Lifetime
		d.Episodes += now.Episodes
	}
	return d
}

// told is what the player's client was told of others, nil for everything.
func (t *seat[S, C]) told() *track.Told {
	if t.sender == nil {
		return nil
	}
	return t.sender.Told()
}

// present reports whether the player's line, if it needs one, stands.
func (t *seat[S, C]) present() bool { return t.peer != 0 || t.local != nil }

// statusNote is the newest status of a player and the tick of the first datagram that
// carries it.
type statusNote struct {
	bytes [MaxStatus]byte
	len   int
	told  bool   // whether there ever was one
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
	items [maxPending]T
	since [maxPending]uint32 // tick of the first datagram with the item
	n     int
}

// push appends an item first sent at the tick; a full queue forgets its oldest.
func (u *until[T]) push(item T, tick uint32) {
	if u.n == len(u.items) {
		u.drop(1)
	}
	u.items[u.n], u.since[u.n] = item, tick
	u.n++
}

// first returns the k oldest items, or what there is, to be sent; the others are
// not sent before the tick.
func (u *until[T]) first(k int, tick uint32) []T {
	k = min(max(k, 0), u.n)
	for i := k; i < u.n; i++ {
		u.since[i] = tick
	}
	return u.items[:k]
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

// Snapshots counts what one player was told of others and of things.
type Snapshots struct {
	Sent  uint64
	Bytes uint64 // of things: the datagrams less their heads, verdicts and news
	// Told is how many samples they had, Gone how many marks that something is gone, and
	// Waited how often something was due and there was no room for it.
	Told, Gone, Waited uint64
}

// add counts one, of so many bits.
func (n *Snapshots) add(of replicate.Tally, bits int) {
	n.Sent++
	n.Bytes += uint64(bits+7) / 8
	n.Told += uint64(of.Told)
	n.Gone += uint64(of.Gone)
	n.Waited += uint64(of.Waiting)
}

// Traffic counts one player's packets.
type Traffic struct {
	DatagramsIn, DatagramsOut uint64
	BytesIn, BytesOut         uint64 // of datagram payload
	Bad                       uint64 // packets refused as malformed
}
