package collide

import (
	"errors"
	"math"
	"strconv"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// Limits of a Path. Path.Check returns an error for what exceeds them.
const (
	// MaxKeys is the largest number of keys of a path.
	//
	// The bound keeps a hostile level from taking memory; the search of a key stays twelve
	// steps.
	MaxKeys = 4096
	// MaxPathSpeed is the largest speed of a path, in m/s. A faster path is a jump: it
	// would pass over what is in its way instead of pushing it.
	MaxPathSpeed = 100
	// MaxPathSpin is the largest angular velocity of a path, in rad/s: five turns a second.
	MaxPathSpin = 32
	// MaxPathAngle is the largest angle of a key, in radians.
	MaxPathAngle = 1e5
	// MaxPathTime is the latest time of a key: eleven days.
	MaxPathTime = 1_000_000 * clock.Second
)

// Pose returns the pose at match time t: translated by the Position of the keys, rotated by
// their Angle about the origin of the mover. Times are reduced by the loop in whole
// microseconds, so the millionth round equals the first one, bit for bit. The path must
// have passed Check.
//
// It is the whole netcode of moving platforms: both ends evaluate the same function at the
// same stamp and get the same bits, so a lift needs no messages and standing on it no
// corrections.
func (p *Path) Pose(t clock.Micros) geom.Transform {
	if len(p.Keys) == 0 {
		return geom.Transform{Rotation: geom.IdentityQuat}
	}
	s := p.locate(t)
	k := &p.Keys[s.key]
	if !s.moves {
		return p.transform(k.Position, k.Angle)
	}
	d, turn := p.Keys[s.key+1].Position.Sub(k.Position), p.Keys[s.key+1].Angle-k.Angle
	if !p.Smooth {
		return p.transform(k.Position.MulAdd(d, s.u), k.Angle+float64(turn*s.u))
	}
	v0, w0 := p.tangent(s.key)
	v1, w1 := p.tangent(s.key + 1)
	// The cubic Hermite basis in u: rise weighs the difference of the keys, leave and arrive
	// weigh the tangents at both ends.
	w := 1 - s.u
	rise := float64(float64(s.u*s.u) * (3 - float64(2*s.u)))
	leave := float64(float64(s.u*float64(w*w)) * s.seconds)
	arrive := -float64(float64(float64(s.u*s.u)*w) * s.seconds)
	return p.transform(
		k.Position.MulAdd(d, rise).MulAdd(v0, leave).MulAdd(v1, arrive),
		k.Angle+float64(turn*rise)+float64(w0*leave)+float64(w1*arrive))
}

// Velocity returns the velocity in m/s and the angular velocity in rad/s, about the
// direction of spin, at match time t: the derivative of Pose, and where the derivative
// jumps its value from the right. Both are zero while the path rests.
//
// A finite difference of poses would be cheaper to write and wrong at keys: a character
// that jumps in that tick would inherit the mean of two velocities.
func (p *Path) Velocity(t clock.Micros) (move, spin geom.Vec3) {
	if len(p.Keys) == 0 {
		return move, spin
	}
	s := p.locate(t)
	if !s.moves {
		return move, spin
	}
	k := &p.Keys[s.key]
	d, turn := p.Keys[s.key+1].Position.Sub(k.Position), p.Keys[s.key+1].Angle-k.Angle
	if !p.Smooth {
		return d.Div(s.seconds), p.axis().Mul(turn / s.seconds)
	}
	v0, w0 := p.tangent(s.key)
	v1, w1 := p.tangent(s.key + 1)
	w := 1 - s.u
	// The derivatives of the basis of Pose.
	rise := float64(float64(6*s.u)*w) / s.seconds
	leave := float64(w * (1 - float64(3*s.u)))
	arrive := float64(s.u * (float64(3*s.u) - 2))
	return d.Mul(rise).MulAdd(v0, leave).MulAdd(v1, arrive),
		p.axis().Mul(float64(turn*rise) + float64(w0*leave) + float64(w1*arrive))
}

func (p *Path) axis() geom.Vec3 {
	if p.Axis.IsZero() {
		return geom.Up
	}
	return p.Axis
}

func (p *Path) transform(move geom.Vec3, angle float64) geom.Transform {
	// The identity exactly, so that a mover that does not turn is not rotated by rounding.
	if angle == 0 {
		return geom.Transform{Rotation: geom.IdentityQuat, Translation: move}
	}
	return geom.Transform{Rotation: geom.AxisAngle(p.axis(), angle), Translation: move}
}

// location is a point on a path: the fraction u, 0 … 1, between key and the next one, which
// is seconds later. Without moves it is at the key itself.
type location struct {
	key        int
	u, seconds float64
	moves      bool
}

func (p *Path) locate(t clock.Micros) location {
	last := len(p.Keys) - 1
	end := p.Keys[last].At
	if t < 0 || last == 0 {
		return location{}
	}
	// In integers: the remainder of a float would depend on how long the match has lasted.
	if p.Loop {
		t %= end
	}
	if t >= end {
		return location{key: last}
	}
	lo, hi := 0, last // Keys[lo].At ≤ t < Keys[hi].At
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; p.Keys[mid].At <= t {
			lo = mid
		} else {
			hi = mid
		}
	}
	a, b := p.Keys[lo].At, p.Keys[hi].At
	return location{lo, float64(t-a) / float64(b-a), (b - a).Seconds(), true}
}

