package session_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// Nobody waits for a host as for a lost connection, however long; when it leaves, its seat
// is free.
func TestAHostLeaves(t *testing.T) {
	r := newRoom(t, session.ServerConfig{Players: 1})
	h := r.sit("Ada")
	h.playing()
	r.run(60 * 11)
	r.m.told()
	h.Leave()
	h.Leave()
	h.frame(r.now())
	h.SendMessage([]byte("late"))
	r.run(1)
	if told := r.m.told(); told != "left 1 Ada; " || h.Phase() != session.Ended || h.Self() != nil || h.Status() != nil {
		t.Errorf("left: %q, phase %v, self %v", told, h.Phase(), h.Self())
	}
	next := r.sit("Cleo")
	next.playing()
	if next.ID() != 1 || next.Self().Pos.X != 1 {
		t.Errorf("next: player %d at %v", next.ID(), next.Self().Pos)
	}
}

// BAS-08: with Block a host and a client are in each other's way: neither runs through
// the other, and neither is corrected.
func TestAHostIsInTheWay(t *testing.T) {
	r := newRoomOf(t, session.ServerConfig{PlayersBlock: true}, func() toyGame { return &shy{*newToy()} })
	r.m.place = func(id session.PlayerID) geom.Vec3 { return geom.V(float64(4*int(id)), 0, 0) }
	h := r.sit("Ada")
	h.playing()
	g := r.playing(1)[0]
	h.hands = func(*host) toyCommand { return hold(1, 0) }
	g.hands = func(*guest) toyCommand { return hold(-1, 0) }
	h.run(120, frame144)
	apart := g.Self().Pos.X - h.Self().Pos.X
	if apart < .3 || apart > 2 {
		t.Errorf("they stand %.2f m apart, want them to have met", apart)
	}
	if s := g.Stats(); s.Moves.Corrections != 0 {
		t.Errorf("the client: %+v", s.Moves)
	}
	r.m.told()
}

// 0 allocations a frame and a tick after warm-up, with shots and others about.
func TestAHostAllocatesNothing(t *testing.T) {
	m := newMatch(t, session.ServerConfig{})
	l, _ := m.JoinLocal("Ada", session.ClientConfig{})
	other, _ := m.JoinLocal("Ben", session.ClientConfig{})
	now := clock.Micros(0)
	walk := hold(1, 0)
	frame := func() {
		now += clock.TickTime(1, 60) + 1
		for _, p := range []*toyLocal{l, other} {
			for _, e := range p.Events() {
				if e.Kind == session.Welcomed {
					p.EnterWorld(m.Level())
				}
			}
			walk.Shot = shot.Claim{}
			if p.Phase() == session.Playing && p.Self().Ammo.Ready() {
				p.Aim(&walk.Shot)
			}
			p.Frame(now, &walk)
		}
		m.Server().Tick(now)
		for _, e := range m.Server().Events() {
			if e.Kind == session.Joined {
				m.spawn(e.Player, geom.Vec3{})
			}
		}
		m.Server().Send()
	}
	for range 300 {
		frame()
	}
	if n := testing.AllocsPerRun(300, frame); n != 0 {
		t.Errorf("%v allocations a tick, want 0", n)
	}
	if s := l.Stats(); s.Confirmed < 10 || len(l.Remotes()) != 1 {
		t.Errorf("%+v: too little happened", s)
	}
}

// A host that draws rarely in a match of many ticks, and one that draws often in a match
// of few, are seen to run as evenly as anybody, and shoot as well. [ENT-08, SRV-10]
func TestAHostAtAnyRate(t *testing.T) {
	for _, c := range []struct {
		ticks, snapshots int
		every            clock.Micros
	}{{60, 60, 90 * clock.Millisecond}, {60, 20, frame144}, {20, 20, 5 * clock.Millisecond}, {128, 64, 33 * clock.Millisecond}} {
		rnd := rand.New(rand.NewPCG(3, uint64(c.ticks)))
		r := newRoom(t, session.ServerConfig{TickRate: c.ticks, SnapshotRate: c.snapshots})
		h := r.sit("Ada")
		h.run(20, c.every)
		g := r.playing(1)[0]
		h.hands = func(h *host) toyCommand { return shootNow(h.toyLocal, hold(1, 0), rnd) }
		g.hands = func(g *guest) toyCommand { return shootNow(g.toyClient, hold(1, 0), rnd) }
		eye, ours := &watched{who: g.toyClient}, &watched{who: h.toyLocal}
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
			c.ticks, c.snapshots, c.every, eye.most*100, ours.most*100, a.Confirmed, b.Confirmed)
		if eye.back+ours.back > 0 || eye.most > .03 || ours.most > .03 || eye.frames < 300 || ours.frames < 150 {
			t.Errorf("they stutter: %+v %+v", eye, ours)
		}
		if a.Contradicted+b.Contradicted > 0 || a.Confirmed < 30 || b.Moves.Corrections > 0 {
			t.Errorf("the host %+v, the client %+v", a, b)
		}
	}
}

// GAP-68: a host with a fixed tick makes commands of one length, however often it draws,
// and is drawn between two of them; its shots are still judged as its screen showed them,
// also those of frames in which no command was due.
func TestAHostWithAFixedTick(t *testing.T) {
	r := newRoom(t, session.ServerConfig{})
	l, err := r.m.JoinLocal("Ada", session.ClientConfig{Tick: 50})
	if err != nil {
		t.Fatal(err)
	}
	h := &host{toyLocal: l, r: r}
	h.run(10, frame144)
	r.playing(1)
	rnd := rand.New(rand.NewPCG(1, 4))
	r.guests[0].hands = walkAbout(rnd)
	h.hands = func(h *host) toyCommand {
		c := hold(1, 0)
		if !h.Waiting() {
			c = shootNow(h.toyLocal, c, rnd)
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
	if s := h.Stats(); s.Confirmed < 40 || s.Contradicted != 0 {
		t.Errorf("%d shots as seen, %d not", s.Confirmed, s.Contradicted)
	}
}

// GAP-11: a host that draws no frames for more than a second, in a match that goes on,
// does not hang in the air: it runs on as it was running, a quarter of a second behind,
// and others never draw it backwards. Its next frame is one of 125 ms.
func TestAHostThatFreezes(t *testing.T) {
	r := newRoom(t, session.ServerConfig{})
	h := r.sit("Ada")
	h.playing()
	g := r.playing(1)[0]
	h.hands = func(*host) toyCommand { return hold(1, 0) }
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
	if ran := h.Self().Pos.X - left; ran < 5.2 || ran > 5.6 || math.Abs(drawn-h.Self().Pos.X) > .7 {
		t.Errorf("ran on for %.2f m, and is drawn %.2f m from there", ran, drawn-h.Self().Pos.X)
	}
	before, made := h.Self().Pos.X, h.Stats().Moves.Made
	h.frame(r.now() + 5000)
	if d := h.Self().Pos.X - before; d <= 0 || d > .75 || h.Stats().Moves.Made != made+1 || h.View().Platform != r.now()+5000-(r.now()+5000)%predict.TimeQuantum {
		t.Errorf("the frame after it led %.3f m on, to %d of %d", d, h.View().Platform, r.now())
	}
	h.run(60, frame144)
	if s := g.Stats(); s.Moves.Corrections != 0 {
		t.Errorf("the client: %+v", s.Moves)
	}
}
