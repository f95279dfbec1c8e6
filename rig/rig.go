package rig

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// Rig describes one kind of body: bones, clips and hitboxes. It is immutable, so any number
// of figures can be posed from it at once. The space of a figure has its origin at the
// feet, +Y up, and the figure faces −Z. Plan.Bake, Unpack and DefaultRig make one.
//
// A rig must give the same bits on the server, which judges hits, and in the browser, which
// draws. So it is baked to integers and tables once, and posing uses square roots, which are exact
// everywhere, and no trigonometry.
type Rig struct {
	bones          []Bone
	hitboxes       []Hitbox
	crouched       *Rig   // poses instead from half a crouch on; only DefaultRig has one
	ends           []ends // of each hitbox, in the space of its bone
	translatedBone uint8  // the bone that clips also translate
	clips          []clip
	slots          [slots]*clip // the clip of each slot
	// An array over all values of a byte: a number without a clip, from a newer server for
	// example, is nil and plays nothing.
	motions [256]*clip // by Posture.Clip
	// centre is the height above the feet of the middle of the bounding sphere, radius its
	// size: no pose leaves it.
	centre, radius float64
}

// Bone is one bone of a rig.
type Bone struct {
	Name string // at most MaxName bytes
	// Parent is the index of the parent bone, which is lower than its own. The first bone,
	// and only that one, has −1.
	Parent int8
	// Rest is the bone in the space of its parent while no clip moves it.
	Rest geom.Transform
}

// Bones returns the bones in the order of PosedRig.Bones. The slice must not be changed.
// DefaultRig has no bones.
func (r *Rig) Bones() []Bone { return r.bones }

// Hitboxes returns the hitboxes: that of HitboxID n is element n−1. The slice must not be changed.
func (r *Rig) Hitboxes() []Hitbox { return r.hitboxes }

// HitGroup returns the group of a hitbox, NoHitGroup for one that the rig does not have.
func (r *Rig) HitGroup(id HitboxID) HitGroup {
	if id == 0 || int(id) > len(r.hitboxes) {
		return NoHitGroup
	}
	return r.hitboxes[id-1].HitGroup
}

// Motion returns the value of Posture.Clip that plays the named clip, 0 if the rig has no
// motion of that name.
func (r *Rig) Motion(name string) uint8 {
	for i := range r.clips {
		if r.clips[i].name == name {
			return r.clips[i].motion
		}
	}
	return 0
}

// Bounds returns a sphere that no pose leaves: the height of its middle above the feet, and
// its radius, in metres.
//
// Rays and relevance are tested against the sphere before a figure is posed, so it must
// hold for every posture that a packet can contain.
func (r *Rig) Bounds() (height, radius float64) { return r.centre, r.radius }

// PosedRig is a rig in a pose. Reuse one PosedRig for many calls of Pose: nothing is allocated.
//
// It is arrays and no slices: a history of figures is one allocation, and a pose none.
type PosedRig struct {
	// Bones are the bones of the rig in the space of the figure.
	Bones [MaxBones]geom.Transform
	// Solids are the hitboxes that are present, Hitboxes their numbers, Count how many
	// there are.
	Solids   [MaxHitboxes]Solid
	Hitboxes [MaxHitboxes]HitboxID
	Count    int
}

// Pose computes the figure: the same bits on every processor. A field of the posture that
// is out of range counts as the nearest value in range, NaN as zero.
func (f *PosedRig) Pose(r *Rig, p *Posture) {
	if r.crouched != nil && p.Crouch >= 0.5 {
		r = r.crouched
	}
	if len(r.bones) > 0 {
		// Weights first, then all rotations, then the bones from the root outwards: each
		// stage reads only what the one before wrote.
		var m mix
		m.setWeights(r, p)
		m.blend()
		f.placeBones(r, &m)
	} else {
		f.Bones[0] = geom.Transform{Rotation: geom.IdentityQuat}
	}
	f.placeHitboxes(r, p.Props)
}