// tangent returns the velocity and angular velocity of a smooth path at key i: the mean
// over the two segments at the key (Catmull–Rom for keys at any times). Between two equal
// keys a path rests, so both are zero there, and at the ends of a path without loop.
func (p *Path) tangent(i int) (move geom.Vec3, turn float64) {
	last := len(p.Keys) - 1
	before, after := i, i // the first keys of the segments before and after key i
	// A loop has no ends: the segment before the first key is the last one.
	if i == 0 || i == last {
		if !p.Loop {
			return move, turn
		}
		before, after = last, 0
	}
	a, b, c, d := &p.Keys[before-1], &p.Keys[before], &p.Keys[after], &p.Keys[after+1]
	seconds := (b.At - a.At + d.At - c.At).Seconds()
	// A segment between two equal keys is a rest: a tangent would make the platform swing
	// past its waypoint.
	if in, out := b.Position.Sub(a.Position), d.Position.Sub(c.Position); !in.IsZero() && !out.IsZero() {
		move = in.Add(out).Div(seconds)
	}
	if in, out := b.Angle-a.Angle, d.Angle-c.Angle; in != 0 && out != 0 {
		turn = (in + out) / seconds
	}
	return move, turn
}

// Check returns nil for a valid path, or an error that names the first key or field that is
// wrong: keys that do not ascend from 0, numbers that are not finite or out of range, an
// axis that is not a unit vector, a loop that does not close, or a path that jumps, which
// is one faster than MaxPathSpeed or MaxPathSpin.
//
// The limits are not only for hostile files. A platform that jumps by a metre in one tick
// would pass through the characters on it, and a level with a wrong key in a path shows
// here, not as a player who falls through the floor.
func (p *Path) Check() error {
	if !p.Axis.IsZero() && !(math.Abs(p.Axis.LenSq()-1) <= 1e-9) {
		return errors.New("axis is not a unit vector")
	}
	if len(p.Keys) > MaxKeys {
		return errors.New(strconv.Itoa(len(p.Keys)) + " keys are more than " + strconv.Itoa(MaxKeys))
	}
	for i := range p.Keys {
		k := &p.Keys[i]
		what := ""
		switch {
		case i == 0 && k.At != 0:
			what = "is not at 0"
		case i > 0 && k.At <= p.Keys[i-1].At:
			what = "is not after the previous key"
		case k.At > MaxPathTime:
			what = "is later than 1,000,000 s"
		case !inReach(k.Position):
			what = "has a position that is not finite or beyond " + strconv.Itoa(MaxCoordinate) + " m"
		case !(math.Abs(k.Angle) <= MaxPathAngle):
			what = "has an angle that is not finite or beyond 100,000"
		}
		if what != "" {
			return errors.New("key " + strconv.Itoa(i) + " " + what)
		}
	}
	if err := p.checkLoop(); err != nil {
		return err
	}
	for i := range len(p.Keys) - 1 {
		move, turn := p.maxSpeeds(i)
		if move > MaxPathSpeed || turn > MaxPathSpin {
			return errors.New("jumps: from key " + strconv.Itoa(i) + " to " + strconv.Itoa(i+1) +
				" it is faster than " + strconv.Itoa(MaxPathSpeed) + " m/s or " + strconv.Itoa(MaxPathSpin) + " rad/s")
		}
	}
	return nil
}

