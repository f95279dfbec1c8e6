package session_test

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// walker is the toy whose players duck while they look away from where they started.
type walker struct{ toy }

func (g *walker) Pose(s *toyState) track.Sample {
	p := g.toy.Pose(s)
	if p.Stance.Swim = 1; s.Yaw > 1 {
		p.Stance.Crouch = 1
	}
	return p
}

// round is the way round from one count of metres to another.
func round(from, to float64) float64 {
	return math.Mod(to-from+2*track.StrideWrap, track.StrideWrap)
}

// What a player has walked, over a link that loses and reorders, with its own moves, those
// that were missing and those that silence forced, is how far it came; a placement and a
// push do not count; the distance wraps after 64 m and is never 0. [GAP-11]
func TestStrideDistanceAddsUp(t *testing.T) {
	r := newSimulationOf(t, session.ServerConfig{}, func() toyGame { return &walker{*newToy()} })
	n := uint32(1)
	r.fate = func(flight) []int {
		if n = n*1664525 + 1013904223; n>>24 < 50 {
			return nil
		}
		return []int{2 + int(n>>28)/4}
	}
	g := r.playing(1)[0]
	g.input = func(*testClient) toyCommand { return hold(1, 0) }
	r.run(60)
	pose := func() (s track.Sample) { r.m.FullSnapshot().Find(1, &s); return s }
	walked := func(what string, ticks int) {
		t.Helper()
		from := pose()
		way := 0.
		for last := from; ticks > 0; ticks-- {
			r.run(1)
			to := pose()
			way, last = way+to.Position.Dist(last.Position), to
			if to.StrideDistance == 0 {
				t.Errorf("%s: walked 0", what)
			}
		}
		if got := round(from.StrideDistance, pose().StrideDistance); math.Abs(got-math.Mod(way, 64)) > .02 {
			t.Errorf("%s: came %.3f m, walked %.3f", what, way, got)
		}
	}
	walked("a run", 1000)
	fate := r.fate
	r.fate = func(flight) []int { return nil }
	walked("a silence", 90)
	r.fate = fate
	r.run(120) // all that came too late, back and forth, in one tick
	was := pose()
	r.m.SetState(1, toyState{Pos: geom.V(500, 0, 20)})
	r.m.Modify(1, func(s *toyState) { s.Pos.Z += 9 })
	r.run(1)
	if got := round(was.StrideDistance, pose().StrideDistance); pose().Position.Dist(was.Position) < 50 || got > .5 {
		t.Errorf("put %v m away it walked %.3f", pose().Position.Dist(was.Position), got)
	}
}

// Others see a player get into a stance within track.StanceTime, and out of it; a new life
// begins in the stance that the game says.
func TestAStanceIsEased(t *testing.T) {
	r := newSimulationOf(t, session.ServerConfig{}, func() toyGame { return &walker{*newToy()} })
	yaw := 0.
	g := r.playing(1)[0]
	g.input = func(*testClient) toyCommand { c := hold(0, 0); c.Yaw = yaw; return c }
	r.run(60)
	pose := func() (s track.Sample) { r.m.FullSnapshot().Find(1, &s); return s }
	low := func() float64 { return pose().Stance.Crouch }
	if s := pose().Stance; s != (track.Stance{Swim: 1}) {
		t.Errorf("in the beginning: %v", s)
	}
	for _, want := range []float64{1, 0} {
		yaw = 2 * want
		r.run(4) // until it is there
		last, from := low(), 0
		for tick := 0; tick < 30 && last != want; tick++ {
			r.run(1)
			if d := math.Abs(low() - last); d > 3./15 {
				t.Errorf("by %v in a tick", d)
			} else if d > 0 {
				from++
			}
			last = low()
		}
		if took := clock.TickTime(int64(from), 60); last != want || took < track.StanceTime-40*clock.Millisecond || took > track.StanceTime+40*clock.Millisecond {
			t.Errorf("towards %v it is at %v after %d ms", want, last, took/clock.Millisecond)
		}
	}
}
