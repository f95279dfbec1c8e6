package check_test

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
)

// Logf collects what a check logs with what it reports.
func (r *report) Logf(f string, a ...any) { fmt.Fprintf(&r.text, f+"\n", a...) }

// of returns what a check of a game reports.
func of(t *testing.T, g game, p play) string {
	t.Helper()
	r := &report{TB: t}
	check.Game(r, g, p)
	return r.text.String()
}

// A mistake that makes a state or a command unpackable is reported once, with the function, the seed
// and what to do, and does not hide the others.
func TestMistakesOfPacking(t *testing.T) {
	for _, c := range []struct {
		what  string
		spoil func(g *game)
		want  string
	}{
		{"a command that cannot be written", func(g *game) {
			g.PackCommand = func(p *bits.Packer, _, _ *command) { p.Fail(bits.ErrRange) }
		}, "PackCommand: command 0 of seed 1 cannot be written: bits: "},
		{"a command that cannot be written after another", func(g *game) {
			pack := g.PackCommand
			g.PackCommand = func(p *bits.Packer, c, before *command) {
				if pack(p, c, before); before.Jet {
					p.Fail(bits.ErrRange)
				}
			}
		}, "cannot be written after another: bits: "},
		{"a command that reads more than it writes", func(g *game) {
			pack := g.PackCommand
			g.PackCommand = func(p *bits.Packer, c, before *command) {
				if pack(p, c, before); !p.Writing() {
					p.Float64(new(float64))
				}
			}
		}, "PackCommand: command 0 of seed 1 cannot be read again: "},
		{"a state that cannot be written", func(g *game) {
			g.PackState = func(p *bits.Packer, _ *hero) { p.Fail(bits.ErrRange) }
		}, "PackState: the state after command 0 of seed 1 cannot be written: bits: "},
		{"a state that reads less than it writes", func(g *game) {
			pack := g.PackState
			g.PackState = func(p *bits.Packer, h *hero) {
				if pack(p, h); p.Writing() {
					p.Float64(new(float64))
				}
			}
		}, "PackState: the state after command 0 of seed 1 cannot be read again: "},
		{"a state that no correction can carry", func(g *game) {
			pack := g.PackState
			g.PackState = func(p *bits.Packer, h *hero) {
				pack(p, h)
				for range 100 {
					p.Float64(new(float64))
				}
			}
		}, " bytes, and at most 780 fit into a correction"},
	} {
		g, p := jetpack.Game(&model), stage(t)
		p.Moves = 200
		c.spoil(&g)
		got := of(t, g, p)
		if strings.Count(got, c.want) != 1 {
			t.Errorf("%s: got\n%s\nwant once %q", c.what, got, c.want)
		}
		if strings.Contains(got, "PackState") && strings.Contains(got, "check: PackCommand") {
			t.Errorf("%s: one mistake is reported as two\n%s", c.what, got)
		}
	}
}

// A step that divides by zero is reported with the field that is no number: a NaN prints like itself
// and does not equal itself.
func TestAStateThatIsNoNumber(t *testing.T) {
	g, p := jetpack.Game(&model), stage(t)
	p.Moves = 50
	step, n := g.Step, 0
	g.Step = func(m *session.Move, h *hero, c *command) {
		if step(m, h, c); n > 20 {
			h.Velocity.Y = math.NaN()
		}
		n++
	}
	got := of(t, g, p)
	if !strings.Contains(got, "check: Step: command ") || !strings.Contains(got, "Velocity.Y: got NaN want NaN") || strings.Count(got, "\n") != 2 {
		t.Errorf("got\n%s\nwant Step and Velocity.Y, and nothing that follows from them", got)
	}
}

