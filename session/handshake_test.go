package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// rawHello is a hello as any program could write it.
func rawHello(version uint16, name string, more ...byte) []byte {
	var p bits.Packer
	p.Write(make([]byte, 600))
	kind, magic := uint8(1), uint32(0x42535445)
	p.Byte(&kind)
	p.Uint32(&magic)
	p.Uint16(&version)
	format := session.FormatOf(gameOf[toyState, toyCommand](newToy()))
	p.Uint32(&format)
	match, n := []byte{}, []byte(name)
	p.Blob(&match, 200)
	p.Blob(&n, 96)
	key := make([]byte, 16)
	for i := range key {
		p.Byte(&key[i])
	}
	token, options := []byte{}, []byte{}
	p.Blob(&token, session.MaxToken)
	p.Blob(&options, session.MaxOptions)
	return append(p.Bytes(), more...)
}

// expect compares the match's events with those that it should have.
func (r *simulation) expect(when, want string) {
	r.t.Helper()
	if got := r.m.takeEvents(); got != want {
		r.t.Errorf("%s:\n got %s\nwant %s", when, got, want)
	}
}

// A player joins, is placed and plays; then leaves, and the seat is free.
func TestJoinPlayLeave(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 1})
	g := r.join("Ada", session.Key{})
	r.run(3)
	r.expect("after hello", "joined 1 Ada again=false; ")
	r.run(20)
	if g.Phase() != session.Playing || g.ID() != 1 || g.Key() == (session.Key{}) {
		t.Fatalf("phase %d, id %d, key %v", g.Phase(), g.ID(), g.Key())
	}
	if g.count(session.Welcomed) != 1 || g.count(session.Teleported) != 1 || len(g.events) != 2 {
		t.Errorf("events %+v, want Welcomed and Placed", g.events)
	}
	late := r.join("Bea", session.Key{})
	r.run(8)
	r.expect("a match of one", "kick peer 2 of 0: session: the match is full; ")
	if late.Phase() != session.Ended || late.events[0].Text != "session: the match is full" {
		t.Errorf("refused: %+v", late.events)
	}
	g.Leave()
	left := g.Fingerprint()
	r.run(5)
	if g.Fingerprint() != left || g.Phase() != session.Ended {
		t.Errorf("heard something after leaving: %s", g.Fingerprint())
	}
	r.expect("after leave", "left 1 Ada; kick peer 1 of 0: session: left; ")
	if _, there := r.m.State(1); there || len(r.m.Players(nil)) != 0 {
		t.Error("the player is still in the world")
	}
	r.join("Cleo", g.Key())
	r.run(5)
	r.expect("an old key buys nothing", "joined 1 Cleo again=false; ")
}

// A player that the game has not placed yet is in the match, but its client makes no
// commands and sends no moves; they begin with the place (CMD-06).
func TestNoCommandsBeforeAPlace(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	r.m.lobby = true
	g := r.join("Ada", session.Key{})
	r.run(60)
	if made := g.Stats().Moves.Made; g.Phase() != session.Syncing || g.Self() != nil || made != 0 {
		t.Errorf("before the place: phase %d, self %v, %d commands, want none", g.Phase(), g.Self(), made)
	}
	if _, there := r.m.State(g.ID()); there || r.m.takeEvents() != "joined 1 Ada again=false; " {
		t.Errorf("before the place: in the world: %t", there)
	}
	r.m.spawn(g.ID(), geom.V(3, 0, 0))
	g.input = func(*testClient) toyCommand { return hold(1, 0) }
	r.run(60)
	if s, there := r.m.State(g.ID()); !there || s.Pos.X < 3.5 || g.Phase() != session.Playing || g.Stats().Moves.Made == 0 {
		t.Errorf("with a place: in the world: %t, phase %d, at %v", there, g.Phase(), s.Pos)
	}
	r.agree()
}

