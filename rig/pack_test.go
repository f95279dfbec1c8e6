package rig_test

import (
	"bytes"
	"math/rand"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena/assets/figure"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
)

func TestPackingLosesNothing(t *testing.T) {
	r, err := stick().Bake()
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*rig.Rig{"the humanoid": person(t), "a stick": r} {
		b := r.Append([]byte("before"))
		if !bytes.HasPrefix(b, []byte("before")) {
			t.Fatalf("%s: Append did not append", name)
		}
		b = b[6:]
		again, err := rig.Unpack(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(again.Append(nil), b) {
			t.Errorf("%s: packed again it is other bytes", name)
		}
		dice := rand.New(rand.NewSource(12))
		for range 2000 {
			p := randomPosture(dice)
			var f, g rig.PosedRig
			f.Pose(r, &p)
			if g.Pose(again, &p); f != g {
				t.Fatalf("%s: unpacked it poses otherwise in %+v (seed 12)", name, p)
			}
		}
		h, radius := r.Bounds()
		if h2, r2 := again.Bounds(); h != h2 || radius != r2 {
			t.Errorf("%s: bounds %g, %g; unpacked %g, %g", name, h, radius, h2, r2)
		}
		t.Logf("%s: %d bytes", name, len(b))
	}
}

// stick is a small rig of three bones that uses every feature.
func stick() *rig.Plan {
	straight := geom.Transform{Rotation: geom.IdentityQuat}
	up := geom.Transform{Rotation: geom.AxisAngle(geom.V(0, 0, 1), 0.3), Translation: geom.V(0, 0.8, 0.1)}
	key := func(y, angle float64) rig.Key {
		k := rig.Key{Translation: geom.V(0, y, 0)}
		for b := range k.Rotations {
			k.Rotations[b] = geom.IdentityQuat
		}
		k.Rotations[1] = geom.AxisAngle(geom.V(1, 0, 0), angle)
		k.Rotations[2] = geom.AxisAngle(geom.V(0, 0, 1), 0.3+angle)
		return k
	}
	return &rig.Plan{
		Bones: []rig.Bone{{Name: "foot", Parent: -1, Rest: straight}, {Name: "knee", Parent: 0, Rest: straight}, {Name: "top", Parent: 1, Rest: up}},
		Hitboxes: []rig.Hitbox{
			{Name: "pole", HitGroup: rig.Body, Bone: 1, Shape: rig.Capsule, At: straight, Half: geom.V(0, 0.3, 0), Radius: 0.1},
			{Name: "knob", HitGroup: rig.Head, Bone: 2, Shape: rig.Ball, At: up, Radius: 0.15},
			{Name: "flag", HitGroup: rig.Shield, Bone: 2, Prop: 1, Shape: rig.Box, At: up, Half: geom.V(0.3, 0.2, 0.01)},
		},
		TranslatedBone: 1,
		Clips: []rig.Clip{
			{Name: "idle", Bones: 0b110, HasTranslation: true, Keys: []rig.Key{key(0.4, 0)}},
			{Name: "walk", Cycles: 32, Bones: 0b110, HasTranslation: true, Keys: []rig.Key{key(0.4, 0), key(0.5, 0.4), key(0.4, 0), key(0.5, -0.4)}},
			{Name: "aim_up", Bones: 0b100, Keys: []rig.Key{key(0, 0), key(0, 1.2)}},
			{Name: "wave", Motion: dash, Duration: 300 * clock.Millisecond, Fade: 50 * clock.Millisecond, Bones: 0b010, Keys: []rig.Key{key(0, 0), key(0, 1), key(0, 0)}},
		},
	}
}

// A missing clip is replaced by its fallback, so a rig with few clips still poses.
func TestMissingClipsFallBack(t *testing.T) {
	r, err := stick().Bake()
	if err != nil {
		t.Fatal(err)
	}
	top := func(p rig.Posture) geom.Vec3 {
		var f rig.PosedRig
		f.Pose(r, &p)
		return f.Bones[2].Translation
	}
	still := top(rig.Posture{})
	for _, c := range []struct {
		what string
		p    rig.Posture
		same rig.Posture
	}{
		{"crouching without a clip is standing", rig.Posture{Crouch: 1}, rig.Posture{}},
		{"falling is standing", rig.Posture{Air: 1, Up: -3}, rig.Posture{}},
		{"swimming is standing", rig.Posture{Swim: 1, Forward: 2}, rig.Posture{}},
		{"looking down is looking straight ahead", rig.Posture{Pitch: -1}, rig.Posture{}},
		{"running is walking", rig.Posture{Forward: 6, StrideDistance: 0.5}, rig.Posture{Forward: 1.8, StrideDistance: 0.5}},
		{"going aside is walking", rig.Posture{Right: 6, StrideDistance: 0.5}, rig.Posture{Forward: 1.8, StrideDistance: 0.5}},
	} {
		if got, want := top(c.p), top(c.same); got.Dist(want) > 2e-4 {
			t.Errorf("%s: the top is at %v, want %v", c.what, got, want)
		}
	}
	// Of a clip that is no gait only the first key is used, also where it stands in for a gait.
	p := stick()
	p.Clips[0].Keys, p.Clips[1].Name, p.Clips[1].Cycles = p.Clips[1].Keys[:3], "crouch", 0
	p.Clips[1].Keys = p.Clips[1].Keys[:3]
	r, err = p.Bake()
	if err != nil {
		t.Fatal(err)
	}
	for crouch := range 2 {
		stands := rig.Posture{Crouch: float64(crouch)}
		for _, move := range []rig.Posture{{Forward: 1.8}, {Forward: -1.8}, {Right: 1.8}, {Right: -1.8}, {Forward: -6}} {
			move.Crouch, move.StrideDistance = stands.Crouch, 0.5
			if got, want := top(move), top(stands); got.Dist(want) > 2e-4 {
				t.Errorf("without gaits, %+v: the top is at %v, want %v as at rest", move, got, want)
			}
		}
	}
	if r, err = stick().Bake(); err != nil {
		t.Fatal(err)
	}
	if got := top(rig.Posture{Forward: 1.8, StrideDistance: 0.5}); got.Dist(still) < 0.1 {
		t.Errorf("a quarter of the walk: the top is at %v as at rest, want it elsewhere", got)
	}
	if got := top(rig.Posture{Clip: dash, ClipTime: 150_000}); got.Dist(still) < 0.3 {
		t.Errorf("in the middle of the wave the top is at %v, want it far from %v", got, still)
	}
}

func TestInvalidPlans(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(p *rig.Plan)
	}{
		{"no bones", "0 bones", func(p *rig.Plan) { p.Bones = nil }},
		{"33 bones", "33 bones", func(p *rig.Plan) { p.Bones = make([]rig.Bone, 33) }},
		{"no hitboxes", "0 hitboxes", func(p *rig.Plan) { p.Hitboxes = nil }},
		{"a child before its parent", `bone 1 "knee": its parent must come before it`, func(p *rig.Plan) { p.Bones[1].Parent = 2 }},
		{"two roots", `bone 2 "top": exactly the first bone`, func(p *rig.Plan) { p.Bones[2].Parent = -1 }},
		{"a long name", `its name has more than 40 bytes`, func(p *rig.Plan) { p.Bones[2].Name = strings.Repeat("x", 41) }},
		{"a bone far away", `bone 2 "top": it is farther`, func(p *rig.Plan) { p.Bones[2].Rest.Translation.Y = 4 }},
		{"the translated bone does not exist", "clips translate bone 3", func(p *rig.Plan) { p.TranslatedBone = 3 }},
		{"a hitbox on no bone", `hitbox 1 "knob": bone 7`, func(p *rig.Plan) { p.Hitboxes[1].Bone = 7 }},
		{"a hitbox without a hit group", `hitbox 1 "knob": hit group 0`, func(p *rig.Plan) { p.Hitboxes[1].HitGroup = 0 }},
		{"an unknown shape", `hitbox 1 "knob": shape 3`, func(p *rig.Plan) { p.Hitboxes[1].Shape = 3 }},
		{"a ball of nothing", `hitbox 1 "knob": its radius`, func(p *rig.Plan) { p.Hitboxes[1].Radius = 0 }},
		{"a flat box", `hitbox 2 "flag": half its size`, func(p *rig.Plan) { p.Hitboxes[2].Half.Z = 0 }},
		{"a ninth prop", `hitbox 2 "flag": prop 9`, func(p *rig.Plan) { p.Hitboxes[2].Prop = 9 }},
		{"an unknown clip name", `clip 0 "idel": neither`, func(p *rig.Plan) { p.Clips[0].Name = "idel" }},
		{"a clip twice", `clip 1 "idle": another clip has the same name`, func(p *rig.Plan) { p.Clips[1].Name, p.Clips[1].Cycles = "idle", 0 }},
		{"a motion twice", `the same motion number 1`, func(p *rig.Plan) { c := p.Clips[3]; c.Name = "nod"; p.Clips = append(p.Clips, c) }},
		{"a gait without a stride", `clip 1 "walk": 0 cycles`, func(p *rig.Plan) { p.Clips[1].Cycles = 0 }},
		{"a stride of centimetres", `clip 1 "walk": 1000 cycles`, func(p *rig.Plan) { p.Clips[1].Cycles = 1000 }},
		{"a stride of standing", `clip 0 "idle": it has cycles`, func(p *rig.Plan) { p.Clips[0].Cycles = 1 }},
		{"no keys", `clip 0 "idle": 0 keys`, func(p *rig.Plan) { p.Clips[0].Keys = nil }},
		{"too many keys", `clip 0 "idle": 65 keys`, func(p *rig.Plan) { p.Clips[0].Keys = make([]rig.Key, 65) }},
		{"a rotation the other way round", `key 0, bone "knee": is rotated more than 174°`, func(p *rig.Plan) {
			p.Clips[0].Keys[0].Rotations[1] = geom.AxisAngle(geom.V(1, 0, 0), 3.13)
		}},
		{"a bone that does not exist", "rotates a bone that does not exist", func(p *rig.Plan) { p.Clips[3].Bones = 0b1000 }},
		{"a motion that takes no time", `clip 3 "wave": its duration`, func(p *rig.Plan) { p.Clips[3].Duration = 0 }},
		{"a fade longer than the motion", `clip 3 "wave": its fade`, func(p *rig.Plan) { p.Clips[3].Fade = clock.Second }},
		{"a parent below the file's root", `bone 0 "foot": its parent must come before it`, func(p *rig.Plan) { p.Bones[0].Parent = -2 }},
		{"a bone that is its own parent", `bone 1 "knee": its parent must come before it`, func(p *rig.Plan) { p.Bones[1].Parent = 1 }},
		{"a hitbox with a long name", `its name has more than 40 bytes`, func(p *rig.Plan) { p.Hitboxes[0].Name = strings.Repeat("x", 41) }},
		{"a hitbox with a hit group too many", `hitbox 0 "pole": hit group 8`, func(p *rig.Plan) { p.Hitboxes[0].HitGroup = 8 }},
		{"a capsule shorter than nothing", `hitbox 0 "pole": half its length`, func(p *rig.Plan) { p.Hitboxes[0].Half.Y = -0.1 }},
		{"a capsule of ten metres", `hitbox 0 "pole": half its length`, func(p *rig.Plan) { p.Hitboxes[0].Half.Y = 5 }},
		{"a box of ten metres", `hitbox 2 "flag": half its size`, func(p *rig.Plan) { p.Hitboxes[2].Half.X = 5 }},
		{"a hitbox far from its bone", `hitbox 1 "knob": it is farther`, func(p *rig.Plan) { p.Hitboxes[1].At.Translation.Z = -4 }},
		{"32 hitboxes", "32 hitboxes", func(p *rig.Plan) { p.Hitboxes = make([]rig.Hitbox, 32) }},
		{"49 clips", "49 clips, more than 48", func(p *rig.Plan) { p.Clips = make([]rig.Clip, 49) }},
		{"a clip with a long name", `its name has more than 40 bytes`, func(p *rig.Plan) { p.Clips[3].Name = strings.Repeat("x", 41) }},
		{"a motion that is a gait", `clip 1 "walk": a motion cannot have a name of ClipNames`, func(p *rig.Plan) { p.Clips[1].Motion = 4 }},
		{"a motion of a minute", `clip 3 "wave": its duration is 60 s`, func(p *rig.Plan) { p.Clips[3].Duration = 60 * clock.Second }},
		{"a fade before the beginning", `clip 3 "wave": its fade`, func(p *rig.Plan) { p.Clips[3].Fade = -1 }},
		{"a motion with cycles", `clip 3 "wave": it has cycles`, func(p *rig.Plan) { p.Clips[3].Cycles = 2 }},
		{"standing that takes time", `clip 0 "idle": it has a duration`, func(p *rig.Plan) { p.Clips[0].Duration = clock.Second }},
	} {
		p := stick()
		c.change(p)
		if _, err := p.Bake(); err == nil || !strings.HasPrefix(err.Error(), "rig: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error of rig with %q", c.name, err, c.want)
		}
	}
}

