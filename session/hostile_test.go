package session_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/internal/fuzz/reset"
	"github.com/backstep-net/backstep/session"
)

// capture plays a short match of three and returns every packet that was sent.
func capture(t testing.TB) (*simulation, []flight) {
	r := newSimulationOf(t, session.ServerConfig{PlayersBlock: true}, newArsenal)
	var all []flight
	r.seen = func(f flight) { all = append(all, f) }
	r.playing(3)
	for i, g := range r.clients {
		s, _ := r.m.State(g.ID())
		s.Loadout = armory().Loadout()
		s.Loadout.Held = []uint8{armShotgun, armRocket, armSword}[i]
		r.m.SetState(g.ID(), s)
		g.input = func(g *testClient) toyCommand {
			if len(g.Remotes()) == 0 {
				return hold(1, 0)
			}
			return g.claims(hold(0, 1), g.Remotes()[0].Position.Add(geom.V(0, 1, 0)))
		}
	}
	r.run(60)
	for _, g := range r.clients {
		for _, e := range g.of(session.ShotJudged) {
			g.RequestShotDebug(e.Receipt.Shot)
		}
	}
	r.run(10)
	r.m.spawn(1, geom.V(9, 0, 9))
	r.m.SetText(1, "note", "note")
	r.m.SendMessage(1, []byte("message"))
	r.clients[1].SendMessage([]byte("message"))
	r.run(60)
	r.seen = nil
	return r, all
}

// spoil changes a packet as bad luck or a bad player might.
func spoil(w *rand.Rand, b []byte) []byte {
	b = slices.Clone(b)
	switch w.IntN(5) {
	case 0:
		b = make([]byte, w.IntN(1100))
		for i := range b {
			b[i] = byte(w.Uint32())
		}
	case 1:
		b = b[:w.IntN(len(b)+1)]
	case 2:
		b = append(b, make([]byte, 1+w.IntN(20))...)
	default:
		for range 1 + w.IntN(6) {
			b[w.IntN(len(b))] ^= 1 << w.IntN(8)
		}
	}
	return b
}

// THR-13: 10⁵ spoiled datagrams of a player with a seat: no panic; what is
// refused changes nothing; and no player else is touched, nor the match for them. [WIR-15]
func TestAHostileClient(t *testing.T) {
	const seed = 3
	w := rand.New(rand.NewPCG(seed, 0))
	r, all := capture(t)
	all = slices.DeleteFunc(all, func(f flight) bool { return !f.up || f.ch != session.Datagram })
	refused := 0
	other := [2]string{r.m.Fingerprint(2), r.m.Fingerprint(3)}
	for i := range 100_000 {
		if i%100 == 0 {
			r.m.Forgive(1)
		}
		before := ""
		if i%50 == 0 {
			before = r.m.Fingerprint(1)
		}
		if err := r.m.Receive(1, session.Datagram, r.now(), spoil(w, all[w.IntN(len(all))].bytes)); err == nil {
			continue
		}
		refused++
		if before != "" && r.m.Fingerprint(1) != before {
			t.Fatalf("seed %d, packet %d changed\n%s to\n%s", seed, i, before, r.m.Fingerprint(1))
		}
	}
	if got := [2]string{r.m.Fingerprint(2), r.m.Fingerprint(3)}; got != other {
		t.Errorf("others: got %v\nwant %v", got, other)
	}
	for _, g := range r.clients[1:] {
		g.input = circle
	}
	r.clients[0].gone = true
	r.run(120)
	for _, g := range r.clients[1:] {
		if bad, corrections := r.moves(g.ID()); bad+corrections != 0 {
			t.Errorf("player %d: %d refused, %d corrections", g.ID(), bad, corrections)
		}
	}
	if refused < 50_000 {
		t.Errorf("only %d were refused", refused)
	}
	r.agree()
}

