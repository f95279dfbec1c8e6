package visibility

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/benchscene"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// walled is a floor with a wall along X = 0 from Z = −20 to Z = 0, 3 m high, and with a
// door in it that rises away between the seconds 10 and 11.
func walled() *collide.World {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(60, 1, 60), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 1.5, -5), geom.V(.1, 1.5, 5), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 1.5, -16), geom.V(.1, 1.5, 4), geom.IdentityQuat, collide.Surface{})
	b.Mover("door", collide.Path{Keys: []collide.Key{{}, {At: 10 * clock.Second}, {At: 11 * clock.Second, Position: geom.V(0, 4, 0)}}}, func(b *collide.Builder) {
		b.Box(geom.V(0, 1.5, -11), geom.V(.1, 1.5, 1), geom.IdentityQuat, collide.Surface{})
	})
	return b.MustBake()
}

// stage is a Filter in a match of players that stand where they are put.
type stage struct {
	*Filter
	tick  uint32
	frame track.Snapshot
}

func (s *stage) look(at ...track.Entity) {
	s.tick++
	s.frame.Clear(s.tick, clock.TickTime(int64(s.tick), 60))
	for _, e := range at {
		s.frame.Add(e.ID, e.Sample)
	}
	s.Begin(&s.frame)
	for _, e := range at {
		if e.Kind == 0 {
			s.AddViewer(e.ID, e.Position.Add(geom.V(0, 1.6, 0)))
		}
	}
	s.Update()
}

func standing(id track.ID, x, z float64) track.Entity {
	return track.Entity{ID: id, Sample: track.Sample{Pose: track.Pose{Position: geom.V(x, 0, z)}}}
}

// THR-26: a player behind a wall is hidden; one that may step out from behind it within
// 250 ms is not, nor one that was seen half a second ago. A ball that bounces above the wall
// is seen, and one behind it is not.
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
		s := &stage{Filter: New(Rules{}, walled(), nil)}
		s.look(standing(1, -5, -5), c.other)
		if got := s.Visible(1, c.other.ID); got != c.shown {
			t.Errorf("%s: shown %v, want %v", c.name, got, c.shown)
		}
	}
}

// A door hides until it begins to open within 250 ms; whoever was seen is shown for half a
// second more.
func TestDoorsAndLingering(t *testing.T) {
	s := &stage{Filter: New(Rules{}, walled(), nil)}
	from := clock.Micros(0)
	for range 12 * 60 {
		s.look(standing(1, -2, -11), standing(2, 2, -11))
		if s.Visible(1, 2) && from == 0 {
			from = s.frame.At
		}
	}
	if from < 9750*clock.Millisecond || from > 10100*clock.Millisecond { // a ray to the feet passes below the door from 10.24 s on
		t.Errorf("shown from %v µs, want 9.75 to 10.1 s", from)
	}
	s.look(standing(1, -5, -5), standing(2, 5, 5))
	seen := s.frame.At
	for shown := true; shown; shown = s.Visible(1, 2) {
		s.look(standing(1, -5, -5), standing(2, 5, -6))
	}
	if d := s.frame.At - seen; d < 500*clock.Millisecond || d > 520*clock.Millisecond {
		t.Errorf("lingers for %v µs", d)
	}
}

// What was seen before a teleport or a respawn reveals nothing after it: a player that is behind the wall then is hidden
// at once, and so is everybody from a player that looks from there. [THR-26]
func TestATeleportOrRespawnHidesAtOnce(t *testing.T) {
	for _, c := range []struct {
		name                       string
		viewerTeleport, viewerLife uint8
		otherTeleport, otherLife   uint8
		shown                      bool
	}{
		{"the other teleports", 0, 0, 1, 0, false},
		{"the other respawns", 0, 0, 0, 1, false},
		{"the viewer teleports", 1, 0, 0, 0, false},
		{"the viewer respawns", 0, 1, 0, 0, false},
		{"the other runs there", 0, 0, 0, 0, true},
	} {
		s := &stage{Filter: New(Rules{}, walled(), nil)}
		viewer, other := standing(1, -5, -5), standing(2, 5, 5)
		if s.look(viewer, other); !s.Visible(1, 2) {
			t.Fatal("hidden in the open")
		}
		viewer.Teleport, viewer.Life = c.viewerTeleport, c.viewerLife
		other.Teleport, other.Life = c.otherTeleport, c.otherLife
		other.Position.Z = -6
		if s.look(viewer, other); s.Visible(1, 2) != c.shown {
			t.Errorf("%s: shown %v, want %v", c.name, !c.shown, c.shown)
		}
	}
}

