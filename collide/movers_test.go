package collide

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// stage is a world with everything in it: a ground, movers on various paths, volumes.
func stage(t testing.TB, r *rand.Rand) *World {
	var b Builder
	b.Box(geom.V(0, -1, 0), geom.V(20, 1, 20), geom.IdentityQuat, Surface{})
	randomMesh(30)(&b, geom.Transform{Rotation: geom.IdentityQuat})
	for k := range 8 {
		b.Mover(string(rune('a'+k)), randomPath(r), func(b *Builder) {
			if k%2 == 0 {
				randomMesh(uint64(k))(b, geom.Transform{Rotation: geom.IdentityQuat})
				return
			}
			b.Box(geom.V(0, 0, 0), geom.V(2, .2, 1), geom.IdentityQuat, Surface{Walk: Always})
		})
	}
	b.Mover("still", Path{}, func(b *Builder) { b.Ramp(geom.V(0, 0, 0), 1, 1, 1, 0, Surface{}) })
	b.VolumeBox(Volume{Name: "pool", Water: true, Friction: .5, TerminalSpeed: 3}, geom.V(1, 2, 3), geom.V(2, 1, 2), geom.YawQuat(.4))
	b.VolumeSphere(Volume{Name: "moon", Priority: -5, Planet: true, Centre: geom.V(1, 2, 3)}, geom.Sphere{Centre: geom.V(1, 2, 3), Radius: 3})
	b.VolumeHull(Volume{Priority: 7, Kill: true, Launch: geom.V(0, 9, 0), Up: geom.V(1, 0, 0)},
		[]geom.Vec3{{}, {X: 1}, {Y: 1}, {Z: 1}, {X: 1, Y: 1, Z: 1}})
	return b.MustBake()
}

// Invalid movers are errors that give number and name, and the first error is kept.
func TestMoverErrors(t *testing.T) {
	box := func(b *Builder) { b.Box(geom.Vec3{}, geom.V(1, 1, 1), geom.IdentityQuat, Surface{}) }
	far := []Key{{Position: geom.V(MaxCoordinate, 0, 0)}}
	for _, c := range []struct {
		name  string
		path  Path
		build func(*Builder)
		want  string
	}{
		{"", Path{}, box, `mover 2 "": its name is empty`},
		{"good", Path{}, box, `mover 2 "good": its name is that of mover 1`},
		{"\xff", Path{}, box, `not UTF-8`},
		{strings.Repeat("x", 65), Path{}, box, "longer than 64"},
		{"lift", Path{Keys: []Key{{At: 1}}}, box, `mover 2 "lift": path: key 0 is not at 0`},
		{"lift", Path{Keys: far}, box, `mover 2 "lift": its path leads beyond`},
		{"lift", Path{Keys: []Key{{Position: geom.V(0, 0, -MaxCoordinate)}}}, box, `mover 2 "lift": its path leads beyond`},
		{"lift", Path{}, func(*Builder) {}, `mover 2 "lift": it has no geometry`},
		{"lift", Path{}, func(b *Builder) { b.Box(geom.Vec3{}, geom.Vec3{}, geom.IdentityQuat, Surface{}) }, `mover 2 "lift": shape 0: a box needs half sizes`},
		{"lift", Path{}, func(b *Builder) { box(b); b.Mover("door", Path{}, box) }, `mover 2 "lift": mover 1 "door": a mover within a mover`},
		{"lift", Path{}, func(b *Builder) { box(b); b.VolumeSphere(Volume{Name: "v"}, geom.Sphere{Radius: 1}) }, `mover 2 "lift": volume 0 "v": a mover has no volumes`},
	} {
		var b Builder
		if id := b.Mover("good", Path{}, box); id != 1 {
			t.Fatalf("the first mover is number %d", id)
		}
		id := b.Mover(c.name, c.path, c.build)
		b.Mover("later", Path{Loop: true}, box)
		_, err := b.Bake()
		if id != Static || err == nil || !strings.HasPrefix(err.Error(), "collide: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %d, %v; want %s", c.name, id, err, c.want)
		}
	}
	var b Builder
	for i := range MaxMovers + 1 {
		b.Mover(strings.Repeat("i", i%60)+string(rune('A'+i/60)), Path{}, box)
	}
	if _, err := b.Bake(); err == nil || !strings.Contains(err.Error(), "more than 1000 movers") {
		t.Errorf("1,001 movers: %v", err)
	}
}

