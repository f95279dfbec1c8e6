package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/session"
)

// joinAs adds a client that the host knows to be somebody.
func (r *simulation) joinAs(who session.Identity, name string, key session.Key) *testClient {
	g := r.connect()
	r.m.Identify(g.peer, who)
	g.Hello(name, key)
	return g
}

// A player whose account the host knows has the account's name, and takes over the seat that the account
// has: from another connection, without a key, in a full match too. The game reads account and data once
// with Joined. [THR-08]
func TestAnAccountHasOneSeat(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 1})
	ada := session.Identity{Account: "a-1", Name: "Ada", Data: []byte("red")}
	first := r.joinAs(ada, "Impostor", session.Key{})
	r.run(30)
	if e := r.m.events[0]; e.Account != "a-1" || string(e.Bytes) != "red" || e.Name != "Ada" {
		t.Errorf("joined: got account %q, data %q, name %q, want a-1, red, Ada", e.Account, e.Bytes, e.Name)
	}
	r.m.takeEvents()
	before, _ := r.m.State(1)
	second := r.joinAs(ada, "Ada", session.Key{})
	r.run(30)
	r.expect("a second page", "kick peer 1 of 1: session: you joined from elsewhere; joined 1 Ada again=true; ")
	if s, there := r.m.State(1); !there || s.Pos != before.Pos || second.Key() != first.Key() {
		t.Errorf("the seat's state is %+v, %v, want that of before, %+v, with the same key", s, there, before)
	}
	if p := r.m.Players(nil); len(p) != 1 || p[0].Account != "a-1" {
		t.Errorf("players: %+v, want one with the account a-1", p)
	}
}

// THR-08: a thousand times a player's page dies without a goodbye and another one of the same account joins,
// over a bad line: it has the old seat as soon as its hello is answered, each time.
func TestAThousandTakeovers(t *testing.T) {
	const times = 1000
	r := newSimulation(t, session.ServerConfig{Players: 2})
	other := r.join("Bob", session.Key{})
	r.fate = weather(7)
	ada := session.Identity{Account: "a-1", Name: "Ada"}
	r.joinAs(ada, "Ada", session.Key{})
	r.run(20)
	r.m.takeEvents()
	taken := 0
	for range times {
		r.clients = r.clients[:1]
		page := r.joinAs(ada, "Ada", session.Key{})
		r.run(2*r.lag + 1)
		if page.Phase() >= session.Loading && page.ID() == 2 {
			taken++
		}
	}
	if taken != times || other.Phase() != session.Playing {
		t.Errorf("%d of %d pages had the seat after a round trip; the other player is in phase %d", taken, times, other.Phase())
	}
	figures.Check(t, "taken", 0, "%d of %d within a round trip", taken, times)
}

// The key of a seat that has an account is no proof for another account: it gets a seat of its own. A
// peer that the host does not know comes back by the key, as after a lost connection.
func TestAKeyIsNoProofForAnotherAccount(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 2})
	ada := r.joinAs(session.Identity{Account: "a-1"}, "Ada", session.Key{})
	r.run(10)
	eve := r.joinAs(session.Identity{Account: "e-2"}, "Eve", ada.Key())
	r.run(10)
	r.expect("another account with the key", "joined 1 Ada again=false; joined 2 Eve again=false; ")
	if eve.ID() != 2 || ada.Phase() == session.Ended {
		t.Errorf("player %d, and the key's owner is in phase %d, want a seat of its own", eve.ID(), ada.Phase())
	}
	r.disconnect(ada)
	r.joinAs(session.Identity{Refused: "host: your token was used before"}, "Ada", ada.Key())
	r.run(10)
	r.expect("a used token with the key", "joined 1 Ada again=true; ")
	if p := r.m.Players(nil); p[0].Account != "a-1" {
		t.Errorf("the seat's account is %q, want a-1 as before", p[0].Account)
	}
}

// Who is refused by the host gets no new seat, with the host's reason, also where it has the key of a seat
// that is no longer kept. [THR-05]
func TestARefusedIdentityHasNoNewSeat(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 2, Queue: 2, ReconnectTime: clock.Second})
	refused := session.Identity{Refused: "host: this server wants a connect token"}
	g := r.joinAs(refused, "Eve", session.Key{})
	r.run(10)
	r.expect("without a key", "kick peer 1 of 0: host: this server wants a connect token; ")
	if g.Refusal() != refused.Refused {
		t.Errorf("the client reads %q, want %q", g.Refusal(), refused.Refused)
	}
	ada := r.joinAs(session.Identity{Account: "a-1"}, "Ada", session.Key{})
	r.run(10)
	r.disconnect(ada)
	r.run(70)
	r.m.takeEvents()
	r.joinAs(refused, "Ada", ada.Key())
	r.run(10)
	r.expect("with a key that opens nothing any more", "kick peer 3 of 0: host: this server wants a connect token; ")
}

