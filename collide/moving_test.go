package collide

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// mesh is geometry that can be added at any transform.
type mesh func(b *Builder, at geom.Transform)

func randomMesh(seed uint64) mesh {
	return func(b *Builder, at geom.Transform) {
		r := rand.New(rand.NewPCG(seed, 0))
		for range 12 {
			middle := vector(r, 3)
			var p []geom.Vec3
			for range 4 + r.IntN(20) {
				p = append(p, at.Apply(middle.Add(vector(r, 1))))
			}
			b.Hull(p, Surface{})
			turn := geom.AxisAngle(vector(r, 1).Unit(), r.Float64()*6)
			half := vector(r, 1).Max(vector(r, 1)).Max(geom.V(.1, .1, .1))
			b.Box(at.Apply(vector(r, 3)), half, at.Rotation.Mul(turn), Surface{})
			tr := triangle(r)
			b.Triangles([]geom.Vec3{at.Apply(tr.a), at.Apply(tr.b), at.Apply(tr.c)}, []uint32{0, 1, 2}, Surface{})
		}
	}
}

// agree reports whether two results of a sweep or ray with different roundings have the
// same fraction and depth.
func agree(a Hit, okA bool, b Hit, okB bool, d geom.Vec3) bool {
	if okA != okB {
		return false
	}
	return !okA || near(a.Fraction*d.Len(), b.Fraction*d.Len(), 1e-7) && a.Penetrating == b.Penetrating
}

// sameContacts reports whether every contact of a is in b. Which triangle at an edge
// reports the contact is a matter of rounding, and so is the end of a core that lies along
// the surface.
func sameContacts(a, b []Contact) bool {
	for i := range a {
		found := false
		for j := range b {
			found = found || near(a[i].Distance, b[j].Distance, 1e-8) &&
				(a[i].Point.Dist(b[j].Point) < 1e-6 || a[i].Normal.Dist(b[j].Normal) < 1e-6)
		}
		if !found {
			return false
		}
	}
	return true
}

// A mover at its pose gives the same results as the same geometry built there: sweeps, rays,
// overlaps, contacts and pushes. A sweep may differ if a tiny change of the radius decides
// whether it grazes. [BAS-01]
func TestMoverIsItsGeometryAtThePose(t *testing.T) {
	const seed = 73
	r := rand.New(rand.NewPCG(seed, 0))
	n := 2000 // of each question, for five movers
	if testing.Short() {
		n = 200
	}
	hits, grazed, pushed, exact := 0, 0, 0, 0
	for k := range 5 {
		build, path := randomMesh(uint64(k)), randomPath(r)
		at := clock.Micros(r.Int64N(int64(path.Keys[len(path.Keys)-1].At)))
		var moving, still Builder
		id := moving.Mover("heap", path, func(b *Builder) { build(b, geom.Transform{Rotation: geom.IdentityQuat}) })
		build(&still, path.Pose(at))
		a, b := WorldAt{World: moving.MustBake(), At: at}, WorldAt{World: still.MustBake()}
		middle := path.Pose(at).Translation
		for i := range n {
			c, d := randomCapsule(r, 4).Moved(middle), motion(r)
			got, ok := a.SweepCapsule(c, d)
			want, should := b.SweepCapsule(c, d)
			if !agree(got, ok, want, should, d) {
				thin, thick := c, c
				thin.Radius -= 1e-7
				thick.Radius += 1e-7
				less, okLess := b.SweepCapsule(thin, d)
				more, okMore := b.SweepCapsule(thick, d)
				if agree(less, okLess, more, okMore, d) {
					t.Fatalf("seed %d, mover %d, sweep %d: got %v %+v\nwant %v %+v\n%+v %v", seed, k, i, ok, got, should, want, c, d)
				}
				grazed++
				continue
			}
			if ok {
				hits++
				if got.Mover != id {
					t.Fatalf("sweep %d hits mover %d, want %d", i, got.Mover, id)
				}
				if got.Shape == want.Shape && got.Triangle == want.Triangle && got.Point.Dist(want.Point) < 1e-6 {
					exact++
					if got.Normal.Dist(want.Normal) > 1e-5 || got.FaceNormal.Dist(want.FaceNormal) > 1e-9 || !near(got.Depth, want.Depth, 1e-9) {
						t.Fatalf("seed %d, mover %d, sweep %d: got %+v\nwant %+v", seed, k, i, got, want)
					}
				}
			}
			got, ok = a.Ray(c.A, d)
			if want, should = b.Ray(c.A, d); !agree(got, ok, want, should, d) || got.Point.Dist(want.Point) > 1e-7 {
				t.Fatalf("seed %d, mover %d, ray %d: got %v %+v\nwant %v %+v\n%+v %v", seed, k, i, ok, got, should, want, c, d)
			}
			if a.Overlaps(c) != b.Overlaps(c) {
				t.Fatalf("seed %d, mover %d, overlap %d: got %v\n%+v", seed, k, i, a.Overlaps(c), c)
			}
			x, y := a.Contacts(c, .1, make([]Contact, 0, 32)), b.Contacts(c, .1, make([]Contact, 0, 32))
			if !sameContacts(x, y) || !sameContacts(y, x) {
				t.Fatalf("seed %d, mover %d, contacts %d: got %+v\nwant %+v\n%+v", seed, k, i, x, y, c)
			}
			p, free := a.Depenetrate(c, 1)
			if q, should := b.Depenetrate(c, 1); free != should || p.Dist(q) > 1e-6 {
				t.Fatalf("seed %d, mover %d, push %d: got %v %v, want %v %v\n%+v", seed, k, i, p, free, q, should, c)
			} else if free && !p.IsZero() {
				pushed++
			}
		}
	}
	t.Logf("%d hits (%d on the very triangle), %d grazed, %d pushed out", hits, exact, grazed, pushed)
}

