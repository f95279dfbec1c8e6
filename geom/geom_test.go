package geom

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/internal/golden"
)

// The trigonometry gives the same bits on every target: 100,000 values of each
// function as one hash, −0 counted as 0.
func TestGoldenTrig(t *testing.T) {
	h := fnv.New64a()
	var b [8]byte
	add := func(x float64) {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(x+0))
		h.Write(b[:])
	}
	for i := -50000; i < 50000; i++ {
		x := float64(float64(i) * 0.0137)
		s, c := SinCos(x)
		q := AxisAngle(V(0.6, 0, 0.8), x)
		v := q.Rotate(V(1, 2, 3))
		for _, y := range [...]float64{s, c, Exp(x * 0.01), Atan2(s, x), Atan2(x, c), WrapAngle(x), LerpAngle(s, x, c), q.X, q.W, v.X, v.Y, v.Z, v.Len()} {
			add(y)
		}
	}
	golden.Check(t, "testdata/trig.hash", fmt.Sprintf("%016x\n", h.Sum64()))
}

func TestExpAgreesWithTheStandardLibrary(t *testing.T) {
	for x := -707.0; x < 709; x += 0.00717 {
		if got, want := Exp(x), math.Exp(x); math.Abs(got-want) > 4.5e-16*want { // the assembly of math.Exp is off itself
			t.Fatalf("exp %v: got %v want %v", x, got, want)
		}
	}
	if Exp(0) != 1 || Exp(-1000) != 0 || !math.IsInf(Exp(1000), 1) || !math.IsNaN(Exp(math.NaN())) || Exp(math.Inf(-1)) != 0 {
		t.Errorf("at the edges: %v %v %v %v", Exp(0), Exp(-1000), Exp(1000), Exp(math.NaN()))
	}
}

func TestAtan2AgreesWithTheStandardLibrary(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, 0))
	for range 200000 {
		y, x := r.NormFloat64(), r.NormFloat64()*math.Exp(r.NormFloat64()*4)
		if got, want := Atan2(y, x), math.Atan2(y, x); math.Abs(got-want) > 9e-16 {
			t.Fatalf("seed %d: atan2(%v, %v): got %v want %v", seed, y, x, got, want)
		}
	}
	inf := math.Inf(1)
	for _, c := range [][3]float64{{0, 1, 0}, {0, -1, math.Pi}, {1, 0, math.Pi / 2}, {-1, 0, -math.Pi / 2}, {0, 0, 0}, {inf, inf, math.Pi / 4}, {inf, -inf, 3 * math.Pi / 4}, {1, inf, 0}, {math.NaN(), 1, 0}, {1, math.NaN(), 0}, {math.Copysign(0, -1), -1, math.Pi}} {
		if got := Atan2(c[0], c[1]); !(math.Abs(got-c[2]) <= 1e-15) {
			t.Errorf("atan2(%v, %v): got %v want %v", c[0], c[1], got, c[2])
		}
	}
}

// SMO-09: the shorter way round, through 0 and not through 180°.
func TestLerpAngleTakesTheShorterWay(t *testing.T) {
	deg := math.Pi / 180
	for _, c := range [][4]float64{{350, 10, 0.5, 0}, {10, 350, 0.5, 0}, {0, 90, 0.25, 22.5}, {-170, 170, 0.5, 180}, {30, 30, 0.7, 30}} {
		got := WrapAngle(LerpAngle(c[0]*deg, c[1]*deg, c[2]) - c[3]*deg)
		if math.Abs(got) > 1e-12 {
			t.Errorf("%v° to %v° at %v: off by %v rad from %v°", c[0], c[1], c[2], got, c[3])
		}
	}
}

