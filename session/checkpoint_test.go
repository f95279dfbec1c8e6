package session_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/fuzz/reset"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

type savedServer = session.Server[toyState, toyCommand]

// saved is a match whose players are clients of its own process, for tests of checkpoints: it places who
// joins, and moves the entities that it has.
type saved struct {
	*savedServer
	loop    session.Loopback
	clients []*session.Client[toyState, toyCommand]
	first   session.Peer // of the clients
	tick    int64
	keys    uint64 // that were drawn
}

// savedGame is a game with fields of every kind.
func savedGame() session.Game[toyState, toyCommand] {
	g := gameOf[toyState, toyCommand](&presser{*newToy()})
	g.Fields = []session.Field[toyState]{
		{Name: "team", Max: 2}, {Name: "score", Min: -5, Max: 999}, {Name: "plan", Text: 32, Audience: session.Team},
		{Name: "any"}, {Name: "east", Max: 1 << 20, Of: func(s *toyState) int64 { return int64(s.Pos.X) }},
	}
	return g
}

func savedConfig(world *collide.World) session.ServerConfig { return new(saved).config(world) }

// config is the configuration of its server.
func (m *saved) config(world *collide.World) session.ServerConfig {
	return session.ServerConfig{World: world, LevelHash: world.Hash(), Players: 4, NewKey: func() (k session.Key) {
		m.keys++
		binary.BigEndian.PutUint64(k[:], m.keys)
		return k
	}}
}

func newSaved(world *collide.World) *saved {
	m := &saved{first: session.FirstLoopback}
	m.savedServer = session.NewServer(savedGame(), m.config(world))
	return m
}

// join connects clients anew, with keys for those that had a seat.
func (m *saved) join(keys ...session.Key) {
	m.loop, m.clients = session.Loopback{}, nil
	for i, k := range keys {
		c := session.NewClient(savedGame(), session.ClientConfig{SendRate: 500})
		c.Hello([]string{"Ada", "Bea", "Cleo"}[i], k)
		m.loop.Add(c)
		m.clients = append(m.clients, c)
	}
}

// leave cuts all connections.
func (m *saved) leave() {
	for i := range m.clients {
		m.Disconnect(session.FirstLoopback + session.Peer(i))
	}
}

// run plays n ticks with inputs from a seed.
func (m *saved) run(r *rand.Rand, n int) {
	for range n {
		m.tick++
		now := clock.TickTime(m.tick, 60)
		for i, c := range m.clients {
			if c.Phase() == session.Loading {
				c.EnterWorld(m.World())
			}
			c.Events()
			in := toyCommand{X: uint8(r.IntN(3)), Z: uint8(r.IntN(3)), Yaw: r.Float64()}
			c.Frame(now, &in)
			m.loop.Send(session.FirstLoopback+session.Peer(i), m.savedServer, now)
		}
		m.Tick(now)
		for _, e := range m.Events() {
			if e.Kind == session.Joined && !e.Reconnected {
				m.SetState(e.Player, toyState{Pos: geom.V(float64(e.Player), 0, 0)})
				m.SetNumber(e.Player, "team", 1+int64(e.Player)%2)
				m.SetText(e.Player, "plan", "go "+e.Name)
			}
		}
		for _, c := range m.clients {
			if id := c.ID(); id != 0 {
				m.SetNumber(id, "score", int64(r.IntN(99)))
			}
		}
		for id := track.ID(129); id < 140; id++ {
			if _, there := m.EntityKind(id); there {
				at := geom.V(r.Float64(), float64(id), now.Seconds())
				m.UpdateEntity(id, track.Sample{Pose: track.Pose{Position: at, Rotation: geom.IdentityQuat}, GameData: track.GameData{UserData: uint16(id)}})
			}
		}
		m.Send()
		m.loop.Deliver(now, m.Outgoing())
	}
}

