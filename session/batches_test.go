package session_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/visibility"
)

// backwards runs the last batch first.
func backwards(batches int, work func(batch int)) {
	for batch := batches - 1; batch >= 0; batch-- {
		work(batch)
	}
}

// shuffled runs the batches in an order that differs each time.
func shuffled(batches int, work func(batch int)) {
	for _, batch := range rand.Perm(batches) {
		work(batch)
	}
}

// atOnce runs each batch in a goroutine of its own.
func atOnce(batches int, work func(batch int)) {
	var all sync.WaitGroup
	for batch := range batches {
		all.Go(func() { work(batch) })
	}
	all.Wait()
}

// jostler is an armed toy that others push, and that opens the door where it comes near.
type jostler struct{ *arsenal }

func newJostler() toyGame { return jostler{newArsenal().(*arsenal)} }

func (g jostler) Step(w *collide.WorldAt, s *toyState, c *toyCommand, d clock.Micros) {
	g.arsenal.Step(w, s, c, d)
	for i := range w.Obstacles {
		away := s.Pos.Sub(w.Obstacles[i].Capsule.A).Flat(geom.Up)
		if away.LenSq() < 1 {
			s.Pos = s.Pos.MulAdd(away, 0.1)
		}
	}
	if len(w.World.Movers()) > 0 && s.Pos.LenSq() < 64 {
		w.Trigger(1, collide.Press)
		s.Pos = s.Pos.MulAdd(w.Pose(1).Translation, 0.001) // so that the door's place is in the state
	}
}

// yard is a plane with walls, and a door that those who come near open, if it has one.
func yard(t testing.TB, door bool) *collide.World {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(500, 1, 500), geom.IdentityQuat, collide.Surface{})
	for i := range 6 {
		sin, cos := geom.SinCos(float64(i))
		b.Box(geom.V(9*cos, 1, 9*sin), geom.V(2, 3, .2), geom.IdentityQuat, collide.Surface{})
	}
	if door {
		path := collide.Path{Keys: []collide.Key{{}, {At: clock.Second, Position: geom.V(0, 0, 3)}}}
		trigger := collide.Trigger{Kind: collide.Timed, Hold: 500 * ms}
		b.TriggeredMover("door", path, trigger, func(b *collide.Builder) {
			b.Box(geom.V(0, 1, 0), geom.V(1, 1, .1), geom.IdentityQuat, collide.Surface{})
		})
	}
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// tape sums up what a match does, tick by tick.
type tape struct {
	sums   []uint64
	events []string // of the newest tick
	shots  int
}

func (a *tape) ObserveMove(m *session.MoveStep) { a.events = append(a.events, fmt.Sprintf("%+v", *m)) }

func (a *tape) ObserveShot(s *shot.Shot, r *shot.Receipt, targets []track.Entity) {
	a.shots++
	a.events = append(a.events, fmt.Sprintf("%+v %+v %+v", s.Claim, *r, targets))
}

// tumult plays a match of 26 players in which everything happens: they run, push and shoot each other with all
// weapons, hide behind walls, are sent less than all, lose packets, lose connections, leave, and others join. It
// returns a sum of all that happened in each tick. A batch has one player or more.
func tumult(t testing.TB, world *collide.World, workers int, parallel func(int, func(int)), ticks int) *tape {
	const players = 26
	var m *match
	r := newSimulationIn(t, session.ServerConfig{
		World: world, Players: players + 2, SnapshotRate: 30, PlayersBlock: true, Visibility: &visibility.Rules{},
		Snapshot: replicate.Rules{Budget: 260, Near: 4, Radius: 40}, ReconnectTime: clock.Second, Workers: workers, Parallel: parallel,
		Simulate: func(now clock.Micros) { spin(m, now) },
	}, newJostler)
	m = r.m
	m.SetMinBatch(1)
	m.place = func(id session.PlayerID) geom.Vec3 {
		sin, cos := geom.SinCos(float64(id) * 2.4)
		return geom.V(float64(3+id/3)*cos, 0, float64(3+id/3)*sin)
	}
	a := &tape{}
	m.Observe(a)
	dice := rand.New(rand.NewPCG(8, 8))
	r.seen = func(f flight) {
		if !f.up {
			a.events = append(a.events, fmt.Sprint(f.peer, f.ch, f.bytes))
		}
	}
	r.fate = func(flight) []int {
		switch n := dice.IntN(20); {
		case n == 0:
			return nil
		case n == 1:
			return []int{1, 4}
		default:
			return []int{1 + n%3}
		}
	}
	for i := range players {
		r.join(fmt.Sprint("player ", i+1), session.Key{}).input = brawls(i)
	}
	for tick := range ticks {
		if tick == 40 {
			for i := range players {
				r.hand(session.PlayerID(i+1), uint8(i%5))
			}
		}
		r.comeAndGo(tick)
		before := len(m.events)
		r.run(1)
		a.sum(m, m.events[before:])
	}
	return a
}

// sum ends a tick.
func (a *tape) sum(m *match, events []session.Event) {
	h := fnv.New64a()
	fmt.Fprintf(h, "%x %v %+v", m.Hash(), a.events, events)
	a.sums, a.events = append(a.sums, h.Sum64()), a.events[:0]
}

// spin moves three balls.
func spin(m *match, now clock.Micros) {
	for k := range 3 {
		id := track.ID(129 + k)
		if m.TickNumber() == 1 {
			id = m.Spawn(9)
		}
		sin, cos := geom.SinCos(now.Seconds() + float64(k))
		m.UpdateEntity(id, track.Sample{Pose: track.Pose{Position: geom.V(5*cos, 1, 5*sin), Velocity: geom.V(-5*sin, 0, 5*cos)}})
	}
}

