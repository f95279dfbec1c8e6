package collide

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/geom"
)

// coreCore is the distance of the cores of two capsules, by search.
func coreCore(a, b geom.Capsule) float64 {
	_, d := least(func(s float64) float64 {
		p := a.A.Lerp(a.B, s)
		if b.A == b.B {
			return p.Dist(b.A)
		}
		return pointSegment(p, b.A, b.B)
	})
	return d
}

// A capsule swept against an obstacle stops where bisection says, with the normal
// between the nearest points; upright ones, leaning ones, spheres and rays. [STP-05, BAS-08]
func TestObstacleSweepMatchesSearch(t *testing.T) {
	const seed = 81
	r := rand.New(rand.NewPCG(seed, 0))
	n := 10000
	if testing.Short() {
		n = 1000
	}
	hits, grazed := 0, 0
	for i := range n {
		o, c, d := Obstacle{Capsule: randomCapsule(r, 2)}, randomCapsule(r, 2), motion(r)
		switch r.IntN(4) {
		case 0: // as players are
			o.Capsule = geom.Upright(vector(r, 2), geom.Up, .34, .88)
			c = geom.Upright(vector(r, 2), geom.Up, .34, .88)
		case 1:
			c.B, c.Radius = c.A, 0
		case 2: // a car
			o.Capsule.Radius *= 5
		}
		if r.IntN(2) == 0 { // at it, from further off
			o.Capsule = o.Capsule.Moved(vector(r, 5))
			d = o.Capsule.A.Sub(c.A).Add(vector(r, 1)).Mul(.5 + r.Float64()*3)
		}
		v := WorldAt{World: new(World), Obstacles: []Obstacle{o}}
		got, ok := v.SweepCapsule(c, d)
		if c.Radius == 0 {
			got, ok = v.Ray(c.A, d)
		}
		apart := func(u float64) float64 { return coreCore(c.Moved(d.Mul(u)), o.Capsule) - c.Radius - o.Capsule.Radius }
		if apart(0) < 1e-7 {
			overlapping(t, &v, c, d, got, ok, apart(0))
			continue
		}
		const margin = .4
		if list := v.Contacts(c, margin, make([]Contact, 0, 4)); math.Abs(apart(0)-margin) > 1e-6 &&
			(len(list) == 1 != (apart(0) < margin) || len(list) == 1 && !near(list[0].Distance, apart(0), 1e-6)) {
			t.Fatalf("seed %d, case %d: %g m away, contacts %+v", seed, i, apart(0), list)
		}
		at, value := least(apart)
		if math.Abs(value) < 1e-9 {
			grazed++
			continue
		}
		if ok != (value < 0) {
			t.Fatalf("seed %d, case %d: hit %v, the nearest is %g\n%+v\n%+v %v", seed, i, ok, value, o, c, d)
		}
		if !ok {
			continue
		}
		hits++
		lo, hi := 0.0, at
		for range 60 {
			if mid := (lo + hi) / 2; apart(mid) > 0 {
				lo = mid
			} else {
				hi = mid
			}
		}
		if !near(got.Fraction*d.Len(), hi*d.Len(), 1e-6) || got.Mover != FirstObstacle || got.Penetrating {
			t.Fatalf("seed %d, case %d: got %+v, want %v\n%+v\n%+v %v", seed, i, got, hi, o, c, d)
		}
		touch := c.Moved(d.Mul(got.Fraction))
		if x := math.Abs(got.Normal.Len() - 1); x > 1e-9 || got.Normal.Dot(d) >= 0 {
			t.Fatalf("seed %d, case %d: normal %v", seed, i, got.Normal)
		}
		if core := got.Point.MulAdd(got.Normal, -o.Capsule.Radius); coreCore(geom.Capsule{A: core, B: core}, o.Capsule) > 1e-6 {
			t.Fatalf("seed %d, case %d: %v is not on the obstacle", seed, i, got.Point)
		}
		if core := got.Point.MulAdd(got.Normal, c.Radius); coreCore(geom.Capsule{A: core, B: core}, touch) > 1e-6 {
			t.Fatalf("seed %d, case %d: %v is not on the capsule", seed, i, got.Point)
		}
	}
	t.Logf("%d of %d hit, %d graze", hits, n, grazed)
}

// overlapping checks the results for a capsule that begins in an obstacle.
func overlapping(t *testing.T, v *WorldAt, c geom.Capsule, d geom.Vec3, h Hit, ok bool, apart float64) {
	t.Helper()
	if c.Radius == 0 {
		if ok && apart < -1e-6 {
			t.Fatalf("a ray that begins %g m inside an obstacle hits it: %+v", -apart, h)
		}
		return
	}
	if apart > -1e-6 {
		return
	}
	list := v.Contacts(c, 0, make([]Contact, 0, 4))
	if !v.Overlaps(c) || len(list) != 1 || !near(list[0].Distance, apart, 1e-7) {
		t.Fatalf("%g m deep: overlaps %v, contacts %+v", -apart, v.Overlaps(c), list)
	}
	along := list[0].Normal.Dot(d)
	if in := along < 0; math.Abs(along) > 1e-9 && in != ok || ok && (!h.Penetrating || h.Fraction != 0 || !near(h.Depth, -apart, 1e-7)) {
		t.Fatalf("%g m deep, along the way out %v: %v %+v", -apart, along, ok, h)
	}
	push, free := v.Depenetrate(c, 4)
	if !free || push.Len() > -apart+1e-5 || coreCore(c.Moved(push), v.Obstacles[0].Capsule) < c.Radius+v.Obstacles[0].Capsule.Radius {
		t.Fatalf("%g m deep: pushed by %v, free %v", -apart, push, free)
	}
}

