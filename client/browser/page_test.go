package browser

import (
	"testing"
	"unsafe"

	"github.com/backstep-net/backstep/client/layout"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
)

var model = movement.DefaultModel()

// page does what a browser's page does with the core, against a match in the same process:
// frames and ticks alternate, packets take no time.
type page struct {
	t           *testing.T
	game        rules
	world       *collide.World
	server      *session.Server[jetpack.Hero, jetpack.Command]
	view        *view
	input       *jetpack.Command
	ticks       int64
	now         clock.Micros
	peer        session.Peer
	drawn       byte            // keys drawn
	other       *client         // another player; nil: none
	events      []session.Event // of all frames
	corrections []predict.Correction
	told        []string // messages that the game on the server received
	lobby       bool     // the game does not place players that join
}

// floor returns a level of one floor, and of a wall if there is one.
func floor(t *testing.T, wall bool) *collide.World {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(30, 1, 30), geom.IdentityQuat, collide.Surface{})
	if wall {
		b.Box(geom.V(0, 1, -2), geom.V(5, 1, .2), geom.IdentityQuat, collide.Surface{})
	}
	world, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return world
}

// pristine is the table of a program without a game.
var pristine *layout.Table

// The types of the game that the tests play.
type (
	client = session.Client[jetpack.Hero, jetpack.Command]
	rules  = session.Game[jetpack.Hero, jetpack.Command]
	view   = View[jetpack.Hero, jetpack.Command]
	setup  = Config[jetpack.Hero, jetpack.Command]
)

// export makes a game this program's core, for one test.
func export(t *testing.T, game rules, config ...setup) (*view, *jetpack.Command) {
	t.Helper()
	if pristine == nil {
		copied := table
		pristine = &copied
	}
	core, shared.inbox, table = nil, nil, *pristine
	view := Export(game, config...)
	return view, &core.(*instance[jetpack.Hero, jetpack.Command]).input
}

// newPage returns a page of the jetpack game with a level, and a match on it.
func newPage(t *testing.T, config ...setup) *page {
	t.Helper()
	return newPageOf(t, jetpack.Game(&model), config...)
}

func newPageOf(t *testing.T, game rules, config ...setup) *page {
	t.Helper()
	world := floor(t, false)
	p := &page{t: t, peer: 1, game: game, world: world}
	p.view, p.input = export(t, game, config...)
	load(t, world)
	p.server = session.NewServer(game, session.ServerConfig{
		World: world, LevelHash: "floor", MatchInfo: []byte("to 10"),
		NewKey: func() (k session.Key) {
			p.drawn++
			k[0], k[15] = p.drawn, 0xa5
			return k
		},
	})
	return p
}

// put writes bytes into the inbox as a page does.
func put[T string | []byte](t *testing.T, text T) int32 {
	t.Helper()
	at := inbox(int32(len(text)))
	if at == nil {
		t.Fatalf("no inbox for %d bytes", len(text))
	}
	return int32(copy(unsafe.Slice((*byte)(at), len(text)), text))
}

func load(t *testing.T, world *collide.World) {
	t.Helper()
	if levelLoad(put(t, world.AppendBinary(nil))) != 0 {
		t.Fatal(*core.failure())
	}
}

// hello says hello and returns the error.
func (p *page) hello(name, resume, level string) string {
	p.t.Helper()
	hello(put(p.t, name+"\x00"+resume+"\x00"+level), float64(p.now))
	return p.view.Error
}

// run plays for a time, 60 frames and ticks a second.
func (p *page) run(d clock.Micros) {
	p.t.Helper()
	for end := p.now + d - 1000; p.now < end; {
		p.ticks++
		p.now = clock.TickTime(p.ticks, 60)
		p.frame()
		p.tick()
	}
}

// frame draws a frame and sends its packets.
func (p *page) frame() {
	p.t.Helper()
	frame(float64(p.now))
	p.events = append(p.events, p.view.Events...)
	p.corrections = append(p.corrections, p.view.Corrections...)
	p.send(p.peer, p.view.Packets)
	if p.other == nil {
		return
	}
	for _, e := range p.other.Events() {
		if e.Kind == session.Welcomed {
			p.other.EnterWorld(p.world)
		}
	}
	p.other.Frame(p.now, &jetpack.Command{})
	p.send(otherPeer, p.other.Outgoing())
}

func (p *page) send(from session.Peer, packets []session.Packet) {
	p.t.Helper()
	for _, packet := range packets {
		if err := p.server.Receive(from, packet.Channel, p.now, packet.Bytes); err != nil {
			p.t.Fatalf("the server refuses a packet of peer %d: %v", from, err)
		}
	}
}

// otherPeer is the other player's.
const otherPeer = 9

// joinWith joins together with another player, which stands still.
func (p *page) joinWith(name string) *client {
	p.t.Helper()
	p.other = session.NewClient(p.game, session.ClientConfig{})
	p.other.Hello(name, session.Key{})
	p.join()
	return p.other
}

// tick runs a tick of the match.
func (p *page) tick() {
	p.t.Helper()
	p.server.Tick(p.now)
	for _, e := range p.server.Events() {
		switch {
		case e.Kind == session.Joined && !e.Reconnected && !p.lobby:
			p.server.SetState(e.Player, jetpack.Hero{State: movement.Spawn(geom.V(0, 0.02, 5), 0), Fuel: 2 * clock.Second})
		case e.Kind == session.Message:
			p.told = append(p.told, string(e.Bytes))
			p.server.SendMessage(e.Player, []byte("heard "+string(e.Bytes)))
		}
	}
	p.server.Send()
	for _, packet := range p.server.Outgoing() {
		if p.other != nil && packet.Peer == otherPeer {
			if err := p.other.Receive(packet.Channel, p.now, packet.Bytes); err != nil {
				p.t.Fatalf("the other refuses a packet: %v", err)
			}
		}
		if packet.Peer == p.peer {
			receive(int32(packet.Channel), put(p.t, packet.Bytes), float64(p.now))
		}
	}
}

// join says hello and plays for two seconds.
func (p *page) join() {
	p.t.Helper()
	if why := p.hello("Ann", "", "floor"); why != "" {
		p.t.Fatal(why)
	}
	p.run(2 * clock.Second)
	if p.view.Phase != session.Playing || p.view.ID == 0 || !p.view.Placed {
		p.t.Fatalf("after 2 s: phase %v, player %v, placed %v; want playing, a number, placed", p.view.Phase, p.view.ID, p.view.Placed)
	}
}

// count returns how many events of a kind there were.
func (p *page) count(kind session.EventKind) (n int) {
	for i := range p.events {
		if p.events[i].Kind == kind {
			n++
		}
	}
	return n
}

// fieldOf returns where a field of the root is, by the layout alone.
func fieldOf(t *testing.T, root, field string) unsafe.Pointer {
	t.Helper()
	l := table.Layout()
	for _, r := range l.Roots {
		for _, f := range l.Types[r.Type].Fields {
			if r.Name == root && f.Name == field {
				return unsafe.Add(r.Value, f.Offset)
			}
		}
	}
	t.Fatalf("%s.%s is not in the layout", root, field)
	return nil
}
