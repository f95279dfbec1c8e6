package level_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
)

// Every key of a volume reaches the world, directions turned as the node is. [VOL-01]
func TestEveryKeyOfAVolume(t *testing.T) {
	half := math.Sqrt(0.5)
	onItsSide := []float64{0, 0, half, half} // a quarter turn about +Z: X becomes Y, Y becomes −X
	for _, c := range []struct {
		name   string
		volume object
		want   collide.Volume
	}{
		{"nothing", object{}, collide.Volume{Name: "it"}},
		{"a name", object{"name": "lake"}, collide.Volume{Name: "lake"}},
		{"water", object{"water": true, "friction": 0.5, "terminalSpeed": 3}, collide.Volume{Name: "it", Water: true, Friction: 0.5, TerminalSpeed: 3}},
		{"lava", object{"kill": true}, collide.Volume{Name: "it", Kill: true}},
		{"the least priority", object{"priority": -128}, collide.Volume{Name: "it", Priority: -128}},
		{"the greatest priority", object{"priority": 127}, collide.Volume{Name: "it", Priority: 127}},
		{"a jump pad", object{"launch": []float64{2, 9, 1}}, collide.Volume{Name: "it", Launch: geom.V(-9, 2, 1)}},
		{"a wall to walk on", object{"up": []float64{0, 0.5, 0}}, collide.Volume{Name: "it", Up: geom.V(-1, 0, 0)}},
		{"a planet", object{"planet": true}, collide.Volume{Name: "it", Planet: true, Centre: geom.V(7, 8, 9)}},
	} {
		f := new(sceneFile).ground()
		f.node(-1, object{"name": "it", "translation": []int{7, 8, 9}, "rotation": onItsSide, "extras": mark(object{"volume": c.volume})})
		l := f.read(t)
		got := l.World.Volumes()[0]
		if got.Launch.Dist(c.want.Launch) > 1e-9 || got.Up.Dist(c.want.Up) > 1e-9 {
			t.Errorf("%s: launch %v, up %v; want %v, %v", c.name, got.Launch, got.Up, c.want.Launch, c.want.Up)
		}
		got.Launch, got.Up = c.want.Launch, c.want.Up
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if len(faces(l)) != 12 {
			t.Errorf("%s: a volume is solid", c.name)
		}
	}
}

// A volume is the cube of its node, or its mesh's hull or box, whatever the place.
func TestVolumesAreWhereTheHierarchyPutsThem(t *testing.T) {
	const seed = 11
	r := rand.New(rand.NewPCG(seed, 0))
	cube := func(p geom.Vec3) float64 { return 1 - max(math.Abs(p.X), math.Abs(p.Y), math.Abs(p.Z)) }
	for i := range 120 {
		place, m := randomPlace(r, true)
		f := new(sceneFile).ground()
		inside := cube
		marks := object{"volume": object{"water": true}}
		switch i % 3 {
		case 1: // the corner of a cube
			place["mesh"] = f.tetrahedron(1)
			inside = func(p geom.Vec3) float64 { return min(p.X, p.Y, p.Z, 1-p.X-p.Y-p.Z) }
		case 2: // the box around it
			place["mesh"], marks["collide"] = f.tetrahedron(1), "box"
			inside = func(p geom.Vec3) float64 { return min(p.X, p.Y, p.Z, 1-p.X, 1-p.Y, 1-p.Z) }
		}
		place["extras"] = mark(marks)
		f.node(-1, place)
		v := collide.WorldAt{World: f.read(t).World}
		for range 200 {
			p := geom.V(r.Float64()*3-1.5, r.Float64()*3-1.5, r.Float64()*3-1.5)
			by := inside(p)
			if math.Abs(by) < 1e-6 {
				continue
			}
			if got := v.VolumeAt(m.apply(p)) != nil; got != (by > 0) {
				t.Fatalf("seed %d, file %d: %v, by %g inside, is in the volume: %t", seed, i, p, by, got)
			}
		}
	}
}

// Of overlapping volumes the highest priority applies, and of equal ones the later node.
func TestOverlappingVolumes(t *testing.T) {
	for _, c := range []struct {
		priorities []int
		want       string
	}{{[]int{0, 0}, "b"}, {[]int{1, 0}, "a"}, {[]int{-1, 0}, "b"}, {[]int{5, 5, 4}, "b"}, {[]int{0, -128, 127, 127}, "d"}} {
		f := new(sceneFile).ground()
		for i, p := range c.priorities {
			f.node(-1, object{"name": string(rune('a' + i)), "extras": mark(object{"volume": object{"priority": p}})})
		}
		v := collide.WorldAt{World: f.read(t).World}
		if got := v.VolumeAt(geom.Vec3{}); got == nil || got.Name != c.want {
			t.Errorf("priorities %v: %+v applies, want %s", c.priorities, got, c.want)
		}
	}
}

