package arena

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/fuzz/reset"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// crash is a match of the arena with players of its own process, which play by a seed.
type crash struct {
	*Match
	loop    session.Loopback
	players []*Player
	tick    int64
	keys    byte // that were drawn
}

func newCrash(l *level.Level) *crash {
	m := new(crash)
	newKey := func() session.Key { m.keys++; return session.Key{m.keys} }
	config := MatchConfig{
		ServerConfig: session.ServerConfig{World: l.World, LevelHash: l.World.Hash(), NewKey: newKey, PlayersBlock: true, Players: 8},
		KillHeight:   l.KillHeight, Teams: true, Seed: 1, LocalPlayers: 3,
	}
	for _, s := range l.Spawns {
		config.Spawns = append(config.Spawns, Spawn{Position: s.Position, Yaw: s.Yaw})
	}
	for _, e := range l.Entities {
		config.Entities = append(config.Entities, Entity{Kind: e.Kind, Position: e.Position, Yaw: e.Yaw, Half: e.Half, Team: e.Team})
	}
	m.Match = NewMatch(config)
	return m
}

// join connects players anew, with the keys of those that they had.
func (m *crash) join(keys [3]session.Key) {
	m.loop, m.players = session.Loopback{}, nil
	for i, k := range keys {
		p := NewPlayer(session.ClientConfig{SendRate: 500})
		p.Hello([]string{"Ada", "Bea", "Cleo"}[i], k)
		m.loop.Add(p)
		m.players = append(m.players, p)
	}
}

// run plays n ticks. Every player runs about and fires its rifle at the next one.
func (m *crash) run(r *rand.Rand, n int) {
	for range n {
		m.tick++
		now := clock.TickTime(m.tick, 60)
		for i, p := range m.players {
			yaw := r.Float64() * 6
			in := Input{Forward: 1, Right: float64(r.IntN(3) - 1), Yaw: yaw, Jump: r.IntN(40) == 0, Fire: r.IntN(3) == 0}
			if o := m.players[(i+1)%len(m.players)]; p.Self() != nil && o.Self() != nil {
				way := o.Eye().Sub(p.Eye())
				in.Shot = &[2]float64{geom.Yaw(way), geom.Pitch(way)}
			}
			p.Play(now, in)
			for _, e := range p.Notices {
				if e.Kind == session.Welcomed {
					p.Enter(m.config.World)
				}
			}
			m.loop.Send(session.FirstLoopback+session.Peer(i), m.Match, now)
		}
		m.Tick(now)
		m.loop.Deliver(now, m.Outgoing())
	}
}

func checkpointOf(t testing.TB, m interface{ Checkpoint(*bits.Packer) }) []byte {
	t.Helper()
	p := bits.NewWriter(make([]byte, 1<<17))
	if m.Checkpoint(&p); p.Err() != nil {
		t.Fatal(p.Err())
	}
	return bytes.Clone(p.Bytes())
}

func readCheckpoint(m interface{ Checkpoint(*bits.Packer) }, b []byte) error {
	var p bits.Packer
	p.Read(b)
	m.Checkpoint(&p)
	p.End()
	return p.Err()
}

func arenaLevel(t testing.TB) *level.Level {
	t.Helper()
	l, err := level.Read(assets.Arena)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A match of the arena goes on in another process: seats, scores, health, doors, balls, crates and packs are as
// they were, and so is each tick from then on. [THR-63]
func TestTheArenaGoesOnInAnotherProcess(t *testing.T) {
	l := arenaLevel(t)
	hits, moved := 0, 0
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 1))
		before := newCrash(l)
		before.join([3]session.Key{})
		before.run(r, 600+int(seed)*97)
		for _, e := range before.Bodies(nil) {
			before.entities.Impulse(e.ID, geom.V(r.Float64()*40-20, 30, r.Float64()*40-20))
		}
		before.run(r, 20)
		moved += before.entities.Awake()
		b := checkpointOf(t, before)
		after := newCrash(l)
		if err := readCheckpoint(after, b); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if again := checkpointOf(t, after); !bytes.Equal(b, again) {
			t.Fatalf("seed %d: %d bytes saved, restored and saved again %d others", seed, len(b), len(again))
		}
		t.Logf("seed %d: %d bytes, at tick %d", seed, len(b), after.TickNumber())
		after.tick = before.tick
		var keys [3]session.Key
		for i, p := range before.players {
			keys[i] = p.Key()
			before.Disconnect(session.FirstLoopback + session.Peer(i))
			hits += int(before.fighters[p.ID()].status.Hits)
		}
		inputs := [2]*rand.Rand{rand.New(rand.NewPCG(seed, 2)), rand.New(rand.NewPCG(seed, 2))}
		before.join(keys)
		after.join(keys)
		for n := range 240 {
			before.run(inputs[0], 1)
			after.run(inputs[1], 1)
			if got, want := after.Hash(), before.Hash(); got != want {
				t.Fatalf("seed %d: %d ticks after the restore the hash is %x, want %x", seed, n+1, got, want)
			}
			for id := 1; id <= 8; id++ {
				got, want := after.Match.Score(track.ID(id)), before.Match.Score(track.ID(id))
				if a, b := after.ledger.Vitals(track.ID(id)), before.ledger.Vitals(track.ID(id)); got != want || a != b {
					t.Fatalf("seed %d, tick %d: player %d has %+v %+v, want %+v %+v", seed, n+1, id, got, a, want, b)
				}
			}
		}
		if after.Goals() != before.Goals() || len(after.Bodies(nil)) != len(before.Bodies(nil)) {
			t.Errorf("seed %d: goals %+v, want %+v", seed, after.Goals(), before.Goals())
		}
	}
	if hits == 0 || moved == 0 {
		t.Errorf("%d hits and %d bodies moving: the test shows little", hits, moved)
	}
}

