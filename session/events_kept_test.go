package session_test

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/benchscene"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/visibility"
)

// GAP-59, HIT-02: whatever a client is sent of others, and whatever is lost: twelve players in a
// fight, on a budget that never does for all, within a radius, in a maze behind whose walls
// they are hidden, and in each other's way. Every shot is judged as its shooter's screen
// showed it, and no player is corrected for a mistake. [BAS-08]
func TestShotsAndObstaclesWithPartialSnapshots(t *testing.T) {
	singleThreaded(t)
	for name, config := range map[string]session.ServerConfig{
		"a small budget":       {Snapshot: replicate.Rules{Budget: 60}},
		"twenty snapshots":     {SnapshotRate: 20, Snapshot: replicate.Rules{Budget: 90}},
		"a radius":             {Snapshot: replicate.Rules{Radius: 9, LeaveRadius: 11}},
		"in each other's way":  {PlayersBlock: true, Snapshot: replicate.Rules{Budget: 100, Radius: 10}},
		"in each other's maze": {PlayersBlock: true, World: benchscene.Maze(), Visibility: &visibility.Rules{}},
	} {
		t.Run(name, func(t *testing.T) {
			const seed = 31
			rnd := rand.New(rand.NewPCG(seed, 0))
			config.Players = 12
			r := newSimulationIn(t, config, func() toyGame { return &shy{*newToy()} })
			r.m.place = func(id session.PlayerID) geom.Vec3 { return geom.V(float64(id%4)*3-6, 0, float64(id/4)*4-6) }
			r.playing(12)
			for i, g := range r.clients {
				g.input = lively(uint64(i))
			}
			r.fate = func(flight) []int {
				if rnd.Float64() < .05 {
					return nil
				}
				return []int{2 + rnd.IntN(3)}
			}
			r.run(60 * 12)
			agreed, not, hits, waited, gone := uint64(0), uint64(0), uint64(0), uint64(0), uint64(0)
			for i, p := range r.m.Players(nil) {
				s := r.clients[i].Stats()
				agreed, not, hits = agreed+s.Agreed, not+s.Disagreed, hits+s.Hits
				waited, gone = waited+p.Snapshots.Deferred, gone+p.Snapshots.Removed
				if s.Moves.Corrections > 0 || s.Bad > 0 || p.Traffic.Bad > 0 {
					t.Errorf("player %d: %+v", p.ID, s)
				}
			}
			t.Logf("%d shots as seen, %d not, %d hits; %d waited for room, %d marks of gone", agreed, not, hits, waited, gone)
			if not > 0 || agreed < 60 {
				t.Errorf("seed %d: %d shots as seen, %d not", seed, agreed, not)
			}
		})
	}
}

// REP-02, REP-03, GAP-59: entities that come and go, jump, change their kind and play
// clips, over a link that loses a fifth: each client's view is the match's within a
// second of quiet, however it came there. [REP-05]
func TestEntitiesSurviveLoss(t *testing.T) {
	for seed := range uint64(4) {
		rnd := rand.New(rand.NewPCG(seed, 8))
		r := newSimulation(t, session.ServerConfig{SnapshotRate: []int{60, 20}[seed%2], Snapshot: replicate.Rules{Budget: 200}})
		two := r.playing(2)
		two[0].input = circle
		r.fate = func(flight) []int {
			if rnd.IntN(5) == 0 {
				return nil
			}
			return []int{1 + rnd.IntN(6)}
		}
		there := map[track.ID]track.Sample{}
		for i := range 1200 {
			if i < 1000 && rnd.IntN(4) == 0 && len(there) < 60 {
				if id := r.m.Spawn(track.Kind(rnd.IntN(4))); id != 0 {
					there[id] = track.Sample{Pose: track.Pose{Position: geom.V(rnd.NormFloat64()*20, 1, rnd.NormFloat64()*20)}}
				}
			}
			for id := firstEntity; id <= track.MaxID && i < 1000; id++ {
				s, ok := there[id]
				if !ok || rnd.IntN(20) > 0 {
					continue
				}
				switch rnd.IntN(4) {
				case 0:
					s.UserData = uint16(rnd.IntN(5))
					s.Clip, s.ClipAt = 3, r.now()
				case 1:
					r.m.TeleportEntity(id)
					s.Position.X = -s.Position.X
				case 2:
					s.Position.Y += .5
				default:
					r.m.Despawn(id)
					delete(there, id)
					continue
				}
				there[id] = s
			}
			for id, s := range there {
				r.m.UpdateEntity(id, s)
			}
			r.run(1)
		}
		for _, g := range two {
			things := g.Entities()
			if len(things) != len(there) {
				t.Fatalf("seed %d: player %d sees %d things of %d", seed, g.ID(), len(things), len(there))
			}
			for _, e := range things {
				if s, ok := there[e.ID]; !ok || s.UserData != e.UserData || s.Clip != e.Clip || s.Position.Dist(e.Position) > .005 {
					t.Errorf("seed %d: player %d sees %+v of %+v", seed, g.ID(), e, s)
				}
			}
			if s := g.Stats(); s.Bad > 0 {
				t.Errorf("seed %d: %d bad packets", seed, s.Bad)
			}
		}
	}
}

const firstEntity = track.ID(129)

// A game's Pose may say which clip plays and what is in hand: others see it. [WIR-16, REP-03]
func TestOthersSeeWhatIsInHand(t *testing.T) {
	r := newSimulationOf(t, session.ServerConfig{}, func() toyGame { return &armed{*newToy()} })
	two := r.playing(2)
	two[0].input = func(*testClient) toyCommand { return hold(1, 0) }
	r.run(60)
	for _, e := range two[1].Remotes() {
		if e.UserData != 7 || e.Clip != 2 || e.Kind != 0 || e.ClipAt > r.now() || e.ClipAt < r.now()-clock.Second {
			t.Errorf("%+v", e)
		}
	}
}

// armed is the toy with something in hand, and a kind that is not its to give.
type armed struct{ toy }

func (g *armed) Pose(s *toyState) track.Sample {
	pose := g.toy.Pose(s)
	pose.Kind, pose.UserData, pose.Clip, pose.ClipAt = 9, 7, 2, 500*clock.Millisecond
	return pose
}
