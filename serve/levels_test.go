package serve_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// floors are two levels of different size.
func floors() []serve.Level {
	return []serve.Level{{World: floor()}, {World: collide.Floor(20)}}
}

// tour is a match of two levels with two bots, and what its hooks were called for.
type tour struct {
	*match
	calls []string
	kept  uint16 // of the game, in checkpoints
}

func newTour(t *testing.T) *tour {
	t.Helper()
	v := &tour{}
	note := func(format string, args ...any) { v.calls = append(v.calls, fmt.Sprintf(format, args...)) }
	m, err := serve.New(jetpack.Game(&model), config{
		Levels: floors(), Bots: 2, Think: func(*session.Client[hero, command]) (in command) { in.Forward = 1; return in },
		OnStart: func(m *match) {
			note("level %d from %v", m.LevelIndex, m.Now()/clock.Second)
			m.UpdateEntity(m.Spawn(7), lyingThere())
		},
		OnJoin: func(m *match, e session.Event) {
			note("%s, %d, again %v", e.Name, e.Player, e.Reconnected)
			place(m, e)
		},
		OnLeave:      func(_ *match, id session.PlayerID) { note("%d left", id) },
		OnCheckpoint: func(_ *match, p *bits.Packer) { p.Uint16(&v.kept) },
	})
	if err != nil {
		t.Fatal(err)
	}
	v.match = m
	return v
}

// run plays ticks from one to before another.
func (v *tour) run(from, to int64) {
	for tick := from; tick < to; tick++ {
		v.Tick(clock.TickTime(tick, 60))
		v.Outgoing()
	}
}

// The game changes the level: it is called for the new one, and the bots join that in the seats and with the keys that
// they had, and play. Match time goes on, and so does what the game keeps in its variables; entities begin anew. [THR-80]
func TestTheNextLevelOfAMatch(t *testing.T) {
	v := newTour(t)
	v.run(1, 120)
	keys := []session.Key{v.seatKey(t, 1), v.seatKey(t, 2)}
	v.ChangeLevel(1)
	v.run(120, 121)
	if k := v.Kicked(); len(k) != 2 || k[0].Text != serve.LevelReason {
		t.Errorf("in the tick of the change the host closes %+v, want the connections of both bots, because of the next level", k)
	}
	v.run(121, 240)
	want := "level 0 from 0, Bot 1, 1, again false, Bot 2, 2, again false, level 1 from 2, Bot 1, 1, again false, Bot 2, 2, again false"
	if got := strings.Join(v.calls, ", "); got != want {
		t.Errorf("the hooks were called:\n%s\nwant\n%s", got, want)
	}
	if v.LevelIndex != 1 || v.World().Hash() != collide.Floor(20).Hash() || v.LevelHash() != collide.Floor(20).Hash() {
		t.Errorf("level %d with hash %s, want the smaller floor", v.LevelIndex, v.LevelHash())
	}
	if again := []session.Key{v.seatKey(t, 1), v.seatKey(t, 2)}; !slices.Equal(keys, again) {
		t.Errorf("keys of the seats %x, before %x", again, keys)
	}
	for id := session.PlayerID(1); id <= 2; id++ {
		if s, ok := v.State(id); !ok || s.Position.Len() < 3 {
			t.Errorf("bot %d is at %v, %v: want it to walk", id, s.Position, ok)
		}
	}
	v.ChangeLevel(1) // the same one, from its beginning
	v.run(240, 300)
	if n := strings.Count(strings.Join(v.calls, ", "), "level 1"); n != 2 || v.LevelIndex != 1 {
		t.Errorf("level %d, which began %d times; want level 1 twice", v.LevelIndex, n)
	}
}

// The game throws a bot out: it stays away on the same level and on the next one. [THR-80]
func TestABotThatTheGameHasKickedStaysAway(t *testing.T) {
	v := newTour(t)
	v.run(1, 60)
	v.Kick(1, "one too many")
	v.run(60, 120)
	v.ChangeLevel(1)
	v.run(120, 240)
	want := "level 0 from 0, Bot 1, 1, again false, Bot 2, 2, again false, 1 left, level 1 from 2, Bot 2, 2, again false"
	if got := strings.Join(v.calls, ", "); got != want {
		t.Errorf("the hooks were called:\n%s\nwant\n%s", got, want)
	}
	v.Kick(2, "you too")
	v.ChangeLevel(0) // in the same tick
	v.run(240, 300)
	if want += ", 2 left, level 0 from 4"; strings.Join(v.calls, ", ") != want {
		t.Errorf("the hooks were called:\n%s\nwant\n%s", strings.Join(v.calls, ", "), want)
	}
}

