package session_test

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// pulled is how a client's own player was drawn, frame by frame, across +X while it
// ran along −Z.
func pulled(r *simulation, g *testClient, frames int) []float64 {
	var x []float64
	for range frames {
		r.run(1)
		x = append(x, g.Position().X+g.Offset().X)
	}
	return x
}

// E2E-05: the server pushes a runner aside, by 3 m at once or by a speed, at a round
// trip of 200 ms: the owner sees one pull, all in one direction, and has come 98 % of
// the way half a second after the push; its input acts all the while,
// and none of its predictions counts as wrong.
func TestAPushIsOnePull(t *testing.T) {
	for name, push := range map[string]func(*toyState){
		"3 m":    func(s *toyState) { s.Pos.X += 3 },
		"18 m/s": func(s *toyState) { s.Vel.X += 18 },
	} {
		r := newSimulation(t, session.ServerConfig{})
		r.lag = 6
		g := r.playing(1)[0]
		g.input = func(*testClient) toyCommand { return hold(0, -1) }
		r.run(120)
		before := g.Stats().Moves
		start, z := g.Position().X, g.Position().Z
		r.m.Modify(1, push)
		x := pulled(r, g, 60)
		r.run(30)
		end := g.Position().X
		for i := 1; i < len(x); i++ {
			if x[i] < x[i-1]-1e-9 {
				t.Errorf("%s: drawn at %.3f m and then at %.3f m, %d frames after the push", name, x[i-1], x[i], i)
			}
		}
		now := g.Stats().Moves
		if now.ServerForces != before.ServerForces+1 || now.Corrections != 0 || now.Teleports != before.Teleports {
			t.Errorf("%s: %+v, before %+v; want one alteration more", name, now, before)
		}
		if d := math.Abs(x[29] - end); end-start < 2.5 || d > 0.02*(end-start) {
			t.Errorf("%s: from %.3f m to %.3f m, and %.3f m from there after half a second", name, start, end, d)
		}
		if ran := z - g.Position().Z; ran < 6*1.4 {
			t.Errorf("%s: ran %.2f m in 1.5 s", name, ran)
		}
	}
}

// RMS-13, RMS-21: over a link that loses every tenth packet and turns them round,
// ten pushes are ten corrections of their own kind, at whatever time each client learns of them.
func TestPushesOverABadLink(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	n := uint32(1)
	r.fate = func(flight) []int {
		n = n*1664525 + 1013904223
		if n>>24 < 26 {
			return nil
		}
		return []int{4 + int(n>>28)/4}
	}
	g := r.playing(1)[0]
	g.input = func(*testClient) toyCommand { return hold(1, 0) }
	r.run(60)
	before := g.Stats().Moves
	for range 10 {
		r.m.Modify(1, func(s *toyState) { s.Vel.Z -= 6 })
		r.run(60)
	}
	if now := g.Stats().Moves; now.ServerForces != before.ServerForces+10 || now.Corrections != 0 {
		t.Errorf("%+v, before %+v; want ten alterations more", now, before)
	}
}

// railed is the toy with rails: a dead player is moved along one, at 3 m/s by match
// time, whatever it wants.
type railed struct{ toy }

func (g *railed) Step(w *collide.WorldAt, s *toyState, c *toyCommand, d clock.Micros) {
	if !s.Dead {
		g.toy.Step(w, s, c, d)
		return
	}
	s.Pos, s.Vel = geom.V(3*w.At.Seconds(), 0, 0), geom.V(3, 0, 0)
}

// MOD-02: a player that is moved along a path at 3 m/s is drawn by others at 3 m/s, at ten
// snapshots a second and with its packets in bursts: never off by 17 % and never
// standing still. [MOD-01, VOL-05, GAP-58]
func TestPathsLookSmooth(t *testing.T) {
	r := newSimulationOf(t, session.ServerConfig{SnapshotRate: 10}, func() toyGame { return &railed{*newToy()} })
	two := r.playing(2)
	n := 0
	r.fate = func(f flight) []int {
		n++
		return []int{3 + n%3}
	}
	r.m.Modify(2, func(s *toyState) { s.Dead = true })
	r.run(300)
	last := drawnAt(t, two[0], 2)
	for range 600 {
		r.run(1)
		now := drawnAt(t, two[0], 2)
		if v := (now - last) * 60; v < 3*0.83 || v > 3*1.17 {
			t.Fatalf("drawn at %.2f m/s, want 3 ± 17 %%", v)
		}
		last = now
	}
}

func drawnAt(t *testing.T, g *testClient, id session.PlayerID) float64 {
	for _, e := range g.Remotes() {
		if e.ID == id {
			return e.Position.X
		}
	}
	t.Fatalf("player %d is not drawn", id)
	return 0
}

// MOD-01, MOD-03, VOL-05, GAP-20: a player is put onto a path, its page freezes for
// 130 s, and it is put back: each hand-over is one event, and the first move after
// the silence is accepted, and all others.
func TestAHandOverAfterALongSilence(t *testing.T) {
	r := newSimulationOf(t, session.ServerConfig{}, func() toyGame { return &railed{*newToy()} })
	g := r.playing(1)[0]
	g.input = func(*testClient) toyCommand { return hold(0, 1) }
	r.run(60)
	r.m.Modify(1, func(s *toyState) { s.Dead = true })
	r.run(60)
	g.frozen = true
	r.run(130 * 60)
	g.frozen = false
	ran := r.m.Players(nil)[0].Moves.Executed
	r.run(4)
	if now := r.m.Players(nil)[0].Moves.Executed; now == ran {
		t.Errorf("no move accepted in the first ticks after the silence")
	}
	r.m.Modify(1, func(s *toyState) { s.Dead = false })
	r.run(60)
	moves, own := r.m.Players(nil)[0].Moves, g.Stats().Moves
	if moves.Refused+moves.Stale+own.Corrections != 0 || own.ServerForces != 2 {
		t.Errorf("after the silence: %+v\n%+v", moves, own)
	}
	if v := g.Self().Vel; v.Z < 5 {
		t.Errorf("runs at %v, want 6 m/s along +Z", v)
	}
}