// An angle is wrapped into −π ≤ x < π and looks where it looked, also one a hair beside a turn: a game
// that divides the circle into sectors finds each in its range. One in range keeps its bits nearly.
func TestWrapAngle(t *testing.T) {
	check := func(x float64) {
		t.Helper()
		got := WrapAngle(x)
		if got < -math.Pi || got >= math.Pi || math.Abs(math.Sin(got)-math.Sin(x)) > 1e-13 || math.Abs(math.Cos(got)-math.Cos(x)) > 1e-13 {
			t.Fatalf("%v wraps to %v", x, got)
		}
	}
	for x := -50.0; x < 50; x += 0.01 {
		check(x)
	}
	for turns := -5.0; turns <= 5; turns++ {
		x := turns * math.Pi
		for _, to := range []float64{-99, 99} {
			for y, i := x, 0; i < 20; i++ {
				check(y)
				y = math.Nextafter(y, to)
			}
		}
	}
}

// HIS-09: between two rotations the angular speed is constant, the shorter way, also for
// nearly equal and for opposite ones, and the ends are the two rotations.
func TestSlerpTurnsEvenly(t *testing.T) {
	axis := V(1, 2, -3).Unit()
	for _, angle := range []float64{0, 1e-9, .001, .02, .0283, .0284, .3, math.Pi / 2, 3, math.Pi} {
		for _, sign := range []float64{1, -1} {
			q, to := AxisAngle(V(0, 1, 0), .4), AxisAngle(axis, angle)
			r := to.Mul(q)
			r = Quat{sign * r.X, sign * r.Y, sign * r.Z, sign * r.W}
			for _, part := range []float64{0, .1, .25, .5, 1} {
				got, want := q.Slerp(r, part).Rotate(V(1, 0, 0)), AxisAngle(axis, part*angle).Mul(q).Rotate(V(1, 0, 0))
				other := AxisAngle(axis, -part*angle).Mul(q).Rotate(V(1, 0, 0)) // as good where the two are opposite
				if d := got.Dist(want); d > 2e-7 && (angle != math.Pi || got.Dist(other) > 1e-7) {
					t.Errorf("%v of %v radians: off by %v", part, sign*angle, d)
				}
			}
		}
	}
}

func TestQuaternionsComposeAndUndo(t *testing.T) {
	const seed = 4
	r := rand.New(rand.NewPCG(seed, 0))
	vec := func() Vec3 { return V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()) }
	for range 5000 {
		q := AxisAngle(vec().Unit(), r.NormFloat64()*3)
		p := AxisAngle(vec().Unit(), r.NormFloat64()*3)
		v := vec()
		if d := q.Mul(p).Rotate(v).Dist(q.Rotate(p.Rotate(v))); d > 1e-14*(1+v.Len()) {
			t.Fatalf("seed %d: q·p turns %v differently from p, then q: %v", seed, v, d)
		}
		if d := q.Inverse().Rotate(q.Rotate(v)).Dist(v); d > 1e-14*(1+v.Len()) {
			t.Fatalf("seed %d: there and back misses %v by %v", seed, v, d)
		}
		if d := math.Abs(q.Rotate(v).Len() - v.Len()); d > 1e-14*(1+v.Len()) {
			t.Fatalf("seed %d: turning changes the length by %v", seed, d)
		}
	}
	if got := (Quat{}).Unit(); got != IdentityQuat {
		t.Errorf("unit of zero: got %v want NoTurn", got)
	}
	if got := (Transform{YawQuat(math.Pi / 2), V(1, 2, 3)}).Apply(V(0, 0, -1)); got.Dist(V(0, 2, 3)) > 1e-15 {
		t.Errorf("turned, then moved: got %v want {0 2 3}", got)
	}
}

