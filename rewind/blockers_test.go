package rewind_test

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/track"
)

// gate is a floor, a door (mover 1) that runs across the way in 2 s, 1 m wide, and a pane
// (body 2) that stands for good; both are 10 m before the origin.
func gate() *collide.World {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(50, 1, 50), geom.IdentityQuat, collide.Surface{})
	b.Mover("door", collide.Path{Keys: []collide.Key{
		{Position: geom.V(-2, 1, -10)}, {At: 2 * clock.Second, Position: geom.V(2, 1, -10)},
	}}, func(b *collide.Builder) {
		b.Box(geom.Vec3{}, geom.V(.5, 1, .1), geom.IdentityQuat, collide.Surface{})
	})
	b.Mover("pane", collide.Path{Keys: []collide.Key{{Position: geom.V(5, 1, -10)}}}, func(b *collide.Builder) {
		b.Box(geom.Vec3{}, geom.V(1, 1, .1), geom.IdentityQuat, collide.Surface{})
	})
	return b.MustBake()
}

// GAP-46: the door was across the way when the shooter looked, 500 ms ago, and is open now.
// By its rule it stops the shot where it was drawn, where it is, or not at all; of the other
// body, which stands still, nothing depends on when it is looked at. [REW-07]
func TestRulesForMovers(t *testing.T) {
	w := gate()
	h := rewind.NewHistory(60, 0)
	for tick := uint32(1); tick <= 90; tick++ {
		h.Record(tick, clock.TickTime(int64(tick), 60)).Add(1, track.Sample{})
	}
	v := all(75, 1000*ms)
	v.Platform = 1000 * ms // the door is at x = 0; by now, at 1.5 s, at 1
	for _, c := range []struct {
		rule           rewind.Blocker
		then, now, far bool // stopped where the door was, where it is, where it is not
	}{
		{rewind.Rewound, true, false, false},
		{rewind.Present, false, true, false},
		{rewind.Ignored, false, false, false},
	} {
		for _, radius := range []float64{0, .05} {
			s := rewind.NewScene(nil)
			s.Blockers.Rules = []rewind.Blocker{c.rule}
			if err := h.Rebuild(s, v, nil, w, 1); err != nil {
				t.Fatal(err)
			}
			stopped := func(x float64) bool {
				o := s.Sphere(geom.V(x, 1, 0), geom.V(0, 0, -1), 20, radius, rewind.NearestHitbox)
				if o.Kind == rewind.World && (o.Distance < 9.8 || o.Distance > 9.95 || s.Surface().Normal.Dist(geom.V(0, 0, 1)) > 1e-9) {
					t.Errorf("rule %d at x %v: %+v, surface %+v", c.rule, x, o, s.Surface())
				}
				if clear := s.LineOfSight(geom.V(x, 1, 0), geom.V(x, 1, -20)); radius == 0 && clear == (o.Kind == rewind.World) {
					t.Errorf("rule %d at x %v: clear %v, but the shot met %+v", c.rule, x, clear, o)
				}
				return o.Kind == rewind.World
			}
			if then, now, far, pane := stopped(0), stopped(1), stopped(2.5), stopped(5); then != c.then || now != c.now || far != c.far || !pane {
				t.Errorf("rule %d, ball of %v m: stopped where the door was %v, is %v, is not %v, at the pane %v; want %+v", c.rule, radius, then, now, far, pane, c)
			}
		}
	}
}

// GAP-46, destructibles: a body drawn standing stops the shot though it is broken by now, and
// one drawn broken lets it through though it stands again: on the shooter's client and on the
// server alike. A client that was not sent the entity sees its body.
func TestAPaneDrawnStandingStopsTheShot(t *testing.T) {
	const glass, me = track.ID(600), track.ID(1)
	w := gate()
	h := rewind.NewHistory(60, clock.Second)
	sender := replicate.NewSender(replicate.NewMatch(h.Snapshots, w, replicate.Rules{}), me)
	others := remote.New(clock.TickTime(1, 60))
	var inbox replicate.Inbox
	blockers := rewind.Blockers{Breaks: brittle}
	client, server := rewind.NewScene(nil), rewind.NewScene(nil)
	client.Blockers, server.Blockers = blockers, blockers
	broken := func(tick uint32) bool { return tick >= 100 && tick < 160 }
	met := map[rewind.HitKind]int{}
	late := 0 // shots that would have met something else by the server's present
	for tick := uint32(1); tick <= 240; tick++ {
		now := clock.TickTime(int64(tick), 60)
		f := h.Record(tick, now)
		for id := track.ID(1); id <= 2; id++ {
			f.Add(id, track.Sample{At: now, Pose: track.Pose{Position: geom.V(-20, 0, 20)}})
		}
		f.Add(glass, track.Sample{
			At:       now,
			Pose:     track.Pose{Position: geom.V(5, 1, -10)},
			GameData: track.GameData{Kind: brittle, UserData: 2, Dead: broken(tick)},
		})
		viewer := track.Entity{ID: me}
		f.Load(0, &viewer.Sample)
		sender.Begin(tick, viewer)
		for sender.HasMore() {
			var p bits.Packer
			p.Write(make([]byte, 1200))
			sender.Pack(&p)
			var q bits.Packer
			q.Read(p.Bytes())
			if got := inbox.Read(&q, tick, now, others.Received(), others.History()); got != nil {
				others.Receive(got, now)
				sender.Acknowledge(others.Received())
			}
		}
		if tick < 40 {
			continue
		}
		v := others.View(now)
		v.Platform = max(now, v.At)
		client.Set(collide.WorldAt{World: w, At: v.Platform}, others.Targets(v, w, nil))
		saw := client.Ray(geom.V(5, 1, 0), geom.V(0, 0, -1), 20, rewind.NearestHitbox)
		met[saw.Kind]++
		if (saw.Kind == rewind.World) == broken(tick) {
			late++
		}
		if err := h.Rebuild(server, v, sender.SentLog(), w, me); err != nil {
			t.Fatal(err)
		}
		if got := server.Ray(geom.V(5, 1, 0), geom.V(0, 0, -1), 20, rewind.NearestHitbox); got != saw {
			t.Fatalf("tick %d: the client hit %+v, the server %+v", tick, saw, got)
		}
	}
	if met[rewind.World] < 100 || met[rewind.Nothing] < 55 || late < 4 {
		t.Errorf("met %v, %d of them not what there is by now: too few to mean anything", met, late)
	}
}
