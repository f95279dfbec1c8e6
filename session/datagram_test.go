package session_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// A snapshot overtakes the welcome: it is dropped and does no harm.
func TestASnapshotBeforeTheWelcome(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	r.join("Ada", session.Key{})
	var welcome, snapshot []flight
	r.seen = func(f flight) {
		if !f.up && f.ch == session.Datagram {
			snapshot = append(snapshot, f)
		} else if !f.up {
			welcome = append(welcome, f)
		}
	}
	r.run(6)
	c := session.NewClient(gameOf[toyState, toyCommand](newToy()), session.ClientConfig{})
	if err := c.Receive(session.Datagram, 1, snapshot[0].bytes); err != nil || c.Phase() != session.Outside {
		t.Errorf("before hello: %v", err)
	}
	c.Hello("Ada", session.Key{})
	before := c.Fingerprint()
	if err := c.Receive(session.Datagram, 1, snapshot[0].bytes); err != nil || c.Fingerprint() != before {
		t.Errorf("before the welcome: %v", err)
	}
	if err := c.Receive(session.Stream, 2, welcome[0].bytes); err != nil || c.Phase() != session.Loading {
		t.Errorf("welcome: %v, phase %d", err, c.Phase())
	}
	if err := c.Receive(session.Stream, 2, welcome[0].bytes); err == nil || len(c.Events()) != 1 {
		t.Errorf("a second welcome: %v", err)
	}
}

// The placement is lost, and the next four: it is repeated until it shows.
func TestTheFirstPlacementIsLost(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	lost := 0
	r.fate = func(f flight) []int {
		if !f.up && len(f.bytes) > 40 && lost < 5 {
			lost++
			return nil
		}
		return []int{2}
	}
	g := r.join("Ada", session.Key{})
	r.run(60)
	if lost != 5 || g.Phase() != session.Playing || g.count(session.Teleported) != 1 {
		t.Errorf("%d lost, phase %d, placed %d times", lost, g.Phase(), g.count(session.Teleported))
	}
	g.input = func(*testClient) toyCommand { return hold(1, 1) }
	r.run(60)
	r.agree()
}

// shooter returns input that fires at everything in sight, every n ticks.
func shooter(n int) func(*testClient) toyCommand {
	at := 0
	return func(g *testClient) toyCommand {
		c := hold(1-2*(at/30%2), 0)
		if at++; at%n == 0 && g.Self().Ammo.Ready() && !g.Waiting() {
			c.Shot = shot.Claim{Pitch: 0.001}
			for _, e := range g.Remotes() {
				d := e.Position.Add(geom.V(0, 0.9, 0)).Sub(g.Eye())
				c.Shot.Yaw, c.Shot.Pitch = geom.Yaw(d), geom.Atan2(d.Y, geom.V(d.X, 0, d.Z).Len())
			}
			g.Aim(&c.Shot)
		}
		return c
	}
}

// weather is a network that loses 30 %, doubles 20 % and mixes up 150 ms.
func weather(seed uint64) func(flight) []int {
	w := rand.New(rand.NewPCG(seed, 0))
	return func(flight) []int {
		var copies []int
		if w.Float64() > 0.3 {
			copies = append(copies, 1+w.IntN(9))
		}
		if w.Float64() < 0.2 {
			copies = append(copies, 1+w.IntN(9))
		}
		return copies
	}
}

// Receipts, shots seen and statuses over a network that loses, doubles and overtakes:
// each receipt and each shot seen reaches the game exactly once and in order, and
// the newest note arrives. [WIR-14, LAG-03, GAP-54, GAP-68]
func TestNoticesArriveExactlyOnce(t *testing.T) { models(t, newsArrivesExactlyOnce) }