// The movers of a world are found by id and by name, and a Builder copies the caller's
// keys. [GRD-07, GRD-13]
func TestMoversOfWorld(t *testing.T) {
	var b Builder
	keys := []Key{{}, {At: clock.Second, Position: geom.V(0, 1, 0)}}
	id := b.Mover("lift", Path{Keys: keys}, func(b *Builder) {
		b.Box(geom.Vec3{}, geom.V(1, 1, 1), geom.IdentityQuat, Surface{StepOn: Never})
	})
	w := b.MustBake()
	keys[1].Position.Y = 99
	if got, ok := w.MoverNamed("lift"); !ok || got != id || w.Mover(id).Name != "lift" || len(w.Movers()) != 1 {
		t.Errorf("lift is %d, %v", got, ok)
	}
	if _, ok := w.MoverNamed("door"); ok || w.Mover(Static) != nil || w.Mover(2) != nil || w.Mover(FirstObstacle) != nil {
		t.Error("a mover that is not there")
	}
	v := WorldAt{World: w, At: clock.Second / 2}
	if got := v.Pose(id).Translation; got != geom.V(0, .5, 0) {
		t.Errorf("half way it is at %v", got)
	}
	if v.Surface(id, 0).StepOn != Never || v.Surface(id, 1) != (Surface{}) || v.Surface(7, 0) != (Surface{}) || v.Pose(7) != v.Pose(Static) {
		t.Error("surfaces")
	}
}

// A bridge turns twice a second about a corner that moves: the velocity of its material
// agrees with the poses. [BAS-01]
func TestVelocityAt(t *testing.T) {
	var b Builder
	id := b.Mover("bridge", Path{
		Keys: []Key{{}, {At: 2 * clock.Second, Position: geom.V(6, 0, 0), Angle: 8 * geom.Up.Y}}, Axis: geom.V(0, 0, 1),
	}, func(b *Builder) { b.Box(geom.V(2, 0, 0), geom.V(2, .1, .5), geom.IdentityQuat, Surface{}) })
	v := WorldAt{World: b.MustBake(), At: 700 * clock.Millisecond}
	point := v.Pose(id).Apply(geom.V(3, 0, .2))
	got := v.VelocityAt(id, point)
	want := v.PoseAt(id, v.At+10).Apply(geom.V(3, 0, .2)).Sub(v.PoseAt(id, v.At-10).Apply(geom.V(3, 0, .2))).Div(20e-6)
	if got.Dist(want) > 1e-4 || v.AngularVelocity(id) != geom.V(0, 0, 4) || v.VelocityAt(Static, point) != (geom.Vec3{}) {
		t.Errorf("got %v, want %v; spin %v", got, want, v.AngularVelocity(id))
	}
}

// A door passes a capsule at 90 m/s between two instants. NearbyMovers lists it, and
// SweepMover hits the capsule at the point where the door came through; capsules that the
// door did not reach are not hit. [BAS-02]
func TestFastDoorDoesNotTunnel(t *testing.T) {
	var b Builder
	id := b.Mover("door", Path{Keys: []Key{{}, {At: clock.Second, Position: geom.V(90, 0, 0)}}}, func(b *Builder) {
		b.Box(geom.V(0, 1, 0), geom.V(.05, 1, 1), geom.IdentityQuat, Surface{})
	})
	b.Mover("still", Path{Keys: []Key{{Position: geom.V(45, 0, 0)}}}, func(b *Builder) {
		b.Box(geom.V(0, 1, 0), geom.V(.05, 1, 1), geom.IdentityQuat, Surface{})
	})
	from := 490 * clock.Millisecond
	v := WorldAt{World: b.MustBake(), At: from + 20*clock.Millisecond}
	for x, want := range map[float64]bool{43: false, 43.9: false, 44.3: true, 44.6: true, 46: true, 47: false} {
		c := geom.Upright(geom.V(x, 1, 0), geom.Up, .3, .9)
		near := v.NearbyMovers(c, from, make([]MoverID, 0, 4))
		met := false
		for _, x := range near {
			p, q := v.PoseAt(x, from), v.Pose(x)
			h, ok := v.SweepMover(x, c.InverseTransformed(p), q.ApplyInverse(c.A).Sub(p.ApplyInverse(c.A)))
			met = met || ok && x == id && h.Mover == id && h.FaceNormal.X > 0
		}
		if met != want {
			t.Errorf("at x = %v: met %v by %v", x, met, near)
		}
	}
}