// The hash of the states depends on the seed and the number of commands and on nothing else; a right
// game has no other line.
func TestTheHashOfAGame(t *testing.T) {
	p := stage(t)
	p.Moves = 300
	hash := regexp.MustCompile(`^check: (\d+) commands of seed (\d+) lead to the hash [0-9a-f]{16}\n$`)
	seen := map[string]uint64{}
	for _, seed := range []uint64{0, 1, 2} {
		p.Seed = seed
		one, two := of(t, jetpack.Game(&model), p), of(t, jetpack.Game(&model), p)
		found := hash.FindStringSubmatch(one)
		if one != two || found == nil || found[1] != "300" {
			t.Fatalf("seed %d: got %q, then %q; want one line, twice the same", seed, one, two)
		}
		if want := fmt.Sprint(max(seed, 1)); found[2] != want {
			t.Errorf("seed %d is called %s, want %s", seed, found[2], want)
		}
		if other, twice := seen[one]; twice && other+seed != 1 { // zero means one
			t.Errorf("seeds %d and %d lead to the same", other, seed)
		}
		seen[one] = seed
	}
	p.Moves = 301
	if _, same := seen[strings.Replace(of(t, jetpack.Game(&model), p), "301", "300", 1)]; same {
		t.Error("one command more leads to the same hash")
	}
}

// The match is played at the tick rate of the game: a game may count its ticks.
func TestTheTickRateOfAGame(t *testing.T) {
	for rate, want := range map[int]float64{0: 60, 20: 20, 128: 128} {
		p := stage(t)
		p.Moves, p.Session.TickRate = 240, rate
		var ticks int
		var first, last clock.Micros
		p.Session.Simulate = func(now clock.Micros) {
			if ticks++; first == 0 {
				first = now
			}
			last = now
		}
		if got := of(t, jetpack.Game(&model), p); strings.Count(got, "\n") != 1 {
			t.Errorf("at %d Hz: got\n%s\nwant the hash alone", rate, got)
		}
		if got := float64(ticks-1) / (last - first).Seconds(); math.Abs(got-want) > 0.1 {
			t.Errorf("tick rate %d: %.2f ticks a second, want %v", rate, got, want)
		}
	}
}

// What no game can be checked without is a fatal error that says what to set.
func TestAGameWithoutALevel(t *testing.T) {
	defer func() {
		if got := fmt.Sprint(recover()); got != "check: Play.World is nil: set the level, such as a collide.Builder's Bake" {
			t.Errorf("got %q", got)
		}
	}()
	of(t, jetpack.Game(&model), play{})
}

// pilot is a state, and gear a command with a field of each kind that can be drawn.
type (
	pilot struct{ movement.State }
	gear  struct {
		movement.Command
		Throttle float32
		Weapon   int8
		Combo    [3]uint8
		Level    struct{ Up bool }
		own      int
	}
)

// Without a Command every exported field of a command is drawn, those in arrays and structs too,
// within and out of its range; a field that is not exported is the game's own.
func TestEveryFieldIsDrawn(t *testing.T) {
	seen := map[string]map[string]bool{}
	note := func(field string, v any) {
		if seen[field] == nil {
			seen[field] = map[string]bool{}
		}
		seen[field][fmt.Sprint(v)] = true
	}
	g := session.Game[pilot, gear]{
		PackCommand: func(p *bits.Packer, c, before *gear) {
			if p.Writing() {
				note("forward", c.Forward)
				note("throttle", c.Throttle)
				note("weapon", c.Weapon)
				note("combo", c.Combo)
				note("up", c.Level.Up)
				note("own", c.own)
			}
			c.Command.Pack(p, &before.Command)
			throttle, weapon := float64(c.Throttle), int(c.Weapon)
			p.Float64(&throttle)
			p.Ranged(&weapon, -128, 127)
			c.Throttle, c.Weapon = float32(throttle), int8(weapon)
			for i := range c.Combo {
				p.Byte(&c.Combo[i])
			}
			p.Bool(&c.Level.Up)
		},
	}
	character.Fill(&g, &model)
	r := &report{TB: t}
	check.Game(r, g, check.Play[pilot, gear]{Start: pilot{movement.Spawn(geom.V(0, 0.1, 0), 0)}, World: collide.Floor(500), Moves: 2000})
	for field, least := range map[string]int{"forward": 50, "throttle": 50, "weapon": 7, "combo": 40, "up": 2, "own": 1} {
		if n := len(seen[field]); n < least || field == "own" && n > 1 {
			t.Errorf("%s: %d values, want %d", field, n, least)
		}
	}
	for _, extreme := range []string{"-3", "3"} {
		if !seen["weapon"][extreme] {
			t.Errorf("weapon is never %s", extreme)
		}
	}
}
