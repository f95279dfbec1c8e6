package session_test

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// ghost is a game that knows no bodies.
type ghost struct{ toyGame }

// A match whose players block each other takes no client that cannot tell what is in
// its way, and no game that cannot. [BAS-08]
func TestBlockingNeedsBodies(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{PlayersBlock: true})
	r.game = func() toyGame { return ghost{newToy()} }
	g := r.connect()
	g.Hello("Ada", session.Key{})
	var err error
	r.seen = func(f flight) {
		if !f.up && f.ch == session.Stream {
			err = g.Receive(f.ch, 1, f.bytes)
		}
	}
	r.lag = 1000
	for _, p := range g.Outgoing() {
		r.m.Receive(g.peer, p.Channel, 0, p.Bytes)
	}
	r.run(3)
	if err == nil || g.Phase() != session.Outside {
		t.Errorf("a ghost is welcomed: phase %d", g.Phase())
	}
	defer func() {
		if recover() == nil {
			t.Error("a server with a game of ghosts and Block does not panic")
		}
	}()
	session.NewServer(gameOf[toyState, toyCommand](ghost{newToy()}), session.ServerConfig{
		World: plane(t), NewKey: func() session.Key { return session.Key{} }, PlayersBlock: true})
}

// shy is the toy whose players stop in front of others, to the millimetre.
type shy struct{ toy }

func (g *shy) Step(w *collide.WorldAt, s *toyState, c *toyCommand, d clock.Micros) {
	before := s.Pos
	g.toy.Step(w, s, c, d)
	for i := range w.Obstacles {
		o := w.Obstacles[i].Capsule.A.Flat(geom.Up)
		if way := s.Pos.Sub(o); way.Len() < 0.6 && s.Pos.Dist(o) < before.Dist(o) {
			s.Pos, s.Vel = before, geom.Vec3{}
		}
	}
}

// BAS-08: among five players that stop in front of each other, over a link that loses and
// reorders: owner and server meet the same
// obstacles, also in replays after pushes. No player is corrected for a mistake.
func TestTheSameObstaclesOnBothEnds(t *testing.T) {
	r := newSimulationOf(t, session.ServerConfig{PlayersBlock: true}, func() toyGame { return &shy{*newToy()} })
	five := r.playing(5)
	n := uint32(3)
	r.fate = func(flight) []int {
		n = n*1664525 + 1013904223
		if n>>24 < 12 {
			return nil
		}
		return []int{3 + int(n>>30)}
	}
	for i, g := range five {
		frame := i * 37
		g.input = func(*testClient) toyCommand {
			frame++
			return hold(1-2*(frame/90%2), frame/45%3-1)
		}
	}
	met := 0
	for i := range 1500 {
		r.run(1)
		if i%100 == 0 {
			r.m.Modify(session.PlayerID(1+i/100%5), func(s *toyState) { s.Vel.Z += 4 })
		}
		for _, g := range five {
			if g.Self().Vel.IsZero() {
				met++
			}
		}
	}
	for _, g := range five {
		if m := g.Stats().Moves; m.Corrections != 0 || m.ServerForces < 2 || m.Replayed < 10 {
			t.Errorf("player %d: %+v", g.ID(), m)
		}
	}
	if met < 300 {
		t.Errorf("stopped %d times: too few to mean anything", met)
	}
}
