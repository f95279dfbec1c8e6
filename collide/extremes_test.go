package collide

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// scaled returns a triangle in another unit of length. A power of two changes no digit.
func scaled(t *tri, by float64) *tri {
	s := *t
	s.a, s.b, s.c = t.a.Mul(by), t.b.Mul(by), t.c.Mul(by)
	return &s
}

// The nearest points of a segment and a triangle do not depend on the unit of length: in units of
// 2⁻⁴⁰ and of 2⁴⁰ metres they are the same to the last bit, for slivers and needles too. Nor do they
// depend on which vertex comes first, or on the side from which the triangle is seen.
func TestNearestPointsInAnyUnit(t *testing.T) {
	const seed = 41
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 20_000 {
		one, p, axis := triangle(r), vector(r, 3), vector(r, 2)
		if one.cross().IsZero() {
			continue // the builder drops it
		}
		if r.IntN(5) == 0 {
			axis = geom.Vec3{}
		}
		want := nearest(p, axis, &one)
		for _, unit := range []float64{0x1p-40, 0x1p-7, 0x1p40} {
			got := nearest(p.Mul(unit), axis.Mul(unit), scaled(&one, unit))
			if got.core != want.core.Mul(unit) || got.surface != want.surface.Mul(unit) || got.crossing != want.crossing || got.distSq != want.distSq*unit*unit {
				t.Fatalf("seed %d, case %d in units of %g m: got %+v, want %+v of %+v", seed, i, unit, got, want, one)
			}
		}
		for _, turned := range []tri{{a: one.b, b: one.c, c: one.a}, {a: one.c, b: one.b, c: one.a}} {
			got := nearest(p, axis, &turned)
			if d := math.Abs(math.Sqrt(got.distSq) - math.Sqrt(want.distSq)); d > 1e-7 {
				t.Fatalf("seed %d, case %d: %g m away, with the vertices in another order %g", seed, i, math.Sqrt(want.distSq), math.Sqrt(got.distSq))
			}
		}
	}
}

// crosses returns where a line crosses a triangle by Cramer's rule, which the package does not use:
// the fraction, and how far within the triangle and the line it is, as a share; below zero is outside.
func crosses(from, d geom.Vec3, t *tri) (fraction, within float64) {
	e, f, s := t.b.Sub(t.a), t.c.Sub(t.a), from.Sub(t.a)
	p, q := d.Cross(f), s.Cross(e)
	det := e.Dot(p)
	u, v := s.Dot(p)/det, d.Dot(q)/det
	fraction = f.Dot(q) / det
	return fraction, min(u, v, 1-u-v, fraction, 1-fraction)
}

// A ray hits each triangle where Cramer's rule says, from either side; about touches that are nearer
// to the border than rounding, two correct results may differ. The unit of length changes no bit.
func TestRaysAgainstCramersRule(t *testing.T) {
	const seed = 42
	r := rand.New(rand.NewPCG(seed, 0))
	hits, clear := 0, 0
	for i := range 50_000 {
		one, from := triangle(r), vector(r, 3)
		d := one.a.Lerp(one.b, r.Float64()).Lerp(one.c, r.Float64()).Sub(from).Mul(0.5 + r.Float64()*2)
		if i%3 == 0 {
			d = motion(r)
		}
		s := shearAlong(from, d)
		got, ok := s.meets(&one, 1)
		for _, unit := range []float64{0x1p-30, 0x1p30} {
			small := shearAlong(from.Mul(unit), d.Mul(unit))
			if f, again := small.meets(scaled(&one, unit), 1); f != got || again != ok {
				t.Fatalf("seed %d, case %d in units of %g m: %v, %v; want %v, %v", seed, i, unit, f, again, got, ok)
			}
		}
		want, within := crosses(from, d, &one)
		thin := one.cross().Len() < 1e-3*one.b.Sub(one.a).Len()*one.c.Sub(one.a).Len() // a needle: both are inexact
		if !(math.Abs(within) > 1e-9) || thin || math.Abs(d.Unit().Dot(one.normal())) < 1e-6 {
			continue
		}
		clear++
		if ok != (within > 0) || ok && math.Abs(got-want) > 1e-9 {
			t.Fatalf("seed %d, case %d: got %v, %v; Cramer %v, %g within\n%v %v %+v", seed, i, got, ok, want, within, from, d, one)
		}
		if ok {
			hits++
		}
	}
	if clear < 30_000 || hits < 10_000 {
		t.Errorf("%d hits in %d clear cases: too few to say anything", hits, clear)
	}
}

