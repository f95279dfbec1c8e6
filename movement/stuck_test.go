package movement

import (
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

func TestSpawnedInsideGeometry(t *testing.T) { // GRD-09, STP-05, GRD-17, GAP-55
	for _, c := range []struct {
		what string
		at   geom.Vec3
	}{
		{"5 cm inside the floor", geom.V(0, -.05, 0)},
		{"5 cm inside a wall", geom.V(1.71, 0, 0)},
		{"5 cm inside a corner", geom.V(1.71, 0, 3.71)},
		{"5 cm inside a corner and the floor", geom.V(1.71, -.05, 3.71)},
		{"5 cm inside a ceiling", geom.V(-20, .29, 0)},
		{"touching the floor", geom.V(0, 0, 0)},
	} {
		for _, mode := range []Mode{Walking, Falling} {
			for _, input := range []float64{0, 1} {
				b := in(t, 60, c.at, func(b *collide.Builder) {
					box(b, geom.V(2, 0, -9), geom.V(5, 3, 9), collide.Surface{})
					box(b, geom.V(-5, 0, 4), geom.V(5, 3, 9), collide.Surface{})
					box(b, geom.V(-22, 2, -2), geom.V(-18, 3, 2), collide.Surface{})
				})
				b.s.Mode = mode
				b.c.Right, b.c.Forward = input, -input
				for range 3 {
					b.step()
				}
				if b.inside() || b.s.Position.Dist(c.at) > .6 || b.total[Stuck] > 0 {
					t.Errorf("%s, mode %v, input %v: after 3 steps at %v, stuck %v times", c.what, mode, input, b.s.Position, b.total[Stuck])
				}
				if b.speed() > .1+1.1*input {
					t.Errorf("%s, mode %v, input %v: was thrown out at %v m/s", c.what, mode, input, b.speed())
				}
			}
		}
	}
}

func TestCrushed(t *testing.T) { // STP-05, GRD-09
	for _, mode := range []Mode{Walking, Falling} {
		b := in(t, 60, geom.V(0, 0, 0), func(b *collide.Builder) {
			box(b, geom.V(-5, 0, -9), geom.V(-.3, 3, 9), collide.Surface{})
			box(b, geom.V(.3, 0, -9), geom.V(5, 3, 9), collide.Surface{})
		})
		b.s.Mode = mode
		b.c.Forward = 1
		b.run(1)
		if b.total[Stuck] == 0 || math.Abs(b.s.Position.X) > .1 {
			t.Errorf("mode %v: %v stuck events, at %v; want events, and no wall passed", mode, b.total[Stuck], b.s.Position)
		}
	}
}

func TestPushNeverLeadsThroughAThinWall(t *testing.T) { // STP-05
	for x := -.3; x <= .3; x += .01 {
		b := in(t, 60, geom.V(x, 0, 0), func(b *collide.Builder) {
			box(b, geom.V(-.01, 0, -9), geom.V(.01, 3, 9), collide.Surface{})
		})
		b.c.Forward = 1
		b.run(.1)
		if math.Abs(x) > .02 && b.s.Position.X*x < 0 {
			t.Errorf("from %v pushed through to %v", x, b.s.Position.X)
		}
	}
}

func TestSkinHoldsOverManyContacts(t *testing.T) { // STP-04
	b := in(t, 60, geom.V(0, 0, 0), func(b *collide.Builder) {
		for i := range 8 { // an octagonal room with pillars
			turn := geom.YawQuat(float64(i) * math.Pi / 4)
			b.Box(turn.Rotate(geom.V(0, 1, -3)), geom.V(1.5, 2, .2), turn, collide.Surface{})
			b.Box(turn.Rotate(geom.V(.8, 1, -1.8)), geom.V(.1, 2, .1), geom.IdentityQuat, collide.Surface{})
		}
	})
	steps, yaw, touched := 20000, 0.0, 0
	for i := range steps {
		if i%150 == 0 {
			yaw += 2.4
		}
		b.c.Forward, b.c.Yaw = 1, yaw
		b.step()
		if b.f.Queries > 2 {
			touched++
		}
		if b.inside() {
			t.Fatalf("step %d: inside something at %v", i, b.s.Position)
		}
	}
	if b.total[Stuck] > 0 || touched < steps/4 || b.s.Position.Len() > 4 {
		t.Errorf("%v contacts, %v stuck, at %v", touched, b.total[Stuck], b.s.Position)
	}
}

func TestEdgeIsNoFloor(t *testing.T) { // FLR-03
	for _, hz := range rates {
		b := in(t, hz, geom.V(-.342, 0, 3), func(b *collide.Builder) {
			box(b, geom.V(0, -1, -4), geom.V(2, .3, 1), collide.Surface{StepOn: collide.Never})
		})
		b.c.Forward, b.c.Right = 1, .02
		b.run(2)
		if b.s.Mode != Walking || math.Abs(b.s.Position.Y-midFloor) > 1e-3 {
			t.Errorf("%v Hz: brushing along a box, at %v in mode %v, want it on the ground", hz, b.s.Position, b.s.Mode)
		}
	}
}

// At the edge of a plate a body that may not walk off stops where it would step over, at
// rest; one that comes at an angle goes on along the edge, at the speed that friction
// leaves of a run whose input points 30° or 45° off the edge's normal. [GRD-16, GAP-63]
func TestLedges(t *testing.T) {
	const edge, overhang = -3, .34 // m: the plate's end; how far the axis may be beyond it
	plate := func(b *collide.Builder) { box(b, geom.V(-9, 4, -3), geom.V(9, 5, 3), collide.Surface{}) }
	at := func(hz, degrees float64, off bool) *body {
		b := in(t, hz, geom.V(0, 5, 0), plate)
		b.m.WalkOffLedges = off
		b.c.Forward, b.c.Yaw = 1, -degrees*math.Pi/180
		b.run(1.3)
		return b
	}
	for _, hz := range rates {
		if b := at(hz, 0, true); b.s.Mode != Falling {
			t.Errorf("straight off at %v Hz, allowed: got mode %v, want it to fall", hz, b.s.Mode)
		}
		for _, c := range []struct{ degrees, least, most float64 }{{0, 0, 0}, {30, 2.5, 2.7}, {45, 5.3, 6.03}} {
			b := at(hz, c.degrees, false)
			for range int(.5 * hz) {
				b.step()
				beyond := edge - b.s.Position.Z
				if v := b.speed(); v < c.least || v > c.most || beyond < 0 || beyond > overhang || b.s.Mode != Walking {
					t.Fatalf("at %v° at %v Hz: got %v m/s, %v m beyond the edge, mode %v, want %v … %v m/s, 0 … %v m, walking",
						c.degrees, hz, v, beyond, b.s.Mode, c.least, c.most, overhang)
				}
			}
			if b.run(5); b.s.Mode != Walking {
				t.Errorf("at %v° at %v Hz: fell off in the end, at %v", c.degrees, hz, b.s.Position)
			}
		}
	}
}

func TestSnapToTheBand(t *testing.T) { // GRD-17, FLR-02
	for _, c := range []struct {
		gap  float64
		want Mode
	}{{.001, Walking}, {.018, Walking}, {.05, Walking}, {.44, Walking}, {.47, Walking}, {.48, Falling}} {
		b := in(t, 60, geom.V(0, c.gap, 0), nothing)
		b.step()
		if b.s.Mode != c.want || c.want == Walking && (b.gap() < MinFloor || b.gap() > MaxFloor) {
			t.Errorf("gap %v: mode %v, gap %v after a step", c.gap, b.s.Mode, b.gap())
		}
	}
}

// insides are worlds on a floor at height 0 in which bodies start with their axis in
// something solid: r chooses what differs. start is where.
var insides = []struct {
	what  string
	build func(b *collide.Builder, r *rand.Rand) (start geom.Vec3)
}{
	{"a crate", func(b *collide.Builder, r *rand.Rand) geom.Vec3 {
		half := geom.V(.1+.6*r.Float64(), .1+r.Float64(), .1+.6*r.Float64())
		turn := geom.YawQuat(7 * r.Float64())
		b.Box(geom.V(0, half.Y, 0), half, turn, collide.Surface{})
		return turn.Rotate(geom.V(half.X*(2*r.Float64()-1), midFloor, half.Z*(2*r.Float64()-1)))
	}},
	{"a thin wall", func(b *collide.Builder, r *rand.Rand) geom.Vec3 {
		turn := geom.YawQuat(7 * r.Float64())
		b.Box(geom.V(0, 2, 0), geom.V(4, 2, .01), turn, collide.Surface{})
		return turn.Rotate(geom.V(4*r.Float64()-2, midFloor, .02*r.Float64()-.01))
	}},
	{"a stack of boxes", func(b *collide.Builder, r *rand.Rand) geom.Vec3 {
		for i := range 4 {
			b.Box(geom.V(.3*r.Float64(), .25+.5*float64(i), .3*r.Float64()), geom.V(.1+.4*r.Float64(), .25, .1+.4*r.Float64()), geom.YawQuat(7*r.Float64()), collide.Surface{})
		}
		return geom.V(.5*r.Float64(), midFloor, .5*r.Float64())
	}},
	{"a crate against a wall", func(b *collide.Builder, r *rand.Rand) geom.Vec3 {
		box(b, geom.V(-.6, 0, -.5), geom.V(.6, 1, .5), collide.Surface{})
		box(b, geom.V(-5, 0, .5), geom.V(5, 3, .52), collide.Surface{})
		return geom.V(1.2*r.Float64()-.6, midFloor, r.Float64()-.5)
	}},
	{"a crate in a corner, beside a pillar", func(b *collide.Builder, r *rand.Rand) geom.Vec3 {
		box(b, geom.V(-.6, 0, -.6), geom.V(.6, 1.2, .6), collide.Surface{})
		box(b, geom.V(-5, 0, .6), geom.V(5, 3, .62), collide.Surface{})
		box(b, geom.V(.6, 0, -5), geom.V(.62, 3, 5), collide.Surface{})
		x := -1.5 - .5*r.Float64()
		box(b, geom.V(x, 0, -.6), geom.V(x+.2, 3, .6), collide.Surface{})
		return geom.V(1.2*r.Float64()-.6, midFloor, 1.2*r.Float64()-.6)
	}},
	{"the middle of a block", func(b *collide.Builder, r *rand.Rand) geom.Vec3 {
		box(b, geom.V(-3, 0, -3), geom.V(3, 4, 3), collide.Surface{})
		return geom.V(2*r.Float64()-1, midFloor, 2*r.Float64()-1)
	}},
	{"a wall of a room of thin walls", func(b *collide.Builder, r *rand.Rand) geom.Vec3 {
		room(b)
		return geom.V(16*r.Float64()-8, midFloor, -10-.02*r.Float64())
	}},
}

// roomFor reports whether there is room for the body, with so much to spare all
// around, within a body's width of where it starts, to where its axis leads through
// nothing but what it begins in: the shortest way, by trying very many.
func roomFor(b *body, spare float64) (best float64, ok bool) {
	c := b.capsule()
	best = 2 * b.m.Radius
	fat := c
	fat.Radius += spare
	axis := fat.B.Sub(fat.A).Unit()
	fat.A = fat.A.MulAdd(axis, spare) // the floor may be as near as it is
	for i := range 64 {
		way := b.turn.Rotate(geom.Forward(float64(i) * math.Pi / 32))
		for d := .02; d < best; d += .02 {
			if p := way.Mul(d); !b.w.Overlaps(fat.Moved(p)) && b.w.CanEscape(c, p) {
				best, ok = d, true
			}
		}
	}
	return best, ok
}

func TestStartingWithTheAxisInside(t *testing.T) { // STP-06, STP-05
	defer func() { upward = geom.Vec3{} }()
	for _, up := range []geom.Vec3{{}, upwards[1]} {
		upward = up
		for _, in := range insides {
			tries, should, out, once, late := 90, 0, 0, 0, 0.0
			for seed := range int64(tries) {
				r := rand.New(rand.NewSource(seed))
				w := level()
				w.Box(geom.V(0, -1, 0), geom.V(30, 1, 30), geom.IdentityQuat, collide.Surface{})
				start := in.build(w, r)
				b := inOnly(t, []float64{20, 60, 240}[seed%3], start, w)
				b.s.Mode = []Mode{Walking, Falling, Flying}[seed/3%3]
				_, room := roomFor(b, .02)
				for b.now < .5-1e-9 && b.inside() {
					b.step()
				}
				b.step()
				took := b.now
				for until := b.now + 2; b.now < until; {
					if b.step(); b.f.Queries > mostQueries {
						t.Fatalf("%s, seed %d: %d queries in a move", in.what, seed, b.f.Queries)
					}
				}
				free := !b.inside()
				if room {
					should++
				}
				switch {
				case free:
					out++
					late = max(late, took)
				case b.total[Stuck] == 1:
					once++
				}
				if room && took > .55 || !free && b.total[Stuck] != 1 || free && b.total[Stuck] > 1 {
					t.Errorf("%s, seed %d, up %v: free %v after %v s at %v from %v, room %v, stuck %d times", in.what, seed, up, free, took, b.s.Position, start, room, b.total[Stuck])
				}
				if d := b.s.Position.Sub(start).Flat(geom.Up).Len(); free && d > 2*b.m.Radius+.01 {
					t.Errorf("%s, seed %d: put %v m from %v to %v", in.what, seed, d, start, b.s.Position)
				}
				if p := b.s.Position; strings.Contains(in.what, "a crate") && strings.Contains(in.what, "wall") && p.Z > .5 ||
					strings.Contains(in.what, "corner") && max(p.X, p.Z) > .6 {
					t.Errorf("%s, seed %d: through the wall to %v", in.what, seed, p)
				}
			}
			t.Logf("%s: of %d starts %d have room, %d got out, at most after %.3f s, %d were reported stuck once", in.what, tries, should, out, late, once)
		}
	}
}

// Stuck is reported again only after the body was free, or was put into something else.
func TestStuckIsReportedOnce(t *testing.T) { // STP-06
	for _, hz := range rates {
		b := in(t, hz, geom.V(0, midFloor, 0), func(b *collide.Builder) {
			box(b, geom.V(-3, 0, -3), geom.V(3, 4, 3), collide.Surface{})
		})
		for i, c := range []struct {
			at   geom.Vec3
			want int
		}{{geom.V(0, midFloor, 0), 1}, {geom.V(9, midFloor, 0), 1}, {geom.V(1, midFloor, 1), 2}, {geom.V(1, midFloor, 0), 3}} {
			b.s.Teleport(c.at)
			b.run(2)
			if b.total[Stuck] != c.want || b.s.Stuck != (i != 1) {
				t.Errorf("%v Hz, place %d: reported %d times, want %d; stuck %v at %v", hz, i, b.total[Stuck], c.want, b.s.Stuck, b.s.Position)
			}
		}
	}
}
