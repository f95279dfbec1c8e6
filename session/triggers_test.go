package session_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// gates is the toy's level with n gates, far off, that a trigger moves by 4 m in 2 s and back.
func gates(t testing.TB, n int, delay clock.Micros) *collide.World {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(500, 1, 500), geom.IdentityQuat, collide.Surface{})
	for i := range n {
		path := collide.Path{Keys: []collide.Key{{Position: geom.V(float64(3*i), 1, 100)}, {At: 2 * clock.Second, Position: geom.V(float64(3*i), 5, 100)}}}
		b.TriggeredMover(fmt.Sprint("gate ", i+1), path, collide.Trigger{Kind: collide.Toggle, Delay: delay}, func(b *collide.Builder) {
			b.Box(geom.Vec3{}, geom.V(1, 1, 1), geom.IdentityQuat, collide.Surface{})
		})
	}
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// presser is the toy, whose players trigger gate 1 while they run to the south-east.
type presser struct{ toy }

func (g *presser) Step(w *collide.WorldAt, s *toyState, c *toyCommand, d clock.Micros) {
	g.toy.Step(w, s, c, d)
	if c.X == 2 && c.Z == 2 {
		w.Trigger(1, collide.Press)
	}
}

// pressing brings n clients into a match with so many gates.
func pressing(t testing.TB, n, gateCount int, delay clock.Micros) *simulation {
	r := newSimulationIn(t, session.ServerConfig{World: gates(t, gateCount, delay)}, func() toyGame { return &presser{*newToy()} })
	r.playing(n)
	return r
}

// agreeOnGates fails where a client draws a gate elsewhere than the server has it at that time.
func (r *simulation) agreeOnGates(when string) {
	r.t.Helper()
	truth := collide.WorldAt{World: r.m.World()}
	for _, g := range r.clients {
		if g.gone || g.Phase() != session.Playing {
			continue
		}
		view := g.World()
		truth.At = view.At
		for i := range view.World.Movers() {
			id := collide.MoverID(i + 1)
			if got, want := view.Pose(id), truth.Pose(id); got != want {
				r.t.Errorf("%s: client %d has gate %d at %v, the server at %v", when, g.peer, id, got.Translation, want.Translation)
			}
		}
	}
}

// BAS-13: a player that joins, or comes back, while a gate is half open has it half open, and one that was
// opened long ago open.
func TestJoinWhileAGateOpens(t *testing.T) {
	r := pressing(t, 1, 2, 0)
	r.m.Trigger(2, collide.Press, r.m.Now())
	r.run(300)
	r.m.Trigger(1, collide.Press, r.m.Now())
	r.run(30)
	late := r.join("late", session.Key{})
	for range 120 {
		r.run(1)
		if late.Phase() == session.Playing {
			break
		}
	}
	if at := late.World().Pose(1).Translation.Y; at <= 1 || at >= 5 {
		t.Fatalf("the gate is at %v when the late one plays: not on its way", at)
	}
	r.agreeOnGates("a player that joins")
	r.run(300)
	r.disconnect(late)
	r.m.Trigger(1, collide.Press, r.m.Now())
	again := r.join("late", late.Key())
	r.run(60)
	if again.Phase() != session.Playing {
		t.Fatalf("phase %d", again.Phase())
	}
	r.agreeOnGates("a player that comes back")
}

// BAS-13: a trigger is repeated until it has come, however many datagrams are lost, overtaken or
// doubled, and 70 gates at once take as many datagrams as they need.
func TestTriggersOverABadLink(t *testing.T) {
	const seed = 31
	rnd := rand.New(rand.NewPCG(seed, 0))
	r := pressing(t, 2, 70, 0)
	r.fate = func(f flight) []int {
		if rnd.IntN(3) == 0 {
			return nil
		}
		return []int{1 + rnd.IntN(8), 1 + rnd.IntN(20)}
	}
	for range 20 {
		for range 1 + rnd.IntN(70) {
			r.m.Trigger(collide.MoverID(1+rnd.IntN(70)), rnd.IntN(3), r.m.Now()-clock.Micros(rnd.IntN(300_000)))
		}
		r.run(rnd.IntN(60))
	}
	for id := collide.MoverID(1); id <= 70; id++ {
		r.m.Trigger(id, collide.Press, r.m.Now())
	}
	r.run(60)
	r.agreeOnGates("over a bad link")
}

