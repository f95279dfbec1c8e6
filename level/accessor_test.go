package level_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
)

// component is a type of number that a position may be stored as.
type component struct {
	name   string
	code   int
	size   int
	lo, hi int // of integers
}

var components = []component{
	{"float", 5126, 4, -1000, 1000}, {"byte", 5120, 1, -128, 127}, {"unsigned byte", 5121, 1, 0, 255},
	{"short", 5122, 2, -32768, 32767}, {"unsigned short", 5123, 2, 0, 65535},
}

// put appends the number as the file stores it.
func (c component) put(b []byte, x int) []byte {
	switch c.size {
	case 1:
		return append(b, byte(x))
	case 2:
		return binary.LittleEndian.AppendUint16(b, uint16(x))
	}
	return append(b, floats(float64(x))...)
}

// value returns what the number stands for (glTF 2.0, section 3.6.2.2).
func (c component) value(x int, normalized bool) float64 {
	if !normalized || c.name == "float" {
		return float64(x)
	}
	return max(float64(x)/float64(c.hi), -1)
}

// Positions of every type, normalised or not, packed or interleaved, whole or with sparse
// changes, are the numbers that were written.
func TestPositionsOfEveryEncoding(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 0))
	for _, c := range components {
		for variant := range 16 {
			normalized, spaced, late, sparse := variant&1 != 0, variant&2 != 0, variant&4 != 0, variant&8 != 0
			number := func() int { return c.lo + r.IntN(c.hi-c.lo+1) }
			var numbers [5][3]int
			var b []byte
			stride, offset := 3*c.size, 0
			if spaced {
				stride = (3*c.size+3)/4*4 + 4
			}
			if late {
				offset = 4
				b = append(b, 1, 2, 3, 4)
			}
			for i := range numbers {
				numbers[i] = [3]int{number(), number(), number()}
				start := len(b)
				for _, x := range numbers[i] {
					b = c.put(b, x)
				}
				for len(b) < start+stride {
					b = append(b, 0xEE)
				}
			}
			var f sceneFile
			a := object{"componentType": c.code, "normalized": normalized, "count": 5, "type": "VEC3", "byteOffset": offset}
			if a["bufferView"] = f.view(b, 0); spaced {
				a["bufferView"] = f.view(b, stride)
			}
			if sparse {
				changed := []byte{}
				for _, i := range []int{1, 4} {
					numbers[i] = [3]int{number(), number(), number()}
					for _, x := range numbers[i] {
						changed = c.put(changed, x)
					}
				}
				a["sparse"] = object{"count": 2,
					"indices": object{"bufferView": f.view([]byte{1, 0, 4, 0}, 0), "componentType": 5123},
					"values":  object{"bufferView": f.view(changed, 0)}}
			}
			order := f.accessor(object{"bufferView": f.view([]byte{0, 1, 2, 2, 1, 3, 0, 3, 4}, 0), "componentType": 5121, "count": 9, "type": "SCALAR"})
			// A quarter of the size, exactly: shorts reach beyond the world.
			f.node(-1, object{"scale": []float64{0.25, 0.25, 0.25},
				"mesh": f.primitive(object{"attributes": object{"POSITION": f.accessor(a)}, "indices": order})})
			f.ground()
			got := faces(f.read(t))[:3]
			at := func(i int) geom.Vec3 {
				n := numbers[i]
				return geom.V(c.value(n[0], normalized), c.value(n[1], normalized), c.value(n[2], normalized)).Mul(0.25)
			}
			for k, want := range [][3]int{{0, 1, 2}, {2, 1, 3}, {0, 3, 4}} {
				if g := got[k]; g.A != at(want[0]) || g.B != at(want[1]) || g.C != at(want[2]) {
					t.Errorf("%s, normalized %t, stride %d, offset %d, sparse %t (seed %d): triangle %v %v %v, want %v %v %v", c.name, normalized, stride, offset, sparse, seed,
						g.A, g.B, g.C, at(want[0]), at(want[1]), at(want[2]))
				}
			}
		}
	}
}

