package parkour_test

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/parkour"
)

// Ledges around the limits: what is a step is climbed without a press, what is too high not at all.
func TestLedgesOfAllHeights(t *testing.T) { // MOD-06
	everyRate(t, func(t *testing.T, hz int) {
		for _, c := range []struct {
			high float64
			want string // how it gets up; "" if it does not
		}{{.3, "step"}, {.44, "step"}, {.47, "low"}, {1.09, "low"}, {1.15, "high"}, {2.07, "high"}, {2.2, ""}, {5, ""}} {
			r := in(t, hz, geom.V(0, .0215, 0), func(b *collide.Builder) { box(b, geom.V(-5, 0, -9), geom.V(5, c.high, -2)) })
			r.c = movement.Command{Forward: 1}
			r.run(1)
			if up := r.h.Position.Y > c.high; up != (c.want == "step") {
				t.Errorf("%v m, without a press: at height %.3f", c.high, r.h.Position.Y)
			}
			if c.want == "step" {
				continue
			}
			r.press()
			began := r.w.At
			if r.h.Mode == parkour.Mantle {
				r.until("falling")
			}
			took := (r.w.At - began).Seconds()
			r.run(.5)
			up := r.h.Position.Y-c.high > .018 && r.h.Position.Y-c.high < .025 && r.h.Mode == movement.Walking
			mantled := c.want != ""
			if r.begun["mantle"] > 0 != mantled || up != mantled {
				t.Errorf("%v m: at %v, %v, mantled %d times; want %q", c.high, r.h.Position, r.h.Mode, r.begun["mantle"], c.want)
			}
			want := (c.high + .12 + .5) / r.m.LowMantleSpeed
			if c.want == "high" {
				want = (c.high + .12 + .5) / r.m.HighMantleSpeed
			}
			if mantled && math.Abs(took-want) > .05 {
				t.Errorf("%v m: took %.3f s, want about %.3f", c.high, took, want)
			}
		}
	})
}

// A ledge is mantled only with the input ahead, where there is room above it, and from the air with Jump held.
func TestWhenALedgeIsMantled(t *testing.T) { // MOD-06
	wall := func(b *collide.Builder) { box(b, geom.V(-5, 0, -9), geom.V(5, 1.5, -2)) }
	roof := func(low float64) func(*collide.Builder) {
		return func(b *collide.Builder) {
			wall(b)
			box(b, geom.V(-5, low, -9), geom.V(5, low+1, -2.1))
		}
	}
	for _, c := range []struct {
		what  string
		build func(*collide.Builder)
		input movement.Command
		want  bool
	}{
		{"ahead", wall, movement.Command{Forward: 1}, true},
		{"at 40° to it", wall, movement.Command{Forward: 1, Yaw: .7}, true},
		{"along it", wall, movement.Command{Forward: 1, Yaw: 1.2}, false},
		{"no input", wall, movement.Command{}, false},
		{"walking backwards into it", wall, movement.Command{Forward: -1, Yaw: math.Pi}, false},
		{"room of 1.9 m above it", roof(3.4), movement.Command{Forward: 1}, true},
		{"room of 1.7 m above it", roof(3.2), movement.Command{Forward: 1}, false},
		{"room of 1.7 m above it, crouched", roof(3.2), movement.Command{Forward: 1, Crouch: true}, true},
		{"a roof above the character", func(b *collide.Builder) {
			wall(b)
			box(b, geom.V(-5, 2, -1.9), geom.V(5, 3, 2))
		}, movement.Command{Forward: 1}, false},
		{"a surface that refuses feet", func(b *collide.Builder) {
			b.Box(geom.V(0, .75, -5.5), geom.V(5, .75, 3.5), geom.IdentityQuat, collide.Surface{StepOn: collide.Never})
		}, movement.Command{Forward: 1}, false},
		{"a roof that slopes by 30°", func(b *collide.Builder) {
			b.Box(geom.V(0, .5, -4.5), geom.V(5, 1, 2), geom.AxisAngle(geom.V(1, 0, 0), math.Pi/6), collide.Surface{})
			box(b, geom.V(-5, 0, -4), geom.V(5, .4, -2.3))
		}, movement.Command{Forward: 1}, false}, // its face leans too far to be a wall
	} {
		r := in(t, 60, geom.V(0, .0215, -1.6), c.build)
		r.c = c.input
		r.run(.2)
		r.press()
		r.run(2)
		if got := r.begun["mantle"] == 1 && r.h.Position.Y > 1.4; got != c.want {
			t.Errorf("%s: mantled %v (%d times), at %v; want %v", c.what, got, r.begun["mantle"], r.h.Position, c.want)
		}
	}
	r := in(t, 60, geom.V(0, .0215, 0), func(b *collide.Builder) { box(b, geom.V(-5, 0, -9), geom.V(5, 2.7, -2)) })
	r.c = movement.Command{Forward: 1}
	r.run(.1)
	r.c.Jump = true // too high from the ground; not from the top of the jump
	r.run(2)
	if r.h.Position.Y < 2.7 || r.begun["mantle"] != 1 {
		t.Errorf("a jump at a ledge of 2.7 m: at %v, mantled %d times, want once", r.h.Position, r.begun["mantle"])
	}
}

