package rig

import "github.com/backstep-net/backstep/geom"

// Rig is a kind of body: bones, clips and volumes. It does not change once made, and any
// number of figures may be posed by it at once. The space of a figure has its feet in the
// origin, +Y up, and faces −Z.
type Rig struct {
	volumes []Volume
	low     []Volume // in place of volumes from half a crouch on; nil: the same
	// centre is how high above the feet the middle of a ball is, and radius how large it
	// is, that no pose leaves.
	centre, radius float64
}

// Volumes are the parts: part p is element p−1. They are not to be changed.
func (r *Rig) Volumes() []Volume { return r.volumes }

// Tag returns what a part counts as, NoTag for one that the rig does not have.
func (r *Rig) Tag(p Part) Tag {
	if p == 0 || int(p) > len(r.volumes) {
		return NoTag
	}
	return r.volumes[p-1].Tag
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

// Pose poses the figure.
func (f *Figure) Pose(r *Rig, p *Posture) {
	f.Count = 0
	f.Bones[0] = geom.Transform{Turn: geom.NoTurn}
	volumes := r.volumes
	if r.low != nil && p.Crouch >= 0.5 {
		volumes = r.low
	}
	for i := range volumes {
		v := &volumes[i]
		if v.Prop != 0 && p.Props>>(v.Prop-1)&1 == 0 {
			continue
		}
		f.Solids[f.Count] = v.solid(f.Bones[v.Bone])
		f.Parts[f.Count] = Part(i + 1)
		f.Count++
	}
}
