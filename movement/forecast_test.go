package movement

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

func TestStoppingExactly(t *testing.T) { // VEL-13, GAP-28, VEL-14
	for _, c := range []struct {
		v, mu, b, want float64
	}{
		{6, 16, 20.48, .23593834}, {6, 0, 20.48, .87890625}, {6, 2, 10, 1.02885660}, {6, 1e-9, 20.48, .87890625},
		{0, 16, 20.48, 0}, {-1, 16, 20.48, 0}, {6, 2, 0, 3}, {6, -4, 20.48, .87890625},
		{6, .03, 20.48, .87375}, {6, .04, 20.48, 0},
	} {
		got, seconds := stopExact(c.v, c.mu, c.b)
		sum, at, n := 0.0, math.Max(c.v, 0), 0 // small steps of the law itself
		for h := 1e-6; at > 0 && n < 20_000_000; n++ {
			mid := at - .5*h*(math.Max(c.mu, 0)*at+c.b)
			next := at - h*(math.Max(c.mu, 0)*mid+c.b)
			sum += .5 * h * (at + math.Max(next, 0))
			if at = next; c.b == 0 && at < 1e-6 {
				break
			}
		}
		if math.Abs(got-sum) > 2e-5 || c.want != 0 && math.Abs(got-c.want) > 2e-4*c.want+1e-8 && c.mu != .03 {
			t.Errorf("%v m/s, friction %v, %v m/s²: got %v m, the law %v, the row %v", c.v, c.mu, c.b, got, sum, c.want)
		}
		if c.b > 0 && c.v > 0 && math.Abs(seconds-float64(n)*1e-6) > 1e-5 {
			t.Errorf("%v m/s, friction %v, %v m/s²: got %v s, the law %v", c.v, c.mu, c.b, seconds, float64(n)*1e-6)
		}
	}
	if m, s := stopExact(6, 0, 0); !math.IsInf(m, 1) || !math.IsInf(s, 1) {
		t.Errorf("on ice: %v m, %v s; want never", m, s)
	}
	// The two forms of the share meet where one takes over from the other.
	if a, b := lagOf(.01), lagOf(.01-1e-12); math.Abs(a-b) > 1e-11 {
		t.Errorf("share of the way: %v and %v", a, b)
	}
	m := DefaultModel()
	step, exact := m.StopDistance(6, 1e-4), 0.0
	if exact, _ = m.StopsIn(6); math.Abs(step/exact-1) > .01 {
		t.Errorf("at 10 kHz the step stops in %v m, the law says %v", step, exact)
	}
}

func TestJumpApex(t *testing.T) { // JMP-01, JMP-02
	for _, c := range []struct{ hold, up, want float64 }{{0, 0, .9}, {.2, 0, 1.74}, {0, 9.8, 4.9}, {0, -5, .9}} {
		b := in(t, 240, geom.Vec3{}, nothing)
		b.m.MaxJumpHold, b.m.MaxJumps = c.hold, 2
		b.run(.1)
		b.s.Mode, b.s.Velocity.Y, b.s.Position.Y = Falling, c.up, 20
		want := b.m.JumpApex(&b.s)
		b.c.Jump = true
		high := 0.0
		for b.now < 1.5 {
			b.step()
			high = math.Max(high, b.s.Position.Y-20)
		}
		if math.Abs(want-c.want) > 1e-12 || math.Abs(high-want) > 2e-3 {
			t.Errorf("hold %v, already %v m/s up: foreseen %v m, jumped %v, want %v", c.hold, c.up, want, high, c.want)
		}
	}
	m := DefaultModel()
	if m.Gravity = 0; !math.IsInf(m.JumpApex(&State{}), 1) {
		t.Error("a jump without gravity ends")
	}
}

