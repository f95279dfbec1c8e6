package session_test

import (
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// rates are display rates from 20 to 2,000 frames a second.
var rates = []float64{20, 30, 60, 144, 240, 500, 750, 1000, 2000}

// gifted is a toy with an ability that happens once a command, whether pressed or held: it
// pushes the character aside. Two commands one of which has it are never one.
type gifted struct {
	toy
	used int
}

// ability is whether a command has it, in a field that the toy has no other use for.
func ability(c *toyCommand) bool { return c.Select != 0 }

func (g *gifted) Step(w *collide.WorldAt, s *toyState, c *toyCommand, d clock.Micros) {
	if ability(c) {
		s.Vel = s.Vel.Add(geom.V(0, 0, 0.2))
		g.used++
	}
	g.toy.Step(w, s, c, d)
}

func (g *gifted) ClearOneTime(c *toyCommand) {
	g.toy.ClearOneTime(c)
	c.Select = 0
}

func (g *gifted) PackCommand(p *bits.Packer, c, before *toyCommand) {
	g.toy.PackCommand(p, c, before)
	p.Byte(&c.Select)
}

// merges is a gifted toy whose commands without the ability may be combined.
type merges struct{ gifted }

func (g *merges) Combine(_ *collide.WorldAt, start, between *toyState, first, second *toyCommand, d clock.Micros) bool {
	return !ability(first) && !ability(second) && first.X == second.X && first.Z == second.Z
}

// SND-08: an ability that is held for 10 s costs no correction without loss and no datagram
// above the send rate but for its press, at any frame rate, even or not, while the player
// looks about, of a game that combines commands and of one that cannot.
func TestHeldIsNotPressed(t *testing.T) {
	singleThreaded(t)
	for _, game := range []struct {
		what string
		make func() toyGame
	}{
		{"a game that combines", func() toyGame { return &merges{gifted{toy: *newToy()}} }},
		{"a game that combines nothing", func() toyGame { return &gifted{toy: *newToy()} }},
	} {
		for _, fps := range rates {
			for _, uneven := range []bool{false, true} {
				what := fmt.Sprintf("%s, %v frames a second, uneven %v", game.what, fps, uneven)
				s := newStretch(t, game.make(), game.make(), session.ClientConfig{}, fps)
				s.uneven = uneven
				s.input = func(frame int) toyCommand {
					c := hold(1, 0)
					c.Yaw, c.Select = bits.SnapAngle16(s.local.Seconds()), 1
					return c
				}
				before := s.c.Stats().Moves
				s.run(10)
				m := s.c.Stats().Moves
				made, wrong := m.Made-before.Made, m.Corrections+m.Throttles+m.Timeouts+m.Dropped
				t.Logf("%s: %d datagrams, %d bytes/s, %d moves, %d corrections", what, len(s.sent), s.sizes/10, made, wrong)
				if wrong != 0 {
					t.Errorf("%s: %+v, want no correction", what, m)
				}
				if len(s.sent) > 10*60*1000/996+1 {
					t.Errorf("%s: %d datagrams in 10 s, want 60 a second and one for the press", what, len(s.sent))
				}
				if made > 10*310 {
					t.Errorf("%s: %d moves in 10 s, want 250 a second and one a datagram at most", what, made)
				}
			}
		}
	}
}

// SND-08: what happens once is not lost at any frame rate, though frames of less than 4 ms
// may have no command of their own: an ability pressed in one frame is used once, and shots
// are as their shooter saw them.
func TestPressesOfOneFrame(t *testing.T) {
	for _, fps := range rates {
		server := &gifted{toy: *newToy()}
		s := newStretch(t, &gifted{toy: *newToy()}, server, session.ClientConfig{}, fps)
		presses, shots := 0, 0
		last := clock.Micros(0)
		s.input = func(frame int) toyCommand {
			c := hold(1, 0)
			c.Yaw = bits.SnapAngle16(s.local.Seconds())
			switch {
			case s.local-last < 110*clock.Millisecond || s.c.Waiting():
			case presses <= shots:
				presses, last, c.Select = presses+1, s.local, 1
			case s.c.Self().Ammo.Ready():
				shots, last, c.Shot.Pitch = shots+1, s.local, -0.2
				s.c.Aim(&c.Shot)
			}
			return c
		}
		s.run(10)
		s.input = func(int) toyCommand { return hold(0, 0) }
		s.run(1)
		verdicts := 0
		for _, e := range s.events {
			if e.Kind == session.ShotJudged {
				if verdicts++; !e.Receipt.Agrees {
					t.Errorf("%v frames a second: not as seen: %+v", fps, e.Receipt)
				}
			}
		}
		t.Logf("%v frames a second: %d presses, %d used; %d shots, %d verdicts", fps, presses, server.used, shots, verdicts)
		if presses < 30 || server.used != presses || verdicts != shots {
			t.Errorf("%v frames a second: %d presses, %d used; %d shots, %d verdicts", fps, presses, server.used, shots, verdicts)
		}
		if n := s.c.Stats().Moves.Corrections; n != 0 {
			t.Errorf("%v frames a second: %d corrections", fps, n)
		}
	}
}
