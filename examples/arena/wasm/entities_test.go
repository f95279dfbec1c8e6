package main

import (
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// furnished is newPage with a ball 2 m ahead of each spawn point, a health pack behind,
// and a guest that walks in a circle.
func furnished(t *testing.T) *page {
	t.Helper()
	p := newPage(t)
	p.start(arena.MatchConfig{
		Spawns: []arena.Spawn{{Position: geom.V(0, 0.02, 5)}, {Position: geom.V(8, 0.02, 5)}}, Peaceful: true,
		Entities: []arena.Entity{
			{Kind: "ball", Position: geom.V(0, .25, 3)}, {Kind: "ball", Position: geom.V(8, .25, 3)},
			{Kind: "health", Position: geom.V(0, 0, 15)},
		},
	})
	o := &partner{player: arena.NewPlayer(session.ClientConfig{}), in: arena.Input{Forward: 1}, turns: 1}
	p.hello()
	p.run(clock.Second / 20) // so that the page has the first place
	p.other = o
	o.player.Hello("Bo", session.Key{})
	p.run(2 * clock.Second)
	return p
}

// entityOf returns an entity of a kind: the one ahead of the player where there are several.
func entityOf(t *testing.T, kind track.Kind) DrawnEntity {
	t.Helper()
	for _, e := range block.Entities {
		if e.Kind == kind && (kind != arena.KindBall || math.Abs(e.Position.X-exported.Position.X) < 2) {
			return e
		}
	}
	t.Fatalf("no entity of kind %v among %v", kind, block.Entities)
	return DrawnEntity{}
}

func TestABallThatIsWalkedIntoRolls(t *testing.T) {
	p := furnished(t)
	if got := entityOf(t, arena.KindHealth).UserData; got != arena.PackHealth {
		t.Errorf("the pack says that it heals %v, want %v", got, arena.PackHealth)
	}
	if ball := entityOf(t, arena.KindBall); math.Abs(ball.Position.Z-3) > .01 || ball.Rotation.W != 1 {
		t.Errorf("the ball lies at z %.3f, turned %v, want 3 and not", ball.Position.Z, ball.Rotation)
	}
	controls.Forward = 1
	p.run(clock.Second)
	controls.Forward = 0
	if z, by := entityOf(t, arena.KindBall).Position.Z, exported.Position.Z; z > 2.5 || z > by {
		t.Errorf("after a second's walk into it the ball is at z %.3f and the player at %.3f, want it ahead", z, by)
	}
}

func TestRemoteDebugShowsHowARemoteIsDrawn(t *testing.T) { // GAP-36
	p := furnished(t)
	if got := len(debugs.Players); got != 0 {
		t.Fatalf("switched off: %v records, want none", got)
	}
	debugs.Shown = true
	p.run(clock.Second)
	if got := len(debugs.Players); got != 1 {
		t.Fatalf("%v records, want 1", got)
	}
	d := &debugs.Players[0]
	if got := len(d.Past); got < 20 || got > 32 {
		t.Errorf("%v received states, want 20 to 32", got)
	}
	if sum := d.Age.Server + d.Age.Network + d.Age.Client; sum != d.Age.Total {
		t.Errorf("the parts of the age are %d µs together, want %d", sum, d.Age.Total)
	}
	if d.Delay <= 0 || d.Delay > 200*clock.Millisecond {
		t.Errorf("drawn %d µs behind, want within 0.2 s", d.Delay)
	}
	for i := 1; i < len(d.Past); i++ {
		if d.Past[i].Age < d.Past[i-1].Age {
			t.Errorf("state %d is %d µs old, after one of %d: want the newest first", i, d.Past[i].Age, d.Past[i-1].Age)
		}
	}
	truth, _ := p.match.State(p.other.player.ID())
	if far := d.Extrapolated.Dist(truth.Position); far > .2 {
		t.Errorf("the ghost is %.2f m from where the server has the player, want within 0.2", far)
	}
	if far := d.Extrapolated.Dist(exported.Remotes[0].Position); far < .1 {
		t.Errorf("the ghost is %.2f m from what is drawn, want it ahead", far)
	}
}

// The nearest entities, nearest first, against sorting all of them.
func TestTheNearestEntitiesAgainstASort(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, 2))
	for range 300 {
		all := make([]track.Entity, r.IntN(40))
		for i := range all {
			all[i].ID = track.ID(i + 1)
			all[i].Position = geom.V(r.NormFloat64()*20, r.NormFloat64(), r.NormFloat64()*20)
		}
		from := geom.V(r.NormFloat64()*20, 0, r.NormFloat64()*20)
		var room [8]*track.Entity
		got := nearestEntities(all, from, room[:0])
		want := slices.Clone(all)
		slices.SortFunc(want, func(a, b track.Entity) int {
			return int(1e9 * (a.Position.Sub(from).LenSq() - b.Position.Sub(from).LenSq()))
		})
		want = want[:min(len(want), len(room))]
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d of %d entities, want %d", seed, len(got), len(all), len(want))
		}
		for i := range want {
			if got[i].ID != want[i].ID {
				t.Fatalf("seed %d: number %d is entity %d, want %d", seed, i, got[i].ID, want[i].ID)
			}
		}
	}
}

