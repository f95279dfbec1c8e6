package collide

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// A number that is not finite, anywhere in a query, finds nothing, in the middle of a level with movers,
// volumes and other characters; and so does a motion of zero. A NaN that a game computes never opens a
// door, kills, or pushes anybody.
func TestQueriesThatFindNothing(t *testing.T) {
	const seed = 91
	v := WorldAt{World: stage(t, rand.New(rand.NewPCG(seed, 0))), At: clock.Second}
	good := geom.Upright(geom.V(0, .3, 0), geom.Up, .3, .9)
	v.Obstacles = []Obstacle{{Capsule: good}}
	down := geom.V(0, -9, 0)
	list := func() []Contact { return make([]Contact, 0, 8) }
	if _, ok := v.SweepCapsule(good, down); !ok || !v.Overlaps(good) || len(v.Contacts(good, .1, list())) == 0 {
		t.Fatalf("seed %d: a good query finds nothing either", seed)
	}
	if h, ok := v.SweepCapsule(good, geom.Vec3{}); ok {
		t.Errorf("a sweep of no length hits %+v", h)
	}
	if h, ok := v.Ray(geom.V(0, -.5, 0), geom.Vec3{}); ok || v.World.Blocked(geom.V(0, -.5, 0), geom.Vec3{}, new(BlockedCache)) {
		t.Errorf("a ray of no length hits %+v", h)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for i := range 7 {
			c := good
			*[7]*float64{&c.A.X, &c.A.Y, &c.A.Z, &c.B.X, &c.B.Y, &c.B.Z, &c.Radius}[i] = x
			h, hit := v.SweepCapsule(c, down)
			contacts, near := v.Contacts(c, .1, list()), v.NearbyMovers(c, 0, make([]MoverID, 0, 8))
			if hit || v.Overlaps(c) || len(contacts) > 0 || len(near) > 0 || v.Submerged(c, geom.Up) != 0 || v.InKillVolume(c) {
				t.Errorf("%v as number %d of a capsule: hit %v %+v, overlaps %v, contacts %+v, movers %v", x, i, hit, h, v.Overlaps(c), contacts, near)
			}
			if push, free := v.Depenetrate(c, 1); free || !push.IsZero() {
				t.Errorf("%v as number %d of a capsule: it is free after %v", x, i, push)
			}
		}
		for i := range 3 {
			from, d, box := geom.V(0, 5, 0), down, geom.AABB{Min: geom.V(-9, -9, -9), Max: geom.V(9, 9, 9)}
			*[3]*float64{&from.X, &from.Y, &from.Z}[i] = x
			*[3]*float64{&d.X, &d.Y, &d.Z}[i] = x
			*[3]*float64{&box.Max.X, &box.Min.Y, &box.Max.Z}[i] = x
			_, ray := v.Ray(from, down)
			_, far := v.Ray(geom.V(0, 5, 0), d)
			_, sweep := v.SweepCapsule(good, d)
			blocked := v.World.Blocked(from, down, new(BlockedCache)) || v.World.Blocked(geom.V(0, 5, 0), d, new(BlockedCache))
			if ray || far || sweep || blocked || v.VolumeAt(from) != nil || len(v.Faces(box, 99, nil)) > 0 {
				t.Errorf("%v as number %d: rays %v, %v, %v, sweep %v, volume %v, %d faces", x, i, ray, far, blocked, sweep, v.VolumeAt(from), len(v.Faces(box, 99, nil)))
			}
		}
		if got := v.Contacts(good, x, list()); len(got) > 0 {
			t.Errorf("within %v: contacts %+v", x, got)
		}
		if push, free := v.Depenetrate(good, x); free && !math.IsInf(x, 1) {
			t.Errorf("at most %v: free after %v", x, push)
		}
	}
}

