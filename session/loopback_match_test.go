package session_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// No player waits for a host as for a lost connection, however long; when it leaves, its seat
// is free.
func TestAHostLeaves(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 1})
	h := r.sit("Ada")
	h.playing()
	r.run(60 * 11)
	r.m.takeEvents()
	h.Leave()
	h.frame(r.now())
	h.SendMessage([]byte("late"))
	r.run(1)
	if told := r.m.takeEvents(); told != "left 1 Ada; kick peer 2147483648 of 0: session: left; " || h.Phase() != session.Ended {
		t.Errorf("left: %q, phase %v", told, h.Phase())
	}
	next := r.sit("Cleo")
	next.playing()
	if next.ID() != 1 || next.Self().Pos.X != 1 {
		t.Errorf("next: player %d at %v", next.ID(), next.Self().Pos)
	}
}

// BAS-08: with Block a host and a client are in each other's way: neither runs through
// the other, and neither is corrected.
func TestAHostIsAnObstacle(t *testing.T) {
	r := newSimulationOf(t, session.ServerConfig{PlayersBlock: true}, func() toyGame { return &shy{*newToy()} })
	r.m.place = func(id session.PlayerID) geom.Vec3 { return geom.V(float64(4*int(id)), 0, 0) }
	h := r.sit("Ada")
	h.playing()
	g := r.playing(1)[0]
	h.input = func(*host) toyCommand { return hold(1, 0) }
	g.input = func(*testClient) toyCommand { return hold(-1, 0) }
	h.run(120, frame144)
	apart := g.Self().Pos.X - h.Self().Pos.X
	if apart < .3 || apart > 2 {
		t.Errorf("they stand %.2f m apart, want them to have met", apart)
	}
	if s := g.Stats(); s.Moves.Corrections != 0 {
		t.Errorf("the client: %+v", s.Moves)
	}
	r.m.takeEvents()
}

// 0 allocations a frame and a tick after warm-up, with shots and others about.
func TestAHostAllocatesNothing(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	two := [2]*host{r.sit("Ada"), r.sit("Ben")}
	walk := hold(1, 0)
	step := func() {
		r.tick++
		now := r.now()
		for _, h := range two {
			for _, e := range h.Events() {
				if e.Kind == session.Welcomed {
					h.EnterWorld(r.m.Level())
				}
			}
			walk.Shot = shot.Claim{}
			if h.Phase() == session.Playing && h.Self().Ammo.Ready() {
				h.Aim(&walk.Shot)
			}
			h.Frame(now, &walk)
			r.loop.Send(h.peer, r.m, now)
		}
		r.m.events = r.m.events[:0]
		r.m.Tick(now)
		r.loop.Deliver(now, r.m.Outgoing())
	}
	for range 600 {
		step()
	}
	if n := testing.AllocsPerRun(300, step); n != 0 {
		t.Errorf("%v allocations a tick, want 0", n)
	}
	if s := two[0].Stats(); s.Agreed < 10 || len(two[0].Remotes()) != 1 {
		t.Errorf("%+v: too little happened", s)
	}
}

// A host that draws rarely in a match of many ticks, and one that draws often in a match
// of few, are seen to run as evenly as any player, and shoot as well. [ENT-08, SRV-10]
func TestAHostAtAnyRate(t *testing.T) {
	for _, c := range []struct {
		ticks, snapshots int
		every            clock.Micros
	}{{60, 60, 90 * clock.Millisecond}, {60, 20, frame144}, {20, 20, 5 * clock.Millisecond}, {128, 64, 33 * clock.Millisecond}} {
		rnd := rand.New(rand.NewPCG(3, uint64(c.ticks)))
		r := newSimulation(t, session.ServerConfig{TickRate: c.ticks, SnapshotRate: c.snapshots})
		h := r.sit("Ada")
		h.run(20, c.every)
		g := r.playing(1)[0]
		h.input = func(h *host) toyCommand { return shootNow(h.toyClient, hold(1, 0), rnd) }
		g.input = func(g *testClient) toyCommand { return shootNow(g.toyClient, hold(1, 0), rnd) }
		eye, ours := &watched{client: g.toyClient}, &watched{client: h.toyClient}
		h.drawn = func() { ours.look() }
		h.run(5*c.ticks, c.every)
		eye.frames, eye.most, eye.back = 0, 0, 0
		ours.frames, ours.most, ours.back = 0, 0, 0
		for range 20 * c.ticks {
			h.run(1, c.every)
			eye.look()
		}
		a, b := h.Stats(), g.Stats()
		t.Logf("%d ticks, %d snapshots, a frame every %d µs: the host is drawn with a speed off by %.1f %%, the client by %.1f %%; shots %d and %d",
			c.ticks, c.snapshots, c.every, eye.most*100, ours.most*100, a.Agreed, b.Agreed)
		if eye.back+ours.back > 0 || eye.most > .03 || ours.most > .03 || eye.frames < 300 || ours.frames < 150 {
			t.Errorf("they stutter: %+v %+v", eye, ours)
		}
		if a.Disagreed+b.Disagreed > 0 || a.Agreed < 30 || b.Moves.Corrections > 0 {
			t.Errorf("the host %+v, the client %+v", a, b)
		}
	}
}

