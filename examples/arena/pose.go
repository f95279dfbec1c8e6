package arena

import (
	"sync"

	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/rootmotion"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// Pose is what others see: of who rides on a body, its place on that. Those who
// watch are dead to others, and fly: nobody draws them.
func (g *Game) Pose(h *Hero) track.Sample {
	base, position, velocity := h.Replicated()
	s := track.Sample{
		Base: base, Position: position, Velocity: velocity, Up: h.Up, Yaw: h.Yaw, Pitch: h.Pitch,
		Mode: uint8(h.Mode), Crouched: h.Crouched, Dead: h.Dead || h.Watching, Life: h.Life,
		Airborne: h.Mode == movement.Falling, Stance: stanceOf(h), UserData: uint16(holdingOf(h)),
	}
	if !h.Motion.Busy() { // nearly always
		return s
	}
	if m, ok := h.Motion.Dominant(); ok {
		s.Clip, s.ClipAt = ClipOf(&m), m.Start
	}
	return s
}

// stanceOf is the stance that a hero is on the way to: a session eases it.
func stanceOf(h *Hero) track.Stance {
	return track.Stance{
		Crouch: one(h.Crouched),
		Air:    one(h.Mode == movement.Falling || h.Mode == Grappling),
		Swim:   one(h.Mode == movement.Swimming || h.Mode == movement.Flying),
	}
}

// Holding is what somebody has in hand as others see it, in Sample.UserData of a player: the
// weapon's index in bits 0 … 2, bit 3 of who holds the shield up, bit 4 of who aims down
// the sights. The other bits are zero.
type Holding uint16

const (
	holdsWeapon Holding = 7
	holdsShield Holding = 8
	holdsAim    Holding = 16
)

func holdingOf(h *Hero) Holding {
	e := Holding(h.Loadout.Held) & holdsWeapon
	if h.Shielded {
		e |= holdsShield
	}
	if h.Aiming {
		e |= holdsAim
	}
	return e
}

// Weapon is the index of the weapon in hand.
func (e Holding) Weapon() uint8 { return uint8(e & holdsWeapon) }

// Shield reports whether the shield is held up.
func (e Holding) Shield() bool { return e&holdsShield != 0 }

// Aims reports whether the sights are aimed down.
func (e Holding) Aims() bool { return e&holdsAim != 0 }

// clipDash is ClipOf a dash.
const clipDash = 1

// ClipOf is the number by which others are told of a motion: 1 is a dash or another
// push, 2 and so on the clips of the model's library.
func ClipOf(m *rootmotion.Source) uint8 {
	if m.Kind == rootmotion.KindAnimation {
		return min(m.Clip, 253) + 2
	}
	return clipDash
}

// SetBodyShape is the body that others bump into: that of anybody alive (BAS-08).
func (g *Game) SetBodyShape(pose *track.Sample) (geom.Capsule, bool) {
	body := movement.State{Position: pose.Position, Up: pose.Up, Crouched: pose.Crouched}
	return g.model.Capsule(&body), !pose.Dead
}

// shieldProp is the bit of rig.Posture.Props that says that the shield is held up.
const shieldProp = 1 << 0

// figures is what the arena's players look like to shots: rewind.HitboxProvider.
type figures struct {
	body  *rig.Rig
	dash  uint8    // the body's motion for it
	chest rig.Part // the first of the body's parts that counts as that
	pose  rig.Figure
	stand rig.Posture // scratch
}

// newFigures returns everybody's figure, which is unpacked once.
func newFigures() figures {
	f := figures{body: humanoid()}
	f.dash = f.body.Motion("dash")
	for i, v := range f.body.Volumes() {
		if v.Name == "belly" || v.Tag == rig.Body && f.chest == 0 {
			f.chest = rig.Part(i + 1)
		}
	}
	return f
}

// Chest is the middle of somebody's body as it is drawn, in the world: what bots aim at.
func (p *Player) Chest(s *track.Sample) geom.Vec3 {
	f := &p.game.figures
	rewind.PostureOf(s, &f.stand)
	if f.Hitboxes(s, &f.stand) != nil {
		f.pose.Pose(f.body, &f.stand)
		for i := range f.pose.Count {
			if v := &f.pose.Solids[i]; f.pose.Parts[i] == f.chest {
				at := rewind.Placement(s)
				return at.Apply(v.A.Lerp(v.B, 0.5))
			}
		}
	}
	return s.Position.MulAdd(s.UpVector(), 0.5) // the dead
}

// humanoid is the rig of all players. The file is the program's own: a broken one is a bug.
var humanoid = sync.OnceValue(func() *rig.Rig {
	r, err := rig.Unpack(assets.Humanoid)
	if err != nil {
		panic("arena: assets/humanoid.rig: " + err.Error())
	}
	return r
})

// Hitboxes is for rewind.HitboxProvider: nobody hits the dead, those who watch, nor things.
func (f *figures) Hitboxes(s *track.Sample, p *rig.Posture) *rig.Rig {
	if s.Kind != 0 || s.Dead {
		return nil
	}
	if p.Clip == clipDash { // as ClipOf has it
		p.Clip = f.dash
	} else {
		p.Clip = 0
	}
	if Holding(s.UserData).Shield() {
		p.Props |= shieldProp
	}
	return f.body
}

// MaxBounds is for rewind.HitboxProvider: the rig's own bounds.
func (f *figures) MaxBounds() (side, top float64) {
	height, radius := f.body.Bounds()
	return radius, height + radius
}

// CanHit is for rewind.KindFilter: shots meet players alone.
func (f *figures) CanHit(kind track.Kind) bool { return kind == 0 }

// Hitboxes is for session.HitboxGame.
func (g *Game) Hitboxes() rewind.HitboxProvider { return &g.figures }