func TestYawPitchRight(t *testing.T) {
	for yaw := -3.0; yaw < 3; yaw += 0.1 {
		if d := Forward(yaw).Cross(Up).Dist(Right(yaw)); d > 1e-15 {
			t.Fatalf("right of yaw %v is off by %v", yaw, d)
		}
		if d := Look(yaw, 0).Dist(Forward(yaw)); d > 1e-15 {
			t.Fatalf("look of yaw %v is off by %v", yaw, d)
		}
	}
	// A bot that turns by the yaw and pitch of a direction looks along it.
	for yaw := -3.1; yaw < 3.1; yaw += 0.1 {
		for pitch := -1.5; pitch < 1.5; pitch += 0.1 {
			d := YawQuat(yaw).Mul(AxisAngle(V(1, 0, 0), pitch)).Rotate(V(0, 0, -1))
			if got := Look(yaw, pitch); !(got.Sub(d).Len() <= 1e-15) {
				t.Fatalf("yaw %v, pitch %v: looks along %v, want %v", yaw, pitch, got, d)
			}
			if y, p := Yaw(d.Mul(7)), Pitch(d.Mul(7)); math.Abs(y-yaw) > 1e-14 || math.Abs(p-pitch) > 1e-14 {
				t.Fatalf("along %v: yaw %v, pitch %v; want %v, %v", d, y, p, yaw, pitch)
			}
		}
	}
	for _, d := range []Vec3{{}, {Y: 2}, {Y: -2}} {
		if y, p := Yaw(d), Pitch(d); y != 0 || math.Abs(p-d.Y*math.Pi/4) > 1e-15 {
			t.Errorf("along %v: yaw %v, pitch %v; want 0, %v", d, y, p, d.Y*math.Pi/4)
		}
	}
}

func TestVectors(t *testing.T) {
	a, b := V(1e8, 1, -2), V(1e-3, 5, 7)
	if a.Lerp(b, 1) != b || a.Lerp(b, 0) != a { // SMO-09
		t.Errorf("lerp is not exact at its ends: %v %v", a.Lerp(b, 1), a.Lerp(b, 0))
	}
	for name, c := range map[string][2]Vec3{
		"unit of nothing":  {V(1e-13, 0, 0).Unit(), {}},
		"clamp shortens":   {V(3, 0, 4).ClampLen(2.5), V(1.5, 0, 2)},
		"clamp leaves":     {V(3, 0, 4).ClampLen(6), V(3, 0, 4)},
		"clamp to nothing": {V(3, 0, 4).ClampLen(-1), {}},
		"flat":             {V(3, 2, 4).Flat(Up), V(3, 0, 4)},
		"cross":            {V(1, 0, 0).Cross(V(0, 1, 0)), V(0, 0, 1)},
		"min":              {V(1, 5, 3).Min(V(2, 4, 3)), V(1, 4, 3)},
		"max":              {V(1, 5, 3).Max(V(2, 4, 3)), V(2, 5, 3)},
	} {
		if c[0].Dist(c[1]) > 1e-15 {
			t.Errorf("%s: got %v want %v", name, c[0], c[1])
		}
	}
	if got := V(1, -2, 3).Dist(V(1, 1, -1)); got != 5 { // the other tests measure with it
		t.Errorf("distance: got %v, want 5", got)
	}
	if V(1, math.NaN(), 0).Finite() || V(0, 0, math.Inf(1)).Finite() || !V(1, 2, 3).Finite() {
		t.Errorf("finite is wrong")
	}
}

func TestShapes(t *testing.T) {
	c := Upright(V(0, 0.88, 0), Up, 0.34, 0.88)
	if got, want := c.Bounds(), (AABB{V(-0.34, 0, -0.34), V(0.34, 1.76, 0.34)}); got.Min.Dist(want.Min) > 1e-15 || got.Max.Dist(want.Max) > 1e-15 {
		t.Errorf("capsule bounds: got %v want %v", got, want)
	}
	if ball := Upright(V(1, 1, 1), Up, 0.5, 0.2); ball.A != ball.B {
		t.Errorf("a capsule shorter than its ends is not a ball: %v", ball)
	}
	if got := c.Moved(V(1, 0, 0)).Bounds().Centre(); got.Dist(V(1, 0.88, 0)) > 1e-15 {
		t.Errorf("moved capsule's middle: got %v", got)
	}
	b := EmptyAABB().Include(V(1, 2, 3)).Include(V(-1, 0, 0))
	if b != (AABB{V(-1, 0, 0), V(1, 2, 3)}) || !b.Contains(V(1, 2, 3)) || b.Contains(V(1.01, 1, 1)) {
		t.Errorf("box of two points: %v", b)
	}
	touching := AABB{V(1, 0, 0), V(2, 1, 1)}
	if !b.Overlaps(touching) || b.Overlaps(touching.Grow(-0.01)) || EmptyAABB().Overlaps(b) {
		t.Errorf("touching boxes overlap %v, parted ones %v", b.Overlaps(touching), b.Overlaps(touching.Grow(-0.01)))
	}
	if got := b.Union(touching); got != (AABB{V(-1, 0, 0), V(2, 2, 3)}) {
		t.Errorf("union: %v", got)
	}
}

