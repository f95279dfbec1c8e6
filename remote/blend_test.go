package remote

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// link is a link that loses and reorders the snapshots of two runners and of one that stands, with
// the server's record and the client.
type link struct {
	rnd    *rand.Rand
	server *track.SnapshotHistory
	others *Remotes
	air    []snapshot
	loss   float64
	jitter clock.Micros
	every  uint32
	tick   uint32
}

func newLink(seed uint64, every uint32, jitter clock.Micros, loss float64) *link {
	return &link{rnd: rand.New(rand.NewPCG(seed, 24)), server: track.NewSnapshotHistory(256), others: New(16_667),
		loss: loss, jitter: jitter, every: every}
}

// to advances the link to a match time.
func (l *link) to(now clock.Micros) {
	for ; clock.TickTime(int64(l.tick)+1, 60) <= now; l.tick++ {
		at := clock.TickTime(int64(l.tick)+1, 60)
		f := l.server.Record(l.tick+1, at)
		f.Complete = true
		owner := at - clock.Micros(l.rnd.IntN(20))*ms
		one, two := run(owner), run(owner+700*ms)
		two.At = owner
		f.Add(1, one)
		f.Add(2, two)
		f.Add(3, track.Sample{At: owner})
		if (l.tick+1)%l.every != 0 {
			continue
		}
		var sent track.Snapshot
		sent.Copy(f)
		if l.rnd.Float64() >= l.loss {
			l.air = append(l.air, snapshot{at + 40*ms + clock.Micros(l.rnd.Int64N(int64(l.jitter)+1)), sent})
		}
	}
	l.air = slices.DeleteFunc(l.air, func(d snapshot) bool {
		if d.arrives <= now {
			l.others.Receive(&d.frame, now)
		}
		return d.arrives <= now
	})
}

// On links that lose, reorder and starve, no entity is ever drawn jumping. From one view to the
// next each moves little further than it runs plus what a blend adds, which is at most as much
// again, and more where a gap is too wide to be drawn across twice. The view after a silence that
// is too long to be blended is excepted. And whatever was drawn, the server has the same bits for
// that view. [GAP-24]
func TestNoEntityJumps(t *testing.T) {
	for _, c := range []struct {
		what   string
		every  uint32
		jitter clock.Micros
		loss   float64
		most   float64 // times the speed of a runner
	}{
		{"10 a second, 5 % lost", 6, 30 * ms, .05, 2.7},
		{"20 a second, 20 % lost", 3, 60 * ms, .20, 2.3},
		{"60 a second, half of them lost", 1, 100 * ms, .50, 1.6},
		{"60 a second, 400 ms of jitter", 1, 400 * ms, .05, 3.6},
	} {
		worst, blending, views := 0.0, 0, 0
		for seed := range uint64(6) {
			l := newLink(seed, c.every, c.jitter, c.loss)
			var last, now []track.Entity
			var before clock.Micros
			for at := clock.Micros(0); at < 20*clock.Second; at += 7 * ms {
				l.to(at)
				long := at-l.others.arrivals.get(l.others.blend.seen.Newest) > maxSilence
				v := l.others.View(at)
				last, now = now, l.others.Targets(v, nil, last[:0])
				if again := (track.Interpolator{History: l.server}).Entities(v, 0, nil); !slices.Equal(now, again) {
					t.Fatalf("%s, seed %d, view %+v:\nclient %+v\nserver %+v", c.what, seed, v, now, again)
				}
				views++
				if v.Blending() {
					blending++
				}
				for i := range now {
					if len(last) != len(now) || at < 2*clock.Second || long {
						break
					}
					d := now[i].Position.Sub(last[i].Position).Flat(geom.Up).Len()
					worst = max(worst, d/6/(v.At-before).Seconds())
				}
				before = v.At
			}
		}
		t.Logf("%s: at most %.2f times as fast as a runner; %.1f %% of views were blended", c.what, worst, 100*float64(blending)/float64(views))
		if worst > c.most || blending == 0 {
			t.Errorf("%s: want at most %.2f times, and some that blend", c.what, c.most)
		}
	}
}

