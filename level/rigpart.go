package level

import (
	"errors"
	"fmt"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
)

// rigExtras is the "backstep" object of a node's or an animation's extras in a rig.
type rigExtras struct {
	Hitbox *hitboxExtras // of a node
	Clip   *clipExtras   // of an animation
}

// hitboxExtras is extras.backstep.hitbox: a hitbox on a bone.
//
// A hitbox's node is most often an empty with the mesh of the limb beside it: the shape is
// said in words, because a mesh of a capsule is only nearly one.
type hitboxExtras struct {
	Group, Shape   string    // body, head, arm, …; ball, capsule or box
	Radius, Length float64   // m in the file's scale; Length of a capsule from end to end
	Size           []float64 // of a box along its axes, m
	Prop           int       // 0: always there; else the prop with which the hitbox comes, 1 … 8
}

// hitboxes reads the hitboxes, in the order of their nodes.
func (r *rigReader) hitboxes() error {
	for i := range r.Nodes {
		n := &r.Nodes[i]
		var m rigExtras
		err := readExtras(n.Extras, &m)
		if err == nil && m.Clip != nil {
			err = errors.New("extras.backstep.clip belongs to an animation")
		}
		if err == nil && m.Hitbox != nil {
			err = r.hitbox(i, m.Hitbox)
		}
		if err != nil {
			return r.nodeError(i, err)
		}
	}
	return nil
}

// hitbox adds the hitbox of node n, whose parent must be a bone: only bones have a pose.
func (r *rigReader) hitbox(n int, m *hitboxExtras) error {
	// A child of a child would be at rest where its parent is not.
	bone, ok := r.boneOf[r.parents[n]]
	if !ok {
		return errors.New("a hitbox that is not a child of a joint")
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
		return errors.New("a hitbox is scaled; say its size in extras.backstep.hitbox")
	}
	v := rig.Hitbox{Name: r.Nodes[n].Name, Bone: uint8(bone), At: geom.Transform{Rotation: turn, Translation: t.origin.Mul(r.scale)}}
	if err := m.fill(&v, r.scale); err != nil {
		return fmt.Errorf("extras.backstep.hitbox.%w", err)
	}
	r.plan.Hitboxes = append(r.plan.Hitboxes, v)
	return nil
}

// fill writes group, shape and size into v, in metres of the game: scale is that of the nodes above
// the root bone. A size that makes no hitbox is an error.
func (m *hitboxExtras) fill(v *rig.Hitbox, scale float64) error {
	for t := rig.NoHitGroup + 1; t < rig.HitGroups; t++ {
		if t.String() == m.Group {
			v.HitGroup = t
		}
	}
	switch {
	case v.HitGroup == rig.NoHitGroup:
		return fmt.Errorf("group is %s; must be body, head, arm, leg, shield, group6 or group7", quote(m.Group))
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