// Every datagram that is sent, with a byte more, is refused by either end and changes
// nothing. (Of a snapshot that has come a client does not read what it says of others.) [WIR-15]
func TestNothingMayFollow(t *testing.T) {
	r, _ := capture(t)
	tried := 0
	r.seen = func(f flight) {
		if f.ch != session.Datagram {
			return
		}
		tried++
		r.m.Forgive(f.peer)
		g := r.clients[f.peer-1]
		before := g.Fingerprint() + r.m.Fingerprint(g.ID())
		b := append(slices.Clone(f.bytes), 0)
		var err error
		if f.up {
			err = r.m.Receive(f.peer, f.ch, r.now(), b)
		} else {
			err = g.Receive(f.ch, r.local(g), b)
		}
		if after := g.Fingerprint() + r.m.Fingerprint(g.ID()); err == nil || after != before {
			t.Fatalf("%x: %v\n got %s\nwant %s", b, err, after, before)
		}
	}
	r.run(120)
	if tried < 600 {
		t.Errorf("only %d datagrams", tried)
	}
}

// Moves of a player that the game has not put into the world are refused.
// [CMD-06, SRV-01, SRV-05, WIR-15]
func TestMovesFromOutside(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{PlayersBlock: true})
	r.m.place = func(session.PlayerID) geom.Vec3 { t.Fatal("no player is placed here"); return geom.Vec3{} }
	s := r.m.toyServer
	if err := s.Receive(1, session.Stream, 0, rawHello(session.Version, "Ada")); err != nil {
		t.Fatal(err)
	}
	s.Tick(20000)
	s.Send()
	b := rawHeader(1, 0, 0, true)
	for _, more := range [][]byte{nil, {0}, make([]byte, 40)} {
		before := s.Fingerprint(1)
		err := s.Receive(1, session.Datagram, 20000, append(slices.Clone(b), more...))
		if err == nil || err.Error() != "session: moves of a player that is not in the world" || s.Fingerprint(1) != before {
			t.Errorf("%d bytes of moves: %v", len(more), err)
		}
	}
	s.Tick(40000)
	if _, there := s.State(1); there {
		t.Error("the player is in the world")
	}
}

// The same of stream messages: each is either understood or ends the connection.
func TestAHostileStream(t *testing.T) {
	const seed = 4
	w := rand.New(rand.NewPCG(seed, 0))
	r, all := capture(t)
	all = slices.DeleteFunc(all, func(f flight) bool { return !f.up || f.ch != session.Stream })
	all = append(all, flight{bytes: rawHello(session.Version, "Mallory")}, flight{bytes: []byte{5}})
	before := [3]string{r.m.Fingerprint(1), r.m.Fingerprint(2), r.m.Fingerprint(3)}
	for i := range 20_000 {
		peer := session.Peer(100 + i)
		r.m.Receive(peer, session.Stream, r.now(), spoil(w, all[w.IntN(len(all))].bytes))
		r.m.Receive(peer, session.Stream, r.now(), spoil(w, all[w.IntN(len(all))].bytes))
		r.m.Receive(peer, session.Stream, r.now(), []byte{5})
		r.m.Disconnect(peer)
		if i%100 == 0 {
			r.run(1)
			before = [3]string{r.m.Fingerprint(1), r.m.Fingerprint(2), r.m.Fingerprint(3)}
		}
		if got := [3]string{r.m.Fingerprint(1), r.m.Fingerprint(2), r.m.Fingerprint(3)}; got != before {
			t.Fatalf("seed %d, peer %d: %v\nwas %v", seed, peer, got, before)
		}
	}
	r.run(11 * 60)
	if n := len(r.m.Players(nil)); n != 3 {
		t.Errorf("%d players, want the 3 honest ones", n)
	}
	r.agree()
}

