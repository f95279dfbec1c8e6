package rig

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// boundPostures is how many postures Bake tries, boundSlack the margin in metres that it
// adds to the bounding sphere.
const (
	// 2,000 postures and boundSlack hold 200,000 other postures of the arena's figure
	// (TestBoundsHoldEveryPose).
	boundPostures = 2000
	boundSlack    = 0.03

	// The sphere is packed, so it is on a grid.
	boundStep            = 0.01 // grid of the bounding sphere, m
	maxCentre, maxRadius = 8, 40
)

// ends returns the ends of a hitbox in the space of its bone.
func (v *Hitbox) ends() ends {
	e := ends{a: v.At.Translation, b: v.At.Translation}
	if v.Shape == Capsule {
		axis := v.At.Rotation.Rotate(geom.V(0, v.Half.Y, 0))
		e.a, e.b = v.At.Translation.Sub(axis), v.At.Translation.Add(axis)
	}
	return e
}

// extremum is a sphere that the bounding sphere must contain, in cylinder coordinates:
// distance from the vertical axis, height, radius.
//
// The sphere's middle is on the vertical axis, because a figure turns about it: the
// direction of a point does not matter, only its distance.
type extremum struct{ flat, y, size float64 }

func extremumOf(at geom.Vec3, size float64) extremum {
	return extremum{math.Sqrt(float64(at.X*at.X) + float64(at.Z*at.Z)), at.Y, size}
}

// computeBounds finds a small sphere around all poses: the least one around those of many
// postures, plus some slack. clampToBounds enforces it for the poses that were not tried.
func (r *Rig) computeBounds() {
	// While the postures are tried, nothing is clamped.
	r.radius = math.Inf(1)
	var all []extremum
	var f PosedRig
	for i := range boundPostures {
		p := r.randomPosture(uint64(i))
		f.Pose(r, &p)
		for k := range f.Count {
			s := &f.Solids[k]
			if s.Shape != Box {
				all = append(all, extremumOf(s.A, s.Radius), extremumOf(s.B, s.Radius))
				continue
			}
			for c := range 8 {
				sign := func(axis int) float64 { return float64(2*(c>>axis&1) - 1) }
				out := geom.V(float64(sign(0)*s.Half.X), float64(sign(1)*s.Half.Y), float64(sign(2)*s.Half.Z))
				all = append(all, extremumOf(s.A.Add(s.Rotation.Rotate(out)), 0))
			}
		}
	}
	// 18 rounds narrow 12.8 m to 9 mm, below the grid.
	lo, hi := -2.0*MaxOffset, 2.0*MaxOffset // ternary search: the radius is a convex function of the height
	for range 18 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if enclosingRadius(all, a) < enclosingRadius(all, b) {
			hi = b
		} else {
			lo = a
		}
	}
	r.centre = bits.SnapGrid(lo, -maxCentre, maxCentre, boundStep)
	// Half a step more, because SnapGrid rounds to the nearest: the sphere must not become smaller.
	r.radius = bits.SnapGrid(enclosingRadius(all, r.centre)+boundSlack+boundStep/2, 0, maxRadius, boundStep)
}

// enclosingRadius returns the radius of the sphere around a height that contains
// everything.
func enclosingRadius(all []extremum, height float64) float64 {
	most := 0.0
	for i := range all {
		dy := all[i].y - height
		most = max(most, math.Sqrt(float64(all[i].flat*all[i].flat)+float64(dy*dy))+all[i].size)
	}
	return most
}

// randomPosture returns one of many postures spread over the whole range, with more
// extremes than a uniform distribution has.
//
// Its own generator (splitmix64, Steele, Lea, Flood 2014), because the sphere must be the
// same whatever Go's generators become.
func (r *Rig) randomPosture(seed uint64) Posture {
	next := func() float64 { // splitmix64
		seed += 0x9E3779B97F4A7C15
		z := seed
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		return float64(float64((z^z>>31)>>11) * (1.0 / (1 << 53)))
	}
	// A quarter of the values is at either end, because poses are extreme where their inputs are.
	edged := func() float64 { return geom.Clamp(float64(2*next())-0.5, 0, 1) }
	span := func(x float64) float64 { return float64((float64(2*edged()) - 1) * x) }
	p := Posture{Forward: span(7), Right: span(7), Up: span(6), StrideDistance: float64(next() * StrideWrap),
		Pitch: span(math.Pi / 2), Crouch: edged(), Air: edged(), Swim: edged(), Props: 0xFF}
	if len(r.clips) > 0 && next() < 0.4 {
		c := &r.clips[int(float64(next()*float64(len(r.clips))))]
		p.Clip, p.ClipTime = c.motion, clock.Micros(float64(next()*float64(c.duration)))
	}
	return p
}
