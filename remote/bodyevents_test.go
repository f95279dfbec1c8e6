package remote

import (
	"testing"

	rigid "github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// A ball rolls through the place of another that was removed, or whose id another ball has by now: what is gone pushes
// nothing. The ball of the new life is drawn where it is at once, not on its way from the old one. [RIG-01]
func TestARemovedBodyPushesNothing(t *testing.T) {
	for _, again := range []bool{false, true} {
		b, _ := space(BodyRules{})
		rolling := bodyState(150, 10*ms, geom.V(-2, 0, 0), geom.V(4, 0, 0))
		old := bodyState(140, 10*ms, geom.Vec3{}, geom.Vec3{})
		b.Receive([]track.Entity{old, rolling}, 10*ms)
		b.play(50 * ms)
		b.Retain([]track.Entity{old, rolling})
		drawn := 1
		if again {
			old.Life, old.At, old.Position = 2, 60*ms, geom.V(0, 3, 0)
			b.Receive([]track.Entity{old}, 60*ms)
			b.play(70 * ms)
			drawn = 2
			if at := b.Drawn()[0].Position; at.Dist(old.Position) > .01 {
				t.Errorf("the ball of the new life is drawn at %v, want %v", at, old.Position)
			}
		} else {
			b.Retain([]track.Entity{rolling})
		}
		b.play(clock.Second)
		d := b.Drawn()
		if len(d) != drawn {
			t.Fatalf("%d bodies, want %d", len(d), drawn)
		}
		if at := d[drawn-1].Position; at.Dist(geom.V(2, 0, 0)) > .2 {
			t.Errorf("id in use again %v: the ball rolled to %v, want 2 m beyond the place of the other", again, at)
		}
	}
}

// A player kicks a ball into a second one, which others kick away from the third: the second is in the player's own time
// as soon as the first touches it, and the third, which nothing touches, is not.
func TestWhatAPushedBallHitsIsPredicted(t *testing.T) {
	d := newLinked(hall(t, 60), BodyRules{})
	for _, z := range []float64{-2, -6, -40} {
		b := rubberBall
		b.Position = geom.V(0, .25, z)
		d.add(b)
	}
	d.walk = func(now clock.Micros) geom.Vec3 { return geom.V(0, 0, max(1-6*now.Seconds(), -3)) }
	touched, predicted := clock.Micros(0), clock.Micros(0)
	d.play(3*clock.Second, func() {
		drawn := d.bodies.Drawn()
		if len(drawn) < 3 {
			return
		}
		if touched == 0 && drawn[1].Velocity.Len() > 1 {
			touched = d.now
		}
		if predicted == 0 && drawn[1].Predicted && drawn[1].Lead > 0 {
			predicted = d.now
		}
		if drawn[2].Predicted || drawn[2].Lead != 0 {
			t.Fatalf("at %v s the third ball is in the player's time", d.now.Seconds())
		}
	})
	if touched == 0 || predicted == 0 || predicted > touched+100*ms {
		t.Errorf("the second ball moves from %v s and is in the player's time from %v s, want both at once", touched.Seconds(), predicted.Seconds())
	}
}

// The server puts a ball that the player has just pushed back onto its spot, as after a goal, from where it rolls: it is
// drawn there from the next frame on, in match time, and the states that follow are no errors. [RIG-03]
func TestATeleportOfAPushedBall(t *testing.T) {
	b, _ := space(BodyRules{})
	ball := bodyState(140, 10*ms, geom.V(0, .25, -1), geom.Vec3{})
	b.Receive([]track.Entity{ball}, 10*ms)
	now, feet := 20*ms, geom.Vec3{}
	frame := func() {
		now += clock.Second / 60
		b.Step(now, 60*ms, pusherAt(feet, true))
	}
	for range 20 {
		frame()
		feet.Z -= .1
	}
	if d := b.Drawn()[0]; !d.Predicted || d.Lead != 60*ms || d.Position.Z > -1.5 {
		t.Fatalf("got %+v, want a ball that was pushed, in the player's time", d)
	}
	spot, rolls, since := geom.V(9, .25, 9), geom.V(2, 0, 0), now
	ball.Velocity, ball.Teleport = rolls, 1
	for range 30 {
		ball.At = now - 50*ms
		ball.Position = spot.MulAdd(rolls, (ball.At - since).Seconds())
		b.Receive([]track.Entity{ball}, now)
		frame()
		if d, want := b.Drawn()[0], spot.MulAdd(rolls, (now-since).Seconds()); d.Predicted || d.Lead != 0 || d.Position.Dist(want) > .02 {
			t.Fatalf("got %+v, want the ball at %v, in match time", d, want)
		}
	}
	if s := b.Stats(); s.MaxError > .01 || s.Snaps != 0 {
		t.Errorf("got %+v, want no error and no snap", s)
	}
}

// A player that teleports past a ball, or that becomes solid beyond it, as after a respawn, kicks nothing. One that walks
// there does.
func TestATeleportKicksNothing(t *testing.T) {
	for _, c := range []struct {
		name  string
		step  float64 // metres a frame
		solid bool    // in the frame before
		kicks bool
	}{{"walks", .1, true, true}, {"teleports", 2, true, false}, {"becomes solid", .1, false, false}} {
		b := NewBodies(rigid.New(hall(t, 20), rigid.Config{}), BodyRules{}, shapeOf)
		b.Receive([]track.Entity{bodyState(140, 10*ms, geom.V(0, .25, -.65), geom.Vec3{})}, 10*ms)
		b.Step(20*ms, 0, pusherAt(geom.Vec3{}, true))
		b.Step(30*ms, 0, pusherAt(geom.Vec3{}, c.solid))
		b.Step(30*ms+clock.Second/60, 0, pusherAt(geom.V(0, 0, -c.step), true))
		if v := b.Drawn()[0].Velocity.Len(); v > 1 != c.kicks {
			t.Errorf("%s: the ball moves at %.2f m/s, kicked %v, want %v", c.name, v, v > 1, c.kicks)
		}
	}
}

// On a link of ten seconds a body is no further ahead of the match than PingLimit, in which its states are extrapolated
// as well. [RIG-03]
func TestALongLinkPredictsNoFurtherThanPingLimit(t *testing.T) {
	b := NewBodies(rigid.New(hall(t, 20), rigid.Config{}), BodyRules{}, shapeOf)
	b.Receive([]track.Entity{bodyState(140, 10*ms, geom.V(0, .25, -.65), geom.Vec3{})}, 10*ms)
	for i := range 30 {
		b.Step(20*ms+clock.TickTime(int64(i), 60), 10*clock.Second, pusherAt(geom.V(0, 0, -.1*float64(i)), true))
	}
	if d := b.Drawn()[0]; !d.Predicted || d.Lead != 100*ms {
		t.Errorf("predicted %v with a lead of %d µs, want 100,000", d.Predicted, d.Lead)
	}
}

// Two states of a ball differ by 1 m and by half of it, a third by 6 m, which is a snap: the figures have the errors of
// the first two.
func TestTheFiguresOfBodies(t *testing.T) {
	b, _ := space(BodyRules{})
	if s := b.Stats(); s.RMS() != 0 {
		t.Errorf("before any state: RMS %v, want 0", s.RMS())
	}
	at := 10 * ms
	place := func(x float64) {
		b.Receive([]track.Entity{bodyState(140, at, geom.V(x, 0, 0), geom.Vec3{})}, at)
		at += clock.Second / 60
		b.Step(at, 0, nil)
	}
	for _, x := range []float64{0, 1, 1.5, 7.5} {
		place(x)
	}
	s := b.Stats()
	rms, far := s.RMS(), s.MaxError
	if s.States != 3 || s.Snaps != 1 || far < .999 || far > 1.001 || rms*rms*3 < 1.249 || rms*rms*3 > 1.251 {
		t.Errorf("got %+v and RMS %.3f, want 3 states, 1 snap, at most 1 m, and the root of 1.25/3", s, rms)
	}
}
