package mem

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// play sends count datagrams of size bytes every gap, and a stream message
// every tenth time, and returns all that arrives, with its own bytes.
func play(n Network, seed uint64, count, size int, gap time.Duration) ([]Arrival, *Link) {
	l := NewLink(n, seed)
	var all, got []Arrival
	take := func(now time.Duration) {
		got = l.Deliver(now, got[:0])
		for _, a := range got {
			a.Bytes = append([]byte(nil), a.Bytes...)
			all = append(all, a)
		}
	}
	b := make([]byte, size)
	for i := range count {
		now := time.Duration(i) * gap
		binary.BigEndian.PutUint32(b, uint32(i))
		l.Send(now, transport.Datagram, b)
		if i%10 == 0 {
			l.Send(now, transport.Stream, b)
		}
		take(now)
	}
	take(time.Duration(count)*gap + time.Hour)
	return all, l
}

// sentAt reads a packet's sending time back.
func sentAt(a Arrival, gap time.Duration) time.Duration {
	return time.Duration(binary.BigEndian.Uint32(a.Bytes)) * gap
}

func TestTheSameSeedGivesTheSameArrivals(t *testing.T) {
	n, _ := Profile("awful")
	one, _ := play(n, 7, 5000, 40, 5*ms)
	two, _ := play(n, 7, 5000, 40, 5*ms)
	other, _ := play(n, 8, 5000, 40, 5*ms)
	if !same(one, two) {
		t.Error("seed 7 twice: the arrivals differ")
	}
	if same(one, other) {
		t.Error("seeds 7 and 8: the arrivals are the same")
	}
}

func same(a, b []Arrival) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].At != b[i].At || a[i].Number != b[i].Number || string(a[i].Bytes) != string(b[i].Bytes) {
			return false
		}
	}
	return true
}

// The first arrivals of one seed, so that a change of the model is noticed:
// it would change every experiment's outcome.
func TestTheModelIsPinned(t *testing.T) {
	n := Network{RTT: 80 * ms, Jitter: 10 * ms, Loss: 0.2, Burst: Burst{0.05, 0.5}, Duplicate: 0.1, Reorder: 0.1, Rate: 1 << 20}
	all, _ := play(n, 1, 40, 100, 10*ms)
	var sum uint64 = 14695981039346656037
	for _, a := range all {
		for _, v := range []uint64{uint64(a.At), a.Number, uint64(a.Channel)} {
			sum = (sum ^ v) * 1099511628211
		}
	}
	const want = 0x98af77dd24778071
	if sum != want {
		t.Errorf("got %#x, want %#x: explain the change", sum, uint64(want))
	}
}

func TestLossAndDelayAreAsConfigured(t *testing.T) { // SND-06
	const count, gap = 200_000, 4 * ms
	for _, c := range []struct {
		name  string
		n     Network
		lost  float64 // expected share
		mean  time.Duration
		twice float64
	}{
		{"perfect", Network{}, 0, 0, 0},
		{"a long cable", Network{RTT: 80 * ms}, 0, 40 * ms, 0},
		{"jitter adds half of itself on average", Network{RTT: 80 * ms, Jitter: 10 * ms}, 0, 45 * ms, 0},
		{"one in a hundred is lost", Network{Loss: 0.01}, 0.01, 0, 0},
		{"bursts lose enter/(enter+leave)", Network{Burst: Burst{0.02, 0.18}}, 0.1, 0, 0},
		{"loss and bursts together", Network{Loss: 0.1, Burst: Burst{0.02, 0.18}}, 1 - 0.9*0.9, 0, 0},
		{"reordering adds 20 ms to one in five", Network{RTT: 20 * ms, Reorder: 0.2}, 0, 14 * ms, 0},
		{"one in twenty comes twice", Network{Duplicate: 0.05}, 0, 0, 0.05},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, l := play(c.n, 3, count, 4, gap)
			var total time.Duration
			grams := 0
			for _, a := range all {
				if a.Channel == transport.Datagram {
					grams++
					total += a.At - sentAt(a, gap)
				}
			}
			s := l.Stats()
			near(t, "lost", float64(s.Lost)/count, c.lost, 0.005)
			near(t, "duplicated", float64(s.Duplicated)/count, c.twice, 0.003)
			near(t, "mean delay in ms", float64(total)/float64(grams)/1e6, float64(c.mean)/1e6, 0.1)
		})
	}
}

func near(t *testing.T, what string, got, want, by float64) {
	t.Helper()
	if math.Abs(got-want) > by {
		t.Errorf("%s: got %v, want %v ± %v", what, got, want, by)
	}
}