// An accessor that is only sparse is zeros with changes.
func TestSparsePositionsWithoutABase(t *testing.T) {
	var f sceneFile
	a := f.accessor(object{"componentType": 5126, "count": 3, "type": "VEC3", "sparse": object{"count": 2,
		"indices": object{"bufferView": f.view([]byte{1, 2}, 0), "componentType": 5121},
		"values":  object{"bufferView": f.view(floats(2, 0, 0, 0, 0, 3), 0)}}})
	f.node(-1, object{"mesh": f.primitive(object{"attributes": object{"POSITION": a}})})
	got := faces(f.read(t))
	if len(got) != 1 || !got[0].A.IsZero() || got[0].B != geom.V(2, 0, 0) || got[0].C != geom.V(0, 0, 3) {
		t.Errorf("got %+v, want the corners 0 0 0, 2 0 0, 0 0 3", got)
	}
}

// Strips and fans are the lists that the format says, of every type of index.
func TestPrimitiveModesAndIndexTypes(t *testing.T) {
	points := []geom.Vec3{{}, {X: 1}, {X: 1, Z: 1}, {Z: 2}, {X: -2, Z: 2}, {X: -3}}
	for _, c := range []struct {
		name    string
		mode    int
		indices []int
		want    [][3]int
	}{
		{"a list", 4, []int{0, 1, 2, 3, 4, 5}, [][3]int{{0, 1, 2}, {3, 4, 5}}},
		{"a strip", 5, []int{0, 1, 2, 3, 4}, [][3]int{{0, 1, 2}, {1, 3, 2}, {2, 3, 4}}},
		{"two strips joined by vertices that are named twice", 5, []int{0, 1, 2, 2, 3, 3, 4, 5}, [][3]int{{0, 1, 2}, {3, 5, 4}}},
		{"a fan", 6, []int{0, 1, 2, 3, 5}, [][3]int{{1, 2, 0}, {2, 3, 0}, {3, 5, 0}}},
		{"a fan too short", 6, []int{0, 1}, nil},
		{"a strip too short", 5, []int{0, 1}, nil},
		{"points", 0, []int{0, 1, 2}, nil},
		{"a line loop", 2, []int{0, 1, 2}, nil},
		{"a list of one vertex thrice", 4, []int{3, 3, 3}, nil},
	} {
		for code, size := range map[int]int{5121: 1, 5123: 2, 5125: 4} {
			var b []byte
			for _, i := range c.indices {
				b = append(b, []byte{byte(i), 0, 0, 0}[:size]...)
			}
			f := new(sceneFile)
			of := f.accessor(object{"bufferView": f.view(b, 0), "componentType": code, "count": len(c.indices), "type": "SCALAR"})
			f.node(-1, object{"mesh": f.primitive(object{"attributes": object{"POSITION": f.positions(points)}, "indices": of, "mode": c.mode})})
			got := faces(f.ground().read(t))
			got = got[:len(got)-12]
			if len(got) != len(c.want) {
				t.Errorf("%s, indices of %d bytes: %d triangles, want %d", c.name, size, len(got), len(c.want))
				continue
			}
			for k, w := range c.want {
				if g := got[k]; g.A != points[w[0]] || g.B != points[w[1]] || g.C != points[w[2]] {
					t.Errorf("%s, indices of %d bytes: triangle %d is %v %v %v, want %v", c.name, size, k, g.A, g.B, g.C, w)
				}
			}
		}
	}
}

// Slivers that the place makes thinner than any use are left out, and what is left is solid.
func TestTrianglesWithoutAreaAreLeftOut(t *testing.T) {
	f := new(sceneFile)
	points := []geom.Vec3{{}, {X: 1}, {X: 2}, {Z: 1}, {X: 1e-10, Z: 1}}
	f.node(-1, object{"mesh": f.mesh(points, 0, 1, 2, 0, 3, 1, 0, 3, 4)})
	if l := f.read(t); l.Triangles != 1 || l.World.Triangles() != 1 {
		t.Errorf("%d triangles, %d in the world; want the one with an area", l.Triangles, l.World.Triangles())
	}
	flat := new(sceneFile)
	flat.node(-1, object{"mesh": flat.mesh(points[:3], 0, 1, 2), "extras": mark(object{"collide": "mesh"})})
	if l := flat.ground().read(t); l.Triangles != 12 || l.Bounds.Max.Y > -800 {
		t.Errorf("%d triangles up to %v; want the ground alone", l.Triangles, l.Bounds.Max)
	}
}

