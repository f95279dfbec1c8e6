package level_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/rig"
)

// mastFile is a figure of two bones as a tool may export it: in centimetres, below an
// armature that stands on its side, with a clip of each kind of interpolation. Bytes 0 … 11
// of the buffer are the times 0, 0.5, 1; then come four turns about X, and so on.
const mastFile = `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
"nodes":[
 {"name":"Armature","children":[1],"scale":[0.01,0.01,0.01],"rotation":[0.7071067811865476,0,0,0.7071067811865476]},
 {"name":"hull","children":[2,3],"translation":[0,0,-50],"rotation":[-0.7071067811865476,0,0,0.7071067811865476]},
 {"name":"mast","children":[4],"translation":[0,60,0]},
 {"name":"deck","extras":{"backstep":{"hitbox":{"group":"body","shape":"box","size":[40,20,80]}}}},
 {"name":"top","translation":[0,40,0],"extras":{"backstep":{"hitbox":{"group":"head","shape":"capsule","radius":10,"length":50,"prop":2}}}}],
"skins":[{"joints":[2,1]}],
"animations":[
 {"name":"idle","channels":[{"sampler":0,"target":{"node":2,"path":"rotation"}}],"samplers":[{"input":0,"output":1}]},
 {"name":"walk","extras":{"backstep":{"clip":{"stride":3.2,"keys":8}}},"channels":[{"sampler":0,"target":{"node":2,"path":"rotation"}},{"sampler":1,"target":{"node":1,"path":"translation"}}],"samplers":[{"input":0,"output":1,"interpolation":"STEP"},{"input":0,"output":2,"interpolation":"CUBICSPLINE"}]},
 {"name":"nod","extras":{"backstep":"{\"clip\":{\"motion\":7,\"fade\":0.1,\"hold\":true}}"},"channels":[{"sampler":0,"target":{"node":2,"path":"rotation"}},{"sampler":1,"target":{"node":1,"path":"scale"}}],"samplers":[{"input":0,"output":1},{"input":0,"output":3}]}],
"accessors":[
 {"bufferView":0,"componentType":5126,"count":3,"type":"SCALAR"},
 {"bufferView":1,"componentType":5126,"count":3,"type":"VEC4"},
 {"bufferView":2,"componentType":5126,"count":9,"type":"VEC3"},
 {"bufferView":3,"componentType":5126,"count":3,"type":"VEC3"}],
"bufferViews":[{"buffer":0,"byteLength":12},{"buffer":0,"byteOffset":12,"byteLength":48},{"buffer":0,"byteOffset":60,"byteLength":108},{"buffer":0,"byteOffset":168,"byteLength":36}],
"buffers":[{"byteLength":204}]}`

// mastBin has the mast upright, forward by 0.4 rad and upright again; the hull go down by
// 10 cm and up again, evenly at both ends; and scales of one.
func mastBin() []byte {
	var b []byte
	put := func(v ...float64) {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
		}
	}
	put(0, 0.5, 1)
	for _, a := range []float64{0, -0.4, 0} {
		q := geom.AxisAngle(geom.V(1, 0, 0), a)
		put(q.X, q.Y, q.Z, q.W)
	}
	for _, z := range []float64{-50, -40, -50} {
		put(0, 0, 0, 0, 0, z, 0, 0, 0)
	}
	put(1, 1, 1, 1, 1, 1, 1, 1, 1)
	return b
}

