package lab

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/mem"
)

// passes reports whether a datagram that a link gets at a time comes out of it.
func passes(way *mem.Link, at clock.Micros) bool {
	way.Send(std(at), transport.Datagram, []byte("one"))
	return len(way.Deliver(std(at)+time.Second, nil)) == 1
}

// The network of a fault replaces the player's in the direction that it names, for its time or for
// good, and the player's own returns afterwards. [SND-06]
func TestANetworkFaultChangesAndReturns(t *testing.T) {
	const begin = 10 * clock.Second
	dead := mem.Network{Loss: 1}
	for _, c := range []struct {
		what         string
		fault        scenario.Fault
		during       [2]bool // up and down pass
		afterItsTime [2]bool
	}{
		{"both directions", scenario.Fault{Kind: "network", Network: dead, For: 4 * clock.Second}, [2]bool{false, false}, [2]bool{true, true}},
		{"up only", scenario.Fault{Kind: "network", Network: dead, For: 4 * clock.Second, Direction: "up"}, [2]bool{false, true}, [2]bool{true, true}},
		{"down only", scenario.Fault{Kind: "network", Network: dead, For: 4 * clock.Second, Direction: "down"}, [2]bool{true, false}, [2]bool{true, true}},
		{"for good", scenario.Fault{Kind: "network", Network: dead}, [2]bool{false, false}, [2]bool{false, false}},
		{"down only, for good", scenario.Fault{Kind: "network", Network: dead, Direction: "down"}, [2]bool{true, false}, [2]bool{true, false}},
	} {
		l := newMachine(&Player{}, 1, 0)
		if got := l.startFault(begin, &c.fault); got != "network" {
			t.Errorf("%s: the event is %q, want network", c.what, got)
		}
		for past := clock.Micros(0); past < 8*clock.Second; past += clock.Second {
			l.restoreNetwork(begin+past, mem.Network{})
			want := c.during
			if past >= 4*clock.Second {
				want = c.afterItsTime
			}
			for i, way := range l.links() {
				if got := passes(way, begin+past); got != want[i] {
					t.Errorf("%s, %d µs after the beginning: a datagram %s passes: %v, want %v", c.what, past, directions[i], got, want[i])
				}
			}
		}
	}
}

