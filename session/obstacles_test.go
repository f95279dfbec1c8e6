package session

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// posts are players that are upright posts of 0.3 m; the dead are no obstacles.
type posts struct{}

func (posts) BodyCapsule(s *track.Sample) (geom.Capsule, bool) {
	return geom.Capsule{A: s.Position.Add(geom.V(0, .3, 0)), B: s.Position.Add(geom.V(0, 1.5, 0)), Radius: .3}, !s.Dead
}

// finderWith returns the obstacle finder of player 1 on a client that has one frame, of tick 5 at
// one second.
func finderWith(list ...track.Entity) *obstacleFinder {
	c := &obstacleFinder{shape: posts{}.BodyCapsule, snapshots: track.NewSnapshotHistory(128)}
	c.self = 1
	f := c.snapshots.Record(5, clock.Second)
	for _, e := range list {
		f.Add(e.ID, e.Sample)
	}
	return c
}

func post(id track.ID, x, speed float64) track.Entity {
	return track.Entity{ID: id, Sample: track.Sample{At: clock.Second, Pose: track.Pose{Position: geom.V(x, 0, 0), Velocity: geom.V(speed, 0, 0)}}}
}

// hoist is a world with a lift that rises by 2 m/s.
func hoist(t testing.TB) *collide.World {
	var b collide.Builder
	b.Mover("lift", collide.Path{Keys: []collide.Key{{}, {At: 100 * clock.Second, Position: geom.V(0, 200, 0)}}}, func(b *collide.Builder) {
		b.Box(geom.V(0, -1, 0), geom.V(5, 1, 5), geom.IdentityQuat, collide.Surface{})
	})
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// BAS-08: others are carried on to the stamp of the command, by 250 ms at most, and
// not into the player that moves; that one, the dead and the distant are no obstacles.
func TestNearbyObstacles(t *testing.T) {
	dead := post(7, 2, 0)
	dead.Dead = true
	c := finderWith(post(1, 0, 0), post(2, 3, 4), post(3, -2, -6), post(4, 1, -9), post(5, 6.5, 0), post(6, 6.5, -6), dead)
	for _, s := range []struct {
		after clock.Micros
		want  map[uint16]float64 // x by id
	}{
		{0, map[uint16]float64{2: 3, 3: -2, 4: 1}},
		{100 * clock.Millisecond, map[uint16]float64{2: 3.4, 3: -2.6, 4: .6, 6: 5.9}},
		{900 * clock.Millisecond, map[uint16]float64{2: 4, 3: -3.5, 4: .6, 6: 5}},
		{-100 * clock.Millisecond, map[uint16]float64{2: 3, 3: -2, 4: 1}},
	} {
		got := c.find(hoist(t), track.Sample{}, 5, clock.Second+s.after)
		if len(got) != len(s.want) {
			t.Errorf("%d ms later: got %+v, want %v", s.after/1000, got, s.want)
		}
		for i, o := range got {
			if x, ok := s.want[o.ID]; !ok || o.Capsule.A.Sub(geom.V(x, .3, 0)).Len() > 1e-6 || i > 0 && o.ID <= got[i-1].ID {
				t.Errorf("%d ms later: %d at %v, want x = %v", s.after/1000, o.ID, o.Capsule.A, x)
			}
		}
	}
	if got := c.find(hoist(t), dead.Sample, 5, clock.Second); got != nil {
		t.Errorf("the dead bump into %v", got)
	}
	if got := c.find(hoist(t), track.Sample{}, 4, clock.Second); got != nil {
		t.Errorf("of a snapshot that did not come: %v", got)
	}
}

// A step learns what is in the way: its id, its kind and where it looks, so that it can get into a car. [BAS-08]
func TestObstaclesSayWhatTheyAre(t *testing.T) {
	car := post(200, 1, 0)
	car.Kind, car.Yaw = 3, 1.25
	walker := post(2, 2, 0)
	walker.Yaw = -0.5
	c := finderWith(walker, car)
	c.character = func(kind track.Kind) bool { return kind == 3 }
	got := c.find(hoist(t), track.Sample{}, 5, clock.Second)
	if len(got) != 2 {
		t.Fatalf("got %+v, want two", got)
	}
	for i, want := range []track.Entity{walker, car} {
		if o, s := got[i], track.Quantise(want.Sample); o.ID != uint16(want.ID) || o.Kind != uint8(want.Kind) || o.Yaw != s.Yaw {
			t.Errorf("got %+v, want id %d, kind %d and yaw %v", o, want.ID, want.Kind, s.Yaw)
		}
	}
}

// BAS-09: no player is carried on through a wall or a ceiling, but over steps.
func TestExtrapolationStopsAtWalls(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, 1.5, 0), geom.V(.01, 1.5, 20), geom.IdentityQuat, collide.Surface{}) // a wall at x = 0
	b.Box(geom.V(4, .2, 0), geom.V(.5, .2, 20), geom.IdentityQuat, collide.Surface{})    // a step of 40 cm at 3.5
	b.Box(geom.V(-5, 2.5, 0), geom.V(1, .05, 1), geom.IdentityQuat, collide.Surface{})   // a ceiling 0.7 m above the head
	b.Mover("door", collide.Path{}, func(b *collide.Builder) {
		b.Box(geom.V(-3, 1, 0), geom.V(.01, 1, 20), geom.IdentityQuat, collide.Surface{})
	})
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	jumper := post(6, -5, 0)
	jumper.Velocity = geom.V(0, 4, 0)
	c := finderWith(post(2, 1, -6), post(3, 2.5, 6), post(4, -1, 6), post(5, -2, -6), jumper)
	want := map[uint16]geom.Vec3{2: geom.V(.31, 0, 0), 3: geom.V(4, 0, 0), 4: geom.V(-.31, 0, 0), 5: geom.V(-2.69, 0, 0), 6: geom.V(-5, .65, 0)}
	for id, to := range want {
		self := track.Sample{Pose: track.Pose{Position: to.Flat(geom.Up).Add(geom.V(0, 0, 2))}}
		all := c.find(w, self, 5, clock.Second+250*clock.Millisecond)
		i := slices.IndexFunc(all, func(o collide.Obstacle) bool { return o.ID == id })
		if i < 0 {
			t.Errorf("%d is no obstacle of a player beside %v, want it there", id, to)
		} else if at := all[i].Capsule.A.Sub(geom.V(0, .3, 0)); at.Dist(to) > .01 {
			t.Errorf("%d carried on to %v, want %v", id, at, to)
		}
	}
	self := track.Sample{Pose: track.Pose{Position: geom.V(0, 0, 2)}}
	if n := testing.AllocsPerRun(20, func() { c.find(w, self, 5, clock.Second+250*clock.Millisecond) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// BAS-08, BAS-01: a rider is in the way where its base is at the stamp; it goes on in
// the base's frame, and its velocity has the base's in it.
func TestRidersAsObstacles(t *testing.T) {
	rider := post(2, 1.5, 1)
	rider.Base = 1
	c := finderWith(rider)
	self := track.Sample{BaseLink: track.BaseLink{Base: 1}}
	got := c.find(hoist(t), self, 5, 1100*clock.Millisecond)
	if len(got) != 1 || got[0].Capsule.A.Dist(geom.V(1.6, 2.5, 0)) > 1e-6 || got[0].Velocity.Dist(geom.V(1, 2, 0)) > 1e-9 {
		t.Errorf("got %+v, want one at 1.6 m, 2.2 m up", got)
	}
}

// BAS-08: of more than MaxObstacles the nearest count, by ascending id, as a search
// through all finds them; and asking allocates nothing.
func TestTheNearestObstaclesCount(t *testing.T) {
	const seed = 2
	r := rand.New(rand.NewPCG(seed, 0))
	w := hoist(t)
	for range 50 {
		var list []track.Entity
		for id := track.ID(2); id < 60; id++ {
			e := post(id, r.Float64()*10-5, 0)
			e.Position.Z = r.Float64()*10 - 5
			list = append(list, e)
		}
		c := finderWith(list...)
		var got []collide.Obstacle
		if n := testing.AllocsPerRun(20, func() { got = c.find(w, track.Sample{}, 5, clock.Second) }); n != 0 {
			t.Fatalf("%v allocations, want 0", n)
		}
		if len(got) != collide.MaxObstacles {
			t.Fatalf("seed %d: %d obstacles", seed, len(got))
		}
		farthest, in := 0.0, map[uint16]bool{}
		for i, o := range got {
			in[o.ID] = true
			farthest = max(farthest, o.Capsule.A.Flat(geom.Up).Len())
			if i > 0 && o.ID <= got[i-1].ID {
				t.Errorf("seed %d: ids %d, %d", seed, got[i-1].ID, o.ID)
			}
		}
		for _, e := range list {
			if d := track.Quantise(e.Sample).Position.Len(); d < farthest-1e-9 && !in[uint16(e.ID)] {
				t.Errorf("seed %d: %d at %v is left out, the farthest taken is at %v", seed, e.ID, d, farthest)
			}
		}
	}
}

// Of a snapshot the players are obstacles that this client was sent in it; of one that is
// not believed, all. [BAS-08, GAP-59]
func TestOnlySentPlayersAreObstacles(t *testing.T) {
	c := finderWith(post(1, 0, 0), post(2, 3, 0), post(3, 0, 0))
	c.timeline, c.firstSent, c.sent = &timeline{}, 1, track.NewSentLog(128)
	c.sent.Begin(5)
	c.sent.Add(5, 3)
	for stamp, want := range map[clock.Micros]int{clock.Second: 1, 9 * clock.Second: 2} {
		if got := c.find(hoist(t), track.Sample{}, 5, stamp); len(got) != want || got[len(got)-1].ID != 3 {
			t.Errorf("at %d: got %+v, want %d", stamp, got, want)
		}
	}
}

// A server believes a command's snapshot where it was sent to this client, is remembered and is not older than half a
// second at the stamp; else it takes its newest (THR-20). Of one that the client's link had no room for, nobody was an
// obstacle: a cheat could name it and walk through others. [BAS-08]
func TestRefusedSnapshotsOfCommands(t *testing.T) {
	c := &obstacleFinder{shape: posts{}.BodyCapsule, snapshots: track.NewSnapshotHistory(128)}
	c.self, c.firstSent = 1, 20
	c.timeline = &timeline{sent: ackCodec{schedule: schedule{60, 30}}} // even ticks
	c.sent = track.NewSentLog(128)
	for tick := uint32(1); tick <= 200; tick++ {
		c.snapshots.Record(tick, clock.TickTime(int64(tick), 60))
		if tick%2 == 0 && tick != 184 {
			c.sent.Begin(tick)
		}
	}
	at := func(tick int64) clock.Micros { return clock.TickTime(tick, 60) }
	for _, s := range []struct {
		seen  uint32
		stamp clock.Micros
		want  uint32
	}{
		{180, at(190), 180}, {200, at(190), 200}, {160, at(190), 160}, {160, at(190) + 1, 200}, {181, at(190), 200}, {184, at(190), 200},
		{60, at(60), 200}, {202, at(190), 200}, {0, at(190), 200}, {1 << 31, at(190), 200},
	} {
		got, log := c.snapshot(s.seen, s.stamp)
		if got == nil || got.Tick != s.want || (log == c.sent) != (s.seen == s.want && s.stamp <= at(190)) {
			t.Errorf("%+v: got tick %d, and what this client was sent of it: %v", s, got.Tick, log == c.sent)
		}
	}
	c.firstSent = 170
	if got, _ := c.snapshot(168, at(180)); got.Tick != 200 {
		t.Errorf("sent before this client came: got tick %d", got.Tick)
	}
	c.firstSent = 0
	if got, _ := c.snapshot(180, at(190)); got.Tick != 200 {
		t.Error("nothing was sent yet")
	}
}

// The snapshot of a command travels as its step, and in one form only. [BAS-08]
func TestSeenTravels(t *testing.T) {
	for _, c := range [][2]uint32{{0, 0}, {0, 1}, {7, 8}, {7, 7}, {7, 1 << 31}, {1<<32 - 1, 0}, {300, 240}} {
		var p bits.Packer
		p.Write(make([]byte, 16))
		before, m := move[int]{Seen: c[0]}, move[int]{Seen: c[1]}
		m.packSeen(&p, &before)
		if n := p.Bits(); c[1] == c[0]+1 && n != 1 {
			t.Errorf("%v: %d bits", c, n)
		}
		p.Read(p.Bytes())
		var got move[int]
		if got.packSeen(&p, &before); p.Err() != nil || got.Seen != c[1] {
			t.Errorf("%v: got %d (%v)", c, got.Seen, p.Err())
		}
	}
	for _, bad := range []int64{1, 1 << 33} {
		var p bits.Packer
		p.Write(make([]byte, 16))
		next := false
		p.Bool(&next)
		p.Varint(&bad)
		p.Read(p.Bytes())
		var m move[int]
		if m.packSeen(&p, &move[int]{}); p.Err() != bits.ErrRange {
			t.Errorf("a step of %d: %v, want %v", bad, p.Err(), bits.ErrRange)
		}
	}
}

// What one command of a player among 63 others costs, a dozen of them near.
func BenchmarkObstacles(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	var list []track.Entity
	for id := track.ID(2); id < 65; id++ {
		e := post(id, r.Float64()*30-15, 3)
		e.Position.Z = r.Float64()*30 - 15
		list = append(list, e)
	}
	c, w := finderWith(list...), hoist(b)
	for b.Loop() {
		c.find(w, track.Sample{}, 5, clock.Second+100*clock.Millisecond)
	}
}