func mast(t testing.TB) *rig.Rig {
	t.Helper()
	r, err := level.ReadRig(glb(mastFile, mastBin()))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What a tool exports below an armature that is scaled and turned is upright and in metres.
// [HIS-03]
func TestARigIsReadAsTheToolShowsIt(t *testing.T) {
	r := mast(t)
	if b := r.Bones(); len(b) != 2 || b[0].Name != "hull" || b[1].Name != "mast" || b[1].Parent != 0 {
		t.Fatalf("bones %+v, want hull and mast on it, whatever the skin's order", b)
	}
	if v := r.Hitboxes(); len(v) != 2 || v[0].Name != "deck" || v[1].HitGroup != rig.Head || v[1].Prop != 2 ||
		math.Abs(v[1].Half.Y-0.15) > 1e-9 || math.Abs(v[1].Radius-0.1) > 1e-9 || v[0].Half.Dist(geom.V(0.2, 0.1, 0.4)) > 1e-9 {
		t.Errorf("hitboxes %+v, want a deck of 0.4 × 0.2 × 0.8 m and a top 0.5 m long", v)
	}
	var f rig.PosedRig
	for _, c := range []struct {
		what      string
		p         rig.Posture
		hull, top geom.Vec3
	}{
		{"at rest", rig.Posture{}, geom.V(0, 0.5, 0), geom.V(0, 1.5, 0)},
		{"half way through the walk", rig.Posture{Forward: 6, StrideDistance: 1.6}, geom.V(0, 0.4, 0), tip(0.4, 0.4)},
		{"at the walk's third key of eight: the bend is half way, the turn not yet", rig.Posture{Forward: 6, StrideDistance: 0.8}, geom.V(0, 0.45, 0), tip(0.45, 0)},
		{"in the middle of the nod", rig.Posture{Clip: 7, ClipTime: 500_000}, geom.V(0, 0.5, 0), tip(0.5, 0.4)},
		{"long after the nod", rig.Posture{Clip: 7, ClipTime: 9_000_000}, geom.V(0, 0.5, 0), geom.V(0, 1.5, 0)},
	} {
		c.p.Props = 2
		f.Pose(r, &c.p)
		top := f.Solids[1].A.Add(f.Solids[1].B).Mul(0.5)
		if f.Bones[0].Translation.Dist(c.hull) > 2e-3 || top.Dist(c.top) > 2e-3 {
			t.Errorf("%s: the hull is at %.3v and the top at %.3v, want %v and %.3v", c.what, f.Bones[0].Translation, top, c.hull, c.top)
		}
	}
}

// tip is where the top is when the mast leans ahead by an angle on a hull of that height.
func tip(hull, angle float64) geom.Vec3 {
	s, c := geom.SinCos(angle)
	return geom.V(0, hull+0.6+0.4*c, -0.4*s)
}

// Each line is one change to the mast's file and the words the error must have.
var brokenRigs = []struct{ name, old, new, want string }{
	{"no skin", `"skins":[{"joints":[2,1]}]`, `"skins":[]`, "no skin"},
	{"a joint that is no node", `"joints":[2,1]`, `"joints":[2,9]`, "skin 0: joint 9 is no node"},
	{"a joint twice", `"joints":[2,1]`, `"joints":[2,2]`, "skin 0: joint 2 is there twice"},
	{"no joint", `"joints":[2,1]`, `"joints":[]`, "a hitbox that is not a child of a joint"},
	{"two roots", `"joints":[2,1]`, `"joints":[2,3]`, "is a second joint whose parent is none"},
	{"joints in words", `"joints":[2,1]`, `"joints":"all"`, "JSON"},
	{"a node that is its own child", `"children":[2,3]`, `"children":[2,3,0]`, "its own ancestor"},
	{"two parents", `"children":[2,3]`, `"children":[2,3,4]`, `node 4 "top": has two parents`},
	{"no such child", `"children":[2,3]`, `"children":[2,30]`, `node 1 "hull": child 30`},
	{"a scaled bone", `"name":"mast"`, `"name":"mast","scale":[2,2,2]`, `node 2 "mast": a bone is scaled`},
	{"an uneven armature", `"scale":[0.01,0.01,0.01]`, `"scale":[0.01,0.02,0.01]`, "scaled unevenly"},
	{"a hitbox in the air", `"children":[4],"translation":[0,60,0]`, `"translation":[0,60,0]`, `node 4 "top": a hitbox that is not a child of a joint`},
	{"a scaled hitbox", `"name":"top"`, `"name":"top","scale":[2,2,2]`, `node 4 "top": a hitbox is scaled`},
	{"a group nobody knows", `"group":"head"`, `"group":"nose"`, `node 4 "top": extras.backstep.hitbox.group is "nose"`},
	{"a shape nobody knows", `"shape":"capsule"`, `"shape":"cone"`, `extras.backstep.hitbox.shape is "cone"`},
	{"a misspelt mark", `"group":"head"`, `"tga":"head"`, `unknown field "tga"`},
	{"a ball of nothing", `"radius":10`, `"radius":0`, "extras.backstep.hitbox.radius is 0"},
	{"a capsule that is none", `"length":50`, `"length":15`, "extras.backstep.hitbox.length is 15"},
	{"a box of two sides", `"size":[40,20,80]`, `"size":[40,20]`, "size has 2 numbers"},
	{"a flat box", `"size":[40,20,80]`, `"size":[40,0,80]`, `hitbox 0 "deck": half its size`},
	{"a house of a box", `"size":[40,20,80]`, `"size":[40,20,9000]`, `hitbox 0 "deck": half its size`},
	{"a ninth prop", `"prop":2`, `"prop":9`, "prop is 9"},
	{"a clip nobody asks for", `"name":"idle"`, `"name":"idel"`, `animation 0 "idel": extras.backstep.clip.motion is missing`},
	{"a clip twice", `"name":"walk","extras":{"backstep":{"clip":{"stride":3.2,"keys":8}}}`, `"name":"idle"`, `clip 1 "idle": another clip has the same name`},
	{"a stride of nothing", `"stride":3.2`, `"stride":0.01`, "stride is 0.01 m"},
	{"a stride of a motion", `\"motion\":7`, `\"motion\":7,\"stride\":2`, "stride on a clip that is no gait"},
	{"a motion too far", `\"motion\":7`, `\"motion\":700`, "motion is 700"},
	{"a long fade", `\"fade\":0.1`, `\"fade\":3`, "fade is 3 s"},
	{"more keys than a clip has", `"keys":8`, `"keys":80`, "keys is 80"},
	{"a hitbox on an animation", `"clip":{"stride":3.2,"keys":8}`, `"hitbox":{"group":"head"}`, "extras.backstep.hitbox belongs to a node"},
	{"a clip on a node", `"hitbox":{"group":"head","shape":"capsule","radius":10,"length":50,"prop":2}`, `"clip":{}`, "extras.backstep.clip belongs to an animation"},
	{"a bone that shrinks", `{"bufferView":3,`, `{"bufferView":2,`, `channel 1: scales bone "hull"`},
	{"two that shift", `"target":{"node":1,"path":"scale"}`, `"target":{"node":2,"path":"translation"}`, `animation 2 "nod": shifts bone "mast" where another shifts "hull"`},
	{"a path nobody knows", `"path":"scale"`, `"path":"colour"`, `channel 1: path is "colour"`},
	{"no such sampler", `{"sampler":1,"target":{"node":1,"path":"scale"}}`, `{"sampler":4,"target":{"node":1,"path":"scale"}}`, "sampler 4 does not exist"},
	{"no such accessor", `"samplers":[{"input":0,"output":1}]}`, `"samplers":[{"input":9,"output":1}]}`, "sampler 0: input: accessor 9"},
	{"turns of three numbers", `"samplers":[{"input":0,"output":1}]}`, `"samplers":[{"input":0,"output":3}]}`, "sampler 0: output: accessor 3"},
	{"fewer turns than times", `"count":3,"type":"VEC4"`, `"count":2,"type":"VEC4"`, "3 times and 2 values"},
	{"more turns than bytes", `"count":3,"type":"VEC4"`, `"count":3000000,"type":"VEC4"`, "bufferView 1 has 48"},
	{"times that fall", `{"bufferView":0,"componentType":5126,"count":3`, `{"bufferView":1,"componentType":5126,"count":3`, ""},
	{"an interpolation nobody knows", `"interpolation":"STEP"`, `"interpolation":"JUMP"`, `interpolation is "JUMP"`},
	{"an animation of nothing", `"samplers":[{"input":0,"output":1}]},`, `"samplers":[]},{"name":"run","channels":[],"samplers":[]},`, ""},
}

func TestBrokenRigsNameTheFault(t *testing.T) { // HIS-03
	for _, c := range brokenRigs {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(mastFile, c.old) {
				t.Fatalf("the file has no %s to change", c.old)
			}
			_, err := level.ReadRig(glb(strings.Replace(mastFile, c.old, c.new, 1), mastBin()))
			if err == nil || !strings.HasPrefix(err.Error(), "level: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error of level with %q", err, c.want)
			}
		})
	}
	for _, c := range []struct {
		name string
		at   int
		v    uint32
		want string
	}{
		{"a turn that is no number", 12, 0x7FC00000, "accessor 1: element 0 is not finite"},
		{"times that fall", 4, math.Float32bits(7), "do not rise"},
		{"times before the beginning", 0, math.Float32bits(-7), "do not rise"},
		{"a mast upside down", 28, math.Float32bits(1e9), "is rotated more than 174°"},
	} {
		b := mastBin()
		binary.LittleEndian.PutUint32(b[c.at:], c.v)
		if _, err := level.ReadRig(glb(mastFile, b)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

func FuzzReadRig(f *testing.F) {
	f.Add(mastFile, mastBin())
	f.Fuzz(func(t *testing.T, text string, bin []byte) {
		r, err := level.ReadRig(glb(text, bin))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "level: ") {
				t.Errorf("the error does not say where it is from: %v", err)
			}
			return
		}
		again, err := rig.Unpack(r.Append(nil))
		if err != nil {
			t.Fatalf("what was read does not unpack: %v", err)
		}
		var a, b rig.PosedRig
		p := rig.Posture{Forward: 3, Right: 1, StrideDistance: 5, Pitch: 0.4, Crouch: 0.3, Air: 0.2, Swim: 0.1, Props: 0xFF}
		a.Pose(r, &p)
		b.Pose(again, &p)
		if a != b {
			t.Error("packed and unpacked it poses otherwise")
		}
	})
}

// ExampleReadRig reads a figure and packs it for those who have no use for the file.
func ExampleReadRig() {
	r, err := level.ReadRig(glb(mastFile, mastBin()))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range r.Hitboxes() {
		fmt.Println(v.Name, v.HitGroup)
	}
	// Output:
	// deck body
	// top head
}
