package level_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
)

// Every value of collide, walk and step of a tetrahedron: what is solid of it, and what
// rules its surface has.
func TestMarksOfSurfaces(t *testing.T) {
	// In the tetrahedron, in its bounding box only, and beyond both.
	places := [3]geom.Vec3{{X: 0.3, Y: 0.3, Z: 0.3}, {X: 1.5, Y: 1.5, Z: 1.5}, {X: 2.5}}
	for _, c := range []struct {
		name  string
		mark  object
		solid [3]bool
		want  collide.Surface
	}{
		{"no marks", nil, [3]bool{}, collide.Surface{}},
		{"a mesh is hollow", object{"collide": "mesh"}, [3]bool{}, collide.Surface{}},
		{"a hull is full", object{"collide": "hull"}, [3]bool{true}, collide.Surface{}},
		{"a box is the box around it", object{"collide": "box"}, [3]bool{true, true}, collide.Surface{}},
		{"walkable at any slope", object{"walk": "always"}, [3]bool{}, collide.Surface{Walk: collide.Always}},
		{"never walkable", object{"walk": "never", "step": "never"}, [3]bool{}, collide.Surface{Walk: collide.Never, StepOn: collide.Never}},
		{"a step for all", object{"step": "always", "collide": "hull"}, [3]bool{true}, collide.Surface{StepOn: collide.Always}},
	} {
		var f sceneFile
		n := object{"mesh": f.tetrahedron(2)}
		if c.mark != nil {
			n["extras"] = mark(c.mark)
		}
		f.node(-1, n)
		l := f.read(t)
		if got := l.World.Surface(0); got != c.want {
			t.Errorf("%s: surface %+v, want %+v", c.name, got, c.want)
		}
		for i, p := range places {
			if got := l.World.Overlaps(geom.Capsule{A: p, B: p, Radius: 0.01}); got != c.solid[i] {
				t.Errorf("%s: solid at %v: %t, want %t", c.name, p, got, c.solid[i])
			}
		}
		// The slope x + y + z = 2 is solid in all of them, and in the box its top.
		if _, ok := l.World.Ray(geom.V(0.5, 9, 0.5), geom.V(0, -18, 0)); !ok {
			t.Errorf("%s: a ray passes through it", c.name)
		}
	}
}

// What is marked none, a spawn point or an entity is not solid, but its children are.
func TestMarksThatAreNotSolid(t *testing.T) {
	for _, m := range []object{{"collide": "none"}, {"spawn": true}, {"entity": "crate"}, {"volume": object{"kill": true}}} {
		f := new(sceneFile).ground()
		parent := f.node(-1, object{"mesh": f.tetrahedron(2), "extras": mark(m)})
		f.node(parent, object{"mesh": f.tetrahedron(2), "translation": []int{20, 0, 0}})
		l := f.read(t)
		if _, ok := l.World.Ray(geom.V(0.3, 9, 0.3), geom.V(0, -18, 0)); ok {
			t.Errorf("%v: it is solid", m)
		}
		if _, ok := l.World.Ray(geom.V(20.3, 9, 0.3), geom.V(0, -18, 0)); !ok {
			t.Errorf("%v: its child is not solid", m)
		}
	}
}

// extras are raw JSON: what other tools write there is ignored, and what is ours must be
// right. Where want is empty the file is sound, and spawns says how many spawn points it has.
func TestExtrasAsToolsWriteThem(t *testing.T) {
	for _, c := range []struct {
		extras, want string
		spawns       int
	}{
		{`null`, "", 0},
		{`7`, "", 0},
		{`"a note of the modeller"`, "", 0},
		{`["backstep"]`, "", 0},
		{`{}`, "", 0},
		{`{"prop":{"spawn":true}}`, "", 0},
		{`{"backstep":null}`, "", 0},
		{`{"backstep":{}}`, "", 0},
		{`{"backstep":{"spawn":false}}`, "", 0},
		{`{"backstep":{"spawn":true}}`, "", 1},
		{`{"backstep":{"SPAWN":true}}`, "", 1}, // encoding/json ignores the case
		{`{"backstep":"{\"spawn\":true,\"team\":2}"}`, "", 1},
		{`{"backstep":"{\"spawn\": true}  "}`, "", 1},
		{`{"backstep":""}`, "extras.backstep: it ends in the middle", 0},
		{`{"backstep":"{\"spawn\":true"}`, "extras.backstep: it ends in the middle", 0},
		{`{"backstep":"{\"spawn\":true} {}"}`, "extras.backstep: something follows the object", 0},
		{`{"backstep":"{\"spawn\":true}, \"team\":2}"}`, "extras.backstep: something follows the object", 0},
		{`{"backstep":"{\"spawn\":true}}"}`, "extras.backstep: something follows the object", 0},
		{`{"backstep":"spawn"}`, "extras.backstep: invalid character", 0},
		{`{"backstep":[]}`, "extras.backstep: json: cannot unmarshal array", 0},
		{`{"backstep":true}`, "extras.backstep: json: cannot unmarshal bool", 0},
		{`{"backstep":{"spawn":"yes"}}`, "cannot unmarshal string into Go struct field extras.Spawn", 0},
		{`{"backstep":{"team":1.5}}`, "cannot unmarshal number 1.5", 0},
		{`{"backstep":{"thing":"ball"}}`, `unknown field "thing"`, 0},
		{`{"backstep":{"mover":{}}}`, "extras.backstep.mover.path is empty", 0},
		{`{"backstep":{"volume":{"wet":true}}}`, `unknown field "wet"`, 0},
		{`{"backstep":"` + strings.Repeat(`[`, 70) + `"}`, "extras.backstep: JSON: nested deeper than 64", 0},
	} {
		text := strings.Replace(change(t, `"extras":{"backstep":{"spawn":true}}`, `"extras":`+c.extras), `"name":"start"`, `"name":"it"`, 1)
		l, err := level.Read(glb(text, floorBin()))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.extras, err)
		case c.want == "" && len(l.Spawns) != c.spawns:
			t.Errorf("%s: %d spawn points, want %d", c.extras, len(l.Spawns), c.spawns)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `node 1 "it": `)):
			t.Errorf("%s: got %v, want %q and the node", c.extras, err, c.want)
		}
	}
}

