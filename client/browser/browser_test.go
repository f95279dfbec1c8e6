package browser

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
	"unsafe"

	"github.com/backstep-net/backstep/client/layout"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
)

func TestThePageJoinsWalksAndFlies(t *testing.T) {
	p := newPage(t)
	p.join()
	p.corrections = nil
	p.input.Forward = 1
	p.run(clock.Second)
	h, _ := p.server.State(p.view.ID)
	if h.Position.Z > 3 || math.Abs(h.Position.Z-p.view.Position.Z) > 0.2 || p.view.Self.Position.Z != p.view.Position.Z {
		t.Errorf("a second forward from z = 5: the server has %.2f, the page draws %.2f", h.Position.Z, p.view.Position.Z)
	}
	if eye := p.view.Eye.Y - p.view.Position.Y; eye < 1 || eye > 2 {
		t.Errorf("the eye is %.2f m above the feet", eye)
	}
	p.input.Forward, p.input.Jet = 0, true
	p.run(clock.Second)
	if p.view.Position.Y < 2 || p.view.Self.Fuel > 1200*clock.Millisecond {
		t.Errorf("a second of the jet: %.2f m high with %.2f s of fuel left", p.view.Position.Y, p.view.Self.Fuel.Seconds())
	}
	p.input.Jet = false
	p.run(clock.Second)
	if len(p.corrections) != 0 || p.view.Stats.Bad != 0 {
		t.Errorf("%d corrections and %d bad packets, want none", len(p.corrections), p.view.Stats.Bad)
	}
	if string(p.view.MatchInfo) != "to 10" {
		t.Errorf("match info: got %q", p.view.MatchInfo)
	}
}

func TestAfterALostConnectionTheKeyBringsThePlayerBack(t *testing.T) {
	p := newPage(t)
	p.join()
	before, key := p.view.ID, p.view.ResumeKey
	lost()
	if p.frame(); p.view.Phase != session.Outside || len(p.view.Packets) != 0 {
		t.Errorf("after the loss: phase %v with %d packets to send, want outside and none", p.view.Phase, len(p.view.Packets))
	}
	p.server.Disconnect(p.peer)
	p.peer, p.corrections = 2, nil
	if why := p.hello("Ann", key, "floor"); why != "" {
		t.Fatal(why)
	}
	p.run(2 * clock.Second)
	if p.view.ID != before || p.view.Phase != session.Playing {
		t.Errorf("got player %v in phase %v, want player %v playing", p.view.ID, p.view.Phase, before)
	}
	// A new session reports all of its own corrections and no others. [ACK-14]
	if n := len(p.corrections); n != 1 {
		t.Errorf("%d corrections are reported, want the one that placed the player", n)
	}
}

// What a page does wrong is a text with the cure, and the core goes on. [ENT-12]
func TestErrorsAreTextsWithTheCure(t *testing.T) {
	p := newPage(t)
	for _, name := range []string{"", "line\nbreak", " Ann", strings.Repeat("x", 25)} {
		if got, want := p.hello(name, "", "floor"), session.CheckName(name).Error(); got != want {
			t.Errorf("name %q: got %q, want %q", name, got, want)
		}
	}
	if levelLoad(put(t, "\x00\x00\x00\x00")) != 1 || p.view.Error == "" {
		t.Error("four zero bytes were taken for a level")
	}
	if inbox(maxInbox+1) != nil || inbox(-1) != nil {
		t.Error("the inbox has room beyond its bound")
	}
	if tell(put(t, "too early")) != 1 || !strings.Contains(p.view.Error, `wait for the event "welcomed"`) {
		t.Errorf("tell before joining: got %q", p.view.Error)
	}
	if why := p.hello("Ann", "", "floor"); why != "" {
		t.Errorf("after failures a call succeeds, and the error is still %q", why)
	}
	export(t, jetpack.Game(&model))
	if got := hello(put(t, "Ann\x00\x00floor"), 0); got != 1 || *core.failure() != errNoLevel.Error() {
		t.Errorf("hello without a level: got %d, %q", got, *core.failure())
	}
	if receive(1, put(t, "abc"), 0) != 1 || receive(2, 0, 0) != 1 {
		t.Error("packets before hello, or of a third channel, are taken")
	}
}