// The arm of a mill, 9 m long, turns past a capsule at its end between two instants, at both of which it
// is metres away: NearbyMovers lists it. [BAS-02]
func TestFastArmIsNearby(t *testing.T) {
	var b Builder
	id := b.Mover("mill", Path{Keys: []Key{{}, {At: clock.Second, Angle: 4}}}, func(b *Builder) {
		b.Box(geom.V(4.5, 1, 0), geom.V(4.5, 1, .1), geom.IdentityQuat, Surface{})
	})
	v := WorldAt{World: b.MustBake(), At: 700 * clock.Millisecond} // from 1.2 to 2.8 radians
	for _, c := range []struct {
		angle, far float64
		want       bool
	}{{2, 8.9, true}, {2, 1, true}, {2, 90, false}} {
		at := geom.YawQuat(c.angle).Rotate(geom.V(c.far, 1, 0))
		got := v.NearbyMovers(geom.Upright(at, geom.Up, .3, .9), 300*clock.Millisecond, make([]MoverID, 0, 4))
		if want := c.want; slices.Contains(got, id) != want {
			t.Errorf("%v radians and %v m: got %v, want the mill: %v", c.angle, c.far, got, want)
		}
	}
}

// An axis of a level file is a unit vector to nine digits: a door whose axis is longer than 1 by
// rounding is found like any other, whichever way it turns.
func TestAxisThatIsLongByRounding(t *testing.T) {
	for _, axis := range []geom.Vec3{{X: 1 + 4e-10}, {Y: 1 + 4e-10}, {Z: -1 - 4e-10}} {
		var b Builder
		id := b.Mover("door", Path{Keys: []Key{{}, {At: clock.Second, Angle: 1}}, Axis: axis}, func(b *Builder) {
			b.Box(geom.Vec3{}, geom.V(1, 1, 1), geom.IdentityQuat, Surface{})
		})
		v := WorldAt{World: b.MustBake(), At: clock.Second / 2}
		for _, way := range []geom.Vec3{{X: 9}, {Y: 9}, {Z: 9}} {
			if h, ok := v.Ray(way.Neg(), way.Mul(2)); !ok || h.Mover != id {
				t.Errorf("axis %v, ray along %v: got %v %+v, want the door", axis, way, ok, h)
			}
		}
	}
}

// NearbyMovers never omits a mover that comes near in between, lists those that moved first, each group
// by ascending id, and of those that rest none whose box is far from the capsule. [BAS-02]
func TestNearbyMoversIsComplete(t *testing.T) {
	const seed = 75
	r := rand.New(rand.NewPCG(seed, 0))
	v := WorldAt{World: stage(t, r)}
	named, met := 0, 0
	for i := range 1500 {
		from := clock.Micros(r.Int64N(int64(12 * clock.Second)))
		v.At = from + clock.Micros(r.IntN(200_000)) - 50_000
		c := randomCapsule(r, 9)
		near := v.NearbyMovers(c, from, make([]MoverID, 0, 32))
		named += len(near)
		for id := MoverID(1); int(id) <= len(v.World.Movers()); id++ {
			comes := false
			for k := range 21 {
				at := from + (v.At-from)*clock.Micros(k)/20
				comes = comes || v.World.Mover(id).Shape.Overlaps(c.InverseTransformed(v.PoseAt(id, at)))
			}
			if comes && !slices.Contains(near, id) {
				t.Fatalf("seed %d, case %d: mover %d comes near and is not named: %v", seed, i, id, near)
			}
			if comes {
				met++
			}
		}
		rests := func(id MoverID) bool { return v.PoseAt(id, from) == v.Pose(id) }
		for k := 1; k < len(near); k++ {
			if rests(near[k-1]) && !rests(near[k]) {
				t.Fatalf("seed %d, case %d: %d, which moved, after one that rests: %v", seed, i, near[k], near)
			}
			if rests(near[k-1]) == rests(near[k]) && near[k-1] >= near[k] {
				t.Fatalf("seed %d, case %d: not in the order of ids: %v", seed, i, near)
			}
		}
		for _, id := range near {
			box := v.World.Mover(id).Shape.Bounds().Transformed(v.Pose(id))
			if rests(id) && !box.Overlaps(c.Bounds().Grow(.001)) {
				t.Fatalf("seed %d, case %d: mover %d rests, and its box %v is far from %+v", seed, i, id, box, c)
			}
		}
	}
	t.Logf("%d named, %d overlapped on the way", named, met)
}

