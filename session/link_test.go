package session_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
)

// WIR-14: 70,000 datagrams each way, lost, doubled and overtaken by up to two seconds:
// numbers wrap 68 times, and neither end ever believes a round trip shorter than the
// line's or a clock that is off.
func TestNeverAWrongRoundTrip(t *testing.T) {
	singleThreaded(t)
	const seed = 9
	w := rand.New(rand.NewPCG(seed, 0))
	floor := func() clock.Micros { // what the shortest way there and back takes
		r := newSimulation(t, session.ServerConfig{})
		r.lag = 1
		g := r.playing(1)[0]
		r.run(100)
		return g.Stats().ClockUncertainty * 2
	}()
	r := newSimulation(t, session.ServerConfig{})
	g := r.playing(1)[0]
	g.input = circle
	r.fate = func(f flight) []int {
		copies := []int{1 + w.IntN(4)}
		switch w.IntN(12) {
		case 0:
			return nil
		case 1:
			copies = append(copies, 1+w.IntN(120))
		case 2:
			copies[0] = 1 + w.IntN(120)
		}
		return copies
	}
	for i := range 70_000 {
		r.run(1)
		s := g.Stats()
		if s.ClockUncertainty*2 < floor-200 || s.RTT > 2100*clock.Millisecond || s.ClockJumps != 0 {
			t.Fatalf("seed %d, tick %d: the line takes %d µs at least: %+v", seed, i, floor, s)
		}
		if off := g.Now(r.local(g)) - r.now() + 3*clock.Millisecond; max(off, -off) > 40*clock.Millisecond {
			t.Fatalf("seed %d, tick %d: the clock is off by %d µs", seed, i, off)
		}
		if i%1000 == 999 {
			if p := r.m.Players(nil)[0]; p.MinRTT < floor-17*clock.Millisecond {
				t.Fatalf("seed %d, tick %d: the server has a round trip of %d µs, the line takes %d", seed, i, p.MinRTT, floor)
			}
		}
	}
	if s := g.Stats(); s.Out.Datagrams < 70_000 || s.Bad != 0 {
		t.Errorf("%+v", s)
	}
	r.fate = nil
	r.agree()
}

// What is lost on either way is seen at both ends, and what is merely late is not. [LAG-02]
func TestLossIsMeasured(t *testing.T) {
	for _, c := range []struct {
		up, down float64
		jitter   int
		rate     int // of snapshots
	}{{0, 0, 0, 60}, {0, 0, 4, 60}, {.2, 0, 0, 60}, {0, .2, 0, 60}, {.1, .3, 3, 60}, {0, 0, 0, 30}, {0, .2, 0, 25}} {
		const seed = 4
		w := rand.New(rand.NewPCG(seed, 0))
		r := newSimulation(t, session.ServerConfig{SnapshotRate: c.rate})
		g := r.playing(1)[0]
		g.input = circle
		r.fate = func(f flight) []int {
			if f.up && w.Float64() < c.up || !f.up && w.Float64() < c.down {
				return nil
			}
			return []int{2 + w.IntN(c.jitter+1)}
		}
		r.run(80)
		up, down, server, run := 0.0, 0.0, 0.0, 0
		const n = 2000
		for range n {
			r.run(1)
			s, p := g.Stats(), r.m.Players(nil)[0]
			up, down, server = up+s.LossUp/n, down+s.LossDown/n, server+p.Loss/n
			run = max(run, s.LossRunUp)
		}
		if math.Abs(up-c.up) > .03 || math.Abs(down-c.down) > .03 || math.Abs(server-c.up) > .03 || (run > 0) != (c.up > 0) {
			t.Errorf("%+v: up %.3f (server %.3f, longest run %d), down %.3f", c, up, server, run, down)
		}
	}
}

// GAP-04: a game whose state or command is packed otherwise is refused with the reason, and one that
// only names its fields otherwise plays.
func TestAnotherFormatIsRefused(t *testing.T) {
	words := func(theirs string) string {
		return "session: this server's game has format 24cc3bf4 and the client's " + theirs + ": reload the page or update the client"
	}
	for _, c := range []struct {
		what string
		game toyGame
		want string
	}{
		{"the same", newToy(), ""},
		{"one that combines", &merging{*newToy(), 1}, ""},
		{"a field more in the state", &taller{toy: *newToy()}, words("ce4c4a4b")},
		{"a field's width in the command", &finer{toy: *newToy()}, words("4a96c184")},
	} {
		r := newSimulation(t, session.ServerConfig{})
		r.game = func() toyGame { return c.game }
		g := r.join("Ada", session.Key{})
		r.run(20)
		got := ""
		for _, e := range g.events {
			if e.Kind == session.Refused {
				got = e.Text
			}
		}
		if len(got) > 120 {
			t.Errorf("%s: the reason has %d bytes; a connection carries 120: %s", c.what, len(got), got)
		}
		if got != c.want || (g.Phase() == session.Playing) != (c.want == "") {
			t.Errorf("%s: %q, phase %d; want %q", c.what, got, g.Phase(), c.want)
		}
	}
}