// Every way of breaking the handshake is refused in words, closes the connection
// and changes nothing; from then on the peer is not heard. [GAP-04, THR-38]
func TestBadHellos(t *testing.T) {
	singleThreaded(t)
	long := strings.Repeat("x", 25)
	name := "session: a name is 1 to 24 printable characters without < and >, with single spaces inside only"
	marks := "session: a name has at most two accents or marks on a letter, and none before the first"
	for _, c := range []struct {
		what  string
		bytes []byte
		want  string
	}{
		{"another version", rawHello(8, "Ada"), "session: this server speaks version 13 of the protocol and the client version 8: reload the page or update the client"},
		{"no name", rawHello(session.Version, ""), name},
		{"a long name", rawHello(session.Version, long), name},
		{"a control character", rawHello(session.Version, "A\x07"), name},
		{"a name of spaces", rawHello(session.Version, "  "), name},
		{"right-to-left override", rawHello(session.Version, "A\u202eB"), name},
		{"markup", rawHello(session.Version, "<b>A"), name},
		{"two spaces", rawHello(session.Version, "A  B"), name},
		{"a letter that is drawn as nothing", rawHello(session.Version, "\u3164"), name},
		{"no width", rawHello(session.Version, "A\u200bB"), name},
		{"stacked accents", rawHello(session.Version, "A\u0300\u0301\u0302"), marks},
		{"an accent alone", rawHello(session.Version, "\u0300A"), marks},
		{"not UTF-8", rawHello(session.Version, "A\xff"), "session: text that is not UTF-8"},
		{"a byte too many", rawHello(session.Version, "Ada", 0), "bits: bytes left over after the message"},
		{"cut short", rawHello(session.Version, "Ada")[:9], "bits: message ends too early"},
		{"not ours", []byte("\x01GET / HTTP/1.1\r\n"), "session: not a Backstep client"},
		{"nothing", nil, "session: no hello yet"},
		{"a message before hello", []byte{4, 1, 2}, "session: no hello yet"},
		{"leave before hello", []byte{5}, "session: no hello yet"},
		{"an unknown kind", []byte{99}, "session: no hello yet"},
	} {
		r := newSimulation(t, session.ServerConfig{Players: 2})
		r.run(1)
		before := r.m.hash()
		err := r.m.Receive(9, session.Stream, r.now(), c.bytes)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.what, err, c.want)
			continue
		}
		g := r.connect()
		g.Hello("x", session.Key{})
		g.Outgoing()
		for _, p := range r.m.Outgoing() {
			if err := g.Receive(p.Channel, 1, p.Bytes); p.Peer != 9 || err != nil {
				t.Errorf("%s: told peer %d, %v", c.what, p.Peer, err)
			}
		}
		if e := g.Events(); len(e) != 1 || e[0].Kind != session.Refused || e[0].Text != c.want {
			t.Errorf("%s: the client reads %+v", c.what, e)
		}
		for range 1000 {
			if err := r.m.Receive(9, session.Stream, r.now(), rawHello(session.Version, "Ada")); err == nil {
				t.Fatalf("%s: a kicked peer is heard", c.what)
			}
		}
		r.run(1)
		r.expect(c.what, "kick peer 9 of 0: "+c.want+"; ")
		if r.m.hash() != before || len(r.m.Players(nil)) != 0 {
			t.Errorf("%s: the match has changed", c.what)
		}
		r.m.Disconnect(9)
		if err := r.m.Receive(9, session.Stream, r.now(), rawHello(session.Version, "Ada")); err != nil {
			t.Errorf("%s: the number's next connection: %v", c.what, err)
		}
	}
}

// Names that people have are taken: of many scripts, with their marks, clan tags and emoji. [THR-38]
func TestNamesOfPeople(t *testing.T) {
	for _, name := range []string{"Ada", "[DOG] rex_99", "O'Neill & Sons", "Zoë", "Zoe\u0308", "Nguyễn Văn", "李小龙", "สมชาย กุ้ง", "मोनिका", "שָׁלוֹם", "مُحَمَّد", "김철수", "Ada ❤", "🦊", "x"} {
		if err := session.CheckName(name); err != nil {
			t.Errorf("%q: got %v, want none", name, err)
		}
	}
}

