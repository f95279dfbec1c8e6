package collide

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/geom"
)

// A world that was packed and unpacked gives the same result for every query.
func TestUnpackAnswersAlike(t *testing.T) {
	const seed = 41
	r := rand.New(rand.NewPCG(seed, 0))
	for _, p := range places(t, r) {
		b := p.world.AppendBinary(nil)
		w, err := Unpack(b)
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		if w.Hash() != p.world.Hash() || w.Dropped() != p.world.Dropped() || w.Shapes() != p.world.Shapes() {
			t.Fatalf("%s: hash %s, want %s", p.name, w.Hash(), p.world.Hash())
		}
		for i := range 2000 {
			c, d := randomCapsule(r, p.reach), motion(r)
			got, _ := w.SweepCapsule(c, d)
			want, _ := p.world.SweepCapsule(c, d)
			ray, _ := w.Ray(c.A, d)
			wantRay, _ := p.world.Ray(c.A, d)
			push, free := (&WorldAt{World: w}).Depenetrate(c, 1)
			wantPush, wantFree := (&WorldAt{World: p.world}).Depenetrate(c, 1)
			if got != want || ray != wantRay || push != wantPush || free != wantFree {
				t.Fatalf("%s, seed %d, case %d: got %+v %+v %v, want %+v %+v %v", p.name, seed, i, got, ray, push, want, wantRay, wantPush)
			}
		}
		t.Logf("%s: %d triangles in %d bytes", p.name, w.Triangles(), len(b))
	}
}

// Surfaces survive packing, and unknown ids have none.
func TestSurfaces(t *testing.T) {
	var b Builder
	id := b.Box(geom.V(0, 0, 0), geom.V(1, 1, 1), geom.IdentityQuat, Surface{Walk: Never, StepOn: Always})
	b.Box(geom.V(0, 5, 0), geom.V(1, 1, 1), geom.IdentityQuat, Surface{})
	w, err := Unpack(b.MustBake().AppendBinary(nil))
	if err != nil {
		t.Fatal(err)
	}
	v := WorldAt{World: w}
	if got := v.Surface(Static, id); got != (Surface{Walk: Never, StepOn: Always}) {
		t.Errorf("got %+v", got)
	}
	if v.Surface(Static, NoShape) != (Surface{}) || v.Surface(Static, 2) != (Surface{}) {
		t.Error("a shape that is not there has a surface")
	}
}

// Truncated, altered or invented bytes are an error.
func TestUnpackRefuses(t *testing.T) {
	const seed = 42
	r := rand.New(rand.NewPCG(seed, 0))
	var b Builder
	b.Box(geom.V(0, 0, 0), geom.V(1, 1, 1), geom.IdentityQuat, Surface{})
	b.Triangles([]geom.Vec3{{}, {X: 1}, {Z: 1}, {X: 1.5, Y: .1}}, []uint32{0, 1, 2, 1, 3, 2}, Surface{})
	good := b.MustBake().AppendBinary(nil)
	for n := range good {
		if _, err := Unpack(good[:n]); err == nil {
			t.Errorf("%d of %d bytes are taken for a world", n, len(good))
		}
	}
	if _, err := Unpack(append(bytes.Clone(good), 0)); err == nil {
		t.Error("a byte too many is taken")
	}
	for range 20000 {
		bad := bytes.Clone(good)
		bad[r.IntN(len(bad))] ^= byte(1 << r.IntN(8))
		w, err := Unpack(bad)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "collide: ") {
				t.Fatalf("error %q", err)
			}
			continue
		}
		if !bytes.Equal(w.AppendBinary(nil), bad) {
			t.Fatal("a world has two packed forms")
		}
	}
}

// Any bytes are an error, or give a world that packs to the same bytes and can be queried.
// [THR-13]
func FuzzUnpack(f *testing.F) {
	var b Builder
	b.Ramp(geom.V(0, 0, 0), 1, 2, 3, 0.5, Surface{Walk: Always})
	b.Triangles([]geom.Vec3{{}, {X: 1}, {Z: 1}}, []uint32{0, 1, 2}, Surface{})
	w, err := b.Bake()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(w.AppendBinary(nil))
	f.Add([]byte(packMagic + "\x00\x00"))
	f.Add(smallWorld(f).AppendBinary(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := Unpack(data)
		if err != nil {
			return
		}
		if !bytes.Equal(w.AppendBinary(nil), data) {
			t.Fatal("a world has two packed forms")
		}
		c := geom.Capsule{A: geom.V(0, 3, 0), B: geom.V(0, 4, 0), Radius: 0.5}
		w.SweepCapsule(c, geom.V(0, -10, 0))
		w.Ray(c.A, geom.V(0.1, -10, 0))
		w.Contacts(c.Moved(geom.V(0, -3, 0)), 0.1, make([]Contact, 0, 8))
		v := WorldAt{World: w, At: 700_000}
		v.SweepCapsule(c, geom.V(0, -10, 0))
		v.Depenetrate(c.Moved(geom.V(0, -3, 0)), 2)
		v.NearbyMovers(c, 0, make([]MoverID, 0, 4))
		if x := v.Submerged(c, geom.Up); !(x >= 0 && x <= 1+1e-9) {
			t.Fatalf("%v of a capsule is under water", x)
		}
	})
}
