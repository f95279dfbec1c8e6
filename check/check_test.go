package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
)

type (
	hero    = jetpack.Hero
	command = jetpack.Command
	game    = session.Game[hero, command]
	play    = check.Play[hero, command]
)

var model = movement.DefaultModel()

// stage is a floor with walls, steps and a ramp.
func stage(t *testing.T) play {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(60, 1, 60), geom.IdentityQuat, collide.Surface{})
	for i := range 4 {
		b.Box(geom.V(float64(6+i), 0.15*float64(i+1), 0), geom.V(0.5, 0.15*float64(i+1), 3), geom.IdentityQuat, collide.Surface{})
	}
	b.Ramp(geom.V(-8, 0, 0), 6, 3, 2, 0, collide.Surface{})
	for _, x := range []float64{-15, 15} {
		b.Box(geom.V(x, 5, 0), geom.V(1, 6, 15), geom.IdentityQuat, collide.Surface{})
		b.Box(geom.V(0, 5, x), geom.V(15, 6, 1), geom.IdentityQuat, collide.Surface{})
	}
	w := b.MustBake()
	return play{Start: hero{State: movement.Spawn(geom.V(0, 0.1, 5), 0), Fuel: 20 * clock.Second}, World: w, Moves: 3000}
}

// The README's game is right.
func TestARightGameHasNoFaults(t *testing.T) {
	p := stage(t)
	p.Moves = 10000
	check.Game(t, jetpack.Game(&model), p)
}

// report is a testing.TB that collects what is reported.
type report struct {
	testing.TB
	text strings.Builder
}

func (r *report) Helper()                   {}
func (r *report) Error(a ...any)            { fmt.Fprintln(&r.text, a...) }
func (r *report) Errorf(f string, a ...any) { fmt.Fprintf(&r.text, f+"\n", a...) }
func (r *report) Fatal(a ...any)            { panic(fmt.Sprint(a...)) }

// Each mistake that a game can make, and that the compiler cannot see, is found and named.
func TestMistakesAreFound(t *testing.T) {
	count := 0
	for _, c := range []struct {
		what  string
		spoil func(g *game)
		want  []string
	}{
		{"a field missing from PackState", func(g *game) {
			g.PackState = func(p *bits.Packer, h *hero) { h.State.Pack(p) }
		}, []string{"PackState", "Fuel: got 0 want"}},
		{"a field packed with loss", func(g *game) {
			g.PackState = func(p *bits.Packer, h *hero) {
				h.State.Pack(p)
				f := uint64(h.Fuel / 1000)
				p.Uvarint(&f)
				h.Fuel = clock.Micros(f) * 1000
			}
		}, []string{"PackState", "Fuel"}},
		{"a command that is read in another order", func(g *game) {
			g.PackCommand = func(p *bits.Packer, c, before *command) {
				if p.Writing() {
					p.Bool(&c.Jet)
				}
				c.Command.Pack(p, &before.Command)
				if !p.Writing() {
					p.Bool(&c.Jet)
				}
			}
		}, []string{"PackCommand"}},
		{"a button that depends on the command before", func(g *game) {
			g.PackCommand = func(p *bits.Packer, c, before *command) {
				c.Command.Pack(p, &before.Command)
				if !before.Jet {
					p.Bool(&c.Jet)
				}
			}
		}, []string{"PackCommand", "Jet: got false want true"}},
		{"a combination that changes what happens", func(g *game) {
			g.Combine = func(*session.Move, *hero, *hero, *command, *command) bool { return true }
		}, []string{"Combine", "Fuel"}},
		{"a combination that changes what the game's own Digest has", func(g *game) {
			g.ClearInexact = nil
			g.Digest = func(h *hero) uint16 { return uint16(h.Fuel / 40) }
			g.Combine = func(*session.Move, *hero, *hero, *command, *command) bool { return true }
		}, []string{"Combine", "Fuel"}},
		{"a combination that changes its arguments", func(g *game) {
			combine := g.Combine
			g.Combine = func(m *session.Move, start, between *hero, first, second *command) bool {
				ok := combine(m, start, between, first, second)
				if ok {
					start.Fuel--
				}
				return ok
			}
		}, []string{"Combine", "changes its arguments"}},
		{"a step that keeps something between calls", func(g *game) {
			step := g.Step
			g.Step = func(m *session.Move, h *hero, c *command) {
				if count++; count%40 == 0 {
					h.Velocity.X += 3
				}
				step(m, h, c)
			}
		}, []string{"client and server", "corrections"}},
		{"a step that keeps something between calls, in a field that no correction looks at", func(g *game) {
			step := g.Step
			g.Digest = func(h *hero) uint16 { return uint16(h.Mode) }
			g.Step = func(m *session.Move, h *hero, c *command) {
				if count++; count%40 == 0 {
					h.Fuel--
				}
				step(m, h, c)
			}
		}, []string{"client and server", "Fuel: got"}},
	} {
		g := jetpack.Game(&model)
		c.spoil(&g)
		r := &report{TB: t}
		check.Game(r, g, stage(t))
		for _, want := range c.want {
			if !strings.Contains(r.text.String(), want) {
				t.Errorf("%s: got\n%s\nwant it to say %q", c.what, &r.text, want)
			}
		}
	}
}

// A sum that the compiler would fuse is named by its line.
func TestRounding(t *testing.T) {
	r := &report{TB: t}
	check.Rounding(r, "./testdata/fused")
	if got := r.text.String(); !strings.Contains(got, "testdata/fused/fused.go:5") || strings.Count(got, "\n") != 2 {
		t.Errorf("got\n%s\nwant one line of testdata/fused/fused.go for each processor", got)
	}
}
