package replicate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// A hundred players in view of each other, and a budget for a fifth of them: the budget holds in
// every snapshot, every player is sent again within a bound, and none drops out of the view
// (GAP-59: at least ten times a second for those that matter, and by distance). [GAP-36]
func TestTheBudgetHoldsAndNoEntityStarves(t *testing.T) {
	const budget, runners = 200, 100
	sc := newScene(7)
	populate(sc, runners, 0, 25)
	m := NewMatch(sc.frames, nil, Rules{Budget: budget})
	c := newClient(t, sc, m, 1, 7)
	c.size = 1000
	near, count := 0, 0
	for range 900 {
		sc.tick()
		c.send()
		c.receive()
		if sc.n < 120 {
			c.gap = 0 // joining
			continue
		}
		has := c.present()
		if len(has) != runners-1 {
			t.Fatalf("tick %d: %d in the view, want %d", sc.n, len(has), runners-1)
		}
		eye := sc.eye(1)
		for id, s := range has {
			if e := sc.eye(id); e.Position.Dist(eye.Position) < 8 {
				near, count = near+int(e.At-s.At), count+1
			}
		}
	}
	t.Logf("%.0f bytes a snapshot, at most %d; sent at least every %d snapshots; those within 8 m: %.0f ms old in the mean",
		float64(c.bytes)/float64(c.snapshots), c.most, c.gap, float64(near)/float64(count)/1000)
	if c.most > budget {
		t.Errorf("a snapshot of %d bytes, the budget is %d", c.most, budget)
	}
	if c.gap > track.ReceivedWindow*3/4 {
		t.Errorf("an entity was not sent for %d snapshots", c.gap)
	}
	if mean := clock.Micros(near / count); mean > 200*clock.Millisecond {
		t.Errorf("the near ones are %v µs old, want at most 200 ms: 50 on the way, ten times a second", mean)
	}
}

// Thirty players stand within Near, more than the budget holds, and thirty beyond it: those are sent too, though less
// often, and the players within Near nearly as often as without them. [GAP-59]
func TestACrowdWithinNearStarvesNobody(t *testing.T) {
	sc := newScene(3)
	for id := track.ID(1); id <= 61; id++ {
		a := sc.add(id, idler, 3)
		if a.sample.Mode = 1; id > 31 {
			a.sample.Position = a.sample.Position.Add(geom.V(40, 0, 0))
		}
	}
	m := NewMatch(sc.frames, nil, Rules{Budget: 60, Near: 18})
	c := newClient(t, sc, m, 1, 3)
	last := map[track.ID]int{}
	worst := [2]int{}
	for range 900 {
		for _, a := range sc.actors { // each is visibly elsewhere in every tick
			a.sample.Yaw += 0.02
		}
		sc.tick()
		c.send()
		c.receive()
		for _, id := range c.s.SentLog().Snapshot(uint32(sc.n)).Entities(nil) {
			last[id] = sc.n
		}
		for id := track.ID(2); sc.n > 100 && id <= 61; id++ {
			group := 0
			if id > 31 {
				group = 1
			}
			worst[group] = max(worst[group], sc.n-last[id])
		}
	}
	t.Logf("at most %d ticks between two samples within Near, %d beyond it", worst[0], worst[1])
	if worst[0] > 16 || worst[1] > track.ReceivedWindow {
		t.Errorf("seed 3: got at most %d ticks between two samples within Near and %d beyond it, want at most 16 and %d", worst[0], worst[1], track.ReceivedWindow)
	}
}

// A budget as small as that of the narrowest link of a session, 40 bytes: a crate that tumbles far from the origin, and
// takes more than that before it can be delta-coded, is sent all the same, beside a runner that always fits. [GAP-59]
func TestAnEntityLargerThanTheBudgetIsSent(t *testing.T) {
	sc := newScene(3)
	populate(sc, 2, 0, 4)
	crate := sc.add(300, pickup, 0)
	crate.sample.Pose = track.Pose{
		Position: geom.V(812.3, 63.2, -977.7), Velocity: geom.V(31.4, -22.1, 17.3),
		Rotation: geom.AxisAngle(geom.V(.3, .5, .8).Unit(), 2), AngularVelocity: geom.V(12.1, -23.5, 15.6),
	}
	c := newClient(t, sc, NewMatch(sc.frames, nil, Rules{Budget: 40}), 1, 3)
	for range 120 {
		sc.tick()
		crate.sample.Position = crate.sample.Position.Add(geom.V(.5, 0, .3))
		c.send()
		c.receive()
	}
	for _, id := range []track.ID{2, 300} {
		if last := c.s.SentLog().LastMention(id); last < 100 {
			t.Errorf("entity %d: got it last in snapshot %d of 120, want one of the last 20", id, last)
		}
	}
}