func TestLandingForecast(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var f StepContext
	landed := 0
	for i := range 60 {
		b := in(t, 60, geom.V(0, 4+6*r.Float64(), 0), func(b *collide.Builder) {
			b.Stairs(geom.V(0, 0, -2), 20, .3, .3, 9, 0, collide.Surface{})
			box(b, geom.V(-9, 6, 3), geom.V(9, 6.5, 8), collide.Surface{})
			box(b, geom.V(4, 0, -20), geom.V(5, 20, 20), collide.Surface{})
		})
		b.s.Mode = Falling
		b.s.Velocity = geom.V(8*r.NormFloat64(), 4*r.NormFloat64(), 8*r.NormFloat64())
		feet, when, ok := b.m.Landing(&b.s, &b.w, 5*clock.Second, &f)
		if !ok {
			t.Fatalf("case %v lands nowhere", i)
		}
		for b.s.Mode == Falling {
			b.step()
		}
		took := b.now - b.f.Remaining
		if math.Abs(when.Seconds()-took) > .017 || feet.Dist(b.s.Position) > .4 { // the rest of the move is walked
			t.Errorf("case %v: foreseen %v in %v s, came to %v after %v", i, feet, when.Seconds(), b.s.Position, b.now)
		}
		landed++
		if feet, when, ok := b.m.Landing(&b.s, &b.w, 0, &f); !ok || when != 0 || feet.Dist(b.s.Position) > 1e-9 {
			t.Errorf("a walker lands %v in %v s (%v)", feet, when, ok)
		}
	}
	b := inOnly(t, 60, geom.V(0, 1000, 0), ground())
	b.s.Mode = Falling
	if _, when, ok := b.m.Landing(&b.s, &b.w, clock.Second, &f); ok {
		t.Errorf("lands from 1,000 m in %v", when)
	}
	b.s.Mode = Flying
	if _, _, ok := b.m.Landing(&b.s, &b.w, clock.Second, &f); ok {
		t.Error("a flyer lands")
	}
	s := newSwimmer(t, 60, geom.V(0, 4.12, 0))
	if feet, when, ok := s.m.Landing(&s.s, &s.w, 5*clock.Second, &f); !ok || math.Abs(feet.Y+.88) > .01 || math.Abs(when.Seconds()-math.Sqrt(10/9.8)) > .02 {
		t.Errorf("over water: %v in %v s, %v", feet, when.Seconds(), ok)
	}
	s.s.Mode = Falling
	if n := testing.AllocsPerRun(20, func() { s.m.Landing(&s.s, &s.w, clock.Second, &f) }); n != 0 {
		t.Errorf("Landing allocates %v times", n)
	}
}

func TestWhereABodyFits(t *testing.T) { // BAS-03
	b := in(t, 60, geom.V(0, 0, -4), func(b *collide.Builder) {
		box(b, geom.V(-5, 1, -6), geom.V(5, 2, -2), collide.Surface{})
		box(b, geom.V(10, 0, -5), geom.V(12, 4, 5), collide.Surface{})
	})
	for _, c := range []struct {
		at             geom.Vec3
		crouched, fits bool
	}{
		{geom.V(0, .02, 0), false, true},
		{geom.V(0, .02, -4), false, false},
		{geom.V(0, .02, -4), true, true},
		{geom.V(10.1, .02, 0), false, false},
		{geom.V(0, -.1, 5), false, false},
	} {
		if got := b.m.Fits(&b.w, c.at, geom.Vec3{}, c.crouched); got != c.fits {
			t.Errorf("at %v, crouched %v: fits %v, want %v", c.at, c.crouched, got, c.fits)
		}
	}
}

func TestTheViewHeightIsSmooth(t *testing.T) { // BAS-03
	m := DefaultModel()
	for _, hz := range []float64{30, 60, 144, 240} {
		h, dt := m.EyeHeight, clock.Micros(math.Round(1e6/hz))
		for now := clock.Micros(0); now+dt/2 < 300*clock.Millisecond; now += dt {
			was := h
			h = m.SmoothEye(h, true, dt)
			if h >= was || was-h > .8*dt.Seconds()/eyeLag {
				t.Fatalf("%v Hz: from %v to %v", hz, was, h)
			}
		}
		if want := .72 + .8*math.Exp(-3); math.Abs(h-want) > 2e-3 {
			t.Errorf("%v Hz: after 0.3 s %v m, want %v", hz, h, want)
		}
		if got := m.SmoothEye(h, false, 10*clock.Second); math.Abs(got-1.52) > 1e-9 {
			t.Errorf("at last %v, want 1.52", got)
		}
		if got := m.SmoothEye(h, false, -5); got != h {
			t.Errorf("back in time: %v, want %v", got, h)
		}
	}
}
