package session_test

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/session"
)

// lifted is the toy on a lift that every player stands on: up 4 m and down again
// every 8 s, a function of match time.
type lifted struct {
	toy
	steps []liftedStep
}

// liftedStep is one call of Step: its platform time and how long it lasted.
type liftedStep struct{ at, d clock.Micros }

// liftAt is the lift's height.
func liftAt(at clock.Micros) float64 {
	const round = 8 * clock.Second
	t := at % round
	return min(t, round-t).Seconds()
}

func (g *lifted) Step(w *collide.WorldAt, s *toyState, c *toyCommand, d clock.Micros) {
	g.steps = append(g.steps, liftedStep{w.At, d})
	g.toy.Step(w, s, c, d)
	s.Pos.Y = liftAt(w.At)
}

// aboard brings n clients onto the lift and returns the server's rules.
func aboard(t *testing.T, n int) (*simulation, *lifted) {
	var rules []*lifted
	r := newSimulationOf(t, session.ServerConfig{}, func() toyGame {
		rules = append(rules, &lifted{toy: *newToy()})
		return rules[len(rules)-1]
	})
	r.playing(n)
	r.run(60)
	rules[0].steps = nil
	return r, rules[0]
}

// walkAbout turns a client's walk every half a second.
func walkAbout(r *rand.Rand) func(*testClient) toyCommand {
	in, left := hold(0, 0), 0
	return func(*testClient) toyCommand {
		if left--; left < 0 {
			in, left = hold(r.IntN(3)-1, r.IntN(3)-1), 30
		}
		return in
	}
}

// corrections are those of all clients.
func (r *simulation) corrections() int {
	n := 0
	for _, g := range r.clients {
		n += g.Stats().Moves.Corrections
	}
	return n
}

// BAS-01: in normal play each command's platform time is the one before plus its
// duration, to the microsecond, though the clocks drift and are slewed: there is
// no slip between where the lift was and where it is.
func TestPlatformTimeIsContiguous(t *testing.T) {
	r, server := aboard(t, 1)
	r.clients[0].drift = 4e-4
	r.clients[0].input = walkAbout(rand.New(rand.NewPCG(1, 1)))
	r.run(1200)
	for i := 1; i < len(server.steps); i++ {
		if a, b := server.steps[i-1], server.steps[i]; b.at-a.at != b.d {
			t.Fatalf("step %d: %d µs after the one before, lasts %d µs", i, b.at-a.at, b.d)
		}
	}
	if n := len(server.steps); n < 1190 || r.corrections() != 0 {
		t.Errorf("%d steps and %d corrections, want some 1200 and 0", n, r.corrections())
	}
}

// BAS-01: on the lift, moves and verdicts lost at 5 % and overtaking one another
// cost no corrections. [ACK-07, WIR-17]
func TestRidersOverABadLink(t *testing.T) {
	const seed = 11
	rnd := rand.New(rand.NewPCG(seed, 0))
	r, server := aboard(t, 3)
	r.fate = func(flight) []int {
		if rnd.IntN(20) == 0 {
			return nil
		}
		return []int{3 + rnd.IntN(3)}
	}
	for _, g := range r.clients {
		g.input = walkAbout(rnd)
	}
	r.run(1800)
	if n := r.corrections(); n != 0 {
		t.Errorf("seed %d: %d corrections in %d steps, want 0", seed, n, len(server.steps))
	}
}

// BAS-01, GAP-21: a cut of 250 or 400 ms on the way up loses nothing: the first packet
// after it carries every move that was not acknowledged.
func TestRidersOnAHeldLink(t *testing.T) {
	for _, c := range []struct{ cut, x int }{{15, 1}, {24, 1}, {24, 0}} {
		r, _ := aboard(t, 1)
		r.clients[0].input = func(*testClient) toyCommand { return hold(c.x, 0) }
		for range 10 {
			r.fate = nil
			r.run(80)
			r.fate = func(f flight) []int {
				if f.up {
					return nil
				}
				return []int{2}
			}
			r.run(c.cut)
		}
		r.fate = nil
		r.run(80)
		moves := r.m.Players(nil)[0].Moves
		if n := r.corrections(); moves.GapFills != 0 || n != 0 {
			t.Errorf("%+v: %d corrections with %d steps of missing time, for %d moves", c, n, moves.GapFills, moves.Missing)
		}
	}
}

// TIM-04: a frame of 400 ms counts as one move of 125 ms, whose platform time is
// where the lift is by then: the rider is taken along and agrees. [BAS-01]
func TestRidersWhoFreeze(t *testing.T) {
	r, _ := aboard(t, 2)
	for range 10 {
		r.clients[0].frozen = true
		r.run(24)
		r.clients[0].frozen = false
		r.run(60)
	}
	if n := r.corrections(); n != 0 {
		t.Errorf("%d corrections, want 0", n)
	}
}
