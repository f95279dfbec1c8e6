package session

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
)

// 70,000 datagrams, of which some are lost, up to 3,000 in a row, some doubled and some
// overtaken by up to 120 others: of each that comes the server knows which it is, and
// whether it is newer than all before. [WIR-14]
func TestSequenceNumbers(t *testing.T) {
	const seed = 7
	w := rand.New(rand.NewPCG(seed, 0))
	type datagram struct{ number, ack uint32 }
	var a arrivals
	var due [200][]datagram
	newest, acked := uint32(0), uint32(0) // as they truly are
	off := uint32(0)                      // what a gap of more than 1,024 leaves out of the count
	outage, wrong := 0, 0
	for n := uint32(1); n <= 70_000; n++ {
		if w.IntN(5000) == 0 {
			outage = w.IntN(3000)
		}
		if outage--; outage < 0 && w.IntN(20) != 0 {
			d := datagram{n, n / 2} // a snapshot comes with every other one
			for range 1 + w.IntN(5)/4 {
				delay := uint32(w.IntN(3) * w.IntN(60))
				due[(n+delay)%200] = append(due[(n+delay)%200], d)
			}
		}
		for _, d := range due[n%200] {
			number, newer := a.full(d.number%sequences, d.ack, acked)
			if truly := d.number > newest; newer != truly {
				wrong++
				t.Errorf("seed %d: %d after %d is newer: %v", seed, d.number, newest, newer)
			}
			if newer {
				off = d.number - number
				if off%sequences != 0 {
					t.Fatalf("seed %d: %d is taken for %d", seed, d.number, number)
				}
				newest, acked = d.number, max(acked, d.ack)
			} else if number != 0 && number != d.number-off && newest-d.number < 1000 {
				t.Fatalf("seed %d: %d is taken for %d, %d left out", seed, d.number, number, off)
			}
			a.note(number, newer, clock.Micros(n), clock.Micros(n))
		}
		if due[n%200] = due[n%200][:0]; wrong > 5 {
			t.Fatal("and so on")
		}
	}
	if newest < 69_000 || off == 0 {
		t.Errorf("ended at %d, %d left out: no test of anything", newest, off)
	}
}

// A server that knows nothing of acknowledgements, since none has come down to the
// client, still tells the order by the numbers alone. [WIR-14]
func TestSequenceNumbersAlone(t *testing.T) {
	a := arrivals{}
	for _, c := range []struct {
		low, want uint32
		newer     bool
	}{
		{5, 5, true}, {4, 4, false}, {5, 5, false}, {900, 900, true}, {10, 1034, true}, {1020, 1020, false},
		{5, 1029, false}, {900, 1924, true}, {900, 1924, false}, {899, 1923, false}, {0, 2048, true},
	} {
		number, newer := a.full(c.low, 0, 0)
		if number != c.want || newer != c.newer {
			t.Errorf("%d after %d: got %d, %v; want %d, %v", c.low, a.received.Newest, number, newer, c.want, c.newer)
		}
		a.note(number, newer, 0, 0)
	}
	first := arrivals{}
	if n, newer := first.full(0, 0, 0); n != 1024 || !newer {
		t.Errorf("number 1024 comes first: %d, %v", n, newer)
	}
	first.received.Newest = 3
	if n, newer := first.full(1000, 0, 0); n != 0 || newer {
		t.Errorf("a number from before the first: %d, %v", n, newer)
	}
}

// The client of 500 datagrams a second knows by its clock that an acknowledgement is about an old
// one of the same low bits; one of 60 need not ask.
func TestCertainEchoes(t *testing.T) {
	for _, c := range []struct {
		rate clock.Micros
		want bool
	}{{60, true}, {500, false}} {
		var s sendTimes
		now := clock.Micros(0)
		for range 3000 {
			now += clock.Second / c.rate
			s.next(now)
		}
		if s.certain(now) != c.want || s.at(s.newest) != now || s.at(s.newest-1000) != now-1000*(clock.Second/c.rate) {
			t.Errorf("%d a second: certain %v, want %v", c.rate, s.certain(now), c.want)
		}
	}
}

// The least round trip is that of the connection, taken to have grown by 500 ppm since,
// once there were samples in three seconds, and what nearly all stay below is above it. [TIM-12]
func TestRoundTrips(t *testing.T) {
	var r roundTrip
	if r.least(clock.Second) != 0 || r.most() != 0 {
		t.Error("something is known of nothing")
	}
	shortest, since := clock.Micros(1<<40), clock.Micros(0)
	for i := range clock.Micros(600) {
		at := i * 50 * clock.Millisecond
		rtt := 60*clock.Millisecond + i*7919%20_000
		if i == 100 {
			rtt = 10 * clock.Millisecond
		}
		r.sample(at, rtt)
		r.sample(at, -1)
		if grown := shortest + (at-since)*500/1_000_000; rtt <= grown {
			shortest, since = rtt, at
		}
		want := shortest + (at-since)*500/1_000_000
		if at < 2*clock.Second {
			want = 0
		}
		if got := r.least(at); got != want {
			t.Fatalf("after %d: %d µs, want %d", i, got, want)
		}
	}
	if m := r.most(); m < 70_000 || m > 110_000 {
		t.Errorf("nearly all stay below %d µs", m)
	}
	if got := r.least(60 * clock.Second); got != 37_500 { // 10 ms, and 55 s of growth
		t.Errorf("after half a minute of silence: %d µs, want 37500", got)
	}
}
