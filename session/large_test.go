package session_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// large is a match of many players on a plane, and its clients. What either end sends has arrived at the other one
// before its next tick or frame.
type large struct {
	t       testing.TB
	match   *largeMatch
	to      endpoint // the match, or its recorder
	clients []*toyClient
	input   []toyCommand
	tick    int64
	frames  time.Duration // spent by the clients
}

// endpoint is what takes the packets of a match.
type endpoint interface {
	Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error
	Tick(now clock.Micros)
	Outgoing() []session.Packet
}

// largeMatch is the game on the server of a large match.
type largeMatch struct {
	*toyServer
	place  func(session.PlayerID) geom.Vec3
	world  *collide.World
	rate   int
	joined []session.Event
	shots  [4]int // verdicts
}

func (*largeMatch) Kicked() []session.Event { return nil }
func (*largeMatch) Report() any             { return nil }

// Tick plays a tick, places newcomers and sends.
func (m *largeMatch) Tick(now clock.Micros) {
	m.toyServer.Tick(now)
	for _, e := range m.Events() {
		switch e.Kind {
		case session.Joined:
			if m.joined = append(m.joined, e); !e.Reconnected {
				m.SetState(e.Player, toyState{Pos: m.place(e.Player), Ammo: newAmmo(), Life: 1})
			}
		case session.Shot:
			m.shots[e.Receipt.Verdict]++
		}
	}
	m.Send()
}

// largeConfig is the configuration of a match of n players: 20 ticks a second, relevance within 100 m, and 200
// bytes a snapshot, less than those within take.
func largeConfig(t testing.TB, n int, newKey func() session.Key) session.ServerConfig {
	return session.ServerConfig{
		World: plane(t), LevelHash: "level", TickRate: 20, Players: n, NewKey: newKey,
		Snapshot: replicate.Rules{Budget: 200, Near: 35, Radius: 100},
	}
}

// countingKeys returns a source of keys that differ.
func countingKeys() func() session.Key {
	n := 0
	return func() session.Key { n++; return session.Key{byte(n), byte(n >> 8), 5, 15: 77} }
}

func newLargeMatch(config session.ServerConfig) *largeMatch {
	s := session.NewServer(gameOf[toyState, toyCommand](toyGame(newToy())), config)
	return &largeMatch{toyServer: s, place: scattered, world: config.World, rate: config.TickRate}
}

func newLarge(t testing.TB, m *largeMatch) *large { return &large{t: t, match: m, to: m} }

// scattered spreads players over a square kilometre, 31 m apart.
func scattered(id session.PlayerID) geom.Vec3 {
	return geom.V(float64(id%32)*31-480, 0, float64(id/32)*31-480)
}

// crowded puts players a metre apart.
func crowded(id session.PlayerID) geom.Vec3 { return geom.V(float64(id%32), 0, float64(id/32)) }

// directions are where players run: a resting one would seldom be sent.
var directions = []toyCommand{hold(1, 0), hold(0, 1), hold(-1, 0), hold(0, -1), hold(1, 1)}

// join adds n clients that say hello.
func (l *large) join(n int) {
	for range n {
		k := len(l.clients) + 1
		c := session.NewClient(gameOf[toyState, toyCommand](toyGame(newToy())), session.ClientConfig{SendRate: l.match.rate})
		c.Hello(fmt.Sprint("player ", k), session.Key{})
		l.clients, l.input = append(l.clients, c), append(l.input, directions[k%len(directions)])
	}
}

// run plays n ticks.
func (l *large) run(n int) {
	for range n {
		l.tick++
		now := clock.TickTime(l.tick, l.match.rate)
		for i, c := range l.clients {
			begin := time.Now()
			l.frame(c, i, now-2000)
			l.frames += time.Since(begin)
			for _, p := range c.Outgoing() {
				if err := l.to.Receive(session.Peer(i+1), p.Channel, now-1000, p.Bytes); err != nil {
					l.t.Fatalf("tick %d: from client %d: %v", l.tick, i+1, err)
				}
			}
		}
		l.to.Tick(now)
		for _, p := range l.to.Outgoing() {
			begin := time.Now()
			if err := l.clients[p.Peer-1].Receive(p.Channel, now+1000, p.Bytes); err != nil {
				l.t.Fatalf("tick %d: to client %d: %v", l.tick, p.Peer, err)
			}
			l.frames += time.Since(begin)
		}
	}
}