// What a volume cannot be, by node and key.
func TestVolumesThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		name string
		node object
		want string
	}{
		{"a priority too low", object{"extras": mark(object{"volume": object{"priority": -129}})}, "extras.backstep.volume.priority is -129; must be −128 … 127"},
		{"a launch of four", object{"extras": mark(object{"volume": object{"launch": []int{1, 2, 3, 4}}})}, "extras.backstep.volume.launch has 4 numbers; must be 3"},
		{"an up of one", object{"extras": mark(object{"volume": object{"up": []int{1}}})}, "extras.backstep.volume.up has 1 numbers; must be 3"},
		{"no direction", object{"extras": mark(object{"volume": object{"up": []int{0, 0, 0}}})}, "extras.backstep.volume.up is not a direction"},
		{"a launch to the moon", object{"extras": mark(object{"volume": object{"launch": []int{0, 20000, 0}}})}, "volume: "},
		{"a negative terminal speed", object{"extras": mark(object{"volume": object{"terminalSpeed": -1}})}, "TerminalSpeed is negative"},
		{"a long name", object{"extras": mark(object{"volume": object{"name": strings.Repeat("n", 65)}})}, "a name of more than 64 bytes"},
		{"a planet out of reach", object{"translation": []int{0, 20000, 0}, "extras": mark(object{"volume": object{"planet": true}})}, "volume: is 2e+04 m from the origin"},
		{"a flat mesh", object{"mesh": 0, "extras": mark(object{"volume": object{}})}, "the points of a hull lie in one plane"},
		{"a flat mesh's box", object{"mesh": 0, "extras": mark(object{"collide": "box", "volume": object{}})}, "volume: thinner than a millimetre"},
		{"a mesh's triangles", object{"mesh": 0, "extras": mark(object{"collide": "mesh", "volume": object{}})}, `extras.backstep.collide is "mesh"; a volume is a hull or a box`},
		{"a mesh that is not there", object{"mesh": 9, "extras": mark(object{"volume": object{}})}, "mesh 9 does not exist"},
		{"a mesh out of reach", object{"mesh": 0, "translation": []float64{3e4, 0, 0}, "extras": mark(object{"volume": object{}})}, "volume: mesh 0: vertex 0 is 3e+04 m"},
	} {
		f := new(sceneFile).ground()
		f.mesh([]geom.Vec3{{}, {X: 1}, {Z: 1}, {X: 1, Z: 1}}, 0, 1, 2, 1, 2, 3)
		c.node["name"] = "it"
		f.node(-1, c.node)
		if _, err := level.Read(f.bytes()); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `node 1 "it": `) {
			t.Errorf("%s: got %v, want %q and the node", c.name, err, c.want)
		}
	}
}

// A jump pad, a wall to walk on and a hinged door that are mirrored, as a modeller makes the
// other half of a map, are the mirror images of the originals.
func TestMirroredMarks(t *testing.T) {
	for axis, scale := range [][]int{{-1, 1, 1}, {1, -1, 1}, {1, 1, -1}} {
		mirror := func(v geom.Vec3) geom.Vec3 {
			return [3]geom.Vec3{{X: -v.X, Y: v.Y, Z: v.Z}, {X: v.X, Y: -v.Y, Z: v.Z}, {X: v.X, Y: v.Y, Z: -v.Z}}[axis]
		}
		f := new(sceneFile).ground()
		half := f.node(-1, object{"scale": scale})
		for i, parent := range []int{-1, half} {
			name := []string{"one", "other"}[i]
			f.node(parent, object{"name": name, "translation": []int{3, 20, 4}, "rotation": []float64{0, 0.6, 0, 0.8},
				"extras": mark(object{"volume": object{"launch": []int{2, 9, -5}, "up": []float64{0.6, 0, 0.8}}})})
			f.node(parent, object{"name": name, "translation": []int{-7, 0, 2}, "mesh": f.tetrahedron(1), "rotation": []float64{0.6, 0, 0, 0.8},
				"extras": mark(object{"mover": object{"path": []any{[]any{0, []int{0, 0, 0}, 0}, []any{2, []int{1, 2, 3}, 80}}}})})
		}
		w := f.read(t).World
		one, other := w.Volumes()[0], w.Volumes()[1]
		if other.Launch.Dist(mirror(one.Launch)) > 1e-9 || other.Up.Dist(mirror(one.Up)) > 1e-9 {
			t.Errorf("mirrored along axis %d: launch %v and up %v, want the images of %v and %v", axis, other.Launch, other.Up, one.Launch, one.Up)
		}
		for _, at := range []clock.Micros{0, clock.Second, 2 * clock.Second} {
			a, b := w.Pose(1, at), w.Pose(2, at)
			for _, p := range []geom.Vec3{{}, {X: 1}, {Y: 1}, {Z: 1}} {
				if got, want := b.Apply(mirror(p)), mirror(a.Apply(p)); got.Dist(want) > 1e-9 {
					t.Errorf("mirrored along axis %d, at %v: %v is at %v, want %v", axis, at, p, got, want)
				}
			}
		}
	}
}

// A mesh below an unevenly scaled parent is a volume, like a solid hull: only directions need axes.
func TestAShearedLake(t *testing.T) {
	f := new(sceneFile).ground()
	parent := f.node(-1, object{"scale": []float64{3, 1, 1}})
	f.node(parent, object{"mesh": f.tetrahedron(1), "rotation": []float64{0, 0.6, 0, 0.8}, "extras": mark(object{"volume": object{"water": true}})})
	if got := len(f.read(t).World.Volumes()); got != 1 {
		t.Errorf("%d volumes, want 1", got)
	}
}