// Two players of one match have names that differ, by a number behind the second: whatever case they are
// written in, however long, and also after one has left and come back. Nobody wears another's name. [THR-38]
func TestNamesDiffer(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 8})
	long := strings.Repeat("ü", session.MaxName)
	for _, name := range []string{"Ada", "Ada", "ADA", "Ada (2)", long, long} {
		r.join(name, session.Key{})
		r.run(6)
	}
	r.expect("at first", "joined 1 Ada again=false; joined 2 Ada (2) again=false; joined 3 ADA (3) again=false; "+
		"joined 4 Ada (2) (2) again=false; joined 5 "+long+" again=false; joined 6 "+long[:2*20]+" (2) again=false; ")
	first := r.clients[0]
	r.disconnect(first)
	r.run(6)
	r.join("Ada", session.Key{})
	r.join("Ada", first.Key())
	r.run(6)
	r.expect("a seat that waits keeps its name", "joined 7 Ada (4) again=false; joined 1 Ada again=true; ")
}

// The name of a match is at most 200 bytes of UTF-8.
func TestSetMatch(t *testing.T) {
	c := session.NewClient(gameOf[toyState, toyCommand](newToy()), session.ClientConfig{})
	c.SetMatch(strings.Repeat("ä", 100))
	for _, name := range []string{strings.Repeat("ä", 100) + "x", "\xff"} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, "200 bytes of UTF-8") {
					t.Errorf("%q: got %q, want why it is refused", name, got)
				}
			}()
			c.SetMatch(name)
		}()
	}
}

// A host learns which match a connection wants, its token and whether it has a key, and leaves it to a
// match to refuse another version.
func TestReadHello(t *testing.T) {
	c := session.NewClient(gameOf[toyState, toyCommand](newToy()), session.ClientConfig{})
	c.SetMatch("red")
	c.SetToken("v4.local.abc")
	c.Hello("Ada", session.Key{1})
	b := c.Outgoing()[0].Bytes
	want := session.HelloInfo{Match: "red", Token: "v4.local.abc", HasKey: true}
	if got, err := session.ReadHello(b); got != want || err != nil {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	for _, version := range []uint16{2, session.Version} {
		if got, err := session.ReadHello(rawHello(version, "Ada")); got != (session.HelloInfo{}) || err != nil {
			t.Errorf("version %d without any of it: got %+v, %v, want nothing", version, got, err)
		}
	}
	for _, bad := range [][]byte{nil, {1}, {2, 0, 0}, append(b, 0), b[:len(b)-1]} {
		if got, err := session.ReadHello(bad); err == nil {
			t.Errorf("%x: got %+v, want an error", bad, got)
		}
	}
}

// A client that says hello twice is broken: it is kicked with the reason, and its seat is free. [THR-34]
func TestHelloTwice(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	r.playing(1)
	if err := r.m.Receive(1, session.Stream, r.now(), rawHello(session.Version, "Eve")); err == nil {
		t.Error("taken")
	}
	r.run(1)
	r.expect("twice", "kick peer 1 of 1: session: hello said twice; left 1 player 1; ")
	if p := r.m.Players(nil); len(p) != 0 {
		t.Errorf("players %+v, want none", p)
	}
}

// A client that was thrown out, for what it sent or by the game, does not come back by its key: it is a new
// player, in a match that is full of others it is none. One that was away when the game threw it out neither.
// [THR-34]
func TestAKeyOpensNothingAfterAKick(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 2})
	cheat, thrown := r.playing(2)[0], r.clients[1]
	_ = r.m.Receive(1, session.Stream, r.now(), []byte{200})
	r.m.Kick(2, "Bad manners")
	r.run(1)
	r.expect("thrown out", "kick peer 1 of 1: session: unknown message kind; left 1 player 1; kick peer 2 of 2: Bad manners; left 2 player 2; ")
	cheat.gone, thrown.gone = true, true
	again := r.join("Eve", cheat.Key())
	r.run(8)
	r.expect("with its key", "joined 1 Eve again=false; ")
	other := r.join("Ada", session.Key{})
	r.run(8)
	r.expect("another", "joined 2 Ada again=false; ")
	late := r.join("Mallory", thrown.Key())
	r.run(8)
	if late.Phase() != session.Ended || again.Key() == cheat.Key() || other.Phase() == session.Ended {
		t.Errorf("with a dead key into a full match: phase %d, want %d; the first one's new key is %v", late.Phase(), session.Ended, again.Key())
	}
	r.m.takeEvents()
	r.disconnect(other)
	r.run(4)
	r.m.Kick(2, "Bad manners")
	r.m.Kick(2, "twice is once")
	r.run(4)
	r.expect("away", "left 2 Ada; ")
}

