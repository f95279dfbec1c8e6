package main

import (
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

var update = flag.Bool("update", false, "rewrite testdata")

// page does what a browser's page does with the core, against a match in the same
// process: frames and ticks alternate, packets take no time.
type page struct {
	browser.Page
	t     *testing.T
	match *arena.Match
	world *collide.World
	ticks int64
	now   clock.Micros
	peer  session.Peer
	other *partner // nil: none
	happened
}

// happened is what the blocks of all frames had.
type happened struct {
	joins       []Join
	leaves      []track.ID
	tracers     []Tracer
	detonations []Detonation
	hurts       []Hurt
	kills       []arena.Kill
	spawns      int
}

// newPage bakes a floor, passes its packed bytes to the core, and starts a
// match on it.
func newPage(t *testing.T) *page {
	t.Helper()
	world := collide.Floor(30)
	p := &page{t: t, world: world, peer: 1}
	p.Lost()
	if err := p.Load(world.AppendBinary(nil)); err != nil {
		t.Fatal(err)
	}
	p.start(arena.MatchConfig{Spawns: []arena.Spawn{{Position: geom.V(0, 0.02, 5)}}})
	p.still()
	return p
}

// start starts a match.
func (p *page) start(config arena.MatchConfig) {
	drawn := byte(0)
	config.KillHeight = -50
	config.ServerConfig = session.ServerConfig{World: p.world, LevelHash: "floor", NewKey: func() (k session.Key) {
		drawn++
		k[0], k[15] = drawn, 0xa5
		return k
	}}
	p.match = arena.NewMatch(config)
}

// still releases everything when the test ends.
func (p *page) still() {
	p.t.Cleanup(func() {
		controls = Controls{}
		devices.input.Release()
		bindDefaults()
		readDevices(devices.last + 1)
		p.Lost()
	})
}

// hello says hello.
func (p *page) hello() {
	p.t.Helper()
	if err := p.Hello("Ann", "", "floor", p.now); err != nil {
		p.t.Fatal(err)
	}
}

// run plays for a time, 60 frames and ticks a second.
func (p *page) run(d clock.Micros) {
	p.t.Helper()
	for end := p.now + d - 1000; p.now < end; {
		p.ticks++
		p.now = clock.TickTime(p.ticks, 60)
		p.Frame(p.now)
		p.note()
		p.send(p.peer, exported.Packets)
		if p.other != nil {
			p.other.play(p)
		}
		p.match.Tick(p.now)
		for _, packet := range p.match.Outgoing() {
			switch {
			case packet.Peer == p.peer:
				p.Receive(packet, p.now)
			case p.other != nil && packet.Peer == otherPeer:
				if err := p.other.player.Receive(packet.Channel, p.now, packet.Bytes); err != nil {
					p.t.Fatalf("the other refuses a packet: %v", err)
				}
			}
		}
	}
}

// note keeps what happened in this frame.
func (p *page) note() {
	h := &p.happened
	h.joins, h.leaves = append(h.joins, block.Joins...), append(h.leaves, block.Leaves...)
	h.tracers, h.detonations = append(h.tracers, block.Tracers...), append(h.detonations, block.Detonations...)
	h.hurts = append(h.hurts, block.Hurts...)
	if block.Player != nil {
		h.kills = append(h.kills, block.Player.Kills...)
	}
	if block.Spawned {
		h.spawns++
	}
}

func (p *page) send(peer session.Peer, packets []session.Packet) {
	p.t.Helper()
	for _, packet := range packets {
		if err := p.match.Receive(peer, packet.Channel, p.now, packet.Bytes); err != nil {
			p.t.Fatalf("the server refuses a packet of peer %d: %v", peer, err)
		}
	}
}

// partner is another player, in the match of the page's own.
type partner struct {
	player *arena.Player
	in     arena.Input
	turns  float64 // radians a second
}

// otherPeer is the partner's.
const otherPeer = 9

// join adds a second player to the page's match and waits until both play.
func (p *page) join() *partner {
	p.t.Helper()
	p.other = &partner{player: arena.NewPlayer(session.ClientConfig{})}
	p.other.player.Hello("Bob", session.Key{})
	p.hello()
	p.run(2 * clock.Second)
	if p.other.player.Phase() != session.Playing || exported.Phase != session.Playing {
		p.t.Fatalf("after 2 s: phases %v and %v, want both playing", p.other.player.Phase(), exported.Phase)
	}
	return p.other
}

// play is a frame of the partner's.
func (o *partner) play(p *page) {
	p.t.Helper()
	for _, e := range o.player.Notices {
		if e.Kind == session.Welcomed {
			o.player.Enter(p.world)
		}
	}
	o.in.Yaw += o.turns / 60
	o.player.Play(p.now, o.in)
	p.send(otherPeer, o.player.Outgoing())
}

// aim has the page look at the other's belly as it is drawn.
func (p *page) aim() {
	p.t.Helper()
	if len(exported.Remotes) != 1 {
		p.t.Fatalf("%d others, want one", len(exported.Remotes))
	}
	controls.Yaw, controls.Pitch = arena.Aim(exported.Eye, exported.Remotes[0].Position.Add(geom.V(0, 1.1, 0)))
}

// shotAt has the partner fire at the page's player for a time.
func (p *page) shotAt(d clock.Micros) {
	p.t.Helper()
	o := p.other
	for end := p.now + d - 1000; p.now < end; {
		for _, r := range o.player.Remotes() {
			o.in.Yaw, o.in.Pitch = arena.Aim(o.player.Eye(), r.Position.Add(geom.V(0, 1.1, 0)))
		}
		o.in.Fire = len(o.player.Remotes()) > 0
		p.run(clock.Second / 60)
	}
	o.in.Fire = false
}

// apart puts the page's player and its partner at rest, d metres from each other.
func (p *page) apart(d float64) {
	p.t.Helper()
	p.place(exported.ID, geom.V(0, .02, 0))
	p.place(p.other.player.ID(), geom.V(0, .02, -d))
	p.run(clock.Second)
}

func (p *page) place(id session.PlayerID, at geom.Vec3) {
	p.t.Helper()
	h, ok := p.match.State(id)
	if !ok {
		p.t.Fatalf("there is no player %d", id)
	}
	h.Position, h.Velocity = at, geom.Vec3{}
	p.match.SetState(id, h)
}

// held is what the page's player holds.
func held() int { return int(exported.Self.Loadout.Held) }

// The types of the arena, as its page has them: -update rewrites them. [ENT-11]
func TestTheTypesOfTheArena(t *testing.T) {
	const path = "../../../web/src/core.d.ts"
	got := []byte(browser.TypeScript())
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s is not what the Go types say: run go test ./examples/arena/wasm -update and look at the difference", path)
	}
}
