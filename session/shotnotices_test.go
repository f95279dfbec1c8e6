package session_test

import (
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/visibility"
)

// What a game needs to know of a match before it enters comes with the welcome.
func TestMatchInfoComesWithTheWelcome(t *testing.T) {
	terms := make([]byte, session.MaxMessage)
	for i := range terms {
		terms[i] = byte(i * 7)
	}
	r := newSimulation(t, session.ServerConfig{MatchInfo: terms})
	g := r.playing(1)[0]
	if list := g.of(session.Welcomed); len(list) != 1 || string(list[0].Bytes) != string(terms) {
		t.Errorf("got %d bytes", len(list[0].Bytes))
	}
	defer func() {
		if recover() == nil {
			t.Error("terms of 4,097 bytes are taken")
		}
	}()
	newSimulation(t, session.ServerConfig{MatchInfo: make([]byte, session.MaxMessage+1)})
}

// GAP-69, GAP-47: a claim of another weapon than the one in hand is refused, and hurts no player.
// [HIT-10, HIT-14]
func TestClaimsOfOtherWeapons(t *testing.T) {
	r := skirmish(t, session.ServerConfig{}, 2, armRifle)
	r.spots()
	a := r.clients[0]
	a.input = func(g *testClient) toyCommand {
		c := g.claims(hold(0, 0), g.other(2).Position.Add(geom.V(0, 1, 0)))
		if c.Shot.Fire {
			c.Shot.Weapon = uint8((r.tick%4)+1) % 5
		}
		return c
	}
	r.m.events = nil
	r.run(240)
	list := r.m.verdicts()
	for _, v := range list {
		if v.Weapon != armRifle && (v.Verdict != shot.Refused || v.Reason != shot.WrongWeapon || v.EventCount != 0) {
			t.Errorf("%+v", v)
		}
	}
	if len(list) < 10 || r.clients[1].count(session.Damaged) > 0 && list[0].Weapon != armRifle {
		t.Errorf("%d verdicts", len(list))
	}
}

// HIT-14: a datagram that comes twice, and one that says the same moves again, fires once.
// [GAP-47, GAP-50]
func TestForgedDuplicates(t *testing.T) {
	r := skirmish(t, session.ServerConfig{}, 2, armRocket)
	r.spots()
	a := r.clients[0]
	r.fate = func(f flight) []int {
		if f.up && f.peer == a.peer {
			return []int{2, 2, 3, 5, 9, 30}
		}
		return []int{2}
	}
	a.input = func(g *testClient) toyCommand { return g.claims(hold(0, 0), g.other(2).Position.Add(geom.V(0, 1, 0))) }
	r.m.events = nil
	r.run(300)
	a.input = nil
	r.run(60)
	count := map[uint32]map[shot.Verdict]int{}
	for _, v := range r.m.verdicts() {
		if count[v.Shot] == nil {
			count[v.Shot] = map[shot.Verdict]int{}
		}
		if count[v.Shot][v.Verdict]++; count[v.Shot][v.Verdict] > 1 {
			t.Errorf("shot %d: verdict %d twice", v.Shot, v.Verdict)
		}
	}
	if len(count) < 12 {
		t.Errorf("%d shots", len(count))
	}
}

