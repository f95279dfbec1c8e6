package collide

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// A flat floor of many triangles is one plane to a capsule that hovers over it.
func TestContactsOfFlatMesh(t *testing.T) {
	var v []geom.Vec3
	var idx []uint32
	for j := range 9 {
		for i := range 9 {
			v = append(v, geom.V(float64(i)*.25-1, 0, float64(j)*.25-1))
			if i < 8 && j < 8 {
				a := uint32(j*9 + i)
				idx = append(idx, a, a+9, a+1, a+1, a+9, a+10)
			}
		}
	}
	var b Builder
	b.Triangles(v, idx, Surface{})
	w := b.MustBake()
	for _, at := range []geom.Vec3{{X: .1, Y: .92, Z: .1}, {Y: .92}, {X: .125, Y: .92}, {X: .1, Y: .88, Z: .03}} {
		got := w.Contacts(geom.Upright(at, geom.Up, .3, .9), .1, make([]Contact, 0, 32))
		if len(got) == 0 {
			t.Errorf("at %v: no contact", at)
		}
		for _, c := range got {
			if c.Normal.Dist(geom.Up) > 1e-9 || !near(c.Distance, at.Y-.9, 1e-9) {
				t.Errorf("at %v: contact %+v, want straight up", at, c)
			}
		}
	}
}

// What Contacts leaves out is redundant: a small motion that keeps the distance of every
// contact plane does not hit the world.
func TestContactsSuffice(t *testing.T) {
	const seed = 31
	r := rand.New(rand.NewPCG(seed, 0))
	for _, p := range places(t, r) {
		met := 0
		for i := range 15000 {
			c := randomCapsule(r, p.reach)
			const margin = 0.1
			list := p.world.Contacts(c, margin, make([]Contact, 0, 64))
			least := math.Inf(1)
			for k, x := range list {
				least = min(least, x.Distance)
				if k > 0 && list[k-1].Triangle >= x.Triangle {
					t.Fatalf("%s, seed %d, case %d: not in order: %+v", p.name, seed, i, list)
				}
				if !near(x.Normal.Len(), 1, 1e-9) || x.FaceNormal.Dot(x.Normal) < -1e-9 {
					t.Fatalf("%s, seed %d, case %d: %+v", p.name, seed, i, x)
				}
			}
			if deep := least < -1e-9; deep != p.world.Overlaps(c) {
				t.Fatalf("%s, seed %d, case %d: deepest %g, overlaps %v", p.name, seed, i, least, !deep)
			}
			if least < 0 || len(list) == 0 {
				continue
			}
			met++
			for range 10 {
				d := vector(r, margin*0.5)
				if h, hit := p.world.SweepCapsule(c, d); hit && !foreseen(list, d, h.Fraction) {
					t.Fatalf("%s, seed %d, case %d: %v hits %+v\nunforeseen by %+v", p.name, seed, i, d, h, list)
				}
			}
		}
		t.Logf("%s: %d places", p.name, met)
	}
}

// foreseen reports whether the motion crosses the plane of some contact by the given
// fraction, to within the curvature of a capsule so near.
func foreseen(list []Contact, d geom.Vec3, fraction float64) bool {
	for _, c := range list {
		if c.Distance+d.Mul(fraction).Dot(c.Normal) < 1e-6 {
			return true
		}
	}
	return false
}

// STP-05: capsules slightly inside things are freed by a push of about their depth; capsules
// between two closing walls are reported stuck; none is pushed through a thin wall.
func TestDepenetrate(t *testing.T) {
	var b Builder
	b.Box(geom.V(0, -1, 0), geom.V(20, 1, 20), geom.IdentityQuat, Surface{})     // floor
	b.Box(geom.V(5, 2, 0), geom.V(.05, 2, 20), geom.IdentityQuat, Surface{})     // thin wall
	b.Box(geom.V(5.65, 2, -10), geom.V(.05, 2, 5), geom.IdentityQuat, Surface{}) // gap of 0.55 behind it
	b.Box(geom.V(0, 2, 8), geom.V(20, 2, 1), geom.IdentityQuat, Surface{})       // wall across: a corner at x 5, z 7
	b.Box(geom.V(-10, 2, -10), geom.V(3, 3, 3), geom.IdentityQuat, Surface{})    // block
	w := b.MustBake()
	for _, c := range []struct {
		name string
		at   geom.Vec3
		free bool
		push geom.Vec3
	}{
		{"in the open", geom.V(0, 1, 0), true, geom.Vec3{}},
		{"at rest on the floor", geom.V(0, .9, 0), true, geom.Vec3{}},
		{"nowhere", geom.V(0, math.NaN(), 0), false, geom.Vec3{}},
		{"5 cm into the floor", geom.V(0, .85, 0), true, geom.V(0, .05, 0)},
		{"5 cm into the thin wall", geom.V(4.7, 1, 0), true, geom.V(-.05, 0, 0)},
		{"5 cm into floor and both walls", geom.V(4.7, .85, 6.75), true, geom.V(-.05, .05, -.05)},
		{"between walls too near", geom.V(5.325, 1, -10), false, geom.Vec3{}},
		{"deep in the block, near its side", geom.V(-10.5, 2, -7.5), true, geom.V(0, 0, .8)},
		{"farther in the block than allowed", geom.V(-10, 1, -10), false, geom.Vec3{}},
	} {
		body := geom.Upright(c.at, geom.Up, .3, .9)
		push, free := (&WorldAt{World: w}).Depenetrate(body, 1.5)
		if free != c.free || !(push.Dist(c.push) <= 1e-4) || c.push.IsZero() && !push.IsZero() {
			t.Errorf("%s: got %v %v, want %v %v", c.name, push, free, c.push, c.free)
		}
		if free && w.Overlaps(body.Moved(push)) {
			t.Errorf("%s: not free after %v", c.name, push)
		}
	}
}