// A page that has another level than the match says so with both hashes, leaves, and frees its
// seat. [ENT-12]
func TestAnotherLevelSaysReload(t *testing.T) {
	p := newPage(t)
	p.hello("Ann", "", "0123456789")
	p.run(clock.Second)
	if want := "browser: the match plays another level: request its address again"; p.view.Closed != want || p.view.Phase != session.Ended {
		t.Errorf("got %q in phase %v, want %q, ended", p.view.Closed, p.view.Phase, want)
	}
	if n := len(p.server.Players(nil)); n != 0 {
		t.Errorf("%d players are in the match, want none", n)
	}
}

// A server that refuses the player ends the session with its reason, also where the page learns of the connection's end
// before its next frame, as one that was frozen. [ENT-12]
func TestARefusalIsTheReasonForThePlayer(t *testing.T) {
	for what, before := range map[string]func(p *page){"in a frame": (*page).frame, "after the connection": func(*page) { lost() }} {
		p := newPage(t)
		p.server = session.NewServer(jetpack.Game(&model), session.ServerConfig{
			World: floor(t, false), LevelHash: "floor", Players: 1, NewKey: func() session.Key { return session.Key{1} },
		})
		other := session.NewClient(jetpack.Game(&model), session.ClientConfig{})
		other.Hello("Bob", session.Key{})
		for _, packet := range other.Outgoing() {
			if err := p.server.Receive(7, packet.Channel, 0, packet.Bytes); err != nil {
				t.Fatal(err)
			}
		}
		p.hello("Ann", "", "floor")
		p.ticks++
		p.now = clock.TickTime(p.ticks, 60)
		frame(float64(p.now))
		for _, packet := range p.view.Packets {
			p.server.Receive(p.peer, packet.Channel, p.now, packet.Bytes)
		}
		p.tick()
		before(p)
		if want := "session: the match is full"; p.view.Phase != session.Ended || p.view.Closed != want {
			t.Errorf("%s: phase %v, closed %q; want ended, %q", what, p.view.Phase, p.view.Closed, want)
		}
	}
}

func TestGarbageInDatagramsIsCountedAndHarmless(t *testing.T) {
	p := newPage(t)
	p.join()
	for n := range 200 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i*31 + n*7)
		}
		receive(0, put(t, b), float64(p.now))
	}
	for _, n := range []int32{-1, 1 << 20, 1<<31 - 1} { // lengths that no page has written
		receive(0, n, float64(p.now))
		levelLoad(n)
		tell(n)
	}
	p.run(clock.Second)
	if p.view.Phase != session.Playing || p.view.Stats.Bad == 0 {
		t.Errorf("after garbage: phase %v with %d bad packets, want playing and some", p.view.Phase, p.view.Stats.Bad)
	}
}

func TestKeysTravelAsHex(t *testing.T) {
	key := session.Key{1, 0xab, 15: 0xff}
	text := hex.EncodeToString(key[:])
	if got := printKey(key); got != text {
		t.Errorf("got %s, want %s", got, text)
	}
	if got := parseKey(text); got != key {
		t.Errorf("got %v, want %v", got, key)
	}
	for _, bad := range []string{"", "01", text + "0", "zz" + text[2:], strings.ToUpper(text)} {
		if got := parseKey(bad); got != (session.Key{}) {
			t.Errorf("%q: got %v, want no key", bad, got)
		}
	}
}

// Any bytes in the inbox are some hello: a refused name, or one that the core takes, never
// a panic.
func TestHelloReadsAnyBytes(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 4))
	newPage(t)
	for range 3000 {
		b := make([]byte, r.IntN(60))
		for i := range b {
			if r.IntN(8) > 0 {
				b[i] = byte(r.IntN(256) & (127 | r.IntN(2)*128))
			}
		}
		texts := append(strings.SplitN(string(b), "\x00", 6), "", "", "", "", "")
		want := session.CheckName(texts[0])
		switch {
		case want != nil:
		case !utf8.ValidString(texts[3]):
			want = errMatch
		case !utf8.ValidString(texts[4]):
			want = errToken
		case !utf8.ValidString(texts[5]):
			want = errOptions
		}
		if got := hello(put(t, b), 0); (got == 0) != (want == nil) {
			t.Fatalf("seed %d, %x: got %d, want %v", seed, b, got, want)
		}
	}
}