// frame plays a client's frame: it turns round every second, and every tenth player shoots at the nearest.
func (l *large) frame(c *toyClient, i int, now clock.Micros) {
	in := &l.input[i]
	in.Shot = shot.Claim{}
	for _, e := range c.Events() {
		if e.Kind == session.Welcomed {
			c.EnterWorld(l.match.world)
		}
	}
	if c.Phase() == session.Playing {
		if l.tick%20 == 0 {
			in.X, in.Z = 2-in.X, 2-in.Z
		}
		c.ApplyCorrection()
		if i%10 == 0 && len(c.Remotes()) > 0 && c.Self().Ammo.Ready() && !c.Waiting() {
			in.Shot = aimAt(c.Eye(), nearestTo(c.Eye(), c.Remotes()).Add(geom.V(0, 1, 0)))
			c.Aim(&in.Shot)
		}
	}
	c.Frame(now, in)
}

// nearestTo returns where the nearest of some players is.
func nearestTo(from geom.Vec3, others []track.Entity) geom.Vec3 {
	best := others[0].Position
	for i := range others {
		if others[i].Position.Dist(from) < best.Dist(from) {
			best = others[i].Position
		}
	}
	return best
}

// listeners compares what each client hears of each player with where all players are.
type listeners struct {
	*large
	heard  [][]int64           // by client and player: the newest tick whose snapshot had the player, or in which it was far
	sent   []session.Snapshots // by player
	oldest int64               // the longest that a client did not hear of a player within the radius, in ticks
	infos  []session.PlayerInfo
}

// check compares the newest snapshots: those within Near are in each, and none takes more than the budget.
func (w *listeners) check() {
	w.t.Helper()
	all := w.match.FullSnapshot()
	places := make([]geom.Vec3, w.match.Seats()+1)
	for i := range places {
		places[i] = geom.V(1e6, 0, 0)
	}
	for i := range all.Len() {
		places[all.ID(i)], _ = all.Position(i)
	}
	for len(w.heard) < len(w.clients) {
		w.heard = append(w.heard, make([]int64, len(places)))
	}
	for i, c := range w.clients {
		if c.Phase() == session.Playing {
			w.listen(w.heard[i], c, places)
		}
	}
	w.infos = w.match.Players(w.infos[:0])
	for i := range w.infos {
		s, before := &w.infos[i].Snapshots, &w.sent[w.infos[i].ID]
		if s.Sent == before.Sent+1 && s.Bytes-before.Bytes > 200 {
			w.t.Errorf("tick %d: player %d was sent %d bytes of entities", w.tick, w.infos[i].ID, s.Bytes-before.Bytes)
		}
		*before = *s
	}
}

// listen checks one client.
func (w *listeners) listen(heard []int64, c *toyClient, places []geom.Vec3) {
	snapshot := c.Others().History().Snapshot(uint32(w.tick))
	if snapshot == nil {
		w.t.Fatalf("tick %d: player %d has no snapshot", w.tick, c.ID())
	}
	for k := range snapshot.Len() {
		heard[snapshot.ID(k)] = w.tick
	}
	self := places[c.ID()]
	for id := 1; id < len(places); id++ {
		x, z := places[id].X-self.X, places[id].Z-self.Z
		distSq := x*x + z*z
		if distSq > 100*100 || session.PlayerID(id) == c.ID() {
			heard[id] = w.tick
		}
		if distSq <= 35*35 && heard[id] != w.tick {
			w.t.Errorf("tick %d: player %d does not hear of player %d, %.1f m away", w.tick, c.ID(), id, math.Sqrt(distSq))
		}
		w.oldest = max(w.oldest, w.tick-heard[id])
	}
}

