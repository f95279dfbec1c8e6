package remote

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// On a good link and on a bad one, with three runners whose samples are of different ages, a server
// that knows when the snapshots arrived computes the very view delay that the client has chosen.
// [HIT-16]
func TestEstimateIsTheClients(t *testing.T) {
	for _, c := range []struct {
		name        string
		way, jitter clock.Micros
		loss        float64
	}{{"good", 2 * ms, ms, 0}, {"jitter", 30 * ms, 40 * ms, 0}, {"losses", 30 * ms, 10 * ms, .2}} {
		const seed = 16
		rnd := rand.New(rand.NewPCG(seed, 0))
		frames, tick := track.NewSnapshotHistory(4*track.ReceivedWindow), clock.TickTime(1, 60)
		r, e := New(tick), NewEstimate(tick, tick, new(Gaps))
		r.SetInterval(tick)
		last, worst, drawn := uint32(0), clock.Micros(0), clock.Micros(0)
		for n := uint32(1); n <= 1200; n++ {
			at := clock.TickTime(int64(n), 60)
			f := frames.Record(n, at)
			for id := track.ID(1); id <= 3; id++ {
				s := straight(at - clock.Micros(id)*5*ms)
				f.Add(id, s)
			}
			came := at + c.way + clock.Micros(rnd.Float64()*float64(c.jitter))
			if rnd.Float64() < c.loss {
				continue
			}
			if r.Receive(f, came); r.Received().Newest == n && last > 0 {
				e.Arrived(frames, nil, last, n, came)
			}
			last = n
			drawn = max(drawn, came)
			client, server := drawn-r.View(drawn).At, e.Delay(drawn)
			if n > 60 {
				worst = max(worst, server-client, client-server)
			}
		}
		t.Logf("%s: delay %d ms, wanted %d and %d; the view at most %d µs apart", c.name, r.Delay()/ms, r.Delay(), e.delay.wanted, worst)
		if e.delay.wanted != r.Delay() || worst > 5*ms {
			t.Errorf("%s, seed %d: wants %d, the client %d; %d µs apart", c.name, seed, e.delay.wanted, r.Delay(), worst)
		}
	}
}

// A sudden lateness is credited as a client's view follows it: by a tenth of the time that passes.
// It is forgotten after 6 s. [HIT-16]
func TestEstimateChangesAsAViewDoes(t *testing.T) {
	frames, tick := track.NewSnapshotHistory(4*track.ReceivedWindow), clock.TickTime(1, 60)
	e := NewEstimate(tick, tick, new(Gaps))
	before, at := clock.Micros(0), clock.Micros(0)
	for n := uint32(1); n <= 1200; n++ {
		was := at
		at = clock.TickTime(int64(n), 60)
		frames.Record(n, at).Add(1, straight(at-5*ms))
		late := clock.Micros(0)
		if n > 300 && n <= 310 {
			late = 120 * ms
		}
		if n > 1 {
			e.Arrived(frames, nil, n-1, n, at+late)
		}
		now := e.Delay(at)
		if n > 60 && max(now-before, before-now) > (at-was)/10+1 {
			t.Fatalf("tick %d: from %d to %d µs", n, before, now)
		}
		if before = now; n == 300 || n == 1200 {
			if now > 40*ms {
				t.Errorf("tick %d: %d µs", n, now)
			}
		}
		if n == 450 && now < 120*ms {
			t.Errorf("tick %d: %d µs", n, now)
		}
	}
}
