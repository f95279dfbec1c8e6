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
	// Doc is the document so far. Its accessors and buffer views belong to the Writer.
	Doc *gltf.Document

	bytes []byte
}

// Vertex is a corner of a triangle.
type Vertex struct {
	// Position is in metres, Normal of length 1, Colour linear red, green and blue of 0 … 1.
	Position, Normal, Colour geom.Vec3
}

// Encode returns the file.
func (w *Writer) Encode() ([]byte, error) {
	w.Doc.Buffers = []*gltf.Buffer{{ByteLength: len(w.bytes), Data: w.bytes}}
	var out bytes.Buffer
	if err := gltf.NewEncoder(&out).Encode(w.Doc); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Triangles writes a primitive. Its vertices are interleaved, 32 bytes each: position and
// normal as floats, colour as four normalized 16-bit numbers. It panics if there are more
// vertices than 16-bit indices can name.
func (w *Writer) Triangles(vertices []Vertex, indices []uint32, material int) *gltf.Primitive {
	const stride = 32
	n := len(vertices)
	if n > math.MaxUint16 {
		panic("glb: a primitive has more vertices than 16 bits count")
	}
	box, start := geom.EmptyAABB(), len(w.bytes)
	for i := range vertices {
		v := &vertices[i]
		box = box.Include(v.Position)
		w.floats(v.Position.X, v.Position.Y, v.Position.Z, v.Normal.X, v.Normal.Y, v.Normal.Z)
		for _, c := range []float64{v.Colour.X, v.Colour.Y, v.Colour.Z, 1} {
			w.bytes = binary.LittleEndian.AppendUint16(w.bytes, uint16(math.Round(geom.Clamp(c, 0, 1)*65535)))
		}
	}
	view := w.view(start, stride, gltf.TargetArrayBuffer)
	attributes := gltf.PrimitiveAttributes{
		"POSITION": w.accessor(&gltf.Accessor{BufferView: &view, Count: n, Type: gltf.AccessorVec3,
			Min: singles(box.Min.X, box.Min.Y, box.Min.Z), Max: singles(box.Max.X, box.Max.Y, box.Max.Z)}),
		"NORMAL": w.accessor(&gltf.Accessor{BufferView: &view, ByteOffset: 12, Count: n, Type: gltf.AccessorVec3}),
		"COLOR_0": w.accessor(&gltf.Accessor{BufferView: &view, ByteOffset: 24, Count: n, Type: gltf.AccessorVec4,
			ComponentType: gltf.ComponentUshort, Normalized: true}),
	}
	start = len(w.bytes)
	for _, i := range indices {
		w.bytes = binary.LittleEndian.AppendUint16(w.bytes, uint16(i))
	}
	order := w.view(start, 0, gltf.TargetElementArrayBuffer)
	of := w.accessor(&gltf.Accessor{BufferView: &order, Count: len(indices),
		Type: gltf.AccessorScalar, ComponentType: gltf.ComponentUshort})
	return &gltf.Primitive{Attributes: attributes, Indices: &of, Material: &material}
}

// Numbers writes an accessor of count elements over the numbers, and returns its index.
// With bounded it has the least and the greatest number, which glTF demands of the times of
// an animation: numbers must then ascend.
func (w *Writer) Numbers(kind gltf.AccessorType, count int, numbers []float64, bounded bool) int {
	start := len(w.bytes)
	w.floats(numbers...)
	view := w.view(start, 0, gltf.TargetNone)
	a := &gltf.Accessor{BufferView: &view, Count: count, Type: kind}
	if bounded {
		a.Min, a.Max = singles(numbers[0]), singles(numbers[len(numbers)-1])
	}
	return w.accessor(a)
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

func (w *Writer) floats(v ...float64) {
	for _, c := range v {
		w.bytes = binary.LittleEndian.AppendUint32(w.bytes, math.Float32bits(float32(Round(c))))
	}
}

// singles returns the numbers as the file has them: a reader may refuse an accessor whose
// bounds its own elements exceed by the rounding to 32 bits.
func singles(v ...float64) []float64 {
	for i := range v {
		v[i] = float64(float32(Round(v[i])))
	}
	return v
}

// view writes a buffer view over the bytes since start. It pads them to four, because the
// offsets of floats must be aligned.
func (w *Writer) view(start, stride int, target gltf.Target) int {
	w.Doc.BufferViews = append(w.Doc.BufferViews, &gltf.BufferView{
		ByteOffset: start, ByteLength: len(w.bytes) - start, ByteStride: stride, Target: target,
	})
	for len(w.bytes)%4 != 0 {
		w.bytes = append(w.bytes, 0)
	}
	return len(w.Doc.BufferViews) - 1
}

func (w *Writer) accessor(a *gltf.Accessor) int {
	w.Doc.Accessors = append(w.Doc.Accessors, a)
	return len(w.Doc.Accessors) - 1
}
