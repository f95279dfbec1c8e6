package lab

import (
	"math"
	"sort"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// path is the full timestamped track of one player on the server: the pose after every command, not
// only those in snapshots. The pose of a rider is relative to its base.
type path struct {
	list  []track.Sample
	world *collide.World // of the bases; nil: there are none
}

// at returns the pose at a match time, and false where no pose before or after it is known or the
// path breaks there.
func (t path) at(at clock.Micros) (track.Sample, bool) {
	hint := 0
	return t.from(&hint, at, at)
}

// from is at for successive instants: hint is the index of the last one. The base of a rider is that
// of the platform time.
func (t path) from(hint *int, at, platform clock.Micros) (track.Sample, bool) {
	i, p := *hint, t.list
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
	s, _ := track.Interpolate(&p[i-1], &p[i], track.View{At: at, Platform: platform}, t.world)
	return s, true
}

// known reports whether at is final up to that time.
func (t path) known(until clock.Micros) bool {
	return len(t.list) > 0 && t.list[len(t.list)-1].At > until
}

// steady reports whether the velocity kept its direction, to within 8°, and a
// speed of at least 0.1 m/s, in every pose from at − around to at + around, with bases lead later.
// A player that crouches or stands up in between is not steady: in the air that moves the feet at
// once.
func (t path) steady(at, lead, around clock.Micros) bool {
	p, dir := t.list, geom.Vec3{}
	first := sort.Search(len(p), func(i int) bool { return p[i].At >= at-around })
	for i := first; i < len(p) && p[i].At <= at+around; i++ {
		v := p[i].ToWorld(t.world, p[i].At+lead).Velocity
		if i == first {
			dir = v.Unit()
		}
		if v.Len() < 0.1 || v.Unit().Dot(dir) < 0.99 || p[i].Crouched != p[first].Crouched {
			return false
		}
	}
	return true
}

// around is how long before and after a view a velocity must keep its direction for a step against
// it to count.
const around = 50 * clock.Millisecond

// reversed reports whether a player was drawn moving by more than 1 mm against its true velocity,
// that of s at b, from a to b.
func (t path) reversed(a, b *remoteView, s *track.Sample) bool {
	back := b.position.Sub(a.position).Dot(s.Velocity.Unit())
	return back < -0.001 && t.steady(b.view, b.platform-b.view, around)
}

// snapped reports whether a player was drawn moving over 0.5 m further from a to b than the true
// speed at b allows.
func snapped(a, b *remoteView, s *track.Sample) bool {
	allowed := float64(s.Velocity.Len() * (b.view - a.view).Seconds())
	return b.position.Dist(a.position) > allowed+0.5
}

// minSpeed is the smallest speed in m/s that counts for errors of speed: as a share of a slower speed
// the quantisation of positions alone would be several per cent.
const minSpeed = 1

// noteSpeed notes the error of a player's drawn speed from a to b.
func (p *playerRecord) noteSpeed(a, b *remoteView) {
	if !a.known || b.at <= a.at {
		return
	}
	speed := b.truePosition.Dist(a.truePosition) / (b.view - a.view).Seconds()
	if !(speed > minSpeed) {
		return
	}
	seen := b.position.Dist(a.position) / (b.at - a.at).Seconds()
	p.speeds = append(p.speeds, math.Abs(seen/speed-1))
	p.moving++
	p.extrapolated += count(b.extrapolated)
}

// Truth is the full timestamped track of all players on the server: the pose after every command.
type Truth struct {
	// World has the movers that players ride; nil: there are none.
	World *collide.World
	paths [][]track.Sample
}

// Trace records a pose. Poses of a player are traced in order of time.
func (t *Truth) Trace(id session.PlayerID, s track.Sample) {
	for int(id) > len(t.paths) {
		t.paths = append(t.paths, nil)
	}
	t.paths[id-1] = append(t.paths[id-1], s)
}

// newest returns the time of a player's newest pose, −1 before the first.
func (t *Truth) newest(id session.PlayerID) clock.Micros {
	if list := t.of(id).list; len(list) > 0 {
		return list[len(list)-1].At
	}
	return -1
}

// At returns a player's pose at a match time, and false where no pose before or after it is known
// or the path breaks there.
func (t *Truth) At(id session.PlayerID, at clock.Micros) (track.Sample, bool) {
	return t.of(id).at(at)
}

func (t *Truth) of(id session.PlayerID) path {
	if id < 1 || int(id) > len(t.paths) {
		return path{}
	}
	return path{t.paths[id-1], t.World}
}