// A server drains while the level of a match changes. The match has not finished, although nobody is connected: its
// players come back. It has once their seats are free. [THR-32, THR-80]
func TestAMatchIsNotDrainedByANewLevel(t *testing.T) {
	v := newTour(t)
	v.run(1, 20)
	client := session.NewClient(jetpack.Game(&model), session.ClientConfig{})
	client.Hello("Ann", session.Key{})
	if err := v.Receive(9, session.Stream, 0, client.Outgoing()[0].Bytes); err != nil {
		t.Fatal(err)
	}
	v.run(20, 60)
	v.Drain(time.Minute)
	v.ChangeLevel(1)
	v.run(60, 61)
	v.Disconnect(9)
	for _, c := range []struct {
		until int64
		want  bool
	}{{62, false}, {62 + 9*60, false}, {62 + 11*60, true}} {
		v.run(int64(v.TickNumber())+1, c.until)
		if got := v.Drained(); got != c.want {
			t.Errorf("%v after the change: drained %v, want %v", v.Now()-clock.Second, got, c.want)
		}
	}
	v.ChangeLevel(0) // with nobody there
	v.run(int64(v.TickNumber())+1, int64(v.TickNumber())+2)
	if !v.Drained() {
		t.Error("not drained after a level change with bots alone")
	}
}

// seatKey returns the key of a bot's seat, from a checkpoint: nobody else is told.
func (v *tour) seatKey(t *testing.T, bot int) (k session.Key) {
	t.Helper()
	var p bits.Packer
	p.Write(make([]byte, 1<<20))
	if v.Checkpoint(&p); p.Err() != nil {
		t.Fatal(p.Err())
	}
	b := p.Bytes()
	tail := b[len(b)-2-(3-bot)*len(k):] // the keys, then what the game keeps
	copy(k[:], tail)
	return k
}

// A server that is killed in its second level goes on there: the game has what it kept, and the players are back
// in their seats. [THR-63, THR-80]
func TestACheckpointOfAnotherLevel(t *testing.T) {
	v := newTour(t)
	v.run(1, 120)
	v.ChangeLevel(1)
	v.kept = 4711
	v.run(120, 240)
	var p, q bits.Packer
	p.Write(make([]byte, 1<<20))
	v.Checkpoint(&p)
	after := newTour(t)
	q.Read(p.Bytes())
	if after.Checkpoint(&q); q.Err() != nil {
		t.Fatal(q.Err())
	}
	if after.LevelIndex != 1 || after.kept != 4711 || after.Now() != v.Now() || after.World().Hash() != v.World().Hash() {
		t.Errorf("level %d, kept %d, at %v; want 1, 4711, %v", after.LevelIndex, after.kept, after.Now(), v.Now())
	}
	after.run(240, 300)
	if got := strings.Join(after.calls, ", "); got != "level 0 from 0, level 1 from 0, Bot 1, 1, again true, Bot 2, 2, again true" {
		t.Errorf("the hooks were called: %s", got)
	}
	p.Write(make([]byte, 1<<20))
	after.Checkpoint(&p)
	b := p.Bytes()
	b[0] = 0xff
	q.Read(b)
	if newTour(t).Checkpoint(&q); q.Err() == nil {
		t.Error("a checkpoint of a level that the match does not have was read")
	}
}

// lyingThere is where an entity lies.
func lyingThere() (s track.Sample) {
	s.Position = geom.V(3, 0, 3)
	return s
}

