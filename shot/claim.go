package shot

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// Claim is a shot in a command: its aim, the view that it was aimed into, and what the client saw
// it hit. The zero Claim is no shot. It has no damage, origin, radius or range: those are the
// server's (GAP-47).
type Claim struct {
	Fire       bool    // there is a shot
	Weapon     uint8   // index into the weapon table, below MaxWeapons
	Yaw, Pitch float64 // of the aim, radians, in 16 bits
	// View is the view of the last drawn frame: remote.Remotes.View. Its Platform does not
	// travel: it is the start of the command that carries the shot.
	View track.View
	// SeenHit is what the client's own Cast hit. It is compared with the verdict and reported
	// (Receipt.Agrees), and decides nothing.
	SeenHit rewind.HitTarget
	// SceneSum is HitSet.Sum of that, for a weapon that can hit several targets; 0 for others.
	SceneSum uint16
}

// maxView bounds a view time: 2⁵³ µs, 285 years.
const maxView = 1 << 53

// Quantise returns exactly what a reader of c gets. Aim and cast with that.
func (c Claim) Quantise() Claim {
	if !c.Fire {
		return Claim{}
	}
	c.Weapon = min(c.Weapon, MaxWeapons-1)
	c.Yaw = bits.SnapAngle16(c.Yaw)
	c.Pitch = bits.SnapAngle16(c.Pitch)
	c.View.At = min(max(c.View.At, 0), maxView)
	c.View.Platform = 0 // the server knows it
	if !c.View.Mode.Valid() {
		c.View.Mode = track.DrawInterpolated
	}
	if !c.View.Blending() {
		c.View.BlendFrom, c.View.BlendAt = track.Received{}, 0 // which mean nothing then
	}
	c.View.Normalize()
	c.SeenHit = c.SeenHit.Normalize()
	return c
}

// Aim returns the unit vector along which the shot leaves.
func (c *Claim) Aim() geom.Vec3 { return geom.Look(c.Yaw, c.Pitch) }

// Pack packs c: one bit where nothing is fired.
func (c *Claim) Pack(p *bits.Packer) {
	p.Bool(&c.Fire)
	if !c.Fire {
		if !p.Writing() {
			*c = Claim{}
		}
		return
	}
	if p.Clamps() {
		*c = c.Quantise()
	}
	packEnum(p, &c.Weapon, MaxWeapons-1)
	p.Angle16(&c.Yaw)
	p.Angle16(&c.Pitch)
	packView(p, &c.View)
	packHitTarget(p, &c.SeenHit)
	packOptional16(p, &c.SceneSum)
}

// packOptional16 packs a number, in one bit where it is 0.
func packOptional16(p *bits.Packer, sum *uint16) {
	some := *sum != 0
	p.Bool(&some)
	if !some {
		*sum = 0
		return
	}
	if p.Uint16(sum); *sum == 0 {
		p.Fail(bits.ErrRange)
	}
}

// packView packs a view: its time, the received snapshots, the draw mode in 2 bits, the correction
// blending in one bit where there is none, and for the modes that need them the arrival times.
func packView(p *bits.Packer, v *track.View) {
	packTime(p, &v.At)
	if !p.Writing() {
		v.Platform = 0
	}
	v.Seen.Pack(p)
	drawn := int(v.Mode)
	p.Ranged(&drawn, int(track.DrawInterpolated), int(track.DrawNewest))
	v.Mode = track.DrawMode(drawn)
	blends := v.Blending()
	p.Bool(&blends)
	if blends {
		packBlend(p, v)
	} else if !p.Writing() {
		v.BlendFrom, v.BlendAt = track.Received{}, 0
	}
	v.PackArrivals(p)
}

// packBlend packs the view that correction blending starts from: its age by view time, how many
// ticks older its newest snapshot is, and the mask of the snapshots before.
func packBlend(p *bits.Packer, v *track.View) {
	age, back := int(v.At-v.BlendAt), int(v.Seen.Newest-v.BlendFrom.Newest)
	p.Ranged(&age, 0, int(track.BlendTime)-1)
	p.Ranged(&back, 0, track.ReceivedWindow)
	p.Uint(&v.BlendFrom.Mask, 64)
	if !p.Writing() {
		v.BlendAt, v.BlendFrom.Newest = v.At-clock.Micros(age), v.Seen.Newest-uint32(back)
	}
	if n := v.BlendFrom.Newest - 1; p.Err() != nil || !v.Blending() || n < 64 && v.BlendFrom.Mask>>n != 0 {
		p.Fail(bits.ErrRange)
		v.BlendFrom, v.BlendAt = track.Received{}, 0
	}
}

// packTime packs an instant of match time: 0 … maxView.
func packTime(p *bits.Packer, at *clock.Micros) {
	n := uint64(min(max(*at, 0), maxView))
	p.Uvarint(&n)
	if n > maxView {
		p.Fail(bits.ErrRange)
		n = 0
	}
	*at = clock.Micros(n)
}

// packHitTarget packs what a shot hit: target and hitbox only for a player.
func packHitTarget(p *bits.Packer, m *rewind.HitTarget) {
	kind := int(m.Kind)
	p.Ranged(&kind, 0, int(rewind.Player))
	m.Kind = rewind.HitKind(kind)
	if m.Kind != rewind.Player {
		if !p.Writing() {
			*m = rewind.HitTarget{Kind: m.Kind}
		}
		return
	}
	track.PackID(p, &m.Target, 1)
	hitbox, group := int(m.Hitbox), int(m.HitGroup)
	p.Ranged(&hitbox, 1, rig.MaxHitboxes)
	p.Ranged(&group, 1, rig.HitGroups-1)
	m.Hitbox, m.HitGroup = rig.HitboxID(hitbox), rig.HitGroup(group)
}