// A world with movers and volumes survives packing: hash, answers, names.
func TestUnpackStage(t *testing.T) {
	const seed = 76
	r := rand.New(rand.NewPCG(seed, 0))
	w := stage(t, r)
	b := w.AppendBinary(nil)
	u, err := Unpack(b)
	if err != nil {
		t.Fatal(err)
	}
	if u.Hash() != w.Hash() || len(u.Movers()) != len(w.Movers()) || len(u.Volumes()) != len(w.Volumes()) {
		t.Fatal("not the same world")
	}
	for i, v := range w.Volumes() {
		if u.Volumes()[i] != v || u.VolumeBounds(i) != w.VolumeBounds(i) {
			t.Errorf("volume %d: got %+v, want %+v", i, u.Volumes()[i], v)
		}
	}
	x, y := WorldAt{World: w}, WorldAt{World: u}
	for i := range 3000 {
		x.At = clock.Micros(r.Int64N(int64(40 * clock.Second)))
		y.At = x.At
		c, d := randomCapsule(r, 9), motion(r)
		want, ok := x.SweepCapsule(c, d)
		got, okToo := y.SweepCapsule(c, d)
		if ok != okToo || got != want || x.Submerged(c, geom.Up) != y.Submerged(c, geom.Up) || x.InKillVolume(c) != y.InKillVolume(c) {
			t.Fatalf("seed %d, case %d: got %+v, want %+v", seed, i, got, want)
		}
	}
	t.Logf("%d bytes", len(b))
}

// Truncated or altered movers and volumes are an error, or another world with one packed
// form.
func TestUnpackStageRefuses(t *testing.T) {
	const seed = 77
	r := rand.New(rand.NewPCG(seed, 0))
	good := smallWorld(t).AppendBinary(nil)
	for n := range good {
		if _, err := Unpack(good[:n]); err == nil {
			t.Errorf("%d of %d bytes are taken for a world", n, len(good))
		}
	}
	if _, err := Unpack(append(good[:len(good):len(good)], 0)); err == nil {
		t.Error("a byte too many is taken")
	}
	taken := 0
	for range 6000 {
		bad := append([]byte(nil), good...)
		bad[r.IntN(len(bad))] ^= byte(1 << r.IntN(8))
		w, err := Unpack(bad)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "collide: ") {
				t.Fatalf("error %q", err)
			}
			continue
		}
		taken++
		if string(w.AppendBinary(nil)) != string(bad) {
			t.Fatal("a world has two packed forms")
		}
	}
	t.Logf("%d bytes, %d of 6,000 altered worlds are worlds", len(good), taken)
}

// smallWorld is a world with a mover and volumes.
func smallWorld(t testing.TB) *World {
	var b Builder
	b.Mover("lift", Path{Keys: []Key{{}, {At: clock.Second, Position: geom.V(0, 2, 0), Angle: .5}}, Smooth: true}, func(b *Builder) {
		b.Box(geom.Vec3{}, geom.V(1, .25, 1), geom.IdentityQuat, Surface{})
	})
	b.VolumeSphere(Volume{Name: "pool", Water: true}, geom.Sphere{Radius: 2})
	b.VolumeBox(Volume{Kill: true, Priority: -1}, geom.V(0, -9, 0), geom.V(9, 1, 9), geom.IdentityQuat)
	return b.MustBake()
}

// A shot through a door can be judged with the door as the shooter saw it, or as it is now:
// the past is queried by its time. [GAP-46]
func TestDoorInThePast(t *testing.T) {
	var b Builder
	id := b.Mover("door", Path{Keys: []Key{{}, {At: 10 * clock.Second}, {At: 11 * clock.Second, Position: geom.V(2, 0, 0)}}}, func(b *Builder) {
		b.Box(geom.V(0, 1, 0), geom.V(1, 1, .1), geom.IdentityQuat, Surface{})
	})
	w := b.MustBake()
	now := 11 * clock.Second
	for _, c := range []struct {
		name string
		view WorldAt
		want bool
	}{
		{"as the shooter saw it, 200 ms ago", WorldAt{World: w, At: now - 200*clock.Millisecond}, false},
		{"800 ms ago it was in the way", WorldAt{World: w, At: now - 800*clock.Millisecond}, true},
		{"as it stands", WorldAt{World: w, At: now}, false},
	} {
		h, ok := c.view.Ray(geom.V(0, 1, 5), geom.V(0, 0, -10))
		if ok != c.want || ok && h.Mover != id {
			t.Errorf("%s: hit %v %+v", c.name, ok, h)
		}
	}
	if _, ok := w.Ray(geom.V(0, 1, 5), geom.V(0, 0, -10)); ok {
		t.Error("the static world alone, which ignores doors, has one")
	}
}
