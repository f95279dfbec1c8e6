package session_test

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// HIT-12, THR-21: with a MaxRewind of 100 ms no target is hit that has been behind cover for longer
// than 100 ms and a tick, whatever explains the shooter's view: round trips of 0 to 400 ms, a
// screen of 4 frames a second, an input delay of 200 ms, acknowledgements that are held back; nor by
// a client that knows where its target was when it could be hit last, and claims that view. The
// tick is because the server sees only at its ticks that a target is behind cover. At each round
// trip the limit is used: the liar hits a target that has been behind cover for two ticks, some of
// the 100 ms, since little of the target can be hit when it is last in sight.
func TestMaxRewindActsAtItsNumber(t *testing.T) {
	singleThreaded(t)
	const limit = 100 * ms
	for _, c := range []struct {
		name   string
		change func(r *ring, p *party)
		lies   bool
		waits  clock.Micros // beside the way up
	}{
		{"honest", func(*ring, *party) {}, false, 0},
		{"claims the view that it could be granted", func(*ring, *party) {}, true, 0},
		{"4 frames a second", func(_ *ring, p *party) {
			p.every = func(clock.Micros) clock.Micros { return clock.Second / 4 }
		}, false, 0},
		{"an input delay of 200 ms", func(_ *ring, p *party) { p.SetInputDelay(200 * ms) }, true, 200 * ms},
		{"acknowledges 300 ms late", func(_ *ring, p *party) { p.down.delay += 300 * ms }, true, 0},
	} {
		for rtt := clock.Micros(0); rtt <= 400*ms; rtt += 50 * ms {
			r := corner(t, session.ServerConfig{MaxRewind: limit})
			r.parties[0].line(rtt/2, rtt/2)
			r.ready()
			c.change(r, r.parties[0])
			r.run(r.now() + 2*clock.Second)
			g := &peeker{ring: r, hidden: -1 << 60}
			r.ticked, r.noted = g.watch, g.note
			r.parties[0].input = g.input
			if c.lies {
				r.parties[0].input = g.claimAt(limit, rtt/2, c.waits)
			}
			r.run(r.now() + 20*clock.Second)
			t.Logf("%s, %d ms: %d of %d shots at a target behind cover hit, the latest after %d ms; oldest view %d ms", c.name, rtt/ms, g.hits, g.shots, g.latest/ms, g.oldest/ms)
			if g.latest > limit+creditTick || g.oldest > limit || g.shots == 0 {
				t.Errorf("%s, %d ms: %d shots, hit %d µs after it reached cover, in a view %d µs old; want %d at most", c.name, rtt/ms, g.shots, g.latest, g.oldest, limit)
			}
			if c.lies && g.latest < 2*creditTick {
				t.Errorf("%s, %d ms: hit %d µs after it reached cover, want the limit to be used", c.name, rtt/ms, g.latest)
			}
		}
	}
}

// claimAt returns the input of a player that knows where its target will be at the oldest instant
// that a limit allows when the shot arrives, claims to have seen it there, and aims at the side of
// it that stays in sight longest.
func (g *peeker) claimAt(limit, up, waits clock.Micros) func(p *party, now clock.Micros) duelMove {
	return shoots(rifle, func(p *party, now clock.Micros, c *shot.Claim) {
		// The shot is judged at the tick after it has waited, and claims nothing later than its
		// arrival: it is judged at the limit all the same.
		at, present := now+up+waits+creditTick-limit, g.server.Now()
		s, _ := g.server.Truth(g.parties[1].ID(), min(at, present))
		mark := s.Position.MulAdd(s.Velocity, max(at-present, 0).Seconds())
		c.Yaw, c.Pitch = towards(p.Eye(), chest(mark.Add(geom.V(-.25, 0, 0))))
		c.View = track.View{At: min(at, now+up-1), Seen: track.Received{Newest: g.server.TickNumber(), Mask: 1<<64 - 1}}
	})
}

// HIT-12: shots into views that are younger than MaxRewind are judged as without one, one by one; from
// the round trip on at which views are older, a MaxRewind of 100 ms judges a runner 6 m/s fast
// where it was 100 ms ago, and shots at where it was drawn miss.
func TestBelowMaxRewindNothingChanges(t *testing.T) {
	singleThreaded(t)
	for rtt := clock.Micros(0); rtt <= 400*ms; rtt += 50 * ms {
		for _, limit := range []clock.Micros{100 * ms, 250 * ms, 500 * ms} {
			free, _, _ := limited(t, rtt, shot.LongestRewind)
			got, younger, older := limited(t, rtt, limit)
			t.Logf("%d ms, MaxRewind %d ms: %d of %d shots hit, %d younger than that and %d older", rtt/ms, limit/ms, got.hits, got.judged, younger, older)
			if got.judged != free.judged || got.refused > 0 || younger > 0 && older == 0 && got.hits != free.hits {
				t.Errorf("%d ms, MaxRewind %d ms: %+v, without %+v", rtt/ms, limit/ms, got, free)
			}
			if rtt+40*ms < limit-60*ms && older > 0 || rtt > limit && (younger > 0 || got.hits > got.judged/20) {
				t.Errorf("%d ms, MaxRewind %d ms: %d views are younger, %d older, and %d of %d shots hit", rtt/ms, limit/ms, younger, older, got.hits, got.judged)
			}
		}
	}
}

// limited has an honest player shoot at a runner for 10 s, and returns the verdicts, and how many
// of the views were younger than a limit and how many older.
func limited(t *testing.T, rtt, limit clock.Micros) (v verdicts, younger, older int) {
	r := newRing(t, 7, session.ServerConfig{MaxRewind: limit}, rifle, geom.V(0, 0, 0), geom.V(10, 0, 0))
	r.parties[0].line(rtt/2, rtt/2)
	r.parties[1].input = orbiting(geom.Vec3{}, 10)
	r.ready()
	r.parties[0].input = shoots(rifle, nil)
	r.noted = func(e *session.Event) {
		v.add(&e.Receipt)
		switch rc := &e.Receipt; {
		case rc.ViewGranted == rc.ViewRequested:
			younger++
		case e.At-rc.ViewGranted != limit:
			t.Errorf("%d ms, MaxRewind %d ms: judged %d µs back", rtt/ms, limit/ms, e.At-rc.ViewGranted)
		default:
			older++
		}
		if back := e.At - e.Receipt.ViewGranted; back > limit {
			t.Errorf("%d ms, MaxRewind %d ms: judged %d µs back", rtt/ms, limit/ms, back)
		}
	}
	r.run(r.now() + 10*clock.Second)
	return v, younger, older
}