// A match of 1,000 seats: all join at once, run about over a square kilometre, and a hundred of them shoot. Each
// hears of those within 35 m in every snapshot, of those within 100 m at least every 12 ticks, and of nobody else,
// in 200 bytes a snapshot. A player that is put beside another one from the far end is shown at once. Nobody is
// corrected. Those that lose the connection find their seats again, and others take the seats of those that leave. [WIR-21]
func TestAThousandPlayers(t *testing.T) {
	w := &listeners{large: newLarge(t, newLargeMatch(largeConfig(t, 1000, countingKeys()))), sent: make([]session.Snapshots, 1001)}
	w.join(1000)
	w.run(12)
	w.check()
	w.oldest = 0
	for range 16 {
		w.run(1)
		w.check()
	}
	if w.oldest > 12 {
		t.Errorf("a client did not hear of a player within 100 m for %d ticks, want 12 at most", w.oldest)
	}
	w.comesNear(w.clients[0], 1000)
	w.leaveAndComeBack()
	w.nobodyCorrected()
}

// comesNear puts a player beside another one.
func (w *listeners) comesNear(c *toyClient, far session.PlayerID) {
	w.t.Helper()
	state, _ := w.match.State(c.ID())
	state.Pos = state.Pos.Add(geom.V(3, 0, 3))
	w.match.SetState(far, state)
	for range 8 {
		w.run(1)
		w.check()
	}
	for i := range c.Remotes() {
		if r := &c.Remotes()[i]; r.ID == far && r.Position.Dist(c.Self().Pos) < 20 {
			return
		}
	}
	w.t.Errorf("player %d does not see player %d, which was put beside it", c.ID(), far)
}

// leaveAndComeBack lets twenty clients lose their connections and come back, and ten others leave for ten new ones.
func (w *listeners) leaveAndComeBack() {
	w.t.Helper()
	for i := range 20 {
		peer := 100 + 40*i
		w.match.Disconnect(session.Peer(peer + 1))
		c := w.clients[peer]
		c.Reset()
		c.Hello("again", c.Key())
	}
	before := len(w.match.joined)
	w.run(8)
	for _, e := range w.match.joined[before:] {
		if !e.Reconnected || int(e.Player) != int(e.Peer) {
			w.t.Errorf("peer %d took the seat %d (again: %v), want its own", e.Peer, e.Player, e.Reconnected)
		}
	}
	if n := len(w.match.joined) - before; n != 20 {
		w.t.Errorf("%d players came back, want 20", n)
	}
	for i := range 10 {
		w.clients[7+90*i].Leave()
	}
	w.run(1)
	w.join(10)
	w.run(8)
	for _, c := range w.clients[1000:] {
		if c.Phase() != session.Playing || int(c.ID()) > 1000 {
			w.t.Errorf("a joiner has the seat %d and is in phase %d", c.ID(), c.Phase())
		}
	}
}

// nobodyCorrected sums up the corrections and the verdicts of all clients.
func (w *listeners) nobodyCorrected() {
	w.t.Helper()
	corrections, confirmed, contradicted, hits := 0, uint64(0), uint64(0), uint64(0)
	for _, c := range w.clients {
		s := c.Stats()
		corrections += s.Moves.Corrections + s.Moves.Timeouts + s.Moves.Throttles
		confirmed, contradicted, hits = confirmed+s.Agreed, contradicted+s.Disagreed, hits+s.Hits
	}
	w.t.Logf("%d ticks: %d shots confirmed, %d of them hits; at most %d ticks without a player within 100 m", w.tick, confirmed, hits, w.oldest)
	if corrections != 0 || contradicted != 0 || confirmed < 500 || hits < 100 {
		w.t.Errorf("%d corrections, %d shots contradicted, %d confirmed, %d hits", corrections, contradicted, confirmed, hits)
	}
}

