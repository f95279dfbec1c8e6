package level_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/level"
)

// Each line is one change to the floor's file and the words the error must have:
// what is wrong, and where.
var broken = []struct{ name, old, new, want string }{
	{"cut off JSON", `"buffers":[{"byteLength":64}]}`, `"buffers":[{"byteLength":64}`, "JSON: byte "},
	{"a word for a number", `"count":6`, `"count":"six"`, "Accessors.Count"},
	{"half a vertex", `"count":6`, `"count":6.5`, "Accessors.Count"},
	{"nested too deep", `"scene":0`, `"scene":0,"extras":` + strings.Repeat("[", 70) + strings.Repeat("]", 70), "nested deeper"},
	{"glTF 1", `"version":"2.0"`, `"version":"1.0"`, `asset.version is "1.0"`},
	{"glTF of tomorrow", `"version":"2.0"`, `"version":"2.1","minVersion":"2.1"`, "asset.minVersion"},
	{"Draco", `"scene":0`, `"scene":0,"extensionsRequired":["KHR_draco_mesh_compression"]`, "KHR_draco_mesh_compression: compressed"},
	{"meshopt", `"scene":0`, `"scene":0,"extensionsRequired":["EXT_meshopt_compression"]`, "EXT_meshopt_compression: compressed"},
	{"an extension nobody knows", `"scene":0`, `"scene":0,"extensionsRequired":["ACME_portal"]`, `"ACME_portal", which is not read`},
	{"GPU instancing", `"mesh":0`, `"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{}}`, `node 0 "floor": uses EXT_mesh_gpu_instancing`},
	{"a buffer elsewhere", `[{"byteLength":64}]`, `[{"byteLength":64,"uri":"../../etc/passwd"}]`, `buffer 0 has the URI "../../etc/passwd"`},
	{"a buffer in text", `[{"byteLength":64}]`, `[{"byteLength":64},{"byteLength":1,"uri":"data:,x"}]`, "buffer 1 has the URI"},
	{"a second buffer", `[{"byteLength":64}]`, `[{"byteLength":64},{"byteLength":4}]`, "buffer 1 has no bytes"},
	{"a null buffer", `[{"byteLength":64}]`, `[null]`, "bufferView 0"},
	{"no buffer", `[{"byteLength":64}]`, `[]`, "buffer 0 does not exist"},
	{"a buffer larger than its chunk", `{"byteLength":64}`, `{"byteLength":4000000000}`, "buffer 0 says 4000000000 bytes"},
	{"a negative buffer", `{"byteLength":64}`, `{"byteLength":-1}`, "buffer 0 says -1 bytes"},
	{"an image elsewhere", `"scene":0`, `"scene":0,"images":[{"uri":"http://tracker/pixel.png"}]`, "image 0 is outside the file"},
	{"no such scene", `"scene":0`, `"scene":3`, "scene 3 does not exist"},
	{"no such node", `"nodes":[0,1]`, `"nodes":[0,7]`, "node 7 does not exist"},
	{"a negative node", `"nodes":[0,1]`, `"nodes":[-1]`, "node -1 does not exist"},
	{"a node that is its own child", `"mesh":0`, `"mesh":0,"children":[0]`, `node 0 "floor": is reached twice`},
	{"two parents", `"mesh":0`, `"mesh":0,"children":[1]`, `node 1 "start": is reached twice`},
	{"a null node", `"nodes":[{"name":"floor","mesh":0},`, `"nodes":[null,`, "nothing in it is solid"},
	{"no such mesh", `"mesh":0`, `"mesh":4`, "mesh 4 does not exist"},
	{"two ways to be placed", `"mesh":0`, `"mesh":0,"scale":[1,1,1],"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]`, "both a matrix and"},
	{"a short matrix", `"mesh":0`, `"mesh":0,"matrix":[1,0,0,0]`, "matrix: 4 numbers"},
	{"a perspective matrix", `"mesh":0`, `"mesh":0,"matrix":[1,0,0,0.5,0,1,0,0,0,0,1,0,0,0,0,1]`, "last row"},
	{"a turn of no length", `"mesh":0`, `"mesh":0,"rotation":[0,0,0,0]`, `node 0 "floor": rotation`},
	{"a flat place", `"translation":[1,0,2]`, `"translation":[1,0]`, "translation: 2 numbers"},
	{"a place beyond everything", `"mesh":0`, `"mesh":0,"translation":[0,1e300,0]`, "mesh 0: vertex 0 is 1e+300 m from the origin"},
	{"a scale that overflows", `"mesh":0`, `"mesh":0,"scale":[1e308,1e308,1e308]`, `node 0 "floor": mesh 0: vertex 0`},
	{"a spawn beyond everything", `"translation":[1,0,2]`, `"translation":[0,-20000,0]`, `node 1 "start"`},
	{"a spawn that looks down", `"translation":[1,0,2]`, `"rotation":[-0.7071067811865476,0,0,0.7071067811865476]`, "straight up or down"},
	{"a misspelt mark", `"mesh":0`, `"mesh":0,"extras":{"backstep":{"colide":"box"}}`, `unknown field "colide"`},
	{"a shape nobody knows", `"mesh":0`, `"mesh":0,"extras":{"backstep":{"collide":"blob"}}`, `collide is "blob"`},
	{"a rule nobody knows", `"mesh":0`, `"mesh":0,"extras":{"backstep":{"walk":"sometimes"}}`, `walk is "sometimes"`},
	{"marks that end early", `"mesh":0`, `"mesh":0,"extras":{"backstep":"{\"collide\":"}`, "extras.backstep"},
	{"marks that are a number", `"mesh":0`, `"mesh":0,"extras":{"backstep":3}`, "extras.backstep"},
	{"an entity that is a spawn point too", `{"spawn":true}`, `{"spawn":true,"entity":"ball"}`, "entity on a node that is something else"},
	{"an entity on its back", `"translation":[1,0,2],"extras":{"backstep":{"spawn":true}}`, `"rotation":[-0.7071067811865476,0,0,0.7071067811865476],"extras":{"backstep":{"entity":"ball"}}`, "straight up or down"},
	{"a team of nobody", `"mesh":0`, `"mesh":0,"extras":{"backstep":{"team":2}}`, "team without spawn"},
	{"a team out of range", `{"spawn":true}`, `{"spawn":true,"team":900}`, "team is 900"},
	{"a flat box", `"mesh":0`, `"mesh":0,"extras":{"backstep":{"collide":"box"}}`, "thinner than a millimetre"},
	{"a box without extent", `"mesh":0`, `"scale":[1,0,1],"extras":{"backstep":{"collide":"box"}}`, "its scale makes it flat"},
	{"a sheared box", `"mesh":0`, `"matrix":[1,0,0,0,1,1,0,0,0,0,1,0,0,0,0,1],"extras":{"backstep":{"collide":"box"}}`, "sheared"},
	{"a flat hull", `"mesh":0`, `"mesh":0,"extras":{"backstep":{"collide":"hull"}}`, "collide hull"},
	{"a hull of nothing", `"mesh":0`, `"extras":{"backstep":{"collide":"hull"}}`, "collide hull without a mesh"},
	{"a skin that collides", `"mesh":0`, `"mesh":0,"skin":0`, "skinned mesh"},
	{"no POSITION", `"POSITION"`, `"NORMAL"`, `mesh 0 "square", primitive 0: has no POSITION`},
	{"no such mode", `"indices":1`, `"indices":1,"mode":9`, "mode 9"},
	{"a loose end", `"count":6`, `"count":5`, "5 indices are not whole triangles"},
	{"no such accessor", `"indices":1`, `"indices":9`, "accessor 9 does not exist"},
	{"indices that are points", `"indices":1`, `"indices":0`, `accessor 0: type "VEC3"; must be SCALAR`},
	{"points that are indices", `"POSITION":0`, `"POSITION":1`, `accessor 1: type "SCALAR"; must be VEC3`},
	{"a component that does not exist", `"componentType":5126`, `"componentType":5124`, "componentType 5124"},
	{"unsigned ints for points", `"componentType":5126`, `"componentType":5125`, "accessor 0"},
	{"floats for indices", `"componentType":5123,"count":6`, `"componentType":5126,"count":3`, "accessor 1: componentType 5126"},
	{"an index past the points", `"byteOffset":48,"byteLength":12`, `"byteOffset":0,"byteLength":48`, "accessor 1: index 1 is vertex 49280 of 4"},
	{"no points", `"count":4,"type":"VEC3"`, `"count":0,"type":"VEC3"`, "accessor 0: count 0"},
	{"fewer than none", `"count":4,"type":"VEC3"`, `"count":-4,"type":"VEC3"`, "accessor 0: count -4"},
	{"more points than bytes", `"count":4,"type":"VEC3"`, `"count":5,"type":"VEC3"`, "bufferView 0 has 48"},
	{"more points than memory", `"count":4,"type":"VEC3"`, `"count":9000000000000000000,"type":"VEC3"`, "out of range"},
	{"zeros without bytes", `{"bufferView":0,"componentType"`, `{"componentType"`, "accessor 0: has no bufferView"},
	{"an offset past the view", `{"bufferView":0,`, `{"bufferView":0,"byteOffset":8,`, "bufferView 0 has 48"},
	{"a negative offset", `{"bufferView":0,`, `{"bufferView":0,"byteOffset":-8,`, "out of range"},
	{"no such view", `"bufferView":0`, `"bufferView":8`, "accessor 0: bufferView 8"},
	{"a view past the buffer", `{"buffer":0,"byteLength":48}`, `{"buffer":0,"byteOffset":32,"byteLength":48}`, "bufferView 0: bytes 32 + 48"},
	{"a view that wraps around", `{"buffer":0,"byteLength":48}`, `{"buffer":0,"byteOffset":48,"byteLength":9223372036854775807}`, "bufferView 0"},
	{"a view of another buffer", `{"buffer":0,"byteLength":48}`, `{"buffer":3,"byteLength":48}`, "buffer 3 does not exist"},
	{"a stride within the element", `{"buffer":0,"byteLength":48}`, `{"buffer":0,"byteLength":48,"byteStride":8}`, "byteStride 8 is less"},
	{"a stride beyond the format", `{"buffer":0,"byteLength":48}`, `{"buffer":0,"byteLength":48,"byteStride":4096}`, "byteStride 4096"},
	{"a negative stride", `{"buffer":0,"byteLength":48}`, `{"buffer":0,"byteLength":48,"byteStride":-12}`, "byteStride -12"},
	{"sparse past the points", `"count":4,"type":"VEC3"`, `"count":4,"type":"VEC3","sparse":{"count":1,"indices":{"bufferView":2,"byteOffset":1,"componentType":5121},"values":{"bufferView":0}}`, ""},
	{"sparse of more than there are", `"count":4,"type":"VEC3"`, `"count":4,"type":"VEC3","sparse":{"count":5,"indices":{"bufferView":2,"componentType":5121},"values":{"bufferView":0}}`, "accessor 0: sparse: count 5"},
	{"sparse in floats", `"count":4,"type":"VEC3"`, `"count":4,"type":"VEC3","sparse":{"count":1,"indices":{"bufferView":2,"componentType":5126},"values":{"bufferView":0}}`, "sparse: indices: componentType 5126"},
	{"sparse values that are not there", `"count":4,"type":"VEC3"`, `"count":4,"type":"VEC3","sparse":{"count":1,"indices":{"bufferView":2,"componentType":5121},"values":{"bufferView":1,"byteOffset":4}}`, "sparse: values"},
	{"sparse to a far index", `"count":4,"type":"VEC3"`, `"count":4,"type":"VEC3","sparse":{"count":1,"indices":{"bufferView":0,"byteOffset":2,"componentType":5121},"values":{"bufferView":0}}`, "of 4 points"},
}