// checkLoop returns an error for a loop that does not close.
func (p *Path) checkLoop() error {
	if !p.Loop {
		return nil
	}
	if len(p.Keys) < 2 {
		return errors.New("a loop needs two keys")
	}
	first, last := &p.Keys[0], &p.Keys[len(p.Keys)-1]
	if first.Position != last.Position {
		return errors.New("the last key of a loop is not where the first is")
	}
	turns := (last.Angle - first.Angle) / (2 * math.Pi)
	if math.Abs(turns-math.Floor(turns+0.5)) > 1e-9 {
		return errors.New("the last key of a loop is not turned as the first is")
	}
	return nil
}

// maxSpeeds returns the greatest velocity and angular velocity between key i and the next
// one; on a curve an upper bound, from its control points.
//
// The derivative of a cubic is a quadratic Bézier curve: it lies within its three control
// points, so no speed exceeds the largest of them.
func (p *Path) maxSpeeds(i int) (move, turn float64) {
	a, b := &p.Keys[i], &p.Keys[i+1]
	seconds := (b.At - a.At).Seconds()
	v, w := b.Position.Sub(a.Position).Div(seconds), (b.Angle-a.Angle)/seconds
	if !p.Smooth {
		return v.Len(), math.Abs(w)
	}
	v0, w0 := p.tangent(i)
	v1, w1 := p.tangent(i + 1)
	middle := v.Mul(3).Sub(v0).Sub(v1)
	return max(v0.Len(), middle.Len(), v1.Len()),
		max(math.Abs(w0), math.Abs(float64(3*w)-w0-w1), math.Abs(w1))
}

// extent returns a box around all positions of the path, and the greatest velocity and
// angular velocity.
func (p *Path) extent() (around geom.AABB, move, turn float64) {
	around = geom.EmptyAABB()
	if len(p.Keys) == 0 {
		return around.Include(geom.Vec3{}), 0, 0
	}
	around = around.Include(p.Keys[0].Position)
	for i := range len(p.Keys) - 1 {
		v, w := p.maxSpeeds(i)
		move, turn = max(move, v), max(turn, w)
		around = around.Union(p.segmentBounds(i))
	}
	return around, move, turn
}

// segmentBounds returns a box around the positions from key i to the next one.
func (p *Path) segmentBounds(i int) geom.AABB {
	a, b := &p.Keys[i], &p.Keys[i+1]
	around := geom.EmptyAABB().Include(a.Position).Include(b.Position)
	// A cubic Bézier curve lies within its control points. They are up to a third of a
	// tangent outside the keys: without them a smooth path would leave its bounds and be
	// missed by queries.
	if p.Smooth { // the control points of the curve
		third := float64((b.At - a.At).Seconds() * (1.0 / 3))
		v0, _ := p.tangent(i)
		v1, _ := p.tangent(i + 1)
		around = around.Include(a.Position.MulAdd(v0, third)).Include(b.Position.MulAdd(v1, -third))
	}
	return around
}