// A peer's identity is for one hello, and is forgotten with its connection: who connects next with its
// number is a stranger.
func TestAnIdentityIsForgottenWithItsPeer(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 2})
	r.m.Identify(1, session.Identity{Account: "a-1"})
	r.m.Disconnect(1)
	r.join("Bob", session.Key{})
	r.run(10)
	if e := r.m.events[0]; e.Account != "" || e.Name != "Bob" {
		t.Errorf("the next connection is %q of account %q, want Bob without one", e.Name, e.Account)
	}
}

// Where all seats are taken, newcomers wait in line: each knows its place, moves up when somebody in front
// of it leaves, and gets a seat in the tick after one is free. Who finds the line full is refused. [THR-37]
func TestNewcomersWaitInLine(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 1, Queue: 3, ReconnectTime: clock.Second})
	first := r.join("Ada", session.Key{})
	r.run(10)
	bob, eve, cleo := r.join("Bob", session.Key{}), r.join("Eve", session.Key{}), r.join("Cleo", session.Key{})
	late := r.join("Dan", session.Key{})
	places := func(when string, want ...int) {
		t.Helper()
		r.run(10)
		for i, g := range []*testClient{bob, eve, cleo} {
			if got := g.QueuePlace(); got != want[i] {
				t.Errorf("%s: client %d stands at %d, want %d", when, i, got, want[i])
			}
		}
	}
	places("at first", 1, 2, 3)
	r.expect("at first", "joined 1 Ada again=false; kick peer 5 of 0: session: the match is full; ")
	if late.Refusal() == "" || bob.Phase() != session.Outside {
		t.Errorf("the late one reads %q, and who waits is in phase %d, want a refusal and Outside", late.Refusal(), bob.Phase())
	}
	first.Leave()
	places("after the player left", 0, 1, 2)
	r.expect("after the player left", "left 1 Ada; kick peer 1 of 0: session: left; joined 1 Bob again=false; ")
	r.disconnect(eve)
	places("after one of the line was lost", 0, 1, 1)
	cleo.Leave()
	r.run(10)
	r.expect("after the last one has left the line", "kick peer 4 of 0: session: left; ")
	dora := r.join("Dora", session.Key{})
	r.run(10)
	r.disconnect(bob)
	r.run(90) // a seat waits a second for its player
	r.expect("after the seat's player was lost", "left 1 Bob; joined 1 Dora again=false; ")
	if dora.QueuePlace() != 0 || dora.Phase() != session.Playing {
		t.Errorf("in place %d and phase %d, want a player", dora.QueuePlace(), dora.Phase())
	}
}

// The player of the only seat leaves, and in the same tick, before the seat is given away, a newcomer says hello: it waits
// in line, and the seat is for the one that was there before it. [THR-37]
func TestANewcomerDoesNotJumpTheLine(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 1, Queue: 2})
	ada := r.join("Ada", session.Key{})
	r.run(10)
	bob := r.join("Bob", session.Key{})
	r.run(10)
	ada.Leave()
	eve := r.join("Eve", session.Key{})
	r.run(20)
	if bob.Phase() != session.Playing || bob.ID() != 1 || eve.QueuePlace() != 1 {
		t.Errorf("who waited is in phase %d as player %d, and the newcomer in place %d; want to play as 1, and 1", bob.Phase(), bob.ID(), eve.QueuePlace())
	}
}

// A place that stays the same is sent again every 5 s: a client in line that hears nothing for longer knows that its
// server is gone. [THR-37]
func TestAPlaceInLineIsRepeated(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 1, Queue: 1})
	r.join("Ada", session.Key{})
	r.run(10)
	bob := r.join("Bob", session.Key{})
	heard, last, longest := 0, 0, 0 // in ticks
	r.seen = func(f flight) {
		if f.peer == bob.peer && !f.up {
			longest = max(longest, r.tick-last)
			heard, last = heard+1, r.tick
		}
	}
	r.run(60 * 60)
	if heard < 12 || longest > 5*60+1 || bob.QueuePlace() != 1 {
		t.Errorf("Bob heard %d times of place %d in a minute, with %d ticks of silence at most; want 12 of place 1, at most 301", heard, bob.QueuePlace(), longest)
	}
}

// A player with a key or an account comes back to its own seat past the line, and an account that opens a
// second page keeps its place in it.
func TestTheLineAndThoseWhoComeBack(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 1, Queue: 2})
	ada := r.join("Ada", session.Key{})
	r.run(10)
	bob := session.Identity{Account: "b-2"}
	page := r.joinAs(bob, "Bob", session.Key{})
	eve := r.join("Eve", session.Key{})
	r.run(10)
	second := r.joinAs(bob, "Bob", session.Key{})
	r.run(10)
	if page.Phase() != session.Ended || second.QueuePlace() != 1 || eve.QueuePlace() != 2 {
		t.Errorf("phase %d, places %d and %d; want the first page ended, 1 and 2", page.Phase(), second.QueuePlace(), eve.QueuePlace())
	}
	r.m.takeEvents()
	r.disconnect(ada)
	r.join("Ada", ada.Key())
	r.run(10)
	r.expect("with the key", "joined 1 Ada again=true; ")
}

