package rig

import (
	"errors"
	"math"
	"strconv"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// Limits of a rig, besides MaxBones and MaxHitboxes.
const (
	// The limits bound the size of a packed rig and the time of a pose: a rig may come from
	// a server.
	MaxClips = 48
	MaxKeys  = 64 // of one clip
	MaxName  = 40 // bytes
	// 3.2 m in steps of 0.1 mm is 32,000 steps: a coordinate of a key fits into 16 bits.
	MaxOffset   = 3.2               // m, of a bone from its parent and a hitbox from its bone, per axis
	MaxDuration = 30 * clock.Second // of a motion
	MaxCycles   = 4 * StrideWrap    // of a gait within StrideWrap metres
	// Keys are put on the side of the rest rotation so that their weighted sum never
	// cancels. At 180° the side is undefined; 174° leaves room for the rounding to 1/32767.
	minRestCosine = 0.05                // of half the largest rotation away from the rest pose: 174°
	perMetre      = 10_000              // steps of the grid of translations
	rotationOne   = math.MaxInt16 * 1.0 // the quantised value of a quaternion component of 1
)

// Plan is the source of a rig: read by level.ReadRig from a file, or filled in by a
// program.
type Plan struct {
	// Bones are 1 … MaxBones, each after its parent.
	Bones []Bone
	// Hitboxes are 1 … MaxHitboxes.
	Hitboxes []Hitbox
	// TranslatedBone is the index of the one bone that clips also translate, most often the
	// pelvis.
	TranslatedBone uint8
	// Clips are the animations: those with a name in ClipNames, and motions.
	Clips []Clip
}

// Clip is an animation: keys at equal intervals.
type Clip struct {
	// Name selects the use of the clip if it is one of ClipNames.
	Name string
	// Cycles is how often a gait repeats over StrideWrap metres, 1 … MaxCycles. In the
	// first half of a cycle the left foot carries the body, in the second half the right
	// one. Zero for any other clip.
	Cycles int
	// Motion is the value of Posture.Clip that plays the clip; 0 means none.
	Motion uint8
	// Duration of a motion is 1 ms … MaxDuration. Fade is how long it takes to blend in and
	// to blend out, at most half of Duration.
	Duration, Fade clock.Micros
	// Hold makes a motion stay at its last key.
	Hold bool
	// Bones has bit b set if the clip rotates bone b. The other bones keep their rest
	// rotation; in a motion and in aiming they keep what the other clips give.
	Bones uint32
	// HasTranslation reports whether Key.Translation is used.
	HasTranslation bool
	// Keys are 1 … MaxKeys. In a gait the first key follows the last one.
	Keys []Key
}

// Key is the bones at one moment of a clip, each in the space of its parent.
type Key struct {
	// Translation of the bone Plan.TranslatedBone.
	Translation geom.Vec3
	// Rotations of the bones, none more than 174° from the rest rotation.
	Rotations [MaxBones]geom.Quat
}

// Rigid returns a rig of hitboxes that no clip moves, fixed to one bone at the feet: hitboxes in code. A
// rotation that is zero is none. It panics with the error of a plan that exceeds a limit.
func Rigid(hitboxes ...Hitbox) *Rig {
	root := Bone{Name: "root", Parent: -1, Rest: geom.Transform{Rotation: geom.IdentityQuat}}
	p := Plan{Bones: []Bone{root}, Hitboxes: append([]Hitbox(nil), hitboxes...)}
	for i := range p.Hitboxes {
		if v := &p.Hitboxes[i]; v.At.Rotation == (geom.Quat{}) {
			v.At.Rotation = geom.IdentityQuat
		}
	}
	r, err := p.Bake()
	if err != nil {
		panic("rig: Rigid: " + err.Error())
	}
	return r
}

// Bake makes the rig. If the plan exceeds a limit, the error names the element and the
// problem. Rotations are rounded to 1/32767 per component and lengths to 0.1 mm, so Unpack
// gives the same rig.
//
// The plan is rounded before it is checked, because what is checked must be what Unpack
// will check again.
func (p *Plan) Bake() (*Rig, error) {
	r := &Rig{translatedBone: p.TranslatedBone}
	r.bones = append(r.bones, p.Bones...)
	r.hitboxes = append(r.hitboxes, p.Hitboxes...)
	for i := range r.bones {
		r.bones[i].Rest = rounded(r.bones[i].Rest)
	}
	for i := range r.hitboxes {
		v := &r.hitboxes[i]
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

// derive computes what follows from bones, hitboxes and clips.
func (r *Rig) derive() {
	r.listEnds()
	r.assignSlots()
}

// listEnds computes the ends of the hitboxes, so that Pose does not rotate them every time.
func (r *Rig) listEnds() {
	r.ends = make([]ends, len(r.hitboxes))
	for i := range r.hitboxes {
		r.ends[i] = r.hitboxes[i].ends()
	}
}

// rounded returns t with its translation rounded to 0.1 mm and a rotation of length 1.
func rounded(t geom.Transform) geom.Transform {
	return geom.Transform{Rotation: t.Rotation.Unit(), Translation: bits.SnapVec(t.Translation, perMetre)}
}

func roundedLength(x float64) float64 { return bits.SnapGrid(x, 0, MaxOffset, 1.0/perMetre) }

// quantiseRotation returns the components of a rotation in steps of 1/rotationOne.
//
// 16 bits for each component are an error of at most 0.05 mm at the end of a limb of one metre.
func quantiseRotation(q geom.Quat) [4]int16 {
	at := func(x float64) int16 { return int16(math.Floor(float64(geom.Clamp(x, -1, 1)*rotationOne) + 0.5)) }
	q = q.Unit()
	return [4]int16{at(q.X), at(q.Y), at(q.Z), at(q.W)}
}