// THR-08: a lost connection keeps its seat for Away; with the key the player is
// back at once in the same place, even while the old connection is still there and
// the match full; others see no path from the one to the other.
func TestComingBack(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 2, ReconnectTime: 2 * clock.Second})
	g := r.playing(2)[0]
	other := r.clients[1]
	g.input = func(*testClient) toyCommand { return hold(1, 0) }
	r.m.SetText(1, "note", "well")
	r.run(60)
	before, _ := r.m.State(1)
	teleport := remote(other, 1).Teleport
	r.disconnect(g)
	r.run(60)
	if s, there := r.m.State(1); !there || s != before && s.Pos.X < before.Pos.X {
		t.Fatalf("away: %+v, %v", s, there)
	}
	back := r.join("Ada", g.Key())
	r.run(8)
	r.expect("back", "joined 1 Ada again=true; ")
	r.run(20)
	s, _ := r.m.State(1)
	if back.Phase() != session.Playing || back.ID() != 1 || back.Self().Pos != s.Pos || back.Text(1, "note") != "well" {
		t.Errorf("back: phase %d, id %d, at %v, note %q; server at %v", back.Phase(), back.ID(), back.Self(), back.Text(1, "note"), s.Pos)
	}
	if back.count(session.Teleported) != 1 || back.Stats().Moves.Corrections != 0 {
		t.Errorf("back: events %+v, moves %+v", back.events, back.Stats().Moves)
	}
	took := r.join("Ada", g.Key())
	r.run(20)
	r.expect("taken over", "kick peer 3 of 1: session: you joined from elsewhere; joined 1 Ada again=true; ")
	if back.Phase() != session.Ended || took.Phase() != session.Playing || took.ID() != 1 {
		t.Errorf("phases %d and %d", back.Phase(), took.Phase())
	}
	if n := remote(other, 1).Teleport - teleport; n != 2 {
		t.Errorf("the path of the client that came back twice is broken %d times, want 2", n)
	}
	back.gone = true
	r.disconnect(took)
	r.run(2*60 - 3)
	r.expect("still waiting", "")
	r.run(10)
	r.expect("away too long", "left 1 Ada; ")
}

func remote(g *testClient, id session.PlayerID) (s struct {
	Pos      geom.Vec3
	Teleport uint8
	There    bool
}) {
	for _, e := range g.Remotes() {
		if e.ID == id {
			s.Pos, s.Teleport, s.There = e.Position, e.Teleport, true
		}
	}
	return s
}

// One leaves and another gets the same number: no player sees a way from the one to
// the other, and a shot at the one does not hurt the other (HIS-10, GAP-50). Lives
// are counted anew, so that nothing but the session distinguishes the two.
func TestANumberHasOneHolderAtATime(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 2})
	r.lag = 3
	there := geom.V(40, 0, 0)
	r.m.place = func(id session.PlayerID) geom.Vec3 { return there }
	r.playing(2)
	watcher, old := r.clients[0], r.clients[1]
	watcher.input = shootsAtTheSecond
	r.m.spawn(1, geom.V(35, 0, 0))
	r.run(30)
	old.frozen = true // so that there is a way to draw from its last move to the next one's first
	r.run(12)
	r.m.Receive(old.peer, session.Stream, r.now(), []byte{5})
	old.gone = true
	there, r.m.life[2] = geom.V(2, 0, 0), 0
	r.m.Receive(9, session.Stream, r.now(), rawHello(session.Version, "next"))
	entered := r.now()
	r.m.events = nil
	missed := r.tick + 1 // the snapshot in which no player has the number is lost
	r.fate = func(f flight) []int {
		if !f.up && r.tick == missed {
			return nil
		}
		return []int{r.lag}
	}
	for range 40 {
		r.run(1)
		p := remote(watcher, 2)
		if p.There && p.Pos.Dist(geom.V(40, 0, 0)) > 0.01 && p.Pos.Dist(there) > 0.01 {
			t.Errorf("drawn between the two, at %v", p.Pos)
		}
	}
	late := 0
	for _, e := range r.m.events {
		if e.Kind != session.Shot || e.Receipt.Verdict != shot.Hit {
			continue
		}
		if e.At > entered {
			late++
		}
		if e.Receipt.Damage != 0 || e.Receipt.Reason != shot.AlreadyDead {
			t.Errorf("a shot at the old holder hurts the new one: %+v", e.Receipt)
		}
	}
	if late == 0 {
		t.Error("no shot at the old holder came after the new one")
	}
}

