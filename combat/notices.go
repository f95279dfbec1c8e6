package combat

import (
	mathbits "math/bits"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session/notice"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// MaxShooters is how many players can shoot: their ids are 1 … MaxShooters.
const MaxShooters = 1000

// Notices are the notices of combat in one datagram to a player.
type Notices struct {
	Receipts notice.List[Receipt, *Receipt]   // verdicts on the player's own shots
	Shots    notice.List[SeenShot, *SeenShot] // shots and projectile ends of other players
	Damage   notice.List[Damage, *Damage]     // damage that the player took
}

// CountBits is the size of empty Notices, in bits.
const CountBits = 3 * notice.CountBits

// Pack packs the notices in either direction, in a datagram of the tick at a match time.
func (n *Notices) Pack(p *bits.Packer, at clock.Micros) {
	n.Receipts.Pack(p, at)
	n.Shots.Pack(p, at)
	n.Damage.Pack(p, at)
}

// Len returns how many there are.
func (n *Notices) Len() int { return len(n.Receipts.Items) + len(n.Shots.Items) + len(n.Damage.Items) }

// Clear removes all of them and keeps their room.
func (n *Notices) Clear() {
	n.Receipts.Items, n.Shots.Items, n.Damage.Items = n.Receipts.Items[:0], n.Shots.Items[:0], n.Damage.Items[:0]
}

// Receipt is the verdict on one of the player's own shots, as a notice.
type Receipt struct {
	Bits int // its size in the datagram
	shot.Receipt
}

// SeenShot is a shot, or where a projectile ended, as other players see it.
type SeenShot struct {
	Shooter track.ID // 1 … MaxShooters
	Weapon  uint8    // index in the table of weapons
	// Ended reports that a projectile ended, at match time At. Of any other shot At is zero.
	Ended bool
	More  int // how many Ends there are
	At    clock.Micros
	// From is the shooter's eye and To the end of the shot, in metres. From is zero if Ended, and
	// equal to To if the shooter is hidden from the player. Of a projectile that was launched To
	// is one metre from the eye, along the aim; of one that ended, To is its centre.
	From, To geom.Vec3
	// Ends are where the pellets after the first went. They are most of the bytes, so they are last, and set copies only
	// those that there are.
	Ends [shot.MaxPellets - 1]geom.Vec3
}

// set makes g a copy of s.
func (g *SeenShot) set(s *SeenShot) {
	g.Shooter, g.Weapon, g.Ended, g.At, g.From, g.To, g.More = s.Shooter, s.Weapon, s.Ended, s.At, s.From, s.To, s.More
	copy(g.Ends[:], s.Ends[:s.More])
}

// Damage is damage that the player took, as a notice.
type Damage struct {
	By       track.ID     // the shooter, 1 … MaxShooters; the player itself for its own blast
	Weapon   uint8        // index in the table of weapons
	HitGroup rig.HitGroup // of the hitbox that counted most
	Amount   uint16       // points
	// From is where the shot left, in metres. If the shooter is hidden from the player, it is at
	// most one metre from the player's eye in that direction.
	From geom.Vec3
	Ago  clock.Micros // time since the instant that the shot was judged at; whole milliseconds
}

// pointScale is the grid of the points of notices, in steps per metre: a step of 16 mm is not visible in a
// tracer.
const pointScale = 64

// maxAgo is the longest age in a notice: 12 bits of milliseconds.
const maxAgo = 4095 * clock.Millisecond

// The bounds of the sizes of notices, in bits.
const (
	vecBits    = 5 + 3*32
	damageBits = 3 + 3 + 16 + 12 + vecBits
)

// Pack implements notice.Notice. The time at which a projectile ended is packed relative to the tick of the
// datagram.
func (g *SeenShot) Pack(p *bits.Packer, at clock.Micros) {
	packPlayer(p, &g.Shooter)
	packWeapon(p, &g.Weapon)
	p.Bool(&g.Ended)
	p.Vec(&g.To, pointScale)
	if g.Ended {
		// Relative to the datagram, so that a notice that is repeated later still names the same
		// instant.
		ago := min(max(at-g.At, 0), maxAgo)
		packAgo(p, &ago)
		if !p.Writing() {
			g.At, g.From, g.More = at-ago, geom.Vec3{}, 0
		}
		return
	}
	// A shot is shown when its notice comes: its instant is not known to the millisecond and does
	// not matter.
	g.At = 0
	p.Vec(&g.From, pointScale)
	g.packMore(p)
}

// packMore packs where the pellets after the first went: one bit where there are none.
func (g *SeenShot) packMore(p *bits.Packer) {
	some := g.More > 0
	p.Bool(&some)
	if !some {
		g.More = 0
		return
	}
	p.Ranged(&g.More, 1, len(g.Ends))
	for i := range g.More {
		p.Vec(&g.Ends[i], pointScale)
	}
}

// MaxBits implements notice.Notice.
func (g *SeenShot) MaxBits() int {
	return playerBits(g.Shooter) + 3 + 1 + 12 + 5 + (2+g.More)*vecBits
}

// Pack implements notice.Notice.
func (h *Damage) Pack(p *bits.Packer, _ clock.Micros) {
	packPlayer(p, &h.By)
	packWeapon(p, &h.Weapon)
	group := int(h.HitGroup)
	p.Ranged(&group, 0, rig.HitGroups-1)
	h.HitGroup = rig.HitGroup(group)
	p.Uint16(&h.Amount)
	p.Vec(&h.From, pointScale)
	packAgo(p, &h.Ago)
}

// MaxBits implements notice.Notice.
func (h *Damage) MaxBits() int { return playerBits(h.By) + damageBits }

// Pack implements notice.Notice.
func (r *Receipt) Pack(p *bits.Packer, _ clock.Micros) { r.Receipt.Pack(p) }

// MaxBits implements notice.Notice.
func (r *Receipt) MaxBits() int { return r.Bits }

// packAgo packs an age in milliseconds.
func packAgo(p *bits.Packer, ago *clock.Micros) {
	ms := int(*ago / clock.Millisecond)
	p.Ranged(&ms, 0, int(maxAgo/clock.Millisecond))
	*ago = clock.Micros(ms) * clock.Millisecond
}

// packWeapon packs a weapon's index.
func packWeapon(p *bits.Packer, weapon *uint8) {
	n := int(*weapon)
	p.Ranged(&n, 0, shot.MaxWeapons-1)
	*weapon = uint8(n)
}

// playerOrder is the order of the code of a player's number.
const playerOrder = 6

// playerBits returns how many bits packPlayer writes.
func playerBits(id track.ID) int {
	return 2*mathbits.Len16(uint16(id-1)+1<<playerOrder) - playerOrder - 1
}

// packPlayer packs a player's number, 1 … MaxShooters: in 7 bits up to 64.
func packPlayer(p *bits.Packer, id *track.ID) {
	n := uint64(*id) - 1
	if p.Count(&n, playerOrder); n >= MaxShooters {
		p.Fail(bits.ErrRange)
		n = 0
	}
	*id = track.ID(n) + 1
}
