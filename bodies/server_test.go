package bodies_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// stubMatch is a match of players that stand where a test says, and a list of what it is told.
type stubMatch struct {
	next    track.ID // the next entity; beyond 131 there is no room
	samples map[track.ID]track.Sample
	jumps   map[track.ID]int
	feet    map[session.PlayerID]geom.Vec3
	life    uint8
	speed   float64 // m/s, of all players
}

// Now implements Match: it begins at 0.
func (*stubMatch) Now() clock.Micros { return 0 }

func newStub() *stubMatch {
	return &stubMatch{next: 129, samples: map[track.ID]track.Sample{}, jumps: map[track.ID]int{}, feet: map[session.PlayerID]geom.Vec3{}}
}

func (m *stubMatch) Spawn(track.Kind) track.ID {
	if m.next > 131 {
		return 0
	}
	m.next++
	return m.next - 1
}
func (m *stubMatch) Seats() int                               { return 128 }
func (m *stubMatch) UpdateEntity(id track.ID, s track.Sample) { m.samples[id] = s }
func (m *stubMatch) TeleportEntity(id track.ID)               { m.jumps[id]++ }
func (m *stubMatch) Despawn(id track.ID)                      { delete(m.samples, id) }
func (m *stubMatch) PlayerBody(id session.PlayerID) (track.Sample, geom.Capsule, bool) {
	at, ok := m.feet[id]
	pose := track.Sample{Pose: track.Pose{Position: at, Velocity: geom.V(m.speed, 0, 0)}, GameData: track.GameData{Life: m.life}}
	return pose, geom.Upright(at.Add(geom.V(0, .9, 0)), geom.Up, .35, .9), ok
}

// walkers moves players along +X at the stub's speed and steps the bodies, for so many ticks from a
// tick on, and returns the events as text.
func walkers(m *stubMatch, s *bodies.Server, from, ticks int) string {
	out := ""
	for i := range ticks {
		for id := range m.feet {
			m.feet[id] = m.feet[id].Add(geom.V(m.speed/60, 0, 0))
		}
		s.Step(clock.TickTime(int64(from+i+1), 60))
		for _, e := range s.Events() {
			switch {
			case e.Kind == bodies.Touched && e.Began:
				out += fmt.Sprintf("%d touched by %d; ", e.Body, e.Player)
			case e.Kind == bodies.Entered:
				out += fmt.Sprintf("%d enters zone %d; ", e.Body, e.Zone)
			case e.Kind == bodies.Left:
				out += fmt.Sprintf("%d leaves zone %d; ", e.Body, e.Zone)
			case e.Kind == bodies.EnteredVolume && e.Volume != nil:
				out += fmt.Sprintf("%d enters %s; ", e.Body, e.Volume.Name)
			case e.Kind == bodies.EnteredVolume:
				out += fmt.Sprintf("%d leaves the volume; ", e.Body)
			}
		}
	}
	return out
}

// A ball that is pushed through a zone into a volume reports each touch, zone and volume once, and
// where a touch began.
func TestEventsOfABody(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(50, 1, 50), geom.IdentityQuat, collide.Surface{})
	if err := b.VolumeBox(collide.Volume{Name: "lava", Kill: true}, geom.V(8, 1, 0), geom.V(1, 1, 5), geom.IdentityQuat); err != nil {
		t.Fatal(err)
	}
	level := b.MustBake()
	m, play := newStub(), bodies.Config{Kinds: map[track.Kind]body.Body{2: body.NewBall(.2, 1)}}
	s := play.Serve(m, level)
	id := s.Spawn(2, geom.V(1, .2, 0))
	zone := s.AddZone(bodies.Zone{Position: geom.V(3, 0, 0), Yaw: math.Pi / 2, Half: geom.V(1, 1, 3)})
	m.feet[7], m.speed = geom.V(-1, 0, 0), 3
	if !s.Has(id) || s.InZone(id, zone) {
		t.Error("it is in the zone before the first step")
	}
	got, want := walkers(m, s, 0, 300), "129 enters zone 0; 129 touched by 7; 129 leaves zone 0; 129 enters lava; 129 leaves the volume; "
	if got != want || s.InZone(id, zone) {
		t.Errorf("got  %q, want %q", got, want)
	}
}

// What Spawn, Teleport, SetVelocity, Impulse and Remove do reaches the match: the sample at once, a jump
// for Teleport alone, and what leant on a removed body falls.
func TestBodiesAreEntities(t *testing.T) {
	m := newStub()
	s := rink.Serve(m, rinkLevel())
	low := s.Spawn(puckKind, geom.V(0, .08, 0))
	high := s.SpawnTurned(puckKind, geom.V(0, .24, 0), geom.YawQuat(.3))
	walkers(m, s, 0, 120)
	if got := m.samples[high]; got.Position.Y < .2 || !got.Asleep || s.Awake() != 0 || s.Kind(high) != puckKind {
		t.Errorf("the upper one is at %v, asleep %v", got.Position, got.Asleep)
	}
	s.Remove(low)
	walkers(m, s, 120, 60)
	if got, ok := m.samples[low]; ok || s.Has(low) || m.samples[high].Position.Y > .1 {
		t.Errorf("the removed one is %v, the other at %v", got, m.samples[high].Position)
	}
	s.SetVelocity(high, geom.V(40, 0, 0), geom.Vec3{})
	if got := m.samples[high].Velocity.Len(); got != 12 || m.jumps[high] != 0 {
		t.Errorf("%v m/s and %d jumps, want its limit of 12 and none", got, m.jumps[high])
	}
	s.Teleport(high, body.Motion{Position: geom.V(5, .08, 5)})
	if got := m.samples[high]; got.Position != geom.V(5, .08, 5) || m.jumps[high] != 1 {
		t.Errorf("placed at %v with %d jumps", got.Position, m.jumps[high])
	}
	s.Impulse(high, geom.V(0, 0, 4))
	if got := m.samples[high].Velocity; got.Sub(geom.V(0, 0, 2)).Len() > 1e-9 {
		t.Errorf("4 kg·m/s on 2 kg made %v", got)
	}
	if id, at, ok := s.Ray(geom.V(5, .08, 0), geom.V(5, .08, 9)); id != high || !ok || at.Z < 4.7 || at.Z > 4.9 {
		t.Errorf("the ray met %d at %v, %v", id, at, ok)
	}
	if list := s.Bodies(nil); len(list) != 1 || list[0].ID != high || list[0].Kind != puckKind {
		t.Errorf("bodies: %+v", list)
	}
}