// A mantle is a function of its time: at 10, 20, 50 and 100 ms a move it is the same, bit for bit.
func TestAMantleIsTheSameAtEveryRate(t *testing.T) { // MOD-06, PRF-14
	var want [6]uint64
	for _, d := range []clock.Micros{10, 20, 50, 100} {
		r := in(t, 60, geom.V(0, .0215, -1.65), func(b *collide.Builder) { box(b, geom.V(-5, 0, -9), geom.V(5, 1.9, -2)) })
		r.run(.1)
		r.d, r.c = d*clock.Millisecond, movement.Command{Forward: 1, Jump: true}
		for i := range want {
			for range 100 / d {
				r.step()
			}
			if r.h.Mode != parkour.Mantle {
				t.Fatalf("moves of %d ms, after %d ms: %v", d, 100*(i+1), r.h.Mode)
			}
			if got := r.h.Hash(); want[i] == 0 {
				want[i] = got
			} else if got != want[i] {
				t.Errorf("moves of %d ms, after %d ms: hash %x, want %x", d, 100*(i+1), got, want[i])
			}
		}
	}
}

// A ledge that moves takes along the character that mantles it, and it stands on it afterwards.
func TestAMovingLedge(t *testing.T) { // MOD-06, BAS-01
	everyRate(t, func(t *testing.T, hz int) {
		for _, by := range []geom.Vec3{geom.V(8, 0, 0), geom.V(0, 4, 0), geom.V(0, 0, -8)} {
			r := in(t, hz, geom.V(0, .0215, -1.6), func(b *collide.Builder) {
				path := collide.Path{Loop: true, Keys: []collide.Key{{}, {At: 4 * clock.Second, Position: by}, {At: 8 * clock.Second}}}
				b.Mover("cart", path, func(b *collide.Builder) { box(b, geom.V(-3, 0, -8), geom.V(3, 1.5, -2)) })
			})
			r.c = movement.Command{Forward: 1}
			r.step()
			r.press()
			r.c = movement.Command{}
			r.run(1)
			pose := r.w.Pose(1)
			at := pose.ApplyInverse(r.h.Position)
			if r.h.Mode != movement.Walking || r.h.Base.Mover != 1 || at.Y < 1.5 || at.Y > 1.53 || math.Abs(at.X) > .5 {
				t.Errorf("a cart that goes by %v: %v on base %d, at %v of it", by, r.h.Mode, r.h.Base.Mover, at)
			}
		}
	})
}

// Something comes into the way of a mantle: the character falls and is inside nothing.
func TestAMantleIsHindered(t *testing.T) { // MOD-06
	r := in(t, 60, geom.V(0, .0215, -1.6), func(b *collide.Builder) {
		box(b, geom.V(-5, 0, -9), geom.V(5, 1.9, -2))
		path := collide.Path{Keys: []collide.Key{{Position: geom.V(0, 8, 0)}, {At: 1200 * clock.Millisecond, Position: geom.V(0, 2.4, 0)}}}
		b.Mover("shutter", path, func(b *collide.Builder) { box(b, geom.V(-3, 0, -3), geom.V(3, .5, 0)) })
	})
	r.c = movement.Command{Forward: 1}
	r.run(.5)
	r.press()
	r.until("mantle")
	r.until("falling")
	r.run(1)
	if r.h.Position.Y > .1 {
		t.Errorf("at %v, want on the floor", r.h.Position)
	}
}

// tower is a wall of 6 m with a ladder, and a roof to stand on.
func tower(t testing.TB, extra func(b *collide.Builder)) func(b *collide.Builder) {
	return func(b *collide.Builder) {
		box(b, geom.V(-5, 0, -9), geom.V(5, 6, -2))
		ladder(t, b, geom.V(-.6, 0, -2), geom.V(.6, 6.5, -1))
		if extra != nil {
			extra(b)
		}
	}
}

