package session_test

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// Respawn begins lives that others tell apart, however near the new place is, and that go on counting
// for the next player of the seat; hits name them. [HIS-10, GAP-50]
func TestRespawnBeginsALife(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{ReconnectTime: 1})
	both := r.playing(2)
	state, _ := r.m.State(2)
	first := r.m.FullSnapshot()
	if first.ID(1) != 2 {
		t.Fatal("player 2 is not in the record")
	}
	was := state.Life
	state.Pos = state.Pos.Add(geom.V(.1, 0, 0))
	if life := r.m.Respawn(2, state); life != was+1 {
		t.Errorf("the life is %d, want %d", life, was+1)
	}
	r.run(30)
	for _, e := range both[0].Remotes() {
		if e.ID == 2 && (e.Life != was+1 || e.Position.Dist(state.Pos) > .01) {
			t.Errorf("others see life %d at %v", e.Life, e.Position)
		}
	}
	fired := 0
	both[0].input = func(g *testClient) toyCommand {
		c := hold(0, 0)
		way := g.Remotes()[0].Position.Add(geom.V(0, 1, 0)).Sub(g.Eye())
		c.Yaw = geom.Yaw(way)
		if fired++; fired == 5 {
			c.Shot = shot.Claim{Yaw: c.Yaw, Pitch: geom.Pitch(way)}
			g.Aim(&c.Shot)
		}
		return c
	}
	r.run(30)
	hit := false
	for _, e := range r.m.events {
		if e.Kind == session.Shot && e.Receipt.EventCount == 1 {
			hit = true
			if got := e.Receipt.Events[0]; got.Target != 2 || got.Life != was+1 {
				t.Errorf("the hit names player %d in life %d, want 2 in life %d", got.Target, got.Life, was+1)
			}
		}
	}
	if !hit {
		t.Error("no shot hit")
	}
	if life := r.m.Respawn(5, state); life != state.Life {
		t.Errorf("a free seat began life %d", life)
	}
}

// Where the server lets a respawned player look comes with the event, though the commands on their way still have the
// view of before: so a page can turn the view.
func TestWhereARespawnedPlayerLooks(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	g := r.playing(1)[0]
	g.input = func(*testClient) toyCommand { return toyCommand{X: 1, Z: 1, Yaw: 1} }
	r.run(30)
	g.events = nil
	r.m.Respawn(1, toyState{Pos: geom.V(5, 0, 5), Yaw: -2})
	for range 20 {
		r.run(1)
		if g.count(session.Teleported) == 0 {
			continue
		}
		if yaw, self := g.events[0].Yaw, g.Self().Yaw; math.Abs(yaw+2) > 1e-4 || math.Abs(self-1) > 1e-4 {
			t.Errorf("the event says %v, and the predicted player looks at %v; want −2, and 1 as in its commands", yaw, self)
		}
		return
	}
	t.Error("no event")
}
