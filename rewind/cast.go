package rewind

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
)

// Ray casts a ray from a point along the unit vector dir for reach metres, and returns the
// nearest thing it hits. The dead are not hit; the world wins a tie. An origin inside a target
// hits it at distance 0. A zero dir hits nothing but what the origin is in.
//
// A hitbox that counts as rig.Shield and is hit before anything else stops the shot, whichever
// entity holds it: HeadFirst does not look through it.
func (s *Scene) Ray(from, dir geom.Vec3, reach float64, policy Policy) Outcome {
	return s.Sphere(from, dir, reach, 0, policy)
}

// Sphere is Ray with a ball of that radius in metres, which hits what its surface touches first.
// Distance and Point are those of its centre.
func (s *Scene) Sphere(from, dir geom.Vec3, reach, radius float64, policy Policy) Outcome {
	o := Outcome{Distance: reach}
	// The world is cast first: its distance limits the search, so targets behind a wall are not
	// even posed.
	if part, ok := s.castWorld(from, dir.Mul(reach), radius); ok {
		o.Kind, o.Distance = World, float64(part*reach)
	}
	q := newQuery(from, dir, reach, radius)
	limit := o.Distance
	// Strictly nearer than the limit: the world wins a tie, on both ends.
	first := rayHit{near: limit}
	shield := limit
	for _, i := range s.candidates(&q) {
		if !s.reaches(int(i), &q, limit) {
			continue
		}
		hit := s.pose(int(i)).cast(&q, limit)
		// A shield of any target stops the shot, so it is compared with the head of every other one
		// as well.
		shield = min(shield, hit.shield)
		if hit.near < first.near {
			first = hit
			t := &s.targets[i]
			o.Kind, o.Target, o.Life = Player, t.ID, t.Life
		}
	}
	if first.hitbox != 0 {
		o.Distance, o.Hitbox, o.HitGroup = first.near, first.hitbox, first.group
		// A head behind a shield is not hit, although its own body is hit first [HIT-06].
		if policy == HeadFirst && first.head < shield {
			o.Distance, o.Hitbox, o.HitGroup = first.head, first.headHitbox, rig.Head
		}
	}
	o.Point = from.MulAdd(dir, o.Distance)
	return o
}

// rayHit is what a query hits of one target, as distances; that of nothing is the limit.
type rayHit struct {
	near, head, shield float64
	hitbox, headHitbox rig.HitboxID
	group              rig.HitGroup
}

// cast returns what the query hits of a figure before the limit.
func (p *posedFigure) cast(q *query, limit float64) rayHit {
	hit := rayHit{near: limit, head: limit, shield: limit}
	// The ray is taken into the figure's space once, and not each solid into the world's.
	o, d := p.back.Rotate(q.from.Sub(p.at.Translation)), p.back.Rotate(q.dir)
	for i := range p.figure.Count {
		ball := &p.around[i]
		r := ball.Radius + q.radius
		// The ball around a solid is cheaper to test than a capsule or a box.
		if gapSq(ball.Centre.Sub(o), d, limit) > float64(r*r) {
			continue
		}
		x, ok := castSolid(o, d, &p.figure.Solids[i], q.radius)
		if !ok || x >= limit {
			continue
		}
		hitbox := p.figure.Hitboxes[i]
		group := p.rig.HitGroup(hitbox)
		if x < hit.near {
			hit.near, hit.hitbox, hit.group = x, hitbox, group
		}
		switch {
		case group == rig.Head && x < hit.head:
			hit.head, hit.headHitbox = x, hitbox
		case group == rig.Shield && x < hit.shield:
			hit.shield = x
		}
	}
	return hit
}
