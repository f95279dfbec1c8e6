package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/backstep-net/backstep/lab"
)

// maxShots bounds the shots listed on a page.
const maxShots = 2000

// shotsOf returns the shots of a run in order of time, and a note on those left out.
func shotsOf(r *lab.Result) ([]shot, string) {
	list := []shot{}
	if r.Series == nil {
		for i := range r.Shots.Receipts {
			list = append(list, plain(&r.Shots.Receipts[i]))
		}
	} else {
		for i := range r.Series.Shots {
			list = append(list, drawn(&r.Series.Shots[i]))
		}
	}
	slices.SortStableFunc(list, func(a, b shot) int { return cmp.Compare(a.T, b.T) })
	return thinShots(list, maxShots)
}

// thinShots keeps at most so many shots: first those on which the ends disagree or that were neither
// hit nor miss, then every k-th of the others.
func thinShots(list []shot, most int) ([]shot, string) {
	if len(list) <= most {
		return list, ""
	}
	telling := 0
	for i := range list {
		if list[i].keepAlways() {
			telling++
		}
	}
	step := stride(len(list)-telling, max(most-telling, 1))
	kept, others := []shot{}, 0
	for _, s := range list {
		keep := s.keepAlways()
		if !keep {
			keep = others%step == 0
			others++
		}
		if keep && len(kept) < most {
			kept = append(kept, s)
		}
	}
	return kept, fmt.Sprintf("Of %d shots, %d are listed: those on which screen and server disagree or that were not judged, and every %d%s of the others.",
		len(list), len(kept), step, ordinal(step))
}

// keepAlways reports that a shot must not be left out.
func (s *shot) keepAlways() bool { return s.Odd || s.Verdict == "" || s.Verdict == "refused" }

// plain returns a shot with only a receipt.
func plain(r *lab.Receipt) shot {
	s := shot{T: Number(r.T), By: r.Shooter, Bodies: []body{}}
	s.judged(r)
	return s
}

// judged adds the receipt.
func (s *shot) judged(r *lab.Receipt) {
	view := Number(r.ViewTime)
	s.Weapon, s.Verdict, s.Reason = r.Weapon, r.Verdict, r.Reason
	s.Target, s.Part, s.Distance = r.Target, r.Part, Number(r.Distance)
	s.View, s.Odd = &view, !r.Agrees
}

// drawn returns a shot with its drawing.
func drawn(from *lab.ShotSeries) shot {
	s := shot{T: Number(from.T), By: from.Shooter, Distance: Number(from.SawAt), Bodies: []body{}}
	eye, aim := vector(from.Eye), vector(from.Aim)
	s.Eye, s.Dir = &eye, &aim
	if from.Receipt != nil {
		s.judged(from.Receipt)
		server := vector(from.ServerEye)
		s.ServerEye = &server
		if s.Distance == 0 { // refused: not cast
			s.Distance = Number(from.SawAt)
		}
	}
	s.Saw = sight(from)
	for i := range from.Poses {
		p := &from.Poses[i]
		s.Bodies = append(s.Bodies, body{Name: p.Player, Saw: volumes(p.Drawn), Server: volumes(p.Server)})
	}
	return s
}

// sight returns the outcome on the shooter's screen, in words.
func sight(s *lab.ShotSeries) string {
	switch {
	case s.Saw == "":
		return "nothing"
	case s.Saw == "world" && s.SawPart == "":
		return "the world"
	case s.SawPart == "":
		return s.Saw
	}
	return s.Saw + "’s " + s.SawPart
}

func volumes(pose []lab.HitboxPose) []volume {
	out := []volume{}
	for _, v := range pose {
		out = append(out, volume{v.Part, vector(v.From), vector(v.To), Number(v.Radius)})
	}
	return out
}

func vector(v [3]float64) [3]Number { return [3]Number{Number(v[0]), Number(v[1]), Number(v[2])} }
