package level_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
)

// A triangle below any hierarchy of moved, turned, mirrored, unevenly scaled and sheared
// nodes is where the product of their matrices puts it, and still has its front in front.
func TestTrianglesAreWhereTheHierarchyPutsThem(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, 0))
	corners := [3]geom.Vec3{{X: 1}, {Y: 1, Z: -2}, {X: -1, Z: 3}}
	mirrored := 0
	for i := range 300 {
		var f sceneFile
		parent, want := -1, unit
		for range 1 + r.IntN(4) {
			n, m := randomPlace(r, true)
			parent, want = f.node(parent, n), want.times(m)
		}
		f.nodes[parent]["mesh"] = f.mesh(corners[:], 0, 1, 2)
		got := faces(f.read(t))
		if len(got) != 1 {
			t.Fatalf("seed %d, file %d: %d triangles, want 1", seed, i, len(got))
		}
		a, b, c := want.apply(corners[0]), want.apply(corners[1]), want.apply(corners[2])
		if want.mirrors() {
			mirrored++
			b, c = c, b
		}
		for k, p := range [3][2]geom.Vec3{{got[0].A, a}, {got[0].B, b}, {got[0].C, c}} {
			if p[0].Dist(p[1]) > 1e-9*(1+p[1].Len()) {
				t.Fatalf("seed %d, file %d: corner %d is at %v, want %v", seed, i, k, p[0], p[1])
			}
		}
	}
	if mirrored < 50 {
		t.Errorf("only %d of 300 were mirrored", mirrored)
	}
}

// A box below a hierarchy that does not shear has its corners where the matrices put them.
func TestBoxesAreWhereTheHierarchyPutsThem(t *testing.T) {
	const seed = 4
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 200 {
		var f sceneFile
		parent, want := -1, unit
		for range r.IntN(3) {
			n, m := randomPlace(r, false)
			parent, want = f.node(parent, n), want.times(m)
		}
		n, m := randomPlace(r, true)
		n["extras"] = mark(object{"collide": "box"})
		f.node(parent, n)
		want = want.times(m)
		l := f.read(t)
		if l.Triangles != 12 || len(faces(l)) != 12 {
			t.Fatalf("seed %d, file %d: %d triangles, want 12", seed, i, l.Triangles)
		}
		bounds := geom.EmptyAABB()
		for k := range 8 {
			corner := want.apply(geom.V(float64(2*(k&1)-1), float64(k&2-1), float64(k&4/2-1)))
			bounds = bounds.Include(corner)
			if off := nearestVertex(faces(l), corner); off > 1e-6 {
				t.Fatalf("seed %d, file %d: corner %d at %v is %g m from the box", seed, i, k, corner, off)
			}
		}
		if l.Bounds.Min.Dist(bounds.Min)+l.Bounds.Max.Dist(bounds.Max) > 1e-9 {
			t.Fatalf("seed %d, file %d: bounds %v, want %v", seed, i, l.Bounds, bounds)
		}
		if middle := want.apply(geom.Vec3{}); !l.World.Overlaps(geom.Capsule{A: middle, B: middle, Radius: 0.01}) {
			t.Fatalf("seed %d, file %d: the box is hollow: nothing at its middle %v", seed, i, middle)
		}
	}
}

// nearestVertex returns the distance of a point from the nearest corner of the faces.
func nearestVertex(all []collide.Face, p geom.Vec3) float64 {
	best := math.Inf(1)
	for _, f := range all {
		best = min(best, f.A.Dist(p), f.B.Dist(p), f.C.Dist(p))
	}
	return best
}

// A hull is the same whether its corners are moved by the node or by the modeller.
func TestHullsAreWhereTheHierarchyPutsThem(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 60 {
		n, m := randomPlace(r, true)
		n["extras"] = mark(object{"collide": "hull"})
		var f sceneFile
		n["mesh"] = f.tetrahedron(2)
		f.node(-1, n)
		l := f.read(t)
		for range 200 {
			// p is inside the tetrahedron if its coordinates are positive and their sum is below 2.
			p := geom.V(r.Float64()*2.4-0.2, r.Float64()*2.4-0.2, r.Float64()*2.4-0.2)
			margin := min(p.X, p.Y, p.Z, 2-p.X-p.Y-p.Z)
			if math.Abs(margin) < 1e-3 {
				continue
			}
			at := m.apply(p)
			if got := l.World.Overlaps(geom.Capsule{A: at, B: at, Radius: 1e-6}); got != (margin > 0) {
				t.Fatalf("seed %d, file %d: %v, by %g inside, overlaps: %t", seed, i, p, margin, got)
			}
		}
	}
}