// While a page of an account waits in line, another one of the same account comes back to a seat by its key, which the
// player took without its account. The account has that seat, and its place in line is given up: it would have got a
// second seat. [THR-37]
func TestAnAccountInLineThatHasASeatByItsKey(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 2, Queue: 3})
	ada, other := r.join("Ada", session.Key{}), r.join("Zoe", session.Key{})
	r.run(10)
	account := session.Identity{Account: "a-1"}
	page := r.joinAs(account, "Ada", session.Key{})
	eve := r.join("Eve", session.Key{})
	r.run(10)
	r.disconnect(ada)
	back := r.joinAs(account, "Ada", ada.Key())
	r.run(10)
	if page.Phase() != session.Ended || back.ID() != 1 || eve.QueuePlace() != 1 {
		t.Errorf("the page in line is in phase %d, its player has seat %d, and the next has place %d; want ended, 1 and 1", page.Phase(), back.ID(), eve.QueuePlace())
	}
	other.Leave()
	r.run(10)
	if eve.ID() != 2 {
		t.Errorf("the player behind it has seat %d, want 2", eve.ID())
	}
}

// Who says hello twice while it waits, or sends anything else, loses its place: nothing of the match is
// for it yet.
func TestWhoWaitsMustWait(t *testing.T) {
	for what, message := range map[string][]byte{
		"a second hello": rawHello(session.Version, "Bob"), "a message": {4, 1, 2}, "an unknown kind": {99},
	} {
		r := newSimulation(t, session.ServerConfig{Players: 1, Queue: 3})
		r.join("Ada", session.Key{})
		r.run(10)
		bob, eve := r.join("Bob", session.Key{}), r.join("Eve", session.Key{})
		r.run(10)
		if err := r.m.Receive(bob.peer, session.Stream, r.now(), message); err == nil {
			t.Errorf("%s: taken", what)
		}
		r.run(10)
		if bob.Phase() != session.Ended || eve.QueuePlace() != 1 {
			t.Errorf("%s: phase %d, and the one behind stands at %d; want ended and 1", what, bob.Phase(), eve.QueuePlace())
		}
	}
}

// What a player chooses as it joins reaches the game: at once, from the queue, and again when it comes back. It is text
// of at most 256 bytes, however hostile the client.
func TestJoinOptions(t *testing.T) {
	m := newMatch(t, session.ServerConfig{Players: 1, Queue: 1})
	tick := int64(0)
	join := func(peer session.Peer, name, options string, key session.Key) error {
		c := session.NewClient(gameOf[toyState, toyCommand](newToy()), session.ClientConfig{JoinOptions: options})
		c.Hello(name, key)
		tick++
		return m.Receive(peer, session.Stream, clock.TickTime(tick, 60), c.Outgoing()[0].Bytes)
	}
	want := func(what, name, options string, again bool) {
		t.Helper()
		tick++
		m.Tick(clock.TickTime(tick, 60))
		i := slices.IndexFunc(m.events, func(e session.Event) bool { return e.Kind == session.Joined })
		if i < 0 {
			t.Fatalf("%s: nobody has joined", what)
		}
		if e := m.events[i]; e.Name != name || e.Text != options || e.Reconnected != again {
			t.Errorf("%s: got %q with %q, again %v; want %q with %q, again %v", what, e.Name, e.Text, e.Reconnected, name, options, again)
		}
		m.events = nil
	}
	longest := strings.Repeat("ä", session.MaxOptions/2)
	if err := join(1, "Ann", "team=red", session.Key{}); err != nil {
		t.Fatal(err)
	}
	want("a newcomer", "Ann", "team=red", false)
	if err := join(2, "Bob", longest, session.Key{}); err != nil {
		t.Fatal(err)
	}
	if err := join(3, "Ann", "team=blue", session.Key{0x5a, 0x69, 0x96, 0xa5, 0xff, 14: 77, 15: 1}); err != nil {
		t.Fatal(err)
	}
	want("one that comes back and has thought better of it", "Ann", "team=blue", true)
	m.Kick(1, "Enough")
	tick++
	m.Tick(clock.TickTime(tick, 60))
	want("one from the queue", "Bob", longest, false)
	for _, options := range []string{longest + "x", "\xff"} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, "JoinOptions is at most 256 bytes") {
					t.Errorf("%q: got %q, want why it is refused", options, got)
				}
			}()
			_ = join(4, "Cy", options, session.Key{})
		}()
	}
}