// shootsAtTheSecond is the input of a player that shoots at player 2 while that is far out.
func shootsAtTheSecond(g *testClient) toyCommand {
	c := hold(0, 0)
	if p := remote(g, 2); p.There && p.Pos.X > 20 && g.Self().Ammo.Ready() {
		d := p.Pos.Add(geom.V(0, 0.9, 0)).Sub(g.Eye())
		c.Shot.Yaw, c.Shot.Pitch = geom.Yaw(d), geom.Atan2(d.Y, geom.V(d.X, 0, d.Z).Len())
		g.Aim(&c.Shot)
	}
	return c
}

// A player under fire connects anew. It is the same player in the same life: the shots in views of before hurt it, or
// whoever sees a shot coming could escape it by a new connection. [GAP-50, THR-08]
func TestANewConnectionEscapesNoShot(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 2})
	r.lag = 3
	r.m.place = func(session.PlayerID) geom.Vec3 { return geom.V(40, 0, 0) }
	r.playing(2)
	target := r.clients[1]
	r.clients[0].input = shootsAtTheSecond
	r.m.spawn(1, geom.V(35, 0, 0))
	r.run(30)
	r.disconnect(target)
	r.run(1)
	r.join("anew", target.Key())
	r.run(r.lag)
	before := r.now()
	r.m.events = nil
	r.run(20)
	hits := 0
	for _, e := range r.m.events {
		if e.Kind != session.Shot || e.Receipt.Verdict != shot.Hit || e.Receipt.ViewGranted >= before {
			continue
		}
		if hits++; e.Receipt.Damage == 0 {
			t.Errorf("a shot in a view of %v before the new connection does no damage: %+v", before-e.Receipt.ViewGranted, e.Receipt)
		}
	}
	if hits == 0 {
		t.Error("no shot in a view of before the new connection was judged after it")
	}
}

// A number is given out again only when no other has been free for longer.
func TestNumbersAreNotReusedAtOnce(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 3})
	var got []session.PlayerID
	for range 7 {
		g := r.join("Ada", session.Key{})
		r.run(8)
		got = append(got, g.ID())
		g.Leave()
		r.run(5)
	}
	if want := []session.PlayerID{1, 2, 3, 1, 2, 3, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A player joins and leaves before the game has heard of either: no player is put
// into the world.
func TestJoinAndLeaveWithinATick(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	r.run(1)
	r.m.Receive(7, session.Stream, r.now(), rawHello(session.Version, "Ada"))
	r.m.Receive(7, session.Stream, r.now(), []byte{5})
	r.run(3)
	if _, there := r.m.State(1); there {
		t.Error("a body without a player")
	}
	r.m.SetText(1, "note", "x")
	r.m.SendMessage(1, []byte("x"))
	r.run(1)
	if got := r.m.Text(1, "note"); got != "" {
		t.Errorf("the note of a player that has left: got %q, want none for the next of its id", got)
	}
}

// What was for a connection that has gone is not sent.
func TestADisconnectedPeerIsNotSentTo(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	r.playing(2)
	r.m.SendMessage(1, []byte("a"))
	r.m.SendMessage(2, []byte("b"))
	r.m.Disconnect(1)
	for range 3 {
		r.m.Tick(r.now() + clock.TickTime(1, 60))
		r.tick++
		for _, p := range r.m.Outgoing() {
			if p.Peer != 2 {
				t.Errorf("a packet for peer %d", p.Peer)
			}
		}
	}
	panics(t, "peer 0", func() { r.m.Receive(0, session.Stream, 0, nil) })
}

func panics(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	f()
}
