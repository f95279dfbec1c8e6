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
	if fit == Missing || v.Drawn.Ahead() || v.Healed <= 0 || v.At < v.Healed || v.At >= v.Healed+Heal ||
		v.Before.Newest > v.Seen.Newest || v.Before.Newest+Reach < v.Seen.Newest {
		return s, fit
	}
	then := v
	then.At = v.Healed
	b, had := bruteSeen(p, id, then, v.Before)
	a, has := bruteSeen(p, id, then, v.Seen)
	one := func(a, b *Sample) bool { return a.Life == b.Life && a.Teleport == b.Teleport && a.Dead == b.Dead }
	if had == Missing || has == Missing || !one(&b, &a) || !one(&a, &s) || b.Position.Dist(a.Position) > HealMost {
		return s, fit
	}
	t := float64(v.At-v.Healed) / float64(Heal)
	left := 1 - float64(t*t)*(3-2*t)
	s.Position = s.Position.MulAdd(b.Position.Sub(a.Position), left)
	for _, angle := range [][3]*float64{{&s.Yaw, &b.Yaw, &a.Yaw}, {&s.Pitch, &b.Pitch, &a.Pitch}} {
		if *angle[1] != *angle[2] {
			*angle[0] = geom.WrapAngle(*angle[0] + geom.WrapAngle(*angle[1]-*angle[2])*left)
		}
	}
	if far := math.Mod(b.Walked-a.Walked+3*WalkedRound/2, WalkedRound) - WalkedRound/2; far != 0 {
		s.Walked = math.Mod(s.Walked+far*left+2*WalkedRound, WalkedRound)
	}
	for _, part := range [][3]*float64{{&s.Stance.Low, &b.Stance.Low, &a.Stance.Low}, {&s.Stance.Air, &b.Stance.Air, &a.Stance.Air},
		{&s.Stance.Swim, &b.Stance.Swim, &a.Stance.Swim}} {
		*part[0] = min(1, max(0, *part[0]+(*part[1]-*part[2])*left))
	}
	if b.Turn != a.Turn {
		s.Turn = geom.NoTurn.Slerp(b.turned().Mul(a.turned().Inverse()), left).Mul(s.turned()).Unit()
	}
	return s, fit
}

// near reports whether two samples are the same, but for how rounding goes in Walked.
func (s Sample) near(t Sample) bool {
	if d := nearWalked(s.Walked - t.Walked); math.Abs(d) < 1e-9 {
		t.Walked = s.Walked
	}
	return s == t
}

// bruteSeen is brute from the frames of one set.
func bruteSeen(p Picture, id ID, v View, seen Received) (Sample, Fit) {
	var list []Sample
	last := uint32(0) // that has the thing
	first := uint32(max(1, int(seen.Newest)-3*Reach))
	for tick := first; tick <= seen.Newest; tick++ {
		frame := p.Frames.Frame(tick)
		if frame == nil {
			continue
		}
		s, told := frame.sample(id), seen.Has(tick)
		has, gone, kinks := s != nil, s == nil && frame.Whole, frame.Kinks(nil)
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
		s, fit := held(newest, v.At), Held
		switch {
		case v.At == newest.At:
			s, fit = newest, Exact
		case v.At > newest.At && v.Drawn.Ahead():
			s, fit = bruteAhead(newest, v.At, 200*ms, 250*ms)
		case v.Drawn.Ahead() && !newest.rests():
			if fit = Extrapolated; !newest.Dead {
				s.goOn(-min(newest.At-v.At, 250*ms).Seconds())
			}
		}
		s.place(&v, w)
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
		s.place(&v, w)
		return s, Held
	case left == len(list)-1:
		part := math.Sqrt(min(1, max(newest.Velocity.LenSq(), newest.Spin.LenSq())))
		s, fit := bruteAhead(newest, v.At, clock.Micros(60_000*part), clock.Micros(100_000*part))
		s.place(&v, w)
		return s, fit
	}
	return Shown(&list[left], &list[left+1], v, w)
}

// held is a sample restamped.
func held(s Sample, at clock.Micros) Sample {
	s.At = at
	return s
}

// bruteAhead is a path carried on, its way added up from speeds.
func bruteAhead(s Sample, at, full, most clock.Micros) (Sample, Fit) {
	d := at - s.At
	switch {
	case d == 0:
		return s, Exact
	case s.Velocity.Len() < Rest && s.Spin.Len() < Rest:
		return held(s, at), Held
	}
	want := s
	fit := want.carry(at, full, most)
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