// Joining a match in progress: the nearest arrive first, and all of them soon. [GAP-59]
func TestJoiningSendsTheNearestFirst(t *testing.T) {
	sc := newScene(9)
	populate(sc, 1, 0, 0)
	for i := range 200 {
		a := sc.add(track.ID(200+i), pickup, 0)
		a.sample.Position = geom.V(float64((i*37)%200), 0, 0)
	}
	m := NewMatch(sc.frames, nil, Rules{Budget: 300})
	c := newClient(t, sc, m, 1, 9)
	farthest := 0.0
	for n := range 20 {
		sc.tick()
		c.send()
		c.receive()
		sent := 0.0
		for _, id := range c.s.SentLog().Snapshot(uint32(sc.n)).Entities(nil) {
			sent = max(sent, sc.find(id).sample.Position.X)
		}
		if n == 0 {
			farthest = sent
		}
	}
	t.Logf("the first snapshot reaches %v m; %d of 200 after 20 of them", farthest, len(c.present()))
	if farthest > 60 || len(c.present()) != 200 {
		t.Errorf("the first snapshot reaches %v m, and %d of 200 are there after 20", farthest, len(c.present()))
	}
}

// A link that is interrupted for half a second, two and four: when it is back, the view is complete
// with the first snapshot that arrives.
func TestTheViewIsCompleteAfterAnOutage(t *testing.T) {
	for _, cut := range []int{30, 120, 240} {
		sc := newScene(uint64(cut))
		populate(sc, 10, 20, 30)
		m := NewMatch(sc.frames, nil, Rules{Budget: 4000})
		c := newClient(t, sc, m, 1, 3)
		c.size = 4000
		c.down.cut = func(n int) bool { return n >= 200 && n < 200+cut }
		c.up.cut = c.down.cut
		for range 200 + cut + 200 {
			sc.tick()
			if sc.n == 210 {
				sc.find(3).dies = 215
				sc.find(130).dies = 215
			}
			c.send()
			c.receive()
			if c.seen.Newest != 0 {
				c.checkPresent(uint64(cut))
			}
		}
	}
}

// Enemies behind a wall. Of an entity that is not visible not one bit is sent: the bytes are the
// same whatever it does there, as long as it is seen in the end as before. [THR-26]
func TestNothingIsSentOfHiddenEntities(t *testing.T) {
	hidden := func(n int, id track.ID) bool { return id > 5 && n%200 >= 60 && n%200 < 160 }
	run := func(sway float64) (out [][]byte, bytesOf int) {
		sc := newScene(4)
		populate(sc, 10, 0, 20)
		m := NewMatch(sc.frames, nil, Rules{})
		m.rules.Visible = func(viewer, entity *track.Entity) bool { return !hidden(sc.n, entity.ID) }
		c := newClient(t, sc, m, 1, 4)
		for range 800 {
			f := sc.tick()
			list := f.Entities(nil)
			f.Clear(f.Tick, f.At)
			for _, e := range list {
				if hidden(sc.n, e.ID) {
					e.Position.X += math.Floor(sway*64*float64(sc.n%7)) / 64
					e.Yaw = 0
				}
				f.Add(e.ID, e.Sample)
			}
			c.send()
			out = append(out, c.down.under[len(c.down.under)-1].b)
			for _, id := range c.s.SentLog().Snapshot(uint32(sc.n)).Entities(nil) {
				if hidden(sc.n, id) {
					bytesOf++
				}
			}
			c.receive()
			has := c.present()
			for id := range has {
				if hidden(int(c.seen.Newest), id) {
					t.Fatalf("tick %d: entity %d is in the view", sc.n, id)
				}
			}
		}
		return out, bytesOf
	}
	still, sent := run(0)
	moving, _ := run(3)
	differ := 0
	for i := range still {
		if !slices.Equal(still[i], moving[i]) {
			differ++
		}
	}
	t.Logf("of 5 hidden for half the time, in %d snapshots: %d samples; %d snapshots differ where they move otherwise", len(still), sent, differ)
	if sent != 0 || differ != 0 {
		t.Errorf("want 0 and 0")
	}
}

