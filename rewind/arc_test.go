package rewind

import (
	"math"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// A blade of 2 m swung level from right to left by a player that faces east: it hits the targets
// within its reach and its arc, each once, in the order of their IDs, whichever part of the
// swing a command covers; none through a wall or a bystander's shield. [REW-06, GAP-48]
func TestWhatASwingHits(t *testing.T) {
	right, ahead, left := facing(1, 1, 1.2, west, false), facing(2, 1.4, 0, west, false), facing(3, 1, -1.2, west, false)
	far, behind := facing(4, 2.6, 0, west, false), facing(5, -1.4, 0, west, false)
	guard := facing(6, 1, 0, away, true)
	eyes := geom.V(0, 1.3, 0)
	full := Arc{From: eyes, Yaw: -math.Pi / 2, A: -1.2, B: 1.2, Reach: 2, Radius: .03}
	part := func(a, b float64) Arc { p := full; p.A, p.B = a, b; return p }
	low, up := full, full
	low.Pitch, low.A, low.B = -.6, 0, 0
	up.Tilt, up.A, up.B = math.Pi/2, -1, 1
	for _, c := range []struct {
		what  string
		world *collide.WorldAt
		list  []track.Entity
		arc   Arc
		want  []track.ID
	}{
		{"the whole swing", walls(30), []track.Entity{right, ahead, ahead, left, far, behind}, full, []track.ID{1, 2, 3}},
		{"its first third", walls(30), []track.Entity{right, ahead, left, far}, part(-1.2, -.4), []track.ID{1}},
		{"its last third", walls(30), []track.Entity{right, ahead, left, far}, part(.4, 1.2), []track.ID{3}},
		{"from left to right", walls(30), []track.Entity{right, ahead, left}, part(1.2, .4), []track.ID{3}},
		{"a thrust ahead", walls(30), []track.Entity{right, ahead, left}, part(0, 0), []track.ID{2}},
		{"a thrust at the feet", walls(30), []track.Entity{facing(2, 1.4, .1, west, false)}, low, []track.ID{2}},
		{"from above down", walls(30), []track.Entity{right, ahead, left}, up, []track.ID{2}},
		{"through a wall", walls(.6), []track.Entity{right, ahead, left}, full, nil},
		{"behind a bystander's shield, which faces them", walls(30), []track.Entity{facing(2, 1.9, 0, west, false), guard}, part(-.05, .05), []track.ID{6}},
	} {
		s := NewScene(Holders{Dummy(t)})
		s.Set(*c.world, c.list)
		var got []track.ID
		for _, o := range s.Arc(c.arc, NearestHitbox, nil) {
			got = append(got, o.Target)
			if o.Kind != Player || o.Distance > 2+1e-9 || math.Abs(o.Point.Dist(eyes)-o.Distance) > 1e-9 {
				t.Errorf("%s: %+v", c.what, o)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: hit %v, want %v", c.what, got, c.want)
		}
	}
}

// A blade reaches as far as it says and no further, however thick it is, ahead, to the side and behind; one
// that is thicker than its reach is a ball of that reach around the eye.
func TestHowFarABladeReaches(t *testing.T) {
	ball := bake(t, rig.Hitbox{Name: "ball", HitGroup: rig.Body, Shape: rig.Ball, At: at(0, 1, 0), Radius: .3})
	for _, radius := range []float64{0, .05, .4, 3} {
		for _, reach := range []float64{.2, .5, 2} {
			for _, half := range []float64{0, .3, 3.2} { // of the arc: a thrust, a swing ahead, all around
				for gap, want := range map[float64]bool{-.01: true, .01: false} {
					for _, way := range []float64{1, -1} { // in the middle of the arc, and opposite
						s := NewScene(Holders{ball})
						s.Set(collide.WorldAt{}, []track.Entity{stand(1, way*(reach+.3+gap), 0)})
						got := len(s.Arc(Arc{From: geom.V(0, 1, 0), Yaw: away, A: -half, B: half, Reach: reach, Radius: radius}, NearestHitbox, nil)) > 0
						if behind := way < 0 && half < 3 && radius < reach; got != (want && !behind) {
							t.Errorf("radius %v, reach %v, half an arc of %v, %v times %v m off: hit %v", radius, reach, half, way, reach+gap, got)
						}
					}
				}
			}
		}
	}
}

// Which part a blade counts for: what it reaches first, the head if that has priority and no
// shield was hit before it; a shield that is hit first stops it. [GAP-53]
func TestWhichPartABladeHits(t *testing.T) {
	bare, holder := facing(1, 1.2, 0, west, false), facing(1, 1.2, 0, west, true)
	turned := facing(1, 1.2, 0, away, true)
	level := Arc{From: geom.V(0, 1.2, 0), Yaw: -math.Pi / 2, A: -1, B: 1, Reach: 1.6, Radius: .03}
	down := Arc{From: geom.V(0, 1.6, 0), Yaw: -math.Pi / 2, Tilt: math.Pi / 2, A: .8, B: -.8, Reach: 1.6, Radius: .03}
	rising := down
	rising.A, rising.B = -.8, .8
	for _, c := range []struct {
		what   string
		target track.Entity
		arc    Arc
		policy Policy
		group  rig.HitGroup
	}{
		{"level: the arm on that side", bare, level, NearestHitbox, rig.Arm},
		{"level, past no head", bare, level, HeadFirst, rig.Arm},
		{"from above: the head", bare, down, NearestHitbox, rig.Head},
		{"from below: a leg is first", bare, rising, NearestHitbox, rig.Leg},
		{"from below, looking for the head", bare, rising, HeadFirst, rig.Head},
		{"level, into a shield", holder, level, HeadFirst, rig.Shield},
		{"from above, over a shield to the head", holder, down, HeadFirst, rig.Head},
		{"from below, into a shield, looking for the head", holder, rising, HeadFirst, rig.Shield},
		{"a shield on the other side", turned, level, HeadFirst, rig.Arm},
	} {
		s := NewScene(Holders{Dummy(t)})
		s.Set(*walls(30), []track.Entity{c.target})
		list := s.Arc(c.arc, c.policy, nil)
		if len(list) != 1 || list[0].HitGroup != c.group {
			t.Errorf("%s: %+v, want %v", c.what, list, c.group)
		}
	}
}

// If the part that a blade reaches first is behind a corner, the next counts.
func TestABladePastACorner(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(.7, 1, .6), geom.V(.1, 2, .42), geom.IdentityQuat, collide.Surface{}) // its edge is at z = 0.18
	w := b.MustBake()
	s := NewScene(Holders{Dummy(t)})
	s.Set(collide.WorldAt{World: w}, []track.Entity{facing(1, 1.2, 0, west, false)})
	arc := Arc{From: geom.V(0, 1.2, 0), Yaw: -math.Pi / 2, A: -1, B: 1, Reach: 1.6, Radius: .03}
	list := s.Arc(arc, NearestHitbox, nil)
	if len(list) != 1 || list[0].HitGroup != rig.Body {
		t.Errorf("%+v, want the chest: the arm on that side is behind the corner", list)
	}
}

// Arcs that are not finite, or far too large, end: they hit nothing, or what they would after
// one turn.
func TestArcsThatAreNotFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	s := NewScene(Holders{Dummy(t)})
	s.Set(*walls(30), []track.Entity{facing(1, 1.2, 0, west, false)})
	good := Arc{From: geom.V(0, 1.2, 0), Yaw: -math.Pi / 2, A: -1, B: 1, Reach: 1.6}
	for _, bad := range []float64{nan, inf, -inf} {
		for k := range 8 {
			a := good
			*[]*float64{&a.From.Y, &a.Yaw, &a.Pitch, &a.A, &a.B, &a.Reach, &a.Tilt, &a.Radius}[k] = bad
			if list := s.Arc(a, HeadFirst, nil); len(list) != 0 {
				t.Errorf("arc %+v: %+v", a, list)
			}
		}
		if list := s.Blast(geom.V(1, bad, 0), 3, 0, nil); len(list) != 0 && math.IsNaN(bad) {
			t.Errorf("blast: %+v", list)
		}
		if o := s.Sphere(geom.V(0, 1, bad), geom.V(1, 0, 0), 10, .1, HeadFirst); o.Kind != Nothing {
			t.Errorf("ball from %v: %+v", bad, o)
		}
		if o := s.Ray(geom.V(0, 1, 0), geom.V(bad, 0, 0), 10, HeadFirst); o.Kind != Nothing {
			t.Errorf("ray along %v: %+v", bad, o)
		}
	}
	good.A, good.B = -1e9, 1e9
	if list := s.Arc(good, HeadFirst, nil); len(list) != 1 {
		t.Errorf("round and round: %+v", list)
	}
}
