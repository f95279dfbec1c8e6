package level_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
)

// object is a JSON object of a file.
type object = map[string]any

// mark returns the extras of a node: extras.backstep is m.
func mark(m object) object { return object{"backstep": m} }

// sceneFile builds a level file node by node. Its zero value is an empty scene.
type sceneFile struct {
	nodes, meshes, accessors, views []object
	roots                           []int
	scene                           object // more keys of the scene
	bin                             []byte
}

// node adds a node below another one, or below the scene if parent is −1.
func (f *sceneFile) node(parent int, n object) int {
	i := len(f.nodes)
	f.nodes = append(f.nodes, n)
	if parent < 0 {
		f.roots = append(f.roots, i)
		return i
	}
	children, _ := f.nodes[parent]["children"].([]int)
	f.nodes[parent]["children"] = append(children, i)
	return i
}

// view adds a buffer view over bytes.
func (f *sceneFile) view(b []byte, stride int) int {
	for len(f.bin)%4 != 0 {
		f.bin = append(f.bin, 0)
	}
	v := object{"buffer": 0, "byteOffset": len(f.bin), "byteLength": len(b)}
	if stride > 0 {
		v["byteStride"] = stride
	}
	f.bin = append(f.bin, b...)
	f.views = append(f.views, v)
	return len(f.views) - 1
}

// accessor adds an accessor.
func (f *sceneFile) accessor(a object) int {
	f.accessors = append(f.accessors, a)
	return len(f.accessors) - 1
}

// floats returns the numbers as 32-bit floats.
func floats(numbers ...float64) (b []byte) {
	for _, x := range numbers {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
	}
	return b
}

// positions adds an accessor of points.
func (f *sceneFile) positions(points []geom.Vec3) int {
	var b []byte
	for _, p := range points {
		b = append(b, floats(p.X, p.Y, p.Z)...)
	}
	return f.accessor(object{"bufferView": f.view(b, 0), "componentType": 5126, "count": len(points), "type": "VEC3"})
}

// mesh adds a mesh of triangles.
func (f *sceneFile) mesh(points []geom.Vec3, indices ...uint16) int {
	var b []byte
	for _, i := range indices {
		b = binary.LittleEndian.AppendUint16(b, i)
	}
	of := f.accessor(object{"bufferView": f.view(b, 0), "componentType": 5123, "count": len(indices), "type": "SCALAR"})
	return f.primitive(object{"attributes": object{"POSITION": f.positions(points)}, "indices": of})
}

// primitive adds a mesh of one primitive.
func (f *sceneFile) primitive(p object) int {
	f.meshes = append(f.meshes, object{"primitives": []object{p}})
	return len(f.meshes) - 1
}

// tetrahedron adds a mesh: the corner of a cube of the given size at the origin.
func (f *sceneFile) tetrahedron(size float64) int {
	return f.mesh([]geom.Vec3{{}, {X: size}, {Y: size}, {Z: size}}, 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3)
}

// ground adds a solid node far below everything, so that the level has something solid.
func (f *sceneFile) ground() *sceneFile {
	f.node(-1, object{"name": "ground", "translation": []float64{0, -900, 0}, "extras": mark(object{"collide": "box"})})
	return f
}

func (f *sceneFile) bytes() []byte { return f.file(nil) }

// rig returns the file with a skin and an animation.
func (f *sceneFile) rig(joints []int, animation object) []byte {
	return f.file(object{"skins": []object{{"joints": joints}}, "animations": []object{animation}})
}

// file returns the file, with more keys of its description.
func (f *sceneFile) file(more object) []byte {
	scene := object{"nodes": f.roots}
	for k, v := range f.scene {
		scene[k] = v
	}
	file := object{"asset": object{"version": "2.0"}, "scenes": []object{scene}, "nodes": f.nodes, "meshes": f.meshes,
		"accessors": f.accessors, "bufferViews": f.views, "buffers": []object{{"byteLength": len(f.bin)}}}
	for k, v := range more {
		file[k] = v
	}
	text, err := json.Marshal(file)
	if err != nil {
		panic(err)
	}
	return glb(string(text), slices.Clone(f.bin))
}

