package session_test

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/session"
)

// tampered is the toy of a client that runs faster than it may.
type tampered struct{ toy }

func (g *tampered) Step(w *collide.WorldAt, s *toyState, c *toyCommand, d clock.Micros) {
	g.toy.Step(w, s, c, d)
	s.Pos = s.Pos.MulAdd(s.Vel, 0.2*d.Seconds())
}

// THR-67: a client that always mispredicts is reported each ten seconds, with how often it was corrected; a
// player on a line that loses three packets in ten is not, in two minutes.
func TestAClientThatAlwaysMispredictsIsReported(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	r.game = func() toyGame { return &tampered{*newToy()} }
	r.join("Eve", session.Key{})
	r.game = func() toyGame { return newToy() }
	r.join("Ada", session.Key{})
	r.run(30)
	bad := weather(3)
	r.fate = func(f flight) []int {
		if f.peer == 1 {
			return []int{2}
		}
		return bad(f)
	}
	for _, g := range r.clients {
		g.input = circle
	}
	r.m.events = nil
	r.run(120 * 60)
	reports := map[session.PlayerID]int{}
	least, corrections := 1<<30, 0
	for _, e := range r.m.events {
		if e.Kind == session.Mispredicting {
			reports[e.Player]++
			least, corrections = min(least, e.Count), corrections+e.Count
		}
	}
	if reports[1] < 11 || reports[1] > 12 || reports[2] != 0 || least < 100 {
		t.Errorf("in two minutes %d reports of the one that mispredicts, with %d corrections at least, and %d of the honest one; want 12, 100 and none", reports[1], least, reports[2])
	}
	honest := r.m.Players(nil)[1].Moves.Corrections
	figures.Check(t, "reports", 0, "%d reports in two minutes, of %d corrections; an honest player at 30 %% loss: %d corrections, no report", reports[1], corrections, honest)
}