// The sum of a format is the same on every machine: this is the toy's. [GAP-04]
func TestTheFormatIsFixed(t *testing.T) {
	if got := session.FormatOf(gameOf[toyState, toyCommand](newToy())); got != 0x24cc3bf4 {
		t.Errorf("got %#x", got)
	}
}

// taller packs one field more at the end of the state.
type taller struct{ toy }

func (g *taller) PackState(p *bits.Packer, s *toyState) {
	g.toy.PackState(p, s)
	more := false
	p.Bool(&more)
}

// finer packs a wider yaw.
type finer struct{ toy }

func (g *finer) PackCommand(p *bits.Packer, c, before *toyCommand) {
	g.toy.PackCommand(p, c, before)
	more := uint64(0)
	p.Uint(&more, 2)
}

// TIM-12, TIM-13: a client whose clock runs 1.1 times too fast is reported after some
// 2.5 s; when its clock is right again, that is reported too. An honest one never is. A player
// that comes back with its key keeps its record.
func TestTimeDiscrepancyEvents(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	two := r.playing(2)
	two[0].input, two[1].input = circle, circle
	r.run(300)
	reported := func(kind session.EventKind) (n int, at clock.Micros) {
		for _, e := range r.m.events {
			if e.Kind == kind {
				if n++; n == 1 {
					at = e.At
				}
				if e.Player != 1 || e.Discrepancy.Episodes == 0 {
					t.Errorf("%+v", e)
				}
			}
		}
		return n, at
	}
	begin := r.now()
	two[0].input = func(g *testClient) toyCommand { return circle(g) }
	r.cheat(two[0], 1.1)
	r.run(5 * 60)
	n, at := reported(session.TimeDiscrepancy)
	if after := (at - begin).Seconds(); n == 0 || after < 2 || after > 3.5 {
		t.Errorf("reported %d times, first after %.2f s; want 2.5", n, after)
	}
	p := r.m.Players(nil)
	if d := p[0].Discrepancy; d.Episodes == 0 || d.Lifetime == 0 {
		t.Errorf("the cheat: %+v", d)
	}
	if d := p[1].Discrepancy; d != (predict.Discrepancy{}) && d.Episodes != 0 {
		t.Errorf("the honest one: %+v", d)
	}
	r.cheat(two[0], 1)
	r.run(10 * 60)
	if over, _ := reported(session.TimeDiscrepancyCleared); over == 0 {
		t.Errorf("the end is not reported: %+v", r.m.Players(nil)[0].Discrepancy)
	}
	before := r.m.Players(nil)[0].Discrepancy
	r.disconnect(two[0])
	r.join("Ada", two[0].Key())
	r.run(60)
	if after := r.m.Players(nil)[0].Discrepancy; after.Episodes < before.Episodes || after.Lifetime < before.Lifetime {
		t.Errorf("before coming back %+v, after it %+v", before, after)
	}
}

// cheat has a client's commands last so many times as long as they should from now on.
func (r *simulation) cheat(g *testClient, rate float64) {
	g.lasted = func(d clock.Micros) clock.Micros { return clock.Micros(float64(d) * rate) }
}

// A player's commands wait as long as it requests and the server grants; the request is sent again
// only once a second; and its shots are judged as they were seen all the same. [GAP-41]
func TestInputDelay(t *testing.T) {
	for _, c := range []struct{ most, ask, want clock.Micros }{
		{0, 120_000, 120_000}, {0, 250_000, 250_000}, {50_000, 250_000, 50_000}, {-1, 250_000, 0}, {0, 0, 0}, {0, 1_999, 1_000},
	} {
		r := newSimulation(t, session.ServerConfig{MaxInputDelay: c.most})
		two := r.playing(2)
		two[0].input, two[1].input = shooter(7), circle
		r.run(100)
		asked := 0
		r.seen = func(f flight) {
			if f.up && f.ch == session.Stream {
				asked++
			}
		}
		two[0].SetInputDelay(c.ask)
		r.run(300)
		before := two[0].Stats()
		r.run(600)
		p := r.m.Players(nil)[0]
		s := two[0].Stats()
		if p.Delay != c.want || asked > 1 || s.Agreed-before.Agreed < 40 || s.Disagreed != 0 || s.Moves.Corrections != 0 {
			t.Errorf("%+v: granted %d, asked %d times, %+v", c, p.Delay, asked, s)
		}
		two[0].input = func(*testClient) toyCommand { return hold(1, 0) }
		r.run(100)
		own, _ := r.m.State(1)
		if lag := two[0].Self().Pos.Dist(own.Pos) / toySpeed; math.Abs(lag-c.want.Seconds()-.07) > .1 {
			t.Errorf("%+v: the server is %.3f s behind", c, lag)
		}
	}
}

