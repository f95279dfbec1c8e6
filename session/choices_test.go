package session_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/fuzz/structured"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

const (
	choiceSeats   = 3
	choiceQueue   = 2
	choiceClients = 7   // connections at a time: more than there are seats and places in line
	choiceStart   = 20  // m: no player is placed farther from the middle
	maxChoices    = 512 // bytes of a sequence: what follows is not played
	maxHeld       = 4000
)

// choices plays a whole match that a sequence of bytes decides: players join, move, shoot, leave and come
// back, honest and hostile, over a network that the bytes make bad, in virtual time.
type choices struct {
	*simulation
	t       *failure
	left    []byte // choices
	keys    []session.Key
	packets []flight // recent ones that clients have sent
	loss    int      // of 16 datagrams
	delay   int      // ticks
	double  bool
	draws   *rand.Rand
	reached // over all sequences, if it is not nil
}

// reached counts what sequences have brought about.
type reached map[string]int

// failure is a testing.TB that keeps what fails first, so that a sequence can be tried again.
type failure struct {
	testing.TB
	text string
	// liars are clients in whose name something else was sent: the server does not know what they have,
	// so they may read something that makes no sense to them.
	liars map[session.Peer]bool
}

func (f *failure) Helper()             {}
func (f *failure) Logf(string, ...any) {}
func (f *failure) Errorf(text string, all ...any) {
	if peer, of := all[1].(session.Peer); !of || !f.liars[peer] {
		f.fail(fmt.Sprintf(text, all...))
	}
}
func (f *failure) Fatalf(text string, all ...any) { panic(fmt.Sprintf(text, all...)) }
func (f *failure) Fatal(all ...any)               { panic(fmt.Sprint(all...)) }
func (f *failure) fail(text string) {
	if f.text == "" {
		f.text = text
	}
}

// playChoices plays a sequence and returns what is wrong with it, "" for nothing.
func playChoices(t testing.TB, game func() toyGame, sequence []byte) string {
	return countChoices(t, game, sequence, reached{})
}

// countChoices is playChoices, and counts.
func countChoices(t testing.TB, game func() toyGame, sequence []byte, into reached) (wrong string) {
	f := &failure{TB: t, liars: map[session.Peer]bool{}}
	defer func() {
		if p := recover(); p != nil {
			wrong = fmt.Sprint("panic: ", p)
		}
	}()
	r := newSimulationOf(f, session.ServerConfig{Players: choiceSeats, Queue: choiceQueue, PlayersBlock: true}, game)
	c := &choices{simulation: r, t: f, left: sequence[:min(len(sequence), maxChoices)], delay: 2, draws: rand.New(rand.NewPCG(1, 2)), reached: into}
	r.fate = c.network
	r.seen = c.keep
	for len(c.left) > 0 && f.text == "" {
		c.step()
	}
	c.end()
	return f.text
}

// next returns the next choice of n, 0 when there are no more.
func (c *choices) next(n int) int {
	if len(c.left) == 0 {
		return 0
	}
	b := c.left[0]
	c.left = c.left[1:]
	return int(b) % n
}

// network is simulation.fate.
func (c *choices) network(flight) []int {
	if c.draws.IntN(16) < c.loss {
		return nil
	}
	if c.double {
		return []int{1 + c.draws.IntN(c.delay), 1 + c.draws.IntN(3*c.delay)}
	}
	return []int{1 + c.draws.IntN(c.delay)}
}

// keep keeps the last packets of clients, for hostile ones.
func (c *choices) keep(f flight) {
	if f.up {
		c.packets = append(c.packets, f)
		c.packets = c.packets[max(0, len(c.packets)-64):]
	}
}

// client returns one that is connected, nil if there is none.
func (c *choices) client() *testClient {
	i := c.next(choiceClients)
	if len(c.clients) == 0 {
		return nil
	}
	return c.clients[i%len(c.clients)]
}

// step makes one choice, and plays a few ticks.
func (c *choices) step() {
	kind := c.next(20)
	if kind < 2 {
		c.joiner(kind)
	} else if g := c.client(); g != nil && kind < 12 {
		c.honest(kind, g)
	} else if g != nil {
		c.hostile(kind, g)
	}
	for range 1 + c.next(8) {
		c.run(1)
		c.check()
	}
}

// joiner joins as a stranger, or with the key of somebody that was here.
func (c *choices) joiner(kind int) {
	if len(c.clients) >= choiceClients {
		return
	}
	key := session.Key{}
	if kind == 1 && len(c.keys) > 0 {
		key = c.keys[c.next(len(c.keys))]
	}
	c.join(fmt.Sprint("player ", c.peers), key)
}

