package rewind

import (
	"math"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
)

// Arc is a part of a blade's swing: a capsule from the eye to the tip is swept about the
// eye, in the plane of the aim that Tilt has turned.
type Arc struct {
	From geom.Vec3 // the eye
	// Yaw and Pitch are of the aim, radians: where angle 0 points.
	Yaw, Pitch float64
	// Tilt is by how much the plane is turned about the aim, radians: at 0 the blade sweeps
	// level, at π/2 the left end of the arc points up.
	Tilt float64
	// A and B are the angles in the plane from which to which the blade is swept, radians,
	// positive to the left, as a yaw: from right to left A < B. Where they are equal the
	// blade is thrust along that angle.
	A, B float64
	// Reach is how far the tip is from the eye, and Radius how thick the blade is, metres:
	// the ball at the tip ends at Reach.
	Reach, Radius float64
}

// blade is an Arc in the space in which it is tested.
type blade struct {
	from, ahead, left geom.Vec3
	length, radius    float64
	a, b              float64
}

// blade returns the arc as vectors of the world.
func (a *Arc) blade() blade {
	ahead := geom.Look(a.Yaw, a.Pitch)
	sin, cos := geom.SinCos(a.Tilt)
	up := geom.Look(a.Yaw, a.Pitch+math.Pi/2)
	left := geom.Right(a.Yaw).Neg().Mul(cos).MulAdd(up, sin)
	// The ball at the tip ends at Reach, so the axis is shorter by its radius: a thick blade
	// reaches no further than a thin one.
	reach := max(a.Reach, 0)
	r := geom.Clamp(a.Radius, 0, reach)
	// More than a full turn passes no new place, and a huge angle would make the sweep take as many
	// steps.
	turn := geom.Clamp(a.B-a.A, -2*math.Pi, 2*math.Pi)
	return blade{a.From, ahead, left, reach - r, r, a.A, a.A + turn}
}

// finite reports whether all of the arc's numbers are finite.
func (a *Arc) finite() bool {
	return a.From.Finite() && geom.Finite(a.Yaw+a.Pitch+a.Tilt+a.A+a.B+a.Reach+a.Radius)
}

// toLocal returns the blade in the space of a figure.
func (b *blade) toLocal(p *posedFigure) blade {
	s := *b
	s.from = p.back.Rotate(b.from.Sub(p.at.Translation))
	s.ahead, s.left = p.back.Rotate(b.ahead), p.back.Rotate(b.left)
	return s
}

// tip returns where the blade's axis ends at an angle.
func (b *blade) tip(angle float64) geom.Vec3 {
	sin, cos := geom.SinCos(angle)
	return b.from.MulAdd(b.ahead, float64(b.length*cos)).MulAdd(b.left, float64(b.length*sin))
}

// minTravel is the least distance that the tip of a blade moves from one test to the next, in
// metres: what it passes within half of that, and no nearer, is not hit.
const minTravel = 0.001

// firstTouch returns the first fraction of the sweep, 0 … 1, at which the blade touches the solid, and
// where. It advances by steps within which no point of the blade can touch it (conservative
// advancement), and by minTravel at least.
func (b *blade) firstTouch(s *rig.Solid) (part float64, point geom.Vec3, ok bool) {
	way := float64(math.Abs(b.b-b.a) * b.length) // of the tip
	for done := 0.0; ; {
		// The tip moves faster than any other point of the blade, so nothing nearer than d can be
		// touched before the tip has moved by that.
		d, _, of := segmentDistance(b.from, b.tip(b.a+float64((b.b-b.a)*part)), s)
		if d <= b.radius {
			return part, of, true
		}
		if part >= 1 || !(way > 0) {
			return 0, of, false
		}
		// Where the blade grazes a solid d gets ever smaller and the loop would hardly advance.
		done += max(d-b.radius, minTravel)
		part = min(done/way, 1)
	}
}

// Arc appends to into the targets that the part of a swing hits, in ascending order of ID and
// each once: as if the blade were there at every angle from A to B (an error of half a
// millimetre; see minTravel). Nothing is hit through the level, a mover or a shield, as
// seen from the eye; a target that holds the shield is hit there. Of one target the hitbox
// counts that the blade reaches first, or with HeadFirst the head if that comes before a shield
// of the target's, and if that hitbox is covered the next one. Distance is from the eye to Point,
// where the blade touched the target. An arc with a number that is not finite hits nothing.
func (s *Scene) Arc(a Arc, policy Policy, into []Outcome) []Outcome {
	// Claims are finite by their encoding, a game's own numbers may not be: NaN compares false with
	// every bound below.
	if !a.finite() {
		return into
	}
	blade := a.blade()
	q := newQuery(a.From, geom.Vec3{}, 0, blade.length+blade.radius)
	for _, i := range s.poseCandidates(&q) {
		if o, ok := s.bladeHit(int(i), &blade, policy); ok {
			into = append(into, o)
		}
	}
	return into
}

