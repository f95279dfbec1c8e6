package humanoid

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/qmuntal/gltf"
)

// glbWriter writes a glTF document and its one buffer.
type glbWriter struct {
	doc   *gltf.Document
	bytes []byte
}

// Build returns the humanoid as binary glTF: the same bytes every time.
func Build() ([]byte, error) {
	w := &glbWriter{doc: &gltf.Document{
		Asset:  gltf.Asset{Version: "2.0", Generator: "backstep examples/arena/humanoid"},
		Scene:  gltf.Index(0),
		Scenes: []*gltf.Scene{{Name: "Humanoid", Nodes: []int{pelvis}}},
		Materials: []*gltf.Material{{Name: "suit", PBRMetallicRoughness: &gltf.PBRMetallicRoughness{
			MetallicFactor: gltf.Float(0), RoughnessFactor: gltf.Float(0.75),
		}}},
	}}
	w.skeleton()
	for _, p := range parts() {
		w.part(&p)
	}
	for _, a := range animations() {
		w.animation(&a)
	}
	w.doc.Buffers = []*gltf.Buffer{{ByteLength: len(w.bytes), Data: w.bytes}}
	var out bytes.Buffer
	if err := gltf.NewEncoder(&out).Encode(w.doc); err != nil {
		return nil, fmt.Errorf("humanoid: %w", err)
	}
	return out.Bytes(), nil
}

// skeleton writes the bones (node i is bone i) as the joints of a skin without a mesh:
// every part is rigid on its bone.
func (w *glbWriter) skeleton() {
	skin := &gltf.Skin{Name: "skeleton", Skeleton: gltf.Index(pelvis)}
	for i, b := range skeleton {
		w.doc.Nodes = append(w.doc.Nodes, &gltf.Node{Name: "bone_" + b.name, Translation: tidy(b.at)})
		if b.parent >= 0 {
			up := w.doc.Nodes[b.parent]
			up.Children = append(up.Children, i)
		}
		skin.Joints = append(skin.Joints, i)
	}
	w.doc.Skins = []*gltf.Skin{skin}
}

// partExtras are a node's extras.backstep.part; see docs/rig.md.
type partExtras struct {
	Tag    string      `json:"tag"`
	Shape  string      `json:"shape"`
	Radius float64     `json:"radius,omitempty"`
	Length float64     `json:"length,omitempty"`
	Size   *[3]float64 `json:"size,omitempty"`
	Prop   int         `json:"prop,omitempty"`
}

func marksOf(p *part) partExtras {
	m := partExtras{Tag: p.Tag.String(), Radius: p.Radius, Prop: int(p.Prop)}
	switch p.Shape {
	case rig.Ball:
		m.Shape = "ball"
	case rig.Capsule:
		m.Shape, m.Length = "capsule", round(2*(p.Half.Y+p.Radius))
	case rig.Box:
		size := tidy(p.Half.Mul(2))
		m.Shape, m.Size = "box", &size
	}
	return m
}

// part writes a hit volume as a node on its bone, with a mesh of exactly its shape.
func (w *glbWriter) part(p *part) {
	n := &gltf.Node{
		Name: p.Name, Translation: tidy(p.At.Translation), Mesh: gltf.Index(len(w.doc.Meshes)),
		Extras: map[string]any{"backstep": map[string]any{"part": marksOf(p)}},
	}
	if q := p.At.Rotation; q != geom.IdentityQuat {
		n.Rotation = [4]float64{round(q.X), round(q.Y), round(q.Z), round(q.W)}
	}
	bone := w.doc.Nodes[p.Bone]
	bone.Children = append(bone.Children, len(w.doc.Nodes))
	w.doc.Nodes = append(w.doc.Nodes, n)
	w.doc.Meshes = append(w.doc.Meshes, &gltf.Mesh{Name: p.Name, Primitives: []*gltf.Primitive{w.primitive(p.skin())}})
}

