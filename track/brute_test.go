package track

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// brute is what Picture.At answers, the slow way: all samples of the view in one list.
func brute(p Picture, id ID, v View) (Sample, Fit) {
	s, fit := bruteSeen(p, id, v, v.Seen)
	if fit == Missing || v.Healed <= 0 || v.At < v.Healed || v.At >= v.Healed+Heal ||
		v.Before.Newest > v.Seen.Newest || v.Before.Newest+Reach < v.Seen.Newest {
		return s, fit
	}
	b, had := bruteSeen(p, id, v, v.Before)
	if had == Missing || b.Life != s.Life || b.Teleport != s.Teleport || b.Dead != s.Dead || b.Position.Dist(s.Position) > HealMost {
		return s, fit
	}
	t := float64(v.At-v.Healed) / float64(Heal)
	t = float64(t*t) * (3 - 2*t)
	s.Position, s.Velocity = b.Position.Lerp(s.Position, t), b.Velocity.Lerp(s.Velocity, t)
	s.Yaw, s.Pitch = geom.WrapAngle(geom.LerpAngle(b.Yaw, s.Yaw, t)), geom.WrapAngle(geom.LerpAngle(b.Pitch, s.Pitch, t))
	if b.Up != s.Up {
		s.Up = upBetween(&b, &s, t)
	}
	return s, fit
}

// bruteSeen is brute from the frames of one set.
func bruteSeen(p Picture, id ID, v View, seen Received) (Sample, Fit) {
	var list []Sample
	last := uint32(0) // that has the thing
	for tick := uint32(1); tick <= seen.Newest; tick++ {
		frame := p.Frames.Frame(tick)
		if frame == nil {
			continue
		}
		s, told := frame.Find(id), seen.Has(tick)
		has, gone, kinks := s != nil, s == nil && frame.Whole, frame.Kinks
		if p.Told != nil {
			has, gone, kinks = p.Told.Has(tick, id), p.Told.Gone(tick, id), nil
			if has && last != 0 && tick-last <= Reach {
				var found [MaxKinks]Entity
				n := p.Frames.KinksBetween(id, tick, last, p.World, &found)
				kinks = found[:n]
			}
		}
		for _, g := range frame.Gone {
			gone = gone || p.Told == nil && g == id
		}
		if has {
			last = tick
		} else if gone {
			last = 0
		}
		switch {
		case told && has:
			for _, k := range kinks {
				if k.ID == id {
					list = append(list, k.Sample)
				}
			}
			list = append(list, *s)
		case told && gone:
			list = nil
		}
	}
	if p.Frames.Frame(seen.Newest) == nil || len(list) == 0 {
		return Sample{}, Missing
	}
	return bruteOf(list, v, p.World)
}

// bruteOf is where a list of samples has a thing.
func bruteOf(list []Sample, v View, w *collide.World) (Sample, Fit) {
	newest := list[len(list)-1]
	if v.Drawn != DrawBetween {
		s, fit := newest.held(v.At), Held
		switch {
		case v.At == newest.At:
			s, fit = newest, Exact
		case v.At > newest.At && v.Drawn == DrawAhead:
			s, fit = bruteAhead(newest, v.At, 200*ms, 250*ms)
		}
		return s.shown(&v, w), fit
	}
	left := -1
	for i, s := range list {
		if s.At <= v.At {
			left = i
		}
	}
	switch {
	case left < 0:
		s := list[0].held(v.At)
		return s.shown(&v, w), Held
	case left == len(list)-1:
		s, fit := bruteAhead(newest, v.At, 60*ms, 100*ms)
		return s.shown(&v, w), fit
	}
	return Shown(&list[left], &list[left+1], v, w)
}

// bruteAhead is a path carried on, its way added up from speeds.
func bruteAhead(s Sample, at, full, most clock.Micros) (Sample, Fit) {
	d := at - s.At
	switch {
	case d == 0:
		return s, Exact
	case s.Velocity.Len() < Rest:
		return s.held(at), Held
	}
	want, fit := s.carried(at, full, most)
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