// THR-06: every datagram that was ever sent, sent again and all at once, to the
// server and to each client: nothing changes. [WIR-14]
func TestReplayedPackets(t *testing.T) {
	r, all := capture(t)
	r.run(30)
	before := r.m.hash()
	prints := []string{r.m.Fingerprint(1), r.m.Fingerprint(2), r.m.Fingerprint(3)}
	again := 0
	for _, f := range all {
		if f.ch == session.Datagram {
			again++
		}
		switch {
		case f.ch == session.Stream: // on which nothing comes twice
		case f.up:
			if err := r.m.Receive(f.peer, f.ch, r.now(), f.bytes); err != nil {
				t.Errorf("peer %d: %v", f.peer, err)
			}
		default:
			g := r.clients[f.peer-1]
			was := g.Fingerprint()
			if err := g.Receive(f.ch, r.local(g), f.bytes); err != nil || g.Fingerprint() != was {
				t.Errorf("client %d (%v):\n got %s\nwant %s", f.peer, err, g.Fingerprint(), was)
			}
		}
	}
	if got := []string{r.m.Fingerprint(1), r.m.Fingerprint(2), r.m.Fingerprint(3)}; !slices.Equal(got, prints) || r.m.hash() != before {
		t.Errorf("got %v\nwant %v", got, prints)
	}
	figures.Check(t, "again", 0, "%d datagrams sent again, 0 changes", again)
	for _, g := range r.clients {
		g.input = circle
	}
	r.run(100)
	for _, g := range r.clients {
		if refused, corrections := r.moves(g.ID()); refused+corrections != 0 {
			t.Errorf("player %d: %d refused, %d corrections", g.ID(), refused, corrections)
		}
	}
}

// A client that reads 10⁵ spoiled packets of the server, on both channels: no panic,
// and what is refused changes nothing.
func TestAHostileServer(t *testing.T) {
	const seed = 5
	w := rand.New(rand.NewPCG(seed, 0))
	r, all := capture(t)
	all = slices.DeleteFunc(all, func(f flight) bool { return f.up || f.peer != 1 })
	g := r.clients[0]
	g.frozen = true // and what is sent from now on is new to it
	r.seen = func(f flight) {
		if !f.up && f.peer == 1 {
			all = append(all, f)
		}
	}
	r.run(60)
	refused := 0
	for i := range 100_000 {
		before := ""
		if i%20 == 0 {
			before = g.Fingerprint()
		}
		f := all[w.IntN(len(all))]
		b := spoil(w, f.bytes)
		if f.ch == session.Stream && len(b) > 0 && b[0] == 3 {
			continue // a refusal in other words is a refusal
		}
		err := g.Receive(f.ch, r.local(g), b)
		if err != nil {
			refused++
		}
		if err != nil && before != "" && g.Fingerprint() != before {
			t.Fatalf("seed %d, packet %d (%v) changed\n%s to\n%s", seed, i, err, before, g.Fingerprint())
		}
		if i%1000 == 0 {
			c := circle(g)
			g.Frame(r.local(g)+clock.Micros(i), &c)
			g.Events()
			g.Outgoing()
		}
	}
	if refused < 35_000 { // of snapshots that have come not all is read, and evidence may say any number
		t.Errorf("only %d were refused", refused)
	}
}

// THR-13, THR-26: a client that acknowledges snapshots that never reached it, and forgets those that
// did, harms no player: the server sends on, what it sends to the others is right, and it sends
// the cheater no more than any player.
func TestForgedSnapshotMasks(t *testing.T) {
	const seed = 12
	w := rand.New(rand.NewPCG(seed, 0))
	r := newSimulation(t, session.ServerConfig{})
	three := r.playing(3)
	for _, g := range three[1:] {
		g.input = circle
	}
	r.run(30)
	three[0].frozen = true
	r.fate = func(f flight) []int {
		if f.peer == 1 && !f.up {
			return nil
		}
		return []int{2}
	}
	before := r.m.Players(nil)
	for i := range uint32(600) {
		r.run(1)
		newest := r.m.TickNumber() - uint32(w.IntN(3))
		r.m.Receive(1, session.Datagram, r.now(), rawHeader(1000+i, newest, w.Uint64(), false))
	}
	after := r.m.Players(nil)
	for _, g := range three[1:] {
		if s := g.Stats(); s.Bad != 0 || s.Disagreed != 0 || s.Moves.Corrections != 0 {
			t.Errorf("player %d: %+v", g.ID(), s)
		}
	}
	liar, other := after[0].Snapshots.Bytes-before[0].Snapshots.Bytes, after[1].Snapshots.Bytes-before[1].Snapshots.Bytes
	t.Logf("%d bytes to the cheater, %d to another", liar, other)
	if after[0].Snapshots.Sent-before[0].Snapshots.Sent != 600 || liar > 4*other {
		t.Errorf("%+v", after[0].Snapshots)
	}
}