// save returns the checkpoint of a match.
func save(t testing.TB, m interface{ Checkpoint(*bits.Packer) }) []byte {
	t.Helper()
	p := bits.NewWriter(make([]byte, 1<<16))
	if m.Checkpoint(&p); p.Err() != nil {
		t.Fatal(p.Err())
	}
	return bytes.Clone(p.Bytes())
}

// restore reads a checkpoint into a match.
func restore(m interface{ Checkpoint(*bits.Packer) }, b []byte) error {
	var p bits.Packer
	p.Read(b)
	m.Checkpoint(&p)
	p.End()
	return p.Err()
}

// played returns a match in which two players have pressed gates for a while, one has left, and entities
// came and went.
func played(t testing.TB, world *collide.World, r *rand.Rand) *saved {
	t.Helper()
	m := newSaved(world)
	m.join(session.Key{}, session.Key{}, session.Key{})
	m.Spawn(3)
	m.Spawn(0)
	m.Spawn(7) // never placed: not one of those that run moves, since it is despawned
	m.run(r, 90)
	m.SetNumber(session.OfMatch, "any", -1<<40)
	m.Despawn(130)
	m.clients[2].Leave()
	m.loop.Send(session.FirstLoopback+2, m.savedServer, m.Now())
	m.clients = m.clients[:2]
	m.run(r, 100)
	return m
}

// A match goes on in another process: what is restored is what was saved, byte for byte, and from then on
// each tick has the same state as in the match that was not interrupted, whose players came back at the same
// instant. [THR-63]
func TestARestoredMatchGoesOn(t *testing.T) {
	for seed := range uint64(4) {
		world := gates(t, 3, 100*clock.Millisecond)
		r := rand.New(rand.NewPCG(seed, 1))
		before := played(t, world, r)
		b := save(t, before)
		after := newSaved(world)
		if err := restore(after, b); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if again := save(t, after); !bytes.Equal(b, again) {
			t.Fatalf("seed %d: saved %x\nrestored and saved again %x", seed, b, again)
		}
		if got, want := after.Hash(), before.Hash(); got != want || after.Now() != before.Now() {
			t.Fatalf("seed %d: restored hash %x at %d, want %x at %d", seed, got, after.Now(), want, before.Now())
		}
		if log := after.World().Triggers(); !log.Log(1).Used() {
			t.Fatalf("seed %d: no gate was pressed: the test shows nothing", seed)
		}
		keys := []session.Key{before.clients[0].Key(), before.clients[1].Key()}
		after.tick = before.tick
		before.leave()
		inputs := [2]*rand.Rand{rand.New(rand.NewPCG(seed, 2)), rand.New(rand.NewPCG(seed, 2))}
		for i, m := range []*saved{before, after} {
			m.join(keys...)
			m.run(inputs[i], 1)
		}
		for n := range 180 {
			if got, want := after.Hash(), before.Hash(); got != want {
				t.Fatalf("seed %d: %d ticks after the restore the hash is %x, want %x", seed, n+1, got, want)
			}
			before.run(inputs[0], 1)
			after.run(inputs[1], 1)
		}
		for i, c := range after.clients {
			if c.ID() != before.clients[i].ID() || c.Key() != keys[i] || after.Number(c.ID(), "team") != before.Number(c.ID(), "team") {
				t.Errorf("seed %d: player %d came back as %d", seed, before.clients[i].ID(), c.ID())
			}
			if got := after.Text(c.ID(), "plan"); !strings.HasPrefix(got, "go ") || c.Text(c.ID(), "plan") != got {
				t.Errorf("seed %d: player %d has the plan %q and sees %q", seed, c.ID(), got, c.Text(c.ID(), "plan"))
			}
		}
	}
}

