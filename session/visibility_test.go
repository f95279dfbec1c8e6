package session

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// walled is a floor with a wall along X = 0 from Z = −20 to Z = 0, 3 m high, and with a
// door in it that rises away between the seconds 10 and 11.
func walled(t testing.TB) *collide.World {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(60, 1, 60), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 1.5, -5), geom.V(.1, 1.5, 5), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 1.5, -16), geom.V(.1, 1.5, 4), geom.IdentityQuat, collide.Surface{})
	b.Body("door", collide.Path{Keys: []collide.Key{{}, {At: 10 * clock.Second}, {At: 11 * clock.Second, Position: geom.V(0, 4, 0)}}}, func(b *collide.Builder) {
		b.Box(geom.V(0, 1.5, -11), geom.V(.1, 1.5, 1), geom.IdentityQuat, collide.Surface{})
	})
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// stage is a sight with two players, who stand where they are put.
type stage struct {
	*lookout
	tick  uint32
	frame track.Snapshot
}

func (s *stage) look(at ...track.Entity) {
	s.tick++
	s.frame.Clear(s.tick, clock.TickTime(int64(s.tick), 60))
	for _, e := range at {
		s.frame.Add(e.ID, e.Sample)
	}
	s.begin(&s.frame)
	for _, e := range at {
		if e.Kind == 0 {
			s.watch(e.ID, e.Position.Add(geom.V(0, 1.6, 0)))
		}
	}
	s.lookout.look()
}

func standing(id track.ID, x, z float64) track.Entity {
	return track.Entity{ID: id, Sample: track.Sample{Position: geom.V(x, 0, z)}}
}

// THR-26: who stands behind a wall is hidden, who may step out from behind it within
// 250 ms is not, nor who was seen half a second ago; a ball that bounces above the wall is
// seen, and one behind it is not.
func TestWallsHide(t *testing.T) {
	ball := standing(129, 5, -5)
	ball.Kind = 4
	high := ball
	high.Position.Y = 3.2
	running := standing(2, 1, -6)
	running.Velocity = geom.V(0, 0, 30)
	for _, c := range []struct {
		name  string
		other track.Entity
		shown bool
	}{
		{"far behind the wall", standing(2, 5, -6), false},
		{"beside the wall, in the open", standing(2, 5, 3), true},
		{"behind the wall's end, a step from it", standing(2, 1, -.9), true},
		{"behind the wall's end, two seconds from it", standing(2, .5, -4.5), false},
		{"the same, and very fast", running, true},
		{"a ball behind the wall", ball, false},
		{"a ball above it", high, true},
	} {
		s := &stage{lookout: newLookout(Visibility{}, walled(t))}
		s.look(standing(1, -5, -5), c.other)
		if got := s.shows(1, c.other.ID); got != c.shown {
			t.Errorf("%s: shown %v, want %v", c.name, got, c.shown)
		}
	}
}

// A door hides until it begins to open within 250 ms; whoever was seen is shown for half a
// second more; a jump behind the wall hides at once.
func TestDoorsAndLingering(t *testing.T) {
	s := &stage{lookout: newLookout(Visibility{}, walled(t))}
	from := clock.Micros(0)
	for range 12 * 60 {
		s.look(standing(1, -2, -11), standing(2, 2, -11))
		if s.shows(1, 2) && from == 0 {
			from = s.frame.At
		}
	}
	if from < 9750*clock.Millisecond || from > 10300*clock.Millisecond {
		t.Errorf("shown from %v µs", from)
	}
	s.look(standing(1, -5, -5), standing(2, 5, 5))
	seen := s.frame.At
	for shown := true; shown; shown = s.shows(1, 2) {
		s.look(standing(1, -5, -5), standing(2, 5, -6))
	}
	if d := s.frame.At - seen; d < 500*clock.Millisecond || d > 520*clock.Millisecond {
		t.Errorf("lingers for %v µs", d)
	}
	away := standing(2, 5, -6)
	away.Teleport++
	s.look(standing(1, -5, -5), standing(2, 5, 5))
	s.look(standing(1, -5, -5), away)
	if s.shows(1, 2) {
		t.Error("shown after the jump")
	}
}

// However many there are, rays are bounded; nobody waits for longer than Early; and
// a tick allocates nothing.
func TestSightIsBounded(t *testing.T) {
	const seed = 6
	r := rand.New(rand.NewPCG(seed, 1))
	s := &stage{lookout: newLookout(Visibility{Rays: 500}, walled(t))}
	var all []track.Entity
	for id := track.ID(1); id <= 60; id++ {
		all = append(all, standing(id, r.Float64()*30-15, -r.Float64()*20))
	}
	most := 0
	tick := func() {
		s.look(all...)
		most = max(most, 500-s.left)
	}
	for range 60 {
		tick()
	}
	if n := testing.AllocsPerRun(60, tick); n != 0 {
		t.Errorf("%v allocations a tick, want 0", n)
	}
	if most > 500+120 {
		t.Errorf("seed %d: %d rays in a tick", seed, most)
	}
	t.Logf("%d rays at most", most)
}

// What a tick of ten players costs in a maze of walls, none seeing any.
func BenchmarkSight(b *testing.B) {
	s := &stage{lookout: newLookout(Visibility{}, Maze(b))}
	var all []track.Entity
	for id := track.ID(1); id <= 10; id++ {
		all = append(all, standing(id, float64(id%4)*8-14, float64(id/4)*8-14))
	}
	rays := 0
	for b.Loop() {
		s.look(all...)
		rays += s.Rays - s.left
	}
	b.ReportMetric(float64(rays)/float64(b.N), "rays/tick")
}

// Maze is rooms of 4 × 4 m, half of whose walls have a gap.
func Maze(t testing.TB) *collide.World {
	r := rand.New(rand.NewPCG(11, 0))
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(60, 1, 60), geom.IdentityQuat, collide.Surface{})
	for i := -4; i <= 4; i++ {
		for j := -4; j < 4; j++ {
			for turn := range 2 {
				at, half := float64(4*j)+2, 2.
				if i > -4 && i < 4 && r.IntN(2) == 0 {
					at, half = at-1, 1 // a gap of 2 m
				}
				if turn == 0 {
					b.Box(geom.V(at, 1.5, float64(4*i)), geom.V(half, 1.5, .1), geom.IdentityQuat, collide.Surface{})
				} else {
					b.Box(geom.V(float64(4*i), 1.5, at), geom.V(.1, 1.5, half), geom.IdentityQuat, collide.Surface{})
				}
			}
		}
	}
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}
