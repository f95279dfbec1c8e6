package movement

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// top runs for so many seconds and returns the greatest height reached above the
// floor. It looks between the moves too: the top of a jump is where the upward
// speed ends, and a move that passes it is split there.
func (b *body) top(seconds float64) float64 {
	b.t.Helper()
	high := 0.0
	until := b.now + seconds
	for b.now < until-1e-9 {
		if b.dice != nil {
			b.frame()
		} else {
			b.step()
		}
		high = max(high, b.s.Position.Y-midFloor)
		if v := b.s.Velocity.Y; b.s.Mode == Falling && v < 0 { // the top was v/g ago
			high = max(high, b.s.Position.Y-midFloor+v*v/(2*b.m.Gravity))
		}
	}
	return high
}

func TestHoldingJumpsHigher(t *testing.T) { // JMP-02, GAP-55
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		for _, c := range []struct {
			held, max, want float64
		}{{2, .2, .84 + .9}, {2, .05, .21 + .9}, {2, 0, .9}, {.2, 2, .84 + .9}, {0, .2, .9}} {
			b := in(t, hz, geom.V(0, 0, 0), nothing)
			b.dice = dice()
			b.m.MaxJumpHold = c.max
			b.run(.2)
			b.c.Jump = true
			high := 0.0
			if c.held > 0 {
				high = b.top(c.held)
			} else {
				b.step()
			}
			b.c.Jump = false
			high = max(high, b.top(2))
			within := .01
			if c.held < c.max { // let go at the end of a frame
				within = 4.2 * .04 / c.want
			}
			if math.Abs(high/c.want-1) > within {
				t.Errorf("%s, held %v s of at most %v: apex %v m, want %v", what, c.held, c.max, high, c.want)
			}
		}
	})
}

func TestAHeldJumpEndsWithinAMove(t *testing.T) { // JMP-02, JMP-04
	// 33 ms moves do not divide 50 ms: the second is split where the hold ends.
	for _, hz := range []float64{8, 20, 30, 60, 144, 240, 1000} {
		b := in(t, hz, geom.V(0, 0, 0), nothing)
		b.m.MaxJumpHold = .05
		b.run(.3)
		floor := b.s.Position.Y
		b.c.Jump = true
		const n = .25
		b.run(n)
		s := math.Round(n*hz) * b.dt.Seconds()
		want := 4.2*s - 4.9*(s-.05)*(s-.05)
		if got := b.s.Position.Y - floor; math.Abs(got-want) > 1e-6 || b.s.JumpHold != 0 {
			t.Errorf("%v Hz: after %v s at %v m, want %v; hold left %v", hz, s, got, want, b.s.JumpHold)
		}
	}
}

func TestWhatEndsAHeldJump(t *testing.T) { // JMP-02
	b := in(t, 60, geom.V(0, 0, 0), func(b *collide.Builder) {
		box(b, geom.V(-5, 2, -5), geom.V(5, 3, 5), collide.Surface{}) // 24 cm above the head
	})
	b.m.MaxJumpHold = 1
	b.run(.1)
	b.c.Jump = true
	b.run(.1)
	if b.s.JumpHold != 0 || b.s.Velocity.Y > 0 {
		t.Errorf("a ceiling: %v s of the hold left at %v m/s upwards, want it over", b.s.JumpHold.Seconds(), b.s.Velocity.Y)
	}
	b = in(t, 60, geom.V(0, 0, 0), nothing)
	b.m.MaxJumpHold, b.m.MaxJumps = 1, 2
	b.run(.1)
	b.c.Jump = true
	b.run(.2)
	b.c.Jump = false
	b.step()
	if b.s.JumpHold != 0 {
		t.Errorf("let go: %v s of the hold left, want none", b.s.JumpHold.Seconds())
	}
	b.run(.3)
	b.c.Jump = true
	b.step()
	if b.s.JumpHold == 0 || b.s.Velocity.Y != b.m.JumpSpeed || b.total[Jumped] != 2 {
		t.Errorf("a second jump in the air: %v m/s, hold %v, %v jumps; want it to hold anew", b.s.Velocity.Y, b.s.JumpHold, b.total[Jumped])
	}
	b.s.Mode = None
	b.step()
	b.s.Mode = Flying
	b.step()
	if b.s.JumpHold != 0 {
		t.Errorf("in another mode: %v s of the hold left, want none", b.s.JumpHold.Seconds())
	}
}

func TestJumpRange(t *testing.T) { // JMP-01, AIR-05: how far a running jump goes
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		b := in(t, hz, geom.V(0, 0, 0), nothing)
		b.dice = dice()
		b.c.Forward = 1
		b.run(1)
		b.c.Jump = true
		from, v := b.s.Position, b.s.Velocity
		for b.total[Landed] == 0 {
			b.frame()
		}
		far := from.Z - b.s.Position.Z
		if want := v.Len() * 2 * 4.2 / 9.8; far < want-1e-3 || far > want+6*.04 {
			t.Errorf("%s: came %v m far at %v m/s, want %v", what, far, v.Len(), want)
		}
	})
}

func TestFreeFallInUnevenFrames(t *testing.T) { // JMP-04, AIR-05
	everyRate(t, func(what string, hz float64, dice func() *rand.Rand) {
		b := inOnly(t, hz, geom.V(0, 5000, 0), ground())
		b.dice = dice()
		b.m.TerminalSpeed = 1000
		b.run(10)
		s := b.now
		if got, want := 5000-b.s.Position.Y, 4.9*s*s; math.Abs(got/want-1) > 1e-3 {
			t.Errorf("%s: fell %v m in %v s, want %v", what, got, s, want)
		}
	})
}

func TestBunnyHopsGainNothing(t *testing.T) { // INP-08, JMP-01
	b := in(t, 60, geom.V(0, 0, 0), nothing)
	b.c.Forward = 1
	for i := range 1200 {
		b.c.Jump = i%2 == 0
		b.c.Yaw += .02
		b.step()
		if b.speed() > 6+1e-9 {
			t.Fatalf("step %v: %v m/s by jumping in a circle, want at most 6", i, b.speed())
		}
	}
	if b.total[Jumped] < 10 {
		t.Errorf("only %v jumps", b.total[Jumped])
	}
}
