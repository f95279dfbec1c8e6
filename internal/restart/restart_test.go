package restart_test

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/coop"
	"github.com/backstep-net/backstep/examples/football"
	"github.com/backstep-net/backstep/examples/hockey"
	"github.com/backstep-net/backstep/examples/melee"
	"github.com/backstep-net/backstep/examples/obby"
	"github.com/backstep-net/backstep/examples/ships"
	"github.com/backstep-net/backstep/examples/topdown"
	"github.com/backstep-net/backstep/internal/restart"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// with returns a configuration with so many bots.
func with[S comparable, C any](config func() serve.Config[S, C], bots int, think func(*session.Client[S, C]) C) func() serve.Config[S, C] {
	return func() serve.Config[S, C] {
		c := config()
		c.Bots, c.Think = bots, think
		return c
	}
}

// A server of the melee is restarted while fighters are dead: they come back, and swords still do damage.
func TestTheFightGoesOn(t *testing.T) {
	before, after := restart.Play(t, melee.Rules(), with(melee.Config, 4, melee.Think), func(h *restart.Half[melee.Fighter, melee.Input]) bool { return h.Deaths >= 3 && h.Dead() > 0 }, 20*clock.Second)
	fought(t, after.Deaths, after.Returns, before.Dead())
	if got, then := after.Total("score"), before.Total("score"); got <= then {
		t.Errorf("got a score of %d in all, want more than the %d before the restart", got, then)
	}
}

// A server of the ships is restarted while ships are wrecks: they launch again, and lasers still do damage.
func TestTheShipsFlyOn(t *testing.T) {
	before, after := restart.Play(t, ships.Rules(), with(ships.Config, 4, ships.Think), func(h *restart.Half[ships.Ship, ships.Input]) bool { return h.Deaths >= 3 && h.Dead() > 0 }, 30*clock.Second)
	fought(t, after.Deaths, after.Returns, before.Dead())
	if got, then := after.Total("score"), before.Total("score"); got <= then {
		t.Errorf("got a score of %d in all, want more than the %d before the restart", got, then)
	}
}

// fought checks that players died and came back after the restart, with those that were dead.
func fought(t *testing.T, deaths, returns, dead int) {
	t.Helper()
	if deaths == 0 {
		t.Error("nobody dies after the restart, want deaths as before")
	}
	if returns < dead {
		t.Errorf("%d players came back after the restart, want at least the %d that were dead", returns, dead)
	}
}

// The fort is restarted in the middle of a wave: no attackers come on top, and they are shot until the next.
func TestTheFortHoldsOn(t *testing.T) {
	before, after := restart.Play(t, coop.Rules(), with(coop.Config, 2, coop.Think), func(h *restart.Half[coop.Guard, coop.Input]) bool {
		return h.Total("score") >= 2 && h.Count(coop.Walker) >= 2
	}, 30*clock.Second)
	if got, then := after.Total("score"), before.Total("score"); got <= then {
		t.Errorf("got %d attackers shot, want more than the %d before the restart", got, then)
	}
}

// The football match is restarted after a goal, before the ball is back in the middle: there is one ball, it comes back
// to the middle, and more goals are scored.
func TestTheFootballMatchGoesOn(t *testing.T) {
	goals := func(h *restart.Half[football.Player, football.Input]) int64 {
		return h.Number(session.OfMatch, "red") + h.Number(session.OfMatch, "blue")
	}
	before, after := restart.Play(t, football.Rules(), with(football.Config, 5, football.Think), func(h *restart.Half[football.Player, football.Input]) bool { return goals(h) > 0 }, 120*clock.Second)
	if after.Entities[1] != 1 {
		t.Errorf("got %d balls, want 1", after.Entities[1])
	}
	if got, then := goals(after), goals(before); got <= then {
		t.Errorf("got %d goals, want more than the %d before the restart", got, then)
	}
}

// The hockey match is restarted: one skater is "it", as before, it freezes others, and there is one puck.
func TestTheHockeyMatchGoesOn(t *testing.T) {
	var tags []int // in each of the matches
	config := func() serve.Config[hockey.Skater, hockey.Input] {
		c, half := hockey.Config(), len(tags)
		tags = append(tags, 0)
		onShot := c.OnShot
		c.OnShot = func(m *serve.Match[hockey.Skater, hockey.Input], by session.PlayerID, r *shot.Receipt) {
			before := m.Number(by, "it")
			if onShot(m, by, r); before == 1 && m.Number(by, "it") == 0 {
				tags[half]++
			}
		}
		return c
	}
	_, after := restart.Play(t, hockey.Rules(), with(config, 4, hockey.Think), func(h *restart.Half[hockey.Skater, hockey.Input]) bool {
		return tags[0] >= 3
	}, 30*clock.Second)
	if after.Entities[1] != 1 {
		t.Errorf("got %d pucks, want 1", after.Entities[1])
	}
	if got := after.Total("it"); got != 1 {
		t.Errorf(`got %d skaters that are "it", want 1`, got)
	}
	if tags[1] == 0 {
		t.Error(`nobody is frozen after the restart, want that the one that is "it" freezes others`)
	}
}

// The game of coins is restarted: as many coins lie about, no more, and players gather them.
func TestTheCoinsStay(t *testing.T) {
	before, after := restart.Play(t, topdown.Rules(), with(topdown.Config, 4, topdown.Think), func(h *restart.Half[topdown.Runner, topdown.Input]) bool {
		return h.Total("coins") >= 5 && h.Count(2) == 0
	}, 60*clock.Second)
	if got, want := after.Entities[1], before.Entities[1]; got != want {
		t.Errorf("got %d coins at a time, want %d", got, want)
	}
	if got, then := after.Total("wins"), before.Total("wins"); got <= then {
		t.Errorf("got %d wins, want more than the %d before the restart", got, then)
	}
}

// The obstacle course has nothing but states, and needs no OnCheckpoint: runners go on from where they were, and reach
// further checkpoints.
func TestTheCourseGoesOn(t *testing.T) {
	config := func() serve.Config[obby.Jumper, movement.Command] {
		return serve.Config[obby.Jumper, movement.Command]{ // as examples/obby/server has it
			Session: session.ServerConfig{World: obby.Course()},
			OnJoin: func(m *serve.Match[obby.Jumper, movement.Command], e session.Event) {
				if !e.Reconnected {
					m.SetState(e.Player, obby.Spawn())
				}
			},
		}
	}
	before, after := restart.Play(t, obby.Rules(), with(config, 2, obby.Think), func(h *restart.Half[obby.Jumper, movement.Command]) bool { return h.Total("checkpoint") >= 2 }, 40*clock.Second)
	if got, then := after.Total("checkpoint"), before.Total("checkpoint"); got <= then {
		t.Errorf("got %d checkpoints of the course in all, want more than the %d before the restart", got, then)
	}
}
