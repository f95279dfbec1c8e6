package browser

import (
	"flag"
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
)

var update = flag.Bool("update", false, "rewrite testdata")

// ACK-14: each correction is reported once, in the frame that applied it, with its cause
// and the fields that were not as predicted.
func TestCorrectionsAreReportedWithTheirCause(t *testing.T) {
	p := newPage(t)
	p.join()
	if n := len(p.corrections); n != 1 || p.corrections[0].Cause != predict.Teleport {
		t.Fatalf("after joining %d corrections are reported, want the one that placed the player", n)
	}
	p.server.Modify(p.view.ID, func(h *jetpack.Hero) { h.Velocity = geom.V(3, 0, 0) })
	p.run(clock.Second)
	if n := len(p.corrections); n != 2 {
		t.Fatalf("after a push %d corrections are reported, want 2", n)
	}
	push := p.corrections[1]
	if by := differenceOf(&push, "velocity"); push.Cause != predict.ServerForce || !push.Known || by < 1 || by > 3 {
		t.Errorf("the push: %+v, want a server force, known, velocity 3 m/s less the friction", push)
	}
	h, _ := p.server.State(p.view.ID)
	h.Position = h.Position.Add(geom.V(0, 0, -4))
	p.server.SetState(p.view.ID, h)
	p.run(clock.Second)
	moved := p.corrections[2]
	if moved.Cause != predict.Teleport || math.Abs(moved.Distance-4) > .1 || math.Abs(differenceOf(&moved, "position")-moved.Distance) > 1e-6 {
		t.Errorf("the move: %+v, want a teleport, 4 m in position", moved)
	}
	if m := p.view.Stats.Moves; m.Teleports != 2 || m.ServerForces != 1 || m.Corrections != 0 {
		t.Errorf("counted %d teleports, %d server forces, %d mispredictions; want 2, 1, 0", m.Teleports, m.ServerForces, m.Corrections)
	}
	if p.count(session.Teleported) != 2 {
		t.Errorf("%d teleports among the events, want 2", p.count(session.Teleported))
	}
}

// differenceOf returns by how much a field was wrong.
func differenceOf(c *predict.Correction, field string) float64 {
	for _, d := range c.Differences {
		if d.Field == field {
			return d.By
		}
	}
	return 0
}

// A page with a wall in its level that the server's lacks stops where the server goes
// on: each correction says that the prediction was wrong, where, and by how much.
func TestAMispredictionIsReportedWithItsFields(t *testing.T) {
	p := newPage(t)
	load(t, floor(t, true))
	p.join()
	p.corrections = nil
	p.input.Forward = 1
	p.run(2 * clock.Second)
	named := 0
	for i := range p.corrections {
		c := &p.corrections[i]
		if c.Cause != predict.Misprediction || !c.Known {
			t.Errorf("%+v, want a known misprediction", c)
		}
		if c.Distance > 0.017 && differenceOf(c, "position") == c.Distance && differenceOf(c, "velocity") > 0 {
			named++
		}
	}
	if m := p.view.Stats.Moves; named == 0 || len(p.corrections) != m.Corrections || m.MaxDistance < 0.017 {
		t.Errorf("%d corrections are reported, %d of them with position and velocity, %d are counted, the largest %.3f m",
			len(p.corrections), named, m.Corrections, m.MaxDistance)
	}
}

// The page's slider: the server applies the requested input delay, in the next session too.
func TestInputDelayIsApplied(t *testing.T) {
	p := newPage(t)
	setInputDelay(-5) // before there is anybody to ask
	p.join()
	granted := func(want clock.Micros) {
		t.Helper()
		if got := p.server.Players(nil)[0].Delay; got != want || p.view.InputDelay != want {
			t.Errorf("the server holds moves for %d µs, the page shows %d; want %d µs", got, p.view.InputDelay, want)
		}
	}
	granted(0)
	setInputDelay(120)
	p.run(2 * clock.Second)
	granted(120 * clock.Millisecond)
	setInputDelay(9999)
	p.run(2 * clock.Second)
	granted(250 * clock.Millisecond)
	lost()
	p.server.Disconnect(p.peer)
	p.peer = 2
	p.hello("Ann", "", "floor")
	p.run(2 * clock.Second)
	if got := p.server.Players(nil); got[len(got)-1].Delay != 250*clock.Millisecond {
		t.Errorf("in the next session the server holds moves for %d µs, want 250 ms", got[len(got)-1].Delay)
	}
}

