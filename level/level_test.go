package level_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
)

// glb packs a description and a binary chunk into the container.
func glb(text string, bin []byte) []byte {
	for len(text)%4 != 0 {
		text += " "
	}
	for len(bin)%4 != 0 {
		bin = append(bin, 0)
	}
	u32 := binary.LittleEndian.AppendUint32
	n := 12 + 8 + len(text)
	if bin != nil {
		n += 8 + len(bin)
	}
	b := u32(u32([]byte("glTF"), 2), uint32(n))
	b = append(u32(u32(b, uint32(len(text))), 0x4E4F534A), text...)
	if bin != nil {
		b = append(u32(u32(b, uint32(len(bin))), 0x004E4942), bin...)
	}
	return b
}

// floorBin is a square floor, 8 × 8 m at height 0: four vertices of three
// floats, then six 16-bit indices, then four 8-bit ones in strip order, at bytes
// 48 and 60.
func floorBin() []byte {
	var b []byte
	for _, p := range [][3]float32{{-4, 0, -4}, {-4, 0, 4}, {4, 0, -4}, {4, 0, 4}} {
		for _, c := range p {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(c))
		}
	}
	for _, i := range []uint16{0, 1, 2, 2, 1, 3} {
		b = binary.LittleEndian.AppendUint16(b, i)
	}
	return append(b, 0, 1, 2, 3)
}

// floorFile is the description of a level that is that floor and one spawn
// point. Tests break it by changing one thing.
const floorFile = `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"name":"flat","nodes":[0,1]}],
"nodes":[{"name":"floor","mesh":0},{"name":"start","translation":[1,0,2],"extras":{"backstep":{"spawn":true}}}],
"meshes":[{"name":"square","primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},{"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"},{"bufferView":2,"componentType":5121,"count":4,"type":"SCALAR"}],
"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":12},{"buffer":0,"byteOffset":60,"byteLength":4}],
"buffers":[{"byteLength":64}]}`

// change replaces one piece of the description, which must be there once.
func change(t testing.TB, old, new string) string {
	t.Helper()
	if strings.Count(floorFile, old) != 1 {
		t.Fatalf("the description has %q %d times", old, strings.Count(floorFile, old))
	}
	return strings.Replace(floorFile, old, new, 1)
}

func read(t *testing.T, text string, bin []byte) *level.Level {
	t.Helper()
	l, err := level.Read(glb(text, bin))
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	return l
}

// heightAt asks the world how high it is at x, z, looking down from 50 m.
func heightAt(l *level.Level, x, z float64) string {
	h, ok := l.World.Ray(geom.V(x, 50, z), geom.V(0, -100, 0))
	if !ok {
		return "nothing"
	}
	return fmt.Sprintf("%.4f", h.Point.Y+0)
}

func TestAFloorAndAPlaceToStand(t *testing.T) {
	l := read(t, floorFile, floorBin())
	if l.Name != "flat" || l.Triangles != 2 || l.KillHeight != -10 || len(l.Spawns) != 1 {
		t.Fatalf("got %+v, want flat, 2 triangles, kill height −10, one spawn", l)
	}
	if s := l.Spawns[0]; s != (level.Spawn{Name: "start", Position: geom.V(1, 0, 2)}) {
		t.Errorf("spawn: got %+v, want start at 1 0 2 looking north", s)
	}
	if want := (geom.AABB{Min: geom.V(-4, 0, -4), Max: geom.V(4, 0, 4)}); l.Bounds != want {
		t.Errorf("bounds: got %v, want %v", l.Bounds, want)
	}
	for at, want := range map[[2]float64]string{{0, 0}: "0.0000", {3.9, -3.9}: "0.0000", {4.1, 0}: "nothing"} {
		if got := heightAt(l, at[0], at[1]); got != want {
			t.Errorf("height at %v: got %s, want %s", at, got, want)
		}
	}
}

