package rig

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// slot is one use of a clip.
type slot uint8

// The order matters: gaits and stances come before the aim clips, and s < aimUp means a
// clip that poses the whole body.
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

// names are the names of clips by slot. fallback is the slot that serves where a slot has
// no clip: without idle the bones stay at rest, without an aim clip aiming rotates nothing.
var (
	names = [slots]string{"idle", "walk", "run", "strafe", "crouch", "crouch_walk", "crouch_strafe",
		"jump", "fall", "tread", "swim", "aim_up", "aim_down"}
	fallback = [slots]slot{idle, idle, walk, walk, idle, crouch, crouchWalk, idle, jump, fall, tread, aimUp, aimDown}
)

// ClipNames returns the names of the clips that a posture selects, besides motions.
func ClipNames() []string { return append([]string(nil), names[:]...) }

// slotOf returns the slot of a name, slots for an unknown one.
func slotOf(name string) slot {
	for i, n := range names {
		if n == name {
			return slot(i)
		}
	}
	return slots
}

// gait reports whether the clip of the slot follows the distance walked, aims whether it
// follows the view.
//
// A gait is driven by the distance and not by the time, so feet do not slide at any speed
// and both ends agree without a clock of animations.
func (s slot) gait() bool {
	return s == walk || s == run || s == strafe || s == crouchWalk || s == crouchStrafe || s == swim
}
func (s slot) aims() bool { return s == aimUp || s == aimDown }

// clip is a Clip in its baked form.
//
// Rows of integers instead of structs: a key of 19 bones is 152 bytes in a row that is read
// from front to back.
type clip struct {
	name           string
	cycles         int
	motion         uint8
	duration, fade clock.Micros
	hold           bool
	bones          uint32
	list           []uint8 // the bones that it rotates, ascending
	keys           int
	// rotations are by key, then by element of list; those of an aim clip are relative to
	// its first key. translations are by key, nil in a clip without translation.
	rotations    [][4]int16
	translations [][3]int16
}

// bake rounds the keys. Each rotation is put on the side of the rest rotation of its bone,
// so that blending two keys never takes the long way round.
//
// Aim clips are stored relative to their first key: they are added to whatever the body
// does.
func (p *Clip) bake(r *Rig) clip {
	c := clip{name: p.Name, cycles: p.Cycles, motion: p.Motion, duration: p.Duration, fade: p.Fade,
		hold: p.Hold, bones: p.Bones, keys: len(p.Keys)}
	s := slotOf(p.Name)
	if s < aimUp {
		c.bones = 1<<len(r.bones) - 1
	}
	if c.bones>>len(r.bones) != 0 {
		return c // checkClips reports it
	}
	c.listBones()
	for k := range p.Keys {
		for _, b := range c.list {
			rest := r.bones[b].Rest.Rotation
			// A clip of the whole body has every bone, so that accumulate needs no test for
			// each bone; those that the animator left out are at rest.
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

// quantiseTranslation returns a translation in steps of 0.1 mm.
func quantiseTranslation(v geom.Vec3) (x, y, z int16) {
	at := func(x float64) int16 {
		return int16(math.Floor(float64(geom.Clamp(x, -MaxOffset, MaxOffset)*perMetre) + 0.5))
	}
	return at(v.X), at(v.Y), at(v.Z)
}

// listBones fills list from the mask of bones.
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

// assignSlots finds the clip of every slot and motion.
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
	// Without an idle clip the body stands at rest.
	if r.slots[idle] == nil {
		still := (&Clip{Name: names[idle], Keys: make([]Key, 1)}).bake(r)
		r.slots[idle] = &still
	}
	// In ascending order: a fallback comes before the slots that use it, so chains such as
	// crouch_strafe → crouch_walk → crouch → idle end in a clip.
	for s := walk; s < aimUp; s++ {
		if r.slots[s] == nil {
			r.slots[s] = r.slots[fallback[s]]
		}
	}
}
