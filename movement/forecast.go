package movement

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// Forecasts for games: where a body will stop, how high it will jump, where it will
// land, whether there is room. Nothing here changes a State, and what takes a
// StepContext uses it as scratch, like Step.

// forecastStep is the move by which Landing goes.
const forecastStep clock.Micros = 16667

// stopExact returns how far a body at speed m/s goes before it stands, and in how
// many seconds, under friction in 1/s (already times its factor) and a constant
// deceleration in m/s²: v/μ − (b/μ²)·ln(1 + μv/b), the law that VEL-06 integrates
// in steps, in continuous time [VEL-13, GAP-28]. Below 0 counts as 0. Where nothing
// brakes, both are +Inf; by friction alone it takes for ever to get v/μ far.
//
// It has no frame rate; StopDistance is what the step does at a given one.
func stopExact(speed, friction, deceleration float64) (metres, seconds float64) {
	v, b := math.Max(speed, 0), math.Max(deceleration, 0)
	mu := math.Max(friction, 0)
	switch {
	case v == 0:
		return 0, 0
	case b == 0 && mu == 0:
		return math.Inf(1), math.Inf(1)
	case b == 0:
		return v / mu, math.Inf(1)
	}
	x := float64(mu*v) / b
	return float64(v*v) / b * lagOf(x), v / b * logOf(x)
}

// lagOf returns (x − ln(1+x))/x², which is ½ at 0: the share of v²/b.
func lagOf(x float64) float64 {
	if x >= 0.01 {
		return (x - geom.Log(1+x)) / float64(x*x)
	}
	sum, power := 0.0, 1.0
	for n := 2; n < 12; n++ {
		sum += power / float64(n)
		power = -float64(power * x)
	}
	return sum
}

// logOf returns ln(1+x)/x, which is 1 at 0.
func logOf(x float64) float64 { return 1 - float64(x*lagOf(x)) }

// StopsIn returns how far a walker at speed m/s goes before it stands, without
// input, and in how many seconds, whatever the frame rate [VEL-13].
func (m *Model) StopsIn(speed float64) (metres, seconds float64) {
	return stopExact(speed, m.brakingFriction(m.GroundFriction), m.BrakingDeceleration)
}

// JumpApex returns how many metres above its feet a jump would take s if it jumped
// now and the button were held throughout [JMP-01, JMP-02]. Ceilings do not count.
// Without gravity it is +Inf.
func (m *Model) JumpApex(s *State) float64 {
	up := math.Max(s.Velocity.Dot(s.UpVector()), m.JumpSpeed)
	if m.Gravity == 0 {
		return math.Inf(1)
	}
	return float64(up*m.MaxJumpHold) + float64(up*up)/float64(2*m.Gravity)
}

// Landing returns where the feet of s will be when it stands or swims, if it falls
// without input and nothing else moves, and in what time; 0 if it does already. It
// simulates the fall in moves of 1/60 s. Ok is false where that takes longer than
// within, and for a State that neither falls nor stands nor swims.
func (m *Model) Landing(s *State, w *collide.WorldAt, within clock.Micros, f *StepContext) (feet geom.Vec3, when clock.Micros, ok bool) {
	f.guess, f.idle = *s, Command{}
	p := &f.guess
	for t := clock.Micros(0); t <= within; t += forecastStep {
		f.Begin(m, p, &f.idle, forecastStep, w)
		for p.Mode == Falling && f.Running() {
			f.Advance()
		}
		switch p.Mode {
		case Walking, NavWalking, Swimming:
			when = t + forecastStep - holdTime(f.Remaining)
			return p.Position, when, when <= within
		case Falling:
		default:
			return p.Position, 0, false
		}
	}
	return p.Position, within, false
}

// Fits reports whether a body of m with its feet there, standing along the unit
// vector up (zero is +Y), would touch nothing.
func (m *Model) Fits(w *collide.WorldAt, feet, up geom.Vec3, crouched bool) bool {
	if up.IsZero() {
		up = geom.Up
	}
	return !w.Overlaps(m.capsuleAt(feet, up, m.stanceHeight(crouched)))
}

// ArrivalSpeed returns the speed in m/s to ask for in the next move of dt seconds, as
// the length of Command.Request, by a walker at speed m/s that may go distance metres
// further: zero, which brakes, where it stops that far on by its own braking
// (StopDistance), and speed while there is more room [VEL-15]. In between lies the one
// move that is left before it must brake, and the speed for that. Call it before every
// move, with the distance that is left then; a walker that is too near stops beyond.
//
// To walk as fast as it may and stop at goal:
//
//	to := goal.Sub(s.Position).Flat(s.UpVector())
//	v := m.ArrivalSpeed(s.Velocity.Len(), to.Len(), dt)
//	if v == s.Velocity.Len() {
//		v = m.MaxSpeed(&s) // there is room to get faster
//	}
//	c.Request = to.Unit().Mul(v)
func (m *Model) ArrivalSpeed(speed, distance, dt float64) float64 {
	needs := func(v float64) float64 { return float64(v*dt) + m.StopDistance(v, dt) }
	if distance <= m.StopDistance(speed, dt)+arrived {
		return 0
	}
	if needs(speed) <= distance {
		return speed
	}
	slow, fast := 0.0, speed
	for range 24 { // to within 10⁻⁶ m/s
		if v := float64(0.5 * (slow + fast)); needs(v) <= distance {
			slow = v
		} else {
			fast = v
		}
	}
	return slow
}

// arrived in metres is how much too early a walker may begin to brake: less than the
// grid of requests makes of a move.
const arrived = 0.001