func newsArrivesExactlyOnce(t *testing.T, model int) {
	for seed := range uint64(3) {
		r := newSimulation(t, session.ServerConfig{})
		r.model = model
		r.playing(2)
		a, b := r.clients[0], r.clients[1]
		r.fate = weather(seed)
		a.input = shooter(7)
		var fired []uint32
		note, last := 0, 0
		r.m.onTick = func() {
			if r.tick%5 == 0 && r.tick < 1000 {
				note++
				r.m.SetText(2, "note", fmt.Sprint(note))
			}
		}
		for range 1000 {
			r.run(1)
			if n := 0; b.Text(2, "note") != "" {
				if fmt.Sscan(b.Text(2, "note"), &n); n < last {
					t.Fatalf("seed %d: note %d after %d", seed, n, last)
				}
				last, _ = n, 0
			}
		}
		r.fate, a.input = nil, nil
		r.run(40)
		for _, e := range r.m.events {
			if e.Kind == session.Shot && e.Receipt.Verdict != shot.Refused {
				fired = append(fired, e.Receipt.Shot)
			}
		}
		var heard []uint32
		for _, e := range a.events {
			if e.Kind == session.ShotJudged && e.Receipt.Verdict != shot.Refused {
				heard = append(heard, e.Receipt.Shot)
			}
		}
		if len(fired) < 70 || !slices.Equal(heard, fired) {
			t.Errorf("seed %d: fired %v\nheard %v", seed, fired, heard)
		}
		if n := b.count(session.ShotSeen); n != len(fired) {
			t.Errorf("seed %d: %d of %d shots seen", seed, n, len(fired))
		}
		if got := b.Text(2, "note"); got != fmt.Sprint(note) {
			t.Errorf("seed %d: note %s, want %d", seed, got, note)
		}
	}
}

// Notices wait for space: 16 receipts of the largest kind, 16 shots seen, a
// text and a correction do not fit into one datagram, and none is lost for it.
func TestNoticesWaitForSpace(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{Players: 17})
	r.playing(17)
	deaf := true
	r.fate = func(f flight) []int {
		if deaf && f.peer == 1 {
			return nil
		}
		return []int{2}
	}
	for i, g := range r.clients[1:] {
		if i < 14 {
			g.input = shooter(1000)
		}
	}
	r.run(1000)
	r.m.SetText(1, "note", strings.Repeat("x", 64))
	r.m.spawn(1, geom.V(-123.4, 5, 6))
	deaf = false
	r.run(40)
	if n := r.clients[0].count(session.ShotSeen); n != 14 {
		t.Errorf("%d of 14 shots seen", n)
	}
	r.agree()
}

// rawHeader is what opens a client's datagram, as any player could write it; mask is the
// 64 ticks before newest.
func rawHeader(sequence, newest uint32, mask uint64, moves bool) []byte {
	var p bits.Packer
	p.Write(make([]byte, 64))
	kind, number, low, n, no, yes := uint64(1), uint64(sequence%1024), uint64(newest%4096), 11, false, true
	p.Uint(&kind, 3)
	p.Uint(&number, 10)
	if newest == 0 {
		p.Bool(&no)
	} else {
		p.Bool(&yes)
		p.Uint(&low, 12)
		if before := int(min(newest-1, 64)); before > 0 && mask == 1<<before-1 {
			p.Bool(&no)
		} else {
			p.Bool(&yes)
			p.Ranged(&n, 1, 11)
			p.Uint(&mask, max(before, 1))
		}
		p.Bool(&no) // no hold
	}
	p.Bool(&moves)
	return p.Bytes()
}

