package humanoid

import (
	"fmt"

	"github.com/backstep-net/backstep/examples/arena/glb"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/qmuntal/gltf"
)

// fileWriter writes the figure.
type fileWriter struct{ glb.Writer }

// Build returns the humanoid as binary glTF: the same bytes every time.
func Build() ([]byte, error) {
	w := &fileWriter{glb.Writer{Doc: &gltf.Document{
		Asset:  gltf.Asset{Version: "2.0", Generator: "backstep examples/arena/humanoid"},
		Scene:  gltf.Index(0),
		Scenes: []*gltf.Scene{{Name: "Humanoid", Nodes: []int{pelvis}}},
		Materials: []*gltf.Material{{Name: "suit", PBRMetallicRoughness: &gltf.PBRMetallicRoughness{
			MetallicFactor: gltf.Float(0), RoughnessFactor: gltf.Float(0.75),
		}}},
	}}}
	w.skeleton()
	for _, p := range parts() {
		w.part(&p)
	}
	for _, a := range animations() {
		w.animation(&a)
	}
	b, err := w.Encode()
	if err != nil {
		return nil, fmt.Errorf("humanoid: %w", err)
	}
	return b, nil
}

// skeleton writes the bones (node i is bone i) as the joints of a skin without a mesh:
// every part is rigid on its bone.
func (w *fileWriter) skeleton() {
	skin := &gltf.Skin{Name: "skeleton", Skeleton: gltf.Index(pelvis)}
	for i, b := range skeleton {
		w.Doc.Nodes = append(w.Doc.Nodes, &gltf.Node{Name: "bone_" + b.name, Translation: glb.RoundVec(b.at)})
		if b.parent >= 0 {
			up := w.Doc.Nodes[b.parent]
			up.Children = append(up.Children, i)
		}
		skin.Joints = append(skin.Joints, i)
	}
	w.Doc.Skins = []*gltf.Skin{skin}
}

// hitboxExtras are a node's extras.backstep.hitbox; see docs/rig.md.
type hitboxExtras struct {
	Group  string      `json:"group"`
	Shape  string      `json:"shape"`
	Radius float64     `json:"radius,omitempty"`
	Length float64     `json:"length,omitempty"`
	Size   *[3]float64 `json:"size,omitempty"`
	Prop   int         `json:"prop,omitempty"`
}

func marksOf(p *part) hitboxExtras {
	m := hitboxExtras{Group: p.HitGroup.String(), Radius: p.Radius, Prop: int(p.Prop)}
	switch p.Shape {
	case rig.Ball:
		m.Shape = "ball"
	case rig.Capsule:
		m.Shape, m.Length = "capsule", glb.Round(2*(p.Half.Y+p.Radius))
	case rig.Box:
		size := glb.RoundVec(p.Half.Mul(2))
		m.Shape, m.Size = "box", &size
	}
	return m
}

// part writes a hitbox as a node on its bone, with a mesh of exactly its shape.
func (w *fileWriter) part(p *part) {
	n := &gltf.Node{
		Name: p.Name, Translation: glb.RoundVec(p.At.Translation), Mesh: gltf.Index(len(w.Doc.Meshes)),
		Extras: map[string]any{"backstep": map[string]any{"hitbox": marksOf(p)}},
	}
	if q := p.At.Rotation; q != geom.IdentityQuat {
		n.Rotation = glb.RoundQuat(q)
	}
	bone := w.Doc.Nodes[p.Bone]
	bone.Children = append(bone.Children, len(w.Doc.Nodes))
	w.Doc.Nodes = append(w.Doc.Nodes, n)
	s := p.skin()
	w.Doc.Meshes = append(w.Doc.Meshes, &gltf.Mesh{Name: p.Name, Primitives: []*gltf.Primitive{w.Triangles(s.vertices, s.indices, 0)}})
}

// animation writes a clip: rotations of its bones, and translations of the pelvis.
func (w *fileWriter) animation(a *animation) {
	out := &gltf.Animation{Name: a.name}
	if a.marks != (clipExtras{}) {
		out.Extras = map[string]any{"backstep": map[string]any{"clip": a.marks}}
	}
	n := len(a.keys)
	var seconds []float64
	for i := range a.keys {
		seconds = append(seconds, float64(i)/rate)
	}
	times := w.Numbers(gltf.AccessorScalar, n, seconds, true)
	list, shifts := a.bones, a.bones == nil
	if shifts {
		for b := range bones {
			list = append(list, b)
		}
	}
	for _, b := range list {
		var turns []float64
		for _, k := range a.keys {
			q := k.turns[b]
			turns = append(turns, q.X, q.Y, q.Z, q.W)
		}
		channel(out, times, w.Numbers(gltf.AccessorVec4, n, turns, false), b, gltf.TRSRotation)
		shifts = shifts || b == pelvis
	}
	if shifts {
		var moves []float64
		for _, k := range a.keys {
			moves = append(moves, k.move.X, k.move.Y, k.move.Z)
		}
		channel(out, times, w.Numbers(gltf.AccessorVec3, n, moves, false), pelvis, gltf.TRSTranslation)
	}
	w.Doc.Animations = append(w.Doc.Animations, out)
}

func channel(a *gltf.Animation, times, values, node int, path gltf.TRSProperty) {
	a.Channels = append(a.Channels, &gltf.AnimationChannel{Sampler: len(a.Samplers),
		Target: gltf.AnimationChannelTarget{Node: &node, Path: path}})
	a.Samplers = append(a.Samplers, &gltf.AnimationSampler{Input: times, Output: values})
}