// A match that reveals nobody for longer than it is seen shows a player in the open in every tick, although each pair is
// tested only now and then, and hides one that has run behind the wall at its next test. [THR-26]
func TestWithoutLingerNobodyFlickers(t *testing.T) {
	for _, linger := range []clock.Micros{-1, 10 * clock.Millisecond} {
		s, shown := &stage{Filter: New(Rules{Linger: linger}, walled(), nil)}, 0
		for range 60 {
			if s.look(standing(1, -5, 5), standing(2, 5, 5)); s.Visible(1, 2) {
				shown++
			}
		}
		if shown != 60 {
			t.Errorf("Linger %d: got shown in %d of 60 ticks in the open, want all", linger, shown)
		}
		if s.look(standing(1, -5, -5), standing(2, 5, -6)); s.Visible(1, 2) {
			t.Errorf("Linger %d: shown in the tick in which it is behind the wall", linger)
		}
	}
}

// A player that rides a lift stands in a snapshot as seen from the lift: it is seen where the lift has taken it, above
// the wall, and hidden below. [THR-26]
func TestARiderIsWhereItsLiftIs(t *testing.T) {
	for _, c := range []struct {
		height float64
		shown  bool
	}{{0, false}, {6, true}} {
		var b collide.Builder
		b.Box(geom.V(0, 1.5, 0), geom.V(.1, 1.5, 40), geom.IdentityQuat, collide.Surface{}) // a wall 3 m high
		b.Mover("lift", collide.Path{Keys: []collide.Key{{Position: geom.V(5, c.height, 0)}}}, func(b *collide.Builder) {
			b.Box(geom.V(0, -.1, 0), geom.V(1, .1, 1), geom.IdentityQuat, collide.Surface{})
		})
		s := &stage{Filter: New(Rules{}, b.MustBake(), nil)}
		rider := standing(2, 0, 0)
		rider.Base = 1
		if s.look(standing(1, -5, 0), rider); s.Visible(1, 2) != c.shown {
			t.Errorf("a rider %v m up: shown %v, want %v", c.height, !c.shown, c.shown)
		}
	}
}

// THR-26: who is of the viewer's team is revealed behind walls too, without a ray. Whoever changes
// sides is hidden again when Linger is over.
func TestAGameReveals(t *testing.T) {
	teammates := true
	s := &stage{Filter: New(Rules{Reveal: func(viewer, entity track.ID) bool { return teammates && viewer == 1 && entity == 2 }}, walled(), nil)}
	look := func() { s.look(standing(1, -5, -5), standing(2, 5, -6)) }
	look()
	if !s.Visible(1, 2) || s.Visible(2, 1) {
		t.Errorf("the viewer is sent its teammate: %v, want true; the other way, which the game does not say: %v, want false", s.Visible(1, 2), s.Visible(2, 1))
	}
	spent := 2048 - s.left
	look()
	if used := 2048 - s.left; used != 0 {
		t.Errorf("%d rays in the second tick, want 0: the one hidden pair waits for its turn (%d in the first)", used, spent)
	}
	teammates = false
	for range 32 { // 533 ms at 60 Hz
		look()
	}
	if s.Visible(1, 2) {
		t.Error("shown 533 ms after it was a teammate")
	}
}

// A server that is late skips a tick. Players that saw each other before it still do, although the rays of one tick
// are too few to test all of them.
func TestASkippedTickHidesNobody(t *testing.T) {
	s := stage{Filter: New(Rules{Rays: 200}, walled(), nil)}
	var all []track.Entity
	for id := track.ID(1); id <= 30; id++ {
		all = append(all, standing(id, 10+float64(id%6), float64(id/6)))
	}
	seen := func() (n int) {
		for a := range all {
			for b := range all {
				if a != b && s.Visible(all[a].ID, all[b].ID) {
					n++
				}
			}
		}
		return n
	}
	for range 60 {
		s.look(all...)
	}
	if n := seen(); n != 30*29 {
		t.Fatalf("%d of %d pairs see each other", n, 30*29)
	}
	for _, skipped := range []uint32{1, 5} {
		s.tick += skipped
		s.look(all...)
		if n := seen(); n != 30*29 {
			t.Errorf("after %d skipped ticks %d of %d pairs see each other", skipped, n, 30*29)
		}
	}
}

