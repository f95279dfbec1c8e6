package rig

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// slot is one of the things that a rig's clips are for.
type slot uint8

const (
	idle slot = iota
	walk
	run
	strafe
	crouch
	crouchWalk
	crouchStrafe
	jump
	fall
	tread
	swim
	aimUp
	aimDown
	slots
)

// names are the clips' by slot, and otherwise which slot's clip serves where there is none;
// idle is at rest then, and aiming turns nothing.
var (
	names = [slots]string{"idle", "walk", "run", "strafe", "crouch", "crouch_walk", "crouch_strafe",
		"jump", "fall", "tread", "swim", "aim_up", "aim_down"}
	fallback = [slots]slot{idle, idle, walk, walk, idle, crouch, crouchWalk, idle, jump, fall, tread, aimUp, aimDown}
)

// ClipNames are the names of the clips that a posture asks for, beside motions.
func ClipNames() []string { return append([]string(nil), names[:]...) }

// slotOf returns which slot a name is of, slots for none.
func slotOf(name string) slot {
	for i, n := range names {
		if n == name {
			return slot(i)
		}
	}
	return slots
}

// gait reports whether the slot's clip goes with the way walked, and aims whether it
// follows the view.
func (s slot) gait() bool {
	return s == walk || s == run || s == strafe || s == crouchWalk || s == crouchStrafe || s == swim
}
func (s slot) aims() bool { return s == aimUp || s == aimDown }

// clip is a Clip as it is played.
type clip struct {
	name           string
	cycles         int
	motion         uint8
	duration, fade clock.Micros
	hold           bool
	bones          uint32
	list           []uint8 // the bones, ascending
	keys           int
	// rotations are by key, then by element of list; those of aiming are what is turned
	// beyond the first key. moves are by key, nil in a clip that does not shift.
	rotations    [][4]int16
	translations [][3]int16
}

// bake rounds the clip's keys, each turn on the side of its bone's rest, so that what is
// between two of them is never the long way round.
func (p *Clip) bake(r *Rig) clip {
	c := clip{name: p.Name, cycles: p.Cycles, motion: p.Motion, duration: p.Duration, fade: p.Fade,
		hold: p.Hold, bones: p.Bones, keys: len(p.Keys)}
	s := slotOf(p.Name)
	if s < aimUp {
		c.bones = 1<<len(r.bones) - 1
	}
	if c.bones>>len(r.bones) != 0 {
		return c // checkClips says so
	}
	c.listBones()
	for k := range p.Keys {
		for _, b := range c.list {
			rest := r.bones[b].Rest.Rotation
			turn := rest
			if p.Bones>>b&1 != 0 {
				turn = p.Keys[k].Rotations[b]
			}
			if s.aims() {
				turn, rest = p.Keys[0].Rotations[b].Unit().Inverse().Mul(turn), geom.IdentityQuat
			}
			if dot(turn, rest) < 0 {
				turn = geom.Quat{X: -turn.X, Y: -turn.Y, Z: -turn.Z, W: -turn.W}
			}
			c.rotations = append(c.rotations, quantiseRotation(turn))
		}
		if s < aimUp || p.HasTranslation {
			move := r.bones[r.translatedBone].Rest.Translation
			if p.HasTranslation {
				move = p.Keys[k].Translation
			}
			x, y, z := quantiseTranslation(move)
			c.translations = append(c.translations, [3]int16{x, y, z})
		}
	}
	return c
}

// quantiseTranslation returns a place in tenths of a millimetre.
func quantiseTranslation(v geom.Vec3) (x, y, z int16) {
	at := func(x float64) int16 {
		return int16(math.Floor(float64(geom.Clamp(x, -MaxOffset, MaxOffset)*perMetre) + 0.5))
	}
	return at(v.X), at(v.Y), at(v.Z)
}

// listBones lists the clip's bones.
func (c *clip) listBones() {
	c.list = c.list[:0]
	for b := range uint8(MaxBones) {
		if c.bones>>b&1 != 0 {
			c.list = append(c.list, b)
		}
	}
}

func dot(q, r geom.Quat) float64 {
	return float64(q.X*r.X) + float64(q.Y*r.Y) + float64(q.Z*r.Z) + float64(q.W*r.W)
}

// assignSlots finds which clip does what.
func (r *Rig) assignSlots() {
	for i := range r.clips {
		c := &r.clips[i]
		if s := slotOf(c.name); s < slots {
			r.slots[s] = c
		}
		if c.motion != 0 {
			r.motions[c.motion] = c
		}
	}
	if r.slots[idle] == nil {
		still := (&Clip{Name: names[idle], Keys: make([]Key, 1)}).bake(r)
		r.slots[idle] = &still
	}
	for s := walk; s < aimUp; s++ {
		if r.slots[s] == nil {
			r.slots[s] = r.slots[fallback[s]]
		}
	}
}
