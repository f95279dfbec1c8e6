package main

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"
	"unsafe"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// page does what a browser's page does with the core, against a match in the same
// process: frames and ticks alternate, packets take no time.
type page struct {
	t      *testing.T
	match  *arena.Match
	ticks  int64
	now    clock.Micros
	peer   session.Peer
	events map[byte][][]byte // bodies of events, by kind
	other  *partner          // nil: none
}

// newPage bakes a floor, passes its packed bytes to the core, and starts a
// match on it.
func newPage(t *testing.T) *page {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(30, 1, 30), geom.IdentityQuat, collide.Surface{})
	world, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	load(t, world.AppendBinary(nil))
	drawn := byte(0)
	match := arena.NewMatch(arena.MatchConfig{
		ServerConfig: session.ServerConfig{World: world, LevelHash: "floor", NewKey: func() (k session.Key) {
			drawn++
			k[0], k[15] = drawn, 0xa5
			return k
		}},
		Spawns: []arena.Spawn{{Position: geom.V(0, 0.02, 5)}}, KillHeight: -50,
	})
	return &page{t: t, match: match, peer: 1, events: map[byte][][]byte{}}
}

func load(t *testing.T, packed []byte) {
	t.Helper()
	at := levelReserve(int32(len(packed)))
	copy(unsafe.Slice((*byte)(at), len(packed)), packed)
	if n := levelLoad(int32(len(packed))); n != 0 {
		t.Fatalf("level: %s", inboxBlock[:n])
	}
}

// hello writes the three strings as the page does.
func (p *page) hello(name, resume, level string) string {
	at := 0
	for _, s := range []string{name, resume, level} {
		inboxBlock[at] = byte(len(s))
		at += 1 + copy(inboxBlock[at+1:], s)
	}
	return string(inboxBlock[:hello(int32(at), float64(p.now))])
}

// run plays for a time, 60 frames and ticks a second.
func (p *page) run(d clock.Micros) {
	p.t.Helper()
	for end := p.now + d - 1000; p.now < end; {
		p.ticks++
		p.now = clock.TickTime(p.ticks, 60)
		frame(float64(p.now))
		p.listen()
		p.carryUp()
		if p.other != nil {
			p.other.play(p)
		}
		p.match.Tick(p.now)
		for _, packet := range p.match.Outgoing() {
			if p.other != nil && packet.Peer == otherPeer {
				if err := p.other.player.Receive(packet.Channel, p.now, packet.Bytes); err != nil {
					p.t.Fatalf("the other refuses a packet: %v", err)
				}
			}
			if packet.Peer == p.peer {
				n := copy(inboxBlock[:], packet.Bytes)
				receive(int32(packet.Channel), int32(n), float64(p.now))
			}
		}
	}
}

func (p *page) listen() {
	for b := eventBlock.bytes[:eventBlock.used]; len(b) > 0; {
		n, kind := int(binary.LittleEndian.Uint16(b)), b[2]
		p.events[kind] = append(p.events[kind], append([]byte(nil), b[EventHeader:EventHeader+n]...))
		b = b[EventHeader+n:]
	}
}

func (p *page) carryUp() {
	for b := outboxBlock.bytes[:outboxBlock.used]; len(b) > 0; {
		n := int(binary.LittleEndian.Uint16(b))
		if err := p.match.Receive(p.peer, session.Channel(b[2]), p.now, b[OutboxHeader:OutboxHeader+n]); err != nil {
			p.t.Fatalf("the server refuses a packet: %v", err)
		}
		b = b[OutboxHeader+n:]
	}
}

func TestThePageJoinsWalksAndShoots(t *testing.T) {
	p := newPage(t)
	if why := p.hello("Ann", "", "floor"); why != "" {
		t.Fatal(why)
	}
	p.run(2 * clock.Second)
	if stateBlock[StatePhase] != PhasePlaying || stateBlock[StateSelf] == 0 {
		t.Fatalf("after 2 s: phase %v, player %v, want playing and a number", stateBlock[StatePhase], stateBlock[StateSelf])
	}
	if got := stateBlock[StateHealth]; got != 100 {
		t.Errorf("health: got %v, want 100", got)
	}
	inputBlock[InputForward] = 1
	p.run(clock.Second)
	inputBlock[InputForward] = 0
	h, _ := p.match.State(session.PlayerID(stateBlock[StateSelf]))
	if h.Position.Z > 3 || math.Abs(h.Position.Z-stateBlock[StateZ]) > 0.2 {
		t.Errorf("a second forward from z = 5: the server has %.2f, the page draws %.2f", h.Position.Z, stateBlock[StateZ])
	}
	inputBlock[InputButtons] = ButtonFire
	p.run(clock.Second / 10)
	inputBlock[InputButtons] = 0
	p.run(clock.Second / 2)
	if got := stateBlock[StateMagazine] - stateBlock[StateAmmo]; got < 1 || len(p.events[EventShot]) == 0 {
		t.Errorf("fired: got %v rounds and %d shots drawn, want one or more of each", got, len(p.events[EventShot]))
	}
	if stateBlock[StateConfirmed] < 1 || stateBlock[StateContradicted] != 0 || stateBlock[StateMalformed] != 0 {
		t.Errorf("judged as seen %v, otherwise %v, bad packets %v; want one or more, 0, 0",
			stateBlock[StateConfirmed], stateBlock[StateContradicted], stateBlock[StateMalformed])
	}
}