// A seat of a restored match waits 15 s longer than after a lost connection, for who notices late, and not
// for ever. [THR-63]
func TestSeatsOfARestoredMatchWait(t *testing.T) {
	world := gates(t, 1, 0)
	r := rand.New(rand.NewPCG(5, 1))
	before := played(t, world, r)
	after := newSaved(world)
	if err := restore(after, save(t, before)); err != nil {
		t.Fatal(err)
	}
	after.tick = before.tick
	after.run(r, 1499)
	if n := len(after.Players(nil)); n != 2 {
		t.Errorf("after 24.98 s %d seats wait, want 2", n)
	}
	after.run(r, 3)
	if n := len(after.Players(nil)); n != 0 {
		t.Errorf("after 25.03 s %d seats wait, want none", n)
	}
}

// A player with an account rides on a lift in its second life, and another one has joined but is not placed yet. In
// the restored match the first stands where it stood, goes with the lift and has its life, by which the game's ledger
// knows it; it gets its seat by its account, without the key. The other still has no state. [THR-63]
func TestWhatASeatHasInACheckpoint(t *testing.T) {
	open := func() *simulation {
		return newSimulationIn(t, session.ServerConfig{World: fair(t), Players: 3}, func() toyGame { return &carried{*newToy()} })
	}
	before, after := open(), open()
	ada := session.Identity{Account: "a-1", Name: "Ada"}
	before.joinAs(ada, "Ada", session.Key{})
	before.run(60)
	state, _ := before.m.State(1)
	life := before.m.Respawn(1, state)
	before.m.lobby = true
	bob := before.join("Bob", session.Key{})
	before.run(60)
	b := save(t, before.m)
	if err := restore(after.m, b); err != nil {
		t.Fatal(err)
	}
	after.tick = before.tick
	for range 3 {
		got, there := after.m.Pose(1)
		if want := liftAt(after.now()); !there || got.Position.Y != want || got.Life != life {
			t.Errorf("player 1 is %v m high in life %d, %v; want %v m, in life %d", got.Position.Y, got.Life, there, want, life)
		}
		if _, there := after.m.State(2); there {
			t.Error("player 2 was not placed, and now has a state")
		}
		after.run(1)
	}
	after.joinAs(ada, "Ada", session.Key{})
	after.join("Bob", bob.Key())
	after.run(20)
	after.expect("by account and by key", "joined 1 Ada again=true; joined 2 Bob again=true; ")
	panics(t, "a checkpoint for a match that has begun", func() { _ = restore(before.m, b) })
}

