package npc_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/nav"
	"github.com/backstep-net/backstep/npc"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// stubMatch is a match of one player, or none, that keeps what it is told of entities.
type stubMatch struct {
	next    track.ID
	samples map[track.ID]track.Sample
	jumps   int
	block   bool
	player  geom.Vec3 // its feet; zero is none
}

func newStub() *stubMatch { return &stubMatch{next: 129, samples: map[track.ID]track.Sample{}} }

func (m *stubMatch) Spawn(track.Kind) track.ID {
	m.next++
	return m.next - 1
}
func (m *stubMatch) Seats() int                               { return 128 }
func (m *stubMatch) UpdateEntity(id track.ID, s track.Sample) { m.samples[id] = s }
func (m *stubMatch) TeleportEntity(track.ID)                  { m.jumps++ }
func (m *stubMatch) Despawn(id track.ID)                      { delete(m.samples, id) }
func (m *stubMatch) EntityLife(track.ID) uint8                { return 7 }
func (m *stubMatch) PlayersBlock() bool                       { return m.block }
func (m *stubMatch) PlayerBody(id session.PlayerID) (track.Sample, geom.Capsule, bool) {
	body := movement.State{Position: m.player}
	return track.Sample{Pose: track.Pose{Position: m.player}}, model.Capsule(&body), id == 1 && !m.player.IsZero()
}

// stage is a crowd in the fortress, without a session.
type stage struct {
	*npc.Crowd
	match  *stubMatch
	ledger *damage.Ledger
	tick   int64
}

func newStage(t *testing.T, kind npc.Kind) *stage {
	t.Helper()
	level := fortress(t)
	s := &stage{match: newStub(), ledger: damage.NewLedger(damage.Rules{}, int(track.MaxID)+1)}
	s.Crowd = npc.New(npc.Config{Match: s.match, World: level, Mesh: fortressMesh(t), Kinds: map[track.Kind]npc.Kind{guard: kind}, Ledger: s.ledger})
	return s
}

// run plays ticks and returns the events as text.
func (s *stage) run(ticks int) string {
	out := ""
	for range ticks {
		s.tick++
		s.Step(clock.TickTime(s.tick, 60))
		for _, e := range s.Events() {
			out += fmt.Sprintf("%d %s at %d; ", e.ID, [...]string{"arrived", "finds no way", "died"}[e.Kind], s.tick)
		}
	}
	return out
}

// A guard walks through a door to its goal, up the stairs, and stands there, facing where it went; it
// is recorded walking. [VOL-06]
func TestAGuardWalksToItsGoal(t *testing.T) {
	for _, mode := range []movement.Mode{movement.Walking, movement.NavWalking} {
		s := newStage(t, npc.Kind{Mode: mode, Speed: 4})
		id := s.Spawn(guard, geom.V(-5, .02, 5), 0)
		s.Steer(id, geom.V(16, 2, 16))
		for range 120 {
			s.run(1)
		}
		half := s.match.samples[id]
		if v := half.Velocity.Len(); v < 3.5 || v > 4.1 || half.StrideDistance < 5 || half.Dead {
			t.Errorf("mode %d: on its way: %.2f m/s, stride %.2f", mode, v, half.StrideDistance)
		}
		got := s.run(1200)
		at := s.State(id).Position
		if !strings.HasPrefix(got, "129 arrived") || strings.Count(got, ";") != 1 || at.Dist(geom.V(16, 2, 16)) > .5 {
			t.Errorf("mode %d: %q, at %v", mode, got, at)
		}
		if v := s.match.samples[id].Velocity.Len(); v > .01 {
			t.Errorf("mode %d: it still walks at %v m/s", mode, v)
		}
		if _, walks := s.Goal(id); walks {
			t.Errorf("mode %d: it still has a goal", mode)
		}
	}
}

// A goal that no path leads to is reported once; Stop ends a way without an event, and a goal may be
// replaced on the way.
func TestGoalsThatEndOtherwise(t *testing.T) {
	s := newStage(t, npc.Kind{})
	id := s.Spawn(guard, geom.V(-5, .02, 5), 0)
	s.Steer(id, geom.V(90, 0, 0))
	if got := s.run(60); got != "129 finds no way at 1; " {
		t.Errorf("got %q", got)
	}
	s.Steer(id, geom.V(-20, 0, 20))
	s.run(60)
	s.Stop(id)
	from := s.State(id).Position
	if got := s.run(120); got != "" || s.State(id).Position.Dist(from) > 1.5 {
		t.Errorf("after Stop: %q, walked %v m on", got, s.State(id).Position.Dist(from))
	}
	s.Steer(id, geom.V(-20, 0, 20))
	s.run(10)
	s.Steer(id, geom.V(-5, 0, 5))
	if s.run(400); s.State(id).Position.Dist(geom.V(-5, 0, 5)) > .5 {
		t.Errorf("it is at %v", s.State(id).Position)
	}
}

