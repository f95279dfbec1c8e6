package session_test

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// loop is a match of n players who run and shoot, with no network between and
// nothing else that allocates: what a tick and a frame cost.
type loop struct {
	server  *toyServer
	clients []*toyClient
	input   []toyCommand
	rate    int
	tick    int
	spent   time.Duration // of the server
	shots   int
	bytes   int
	armed   bool
}

func newLoop(t testing.TB, n, rate, model int) *loop {
	return newLoopOf(t, n, rate, model, func() toyGame { return newToy() })
}

// newLoopOf is newLoop with other rules.
func newLoopOf(t testing.TB, n, rate, model int, game func() toyGame) *loop {
	return newLoopIn(t, session.ServerConfig{TickRate: rate, Players: n}, model, game)
}

// newLoopIn is newLoopOf with a configuration of the server.
func newLoopIn(t testing.TB, config session.ServerConfig, model int, game func() toyGame) *loop {
	n, rate := config.Players, config.TickRate
	m := newMatchOf(t, config, game())
	l := &loop{server: m.toyServer, rate: rate, input: make([]toyCommand, n)}
	for i := range n {
		c := session.NewClient(gameOf[toyState, toyCommand](game()), session.ClientConfig{SendRate: 128, Tick: model})
		c.Hello("loop", session.Key{})
		l.clients = append(l.clients, c)
		l.input[i] = hold(1, 0)
	}
	for range 2 * rate {
		l.round()
		for i, c := range l.clients {
			if c.Phase() == session.Loading {
				c.EnterWorld(plane(t))
				l.server.SetState(session.PlayerID(i+1), toyState{Ammo: newAmmo()})
			}
		}
	}
	return l
}

func (l *loop) round() {
	l.tick++
	now := clock.TickTime(int64(l.tick), l.rate)
	for i, c := range l.clients {
		l.play(c, &l.input[i], now-2000)
	}
	begin := time.Now()
	for i, c := range l.clients {
		for _, p := range c.Outgoing() {
			if err := l.server.Receive(session.Peer(i+1), p.Channel, now-1000, p.Bytes); err != nil {
				panic(err)
			}
		}
	}
	l.server.Tick(now)
	for _, e := range l.server.Events() {
		if e.Kind == session.Shot {
			l.shots++
		}
	}
	l.server.Send()
	out := l.server.Outgoing()
	l.spent += time.Since(begin)
	for _, p := range out {
		l.bytes += len(p.Bytes)
		if err := l.clients[p.Peer-1].Receive(p.Channel, now+1000, p.Bytes); err != nil {
			panic(err)
		}
	}
}

// play is one client's frame: it turns about and fires whenever it may.
func (l *loop) play(c *toyClient, in *toyCommand, now clock.Micros) {
	in.Shot.Fire = false
	if c.Phase() == session.Playing {
		c.ApplyCorrection()
		if l.armed {
			l.aim(c, in)
		} else if c.Self().Ammo.Ready() && !c.Waiting() {
			in.Shot.Yaw, in.Shot.Pitch, in.Shot.Weapon = 1.5, 0, 0
			c.Aim(&in.Shot)
		}
		if l.tick%100 == 0 {
			in.X = 2 - in.X
		}
	}
	if !in.Shot.Fire {
		in.Shot = in.Shot.Quantise()
	}
	c.Frame(now, in)
	c.Events()
}

// fightTable is the table of a fight.
var fightTable = armory()

// aim shoots with what is in hand at the remote that is drawn first.
func (l *loop) aim(c *toyClient, in *toyCommand) {
	if self := c.Self(); len(c.Remotes()) > 0 && !c.Waiting() && self.Loadout.Claims(fightTable, true) {
		in.Shot = aimAt(c.Eye(), c.Remotes()[0].Position.Add(geom.V(0, 1, 0)))
		in.Shot.Weapon = self.Loadout.Held
		c.Aim(&in.Shot)
	}
}

// newFight is a loop of players in a ring that shoot at each other with weapons of all kinds.
func newFight(t testing.TB, n, rate int) *loop {
	l := newLoopOf(t, n, rate, 0, newArsenal)
	l.armed = true
	for i := range n {
		sin, cos := geom.SinCos(float64(i))
		s := toyState{Pos: geom.V(8*sin, 0, 8*cos), Ammo: newAmmo(), Loadout: armory().Loadout(), Life: 1}
		s.Loadout.Held = uint8(i % 5)
		l.server.SetState(session.PlayerID(i+1), s)
	}
	for range 4 * rate {
		l.round()
	}
	return l
}

// A tick of a match with flights, blades and fans allocates nothing either, but for what a
// shotgun's sights tell.
func TestNoAllocationsInAFight(t *testing.T) {
	singleThreaded(t)
	l := newFight(t, 10, 60)
	for range 1500 { // rings grow as long as there may be more in the air than ever
		l.round()
	}
	shots := l.shots
	if n := testing.AllocsPerRun(300, l.round); n > 2 {
		t.Errorf("a tick of ten armed players and their frames allocate %v times", n)
	}
	if l.shots-shots < 100 {
		t.Errorf("only %d verdicts", l.shots-shots)
	}
}

// measure runs rounds and reports the bytes of a player's tick; it returns the number of ticks.
func (l *loop) measure(b *testing.B) float64 {
	l.spent, l.bytes, l.shots = 0, 0, 0
	b.ReportAllocs()
	n := 0.0
	for b.Loop() {
		l.round()
		n++
	}
	b.ReportMetric(float64(l.bytes)/n/float64(len(l.clients)), "B/player/tick")
	return n
}

// Issue 7: the same with weapons of all kinds, every player shooting at a player.
func BenchmarkFight(b *testing.B) {
	l := newFight(b, 10, 128)
	n := l.measure(b)
	b.ReportMetric(float64(l.spent.Nanoseconds())/n, "ns/tick")
	b.ReportMetric(float64(l.shots)/n, "verdicts/tick")
}

// bench.md: a tick of the server and a frame of a client allocate nothing, once
// warm. [GAP-68]
func TestNoAllocations(t *testing.T) {
	singleThreaded(t)
	models(t, allocates)
}

func allocates(t *testing.T, model int) {
	l := newLoop(t, 10, 60, model)
	for range 900 {
		l.round()
	}
	shots := l.shots
	if n := testing.AllocsPerRun(300, l.round); n != 0 {
		t.Errorf("a tick of ten players and their frames allocate %v times, want 0", n)
	}
	if l.shots-shots < 100 {
		t.Errorf("only %d shots", l.shots-shots)
	}
}

// bench.md: ten players at 128 Hz, all that the server does in a tick: ≤ 120 µs.
func BenchmarkServerTick(b *testing.B) {
	l := newLoop(b, 10, 128, 0)
	for range 300 {
		l.round()
	}
	n := l.measure(b)
	b.ReportMetric(float64(l.spent.Nanoseconds())/n, "ns/tick")
}

// Issue 6: a hundred players at 30 Hz, all in sight of each other.
func BenchmarkAHundredPlayers(b *testing.B) {
	l := newLoop(b, 100, 30, 0)
	for range 90 {
		l.round()
	}
	n := l.measure(b)
	b.ReportMetric(float64(l.spent.Microseconds())/n, "µs/tick")
}