// placeBones computes every bone from its parent.
func (f *PosedRig) placeBones(r *Rig, m *mix) {
	for b := range r.bones {
		// A weighted sum of quaternions is shorter than 1; normalising it is what makes it
		// a blend (nlerp). Against slerp the error is in the speed along the arc and not in
		// the arc, and no trigonometry is needed.
		rotation := m.rotations[b].Unit()
		translation := r.bones[b].Rest.Translation
		if b == int(r.translatedBone) {
			translation = m.translation
		}
		if p := r.bones[b].Parent; p >= 0 {
			parent := &f.Bones[p]
			rotation, translation = parent.Rotation.Mul(rotation), parent.Apply(translation)
		}
		f.Bones[b] = geom.Transform{Rotation: rotation, Translation: translation}
	}
}

// placeHitboxes puts the hitboxes that are present on their bones.
func (f *PosedRig) placeHitboxes(r *Rig, props uint8) {
	n := 0
	for i := range r.hitboxes {
		v := &r.hitboxes[i]
		if v.Prop != 0 && props>>(v.Prop-1)&1 == 0 {
			continue
		}
		// The loop is written out for each shape: this is the hottest code of a shot in a
		// crowd.
		e, bone, s := &r.ends[i], &f.Bones[v.Bone], &f.Solids[n]
		s.Shape, s.Radius, s.Half, s.Rotation = v.Shape, v.Radius, v.Half, bone.Rotation
		switch v.Shape {
		case Ball:
			s.A = r.clampToBounds(bone.Apply(e.a), v.Radius)
			s.B = s.A
		case Capsule:
			s.A = r.clampToBounds(bone.Apply(e.a), v.Radius)
			s.B = r.clampToBounds(bone.Apply(e.b), v.Radius)
		case Box:
			s.Rotation = bone.Rotation.Mul(v.At.Rotation)
			s.A = r.clampBoxToBounds(bone.Apply(e.a), s.Rotation, v.Half)
			s.B = s.A
		}
		f.Hitboxes[n] = HitboxID(i + 1)
		n++
	}
	f.Count = n
}

// clampToBounds returns p, or, where a sphere of that size at p would leave the bounding
// sphere, the nearest point where it does not. Bake makes the bounding sphere large enough
// that this changes no pose that it tried; the clamp guarantees the bound for all others.
//
// Without the clamp, a posture that Bake did not try could put a hand outside the sphere,
// and a shot at that hand would be dismissed by the broad phase.
func (r *Rig) clampToBounds(p geom.Vec3, size float64) geom.Vec3 {
	rel := geom.Vec3{X: p.X, Y: p.Y - r.centre, Z: p.Z}
	limit := max(r.radius-size, 0)
	l := rel.LenSq()
	if l <= float64(limit*limit) {
		return p
	}
	rel = rel.Mul(limit / math.Sqrt(l))
	return geom.Vec3{X: rel.X, Y: rel.Y + r.centre, Z: rel.Z}
}

// clampBoxToBounds is clampToBounds for a box around p. The distance of its farthest corner
// is a convex function of the distance of p, so a position scaled back in proportion is
// inside.
func (r *Rig) clampBoxToBounds(p geom.Vec3, turn geom.Quat, half geom.Vec3) geom.Vec3 {
	rel := geom.Vec3{X: p.X, Y: p.Y - r.centre, Z: p.Z}
	own := turn.Inverse().Rotate(rel)
	far := own.Max(own.Neg()).Add(half).LenSq()
	if far <= float64(r.radius*r.radius) {
		return p
	}
	size, share := half.Len(), 0.0
	// A box that is larger than the sphere is put in the middle; it is the only place that
	// is not worse than another.
	if far := math.Sqrt(far); far > size {
		share = max(r.radius-size, 0) / (far - size)
	}
	rel = rel.Mul(share)
	return geom.Vec3{X: rel.X, Y: rel.Y + r.centre, Z: rel.Z}
}

// ends are the centre of a ball or box (twice), or the two ends of the axis of a capsule,
// in the space of the bone of the hitbox.
type ends struct{ a, b geom.Vec3 }