// honest is what a player, or its host, may do.
func (c *choices) honest(kind int, g *testClient) {
	plays := g.Phase() == session.Playing
	switch kind {
	case 2, 3:
		x, z := c.next(3)-1, c.next(3)-1
		g.input = func(*testClient) toyCommand { return hold(x, z) }
	case 4, 5, 6:
		at, weapon := geom.V(float64(c.next(16)), 1, 0), c.next(5)
		g.input = func(g *testClient) toyCommand {
			in := hold(1, 0)
			in.Select = uint8(weapon + 1)
			return g.claims(in, at)
		}
	case 7:
		if g.Phase() != session.Ended && g.ID() != 0 {
			g.Leave()
		}
	case 8:
		c.drop(g)
	case 9:
		g.frozen = !g.frozen
	case 10:
		if plays {
			g.SendMessage([]byte("message"))
			g.SetInputDelay(clock.Micros(c.next(250)) * clock.Millisecond)
		}
	case 11:
		if s, there := c.m.State(max(1, g.ID())); there && g.ID() != 0 {
			s.Pos, s.Dead = geom.V(float64(c.next(9)), 0, float64(c.next(9))), c.next(3) == 0
			s.Loadout = armory().Loadout()
			c.m.SetState(g.ID(), s)
		}
	}
}

// hostile is what a cheat, and a bad network, may do.
func (c *choices) hostile(kind int, g *testClient) {
	if kind >= 15 {
		c.t.liars[g.peer] = true
	}
	switch kind {
	case 12:
		c.loss, c.delay, c.double = c.next(12), 1+c.next(30), c.next(2) == 1
	case 13:
		c.cheat(g, float64(1+c.next(40))/10)
	case 14:
		c.stall(c.next(120))
	case 15, 16, 17: // a packet of anybody's, changed, on any channel
		if len(c.packets) > 0 {
			b := slices.Clone(c.packets[c.next(len(c.packets))].bytes)
			for n := c.next(4); n > 0 && len(b) > 0; n-- {
				b[c.next(256)%len(b)] ^= byte(c.next(256))
			}
			_ = c.m.Receive(g.peer, session.Channel(c.next(8)/7), c.now(), b)
		}
	case 18: // bytes of its own
		n := c.next(24)
		b := c.left[:min(len(c.left), n)]
		_ = c.m.Receive(g.peer, session.Channel(c.next(4)/3), c.now(), b)
	case 19: // a flood of what it sent last
		for n := c.next(256); n > 0 && len(c.packets) > 0; n-- {
			_ = c.m.Receive(g.peer, session.Datagram, c.now(), c.packets[len(c.packets)-1].bytes)
		}
	}
}

// drop ends a connection, as its host does.
func (c *choices) drop(g *testClient) {
	if g.Key() != (session.Key{}) {
		c.keys = append(c.keys, g.Key())
		c.keys = c.keys[max(0, len(c.keys)-8):]
	}
	c.disconnect(g)
	c.flights = slices.DeleteFunc(c.flights, func(f flight) bool { return f.peer == g.peer })
	c.clients = slices.DeleteFunc(c.clients, func(o *testClient) bool { return o == g })
}

// check is what holds after each tick, whatever the clients do.
func (c *choices) check() {
	for _, e := range c.m.events {
		switch g := c.peer(e.Peer); {
		case e.Kind == session.Kick && g != nil:
			c.drop(g)
			c.reached["kicks"]++
		case e.Kind == session.Kick:
			c.m.Disconnect(e.Peer)
		case e.Kind == session.Joined && e.Reconnected:
			c.reached["returns"]++
		case e.Kind == session.Joined:
			c.arms(e.Player)
			c.reached["joins"]++
		case e.Kind == session.Left:
			c.reached["leaves"]++
		case e.Kind == session.Shot && e.Receipt.Verdict == shot.Hit:
			c.reached["hits"]++
		case e.Kind == session.Shot:
			c.reached["misses"]++
		case e.Kind == session.TimeDiscrepancy:
			c.reached["fast clocks"]++
		}
	}
	c.m.events = c.m.events[:0]
	reach := choiceStart + toySpeed*(1+float64(c.tick)/float64(c.rate)) // a second is what a cheat may gain
	for _, p := range c.m.Players(nil) {
		s, there := c.m.State(p.ID)
		if !there {
			continue
		}
		if !s.Pos.Finite() || !s.Vel.Finite() || s.Pos.Len() > reach || s.Vel.Len() > toySpeed+1e-9 {
			c.t.fail(fmt.Sprintf("player %d is at %v with %v m/s", p.ID, s.Pos, s.Vel))
		}
	}
	if n := c.m.TakenSeats(); n > choiceSeats {
		c.t.fail(fmt.Sprintf("%d seats", n))
	}
	if n := c.m.Held(); n > maxHeld {
		c.t.fail(fmt.Sprintf("the server keeps %d things of %d clients", n, len(c.clients)))
	}
}