// Up a ladder, onto the roof, backwards off it onto the ladder, down and away.
func TestALadderUpAndDown(t *testing.T) { // MOD-05
	everyRate(t, func(t *testing.T, hz int) {
		r := in(t, hz, geom.V(0, .0215, 0), tower(t, nil))
		r.c = movement.Command{Forward: 1}
		r.until("ladder")
		r.run(1)
		if y := r.h.Position.Y; math.Abs(y-2.5) > .2 || r.h.Velocity.Dist(geom.V(0, 2.5, 0)) > 1e-9 {
			t.Errorf("after a second on the ladder at %.3f m and %v m/s, want 2.5 and upwards at 2.5", y, r.h.Velocity)
		}
		r.c = movement.Command{}
		hang := r.h.Position
		r.run(1)
		if r.h.Position.Dist(hang) > .2 || !r.h.Velocity.IsZero() || r.h.Mode != parkour.Ladder {
			t.Errorf("without input from %v to %v, %v", hang, r.h.Position, r.h.Mode)
		}
		r.c.Forward = 1
		r.until("mantle")
		r.until("walking")
		r.c = movement.Command{}
		r.run(.5)
		if r.h.Position.Y < 6.018 || r.h.Position.Y > 6.025 || r.begun["mantle"] != 1 {
			t.Fatalf("on the roof at %v, mantled %d times", r.h.Position, r.begun["mantle"])
		}
		r.c = movement.Command{Forward: -1} // still facing the wall that is below
		r.until("ladder")
		if drop := 6.02 - r.h.Position.Y; drop > .35 {
			t.Errorf("fell %.2f m before it held on", drop)
		}
		r.until("walking")
		r.run(.5)
		if r.h.Position.Y > .025 || r.h.Position.Z < -1 || r.begun["ladder"] != 2 {
			t.Errorf("down at %v, on the ladder %d times; want away from it, 2", r.h.Position, r.begun["ladder"])
		}
	})
}

// What else happens on ladders.
func TestOnALadder(t *testing.T) { // MOD-05
	lip := func(b *collide.Builder) { box(b, geom.V(-5, 5.5, -2), geom.V(5, 6, -1)) } // an overhang
	for _, c := range []struct {
		what  string
		build func(*collide.Builder)
		input movement.Command // from the first second on
		well  func(r *runner) bool
	}{
		{"climbs below an overhang", lip, movement.Command{Forward: 1},
			func(r *runner) bool { return r.h.Mode == parkour.Ladder && r.top > 3.6 && r.top < 3.75 }},
		{"goes aside, off the ladder", nil, movement.Command{Right: 1},
			func(r *runner) bool { return r.h.Mode == movement.Walking && r.h.Position.X > .6 }},
		{"leaps off", nil, movement.Command{Jump: true},
			func(r *runner) bool { return r.h.Position.Z > -.5 && r.h.Mode == movement.Walking && r.top > 2.3 }},
		{"lets go", nil, movement.Command{Crouch: true},
			func(r *runner) bool { return r.h.Position.Z < -1.5 && r.h.Position.Y < .03 }},
		{"is frozen", nil, movement.Command{Forward: 1, Buttons: 1}, // see below
			func(r *runner) bool { return r.h.Mode == parkour.Ladder && r.top < 2.3 }},
	} {
		r := in(t, 60, geom.V(0, .0215, -1.6), tower(t, func(b *collide.Builder) {
			if c.build != nil {
				c.build(b)
			}
		}))
		r.c = movement.Command{Forward: 1}
		r.run(.8)
		if r.h.Mode != parkour.Ladder {
			t.Fatalf("%s: %v", c.what, r.h.Mode)
		}
		r.c = c.input
		if c.input.Buttons == 1 {
			r.h.SpeedScale = -1
		}
		r.run(2.5)
		if !c.well(r) {
			t.Errorf("%s: %v at %v, at most %.3f m up", c.what, r.h.Mode, r.h.Position, r.top)
		}
	}
	r := in(t, 60, geom.V(0, .0215, -1.6), func(b *collide.Builder) { box(b, geom.V(-5, 0, -9), geom.V(5, 6, -2)) })
	r.c = movement.Command{Forward: 1}
	if r.run(1); r.begun["ladder"] != 0 {
		t.Error("climbs a wall that has no ladder")
	}
	r = in(t, 60, geom.V(0, 6.0215, -4), tower(t, nil)) // runs off the roof, facing away
	r.c = movement.Command{Forward: 1, Yaw: math.Pi}
	if r.run(2); r.begun["ladder"] != 0 || r.h.Position.Y > .1 {
		t.Errorf("runs off the roof: %d times on the ladder, at %v; want none, on the ground", r.begun["ladder"], r.h.Position)
	}
}