// Where the match has no room Spawn returns 0 and leaves no body behind.
func TestSpawnWithoutRoom(t *testing.T) {
	m := newStub()
	s := rink.Serve(m, rinkLevel())
	for i := range 4 {
		if id := s.Spawn(puckKind, geom.V(float64(i), .08, 0)); (id != 0) != (i < 3) {
			t.Errorf("body %d: id %d", i, id)
		}
	}
	if n := len(s.Bodies(nil)); n != 3 {
		t.Errorf("%d bodies, want 3", n)
	}
}

// A player that is put elsewhere, or begins another life, kicks nothing on its way; moves that arrive
// together push no harder than the player runs; and Pusher may keep a player from pushing.
func TestPlayersPushAsTheyRun(t *testing.T) {
	for _, c := range []struct {
		what   string
		jump   geom.Vec3 // how far the player gets in one tick
		life   uint8
		pusher func(*track.Sample, *body.Pusher) bool
		most   float64 // m/s of the puck, afterwards
		least  float64
	}{
		{"runs at 3 m/s", geom.V(.05, 0, 0), 0, nil, 4.5, 2.5},
		{"five ticks' moves at once", geom.V(.25, 0, 0), 0, nil, 4.5, 2.5},
		{"is put 4 m further", geom.V(4, 0, 0), 0, nil, .01, 0},
		{"lives again a metre further", geom.V(1, 0, 0), 1, nil, 3.5, 0},
		{"may not push", geom.V(.05, 0, 0), 0, func(*track.Sample, *body.Pusher) bool { return false }, .01, 0},
	} {
		play := rink
		play.Pusher = c.pusher
		m := newStub()
		m.speed, m.feet[1] = 3, geom.V(-.5, 0, 0)
		s := play.Serve(m, rinkLevel())
		id := s.Spawn(puckKind, geom.V(0, .08, 0))
		s.Step(clock.TickTime(1, 60))
		m.feet[1], m.life = m.feet[1].Add(c.jump), c.life
		s.Step(clock.TickTime(2, 60))
		if v := s.Motion(id).Velocity.Len(); v > c.most || v < c.least {
			t.Errorf("a player that %s: the puck has %.2f m/s, want %.2f to %.2f", c.what, v, c.least, c.most)
		}
	}
}

// A pusher that is no player, such as a character of the game's own, pushes in one Step.
func TestPushOfOthers(t *testing.T) {
	m := newStub()
	s := rink.Serve(m, rinkLevel())
	id := s.Spawn(puckKind, geom.V(0, .08, 0))
	capsule := geom.Upright(geom.V(-.5, .9, 0), geom.Up, .35, .9)
	s.Push(body.Pusher{ID: 300, Capsule: capsule, Velocity: geom.V(3, 0, 0)})
	s.Step(clock.TickTime(1, 60))
	if e := s.Events(); len(e) != 1 || e[0].Player != 300 || !e[0].Began || s.Motion(id).Velocity.X < 1 {
		t.Errorf("events %+v, velocity %v", e, s.Motion(id).Velocity)
	}
	if s.Step(clock.TickTime(2, 60)); len(s.Events()) != 0 {
		t.Errorf("it pushes again: %+v", s.Events())
	}
}

// A wrong declaration and a wrong id panic with the field and the cure.
func TestMistakesNameTheFieldAndTheCure(t *testing.T) {
	level := rinkLevel()
	kinds := func(k track.Kind, b body.Body) func() {
		return func() {
			p := bodies.Config{Kinds: map[track.Kind]body.Body{k: b}}
			p.Serve(newStub(), level)
		}
	}
	for _, c := range []struct {
		what string
		do   func()
		want string
	}{
		{"no kinds", func() { new(bodies.Config).Serve(newStub(), level) }, "Config.Kinds is empty"},
		{"no kinds, client", func() { new(bodies.Config).Join(nil) }, "Config.Kinds is empty"},
		{"a character's kind", kinds(0, body.NewBall(1, 1)), "number bodies from 1"},
		{"no size", kinds(3, body.Body{Mass: 1}), "Config.Kinds[3] has no size"},
		{"a flat box", kinds(3, body.NewBox(geom.V(1, 0, 1), 1)), "Config.Kinds[3] has no size"},
		{"no mass", kinds(4, body.NewBall(.2, 0)), "Kinds[4].Mass is 0"},
		{"an undeclared kind", func() { rink.Serve(newStub(), level).Spawn(9, geom.Vec3{}) }, "declare it in Config.Kinds"},
		{"no such body", func() { rink.Serve(newStub(), level).Impulse(130, geom.Up) }, "no body 130: take the id from Spawn"},
		{"65 zones", func() {
			s := rink.Serve(newStub(), level)
			for range 65 {
				s.AddZone(bodies.Zone{})
			}
		}, "more than 64 zones"},
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