// BAS-13: a level with gates costs no bytes while nothing happens, and a trigger a dozen bytes in
// each datagram until it is acknowledged.
func TestWhatTriggersCost(t *testing.T) {
	sizes := func(gateCount int, act func(r *simulation)) (sum int) {
		r := pressing(t, 1, gateCount, 0)
		r.run(100)
		r.seen = func(f flight) {
			if !f.up {
				sum += len(f.bytes)
			}
		}
		act(r)
		r.run(100)
		return sum
	}
	none := sizes(1, func(*simulation) {})
	many := sizes(300, func(*simulation) {})
	one := sizes(300, func(r *simulation) { r.m.Trigger(1, collide.Press, r.m.Now()) })
	t.Logf("100 ticks: %d bytes without a trigger, %d with one", many, one)
	if none != many {
		t.Errorf("300 gates at rest take %d bytes, one takes %d: want the same", many, none)
	}
	if more := one - many; more < 10 || more > 100 {
		t.Errorf("a trigger takes %d bytes in all, want 10 to 100", more)
	}
}

// BAS-13: what a player's own command triggers is on its own screen in the same frame, and on the
// server when it has run the command; afterwards both have the same log.
func TestOwnTriggerIsPredicted(t *testing.T) {
	r := pressing(t, 2, 1, 0)
	r.lag = 5
	me := r.clients[0]
	pressed := false
	me.input = func(*testClient) toyCommand {
		if pressed {
			return hold(1, 1)
		}
		return hold(0, 0)
	}
	r.run(60)
	pressed = true
	r.run(1)
	pressed = false
	r.run(1)
	if got := me.World().Pose(1).Translation.Y; got <= 1 {
		t.Errorf("two frames after the press the own gate is at %v, want above 1", got)
	}
	if got := r.m.World().Pose(1, r.m.Now()).Translation.Y; got != 1 {
		t.Errorf("the server, which cannot know yet, has it at %v", got)
	}
	for range 60 {
		r.run(1)
		truth := collide.WorldAt{World: r.m.World(), At: me.World().At}
		if got, want := me.World().Pose(1), truth.Pose(1); want.Translation.Y > 1 && got != want {
			t.Fatalf("tick %d: the own gate is at %v, the server has it at %v", r.tick, got.Translation, want.Translation)
		}
	}
	r.agreeOnGates("after a press")
	if n := r.corrections(); n != 0 {
		t.Errorf("%d corrections", n)
	}
}

// BAS-13: while three players press buttons all the time, a tick of the server and the frames of
// the clients allocate nothing.
func TestTriggersInAMatchAllocateNothing(t *testing.T) {
	singleThreaded(t)
	const n = 3
	world := gates(t, n, 50*clock.Millisecond)
	game := gameOf[toyState, toyCommand](&presser{*newToy()})
	m := newMatchOf(t, session.ServerConfig{TickRate: 60, Players: n, World: world}, &presser{*newToy()})
	l := &loop{server: m.toyServer, rate: 60, input: make([]toyCommand, n)}
	for range n {
		c := session.NewClient(game, session.ClientConfig{SendRate: 128})
		c.Hello("presser", session.Key{})
		l.clients = append(l.clients, c)
	}
	for i := range 600 {
		l.round()
		for k, c := range l.clients {
			l.input[k] = hold(1-2*(i/9%2), 1)
			if c.Phase() == session.Loading {
				c.EnterWorld(world)
				l.server.SetState(session.PlayerID(k+1), toyState{Ammo: newAmmo()})
			}
		}
	}
	at, moved := 0.0, 0
	count := func() {
		l.round()
		if y := l.clients[0].World().Pose(1).Translation.Y; y != at {
			at, moved = y, moved+1
		}
	}
	if n := testing.AllocsPerRun(300, count); n != 0 {
		t.Errorf("a tick and its frames allocate %v times", n)
	}
	if moved < 100 {
		t.Errorf("the gate moved in %d of 300 frames: nobody pressed", moved)
	}
}

// A mover without a trigger cannot be triggered: the panic says what to do.
func TestTriggerNeedsATrigger(t *testing.T) {
	r := pressing(t, 1, 1, 0)
	defer func() {
		if s, _ := recover().(string); !strings.Contains(s, "give it one in the level") {
			t.Errorf("it panics with %q", s)
		}
	}()
	r.m.Trigger(2, collide.Press, 0)
}