// A sprint into a crouch slides, loses speed steadily, and ends crouched.
func TestSlidingOnTheLevel(t *testing.T) { // GRD-21
	everyRate(t, func(t *testing.T, hz int) {
		r := in(t, hz, geom.V(0, .0215, 0), func(*collide.Builder) {})
		r.c = movement.Command{Forward: 1, Sprint: true}
		r.run(1)
		r.c.Crouch = true
		from, began := r.h.Position, r.w.At
		energy := r.h.Velocity.LenSq()
		r.step()
		for r.h.Parkour.Sliding {
			if r.h.Velocity.LenSq() >= energy {
				t.Fatalf("gains energy: %v after %v J/kg", r.h.Velocity.LenSq()/2, energy/2)
			}
			energy = r.h.Velocity.LenSq()
			r.step()
		}
		took, way := (r.w.At - began).Seconds(), r.h.Position.Dist(from)
		if wantTook, wantWay := (8-2.5)/3.0, (64-2.5*2.5)/6; math.Abs(took-wantTook) > .1 || math.Abs(way-wantWay) > .3 {
			t.Errorf("slid %.2f m in %.2f s, want %.2f and %.2f", way, took, wantWay, wantTook)
		}
		if !r.h.Crouched || r.begun["slide"] != 1 {
			t.Errorf("crouched %v, slid %d times", r.h.Crouched, r.begun["slide"])
		}
	})
}

// How slides begin, and how they end.
func TestSlides(t *testing.T) { // GRD-21
	sprint, slide := movement.Command{Forward: 1, Sprint: true}, movement.Command{Forward: 1, Sprint: true, Crouch: true}
	for _, c := range []struct {
		what          string
		build         func(*collide.Builder)
		before, after movement.Command
		seconds       float64
		well          func(r *runner) bool
	}{
		{"a walk is too slow", nil, movement.Command{Forward: 1}, movement.Command{Forward: 1, Crouch: true}, .5,
			func(r *runner) bool { return r.begun["slide"] == 0 && r.h.Crouched }},
		{"Crouch is released", nil, sprint, sprint, .1,
			func(r *runner) bool { return r.begun["slide"] == 0 && !r.h.Crouched }},
		{"into a wall", func(b *collide.Builder) { box(b, geom.V(-5, 0, -14), geom.V(5, 3, -10)) }, sprint, slide, 1,
			func(r *runner) bool { return r.begun["slide"] == 1 && !r.h.Parkour.Sliding && r.h.Position.Z > -10 }},
		{"under a beam of 1.3 m", func(b *collide.Builder) { box(b, geom.V(-5, 1.3, -60), geom.V(5, 3, -9)) }, sprint, slide, 1,
			func(r *runner) bool { return r.h.Parkour.Sliding && r.h.Position.Z < -10 }},
		{"off a ledge", func(b *collide.Builder) { box(b, geom.V(-5, 0, -9), geom.V(5, 1, 5)) }, sprint, slide, 1.4,
			func(r *runner) bool { return r.begun["falling"] >= 1 && !r.h.Parkour.Sliding && r.begun["slide"] == 1 }},
		{"up stairs", func(b *collide.Builder) { b.Stairs(geom.V(0, 0, -9), 6, .2, .4, 12, 0, collide.Surface{}) }, sprint, slide, 1,
			func(r *runner) bool { return r.top > .5 && r.begun["slide"] == 1 }},
		{"up a slope of 20°", func(b *collide.Builder) { b.Ramp(geom.V(0, 0, -9), 8, 7.28, 20, 0, collide.Surface{}) }, sprint, slide, 1.4,
			func(r *runner) bool { return r.top > .3 && r.top < 2.6 && !r.h.Parkour.Sliding }},
	} {
		build := c.build
		if build == nil {
			build = func(*collide.Builder) {}
		}
		r := in(t, 60, geom.V(0, 1.0215, 0), build)
		r.c = c.before
		r.run(1.2)
		r.c = c.after
		r.run(c.seconds)
		if !c.well(r) {
			t.Errorf("%s: %s at %v, %v m/s, began %v, top %.2f", c.what, r.h.doing(), r.h.Position, r.h.Velocity.Len(), r.begun, r.top)
		}
	}
	// Under a beam, Crouch released: the slide ends there, crouched; out of it the character stands.
	r := in(t, 60, geom.V(0, .0215, 0), func(b *collide.Builder) { box(b, geom.V(-5, 1.3, -13), geom.V(5, 3, -9)) })
	r.c = sprint
	r.run(1.2)
	r.c = slide
	r.run(.3)
	r.c = movement.Command{Forward: 1}
	r.step()
	if r.h.Parkour.Sliding || !r.h.Crouched {
		t.Errorf("beneath the beam at %v: sliding %v, crouched %v; want crouched", r.h.Position, r.h.Parkour.Sliding, r.h.Crouched)
	}
	r.run(2)
	if r.h.Crouched || r.h.Position.Z > -13 {
		t.Errorf("at %v crouched %v, want out and upright", r.h.Position, r.h.Crouched)
	}
}