// sources is a world with six movers, as a WorldAt, and the static part of it alone.
func sources(r *rand.Rand) (v, still WorldAt) {
	var all, ground Builder
	randomMesh(20)(&ground, geom.Transform{Rotation: geom.IdentityQuat})
	randomMesh(20)(&all, geom.Transform{Rotation: geom.IdentityQuat})
	for k := range 6 {
		path := randomPath(r)
		all.Mover(string(rune('a'+k)), path, func(b *Builder) { randomMesh(uint64(k))(b, geom.Transform{Rotation: geom.IdentityQuat}) })
	}
	return WorldAt{World: all.MustBake()}, WorldAt{World: ground.MustBake()}
}

// shuffle sets a random instant, and up to four obstacles.
func (v *WorldAt) shuffle(r *rand.Rand) {
	v.At = clock.Micros(r.Int64N(int64(30 * clock.Second)))
	v.Obstacles = v.Obstacles[:0]
	for range r.IntN(5) {
		v.Obstacles = append(v.Obstacles, Obstacle{Capsule: randomCapsule(r, 8)})
	}
}

// The world, several movers and obstacles together give the first hit of those that each
// gives alone, and say whose it is: sweeps and rays. [BAS-08]
func TestFirstOfAllSources(t *testing.T) {
	const seed = 74
	r := rand.New(rand.NewPCG(seed, 0))
	v, still := sources(r)
	var counts [2][8]int
	for i := range 10000 {
		if i%50 == 0 {
			v.shuffle(r)
		}
		c, d := randomCapsule(r, 9), motion(r)
		for ray := range 2 {
			got, ok := v.SweepCapsule(c, d)
			want, should := still.SweepCapsule(c, d)
			if ray == 1 {
				got, ok = v.Ray(c.A, d)
				want, should = still.Ray(c.A, d)
			}
			tied := false
			take := func(h Hit, hit bool, id MoverID) {
				tied = tied || hit && should && math.Abs(h.Fraction-want.Fraction)*d.Len() < 1e-6
				if h.Mover = id; hit && (!should || h.Fraction < want.Fraction) {
					want, should = h, true
				}
			}
			for id := MoverID(1); id <= 6; id++ {
				pose := v.Pose(id)
				way := pose.Rotation.Inverse().Rotate(d)
				h, hit := v.SweepMover(id, c.InverseTransformed(pose), way)
				if ray == 1 {
					h, hit = v.World.Mover(id).Shape.Ray(pose.ApplyInverse(c.A), way)
				}
				take(h, hit, id)
			}
			for k := range v.Obstacles {
				h, hit := v.Obstacles[k].sweep(c, d, 1)
				if ray == 1 {
					h, hit = v.Obstacles[k].ray(c.A, d, 1)
				}
				take(h, hit, FirstObstacle+MoverID(k))
			}
			if !agree(got, ok, want, should, d) || ok && got.Mover != want.Mover && !tied {
				t.Fatalf("seed %d, case %d: got %v %+v\nwant %v %+v\n%+v %v", seed, i, ok, got, should, want, c, d)
			}
			if ok {
				counts[ray][min(want.Mover, 7)]++
			}
		}
	}
	for _, n := range counts {
		t.Logf("first: static %d, movers %v, obstacles %d", n[0], n[1:7], n[7])
		if slices.Min(n[:]) < 5 {
			t.Errorf("a source is hit too rarely to say anything: %v", n)
		}
	}
}