// A spawn point and an entity look along the −Z of their node, whatever is above it.
func TestMarksFollowTheHierarchy(t *testing.T) {
	const seed = 6
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 200 {
		f := new(sceneFile).ground()
		parent, want := -1, unit
		for range r.IntN(3) {
			n, m := randomPlace(r, false)
			parent, want = f.node(parent, n), want.times(m)
		}
		n, m := randomPlace(r, true)
		want = want.times(m)
		look := want.axis(2).Neg()
		if math.Hypot(look.X, look.Z) < 0.01*look.Len() {
			continue // straight up: an error
		}
		n["extras"] = mark(object{"spawn": true, "team": 7})
		entity := object{"extras": mark(object{"entity": "goal", "team": 255})}
		for k, v := range n {
			if k != "extras" {
				entity[k] = v
			}
		}
		f.node(parent, n)
		f.node(parent, entity)
		l := f.read(t)
		if len(l.Spawns) != 1 || len(l.Entities) != 1 {
			t.Fatalf("seed %d, file %d: %d spawn points and %d entities, want one each", seed, i, len(l.Spawns), len(l.Entities))
		}
		s, e := l.Spawns[0], l.Entities[0]
		yaw, at := math.Atan2(-look.X, -look.Z), want.apply(geom.Vec3{})
		if s.Position.Dist(at) > 1e-9 || math.Abs(geom.WrapAngle(s.Yaw-yaw)) > 1e-6 || s.Team != 7 {
			t.Fatalf("seed %d, file %d: spawn point %+v, want it at %v, yaw %v", seed, i, s, at, yaw)
		}
		half := geom.V(want.axis(0).Len(), want.axis(1).Len(), want.axis(2).Len())
		if e.Kind != "goal" || e.Team != 255 || e.Position != s.Position || e.Yaw != s.Yaw || e.Half.Dist(half) > 1e-9 {
			t.Fatalf("seed %d, file %d: entity %+v, want it where the spawn point is, of half size %v", seed, i, e, half)
		}
	}
}

// What cannot be a box, a direction or a place is an error that names the node.
func TestTransformsThatCannotBe(t *testing.T) {
	box := mark(object{"collide": "box"})
	for _, c := range []struct {
		name string
		node object
		want string
	}{
		{"a matrix that is not finite by way of its product", object{"scale": []float64{1e300, 1e300, 1e300}, "translation": []float64{1e300, 0, 0}, "extras": box}, "node 0"},
		{"a rotation of length 1.2", object{"rotation": []float64{0, 0, 0, 1.2}, "extras": box}, "rotation: [0 0 0 1.2] is not a unit quaternion"},
		{"a rotation of three", object{"rotation": []float64{0, 0, 1}, "extras": box}, "rotation: 3 numbers; must be 4"},
		{"a scale of one", object{"scale": []float64{2}, "extras": box}, "scale: 1 numbers; must be 3"},
		{"a matrix of nine", object{"matrix": make([]float64, 9), "extras": box}, "matrix: 9 numbers; must be 16"},
		{"a matrix of zeros", object{"matrix": make([]float64, 16), "extras": box}, "the last row must be 0 0 0 1"},
		{"a matrix that flattens", object{"matrix": []float64{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, "extras": box}, "its scale makes it flat"},
		{"a sheared entity", object{"matrix": []float64{1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, "extras": mark(object{"entity": "ball"})}, `entity "ball": it looks straight up or down, or is sheared`},
		{"a sheared mover", object{"matrix": []float64{1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, "extras": mark(object{"mover": object{"path": []any{[]any{0, []int{0, 0, 0}}}}})}, "mover: it is sheared"},
		{"a sheared volume", object{"matrix": []float64{1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, "extras": mark(object{"volume": object{"launch": []int{0, 9, 0}}})}, "extras.backstep.volume.launch and up need axes: it is sheared"},
		{"a sheared cube of water", object{"matrix": []float64{1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, "extras": mark(object{"volume": object{"water": true}})}, "volume: it is sheared"},
		{"a box at the edge of the world", object{"translation": []float64{level.MaxReach - 0.5, 0, 0}, "extras": box}, "from the origin, more than 16384"},
		{"an entity beyond it", object{"translation": []float64{0, 0, -level.MaxReach - 1}, "extras": mark(object{"entity": "ball"})}, "is 1.64e+04 m from the origin"},
	} {
		var f sceneFile
		c.node["name"] = "it"
		f.node(-1, c.node)
		f.ground()
		_, err := level.Read(f.bytes())
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), `level: node 0 "it": `) {
			t.Errorf("%s: got %v, want %q and the node's name", c.name, err, c.want)
		}
	}
}