// Down a slope a slide gets faster, up to its limit, and a second one has to wait.
func TestSlidingDownhill(t *testing.T) { // GRD-21
	r := in(t, 60, geom.V(0, .0215, 0), func(b *collide.Builder) {
		b.Ramp(geom.V(0, 0, 0), 8, 40, 80, 0, collide.Surface{})
	})
	r.h.State = movement.Spawn(geom.V(0, 39.6, -79), 0)
	r.c = movement.Command{Forward: 1, Sprint: true, Yaw: math.Pi}
	r.run(1)
	r.c.Crouch = true
	r.run(2.5)
	if v := r.h.Velocity.Len(); !r.h.Parkour.Sliding || math.Abs(v-r.m.SlideMaxSpeed) > .01 && v > r.m.SlideMaxSpeed || v < 8.1 {
		t.Errorf("%s at %v: %.2f m/s, want more than 8.1 and at most 14", r.h.doing(), r.h.Position, v)
	}
	r.c.Crouch = false
	r.step()
	r.c.Crouch = true
	r.run(.2)
	if r.begun["slide"] != 1 {
		t.Errorf("slid %d times within the cooldown", r.begun["slide"])
	}
}

// Lying down, crawling beneath a low ceiling, getting up where there is room.
func TestProne(t *testing.T) { // BAS-15
	r := in(t, 60, geom.V(0, .0215, 0), func(b *collide.Builder) {
		box(b, geom.V(-5, .75, -4), geom.V(5, 1.5, -2)) // lower than crouched
		box(b, geom.V(-5, 1.3, -6), geom.V(5, 1.5, -4)) // lower than upright
	})
	r.c = movement.Command{Forward: 1, Crouch: true}
	r.run(2)
	if r.h.Position.Z < -2 {
		t.Fatalf("crouched at %v", r.h.Position)
	}
	r.c = movement.Command{Forward: 1, Buttons: parkour.ProneButton}
	r.run(1)
	if v := r.h.Velocity.Len(); !r.h.Parkour.Prone || math.Abs(v-1) > 1e-9 || r.h.SpeedScale != 0 {
		t.Errorf("prone %v at %v m/s, scale %v; want 1 m/s, and the game's own scale", r.h.Parkour.Prone, v, r.h.SpeedScale)
	}
	r.c = movement.Command{Forward: 1, Jump: true, Sprint: true} // let go beneath the low ceiling
	r.run(.3)
	if !r.h.Parkour.Prone || !r.h.Crouched || r.h.Mode != movement.Walking {
		t.Errorf("at %v: %s, want prone", r.h.Position, r.h.doing())
	}
	r.c = movement.Command{Forward: 1}
	for range 300 {
		if r.step(); !r.h.Parkour.Prone {
			break
		}
	}
	if z := r.h.Position.Z; z > -4 || z < -4.6 || !r.h.Crouched {
		t.Errorf("gets up at %v, crouched %v; want behind the low ceiling, crouched", r.h.Position, r.h.Crouched)
	}
	r.run(2)
	if r.h.Crouched || r.h.Position.Z > -6 || r.h.HalfHeight != 0 {
		t.Errorf("at %v crouched %v, height %v; want upright", r.h.Position, r.h.Crouched, r.h.HalfHeight)
	}
	r.h.SpeedScale, r.c.Buttons = -1, parkour.ProneButton
	r.run(1)
	if !r.h.Velocity.IsZero() {
		t.Errorf("frozen and prone: %v m/s", r.h.Velocity)
	}
}