// Each line is one change to the floor's file, the height that a ray straight
// down meets at (0.5, 0.25) and (−2, 3), and how much the face met there looks up.
func TestEncodingsOfAFloor(t *testing.T) {
	half := math.Sqrt(0.5)
	cases := []struct {
		name, old, new string
		near, far      string
		up             float64
	}{
		{"as it is", `"mesh":0`, `"mesh":0`, "0.0000", "0.0000", 1},
		{"moved up", `"mesh":0`, `"mesh":0,"translation":[0,2.5,0]`, "2.5000", "2.5000", 1},
		{"narrowed to 2 m and moved", `"mesh":0`, `"mesh":0,"scale":[0.25,3,2],"translation":[0,1,0]`, "1.0000", "nothing", 1},
		{"tilted by 45° about Z", `"mesh":0`, `"mesh":0,"rotation":[0,0,0.3826834323650898,0.9238795325112867]`, "0.5000", "-2.0000", half},
		{"moved by a matrix", `"mesh":0`, `"mesh":0,"matrix":[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,3,0,1]`, "3.0000", "3.0000", 1},
		{"mirrored, and still facing up", `"mesh":0`, `"mesh":0,"scale":[-1,1,1]`, "0.0000", "0.0000", 1},
		{"a strip of 8-bit indices", `"indices":1`, `"indices":2,"mode":5`, "0.0000", "0.0000", 1},
		{"a strip without indices", `"indices":1`, `"mode":5`, "0.0000", "0.0000", 1},
		{"a fan about corner 0 covers the near half", `"indices":1`, `"indices":2,"mode":6`, "0.0000", "nothing", 1},
		{"lines are not solid, so a second mesh is", `"indices":1}`, `"indices":1},{"attributes":{"POSITION":0},"mode":1}`, "0.0000", "0.0000", 1},
		{"marked in words", `"mesh":0`, `"mesh":0,"extras":{"backstep":{"collide":"mesh","walk":"always"},"else":7}`, "0.0000", "0.0000", 1},
		{"marked in text, as Blender writes it", `"mesh":0`, `"mesh":0,"extras":{"backstep":"{\"collide\":\"mesh\",\"walk\":\"never\"}"}`, "0.0000", "0.0000", 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l := read(t, change(t, c.old, c.new), floorBin())
			if got := heightAt(l, 0.5, 0.25); got != c.near {
				t.Errorf("height at 0.5, 0.25: got %s, want %s", got, c.near)
			}
			if got := heightAt(l, -2, 3); got != c.far {
				t.Errorf("height at −2, 3: got %s, want %s", got, c.far)
			}
			h, ok := l.World.Ray(geom.V(0.5, 50, 0.25), geom.V(0, -100, 0))
			if !ok || math.Abs(h.FaceNormal.Y-c.up) > 1e-9 {
				t.Errorf("the face looks %v (%v), want Y = %v", h.FaceNormal, ok, c.up)
			}
		})
	}
}

func TestABoxWithoutAMeshIsTheCubeScaledByItsNode(t *testing.T) {
	text := strings.Replace(floorFile, `"spawn":true}}}]`, `"spawn":true}},"children":[2]},
		{"name":"block","translation":[0,1,0],"rotation":[0,0.7071067811865476,0,0.7071067811865476],"scale":[3,0.5,1],"extras":{"backstep":{"collide":"box","step":"never"}}}]`, 1)
	l := read(t, text, floorBin())
	if l.Triangles != 14 {
		t.Errorf("triangles: got %d, want 2 + 12", l.Triangles)
	}
	// The parent is at 1 0 2 and the box, turned by 90°, is 2 m along X and 6 m along Z.
	for _, c := range []struct {
		x, z float64
		want string
	}{{1, 2, "1.5000"}, {0.1, 2, "1.5000"}, {1.9, 3.9, "1.5000"}, {-0.1, 2, "0.0000"}, {1, -0.9, "1.5000"}, {1, -1.1, "0.0000"}} {
		if got := heightAt(l, c.x, c.z); got != c.want {
			t.Errorf("height at %v, %v: got %s, want %s", c.x, c.z, got, c.want)
		}
	}
}