// GAP-68: a host with a fixed tick makes commands of one length, however often it draws,
// and is drawn between two of them; its shots are still judged as its screen showed them,
// also those of frames in which no command was due.
func TestAHostWithAFixedTick(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	h := r.sitWith("Ada", session.ClientConfig{Tick: 50})
	h.run(10, frame144)
	r.playing(1)
	rnd := rand.New(rand.NewPCG(1, 4))
	r.clients[0].input = walkAbout(rnd)
	h.input = func(h *host) toyCommand {
		c := hold(1, 0)
		if !h.Waiting() {
			c = shootNow(h.toyClient, c, rnd)
		}
		return c
	}
	h.run(120, frame144)
	made, from, was := h.Stats().Moves.Made, h.last, 0.0
	h.drawn = func() {
		if h.InterpolationAlpha() < 0 || h.InterpolationAlpha() > 1 {
			t.Fatalf("share %v", h.InterpolationAlpha())
		}
		x := h.StateBefore().Pos.X + (h.Self().Pos.X-h.StateBefore().Pos.X)*h.InterpolationAlpha()
		if d := x - was; was != 0 && (d < .035 || d > .05) {
			t.Errorf("drawn %.4f m on in a frame of 7 ms, want 0.0417; share %v, at %d, %v to %v", d, h.InterpolationAlpha(), h.last, h.StateBefore().Pos.X, h.Self().Pos.X)
		}
		was = x
	}
	h.run(300, frame144)
	h.drawn = nil
	if n, want := h.Stats().Moves.Made-made, int((h.last-from)/(20*clock.Millisecond)); n < want-1 || n > want+1 {
		t.Errorf("%d commands, want %d", n, want)
	}
	h.run(300, frame144)
	if s := h.Stats(); s.Agreed < 40 || s.Disagreed != 0 {
		t.Errorf("%d shots as seen, %d not", s.Agreed, s.Disagreed)
	}
}

// GAP-11: a host that draws no frames for more than a second, in a match that goes on,
// does not hang in the air: the server runs it on as it was running, a quarter of a second
// behind, and others never draw it backwards. Then it is corrected once and goes on.
func TestAHostThatFreezes(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	h := r.sit("Ada")
	h.playing()
	g := r.playing(1)[0]
	h.input = func(*host) toyCommand { return hold(1, 0) }
	h.run(120, frame144)
	left := h.Self().Pos.X
	drawn := 0.0
	for range 70 {
		r.run(1)
		x := g.Remotes()[0].Position.X
		if drawn != 0 && (x < drawn-1e-9 || x > drawn+.25) {
			t.Errorf("drawn at %.3f and then at %.3f", drawn, x)
		}
		drawn = x
	}
	there, _ := r.m.State(h.ID())
	if ran := there.Pos.X - left; ran < 5.2 || ran > 5.6 || math.Abs(drawn-there.Pos.X) > .7 {
		t.Errorf("ran on for %.2f m, and is drawn %.2f m from there", ran, drawn-there.Pos.X)
	}
	h.last = r.now()
	h.run(60, frame144)
	own, _ := r.m.State(h.ID())
	if s := h.Stats(); s.Moves.Corrections > 1 || own != *h.Self() || own.Pos.X < there.Pos.X {
		t.Errorf("afterwards %+v, at %v; the server has %v", s.Moves, h.Self().Pos, own.Pos)
	}
	if s := g.Stats(); s.Moves.Corrections != 0 {
		t.Errorf("the client: %+v", s.Moves)
	}
}
