package level

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
)

// limbs is what a rig needs of a glTF file beside what a level does.
type limbs struct {
	Skins      []struct{ Joints []int }
	Animations []animation
}

// rigging is a rig being read.
type rigging struct {
	*file
	limbs
	parents []int // of each node, −1 for none
	bones   []int // the nodes that are bones, parents first
	boneOf  map[int]int
	scale   float64        // of what is above the bones
	stand   geom.Transform // where that puts the first bone
	plan    rig.Plan
}

// ReadRig reads a rig out of a binary glTF 2.0 file: the joints of its first skin are the
// bones, nodes with extras.backstep.part below them the volumes, and animations the clips.
// docs/rig.md says how a file is marked up. Whatever is malformed or past a limit is an
// error that names the node, animation, accessor or byte at fault. It does not keep b.
func ReadRig(b []byte) (*rig.Rig, error) {
	r, err := readRig(b)
	if err != nil {
		return nil, fmt.Errorf("level: %w", err)
	}
	return r, nil
}

func readRig(b []byte) (*rig.Rig, error) {
	f, err := open(b)
	if err != nil {
		return nil, err
	}
	text, _, err := split(b)
	if err != nil {
		return nil, err
	}
	r := &rigging{file: f}
	if err := json.Unmarshal(text, &r.limbs); err != nil {
		return nil, fmt.Errorf("JSON: %w", err)
	}
	for _, read := range []func() error{r.family, r.skeleton, r.parts, r.clips} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return r.plan.Bake()
}

// family finds every node's parent, and that no node is its own ancestor.
func (r *rigging) family() error {
	r.parents = make([]int, len(r.Nodes))
	for i := range r.parents {
		r.parents[i] = -1
	}
	for i := range r.Nodes {
		for _, c := range r.Nodes[i].Children {
			if c < 0 || c >= len(r.Nodes) {
				return fmt.Errorf("node %d %s: child %d does not exist", i, quote(r.Nodes[i].Name), c)
			}
			if r.parents[c] >= 0 {
				return fmt.Errorf("node %d %s: has two parents", c, quote(r.Nodes[c].Name))
			}
			r.parents[c] = i
		}
	}
	for i := range r.Nodes {
		at := i
		for depth := 0; at >= 0; depth++ {
			if depth > MaxDepth {
				return fmt.Errorf("node %d %s: is nested deeper than %d, or its own ancestor", i, quote(r.Nodes[i].Name), MaxDepth)
			}
			at = r.parents[at]
		}
	}
	return nil
}

// skeleton reads the bones: the skin's joints in its order, but for parents that come
// after their children.
func (r *rigging) skeleton() error {
	if len(r.Skins) == 0 {
		return errors.New("no skin: the joints of a skin are the bones")
	}
	joint := make(map[int]bool)
	for _, n := range r.Skins[0].Joints {
		if n < 0 || n >= len(r.Nodes) {
			return fmt.Errorf("skin 0: joint %d is no node", n)
		}
		if joint[n] {
			return fmt.Errorf("skin 0: joint %d is there twice", n)
		}
		joint[n] = true
	}
	if len(joint) > rig.MaxBones {
		return fmt.Errorf("skin 0: %d joints, more than %d", len(joint), rig.MaxBones)
	}
	r.boneOf = make(map[int]int)
	for len(r.bones) < len(joint) {
		before := len(r.bones)
		for _, n := range r.Skins[0].Joints {
			_, done := r.boneOf[n]
			_, ready := r.boneOf[r.parents[n]]
			if !done && (ready || !joint[r.parents[n]]) {
				if err := r.bone(n); err != nil {
					return fmt.Errorf("node %d %s: %w", n, quote(r.Nodes[n].Name), err)
				}
			}
		}
		if len(r.bones) == before {
			return errors.New("skin 0: its joints are no tree")
		}
	}
	return nil
}

// bone adds the bone of node n.
func (r *rigging) bone(n int) error {
	t, err := r.Nodes[n].transform()
	if err != nil {
		return err
	}
	parent, ok := r.boneOf[r.parents[n]]
	if !ok {
		if parent = -1; len(r.bones) > 0 {
			return errors.New("is a second joint whose parent is none; a rig has one root")
		}
		r.scale = 1
	}
	turn, scale, err := t.rigid()
	if err != nil {
		return err
	}
	if scale.Sub(geom.V(1, 1, 1)).Len() > 1e-3 {
		return errors.New("a bone is scaled; apply the scale in the tool it comes from")
	}
	rest := geom.Transform{Rotation: turn, Translation: t.origin}
	if parent < 0 {
		if rest, err = r.above(n, rest); err != nil {
			return err
		}
	} else {
		rest.Translation = rest.Translation.Mul(r.scale)
	}
	r.boneOf[n] = len(r.bones)
	r.bones = append(r.bones, n)
	r.plan.Bones = append(r.plan.Bones, rig.Bone{Name: r.Nodes[n].Name, Parent: int8(parent), Rest: rest})
	return nil
}

// above returns where the first bone is in the file's space, and remembers the scale of
// what it stands in, which must be even.
func (r *rigging) above(n int, rest geom.Transform) (geom.Transform, error) {
	t, err := r.world(r.parents[n])
	if err != nil {
		return rest, err
	}
	turn, scale, err := t.rigid()
	if err != nil {
		return rest, err
	}
	if math.Abs(scale.X-scale.Y) > 1e-3*scale.X || math.Abs(scale.X-scale.Z) > 1e-3*scale.X || t.mirrored() {
		return rest, errors.New("what it stands in is scaled unevenly or mirrored")
	}
	r.scale, r.stand = scale.X, geom.Transform{Rotation: turn, Translation: t.origin}
	return geom.Transform{Rotation: turn.Mul(rest.Rotation), Translation: t.point(rest.Translation)}, nil
}

// stands returns what the parent of a bone is turned and moved by beyond its own bone:
// nothing, but for the first.
func (r *rigging) stands(bone int) geom.Transform {
	if bone == 0 {
		return r.stand
	}
	return geom.Transform{Rotation: geom.IdentityQuat}
}

// world returns where a node is in the file's space; −1 is the file itself.
func (r *rigging) world(n int) (affine, error) {
	out := identity
	for ; n >= 0; n = r.parents[n] {
		t, err := r.Nodes[n].transform()
		if err != nil {
			return out, fmt.Errorf("node %d %s: %w", n, quote(r.Nodes[n].Name), err)
		}
		out = t.times(out)
	}
	return out, nil
}