// Of all triangles within the margin the deepest contact is the nearest one, for movers from a hand to a
// house: the distance is that of a search over every triangle, and there is no contact further off.
func TestDeepestContactAgainstEveryTriangle(t *testing.T) {
	const seed = 92
	r := rand.New(rand.NewPCG(seed, 0))
	for _, p := range places(t, r) {
		met := 0
		for i := range 120 {
			c, margin := randomCapsule(r, p.reach), r.Float64()
			switch r.IntN(3) {
			case 0:
				c.Radius = r.Float64() * 4
			case 1:
				c.Radius = 0
			}
			var in solidSet
			core := coreBox(c.A, c.B)
			if p.world.collectSolids(&in, new(traversal), &core, c.A, c.B); in.n > 0 {
				continue // it is deeper than any triangle says; see TestContactsInsideOfSolids
			}
			least := math.Inf(1)
			for k := range p.world.tris {
				if t := &p.world.tris[k]; t.bounds().Overlaps(c.Bounds().Grow(margin + .01)) {
					least = min(least, coreTriangle(c, t)-c.Radius)
				}
			}
			got := math.Inf(1)
			for _, x := range p.world.Contacts(c, margin, make([]Contact, 0, 999)) {
				if x.Distance > margin+1e-12 || !near(x.Normal.Len(), 1, 1e-9) {
					t.Fatalf("%s, seed %d, case %d: within %v: %+v", p.name, seed, i, margin, x)
				}
				got = min(got, x.Distance)
			}
			// A core that crosses a loose triangle is deeper than the radius: by how much, the way out says.
			if crossed := least < 1e-6-c.Radius; crossed && got > 1e-6-c.Radius || !crossed && least < margin-1e-6 && !near(got, least, 1e-6) || least > margin+1e-6 && !math.IsInf(got, 1) {
				t.Fatalf("%s, seed %d, case %d: deepest %v, by search %v, margin %v\n%+v", p.name, seed, i, got, least, margin, c)
			}
			if least < margin {
				met++
			}
		}
		t.Logf("%s: %d of 120 met something", p.name, met)
	}
}

// A core that a solid contains has one contact with it, at its end that is deepest: moved along the normal
// by the depth, the core is out of the solid and touches it, and no face offers a shorter way. [STP-05]
func TestContactsInsideOfSolids(t *testing.T) {
	const seed = 93
	r := rand.New(rand.NewPCG(seed, 0))
	met := 0
	for i := range 1000 {
		var b Builder
		var points []geom.Vec3
		for range 4 + r.IntN(12) {
			points = append(points, vector(r, 2))
		}
		b.Hull(points, Surface{})
		w, err := b.Bake()
		if err != nil {
			continue
		}
		c := randomCapsule(r, 1.5)
		list := w.Contacts(c, 0, make([]Contact, 0, 99))
		if len(list) == 0 || list[0].Distance > -c.Radius-1e-6 {
			continue
		}
		met++
		x := list[0]
		depth := -x.Distance - c.Radius
		high, low := math.Inf(-1), math.Inf(1)
		for _, p := range points {
			high = max(high, p.Dot(x.Normal))
		}
		for _, end := range [2]geom.Vec3{c.A, c.B} {
			low = min(low, end.Dot(x.Normal))
		}
		if len(list) != 1 || !near(high-x.Point.Dot(x.Normal), depth, 1e-6) || !near(x.Point.Dot(x.Normal), low, 1e-9) {
			t.Fatalf("seed %d, case %d: %d contacts, %+v; the solid ends at %v, the core at %v", seed, i, len(list), x, high, low)
		}
		for n := range w.Triangles() {
			f := w.Face(n)
			if way := f.A.Dot(f.Normal) - min(c.A.Dot(f.Normal), c.B.Dot(f.Normal)); way < depth-1e-6 {
				t.Fatalf("seed %d, case %d: %v out along %v, and only %v through face %d", seed, i, depth, x.Normal, way, n)
			}
		}
		if w.Overlaps(geom.Capsule{A: c.A, B: c.B}.Moved(x.Normal.Mul(depth + 1e-6))) {
			t.Fatalf("seed %d, case %d: still inside after %v along %v", seed, i, depth, x.Normal)
		}
	}
	if met < 100 {
		t.Errorf("%d cores were inside: too few to say anything", met)
	}
}