// Everything is repeated until it is acknowledged, and bounded: a client that receives nothing for a while
// gets the last 32 of each, in order, and each once. [GAP-54]
func TestTheOldestNoticeIsDropped(t *testing.T) {
	r := skirmish(t, session.ServerConfig{}, 3, armRifle)
	r.spots()
	a, b, c := r.clients[0], r.clients[1], r.clients[2]
	var deaf []*testClient
	r.fate = func(f flight) []int {
		if !f.up && slices.ContainsFunc(deaf, func(g *testClient) bool { return g.peer == f.peer }) {
			return nil
		}
		return []int{2}
	}
	fires := func(clients ...*testClient) []shot.Receipt {
		deaf = clients
		for _, g := range r.clients {
			g.events = nil
		}
		r.m.events = nil
		shots := 0
		a.input = func(g *testClient) toyCommand {
			cmd := hold(0, 0)
			if shots < 50 {
				cmd = g.claims(cmd, geom.V(4, 1, -8))
			}
			if cmd.Shot.Fire {
				shots++
			}
			return cmd
		}
		for i := 0; shots < 50 && i < 600; i++ {
			r.run(1)
		}
		r.run(5)
		deaf = nil
		r.run(30)
		return r.m.verdicts()
	}
	if n := len(fires(b, c)); n != 50 || b.count(session.ShotSeen) != 32 || b.count(session.Damaged) != 32 || c.count(session.ShotSeen) != 32 {
		t.Errorf("%d fired; %d and %d seen, %d hurts; want 32 of each", n, b.count(session.ShotSeen), c.count(session.ShotSeen), b.count(session.Damaged))
	}
	fired := fires(a)
	got := a.of(session.ShotJudged)
	if len(fired) != 50 || len(got) != 32 {
		t.Fatalf("%d fired, %d confirmed, want the last 32", len(fired), len(got))
	}
	for i, e := range got {
		if e.Receipt.Shot != fired[18+i].Shot {
			t.Errorf("word %d is of shot %d, want %d", i, e.Receipt.Shot, fired[18+i].Shot)
		}
	}
}

// THR-11: what a player costs the server beside its history is bounded: all seats of a
// full match together are small. What is kept of its shots is beside (combat.TestMemoryOfEvidence).
func TestMemoryOfASeat(t *testing.T) {
	seat := session.SeatBytes[toyState, toyCommand]()
	figures.Check(t, "seat", 0.1, "%.1f KiB a seat", float64(seat)/1024)
	if seat > 64<<10 {
		t.Errorf("a seat takes %d bytes", seat)
	}
}

// The game has the last word on what a shot does, before any player is notified. [HIT-11]
func TestOnReceiptChangesDamage(t *testing.T) {
	asked := 0
	r := skirmish(t, session.ServerConfig{OnReceipt: func(v *shot.Receipt) {
		asked++
		for i := range v.Events[:v.EventCount] {
			v.Events[i].Damage = 0 // friends
		}
		v.Damage = 0
	}}, 2, armRifle)
	r.spots()
	a := r.clients[0]
	a.input = func(g *testClient) toyCommand { return g.claims(hold(0, 0), g.other(2).Position.Add(geom.V(0, 1, 0))) }
	r.run(120)
	hits := 0
	for _, e := range a.of(session.ShotJudged) {
		if e.Receipt.Verdict == shot.Hit {
			hits++
			if e.Receipt.Damage != 0 {
				t.Errorf("damage %d", e.Receipt.Damage)
			}
		}
	}
	if hits < 5 || asked < hits || r.clients[1].count(session.Damaged) != 0 {
		t.Errorf("%d hits, %d asked, %d notified", hits, asked, r.clients[1].count(session.Damaged))
	}
}

// wallBetween is a level with a wall along X at z = −4, over which no player sees.
func wallBetween(t testing.TB) *collide.World {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(100, 1, 100), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 5, -4), geom.V(30, 5, .2), geom.IdentityQuat, collide.Surface{})
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// THR-26: of a shooter that the level hides a player learns neither the shot's origin nor
// a burst that is out of sight; and of a shooter there only the direction of its damage.
func TestHiddenShots(t *testing.T) {
	world := wallBetween(t)
	r := newSimulationIn(t, session.ServerConfig{World: world, Visibility: &visibility.Rules{Lookahead: 10 * clock.Millisecond, Linger: 50 * clock.Millisecond, Speed: .1}}, newArsenal)
	r.playing(3)
	r.arm(armRocket)
	r.spots() // 1 is this side of the wall, 2 and 3 are beyond
	r.run(60)
	a, c := r.clients[0], r.clients[2]
	for _, g := range r.clients {
		g.events = nil
	}
	n := 0
	a.input = func(g *testClient) toyCommand {
		if n++; n%40 == 1 {
			return g.claims(hold(0, 0), geom.V(0, 1, -3.7))
		}
		return hold(0, 0)
	}
	r.run(200)
	if len(a.of(session.Detonated)) < 4 || c.count(session.Detonated)+c.count(session.ShotSeen) != 0 {
		t.Errorf("the hidden are seen: %d bursts, %d shots of %d", c.count(session.Detonated), c.count(session.ShotSeen), len(a.of(session.Detonated)))
	}
	// Over the wall with a grenade: the direction of the damage, no more.
	r.arm(armGrenade)
	r.spots()
	c.events = nil
	r.clients[1].events = nil
	a.input = func(g *testClient) toyCommand {
		if len(g.Projectiles()) == 0 {
			return g.claims(hold(0, 0), geom.V(0, 16, -8))
		}
		return hold(0, 0)
	}
	r.run(400)
	for _, g := range r.clients[1:] {
		eye := g.Eye()
		for _, e := range g.of(session.Damaged) {
			if e.From.Dist(eye) > 1.05 {
				t.Errorf("player %d got damage from %v, its eye is at %v", g.ID(), e.From, eye)
			}
		}
	}
}

