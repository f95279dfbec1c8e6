package conformance

import (
	"bytes"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// heroStep is one move of the arena. Command is coded against the zero input, the states as a correction
// has them.
type heroStep struct {
	Name     string       `json:"name"`
	At       clock.Micros `json:"at"`       // the stamp, µs
	Duration clock.Micros `json:"duration"` // µs
	Command  Hex          `json:"command"`
	Before   Hex          `json:"before"`
	After    Hex          `json:"after"`
}

// fight is a script of moves of a hero.
type fight struct {
	name    string
	moves   int
	lasts   clock.Micros // 0: 1/60 s, on the grid of 40 µs
	input   func(i int, c *arena.Command)
	prepare func(h *arena.Hero)
}

// fights are what appendix B of docs/protocol.md describes: the loadout, shield, sights and the dash.
func fights() []fight {
	fire := func(c *arena.Command) { c.Shot = shot.Claim{Fire: true} }
	return []fight{
		{name: "a held trigger", moves: 14, input: func(_ int, c *arena.Command) { fire(c) }},
		{name: "a held trigger, moves of 33 ms", moves: 9, lasts: 33_320, input: func(_ int, c *arena.Command) { fire(c) }},
		{name: "a trigger that is let go and pressed", moves: 12, input: func(i int, c *arena.Command) {
			if i%8 < 6 {
				fire(c)
			}
		}},
		{name: "the last round, and the reload", moves: 20, lasts: 125_000, input: func(i int, c *arena.Command) { fire(c) },
			prepare: func(h *arena.Hero) { h.Loadout.Ammo[0].Rounds = 2 }},
		{name: "a reload by request", moves: 19, lasts: 125_000, input: func(i int, c *arena.Command) { c.Reload, c.Aim = i == 1, true },
			prepare: func(h *arena.Hero) { h.Loadout.Ammo[0].Rounds = 29 }},
		{name: "another weapon", moves: 12, lasts: 50_000, input: func(i int, c *arena.Command) {
			if fire(c); i == 1 {
				c.Select = 2
			}
		}},
		{name: "another weapon in a reload, and back", moves: 12, lasts: 100_000, input: func(i int, c *arena.Command) {
			switch c.Reload = i == 0; i {
			case 2:
				c.Select = 3
			case 6:
				c.Select = 1
			}
		}, prepare: func(h *arena.Hero) { h.Loadout.Ammo[0].Rounds = 1 }},
		{name: "the weapon in hand again", moves: 2, input: func(_ int, c *arena.Command) { c.Select = 1 }},
		{name: "behind the shield", moves: 8, input: func(i int, c *arena.Command) {
			fire(c)
			c.Move.Forward, c.Shield, c.Aim, c.Reload = 1, i < 5, true, i == 2
		}},
		{name: "sights up, and off in a reload", moves: 6, input: func(i int, c *arena.Command) { c.Move.Forward, c.Aim, c.Reload = 1, true, i == 3 },
			prepare: func(h *arena.Hero) { h.Loadout.Ammo[0].Rounds = 5 }},
		{name: "a dash along the input", moves: 16, input: func(i int, c *arena.Command) { c.Move.Forward, c.Move.Right, c.Dash = 1, 1, i == 1 || i == 15 }},
		{name: "a dash ahead, without input", moves: 15, input: func(i int, c *arena.Command) { c.Move.Yaw, c.Dash = .5, i == 0 }},
		{name: "dead", moves: 2, input: func(_ int, c *arena.Command) { c.Move.Forward, c.Move.Yaw = 1, 1; fire(c) },
			prepare: func(h *arena.Hero) { h.Dead = true }},
	}
}

// packedBytes is what pack writes.
func packedBytes(t testing.TB, pack func(p *bits.Packer)) Hex {
	t.Helper()
	var p bits.Packer
	p.Write(make([]byte, 1024))
	if pack(&p); p.Err() != nil {
		t.Fatal(p.Err())
	}
	return bytes.Clone(p.Bytes())
}

// The steps of heroes in the suite are what the arena computes on a flat floor: first the table of
// weapons, as a welcome has it, and then each move. State and command of a move are read from the
// bytes of the suite, so these suffice (PRF-14).
func TestHeroVectors(t *testing.T) {
	lines := []any{map[string]any{"weapons": Hex(arena.Weapons().Append(nil))}}
	world := places[0].bake(t)
	for _, f := range fights() {
		game, lasts := arena.NewGame(), f.lasts
		if lasts == 0 {
			lasts = 16_680
		}
		hero := game.Spawn(geom.V(0, .02, 0), 0, 1)
		if f.prepare != nil {
			f.prepare(&hero)
		}
		for i := range f.moves {
			v := heroStep{Name: f.name, At: clock.Micros(i+1) * lasts, Duration: lasts}
			var c arena.Command
			f.input(i, &c)
			c.Quantise()
			v.Command = packedBytes(t, func(p *bits.Packer) { game.PackCommand(p, &c, &arena.Command{}) })
			v.Before = packedBytes(t, hero.Pack)
			var p bits.Packer
			p.Read(v.Command)
			game.PackCommand(&p, &c, &arena.Command{})
			p.Read(v.Before)
			hero = arena.Hero{}
			hero.Pack(&p)
			game.Step(&session.Move{World: &collide.WorldAt{World: world, At: v.At}, Duration: lasts, Weapons: game.Weapons()}, &hero, &c)
			v.After = packedBytes(t, hero.Pack)
			lines = append(lines, v)
		}
	}
	compare(t, "heroes.jsonl", lines)
}
