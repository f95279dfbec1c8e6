package remote

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// The first state of a body, and one after a teleport, are extrapolated by the time on the way, of
// which at most PingLimit counts: milliseconds in the state, in the limit and in the result. A clock
// that is behind extrapolates nothing. [RIG-03, RIG-04, RIG-07, GAP-37]
func TestExtrapolationTimeIsLimited(t *testing.T) {
	for _, c := range []struct{ limit, way, want clock.Micros }{
		{0, 80 * ms, 80 * ms}, {0, 250 * ms, 100 * ms}, {0, -5 * ms, 0}, {200 * ms, 250 * ms, 200 * ms},
	} {
		b, _ := space(BodyRules{PingLimit: c.limit})
		const at = clock.Second
		e := bodyState(140, at, geom.V(.1, 0, 0), geom.V(3, 0, 0))
		e.AngularVelocity = geom.V(0, 2, 0)
		b.Receive([]track.Entity{e}, at+c.way)
		b.Step(at+c.way, 0, nil)
		d, s := b.Drawn()[0], c.want.Seconds()
		if got, want := d.Position.X, .1+3*s; math.Abs(got-want) > 1e-12 {
			t.Errorf("limit %v, %v on the way: drawn at %v m, want %v", c.limit, c.way, got, want)
		}
		if got, want := rotationBetween(geom.IdentityQuat, d.Rotation).Y, 2*s; math.Abs(got-want) > 1e-12 {
			t.Errorf("limit %v, %v on the way: turned by %v rad, want %v", c.limit, c.way, got, want)
		}
	}
}

// A wrong rotation is corrected in the body at once. The drawn rotation does not jump, and turns
// there along the shorter arc, for either sign of the state's quaternion. [RIG-07]
func TestADrawnRotationFollowsAlongTheShorterArc(t *testing.T) {
	q := geom.AxisAngle(geom.Up, math.Pi/2)
	for _, to := range []geom.Quat{q, {X: -q.X, Y: -q.Y, Z: -q.Z, W: -q.W}} {
		b, _ := space(BodyRules{})
		b.Receive([]track.Entity{bodyState(140, 10*ms, geom.Vec3{}, geom.Vec3{})}, 10*ms)
		b.Step(20*ms, 0, nil)
		e := bodyState(140, 20*ms, geom.Vec3{}, geom.Vec3{})
		e.Rotation = to
		b.Receive([]track.Entity{e}, 20*ms)
		b.Step(20*ms, 0, nil)
		if body := b.physics.Motion(b.list[0].body).Rotation; rotationBetween(body, to).Len() > 1e-9 {
			t.Errorf("the body is at %v, want %v", body, to)
		}
		last := 0.0
		for i := range 180 {
			yaw := rotationBetween(geom.IdentityQuat, b.Drawn()[0].Rotation).Y
			if yaw < last-1e-9 || yaw-last > .06 || yaw > math.Pi/2+1e-9 {
				t.Fatalf("frame %d: drawn at %v rad after %v rad", i, yaw, last)
			}
			last = yaw
			b.Step(b.now+clock.Second/60, 0, nil)
		}
		// 90° · exp(−3 s / 0.6 s) is left.
		if left := math.Pi/2 - last; left < .008 || left > .02 {
			t.Errorf("%v rad left after 3 s, want about 0.011", left)
		}
	}
}

// Ten corrections of 1 m each: what is drawn is never further from the body than Snap. [RIG-09, GAP-25]
func TestCorrectionsInOneDirectionAddUpToTheSnap(t *testing.T) {
	b, _ := space(BodyRules{})
	b.Receive([]track.Entity{bodyState(140, 10*ms, geom.Vec3{}, geom.Vec3{})}, 10*ms)
	b.Step(20*ms, 0, nil)
	for i := range 10 {
		at := b.now
		b.Receive([]track.Entity{bodyState(140, at, geom.V(float64(i+1), 0, 0), geom.Vec3{})}, at)
		b.Step(at+ms, 0, nil)
		if off := float64(i+1) - b.Drawn()[0].Position.X; off > 4 || off < 0 {
			t.Errorf("after %d m: drawn %v m behind", i+1, off)
		}
	}
	if n := b.Stats().Snaps; n != 2 {
		t.Errorf("%d snaps in 10 m, want one at each fifth: 2", n)
	}
}

// A body that gets nowhere for half a second is put where it belongs; one that approaches, or is
// nearly there, is not. [RIG-06]
func TestStuckIsDetected(t *testing.T) {
	r := BodyRules{}
	r.setDefaults()
	frame := clock.Second / 60
	for _, c := range []struct {
		what  string
		at    func(i int) geom.Vec3
		stuck bool
	}{
		{"behind a wall, 50 cm away", func(int) geom.Vec3 { return geom.Vec3{} }, true},
		{"5 cm a frame nearer to it", func(i int) geom.Vec3 { return geom.V(float64(i)*.05, 0, 0) }, false},
		{"8 cm away", func(int) geom.Vec3 { return geom.V(.42, 0, 0) }, false},
	} {
		var e progressCheck
		after := clock.Micros(0)
		for i := range 120 {
			target := geom.V(.5, 0, 0)
			if c.what[0] == '5' {
				target = c.at(i).Add(target)
			}
			if e.stuck(&r, c.at(i), target, frame) {
				after = clock.Micros(i) * frame
				break
			}
		}
		if (after > 0) != c.stuck || c.stuck && (after < 500*ms || after > 520*ms) {
			t.Errorf("%s: stuck after %v s, want %v", c.what, after.Seconds(), c.stuck)
		}
	}
}
