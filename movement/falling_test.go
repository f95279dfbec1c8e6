package movement

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

func TestJumpHeight(t *testing.T) { // JMP-01, AIR-05
	for _, hz := range rates {
		b := in(t, hz, geom.V(0, 0, 0), nothing)
		b.run(.2)
		floor := b.s.Position.Y
		b.c.Jump = true
		top, landed := 0.0, 0.0
		for i := 1; i < int(hz); i++ {
			b.step()
			top = max(top, b.s.Position.Y-floor)
			if b.total[Landed] > 0 && landed == 0 {
				landed = float64(i) / hz
			}
		}
		want := map[float64]float64{30: .899889, 60: .899889}[hz]
		if want == 0 {
			want = .9
		}
		if math.Abs(top-want) > 1e-4 { // the durations are whole microseconds
			t.Errorf("%v Hz: apex %v want %v", hz, top, want)
		}
		if b.total[Jumped] != 1 || b.total[Landed] != 1 || math.Abs(b.last[Landed]-4.2) > .06 {
			t.Errorf("%v Hz: %v jumps, %v landings at %v m/s; want one each at 4.2", hz, b.total[Jumped], b.total[Landed], b.last[Landed])
		}
		if math.Abs(landed-2*4.2/9.8) > 2/hz {
			t.Errorf("%v Hz: landed after %v s, want %v", hz, landed, 2*4.2/9.8)
		}
	}
}

func TestApexIsHitExactly(t *testing.T) { // JMP-04, GAP-55
	b := in(t, 8, geom.V(0, 0, 0), nothing) // 125 ms
	b.s.Mode, b.s.Velocity = Falling, geom.V(0, 1, 0)
	b.s.Position.Y = 50
	b.f.Begin(&b.m, &b.s, &b.c, b.dt, &b.w)
	h := b.f.faller().stopAtApex(b.f.TakeSlice())
	if want := .05; h != want {
		t.Errorf("first slice: got %v want %v", h, want)
	}
	b.s.Velocity.Y = .2
	if h = b.f.faller().stopAtApex(b.f.TakeSlice()); math.Abs(h-.2/9.8) > 1e-15 {
		t.Errorf("slice to the apex: got %v want %v", h, .2/9.8)
	}
	if got := b.f.Remaining; math.Abs(got-(.075-.2/9.8)) > 1e-15 {
		t.Errorf("left over: got %v want %v", got, .075-.2/9.8)
	}
}

func TestJumpCounts(t *testing.T) { // JMP-01, GAP-55
	for _, c := range []struct {
		what    string
		max     int
		walkOff bool
		want    int
	}{
		{"one jump", 1, false, 1}, {"a double jump", 2, false, 2},
		{"none after walking off", 1, true, 0}, {"one after walking off, of two", 2, true, 1},
		{"none at all", 0, false, 0},
	} {
		b := in(t, 60, geom.V(0, 20, 0), func(b *collide.Builder) {
			box(b, geom.V(-5, 19, -1), geom.V(5, 20, 5), collide.Surface{})
		})
		b.m.MaxJumps = c.max
		b.run(.1)
		if c.walkOff {
			b.c.Forward = 1
			b.run(.8)
			if b.s.Mode != Falling {
				t.Fatalf("%s: did not walk off: %v", c.what, b.s.Position)
			}
		}
		for range 4 {
			b.c.Jump = true
			b.run(.05)
			b.c.Jump = false
			b.run(.05)
		}
		if got := b.total[Jumped]; got != c.want {
			t.Errorf("%s: got %v jumps want %v", c.what, got, c.want)
		}
	}
}

func TestAPressCountsOnce(t *testing.T) { // JMP-01, INP-08, JMP-03
	b := in(t, 60, geom.V(0, 0, 0), nothing)
	b.c.Jump = true
	b.run(5)
	if b.total[Jumped] != 1 || b.total[Landed] != 1 {
		t.Errorf("held for 5 s: %v jumps and %v landings, want one each", b.total[Jumped], b.total[Landed])
	}
}

func TestNoJumpWhileCrouched(t *testing.T) { // JMP-01
	b := in(t, 60, geom.V(0, 0, 0), nothing)
	b.c.Crouch = true
	b.run(.1)
	b.c.Jump = true
	b.run(.1)
	if b.total[Jumped] != 0 {
		t.Errorf("jumped while crouched")
	}
}

func TestFreeFall(t *testing.T) { // JMP-04
	for _, hz := range rates {
		b := inOnly(t, hz, geom.V(0, 1000, 0), ground())
		n := 10 * hz
		for range int(n) {
			b.step()
		}
		s := n * b.dt.Seconds()
		reach := 40 / 9.8
		want := 40*reach/2 + 40*(s-reach)
		if got := 1000 - b.s.Position.Y; math.Abs(got/want-1) > 1e-3 || b.s.Velocity.Y != -40 {
			t.Errorf("%v Hz: fell %v m, at %v m/s, want %v at −40", hz, got, b.s.Velocity.Y, want)
		}
	}
}