// Altered or truncated bytes are an error, or another rig that poses just as safely.
func TestHostileBytes(t *testing.T) {
	if _, err := rig.Unpack(nil); err == nil {
		t.Error("no bytes at all: no error")
	}
	if _, err := rig.Unpack(make([]byte, rig.MaxPacked+1)); err == nil {
		t.Error("a megabyte of zeros: no error")
	}
	for n := 0; n < len(figure.Humanoid); n += 97 {
		if _, err := rig.Unpack(figure.Humanoid[:n]); err == nil || !strings.HasPrefix(err.Error(), "rig: ") {
			t.Fatalf("the first %d bytes: got %v, want an error of rig", n, err)
		}
	}
	if _, err := rig.Unpack(append(bytes.Clone(figure.Humanoid), 0)); err == nil {
		t.Error("a byte too many: no error")
	}
	const seed = 13
	dice := rand.New(rand.NewSource(seed))
	refused := 0
	for i := range 2000 {
		b := bytes.Clone(figure.Humanoid)
		for range 1 + dice.Intn(3) {
			b[dice.Intn(len(b))] ^= 1 << dice.Intn(8)
		}
		r, err := rig.Unpack(b)
		if err != nil {
			refused++
			continue
		}
		safe(t, r, int64(i))
	}
	t.Logf("%d of 2000 were refused", refused)
}