func (f *sceneFile) read(t testing.TB) *level.Level {
	t.Helper()
	l, err := level.Read(f.bytes())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// faces returns all triangles of the static world in the order of the file.
func faces(l *level.Level) []collide.Face {
	v := collide.WorldAt{World: l.World}
	all := v.Faces(l.Bounds.Grow(1), 1<<20, nil)
	slices.SortFunc(all, func(a, b collide.Face) int { return int(a.Triangle) - int(b.Triangle) })
	return all
}

// matrix is a transform as a plain 4 × 4 matrix by rows: the oracle for hierarchies.
type matrix [4][4]float64

var unit = matrix{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}

func (m matrix) times(n matrix) (out matrix) {
	for i := range 4 {
		for j := range 4 {
			for k := range 4 {
				out[i][j] += m[i][k] * n[k][j]
			}
		}
	}
	return out
}

func (m matrix) apply(p geom.Vec3) geom.Vec3 {
	row := func(i int) float64 { return m[i][0]*p.X + m[i][1]*p.Y + m[i][2]*p.Z + m[i][3] }
	return geom.V(row(0), row(1), row(2))
}

// axis returns column i: the image of an axis.
func (m matrix) axis(i int) geom.Vec3 { return geom.V(m[0][i], m[1][i], m[2][i]) }

func (m matrix) mirrors() bool { return m.axis(0).Cross(m.axis(1)).Dot(m.axis(2)) < 0 }

// columns returns the matrix as glTF writes it.
func (m matrix) columns() (out []float64) {
	for i := range 4 {
		for j := range 4 {
			out = append(out, m[j][i])
		}
	}
	return out
}

// placed returns the matrix of a translation, a rotation and a scale, by the formula of a
// quaternion's matrix.
func placed(move geom.Vec3, q geom.Quat, scale geom.Vec3) matrix {
	x, y, z, w := q.X, q.Y, q.Z, q.W
	return matrix{
		{(1 - 2*(y*y+z*z)) * scale.X, 2 * (x*y - w*z) * scale.Y, 2 * (x*z + w*y) * scale.Z, move.X},
		{2 * (x*y + w*z) * scale.X, (1 - 2*(x*x+z*z)) * scale.Y, 2 * (y*z - w*x) * scale.Z, move.Y},
		{2 * (x*z - w*y) * scale.X, 2 * (y*z + w*x) * scale.Y, (1 - 2*(x*x+y*y)) * scale.Z, move.Z},
		{0, 0, 0, 1},
	}
}

// randomTurn returns a rotation of any kind: none, half a turn about an axis, any.
func randomTurn(r *rand.Rand) geom.Quat {
	switch r.IntN(6) {
	case 0:
		return geom.IdentityQuat
	case 1:
		return [3]geom.Quat{{X: 1}, {Y: 1}, {Z: 1}}[r.IntN(3)]
	}
	return geom.Quat{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64(), W: r.NormFloat64()}.Unit()
}

// randomPlace returns a node's transform, as parts or as a matrix. An uneven one shears
// what is turned below it.
func randomPlace(r *rand.Rand, uneven bool) (object, matrix) {
	size := func() float64 { return (0.3 + 1.5*r.Float64()) * float64(1-2*r.IntN(2)) }
	scale := size()
	s := geom.V(scale, scale, scale)
	if uneven {
		s = geom.V(size(), size(), size())
	}
	move, q := geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Mul(3), randomTurn(r)
	m := placed(move, q, s)
	if r.IntN(3) == 0 {
		return object{"matrix": m.columns()}, m
	}
	return object{"translation": []float64{move.X, move.Y, move.Z}, "rotation": []float64{q.X, q.Y, q.Z, q.W},
		"scale": []float64{s.X, s.Y, s.Z}}, m
}
