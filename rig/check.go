package rig

import (
	"errors"
	"math"
	"strconv"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// invalid returns an error about the i-th element of a kind.
func invalid(what string, i int, name, why string) error {
	return errors.New("rig: " + what + " " + strconv.Itoa(i) + " " + strconv.Quote(name) + ": " + why)
}

// checkBody checks the limits of bones and hitboxes.
func (r *Rig) checkBody() error {
	if n := len(r.bones); n < 1 || n > MaxBones {
		return errors.New("rig: " + strconv.Itoa(n) + " bones; must be 1 … " + strconv.Itoa(MaxBones))
	}
	if n := len(r.hitboxes); n < 1 || n > MaxHitboxes {
		return errors.New("rig: " + strconv.Itoa(n) + " hitboxes; must be 1 … " + strconv.Itoa(MaxHitboxes))
	}
	if int(r.translatedBone) >= len(r.bones) {
		return errors.New("rig: clips translate bone " + strconv.Itoa(int(r.translatedBone)) + ", which does not exist")
	}
	for i := range r.bones {
		if why := r.bones[i].problem(i); why != "" {
			return invalid("bone", i, r.bones[i].Name, why)
		}
	}
	for i := range r.hitboxes {
		if why := r.hitboxes[i].problem(len(r.bones)); why != "" {
			return invalid("hitbox", i, r.hitboxes[i].Name, why)
		}
	}
	return nil
}

func (b *Bone) problem(i int) string {
	switch {
	case len(b.Name) > MaxName:
		return "its name has more than " + strconv.Itoa(MaxName) + " bytes"
	case int(b.Parent) >= i || b.Parent < -1:
		return "its parent must come before it"
	// A second root would be a body that can be hit in two places.
	case (b.Parent == -1) != (i == 0):
		return "exactly the first bone must have no parent"
	}
	return transformProblem(b.Rest)
}

func transformProblem(t geom.Transform) string {
	switch {
	case !withinOffset(t.Translation):
		return "it is farther from its parent than " + strconv.FormatFloat(MaxOffset, 'g', -1, 64) + " m"
	case !(math.Abs(dot(t.Rotation, t.Rotation)-1) < 1e-9):
		return "its rotation is not a unit quaternion"
	}
	return ""
}

func withinOffset(v geom.Vec3) bool {
	return math.Abs(v.X) <= MaxOffset && math.Abs(v.Y) <= MaxOffset && math.Abs(v.Z) <= MaxOffset
}

func (v *Hitbox) problem(bones int) string {
	switch {
	case len(v.Name) > MaxName:
		return "its name has more than " + strconv.Itoa(MaxName) + " bytes"
	case v.HitGroup == NoHitGroup || v.HitGroup >= HitGroups:
		return "hit group " + strconv.Itoa(int(v.HitGroup)) + " does not exist"
	case int(v.Bone) >= bones:
		return "bone " + strconv.Itoa(int(v.Bone)) + " does not exist"
	case v.Prop > 8:
		return "prop " + strconv.Itoa(int(v.Prop)) + " does not exist"
	case v.Shape > Box:
		return "shape " + strconv.Itoa(int(v.Shape)) + " does not exist"
	// The negated comparison refuses NaN, here and below.
	case v.Shape != Box && !(v.Radius > 0 && v.Radius <= MaxOffset):
		return "its radius must be above zero and at most " + strconv.FormatFloat(MaxOffset, 'g', -1, 64) + " m"
	case v.Shape == Capsule && !(v.Half.Y >= 0 && v.Half.Y <= MaxOffset):
		return "half its length must be 0 … " + strconv.FormatFloat(MaxOffset, 'g', -1, 64) + " m"
	case v.Shape == Box && !(min(v.Half.X, v.Half.Y, v.Half.Z) > 0 && withinOffset(v.Half)):
		return "half its size must be above zero and at most " + strconv.FormatFloat(MaxOffset, 'g', -1, 64) + " m"
	}
	return transformProblem(v.At)
}

// checkClips checks the limits of the clips, and that no name and no motion is used twice.
func (r *Rig) checkClips() error {
	var named [slots]bool
	var played [256]bool
	for i := range r.clips {
		c := &r.clips[i]
		s := slotOf(c.name)
		why := c.problem(r, s)
		switch {
		case why != "":
		case s < slots && named[s]:
			why = "another clip has the same name"
		case c.motion != 0 && played[c.motion]:
			why = "another clip has the same motion number " + strconv.Itoa(int(c.motion))
		}
		if why != "" {
			return invalid("clip", i, c.name, why)
		}
		if played[c.motion] = true; s < slots {
			named[s] = true
		}
	}
	return nil
}

func (c *clip) problem(r *Rig, s slot) string {
	switch {
	case len(c.name) > MaxName:
		return "its name has more than " + strconv.Itoa(MaxName) + " bytes"
	case s == slots && c.motion == 0:
		return "neither one of ClipNames nor a motion"
	case s != slots && c.motion != 0:
		return "a motion cannot have a name of ClipNames"
	case c.keys < 1 || c.keys > MaxKeys:
		return strconv.Itoa(c.keys) + " keys; must be 1 … " + strconv.Itoa(MaxKeys)
	case c.bones>>len(r.bones) != 0:
		return "it rotates a bone that does not exist"
	case s < slots && s.gait() && (c.cycles < 1 || c.cycles > MaxCycles):
		return strconv.Itoa(c.cycles) + " cycles in 64 m; a gait has 1 … " + strconv.Itoa(MaxCycles)
	case (s == slots || !s.gait()) && c.cycles != 0:
		return "it has cycles and is not a gait"
	}
	if why := c.timeProblem(); why != "" {
		return why
	}
	return c.keyProblem(r, s)
}

func (c *clip) timeProblem() string {
	switch {
	case c.motion == 0 && (c.duration != 0 || c.fade != 0 || c.hold):
		return "it has a duration and is not a motion"
	case c.motion != 0 && (c.duration < clock.Millisecond || c.duration > MaxDuration):
		return "its duration is " + strconv.FormatFloat(c.duration.Seconds(), 'g', -1, 64) + " s; must be 0.001 … " +
			strconv.FormatFloat(MaxDuration.Seconds(), 'g', -1, 64)
	case c.fade < 0 || 2*c.fade > c.duration:
		return "its fade is longer than half its duration"
	}
	return ""
}

// keyProblem checks that every rotation is one, and on the same side as the rest rotation
// of the bone.
//
// A rotation's length may be off by the rounding of four components, 2 steps at most; 4
// leaves room for a file's own rounding.
func (c *clip) keyProblem(r *Rig, s slot) string {
	n := len(c.list)
	for i := range c.rotations {
		b := c.list[i%n]
		at := "key " + strconv.Itoa(i/n) + ", bone " + strconv.Quote(r.bones[b].Name) + ": "
		q := geom.Quat{X: float64(c.rotations[i][0]), Y: float64(c.rotations[i][1]), Z: float64(c.rotations[i][2]), W: float64(c.rotations[i][3])}
		rest := r.bones[b].Rest.Rotation
		if s < slots && s.aims() {
			rest = geom.IdentityQuat
		}
		if l := math.Sqrt(dot(q, q)); !(math.Abs(l-rotationOne) < 4) {
			return at + "is not a rotation"
		}
		if dot(q, rest) < float64(minRestCosine*rotationOne) {
			return at + "is rotated more than 174° from its rest pose"
		}
	}
	for k, m := range c.translations {
		if !withinOffset(translationOf(m)) {
			return "key " + strconv.Itoa(k) + ": the translation is too large"
		}
	}
	return ""
}
