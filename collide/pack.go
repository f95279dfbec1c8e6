package collide

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"slices"
	"strconv"

	"github.com/backstep-net/backstep/geom"
)

// The packed form, little endian, counts and indices as unsigned varints:
//
//	"bsw1", geometry
//	"bsw2", geometry, bodies and volumes (packbodies.go): if there are any
//
//	geometry: dropped, shapes
//	each shape: one byte: bit 0 solid, bits 1–2 Walk, bits 3–4 StepOn, bit 5 wide
//	            vertices, each three float32, or float64 if wide
//	            triangles, each three indices, counted back from the newest
//	            vertex named so far: 0 is a new one
//
// Shapes and triangles are in the order of adding. The trees are not stored: they are
// rebuilt, identically, in less time than checking them would take. There is exactly one
// packed form of a world: any other form is refused.
const (
	packMagic       = "bsw1"
	packMagicBodies = "bsw2"
)

const (
	packSolid = 1 << 0
	packWalk  = 1
	packStep  = 3
	packWide  = 1 << 5
)

var errPacked = errors.New("collide: not a packed world")

// AppendBinary appends the packed world to dst. Two worlds made of the same shapes in the
// same order give the same bytes.
//
// The form is for sending a level to clients and for its hash, so it is compact: most
// vertices of a level file are exact in 32 bits, and an index counts back from the newest
// vertex, which is a small number in any sensible order of triangles.
func (w *World) AppendBinary(dst []byte) []byte {
	if len(w.movers)|len(w.volumes) == 0 {
		return w.appendGeometry(append(dst, packMagic...))
	}
	dst = w.appendGeometry(append(dst, packMagicBodies...))
	return w.appendVolumes(w.appendMovers(dst))
}

func (w *World) appendGeometry(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(w.dropped))
	dst = binary.AppendUvarint(dst, uint64(len(w.shapes)))
	n := 0
	for id := range w.shapes {
		from := n
		for n < len(w.triIndex) && w.triByNumber(n).shape == uint32(id) {
			n++
		}
		dst = w.appendShape(dst, id, from, n)
	}
	return dst
}

func (w *World) triByNumber(n int) *tri { return &w.tris[w.triIndex[n]] }

// appendShape packs one shape, whose triangles are numbered from … to−1.
//
// Vertices are shared by value. The map is only searched, never iterated over: the order of
// vertices is that of first use.
func (w *World) appendShape(dst []byte, id, from, to int) []byte {
	index := make(map[geom.Vec3]uint32, (to-from)/2+3)
	vertices := make([]geom.Vec3, 0, (to-from)/2+3)
	var indices []byte
	wide := false
	for n := from; n < to; n++ {
		t := w.triByNumber(n)
		for _, v := range [3]geom.Vec3{t.a, t.b, t.c} {
			i, known := index[v]
			if !known {
				i = uint32(len(vertices))
				index[v] = i
				vertices = append(vertices, v)
				wide = wide || !single(v)
				indices = append(indices, 0)
				continue
			}
			indices = binary.AppendUvarint(indices, uint64(len(vertices))-uint64(i))
		}
	}
	s := w.shapes[id]
	kind := byte(s.surface.Walk)<<packWalk | byte(s.surface.StepOn)<<packStep
	if s.solid {
		kind |= packSolid
	}
	if wide {
		kind |= packWide
	}
	dst = binary.AppendUvarint(append(dst, kind), uint64(len(vertices)))
	for _, v := range vertices {
		for _, x := range [3]float64{v.X, v.Y, v.Z} {
			if wide {
				dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
			} else {
				dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(x)))
			}
		}
	}
	dst = binary.AppendUvarint(dst, uint64(to-from))
	return append(dst, indices...)
}

// single reports whether float32 represents the vertex exactly.
func single(v geom.Vec3) bool {
	return float64(float32(v.X)) == v.X && float64(float32(v.Y)) == v.Y && float64(float32(v.Z)) == v.Z
}