// A client that says it every tick, or more than a second, or with bits left over, is
// kicked. [GAP-19]
func TestInputDelayIsBounded(t *testing.T) {
	for _, c := range []struct {
		what  string
		bytes []byte
		times int
		want  string
	}{
		{"once", []byte{6, 100}, 1, ""},
		{"twenty times", []byte{6, 250}, 20, ""},
		{"21 times", []byte{6, 10}, 21, "session: too many messages"},
		{"251 ms", []byte{6, 251}, 1, "bits: value out of range"},
		{"a byte more", []byte{6, 10, 0}, 1, "bits: bytes left over after the message"},
		{"nothing", []byte{6}, 1, "bits: message ends too early"},
	} {
		r := newSimulation(t, session.ServerConfig{})
		r.playing(1)
		got := ""
		for range c.times {
			if err := r.m.Receive(1, session.Stream, r.now(), c.bytes); err != nil {
				got = err.Error()
			}
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
	r := newSimulation(t, session.ServerConfig{})
	g := r.playing(1)[0]
	asked := 0
	r.seen = func(f flight) {
		if f.up && f.ch == session.Stream {
			asked++
		}
	}
	for i := range 600 {
		g.SetInputDelay(clock.Micros(i%200) * clock.Millisecond)
		r.run(1)
	}
	if asked < 9 || asked > 11 || g.Phase() != session.Playing {
		t.Errorf("asked %d times in ten seconds, phase %d", asked, g.Phase())
	}
	panics(t, "too long", func() { g.SetInputDelay(251 * clock.Millisecond) })
}

// A player drags the slider of the input delay while its uplink stands still for fourteen seconds: all requests of that time
// arrive at once, and it keeps its seat. [THR-11]
func TestInputDelaysThatALinkHeld(t *testing.T) {
	p := newPair(t, 1, 60, plane(t))
	p.connect()
	p.run(p.now() + 2*clock.Second)
	p.up.hold = p.now() + 14*clock.Second
	for i := range clock.Micros(150) {
		p.client.SetInputDelay((10 + i) * clock.Millisecond)
		p.run(p.now() + clock.Second/10)
	}
	if got := p.client.Phase(); got != session.Playing || p.refused != "" {
		t.Errorf("seed 1: got phase %d and the refusal %q, want phase %d and none", got, p.refused, session.Playing)
	}
	p.run(p.now() + 2*clock.Second)
	for _, info := range p.server.Players(nil) {
		if want := 159 * clock.Millisecond; info.Delay != want {
			t.Errorf("seed 1: got an input delay of %d µs, want %d", info.Delay, want)
		}
	}
}

// Others see one whose commands wait as evenly as any player, that much later.
func TestOthersOfADelayedPlayer(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	two := r.playing(2)
	two[0].SetInputDelay(200 * clock.Millisecond)
	two[0].input = func(*testClient) toyCommand { return hold(1, 0) }
	r.run(200)
	last, at := 0.0, clock.Micros(0)
	for range 200 {
		r.run(1)
		p, v := remote(two[1], 1), two[1].View()
		if speed := (p.Pos.X - last) / (v.At - at).Seconds(); last != 0 && (speed < toySpeed*.95 || speed > toySpeed*1.05) {
			t.Fatalf("drawn at %.2f m/s, want %d", speed, toySpeed)
		}
		last, at = p.Pos.X, v.At
	}
}

// ACK-14: why a client was corrected, and how often its packets crossed the link, is
// there to be shown. [LAG-02]
func TestCorrectionsAndLossAreReported(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	g := r.playing(1)[0]
	g.input = circle
	r.run(60)
	r.m.Modify(1, func(s *toyState) { s.Pos = s.Pos.Add(geom.V(0, 1, 0)) })
	r.run(60)
	all := g.RecentCorrections()
	if len(all) != 2 || all[1].Cause != predict.ServerForce || math.Abs(all[1].Distance-1) > 1e-9 || all[1] != g.LastCorrection() {
		t.Errorf("corrections %+v", all)
	}
	if s := fmt.Sprintf("%+v", g.Stats()); !strings.Contains(s, "LossUp:0 LossDown:0") || g.InterpolationAlpha() != 1 || g.StateBefore() == nil || g.Waiting() {
		t.Errorf("stats %s", s)
	}
}

// What each datagram says of the link costs 36 bits at most on average on the way up,
// without loss.
func TestHeadersAreShort(t *testing.T) {
	for _, c := range []struct {
		loss float64
		rate int
		most float64 // bits on the way up
	}{{0, 60, 32}, {0, 20, 32}, {.05, 60, 60}} {
		w := rand.New(rand.NewPCG(1, 0))
		r := newSimulation(t, session.ServerConfig{SnapshotRate: c.rate})
		g := r.playing(1)[0]
		g.input = circle
		r.fate = func(flight) []int {
			if w.Float64() < c.loss {
				return nil
			}
			return []int{2}
		}
		r.run(100)
		var bits, n [2]float64
		r.seen = func(f flight) {
			way := 0
			if !f.up {
				way = 1
			}
			bits[way] += float64(session.HeaderBits(f.bytes, f.up, 60, c.rate))
			n[way]++
		}
		r.run(1000)
		t.Logf("%v lost, %d snapshots a second: %.1f bits up, %.1f down", c.loss, c.rate, bits[0]/n[0], bits[1]/n[1])
		if bits[0]/n[0] > c.most {
			t.Errorf("%v lost, %d snapshots a second: %.1f bits on the way up, want at most %v", c.loss, c.rate, bits[0]/n[0], c.most)
		}
	}
}