// Where a sweep stops the mover touches and does not overlap, whatever it came to: the ground, a mover that
// is turned, another character. Two billionths of a metre deeper it overlaps.
func TestTouchingIsNoOverlap(t *testing.T) {
	ball := geom.Capsule{A: geom.V(0, .5, 0), B: geom.V(0, .5, 0), Radius: .5}
	box := func(b *Builder) { b.Box(geom.V(0, -1, 0), geom.V(3, 1, 3), geom.IdentityQuat, Surface{}) }
	var ground, lift Builder
	box(&ground)
	lift.Mover("lift", Path{Keys: []Key{{Angle: 1}}}, box)
	for name, v := range map[string]WorldAt{
		"ground": {World: ground.MustBake()}, "lift": {World: lift.MustBake()},
		"character": {World: new(World), Obstacles: []Obstacle{{Capsule: geom.Upright(geom.V(0, -1, 0), geom.Up, .25, 1)}}},
	} {
		for deep, want := range map[float64]bool{-1e-6: false, 0: false, .5e-9: false, 2e-9: true, 1e-6: true} {
			c := ball.Moved(geom.V(0, -deep, 0))
			if got := v.Overlaps(c); got != want {
				t.Errorf("%s, %g m deep: overlaps %v, want %v", name, deep, got, want)
			}
			if h, ok := v.SweepCapsule(c, geom.V(0, -1, 0)); !ok || h.Penetrating != want {
				t.Errorf("%s, %g m deep, downwards: %v %+v, want a touch that penetrates: %v", name, deep, ok, h, want)
			}
			if h, ok := v.SweepCapsule(c, geom.V(1, 0, 0)); ok {
				t.Errorf("%s, %g m deep, along it: %+v", name, deep, h)
			}
		}
	}
}

// Faces of movers are where the movers are: each triangle that comes into the box at the pose of the instant
// is among them, once, with its corners and its normal there.
func TestFacesOfMovers(t *testing.T) {
	const seed = 94
	r := rand.New(rand.NewPCG(seed, 0))
	v := WorldAt{World: stage(t, r)}
	met := 0
	for i := range 200 {
		v.At = clock.Micros(r.Int64N(int64(30 * clock.Second)))
		box := geom.AABB{}
		box.Min = vector(r, 9)
		box.Max = box.Min.Add(geom.V(2, 2, 2))
		got := make(map[[2]int]Face)
		list := v.Faces(box, 9999, nil)
		for _, f := range list {
			got[[2]int{int(f.Mover), int(f.Triangle)}] = f
		}
		if len(got) != len(list) {
			t.Fatalf("seed %d, case %d: %d faces, of which %d are different", seed, i, len(list), len(got))
		}
		for id := range v.World.Movers() {
			mover, pose := v.World.Mover(MoverID(id+1)), v.Pose(MoverID(id+1))
			for n := range mover.Shape.Triangles() {
				want := mover.Shape.Face(n)
				want.A, want.B, want.C = pose.Apply(want.A), pose.Apply(want.B), pose.Apply(want.C)
				f, ok := got[[2]int{id + 1, n}]
				for k := range 25 { // points all over it
					x, y := float64(k%5)/4, float64(k/5)/4
					if p := want.A.Lerp(want.B, x).Lerp(want.C, y); box.Grow(-1e-9).Contains(p) && !ok {
						t.Fatalf("seed %d, case %d: %v of face %d of mover %d is in the box, and it is left out", seed, i, p, n, id+1)
					}
				}
				normal := want.B.Sub(want.A).Cross(want.C.Sub(want.A)).Unit()
				if ok && (f.A != want.A || f.B != want.B || f.C != want.C || !(f.Normal.Dist(normal) < 1e-6) || f.Shape != want.Shape || f.Solid != want.Solid) {
					t.Fatalf("seed %d, case %d: got %+v, want %+v with normal %v", seed, i, f, want, normal)
				}
				if ok {
					met++
				}
			}
		}
	}
	if met < 500 {
		t.Errorf("%d faces of movers: too few to say anything", met)
	}
}
