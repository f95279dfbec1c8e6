package arena

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// A hero runs into walls, up stairs, jumps and fires, for a minute, without
// allocations.
func TestStepsDoNotAllocate(t *testing.T) {
	game, view := NewGame(), &collide.WorldAt{World: yard(t)}
	hero := game.Spawn(geom.V(0, 0.1, 4), 0, 1)
	n := 0
	var c Command
	move := session.Move{World: view, Duration: clock.Second / 60}
	allocs := testing.AllocsPerRun(3600, func() {
		n++
		c = Command{Shot: shot.Claim{Fire: n%7 == 0}}
		c.Move.Forward, c.Move.Yaw, c.Move.Jump = 1, float64(n/40), n%60 < 5
		c.Quantise()
		game.Step(&move, &hero, &c)
		if hero.InHand().Rounds == 0 {
			hero.Loadout = game.weapons.Loadout()
		}
	})
	if allocs != 0 {
		t.Errorf("got %v allocations a step, want 0", allocs)
	}
}

// A whole tick of a match in which eight bots walk and shoot: their clients'
// prediction and drawing, packets both ways, the server's moves, its history and
// the verdicts. Nobody dies, so no stream message is sent.
func TestTicksDoNotAllocate(t *testing.T) {
	config := realMatch(realLevel(t)).config
	config.Peaceful, config.PlayersBlock = true, true
	c := NewBots(NewMatch(config), 8, Rookie)
	tick := int64(0)
	step := func() {
		tick++
		c.Tick(clock.TickTime(tick, 60))
		c.Outgoing()
	}
	for range 5400 { // so that every list has been as long as it gets, with projectiles in it
		step()
	}
	before := c.bots[0].player.Stats().Agreed
	allocs := testing.AllocsPerRun(600, step)
	shots := c.bots[0].player.Stats().Agreed - before
	for i := 1; i < 8; i++ {
		shots += c.bots[i].player.Stats().Agreed
	}
	if allocs != 0 {
		t.Errorf("got %v allocations a tick, want 0", allocs)
	}
	if shots == 0 {
		t.Errorf("nobody fired: the test does not see shots")
	}
}
