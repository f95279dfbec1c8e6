package labgame

import (
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// noted is the arena with a word in what both ends of player 1 do. What is nil is not
// asked for.
type noted struct {
	*Game
	// stepped is shown each step on the server, with the hero after it.
	stepped func(m *session.MoveStep, h *arena.Hero)
	// drew is shown each frame of the client, at its local time.
	drew func(a *actor, local clock.Micros)
	// ticks comes before each tick of the server.
	ticks func(m *match, now clock.Micros)
	// joined is shown player 1's end before it does anything.
	joined func(a *actor)
}

func (n *noted) Match(s lab.Setup) (lab.Match, error) {
	m, err := n.Game.Match(s)
	if err != nil {
		return nil, err
	}
	return &notedMatch{m.(*match), n, nil}, nil
}

type notedMatch struct {
	*match
	notes *noted
	lab   session.Observer
}

// Observe lets the lab watch, too.
func (m *notedMatch) Observe(w session.Observer) {
	m.lab = w
	m.match.Observe(m)
}

func (m *notedMatch) ObserveMove(v *session.MoveStep) {
	if h, ok := m.State(v.Player); ok && v.Player == 1 && m.notes.stepped != nil {
		m.notes.stepped(v, &h)
	}
	m.lab.ObserveMove(v)
}

func (m *notedMatch) ObserveShot(s *shot.Shot, r *shot.Receipt, targets []track.Entity) {
	m.lab.ObserveShot(s, r, targets)
}

func (m *notedMatch) Tick(now clock.Micros) {
	if m.notes.ticks != nil {
		m.notes.ticks(m.match, now)
	}
	m.match.Tick(now)
}

func (m *notedMatch) Join(joining lab.Participant) lab.Actor {
	a := m.match.Join(joining).(*actor)
	if m.notes.joined != nil && joining.Name == "ann" {
		m.notes.joined(a)
	}
	return &notedActor{a, m.notes}
}

type notedActor struct {
	*actor
	notes *noted
}

func (a *notedActor) Act(local clock.Micros, h *lab.Controls) {
	a.actor.Act(local, h)
	if a.ID() == 1 && a.Phase() == session.Playing && a.notes.drew != nil {
		a.notes.drew(a.actor, local)
	}
}

// frameDrawn is player 1's view of itself at a frame.
type frameDrawn struct {
	local     clock.Micros
	number    uint32    // newest command
	predicted geom.Vec3 // after it
	drawn     geom.Vec3
	// corrections and altered count those that were applied by then.
	corrections, altered int
}

func drawnFrame(a *actor, local clock.Micros) frameDrawn {
	s := a.Stats().Moves
	return frameDrawn{local, a.Newest(), a.Position(), a.Position().Add(a.Offset()), s.Corrections, s.ServerForces}
}

// staged reads a scenario: a file of the standing set, or the text of one, with
// settings over it.
func staged(t *testing.T, game lab.Game, what string, sets ...string) *scenario.Scenario {
	t.Helper()
	open := func() (*scenario.File, error) { return scenario.Open(t.Name(), []byte(what)) }
	if strings.HasSuffix(what, ".yaml") {
		open = func() (*scenario.File, error) { return scenario.OpenFile("../../../scenarios/" + what) }
	}
	f, err := open()
	for _, set := range sets {
		if err == nil {
			key, value, _ := strings.Cut(set, "=")
			err = f.Set(key, value)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Scenario(lab.Words(game))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shown plays a scenario; its expectations are not evaluated.
func shown(t *testing.T, game lab.Game, s *scenario.Scenario) *lab.Result {
	t.Helper()
	s.Expect = nil
	r, err := lab.Play(s, game, lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
