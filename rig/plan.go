package rig

import (
	"errors"
	"math"
	"strconv"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// What a rig may have at most, beside MaxBones and MaxParts.
const (
	MaxClips      = 48
	MaxKeys       = 64                  // of one clip
	MaxName       = 40                  // bytes
	MaxOffset     = 3.2                 // m that a bone's or a volume's place is from its parent's
	MaxDuration   = 30 * clock.Second   // of a motion
	MaxCycles     = 4 * StrideWrap      // of a gait in WalkedRound
	minRestCosine = 0.05                // cosine of the farthest half angle from the rest: 174°
	perMetre      = 10_000              // the grid of places
	rotationOne   = math.MaxInt16 * 1.0 // the part of a turn that is 1
)

// Plan is a rig as it is described: by level.ReadRig from a file, or by a program.
type Plan struct {
	// Bones are 1 … MaxBones, each after its parent.
	Bones []Bone
	// Volumes are 1 … MaxParts.
	Volumes []Volume
	// TranslatedBone is the number of the one bone that clips also shift, most often the pelvis.
	TranslatedBone uint8
	// Clips are what the rig can do: by name those that Names lists, and motions.
	Clips []Clip
}

// Clip is a movement of bones: keys at even distances.
type Clip struct {
	// Name says what it is for, if it is one of Names.
	Name string
	// Cycles of a gait is how often it repeats over WalkedRound metres, 1 … MaxCycles.
	// In the first half of a cycle the left foot carries the body, in the second the
	// right one. Zero for what is no gait.
	Cycles int
	// Motion is the Posture.Clip that plays it; 0: none does.
	Motion uint8
	// Duration of a motion, 1 ms … MaxLength, and Fade how long it takes to come in and to
	// go, at most half of Length.
	Duration, Fade clock.Micros
	// Hold is a motion whose last key stays.
	Hold bool
	// Bones are those that it turns: bit b for bone b. The rest is at rest; in a motion
	// and in aiming it is left as it is.
	Bones uint32
	// HasTranslation reports whether Keys say Move.
	HasTranslation bool
	// Keys are 1 … MaxKeys. A gait's last is followed by its first.
	Keys []Key
}

// Key is the bones at one moment of a clip, each in its parent's space.
type Key struct {
	// Translation is where the bone Plan.TranslatedBone is.
	Translation geom.Vec3
	// Rotations are how the bones are turned, none more than 174° from its rest.
	Rotations [MaxBones]geom.Quat
}

// Bake makes the rig. It is an error that names what is wrong and where if the plan is
// past a limit. Turns are rounded to 1/32767 of each component and places to 0.1 mm, so
// Unpack gives the same rig.
func (p *Plan) Bake() (*Rig, error) {
	r := &Rig{translatedBone: p.TranslatedBone}
	r.bones = append(r.bones, p.Bones...)
	r.volumes = append(r.volumes, p.Volumes...)
	for i := range r.bones {
		r.bones[i].Rest = rounded(r.bones[i].Rest)
	}
	for i := range r.volumes {
		v := &r.volumes[i]
		v.At, v.Half, v.Radius = rounded(v.At), bits.SnapVec(v.Half, perMetre), roundedLength(v.Radius)
	}
	if err := r.checkBody(); err != nil {
		return nil, err
	}
	if len(p.Clips) > MaxClips {
		return nil, errors.New("rig: " + strconv.Itoa(len(p.Clips)) + " clips, more than " + strconv.Itoa(MaxClips))
	}
	for i := range p.Clips {
		r.clips = append(r.clips, p.Clips[i].bake(r))
	}
	if err := r.checkClips(); err != nil {
		return nil, err
	}
	r.derive()
	r.computeBounds()
	return r, nil
}

// derive works out what follows from bones, volumes and clips.
func (r *Rig) derive() {
	r.ends = make([]ends, len(r.volumes))
	for i := range r.volumes {
		r.ends[i] = r.volumes[i].ends()
	}
	r.assignSlots()
}

// rounded returns a place to the tenth of a millimetre and a turn of length 1.
func rounded(t geom.Transform) geom.Transform {
	return geom.Transform{Rotation: t.Rotation.Unit(), Translation: bits.SnapVec(t.Translation, perMetre)}
}

func roundedLength(x float64) float64 { return bits.SnapGrid(x, 0, MaxOffset, 1.0/perMetre) }

// quantiseRotation returns a turn in whole parts of one.
func quantiseRotation(q geom.Quat) [4]int16 {
	at := func(x float64) int16 { return int16(math.Floor(float64(geom.Clamp(x, -1, 1)*rotationOne) + 0.5)) }
	q = q.Unit()
	return [4]int16{at(q.X), at(q.Y), at(q.Z), at(q.W)}
}
