package level

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
)

// rigDocument is the part of a glTF file that a rig needs beyond document.
type rigDocument struct {
	Skins      []struct{ Joints []int }
	Animations []animation
}

// rigReader reads a rig.
//
// A rig is read as the tool shows it: the transforms above the root bone, with which
// exporters turn Z up into Y up and centimetres into metres, are applied once and not kept.
type rigReader struct {
	*file
	rigDocument
	parents    []int // of each node, −1 for none
	bones      []int // the nodes that are bones, parents first
	boneOf     map[int]int
	scale      float64        // of the nodes above the root bone: file units to metres
	rootOffset geom.Transform // transform of the nodes above the root bone, without scale
	plan       rig.Plan       // what has been read so far
}

// ReadRig reads a rig from a binary glTF 2.0 file: the joints of its first skin are the
// bones, their child nodes with extras.backstep.hitbox the hitboxes, and its animations
// the clips. docs/rig.md describes the markup. A malformed file or a value beyond a limit
// is an error that names the node, animation, accessor or byte at fault. ReadRig does not
// keep b.
func ReadRig(b []byte) (*rig.Rig, error) {
	r, err := readRig(b)
	if err != nil {
		return nil, fmt.Errorf("level: %w", err)
	}
	return r, nil
}

// readRig is ReadRig without the name of the package in its errors.
func readRig(b []byte) (*rig.Rig, error) {
	f, err := open(b)
	if err != nil {
		return nil, err
	}
	text, _, err := split(b)
	if err != nil {
		return nil, err
	}
	r := &rigReader{file: f}
	// A second pass over the JSON, so that reading a level does not decode animations:
	// those of a level are ignored, and may be large.
	if err := json.Unmarshal(text, &r.rigDocument); err != nil {
		return nil, fmt.Errorf("JSON: %w", err)
	}
	for _, read := range []func() error{r.findParents, r.skeleton, r.hitboxes, r.clips} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return r.plan.Bake()
}

// findParents finds every node's parent and checks that no node is its own ancestor.
func (r *rigReader) findParents() error {
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
		// Every path upwards ends within MaxDepth, or is a cycle.
		for depth := 0; at >= 0; depth++ {
			if depth > MaxDepth {
				return fmt.Errorf("node %d %s: is nested deeper than %d, or its own ancestor", i, quote(r.Nodes[i].Name), MaxDepth)
			}
			at = r.parents[at]
		}
	}
	return nil
}

// skeleton reads the bones: the skin's joints in its order, except that parents come before
// their children.
func (r *rigReader) skeleton() error {
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
	// Skins list their joints in any order. Each round adds the bones whose parents are
	// known, in the order of the skin, so the numbers of bones are a function of the file.
	for len(r.bones) < len(joint) {
		before := len(r.bones)
		for _, n := range r.Skins[0].Joints {
			_, done := r.boneOf[n]
			_, ready := r.boneOf[r.parents[n]]
			if !done && (ready || !joint[r.parents[n]]) {
				if err := r.bone(n); err != nil {
					return r.nodeError(n, err)
				}
			}
		}
		// Parents that are joints of one another: findParents has excluded it, and the loop
		// must end all the same.
		if len(r.bones) == before {
			return errors.New("skin 0: its joints are no tree")
		}
	}
	return nil
}

// bone adds the bone of node n, whose parent bone has been added: a pose is computed in one pass
// over the bones, parents first.
func (r *rigReader) bone(n int) error {
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
	// rig has no scales: they would shear what is turned below, and hitboxes would not
	// be balls.
	if scale.Sub(geom.V(1, 1, 1)).Len() > 1e-3 {
		return errors.New("a bone is scaled; apply the scale in the tool it comes from")
	}
	rest := geom.Transform{Rotation: turn, Translation: t.origin}
	if parent < 0 {
		if rest, err = r.rootRest(n, rest); err != nil {
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

// rootRest returns the root bone's rest transform in the file's space, and stores the scale
// of the nodes above it, which must be uniform.
//
// A mirrored or uneven one has no equal among rotations: left hands would be right ones.
func (r *rigReader) rootRest(n int, rest geom.Transform) (geom.Transform, error) {
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
	r.scale, r.rootOffset = scale.X, geom.Transform{Rotation: turn, Translation: t.origin}
	return geom.Transform{Rotation: turn.Mul(rest.Rotation), Translation: t.point(rest.Translation)}, nil
}

// offsetAbove returns the transform between a bone and its parent bone: the identity except
// for the root.
func (r *rigReader) offsetAbove(bone int) geom.Transform {
	if bone == 0 {
		return r.rootOffset
	}
	return geom.Transform{Rotation: geom.IdentityQuat}
}

// world returns the transform of a node in the file's space; −1 is the file's root.
func (r *rigReader) world(n int) (affine, error) {
	out := identity
	for ; n >= 0; n = r.parents[n] {
		t, err := r.Nodes[n].transform()
		if err != nil {
			return out, r.nodeError(n, err)
		}
		out = t.times(out)
	}
	return out, nil
}