func TestAfterALostConnectionTheKeyBringsThePlayerBack(t *testing.T) {
	p := newPage(t)
	p.hello("Ann", "", "floor")
	p.run(2 * clock.Second)
	before := stateBlock[StateSelf]
	keys := p.events[EventResume]
	if len(keys) != 1 {
		t.Fatalf("got %d resume keys, want 1", len(keys))
	}
	lost(float64(p.now))
	p.match.Disconnect(p.peer)
	p.peer = 2
	if why := p.hello("Ann", string(keys[0][1:]), "floor"); why != "" {
		t.Fatal(why)
	}
	p.run(2 * clock.Second)
	if got := stateBlock[StateSelf]; got != before || stateBlock[StatePhase] != PhasePlaying {
		t.Errorf("got player %v in phase %v, want player %v playing", got, stateBlock[StatePhase], before)
	}
}

func TestErrorsAreTexts(t *testing.T) {
	p := newPage(t)
	for _, c := range []struct{ name, want string }{
		{"", session.CheckName("").Error()},
		{"line\nbreak", session.CheckName("line\nbreak").Error()},
	} {
		if got := p.hello(c.name, "", "floor"); got != c.want {
			t.Errorf("name %q: got %q, want %q", c.name, got, c.want)
		}
	}
	levelReserve(4)
	if levelLoad(4) == 0 {
		t.Error("four zero bytes were taken for a level")
	}
	if levelReserve(maxLevel+1) != nil || levelReserve(-1) != nil {
		t.Error("a level beyond the bound was given room")
	}
	p.hello("Ann", "", "another level")
	p.run(clock.Second)
	if len(p.events[EventClosed]) != 1 {
		t.Errorf("another level: got %d closing events, want 1", len(p.events[EventClosed]))
	}
}

func TestGarbageInDatagramsIsCountedAndHarmless(t *testing.T) {
	p := newPage(t)
	p.hello("Ann", "", "floor")
	p.run(clock.Second)
	for n := range 200 {
		for i := range n {
			inboxBlock[i] = byte(i*31 + n*7)
		}
		receive(ChannelDatagram, int32(n), float64(p.now))
	}
	p.run(clock.Second)
	if stateBlock[StatePhase] != PhasePlaying || stateBlock[StateMalformed] == 0 {
		t.Errorf("after garbage: phase %v with %v bad packets, want playing and some", stateBlock[StatePhase], stateBlock[StateMalformed])
	}
}

func TestKeysTravelAsHex(t *testing.T) {
	key := session.Key{1, 0xab, 15: 0xff}
	if got := parseKey(hex.EncodeToString(key[:])); got != key {
		t.Errorf("got %v, want %v", got, key)
	}
	for _, bad := range []string{"", "01", hex.EncodeToString(key[:]) + "0", "zz" + hex.EncodeToString(key[:])[2:]} {
		if got := parseKey(bad); got != (session.Key{}) {
			t.Errorf("%q: got %v, want no key", bad, got)
		}
	}
}

func TestAFrameDoesNotAllocate(t *testing.T) {
	p := newPage(t)
	p.hello("Ann", "", "floor")
	p.run(3 * clock.Second)
	inputBlock[InputForward] = 1
	defer func() { inputBlock[InputForward] = 0 }()
	got := testing.AllocsPerRun(100, func() {
		p.now += clock.Second / 60
		frame(float64(p.now))
	})
	if got != 0 {
		t.Errorf("got %v allocations a frame, want 0", got)
	}
}

func TestThePageFindsTheBlocksByTheirPointers(t *testing.T) {
	p := newPage(t)
	p.hello("Ann", "", "floor")
	frame(float64(clock.Second))
	if abiVersion() != ABIVersion {
		t.Errorf("version: got %d, want %d", abiVersion(), ABIVersion)
	}
	*(*float64)(unsafe.Add(inputs(), 8*InputYaw)) = 0.25
	if inputBlock[InputYaw] != 0.25 {
		t.Error("what is written through inputs() is not in the input block")
	}
	inputBlock[InputYaw] = 0
	if got := *(*float64)(unsafe.Add(state(), 8*StatePhase)); got != PhaseJoining {
		t.Errorf("phase through state(): got %v, want joining", got)
	}
	*(*byte)(inbox()) = 7
	if inboxBlock[0] != 7 {
		t.Error("what is written through inbox() is not in the inbox")
	}
	sent := unsafe.Slice((*byte)(outbox()), outboxLength())
	if len(sent) < OutboxHeader || int(binary.LittleEndian.Uint16(sent))+OutboxHeader > len(sent) {
		t.Errorf("the outbox of the first frame holds %d bytes, want a whole hello", len(sent))
	}
	if got := unsafe.Slice((*byte)(events()), eventsLength()); len(got) != 0 {
		t.Errorf("events before the server has answered: %d bytes, want 0", len(got))
	}
}

func TestLeavingFreesThePlace(t *testing.T) {
	p := newPage(t)
	p.hello("Ann", "", "floor")
	p.run(clock.Second)
	id := session.PlayerID(stateBlock[StateSelf])
	leave(float64(p.now))
	p.run(clock.Second / 2)
	if p.match.Score(id).Connected {
		t.Errorf("player %d still has a seat half a second after leaving", id)
	}
	if stateBlock[StatePhase] != PhaseEnded {
		t.Errorf("phase: got %v, want ended", stateBlock[StatePhase])
	}
}