// A checkpoint of a match of 1,000 players, read into a new match, has the same hash, and players come back to their
// seats by their keys. [WIR-21]
func TestACheckpointOfAThousandPlayers(t *testing.T) {
	l := newLarge(t, newLargeMatch(largeConfig(t, 1000, countingKeys())))
	l.join(1000)
	l.run(4)
	ball := l.match.Spawn(3)
	l.match.UpdateEntity(ball, track.Sample{Pose: track.Pose{Position: geom.V(1, 2, 3)}})
	l.run(1)
	var p bits.Packer
	p.Write(make([]byte, 1<<20))
	l.match.Checkpoint(&p)
	saved := p.Bytes()
	p.Read(saved)
	again := newLargeMatch(largeConfig(t, 1000, countingKeys()))
	again.Checkpoint(&p)
	if p.End(); p.Err() != nil {
		t.Fatal(p.Err())
	}
	if got, want := again.Hash(), l.match.Hash(); got != want || ball != 1001 {
		t.Errorf("hash %x, want %x; the ball has the id %d", got, want, ball)
	}
	l.match, l.to = again, again
	for _, i := range []int{0, 499, 999} {
		l.clients[i].Reset()
		l.clients[i].Hello("again", l.clients[i].Key())
	}
	l.clients = []*toyClient{l.clients[0], l.clients[499], l.clients[999]}
	l.run(8)
	for i, want := range []session.PlayerID{1, 500, 1000} {
		if c := l.clients[i]; c.ID() != want || c.Phase() != session.Playing {
			t.Errorf("a player came back to seat %d in phase %d, want seat %d", c.ID(), c.Phase(), want)
		}
	}
}

// closer is a buffer that a recording goes to.
type closer struct{ bytes.Buffer }

func (*closer) Close() error { return nil }

// A recording of a match of 1,000 players has all of them in its frames, and played again it has the same hashes.
// [WIR-21]
func TestARecordingOfAThousandPlayers(t *testing.T) {
	var file closer
	config := largeConfig(t, 1000, nil)
	w, err := record.New(&file, record.Head{TickRate: config.TickRate, SnapshotRate: config.TickRate, Protocol: session.Version}, config.World.AppendBinary(nil))
	if err != nil {
		t.Fatal(err)
	}
	config.NewKey = w.Key(countingKeys())
	l := newLarge(t, newLargeMatch(config))
	recorder := w.Record(l.match)
	l.to = recorder
	l.join(1000)
	l.run(15)
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := record.Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for tick := range f.Ticks(15) {
		if n := tick.Snapshot.Len(); n != 1000 || tick.Snapshot.ID(999) != 1000 {
			t.Errorf("%d players in a frame, want 1000", n)
		}
	}
	got, err := f.Verify(func(f *record.File, newKey func() session.Key) (record.Match, error) {
		return newLargeMatch(largeConfig(t, 1000, newKey)), nil
	})
	if err != nil || got.Differed || got.Ticks != 15 || got.Hashes == 0 {
		t.Errorf("played again: %v, %v", got, err)
	}
}

// BenchmarkLargeMatch is the server's work in a tick of many players that run and shoot, spread over a square kilometre
// and in one crowd, a player.
func BenchmarkLargeMatch(b *testing.B) {
	for _, place := range []struct {
		name string
		of   func(session.PlayerID) geom.Vec3
	}{{"spread", scattered}, {"crowd", crowded}} {
		for _, n := range []int{16, 100, 300, 1000} {
			b.Run(fmt.Sprint(place.name, "/", n), func(b *testing.B) {
				m := newLargeMatch(largeConfig(b, n, countingKeys()))
				m.place = place.of
				l := newLarge(b, m)
				l.join(n)
				l.run(30)
				l.frames = 0
				ticks := 0
				begin := time.Now()
				for b.Loop() {
					l.run(1)
					ticks++
				}
				b.ReportMetric(float64((time.Since(begin)-l.frames).Microseconds())/float64(ticks*n), "µs/player/tick")
			})
		}
	}
}
