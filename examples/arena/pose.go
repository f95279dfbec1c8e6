package arena

import (
	"sync"

	"github.com/backstep-net/backstep/examples/arena/assets/figure"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/rootmotion"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// Pose returns what others see: of a rider, its place on the base. Spectators are dead to
// others, and fly: nobody draws them.
func (g *Game) Pose(h *Hero) track.Sample {
	base, position, velocity := h.Replicated()
	s := track.Sample{
		BaseLink: track.BaseLink{Base: base, Airborne: h.Mode == movement.Falling},
		Pose: track.Pose{
			Position: position, Velocity: velocity, Up: h.Up, Yaw: h.Yaw, Pitch: h.Pitch, Mode: uint8(h.Mode),
			Crouched: h.Crouched, Stance: stanceOf(h),
		},
		GameData: track.GameData{Dead: h.Dead || h.Spectating, Life: h.Life, UserData: uint16(heldStateOf(h))},
	}
	if !h.Motion.Busy() { // the common case
		return s
	}
	if m, ok := h.Motion.Dominant(); ok {
		s.Clip, s.ClipAt = ClipOf(&m), m.Start
	}
	return s
}

// stanceOf returns the target stance of a hero: a session blends towards it.
func stanceOf(h *Hero) track.Stance {
	return track.Stance{
		Crouch: boolValue(h.Crouched),
		Air:    boolValue(h.Mode == movement.Falling || h.Mode == Grappling),
		Swim:   boolValue(h.Mode == movement.Swimming || h.Mode == movement.Flying),
	}
}

// HeldState is what a player holds as others see it, in Sample.UserData: the weapon's index
// in bits 0 … 2, the shield in bit 3, the sights in bit 4. The other bits are zero.
type HeldState uint16

const (
	holdsWeapon HeldState = 7
	holdsShield HeldState = 8
	holdsAim    HeldState = 16
)

func heldStateOf(h *Hero) HeldState {
	e := HeldState(h.Loadout.Held) & holdsWeapon
	if h.Shielded {
		e |= holdsShield
	}
	if h.Aiming {
		e |= holdsAim
	}
	return e
}

// Weapon returns the index of the held weapon.
func (e HeldState) Weapon() uint8 { return uint8(e & holdsWeapon) }

// Shield reports whether the shield is up.
func (e HeldState) Shield() bool { return e&holdsShield != 0 }

// Aims reports whether it aims down the sights.
func (e HeldState) Aims() bool { return e&holdsAim != 0 }

// clipDash is ClipOf a dash.
const clipDash = 1

// ClipOf returns the clip number of a root motion in samples: 1 is a dash or another push,
// 2 and above the clips of the model's library.
func ClipOf(m *rootmotion.Source) uint8 {
	if m.Kind == rootmotion.KindAnimation {
		return min(m.Clip, 253) + 2
	}
	return clipDash
}

// BodyCapsule returns the body that others collide with, of anybody alive. [BAS-08]
func (g *Game) BodyCapsule(pose *track.Sample) (geom.Capsule, bool) {
	body := movement.State{Position: pose.Position, Up: pose.Up, Crouched: pose.Crouched}
	return g.model.Capsule(&body), !pose.Dead
}

// shieldProp is the bit of rig.Posture.Props for a raised shield.
const shieldProp = 1 << 0

// figures is the hitboxes of the arena's players: a rewind.HitboxProvider.
type figures struct {
	body  *rig.Rig
	dash  uint8        // the rig's motion for a dash
	chest rig.HitboxID // the first of the group body
	pose  rig.PosedRig
	stand rig.Posture // scratch
}

var _ rewind.KindFilter = (*figures)(nil)

// newFigures unpacks the figure of all players.
func newFigures() figures {
	f := figures{body: humanoid()}
	f.dash = f.body.Motion("dash")
	for i, v := range f.body.Hitboxes() {
		if v.Name == "belly" || v.HitGroup == rig.Body && f.chest == 0 {
			f.chest = rig.HitboxID(i + 1)
		}
	}
	return f
}

// Chest returns the middle of a drawn player's body, in the world: what bots aim at.
func (p *Player) Chest(s *track.Sample) geom.Vec3 {
	f := &p.game.figures
	rewind.PostureOf(s, &f.stand)
	if f.Hitboxes(s, &f.stand) != nil {
		f.pose.Pose(f.body, &f.stand)
		for i := range f.pose.Count {
			if v := &f.pose.Solids[i]; f.pose.Hitboxes[i] == f.chest {
				at := rewind.Placement(s)
				return at.Apply(v.A.Lerp(v.B, 0.5))
			}
		}
	}
	return s.Position.MulAdd(s.UpVector(), 0.5) // the dead
}

// humanoid returns the rig of all players. The file is embedded: a broken one is a bug.
var humanoid = sync.OnceValue(func() *rig.Rig {
	r, err := rig.Unpack(figure.Humanoid)
	if err != nil {
		panic("arena: figure.Humanoid: " + err.Error())
	}
	return r
})

// Hitboxes implements rewind.HitboxProvider: the dead, spectators and entities have none.
func (f *figures) Hitboxes(s *track.Sample, p *rig.Posture) *rig.Rig {
	if s.Kind != 0 || s.Dead {
		return nil
	}
	if p.Clip == clipDash { // as in ClipOf
		p.Clip = f.dash
	} else {
		p.Clip = 0
	}
	if HeldState(s.UserData).Shield() {
		p.Props |= shieldProp
	}
	return f.body
}

// MaxBounds implements rewind.HitboxProvider: the rig's own bounds.
func (f *figures) MaxBounds() (side, top float64) {
	height, radius := f.body.Bounds()
	return radius, height + radius
}

// CanHit implements rewind.KindFilter: shots hit players only.
func (f *figures) CanHit(kind track.Kind) bool { return kind == 0 }

// Hitboxes returns the players' hitboxes.
func (g *Game) Hitboxes() rewind.HitboxProvider { return &g.figures }