// A client that says it has what it was never sent — a tick to come, ticks from
// before it joined — is not believed and gains nothing: what it has not got is
// still repeated.
func TestForgedAcknowledgements(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	r.run(100)
	g := r.playing(1)[0]
	if loss := g.Stats().LossDown; loss != 0 {
		t.Errorf("a player that has just come shows a loss of %v", loss)
	}
	g.frozen = true
	r.m.SetText(1, "note", "secret")
	r.run(5)
	before := r.m.Fingerprint(1)
	newest := r.m.TickNumber()
	for _, c := range []struct {
		what   string
		newest uint32
		mask   uint64
	}{
		{"the next tick", newest + 1, 0}, {"the last tick of all", 1<<32 - 1, 0},
		{"a tick from before it joined", 50, 0}, {"ticks from before it joined", newest, 1 << 63},
		{"all of the last 64", newest, 1<<64 - 1}, {"tick 1 and what was before", 1, 1},
	} {
		err := r.m.Receive(1, session.Datagram, r.now(), rawHeader(1<<9, c.newest, c.mask, false))
		if err == nil || r.m.Fingerprint(1) != before {
			t.Errorf("%s: %v\n got %s\nwant %s", c.what, err, r.m.Fingerprint(1), before)
		}
	}
	if err := r.m.Receive(1, session.Datagram, r.now(), rawHeader(1<<9, newest, 1, false)); err != nil {
		t.Errorf("the truth: %v", err)
	}
	if r.m.Players(nil)[0].Traffic.Bad != 6 {
		t.Errorf("%d counted as bad, want 6", r.m.Players(nil)[0].Traffic.Bad)
	}
}

