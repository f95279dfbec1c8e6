package main

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// furnished is newPage with a ball 2 m ahead of each spawn point, a health pack behind,
// and a guest who walks in a circle.
func furnished(t *testing.T) (*page, *arena.Player) {
	t.Helper()
	p := newPage(t)
	drawn := byte(0)
	p.match = arena.NewMatch(arena.MatchConfig{
		ServerConfig: session.ServerConfig{World: core.world, LevelHash: "floor", NewKey: func() (k session.Key) {
			drawn++
			k[0], k[15] = drawn, 0xa5
			return k
		}},
		Spawns: []arena.Spawn{{Position: geom.V(0, 0.02, 5)}, {Position: geom.V(8, 0.02, 5)}}, KillHeight: -50, Peaceful: true,
		Entities: []arena.Entity{
			{Kind: "ball", Position: geom.V(0, .25, 3)}, {Kind: "ball", Position: geom.V(8, .25, 3)},
			{Kind: "health", Position: geom.V(0, 0, 15)},
		},
	})
	t.Cleanup(func() { debugRemotes(0) })
	return p, arena.NewPlayer(session.ClientConfig{})
}

// together plays for a time, the guest from another peer.
func (p *page) together(guest *arena.Player, d clock.Micros) {
	p.t.Helper()
	for end := p.now + d - 1000; p.now < end; {
		p.ticks++
		p.now = clock.TickTime(p.ticks, 60)
		frame(float64(p.now))
		p.listen()
		p.carryUp()
		guest.Play(p.now, arena.Input{Forward: 1, Yaw: p.now.Seconds()})
		for _, packet := range guest.Outgoing() {
			if err := p.match.Receive(2, packet.Channel, p.now, packet.Bytes); err != nil {
				p.t.Fatal(err)
			}
		}
		if guest.Phase() == session.Loading {
			guest.Enter(core.world)
		}
		p.match.Tick(p.now)
		for _, packet := range p.match.Outgoing() {
			if packet.Peer == p.peer {
				n := copy(inboxBlock[:], packet.Bytes)
				receive(int32(packet.Channel), int32(n), float64(p.now))
			} else if err := guest.Receive(packet.Channel, p.now, packet.Bytes); err != nil {
				p.t.Fatal(err)
			}
		}
	}
}

// entityOf returns where the record of an entity of a kind begins: the one ahead of the
// player where there are several.
func entityOf(t *testing.T, kind float64) int {
	t.Helper()
	for i := range int(stateBlock[StateEntities]) {
		at := EntityBase + i*EntityStride
		if stateBlock[at+EntityKind] == kind && (kind != KindBall || math.Abs(stateBlock[at+EntityX]-stateBlock[StateX]) < 2) {
			return at
		}
	}
	t.Fatalf("no entity of kind %v among %v", kind, stateBlock[StateEntities])
	return 0
}

func TestABallThatIsWalkedIntoRolls(t *testing.T) {
	p, guest := furnished(t)
	guest.Hello("Bo", session.Key{})
	p.hello("Ann", "", "floor")
	p.together(guest, 2*clock.Second)
	pack := entityOf(t, KindHealth)
	if got := stateBlock[pack+EntityUserData]; got != arena.PackHealth {
		t.Errorf("the pack says that it heals %v, want %v", got, arena.PackHealth)
	}
	ball := entityOf(t, KindBall)
	if z := stateBlock[ball+EntityZ]; math.Abs(z-3) > .01 || stateBlock[ball+EntityQW] != 1 {
		t.Errorf("the ball lies at z %.3f, turned %v, want 3 and not", z, stateBlock[ball+EntityQW])
	}
	inputBlock[InputForward] = 1
	p.together(guest, clock.Second)
	inputBlock[InputForward] = 0
	if z, by := stateBlock[entityOf(t, KindBall)+EntityZ], stateBlock[StateZ]; z > 2.5 || z > by {
		t.Errorf("after a second's walk into it the ball is at z %.3f and the player at %.3f, want it ahead", z, by)
	}
}