// Entities are sent within Radius, until beyond LeaveRadius, and always within Near, if visible;
// and the grid finds the same as a search of all. [GAP-59]
func TestRelevanceAgainstBruteForce(t *testing.T) {
	const seed = 15
	r := rand.New(rand.NewPCG(seed, 0))
	sc := newScene(seed)
	populate(sc, 30, 170, 60)
	rules := Rules{Radius: 30, LeaveRadius: 40, Near: 8, Budget: 8000}
	m := NewMatch(sc.frames, nil, rules)
	m.rules.Visible = func(viewer, entity *track.Entity) bool { return (int(entity.ID)+sc.n/50)%5 != 0 }
	c := newClient(t, sc, m, 1, seed)
	inside := map[track.ID]bool{}
	for range 600 {
		f := sc.tick()
		if r.IntN(50) == 0 {
			sc.find(1).sample.Position = geom.V(r.NormFloat64()*60, 0, r.NormFloat64()*60)
		}
		c.send()
		c.receive()
		eye := sc.eye(1)
		var want []track.ID
		for _, e := range f.Entities(nil) {
			d, most := e.Position.Dist(eye.Position), rules.Radius
			if inside[e.ID] {
				most = rules.LeaveRadius
			}
			if inside[e.ID] = e.ID != 1 && d <= max(most, rules.Near) && m.rules.Visible(nil, &e); inside[e.ID] {
				want = append(want, e.ID)
			}
		}
		if !slices.Equal(c.s.relevantIDs, want) {
			t.Fatalf("seed %d, tick %d: sent %v, want %v", seed, sc.n, c.s.relevantIDs, want)
		}
		for _, id := range want {
			if sc.eye(id).Position.Dist(eye.Position) <= rules.Near && !slices.Contains(c.s.SentLog().Snapshot(uint32(sc.n)).Entities(nil), id) {
				t.Fatalf("tick %d: entity %d is near and not in the snapshot", sc.n, id)
			}
		}
		c.checkPresent(seed)
	}
}

// A moving entity is in each snapshot. One that comes to rest is sent until that is known, with the
// flag that says so, and then not for half a second. One that turns is sent at once, to within a
// step of the grid. [REP-01, REP-02, REP-06, REP-07]
func TestARestingEntityCostsNothing(t *testing.T) {
	sc := newScene(3)
	sc.add(1, idler, 0)
	watched := sc.add(2, ball, 3)
	watched.next = 1 << 30
	m := NewMatch(sc.frames, nil, Rules{})
	c := newClient(t, sc, m, 1, 3)
	sent := func(steps int) (n int) {
		for range steps {
			sc.tick()
			c.send()
			n += len(c.s.SentLog().Snapshot(uint32(sc.n)).Entities(nil))
			c.receive()
		}
		return n
	}
	watched.sample.Velocity = geom.V(4, 0, 0)
	if n := sent(60); n != 60 {
		t.Errorf("rolling: sent %d times in 60 snapshots", n)
	}
	sent(120) // it comes to rest
	if s := c.present()[2]; !s.Asleep || s.Velocity != (geom.Vec3{}) {
		t.Errorf("at rest: %+v", s)
	}
	if n := sent(360); n > 10 {
		t.Errorf("at rest: sent %d times in 360 snapshots", n)
	}
	watched.sample.Yaw = 1.2345
	if n := sent(4); n != 4 {
		t.Errorf("turned: sent %d times in the next 4 snapshots", n)
	}
	if s := c.present()[2]; math.Abs(s.Yaw-1.2345) > math.Pi/track.LookSteps {
		t.Errorf("turned to 1.2345: seen at %v", s.Yaw)
	}
	if n := sent(30); n > 6 {
		t.Errorf("having turned: sent %d times in 30 snapshots", n)
	}
}

// A datagram with little space takes what fits; one with 30 bytes one or more.
func TestSmallParts(t *testing.T) {
	sc := newScene(2)
	populate(sc, 12, 0, 20)
	m := NewMatch(sc.frames, nil, Rules{})
	s := NewSender(m, 0)
	sc.tick()
	s.Begin(1, track.Entity{})
	var p bits.Packer
	var in Inbox
	var whole *track.Snapshot
	parts := 0
	have := track.NewSnapshotHistory(2 * track.ReceivedWindow)
	for ; s.HasMore(); parts++ {
		size := 30
		if parts == 1 {
			size = MinBits/8 + 1
		}
		p.Write(make([]byte, size))
		before := s.Counts().Sent
		s.Pack(&p)
		if after := s.Counts().Sent; after == before && parts != 1 {
			t.Errorf("part %d is empty", parts)
		}
		p.Read(p.Bytes())
		whole = in.Read(&p, 1, clock.TickTime(1, 60), track.Received{}, have)
		if p.Err() != nil {
			t.Fatal(p.Err())
		}
	}
	if whole == nil || whole.Len() != 12 || parts < 3 {
		t.Errorf("%d parts: %v", parts, whole)
	}
}