// Two guards that walk at each other in the open pass each other, on the right, without touching.
func TestTwoGuardsPassEachOther(t *testing.T) {
	s := newStage(t, npc.Kind{})
	s.match.block = true
	a, b := s.Spawn(guard, geom.V(-5, .02, 20), 0), s.Spawn(guard, geom.V(-20, .02, 20), 0)
	s.Steer(a, geom.V(-20, 0, 20))
	s.Steer(b, geom.V(-5, 0, 20))
	nearest, ticks := 99.0, 0
	for ; ticks < 600; ticks++ {
		s.run(1)
		nearest = min(nearest, s.State(a).Position.Dist(s.State(b).Position))
		_, x := s.Goal(a)
		if _, y := s.Goal(b); !x && !y {
			break
		}
	}
	if nearest < 2*model.Radius-.02 || ticks > 260 {
		t.Errorf("they were %.2f m apart and took %d ticks, want at least %.2f and at most 260", nearest, ticks, 2*model.Radius)
	}
}

// A player in a door of its own width stops a guard where players block; elsewhere it walks through it.
func TestAPlayerStandsInTheWay(t *testing.T) {
	for _, block := range []bool{true, false} {
		s := newStage(t, npc.Kind{})
		s.match.block, s.match.player = block, geom.V(-12.5, .02, 6)
		id := s.Spawn(guard, geom.V(-12.5, .02, 10), 0)
		s.Modify(id, func(st *movement.State) { st.Velocity = geom.V(0, 0, -6) })
		s.Steer(id, geom.V(-12.5, 0, 2))
		nearest := 99.0
		for range 240 {
			s.run(1)
			nearest = min(nearest, s.State(id).Position.Sub(s.match.player).Flat(geom.Up).Len())
		}
		if block && nearest < 2*model.Radius-.05 {
			t.Errorf("blocking %v: %.2f m from the player", block, nearest)
		}
		if s.State(id).Position.Z > 3 {
			t.Errorf("blocking %v: it never passed: %v", block, s.State(id).Position)
		}
	}
}

// A guard with no health left dies once, lies for 3 s where it fell, and is gone; Kill does the same,
// and a guard that was removed and one that takes its memory have nothing in common.
func TestGuardsDie(t *testing.T) {
	s := newStage(t, npc.Kind{Team: 2})
	a, b := s.Spawn(guard, geom.V(-5, .02, 5), 0), s.Spawn(guard, geom.V(-5, .02, 8), 0)
	if v := s.ledger.Vitals(a); v.Health != 100 || v.Team != 2 || v.Life != 7 {
		t.Errorf("vitals %+v", v)
	}
	s.Steer(a, geom.V(-20, 0, 20))
	s.run(30)
	s.ledger.Queue(damage.Hit{Target: a, Life: 7, Damage: 100})
	s.ledger.ApplyQueued(clock.Second, nil)
	s.Kill(b)
	if got := s.run(60); got != "129 died at 31; 130 died at 31; " || !s.match.samples[a].Dead || !s.Dead(b) {
		t.Errorf("got %q", got)
	}
	s.Steer(a, geom.V(-20, 0, 20))
	at := s.State(a).Position
	if s.run(100); s.State(a).Position != at {
		t.Error("the dead walk")
	}
	if s.run(60); s.Has(a) || s.Has(b) || len(s.match.samples) != 0 || len(s.All(nil)) != 0 {
		t.Errorf("still there: %v", s.All(nil))
	}
	c := s.Spawn(guard, geom.V(-5, .02, 5), 0)
	if s.run(60); s.Dead(c) || s.State(c).Velocity.Len() > 0 {
		t.Errorf("the next one: %+v", s.State(c))
	}
}

// Teleport breaks the path and keeps the goal, LookAt turns a guard without walking, and its user data are
// what the game set.
func TestPlaceLookAndData(t *testing.T) {
	s := newStage(t, npc.Kind{TurnRate: math.Pi})
	id := s.Spawn(guard, geom.V(-5, .02, 5), 0)
	s.SetUserData(id, 77)
	s.LookAt(id, geom.V(-5, 0, 20))
	s.run(30)
	if half := s.match.samples[id]; math.Abs(math.Abs(half.Yaw)-math.Pi/2) > .01 || half.UserData != 77 {
		t.Errorf("after half a second: yaw %v, data %d", half.Yaw, half.UserData)
	}
	s.LookAhead(id)
	s.Steer(id, geom.V(20, 0, -5))
	s.run(30)
	s.Teleport(id, geom.V(20, .02, -20), 0)
	if got := s.run(300); s.match.jumps != 1 || !strings.HasPrefix(got, "129 arrived") {
		t.Errorf("%d jumps, %q", s.match.jumps, got)
	}
	if c := s.Capsule(id); c.Radius != model.Radius || c.A.Y < .3 {
		t.Errorf("capsule %+v", c)
	}
}