// Two capsules at the very same place get a direction that separates them, a capsule on top
// of another stands on it, and the seventeenth obstacle does not count. [BAS-08]
func TestObstacles(t *testing.T) {
	at := func(x, y float64) geom.Capsule { return geom.Upright(geom.V(x, y, 0), geom.Up, .3, .9) }
	v := WorldAt{World: new(World)}
	for i := range MaxObstacles + 1 {
		v.Obstacles = append(v.Obstacles, Obstacle{ID: uint16(100 + i), Capsule: at(float64(10*i), 0), Velocity: geom.V(1, 0, 0)})
	}
	if push, free := v.Depenetrate(at(20, 0), 1); !free || !near(push.Len(), .6, 1e-5) || push.Y != 0 {
		t.Errorf("in the very same place: pushed by %v, %v", push, free)
	}
	for _, c := range []struct {
		name string
		a, b geom.Vec3 // from the middle to the ends of two cores
		want geom.Vec3 // the axis along which they part
	}{
		{"crossing", geom.V(0, .5, 0), geom.V(.5, 0, 0), geom.V(0, 0, .6)},
		{"leaning across", geom.V(0, .5, 0), geom.V(.5, .5, 0), geom.V(0, 0, .6)},
		{"lying in each other", geom.V(.5, 0, 0), geom.V(.5, 0, 0), geom.V(0, 0, .6)},
		{"upright in each other", geom.V(0, .5, 0), geom.V(0, .5, 0), geom.V(.6, 0, 0)},
		{"two balls", geom.Vec3{}, geom.Vec3{}, geom.V(.6, 0, 0)},
	} {
		capsule := func(end geom.Vec3) geom.Capsule { return geom.Capsule{A: end.Neg(), B: end, Radius: .3} }
		w := WorldAt{World: new(World), Obstacles: []Obstacle{{Capsule: capsule(c.a)}}}
		push, free := w.Depenetrate(capsule(c.b), 1)
		if !free || min(push.Dist(c.want), push.Dist(c.want.Neg())) > 1e-5 {
			t.Errorf("%s: pushed by %v, %v; want ±%v", c.name, push, free, c.want)
		}
	}
	h, ok := v.SweepCapsule(at(30, 3), geom.V(0, -3, 0))
	if !ok || !near(h.Fraction, .4, 1e-12) || h.Normal != geom.Up || h.Mover != FirstObstacle+3 || h.Shape != NoShape {
		t.Errorf("onto a head: %v %+v", ok, h)
	}
	if o := v.Obstacle(h.Mover); o == nil || o.ID != 103 || v.VelocityAt(h.Mover, h.Point) != o.Velocity || v.Pose(h.Mover).Translation != geom.V(30, 0, 0) {
		t.Errorf("the obstacle hit: %+v", o)
	}
	if v.Surface(h.Mover, 0) != (Surface{}) || v.AngularVelocity(h.Mover) != (geom.Vec3{}) {
		t.Error("an obstacle has a surface or spins")
	}
	if v.Overlaps(at(160, 0)) || v.Obstacle(FirstObstacle+MaxObstacles) != nil || v.Obstacle(1) != nil {
		t.Error("there is a seventeenth obstacle")
	}
}

// An obstacle with numbers that are not finite is ignored. [BAS-08]
func TestBadObstacles(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, c := range []geom.Capsule{
			{A: geom.V(x, 0, 0), B: geom.V(0, 1, 0), Radius: 1}, {A: geom.V(0, 1, 0), B: geom.V(0, x, 0), Radius: 1},
			{A: geom.V(0, 1, 0), B: geom.V(0, 1, 0), Radius: x},
		} {
			v := WorldAt{World: new(World), Obstacles: []Obstacle{{Capsule: c}}}
			b := geom.Upright(geom.V(0, 0, 0), geom.Up, .3, .9)
			if h, ok := v.SweepCapsule(b, geom.V(1, 0, 0)); ok {
				t.Errorf("%+v: %+v", c, h)
			}
			if _, ok := v.Ray(geom.V(0, 5, 0), geom.V(0, -9, 0)); ok || v.Overlaps(b) || len(v.Contacts(b, 1, make([]Contact, 0, 1))) > 0 {
				t.Errorf("%+v is there", c)
			}
		}
	}
}