// What lies on the floor in the open, or hangs from a ceiling or a wall, is seen: the surface does not hide its own
// point. Behind the wall it is hidden. [THR-26]
func TestTheFloorHidesNothingThatLiesOnIt(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, 6.5, 0), geom.V(60, 1, 60), geom.IdentityQuat, collide.Surface{}) // a ceiling at 5.5 m
	b.Box(geom.V(0, -1, 0), geom.V(60, 1, 60), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 1.5, -5), geom.V(.1, 1.5, 5), geom.IdentityQuat, collide.Surface{})
	w := b.MustBake()
	for _, early := range []clock.Micros{-1, 0} {
		hidden, shown := map[float64]int{}, 0
		for i := range 500 {
			for _, height := range []float64{0, 5.5} {
				thing := standing(129, 3+float64(i%23)*.37, 3+float64(i)*.0137)
				thing.Kind, thing.Position.Y = 4, height
				s := &stage{Filter: New(Rules{Lookahead: early}, w, nil)}
				if s.look(standing(1, 5, 5), thing); !s.Visible(1, 129) {
					hidden[height]++
				}
			}
			thing := standing(129, 3+float64(i%23)*.37, -6)
			thing.Kind = 4
			s := &stage{Filter: New(Rules{Lookahead: early}, w, nil)}
			if s.look(standing(1, -5, -5), thing); s.Visible(1, 129) {
				shown++
			}
		}
		if len(hidden) != 0 || shown != 0 {
			t.Errorf("Lookahead %d: got %v of 500 hidden in the open by their height, and %d shown behind the wall; want none", early, hidden, shown)
		}
	}
}

// Two players on either side of a pane see each other once its entity says that it is broken, and not before; when it
// stands again they are hidden again. [THR-26, GAP-46]
func TestABrokenPaneHidesNobody(t *testing.T) {
	s := &stage{Filter: New(Rules{Linger: -1}, walled(), nil)}
	s.Breaks = 9
	pane := standing(200, 0, -11)
	pane.Kind, pane.UserData = 9, 1 // the door of the level, which stands for ten seconds
	// What else is dead, such as a player whose game has the same number, breaks nothing.
	corpse := standing(3, 30, 30)
	corpse.Dead, corpse.UserData = true, 1
	for _, broken := range []bool{false, true, false} {
		pane.Dead = broken
		for range 20 {
			s.look(standing(1, -4, -11), standing(2, 4, -11), corpse, pane)
		}
		if got := s.Visible(1, 2); got != broken {
			t.Errorf("broken %v: got shown %v", broken, got)
		}
	}
	s.Breaks = 0 // a match without panes
	for range 20 {
		s.look(standing(1, -4, -11), standing(2, 4, -11), corpse)
	}
	if s.Visible(1, 2) {
		t.Error("a corpse in a match without panes: shown through the door")
	}
}

// A door that closes within 250 ms hides nobody before it does, and somebody then. [THR-26]
func TestAClosingDoor(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, 1.5, -6), geom.V(.1, 1.5, 5), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 1.5, 6), geom.V(.1, 1.5, 5), geom.IdentityQuat, collide.Surface{})
	b.Mover("door", collide.Path{Keys: []collide.Key{{Position: geom.V(0, 4, 0)}, {At: clock.Second, Position: geom.V(0, 4, 0)}, {At: 1100 * clock.Millisecond}}}, func(b *collide.Builder) {
		b.Box(geom.V(0, 1.5, 0), geom.V(.1, 1.5, 1), geom.IdentityQuat, collide.Surface{})
	})
	s := &stage{Filter: New(Rules{Linger: -1}, b.MustBake(), nil)}
	for s.frame.At < 1200*clock.Millisecond {
		s.look(standing(1, -4, 0), standing(2, 4, 0))
		if open := s.frame.At < clock.Second; open && !s.Visible(1, 2) {
			t.Fatalf("at %v µs hidden by a door that is open", s.frame.At)
		}
	}
	if s.Visible(1, 2) {
		t.Error("shown through the closed door")
	}
}