// The contacts with everything are those that each source has alone, in the order of movers and
// triangles; one on the border of a triangle is left out only where another source comes nearer. [BAS-08]
func TestContactsOfAllSources(t *testing.T) {
	const seed, margin = 75, .1
	r := rand.New(rand.NewPCG(seed, 0))
	v, still := sources(r)
	var counts [8]int
	left := 0
	for i := range 2000 {
		if i%20 == 0 {
			v.shuffle(r)
		}
		c := randomCapsule(r, 8)
		got := v.Contacts(c, margin, make([]Contact, 0, 256))
		want := still.Contacts(c, margin, make([]Contact, 0, 64))
		for id := MoverID(1); id <= 6; id++ {
			pose := v.Pose(id)
			for _, x := range v.World.Mover(id).Shape.Contacts(c.InverseTransformed(pose), margin, make([]Contact, 0, 32)) {
				x.Point, x.Normal, x.FaceNormal = pose.Apply(x.Point), pose.Rotation.Rotate(x.Normal), pose.Rotation.Rotate(x.FaceNormal)
				x.Mover = id
				want = append(want, x)
			}
		}
		for k := range v.Obstacles {
			if x, ok := v.Obstacles[k].contact(c, margin); ok {
				x.Mover = FirstObstacle + MoverID(k)
				want = append(want, x)
			}
		}
		k := 0
		for j, x := range want {
			if k < len(got) && got[k] == x {
				counts[min(x.Mover, 7)]++
				k++
				continue
			}
			left++
			nearer := slices.ContainsFunc(want, func(o Contact) bool { return o.Mover != x.Mover && o.Distance < x.Distance })
			if !nearer || x.Normal.Dist(x.FaceNormal) < 1e-9 {
				t.Fatalf("seed %d, case %d: %+v, number %d, is left out or out of order\n%+v\n%+v", seed, i, x, j, got, c)
			}
		}
		if k != len(got) {
			t.Fatalf("seed %d, case %d: %d contacts that no source has: %+v", seed, i, len(got)-k, got)
		}
	}
	t.Logf("static %d, movers %v, obstacles %d, left out %d", counts[0], counts[1:7], counts[7], left)
	if slices.Min(counts[:]) < 5 {
		t.Errorf("a source has too few contacts to say anything: %v", counts)
	}
}