// THR-20: views of the future, of long ago and of ticks from before the shooter
// came are refused; the honest one is not. [GAP-42]
func TestViewsThatAreNotGranted(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	r.playing(1)
	r.run(20)
	g := r.join("late", session.Key{})
	r.run(30)
	for _, c := range []struct {
		what string
		lie  func(*shot.Claim)
		want shot.Reason
	}{
		{"honest", func(*shot.Claim) {}, shot.NoReason},
		{"64 ticks of which some were before it came", func(c *shot.Claim) { c.View.Seen.Mask = 1<<64 - 1 }, shot.Forgotten},
		{"the future", func(c *shot.Claim) { c.View.At += clock.Second }, shot.FutureView},
		{"long ago", func(c *shot.Claim) { c.View.At -= clock.Second }, shot.OldView},
		{"denying the newest 50", func(c *shot.Claim) { c.View.Seen.Newest -= 20; c.View.Seen.Mask = 0; c.View.At -= 600_000 }, shot.OldView},
		{"before it came", func(c *shot.Claim) { c.View.Seen.Newest = 10; c.View.Seen.Mask = 0 }, shot.Forgotten},
		{"a tick to come", func(c *shot.Claim) { c.View.Seen.Newest += 1000 }, shot.Forgotten},
	} {
		fired := false
		g.input = func(g *testClient) toyCommand {
			in := hold(0, 0)
			if !fired && g.Self().Ammo.Ready() {
				fired = true
				in.Shot.Pitch = -0.1
				g.Aim(&in.Shot)
				c.lie(&in.Shot)
				in.Shot = in.Shot.Quantise()
			}
			return in
		}
		r.m.events = nil
		r.run(20)
		got := shot.Reason(99)
		for _, e := range r.m.events {
			if e.Kind == session.Shot {
				got = e.Receipt.Reason
			}
		}
		if got != c.want {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
	}
}

// GAP-19, THR-11: a player may tell the game 120 messages or 64 KiB at once and
// no more; one that floods is kicked with the reason. Datagrams beyond 1,000 at once are
// not even read, and 200 of those end it too.
func TestFloods(t *testing.T) {
	for _, c := range []struct{ size, taken int }{{1, 120}, {4096, 16}} {
		r := newSimulation(t, session.ServerConfig{})
		g := r.playing(1)[0]
		for range 200 {
			g.SendMessage(make([]byte, c.size))
		}
		r.lag = 0
		r.run(4)
		n := 0
		for _, e := range r.m.events {
			if e.Kind == session.Message {
				n++
			}
		}
		last := r.m.events[len(r.m.events)-2] // before Left
		if n != c.taken || !last.Expelled || last.Kind != session.Kick || last.Text != "session: too many messages" || g.Phase() != session.Ended {
			t.Errorf("%d bytes each: %d taken, want %d; %+v", c.size, n, c.taken, last)
		}
	}
	r := newSimulation(t, session.ServerConfig{})
	r.playing(1)
	n := 0
	for range 5000 {
		if r.m.Receive(1, session.Datagram, r.now(), rawHeader(1, 0, 0, false)) == nil {
			n++
		}
	}
	r.run(1)
	if n > 1000 || n < 900 {
		t.Errorf("%d datagrams at once are read, want at most 1,000", n)
	}
	r.expect("after 200 too many", "kick peer 1 of 1: session: too many messages; left 1 player 1; ")
}

// A game may tell 30 messages a second for as long as it likes.
func TestSteadyMessages(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	g := r.playing(1)[0]
	g.input = func(g *testClient) toyCommand {
		if r.tick%2 == 0 {
			g.SendMessage([]byte("hello"))
		}
		return hold(0, 0)
	}
	r.run(1200)
	if g.Phase() != session.Playing || len(r.m.events) < 590 {
		t.Errorf("phase %d, %d messages", g.Phase(), len(r.m.events))
	}
}

// A client whose game does not look at its events keeps 1,024 of them and counts the
// rest.
func TestEventsAreBounded(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	g := r.playing(1)[0]
	r.m.SendMessage(1, []byte("x"))
	r.run(1)
	b := r.flights[len(r.flights)-1]
	for _, f := range r.flights {
		if f.ch == session.Stream {
			b = f
		}
	}
	for range 3000 {
		if err := g.Receive(session.Stream, 1, b.bytes); err != nil {
			t.Fatal(err)
		}
	}
	if n, missed := len(g.Events()), g.Stats().Missed; n != 1024 || n+int(missed) != 3000 {
		t.Errorf("%d kept and %d missed of 3,000", n, missed)
	}
}

// THR-16: a canary for each of 16 players, in a field of its own and in messages, over a
// bad network: no player ever reads another's.
func TestNoCrossing(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	r.playing(16)
	r.fate = weather(5)
	r.m.onTick = func() {
		for id := session.PlayerID(1); id <= 16; id++ {
			r.m.SetText(id, "note", fmt.Sprintf("%d only %d", id, r.tick))
			if r.tick%4 == 0 {
				r.m.SendMessage(id, fmt.Appendf(nil, "%d alone %d", id, r.tick))
			}
		}
	}
	for _, g := range r.clients {
		g.input = func(g *testClient) toyCommand {
			if r.tick%5 == 0 {
				g.SendMessage(fmt.Appendf(nil, "%d says %d", g.ID(), r.tick))
			}
			return hold(0, 1)
		}
	}
	notes, messages := 0, 0
	for range 300 {
		r.run(1)
		for _, g := range r.clients {
			id, tick := 0, 0
			if _, err := fmt.Sscanf(g.Text(g.ID(), "note"), "%d only %d", &id, &tick); err == nil {
				notes++
				if id != int(g.ID()) {
					t.Fatalf("player %d reads %q", g.ID(), g.Text(g.ID(), "note"))
				}
			}
			for other := session.PlayerID(1); other <= 16; other++ {
				if got := g.Text(other, "note"); got != "" && other != g.ID() {
					t.Fatalf("player %d reads %q of player %d", g.ID(), got, other)
				}
			}
			for _, e := range g.events {
				if e.Kind != session.Message {
					continue
				}
				messages++
				if n, err := fmt.Sscanf(string(e.Bytes), "%d alone %d", &id, &tick); n != 2 || err != nil || id != int(g.ID()) {
					t.Fatalf("player %d reads %q", g.ID(), e.Bytes)
				}
			}
			g.events = g.events[:0]
		}
	}
	for _, e := range r.m.events {
		id, tick := 0, 0
		if e.Kind == session.Message {
			messages++
			if n, _ := fmt.Sscanf(string(e.Bytes), "%d says %d", &id, &tick); n != 2 || id != int(e.Player) {
				t.Fatalf("message of %d: %q", e.Player, e.Bytes)
			}
		}
	}
	if notes < 4000 || messages < 1900 {
		t.Errorf("%d notes and %d messages looked at", notes, messages)
	}
	figures.Check(t, "crossings", 0, "0 crossings in %d fields and %d messages", notes, messages)
}
