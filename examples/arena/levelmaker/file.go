package levelmaker

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/backstep-net/backstep/geom"
	"github.com/qmuntal/gltf"
)

// sceneBuilder collects the parts of the arena.
type sceneBuilder struct{ parts []*part }

func (s *sceneBuilder) add(p ...*part) { s.parts = append(s.parts, p...) }

// glbWriter writes a glTF document and its one buffer.
type glbWriter struct {
	doc   *gltf.Document
	bytes []byte
	drawn map[*shape]int // meshes written so far
}

// file writes the parts as a .glb.
func (s *sceneBuilder) file() ([]byte, error) {
	w := &glbWriter{doc: &gltf.Document{
		Asset: gltf.Asset{Version: "2.0", Generator: "backstep level build"},
		Scene: gltf.Index(0),
		Scenes: []*gltf.Scene{{Name: "Arena", Extras: map[string]any{
			"backstep": map[string]any{"killHeight": KillHeight},
		}}},
	}, drawn: map[*shape]int{}}
	for _, f := range finish {
		base := f.base
		w.doc.Materials = append(w.doc.Materials, &gltf.Material{
			Name: f.name, EmissiveFactor: f.emissive,
			PBRMetallicRoughness: &gltf.PBRMetallicRoughness{
				BaseColorFactor: &base, MetallicFactor: gltf.Float(f.metallic), RoughnessFactor: gltf.Float(f.roughness),
			},
		})
	}
	for _, p := range s.parts {
		w.doc.Scenes[0].Nodes = append(w.doc.Scenes[0].Nodes, w.node(p))
	}
	w.doc.Buffers = []*gltf.Buffer{{ByteLength: len(w.bytes), Data: w.bytes}}
	var out bytes.Buffer
	if err := gltf.NewEncoder(&out).Encode(w.doc); err != nil {
		return nil, fmt.Errorf("levelmaker: %w", err)
	}
	return out.Bytes(), nil
}

// node writes p with its children and returns its number.
func (w *glbWriter) node(p *part) int {
	n := &gltf.Node{Name: p.name, Translation: [3]float64{round(p.at.X), round(p.at.Y), round(p.at.Z)}}
	if p.yaw != 0 {
		q := geom.YawQuat(p.yaw)
		n.Rotation = [4]float64{0, round(q.Y), 0, round(q.W)}
	}
	if !p.scale.IsZero() {
		n.Scale = [3]float64{round(p.scale.X), round(p.scale.Y), round(p.scale.Z)}
	}
	if p.marks != (extras{}) {
		n.Extras = map[string]any{"backstep": p.marks}
	}
	i := len(w.doc.Nodes)
	w.doc.Nodes = append(w.doc.Nodes, n)
	if p.shape != nil {
		n.Mesh = gltf.Index(w.mesh(p.name, p.shape))
	}
	for _, k := range p.kids {
		n.Children = append(n.Children, w.node(k))
	}
	return i
}

// round rounds to 9 decimals, so that rounding errors do not show in the file, and turns −0
// into 0.
func round(x float64) float64 { return math.Round(x*1e9)/1e9 + 0 }

// mesh writes s, once even if it is placed several times.
func (w *glbWriter) mesh(name string, s *shape) int {
	if i, ok := w.drawn[s]; ok {
		return i
	}
	m := &gltf.Mesh{Name: name}
	for k := range s.patches {
		if p := &s.patches[k]; len(p.indices) > 0 {
			m.Primitives = append(m.Primitives, w.primitive(p, material(k)))
		}
	}
	w.doc.Meshes = append(w.doc.Meshes, m)
	w.drawn[s] = len(w.doc.Meshes) - 1
	return w.drawn[s]
}

// primitive writes the vertices of p interleaved, 32 bytes each: position and
// normal as floats, colour as four normalized 16-bit numbers.
func (w *glbWriter) primitive(p *patch, m material) *gltf.Primitive {
	const stride = 32
	lo, hi := geom.EmptyAABB().Min, geom.EmptyAABB().Max
	start := len(w.bytes)
	for _, v := range p.vertices {
		lo, hi = lo.Min(v.position), hi.Max(v.position)
		w.floats(v.position)
		w.floats(v.normal)
		for _, c := range []float64{v.colour.X, v.colour.Y, v.colour.Z, 1} {
			w.bytes = binary.LittleEndian.AppendUint16(w.bytes, uint16(math.Round(geom.Clamp(c, 0, 1)*65535)))
		}
	}
	view := w.view(start, stride, gltf.TargetArrayBuffer)
	n := len(p.vertices)
	attributes := gltf.PrimitiveAttributes{
		"POSITION": w.accessor(&gltf.Accessor{BufferView: &view, Count: n, Type: gltf.AccessorVec3,
			Min: single(lo), Max: single(hi)}),
		"NORMAL": w.accessor(&gltf.Accessor{BufferView: &view, ByteOffset: 12, Count: n, Type: gltf.AccessorVec3}),
		"COLOR_0": w.accessor(&gltf.Accessor{BufferView: &view, ByteOffset: 24, Count: n, Type: gltf.AccessorVec4,
			ComponentType: gltf.ComponentUshort, Normalized: true}),
	}
	start = len(w.bytes)
	for _, i := range p.indices {
		w.bytes = binary.LittleEndian.AppendUint16(w.bytes, uint16(i))
	}
	order := w.view(start, 0, gltf.TargetElementArrayBuffer)
	if n > 65535 {
		panic("levelmaker: a patch has more vertices than 16 bits count")
	}
	indices := w.accessor(&gltf.Accessor{BufferView: &order, Count: len(p.indices),
		Type: gltf.AccessorScalar, ComponentType: gltf.ComponentUshort})
	return &gltf.Primitive{Attributes: attributes, Indices: &indices, Material: gltf.Index(int(m))}
}

func (w *glbWriter) floats(v geom.Vec3) {
	for _, c := range []float64{v.X, v.Y, v.Z} {
		w.bytes = binary.LittleEndian.AppendUint32(w.bytes, math.Float32bits(float32(round(c))))
	}
}

// single returns v rounded to the file's 32-bit floats.
func single(v geom.Vec3) []float64 {
	return []float64{float64(float32(round(v.X))), float64(float32(round(v.Y))), float64(float32(round(v.Z)))}
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
