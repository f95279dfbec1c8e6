package splitview

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/check"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/transport/mem"
)

const second = clock.Second

// newMatch returns a match on a network of so many milliseconds one way.
func newMatch(t testing.TB, delay, jitter int, loss float64, seed uint64) *Match {
	t.Helper()
	m, err := New(Network{clock.Micros(delay) * clock.Millisecond, clock.Micros(jitter) * clock.Millisecond, loss}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The rules are right in what the compiler cannot see.
func TestTheRules(t *testing.T) {
	start := Hero{State: spawns[0], Loadout: guns.Loadout()}
	check.Game(t, Rules(), check.Play[Hero, Input]{Start: start, World: level, Moves: 3000})
}

// history remembers where a player was at which time.
type history []struct {
	at       clock.Micros
	position geom.Vec3
}

func (h *history) add(at clock.Micros, p geom.Vec3) {
	*h = append(*h, struct {
		at       clock.Micros
		position geom.Vec3
	}{at, p})
}

// at returns the position at a time, on the line between the two that surround it.
func (h history) at(t clock.Micros) (geom.Vec3, bool) {
	for i := len(h) - 1; i > 0; i-- {
		if a, b := h[i-1], h[i]; a.at <= t && t <= b.at && a.at < b.at {
			return a.position.Lerp(b.position, float64(t-a.at)/float64(b.at-a.at)), true
		}
	}
	return geom.Vec3{}, false
}

// Without loss, your screen at a time and the server's truth of that time are the same place, one
// delay of the inputs later; and each one's screen shows where the other was at the time of its view. How much later is
// what the frame says.
func TestTheThreeViewsAgree(t *testing.T) {
	m := newMatch(t, 75, 5, 0, 3)
	m.players[0].down.change(Network{Delay: 150 * clock.Millisecond, Jitter: 5 * clock.Millisecond}.of()) // or both ages would be equal
	var own [players]history
	var server, behind, late float64
	var seen [players][]float64 // how far off a player's screen is another's view of it
	n := 0
	var pushed clock.Micros
	buffer := m.AppendFrame(nil)
	for range 30 * stepRate {
		m.step(nil)
		for _, e := range m.events {
			if e.Kind == Judged && e.Hit {
				pushed = m.now // what the server does to a player, its screen learns later
			}
		}
		for i, p := range m.players {
			own[i].add(m.now, p.client.Position())
		}
		buffer = m.AppendFrame(buffer[:0])
		f := readFrame(t, buffer)
		if m.now < pushed+second || m.steps < 6*stepRate {
			continue
		}
		truth, ok := own[0].at(m.now - f.behind)
		you, ok2 := own[0].at(m.now - f.late)
		other, ok3 := own[1].at(m.now - f.youSeeLate)
		if !ok || !ok2 || !ok3 {
			continue
		}
		n++
		server = max(server, truth.Dist(m.after[ServerTruth][0].Position))
		seen[0] = append(seen[0], you.Dist(m.after[OpponentScreen][0].Position))
		seen[1] = append(seen[1], other.Dist(m.after[YourScreen][1].Position))
		behind += millis(f.behind)
		late += millis(f.late)
	}
	if n < 300 {
		t.Fatalf("compared %d steps, want 300", n)
	}
	behind, late = behind/float64(n), late/float64(n)
	t.Logf("delay 75 ms: server behind your screen by %.1f ms in the mean, opponent by %.1f ms; your position is off by at most %.4f m on the server in %d steps", behind, late, server, n)
	if server > 0.02 {
		t.Errorf("server: got your position of its newest move %.4f m off your screen at that time, want at most 0.02 m", server)
	}
	// Half a snapshot's interval after a jump, a landing or a wall the straight line between two snapshots
	// is off by up to speed · interval / 4: 5 m/s · 33 ms / 4 = 4 cm along each of the two axes.
	for i, off := range seen {
		slices.Sort(off)
		if most, nearly := off[n-1], off[n*98/100]; nearly > 0.03 || most > 0.08 {
			t.Errorf("player %d on the other's screen: got %.4f m off its own screen at the time of the view in 98 %% of steps, and %.4f m at most; want 0.03 and 0.08 m", i, nearly, most)
		}
	}
	if behind < 75 || behind > 75+5+1e3/sendRate+1e3/stepRate {
		t.Errorf("server: got %.1f ms behind your screen, want the delay of 75 ms, jitter and the wait for a datagram and a tick", behind)
	}
	if late < behind+75 {
		t.Errorf("opponent: got %.1f ms behind your screen, want at least 75 ms more than the server's %.1f ms", late, behind)
	}
}

// Every packet that was sent is delivered, lost or in flight, and each is reported once.
func TestPacketsAreConserved(t *testing.T) {
	for _, loss := range []float64{0, 0.3} {
		m := newMatch(t, 100, 30, loss, 5)
		type key struct {
			player, number int
			up             bool
		}
		seen := map[key]bool{}
		lost, before := 0, totals(m)
		for range 10 * stepRate {
			m.step(nil)
			for _, p := range m.packets {
				k := key{p.Player, p.Number, p.Up}
				if seen[k] {
					t.Fatalf("loss %v: packet %+v was reported twice", loss, k)
				}
				seen[k] = true
				if p.Lost {
					lost++
				}
			}
			m.packets = m.packets[:0]
		}
		after := totals(m)
		sent := int(after.Sent - before.Sent)
		t.Logf("loss %v: %d packets in 10 s, %d lost (%.3f)", loss, sent, lost, float64(lost)/float64(sent))
		if len(seen) != sent || lost != int(after.Lost-before.Lost) {
			t.Errorf("loss %v: got %d packets and %d lost ones reported, want %d and %d", loss, len(seen), lost, sent, after.Lost-before.Lost)
		}
		if share := float64(lost) / float64(sent); math.Abs(share-loss) > 0.05 {
			t.Errorf("loss %v: got %.3f lost", loss, share)
		}
	}
}

// totals adds up the packets of a match, and checks that none is missing.
func totals(m *Match) (all mem.LinkStats) {
	for i, p := range m.players {
		for _, l := range []*link{p.up, p.down} {
			s := l.Stats()
			if flying := s.Sent - s.Delivered - s.Lost; (flying == 0) != (l.InFlight() == 0) || s.Delivered+s.Lost > s.Sent {
				panic(fmt.Sprintf("player %d: got %d bytes in flight and %+v: want every packet delivered, lost or in flight", i, l.InFlight(), s))
			}
			all.Sent += s.Sent
			all.Lost += s.Lost
		}
	}
	return all
}

// Equal seeds give equal matches, however the page's frames fall; other seeds give others.
func TestTheSameSeedPlaysTheSameMatch(t *testing.T) {
	play := func(seed uint64, by clock.Micros) uint64 {
		m := newMatch(t, 75, 20, 0.1, seed)
		for end := m.shown + 10*second; m.shown < end; {
			m.Advance(min(by, end-m.shown), nil)
		}
		return m.Hash()
	}
	a, b, other := play(1, 16667), play(1, 1042), play(2, 16667)
	t.Logf("seed 1: %#x, in slow motion %#x; seed 2: %#x", a, b, other)
	if a != b {
		t.Errorf("seed 1: got %#x in slow motion, want %#x", b, a)
	}
	if a == other {
		t.Errorf("seeds 1 and 2 both gave %#x", a)
	}
}

// Bots hit each other at 150 ms one way; each verdict is what the shooter's screen showed, and the
// server went back by about the round trip for it.
func TestShotsAreJudgedAsSeen(t *testing.T) {
	m := newMatch(t, 150, 10, 0.02, 9)
	fired, judged, hits, agree, seen, pushes, wrong := 0, 0, 0, 0, 0, 0, 0
	var ago clock.Micros
	moved := 0.0
	for range 60 * stepRate {
		m.step(nil)
		for _, e := range m.events {
			switch e.Kind {
			case Fired:
				fired++
			case Judged:
				judged++
				ago += e.Ago
				moved += e.Moved
				if e.Hit {
					hits++
				}
				if e.Agrees {
					agree++
				}
			case Seen:
				seen++
			case Corrected:
				if e.Pushed {
					pushes++
				} else {
					wrong++
				}
			}
		}
		m.events = m.events[:0]
	}
	ago /= clock.Micros(max(judged, 1))
	t.Logf("%d shots fired, %d judged, %d hits, %d as seen, %d shown to the other; %.0f ms back and %.2f m moved on in the mean; %d pushes, %d other corrections",
		fired, judged, hits, agree, seen, millis(ago), moved/float64(judged), pushes, wrong)
	if fired < 30 || hits < 10 || fired-judged > 2 || judged-seen > 2 {
		t.Errorf("got %d shots fired, %d judged, %d hits, %d seen", fired, judged, hits, seen)
	}
	if agree < judged*97/100 {
		t.Errorf("got %d of %d verdicts as the shooter's screen showed, want 97 %%", agree, judged)
	}
	if ago < 300*clock.Millisecond || ago > 500*clock.Millisecond {
		t.Errorf("got views of %.0f ms ago, want the round trip of 300 ms and the view delay", millis(ago))
	}
}

// You at the controls: the bot lets go, a step to the right moves you to the right, and a click fires once.
func TestYouPlay(t *testing.T) {
	m := newMatch(t, 50, 0, 0, 1)
	from := m.after[YourScreen][0].Position
	m.Advance(second/2, &Controls{Right: 1})
	to := m.after[YourScreen][0].Position
	if to.X-from.X < 1 {
		t.Errorf("got from %v to %v in half a second to the right, want at least 1 m of +X", from, to)
	}
	m.events = m.events[:0]
	m.Advance(clock.Millisecond*20, &Controls{Fire: true, AtPoint: true, Point: geom.V(0, 1, 0)})
	m.Advance(second/2, &Controls{})
	fired := 0
	for _, e := range m.events {
		if e.Kind == Fired && e.Player == 0 {
			fired++
		}
	}
	if fired != 1 {
		t.Errorf("got %d shots of one click, want 1", fired)
	}
}

// A frame says how long it is; read back, its numbers are those of the match.
func TestAFrameIsComplete(t *testing.T) {
	m := newMatch(t, 75, 0, 0.1, 4)
	m.AppendFrame(nil)
	m.Advance(second, nil)
	packets, events := len(m.packets), len(m.events)
	b := m.AppendFrame(nil)
	want := headSize + views*players*figureSize + packets*packetSize + events*eventSize
	if len(b) != want || packets < 100 {
		t.Errorf("got a frame of %d numbers with %d packets and %d events, want %d", len(b), packets, events, want)
	}
	if b[headSize-2] != float64(packets) || b[headSize-1] != float64(events) {
		t.Errorf("got %v packets and %v events in the head, want %d and %d", b[headSize-2], b[headSize-1], packets, events)
	}
	if again := m.AppendFrame(nil); len(again) != headSize+views*players*figureSize {
		t.Errorf("got %d numbers in the frame after, want no packets and no events", len(again))
	}
}

// A step in the steady state allocates nothing.
func TestAStepAllocatesNothing(t *testing.T) {
	m := newMatch(t, 75, 5, 0.05, 6)
	buffer := m.AppendFrame(make([]float64, 0, 1<<16))
	for range 30 * stepRate {
		m.Advance(second/stepRate, nil)
		buffer = m.AppendFrame(buffer[:0])
	}
	got := testing.AllocsPerRun(10*stepRate, func() {
		m.Advance(second/stepRate, nil)
		buffer = m.AppendFrame(buffer[:0])
	})
	if t.Logf("%v allocations a step", got); got > 0 {
		t.Errorf("got %v allocations a step, want 0", got)
	}
}

// Zero is the perfect network, and numbers out of range are clamped.
func TestNetworksOutOfRange(t *testing.T) {
	for _, n := range []Network{{}, {Delay: -1, Jitter: -1, Loss: -1}, {Delay: 3600 * second, Jitter: 3600 * second, Loss: 7}} {
		if err := n.of().Check(); err != nil {
			t.Errorf("%+v: %v", n, err)
		}
	}
	m := newMatch(t, 0, 0, 0, 1)
	m.Advance(second, nil)
	m.SetNetwork(Network{Delay: 3600 * second, Loss: 2})
	m.Advance(second, nil)
}
