package session_test

import (
	"fmt"
	"hash/fnv"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// The toy is a game of gliding posts on a plane with one rifle: enough of a game
// for everything that a session does.
type toyState struct {
	Pos, Vel geom.Vec3
	Yaw      float64
	Ammo     shot.Ammo
	Loadout  shot.Loadout // of the armed toy
	Life     uint8
	Dead     bool
}

type toyCommand struct {
	X, Z uint8 // −1, 0, 1, plus 1
	Yaw  float64
	Shot shot.Claim
	// Select is the armed toy's weapon to take in hand, from 1.
	Select uint8
}

func hold(x, z int) toyCommand { return toyCommand{X: uint8(x + 1), Z: uint8(z + 1)} }

const toySpeed = 6 // m/s

type toy struct{ weapons [1]shot.Weapon }

func newToy() *toy { return &toy{[1]shot.Weapon{shot.Rifle()}} }

func (g *toy) Step(w *collide.WorldAt, s *toyState, c *toyCommand, d clock.Micros) {
	if s.Dead {
		return
	}
	s.Ammo.Step(&g.weapons[0], c.Shot.Fire, false, d)
	s.Yaw = c.Yaw
	want := geom.V(float64(c.X)-1, 0, float64(c.Z)-1).ClampLen(1).Mul(toySpeed)
	s.Vel = s.Vel.Add(want.Sub(s.Vel).ClampLen(float64(60 * d.Seconds())))
	s.Pos = s.Pos.MulAdd(s.Vel, d.Seconds())
}

func (g *toy) ClearOneTime(c *toyCommand) { c.Shot = shot.Claim{} }

func (g *toy) PackCommand(p *bits.Packer, c, before *toyCommand) {
	x, z := int(c.X), int(c.Z)
	p.Ranged(&x, 0, 2)
	p.Ranged(&z, 0, 2)
	c.X, c.Z = uint8(x), uint8(z)
	p.Angle16(&c.Yaw)
	c.Shot.Pack(p)
}

func (g *toy) PackState(p *bits.Packer, s *toyState) {
	p.Vec64(&s.Pos)
	p.Vec64(&s.Vel)
	p.Float64(&s.Yaw)
	s.Ammo.Pack(p)
	p.Byte(&s.Life)
	p.Bool(&s.Dead)
}

func (g *toy) Position(s *toyState) geom.Vec3 { return s.Pos }
func (g *toy) Digest(s *toyState) uint16      { return uint16(s.Ammo.Rounds) | uint16(s.Life)<<8 }
func (g *toy) Eye(s *toyState) geom.Vec3      { return s.Pos.Add(geom.V(0, 1.5, 0)) }
func (g *toy) Trigger(c *toyCommand) *shot.Claim {
	return &c.Shot
}
func (g *toy) Weapons() []shot.Weapon { return g.weapons[:] }

func (g *toy) Pose(s *toyState) track.Sample {
	return track.Sample{Pose: track.Pose{Position: s.Pos, Velocity: s.Vel, Yaw: s.Yaw, Mode: 1}, GameData: track.GameData{Life: s.Life, Dead: s.Dead}}
}

// BodyCapsule is a post of 0.3 m; the dead are in no player's way.
func (g *toy) BodyCapsule(pose *track.Sample) (geom.Capsule, bool) {
	return geom.Capsule{A: pose.Position.Add(geom.V(0, .3, 0)), B: pose.Position.Add(geom.V(0, 1.5, 0)), Radius: .3}, !pose.Dead
}

func (g *toy) Fired(before *toyState, c *toyCommand, after *toyState) shot.FireResult {
	return shot.FireResult{Fired: c.Shot.Fire && !before.Dead && before.Ammo.Ready()}
}

// plane is the toy's level.
func plane(t testing.TB) *collide.World {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(500, 1, 500), geom.IdentityQuat, collide.Surface{})
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

type (
	toyGame   = methods[toyState, toyCommand]
	toyServer = session.Server[toyState, toyCommand]
	toyClient = session.Client[toyState, toyCommand]
)

// match is the game around a Server: it places each player that joins at (id, 0, 0) and
// counts.
type match struct {
	*toyServer
	life   [session.MaxPlayers + 1]uint8
	events []session.Event
	onTick func()
	place  func(session.PlayerID) geom.Vec3 // where newcomers are put; nil is (id, 0, 0)
	lobby  bool                             // newcomers are not put anywhere
	keys   byte                             // that were drawn
}

func newMatch(t testing.TB, config session.ServerConfig) *match {
	return newMatchOf(t, config, newToy())
}

// newMatchOf is newMatch with other rules.
func newMatchOf(t testing.TB, config session.ServerConfig, game toyGame) *match {
	if config.LevelHash = "level"; config.World == nil {
		config.World = plane(t)
	}
	m := new(match)
	config.NewKey = func() session.Key {
		m.keys++
		return session.Key{0x5a, 0x69, 0x96, 0xa5, 0xff, 14: 77, 15: m.keys}
	}
	m.toyServer = session.NewServer(gameOf[toyState, toyCommand](game), config)
	return m
}

func (m *match) Tick(now clock.Micros) {
	m.Server().Tick(now)
	for _, e := range m.Server().Events() {
		m.events = append(m.events, e)
		if e.Kind == session.Joined && !e.Reconnected && !m.lobby {
			at := geom.V(float64(e.Player), 0, 0)
			if m.place != nil {
				at = m.place(e.Player)
			}
			m.spawn(e.Player, at)
		}
	}
	if m.onTick != nil {
		m.onTick()
	}
	m.Server().Send()
}

func (m *match) Server() *toyServer { return m.toyServer }

func (m *match) spawn(id session.PlayerID, at geom.Vec3) {
	m.life[id]++
	m.SetState(id, toyState{Pos: at, Ammo: shot.FullAmmo(&newToy().weapons[0]), Life: m.life[id]})
}

// takeEvents returns the match's events as text, and forgets them.
func (m *match) takeEvents() string {
	s := ""
	for _, e := range m.events {
		switch e.Kind {
		case session.Joined:
			s += fmt.Sprintf("joined %d %s again=%v; ", e.Player, e.Name, e.Reconnected)
		case session.Left:
			s += fmt.Sprintf("left %d %s; ", e.Player, e.Name)
		case session.Kick:
			s += fmt.Sprintf("kick peer %d of %d: %s; ", e.Peer, e.Player, e.Text)
		case session.Message:
			s += fmt.Sprintf("message of %d: %q; ", e.Player, e.Bytes)
		case session.Shot:
			s += fmt.Sprintf("shot of %d: %d; ", e.Player, e.Receipt.Verdict)
		}
	}
	m.events = m.events[:0]
	return s
}

// hash sums up all that players can see of the match.
func (m *match) hash() uint64 {
	h := fnv.New64a()
	for id := session.PlayerID(1); id <= session.MaxPlayers; id++ {
		s, ok := m.State(id)
		fmt.Fprint(h, id, ok, s)
	}
	return h.Sum64()
}

// testClient is a client of a simulation with its player's input.
type testClient struct {
	*toyClient
	peer   session.Peer
	frozen bool
	gone   bool
	input  func(g *testClient) toyCommand
	events []session.Event
	drift  float64
	lasted func(clock.Micros) clock.Micros // how long commands say they last; nil is honest
	world  *collide.World                  // entered at Welcomed
}

func (g *testClient) count(kind session.EventKind) int {
	n := 0
	for _, e := range g.events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// flight is a packet on its way.
type flight struct {
	due   int
	up    bool
	peer  session.Peer
	ch    session.Channel
	bytes []byte
}

// simulation is a match and its clients in virtual time, a frame of every player's to a
// tick. Each packet takes lag ticks, or what fate returns.
type simulation struct {
	t       testing.TB
	m       *match
	rate    int
	tick    int
	first   int
	lag     int
	fate    func(f flight) []int // delays of its copies in ticks; nil loses it. Datagrams only.
	clients []*testClient
	loop    session.Loopback // of hosts
	flights []flight
	seen    func(f flight) // every packet that is sent
	peers   session.Peer
	game    func() toyGame // of each client
	world   *collide.World // nil: the plane
	model   int            // ticks a second of each client's commands; 0: one a frame
}

func newSimulation(t testing.TB, config session.ServerConfig) *simulation {
	return newSimulationOf(t, config, func() toyGame { return newToy() })
}

// models plays a test with a command a frame, and with fewer and more than a frame at a
// fixed tick (GAP-68).
func models(t *testing.T, play func(t *testing.T, model int)) {
	for _, model := range []int{0, 50, 90} {
		t.Run(fmt.Sprintf("%d ticks", model), func(t *testing.T) { play(t, model) })
	}
}

// newRoomOf is newRoom with other rules: the game's first value is the server's.
func newSimulationOf(t testing.TB, config session.ServerConfig, game func() toyGame) *simulation {
	if config.TickRate == 0 {
		config.TickRate = 60
	}
	return &simulation{t: t, m: newMatchOf(t, config, game()), rate: config.TickRate, lag: 2, game: game}
}

// newRoomIn is newRoomOf in the level of the configuration.
func newSimulationIn(t testing.TB, config session.ServerConfig, game func() toyGame) *simulation {
	r := newSimulationOf(t, config, game)
	r.world = config.World
	return r
}

// join adds a client that says hello.
func (r *simulation) join(name string, key session.Key) *testClient {
	g := r.connect()
	g.Hello(name, key)
	return g
}

// connect adds a client that says nothing yet.
func (r *simulation) connect() *testClient {
	r.peers++
	g := &testClient{peer: r.peers, world: r.world}
	if g.world == nil {
		g.world = plane(r.t)
	}
	g.toyClient = session.NewClient(gameOf[toyState, toyCommand](r.game()), session.ClientConfig{Tick: r.model, Lasted: func(d clock.Micros) clock.Micros {
		if g.lasted != nil {
			return g.lasted(d)
		}
		return d
	}})
	r.clients = append(r.clients, g)
	return g
}

// disconnect ends a client's connection.
func (r *simulation) disconnect(g *testClient) {
	g.gone = true
	r.m.Disconnect(g.peer)
}

// now is the match time of the newest tick.
func (r *simulation) now() clock.Micros { return clock.TickTime(int64(r.first+r.tick), r.rate) }

// local is a client's own clock.
func (r *simulation) local(g *testClient) clock.Micros {
	at := clock.TickTime(int64(r.tick), r.rate)
	return 5*clock.Second + at + clock.Micros(float64(at)*g.drift) - 3000
}

// run plays n ticks.
func (r *simulation) run(n int) {
	for range n {
		r.tick++
		for _, g := range r.clients {
			r.frame(g)
		}
		r.arrive(true, 0, func(f flight) {
			if err := r.m.Receive(f.peer, f.ch, r.now()-2000, f.bytes); err != nil && r.peer(f.peer) != nil {
				r.t.Logf("tick %d: peer %d: %v", r.tick, f.peer, err)
			}
		})
		r.m.Tick(r.now())
		for _, p := range r.loop.Deliver(r.now(), r.m.Outgoing()) {
			r.send(flight{peer: p.Peer, ch: p.Channel, bytes: append([]byte(nil), p.Bytes...)})
		}
	}
}

// stall lets the server miss n ticks while its clients play on.
func (r *simulation) stall(n int) {
	for range n {
		r.tick++
		for _, g := range r.clients {
			r.frame(g)
		}
	}
}

// peer returns the client of a peer that is still connected.
func (r *simulation) peer(p session.Peer) *testClient {
	for _, g := range r.clients {
		if g.peer == p && !g.gone {
			return g
		}
	}
	return nil
}

// frame is one client's.
func (r *simulation) frame(g *testClient) {
	if g.gone || g.frozen {
		return
	}
	r.arrive(false, g.peer, func(f flight) {
		if err := g.Receive(f.ch, r.local(g)-clock.Millisecond, f.bytes); err != nil {
			r.t.Errorf("tick %d: client %d: %v", r.tick, g.peer, err)
		}
	})
	g.take()
	c := hold(0, 0)
	if g.input != nil && g.Phase() == session.Playing {
		c = g.input(g)
	}
	g.Frame(r.local(g), &c)
	g.take()
	for _, p := range g.Outgoing() {
		r.send(flight{up: true, peer: g.peer, ch: p.Channel, bytes: append([]byte(nil), p.Bytes...)})
	}
}

// take keeps a client's events, and enters the level.
func (g *testClient) take() {
	for _, e := range g.Events() {
		g.events = append(g.events, e)
		if e.Kind == session.Welcomed {
			g.EnterWorld(g.world)
		}
	}
}

func (r *simulation) send(f flight) {
	delays := []int{r.lag}
	if r.fate != nil && f.ch == session.Datagram {
		delays = r.fate(f)
	}
	if r.seen != nil {
		r.seen(f)
	}
	for _, d := range delays {
		f.due = r.tick + d
		r.flights = append(r.flights, f)
	}
}

// arrive hands over what is due, in the order of dues; 0 is every peer.
func (r *simulation) arrive(up bool, peer session.Peer, deliver func(flight)) {
	var due []flight
	kept := r.flights[:0]
	for _, f := range r.flights {
		if f.up == up && f.due <= r.tick && (peer == 0 || f.peer == peer) {
			due = append(due, f)
		} else {
			kept = append(kept, f)
		}
	}
	r.flights = kept
	for _, f := range due {
		deliver(f)
	}
}

// playing brings n clients into the match.
func (r *simulation) playing(n int) []*testClient {
	r.t.Helper()
	for i := range n {
		r.join(fmt.Sprint("player ", i+1), session.Key{})
	}
	for range 200 {
		r.run(1)
		ready := true
		for _, g := range r.clients {
			ready = ready && g.Phase() == session.Playing
		}
		if ready {
			r.m.takeEvents()
			return r.clients
		}
	}
	r.t.Fatal("not everybody plays after 200 ticks")
	return nil
}

// agree fails unless a client's own state is the server's once all has arrived, but
// for the ammunition, whose times the client is ahead in.
func (r *simulation) agree() {
	r.t.Helper()
	for _, g := range r.clients {
		g.input = func(*testClient) toyCommand { return hold(0, 0) }
	}
	r.run(40)
	for _, g := range r.clients {
		if g.gone {
			continue
		}
		s, ok := r.m.State(g.ID())
		if g.Self() != nil {
			s.Ammo, s.Loadout = g.Self().Ammo, g.Self().Loadout
		}
		if !ok || g.Self() == nil || *g.Self() != s {
			r.t.Errorf("player %d: server %+v, client %+v", g.ID(), s, g.Self())
		}
	}
}

func newAmmo() shot.Ammo { return shot.FullAmmo(&newToy().weapons[0]) }
