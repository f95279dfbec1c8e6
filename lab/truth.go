package lab

import (
	"sort"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// Truth is the server's full stamped track of everybody: after every move, not
// only the ones that snapshots carry.
type Truth struct {
	paths [session.MaxPlayers + 1][]track.Sample
}

// Trace notes a pose: hand it to session.Server.Watch.
func (t *Truth) Trace(id session.PlayerID, s track.Sample) {
	t.paths[id] = append(t.paths[id], s)
}

// At is where the player truly was at a match time, and false where nothing is
// known around it or the path breaks there.
func (t *Truth) At(id session.PlayerID, at clock.Micros) (track.Sample, bool) {
	path := t.paths[id]
	i := sort.Search(len(path), func(i int) bool { return path[i].At > at })
	if i == 0 || i == len(path) || !path[i-1].Continues(&path[i]) {
		return track.Sample{}, false
	}
	s, _ := track.Between(&path[i-1], &path[i], at)
	return s, true
}

// Steady reports whether the player's velocity kept its direction, and a speed
// above 0.1 m/s, from at − around to at + around, and which.
func (t *Truth) Steady(id session.PlayerID, at, around clock.Micros) (geom.Vec3, bool) {
	path := t.paths[id]
	i := sort.Search(len(path), func(i int) bool { return path[i].At >= at-around })
	var dir geom.Vec3
	for ; i < len(path) && path[i].At <= at+around; i++ {
		v := path[i].Velocity
		if v.Len() < 0.1 || dir != (geom.Vec3{}) && v.Unit().Dot(dir) < 0.99 {
			return geom.Vec3{}, false
		}
		if dir == (geom.Vec3{}) {
			dir = v.Unit()
		}
	}
	return dir, dir != geom.Vec3{}
}