// A pyramid as a hull, from a mesh that has each corner several times.
func TestAHullIsTheCornersOfItsMesh(t *testing.T) {
	bin := floorBin()
	for i, c := range []float32{0, 3, 0} { // lift the fourth corner to make a tetrahedron
		binary.LittleEndian.PutUint32(bin[36+4*i:], math.Float32bits(c))
	}
	l := read(t, change(t, `"mesh":0`, `"mesh":0,"extras":{"backstep":{"collide":"hull"}}`), bin)
	if got := heightAt(l, -0.0001, -0.0001); got != "2.9998" && got != "2.9999" {
		t.Errorf("height at the tip: got %s, want just under 3", got)
	}
}

func TestSparseAndInterleavedAndQuantizedPositions(t *testing.T) {
	t.Run("sparse raises corner 3", func(t *testing.T) {
		bin := append(floorBin(), 3, 0, 0, 0)
		for _, c := range []float32{4, 2, 4} {
			bin = binary.LittleEndian.AppendUint32(bin, math.Float32bits(c))
		}
		text := strings.NewReplacer(`"count":4,"type":"VEC3"`,
			`"count":4,"type":"VEC3","sparse":{"count":1,"indices":{"bufferView":3,"componentType":5121},"values":{"bufferView":3,"byteOffset":4}}`,
			`"byteOffset":60,"byteLength":4}`, `"byteOffset":60,"byteLength":4},{"buffer":0,"byteOffset":64,"byteLength":16}`,
			`"byteLength":64`, `"byteLength":80`).Replace(floorFile)
		l := read(t, text, bin)
		if l.Bounds.Max.Y != 2 {
			t.Errorf("top: got %v, want 2", l.Bounds.Max.Y)
		}
	})
	t.Run("signed normalized shorts, 8 bytes apart", func(t *testing.T) {
		var bin []byte
		for _, p := range [][4]int16{{-32767, 0, -32767, 9}, {-32768, 0, 32767, 9}, {32767, 0, -32767, 9}, {32767, 0, 32767, 9}} {
			for _, c := range p {
				bin = binary.LittleEndian.AppendUint16(bin, uint16(c))
			}
		}
		bin = append(bin, floorBin()[32:]...) // the same places for what follows
		text := strings.NewReplacer(`"componentType":5126,"count":4`, `"componentType":5122,"normalized":true,"count":4`,
			`"byteLength":48}`, `"byteLength":32,"byteStride":8}`,
			`"asset"`, `"extensionsRequired":["KHR_mesh_quantization"],"asset"`,
			`"mesh":0`, `"mesh":0,"scale":[4,1,4]`).Replace(floorFile)
		l := read(t, text, bin)
		if want := (geom.AABB{Min: geom.V(-4, 0, -4), Max: geom.V(4, 0, 4)}); l.Bounds != want {
			t.Errorf("bounds: got %v, want %v", l.Bounds, want)
		}
	})
}

func TestSpawnsLookAlongTheirNegativeZ(t *testing.T) {
	h := math.Sqrt(0.5)
	for _, c := range []struct {
		rotation [4]float64
		yaw      float64
	}{
		{[4]float64{0, 0, 0, 1}, 0},
		{[4]float64{0, h, 0, h}, 1.570796},
		{[4]float64{0, -h, 0, h}, -1.570796},
		{[4]float64{0, 1, 0, 0}, -math.Pi},
		{[4]float64{0.1, 0, 0, 0.99498743710662}, 0},
	} {
		r, _ := json.Marshal(c.rotation)
		l := read(t, change(t, `"translation":[1,0,2]`, `"translation":[1,0,2],"rotation":`+string(r)), floorBin())
		if got := l.Spawns[0].Yaw; math.Abs(geom.WrapAngle(got-c.yaw)) > 2e-6 {
			t.Errorf("rotation %v: got yaw %v, want %v", c.rotation, got, c.yaw)
		}
	}
}

func TestASceneMayNameItselfAndItsKillHeight(t *testing.T) {
	l := read(t, change(t, `"name":"flat",`, `"name":"flat","extras":{"backstep":{"name":"Yard","killHeight":-3.5},"other":1},`), floorBin())
	if l.Name != "Yard" || l.KillHeight != -3.5 {
		t.Errorf("got %q, %v; want Yard, −3.5", l.Name, l.KillHeight)
	}
}
