package level

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/backstep-net/backstep/geom"
)

// The component types of glTF 2.0, section 3.6.2.2.
const (
	typeByte   = 5120
	typeUbyte  = 5121
	typeShort  = 5122
	typeUshort = 5123
	typeUint   = 5125
	typeFloat  = 5126
)

// componentSize returns the bytes of a component, zero for an unknown type.
func componentSize(kind int) int {
	switch kind {
	case typeByte, typeUbyte:
		return 1
	case typeShort, typeUshort:
		return 2
	case typeUint, typeFloat:
		return 4
	}
	return 0
}

// elements is a run of equally spaced elements that lie within the buffer.
//
// It is a view and no copy: a position is decoded from the file's own bytes.
type elements struct {
	bytes  []byte // from the first element to the end of its view
	stride int    // bytes from one element to the next, 1 … 252
}

// at returns the bytes from element i on. The caller knows that it exists and how long it is.
func (s elements) at(i int) []byte { return s.bytes[i*s.stride:] }

// elements returns count elements of size bytes, the first at offset in view. It checks the
// bounds without allocating, so callers use it before they allocate.
//
// Every sum is written as a difference, or of numbers that are bounded: with an offset near
// the largest integer, a + b < c would be true by overflow.
func (f *file) elements(view, offset, count, size int) (elements, error) {
	if view < 0 || view >= len(f.BufferViews) {
		return elements{}, fmt.Errorf("bufferView %d does not exist", view)
	}
	v := f.BufferViews[view]
	switch {
	case len(f.Buffers) == 0 || v.Buffer != 0:
		return elements{}, fmt.Errorf("bufferView %d: buffer %d does not exist", view, v.Buffer)
	case v.ByteOffset < 0 || v.ByteLength < 0 || v.ByteOffset > len(f.bin) || v.ByteLength > len(f.bin)-v.ByteOffset:
		return elements{}, fmt.Errorf("bufferView %d: bytes %d + %d are outside the buffer of %d", view, v.ByteOffset, v.ByteLength, len(f.bin))
	// The limits of the format.
	case v.ByteStride != 0 && (v.ByteStride < 4 || v.ByteStride > 252):
		return elements{}, fmt.Errorf("bufferView %d: byteStride %d is not 4 … 252", view, v.ByteStride)
	case v.ByteStride != 0 && v.ByteStride < size:
		return elements{}, fmt.Errorf("bufferView %d: byteStride %d is less than the element's %d bytes", view, v.ByteStride, size)
	}
	stride := size
	if v.ByteStride != 0 {
		stride = v.ByteStride
	}
	// No element is smaller than a byte, so larger numbers cannot be in the file; the bound
	// keeps the product and the sum below in range.
	if offset < 0 || offset > MaxFile || count < 0 || count > MaxFile {
		return elements{}, fmt.Errorf("byteOffset %d, count %d: out of range", offset, count)
	}
	// The last element needs its own size and not a whole stride: interleaved views end
	// with it.
	if need := int64(count-1)*int64(stride) + int64(size); count > 0 && int64(offset)+need > int64(v.ByteLength) {
		return elements{}, fmt.Errorf("needs %d bytes from byte %d on, and bufferView %d has %d", need, offset, view, v.ByteLength)
	}
	return elements{f.bin[v.ByteOffset : v.ByteOffset+v.ByteLength][min(offset, v.ByteLength):], stride}, nil
}

// shapes are the element types that are read, by their number of components.
var shapes = map[string]int{"SCALAR": 1, "VEC3": 3, "VEC4": 4}

// accessor returns accessor i and its elements, checks everything but their values, and
// charges them to the budget. kinds are the component types allowed. An accessor that is
// only sparse has no elements.
func (f *file) accessor(i int, shape string, kinds ...int) (a accessor, s elements, err error) {
	if i < 0 || i >= len(f.Accessors) {
		return a, s, fmt.Errorf("accessor %d does not exist", i)
	}
	a = f.Accessors[i]
	switch {
	case a.Type != shape:
		err = fmt.Errorf("type %s; must be %s", quote(a.Type), shape)
	case componentSize(a.ComponentType) == 0:
		err = fmt.Errorf("componentType %d does not exist", a.ComponentType)
	case !slices.Contains(kinds, a.ComponentType):
		err = fmt.Errorf("componentType %d is not one of %v", a.ComponentType, kinds)
	case a.Count < 1:
		err = fmt.Errorf("count %d; must be 1 or more", a.Count)
	case a.BufferView != nil:
		s, err = f.elements(*a.BufferView, a.ByteOffset, a.Count, a.size())
	case a.Sparse == nil:
		err = errors.New("has no bufferView, so it is empty or compressed")
	}
	if err == nil {
		err = f.budget.readElements(a.Count)
	}
	if err != nil {
		return a, s, fmt.Errorf("accessor %d: %w", i, err)
	}
	return a, s, nil
}

// size returns the bytes of an element.
func (a *accessor) size() int { return shapes[a.Type] * componentSize(a.ComponentType) }