// ground is a builder with a small floor at height 0.
func ground() *collide.Builder {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(50, 1, 50), geom.IdentityQuat, collide.Surface{})
	return &b
}

func TestLandingKeepsTheHorizontalSpeed(t *testing.T) { // JMP-05, GAP-55
	for _, hz := range rates {
		b := in(t, hz, geom.V(0, 3, 0), nothing)
		b.s.Velocity, b.s.Mode = geom.V(6, 0, 0), Falling
		b.c.Right = 1
		for b.s.Mode == Falling {
			b.step()
			if b.f.Queries > 60 {
				t.Fatal("too much work")
			}
		}
		if math.Abs(b.speed()-6) > 1e-6 || math.Abs(b.last[Landed]-math.Sqrt(2*9.8*3)) > .1 {
			t.Errorf("%v Hz: landed with %v m/s down and went on with %v, want 7.67 and 6", hz, b.last[Landed], b.speed())
		}
	}
}

func TestFallingAlongAWall(t *testing.T) { // AIR-04, STP-02
	for _, hz := range rates {
		b := inOnly(t, hz, geom.V(0, 40, 0), ground())
		b.w = in(t, hz, geom.Vec3{}, func(b *collide.Builder) {
			box(b, geom.V(-9, 0, -4), geom.V(9, 90, -.4), collide.Surface{})
		}).w
		b.s.Mode, b.s.Velocity = Falling, geom.V(2, 0, 0)
		b.c.Forward = 1
		b.run(2)
		fell, t2 := 40-b.s.Position.Y, math.Round(2*hz)*b.dt.Seconds()
		if want := 9.8 * t2 * t2 / 2; math.Abs(fell/want-1) > 1e-3 || math.Abs(b.s.Position.X-2*t2) > 1e-3 {
			t.Errorf("%v Hz: fell %v m and went %v, want %v and %v", hz, fell, b.s.Position.X, want, 2*t2)
		}
	}
}

func TestLandingOnEdges(t *testing.T) { // JMP-05, GRD-08
	places := func(b *collide.Builder) {
		for i := range 6 { // beams 0.1 m wide
			z := float64(-3 * i)
			box(b, geom.V(-10, 1.9, z-.05), geom.V(10, 2, z+.05), collide.Surface{})
		}
		box(b, geom.V(20, 0, -4), geom.V(24, 2, 0), collide.Surface{}) // edges and corners
		for i := range 4 {                                             // valleys too steep to stand in
			x := float64(-30 - 4*i)
			b.Ramp(geom.V(x, 0, 0), 1, 2, .9, math.Pi/2, collide.Surface{})
			b.Ramp(geom.V(x+.01, 0, 0), 1, 2, .9, -math.Pi/2, collide.Surface{})
		}
	}
	r := rand.New(rand.NewSource(1))
	for i := range 400 {
		at := geom.V(-10+20*r.Float64(), 5, -15.5+16*r.Float64())
		switch i % 4 {
		case 1:
			at = geom.V(20-.5+5*r.Float64(), 5, -4.5+5*r.Float64())
		case 2:
			at = geom.V([]float64{20, 24}[r.Intn(2)]+.7*r.Float64()-.35, 5, .7*r.Float64()-.35)
		case 3:
			at = geom.V(float64(-30-4*r.Intn(4))+r.Float64()-.5, 5, r.Float64()-.5)
		}
		b := in(t, 60, at, places)
		b.s.Mode = Falling
		hung := 0.0
		for range 240 {
			b.step()
			if b.s.Mode == Falling && b.s.Velocity.Len() < 1e-3 {
				hung += b.dt.Seconds()
			} else {
				hung = 0
			}
			if hung > .5 {
				t.Fatalf("dropped at %v: hangs at %v", at, b.s.Position)
			}
		}
		if b.s.Mode != Walking {
			t.Errorf("dropped at %v: not standing after 4 s, at %v with %v", at, b.s.Position, b.s.Velocity)
		}
	}
}

func TestPerching(t *testing.T) { // FLR-04, GAP-55
	for _, c := range []struct {
		perch float64
		want  Mode
	}{{0, Walking}, {.15, Falling}} {
		b := in(t, 60, geom.V(0, 5, .25), func(b *collide.Builder) {
			box(b, geom.V(-5, 0, -5), geom.V(5, 5, 0), collide.Surface{})
		})
		b.m.Radius, b.m.PerchRadius = .3, c.perch
		b.run(.2)
		if b.s.Mode != c.want {
			t.Errorf("threshold %v: got mode %v at %v, want %v", c.perch, b.s.Mode, b.s.Position, c.want)
		}
	}
}

