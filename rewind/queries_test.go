package rewind_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/track"
)

// answers are the results of the queries of one view.
type answers struct {
	rays, arcs []rewind.Outcome
	blasts     []rewind.BlastHit
	targets    []track.Entity
}

func (a *answers) equal(b *answers) bool {
	return slices.Equal(a.rays, b.rays) && slices.Equal(a.arcs, b.arcs) && slices.Equal(a.blasts, b.blasts) && slices.Equal(a.targets, b.targets)
}

// interrogate makes every kind of query of a scene, at targets of the list and at none: the same
// of the same seed.
func interrogate(s *rewind.Scene, seed uint64, eye geom.Vec3, list []track.Entity) answers {
	r := rand.New(rand.NewPCG(seed, 5))
	var a answers
	for n := range 1 + r.IntN(3) {
		if n > 0 && r.IntN(3) > 0 {
			eye = geom.V(r.Float64()*60-5, r.Float64()*4, r.Float64()*60-5)
		}
		at := geom.V(r.Float64()*50, r.Float64()*3, r.Float64()*50)
		if len(list) > 0 && r.IntN(4) > 0 {
			t := &list[r.IntN(len(list))].Sample
			at = t.Position.MulAdd(t.UpVector(), r.Float64()*1.8).Add(geom.V(r.Float64()-.5, r.Float64()-.5, r.Float64()-.5).Mul(.8))
		}
		policy := rewind.Policy(r.IntN(2))
		switch r.IntN(6) {
		case 0:
			a.rays = append(a.rays, s.Sphere(eye, at.Sub(eye).Unit(), r.Float64()*60, r.Float64()*.5, policy))
		case 1:
			from := at.Add(geom.V(r.Float64()*4-2, 1, r.Float64()*4-2))
			way := at.Sub(from)
			arc := rewind.Arc{From: from, Yaw: geom.Yaw(way), Pitch: r.Float64() - .5, Tilt: r.Float64()*6 - 3, A: r.Float64()*2 - 1, B: r.Float64()*2 - 1, Reach: 1 + r.Float64()*2, Radius: r.Float64() * .1}
			a.arcs = s.Arc(arc, policy, a.arcs)
		case 2:
			a.blasts = s.Blast(at.Add(geom.V(r.Float64()*4-2, r.Float64()*2, r.Float64()*4-2)), r.Float64()*6, 0, a.blasts)
		case 3: // a projectile's steps, which may bounce, and what it does where it ends
			way := geom.V(r.Float64()-.5, (r.Float64()-.5)*.4, r.Float64()-.5).Unit()
			from, radius := at.MulAdd(way, -r.Float64()*6), r.Float64()*.3
			for range 1 + r.IntN(6) {
				o := s.Sphere(from, way, r.Float64()*r.Float64()*6, radius, policy)
				if a.rays = append(a.rays, o); o.Kind == rewind.World || r.IntN(4) == 0 {
					way = geom.V(r.Float64()-.5, r.Float64()-.5, r.Float64()-.5).Unit()
				}
				from = o.Point
			}
			if r.IntN(2) == 0 {
				a.blasts = s.Blast(from, 1+r.Float64()*4, 0, a.blasts)
			}
		default:
			reach, apart := 5+r.Float64()*95, r.Float64()*.6
			for range 1 + r.IntN(2)*r.IntN(8) { // pellets
				dir := at.Sub(eye).Unit().Add(geom.V(r.Float64()-.5, r.Float64()-.5, r.Float64()-.5).Mul(apart)).Unit()
				a.rays = append(a.rays, s.Ray(eye, dir, reach, policy))
			}
		}
	}
	a.targets = slices.Clone(s.Targets())
	return a
}

// compare makes the queries on the server's scene of a view that the client's had answered.
func (s *stage) compare(d *drawn) error {
	if err := s.history.Rebuild(s.theirs, d.view, s.sender.SentLog(), s.world, self); err != nil {
		return err
	}
	got := interrogate(s.theirs, d.seed, d.eye, d.list)
	if !got.equal(&d.answers) {
		return fmt.Errorf("seed %d, view %+v:\n the server %+v\n the client %+v", d.seed, d.view, got, d.answers)
	}
	if s.asked%4 == 0 {
		if err := s.compareHidden(d); err != nil {
			return err
		}
	}
	s.asked++
	if s.theirs.Lazy() {
		s.lazy++
		s.spared += len(d.list) - s.theirs.Rebuilt()
	}
	s.hits[0] += len(got.arcs)
	s.hits[1] += len(got.blasts)
	s.hits[2] += len(got.targets)
	return nil
}

// compareHidden makes the queries on a scene that also has what the client was not sent, and on one that is set to the
// client's list and, from all snapshots, to every other entity.
func (s *stage) compareHidden(d *drawn) error {
	v := d.view
	v.Mode = track.DrawInterpolated
	all, err := s.history.Entities(v, nil, s.world, self, nil)
	if err != nil {
		return err
	}
	both, sent := slices.Clone(d.list), len(d.list)
	for _, e := range all {
		if !slices.ContainsFunc(d.list, func(k track.Entity) bool { return k.ID == e.ID }) {
			both = append(both, e)
		}
	}
	s.hidden += len(both) - sent
	slices.SortFunc(both, func(a, b track.Entity) int { return int(a.ID) - int(b.ID) })
	s.mine.Set(collide.WorldAt{World: s.world, At: v.Platform}, both)
	want := interrogate(s.mine, d.seed, d.eye, both)
	want.targets = slices.DeleteFunc(want.targets, func(e track.Entity) bool {
		return !slices.ContainsFunc(d.list, func(k track.Entity) bool { return k.ID == e.ID })
	})
	if err := s.history.RebuildWithHidden(s.theirs, d.view, s.sender.SentLog(), s.world, self); err != nil {
		return err
	}
	if got := interrogate(s.theirs, d.seed, d.eye, both); !got.equal(&want) {
		return fmt.Errorf("seed %d, view %+v, with %d that the client was not sent:\n got %+v\nwant %+v", d.seed, d.view, len(both)-sent, got, want)
	}
	return s.history.Rebuild(s.theirs, d.view, s.sender.SentLog(), s.world, self)
}

// see makes the queries on the client's own scene.
func (s *stage) see(d *drawn) {
	d.seed = s.r.Uint64()
	s.mine.Set(collide.WorldAt{World: s.world, At: d.view.Platform}, d.list)
	d.answers = interrogate(s.mine, d.seed, d.eye, d.list)
}