// Frames that only say what is later than the view need no blend, on a link that starves no entity;
// an entity that is never drawn past its last sample needs none either. [GAP-24]
func TestGoodLinksNeedNoBlending(t *testing.T) {
	l := newLink(1, 1, 5*ms, 0)
	for at := clock.Micros(0); at < 10*clock.Second; at += 7 * ms {
		l.to(at)
		if v := l.others.View(at); v.BlendAt != 0 || v.BlendFrom != (track.Received{}) {
			t.Fatalf("at %d: %+v", at, v)
		}
	}
}

// A runner stops while snapshots are lost for 100 ms. Then a late one arrives, and then the ones
// after it: each step of the view is checked. [GAP-24]
func TestARunnerStopsDuringLoss(t *testing.T) {
	stop := func(at clock.Micros) track.Sample { // at 1 s
		s := straight(min(at, clock.Second))
		if s.At = at; at >= clock.Second {
			s.Velocity = geom.Vec3{}
		}
		return s
	}
	r := New(16_667)
	send := func(tick uint32, now clock.Micros) { receive(r, tick, stop(clock.TickTime(int64(tick), 60)), now) }
	late := false
	var last, most float64
	for at := clock.Micros(0); at < 1600*ms; at += 5 * ms {
		for tick := uint32(1); tick < 90; tick++ {
			sent := clock.TickTime(int64(tick), 60)
			if came := sent + 40*ms; came > at-5*ms && came <= at && (tick < 58 || tick > 66) {
				send(tick, at)
			}
		}
		if !late && at >= 1180*ms {
			send(63, at)
			late = true
		}
		s := drawnAt(r, at)
		if at > 300*ms {
			most = max(most, last-s.Position.X)
		}
		last = s.Position.X
	}
	if !about(last, 6, .002) || most*200 > 3.5 {
		t.Errorf("it ends at %v m, want 6; drawn going back by at most %v m/s, want less than 3.5", last, most*200)
	}
}

// A second change before the first blend is over: the view takes whichever moves it less, and ends
// where it should. [GAP-24]
func TestOverlappingBlends(t *testing.T) {
	for seed := range uint64(30) {
		rnd, r := rand.New(rand.NewPCG(seed, 1)), New(16_667)
		last, jump := geom.Vec3{}, 0.0
		came := clock.Micros(0)
		tick := uint32(0)
		for at := clock.Micros(0); at < 6*clock.Second; at += 5 * ms {
			if at >= came { // what arrives is nearly always too old to be drawn towards
				if newest := int64(at-270*ms) * 60 / 1e6; newest > int64(tick) {
					tick = uint32(newest)
					receive(r, tick, run(clock.TickTime(newest, 60)), at)
				}
				came = at + clock.Micros(10+rnd.IntN(60))*ms
			}
			long := at-r.arrivals.get(r.blend.seen.Newest) > maxSilence
			s := drawnAt(r, at)
			if at > 2*clock.Second && !long {
				jump = max(jump, s.Position.Dist(last))
			}
			last = s.Position
		}
		if jump > .25 {
			t.Errorf("seed %d: it jumped by %.3f m in 5 ms", seed, jump)
		}
	}
}

// A runner turns back while nothing arrives. After a short outage the displacement is blended, as
// the view says. After one so long that a server would not rebuild the view before it, the view
// jumps, and a shot is judged as it was aimed (GAP-41, GAP-42).
func TestNoBlendAfterALongOutage(t *testing.T) {
	for _, c := range []struct {
		cut    clock.Micros
		blends bool
	}{{160 * ms, true}, {240 * ms, true}, {400 * ms, false}, {900 * ms, false}} {
		r := New(50 * ms)
		turn := 2000 * ms
		blended := false
		for tick := uint32(1); tick <= 80; tick++ {
			at := clock.Micros(tick) * 50 * ms
			f := track.Snapshot{Tick: tick, At: at}
			way, v := 6*at.Seconds(), 6.0
			if at > turn {
				way, v = 6*(2*turn-at).Seconds(), -6
			}
			f.Add(1, track.Quantise(track.Sample{At: at, Pose: track.Pose{Position: geom.V(way, 0, 0), Velocity: geom.V(v, 0, 0)}}))
			if at <= turn || at > turn+c.cut {
				r.Receive(&f, at)
			}
			for i := range clock.Micros(5) {
				blended = blended || r.View(at+10*ms*i).BlendAt != 0
			}
		}
		if blended != c.blends {
			t.Errorf("after a cut of %d ms it blends: %v, want %v", c.cut/ms, blended, c.blends)
		}
	}
}