func TestPerchingAboveAFloorThatIsNear(t *testing.T) { // FLR-04
	b := in(t, 60, geom.V(0, .5, .25), func(b *collide.Builder) {
		box(b, geom.V(-5, 0, -5), geom.V(5, .5, 0), collide.Surface{})
	})
	b.m.Radius, b.m.PerchRadius = .3, .15
	b.run(.2)
	if b.s.Mode != Walking || b.s.Position.Y < .3 {
		t.Errorf("half a metre above another floor: got mode %v at %v, want it to perch", b.s.Mode, b.s.Position)
	}
}

func TestCrouching(t *testing.T) { // BAS-03, PRF-08
	beam := func(b *collide.Builder) {
		box(b, geom.V(-5, 1, -6), geom.V(5, 2, -2), collide.Surface{})
	}
	for _, hz := range rates {
		b := in(t, hz, geom.V(0, 0, 0), beam)
		b.run(.1)
		feet := b.s.Position
		b.c.Crouch = true
		b.step()
		if b.s.Position.Dist(feet) > 1e-12 || !b.s.Crouched || math.Abs(b.m.Eye(&b.s).Y-feet.Y-.72) > 1e-12 {
			t.Errorf("%v Hz: crouching moved the feet from %v to %v", hz, feet, b.s.Position)
		}
		b.c.Forward = 1
		b.run(1)
		if math.Abs(b.speed()-3) > 1e-9 || b.s.Position.Z > -2 {
			t.Fatalf("%v Hz: %v m/s at %v, want 3 under the beam", hz, b.speed(), b.s.Position)
		}
		b.c.Crouch = false
		for b.s.Position.Z > -6+.2 {
			b.step()
			if !b.s.Crouched {
				t.Fatalf("%v Hz: stands up under the beam at %v", hz, b.s.Position)
			}
		}
		b.run(.3)
		if b.s.Crouched {
			t.Errorf("%v Hz: still crouched in the open at %v", hz, b.s.Position)
		}
	}
}

func TestCrouchingInTheAirKeepsTheCentre(t *testing.T) { // BAS-03
	b := in(t, 60, geom.V(0, 20, 0), nothing)
	b.s.Mode = Falling
	centre := func() float64 { return b.s.Position.Y + b.m.halfHeight(&b.s) }
	b.step()
	for i, crouch := range []bool{true, false} {
		was, v := centre(), b.s.Velocity.Y
		b.c.Crouch = crouch
		b.step()
		dt := b.dt.Seconds()
		if want := was + v*dt - 4.9*dt*dt; math.Abs(centre()-want) > 1e-9 || b.s.Crouched != crouch {
			t.Errorf("change %d: centre at %v want %v, crouched %v", i, centre(), want, b.s.Crouched)
		}
	}
	b.c.Crouch = true
	for b.s.Position.Y > .1 || !b.s.Crouched {
		b.step()
	}
	b.c.Crouch = false
	b.step()
	if b.s.Crouched || b.s.Position.Y < 0 {
		t.Errorf("just above the ground: crouched %v at %v, want it to stand up from the ground", b.s.Crouched, b.s.Position)
	}
}

func TestWedgedBetweenSteepSlopes(t *testing.T) { // JMP-05
	for _, hz := range rates {
		b := in(t, hz, geom.V(.1, 3, 0), func(b *collide.Builder) {
			b.Ramp(geom.V(.1, 0, 0), 4, 3, 1.4, -math.Pi/2, collide.Surface{})
			b.Ramp(geom.V(-.1, 0, 0), 4, 3, 1.4, math.Pi/2, collide.Surface{})
		})
		b.s.Mode = Falling
		b.run(3)
		at := b.s.Position
		b.run(3)
		if b.s.Mode != Walking || b.total[Landed] != 1 || b.s.Position.Dist(at) > 1e-4 || b.speed() > 1e-3 {
			t.Errorf("%v Hz: mode %v, %v landings, moved %v; want it to stand still after one", hz, b.s.Mode, b.total[Landed], b.s.Position.Dist(at))
		}
		b.c.Jump = true
		b.run(.2)
		if b.total[Jumped] != 1 || b.s.Position.Y < at.Y+.3 {
			t.Errorf("%v Hz: %v jumps from %v to %v, want it to jump out", hz, b.total[Jumped], at, b.s.Position)
		}
	}
}

func TestTimeLeftAfterLandingIsWalked(t *testing.T) { // JMP-05, GRD-15
	b := in(t, 8, geom.V(0, .1, 0), nothing) // one move of 125 ms
	b.s.Mode, b.s.Velocity = Falling, geom.V(6, -2, 0)
	b.s.ForceFloor = false
	b.c.Right = 1
	b.step()
	if got, want := b.s.Position.X, 6*.125; math.Abs(got-want) > 1e-6 || b.s.Mode != Walking {
		t.Errorf("went %v m in mode %v, want %v Walking", got, b.s.Mode, want)
	}
}
