package visibility

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// randomBoxes is a floor with boxes of different heights on it, in a square of 30 m.
func randomBoxes(r *rand.Rand) *collide.World {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(60, 1, 60), geom.IdentityQuat, collide.Surface{})
	for range 14 {
		half := geom.V(.1+r.Float64()*3, .3+r.Float64()*2, .1+r.Float64()*3)
		b.Box(geom.V(r.Float64()*30-15, half.Y, r.Float64()*30-15), half, geom.YawQuat(r.Float64()*6), collide.Surface{})
	}
	return b.MustBake()
}

// bounds returns the bounds of a standing person's hitboxes, feet at the origin.
func bounds() (low, high geom.Vec3) {
	var f rig.PosedRig
	f.Pose(rig.DefaultRig(), &rig.Posture{})
	for i := range f.Count {
		v := &f.Solids[i]
		low, high = low.Min(v.A.Min(v.B).Sub(reachOf(v))), high.Max(v.A.Max(v.B).Add(reachOf(v)))
	}
	return low, high
}

// Brute force over a grid of the hitboxes' bounds: a player of which the eye sees a tenth in the open is
// shown, and one that neither sees nor is seen from anywhere within its reach is hidden. What
// lies between is the Filter's choice. [THR-26]
func TestFilterAgainstRaysToHitboxBounds(t *testing.T) {
	const seed, share = 11, .1
	low, high := bounds()
	early := Rules{}
	shown, hidden := 0, 0
	for n := range 60 {
		r := rand.New(rand.NewPCG(seed, uint64(n)))
		w := randomBoxes(r)
		s := &stage{Filter: New(early, w, nil)}
		one, two := standing(1, r.Float64()*30-15, r.Float64()*30-15), standing(2, r.Float64()*30-15, r.Float64()*30-15)
		view := collide.WorldAt{World: w}
		free := func(a, b geom.Vec3) bool { _, hit := view.Ray(a, b.Sub(a)); return !hit }
		eye, feet := one.Position.Add(geom.V(0, 1.6, 0)), two.Position
		if inside(&view, eye) || inside(&view, feet.Add(geom.V(0, 1, 0))) {
			continue
		}
		s.look(one, two)
		seen, all := 0, 0
		for x := 0.; x <= 1; x += .2 {
			for y := .05; y <= 1; y += .1 {
				for z := 0.; z <= 1; z += .2 {
					all++
					p := feet.Add(geom.V(low.X+(high.X-low.X)*x, low.Y+(high.Y-low.Y)*y, low.Z+(high.Z-low.Z)*z))
					if free(eye, p) {
						seen++
					}
				}
			}
		}
		near := false
		for range 3000 {
			reach := s.rules.Speed * s.rules.Lookahead.Seconds()
			a := eye.Add(geom.V(r.Float64()*2-1, r.Float64(), r.Float64()*2-1).Mul(reach + .2))
			b := feet.Add(geom.V((r.Float64()*2-1)*(reach+high.X), r.Float64()*(high.Y+reach), (r.Float64()*2-1)*(reach+high.X)))
			near = near || free(a, b)
		}
		got := s.Visible(1, 2)
		switch {
		case float64(seen) > share*float64(all):
			if shown++; !got {
				t.Errorf("seed %d, level %d: hidden, and the eye sees %d of %d points", seed, n, seen, all)
			}
		case !near && seen == 0:
			if hidden++; got {
				t.Errorf("seed %d, level %d: shown, and nothing within reach is in sight", seed, n)
			}
		}
	}
	if shown < 10 || hidden < 3 {
		t.Errorf("seed %d: %d pairs in sight and %d out of reach, want at least 10 and 3", seed, shown, hidden)
	}
}

// inside reports whether a point is in a box: a ray up from it hits the box's top from below, and
// the ray down from above hits it above the point.
func inside(w *collide.WorldAt, p geom.Vec3) bool {
	hit, ok := w.Ray(p.Add(geom.V(0, 10, 0)), geom.V(0, -10, 0))
	return ok && hit.Fraction < 1
}