// A floor and a lift flush with it: the tie goes to the static floor whatever the rotation
// of the lift, and beyond the seam to the lift. [GRD-07, GRD-13]
func TestFlushSeam(t *testing.T) {
	for _, angle := range []float64{0, .3, 1, 2.5} {
		var b Builder
		b.Box(geom.V(-5, -.5, 0), geom.V(5, .5, 5), geom.IdentityQuat, Surface{})
		id := b.Mover("lift", Path{Keys: []Key{{Position: geom.V(5, -7, 0), Angle: angle}}}, func(b *Builder) {
			b.Box(geom.V(0, 6.5, 0), geom.V(5, .5, 5), geom.AxisAngle(geom.Up, -angle), Surface{})
		})
		v := WorldAt{World: b.MustBake()}
		for i := range 200 {
			x := float64(i)/100 - 1
			h, ok := v.SweepCapsule(geom.Upright(geom.V(x, 2, 0), geom.Up, .3, .9), geom.V(0, -3, 0))
			if !ok || !near(h.Fraction, 1.1/3, 1e-9) {
				t.Fatalf("turned %v, at x = %v: %v %+v", angle, x, ok, h)
			}
			if want := x > 1e-5; math.Abs(x) > 1e-4 && want != (h.Mover == id) {
				t.Errorf("turned %v, at x = %v: stands on mover %d", angle, x, h.Mover)
			}
		}
	}
}

// A floor and a wall meet in a corner, one of them static and one a mover, or both movers: what comes into
// the corner meets both at once, and hits the one that opposes it more, whichever was added first. Where
// two lie level in each other it is the one of the lower id. Rounding does not decide: the movers are turned.
func TestTiesBetweenSources(t *testing.T) {
	floor := [2]geom.Vec3{{X: 4, Y: -.5}, {X: 5, Y: .5, Z: 5}} // middle and half size: its top is y = 0
	wall := [2]geom.Vec3{{X: -5}, {X: 5, Y: 5, Z: 5}}          // its face is x = 0
	level := [2]geom.Vec3{{X: -4, Y: -.5}, {X: 5, Y: .5, Z: 5}}
	// build makes a level of two boxes, the first static or a mover; turned movers are made of turned boxes.
	build := func(static bool, angle float64, boxes ...[2]geom.Vec3) *World {
		var b Builder
		for i, x := range boxes {
			if i == 0 && static {
				b.Box(x[0], x[1], geom.IdentityQuat, Surface{})
				continue
			}
			turn := geom.YawQuat(-angle)
			b.Mover(string(rune('a'+i)), Path{Keys: []Key{{Position: geom.V(1, 2, 3), Angle: angle}}}, func(b *Builder) {
				b.Box(turn.Rotate(x[0].Sub(geom.V(1, 2, 3))), x[1], turn, Surface{})
			})
		}
		return b.MustBake()
	}
	for _, c := range []struct {
		name  string
		boxes [2][2]geom.Vec3
		d     geom.Vec3
		want  int // which of them
	}{
		{"steeply into the corner, floor first", [2][2]geom.Vec3{floor, wall}, geom.V(-1, -3, 0), 0},
		{"steeply into the corner, wall first", [2][2]geom.Vec3{wall, floor}, geom.V(-1, -3, 0), 1},
		{"flatly into the corner, floor first", [2][2]geom.Vec3{floor, wall}, geom.V(-3, -1, .5), 1},
		{"flatly into the corner, wall first", [2][2]geom.Vec3{wall, floor}, geom.V(-3, -1, .5), 0},
		{"onto both", [2][2]geom.Vec3{floor, level}, geom.V(.1, -3, .2), 0},
		{"onto both, the other first", [2][2]geom.Vec3{level, floor}, geom.V(.1, -3, .2), 0},
	} {
		for _, angle := range []float64{0, .3, 1, 2.5} {
			for _, static := range []bool{true, false} {
				v := WorldAt{World: build(static, angle, c.boxes[:]...)}
				want := MoverID(c.want + 1)
				if static {
					want = MoverID(c.want)
				}
				ball := geom.Sphere{Centre: geom.V(.3, .3, .1).Sub(c.d), Radius: .3}
				if c.boxes[0] == level || c.boxes[1] == level {
					ball.Centre.X -= .3
				}
				if h, ok := v.SweepSphere(ball, c.d.Mul(2)); !ok || !near(h.Fraction, .5, 1e-9) || h.Mover != want {
					t.Errorf("a ball %s, turned %v: got %v %+v, want mover %d half way", c.name, angle, ok, h, want)
				}
				if h, ok := v.Ray(geom.V(0, 0, .1).Sub(c.d), c.d.Mul(2)); !ok || !near(h.Fraction, .5, 1e-9) || h.Mover != want {
					t.Errorf("a ray %s, turned %v: got %v %+v, want mover %d half way", c.name, angle, ok, h, want)
				}
			}
		}
	}
}

