package replay_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/examples/arena/replay"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

const (
	doorID = 1 // opens for a character that comes near
	liftID = 2 // goes up and down when the game says so
)

// doorCourt is the court with a door and a lift between the places to enter.
func doorCourt(t testing.TB) arena.MatchConfig {
	c := court(t)
	var b collide.Builder
	id := geom.IdentityQuat
	b.Box(geom.V(0, -1, 0), geom.V(30, 1, 30), id, collide.Surface{})
	b.TriggeredMover("door", collide.Path{Keys: []collide.Key{{}, {At: 600 * clock.Millisecond, Position: geom.V(1.5, 0, 0)}}},
		collide.Trigger{Kind: collide.Timed, Delay: collide.DefaultDelay, Hold: 800 * clock.Millisecond},
		func(b *collide.Builder) { b.Box(geom.V(0, 1.25, 0), geom.V(.7, 1.25, .1), id, collide.Surface{}) })
	b.TriggeredMover("lift", collide.Path{Keys: []collide.Key{{}, {At: 2 * clock.Second, Position: geom.V(0, 4, 0)}}},
		collide.Trigger{Kind: collide.Toggle},
		func(b *collide.Builder) { b.Box(geom.V(8, -.1, 4), geom.V(5, .2, 5), id, collide.Surface{}) })
	b.VolumeBox(collide.Volume{Triggers: "door"}, geom.V(0, 1, 0), geom.V(3, 1, 3), id)
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	c.World, c.LevelHash = w, w.Hash()
	return c
}

// doorMatch is a match in which the game calls the lift every 4 s. Replays do the same.
type doorMatch struct{ *arena.Match }

func (m doorMatch) Tick(now clock.Micros) {
	if k := clock.TickTime(240, 60); now%k == 0 {
		m.Trigger(liftID, collide.Press, now)
	}
	m.Match.Tick(now)
}

// seen is where a tick had the movers, and a rider of the lift.
type seen struct {
	door, lift geom.Transform
	rider      geom.Vec3
}

// look looks at a level, and at the snapshot of a tick.
func look(w *collide.World, s *track.Snapshot) (out seen) {
	out = seen{door: w.Pose(doorID, s.At), lift: w.Pose(liftID, s.At)}
	for _, e := range s.Entities(nil) {
		if e.Base == liftID {
			out.rider = e.ToWorld(w, e.At).Position
		}
	}
	return out
}

// doorFight records twenty seconds of four bots in that court, whose game calls the lift or does not,
// and returns what each tick had.
func doorFight(t testing.TB, calls bool) (*record.File, map[uint32]seen) {
	t.Helper()
	want := map[uint32]seen{}
	f, _ := bots{
		n: 4, skill: arena.Veteran, ticks: 1200,
		begun: func(m *arena.Match, rec *record.Recorder) {
			if calls {
				rec.Match = doorMatch{m}
			}
		},
		each: func(m *arena.Match) {
			s := m.FullSnapshot()
			want[s.Tick] = look(m.World(), s)
		},
	}.record(t, doorCourt(t))
	return f, want
}

// shownDoor returns where a page reads the door along X, −1 where it reads none.
func shownDoor(tick *record.Tick) float32 {
	le, b := binary.LittleEndian, record.AppendPageFrame(nil, tick.Snapshot, tick.World)
	for b = b[8:]; len(b) > 0; b = b[record.PageEntitySize:] {
		if track.ID(le.Uint16(b)) == record.FirstPageMover+doorID-1 {
			return math.Float32frombits(le.Uint32(b[8:]))
		}
	}
	return -1
}

// A door that players open and a lift that the game calls are, in a recording, where the match had
// them, in every tick and read from any tick on; riders too. Simulated again, the match has the
// recorded hashes, which cover the triggers: without the game's calls of the lift they differ. [BAS-13]
func TestDoorsAreTheSameAgain(t *testing.T) {
	f, want := doorFight(t, true)
	moved, riders := 0, 0
	for _, from := range []uint32{0, 61, 437, 1199} {
		for tick, err := range f.Ticks(from) {
			if err != nil {
				t.Fatal(err)
			}
			got, want := look(tick.World, tick.Snapshot), want[tick.Snapshot.Tick]
			if got.door != want.door || got.lift != want.lift || got.rider.Dist(want.rider) > .002 {
				t.Fatalf("tick %d, read from %d:\n got %+v\nwant %+v", tick.Snapshot.Tick, from, got, want)
			}
			if x, at := shownDoor(tick), got.door.Translation.X; at > 0 && x != float32(at) {
				t.Fatalf("tick %d: a page reads the door at %v, want %v", tick.Snapshot.Tick, x, at)
			}
			if got.door.Translation.X > 0 && got.lift.Translation.Y > 0 {
				moved++
			}
			if got.rider.Y > .5 {
				riders++
			}
		}
	}
	if moved < 100 || riders < 100 {
		t.Errorf("door and lift were away in %d ticks, and %d ticks had a rider on the raised lift: not much of a test", moved, riders)
	}
	verify := func(calls bool) record.VerifyResult {
		v, err := f.Verify(func(f *record.File, newKey func() session.Key) (record.Match, error) {
			m, err := replay.Remake(f, newKey)
			if calls {
				return doorMatch{m}, err
			}
			return m, err
		})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := verify(true); v.Differed || v.Hashes < 20 {
		t.Errorf("simulated again: %v", v)
	}
	if v := verify(false); !v.Differed {
		t.Errorf("without the lift: %v; want a difference", v)
	}
}

// The scenario that is made of a recording has the door where the match had it: every command of the
// bots leads where it led, from the beginning and from when the door was used many times already. [BAS-13]
func TestAScenarioOfARecordingHasItsDoors(t *testing.T) {
	f, _ := doorFight(t, false)
	for _, from := range []clock.Micros{0, 5 * clock.Second} {
		scene, r := played(t, f, from, 0)
		if scene.Players != 4 || scene.Commands < 1000 || scene.Deviating != 0 || !r.Held() {
			t.Errorf("from %d: %d players, %d commands, %d lead elsewhere, by up to %v m; as expected: %v",
				from, scene.Players, scene.Commands, scene.Deviating, scene.MaxDeviation, r.Held())
		}
	}
}