func TestBurstsAreAsLongAsConfigured(t *testing.T) {
	l := NewLink(Network{Burst: Burst{Enter: 0.01, Leave: 0.2}}, 1)
	runs, lost, in := 0, 0, false
	for range 1_000_000 {
		before := l.Stats().Lost
		l.Send(0, transport.Datagram, []byte{1})
		now := l.Stats().Lost > before
		if now {
			lost++
			if !in {
				runs++
			}
		}
		in = now
	}
	near(t, "mean run of losses", float64(lost)/float64(runs), 5, 0.2)
}

func TestArrivalsAreInOrderOfTimeAndEveryDelayIsInBounds(t *testing.T) {
	n := Network{RTT: 60 * ms, Jitter: 25 * ms, Loss: 0.05, Duplicate: 0.1, Reorder: 0.1}
	all, _ := play(n, 11, 20_000, 8, 3*ms)
	overtaken := 0
	var newest time.Duration
	for i, a := range all {
		if i > 0 && (all[i-1].At > a.At || all[i-1].At == a.At && all[i-1].Number >= a.Number) {
			t.Fatalf("arrival %d (%v, #%d) is not after the one before it", i, a.At, a.Number)
		}
		if a.Channel != transport.Datagram {
			continue
		}
		sent := sentAt(a, 3*ms)
		if d := a.At - sent; d < 30*ms || d > 75*ms {
			t.Fatalf("datagram sent at %v took %v, want 30 … 75 ms", sent, d)
		}
		if sent < newest {
			overtaken++
		}
		newest = max(newest, sent)
	}
	if overtaken < 1000 {
		t.Errorf("only %d datagrams were overtaken", overtaken)
	}
}

func TestTheStreamLosesNothingAndKeepsItsOrder(t *testing.T) {
	n := Network{RTT: 100 * ms, Jitter: 50 * ms, Loss: 0.3, Burst: Burst{0.05, 0.2}, Duplicate: 0.2, Reorder: 0.2}
	all, _ := play(n, 2, 20_000, 8, 5*ms)
	next, late := uint32(0), 0
	for _, a := range all {
		if a.Channel != transport.Stream {
			continue
		}
		if got := binary.BigEndian.Uint32(a.Bytes); got != next {
			t.Fatalf("message %d arrived, want %d", got, next)
		}
		next += 10
		d := a.At - sentAt(a, 5*ms)
		if d < 50*ms || d > 220*ms {
			t.Fatalf("a message took %v, want 50 … 220 ms", d)
		}
		if d >= 150*ms {
			late++
		}
	}
	if next != 20_000 {
		t.Errorf("%d messages arrived, want 2000", next/10)
	}
	if late < 400 {
		t.Errorf("%d of 2000 came a round trip late; 30 %% of loss and bursts should do more", late)
	}
}

func TestALimitedRateDelaysThenDropsAndNeverSpeedsUp(t *testing.T) {
	// 100 datagrams of 1000 bytes at once, at 1 Mbit/s: 8 ms each; those
	// that would wait more than 100 ms to begin are lost.
	l := NewLink(Network{Rate: 1_000_000}, 1)
	for range 100 {
		l.Send(0, transport.Datagram, make([]byte, 1000))
	}
	got := l.Deliver(time.Hour, nil)
	if len(got) != 13 {
		t.Errorf("%d arrived, want 13 (0 … 96 ms of waiting)", len(got))
	}
	for i, a := range got {
		if want := time.Duration(i+1) * 8 * ms; a.At != want {
			t.Errorf("datagram %d arrived at %v, want %v", i, a.At, want)
		}
	}
	if s := l.Stats(); s.Overflowed != 87 || s.Lost != 87 {
		t.Errorf("overflowed %d, lost %d, want 87 of each", s.Overflowed, s.Lost)
	}
}

