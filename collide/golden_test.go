package collide_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/benchscene"
	"github.com/backstep-net/backstep/internal/golden"
)

// Every processor gives the same bits: the packed scene A, and the results of 10,000
// queries of each kind in it.
func TestGolden(t *testing.T) {
	w, err := benchscene.A.World()
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("scene A, packed: %s\n", w.Hash())
	for _, q := range []struct {
		name string
		set  benchscene.QuerySet
	}{
		{"ray 50 m", benchscene.Ray50}, {"ray down", benchscene.RayDown},
		{"capsule sideways", benchscene.CapsuleSideways}, {"capsule down", benchscene.CapsuleDown},
		{"ball", benchscene.Ball},
	} {
		sum := fnv.New64a()
		hits := 0
		for _, x := range benchscene.A.Queries(q.set, 10000) {
			h, ok := ask(w, &x)
			if ok {
				hits++
			}
			write(sum.Write, h.Fraction, h.Point, h.Normal, h.FaceNormal, h.Depth, float64(h.Triangle))
		}
		got += fmt.Sprintf("%s: %d hits, %016x\n", q.name, hits, sum.Sum64())
	}
	sum := fnv.New64a()
	into := make([]collide.Contact, 0, 32)
	for _, x := range benchscene.A.Queries(benchscene.CapsuleSideways, 10000) {
		mover := x.Body.Moved(geom.V(0, -.2, 0))
		for _, c := range w.Contacts(mover, .12, into) {
			write(sum.Write, c.Distance, c.Point, c.Normal, c.FaceNormal, 0, float64(c.Triangle))
		}
		push, _ := (&collide.WorldAt{World: w}).Depenetrate(mover, 1)
		write(sum.Write, 0, push, push, push, 0, 0)
	}
	got += fmt.Sprintf("contacts and pushes: %016x\n", sum.Sum64())
	got += moved(t)
	golden.Check(t, "testdata/golden.txt", got)
}

// moved queries a world of movers, obstacles and volumes at many instants.
func moved(t *testing.T) string {
	r := rand.New(rand.NewPCG(91, 0))
	at := func(size float64) geom.Vec3 {
		return geom.V(r.Float64()*2-1, r.Float64()*2-1, r.Float64()*2-1).Mul(size)
	}
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(20, 1, 20), geom.IdentityQuat, collide.Surface{})
	for i := range 20 {
		p := collide.Path{Smooth: i%2 == 0, Loop: i%4 < 2, Axis: at(1).Unit()}
		for k := range 5 {
			p.Keys = append(p.Keys, collide.Key{At: clock.Micros(k) * 1_700_001, Position: at(8), Angle: 4 * r.Float64()})
		}
		p.Keys[4].Position, p.Keys[4].Angle = p.Keys[0].Position, p.Keys[0].Angle+2*math.Pi
		b.Mover(fmt.Sprint("body ", i), p, func(b *collide.Builder) {
			b.Box(at(1), geom.V(.5, .5, .5).Add(at(.3)), geom.AxisAngle(at(1).Unit(), r.Float64()), collide.Surface{})
			b.Hull([]geom.Vec3{at(2), at(2), at(2), at(2), at(2), at(2)}, collide.Surface{})
		})
		b.VolumeBox(collide.Volume{Water: i%3 > 0, Priority: int8(i % 4)}, at(8), geom.V(2, 2, 2).Add(at(1)), geom.AxisAngle(at(1).Unit(), 1))
		b.VolumeSphere(collide.Volume{Water: i%2 > 0}, geom.Sphere{Centre: at(8), Radius: 1 + r.Float64()})
	}
	w := b.MustBake()
	v := collide.WorldAt{World: w, Obstacles: make([]collide.Obstacle, 4)}
	sum, hits := fnv.New64a(), 0
	into := make([]collide.Contact, 0, 32)
	near := make([]collide.MoverID, 0, 32)
	for range 10000 {
		v.At = clock.Micros(r.Int64N(int64(1_000_000 * clock.Second)))
		for i := range v.Obstacles {
			v.Obstacles[i] = collide.Obstacle{Capsule: geom.Upright(at(8), geom.Up, .34, .9)}
		}
		c, d := geom.Upright(at(9), at(1).Unit(), .34, .9), at(6)
		h, ok := v.SweepCapsule(c, d)
		if ok {
			hits++
		}
		write(sum.Write, h.Fraction, h.Point, h.Normal, h.FaceNormal, h.Depth, float64(h.Triangle))
		g, _ := v.Ray(c.A, d)
		write(sum.Write, g.Fraction, g.Point, v.VelocityAt(h.Mover, h.Point), v.AngularVelocity(h.Mover), float64(g.Mover), float64(h.Mover))
		for _, x := range v.Contacts(c, .2, into) {
			write(sum.Write, x.Distance, x.Point, x.Normal, x.FaceNormal, float64(x.Mover), float64(x.Triangle))
		}
		push, _ := v.Depenetrate(c, 1)
		pose := v.Pose(collide.MoverID(1 + r.IntN(20)))
		write(sum.Write, v.Submerged(c, geom.Up), push, pose.Translation, geom.V(pose.Rotation.X, pose.Rotation.Y, pose.Rotation.Z), pose.Rotation.W,
			float64(len(v.NearbyMovers(c, v.At-50_000, near))))
	}
	return fmt.Sprintf("movers, obstacles and volumes, packed: %s\ntheir answers: %d hits, %016x\n", w.Hash(), hits, sum.Sum64())
}

func ask(w *collide.World, q *benchscene.Query) (collide.Hit, bool) {
	if q.Body.Radius == 0 {
		return w.Ray(q.Body.A, q.Delta)
	}
	return w.SweepCapsule(q.Body, q.Delta)
}

// write hashes a result; −0 as 0, because the two are equal.
func write(to func([]byte) (int, error), a float64, p, n, f geom.Vec3, d, t float64) {
	var b []byte
	for _, x := range []float64{a, p.X, p.Y, p.Z, n.X, n.Y, n.Z, f.X, f.Y, f.Z, d, t} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x+0))
	}
	to(b)
}
