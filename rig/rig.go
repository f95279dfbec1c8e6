package rig

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// Rig is a kind of body: bones, clips and volumes. It does not change once made, and any
// number of figures may be posed by it at once. The space of a figure has its feet in the
// origin, +Y up, and faces −Z. Plan.Bake, Unpack and Plain make one.
type Rig struct {
	bones          []Bone
	volumes        []Volume
	crouched       []Volume // in place of volumes from half a crouch on; nil: the same
	ends           []ends   // of each volume, in its bone's space
	translatedBone uint8    // the bone that clips shift
	clips          []clip
	slots          [slots]*clip // which of the clips does what
	motions        [256]*clip   // which plays by each Posture.Clip
	// centre is how high above the feet the middle of a ball is, and radius how large it
	// is, that no pose leaves.
	centre, radius float64
}

// Bone is one of a rig's bones.
type Bone struct {
	Name string // at most MaxName bytes
	// Parent is the number of the bone that carries it, lower than its own; −1 for the
	// first bone alone.
	Parent int8
	// Rest is where it is in its parent's space while no clip moves it.
	Rest geom.Transform
}

// Bones are the rig's bones, as Figure.Bones has them. They are not to be changed. The
// Plain rig has none.
func (r *Rig) Bones() []Bone { return r.bones }

// Volumes are the parts: part p is element p−1. They are not to be changed.
func (r *Rig) Volumes() []Volume { return r.volumes }

// Tag returns what a part counts as, NoTag for one that the rig does not have.
func (r *Rig) Tag(p Part) Tag {
	if p == 0 || int(p) > len(r.volumes) {
		return NoTag
	}
	return r.volumes[p-1].Tag
}

// Motion returns the number by which Posture.Clip plays the clip of that name, 0 where
// the rig has no such motion.
func (r *Rig) Motion(name string) uint8 {
	for i := range r.clips {
		if r.clips[i].name == name {
			return r.clips[i].motion
		}
	}
	return 0
}

// Bounds returns a ball that no pose leaves: how high its middle is above the feet, and its
// radius, in metres.
func (r *Rig) Bounds() (height, radius float64) { return r.centre, r.radius }

// Figure is a rig in a pose. Make it once and Pose it again and again: nothing is allocated.
type Figure struct {
	// Bones are where the rig's bones are in the figure's space.
	Bones [MaxBones]geom.Transform
	// Solids are the volumes that are there, and Parts which they are, as many as Count.
	Solids [MaxParts]Solid
	Parts  [MaxParts]Part
	Count  int
}

// Pose poses the figure: the same bits on every processor. What a posture says beyond its
// ranges counts as the nearest within them, and what is no number as zero.
func (f *Figure) Pose(r *Rig, p *Posture) {
	if len(r.bones) == 0 {
		f.poseDefault(r, p)
		return
	}
	var m mix
	m.setWeights(r, p)
	m.blend()
	f.placeBones(r, &m)
	f.placeVolumes(r, p.Props)
}

// poseDefault poses a rig without bones.
func (f *Figure) poseDefault(r *Rig, p *Posture) {
	f.Count = 0
	f.Bones[0] = geom.Transform{Rotation: geom.IdentityQuat}
	volumes := r.volumes
	if r.crouched != nil && p.Crouch >= 0.5 {
		volumes = r.crouched
	}
	for i := range volumes {
		v := &volumes[i]
		if v.Prop != 0 && p.Props>>(v.Prop-1)&1 == 0 {
			continue
		}
		f.Solids[f.Count] = v.solidAt(f.Bones[v.Bone])
		f.Parts[f.Count] = Part(i + 1)
		f.Count++
	}
}

// placeBones hangs every bone on its parent.
func (f *Figure) placeBones(r *Rig, m *mix) {
	for b := range r.bones {
		turn := m.rotations[b].Unit()
		move := r.bones[b].Rest.Translation
		if b == int(r.translatedBone) {
			move = m.translation
		}
		if up := r.bones[b].Parent; up >= 0 {
			parent := &f.Bones[up]
			turn, move = parent.Rotation.Mul(turn), parent.Apply(move)
		}
		f.Bones[b] = geom.Transform{Rotation: turn, Translation: move}
	}
}

// placeVolumes puts the volumes that are there on their bones.
func (f *Figure) placeVolumes(r *Rig, props uint8) {
	n := 0
	for i := range r.volumes {
		v := &r.volumes[i]
		if v.Prop != 0 && props>>(v.Prop-1)&1 == 0 {
			continue
		}
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
		f.Parts[n] = Part(i + 1)
		n++
	}
	f.Count = n
}

// clampToBounds returns p, or where a ball of that size there would be partly outside the rig's
// ball the nearest place where it is not. Bake makes the rig's ball so large that this
// never happens in a pose that it tried; it makes sure of those that it did not.
func (r *Rig) clampToBounds(p geom.Vec3, size float64) geom.Vec3 {
	rel := geom.Vec3{X: p.X, Y: p.Y - r.centre, Z: p.Z}
	room := max(r.radius-size, 0)
	l := rel.LenSq()
	if l <= float64(room*room) {
		return p
	}
	rel = rel.Mul(room / math.Sqrt(l))
	return geom.Vec3{X: rel.X, Y: rel.Y + r.centre, Z: rel.Z}
}

// clampBoxToBounds is within for a box around p. How far its farthest corner is is a convex
// function of how far p is, so what is drawn back in proportion is inside.
func (r *Rig) clampBoxToBounds(p geom.Vec3, turn geom.Quat, half geom.Vec3) geom.Vec3 {
	rel := geom.Vec3{X: p.X, Y: p.Y - r.centre, Z: p.Z}
	own := turn.Inverse().Rotate(rel)
	far := own.Max(own.Neg()).Add(half).LenSq()
	if far <= float64(r.radius*r.radius) {
		return p
	}
	size, share := half.Len(), 0.0
	if far := math.Sqrt(far); far > size {
		share = max(r.radius-size, 0) / (far - size)
	}
	rel = rel.Mul(share)
	return geom.Vec3{X: rel.X, Y: rel.Y + r.centre, Z: rel.Z}
}

// ends are a ball's or a box's middle, or the two ends of a capsule's axis, in the space of
// the volume's bone.
type ends struct{ a, b geom.Vec3 }