// A network's own queue takes as many as wait no longer than it says; a new connection finds the line as busy, with the
// same network and the same outage, and has draws of its own. [SND-06]
func TestAQueueOfItsOwnAndANewConnection(t *testing.T) {
	l := NewLink(Network{Rate: 1_000_000, Queue: 40 * ms, Jitter: 5 * ms}, 1)
	for range 20 {
		l.Send(0, transport.Datagram, make([]byte, 1000)) // 8 ms each
	}
	if got := len(l.Deliver(time.Hour, nil)); got != 6 {
		t.Errorf("%d arrived, want 6 (0 … 40 ms of waiting)", got)
	}
	next, same := l.Renewed(2), l.Renewed(2)
	at, ok := next.Send(0, transport.Datagram, make([]byte, 1000))
	if ok {
		t.Errorf("a packet of the new connection arrives at %v, want that it meets the full queue", at)
	}
	at, ok = next.Send(20*ms, transport.Datagram, make([]byte, 1000))
	if !ok || at < 56*ms || at > 61*ms {
		t.Errorf("20 ms later it arrives at %v, %v; want 56 ms and up to 5 ms of jitter", at, ok)
	}
	same.Send(0, transport.Datagram, make([]byte, 1000))
	if again, _ := same.Send(20*ms, transport.Datagram, make([]byte, 1000)); again != at {
		t.Errorf("the same seed gives %v and %v", at, again)
	}
	l.Cut(time.Second)
	cut := l.Renewed(3)
	if _, ok := cut.Send(900*ms, transport.Datagram, []byte("during")); ok {
		t.Error("a new connection gets through the outage")
	}
	if _, ok := cut.Send(time.Second, transport.Datagram, []byte("after")); !ok || cut.InFlight() != len("after") {
		t.Errorf("after the outage: %v, %d bytes in flight", ok, cut.InFlight())
	}
}

func TestChangingOneKeyLeavesTheDrawsOfTheOthers(t *testing.T) {
	// The same packets meet the same jitter, whether others are lost or not.
	at := func(n Network) map[uint32]time.Duration {
		all, _ := play(n, 9, 2000, 4, 10*ms)
		m := make(map[uint32]time.Duration)
		for _, a := range all {
			if a.Channel == transport.Datagram {
				m[binary.BigEndian.Uint32(a.Bytes)] = a.At
			}
		}
		return m
	}
	all, some := at(Network{Jitter: 30 * ms}), at(Network{Jitter: 30 * ms, Loss: 0.3})
	for k, v := range some {
		if all[k] != v {
			t.Fatalf("datagram %d: %v with loss, %v without", k, v, all[k])
		}
	}
	if len(some) > 1500 || len(some) < 1300 {
		t.Errorf("%d of 2000 arrived with 30 %% loss", len(some))
	}
}

func TestNothingPassesAnOutage(t *testing.T) { // SND-06
	l := NewLink(Network{RTT: 20 * ms}, 1)
	l.Send(0, transport.Datagram, []byte("before"))
	l.Cut(time.Second)
	l.Send(10*ms, transport.Datagram, []byte("during"))
	l.Send(10*ms, transport.Stream, []byte("patient"))
	l.Send(time.Second, transport.Datagram, []byte("after"))
	var said []string
	for _, a := range l.Deliver(time.Hour, nil) {
		said = append(said, string(a.Bytes)+" "+a.At.String())
	}
	want := []string{"before 10ms", "patient 1.01s", "after 1.01s"}
	if len(said) != 3 || said[0] != want[0] || said[1] != want[1] || said[2] != want[2] {
		t.Errorf("got %q, want %q", said, want)
	}
}

func TestASteadyLinkDoesNotAllocate(t *testing.T) {
	n, _ := Profile("mobile")
	l := NewLink(n, 1)
	var now time.Duration
	var got []Arrival
	b := make([]byte, 200)
	round := func() {
		now += 16 * ms
		l.Send(now, transport.Datagram, b)
		got = l.Deliver(now, got[:0])
	}
	for range 20_000 {
		round()
	}
	if n := testing.AllocsPerRun(1000, round); n != 0 {
		t.Errorf("%v allocations a packet, want 0", n)
	}
}

func TestOutOfRangeNetworksAreNamed(t *testing.T) {
	for want, n := range map[string]Network{
		"mem: loss is 1.5, not between 0 and 1":           {Loss: 1.5},
		"mem: reorder is NaN, not between 0 and 1":        {Reorder: math.NaN()},
		"mem: rtt is -1ns, not between 0 and 1 minute":    {RTT: -1},
		"mem: rate is -5, not 0 or more":                  {Rate: -5},
		"mem: burst.leave is -1, not between 0 and 1":     {Burst: Burst{Leave: -1}},
		"mem: jitter is 2m0s, not between 0 and 1 minute": {Jitter: 2 * time.Minute},
	} {
		if err := n.Check(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestEveryProfileIsInRange(t *testing.T) {
	for _, name := range ProfileNames() {
		n, ok := Profile(name)
		if err := n.Check(); !ok || err != nil {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
	}
	if _, ok := Profile("moon"); ok {
		t.Error("there is a profile moon")
	}
}

func BenchmarkLinkPerDatagram(b *testing.B) {
	n, _ := Profile("mobile")
	l := NewLink(n, 1)
	var got []Arrival
	buf := make([]byte, 200)
	for i := range b.N {
		now := time.Duration(i) * ms
		l.Send(now, transport.Datagram, buf)
		got = l.Deliver(now, got[:0])
	}
}