// Marks that cannot be together, and values at and beyond their bounds.
func TestBoundsAndCombinationsOfMarks(t *testing.T) {
	path := object{"path": []any{[]any{0, []int{0, 0, 0}}}}
	for _, c := range []struct {
		mark object
		want string
	}{
		{object{"spawn": true, "team": 0}, ""},
		{object{"spawn": true, "team": 255}, ""},
		{object{"spawn": true, "team": 256}, "extras.backstep.team is 256; must be 0 … 255"},
		{object{"spawn": true, "team": -1}, "extras.backstep.team is -1; must be 0 … 255"},
		{object{"team": 1}, "extras.backstep.team without spawn or entity"},
		{object{"team": 1, "collide": "box"}, "extras.backstep.team without spawn or entity"},
		{object{"entity": strings.Repeat("k", level.MaxKind)}, ""},
		{object{"entity": strings.Repeat("k", level.MaxKind+1)}, "extras.backstep.entity has more than 64 bytes"},
		{object{"entity": "ball", "spawn": true}, "extras.backstep.entity on a node that is something else too"},
		{object{"entity": "ball", "mover": path}, "extras.backstep.entity on a node that is something else too"},
		{object{"entity": "ball", "volume": object{}}, "extras.backstep.entity on a node that is something else too"},
		{object{"mover": path, "spawn": true}, "extras.backstep.mover on a node that is a spawn point or a volume too"},
		{object{"mover": path, "volume": object{}}, "extras.backstep.mover on a node that is a spawn point or a volume too"},
		{object{"volume": object{}, "spawn": true}, "extras.backstep.volume on a node that is a spawn point too"},
		{object{"collide": "sphere"}, `extras.backstep.collide is "sphere"; must be mesh, box, hull or none`},
		{object{"collide": strings.Repeat("x", 200)}, `extras.backstep.collide is "` + strings.Repeat("x", 60) + `…"`},
		{object{"collide": "mesh"}, "collide mesh without a mesh"},
		{object{"walk": "yes"}, `extras.backstep.walk is "yes"; must be always or never`},
		{object{"step": "no"}, `extras.backstep.step is "no"; must be always or never`},
	} {
		f := new(sceneFile).ground()
		f.node(-1, object{"name": "it", "extras": mark(c.mark)})
		_, err := level.Read(f.bytes())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), `level: node 1 "it": `+c.want)) {
			t.Errorf("%v: got %v, want %q", c.mark, err, c.want)
		}
	}
}

// Marks of the scene: its name, its kill height and nothing else.
func TestMarksOfTheScene(t *testing.T) {
	for _, c := range []struct {
		mark string
		name string
		kill float64
		want string
	}{
		{`{}`, "plain", -911, ""}, // the ground's lower side is at −901
		{`{"name":"Yard"}`, "Yard", -911, ""},
		{`{"killHeight":0}`, "plain", 0, ""},
		{`{"killHeight":12.5,"name":""}`, "plain", 12.5, ""},
		{`{"killheight":-3}`, "plain", -3, ""},
		{`{"spawn":true}`, "", 0, `scene "plain": extras.backstep: json: unknown field "spawn"`},
		{`{"killHeight":"low"}`, "", 0, `scene "plain": extras.backstep: json: cannot unmarshal string`},
	} {
		f := new(sceneFile).ground()
		f.scene = object{"name": "plain", "extras": object{"backstep": c.mark}}
		l, err := level.Read(f.bytes())
		switch {
		case c.want != "":
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want %q", c.mark, err, c.want)
			}
		case err != nil:
			t.Errorf("%s: %v", c.mark, err)
		case l.Name != c.name || l.KillHeight != c.kill:
			t.Errorf("%s: %q, kill height %v; want %q, %v", c.mark, l.Name, l.KillHeight, c.name, c.kill)
		}
	}
}

