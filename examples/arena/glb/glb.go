// Package glb writes binary glTF for the programs that generate the arena's level and
// figure: coloured triangles and tables of numbers in one buffer. Start at Writer.
//
// The same input gives the same bytes on every processor, so the generated files can be
// committed and compared: lengths are rounded to nanometres before they become 32-bit
// floats, which hides the last bits of sines and square roots.
package glb

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/backstep-net/backstep/geom"
	"github.com/qmuntal/gltf"
)

// Writer collects a document and the bytes of its one buffer. Set Doc, which is also where
// nodes, meshes and animations are added; Encode fills in the buffer.
type Writer struct {
	// Doc is the document so far. Its accessors, buffer views and extensions belong to the Writer.
	Doc *gltf.Document

	streams [streamCount]stream
}

// Each kind of number has its own stream: with all positions in a row, then all normals and so
// on, a level compresses to two thirds of what it does with the same vertices interleaved.
const (
	positions = iota // 3 floats
	normals          // 3 normalized bytes, padded to 4 as glTF requires
	colours          // 4 normalized 16-bit numbers
	indices          // a 16-bit number
	tables           // floats
	streamCount
)

// stream is the content of a buffer view.
type stream struct {
	bytes []byte
	view  *gltf.BufferView // nil until something is written
	index int              // of view in the document
}

// views has what differs between the streams' buffer views.
var views = [streamCount]gltf.BufferView{
	positions: {ByteStride: 12, Target: gltf.TargetArrayBuffer},
	normals:   {ByteStride: 4, Target: gltf.TargetArrayBuffer},
	colours:   {ByteStride: 8, Target: gltf.TargetArrayBuffer},
	indices:   {Target: gltf.TargetElementArrayBuffer},
}

const (
	// quantized is the extension for normals of bytes.
	quantized = "KHR_mesh_quantization"
	// colourSteps is into how many steps a colour is divided. More compress worse and look the same.
	colourSteps = 512
)

// Vertex is a corner of a triangle.
type Vertex struct {
	// Position is in metres, Normal of length 1, Colour linear red, green and blue of 0 … 1.
	Position, Normal, Colour geom.Vec3
}

