package lab

import (
	"sort"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// path is the server's full stamped track of one player: the pose after every
// command, not only those that snapshots carry.
type path []track.Sample

// at is where the player was at a match time, and false where nothing is known
// around it or the path breaks there.
func (p path) at(at clock.Micros) (track.Sample, bool) {
	hint := 0
	return p.from(&hint, at)
}

// from is at for one instant after the other: hint is where the last one was.
func (p path) from(hint *int, at clock.Micros) (track.Sample, bool) {
	i := *hint
	if i > 0 && i < len(p) && p[i-1].At <= at {
		for i < len(p) && p[i].At <= at {
			i++
		}
	} else {
		i = sort.Search(len(p), func(i int) bool { return p[i].At > at })
	}
	*hint = i
	if i == 0 || i == len(p) || !p[i-1].Continues(&p[i]) {
		return track.Sample{}, false
	}
	s, _ := track.Between(&p[i-1], &p[i], at)
	return s, true
}

// known reports whether no later pose can change what at says up to that time.
func (p path) known(until clock.Micros) bool { return len(p) > 0 && p[len(p)-1].At > until }

// steady reports whether the velocity kept its direction, to within 8°, and a
// speed of at least 0.1 m/s, in every pose from at − around to at + around.
func (p path) steady(at, around clock.Micros) bool {
	first := sort.Search(len(p), func(i int) bool { return p[i].At >= at-around })
	for i := first; i < len(p) && p[i].At <= at+around; i++ {
		v := p[i].Velocity
		if v.Len() < 0.1 || v.Unit().Dot(p[first].Velocity.Unit()) < 0.99 {
			return false
		}
	}
	return true
}

// around is how long before and after a picture a velocity must keep its direction
// for a step against it to count.
const around = 50 * clock.Millisecond

// reversed reports whether from a to b somebody was drawn moving by more than 1 mm
// against the true velocity at b, which is s's.
func (p path) reversed(a, b *drawn, s *track.Sample) bool {
	back := b.position.Sub(a.position).Dot(s.Velocity.Unit())
	return back < -0.001 && p.steady(b.view, around)
}

// snapped reports whether from a to b somebody was drawn moving more than 0.5 m
// further than the true speed at b allows.
func snapped(a, b *drawn, s *track.Sample) bool {
	allowed := float64(s.Velocity.Len() * (b.view - a.view).Seconds())
	return b.position.Dist(a.position) > allowed+0.5
}

// Truth is the server's full stamped track of everybody: the pose after every
// command.
type Truth struct{ paths []path }

// Trace notes a pose. Poses of one player come in order of time.
func (t *Truth) Trace(id session.PlayerID, s track.Sample) {
	for int(id) > len(t.paths) {
		t.paths = append(t.paths, nil)
	}
	t.paths[id-1] = append(t.paths[id-1], s)
}

// At is where a player was at a match time, and false where nothing is known
// around it or the path breaks there.
func (t *Truth) At(id session.PlayerID, at clock.Micros) (track.Sample, bool) {
	return t.of(id).at(at)
}

func (t *Truth) of(id session.PlayerID) path {
	if id < 1 || int(id) > len(t.paths) {
		return nil
	}
	return t.paths[id-1]
}