// Unpack makes the world that AppendBinary packed: it answers every query alike. Any bytes
// that are not exactly what AppendBinary writes are an error.
//
// The bytes come from a server, so they are as untrusted as a level file: every count is
// checked against the bytes that are left before memory is allocated.
func Unpack(b []byte) (*World, error) {
	r := reader{rest: b}
	var build Builder
	switch string(r.take(len(packMagic))) {
	case packMagic:
		r.geometry(&build)
	case packMagicBodies:
		r.geometry(&build)
		r.movers(&build)
		r.volumes(&build)
	default:
		return nil, errPacked
	}
	if build.err != nil {
		return nil, build.err
	}
	if r.bad || len(r.rest) > 0 {
		return nil, errPacked
	}
	w, err := build.Bake()
	if err != nil {
		return nil, err
	}
	// Two byte strings for one world would be two hashes for one level, and a client would
	// refuse a level that is the server's.
	if !bytes.Equal(w.AppendBinary(make([]byte, 0, len(b))), b) {
		return nil, errors.New("collide: packed world: not the canonical form")
	}
	return w, nil
}

// Hash returns 32 hexadecimal digits that identify the world: FNV-1a 128 of its packed
// bytes. It detects accidents, not forgeries: the source of the hash is trusted with the
// level too.
func (w *World) Hash() string {
	h := fnv.New128a()
	h.Write(w.AppendBinary(nil))
	const digits = "0123456789abcdef"
	var out []byte
	for _, x := range h.Sum(nil) {
		out = append(out, digits[x>>4], digits[x&15])
	}
	return string(out)
}

// reader parses packed bytes; bad is set at the first that are invalid.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) take(n int) []byte {
	if r.bad || n > len(r.rest) {
		r.bad = true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// count reads a number of at most max.
func (r *reader) count(max int) int { return int(r.number(uint64(max))) }

func (r *reader) number(max uint64) uint64 {
	x, n := binary.Uvarint(r.rest)
	if r.bad || n <= 0 || x > max {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return x
}

// geometry reads shapes into the builder, and keeps there an error that names the first
// invalid shape.
func (r *reader) geometry(b *Builder) {
	dropped := r.count(math.MaxInt32)
	shapes := r.count(len(r.rest))
	for id := range shapes {
		r.shape(b)
		if r.bad {
			b.keepError("packed world: shape " + strconv.Itoa(id) + " is truncated or out of range")
		}
		if b.err != nil {
			return
		}
	}
	b.dropped = dropped
}

// shape reads one shape into the builder. Every count is checked against the bytes that are
// left before memory is allocated for it.
func (r *reader) shape(b *Builder) {
	head := r.take(1)
	if r.bad {
		return
	}
	kind := head[0]
	s := Surface{Walk: Rule(kind >> packWalk & 3), StepOn: Rule(kind >> packStep & 3)}
	if s.Walk > Never || s.StepOn > Never || kind>>6 != 0 {
		r.bad = true
		return
	}
	vertices := r.vertices(kind&packWide != 0)
	indices := r.indices(len(vertices))
	switch {
	case r.bad:
	case kind&packSolid != 0:
		b.solid(b.next(), vertices, indices, s)
	default:
		b.Triangles(vertices, indices, s)
	}
}

func (r *reader) vertices(wide bool) []geom.Vec3 {
	size := 4
	if wide {
		size = 8
	}
	n := r.count(len(r.rest) / (3 * size))
	if r.bad || n > len(r.rest)/(3*size) {
		r.bad = true
		return nil
	}
	vertices := make([]geom.Vec3, n)
	for i := range vertices {
		var x [3]float64
		for k := range x {
			if wide {
				x[k] = math.Float64frombits(binary.LittleEndian.Uint64(r.take(size)))
			} else {
				x[k] = float64(math.Float32frombits(binary.LittleEndian.Uint32(r.take(size))))
			}
		}
		vertices[i] = geom.V(x[0], x[1], x[2])
	}
	return vertices
}

// indices reads triangles. Each vertex must be introduced before it can be referred to.
//
// A vertex that no triangle names is refused at the end: it would be lost by packing again.
func (r *reader) indices(vertices int) []uint32 {
	triangles := min(r.count(len(r.rest)/3), MaxTriangles+1)
	indices := slices.Grow([]uint32(nil), 3*triangles)
	named := 0
	for range 3 * triangles {
		back := r.count(named)
		if r.bad {
			return nil
		}
		if back == 0 {
			named++
			back = 1
		}
		indices = append(indices, uint32(named-back))
	}
	r.bad = r.bad || named != vertices
	return indices
}