// Encode returns the file.
func (w *Writer) Encode() ([]byte, error) {
	var all []byte
	for i := range w.streams {
		s := &w.streams[i]
		if s.view == nil {
			continue
		}
		s.view.ByteOffset, s.view.ByteLength = len(all), len(s.bytes)
		all = append(all, s.bytes...)
		for len(all)%4 != 0 { // the offsets of floats must be aligned
			all = append(all, 0)
		}
	}
	w.Doc.Buffers = []*gltf.Buffer{{ByteLength: len(all), Data: all}}
	if w.streams[normals].view != nil {
		w.Doc.ExtensionsUsed, w.Doc.ExtensionsRequired = []string{quantized}, []string{quantized}
	}
	var out bytes.Buffer
	if err := gltf.NewEncoder(&out).Encode(w.Doc); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Triangles writes a primitive: positions as floats, normals as normalized bytes, colours as
// normalized 16-bit numbers. It panics if there are more vertices than 16-bit indices can name.
func (w *Writer) Triangles(vertices []Vertex, order []uint32, material int) *gltf.Primitive {
	n := len(vertices)
	if n > math.MaxUint16 {
		panic("glb: a primitive has more vertices than 16 bits count")
	}
	box := geom.EmptyAABB()
	for i := range vertices {
		box = box.Include(vertices[i].Position)
	}
	attributes := gltf.PrimitiveAttributes{
		"POSITION": w.accessor(positions, &gltf.Accessor{Count: n, Type: gltf.AccessorVec3,
			Min: singles(box.Min.X, box.Min.Y, box.Min.Z), Max: singles(box.Max.X, box.Max.Y, box.Max.Z)}),
		"NORMAL": w.accessor(normals, &gltf.Accessor{Count: n, Type: gltf.AccessorVec3,
			ComponentType: gltf.ComponentByte, Normalized: true}),
		"COLOR_0": w.accessor(colours, &gltf.Accessor{Count: n, Type: gltf.AccessorVec4,
			ComponentType: gltf.ComponentUshort, Normalized: true}),
	}
	of := w.accessor(indices, &gltf.Accessor{Count: len(order),
		Type: gltf.AccessorScalar, ComponentType: gltf.ComponentUshort})
	for i := range vertices {
		w.vertex(&vertices[i])
	}
	for _, i := range order {
		w.shorts(indices, uint16(i))
	}
	return &gltf.Primitive{Attributes: attributes, Indices: &of, Material: &material}
}

// vertex writes a vertex.
func (w *Writer) vertex(v *Vertex) {
	w.floats(positions, v.Position.X, v.Position.Y, v.Position.Z)
	byteOf := func(c float64) byte { return byte(int8(math.Round(Round(c) * 127))) }
	normal := &w.streams[normals].bytes
	*normal = append(*normal, byteOf(v.Normal.X), byteOf(v.Normal.Y), byteOf(v.Normal.Z), 0)
	for _, c := range [...]float64{v.Colour.X, v.Colour.Y, v.Colour.Z, 1} {
		step := math.Round(Round(geom.Clamp(c, 0, 1)) * colourSteps)
		w.shorts(colours, uint16(math.Round(step*(math.MaxUint16/float64(colourSteps)))))
	}
}

// Numbers writes an accessor of count elements over the numbers, and returns its index.
// With bounded it has the least and the greatest number, which glTF demands of the times of
// an animation: numbers must then ascend.
func (w *Writer) Numbers(kind gltf.AccessorType, count int, numbers []float64, bounded bool) int {
	a := &gltf.Accessor{Count: count, Type: kind}
	if bounded {
		a.Min, a.Max = singles(numbers[0]), singles(numbers[len(numbers)-1])
	}
	index := w.accessor(tables, a)
	w.floats(tables, numbers...)
	return index
}

// Round rounds to 9 decimals, so that rounding errors do not show in the file, and turns −0
// into 0.
func Round(x float64) float64 { return math.Round(x*1e9)/1e9 + 0 }

// RoundVec rounds a vector as Round does.
func RoundVec(v geom.Vec3) [3]float64 { return [3]float64{Round(v.X), Round(v.Y), Round(v.Z)} }

// RoundQuat rounds a rotation as Round does.
func RoundQuat(q geom.Quat) [4]float64 {
	return [4]float64{Round(q.X), Round(q.Y), Round(q.Z), Round(q.W)}
}

func (w *Writer) floats(to int, v ...float64) {
	s := &w.streams[to]
	for _, c := range v {
		s.bytes = binary.LittleEndian.AppendUint32(s.bytes, math.Float32bits(float32(Round(c))))
	}
}

func (w *Writer) shorts(to int, v uint16) {
	s := &w.streams[to]
	s.bytes = binary.LittleEndian.AppendUint16(s.bytes, v)
}

// singles returns the numbers as the file has them: a reader may refuse an accessor whose
// bounds its own elements exceed by the rounding to 32 bits.
func singles(v ...float64) []float64 {
	for i := range v {
		v[i] = float64(float32(Round(v[i])))
	}
	return v
}

// accessor adds an accessor whose elements begin at the end of a stream, and returns its index.
func (w *Writer) accessor(of int, a *gltf.Accessor) int {
	s := &w.streams[of]
	if s.view == nil {
		view := views[of]
		s.view, s.index = &view, len(w.Doc.BufferViews)
		w.Doc.BufferViews = append(w.Doc.BufferViews, s.view)
	}
	a.BufferView, a.ByteOffset = &s.index, len(s.bytes)
	w.Doc.Accessors = append(w.Doc.Accessors, a)
	return len(w.Doc.Accessors) - 1
}