// touch is where a blade touches a solid of a figure.
type touch struct {
	hitbox rig.HitboxID
	group  rig.HitGroup
	when   float64 // of the sweep, 0 … 1
	point  geom.Vec3
}

// bladeHit returns the hitbox of one posed target that a blade hits: of those that it touches before a
// shield of the target, the head if that has priority, else the first; if that is covered, the
// next.
func (s *Scene) bladeHit(i int, world *blade, policy Policy) (Outcome, bool) {
	t, p := &s.targets[i], s.pose(i)
	// On the stack: a swing allocates nothing, however many hitboxes it touches.
	var room [rig.MaxHitboxes]touch
	list := p.touches(world, room[:0])
	for len(list) > 0 {
		next := 0
		for k := range list {
			if list[k].before(&list[next], policy) {
				next = k
			}
		}
		h := list[next]
		list[next] = list[len(list)-1]
		list = list[:len(list)-1]
		// A hitbox may be touched around a corner that the eye does not see past, so each is
		// tested on its own until one is in sight.
		o := Outcome{HitTarget: HitTarget{Player, t.ID, h.hitbox, h.group}, Life: t.Life, Point: p.at.Apply(h.point)}
		o.Distance = o.Point.Dist(world.from)
		if o, ok := s.applyCover(o, world.from); ok {
			return o, true
		}
	}
	return Outcome{}, false
}

// before reports whether h counts rather than o.
func (h *touch) before(o *touch, policy Policy) bool {
	if policy == HeadFirst && (h.group == rig.Head) != (o.group == rig.Head) {
		return h.group == rig.Head
	}
	return h.when < o.when || h.when == o.when && h.hitbox < o.hitbox
}

// touches appends to into the hitboxes of a figure that a blade touches before it reaches a shield.
func (p *posedFigure) touches(world *blade, into []touch) []touch {
	b := world.toLocal(p)
	// Beyond the end of the sweep: no shield was touched.
	stop := 2.0
	for k := range p.figure.Count {
		when, point, ok := b.firstTouch(&p.figure.Solids[k])
		if !ok {
			continue
		}
		h := touch{p.figure.Hitboxes[k], p.rig.HitGroup(p.figure.Hitboxes[k]), when, point}
		if into = append(into, h); h.group == rig.Shield {
			stop = min(stop, when)
		}
	}
	// Hitboxes are not listed in the order of the sweep, so what comes after the shield is known only
	// now.
	n := 0
	for _, h := range into {
		if h.when < stop || h.when == stop && h.group == rig.Shield {
			into[n] = h
			n++
		}
	}
	return into[:n]
}

// applyCover changes an outcome to the target's own shield if that is between it and the eye. It returns
// false if anything else is in between.
func (s *Scene) applyCover(o Outcome, eye geom.Vec3) (Outcome, bool) {
	// A shield does not cover itself, so only the world can be before it.
	if o.HitGroup == rig.Shield {
		return o, s.LineOfSight(eye, o.Point)
	}
	if !s.LineOfSight(eye, o.Point) {
		return o, false
	}
	i, hitbox, far := s.shielded(eye, o.Point)
	switch {
	case i < 0:
		return o, true
	case s.targets[i].ID != o.Target:
		return o, false
	}
	o.Hitbox, o.HitGroup, o.Distance = hitbox, rig.Shield, far
	o.Point = eye.MulAdd(o.Point.Sub(eye).Unit(), far)
	return o, true
}

// shielded returns the first shield of the posed targets between two points: its target, the
// hitbox and the distance from the first point; −1 for none.
func (s *Scene) shielded(from, to geom.Vec3) (target int, hitbox rig.HitboxID, far float64) {
	way := to.Sub(from)
	far, target = way.Len(), -1
	dir := way.Unit()
	for _, i := range s.near { // which poseCandidates has posed
		p := s.pose(int(i))
		// Few figures carry a shield: the hitboxes of the others need not be looked at.
		if !p.shields {
			continue
		}
		o, d := p.back.Rotate(from.Sub(p.at.Translation)), p.back.Rotate(dir)
		for k := range p.figure.Count {
			n := p.figure.Hitboxes[k]
			if p.rig.HitGroup(n) != rig.Shield {
				continue
			}
			if x, ok := castSolid(o, d, &p.figure.Solids[k], 0); ok && x < far {
				target, hitbox, far = int(i), n, x
			}
		}
	}
	return target, hitbox, far
}
