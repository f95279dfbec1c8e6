package rewind

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
)

// anySolid returns a solid of any kind, slant and size.
func anySolid(r *rand.Rand) rig.Solid {
	v := func(size float64) geom.Vec3 {
		return geom.V(r.Float64()*2-1, r.Float64()*2-1, r.Float64()*2-1).Mul(size)
	}
	s := rig.Solid{Shape: rig.Shape(r.IntN(3)), A: v(1), Radius: .02 + r.Float64()*.4, Rotation: geom.IdentityQuat}
	switch s.Shape {
	case rig.Capsule:
		s.B = s.A.Add(v(1))
		if r.IntN(10) == 0 {
			s.B = s.A
		}
	case rig.Box:
		s.Radius = 0
		s.Half = geom.V(.02+r.Float64(), .02+r.Float64(), .02+r.Float64()).Mul(.6)
		if axis := v(1).Unit(); r.IntN(3) > 0 {
			s.Rotation = geom.AxisAngle(axis, r.Float64()*6)
		}
	}
	return s
}

// gapTo is how far p is from a solid, 0 inside, from nothing but what the solid is made of: of a
// box the nearest of a point on each face, by clamping in its own frame.
func gapTo(p geom.Vec3, s *rig.Solid) float64 {
	switch s.Shape {
	case rig.Ball:
		return max(p.Dist(s.A)-s.Radius, 0)
	case rig.Capsule:
		return max(capsuleGap(p, geom.Capsule{A: s.A, B: s.B, Radius: s.Radius}), 0)
	}
	x, y, z := s.Rotation.Axes()
	rel, sum := p.Sub(s.A), 0.0
	for _, k := range [3][2]float64{{rel.Dot(x), s.Half.X}, {rel.Dot(y), s.Half.Y}, {rel.Dot(z), s.Half.Z}} {
		out := max(math.Abs(k[0])-k[1], 0)
		sum += float64(out * out)
	}
	return math.Sqrt(sum)
}

// firstWithin finds where along o + d·t the gap to a solid is grow; least is the least gap less grow.
func firstWithin(o, d geom.Vec3, s *rig.Solid, grow float64) (first, least float64) {
	return firstTouch(func(p geom.Vec3) float64 { return gapTo(p, s) - grow }, o, d, 120)
}

// Swept balls of every size, and rays, at balls, capsules and boxes of every slant, against a
// search that knows no more than how far a point is from the solid: the same first touch
// within a micrometre. [HIT-05]
func TestSweptBallsAgainstASearch(t *testing.T) {
	const seed = 71
	r := rand.New(rand.NewPCG(seed, 0))
	var hits [3]int
	for i := range 20000 {
		s := anySolid(r)
		grow := []float64{1e-9, .01, .1, .5}[r.IntN(4)]
		o := geom.V(r.Float64()-.5, r.Float64()-.5, r.Float64()-.5).Mul([]float64{2, 8, 80}[i%3])
		to := s.A.Add(geom.V(r.Float64()-.5, r.Float64()-.5, r.Float64()-.5).Mul(2 * (.5 + grow)))
		d := to.Sub(o).Unit()
		if i%9 == 0 {
			d = geom.V(0, 0, -1) // along an axis
		}
		want, least := firstWithin(o, d, &s, grow)
		if math.Abs(least) < 1e-6 || grow < 1e-6 && least > -2e-9 {
			continue // grazing, or a ray's mere touch
		}
		got, ok := castSolid(o, d, &s, grow)
		if ok != (least < 0) || ok && math.Abs(got-want) > 1e-6 {
			t.Fatalf("seed %d, %d: ball of %v m from %v along %v at %+v: got %v %v, want %v (gap %v)", seed, i, grow, o, d, s, got, ok, want, least)
		}
		if x, exact := castSolid(o, d, &s, 0); grow < 1e-6 && (exact != ok || math.Abs(x-got) > 1e-6) {
			t.Fatalf("seed %d, %d: the ray meets %v %v, the tiny ball %v %v", seed, i, x, exact, got, ok)
		}
		if ok {
			hits[s.Shape]++
		}
	}
	t.Logf("hit balls, capsules, boxes: %v of 20000", hits)
	if min(hits[0], hits[1], hits[2]) < 1000 {
		t.Errorf("%v: too few to mean anything", hits)
	}
}

