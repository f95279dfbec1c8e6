package session_test

import (
	"sync"
	"testing"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// Matches of one process share a level and a game with its weapons, and nothing else:
// four that run at once, with the same input, come to the same end (for the race
// detector).
func TestMatchesRunAtOnce(t *testing.T) {
	world, game := plane(t), newToy()
	var sims []*simulation
	for range 4 {
		r := newSimulationIn(t, session.ServerConfig{World: world}, func() toyGame { return game })
		for i, g := range r.playing(3) {
			step := 0
			g.input = func(g *testClient) toyCommand {
				step++
				c := hold(step/20%3-1, (step+i)/15%3-1)
				if step%12 == 0 {
					c.Shot = aimAt(g.Eye(), g.Remotes()[0].Position.Add(geom.V(0, 1, 0)))
					g.Aim(&c.Shot)
				}
				return c
			}
		}
		sims = append(sims, r)
	}
	var all sync.WaitGroup
	for _, r := range sims {
		all.Go(func() { r.run(180) })
	}
	all.Wait()
	want := sims[0].m.hash()
	for i, r := range sims {
		if got := r.m.hash(); got != want {
			t.Errorf("match %d: hash %016x, want %016x as of the first", i, got, want)
		}
		if shots := r.happened(session.Shot); shots < 10 {
			t.Errorf("match %d: %d shots were judged, want at least 10", i, shots)
		}
	}
}

// happened counts the match's events of a kind since the last takeEvents.
func (r *simulation) happened(kind session.EventKind) int {
	n := 0
	for _, e := range r.m.events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}