// A wrong Config and a wrong id panic with the field and the cure.
func TestMistakesNameTheFieldAndTheCure(t *testing.T) {
	level := fortress(t)
	with := func(change func(*npc.Config)) func() {
		return func() {
			c := npc.Config{Match: newStub(), World: level, Kinds: map[track.Kind]npc.Kind{guard: {}}}
			change(&c)
			crowd := npc.New(c)
			crowd.Steer(crowd.Spawn(guard, geom.Vec3{}, 0), geom.Vec3{})
		}
	}
	for _, c := range []struct {
		what string
		do   func()
		want string
	}{
		{"no match", with(func(c *npc.Config) { c.Match = nil }), "Config.Match and World are required"},
		{"no world", with(func(c *npc.Config) { c.World = (*collide.World)(nil) }), "Config.Match and World are required"},
		{"no kinds", with(func(c *npc.Config) { c.Kinds = nil }), "Config.Kinds is empty"},
		{"nav-walking without a mesh", with(func(c *npc.Config) { c.Kinds[guard] = npc.Kind{Mode: movement.NavWalking} }), "Kinds[5].Mode is movement.NavWalking: set Config.Mesh"},
		{"a mode of a game", with(func(c *npc.Config) { c.Kinds[guard] = npc.Kind{Mode: movement.Flying} }), "Kinds[5].Mode must be"},
		{"a negative speed", with(func(c *npc.Config) { c.Kinds[guard] = npc.Kind{Speed: -1} }), "Kinds[5].Speed and TurnRate must be positive"},
		{"another kind", with(func(c *npc.Config) { c.Kinds = map[track.Kind]npc.Kind{3: {}} }), "Spawn of kind 5: declare it in Config.Kinds"},
		{"no mesh to steer on", with(func(*npc.Config) {}), "Steer needs Config.Mesh"},
		{"no such character", func() { newStage(t, npc.Kind{}).Stop(200) }, "no character 200: take the id from Spawn"},
		{"a ledger without room", with(func(c *npc.Config) { c.Ledger = damage.NewLedger(damage.Rules{}, 100) }), "id out of range"},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, c.want) {
					t.Errorf("%s: %q, want %q in it", c.what, got, c.want)
				}
			}()
			c.do()
		}()
	}
}

// Guards that are stuck at a closed gate of a bridge, which the mesh does not know, step aside only
// where the mesh goes on: they do not walk off.
func TestStuckGuardsDoNotWalkOffABridge(t *testing.T) {
	for _, width := range []float64{1.3, 2, 3, 4} {
		var b collide.Builder
		b.Box(geom.V(0, -1, 0), geom.V(width/2, 1, 20), geom.IdentityQuat, collide.Surface{})
		b.Mover("gate", collide.Path{Keys: []collide.Key{{}}}, func(b *collide.Builder) {
			b.Box(geom.V(0, 1, 0), geom.V(4, 1, .1), geom.IdentityQuat, collide.Surface{})
		})
		world := b.MustBake()
		s := &stage{match: newStub()}
		s.match.block = true
		s.Crowd = npc.New(npc.Config{Match: s.match, World: world, Mesh: npc.BakeMesh(world, &model), Kinds: map[track.Kind]npc.Kind{guard: {}}})
		for i := range 3 {
			s.Steer(s.Spawn(guard, geom.V(0, .02, 6+1.5*float64(i)), 0), geom.V(0, 0, -15))
		}
		s.run(1200)
		for _, id := range s.All(nil) {
			if at := s.State(id).Position; at.Y < 0 {
				t.Errorf("a bridge of %v m: guard %d fell to %v", width, id, at)
			}
		}
	}
}

// A guard on a platform without stairs steps down where the mesh has a drop. A nav-walker, which cannot
// leave the mesh, has no way, instead of standing at the edge for ever.
func TestNavWalkersUseNoDrops(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(12, 1, 12), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 1, 0), geom.V(3, 1, 3), geom.IdentityQuat, collide.Surface{})
	world := b.MustBake()
	mesh, err := nav.Bake(world, nav.Params{
		Radius: model.Radius, Height: 2 * model.HalfHeight, StepHeight: model.StepHeight, WalkableSlope: model.WalkableSlope, MaxDrop: 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[movement.Mode]string{movement.Walking: "129 arrived", movement.NavWalking: "129 finds no way"} {
		s := &stage{match: newStub()}
		s.Crowd = npc.New(npc.Config{Match: s.match, World: world, Mesh: mesh, Kinds: map[track.Kind]npc.Kind{guard: {Mode: mode}}})
		s.Steer(s.Spawn(guard, geom.V(0, 2.02, 0), 0), geom.V(8, 0, 2))
		if got := s.run(600); !strings.HasPrefix(got, want) {
			t.Errorf("mode %v: %q, want %q; it is at %v", mode, got, want, s.State(129).Position)
		}
	}
}