// safe poses a rig of unknown origin in many postures and checks that every hitbox is
// finite and inside the bounding sphere.
func safe(t *testing.T, r *rig.Rig, seed int64) {
	t.Helper()
	dice := rand.New(rand.NewSource(seed))
	height, radius := r.Bounds()
	var f rig.PosedRig
	for range 20 {
		p := randomPosture(dice)
		p.Props = 0xFF
		f.Pose(r, &p)
		for i := range f.Count {
			s := &f.Solids[i]
			size := s.Radius
			if s.Shape == rig.Box {
				size = 0
			}
			for _, e := range corners(s) {
				if d := e.Dist(geom.V(0, height, 0)) + size; !(d <= radius+1e-6) && !(size > radius || s.Half.Len() > radius) {
					t.Fatalf("%v is %g m from the middle of a ball of %g m in %+v (seed %d)", e, d, radius, p, seed)
				}
			}
		}
	}
}

func FuzzUnpack(f *testing.F) { // THR-13
	f.Add(figure.Humanoid)
	r, err := stick().Bake()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(r.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := rig.Unpack(b)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "rig: ") {
				t.Errorf("the error does not say where it is from: %v", err)
			}
			return
		}
		if !bytes.Equal(r.Append(nil), b) {
			t.Error("packed again it is other bytes")
		}
		safe(t, r, int64(len(b)))
	})
}