// A ray through every shape finds what a search does: rays with no ball around them at
// boxes, whose touch from inside is at 0.
func TestRaysAtBoxesAgainstASearch(t *testing.T) {
	const seed = 72
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 10000 {
		s := anySolid(r)
		o := geom.V(r.Float64()-.5, r.Float64()-.5, r.Float64()-.5).Mul([]float64{1, 8, 40}[i%3])
		d := s.A.Add(geom.V(r.Float64()-.5, r.Float64()-.5, r.Float64()-.5).Mul(1.4)).Sub(o).Unit()
		want, least := firstWithin(o, d, &s, 1e-10)
		got, ok := castSolid(o, d, &s, 0)
		if inner := gapTo(o.MulAdd(d, want+1e-4), &s); ok != (least < 0) && inner == 0 || ok && least < 0 && math.Abs(got-want) > 1e-5 {
			t.Fatalf("seed %d, %d: ray %v %v at %+v: got %v %v, want %v (gap %v)", seed, i, o, d, s, got, ok, want, least)
		}
		if !ok && gapTo(s.A, &s) == 0 {
			if x, _ := firstWithin(o, s.A.Sub(o).Unit(), &s, 1e-10); math.IsNaN(x) {
				t.Fatal("no number")
			}
		}
	}
}

// The nearest point of a solid is on it or in it, as far away as is said, and none of many
// points of the solid is nearer.
func TestNearestPointsAgainstPoints(t *testing.T) {
	const seed = 73
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 3000 {
		s := anySolid(r)
		p := geom.V(r.Float64()-.5, r.Float64()-.5, r.Float64()-.5).Mul(5)
		got, d := nearestOf(&s, p)
		if math.Abs(d-gapTo(p, &s)) > 1e-9 || gapTo(got, &s) > 1e-9 || math.Abs(got.Dist(p)-d) > 1e-9 {
			t.Fatalf("seed %d, %d: of %+v to %v: %v at %v", seed, i, s, p, got, d)
		}
		ball := ballAround(&s)
		for range 60 { // of the solid
			x := got.Lerp(s.A, r.Float64()).Add(geom.V(r.Float64()-.5, r.Float64()-.5, r.Float64()-.5).Mul(.3 * r.Float64()))
			if gapTo(x, &s) > 0 {
				continue
			}
			if x.Dist(p) < d-1e-9 {
				t.Fatalf("seed %d, %d: of %+v to %v: %v is nearer than %v", seed, i, s, p, x, got)
			}
			if x.Dist(ball.Centre) > ball.Radius {
				t.Fatalf("seed %d, %d: %v of %+v is outside of the ball around it", seed, i, x, s)
			}
		}
	}
}

// How far a segment is from a solid, against a ternary search along the segment, for the
// distance is convex.
func TestSegmentsApartAgainstASearch(t *testing.T) {
	const seed = 74
	r := rand.New(rand.NewPCG(seed, 0))
	met := 0
	for i := range 20000 {
		s := anySolid(r)
		a := s.A.Add(geom.V(r.Float64()-.5, r.Float64()-.5, r.Float64()-.5).Mul(3))
		b := s.A.Add(geom.V(r.Float64()-.5, r.Float64()-.5, r.Float64()-.5).Mul(3))
		switch i % 7 {
		case 0:
			b = a
		case 1:
			b = a.Add(geom.V(0, 0, r.Float64())) // along an axis of many a box
		case 2:
			if s.Shape == rig.Capsule {
				b = a.Add(s.B.Sub(s.A)) // parallel
			}
		}
		lo, hi := 0.0, 1.0
		for range 120 {
			x, y := lo+(hi-lo)/3, hi-(hi-lo)/3
			if gapTo(a.Lerp(b, x), &s) <= gapTo(a.Lerp(b, y), &s) {
				hi = y
			} else {
				lo = x
			}
		}
		want := min(gapTo(a.Lerp(b, lo), &s), gapTo(a, &s), gapTo(b, &s))
		got, on, of := segmentDistance(a, b, &s)
		if math.Abs(got-want) > 1e-7 || math.Abs(gapTo(on, &s)-got) > 1e-9 || gapTo(of, &s) > 1e-9 || math.Abs(on.Dist(of)-got) > 1e-9 {
			t.Fatalf("seed %d, %d: %v … %v from %+v: got %v (%v, %v), want %v", seed, i, a, b, s, got, on, of, want)
		}
		if got == 0 {
			met++
		}
	}
	t.Logf("%d of 20000 meet", met)
}

