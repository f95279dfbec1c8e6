package session

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
)

// receipt is the word on one of the player's own shots.
type receipt struct {
	bits int // that it takes
	shot.Receipt
}

// seenShot is a shot, or where a projectile ended, as others see it.
type seenShot struct {
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

// damage is what the player suffered.
type damage struct {
	by     PlayerID
	weapon uint8
	tag    rig.Tag
	amount uint16
	from   geom.Vec3
	ago    clock.Micros // whole milliseconds
}

// sightScale is grid units a metre of where a shot seen went.
const sightScale = 64

// agoMost is the longest time ago that is told.
const agoMost = 4095 * clock.Millisecond

// Bounds of what is packed, in bits.
const (
	vecBits  = 5 + 3*32
	hurtBits = 7 + 3 + 3 + 16 + 12 + vecBits
)

// Pack is for notice.Notice: when a projectile ended counts from the tick of the datagram.
func (g *seenShot) Pack(p *bits.Packer, at clock.Micros) {
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
func (g *seenShot) packMore(p *bits.Packer) {
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

// MaxBits is for notice.Notice.
func (g *seenShot) MaxBits() int { return 7 + 3 + 1 + 12 + 5 + (2+g.more)*vecBits }

// Pack is for notice.Notice.
func (h *damage) Pack(p *bits.Packer, _ clock.Micros) {
	packPlayer(p, &h.by)
	packWeapon(p, &h.weapon)
	tag := int(h.tag)
	p.Ranged(&tag, 0, rig.Tags-1)
	h.tag = rig.Tag(tag)
	p.Uint16(&h.amount)
	p.Vec(&h.from, sightScale)
	packAgo(p, &h.ago)
}

// MaxBits is for notice.Notice.
func (h *damage) MaxBits() int { return hurtBits }

// Pack is for notice.Notice.
func (r *receipt) Pack(p *bits.Packer, _ clock.Micros) { r.Receipt.Pack(p) }

// MaxBits is for notice.Notice.
func (r *receipt) MaxBits() int { return r.bits }

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
