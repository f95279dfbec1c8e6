package visibility

import "github.com/backstep-net/backstep/geom"

const (
	riseSpeed = 4.0 // m/s at which a character may come up behind cover: a jump or a stand-up
	// metres that an eye keeps from a wall, since an eye in it would see through it, and that a ray ends before an
	// entity without extent
	skin = 0.1
)

// sees reports whether the viewer sees any part of a target, or may within Lookahead.
func (f *Filter) sees(v *viewer, t *target) bool {
	// To the right of the line of sight: the direction in which cover is left soonest.
	side := t.middle.Sub(v.eye).Cross(v.up).Unit()
	// The most likely ray first: in the open one is enough.
	middle := t.middle
	// A little before the end: what lies on a surface would be hidden by that.
	if t.point {
		middle = v.eye.Add(t.middle.Sub(v.eye).ClampLen(t.middle.Dist(v.eye) - skin))
	}
	if f.LineOfSight(v.eye, middle) {
		return true
	}
	if wide := side.Mul(t.side); !t.point && (f.LineOfSight(v.eye, t.top) || f.LineOfSight(v.eye, t.low) ||
		f.LineOfSight(v.eye, t.middle.Add(wide)) || f.LineOfSight(v.eye, t.middle.Sub(wide))) {
		return true
	}
	// Nothing is in sight now. The rest is what keeps an opponent from popping up at a corner.
	f.reach(&f.eyes, v.eye, side, v.velocity, v.up)
	f.reach(&f.parts, t.middle, side, t.velocity, t.up)
	for i, eye := range f.eyes {
		// From an eye that has moved the head counts, too: it is what shows above cover.
		if i > 0 && !t.point && f.LineOfSight(eye, t.top) {
			return true
		}
		for j, part := range f.parts {
			if i+j > 0 && tested[i]>>j&1 != 0 && f.LineOfSight(eye, part) {
				return true
			}
		}
	}
	return false
}

// The places where a point may be within Lookahead: there already, half of the way to either
// side, all of it, where its velocity leads, and above.
const (
	there = iota
	halfLeft
	halfRight
	left
	right
	onward
	above
	places
)

// tested is from which place of an eye to which of a target, as bits, a ray is cast: where
// one gets half as far as it may, the other does too, or stays.
var tested = [places]uint8{
	there:     1<<places - 1,
	halfLeft:  1<<there | 1<<halfLeft | 1<<halfRight,
	halfRight: 1<<there | 1<<halfLeft | 1<<halfRight,
	left:      1<<there | 1<<left | 1<<right | 1<<onward | 1<<above,
	right:     1<<there | 1<<left | 1<<right | 1<<onward | 1<<above,
	onward:    1<<there | 1<<left | 1<<right | 1<<onward,
	above:     1<<there | 1<<above,
}

// reach finds the places of a point that moves at a velocity, in m/s.
func (f *Filter) reach(into *[places]geom.Vec3, at, side, velocity, up geom.Vec3) {
	// A straight line at full speed bounds every way that the point may take within Lookahead.
	within := f.rules.Lookahead.Seconds()
	aside := side.Mul(float64(f.rules.Speed * within))
	into[there] = at
	into[left], into[right] = f.towards(at, aside.Neg()), f.towards(at, aside)
	// A gap beside the viewer may be narrower than the whole way.
	into[halfLeft], into[halfRight] = at.Lerp(into[left], .5), at.Lerp(into[right], .5)
	into[onward], into[above] = f.towards(at, velocity.Mul(within)), f.towards(at, up.Mul(float64(riseSpeed*within)))
}

// towards returns how far a point gets along delta before a wall stops it.
func (f *Filter) towards(at, delta geom.Vec3) geom.Vec3 {
	f.left--
	// A character does not walk through walls: where its way is blocked it gets no further.
	hit, ok := f.now.Ray(at, delta)
	if !ok {
		return at.Add(delta)
	}
	length := delta.Len() // not 0: a ray without length hits nothing
	return at.MulAdd(delta, max(float64(hit.Fraction*length)-skin, 0)/length)
}

// LineOfSight reports whether nothing of the level is between two points, or only a moving
// mover that will be gone within Lookahead.
func (f *Filter) LineOfSight(a, b geom.Vec3) bool {
	f.left--
	way := b.Sub(a)
	if f.now.World.Blocked(a, way, &f.blocker) {
		return false
	}
	if _, ok := f.now.Ray(a, way); !ok {
		return true
	}
	// A door that opens meanwhile hides nothing.
	_, ok := f.later.Ray(a, way)
	return !ok
}