func TestRemoteDebugShowsHowARemoteIsDrawn(t *testing.T) { // GAP-36
	p, guest := furnished(t)
	guest.Hello("Bo", session.Key{})
	p.hello("Ann", "", "floor")
	p.together(guest, 2*clock.Second)
	if got := stateBlock[StateRemoteDebugs]; got != 0 {
		t.Fatalf("switched off: %v records, want none", got)
	}
	debugRemotes(1)
	p.together(guest, clock.Second)
	if got := stateBlock[StateRemoteDebugs]; got != 1 {
		t.Fatalf("%v records, want 1", got)
	}
	s, at := &stateBlock, RemoteDebugBase
	if got := s[at+RemoteDebugStates]; got < 20 || got > MaxRemoteDebugStates {
		t.Errorf("%v received states, want 20 to %v", got, MaxRemoteDebugStates)
	}
	if sum := s[at+RemoteDebugServer] + s[at+RemoteDebugNetwork] + s[at+RemoteDebugClient]; math.Abs(sum-s[at+RemoteDebugAge]) > 1e-6 {
		t.Errorf("the parts of the age are %.4f s together, want %.4f", sum, s[at+RemoteDebugAge])
	}
	if s[at+RemoteDebugViewDelay] <= 0 || s[at+RemoteDebugViewDelay] > .2 {
		t.Errorf("drawn %.3f s behind, want within 0.2", s[at+RemoteDebugViewDelay])
	}
	from := at + RemoteDebugStates + 1
	last := -1.0
	for i := range int(s[at+RemoteDebugStates]) {
		age := s[from+i*RemoteDebugStateStride+RemoteDebugStateAge]
		if age < last {
			t.Errorf("state %d is %.3f s old, after one of %.3f: want the newest first", i, age, last)
		}
		last = age
	}
	ghost := geom.V(s[at+RemoteDebugExtrapolatedX], s[at+RemoteDebugExtrapolatedY], s[at+RemoteDebugExtrapolatedZ])
	truth, _ := p.match.State(guest.ID())
	if d := ghost.Dist(truth.Position); d > .2 {
		t.Errorf("the ghost is %.2f m from where the server has the player, want within 0.2", d)
	}
	if d := ghost.Dist(geom.V(s[at+RemoteDebugX], s[at+RemoteDebugY], s[at+RemoteDebugZ])); d < .1 {
		t.Errorf("the ghost is %.2f m from what is drawn, want it ahead", d)
	}
}

func TestOnlyTheNearestRemotesHaveDebugRecords(t *testing.T) {
	var all []track.Entity
	for i := range 20 {
		e := track.Entity{ID: track.ID(i + 1)}
		e.Position.X = float64((i*7)%20 + 1)
		all = append(all, e)
	}
	var room [MaxRemoteDebugs]*track.Entity
	got := nearestEntities(all, geom.Vec3{}, room[:0])
	if len(got) != MaxRemoteDebugs {
		t.Fatalf("%d, want %d", len(got), MaxRemoteDebugs)
	}
	for i, e := range got {
		if e.Position.X != float64(i+1) {
			t.Errorf("number %d is %.0f m away, want %d", i, e.Position.X, i+1)
		}
	}
}

func TestThePageAndTheGameMeanTheSameKinds(t *testing.T) {
	for kind, want := range map[track.Kind]track.Kind{
		arena.KindBall: KindBall, arena.KindFootball: KindFootball, arena.KindCrate: KindCrate, arena.KindHealth: KindHealth,
	} {
		if kind != want {
			t.Errorf("the game's kind %d is the page's %d", kind, want)
		}
	}
	for kind, want := range map[track.Kind]float64{arena.KindBall: BallRadius, arena.KindFootball: BallRadius, arena.KindCrate: CrateHalf} {
		if b, ok := arena.BodyOfKind(kind); !ok || b.Half.X != want {
			t.Errorf("kind %d is %.2f m, the page draws %.2f", kind, b.Half.X, want)
		}
	}
}
