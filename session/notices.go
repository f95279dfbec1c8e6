package session

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/session/notice"
)

// notices is what a datagram tells a player beside moves and snapshots: its status and
// what has happened. All of it is repeated until the player acknowledges it.
type notices struct {
	hasStatus bool
	status    []byte
	receipts  notice.List[receipt, *receipt]
	shots     notice.List[seenShot, *seenShot]
	damage    notice.List[damage, *damage]
}

// Room in a player's first datagram of a tick, in bits: the most that a status takes, and
// the flags and counts of the lists.
const (
	statusBits = 7 + 7 + MaxStatus*8
	countBits  = 2 + 3*notice.CountBits
)

// pack packs the notices of a tick at a match time: one bit where there are none.
func (n *notices) pack(p *bits.Packer, at clock.Micros) {
	some := n.some()
	p.Bool(&some)
	if !some {
		n.hasStatus, n.receipts.Items, n.shots.Items, n.damage.Items = false, n.receipts.Items[:0], n.shots.Items[:0], n.damage.Items[:0]
		return
	}
	p.Bool(&n.hasStatus)
	if n.hasStatus {
		p.Blob(&n.status, MaxStatus)
	}
	n.receipts.Pack(p, at)
	n.shots.Pack(p, at)
	n.damage.Pack(p, at)
	if !n.some() {
		p.Fail(bits.ErrRange) // one bit says so
	}
}

func (n *notices) some() bool {
	return n.hasStatus || len(n.receipts.Items)+len(n.shots.Items)+len(n.damage.Items) > 0
}

// noticeQueues is the notices that one player has not acknowledged.
type noticeQueues struct {
	status   status
	receipts notice.Queue[receipt, *receipt]
	shots    notice.Queue[seenShot, *seenShot]
	damage   notice.Queue[damage, *damage]
}

// status is the newest status of a player, and the tick of the first datagram with it.
type status struct {
	bytes [MaxStatus]byte
	len   int
	set   bool   // whether there ever was one
	since uint32 // 0: acknowledged
}

// fill puts as many of the notices as fit into so many bits into n; the rest is not sent
// before the tick next.
func (w *noticeQueues) fill(n *notices, room int, next uint32) {
	if n.hasStatus = w.status.since != 0; n.hasStatus {
		n.status = w.status.bytes[:w.status.len]
		room -= statusBits
	}
	n.receipts, room = w.receipts.Oldest(room, next)
	n.damage, room = w.damage.Oldest(room, next)
	n.shots, _ = w.shots.Oldest(room, next)
}

// acknowledge removes what the datagram of a tick, or one before it, carried.
func (w *noticeQueues) acknowledge(tick uint32) {
	if w.status.since <= tick {
		w.status.since = 0
	}
	w.receipts.Acknowledge(tick)
	w.shots.Acknowledge(tick)
	w.damage.Acknowledge(tick)
}

// packNotices writes what the player has not acknowledged yet, as far as there is room: then
// the snapshot's entities are in further datagrams.
func (s *Server[S, C]) packNotices(t *seat[S, C], first bool) {
	n := &s.notices
	*n = notices{}
	if first {
		t.notices.fill(n, s.packer.Remaining()-replicate.MinBits-countBits, s.tick+1)
	}
	n.pack(&s.packer, s.now)
}

// taken is what a client has taken of the notices that came: each is repeated, so only what
// is newer than the last one counts.
type taken struct {
	statusAt uint32 // tick of the newest status; 0: none yet
	bytes    [MaxStatus]byte
	len      int
	receipts notice.Reader
	shots    notice.Reader
	damage   notice.Reader
}

// status returns the newest status, nil before the first.
func (t *taken) status() []byte {
	if t.statusAt == 0 {
		return nil
	}
	return t.bytes[:t.len]
}

// takeStatus keeps the status of a tick if it is the newest.
func (t *taken) takeStatus(n *notices, tick uint32) {
	if n.hasStatus && tick > t.statusAt {
		t.statusAt, t.len = tick, copy(t.bytes[:], n.status)
	}
}

// receiveNotices takes the notices of a datagram.
func (c *Client[S, C]) receiveNotices(h *serverHeader) {
	n, t := &c.notices, &c.taken
	t.takeStatus(n, h.tick)
	receipts := notice.New(&t.receipts, &n.receipts)
	for i := range receipts {
		c.confirmed(&receipts[i].Receipt, &c.stats, c)
	}
	shots := notice.New(&t.shots, &n.shots)
	for i := range shots {
		c.saw(&shots[i], c)
	}
	hurts := notice.New(&t.damage, &n.damage)
	for i := range hurts {
		c.event(hurts[i].event())
	}
}
