package main

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/internal/newgame/templates/third/game"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/transport/mem"
)

// Bots play for ten seconds at 150 ms of round trip: tags happen, and nobody's
// prediction is wrong.
func TestAMatchOfBots(t *testing.T) {
	c := config()
	c.Bots = 0
	m, err := serve.New(game.Rules(), c)
	if err != nil {
		t.Fatal(err)
	}
	score := int64(0)
	for _, c := range check.Bots(t, game.Rules(), check.Match[game.Player, game.Input]{
		Server: m, World: game.Level(), Think: game.Think, Players: 3, Network: mem.Network{RTT: 150 * time.Millisecond}, Duration: 10 * clock.Second,
	}) {
		score += c.Number(c.ID(), "score")
		if n := c.Stats().Moves.Corrections; n != 0 {
			t.Errorf("player %d: got %d corrections, the last of %v; want none", c.ID(), n, c.LastCorrection().Differences)
		}
	}
	if score == 0 {
		t.Error("nobody was tagged in ten seconds")
	}
}