// What does not fit into MaxParts is not sent, and the SentLog does not say it was.
func TestWhatNoPartHoldsIsNotSent(t *testing.T) {
	sc := newScene(2)
	populate(sc, 100, 0, 20)
	s := NewSender(NewMatch(sc.frames, nil, Rules{Budget: 1 << 20}), 0)
	sc.tick()
	s.Begin(1, track.Entity{})
	var p bits.Packer
	n, parts := 0, 0
	for ; s.HasMore(); parts++ {
		p.Write(make([]byte, 64))
		s.Pack(&p)
	}
	for id := track.ID(1); id <= 100; id++ {
		if s.SentLog().Has(1, id) {
			n++
		}
	}
	if parts != MaxParts || n == 0 || n == 100 || n != s.Counts().Sent {
		t.Errorf("%d parts, %d sent", parts, n)
	}
}

func TestMisusePanicsOfSenders(t *testing.T) {
	sc := newScene(1)
	sc.tick()
	m := NewMatch(sc.frames, nil, Rules{})
	s := NewSender(m, 0)
	var p bits.Packer
	for name, f := range map[string]func(){
		"a negative budget":       func() { NewMatch(sc.frames, nil, Rules{Budget: -1}) },
		"a radius that is NaN":    func() { NewMatch(sc.frames, nil, Rules{Radius: math.NaN()}) },
		"to leave before to come": func() { NewMatch(sc.frames, nil, Rules{Radius: 9, LeaveRadius: 8}) },
		"an unknown tick":         func() { s.Begin(2, track.Entity{}) },
		"tick 0":                  func() { s.Begin(0, track.Entity{}) },
		"nothing begun":           func() { p.Write(make([]byte, 99)); NewSender(m, 0).Pack(&p) },
		"no room":                 func() { p.Write(make([]byte, 1)); q := NewSender(m, 0); q.Begin(1, track.Entity{}); q.Pack(&p) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// With random rules and links: what arrives is what the SentLog says of the record, what is drawn
// is what is rebuilt, the budget holds but for removal marks, nothing hidden or distant is sent,
// and what is removed does not stay.
func TestRandomRules(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 77))
		sc := newScene(seed + 100)
		populate(sc, 10+r.IntN(60), r.IntN(60), 40)
		rules := Rules{Budget: 60 + r.IntN(400), Near: float64(r.IntN(2)) * 6}
		if r.IntN(2) == 0 {
			rules.Radius = 10 + r.Float64()*50
		}
		if r.IntN(2) == 0 {
			rules.Importance = func(e *track.Entity) float64 { return float64(e.ID%5) - 1 }
		}
		m := NewMatch(sc.frames, nil, rules)
		if r.IntN(2) == 0 {
			m.rules.Visible = func(viewer, entity *track.Entity) bool {
				return (int(entity.ID)+int(viewer.ID)+sc.n/40)%3 != 0
			}
		}
		every := 1 + r.IntN(3)
		var clients []*client
		for i := range 3 {
			c := newClient(t, sc, m, track.ID(i+1), seed)
			c.size = 150 + r.IntN(900)
			c.down.loss, c.up.loss = r.Float64()/4, r.Float64()/4
			c.down.delay, c.up.delay = r.IntN(12), r.IntN(12)
			c.down.jitter, c.up.jitter = r.IntN(8), r.IntN(8)
			c.down.double, c.up.double = 0.1, 0.1
			clients = append(clients, c)
		}
		for range 500 {
			sc.tick()
			for _, c := range clients {
				if sc.n%every == 0 {
					c.send()
				}
				c.receive()
				if c.seen.Newest != 0 && sc.n-int(c.seen.Newest) < track.ReceivedWindow-2 {
					c.checkOnly(seed)
					c.checkViews(seed)
				}
			}
			churn(sc)
		}
		c := clients[2]
		t.Logf("seed %d: %d entities, every %d, %+v: %.0f bytes a snapshot, at most %d", seed, len(sc.actors), every, rules.Budget,
			float64(c.bytes)/float64(c.snapshots), c.most)
		if c.most > rules.Budget+60 {
			t.Errorf("seed %d: a snapshot of %d bytes, the budget is %d", seed, c.most, rules.Budget)
		}
	}
}

// checkOnly checks that the client's view has no entity that it was not to know of.
func (c *client) checkOnly(seed uint64) {
	here := c.here[c.seen.Newest]
	for id := range c.present() {
		if !slices.Contains(here, id) {
			c.t.Fatalf("seed %d: client %d has entity %d at tick %d", seed, c.id, id, c.seen.Newest)
		}
	}
}
