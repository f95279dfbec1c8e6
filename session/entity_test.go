package session_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// orb is a kind of entity.
const orb track.Kind = 3

// circling moves an entity round and round.
func circling(now clock.Micros) track.Sample {
	sin, cos := geom.SinCos(now.Seconds())
	return track.Sample{
		Pose:     track.Pose{Position: geom.V(5*cos, 1, 5*sin), Velocity: geom.V(-5*sin, 0, 5*cos)},
		GameData: track.GameData{UserData: 77},
	}
}

// REP-02, REP-03: an entity that the game moves is seen by a client and by a host, moving as
// smoothly as they are drawn, until it is gone; players are not among the entities. [REP-01, REP-04]
func TestEntitiesAreSeenUntilDespawned(t *testing.T) {
	var r *simulation
	var ball track.ID
	r = newSimulation(t, session.ServerConfig{Simulate: func(now clock.Micros) {
		if ball != 0 {
			r.m.UpdateEntity(ball, circling(now))
		}
	}})
	h := r.sit("Ada")
	h.playing()
	g := r.playing(1)[0]
	if len(g.Entities())+len(h.Entities())+len(g.NewEntities()) > 0 {
		t.Fatal("there are things already")
	}
	ball = r.m.Spawn(orb)
	h.run(1, frame144)
	came := 0
	for range 120 {
		h.run(1, frame144)
		for _, e := range g.NewEntities() {
			if came++; e.ID != ball || e.Kind != orb || e.Position.Dist(circling(e.At).Position) > .002 {
				t.Fatalf("came: %+v", e)
			}
		}
		if g.NewEntities() != nil {
			t.Fatal("twice")
		}
	}
	if ball != 129 || came < 110 {
		t.Errorf("thing %d came %d times", ball, came)
	}
	for _, p := range []*toyClient{g.toyClient, h.toyClient} {
		things := p.Entities()
		if len(things) != 1 || len(p.Remotes()) != 1 || int(p.Remotes()[0].ID) > r.m.Seats() {
			t.Fatalf("player %d sees %d things, %d players", p.ID(), len(things), len(p.Remotes()))
		}
		want := circling(p.View().At).Position
		if e := things[0]; e.ID != ball || e.Kind != orb || e.UserData != 77 || e.Position.Dist(want) > .01 {
			t.Errorf("player %d sees %+v, want it at %v", p.ID(), e, want)
		}
	}
	r.m.Despawn(ball)
	ball = 0
	h.run(30, frame144)
	if len(g.Entities())+len(h.Entities()) > 0 || len(g.Remotes())+len(h.Remotes()) != 2 {
		t.Error("still there")
	}
}

// The last snapshot that has an entity arrives a third of a second late, after the one that removes it,
// and so does an older one: neither is a new state, or a rigid body would come back for a second. [RIG-01]
func TestAnOvertakenSnapshotBringsNoEntityBack(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	g := r.playing(1)[0]
	ball, held := r.m.Spawn(orb), 0
	var late map[int]bool // by tick of the server
	r.fate = func(f flight) []int {
		if !f.up && late[r.tick] {
			held++
			return []int{20}
		}
		return []int{2}
	}
	late = map[int]bool{r.tick + 26: true, r.tick + 30: true}
	for range 30 {
		r.m.UpdateEntity(ball, circling(r.now()))
		r.run(1)
	}
	r.m.Despawn(ball)
	r.run(5)
	if states := g.NewEntities(); held != 2 || len(states) != 1 || states[0].ID != ball {
		t.Fatalf("%d snapshots held, states %v, want 2 and one of entity %d", held, states, ball)
	}
	r.run(40)
	if states := g.NewEntities(); len(states) != 0 || len(g.Entities()) != 0 {
		t.Errorf("afterwards: new states %v, entities %v, want none", states, g.Entities())
	}
}