// A player that comes back over a new connection does damage at once, though its shots count from the
// beginning again: the ledger took them for shots of long ago. [THR-08]
func TestShotsCountAfterComingBack(t *testing.T) {
	m := newCrash(arenaLevel(t))
	r := rand.New(rand.NewPCG(1, 1))
	m.join([3]session.Key{})
	m.run(r, 60)
	var keys [3]session.Key
	for i, p := range m.players {
		for n := range uint32(damage.MaxRemembered + 1) { // hits on a life that is over
			m.ledger.QueueReceipt(&shot.Receipt{Shot: 100000 + n, Shooter: p.ID(), Verdict: shot.Hit, EventCount: 1, Events: [len(shot.Receipt{}.Events)]shot.DamageEvent{{Target: 1, Damage: 1}}}, 0)
		}
		keys[i] = p.Key()
		m.Disconnect(session.FirstLoopback + session.Peer(i))
	}
	m.join(keys)
	m.run(r, 1200)
	hits, old := 0, 0
	for _, d := range m.DamageLog(nil) {
		if d.Attacker != 0 && d.Outcome == damage.Applied {
			hits++
		}
		if d.Outcome == damage.TooOld {
			old++
		}
	}
	if hits == 0 || old > 0 {
		t.Errorf("in 20 s the shots of three players who came back did damage %d times, and were too old %d times", hits, old)
	}
}

// BenchmarkCheckpoint is what the tick of a match with 32 bots, bodies and doors pays for a checkpoint, once a
// second.
func BenchmarkCheckpoint(b *testing.B) {
	l := arenaLevel(b)
	config := newCrash(l).config
	config.Players = 32
	match := NewMatch(config)
	bots := NewBots(match, 32, Rookie)
	for i := range int64(300) {
		bots.Tick(clock.TickTime(i+1, 60))
		bots.Outgoing()
	}
	buf := make([]byte, 1<<17)
	var p bits.Packer
	b.ReportAllocs()
	for b.Loop() {
		p.Write(buf)
		bots.Checkpoint(&p)
	}
	if p.Err() != nil {
		b.Fatal(p.Err())
	}
	b.ReportMetric(float64(len(p.Bytes())), "bytes")
}

// yardCheckpoint returns a checkpoint of a match with bodies of every kind, and a function that makes matches that
// it can be read into, whose players have said hello, but are not heard yet.
func yardCheckpoint(t testing.TB) (whole []byte, make func() *crash) {
	l := &level.Level{World: yard(t), KillHeight: -50, Spawns: []level.Spawn{{}, {}}, Entities: []level.Entity{
		{Kind: "ball", Position: geom.V(3, 1, 3)}, {Kind: "crate", Position: geom.V(5, 1, 3)}, {Kind: "crate", Position: geom.V(5, 1.9, 3)},
		{Kind: "football", Position: geom.V(-3, 1, 3)}, {Kind: "health", Position: geom.V(0, 0, 4)}, {Kind: "goal", Half: geom.V(1, 1, 1), Team: Red},
	}}
	make = func() *crash {
		m := newCrash(l)
		m.join([3]session.Key{})
		return m
	}
	m := make()
	m.run(rand.New(rand.NewPCG(1, 1)), 200)
	return checkpointOf(t, m), make
}

// damaged returns a checkpoint with a wrong bit behind its head.
func damaged(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	b[90+r.IntN(len(b)-90)] ^= 1 << r.IntN(8)
	return b
}

// playCheckpoint reads a checkpoint and plays on, and reports whether it was accepted.
func (m *crash) playCheckpoint(t testing.TB, b []byte) bool {
	t.Helper()
	if readCheckpoint(m, b) != nil {
		return false
	}
	if !bytes.Equal(b, checkpointOf(t, m)) {
		return false // a host refuses it: where a body is and where clients see it must be the same
	}
	m.tick = int64(m.TickNumber())
	m.run(rand.New(rand.NewPCG(1, 1)), 3)
	return true
}

// Whatever a checkpoint of the arena is damaged to, reading it ends with an error, with a match that is saved as
// other bytes, which a host refuses, or with one that plays on. [THR-65]
//
// One match serves all inputs: reset takes it back before each (TestAResetArenaIsNew).
func FuzzCheckpoint(f *testing.F) {
	b, make := yardCheckpoint(f)
	f.Add(b)
	r := rand.New(rand.NewPCG(2, 1))
	for range 200 {
		f.Add(damaged(r, b))
	}
	m := make()
	fresh := reset.Of(m)
	f.Fuzz(func(t *testing.T, b []byte) {
		fresh.Reset()
		m.playCheckpoint(t, b)
	})
}

// A match that reset takes back plays each checkpoint as a new match does, after any others: nothing of an input
// is left in what FuzzCheckpoint shares.
func TestAResetArenaIsNew(t *testing.T) {
	whole, make := yardCheckpoint(t)
	r := rand.New(rand.NewPCG(3, 1))
	m, accepted := make(), 0
	fresh := reset.Of(m)
	for i := range 60 {
		b := damaged(r, whole)
		fresh.Reset()
		other := make()
		got, want := m.playCheckpoint(t, b), other.playCheckpoint(t, b)
		if got != want || m.Hash() != other.Hash() || got && !bytes.Equal(checkpointOf(t, m), checkpointOf(t, other)) {
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
