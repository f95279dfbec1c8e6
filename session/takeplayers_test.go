package session_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
)

const nextLevel = "the next level begins"

// follow lets another match follow that of a simulation, as a host does it: connections are closed for the reason.
func (r *simulation) follow(config session.ServerConfig) []session.Event {
	r.t.Helper()
	n := byte(0)
	config.World, config.LevelHash, config.NewKey = plane(r.t), "another level", func() session.Key { n++; return session.Key{n, 15: 2} }
	next := &match{toyServer: session.NewServer(gameOf[toyState, toyCommand](r.game()), config)}
	next.TakePlayersFrom(r.m.toyServer, nextLevel)
	r.m = next
	events := next.Server().Events()
	for _, e := range events {
		if g := r.peer(e.Peer); e.Kind == session.Kick && g != nil {
			r.disconnect(g)
		}
	}
	return events
}

// back reconnects a client, with its key and nothing else.
func (r *simulation) back(g *testClient) {
	g.Reset()
	r.peers++
	g.peer, g.gone = r.peers, false
	r.m.Identify(g.peer, session.Identity{Refused: "a token, please"})
	g.Hello("Eve", g.Key())
}

// The time of one of two players runs ahead, which its match has reported, when the next one begins: the report ends,
// with how far ahead the player was. [THR-80]
func TestATimeDiscrepancyEndsWithItsMatch(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	g := r.playing(2)[1]
	g.lasted = func(d clock.Micros) clock.Micros { return 2 * d }
	for range 120 {
		if r.run(1); r.happened(session.TimeDiscrepancy) > 0 {
			break
		}
	}
	var ended []session.Event
	for _, e := range r.follow(session.ServerConfig{}) {
		if e.Kind == session.TimeDiscrepancyCleared {
			ended = append(ended, e)
		}
	}
	if len(ended) != 1 || ended[0].Player != g.ID() || ended[0].Discrepancy.Episodes != 1 {
		t.Errorf("got %d ends of a time discrepancy, %+v; want one of player %d, after one episode", len(ended), ended, g.ID())
	}
}

// Three players play, and a fourth waits in line. In the match that follows, the three have their seats with the same
// ids and keys, and match time goes on. One comes back at once, without a token, and joins as a new player; one comes
// back after a second, and one never: it has left when its time is over, and its seat goes to the one in line, who was not
// disturbed. [THR-80]
func TestTheNextMatchOfTheSamePlayers(t *testing.T) {
	config := session.ServerConfig{Players: 3, Queue: 1, ReconnectTime: 3 * clock.Second}
	r := newSimulation(t, config)
	g := r.playing(3)
	waiting := r.join("Dan", session.Key{})
	r.run(60)
	if waiting.QueuePlace() != 1 {
		t.Fatalf("Dan's place in line is %d, want 1", waiting.QueuePlace())
	}
	keys, before := [3]session.Key{g[0].Key(), g[1].Key(), g[2].Key()}, r.m.Now()
	events := r.follow(config)
	if len(events) != 3 {
		t.Errorf("the connections are closed by %d events, want 3", len(events))
	}
	for i, e := range events {
		if want := (session.Event{Kind: session.Kick, Player: g[i].ID(), Peer: g[i].peer, Text: nextLevel, At: before}); i > 2 || !reflect.DeepEqual(e, want) {
			t.Errorf("event %d is %+v, want %+v", i, e, want)
		}
	}
	if r.m.Now() != before || len(r.m.Players(nil)) != 3 || r.m.QueueLength() != 1 {
		t.Errorf("at %v with %d players and %d in line; want %v, 3 and 1", r.m.Now(), len(r.m.Players(nil)), r.m.QueueLength(), before)
	}
	for i := range 2 {
		r.back(g[i])
		r.run(60)
		if got, want := r.m.takeEvents(), []string{"joined 1 Eve again=false; ", "joined 2 Eve (2) again=false; "}[i]; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if s, ok := r.m.State(g[i].ID()); g[i].ID() != session.PlayerID(i+1) || g[i].Key() != keys[i] || g[i].LevelHash() != "another level" || !ok || g[i].Self() == nil || g[i].Self().Pos != s.Pos {
			t.Errorf("the player of seat %d has seat %d, level %q and state %v, and the server %v, %v", i+1, g[i].ID(), g[i].LevelHash(), g[i].Self(), s, ok)
		}
	}
	r.run(120)
	if got, want := r.m.takeEvents(), "left 3 player 3; joined 3 Dan again=false; "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if waiting.Phase() != session.Playing || waiting.ID() != 3 || waiting.count(session.Welcomed) != 1 {
		t.Errorf("Dan is in phase %v as player %d, want to play as 3", waiting.Phase(), waiting.ID())
	}
	r.back(g[2])
	if r.run(30); g[2].Refusal() != "a token, please" {
		t.Errorf("the third came too late with its key and was answered %q", g[2].Refusal())
	}
}