// fresh is a match with two players in it, the first of which is about to speak.
func fresh(t testing.TB) *simulation {
	r := newSimulationOf(t, session.ServerConfig{Players: 3, PlayersBlock: true}, newArsenal)
	r.lag = 0
	r.playing(2)
	r.run(2)
	return r
}

// receive lets a match with the prints one and two of its players take any bytes of the first, and then of a
// stranger.
func (r *simulation) receive(t testing.TB, b []byte, stream bool, one, two string) {
	t.Helper()
	ch := session.Datagram
	if stream {
		ch = session.Stream
	}
	err := r.m.Receive(1, ch, r.now(), b)
	if after := r.m.Fingerprint(1); err != nil && !stream && after != one {
		t.Fatalf("%v, but\n%s became\n%s", err, one, after)
	}
	if other := r.m.Fingerprint(2); other != two {
		t.Fatalf("the other: %s became %s", two, other)
	}
	r.m.Tick(r.now() + 20000)
	probe := len(b) == 0 || len(b) == 1 && b[0] == 0 // of the transport: nobody's are refused
	if err := r.m.Receive(9, ch, r.now(), b); err == nil && !stream && !probe {
		t.Fatal("a datagram of a stranger is taken")
	}
	r.m.Tick(r.now() + 40000)
}

// Any bytes of a player, on either channel: an error that changes nothing of the
// player's, or sense; never a word about any other player. [WIR-15]
//
// One match serves all inputs: reset takes it back before each (TestAResetServerIsNew).
func FuzzServerReceive(f *testing.F) { // THR-13
	_, all := capture(f)
	for i, p := range all {
		if p.up && (i%9 == 0 || p.ch == session.Stream) {
			f.Add(p.bytes, p.ch == session.Stream)
		}
	}
	r := fresh(f)
	one, two, before := r.m.Fingerprint(1), r.m.Fingerprint(2), reset.Of(r.m)
	f.Fuzz(func(t *testing.T, b []byte, stream bool) {
		before.Reset()
		r.receive(t, b, stream, one, two)
	})
}

// A match that reset takes back takes each packet as a new match does, after any others: nothing of an input is
// left in what FuzzServerReceive shares.
func TestAResetServerIsNew(t *testing.T) {
	_, all := capture(t)
	w := rand.New(rand.NewPCG(13, 0))
	r := fresh(t)
	one, two, before := r.m.Fingerprint(1), r.m.Fingerprint(2), reset.Of(r.m)
	for range 60 {
		p := all[w.IntN(len(all))]
		b := p.bytes
		if w.IntN(3) == 0 {
			b = spoil(w, b)
		}
		before.Reset()
		other := fresh(t)
		var packets [2][]session.Packet
		for i, r := range []*simulation{r, other} {
			r.receive(t, b, p.ch == session.Stream, one, two)
			packets[i] = r.m.Outgoing()
		}
		if got, want := fmt.Sprint(r.m.Hash(), r.m.events, packets[0]), fmt.Sprint(other.m.Hash(), other.m.events, packets[1]); got != want {
			t.Fatalf("packet %x: got %s\nwant %s", b, got, want)
		}
	}
}

// Any bytes of the server, on either channel: an error that changes nothing, or
// sense. [WIR-15]
//
// One client serves all inputs: reset takes it back before each.
func FuzzClientReceive(f *testing.F) { // THR-13
	_, all := capture(f)
	for i, p := range all {
		if !p.up && (i%9 == 0 || p.ch == session.Stream) {
			f.Add(p.bytes, p.ch == session.Stream)
		}
	}
	r := fresh(f)
	g := r.clients[0]
	was, before := g.Fingerprint(), reset.Of(g)
	f.Fuzz(func(t *testing.T, b []byte, stream bool) {
		before.Reset()
		ch := session.Datagram
		if stream {
			ch = session.Stream
		}
		err := g.Receive(ch, r.local(g), b)
		if after := g.Fingerprint(); err != nil && after != was {
			t.Fatalf("%v, but\n%s became\n%s", err, was, after)
		}
		c := hold(1, 1)
		g.Frame(r.local(g)+20000, &c)
		g.Events()
		g.Outgoing()
	})
}