func TestBrokenFilesNameTheFault(t *testing.T) {
	for _, c := range broken {
		t.Run(c.name, func(t *testing.T) {
			_, err := level.Read(glb(change(t, c.old, c.new), floorBin()))
			if c.want == "" {
				if err != nil {
					t.Fatalf("got %v, want no error: this one is sound", err)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), "level: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error of level with %q", err, c.want)
			}
		})
	}
}

func TestBrokenContainers(t *testing.T) {
	whole := glb(floorFile, floorBin())
	put := func(at int, v uint32) []byte {
		b := append([]byte(nil), whole...)
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
	nan := floorBin()
	binary.LittleEndian.PutUint32(nan[4:], 0x7FC00000)
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"nothing", nil, "not a .glb"},
		{"a .gltf", []byte(floorFile), "not a .glb"},
		{"another version", put(4, 1), "version 1"},
		{"cut off", whole[:len(whole)-3], "the header says"},
		{"something behind it", append(append([]byte(nil), whole...), 0), "the header says"},
		{"a chunk past the end", put(12, 0xFFFFFFF0), "chunk 0 at byte 12: says 4294967280 bytes"},
		{"the first chunk is no JSON", put(16, 0x004E4942), "the first must be JSON"},
		{"no chunk", func() []byte { b := append([]byte(nil), whole[:12]...); b[8], b[9] = 12, 0; return b }(), "no JSON chunk"},
		{"a chunk header cut off", func() []byte { b := append([]byte(nil), whole[:16]...); b[8], b[9] = 16, 0; return b }(), "its header is cut off"},
		{"no binary chunk", glb(floorFile, nil), "buffer 0 says 64 bytes and the binary chunk has 0"},
		{"a point that is no number", glb(floorFile, nan), "accessor 0: element 0 is not finite"},
		{"braces without end", glb(`{"nodes":[`+strings.Repeat("{},", 250_000)+`{}]}`, nil), "more than 200000 objects"},
	} {
		if _, err := level.Read(c.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

// A small file that asks for much: the limits stop it before memory does.
func TestLimitsHoldBeforeMemory(t *testing.T) {
	var nodes, roots, primitives []string
	for i := range 2000 {
		nodes = append(nodes, `{"mesh":0}`)
		roots = append(roots, fmt.Sprint(i))
		primitives = append(primitives, `{"attributes":{"POSITION":0},"mode":5}`)
	}
	many := strings.NewReplacer(`"nodes":[0,1]`, `"nodes":[`+strings.Join(roots, ",")+`]`,
		`"nodes":[{"name":"floor","mesh":0},{"name":"start","translation":[1,0,2],"extras":{"backstep":{"spawn":true}}}]`, `"nodes":[`+strings.Join(nodes, ",")+`]`,
		`[{"attributes":{"POSITION":0},"indices":1}]`, `[`+strings.Join(primitives, ",")+`]`).Replace(floorFile)
	if _, err := level.Read(glb(many, floorBin())); err == nil || !strings.Contains(err.Error(), "triangles the level has more than") {
		t.Errorf("2,000 copies of 4,000 triangles: got %v, want the limit on triangles", err)
	}

	deep := `{"name":"floor","mesh":0,"children":[2]},{"name":"start"}`
	for i := range 80 {
		deep += fmt.Sprintf(`,{"children":[%d]}`, i+3)
	}
	deep += `,{}`
	text := strings.Replace(floorFile, `{"name":"floor","mesh":0},{"name":"start","translation":[1,0,2],"extras":{"backstep":{"spawn":true}}}`, deep, 1)
	if _, err := level.Read(glb(text, floorBin())); err == nil || !strings.Contains(err.Error(), "nested deeper than 64") {
		t.Errorf("80 deep: got %v, want the limit on depth", err)
	}

	spawns := strings.Repeat(`{"extras":{"backstep":{"spawn":true}}},`, level.MaxSpawns+1)
	for i := range 2 {
		roots[i] = fmt.Sprint(i)
	}
	text = strings.Replace(floorFile, `{"name":"start"`, spawns+`{"name":"start"`, 1)
	text = strings.Replace(text, `"nodes":[0,1]`, `"nodes":[`+strings.Join(roots[:level.MaxSpawns+2], ",")+`]`, 1)
	if _, err := level.Read(glb(text, floorBin())); err == nil || !strings.Contains(err.Error(), "more than 1000 spawn points") {
		t.Errorf("1,001 spawns: got %v, want the limit on spawns", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(glb(floorFile, floorBin()))
	for _, c := range broken {
		f.Add(glb(change(f, c.old, c.new), floorBin()))
	}
	if b, err := os.ReadFile("../examples/arena/assets/arena.glb"); err == nil {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := level.Read(b)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "level: ") {
				t.Errorf("the error does not say where it is from: %v", err)
			}
			return
		}
		if l.World == nil || !l.Bounds.Min.Finite() || !l.Bounds.Max.Finite() {
			t.Errorf("read without an error, and incomplete: %+v", l)
		}
		for _, s := range l.Spawns {
			if !s.Position.Finite() || !(math.Abs(s.Yaw) <= math.Pi) {
				t.Errorf("spawn %+v", s)
			}
		}
	})
}

// FuzzDescription fuzzes the JSON alone, in a container that is always sound, so
// that the time goes into what the JSON says.
func FuzzDescription(f *testing.F) {
	f.Add(floorFile)
	for _, c := range broken {
		f.Add(change(f, c.old, c.new))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if l, err := level.Read(glb(text, floorBin())); err == nil && l.World == nil {
			t.Error("read without an error, and without a world")
		}
	})
}