func TestAnOwnRocketIsDrawnUntilItDetonates(t *testing.T) {
	p := newPage(t)
	p.hello()
	p.run(2 * clock.Second)
	controls.Select = 3
	p.run(clock.Second)
	controls.Select = 0
	if s := &exported.Self.Loadout; s.Held != 2 || s.Ammo[2].Rounds != exported.Weapons[2].Magazine || s.Deploy != 0 {
		t.Fatalf("weapon %v, %v rounds of %v, drawn in %v; want the rocket, ready", s.Held, s.Ammo[2].Rounds, exported.Weapons[2].Magazine, s.Deploy)
	}
	controls.Pitch, controls.Fire = 0.1, true
	p.run(clock.Second / 60)
	controls.Fire = false
	p.run(clock.Second / 6)
	if len(block.Entities) != 1 || block.Entities[0].Kind != arena.KindRocket || !block.Entities[0].Predicted || block.Entities[0].ID < ownFlights {
		t.Errorf("entities: %+v; want one's own rocket", block.Entities)
	}
	p.run(5 * clock.Second)
	if n := len(p.detonations); n != 1 || len(block.Entities) != 0 || p.detonations[0].Radius == 0 {
		t.Errorf("detonations %+v and %d entities later, want one blast and none", p.detonations, len(block.Entities))
	}
}

// The page names and sizes entities by constants of its own, also in a replay, which has no core:
// they are the game's.
func TestThePageAndTheGameMeanTheSameKinds(t *testing.T) {
	source, err := os.ReadFile("../../../web/src/page/entities.ts")
	if err != nil {
		t.Fatal(err)
	}
	number := func(name string) float64 {
		found := regexp.MustCompile(name + `(?::| =) ([0-9.]+)`).FindSubmatch(source)
		if found == nil {
			t.Fatalf("the page has no %s", name)
		}
		x, _ := strconv.ParseFloat(string(found[1]), 64)
		return x
	}
	for name, want := range map[string]track.Kind{
		"ball": arena.KindBall, "football": arena.KindFootball, "crate": arena.KindCrate,
		"health": arena.KindHealth, "rocket": arena.KindRocket, "grenade": arena.KindGrenade,
	} {
		if got := number(`\b` + name); got != float64(want) {
			t.Errorf("%s: the game's kind %d is the page's %v", name, want, got)
		}
	}
	for kind, want := range map[track.Kind]float64{
		arena.KindBall: number("BALL_RADIUS"), arena.KindFootball: number("BALL_RADIUS"), arena.KindCrate: number("CRATE_EDGE") / 2,
	} {
		if b, ok := arena.BodyOfKind(kind); !ok || b.Half.X != want {
			t.Errorf("kind %d is %.2f m, the page draws %.2f", kind, b.Half.X, want)
		}
	}
}