// Of several scenes the default one is read, and nodes of no scene are not.
func TestOtherScenesAreNotRead(t *testing.T) {
	for scene, want := range map[string]string{`"scene":0,`: "flat", `"scene":1,`: "other", ``: "flat"} {
		text := strings.Replace(floorFile, `"scene":0,`, scene, 1)
		text = strings.Replace(text, `"nodes":[0,1]}]`, `"nodes":[0,1]},{"name":"other","nodes":[0]}]`, 1)
		l := read(t, text, floorBin())
		if l.Name != want || len(l.Spawns) != map[string]int{"flat": 1, "other": 0}[want] {
			t.Errorf("%q: scene %q with %d spawn points, want %q", scene, l.Name, len(l.Spawns), want)
		}
	}
}

// Counts at their limit are read; one more is an error that names the limit.
func TestCountsAtTheirLimits(t *testing.T) {
	many := func(n int, extras object) *sceneFile {
		f := new(sceneFile).ground()
		for range n {
			f.node(-1, object{"extras": extras})
		}
		return f
	}
	path := object{"path": []any{[]any{0, []int{0, 0, 0}}}}
	movers := func(n int) *sceneFile {
		f := new(sceneFile).ground()
		for i := range n {
			f.node(-1, object{"name": fmt.Sprint("lift ", i), "extras": mark(object{"collide": "box", "mover": path})})
		}
		return f
	}
	chain := func(depth int) *sceneFile {
		f, at := new(sceneFile).ground(), -1
		for range depth {
			at = f.node(at, object{})
		}
		return f
	}
	hull := func(corners int) *sceneFile {
		f := new(sceneFile)
		var points []geom.Vec3
		var order []uint16
		for i := range corners { // on a helix: no four in a plane
			sin, cos := geom.SinCos(float64(i))
			points = append(points, geom.V(cos, float64(i)*0.01, sin))
			if i >= 2 {
				order = append(order, uint16(i-2), uint16(i-1), uint16(i))
			}
		}
		f.node(-1, object{"mesh": f.mesh(points, order...), "extras": mark(object{"collide": "hull"})})
		return f
	}
	keys := func(n int) *sceneFile {
		var list []any
		for i := range n {
			list = append(list, []any{i, []int{0, i % 2, 0}})
		}
		f := new(sceneFile).ground()
		f.node(-1, object{"extras": mark(object{"collide": "box", "mover": object{"name": "lift", "path": list}})})
		return f
	}
	for _, c := range []struct {
		name string
		at   *sceneFile
		over *sceneFile
		want string
	}{
		{"spawn points", many(level.MaxSpawns, mark(object{"spawn": true})), many(level.MaxSpawns+1, mark(object{"spawn": true})), "more than 1000 spawn points"},
		{"entities", many(level.MaxEntities, mark(object{"entity": "ball"})), many(level.MaxEntities+1, mark(object{"entity": "ball"})), "more than 1000 entities"},
		{"volumes", many(collide.MaxVolumes, mark(object{"volume": object{"water": true}})), many(collide.MaxVolumes+1, mark(object{"volume": object{"water": true}})), "more than 1000 volumes"},
		{"movers", movers(collide.MaxMovers), movers(collide.MaxMovers + 1), "more than 1000 movers"},
		{"nodes", many(level.MaxNodes-1, nil), many(level.MaxNodes, nil), "20001 nodes, more than the 20000"},
		{"depth", chain(level.MaxDepth), chain(level.MaxDepth + 1), "is nested deeper than 64"},
		{"corners of a hull", hull(level.MaxHullPoints), hull(level.MaxHullPoints + 1), "collide hull: more than 256 different corners"},
		{"keys of a path", keys(collide.MaxKeys), keys(collide.MaxKeys + 1), "path has 4097 keys, more than 4096"},
	} {
		if _, err := level.Read(c.at.bytes()); err != nil {
			t.Errorf("%s at the limit: %v", c.name, err)
		}
		if _, err := level.Read(c.over.bytes()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s beyond the limit: got %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := level.Read(make([]byte, level.MaxFile+1)); err == nil || !strings.Contains(err.Error(), "the file has 67108865 bytes, more than the 67108864") {
		t.Errorf("a file beyond the limit: %v", err)
	}
}

// Marks on a mesh, where Blender's object data properties go, would have no effect: the error says
// where they belong. Extras of other tools may be there.
func TestMarksOnAMesh(t *testing.T) {
	for _, c := range []struct {
		extras object
		want   string
	}{
		{object{"tool": 7}, ""},
		{mark(object{"collide": "none"}), "mesh 0 \"fence\": extras.backstep is on the mesh: move it to the node"},
	} {
		f := new(sceneFile).ground()
		f.node(-1, object{"name": "gate", "mesh": f.tetrahedron(2)})
		f.meshes[0]["name"], f.meshes[0]["extras"] = "fence", c.extras
		_, err := level.Read(f.bytes())
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) || err != nil && !strings.Contains(got, `node 1 "gate"`) {
			t.Errorf("%v: got %q, want %q and the node", c.extras, got, c.want)
		}
	}
}