// HIS-10: an id rests until no view can show the entity that had it; then it is another
// life. An entity is sent from its first UpdateEntity on, and one that jumps is drawn nowhere in
// between. [REP-01, REP-06]
func TestEntityIDReuseAndTeleports(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	g := r.playing(1)[0]
	a := r.m.Spawn(orb)
	r.run(30)
	if len(g.Entities()) != 0 {
		t.Error("an entity that was never placed is sent")
	}
	r.m.UpdateEntity(a, track.Sample{Pose: track.Pose{Position: geom.V(1, 0, 0)}})
	r.run(30)
	life := g.Entities()[0].Life
	r.m.TeleportEntity(a)
	r.m.UpdateEntity(a, track.Sample{Pose: track.Pose{Position: geom.V(50, 0, 0)}})
	seen := map[float64]bool{}
	for range 30 {
		r.run(1)
		seen[g.Entities()[0].Position.X] = true
	}
	if len(seen) != 2 || !seen[1] || !seen[50] {
		t.Errorf("drawn at %v", seen)
	}
	r.m.TeleportEntity(a)
	r.run(1) // a tick may come in between
	r.m.UpdateEntity(a, track.Sample{Pose: track.Pose{Position: geom.V(99, 0, 0)}})
	clear(seen)
	for range 30 {
		r.run(1)
		seen[g.Entities()[0].Position.X] = true
	}
	if len(seen) != 2 || !seen[50] || !seen[99] {
		t.Errorf("of a jump that a tick before announces: drawn at %v, want 50 and 99 alone", seen)
	}
	r.m.Despawn(a)
	b := r.m.Spawn(orb)
	r.m.UpdateEntity(b, track.Sample{})
	if a == b {
		t.Error("the id is given out again at once")
	}
	r.run(300)
	c := r.m.Spawn(orb)
	if r.m.UpdateEntity(c, track.Sample{}); c != a {
		t.Errorf("got id %d, want %d again", c, a)
	}
	r.run(30)
	if things := g.Entities(); len(things) != 2 || things[0].Life != life+1 {
		t.Errorf("%+v after life %d", things, life)
	}
	for range 1917 {
		if r.m.Spawn(0) == 0 {
			t.Fatal("full too soon")
		}
	}
	if id := r.m.Spawn(0); id != 0 {
		t.Errorf("got %d where all ids are taken", id)
	}
}

// HIT-02: shots meet what no player plays, if it is a character, as they were drawn; and fly
// through entities of other kinds.
func TestShotsAtEntities(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	g := r.playing(1)[0]
	post, ball := r.m.Spawn(0), r.m.Spawn(orb)
	r.m.UpdateEntity(post, track.Sample{Pose: track.Pose{Position: geom.V(1, 0, -10)}})
	r.m.UpdateEntity(ball, track.Sample{Pose: track.Pose{Position: geom.V(1, 0, -5)}})
	r.run(30)
	fired := 0
	g.input = func(g *testClient) toyCommand {
		c := hold(0, 0)
		if fired++; fired%30 == 1 {
			if o := g.Aim(&c.Shot)[0]; o.Target != post {
				t.Errorf("meets %+v", o)
			}
		}
		return c
	}
	r.run(60)
	hits := slices.DeleteFunc(r.m.events, func(e session.Event) bool { return e.Kind != session.Shot || e.Receipt.Verdict != shot.Hit })
	if s := g.Stats(); s.Disagreed != 0 || s.Agreed < 2 || s.Hits != uint64(len(hits)) || len(hits) < 2 || hits[0].Receipt.Damage == 0 {
		t.Errorf("%+v, %v", s, hits)
	}
}

// Misuse is a panic that says what is wrong.
func TestMisuseOfEntities(t *testing.T) {
	m := newMatch(t, session.ServerConfig{})
	for name, misuse := range map[string]func(){
		"put": func() { m.UpdateEntity(129, track.Sample{}) }, "jump": func() { m.TeleportEntity(1) }, "despawn": func() { m.Despawn(0) },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, "session: there is no entity ") {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse()
		}()
	}
}
