package native

import (
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/client/layout"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

func init() { Export(jetpack.Game(new(movement.DefaultModel()))) }

// waits is how often a test asks for the next frame; nothing is timed by it.
const waits = 12000

// A client that is none is answered as one that has ended, by every function. [ENT-13]
func TestAClientThatIsNoneHasEnded(t *testing.T) {
	p := held(4711)
	var input jetpack.Command
	if got := p.frame(unsafe.Pointer(&input), nil); got != ended {
		t.Errorf("frame: got %d, want %d", got, ended)
	}
	if v := p.view(); v != (view{}) || p.remotes() != nil || p.entities() != nil || p.movers() != nil {
		t.Errorf("it shows something: %+v", v)
	}
	if _, ok := p.event(); ok || p.send(nil) || p.number(1, 0) != 0 || p.text(1, 0) != "" || p.field("name") != -1 || p.key() != "" {
		t.Error("it answers as if it played")
	}
	if got := p.sweep(geom.Vec3{}, geom.V(1, 0, 0), 0.1); got != 1 || p.stats() != (session.Stats{}) {
		t.Errorf("a way through no level: got %v of it, want all", got)
	}
	if want := "native: there is no such client, or it is closed: pass what bs_connect returned"; p.failure() != want {
		t.Errorf("got %q, want %q", p.failure(), want)
	}
	release(4711).close()
}

// A player that has a seat and is not placed yet tells the game what it chose, such as its team.
func TestAClientSendsBeforeItIsPlaced(t *testing.T) {
	world := collide.Floor(10)
	game := jetpack.Game(new(movement.DefaultModel()))
	server := session.NewServer(game, session.ServerConfig{World: world, NewKey: func() session.Key { return session.Key{1} }})
	joining := session.NewClient(game, session.ClientConfig{})
	s := &instance[jetpack.Hero, jetpack.Command]{client: &client.Client[jetpack.Hero, jetpack.Command]{Client: joining}}
	if s.send([]byte("early")) {
		t.Error("it sends without a seat")
	}
	var loop session.Loopback
	peer := loop.Add(joining)
	joining.Hello("Ada", session.Key{})
	var told []string
	for tick := int64(1); tick < 60; tick++ {
		now := clock.TickTime(tick, 60)
		if joining.Phase() == session.Loading {
			joining.EnterWorld(world)
			if !s.send([]byte("red")) {
				t.Error("it does not send with a seat")
			}
		}
		joining.Frame(now, &jetpack.Command{})
		loop.Send(peer, server, now)
		server.Tick(now)
		for _, e := range server.Events() {
			if e.Kind == session.Message {
				told = append(told, string(e.Bytes))
			}
		}
		server.Send()
		loop.Deliver(now, server.Outgoing())
	}
	if joining.Phase() != session.Syncing || len(told) != 1 || told[0] != "red" {
		t.Errorf("phase %v, the game was told %q; want not placed, red", joining.Phase(), told)
	}
}

// Numbers of clients are never used twice, and one that was closed is none.
func TestAClosedClientIsNone(t *testing.T) {
	one := hold(library.open(connectConfig{address: "http://127.0.0.1:1", name: "Ada"}))
	two := hold(library.open(connectConfig{address: "http://127.0.0.1:1", name: "Bob"}))
	release(one).close()
	three := hold(library.open(connectConfig{address: "http://127.0.0.1:1", name: "Cy"}))
	if one == two || three == one || three == two || held(one) != nobody {
		t.Errorf("got %d, %d and %d, want three numbers and the first gone", one, two, three)
	}
	release(two).close()
	release(three).close()
}

// What is wrong with the configuration, and a server that is not there, end a client with the reason.
func TestWhatIsWrongIsSaid(t *testing.T) {
	for _, c := range []struct {
		config connectConfig
		want   string
	}{
		{connectConfig{address: "http://127.0.0.1:1", name: "Ada"}, "refused"},
		{connectConfig{address: "ftp://127.0.0.1", name: "Ada"}, "address"},
		{connectConfig{address: "http://127.0.0.1:1"}, "a name is 1 to 24"},
		{connectConfig{address: "http://127.0.0.1:1", name: "Ada", key: "0g"}, "bs_config.key"},
		{connectConfig{address: "http://127.0.0.1:1", name: "Ada", key: "00"}, "bs_config.key"},
		{connectConfig{address: "http://127.0.0.1:1", name: "Ada", key: strings.Repeat("0a", 32)}, "bs_config.key"},
		{connectConfig{address: "http://127.0.0.1:1", name: "Ada", options: strings.Repeat("x", 257)}, "bs_config.options is at most 256"},
	} {
		p := library.open(c.config)
		for range waits {
			if p.frame(nil, nil) == ended {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		if !strings.Contains(p.failure(), c.want) {
			t.Errorf("%+v: got %q, want it to say %q", c.config, p.failure(), c.want)
		}
		p.close()
	}
}

// Values that C has written are read as Go writes them: a flag is 0 or 1 whatever C has set, and what has
// an address is not touched. [ENT-13]
func TestSpansLeaveAddressesAlone(t *testing.T) {
	type value struct {
		Flag  bool
		Small int8
		List  [3]uint16
		Text  string
		Flags [2]bool
		Next  *int
		Last  float64
	}
	var table layout.Table
	layout.Add(&table, "it", new(value), false)
	list := spansOf(table.Layout(), "it")
	kept := 7
	to := value{Text: "kept", Next: &kept}
	var from [unsafe.Sizeof(to)]byte
	for i := range from {
		from[i] = 0xff
	}
	copySpans(unsafe.Pointer(&to), unsafe.Pointer(&from), list)
	if !to.Flag || !to.Flags[1] || to.Small != -1 || to.List != [3]uint16{65535, 65535, 65535} || to.Last == to.Last {
		t.Errorf("got %+v, want all bits set", to)
	}
	if raw := *(*byte)(unsafe.Pointer(&to.Flag)); raw != 1 || to.Text != "kept" || to.Next != &kept {
		t.Errorf("got a flag of %d, %q and %p, want 1, \"kept\" and %p", raw, to.Text, to.Next, &kept)
	}
}

// Each kind of a session's events has its number in backstep.h, in the order of the header.
func TestEventsHaveTheNumbersOfTheHeader(t *testing.T) {
	for i, c := range []session.EventKind{session.Message, session.Welcomed, session.Teleported, 0, session.ShotJudged,
		session.ShotSeen, session.Detonated, session.Damaged, session.ClockDrift} {
		if got, ok := eventOf(&session.Event{Kind: c, Player: track.ID(3)}); c != 0 && (!ok || int(got.kind) != i+1 || got.player != 3) {
			t.Errorf("kind %d: got %+v, want number %d", c, got, i+1)
		}
	}
	if _, ok := eventOf(&session.Event{Kind: session.ShotDebugged}); ok {
		t.Error("C is told of an event that it has no number for")
	}
}

// Misuse panics with the cure.
func TestExportTwicePanics(t *testing.T) {
	defer func() {
		if got, want := recover(), "native: Export is called once and takes one Config: a library is of one game"; got != want {
			t.Errorf("got %v, want %q", got, want)
		}
	}()
	Export(jetpack.Game(new(movement.DefaultModel())))
}