// Two players and two bots have the seats of a match and a third player waits in line. A player asks for the next
// level: all are there within seconds, in their seats, over a real network. The one in line keeps its place, and
// joins the new level when a seat is free. A player whose connection is lost meanwhile has left in the end. [THR-80]
func TestTheNextLevelOverTheNetwork(t *testing.T) {
	left := make(chan session.PlayerID, 8)
	s := start(t, config{
		Levels: floors(), Session: session.ServerConfig{Players: 4, Queue: 1, ReconnectTime: 2 * clock.Second}, OnJoin: place,
		Bots: 2, Think: func(*session.Client[hero, command]) command { return command{Command: movement.Command{Forward: 1}} },
		OnMessage: func(m *match, _ session.PlayerID, b []byte) { m.ChangeLevel(int(b[0])) },
		OnLeave:   func(_ *match, id session.PlayerID) { left <- id },
	})
	ctx, log := s.ctx, s.log
	var players []*client.Client[hero, command]
	frames := func(what string, done func() bool) {
		t.Helper()
		for !done() {
			if ctx.Err() != nil {
				t.Fatalf("%s: not within %v\n%s", what, patience, log)
			}
			for _, p := range players {
				if err := p.Frame(&command{}); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	dial := func(name string, via client.Transport, queued func(int)) *client.Client[hero, command] {
		p, err := client.Dial(ctx, s.url, jetpack.Game(&model), client.Config{Name: name, Transports: []client.Transport{via}, Queued: queued})
		if err != nil {
			t.Error(err)
			return nil
		}
		return p
	}
	ann, bob := dial("Ann", client.UDP, nil), dial("Bob", client.WebSocket, nil)
	if players = append(players, ann, bob); ann == nil || bob == nil {
		t.FailNow()
	}
	defer ann.Close()
	frames("both play", func() bool { return ann.Self() != nil && bob.Self() != nil })
	seats := [2]session.PlayerID{ann.ID(), bob.ID()}
	waits, joined := make(chan int, 1), make(chan *client.Client[hero, command], 1)
	go func() {
		joined <- dial("Cid", client.QUIC, func(place int) {
			select {
			case waits <- place:
			default:
			}
		})
	}()
	frames("Cid waits in line", func() bool { return len(waits) > 0 })

	ann.SendMessage([]byte{1})
	second := collide.Floor(20).Hash()
	frames("both play the second level", func() bool {
		return ann.LevelHash() == second && bob.LevelHash() == second && ann.Self() != nil && bob.Self() != nil
	})
	if now := [2]session.PlayerID{ann.ID(), bob.ID()}; now != seats {
		t.Errorf("Ann and Bob have the seats %d, before %d", now, seats)
	}
	frames("Ann sees Bob and the bots", func() bool { return len(ann.Remotes()) == 3 })

	bob.SendMessage([]byte{0})
	players = players[:1] // Bob's machine is lost with the level
	frames("Bob's message arrives", func() bool { _ = bob.Frame(&command{}); return ann.LevelHash() != second })
	bob.Close()
	frames("Bob has left", func() bool { return len(left) > 0 })
	if id := <-left; id != seats[1] {
		t.Errorf("player %d has left, want Bob, who was %d", id, seats[1])
	}
	frames("Cid has a seat", func() bool { return len(joined) > 0 })
	cid := <-joined
	if cid == nil {
		t.FailNow()
	}
	defer cid.Close()
	players = append(players, cid)
	frames("Cid plays the first level", func() bool { return cid.Self() != nil && cid.LevelHash() == floor().Hash() })
	if text := log.String(); strings.Contains(text, "panic") || strings.Count(text, serve.LevelReason) < 3 {
		t.Errorf("the log does not say why connections were closed:\n%s", text)
	}
}

// Levels that no match can have are refused with the field and what to do, and so is the recording of a match with
// several.
func TestBadLevels(t *testing.T) {
	for _, c := range []struct {
		config config
		args   []string
		want   string
	}{
		{config{Levels: []serve.Level{{World: floor()}, {}}}, nil, "serve: Config.Levels[1]: it has neither Model nor World"},
		{config{Levels: []serve.Level{{Model: []byte("no level")}}}, nil, "serve: Config.Levels[0]: "},
		{config{Levels: []serve.Level{{World: floor()}, {World: floor()}}}, nil, "serve: Config.Levels[1]: an earlier one has the same geometry"},
		{config{Levels: floors(), Level: []byte("a level")}, nil, "leave Config.Level, and World and LevelHash of Config.Session, empty"},
		{config{Levels: floors(), Session: session.ServerConfig{World: floor()}}, nil, "leave Config.Level, and World and LevelHash of Config.Session, empty"},
		{config{Levels: floors()}, []string{"-record", t.TempDir()}, "-record needs a match of one level"},
	} {
		c.config.OnJoin = place
		if err := serve.Run(t.Context(), jetpack.Game(&model), c.config, c.args, io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want it to say %q", err, c.want)
		}
	}
	defer func() {
		if p := fmt.Sprint(recover()); !strings.Contains(p, "ChangeLevel(2): Config.Levels has 2 levels: give") {
			t.Errorf("ChangeLevel(2): %v", p)
		}
	}()
	newTour(t).ChangeLevel(2)
}
