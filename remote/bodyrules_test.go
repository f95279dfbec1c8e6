package remote

import (
	"fmt"
	"math"
	"testing"

	rigid "github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	docs "github.com/backstep-net/backstep/internal/figures"
)

// rules are the Reference's with their defaults.
func reference() BodyRules {
	r := BodyRules{Correct: Reference}
	r.setDefaults()
	return r
}

const cm = 0.01

func closeTo(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s: got %.9g, want %.9g ± %.1g", what, got, want, within)
	}
}

// The limit is in the unit of the ping, 100 ms by default. [RIG-03, GAP-37]
func TestExtrapolationTimeIsLimited(t *testing.T) {
	r := reference()
	far := r
	far.PingLimit = 100 * clock.Second // a limit of 100, taken for seconds: none
	for _, c := range []struct {
		rules *BodyRules
		way   clock.Micros
		want  float64
	}{{&r, 80 * ms, .008}, {&r, 250 * ms, .010}, {&r, -5 * ms, 0}, {&far, 250 * ms, .025}} {
		closeTo(t, fmt.Sprint("way of ", c.way.Seconds()), c.rules.extrapolation(c.way), c.want, 1e-15)
		// RIG-04
		m := rigid.Motion{Position: geom.V(10*cm, 0, 0), Velocity: geom.V(300*cm, 0, 0)}
		closeTo(t, "target", extrapolateToGrid(m, c.rules.extrapolation(c.way)).Position.X, (10+300*c.want)*cm, 1e-12)
	}
	closeTo(t, "grid of 0.1 mm", extrapolateToGrid(rigid.Motion{Position: geom.V(0.12346, 0, 0)}, 0).Position.X, 0.1235, 1e-12)
}

// RIG-05.
func TestTheSoftCorrectionIsTheReferences(t *testing.T) {
	r := reference()
	at := rigid.Motion{}
	to := rigid.Motion{Position: geom.V(12.4*cm, 0, 0), Velocity: geom.V(300*cm, 0, 0)}
	got := r.referenceCorrection(at, to, 1.0/60)
	closeTo(t, "velocity", got.Velocity.X, 320.6666667*cm, 1e-8)
	closeTo(t, "position", got.Position.X, 0, 0)
	r.Lerp = .1
	to.Position.X = 10 * cm
	closeTo(t, "position", r.referenceCorrection(at, to, 1.0/60).Position.X, 1*cm, 1e-12)
	r.Lerp = 0
	to.Position.X = 400 * cm
	closeTo(t, "velocity at 4 m", r.referenceCorrection(at, to, 1.0/60).Velocity.X, (300+666.6666667)*cm, 1e-8)
}

// RIG-07: the shortest arc, 36° of 90°.
func TestRotationIsCorrectedAlongTheShortestArc(t *testing.T) {
	r := reference()
	quarter := geom.AxisAngle(geom.Up, math.Pi/2)
	for _, to := range []geom.Quat{quarter, {X: -quarter.X, Y: -quarter.Y, Z: -quarter.Z, W: -quarter.W}} {
		got := r.referenceCorrection(rigid.Motion{}, rigid.Motion{Rotation: to, AngularVelocity: geom.V(0, 1, 0)}, 1.0/60)
		closeTo(t, "turn", rotationBetween(geom.IdentityQuat, got.Rotation).Y, 36*math.Pi/180, 1e-9)
		closeTo(t, "spin", got.AngularVelocity.Y, 1+math.Pi/2*10/60, 1e-9)
	}
	on := extrapolateToGrid(rigid.Motion{AngularVelocity: geom.V(0, 0, 2)}, .1)
	closeTo(t, "turned on", rotationBetween(geom.IdentityQuat, on.Rotation).Z, .2, 1e-9)
}

// A body that gets nowhere for half a second is put where it belongs; one that approaches, or is
// nearly there, is not. [RIG-06]
func TestStuckIsDetected(t *testing.T) {
	r := reference()
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

// The reference's own test of its family: the error shrinks by 1 − k·dt² a frame, and in float64 to
// nothing. [RIG-09]
func TestVelocityAloneConverges(t *testing.T) {
	const k, dt = 3.0, .033
	client, server := geom.V(2, 0, 0), geom.V(1, 1, 0)
	v := geom.V(0, 1, 0)
	step := func() {
		client = client.MulAdd(ReferenceVelocity(v, server.Sub(client), k, dt), dt)
		server = server.MulAdd(v, dt)
	}
	want := map[int]func(){
		1: func() {
			closeTo(t, "client x after 1", client.X, 1.996733, 1e-9)
			closeTo(t, "client y after 1", client.Y, .036267, 1e-9)
			closeTo(t, "server y after 1", server.Y, 1.033, 1e-12)
		},
		1000: func() {
			closeTo(t, "client x after 1000", client.X, 1.037917, 5e-7)
			closeTo(t, "client y after 1000", client.Y, 33.962083, 5e-7)
		},
		// The row counts this frame from 0.
		1514:  func() { closeTo(t, "error after 1514", server.Sub(client).Len(), 0, .01) },
		10000: func() { closeTo(t, "error after 10000", server.Sub(client).Len(), 0, 1e-11) },
	}
	for n := 1; n <= 10000; n++ {
		step()
		d := server.Sub(client)
		if n <= 1000 {
			shrunk := math.Pow(.996733, float64(n))
			closeTo(t, fmt.Sprint("x after ", n), d.X, -shrunk, 1e-9)
			closeTo(t, fmt.Sprint("y after ", n), d.Y, shrunk, 1e-9)
		}
		if by, ok := map[int]float64{10: .967806, 100: .720914, 212: .499705}[n]; ok {
			closeTo(t, fmt.Sprint("error after ", n), d.Y, by, 5e-7)
		}
		if f := want[n]; f != nil {
			f()
		}
	}
}

// halfLife returns after how many seconds, at a frame rate, half of an error of 1 m is left.
func halfLife(velocity func(target, missing geom.Vec3, dt float64) geom.Vec3, rate int) float64 {
	dt, at, target := 1/float64(rate), geom.Vec3{}, geom.V(1, 0, 0)
	for n := 1; ; n++ {
		before := target.Sub(at).X
		at = at.MulAdd(velocity(geom.Vec3{}, target.Sub(at), dt), dt)
		if after := target.Sub(at).X; after <= .5 {
			return (float64(n-1) + (before-.5)/(before-after)) * dt
		}
	}
}

// The Reference's rate differs with the frame rate; ours does not. [RIG-10, GAP-27]
func TestConvergenceDoesNotDependOnTheFrameRate(t *testing.T) {
	r := BodyRules{}
	r.setDefaults()
	for rate, want := range map[int]float64{30: .196, 60: .410, 120: .829} {
		theirs := halfLife(func(v, d geom.Vec3, dt float64) geom.Vec3 { return ReferenceVelocity(v, d, 100, dt) }, rate)
		ours := halfLife(func(v, d geom.Vec3, _ float64) geom.Vec3 { return RateVelocity(v, d, r.Rate) }, rate)
		docs.Check(t, fmt.Sprint(rate), 0.01, "%.3f s", theirs)
		t.Logf("%d frames a second: %.3f s by ours", rate, ours)
		closeTo(t, fmt.Sprint("the Reference at ", rate), theirs, want, .001)
		closeTo(t, fmt.Sprint("ours at ", rate), ours, .41, .05*.41)
	}
}