// primitive writes a skin's vertices interleaved, 32 bytes each: position and normal as
// floats, colour as four normalized 16-bit numbers.
func (w *glbWriter) primitive(s *skin) *gltf.Primitive {
	box, start := geom.EmptyAABB(), len(w.bytes)
	for _, v := range s.vertices {
		box = box.Include(v.position)
		w.floats(v.position.X, v.position.Y, v.position.Z, v.normal.X, v.normal.Y, v.normal.Z)
		for _, c := range []float64{v.colour.X, v.colour.Y, v.colour.Z, 1} {
			w.bytes = binary.LittleEndian.AppendUint16(w.bytes, uint16(math.Round(c*65535)))
		}
	}
	view := w.view(start, 32, gltf.TargetArrayBuffer)
	n := len(s.vertices)
	attributes := gltf.PrimitiveAttributes{
		"POSITION": w.accessor(&gltf.Accessor{BufferView: &view, Count: n, Type: gltf.AccessorVec3,
			Min: single(box.Min.X, box.Min.Y, box.Min.Z), Max: single(box.Max.X, box.Max.Y, box.Max.Z)}),
		"NORMAL": w.accessor(&gltf.Accessor{BufferView: &view, ByteOffset: 12, Count: n, Type: gltf.AccessorVec3}),
		"COLOR_0": w.accessor(&gltf.Accessor{BufferView: &view, ByteOffset: 24, Count: n, Type: gltf.AccessorVec4,
			ComponentType: gltf.ComponentUshort, Normalized: true}),
	}
	start = len(w.bytes)
	for _, i := range s.indices {
		w.bytes = binary.LittleEndian.AppendUint16(w.bytes, i)
	}
	order := w.view(start, 0, gltf.TargetElementArrayBuffer)
	indices := w.accessor(&gltf.Accessor{BufferView: &order, Count: len(s.indices),
		Type: gltf.AccessorScalar, ComponentType: gltf.ComponentUshort})
	return &gltf.Primitive{Attributes: attributes, Indices: &indices, Material: gltf.Index(0)}
}

// animation writes a clip: rotations of its bones, and translations of the pelvis.
func (w *glbWriter) animation(a *animation) {
	out := &gltf.Animation{Name: a.name}
	if a.marks != (clipExtras{}) {
		out.Extras = map[string]any{"backstep": map[string]any{"clip": a.marks}}
	}
	start := len(w.bytes)
	for i := range a.keys {
		w.floats(float64(i) / rate)
	}
	last := float64(len(a.keys)-1) / rate
	times := w.numbers(start, gltf.AccessorScalar, len(a.keys), single(0), single(last))
	list, shifts := a.bones, a.bones == nil
	if shifts {
		for b := range bones {
			list = append(list, b)
		}
	}
	for _, b := range list {
		start := len(w.bytes)
		for _, k := range a.keys {
			q := k.turns[b]
			w.floats(q.X, q.Y, q.Z, q.W)
		}
		channel(out, times, w.numbers(start, gltf.AccessorVec4, len(a.keys), nil, nil), b, gltf.TRSRotation)
		shifts = shifts || b == pelvis
	}
	if shifts {
		start := len(w.bytes)
		for _, k := range a.keys {
			w.floats(k.move.X, k.move.Y, k.move.Z)
		}
		channel(out, times, w.numbers(start, gltf.AccessorVec3, len(a.keys), nil, nil), pelvis, gltf.TRSTranslation)
	}
	w.doc.Animations = append(w.doc.Animations, out)
}

func channel(a *gltf.Animation, times, values, node int, path gltf.TRSProperty) {
	a.Channels = append(a.Channels, &gltf.AnimationChannel{Sampler: len(a.Samplers),
		Target: gltf.AnimationChannelTarget{Node: &node, Path: path}})
	a.Samplers = append(a.Samplers, &gltf.AnimationSampler{Input: times, Output: values})
}

// numbers writes an accessor over the floats since start.
func (w *glbWriter) numbers(start int, kind gltf.AccessorType, count int, lo, hi []float64) int {
	view := w.view(start, 0, gltf.TargetNone)
	return w.accessor(&gltf.Accessor{BufferView: &view, Count: count, Type: kind, Min: lo, Max: hi})
}

// round rounds to 9 decimals, so that rounding errors do not show in the file, and turns −0
// into 0.
func round(x float64) float64 { return math.Round(x*1e9)/1e9 + 0 }

func tidy(v geom.Vec3) [3]float64 { return [3]float64{round(v.X), round(v.Y), round(v.Z)} }

func (w *glbWriter) floats(v ...float64) {
	for _, c := range v {
		w.bytes = binary.LittleEndian.AppendUint32(w.bytes, math.Float32bits(float32(round(c))))
	}
}

// single returns v rounded to the file's 32-bit floats.
func single(v ...float64) []float64 {
	for i := range v {
		v[i] = float64(float32(round(v[i])))
	}
	return v
}

// view writes a buffer view over the bytes since start and pads them to four.
func (w *glbWriter) view(start, stride int, target gltf.Target) int {
	w.doc.BufferViews = append(w.doc.BufferViews, &gltf.BufferView{
		ByteOffset: start, ByteLength: len(w.bytes) - start, ByteStride: stride, Target: target,
	})
	for len(w.bytes)%4 != 0 {
		w.bytes = append(w.bytes, 0)
	}
	return len(w.doc.BufferViews) - 1
}

func (w *glbWriter) accessor(a *gltf.Accessor) int {
	w.doc.Accessors = append(w.doc.Accessors, a)
	return len(w.doc.Accessors) - 1
}