// The beginning of every fault is an event that files may count and the page explains.
func TestEveryFaultIsAnEvent(t *testing.T) {
	text := plainFault("clock_step", "by: 1s") // what it needs
	for _, kind := range []string{"freeze", "background", "partition", "network", "reconnect", "restart", "next_level", "garbage", "bit_flips", "replays", "wild_stamps"} {
		more := "for: 1s"
		if kind == "network" {
			more += ", network: wifi"
		}
		text += plainFault(kind, more)
	}
	f, err := scenario.Open("faults.yaml", []byte("duration: 9s\ngeometry: []\nplayers: [{name: ann}]\nfaults:\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Scenario(scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range s.Faults {
		l := newMachine(&Player{}, 1, 0)
		event := "disconnected"
		if fault.Kind != "restart" && fault.Kind != "next_level" { // which are of the server: run.loseAll
			event = l.startFault(0, &fault)
		}
		if !slices.Contains(eventKinds, event) {
			t.Errorf("%s begins with the event %q, want one of %q", fault.Kind, event, eventKinds)
		}
	}
}

// plainFault is a line of a file with a fault.
func plainFault(kind, more string) string {
	player := ", player: ann"
	if kind == "restart" || kind == "next_level" {
		player = ""
	}
	return "  - {at: 1s, kind: " + kind + player + ", " + more + "}\n"
}

// hostile returns a machine with a fault of that kind from the beginning to 10 s, and a function
// that sends a datagram and returns what arrives with it.
func hostile(kind string, seed uint64) (*machine, func(at clock.Micros, own []byte) [][]byte) {
	l := newMachine(&Player{}, seed, 0)
	l.attack(seed, 0, &scenario.Fault{Kind: kind, For: 10 * clock.Second})
	return &l, func(at clock.Micros, own []byte) (arrived [][]byte) {
		l.sendHostile(at, own)
		for _, a := range l.up.Deliver(std(at), nil) {
			arrived = append(arrived, bytes.Clone(a.Bytes))
		}
		return arrived
	}
}

// differs returns the indices of the bytes that differ in a message of the same length, and the
// number of bits.
func differs(a, b []byte) (at []int, flipped int) {
	for i := range a {
		if a[i] != b[i] {
			at = append(at, i)
			flipped += bits.OnesCount8(a[i] ^ b[i])
		}
	}
	return at, flipped
}

// Each kind of hostile client adds two datagrams of its kind to each of its own, never changes its
// own, and stops at its time. [THR-13]
func TestHostileDatagrams(t *testing.T) {
	const seed = 4
	for _, kind := range []string{"garbage", "bit_flips", "replays", "wild_stamps"} {
		_, send := hostile(kind, seed)
		sent, changed := map[string]bool{}, 0
		for n := range 300 {
			own := bytes.Repeat([]byte{byte(n), byte(n >> 8), 0xa5}, 20)
			before := bytes.Clone(own)
			sent[string(own)] = true
			arrived := send(clock.Micros(n)*16*ms, own)
			if !bytes.Equal(own, before) {
				t.Fatalf("%s: its own datagram %d is changed", kind, n)
			}
			if len(arrived) != 2 {
				t.Fatalf("%s: %d datagrams are added to number %d, want 2", kind, len(arrived), n)
			}
			for _, b := range arrived {
				checkHostile(t, kind, own, b, sent)
				changed += count(!bytes.Equal(b, own))
			}
		}
		if changed < 500 {
			t.Errorf("%s: %d of 600 datagrams are not the one that was sent, want nearly all", kind, changed)
		}
		if late := send(10*clock.Second, []byte("late")); len(late) != 0 {
			t.Errorf("%s: %d datagrams are added after its time, want none", kind, len(late))
		}
	}
}

// checkHostile checks a datagram that a hostile client adds to its own, after those that it has sent.
func checkHostile(t *testing.T, kind string, own, b []byte, sent map[string]bool) {
	t.Helper()
	switch kind {
	case "replays":
		if !sent[string(b)] {
			t.Fatalf("replays: %x was never sent", b)
		}
		return
	case "garbage":
		if len(b) >= 255 {
			t.Fatalf("garbage: %d bytes, want 254 at most", len(b))
		}
		return
	}
	if len(b) != len(own) {
		t.Fatalf("%s: %d bytes of %d", kind, len(b), len(own))
	}
	at, flipped := differs(own, b)
	switch {
	case kind == "bit_flips" && flipped > 6:
		t.Fatalf("bit_flips: %d bits, want 6 at most", flipped)
	case kind == "wild_stamps" && len(at) > 3:
		t.Fatalf("wild_stamps: %d bytes, want 3 at most", len(at))
	case kind == "wild_stamps" && len(at) > 0 && at[len(at)-1] >= 24:
		t.Fatalf("wild_stamps: byte %d, want those of the header and the first move", at[len(at)-1])
	}
}

// A hostile client repeats what it sent in the last two seconds and nothing older; the same seed
// forges the same.
func TestReplayedDatagramsAreRecent(t *testing.T) {
	const seed = 11
	_, send := hostile("replays", seed)
	_, again := hostile("replays", seed)
	oldest := 1 << 30
	for n := range 600 {
		own := []byte{byte(n), byte(n >> 8)}
		a, b := send(clock.Micros(n)*ms, own), again(clock.Micros(n)*ms, own)
		for i := range a {
			if !bytes.Equal(a[i], b[i]) {
				t.Fatalf("seed %d forges %x, and then %x", seed, a[i], b[i])
			}
			if age := n - int(a[i][0]) - int(a[i][1])<<8; age >= maxRecent || age < 0 {
				t.Fatalf("after datagram %d number %d is repeated, want one of the last %d", n, n-age, maxRecent)
			} else if n > maxRecent {
				oldest = min(oldest, maxRecent-age)
			}
		}
	}
	if oldest > 5 {
		t.Errorf("the oldest is repeated never: nearest %d", oldest)
	}
}

// An honest client adds nothing, and what it sends is not kept.
func TestAnHonestClientForgesNothing(t *testing.T) {
	l := newMachine(&Player{}, 1, 0)
	for range 10 {
		l.sendHostile(clock.Second, []byte("mine"))
	}
	if arrived := l.up.Deliver(time.Minute, nil); len(arrived) != 0 || len(l.recent) != 0 {
		t.Errorf("%d datagrams are added and %d kept, want none", len(arrived), len(l.recent))
	}
	l.attack(1, 0, &scenario.Fault{Kind: "bit_flips", For: clock.Second})
	l.sendHostile(0, nil) // nothing to flip: garbage
	if arrived := l.up.Deliver(time.Minute, nil); len(arrived) != 2 {
		t.Errorf("%d datagrams are added to an empty one, want 2", len(arrived))
	}
}

// stubborn is a server whose checkpoint cannot be read, or that has none.
type stubborn struct {
	Server
	err error
}

func (s *stubborn) Restart() error { return s.err }

// A server that does not go on from its checkpoint ends the run; one without checkpoints plays on.
func TestARestartThatFails(t *testing.T) {
	fault := scenario.Fault{Kind: "restart", For: clock.Second}
	for _, c := range []struct {
		what, want string
		server     Server
	}{
		{"a bad checkpoint", "lab: the server does not go on from its checkpoint: bits: short", &stubborn{err: errText("bits: short")}},
		{"no checkpoints", "", &struct{ Server }{}},
	} {
		r := &run{Experiment: Experiment{Server: c.server, Players: []Player{{}}}, machines: make([]machine, 1), measure: &measure{players: make([]playerRecord, 1)}}
		r.restart(5*clock.Second, &fault)
		got := ""
		if r.broken != nil {
			got = r.broken.Error()
		}
		if got != c.want || r.machines[0].lost {
			t.Errorf("%s: got %q and lost %v, want %q and a connection", c.what, got, r.machines[0].lost, c.want)
		}
	}
}

// ticker is a server that counts its ticks.
type ticker struct {
	Server
	ticks []clock.Micros
}

func (s *ticker) Tick(now clock.Micros)      { s.ticks = append(s.ticks, now) }
func (s *ticker) Outgoing() []session.Packet { return nil }

// An overloaded server skips about half of its ticks, the same ones in each run, and none before and after.
func TestAnOverloadedServerSkipsTicks(t *testing.T) {
	var first []clock.Micros
	for range 2 {
		s := &ticker{}
		r := &run{Experiment: Experiment{Server: s, Seed: 3}, measure: &measure{}}
		r.Faults = []scenario.Fault{{Kind: "overload", At: clock.Second, For: clock.Second}}
		for n := range int64(180) {
			r.tick(clock.TickTime(n, 60))
		}
		skipped := 0
		for n := range int64(180) {
			at := clock.TickTime(n, 60)
			if slices.Contains(s.ticks, at) {
				continue
			}
			if skipped++; at < clock.Second || at >= 2*clock.Second {
				t.Errorf("the tick at %d µs is skipped", at)
			}
		}
		if skipped < 20 || skipped > 40 {
			t.Errorf("got %d of 60 ticks skipped, want about half", skipped)
		}
		if first == nil {
			first = s.ticks
		}
		if !slices.Equal(first, s.ticks) {
			t.Error("another run skips other ticks")
		}
	}
}

// errText is an error by its text.
type errText string

func (e errText) Error() string { return string(e) }

// Connections of one player have numbers of their own, and packets to an ended one reach nobody.
func TestPeersOfConnections(t *testing.T) {
	r := &run{machines: make([]machine, 3)}
	r.machines[1].generation = 2
	r.machines[2].lost = true
	for _, c := range []struct {
		peer session.Peer
		want int
	}{{1, 0}, {2, -1}, {2 + generations, -1}, {2 + 2*generations, 1}, {2 + 3*generations, -1}, {3, -1}} {
		if got := r.playerOf(c.peer); got != c.want {
			t.Errorf("peer %d: got player %d, want %d", c.peer, got, c.want)
		}
	}
	for i := range r.machines {
		if p := r.peer(i); !r.machines[i].lost && r.playerOf(p) != i {
			t.Errorf("the peer of player %d is of %d", i, r.playerOf(p))
		}
	}
}

// A server learns of a lost connection after a second, once.
func TestLostConnectionsAreNoticed(t *testing.T) {
	s := &noticing{}
	r := &run{Experiment: Experiment{Server: s}, machines: make([]machine, 2)}
	r.machines[1].lose(5*clock.Second, 9*clock.Second)
	var seen []string
	for at := 5 * clock.Second; at < 8*clock.Second; at += 500 * ms {
		r.notice(at)
		seen = append(seen, strings.Repeat("x", len(s.ended)))
	}
	if got := strings.Join(seen, ","); got != ",,x,x,x,x" || s.ended[0] != 2 {
		t.Errorf("got %q for peers %v, want peer 2 once, a second after", got, s.ended)
	}
}

// noticing notes the connections whose end it learns.
type noticing struct {
	Server
	ended []session.Peer
}

func (n *noticing) Disconnect(p session.Peer) { n.ended = append(n.ended, p) }