// Near the seam of a floor and a flush lift, every contact is with the face of the floor or
// lift and none with their edges, even for movers slightly sunk into either.
func TestFlushSeamIsNoContact(t *testing.T) {
	for _, angle := range []float64{0, 1, 2.5} {
		var b Builder
		b.Box(geom.V(-5, -.5, 0), geom.V(5, .5, 5), geom.IdentityQuat, Surface{})
		b.Mover("lift", Path{Keys: []Key{{Position: geom.V(5, -7, 0), Angle: angle}}}, func(b *Builder) {
			b.Box(geom.V(0, 6.5, 0), geom.V(5, .5, 5), geom.AxisAngle(geom.Up, -angle), Surface{})
		})
		v := WorldAt{World: b.MustBake()}
		for i := range 200 {
			x, gap := float64(i)/400-.25, []float64{.02, 0, -1e-3}[i%3]
			c := geom.Upright(geom.V(x, .9+gap, .3), geom.Up, .3, .9)
			list := v.Contacts(c, .1, make([]Contact, 0, 16))
			if len(list) == 0 {
				t.Fatalf("turned %v, at x = %v: no contact", angle, x)
			}
			for _, k := range list {
				if math.Abs(x) > 1e-5 && k.Normal.Dist(geom.Up) > 1e-6 {
					t.Fatalf("turned %v, at x = %v: %+v", angle, x, list)
				}
			}
		}
	}
}

// Between a wall and a door that came near, the push satisfies both, and if no push does,
// there is none. [STP-05, BAS-02]
func TestDepenetrateBetweenWallAndMover(t *testing.T) {
	var b Builder
	b.Box(geom.V(-1, 0, 0), geom.V(1, 5, 5), geom.IdentityQuat, Surface{}) // its face is x = 0
	b.Mover("door", Path{Keys: []Key{{Position: geom.V(2, 0, 0)}, {At: 2 * clock.Second, Position: geom.V(.5, 0, 0)}}},
		func(b *Builder) { b.Box(geom.V(1, 0, 0), geom.V(1, 5, 5), geom.IdentityQuat, Surface{}) })
	v := WorldAt{World: b.MustBake()}
	for _, c := range []struct {
		name string
		at   clock.Micros // the door's face is at 2 − 0.75 m/s
		x    float64
		free bool
		want float64
	}{
		{"in the wall, the door far off", 0, .2, true, .1},
		{"in the door, the wall far off", clock.Second, 1, true, -.05},
		{"in both, where it fits between", 1860 * clock.Millisecond, .31, true, -.005},
		{"in the wall, and the way out is in the door", 1860 * clock.Millisecond, .29, true, .01},
		{"in both, where it does not fit", 1900 * clock.Millisecond, .29, false, 0},
	} {
		v.At = c.at
		body := geom.Upright(geom.V(c.x, 0, 0), geom.Up, .3, .9)
		push, free := v.Depenetrate(body, .4)
		if free != c.free || !near(push.X, c.want, 1e-5) {
			t.Errorf("%s: push %v free %v, want %v %v", c.name, push, free, c.want, c.free)
		}
		if free && v.Overlaps(body.Moved(push)) {
			t.Errorf("%s: pushed by %v it still overlaps", c.name, push)
		}
	}
}