// brawls is the input of a player that runs to and fro and shoots at one of the others.
func brawls(i int) func(*testClient) toyCommand {
	step := 7 * i
	return func(g *testClient) toyCommand {
		step++
		c := hold(step/25%3-1, (step/40+i)%3-1)
		if others := g.Remotes(); len(others) > 0 && step%4 == 0 {
			return g.claims(c, others[step/60%len(others)].Position.Add(geom.V(0, 1, 0)))
		}
		return c
	}
}

// hand puts a weapon into a player's hands.
func (r *simulation) hand(id session.PlayerID, weapon uint8) {
	if s, ok := r.m.State(id); ok {
		s.Loadout = armory().Loadout()
		s.Loadout.Held = weapon
		r.m.SetState(id, s)
	}
}

// comeAndGo lets players leave, lose their connections, come back and join.
func (r *simulation) comeAndGo(tick int) {
	switch tick {
	case 50:
		r.disconnect(r.clients[3])
		r.disconnect(r.clients[17])
	case 54:
		r.clients[8].Leave()
		r.clients[20].frozen = true
	case 70:
		r.join("back", r.clients[3].Key()).input = brawls(3)
	case 74:
		r.join("new", session.Key{}).input = brawls(50)
		r.m.SetState(5, toyState{Pos: geom.V(1, 0, 1), Ammo: newAmmo(), Loadout: armory().Loadout(), Life: 2})
	case 78:
		r.clients[20].frozen = false
		r.m.Modify(6, func(s *toyState) { s.Vel = geom.V(5, 0, 0) })
	}
}

// A busy match does the same, bit by bit, in any number of batches and whatever the order in which they run: the same
// states, packets, events, moves and verdicts in each tick, in a level where moves are independent and in one with a
// door that a move opens for those after it. [ENT-14]
func TestBatchesDoNotMatter(t *testing.T) {
	singleThreaded(t)
	for _, door := range []bool{false, true} {
		world := yard(t, door)
		want := tumult(t, world, 1, nil, 200)
		if want.shots < 200 {
			t.Errorf("door %v: %d shots, want 200 at least", door, want.shots)
		}
		for _, c := range []struct {
			batches  int
			order    string
			parallel func(batches int, work func(batch int))
		}{{2, "backwards", backwards}, {3, "shuffled", shuffled}, {4, "at once", atOnce}, {4, "one after the other", nil}} {
			got := tumult(t, world, c.batches, c.parallel, 200)
			for tick := range want.sums {
				if got.sums[tick] != want.sums[tick] {
					t.Errorf("door %v, %d batches %s: tick %d differs", door, c.batches, c.order, tick+1)
					break
				}
			}
		}
	}
}

// The batches of a busy match run at once, for the race detector. [ENT-14]
func TestBatchesAtOnce(t *testing.T) {
	if a := tumult(t, yard(t, false), 4, atOnce, 90); a.shots < 20 {
		t.Errorf("%d shots, want 20 at least", a.shots)
	}
}

// A recording of a match in three batches has the same bytes as that of a match in one. [ENT-14]
func TestBatchesDoNotChangeARecording(t *testing.T) {
	singleThreaded(t)
	played := func(workers int) []byte {
		var file closer
		config := largeConfig(t, 100, nil)
		w, err := record.New(&file, record.Head{TickRate: config.TickRate, SnapshotRate: config.TickRate, Protocol: session.Version}, config.World.AppendBinary(nil))
		if err != nil {
			t.Fatal(err)
		}
		config.NewKey, config.Workers, config.Parallel = w.Key(countingKeys()), workers, atOnce
		m := newLargeMatch(config)
		m.place = crowded
		l := newLarge(t, m)
		recorder := w.Record(m)
		l.to = recorder
		l.join(100)
		l.run(60)
		if err := recorder.Close(); err != nil {
			t.Fatal(err)
		}
		return file.Bytes()
	}
	if one, three := played(1), played(3); !bytes.Equal(one, three) {
		t.Errorf("%d bytes in one batch, %d in three, and they differ", len(one), len(three))
	}
}

// A tick in several batches allocates nothing either. [ENT-14]
func TestBatchesAllocateNothing(t *testing.T) {
	singleThreaded(t)
	l := newLoopIn(t, session.ServerConfig{TickRate: 60, Players: 10, Workers: 3, Parallel: backwards}, 0, func() toyGame { return newToy() })
	l.server.SetMinBatch(1)
	for range 900 {
		l.round()
	}
	if n := testing.AllocsPerRun(300, l.round); n != 0 {
		t.Errorf("a tick of ten players in three batches and their frames allocate %v times, want 0", n)
	}
}

// Few players are one batch: waking another goroutine would take longer than their moves. Many are two batches a worker at
// most. [ENT-14]
func TestFewPlayersAreOneBatch(t *testing.T) {
	for players, want := range map[int]int{4: 1, 31: 1, 32: 2, 64: 4, 100: 6} {
		most := 1
		config := session.ServerConfig{World: plane(t), TickRate: 20, Players: players, NewKey: countingKeys(), Workers: 3}
		config.Parallel = func(batches int, work func(batch int)) {
			most = max(most, batches)
			backwards(batches, work)
		}
		l := newLarge(t, newLargeMatch(config))
		l.join(players)
		l.run(12)
		if most != want {
			t.Errorf("%d players: %d batches, want %d", players, most, want)
		}
	}
}