// Where the rays of a tick are too few for all pairs, those behind the wall that were not tested yet are not revealed at
// once, but when they have waited for longer than Lookahead. [THR-26]
func TestNewPairsWaitForTheirRays(t *testing.T) {
	s := &stage{Filter: New(Rules{Rays: 1}, walled(), nil), tick: 600}
	var all []track.Entity
	for id := track.ID(1); id <= 20; id++ {
		all = append(all, standing(id, float64(id%2)*20-10, -5))
	}
	for waited := range 20 {
		shown := 0
		s.look(all...)
		for a := range all {
			for b := range all {
				if a%2 != b%2 && s.Visible(all[a].ID, all[b].ID) {
					shown++
				}
			}
		}
		if at := clock.TickTime(int64(waited), 60); at < 200*clock.Millisecond && shown > 0 || at > 300*clock.Millisecond && shown < 100 {
			t.Errorf("%d of 200 pairs are shown through the wall after %v s, want none before 0.25 s and most after", shown, at.Seconds())
		}
	}
}

// THR-26: a match that reveals nobody early, or hardly so, still hides players behind a wall: a pair that waits
// for its next test is not one that waits for rays. At every tick rate, also where the server skips ticks.
func TestLittleEarlinessHidesAllTheSame(t *testing.T) {
	for _, early := range []clock.Micros{-1, 20 * clock.Millisecond, 60 * clock.Millisecond} {
		for _, step := range []uint32{1, 2, 6} {
			s, shown := &stage{Filter: New(Rules{Lookahead: early}, walled(), nil)}, 0
			for range 60 {
				s.tick += step - 1
				s.look(standing(1, -5, -5), standing(2, 5, -6))
				if s.Visible(1, 2) {
					shown++
				}
			}
			if shown != 0 {
				t.Errorf("Lookahead %d ms, %d Hz: got shown behind the wall in %d of 60 ticks, want 0", early/clock.Millisecond, 60/step, shown)
			}
		}
	}
}

// However many there are, rays are bounded; nobody waits for longer than Lookahead; and
// a tick allocates nothing.
func TestRaysAreBounded(t *testing.T) {
	const seed = 6
	r := rand.New(rand.NewPCG(seed, 1))
	s := &stage{Filter: New(Rules{Rays: 500}, walled(), nil)}
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
func BenchmarkUpdate(b *testing.B) {
	s := &stage{Filter: New(Rules{}, benchscene.Maze(), nil)}
	var all []track.Entity
	for id := track.ID(1); id <= 10; id++ {
		all = append(all, standing(id, float64(id%4)*8-14, float64(id/4)*8-14))
	}
	rays := 0
	for b.Loop() {
		s.look(all...)
		rays += s.rules.Rays - s.left
	}
	b.ReportMetric(float64(rays)/float64(b.N), "rays/tick")
}

// The outline of the default rig, upright and crouched, is that of a person; a rig of twice
// the size is twice as high and wide, a box is turned with its bone, and what has no hitboxes is
// a point.
func TestOutlines(t *testing.T) {
	at := geom.Transform{Rotation: geom.YawQuat(1.5707963267948966), Translation: geom.V(0, 1, 0)}
	cart, err := (&rig.Plan{
		Bones:    []rig.Bone{{Name: "root", Parent: -1, Rest: geom.Transform{Rotation: geom.IdentityQuat}}},
		Hitboxes: []rig.Hitbox{{Name: "crate", HitGroup: rig.Body, Shape: rig.Box, At: at, Half: geom.V(.5, 1, 2)}},
	}).Bake()
	if err != nil {
		t.Fatal(err)
	}
	person := &rewind.Upright{Rig: rig.DefaultRig()}
	for _, c := range []struct {
		name         string
		boxes        rewind.HitboxProvider
		sample       track.Sample
		height, side float64
	}{
		{"a person", person, track.Sample{}, 1.74, .34},
		{"crouched", person, track.Sample{Pose: track.Pose{Crouched: true}}, .8, .28},
		{"dead", person, track.Sample{GameData: track.GameData{Dead: true}}, 1.74, .34},
		{"a ball", person, track.Sample{GameData: track.GameData{Kind: 3}}, 0, 0},
		{"a cart", &rewind.Upright{Rig: cart}, track.Sample{}, 2, 2},
	} {
		o := outlines{hitboxes: c.boxes}
		for range 2 {
			o.sample = c.sample
			if got := o.of(); math.Abs(got.height-c.height) > 1e-3 || math.Abs(got.side-c.side) > 1e-3 {
				t.Errorf("%s: %.3f m high and %.3f m to each side, want %.3f and %.3f", c.name, got.height, got.side, c.height, c.side)
			}
		}
	}
}