// A mesh that is placed twice is read once, and counted twice.
func TestAMeshMayBePlacedOften(t *testing.T) {
	f := new(sceneFile)
	m := f.tetrahedron(1)
	for i := range 10 {
		f.node(-1, object{"mesh": m, "translation": []int{10 * i, 0, 0}})
	}
	if l := f.read(t); l.Triangles != 40 || l.Bounds.Max != geom.V(91, 1, 1) {
		t.Errorf("%d triangles to %v, want 40 to 91 1 1", l.Triangles, l.Bounds.Max)
	}
}

// What an accessor cannot be, by its number.
func TestAccessorsThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		name         string
		change       object // of the positions
		indexes      object // of the indices
		index        byte   // the last one
		want         string
		notANumberAt int // component of a position, from 1
	}{
		{"sound", nil, nil, 2, "", 0},
		{"unsigned ints", object{"componentType": 5125}, nil, 2, "POSITION: accessor 0: componentType 5125 is not one of [5126", 0},
		{"a type of pairs", object{"type": "VEC2"}, nil, 2, `accessor 0: type "VEC2"; must be VEC3`, 0},
		{"a type with a long name", object{"type": strings.Repeat("V", 99)}, nil, 2, `accessor 0: type "` + strings.Repeat("V", 60) + `…"; must be VEC3`, 0},
		{"an index too many", nil, nil, 3, "indices: accessor 1: index 2 is vertex 3 of 3", 0},
		{"signed indices", nil, object{"componentType": 5120}, 2, "indices: accessor 1: componentType 5120 is not one of [5121 5123 5125]", 0},
		{"an offset near the largest integer", object{"byteOffset": math.MaxInt64 - 7}, nil, 2, "accessor 0: byteOffset 9223372036854775800, count 3: out of range", 0},
		{"so many indices that their bytes overflow", nil, object{"count": math.MaxInt64 / 2}, 2, "out of range", 0},
		{"sparse values far beyond the file", object{"sparse": object{"count": 1, "indices": object{"bufferView": 1, "componentType": 5121}, "values": object{"bufferView": 0, "byteOffset": math.MaxInt64 - 3}}}, nil, 2, "accessor 0: sparse: values: byteOffset", 0},
		{"sparse indices", nil, object{"sparse": object{"count": 1}}, 2, "accessor 1: sparse indices are not read", 0},
		{"no view for indices", nil, object{"bufferView": nil}, 2, "accessor 1: has no bufferView", 0},
		{"X is no number", nil, nil, 2, "accessor 0: element 0 is not finite", 1},
		{"the last Z is infinite", nil, nil, 2, "accessor 0: element 2 is not finite", 9},
	} {
		f := new(sceneFile)
		p := f.positions([]geom.Vec3{{}, {X: 1}, {Z: 1}})
		of := f.accessor(object{"bufferView": f.view([]byte{0, 1, c.index}, 0), "componentType": 5121, "count": 3, "type": "SCALAR"})
		for k, v := range c.change {
			f.accessors[p][k] = v
		}
		for k, v := range c.indexes {
			f.accessors[of][k] = v
		}
		if n := c.notANumberAt; n > 0 {
			binary.LittleEndian.PutUint32(f.bin[4*(n-1):], math.Float32bits(float32(math.Inf(1))))
		}
		f.node(-1, object{"name": "it", "mesh": f.primitive(object{"attributes": object{"POSITION": p}, "indices": of})})
		_, err := level.Read(f.bytes())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `node 0 "it": mesh 0`)) {
			t.Errorf("%s: got %v, want %q, the node and the mesh", c.name, err, c.want)
		}
	}
}