// Two boxes overlap where a point is in both, each point of a box by its three coordinates: all boxes
// with corners on a small grid against all others, flat ones and points among them.
func TestBoxesAgainstTheirPoints(t *testing.T) {
	const seed = 22
	r := rand.New(rand.NewPCG(seed, 0))
	point := func() Vec3 { return V(float64(r.IntN(4)), float64(r.IntN(4)), float64(r.IntN(4))) }
	within := func(x, lo, hi float64) bool { return lo <= x && x <= hi }
	overlap := 0
	for range 20000 {
		a, b := EmptyAABB().Include(point()).Include(point()), EmptyAABB().Include(point()).Include(point())
		want := false
		for i := range 64 {
			p := V(float64(i&3), float64(i>>2&3), float64(i>>4))
			in := func(b AABB) bool {
				return within(p.X, b.Min.X, b.Max.X) && within(p.Y, b.Min.Y, b.Max.Y) && within(p.Z, b.Min.Z, b.Max.Z)
			}
			if a.Contains(p) != in(a) {
				t.Fatalf("seed %d: %v contains %v: got %v, want %v", seed, a, p, a.Contains(p), in(a))
			}
			want = want || in(a) && in(b)
		}
		if got := a.Overlaps(b); got != want || b.Overlaps(a) != want {
			t.Fatalf("seed %d: %v and %v: got %v, want %v", seed, a, b, got, want)
		}
		if want {
			overlap++
		}
	}
	if overlap < 4000 || overlap > 16000 {
		t.Errorf("%d of 20,000 pairs overlap: too few or too many to say anything", overlap)
	}
}

// A transform and its inverse cancel, and the box around a transformed box contains every
// transformed corner and is no larger than it must be.
func TestTransformInverse(t *testing.T) {
	const seed = 21
	r := rand.New(rand.NewPCG(seed, 0))
	vec := func(size float64) Vec3 {
		return Vec3{r.Float64()*2 - 1, r.Float64()*2 - 1, r.Float64()*2 - 1}.Mul(size)
	}
	for i := range 1000 {
		at := Transform{AxisAngle(vec(1).Unit(), r.Float64()*7), vec(100)}
		c := Capsule{vec(5), vec(5), r.Float64()}
		if got := c.Transformed(at).InverseTransformed(at); got.A.Dist(c.A) > 1e-12 || got.B.Dist(c.B) > 1e-12 || got.Radius != c.Radius {
			t.Fatalf("seed %d, case %d: got %v, want %v", seed, i, got, c)
		}
		b := EmptyAABB().Include(vec(3)).Include(vec(3))
		got, want := b.Transformed(at), EmptyAABB()
		for k := range 8 {
			x := b.Min
			if k&1 > 0 {
				x.X = b.Max.X
			}
			if k&2 > 0 {
				x.Y = b.Max.Y
			}
			if k&4 > 0 {
				x.Z = b.Max.Z
			}
			want = want.Include(at.Apply(x))
		}
		if got.Min.Dist(want.Min) > 1e-12 || got.Max.Dist(want.Max) > 1e-12 {
			t.Fatalf("seed %d, case %d: got %v, want %v", seed, i, got, want)
		}
	}
}

func BenchmarkSinCos(b *testing.B) {
	x := 0.0
	for b.Loop() {
		s, _ := SinCos(x)
		x += s + 0.1
	}
}

func BenchmarkExp(b *testing.B) {
	x := 0.0
	for b.Loop() {
		x = -Exp(x)
	}
}