// A player is thrown out in the tick in which the level changes, when its events were handled: it still reads why, its
// connection is closed as that of one that was thrown out, and until then nothing more is received from it. Its seat is
// free. [THR-34, THR-80]
func TestAKickInTheTickOfTheNextMatch(t *testing.T) {
	config := session.ServerConfig{Players: 2}
	r := newSimulation(t, config)
	r.playing(2)
	r.m.Kick(2, "Bad manners")
	next := newMatch(t, config)
	next.TakePlayersFrom(r.m.toyServer, nextLevel)
	var got []string
	for _, e := range next.Server().Events() {
		got = append(got, fmt.Sprintf("%v of peer %d, expelled %v", e.Kind == session.Kick, e.Peer, e.Expelled))
	}
	if want := []string{"true of peer 2, expelled true", "false of peer 0, expelled false", "true of peer 1, expelled false"}; !slices.Equal(got, want) {
		t.Errorf("kicks among the events: %q, want %q", got, want)
	}
	refused := false
	for _, p := range next.Outgoing() {
		refused = refused || p.Peer == 2 && strings.HasSuffix(string(p.Bytes), "Bad manners")
	}
	if n := len(next.Players(nil)); n != 1 || !refused {
		t.Errorf("%d seats are taken, and the player is sent why: %v; want 1 and true", n, refused)
	}
	for peer := session.Peer(1); peer <= 2; peer++ {
		if err := next.Receive(peer, session.Stream, r.now(), rawHello(session.Version, "Ada")); err == nil {
			t.Errorf("peer %d, whose connection is about to be closed, has joined", peer)
		}
	}
}

// A server ends between two levels: in the match of the checkpoint the players that have not come yet join as new
// ones, as they would have. [THR-63, THR-80]
func TestACheckpointBetweenTwoLevels(t *testing.T) {
	config := session.ServerConfig{Players: 2}
	r := newSimulation(t, config)
	g := r.playing(2)
	r.run(30)
	r.follow(config)
	r.back(g[0])
	r.run(30)
	var p, q bits.Packer
	p.Write(make([]byte, 1<<20))
	r.m.Checkpoint(&p)
	again := newSimulation(t, config).m
	q.Read(p.Bytes())
	if again.Checkpoint(&q); p.Err() != nil || !strings.Contains(fmt.Sprint(q.Err()), "level") {
		t.Fatalf("got %v, and a match of the earlier level read it: %v", p.Err(), q.Err())
	}
	config.World, config.LevelHash, config.NewKey = plane(t), "another level", func() session.Key { return session.Key{3} }
	again = &match{toyServer: session.NewServer(gameOf[toyState, toyCommand](newToy()), config)}
	q.Read(p.Bytes())
	if again.Checkpoint(&q); q.Err() != nil {
		t.Fatal(q.Err())
	}
	r.m = again
	for i, want := range []string{"joined 1 Eve again=true; ", "joined 2 Eve (2) again=false; "} {
		r.back(g[i])
		r.run(30)
		if got := r.m.takeEvents(); got != want || g[i].Phase() != session.Playing {
			t.Errorf("got %q, phase %v; want %q, playing", got, g[i].Phase(), want)
		}
	}
}

// A match that has begun follows none, and neither does one with other seats or ticks.
func TestMatchesThatCannotFollow(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 2})
	r.run(3)
	begun := newMatch(t, session.ServerConfig{Players: 2})
	begun.Tick(clock.Second)
	for what, m := range map[string]*toyServer{
		"TakePlayersFrom is for a new match":     begun.toyServer,
		"the Players, TickRate and SnapshotRate": newMatch(t, session.ServerConfig{Players: 3}).toyServer,
		"Players, TickRate and SnapshotRate of":  newMatch(t, session.ServerConfig{Players: 2, TickRate: 30}).toyServer,
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, what) {
					t.Errorf("got %q, want a panic that says %q", text, what)
				}
			}()
			m.TakePlayersFrom(r.m.toyServer, nextLevel)
		}()
	}
}
