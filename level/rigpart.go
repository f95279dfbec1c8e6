package level

import (
	"errors"
	"fmt"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
)

// rigExtras is the "backstep" object of a node's or an animation's extras in a rig.
type rigExtras struct {
	Part *partExtras // of a node
	Clip *clipExtras // of an animation
}

// partExtras is extras.backstep.part: a hit volume on a bone.
//
// A part's node is most often an empty with the mesh of the limb beside it: the shape is
// said in words, because a mesh of a capsule is only nearly one.
type partExtras struct {
	Tag, Shape     string    // body, head, arm, …; ball, capsule or box
	Radius, Length float64   // m in the file's scale; Length of a capsule from end to end
	Size           []float64 // of a box along its axes, m
	Prop           int       // 0: always there; else the prop with which the part comes, 1 … 8
}

// parts reads the hit volumes, in the order of their nodes.
func (r *rigReader) parts() error {
	for i := range r.Nodes {
		n := &r.Nodes[i]
		var m rigExtras
		err := readExtras(n.Extras, &m)
		if err == nil && m.Clip != nil {
			err = errors.New("extras.backstep.clip belongs to an animation")
		}
		if err == nil && m.Part != nil {
			err = r.part(i, m.Part)
		}
		if err != nil {
			return r.nodeError(i, err)
		}
	}
	return nil
}

// part adds the hit volume of node n, whose parent must be a bone: only bones have a pose.
func (r *rigReader) part(n int, m *partExtras) error {
	// A child of a child would be at rest where its parent is not.
	bone, ok := r.boneOf[r.parents[n]]
	if !ok {
		return errors.New("a part that is not a child of a joint")
	}
	t, err := r.Nodes[n].transform()
	if err != nil {
		return err
	}
	turn, scale, err := t.rigid()
	if err != nil {
		return err
	}
	if scale.Sub(geom.V(1, 1, 1)).Len() > 1e-3 {
		return errors.New("a part is scaled; say its size in extras.backstep.part")
	}
	v := rig.Volume{Name: r.Nodes[n].Name, Bone: uint8(bone), At: geom.Transform{Rotation: turn, Translation: t.origin.Mul(r.scale)}}
	if err := m.fill(&v, r.scale); err != nil {
		return fmt.Errorf("extras.backstep.part.%w", err)
	}
	r.plan.Volumes = append(r.plan.Volumes, v)
	return nil
}

// fill writes tag, shape and size into v, in metres of the game: scale is that of the nodes above
// the root bone. A size that makes no volume is an error.
func (m *partExtras) fill(v *rig.Volume, scale float64) error {
	for t := rig.NoTag + 1; t < rig.Tags; t++ {
		if t.String() == m.Tag {
			v.Tag = t
		}
	}
	switch {
	case v.Tag == rig.NoTag:
		return fmt.Errorf("tag is %s; must be body, head, arm, leg, shield, tag6 or tag7", quote(m.Tag))
	case m.Prop < 0 || m.Prop > 8:
		return fmt.Errorf("prop is %d; must be 0 … 8", m.Prop)
	case m.Shape != "box" && !(m.Radius > 0):
		return fmt.Errorf("radius is %g; must be above 0", m.Radius)
	}
	v.Prop, v.Radius = uint8(m.Prop), float64(m.Radius*scale)
	switch m.Shape {
	case "ball": // the zero Shape
	case "capsule":
		if !(m.Length >= 2*m.Radius) {
			return fmt.Errorf("length is %g; must be from end to end, at least twice the radius", m.Length)
		}
		v.Half.Y = float64((float64(0.5*m.Length) - m.Radius) * scale)
		v.Shape = rig.Capsule
	case "box":
		if len(m.Size) != 3 {
			return fmt.Errorf("size has %d numbers; must be 3", len(m.Size))
		}
		v.Half = geom.V(m.Size[0], m.Size[1], m.Size[2]).Mul(float64(0.5 * scale))
		v.Shape, v.Radius = rig.Box, 0
	default:
		return fmt.Errorf("shape is %s; must be ball, capsule or box", quote(m.Shape))
	}
	return nil
}