// The body that is tested is as large as the hitboxes: a giant of three times the size is seen above
// a wall of 3 m that hides a person, and a crouched person behind a wall that a standing one is
// seen above. [THR-26]
func TestSizeOfTheBody(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(60, 1, 60), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 1.5, 0), geom.V(.1, 1.5, 40), geom.IdentityQuat, collide.Surface{})   // 3 m high
	b.Box(geom.V(0, .65, 100), geom.V(.1, .65, 40), geom.IdentityQuat, collide.Surface{}) // 1.3 m
	w := b.MustBake()
	giant, err := (&rig.Plan{
		Bones:    []rig.Bone{{Name: "root", Parent: -1, Rest: geom.Transform{Rotation: geom.IdentityQuat}}},
		Hitboxes: []rig.Hitbox{{Name: "trunk", HitGroup: rig.Body, Shape: rig.Box, At: geom.Transform{Rotation: geom.IdentityQuat, Translation: geom.V(0, 2.7, 0)}, Half: geom.V(.5, 2.7, .5)}},
	}).Bake()
	if err != nil {
		t.Fatal(err)
	}
	crouched := track.Sample{Pose: track.Pose{Crouched: true, Stance: track.Stance{Crouch: 1}}}
	still := Rules{Lookahead: clock.Millisecond} // no reach
	for _, c := range []struct {
		name   string
		rig    *rig.Rig
		z      float64
		sample track.Sample
		want   bool
	}{
		{"a person behind 3 m", rig.DefaultRig(), 0, track.Sample{}, false},
		{"a giant behind 3 m", giant, 0, track.Sample{}, true},
		{"a person behind 1.3 m", rig.DefaultRig(), 100, track.Sample{}, true},
		{"a crouched person behind 1.3 m", rig.DefaultRig(), 100, crouched, false},
		{"a person of whom a shoulder is beside the wall", rig.DefaultRig(), 39.9, track.Sample{}, true},
		{"the other shoulder", rig.DefaultRig(), -39.9, track.Sample{}, true},
		{"no shoulder", rig.DefaultRig(), 39.5, track.Sample{}, false},
	} {
		s := &stage{Filter: New(still, w, &rewind.Upright{Rig: c.rig})}
		other := track.Entity{ID: 2, Sample: c.sample}
		other.Position = geom.V(4, 0, c.z)
		s.look(standing(1, -4, c.z), other)
		if got := s.Visible(1, 2); got != c.want {
			t.Errorf("%s: shown %v, want %v", c.name, got, c.want)
		}
	}
}

// With too few rays for all pairs, each pair is tested in its turn, or revealed untested after Lookahead:
// none stays hidden in the open.
func TestFewRaysHideNothingInTheOpen(t *testing.T) {
	s := &stage{Filter: New(Rules{Rays: 40}, walled(), nil)}
	var all []track.Entity
	for id := track.ID(1); id <= 30; id++ {
		angle := 2 * math.Pi * float64(id) / 30
		e := standing(id, 20+8*math.Cos(angle), 8*math.Sin(angle))
		e.Life = 1
		all = append(all, e)
	}
	since := map[[2]track.ID]clock.Micros{}
	for range 60 {
		s.look(all...)
		for _, a := range all {
			for _, b := range all {
				pair := [2]track.ID{a.ID, b.ID}
				if a.ID == b.ID || s.Visible(a.ID, b.ID) {
					delete(since, pair)
				} else if from, ok := since[pair]; !ok {
					since[pair] = s.frame.At
				} else if wait := s.frame.At - from; wait > s.rules.Lookahead+50*clock.Millisecond {
					t.Fatalf("players %v are hidden from each other in the open for %d µs", pair, wait)
				}
			}
		}
	}
	if s.Visible(200, 1) {
		t.Error("a viewer that is not in the world sees a player")
	}
}