// A checkpoint of another match is refused in words. [THR-63]
func TestACheckpointOfAnotherMatch(t *testing.T) {
	world := gates(t, 2, 0)
	b := save(t, played(t, world, rand.New(rand.NewPCG(5, 1))))
	game, config := savedGame(), savedConfig(world)
	config.TickRate = 30
	seats := savedConfig(world)
	seats.Players = 5
	other := savedGame()
	other.Fields = other.Fields[1:3:3]
	other.Fields[1].Audience = session.Everyone
	for _, c := range []struct {
		m    *savedServer
		want string
	}{
		{session.NewServer(game, config), "tick rate 60, and this match has 30"},
		{session.NewServer(game, seats), "number of seats 4, and this match has 5"},
		{session.NewServer(game, savedConfig(gates(t, 1, 0))), "of level "},
		{session.NewServer(other, savedConfig(world)), "of format "},
	} {
		if err := restore(c.m, b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
	for n := range len(b) {
		if restore(newSaved(world), b[:n]) == nil {
			t.Errorf("cut to %d of %d bytes it was accepted", n, len(b))
		}
	}
}

// Packing costs no allocation, so that the tick that does it is like any other. [THR-64]
func TestACheckpointAllocatesNothing(t *testing.T) {
	m := played(t, gates(t, 3, 0), rand.New(rand.NewPCG(5, 1)))
	buf := make([]byte, 1<<16)
	var p bits.Packer
	if n := testing.AllocsPerRun(100, func() {
		p.Write(buf)
		m.Checkpoint(&p)
	}); n != 0 || p.Err() != nil {
		t.Errorf("%v allocations, error %v; want none", n, p.Err())
	}
}

// expecting returns a match whose clients have said hello, but are not heard yet.
func expecting(world *collide.World) *saved {
	m := newSaved(world)
	m.join(session.Key{}, session.Key{})
	return m
}

// playCheckpoint reads a checkpoint into a match and plays on, and reports whether it was accepted.
func (m *saved) playCheckpoint(t testing.TB, b []byte) bool {
	t.Helper()
	if restore(m, b) != nil {
		return false
	}
	if again := save(t, m); !bytes.Equal(b, again) {
		t.Fatalf("accepted %x, saved again %x", b, again)
	}
	m.tick = int64(m.TickNumber())
	m.run(rand.New(rand.NewPCG(1, 1)), 3)
	return true
}

// Whatever a checkpoint is damaged to, reading it ends with an error or with a match that plays on and is
// saved as the same bytes. [THR-65]
//
// One match serves all inputs: reset takes it back before each (TestAResetMatchIsNew).
func FuzzCheckpoint(f *testing.F) {
	world := gates(f, 2, 0)
	b := save(f, played(f, world, rand.New(rand.NewPCG(5, 1))))
	f.Add(b)
	r := rand.New(rand.NewPCG(6, 1))
	for range 50 {
		f.Add(damaged(r, b))
	}
	m := expecting(world)
	fresh := reset.Of(m)
	f.Fuzz(func(t *testing.T, b []byte) {
		fresh.Reset()
		m.playCheckpoint(t, b)
	})
}

// damaged returns a checkpoint with a wrong bit behind its head.
func damaged(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	b[44+r.IntN(len(b)-44)] ^= 1 << r.IntN(8)
	return b
}

// A match that reset takes back plays each checkpoint as a new match does, after any others: nothing of an input
// is left in what FuzzCheckpoint shares.
func TestAResetMatchIsNew(t *testing.T) {
	world := gates(t, 2, 0)
	whole := save(t, played(t, world, rand.New(rand.NewPCG(5, 1))))
	r := rand.New(rand.NewPCG(7, 1))
	m, accepted := expecting(world), 0
	fresh := reset.Of(m)
	for i := range 60 {
		b := damaged(r, whole)
		fresh.Reset()
		other := expecting(world)
		got, want := m.playCheckpoint(t, b), other.playCheckpoint(t, b)
		if got != want || m.Hash() != other.Hash() || m.keys != other.keys || m.clients[1].Fingerprint() != other.clients[1].Fingerprint() {
			t.Fatalf("input %d: accepted %v with hash %x, by a new match %v with %x", i, got, m.Hash(), want, other.Hash())
		}
		if got {
			accepted++
		}
	}
	if accepted == 0 || accepted == 60 {
		t.Errorf("%d of 60 checkpoints were accepted: the test shows little", accepted)
	}
}

// A rocket flies when the checkpoint is taken. It is not in the restored match, where nothing would ever move or remove
// it. [THR-63]
func TestACheckpointHasNoProjectile(t *testing.T) {
	before := skirmish(t, session.ServerConfig{Players: 2}, 2, armRocket)
	before.clients[0].input = func(g *testClient) toyCommand { return g.claims(hold(0, 0), geom.V(0, 50, -90)) }
	const rocket = 129
	for range 60 {
		if kind, there := before.m.EntityKind(rocket); there && kind == rocketKind {
			break
		}
		before.run(1)
	}
	before.run(2)
	if _, there := before.m.EntityKind(rocket); !there {
		t.Fatal("no rocket flies: the test shows nothing")
	}
	after := newSimulationOf(t, session.ServerConfig{Players: 2}, newArsenal)
	if err := restore(after.m, save(t, before.m)); err != nil {
		t.Fatal(err)
	}
	if _, there := after.m.EntityKind(rocket); there {
		t.Error("the rocket is in the restored match")
	}
}