// arms gives a player weapons.
func (c *choices) arms(id session.PlayerID) {
	if s, there := c.m.State(id); there {
		s.Loadout = armory().Loadout()
		c.m.SetState(id, s)
	}
}

// end lets everybody go. When the time is over for which a seat waits, all of them are free.
func (c *choices) end() {
	for len(c.clients) > 0 {
		c.drop(c.clients[0])
	}
	c.tick += 11 * c.rate
	c.run(2)
	if seats, held := c.m.TakenSeats(), c.m.Held(); c.t.text == "" && (seats != 0 || held != 0) {
		c.t.fail(fmt.Sprintf("all have gone, and %d seats are taken and %d things kept", seats, held))
	}
}

// FuzzSession: whatever several clients do in whatever order, on a network that is bad, there is no panic,
// states are finite and inside the map, what the server keeps is bounded, and seats are freed. [THR-51]
func FuzzSession(f *testing.F) {
	f.Add([]byte{0, 7, 0, 7, 2, 0, 2, 1, 7, 4, 1, 3, 2, 7, 8, 0, 7, 1, 0, 7})
	r := rand.New(rand.NewPCG(3, 4))
	for range 4 {
		f.Add(randomChoices(r, 60))
	}
	f.Fuzz(func(t *testing.T, sequence []byte) {
		if wrong := playChoices(t, newArsenal, sequence); wrong != "" {
			fails := func(b []byte) bool { return playChoices(t, newArsenal, b) != "" }
			short := structured.Shrink(sequence, 2000, fails)
			t.Fatalf("%s\nthe shortest sequence that fails is %v: %s", wrong, short, playChoices(t, newArsenal, short))
		}
	})
}

func randomChoices(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// Random sequences of choices, a few of each length; internal/fuzz and make fuzz play more. [THR-51]
func TestStructuredSessions(t *testing.T) {
	singleThreaded(t)
	game := newArsenal
	var seeds [][]byte
	r := rand.New(rand.NewPCG(5, 6))
	for range 16 {
		seeds = append(seeds, randomChoices(r, 300))
	}
	structured.Run(t, structured.Decoder{
		Name: "session.whole", Target: "FuzzSession", Slow: 200, Unmeasured: true, Seeds: seeds,
		Decode: func(b []byte) (bool, error) {
			if wrong := playChoices(t, game, b); wrong != "" {
				return true, fmt.Errorf("%s", wrong)
			}
			return true, nil
		},
	})
}

// Random sequences bring about everything that a match is made of. [THR-51]
func TestChoicesReachEverything(t *testing.T) {
	const seed = 7
	r, all := rand.New(rand.NewPCG(seed, 0)), reached{}
	for range 40 {
		if wrong := countChoices(t, newArsenal, randomChoices(r, 300), all); wrong != "" {
			t.Errorf("seed %d: %s", seed, wrong)
		}
	}
	for _, what := range []string{"joins", "returns", "leaves", "kicks", "hits", "misses", "fast clocks"} {
		if all[what] == 0 {
			t.Errorf("no %s: %v", what, all)
		}
	}
	t.Log(all)
}

// haunted is the armed toy with a fault: a player that dies while it moves is nowhere.
type haunted struct{ arsenal }

func newHaunted() toyGame { return &haunted{arsenal{newToy(), armory()}} }

func (g *haunted) Step(w *collide.WorldAt, s *toyState, c *toyCommand, d clock.Micros) {
	if s.Dead && c.X == 2 && s.Vel.X > 1 {
		s.Pos.X = 1e9
	}
	g.arsenal.Step(w, s, c, d)
}

// A fault that takes several choices in the right order is found, and the sequence that shows it shrinks
// to those choices. [THR-52]
func TestAFailingSequenceIsShortened(t *testing.T) {
	const seed = 9
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 200 {
		long := randomChoices(r, 400)
		wrong := playChoices(t, newHaunted, long)
		if !strings.Contains(wrong, "is at") {
			continue
		}
		short := structured.Shrink(long, 3000, func(b []byte) bool { return strings.Contains(playChoices(t, newHaunted, b), "is at") })
		t.Logf("seed %d, sequence %d of %d bytes: %s; shortened to %v", seed, i, len(long), wrong, short)
		if len(short) > 24 {
			t.Errorf("%d bytes are left of %d, want at most 24", len(short), len(long))
		}
		if again := playChoices(t, newHaunted, short); again == "" {
			t.Error("what is left does not fail")
		}
		return
	}
	t.Fatal("200 sequences do not find the fault that was planted")
}