// The first touch of a blade, against as many samples of the whole swing as are needed for a
// tenth of a millimetre at the tip: whether it touches, unless by less than a millimetre, and
// when, to a millimetre of the tip's way.
func TestBladesAgainstManySamples(t *testing.T) {
	const seed = 75
	r := rand.New(rand.NewPCG(seed, 0))
	met, missed := 0, 0
	for i := range 400 {
		s := anySolid(r)
		arc := Arc{
			From: s.A.Add(geom.V(r.Float64()-.5, r.Float64()-.5, r.Float64()-.5).Mul(3)),
			Tilt: r.Float64()*6 - 3,
			A:    r.Float64()*2 - 1, B: r.Float64()*2 - 1, Reach: .3 + r.Float64()*1.5, Radius: r.Float64() * .08,
		}
		way := s.A.Sub(arc.From)
		arc.Yaw, arc.Pitch = geom.Yaw(way), geom.Atan2(way.Y, geom.V(way.X, 0, way.Z).Len())
		if i%8 == 0 {
			arc.B = arc.A
		}
		b := arc.blade()
		first, least := -1.0, math.Inf(1)
		looks := int(math.Abs(arc.B-arc.A)*b.length/1e-4) + 1
		for k := range looks + 1 {
			part := float64(k) / float64(looks)
			d, _, _ := segmentDistance(b.from, b.tip(b.a+float64((b.b-b.a)*part)), &s)
			least = min(least, d-b.radius)
			if d <= b.radius && first < 0 {
				first = part
			}
		}
		part, point, ok := b.firstTouch(&s)
		switch {
		case math.Abs(least) < 1e-3 && !ok:
			continue // by a hair
		case ok != (first >= 0), ok && math.Abs(part-first)*math.Abs(arc.B-arc.A)*b.length > 1.1e-3, ok && gapTo(point, &s) > 1e-9:
			t.Fatalf("seed %d, %d: %+v at %+v: got %v %v %v, want %v (gap %v)", seed, i, arc, s, part, point, ok, first, least)
		}
		if ok {
			met++
		} else {
			missed++
		}
	}
	t.Logf("%d hit, %d missed", met, missed)
	if min(met, missed) < 60 {
		t.Error("too few to mean anything")
	}
}

// HIT-06: the box of 20 × 20 × 24 cm at 1 m, at eye height: a level ray hits it at 90 cm, and
// turned by 45° at 85.8579 cm.
func TestTheBoxOfTheReference(t *testing.T) {
	for yaw, want := range map[float64]float64{0: .90, math.Pi / 4: .858579} {
		box := rig.Solid{Shape: rig.Box, A: geom.V(1, 1.7, 0), Half: geom.V(.1, .12, .1), Rotation: geom.YawQuat(yaw)}
		got, ok := castSolid(geom.V(0, 1.7, 0), geom.V(1, 0, 0), &box, 0)
		if !ok || math.Abs(got-want) > 1e-6 {
			t.Errorf("turned by %v: got %v %v, want %v", yaw, got, ok, want)
		}
	}
}

// HIT-05: a query without a direction hits nothing where it is, and no number of its outcome is
// NaN.
func TestAQueryWithoutADirection(t *testing.T) {
	here := geom.V(7, 8, 9)
	s := NewScene(nil)
	s.Set(*walls(30), crowd(3, rand.New(rand.NewPCG(1, 0))))
	for _, radius := range []float64{0, .2} {
		if o := s.Sphere(here, geom.Vec3{}, 0, radius, HeadFirst); o.Kind != Nothing || o.Distance != 0 || o.Point != here {
			t.Errorf("a ball of %v m on the spot: %+v", radius, o)
		}
	}
}
