package session

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
)

// news is what a player is told beside moves and poses, repeated until it has
// arrived. Receipts, sights and hurts each have a count of their own, by which a client
// tells what is new.
type news struct {
	hasStatus bool
	status    []byte
	receipts  row[receipt]
	sights    row[sight]
	hurts     row[hurt]
}

// receipt is the word on one of the player's own shots.
type receipt struct {
	bits int // that it takes
	shot.Receipt
}

// sight is a shot, or where a projectile ended, as others see it.
type sight struct {
	shooter PlayerID
	weapon  uint8
	burst   bool
	at      clock.Micros // match time at which a projectile ended
	from    geom.Vec3    // of a shot
	to      geom.Vec3
	// ends are where the pellets after the first went, more of them.
	ends [shot.MaxPellets - 1]geom.Vec3
	more int
}

// hurt is what the player suffered.
type hurt struct {
	by     PlayerID
	weapon uint8
	tag    rig.Tag
	damage uint16
	from   geom.Vec3
	ago    clock.Micros // whole milliseconds
}

// sightScale is grid units a metre of where a shot seen went.
const sightScale = 64

// agoMost is the longest time ago that is told.
const agoMost = 4095 * clock.Millisecond

// Room in a player's first datagram of a tick, in bits: the most that a status takes, and
// how many there are of what and from which number on, a vector, and a hurt.
const (
	statusBits = 7 + 7 + MaxStatus*8
	countBits  = 2 + 3*(5+16)
	vecBits    = 5 + 3*32
	hurtBits   = 7 + 3 + 3 + 16 + 12 + vecBits
)

// pack packs the news of a tick at a match time.
func (n *news) pack(p *bits.Packer, at clock.Micros) {
	some := n.something()
	p.Bool(&some)
	if !some {
		n.hasStatus, n.receipts.items, n.sights.items, n.hurts.items = false, n.receipts.items[:0], n.sights.items[:0], n.hurts.items[:0]
		return
	}
	p.Bool(&n.hasStatus)
	if n.hasStatus {
		p.Blob(&n.status, MaxStatus)
	}
	n.receipts.pack(p)
	for i := range n.receipts.items {
		n.receipts.items[i].Receipt.Pack(p)
	}
	n.sights.pack(p)
	for i := range n.sights.items {
		n.sights.items[i].pack(p, at)
	}
	n.hurts.pack(p)
	for i := range n.hurts.items {
		n.hurts.items[i].pack(p)
	}
	if !n.something() {
		p.Fail(bits.ErrRange) // one bit says so
	}
}

// something reports whether there is anything to tell.
func (n *news) something() bool {
	return n.hasStatus || len(n.receipts.items)+len(n.sights.items)+len(n.hurts.items) > 0
}

func (g *sight) pack(p *bits.Packer, at clock.Micros) {
	packPlayer(p, &g.shooter)
	packWeapon(p, &g.weapon)
	p.Bool(&g.burst)
	p.Vec(&g.to, sightScale)
	if g.burst {
		ago := min(max(at-g.at, 0), agoMost)
		packAgo(p, &ago)
		if !p.Writing() {
			g.at, g.from, g.more = at-ago, geom.Vec3{}, 0
		}
		return
	}
	g.at = 0
	p.Vec(&g.from, sightScale)
	g.packMore(p)
}

// packMore packs where the pellets after the first went: one bit where there are none.
func (g *sight) packMore(p *bits.Packer) {
	some := g.more > 0
	p.Bool(&some)
	if !some {
		g.more = 0
		return
	}
	p.Ranged(&g.more, 1, len(g.ends))
	for i := range g.more {
		p.Vec(&g.ends[i], sightScale)
	}
}

// size is how many bits a sight takes at most.
func (g *sight) size() int { return 7 + 3 + 1 + 12 + 5 + (2+g.more)*vecBits }

func (h *hurt) pack(p *bits.Packer) {
	packPlayer(p, &h.by)
	packWeapon(p, &h.weapon)
	tag := int(h.tag)
	p.Ranged(&tag, 0, rig.Tags-1)
	h.tag = rig.Tag(tag)
	p.Uint16(&h.damage)
	p.Vec(&h.from, sightScale)
	packAgo(p, &h.ago)
}

func (h *hurt) size() int { return hurtBits }

// size is how many bits a receipt takes at most.
func (r *receipt) size() int { return r.bits }

// packAgo packs how long ago something was, in milliseconds.
func packAgo(p *bits.Packer, ago *clock.Micros) {
	ms := int(*ago / clock.Millisecond)
	p.Ranged(&ms, 0, int(agoMost/clock.Millisecond))
	*ago = clock.Micros(ms) * clock.Millisecond
}

// packWeapon packs a weapon's index.
func packWeapon(p *bits.Packer, weapon *uint8) {
	n := int(*weapon)
	p.Ranged(&n, 0, shot.MaxWeapons-1)
	*weapon = uint8(n)
}

// packPlayer packs a player's number, 1 … MaxPlayers.
func packPlayer(p *bits.Packer, id *PlayerID) {
	n := int(*id)
	p.Ranged(&n, 1, MaxPlayers)
	*id = PlayerID(n)
}

// resize packs the length of a list of at most max items and, reading, gives the
// list that length.
func resize[T any](p *bits.Packer, list *[]T, max int) {
	n := len(*list)
	p.Ranged(&n, 0, max)
	if p.Writing() {
		return
	}
	if cap(*list) < max {
		*list = make([]T, max)
	}
	*list = (*list)[:n]
}

// packNews writes what the player has not acknowledged yet, as far as there is room: then
// the snapshot's things are in further datagrams. The rest waits.
func (s *Server[S, C]) packNews(t *seat[S, C], first bool) {
	n := &s.news
	*n = news{}
	if first {
		left := s.packer.Remaining() - replicate.MinBits - countBits
		if n.hasStatus = t.status.since != 0; n.hasStatus {
			n.status = t.status.bytes[:t.status.len]
			left -= statusBits
		}
		n.receipts, left = t.receipts.first(left, (*receipt).size, s.tick+1)
		n.hurts, left = t.hurts.first(left, (*hurt).size, s.tick+1)
		n.sights, _ = t.sights.first(left, (*sight).size, s.tick+1)
	}
	n.pack(&s.packer, s.now)
}