// The figures of the link are there, and are what the session says.
func TestThePageSeesTheLinkQuality(t *testing.T) {
	p := newPage(t)
	p.join()
	p.run(clock.Second)
	n := core.(*instance[jetpack.Hero, jetpack.Command]).client.Stats()
	s := p.view.Stats
	if s.Quality != clock.Fine || s.Quality != n.Quality || s.Up+s.Down != s.RTT || s.Moves.Made < 150 || s.Out.Datagrams < 150 || s.In.Datagrams == 0 {
		t.Errorf("in 3 s: %+v", s)
	}
	if d := p.view.Now - p.now; d < -clock.Millisecond || d > clock.Millisecond {
		t.Errorf("match time is %d µs off the server's", d)
	}
}

// Between two commands of a fixed tick the page draws the player on its way, so that a screen of
// 60 frames moves evenly over 20 commands a second. [GAP-68]
func TestAFixedTickIsDrawnEvenly(t *testing.T) {
	p := newPage(t, setup{Client: session.ClientConfig{Tick: 20}})
	p.join()
	p.input.Forward = 1
	p.run(clock.Second)
	last, between := p.view.Position.Z, 0
	for i := range 60 {
		p.run(clock.Second / 60)
		step := last - p.view.Position.Z
		if last = p.view.Position.Z; step < .05 || step > .15 {
			t.Errorf("frame %d goes %.3f m, want an even walk", i, step)
		}
		if p.view.Position != p.view.Self.Position {
			between++
		}
	}
	if between < 30 {
		t.Errorf("%d of 60 frames lie between two commands, want most", between)
	}
}

// A game runs a frame by functions of its own, before, instead of and after the core's.
func TestAGameRunsItsOwnFrame(t *testing.T) {
	var order []string
	var block struct{ Height float64 }
	note := func(what string) { order = append(order, what) }
	p := newPage(t, setup{
		Join: func(*client) { note("join") },
		Enter: func(c *client, info []byte, w *collide.World) error {
			note("enter " + string(info))
			c.EnterWorld(w)
			return nil
		},
		Begin: func(clock.Micros) { note("begin") },
		Play: func(c *client, local clock.Micros, in *jetpack.Command, events []session.Event) {
			note("play")
			own := *in
			own.Jet = true
			c.Frame(local, &own)
		},
		End: func(v *view, local clock.Micros) {
			note("end")
			block.Height = v.Position.Y
		},
	})
	Extend("block", &block)
	frame(0)
	if got := order; len(got) != 1 || got[0] != "begin" {
		t.Errorf("a frame without a session: got %v, want begin alone", got)
	}
	order = nil
	p.join()
	if order[0] != "join" || order[1] != "begin" || order[2] != "play" || order[3] != "end" {
		t.Errorf("got %v, want join, begin, play, end", order[:4])
	}
	entered := 0
	for _, what := range order {
		if what == "enter to 10" {
			entered++
		}
	}
	if entered != 1 {
		t.Errorf("entered %d times with the match's info, want once", entered)
	}
	p.run(clock.Second)
	if block.Height < 1 || *(*float64)(fieldOf(t, "block", "height")) != block.Height {
		t.Errorf("by a jet of the game's own it is %.2f m high", block.Height)
	}
}

// An error of EnterWorld is why the session is over.
func TestAGameThatCannotEnterSaysWhy(t *testing.T) {
	p := newPage(t, setup{
		Enter: func(*client, []byte, *collide.World) error { return errTooLong },
	})
	p.hello("Ann", "", "floor")
	p.run(clock.Second)
	if p.view.Phase != session.Ended || p.view.Closed != errTooLong.Error() {
		t.Errorf("phase %v, closed %q; want ended, %q", p.view.Phase, p.view.Closed, errTooLong)
	}
}
