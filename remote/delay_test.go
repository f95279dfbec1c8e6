package remote

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// stream receives snapshots for a time, every so many ticks of a match of 60 a second, each late by
// the returned lateness; none if that is negative. It returns the share of the time from the middle
// on in which the newest stamp was older than the delay.
func stream(r *Remotes, long clock.Micros, every uint32, late func(n int) clock.Micros) float64 {
	newest, starved, all := clock.Micros(0), 0, 0
	type flight struct {
		tick uint32
		came clock.Micros
	}
	var air []flight
	for n, tick := 0, every; clock.TickTime(int64(tick), 60) < long; n, tick = n+1, tick+every {
		if l := late(n); l >= 0 {
			air = append(air, flight{tick, clock.TickTime(int64(tick), 60) + l})
		}
	}
	for now := clock.Micros(0); now < long; now += ms {
		for i := range air {
			if f := &air[i]; f.came > now-ms && f.came <= now {
				if receive(r, f.tick, straight(clock.TickTime(int64(f.tick), 60)), now); f.tick == r.seen.Newest {
					newest = clock.TickTime(int64(f.tick), 60)
				}
			}
		}
		if now > long/2 {
			all++
			if now-r.Delay() > newest {
				starved++
			}
		}
	}
	return float64(starved) / float64(all)
}

// Single lost snapshots are covered if that costs little: at 60 a second nothing is drawn past its
// last sample. If it costs too much, entities are drawn past it for at most 2 % of the time, and
// the delay stays below 150 ms. With more loss it grows until they are no more than that.
func TestTheDelayCoversLossWithinItsLimit(t *testing.T) {
	for _, c := range []struct {
		what        string
		every       uint32
		way, jitter clock.Micros
		loss        float64
		least, most clock.Micros
		starved     float64
	}{
		{"60 a second, 2 % lost", 1, 40 * ms, 10 * ms, .02, 70 * ms, 100 * ms, .005},
		{"20 a second, none lost", 3, 60 * ms, 20 * ms, 0, 110 * ms, 140 * ms, .004},
		{"20 a second, 2 % lost", 3, 60 * ms, 20 * ms, .02, 140 * ms, 155 * ms, .02},
		{"20 a second, 8 % lost", 3, 60 * ms, 20 * ms, .08, 150 * ms, 200 * ms, .025},
		{"10 a second, 8 % lost", 6, 80 * ms, 20 * ms, .08, 220 * ms, 250 * ms, .08},
	} {
		starved, delay := 0.0, clock.Micros(0)
		for seed := range uint64(5) {
			rnd, r := rand.New(rand.NewPCG(seed, 2)), New(16_667)
			before := false
			starved += stream(r, 40*clock.Second, c.every, func(int) clock.Micros {
				if lost := rnd.Float64() < c.loss; lost && !before { // one at a time
					before = true
					return -1
				}
				before = false
				return c.way + clock.Micros(rnd.Int64N(int64(c.jitter)+1))
			}) / 5
			delay += r.Delay() / 5
		}
		t.Logf("%s: delay %d ms, past the last sample for %.2f %% of the time", c.what, delay/ms, 100*starved)
		if delay < c.least || delay > c.most || starved > c.starved {
			t.Errorf("%s: want %d … %d ms and %.1f %%", c.what, c.least/ms, c.most/ms, 100*c.starved)
		}
	}
}

// Of a hundred entities in view, most are in one snapshot of six, because the budget is full: all
// entities are drawn later for it by 50 ms at most.
func TestEntitiesSentRarely(t *testing.T) {
	r := New(16_667)
	for tick := uint32(1); tick <= 900; tick++ {
		f := track.Snapshot{Tick: tick, At: clock.TickTime(int64(tick), 60)}
		for id := track.ID(1); id <= 100; id++ {
			if uint32(id)%6 == tick%6 || id <= 5 {
				f.Add(id, track.Sample{At: f.At, Pose: track.Pose{Position: geom.V(f.At.Seconds(), 0, 0), Velocity: geom.V(1, 0, 0)}})
			}
		}
		r.Receive(&f, f.At+40*ms)
	}
	if got := r.Delay(); got > 40*ms+17*ms+maxDeferral+5*ms || got < 60*ms {
		t.Errorf("delay %d ms, want 60 … 112", got/ms)
	}
}

// An interruption of the link and a client that stood still are not jitter: the delay stays.
func TestOutagesAndFreezesAreNotJitter(t *testing.T) {
	for _, frozen := range []bool{false, true} {
		r := New(16_667)
		for tick := uint32(1); tick <= 900; tick++ {
			at := clock.TickTime(int64(tick), 60)
			now := at + 40*ms
			cut := tick > 600 && tick < 660
			if cut && frozen {
				now = clock.TickTime(660, 60) + 40*ms
			}
			if !cut || frozen {
				receive(r, tick, straight(at), now)
			}
			if !cut {
				r.View(now)
			}
			if tick == 700 && (r.Delay() > 70*ms || r.Delay() < 50*ms) {
				t.Errorf("frozen %v: delay %d ms, want 60", frozen, r.Delay()/ms)
			}
		}
	}
}