// A capsule that is pushed out leaves what it is in, and goes through nothing else on its way: the level, a
// door, or another character. Only its core counts. [STP-05]
func TestCanEscape(t *testing.T) {
	var b Builder
	b.Box(geom.V(3, 0, 0), geom.V(.1, 5, 5), geom.IdentityQuat, Surface{})
	b.Box(geom.V(0, 0, 0), geom.V(.5, 5, .5), geom.IdentityQuat, Surface{}) // a post that it is in
	b.Mover("door", Path{Keys: []Key{{}, {At: clock.Second, Position: geom.V(0, 0, 2)}}}, func(b *Builder) {
		b.Box(geom.V(-3, 0, 0), geom.V(.1, 5, 1), geom.IdentityQuat, Surface{})
	})
	other := Obstacle{Capsule: geom.Upright(geom.V(0, 0, 3), geom.Up, .3, .9)}
	v := WorldAt{World: b.MustBake(), Obstacles: []Obstacle{other}}
	for _, c := range []struct {
		name string
		at   clock.Micros
		from geom.Vec3
		way  geom.Vec3
		want bool
	}{
		{"out of the post", 0, geom.V(.3, 0, 0), geom.V(2.5, 0, 0), true},
		{"out of the post and through the wall", 0, geom.V(.3, 0, 0), geom.V(2.8, 0, 0), false},
		{"with a shoulder in the wall, along it", 0, geom.V(2.8, 0, 1), geom.V(0, 0, 2), true},
		{"through the door", 0, geom.V(-2, 0, 0), geom.V(-1.4, 0, 0), false},
		{"out of the door", 0, geom.V(-3, 0, 0), geom.V(-1.4, 0, 0), true},
		{"where the door was", clock.Second, geom.V(-2, 0, 0), geom.V(-1.4, 0, 0), true},
		{"through another character", 0, geom.V(0, 0, 1.5), geom.V(0, 0, 1.3), false},
		{"out of another character", 0, geom.V(0, 0, 2.8), geom.V(0, 0, 1.3), true},
		{"beside another character", 0, geom.V(.4, 0, 1.5), geom.V(0, 0, 2.6), true},
	} {
		v.At = c.at
		if got := v.CanEscape(geom.Upright(c.from, geom.Up, .3, .9), c.way); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// passed returns a part of the core of a capsule that a push takes through a triangle, and the triangle; −1
// for none. Those of a solid that the core begins in, and those that it begins on, do not count.
func passed(w *World, c geom.Capsule, push geom.Vec3) (at float64, triangle int) {
	begins := func(t *tri) bool {
		if t.solid >= 0 {
			if _, _, _, inside := w.solids[t.solid].inside(c.A, c.B); inside {
				return true
			}
		}
		return coreTriangle(geom.Capsule{A: c.A, B: c.B}, t) < 1e-6
	}
	for i := range w.tris {
		for at := 0.0; at <= 1; at += 0.25 {
			if _, within := crosses(c.A.Lerp(c.B, at), push, &w.tris[i]); within > 1e-6 && !begins(&w.tris[i]) {
				return at, i
			}
		}
	}
	return 0, -1
}

// Random capsules in random worlds: free means free, and never on the far side of a surface
// that the core did not intersect.
func TestDepenetrateIsSound(t *testing.T) {
	const seed = 32
	r := rand.New(rand.NewPCG(seed, 0))
	for _, p := range places(t, r) {
		freed, stuck := 0, 0
		for i := range 1500 {
			c := randomCapsule(r, p.reach)
			push, free := (&WorldAt{World: p.world}).Depenetrate(c, 1)
			if free && (p.world.Overlaps(c.Moved(push)) || push.Len() > 1+1e-9) {
				t.Fatalf("%s, seed %d, case %d: %+v is not free after %v", p.name, seed, i, c, push)
			}
			if free && !push.IsZero() {
				freed++
				if at, tri := passed(p.world, c, push); tri >= 0 {
					t.Fatalf("%s, seed %d, case %d: %+v is pushed by %v, with %v of its core through triangle %d", p.name, seed, i, c, push, at, tri)
				}
			}
			if !free {
				stuck++
			}
		}
		t.Logf("%s: %d freed, %d stuck", p.name, freed, stuck)
	}
}
