package collide_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// doors is a floor with four overlapping movers, of which some are left out.
func doors(t *testing.T, without collide.MoverSet) *collide.World {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(9, 1, 9), geom.IdentityQuat, collide.Surface{})
	for i, at := range []geom.Vec3{{X: -1, Y: 1}, {X: 1, Y: 1, Z: .5}, {Y: 2, Z: -.5}, {X: .5, Y: .5, Z: 1}} {
		path := collide.Path{Loop: true, Keys: []collide.Key{
			{Position: at}, {At: clock.Second, Position: at.Add(geom.V(.5, .3, 0)), Angle: 1}, {At: 2 * clock.Second, Position: at},
		}}
		if !without.Has(collide.MoverID(i + 1)) {
			b.Mover(string(rune('a'+i)), path, func(b *collide.Builder) {
				b.Box(geom.Vec3{}, geom.V(.8, .7, .6), geom.IdentityQuat, collide.Surface{})
			})
		}
	}
	return b.MustBake()
}

// GAP-46: a WorldAt that excludes some of its movers gives the same results as a world
// without them: rays, sweeps, overlaps, contacts, faces and nearby bodies.
func TestExcludedMovers(t *testing.T) {
	const seed = 12
	r := rand.New(rand.NewPCG(seed, 0))
	met := 0
	for range 60 {
		var set collide.MoverSet
		var left []collide.MoverID // by the other world's ids
		for id := collide.MoverID(1); id <= 4; id++ {
			if r.IntN(2) == 0 {
				set.Add(id)
			} else {
				left = append(left, id)
			}
		}
		at := clock.Micros(r.Int64N(4e6))
		got := collide.WorldAt{World: doors(t, collide.MoverSet{}), At: at, Exclude: &set}
		want := collide.WorldAt{World: doors(t, set), At: at}
		name := func(id collide.MoverID) collide.MoverID {
			if id == collide.Static {
				return id
			}
			return left[id-1]
		}
		for range 40 {
			from := geom.V(r.Float64()*4-2, r.Float64()*3, r.Float64()*4-2)
			d := geom.V(r.Float64()-.5, r.Float64()-.5, r.Float64()-.5).Mul(6)
			c := geom.Upright(from, geom.Up, .1+r.Float64()*.4, r.Float64()*.5)
			h, ok := got.Ray(from, d)
			o, other := want.Ray(from, d)
			if o.Mover = name(o.Mover); h != o || ok != other {
				t.Fatalf("seed %d: ray %+v, want %+v", seed, h, o)
			}
			h, ok = got.SweepCapsule(c, d)
			o, other = want.SweepCapsule(c, d)
			if o.Mover = name(o.Mover); h != o || ok != other {
				t.Fatalf("seed %d: sweep %+v, want %+v", seed, h, o)
			}
			if got.Overlaps(c) != want.Overlaps(c) {
				t.Fatalf("seed %d: overlaps %v", seed, got.Overlaps(c))
			}
			if ok && h.Mover != collide.Static {
				met++
			}
			a, b := got.Contacts(c, .1, make([]collide.Contact, 0, 32)), want.Contacts(c, .1, make([]collide.Contact, 0, 32))
			for i := range b {
				b[i].Mover = name(b[i].Mover)
			}
			if !slices.Equal(a, b) {
				t.Fatalf("seed %d: contacts %+v, want %+v", seed, a, b)
			}
			p, q := got.NearbyMovers(c, at-100_000, make([]collide.MoverID, 0, 8)), want.NearbyMovers(c, at-100_000, make([]collide.MoverID, 0, 8))
			for i := range q {
				q[i] = name(q[i])
			}
			if !slices.Equal(p, q) {
				t.Fatalf("seed %d: beside %v, want %v", seed, p, q)
			}
		}
		for id := collide.MoverID(1); id <= 4; id++ {
			if _, ok := got.SweepMover(id, geom.Capsule{A: geom.V(-3, 0, 0), B: geom.V(-3, 0, 0), Radius: .1}, geom.V(6, 0, 0)); ok == set.Has(id) {
				t.Errorf("mover %d asked alone: met %v, taken out %v", id, ok, set.Has(id))
			}
		}
	}
	if met < 100 {
		t.Errorf("%d sweeps met a mover: too few to mean anything", met)
	}
}

func TestMoverSets(t *testing.T) {
	var s collide.MoverSet
	for _, id := range []collide.MoverID{collide.Static, collide.MaxMovers + 1, collide.FirstObstacle} {
		if s.Add(id); s.Has(id) || !s.Empty() {
			t.Errorf("%d was taken", id)
		}
	}
	s.Add(1)
	s.Add(collide.MaxMovers)
	if !s.Has(1) || !s.Has(collide.MaxMovers) || s.Has(2) || s.Empty() {
		t.Error("1 and the last are not what is in it")
	}
	s.Remove(1)
	s.Remove(collide.FirstObstacle)
	if s.Has(1) || !s.Has(collide.MaxMovers) {
		t.Error("1 was not taken out, or more was")
	}
}