// A grenade that is thrown over a wall, or beyond the radius of snapshots, hits and hurts players that its thrower is not
// sent: where it hits, and the receipt, are the same as in a match that sends everybody. Of those players the
// thrower gets no sample, not even with the record of the shot. [THR-26, HIS-11, HIT-09]
func TestAGrenadeHitsPlayersThatAreHidden(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(100, 1, 100), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 1.5, -4), geom.V(30, 1.5, .2), geom.IdentityQuat, collide.Surface{})
	world := b.MustBake()
	var want shot.Receipt
	samples := 2 // of the players that the thrower sees
	for i, config := range []session.ServerConfig{
		{},
		{Visibility: &visibility.Rules{Lookahead: 10 * clock.Millisecond, Linger: 50 * clock.Millisecond, Speed: .1}},
		{Snapshot: replicate.Rules{Radius: 5}},
	} {
		config.World = world
		r := newSimulationIn(t, config, func() toyGame {
			g := newArsenal().(*arsenal)
			w := &g.table[armGrenade]
			w.Flight.Speed, w.Flight.Gravity, w.Flight.Fuse = 11.65, 9.81, 2500*clock.Millisecond
			return g
		})
		r.playing(3)
		r.arm(armGrenade)
		r.spots() // 1 is this side of the wall, 2 and 3 are beyond
		r.run(60)
		a, thrown := r.clients[0], false
		if sees := len(a.Remotes()) == 2; sees != (i == 0) {
			t.Fatalf("case %d: the thrower sees both others: %v", i, sees)
		}
		a.input = func(g *testClient) toyCommand {
			if !thrown {
				thrown = true
				return g.claims(hold(0, 0), g.Eye().Add(geom.V(1.53, 9.4, -3.06))) // at player 2
			}
			return hold(0, 0)
		}
		r.run(200)
		list := a.of(session.ShotJudged)
		if len(list) != 2 {
			t.Fatalf("case %d: got %d receipts, want that of the launch and that of the end", i, len(list))
		}
		got := list[1].Receipt
		if i == 0 {
			want = got
		} else {
			samples = 0
		}
		if got.Outcome.HitTarget != want.Outcome.HitTarget || got.Outcome.Point.Dist(want.Outcome.Point) > .1 || got.EventCount != 2 || r.clients[2].count(session.Damaged) != 1 {
			t.Errorf("case %d: got %+v and %d damages, want a hit of player 2 at %v and damage to player 3", i, got, r.clients[2].count(session.Damaged), want.Outcome.Point)
		}
		a.RequestShotDebug(got.Shot)
		r.run(30)
		if debug := a.of(session.ShotDebugged); len(debug) != 1 || len(debug[0].ShotDebug.Targets) != samples {
			t.Errorf("case %d: got the record %+v, want the samples of the players that the thrower sees", i, debug)
		}
	}
}

