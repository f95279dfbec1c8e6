package track

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// brute is Interpolator.At, the slow way: all samples of the view in one list.
func brute(p Interpolator, id ID, v View) (Sample, SampleSource) {
	s, fit := bruteSeen(p, id, v, v.Seen)
	if fit == Missing || v.Mode.Extrapolates() || v.BlendAt <= 0 || v.At < v.BlendAt || v.At >= v.BlendAt+BlendTime ||
		v.BlendFrom.Newest > v.Seen.Newest || v.BlendFrom.Newest+ReceivedWindow < v.Seen.Newest {
		return s, fit
	}
	then := v
	then.At = v.BlendAt
	b, had := bruteSeen(p, id, then, v.BlendFrom)
	a, has := bruteSeen(p, id, then, v.Seen)
	one := func(a, b *Sample) bool { return a.Life == b.Life && a.Teleport == b.Teleport && a.Dead == b.Dead }
	if had == Missing || has == Missing || !one(&b, &a) || !one(&a, &s) || b.Position.Dist(a.Position) > MaxBlendDistance {
		return s, fit
	}
	t := float64(v.At-v.BlendAt) / float64(BlendTime)
	left := 1 - float64(t*t)*(3-2*t)
	s.Position = s.Position.MulAdd(b.Position.Sub(a.Position), left)
	for _, angle := range [][3]*float64{{&s.Yaw, &b.Yaw, &a.Yaw}, {&s.Pitch, &b.Pitch, &a.Pitch}} {
		if *angle[1] != *angle[2] {
			*angle[0] = geom.WrapAngle(*angle[0] + geom.WrapAngle(*angle[1]-*angle[2])*left)
		}
	}
	if far := math.Mod(b.StrideDistance-a.StrideDistance+3*StrideWrap/2, StrideWrap) - StrideWrap/2; far != 0 {
		s.StrideDistance = math.Mod(s.StrideDistance+far*left+2*StrideWrap, StrideWrap)
	}
	for _, part := range [][3]*float64{{&s.Stance.Crouch, &b.Stance.Crouch, &a.Stance.Crouch}, {&s.Stance.Air, &b.Stance.Air, &a.Stance.Air},
		{&s.Stance.Swim, &b.Stance.Swim, &a.Stance.Swim}} {
		*part[0] = min(1, max(0, *part[0]+(*part[1]-*part[2])*left))
	}
	if b.Rotation != a.Rotation {
		s.Rotation = geom.IdentityQuat.Slerp(b.rotation().Mul(a.rotation().Inverse()), left).Mul(s.rotation()).Unit()
	}
	return s, fit
}

// near reports whether two samples are the same, except for rounding in StrideDistance.
func (s Sample) near(t Sample) bool {
	if d := strideDifference(s.StrideDistance - t.StrideDistance); math.Abs(d) < 1e-9 {
		t.StrideDistance = s.StrideDistance
	}
	return s == t
}

// bruteSeen is brute from the snapshots of one set.
func bruteSeen(p Interpolator, id ID, v View, seen Received) (Sample, SampleSource) {
	var list []Sample
	last := uint32(0) // that has the thing
	first := uint32(max(1, int(seen.Newest)-3*ReceivedWindow))
	for tick := first; tick <= seen.Newest; tick++ {
		snapshot := p.History.Snapshot(tick)
		if snapshot == nil {
			continue
		}
		s, sent := snapshot.sample(id), seen.Has(tick)
		has, gone, keyframes := s != nil, s == nil && snapshot.Complete, snapshot.Keyframes(nil)
		if p.Sent != nil {
			has, gone, keyframes = p.Sent.Has(tick, id), p.Sent.Removed(tick, id), nil
			if has && last != 0 && tick-last <= ReceivedWindow {
				var found [MaxKeyframes]Entity
				n := p.History.KeyframesBetween(id, tick, last, p.World, nil, &found)
				keyframes = found[:n]
			}
		}
		for _, g := range snapshot.Removed {
			gone = gone || p.Sent == nil && g == id
		}
		if has {
			last = tick
		} else if gone {
			last = 0
		}
		switch {
		case sent && has:
			for _, k := range keyframes {
				if k.ID == id {
					list = append(list, k.Sample)
				}
			}
			list = append(list, *s)
		case sent && gone:
			list = nil
		}
	}
	if p.History.Snapshot(seen.Newest) == nil || len(list) == 0 {
		return Sample{}, Missing
	}
	return bruteOf(list, v, p.World)
}

// bruteOf returns where a list of samples has an entity.
func bruteOf(list []Sample, v View, w *collide.World) (Sample, SampleSource) {
	newest := list[len(list)-1]
	if v.Mode != DrawInterpolated {
		s, fit := held(newest, v.At), Held
		switch {
		case v.At == newest.At:
			s, fit = newest, Exact
		case v.At > newest.At && v.Mode.Extrapolates():
			s, fit = bruteAhead(newest, v.At, 200*ms, 250*ms)
		case v.Mode.Extrapolates() && !newest.resting():
			if fit = Extrapolated; !newest.Dead {
				s.advance(-min(newest.At-v.At, 250*ms).Seconds())
			}
		}
		s.toView(&v, w)
		return s, fit
	}
	left := -1
	for i, s := range list {
		if s.At <= v.At {
			left = i
		}
	}
	switch {
	case left < 0:
		s := held(list[0], v.At)
		s.toView(&v, w)
		return s, Held
	case left == len(list)-1:
		part := math.Sqrt(min(1, max(newest.Velocity.LenSq(), newest.AngularVelocity.LenSq())))
		s, fit := bruteAhead(newest, v.At, clock.Micros(60_000*part), clock.Micros(100_000*part))
		s.toView(&v, w)
		return s, fit
	}
	return Interpolate(&list[left], &list[left+1], v, w)
}

// held is a sample restamped.
func held(s Sample, at clock.Micros) Sample {
	s.At = at
	return s
}

// bruteAhead extrapolates a path, its length summed up from speeds.
func bruteAhead(s Sample, at, full, most clock.Micros) (Sample, SampleSource) {
	d := at - s.At
	switch {
	case d == 0:
		return s, Exact
	case s.Velocity.Len() < RestSpeed && s.AngularVelocity.Len() < RestSpeed:
		return held(s, at), Held
	}
	want := s
	fit := want.deadReckon(at, full, most)
	slow := 2 * (most - full)
	way := min(d, full).Seconds()
	if over := geom.Clamp((d - full).Seconds(), 0, slow.Seconds()); over > 0 {
		way += over - over*over/slow.Seconds()/2
	}
	place := s.Position
	if !s.Dead {
		place = place.Add(s.Velocity.Mul(way))
	}
	if off := place.Dist(want.Position); off > 1e-9*(1+place.Len()) || math.IsNaN(off) || (fit == Stale) != (d > full+slow) {
		panic("carried is wrong")
	}
	return want, fit
}
