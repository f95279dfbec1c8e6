package main

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/internal/newgame/templates/third/game"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// Three bots play for ten seconds at 150 ms of round trip: tags happen, and nobody's prediction is
// wrong.
func TestAMatchOfBots(t *testing.T) {
	m, err := serve.New(game.Rules(), config())
	if err != nil {
		t.Fatal(err)
	}
	bots := check.Bots[game.Player, game.Input]{
		Game: game.Rules(), World: game.Level(), Think: game.Think, Count: 3, Network: mem.Network{RTT: 150 * time.Millisecond},
	}
	score := int64(0)
	for _, c := range bots.Play(t, m) {
		score += c.Number(c.ID(), "score")
		if n := c.Stats().Moves.Corrections; n != 0 {
			t.Errorf("player %d: got %d corrections, the last of %v; want none", c.ID(), n, c.LastCorrection().Differences)
		}
	}
	if score == 0 {
		t.Errorf("nobody was tagged in ten seconds; player 1 is at %v", position(m, 1))
	}
}

func position(m *match, id session.PlayerID) any {
	s, _ := m.State(id)
	return s.Position
}