// positions reads accessor i as points, unchanged. KHR_mesh_quantization allows the short
// types.
func (f *file) positions(i int) ([]geom.Vec3, error) {
	a, base, err := f.accessor(i, "VEC3", typeFloat, typeByte, typeUbyte, typeShort, typeUshort)
	if err != nil {
		return nil, err
	}
	points := make([]geom.Vec3, a.Count)
	if a.BufferView != nil {
		for j := range points {
			points[j] = a.vector(base.at(j))
		}
	}
	if a.Sparse != nil {
		if err := f.scatter(a, points); err != nil {
			return nil, fmt.Errorf("accessor %d: sparse: %w", i, err)
		}
	}
	// NaN would pass every comparison with a limit, and make a tree of triangles that no
	// query finds.
	for j, p := range points {
		if !p.Finite() {
			return nil, fmt.Errorf("accessor %d: element %d is not finite", i, j)
		}
	}
	return points, nil
}

// scatter writes the sparse values of a into points (section 3.6.2.3).
//
// The format wants ascending indices; any order is read, and the last one wins.
func (f *file) scatter(a accessor, points []geom.Vec3) error {
	s := a.Sparse
	if s.Count < 1 || s.Count > a.Count {
		return fmt.Errorf("count %d; must be 1 … %d", s.Count, a.Count)
	}
	kind := s.Indices.ComponentType
	if !slices.Contains(unsigned, kind) {
		return fmt.Errorf("indices: componentType %d is not one of %v", kind, unsigned)
	}
	at, err := f.elements(s.Indices.BufferView, s.Indices.ByteOffset, s.Count, componentSize(kind))
	if err != nil {
		return fmt.Errorf("indices: %w", err)
	}
	values, err := f.elements(s.Values.BufferView, s.Values.ByteOffset, s.Count, a.size())
	if err != nil {
		return fmt.Errorf("values: %w", err)
	}
	for j := range s.Count {
		k := index(kind, at.at(j))
		if int64(k) >= int64(len(points)) {
			return fmt.Errorf("index %d of %d points", k, len(points))
		}
		points[k] = a.vector(values.at(j))
	}
	return nil
}

// unsigned are the types of indices.
var unsigned = []int{typeUbyte, typeUshort, typeUint}

// indices reads accessor i as vertex numbers, all less than vertices.
//
// Checked once here, so that whatever reads the triangles later may index without a bound.
func (f *file) indices(i, vertices int) ([]uint32, error) {
	a, s, err := f.accessor(i, "SCALAR", unsigned...)
	if err != nil {
		return nil, err
	}
	if a.Sparse != nil {
		return nil, fmt.Errorf("accessor %d: sparse indices are not read", i)
	}
	out := make([]uint32, a.Count)
	for j := range out {
		out[j] = index(a.ComponentType, s.at(j))
		if int64(out[j]) >= int64(vertices) {
			return nil, fmt.Errorf("accessor %d: index %d is vertex %d of %d", i, j, out[j], vertices)
		}
	}
	return out, nil
}

// floats reads accessor i as numbers, all finite: the times and values of an animation, element
// after element.
//
// They are refused here because a pose of NaN would only show at the first shot at it.
func (f *file) floats(i int, shape string) ([]float64, error) {
	a, s, err := f.accessor(i, shape, typeFloat, typeByte, typeUbyte, typeShort, typeUshort)
	if err != nil {
		return nil, err
	}
	if a.Sparse != nil {
		return nil, fmt.Errorf("accessor %d: sparse animations are not read", i)
	}
	width, size := shapes[shape], componentSize(a.ComponentType)
	out := make([]float64, 0, a.Count*width)
	for j := range a.Count {
		for k := range width {
			v := a.component(s.at(j)[k*size:])
			if !geom.Finite(v) {
				return nil, fmt.Errorf("accessor %d: element %d is not finite", i, j)
			}
			out = append(out, v)
		}
	}
	return out, nil
}

// index reads one vertex number of a component type that accessor has checked to be unsigned.
func index(kind int, b []byte) uint32 {
	switch kind {
	case typeUbyte:
		return uint32(b[0])
	case typeUshort:
		return uint32(binary.LittleEndian.Uint16(b))
	}
	return binary.LittleEndian.Uint32(b)
}

// vector reads one point of three components.
func (a accessor) vector(b []byte) geom.Vec3 {
	n := componentSize(a.ComponentType)
	return geom.V(a.component(b), a.component(b[n:]), a.component(b[2*n:]))
}

// component reads one number; normalized integers are converted as in section 3.6.2.2.
func (a accessor) component(b []byte) float64 {
	var v, one float64
	switch a.ComponentType {
	case typeFloat:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case typeByte:
		v, one = float64(int8(b[0])), 127
	case typeUbyte:
		v, one = float64(b[0]), 255
	case typeShort:
		v, one = float64(int16(binary.LittleEndian.Uint16(b))), 32767
	case typeUshort:
		v, one = float64(binary.LittleEndian.Uint16(b)), 65535
	}
	if !a.Normalized {
		return v
	}
	// Both −128 and −127 are −1: the format maps integers symmetrically.
	return max(v/one, -1)
}
