package track

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// rotationSlack is by how much the square of a Rotation's length may be off 1: what a unit
// quaternion has after snapping, and more.
const rotationSlack = 0.01

// snapRotation returns a rotation on the grid, each part by itself; zero if it is none.
func snapRotation(q geom.Quat) geom.Quat {
	n := quatLengthSq(q)
	if !geom.Finite(n) || !(n > 1e-12) {
		return geom.Quat{}
	}
	// One that is nearly a unit quaternion stays as it is, so that snapping twice changes nothing.
	if snapped := rotationOf(rotationSteps(q)); math.Abs(quatLengthSq(snapped)-1) <= rotationSlack {
		return snapped
	}
	return rotationOf(rotationSteps(q.Unit()))
}

// quatLengthSq returns the square of a quaternion's length.
func quatLengthSq(q geom.Quat) float64 {
	return float64(q.X*q.X) + float64(q.Y*q.Y) + float64(q.Z*q.Z) + float64(q.W*q.W)
}

// rotationSteps returns a rotation in units of the grid; its parts are about −1 … 1.
func rotationSteps(q geom.Quat) [4]int64 {
	return [4]int64{rotationStep(q.X), rotationStep(q.Y), rotationStep(q.Z), rotationStep(q.W)}
}

// rotationStep clamps what no rotation has, so that the result fits into 16 bits.
func rotationStep(x float64) int64 {
	return int64(geom.Clamp(math.Floor(float64(x*rotationScale)+0.5), -2*rotationScale, 2*rotationScale))
}

// rotationOf is the inverse of rotationSteps.
func rotationOf(n [4]int64) geom.Quat {
	return geom.Quat{
		X: float64(n[0]) / rotationScale, Y: float64(n[1]) / rotationScale,
		Z: float64(n[2]) / rotationScale, W: float64(n[3]) / rotationScale,
	}
}

// packBody packs a body's angular velocity, the difference between its rotation and the one that
// ref's and the mean angular velocity lead to, and whether it sleeps.
func (s *Sample) packBody(p *bits.Packer, ref reference) {
	p.Bool(&s.Asleep)
	var was, spin steps
	was[0], was[1], was[2] = bits.VecSteps(ref.AngularVelocity, VelocityScale)
	spin[0], spin[1], spin[2] = bits.VecSteps(s.AngularVelocity, VelocityScale)
	packSteps(p, &spin, was, angularOrder, angularOrder)
	if !p.Writing() {
		var ok bool
		if s.AngularVelocity, ok = bits.StepsVec(spin[0], spin[1], spin[2], VelocityScale); !ok {
			p.Fail(bits.ErrRange)
		}
	}
	guess := rotationSteps(rotated(ref.Rotation, was, spin, s.At-ref.At))
	turn := rotationSteps(s.Rotation)
	for i := range turn {
		d := turn[i] - guess[i]
		p.Residual(&d, rotationOrder)
		turn[i] = guess[i] + d
	}
	if !p.Writing() {
		s.setRotation(p, turn)
	}
}

// setRotation takes a rotation that was read, if it is one or zero.
func (s *Sample) setRotation(p *bits.Packer, n [4]int64) {
	s.Rotation = geom.Quat{}
	if n == ([4]int64{}) {
		return
	}
	for _, x := range n {
		if x < -2*rotationScale || x > 2*rotationScale {
			p.Fail(bits.ErrRange)
			return
		}
	}
	if q := rotationOf(n); math.Abs(quatLengthSq(q)-1) <= rotationSlack {
		s.Rotation = q
		return
	}
	p.Fail(bits.ErrRange)
}

// rotated returns a rotation after some time, at most a second, at the mean of two angular
// velocities on their grid. It does without sine and cosine, so that a reader in another
// language needs only to add, multiply, divide and take a root: a sixteenth of the rotation as a
// straight line, normalised and doubled four times, which is 0.005 off for half a turn.
func rotated(q geom.Quat, was, spin steps, d clock.Micros) geom.Quat {
	sum := steps{was[0] + spin[0], was[1] + spin[1], was[2] + spin[2]}
	if q == (geom.Quat{}) || sum == (steps{}) {
		return q
	}
	const half = 2 * 2 * 16 * VelocityScale // of the mean's sixteenth
	t := min(max(d, -clock.Second), clock.Second).Seconds()
	r := geom.Quat{
		X: float64(float64(sum[0])*t) / half, Y: float64(float64(sum[1])*t) / half, Z: float64(float64(sum[2])*t) / half, W: 1,
	}.Unit()
	for range 4 {
		r = r.Mul(r)
	}
	return r.Mul(q)
}