func TestAFrameDoesNotAllocate(t *testing.T) {
	p := newPage(t)
	p.join()
	p.input.Forward = 1
	if got := testing.AllocsPerRun(100, func() {
		p.now += clock.Second / 60
		frame(float64(p.now))
	}); got != 0 {
		t.Errorf("got %v allocations a frame, want 0", got)
	}
}

// What the page finds by the layout is the view, and what it writes there is the input. [ENT-11]
func TestThePageFindsTheRootsByTheLayout(t *testing.T) {
	p := newPage(t)
	if abiVersion() != layout.Version {
		t.Errorf("version: got %d, want %d", abiVersion(), layout.Version)
	}
	text := unsafe.Slice((*byte)(layoutJSON()), layoutLength())
	if !json.Valid(text) {
		t.Errorf("the layout is no JSON: %s", text)
	}
	if phase := (*session.Phase)(fieldOf(t, "view", "phase")); phase != &p.view.Phase {
		t.Errorf("the phase is at %p, the layout has it at %p", &p.view.Phase, phase)
	}
	*(*float64)(fieldOf(t, "input", "forward")) = 0.25
	if p.input.Forward != 0.25 {
		t.Errorf("forward: wrote 0.25 by the layout, the game reads %v", p.input.Forward)
	}
	if got := *(*uint16)(fieldOf(t, "view", "protocol")); got != session.Version {
		t.Errorf("protocol: got %d, want %d, for a page that compares it with the server's", got, session.Version)
	}
	if fuel := fieldOf(t, "view", "self"); unsafe.Pointer(&p.view.Self) != fuel {
		t.Error("the game's own state is elsewhere than the layout has it")
	}
}

// A game's command out of range is what the wire makes of it, never a panic: pages write what
// they like.
func TestAnyInputOfAPageIsHarmless(t *testing.T) {
	p := newPage(t)
	p.join()
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -7} {
		p.input.Forward, p.input.Right, p.input.Yaw, p.input.Pitch, p.input.Up = x, x, x, x, x
		p.run(clock.Second / 4)
	}
	if v := p.view.Position; v != v || p.view.Phase != session.Playing {
		t.Errorf("after any input: at %v in phase %v", v, p.view.Phase)
	}
}

func TestLeavingFreesThePlace(t *testing.T) {
	p := newPage(t)
	p.join()
	leave()
	leave()
	p.run(clock.Second / 2)
	if n := len(p.server.Players(nil)); n != 0 {
		t.Errorf("%d players have a seat half a second after leaving", n)
	}
	if p.view.Phase != session.Ended || p.view.Closed != "" {
		t.Errorf("phase %v, closed %q; want ended, nothing", p.view.Phase, p.view.Closed)
	}
}

// A page and the game on the server talk to each other.
func TestAPageTellsTheGameAndHearsFromIt(t *testing.T) {
	p := newPage(t)
	p.join()
	if tell(put(t, "hi")) != 0 {
		t.Fatal(p.view.Error)
	}
	if tell(put(t, make([]byte, session.MaxMessage+1))) != 1 || p.view.Error != errTooLong.Error() {
		t.Errorf("a message that is too long: got %q", p.view.Error)
	}
	p.run(clock.Second / 2)
	if len(p.told) != 1 || p.told[0] != "hi" {
		t.Errorf("the game was told %q, want hi", p.told)
	}
	for i := range p.events {
		if e := &p.events[i]; e.Kind == session.Message && string(e.Bytes) != "heard hi" {
			t.Errorf("the page hears %q", e.Bytes)
		}
	}
	if p.count(session.Message) != 1 {
		t.Errorf("%d messages, want 1", p.count(session.Message))
	}
}