// A stack of copies at one place, and a fan of slivers at one point: no split separates the centres,
// so the tree halves them by number, and loses none of them.
func TestTreesOfCopies(t *testing.T) {
	const seed = 43
	r := rand.New(rand.NewPCG(seed, 0))
	worlds := map[string]*World{}
	var copies, fan Builder
	for range 300 {
		if _, err := copies.Triangles([]geom.Vec3{{X: -1}, {X: 1}, {Z: 2}}, []uint32{0, 1, 2}, Surface{}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 300 {
		a := float64(i) * 1e-3
		if _, err := fan.Triangles([]geom.Vec3{{}, {X: math.Exp2(float64(i % 12)), Y: a}, {X: math.Exp2(float64(i % 12)), Y: a + 5e-4, Z: 1e-3}}, []uint32{0, 1, 2}, Surface{}); err != nil {
			t.Fatal(err)
		}
	}
	worlds["copies"], worlds["a fan"] = copies.MustBake(), fan.MustBake()
	for name, w := range worlds {
		for i := range 300 {
			c, d := randomCapsule(r, 2), motion(r)
			got, ok := w.SweepCapsule(c, d)
			if want, should := bruteSweep(w, c, d); ok != should || got != want {
				t.Fatalf("%s, seed %d, sweep %d: got %v %+v\nwant %v %+v", name, seed, i, ok, got, should, want)
			}
			got, ok = w.Ray(c.A, d)
			if want, should := bruteRay(w, c.A, d); ok != should || got != want {
				t.Fatalf("%s, seed %d, ray %d: got %v %+v\nwant %v %+v", name, seed, i, ok, got, should, want)
			}
		}
		again, err := Unpack(w.AppendBinary(nil))
		if err != nil || again.Hash() != w.Hash() {
			t.Errorf("%s: packed and read again it has the hash %v, want %v (%v)", name, again.Hash(), w.Hash(), err)
		}
	}
}

// A list of contacts that is too short keeps the deepest, whatever was in it before stays, and nothing
// is written behind its capacity.
func TestShortListsOfContacts(t *testing.T) {
	const seed = 44
	r := rand.New(rand.NewPCG(seed, 0))
	w, short := pile(t, r), 0
	mark := Contact{Triangle: 1 << 30}
	for i := range 3000 {
		c := randomCapsule(r, 5)
		c.Radius += 0.4
		all := w.Contacts(c, 0.2, make([]Contact, 0, 256))
		for _, room := range []int{0, 1, 2, 5} {
			list := make([]Contact, 1, 1+room)
			list[0] = mark
			got := w.Contacts(c, 0.2, list)
			if got[0] != mark || len(got) > 1+room {
				t.Fatalf("seed %d, case %d, room for %d: %d contacts after %+v", seed, i, room, len(got)-1, got[0])
			}
			if room == 0 || len(all) == 0 {
				continue
			}
			deepest := slices.MinFunc(all, func(a, b Contact) int { return map[bool]int{true: -1, false: 1}[shallower(&b, &a)] })
			if got = got[1:]; !slices.Contains(got, deepest) {
				t.Fatalf("seed %d, case %d, room for %d of %d: the deepest, %v, is not among %v", seed, i, room, len(all), deepest.Distance, got)
			}
			if len(all) > room {
				short++
			}
			if !slices.IsSortedFunc(got, func(a, b Contact) int { return map[bool]int{true: 1, false: -1}[contactAfter(&a, &b)] }) {
				t.Fatalf("seed %d, case %d, room for %d: not in the order of the triangles: %+v", seed, i, room, got)
			}
		}
	}
	if short < 1000 {
		t.Errorf("%d lists were too short: too few to say anything", short)
	}
}

// A camera comes as near as the level lets its ball; other characters do not push it, and where there
// is no level it stays where it is wanted.
func TestHowFarACameraReaches(t *testing.T) {
	var b Builder
	b.Box(geom.V(0, 2, 5), geom.V(4, 2, 0.5), geom.IdentityQuat, Surface{}) // its face is at z = 4.5
	v := WorldAt{World: b.MustBake()}
	v.Obstacles = []Obstacle{{Capsule: geom.Capsule{A: geom.V(0, 2, 1), B: geom.V(0, 2.5, 1), Radius: 0.4}}}
	eye := geom.V(0, 2, 0)
	for _, c := range []struct {
		what string
		way  geom.Vec3
		want float64
	}{
		{"into the wall", geom.V(0, 0, 8), (4.5 - 0.25) / 8},
		{"short of the wall", geom.V(0, 0, 4), 1},
		{"past it", geom.V(8, 0, 0), 1},
		{"nowhere", geom.Vec3{}, 1},
	} {
		if got := v.CameraReach(eye, c.way, 0.25); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
	}
	if len(v.Obstacles) != 1 {
		t.Error("the query changes its world")
	}
	if got := (&WorldAt{}).CameraReach(eye, geom.V(0, 0, 8), 0.25); got != 1 {
		t.Errorf("without a level: got %v, want 1", got)
	}
}

// A checkpoint has the triggers of each mover: a restored match has its doors where they were, and
// goes on; a checkpoint that was cut, or of a mover without that waypoint, is refused. [BAS-12]
func TestTriggersInACheckpoint(t *testing.T) {
	const now = 5500 * ms // the mover moves since the last press
	for _, kind := range []TriggerKind{Once, Toggle, Timed, StopGo} {
		how, path := Trigger{Kind: kind}, slide()
		switch kind {
		case Timed:
			how.Hold = clock.Second
		case StopGo:
			path = Path{Loop: true, Keys: []Key{{}, {At: 1000 * ms, Position: geom.V(2, 0, 0)}, {At: 2000 * ms}}}
		}
		w, log := triggered(t, path, how)
		for at := clock.Second; at < 6*clock.Second; at += 1300 * ms {
			trigger(w, log, at, at, Press)
		}
		var p bits.Packer
		p.Write(make([]byte, 4096))
		if w.CheckpointTriggers(&p, now); p.Err() != nil {
			t.Fatal(p.Err())
		}
		packed := slices.Clone(p.Bytes())
		fresh, freshLog := triggered(t, path, how)
		p.Read(packed)
		if fresh.CheckpointTriggers(&p, now); p.Err() != nil {
			t.Fatalf("%v: %v", kind, p.Err())
		}
		for at := now; at < now+5*clock.Second; at += 50 * ms {
			a, b := WorldAt{World: w, At: at}, WorldAt{World: fresh, At: at}
			if got, want := b.Pose(1), a.Pose(1); got != want {
				t.Fatalf("%v: %d µs after the checkpoint the mover is at %v, want %v", kind, at-now, got, want)
			}
			if at == now+clock.Second {
				if trigger(w, log, at, at, Press) != trigger(fresh, freshLog, at, at, Press) {
					t.Errorf("%v: the restored mover answers to a press otherwise", kind)
				}
			}
		}
		for n := range len(packed) {
			p.Read(packed[:n])
			again, _ := triggered(t, path, how)
			if again.CheckpointTriggers(&p, now); p.Err() == nil {
				t.Errorf("%v: the first %d of %d bytes are a checkpoint", kind, n, len(packed))
			}
		}
	}
}

// A checkpoint of an untouched door takes a bit, and leaves the door untouched; one with a waypoint that
// the mover does not have is out of range.
func TestCheckpointsOfOtherDoors(t *testing.T) {
	long := Path{Keys: []Key{{}, {At: 1000 * ms, Position: geom.V(1, 0, 0)}, {At: 2000 * ms, Position: geom.V(2, 0, 0)}, {At: 3000 * ms, Position: geom.V(3, 0, 0)}}}
	lift, log := triggered(t, long, Trigger{Kind: Timed, Hold: clock.Second})
	trigger(lift, log, clock.Second, clock.Second, 3)
	var p bits.Packer
	p.Write(make([]byte, 4096))
	lift.CheckpointTriggers(&p, 5*clock.Second)
	short, _ := triggered(t, Path{Keys: long.Keys[:2]}, Trigger{Kind: Timed, Hold: clock.Second})
	p.Read(slices.Clone(p.Bytes()))
	if short.CheckpointTriggers(&p, 5*clock.Second); !errors.Is(p.Err(), bits.ErrRange) {
		t.Errorf("waypoint 3 of a mover with two: got %v, want %v", p.Err(), bits.ErrRange)
	}
	door, doorLog := triggered(t, slide(), Trigger{Kind: Toggle})
	p.Write(make([]byte, 16))
	if door.CheckpointTriggers(&p, clock.Second); p.Bits() != 1 || p.Err() != nil {
		t.Errorf("an untouched door takes %d bits (%v), want 1", p.Bits(), p.Err())
	}
	p.Read(slices.Clone(p.Bytes()))
	if door.CheckpointTriggers(&p, clock.Second); p.Err() != nil || doorLog.Log(1).Used() {
		t.Errorf("it is read as a touched one, or not at all: %v", p.Err())
	}
	p.Write(make([]byte, 16))
	if Floor(5).CheckpointTriggers(&p, 0); p.Bits() != 0 {
		t.Errorf("a level without triggers takes %d bits", p.Bits())
	}
}