// GAP-40: a host sees others' rockets and bursts, its own fly, and it is notified of damage.
// [HIT-03]
func TestAHostAndRockets(t *testing.T) {
	r := newSimulationOf(t, session.ServerConfig{}, newArsenal)
	h := r.sit("Ada")
	h.playing()
	g := r.playing(1)[0]
	for _, id := range []session.PlayerID{h.ID(), g.ID()} {
		s, _ := r.m.State(id)
		s.Loadout = armory().Loadout()
		s.Loadout.Held = armRocket
		s.Pos = geom.V(0, 0, -8*float64(id-1))
		r.m.SetState(id, s)
	}
	h.run(30, frame144)
	h.events, g.events, r.m.events = nil, nil, nil
	flew, saw, own := 0, 0, 0
	shoot := func(p *toyClient) toyCommand {
		c := hold(0, 0)
		p.ApplyCorrection()
		if len(p.Remotes()) > 0 && len(p.Projectiles()) == 0 && p.Self().Loadout.Claims(armory(), true) {
			c.Shot = aimAt(p.Eye(), p.Remotes()[0].Position.Add(geom.V(.4, 1, 0)))
			c.Shot.Weapon = armRocket
			p.Aim(&c.Shot)
		}
		return c
	}
	h.input = func(h *host) toyCommand {
		flew += len(h.Projectiles())
		for _, e := range h.Entities() {
			if shooter, _ := combat.TaggedProjectile(2, e.UserData); shooter == h.ID() {
				own++
			}
			saw++
		}
		return shoot(h.toyClient)
	}
	g.input = func(g *testClient) toyCommand { return shoot(g.toyClient) }
	h.run(400, frame144)
	h.input, g.input = nil, nil
	h.run(120, frame144)
	ended := map[track.ID]int{}
	for _, v := range r.m.verdicts() {
		if v.Verdict == shot.Hit || v.Verdict == shot.Miss {
			ended[v.Shooter]++
		}
	}
	bursts := map[track.ID]int{}
	for _, e := range h.events {
		if e.Kind == session.Detonated && !e.Corrected {
			bursts[e.Player]++
		}
	}
	if ended[h.ID()] < 5 || bursts[h.ID()] != ended[h.ID()] || bursts[g.ID()] != ended[g.ID()] {
		t.Errorf("%v ended, the host saw %v burst", ended, bursts)
	}
	if h.Stats().Disagreed > 0 || g.Stats().Disagreed > 0 || own > 0 || saw == 0 || flew == 0 {
		t.Errorf("%d and %d contradicted, own %d, saw %d, flew %d", h.Stats().Disagreed, g.Stats().Disagreed, own, saw, flew)
	}
	if h.count(session.Damaged) == 0 || g.count(session.Damaged) == 0 {
		t.Errorf("%d and %d damages reported", h.count(session.Damaged), g.count(session.Damaged))
	}
	last := h.events[len(h.events)-1]
	h.RequestShotDebug(last.Receipt.Shot)
}

// HIT-12, LAG-02 and the fairness: what the match says of caps, covers and dodges
// reaches the judge.
func TestLagCompensationReachesTheJudge(t *testing.T) {
	for _, c := range []struct {
		name   string
		config session.ServerConfig
		lag    int
		why    shot.Reason
		hits   bool // whether any hurts
		late   bool // whether views are granted later than asked
	}{
		{name: "nothing said", lag: 3, hits: true},
		{name: "a dodge that old shots do not hurt", lag: 3, why: shot.Evaded,
			config: session.ServerConfig{Evades: func(s *track.Sample) bool { return s.Position.Z < -1 }}},
		{name: "above the cap, in the present", lag: 12, late: true, hits: true,
			config: session.ServerConfig{MaxRewind: 100 * clock.Millisecond, Beyond: shot.Present}},
	} {
		r := newSimulationOf(t, c.config, newArsenal)
		r.lag = c.lag
		r.playing(2)
		r.arm(armRifle)
		r.spots()
		r.run(60)
		a := r.clients[0]
		a.input = func(g *testClient) toyCommand { return g.claims(hold(0, 0), g.other(2).Position.Add(geom.V(0, 1, 0))) }
		r.m.events = nil
		r.run(200)
		hits, late := 0, 0
		for _, v := range r.m.verdicts() {
			if v.Verdict == shot.Hit && v.Damage > 0 {
				hits++
			}
			if v.ViewGranted > v.ViewRequested {
				late++
			}
			if v.Verdict == shot.Hit && v.Events[0].Reason != c.why {
				t.Errorf("%s: %+v", c.name, v)
			}
		}
		if (hits > 0) != c.hits || (late > 0) != c.late || len(r.m.verdicts()) < 10 {
			t.Errorf("%s: %d hits, %d granted later, %d verdicts", c.name, hits, late, len(r.m.verdicts()))
		}
	}
}