// A player that has a seat and is not placed yet, as in a lobby where it chooses a team, talks to the game too, from
// the event Welcomed on.
func TestAPageTellsTheGameBeforeItIsPlaced(t *testing.T) {
	p := newPage(t)
	p.lobby = true
	if why := p.hello("Ann", "", "floor"); why != "" {
		t.Fatal(why)
	}
	for p.count(session.Welcomed) == 0 && p.now < clock.Second {
		p.run(clock.Second / 60)
	}
	if tell(put(t, "red")) != 0 {
		t.Fatalf("in phase %v: %s", p.view.Phase, p.view.Error)
	}
	p.run(clock.Second / 2)
	if len(p.told) != 1 || p.told[0] != "red" || p.count(session.Message) != 1 || p.view.Placed {
		t.Errorf("the game was told %q, the page has %d messages, placed %v; want red, 1, false", p.told, p.count(session.Message), p.view.Placed)
	}
}

// The view fills the poses of the level's movers, and for a recording without a
// session at any time, each where its path has it.
func TestMoversArePosedWithAndWithoutASession(t *testing.T) {
	view, _ := export(t, jetpack.Game(&model))
	if moversAt(5e6); len(view.Movers) != 0 {
		t.Errorf("%d movers without a level", len(view.Movers))
	}
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(30, 1, 30), geom.IdentityQuat, collide.Surface{})
	for i := range 70 {
		x := float64(i)
		path := collide.Path{Loop: true, Keys: []collide.Key{{Position: geom.V(x, 0, 0)}, {At: clock.Second, Position: geom.V(x, 3, 0), Angle: 1}, {At: 2 * clock.Second, Position: geom.V(x, 0, 0)}}}
		b.Mover("body"+string(rune('0'+i)), path, func(b *collide.Builder) {
			b.Box(geom.Vec3{}, geom.V(.2, .1, .2), geom.IdentityQuat, collide.Surface{})
		})
	}
	world, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	load(t, world)
	for _, at := range []clock.Micros{0, 250_000, clock.Second, 5_700_000, 3600 * clock.Second} {
		moversAt(float64(at))
		if len(view.Movers) != 70 {
			t.Fatalf("%d movers, want 70", len(view.Movers))
		}
		for i, got := range view.Movers {
			if want := (&collide.WorldAt{World: world, At: at}).Pose(collide.MoverID(i + 1)); got != want {
				t.Errorf("body %d at %d: got %v, want %v", i+1, at, got, want)
			}
		}
	}
}

// A core is of one game.
func TestASecondExportPanics(t *testing.T) {
	export(t, jetpack.Game(&model))
	defer func() {
		if why, _ := recover().(string); !strings.Contains(why, "Export is called once") {
			t.Errorf("got %q", why)
		}
	}()
	Export(jetpack.Game(&model))
}

// The names of the enums are in the order of their values: a name too few, and a page gets the wrong one.
func TestTheLastNamesOfEnums(t *testing.T) {
	export(t, jetpack.Game(&model))
	text := TypeScript()
	for _, c := range []struct {
		name  string
		value int
		want  string
	}{
		{"Phase", int(session.Ended), "ended"}, {"EventKind", int(session.ClockDrift), "clockDrift"},
		{"EventKind", int(session.Mispredicting), "mispredicting"}, {"Cause", int(predict.Throttle), "throttle"},
	} {
		_, list, _ := strings.Cut(text, "export type "+c.name+" = ")
		list, _, _ = strings.Cut(list, ";")
		if names := strings.Split(list, " | "); c.value >= len(names) || names[c.value] != strconv.Quote(c.want) {
			t.Errorf("%s %d: the page's names are %s, want %s there", c.name, c.value, list, c.want)
		}
	}
}

// The types of the jetpack game, as its page gets them: -update rewrites them. [ENT-11]
func TestTheTypesOfTheJetpackGame(t *testing.T) {
	const path = "testdata/jetpack.d.ts"
	export(t, jetpack.Game(&model))
	got := TypeScript()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not what the Go types say: run go test ./client/browser -update and look at the difference", path)
	}
}
