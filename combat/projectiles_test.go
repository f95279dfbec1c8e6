package combat

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// only returns the one entity of a match.
func (m *match) only() (track.ID, placedEntity) {
	m.t.Helper()
	if len(m.entities) != 1 {
		m.t.Fatalf("%d entities, want 1", len(m.entities))
	}
	for id, e := range m.entities {
		return id, e
	}
	panic("unreachable")
}

// The life of a rocket: its receipt says that it was launched; others see an entity with its tag
// fly at 20 m/s; where it hits, a second receipt has the damage of the hit and of the blast; its
// entity is marked as over for half a second and then removed. [GAP-45]
func TestTheLifeOfAProjectile(t *testing.T) {
	m := newMatch(t)
	v := m.fire(m.shoot(1, rocket, m.body(2)))
	if v.receipt.Verdict != shot.Launched {
		t.Fatalf("got %+v, want launched", v.receipt)
	}
	id, e := m.only()
	if shooter, low := TaggedProjectile(2, e.sample.UserData); shooter != 1 || low != 1 || e.kind != 5 {
		t.Errorf("the entity is of player %d, shot %d, kind %d", shooter, low, e.kind)
	}
	for last := e; len(m.verdicts) == 1; last = e {
		m.run(1)
		if e = m.entities[id]; e.sample.Mode == flightOver {
			break
		}
		speed := e.sample.Position.Dist(last.sample.Position) / (e.at - last.at).Seconds()
		if v := e.sample.Velocity.Len(); speed < 19.9 || speed > 20.1 || v < 19.9 || v > 20.1 {
			t.Fatalf("tick %d: it flies at %.2f m/s and says %.2f, want 20", m.ticks, speed, v)
		}
		if m.ticks > 120 {
			t.Fatal("it hits nothing")
		}
	}
	r := m.verdicts[1].receipt
	if e = m.entities[id]; e.sample.Mode != flightOver || e.sample.Position != r.Outcome.Point || e.sample.UserData != ProjectileTag(4, 1, 1) {
		t.Errorf("its entity ends as %+v, want it marked as over, at %v, with its tag", e.sample, r.Outcome.Point)
	}
	if m.verdicts[1].tested == 0 {
		t.Error("the verdict names no target that it was tested against")
	}
	if r.Verdict != shot.Hit || r.Shot != 1 || r.Outcome.Target != 2 || r.EventCount != 2 || r.Events[0].Target+r.Events[1].Target != 2+3 || r.Damage != 40+30 {
		t.Errorf("got %+v, want a hit of player 2, and of player 3 by the blast", r)
	}
	for id, want := range map[track.ID][4]int{1: {2, 0, 0, 0}, 2: {0, 2, 1, 1}, 3: {0, 2, 1, 1}, 4: {0, 2, 0, 1}} {
		n := m.received(id)
		ended := 0
		for i := range n.Shots.Items {
			g := &n.Shots.Items[i]
			if ended += count(g.Ended); g.Ended && (g.Shooter != 1 || g.Weapon != rocket || g.To.Dist(r.Outcome.Point) > .02 || g.At < e.at || g.At-e.at >= ms) {
				t.Errorf("player %d sees the end %+v; want the rocket of player 1 at %v, %d µs", id, g, r.Outcome.Point, e.at)
			}
		}
		if got := [4]int{len(n.Receipts.Items), len(n.Shots.Items), len(n.Damage.Items), ended}; got != want {
			t.Errorf("player %d: got %v receipts, shots, damages, ends; want %v", id, got, want)
		}
	}
	over := m.ticks
	for len(m.entities) > 0 && m.ticks < over+60 {
		m.run(1)
	}
	if d := m.ticks - over; d < 29 || d > 31 {
		t.Errorf("the entity was removed %d ticks after its end, want 30", d)
	}
}

// A player has at most 16 projectiles in the air: the next is refused as too fast, and fires again
// when one has ended. Where there is no room for an entity it flies all the same.
func TestProjectilesInTheAir(t *testing.T) {
	m := newMatch(t)
	launched := 0
	for i := range 20 {
		m.nextID *= track.ID(count(i < 10)) // no room from the tenth on
		r := m.fire(m.shoot(1, mine, geom.V(0, 1.5, -5))).receipt
		launched += count(r.Verdict == shot.Launched)
		if i >= 16 && (r.Verdict != shot.Refused || r.Reason != shot.TooFast) {
			t.Errorf("mine %d: got verdict %d, %q", i, r.Verdict, r.Reason)
		}
	}
	if launched != 16 || len(m.entities) != 10 || len(m.flights) != 16 {
		t.Errorf("%d launched, %d entities, %d in the air; want 16, 10 and 16", launched, len(m.entities), len(m.flights))
	}
	if r := m.fire(m.shoot(2, mine, geom.V(5, 1.5, -15))).receipt; r.Verdict != shot.Launched {
		t.Errorf("another player: got verdict %d, %q", r.Verdict, r.Reason)
	}
	m.run(120) // they burn down after a second
	if len(m.flights) != 0 || len(m.entities) != 0 {
		t.Errorf("%d flights and %d entities are left", len(m.flights), len(m.entities))
	}
	if r := m.fire(m.shoot(1, mine, geom.V(0, 1.5, -5))).receipt; r.Verdict != shot.Launched {
		t.Errorf("after they ended: got verdict %d, %q", r.Verdict, r.Reason)
	}
}

// When a player leaves, its projectiles end without effect: no receipt, no damage, no entity.
func TestProjectilesOfAPlayerThatLeaves(t *testing.T) {
	m := newMatch(t)
	m.fire(m.shoot(1, rocket, m.body(2)))
	m.fire(m.shoot(2, mine, m.body(1)))
	m.RemoveProjectiles(1)
	if len(m.flights) != 1 || m.flights[0].Shooter != 2 || len(m.entities) != 1 {
		t.Errorf("%d flights and %d entities are left, want the one of player 2", len(m.flights), len(m.entities))
	}
	m.run(90)
	for _, v := range m.verdicts[2:] {
		if v.receipt.Shooter == 1 {
			t.Errorf("got %+v of a player that has left", v.receipt)
		}
	}
	if p := &m.players[0].combat; p.flying != 0 {
		t.Errorf("%d of its projectiles count as in the air", p.flying)
	}
}

// A projectile outlives the connection of its shooter: it still does damage, and the new connection,
// which counts its commands anew, gets no receipt of a shot that it did not fire.
func TestProjectilesOutliveAConnection(t *testing.T) {
	m := newMatch(t)
	m.fire(m.shoot(1, rocket, m.body(2)))
	p := &m.players[0]
	p.combat, p.log = p.combat.Reconnected(), track.NewSentLog(128)
	m.run(60)
	if len(m.verdicts) != 2 || m.verdicts[1].receipt.Damage == 0 {
		t.Fatalf("got %+v, want a hit", m.verdicts)
	}
	if n := m.received(1); len(n.Receipts.Items) != 0 {
		t.Errorf("the new connection got %+v", n.Receipts.Items)
	}
	if n := m.received(2); len(n.Damage.Items) != 1 {
		t.Errorf("the target got %d damages, want 1", len(n.Damage.Items))
	}
	if p.combat.flying != 0 {
		t.Errorf("%d projectiles in the air, want 0", p.combat.flying)
	}
}

// A blast hurts its own shooter, as it stands now, by its share; a dead shooter is spared.
func TestABlastHurtsItsShooter(t *testing.T) {
	for _, dead := range []bool{false, true} {
		m := newMatch(t)
		s := m.shoot(1, rocket, geom.V(0, 0, -2))
		m.fire(s)
		m.players[0].dead = dead
		m.run(20)
		damage := len(m.received(1).Damage.Items)
		if damage != count(!dead) {
			t.Errorf("dead %v: got %d damages", dead, damage)
		}
	}
}

// clientEvents is Events that are kept.
type clientEvents struct {
	confirmed []shot.Receipt
	seen      []SeenShot
	ended     []bool // again
	damaged   []Damage
}

func (e *clientEvents) Confirmed(r shot.Receipt) { e.confirmed = append(e.confirmed, r) }
func (e *clientEvents) Seen(s *SeenShot)         { e.seen = append(e.seen, *s) }
func (e *clientEvents) Damaged(d *Damage)        { e.damaged = append(e.damaged, *d) }
func (e *clientEvents) Detonated(_ geom.Vec3, _ shot.Receipt, again bool) {
	e.ended = append(e.ended, again)
}

// screen is the client of player 1 in a match: it gets each snapshot and its notices at once, and
// draws a frame a tick.
type screen struct {
	*Client
	clientEvents
	m      *match
	others *remote.Remotes
	deaf   bool // notices are late
}

func newScreen(m *match) *screen {
	s := &screen{m: m, others: remote.New(clock.Second / 60)}
	s.Client = NewClient(&s.clientEvents, func() *rewind.Scene { return rewind.NewScene(nil) })
	s.Join(1, 2, s.others, 0)
	s.run(30)
	return s
}

func (s *screen) run(n int) {
	for range n {
		s.m.run(1)
		s.draw()
	}
}

// draw receives the newest snapshot without the player itself, and draws it.
func (s *screen) draw() {
	var f track.Snapshot
	f.Clear(s.m.ticks, s.m.now())
	var self track.Sample
	all := s.m.history.Snapshots.Snapshot(s.m.ticks)
	for i := range all.Len() {
		var e track.Sample
		if all.Load(i, &e); all.ID(i) == 1 {
			self = e
		} else {
			f.Add(all.ID(i), e)
		}
	}
	s.others.Receive(&f, s.m.now())
	if !s.deaf {
		n := s.m.received(1)
		s.Receive(&n)
	}
	v := s.others.View(s.m.now())
	v.Platform = s.m.now()
	s.Draw(v, s.m.World, self, s.m.Weapons)
}

// shoot aims at a point and fires in the next command, which it returns as the server takes it.
func (s *screen) shoot(weapon uint8, at geom.Vec3) shot.Shot {
	out := s.m.shoot(1, weapon, at)
	claim := &shot.Claim{Weapon: weapon, Yaw: out.Claim.Yaw, Pitch: out.Claim.Pitch}
	begins := s.m.now()
	s.BeginFrame()
	s.Aim(claim, out.Number, out.Eye, begins, s.m.Weapons)
	s.Fired(&shot.FireParams{Number: out.Number, Eye: out.Eye, Claim: claim, Result: out.Result}, begins, s.m.Weapons)
	s.Sent(out.Number, claim)
	out.Claim, out.Age = *claim, shot.ViewAge{RoundTrip: 100 * ms, LinkDelay: 100 * ms, Delay: 100 * ms}
	out.Claim.View.Platform = begins
	return out
}

// What the screen shows is what the server judges: rays at a player, at a wall and past everything
// agree, and count as confirmed.
func TestClientShotsAgree(t *testing.T) {
	m := newMatch(t)
	s := newScreen(m)
	for _, at := range []geom.Vec3{m.body(2), m.body(3), geom.V(-8, 1.5, -20), geom.V(0, 30, -20)} {
		out := s.shoot(rifle, at)
		if fired := s.FiredShots(); len(fired) != 1 || fired[0].Number != out.Number || len(fired[0].Outcomes) != 1 || len(fired[0].Targets) != 3 {
			t.Fatalf("fired %+v", fired)
		}
		m.Fire(&out)
		s.run(10)
	}
	if c := s.Counters(); c.Confirmed != 4 || c.Contradicted != 0 || c.Hits != 2 || len(s.confirmed) != 4 {
		t.Errorf("got %+v and %d events, want 4 confirmed, 2 of them hits", c, len(s.confirmed))
	}
}

// A projectile of the player's own flies at once on its screen, hides the server's entity, ends
// once, and the server's second receipt agrees with it.
func TestClientProjectilesAgree(t *testing.T) {
	m := newMatch(t)
	s := newScreen(m)
	out := s.shoot(rocket, m.body(2))
	if len(s.Projectiles()) != 1 {
		t.Fatal("it does not fly")
	}
	m.Fire(&out)
	other := track.Entity{ID: 300, Sample: track.Sample{GameData: track.GameData{Kind: 5, UserData: ProjectileTag(2, 2, 1)}}}
	own := track.Entity{ID: 301, Sample: track.Sample{GameData: track.GameData{Kind: 5, UserData: ProjectileTag(2, 1, 1)}}}
	flown := m.ticks
	for range 90 {
		s.run(1)
		for id, e := range m.entities {
			entity := track.Entity{ID: id, Sample: e.sample}
			if entity.Kind = e.kind; !s.Hides(&entity, m.Weapons) {
				t.Fatalf("tick %d: the server's entity is drawn beside the player's own", m.ticks)
			}
		}
		if s.Hides(&other, m.Weapons) {
			t.Fatalf("tick %d: another player's projectile is not drawn", m.ticks)
		}
		if len(s.ended) == 0 {
			flown = m.ticks
		}
		if m.ticks < flown+55 && !s.Hides(&own, m.Weapons) {
			t.Fatalf("tick %d: the server's entity is drawn within a second after the end of the player's own", m.ticks)
		}
	}
	if len(s.Projectiles()) != 0 || len(s.ended) != 1 || s.ended[0] {
		t.Errorf("%d fly, and it ended %v; want one end, not again", len(s.Projectiles()), s.ended)
	}
	if n := len(s.confirmed); n != 2 || s.confirmed[0].Verdict != shot.Launched || !s.confirmed[1].Agrees || s.confirmed[1].Outcome.Target != 2 {
		t.Errorf("got %+v, want launched, then a hit of player 2 that agrees", s.confirmed)
	}
	other.Mode = flightOver
	if !s.Hides(&other, m.Weapons) {
		t.Error("another player's projectile is drawn after its end")
	}
	if s.run(60); s.Hides(&own, m.Weapons) {
		t.Error("the player's own projectile is not drawn although the server flies it for a second more")
	}
	own.Kind, own.Mode = 9, flightOver
	if s.Hides(&own, m.Weapons) {
		t.Error("an entity that is no projectile is not drawn")
	}
}

// A rocket is in the air, and the server refuses the next rocket or mine: while that flies it is removed from the screen,
// and the first flies on. Once it has ended on the screen it does not end again, and counts as refused. [GAP-45]
func TestAProjectileThatTheServerRefuses(t *testing.T) {
	for i, weapon := range []uint8{rocket, rocket, mine, mine} {
		late := i%2 == 1
		m := newMatch(t)
		s := newScreen(m)
		first := s.shoot(rocket, geom.V(-8, 1.5, -20))
		m.Fire(&first)
		s.run(1)
		s.deaf = late
		out := s.shoot(weapon, m.body(2))
		out.Alive = false // by the server
		m.Fire(&out)
		s.run(2)
		if p := s.Projectiles(); len(p) != 1+count(late) || p[0].Shot != first.Number {
			t.Errorf("weapon %d, late %v: got %+v in the air, want the first, and the other until its verdict comes", weapon, late, p)
		}
		s.run(90)
		s.deaf = false
		s.run(1)
		if want := (Counters{Confirmed: 1, Contradicted: 1, Refused: 1}); s.Counters() != want || len(s.ended) != 1+count(late) || slices.Contains(s.ended, true) {
			t.Errorf("weapon %d, late %v: got %+v and ends %v; want %+v and no end again", weapon, late, s.Counters(), s.ended, want)
		}
	}
}

// Two ends of a flight agree if they struck the same and damaged the same others. The shooter itself does not count: client
// and server have it at different places of its path. [GAP-45]
func TestWhichEndsAgree(t *testing.T) {
	end := func(kind rewind.HitKind, target track.ID, damaged ...track.ID) *shot.Receipt {
		r := &shot.Receipt{Shooter: 1, EventCount: uint8(len(damaged))}
		r.Outcome.Kind, r.Outcome.Target = kind, target
		for i, id := range damaged {
			r.Events[i].Target = id
		}
		return r
	}
	there := end(rewind.Player, 2, 2, 3)
	for _, c := range []struct {
		name string
		here *shot.Receipt
		want bool
	}{
		{"the same", end(rewind.Player, 2, 3, 2), true},
		{"the shooter too", end(rewind.Player, 2, 1, 2, 3), true},
		{"another too", end(rewind.Player, 2, 2, 3, 4), false},
		{"one less", end(rewind.Player, 2, 2), false},
		{"another was struck", end(rewind.Player, 3, 2, 3), false},
		{"a wall was struck", end(rewind.World, 0, 2, 3), false},
	} {
		if got := [2]bool{sameEnd(c.here, there), sameEnd(there, c.here)}; got != [2]bool{c.want, c.want} {
			t.Errorf("%s: got %v either way, want %v", c.name, got, c.want)
		}
	}
}

// Of two rockets in the air one ends at a player and the other flies on to the wall. The server's verdicts on both come
// late, together: each is compared with the end of its own rocket, and agrees. [GAP-45]
func TestTwoProjectilesInTheAir(t *testing.T) {
	m := newMatch(t)
	s := newScreen(m)
	for _, at := range []geom.Vec3{m.body(2), geom.V(-8, 1.5, -20)} {
		out := s.shoot(rocket, at)
		m.Fire(&out)
		s.run(1)
	}
	s.deaf = true
	for len(s.Projectiles()) == 2 && m.ticks < 200 {
		s.run(1)
	}
	if p := s.Projectiles(); len(p) != 1 || p[0].Shot != 2 || len(s.ended) != 1 {
		t.Fatalf("got %+v in the air and %d ends; want the second rocket and one end", p, len(s.ended))
	}
	s.run(60)
	s.deaf = false
	s.run(1)
	if len(s.ended) != 2 || s.ended[0] || s.ended[1] {
		t.Errorf("they end %v, want each once, not again", s.ended)
	}
	if c := s.Counters(); c.Confirmed != 2 || c.Contradicted != 0 || c.Hits != 1 {
		t.Errorf("got %+v, want both confirmed, one of them a hit", c)
	}
}

// On a screen of 250 frames a second a rocket moves in every frame, although it is simulated in longer steps: by its
// speed, without judder. [GAP-45]
func TestAProjectileIsDrawnBetweenItsSteps(t *testing.T) {
	m := newMatch(t)
	s := newScreen(m)
	s.shoot(rocket, geom.V(-8, 1.5, -20))
	view := s.drawn
	last := s.Projectiles()[0].Drawn
	for frame := range 60 {
		view.At, view.Platform = view.At+4*ms, view.Platform+4*ms
		s.Draw(view, m.World, track.Sample{}, m.Weapons)
		drawn := s.Projectiles()[0].Drawn
		if d := drawn.Dist(last); d < .079 || d > .081 {
			t.Fatalf("frame %d: it is drawn %.3f m from the frame before, want 0.080 at 20 m/s", frame, d)
		}
		last = drawn
	}
}

// A rocket ends by the server, at a player or on the floor, and flies on on the screen: a quarter of a second after the
// verdict it is gone from the screen, its end is shown where the server has it, and the shot counts as contradicted.
// Another one in the air has nothing to do with it. [GAP-45]
func TestAProjectileThatFliesOnHereOnly(t *testing.T) {
	for _, end := range []geom.Vec3{geom.V(0, 1, -10), geom.V(-6, 0, -6)} {
		m := newMatch(t)
		s := newScreen(m)
		wall := geom.V(-8, 1.5, -20)
		first := s.shoot(rocket, wall)
		m.Fire(&first)
		s.run(1)
		out, short := s.shoot(rocket, wall), m.shoot(1, rocket, end)
		out.Claim.Yaw, out.Claim.Pitch = short.Claim.Yaw, short.Claim.Pitch
		m.Fire(&out)
		for len(m.verdicts) < 3 && m.ticks < 200 {
			s.run(1)
		}
		verdict := m.ticks
		for len(s.Projectiles()) == 2 && m.ticks < 400 {
			s.run(1)
		}
		if d := m.ticks - verdict; d < 15 || d > 17 || len(s.Projectiles()) != 1 || s.Projectiles()[0].Shot != first.Number {
			t.Errorf("%d ticks after the verdict got %+v, want the first rocket after 16", d, s.Projectiles())
		}
		if len(s.ended) != 1 || !s.ended[0] || s.Counters().Contradicted != 1 {
			t.Errorf("it ends %v, %+v; want one end, as the server has it", s.ended, s.Counters())
		}
		s.run(120)
		if c := s.Counters(); len(s.ended) != 2 || s.ended[1] || c.Contradicted != 1 || c.Confirmed != 1 {
			t.Errorf("the first ends %v, %+v; want its own end, confirmed", s.ended, c)
		}
	}
}

// A projectile that the server refuses is removed from the screen, and one that the server has end
// elsewhere ends a second time.
func TestClientProjectilesThatTheServerContradicts(t *testing.T) {
	m := newMatch(t)
	s := newScreen(m)
	out := s.shoot(rocket, m.body(2))
	out.Alive = false // by the server
	m.Fire(&out)
	s.run(2)
	if len(s.Projectiles()) != 0 || s.Counters() != (Counters{Contradicted: 1, Refused: 1}) || len(s.ended) != 0 {
		t.Errorf("refused: %d fly, %+v, ends %v", len(s.Projectiles()), s.Counters(), s.ended)
	}
	out = s.shoot(rocket, m.body(2))
	aside := m.shoot(1, rocket, geom.V(-15, 1.5, -10))
	out.Claim.Yaw = aside.Claim.Yaw // the server has it fly elsewhere
	m.Fire(&out)
	s.run(120)
	if len(s.ended) != 2 || s.ended[0] || !s.ended[1] || s.Counters().Contradicted != 2 || s.Counters().Refused != 1 {
		t.Errorf("ends elsewhere: ended %v, %+v; want a second end", s.ended, s.Counters())
	}
}

// The end of another player's projectile is shown when the view reaches it, once, however often its
// notice comes, and not later because others wait before it; where more than 32 wait the oldest is shown early.
func TestEndsWaitForTheView(t *testing.T) {
	s := newScreen(newMatch(t))
	end := func(at clock.Micros) Notices {
		var n Notices
		n.Shots.First = uint16(s.taken.shots) + 1
		n.Shots.Items = []SeenShot{{Shooter: 2, Ended: true, At: at}}
		return n
	}
	due := s.drawn.At + 200*ms
	for _, at := range []clock.Micros{due + 20*clock.Second, due, due + 30*clock.Second} {
		n := end(at)
		s.Receive(&n)
		s.Receive(&n)
	}
	for len(s.seen) == 0 && s.drawn.At < due+clock.Second {
		s.run(1)
	}
	if len(s.seen) != 1 || s.seen[0].At != due || s.drawn.At < due || s.drawn.At > due+40*ms {
		t.Errorf("seen %+v, at view time %d, want one at %d µs", s.seen, s.drawn.At, due)
	}
	if len(s.ends) != 2 || s.ends[0].At != due+20*clock.Second || s.ends[1].At != due+30*clock.Second {
		t.Errorf("%+v wait, want those of 20 and 30 s later", s.ends)
	}
	s.seen, s.ends = nil, nil
	for i := range clock.Micros(maxEnds + 3) {
		n := end(s.drawn.At + 10*clock.Second + i)
		s.Receive(&n)
	}
	if len(s.seen) != 3 || s.seen[2].At-s.seen[0].At != 2 {
		t.Errorf("%d are shown early, want the oldest 3", len(s.seen))
	}
}

// Damage, and the shot that did it, reach the game once, whichever of the datagrams with it come.
func TestDamageIsReportedOnce(t *testing.T) {
	m := newMatch(t)
	s := newScreen(m)
	m.fire(m.shoot(2, rifle, m.body(1)))
	var n Notices
	m.players[0].combat.Fill(&n, 10_000, m.ticks+1)
	for range 3 {
		s.Receive(&n)
	}
	if len(s.damaged) != 1 || s.damaged[0].By != 2 || s.damaged[0].Amount != 25 {
		t.Errorf("got %+v, want one damage of 25 by player 2", s.damaged)
	}
	if len(s.seen) != 1 || s.seen[0].Shooter != 2 || s.seen[0].To.Dist(m.body(1)) > 1 {
		t.Errorf("got %+v, want the one shot of player 2, to player 1", s.seen)
	}
}

// randomNotices draws notices of everything.
func randomNotices(r *rand.Rand, now clock.Micros) (n Notices) {
	vec := func() geom.Vec3 { return geom.V(r.NormFloat64()*100, r.NormFloat64()*100, r.NormFloat64()*100) }
	for range r.IntN(5) {
		g := SeenShot{Shooter: track.ID(1 + r.IntN(MaxShooters)), Weapon: uint8(r.IntN(shot.MaxWeapons)), To: vec()}
		if g.Ended = r.IntN(2) == 0; g.Ended {
			g.At = now - clock.Micros(r.IntN(6_000_000))
		} else {
			g.From, g.More = vec(), r.IntN(len(g.Ends)+1)
			for i := range g.More {
				g.Ends[i] = vec()
			}
		}
		n.Shots.Items = append(n.Shots.Items, g)
	}
	for range r.IntN(5) {
		n.Damage.Items = append(n.Damage.Items, Damage{By: track.ID(1 + r.IntN(MaxShooters)), Weapon: uint8(r.IntN(shot.MaxWeapons)),
			Tag: rig.Tag(r.IntN(rig.Tags)), Amount: uint16(r.IntN(65536)), From: vec(), Ago: clock.Micros(r.IntN(4_095_000))})
	}
	return n
}

// Notices keep what they say within the grid, take no more bits than their bound, and packing what
// was read makes the same bytes.
func TestNoticesTravel(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, 1))
	const now = 20 * clock.Second
	for i := range 300 {
		want := randomNotices(r, now)
		var p bits.Packer
		p.Write(make([]byte, 1<<14))
		want.Pack(&p, now)
		bound := CountBits
		for k := range want.Shots.Items {
			bound += want.Shots.Items[k].MaxBits()
		}
		for k := range want.Damage.Items {
			bound += want.Damage.Items[k].MaxBits()
		}
		if p.Err() != nil || p.Bits() > bound {
			t.Fatalf("seed %d, %d: %v, %d bits, more than the bound %d", seed, i, p.Err(), p.Bits(), bound)
		}
		b := append([]byte(nil), p.Bytes()...)
		var got Notices
		p.Read(b)
		got.Pack(&p, now)
		p.Write(make([]byte, 1<<14))
		got.Pack(&p, now)
		if string(p.Bytes()) != string(b) || got.Len() != want.Len() {
			t.Fatalf("seed %d, %d: read %d notices and wrote other bytes", seed, i, got.Len())
		}
		for k := range got.Shots.Items {
			g, w := &got.Shots.Items[k], &want.Shots.Items[k]
			late := max(w.At, now-maxAgo) - g.At
			apart := max(g.To.Dist(w.To), g.From.Dist(w.From))
			for e := range w.More {
				apart = max(apart, g.Ends[e].Dist(w.Ends[e]))
			}
			if g.Shooter != w.Shooter || g.Weapon != w.Weapon || g.Ended != w.Ended || apart > .02 || g.More != w.More || w.Ended && (late > 0 || late <= -ms) {
				t.Fatalf("seed %d, %d: got %+v, want %+v", seed, i, g, w)
			}
		}
		for k := range got.Damage.Items {
			g, w := &got.Damage.Items[k], &want.Damage.Items[k]
			if g.By != w.By || g.Weapon != w.Weapon || g.Tag != w.Tag || g.Amount != w.Amount || g.From.Dist(w.From) > .02 || w.Ago-g.Ago >= ms || g.Ago > w.Ago {
				t.Fatalf("seed %d, %d: got %+v, want %+v", seed, i, g, w)
			}
		}
		if got.Clear(); got.Len() != 0 {
			t.Fatal("cleared notices are left")
		}
	}
}

// Cut and random bytes are errors or notices within their bounds, and no panic. [THR-13]
func FuzzNotices(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		n := randomNotices(r, clock.Second)
		var p bits.Packer
		p.Write(make([]byte, 1<<14))
		n.Pack(&p, clock.Second)
		f.Add(p.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var p bits.Packer
		var n Notices
		p.Read(b)
		if n.Pack(&p, clock.Second); p.Err() != nil {
			return
		}
		for i := range n.Shots.Items {
			if g := &n.Shots.Items[i]; g.Shooter < 1 || g.Shooter > MaxShooters || g.Weapon >= shot.MaxWeapons || g.More > len(g.Ends) {
				t.Errorf("%+v", g)
			}
		}
	})
}

// A ShotDebug travels without loss; its samples ascend by id, and what one bit says has no other
// encoding.
func TestShotDebugTravels(t *testing.T) {
	up := geom.V(0, 0, 1)
	d := ShotDebug{Shot: 7, Known: true, Receipt: shot.Receipt{Shot: 7, Shooter: 1, Weapon: 2, Verdict: shot.Refused, Reason: shot.TooFast}, Eye: geom.V(1, 2, 3), Platform: -5, Targets: []track.Entity{
		{ID: 2, Sample: track.Sample{At: 10, BaseLink: track.BaseLink{BaseVelocity: geom.V(.7, .8, .9)}, Pose: track.Pose{Position: geom.V(.1, .2, .3), Velocity: geom.V(.4, .5, .6), Yaw: .5, Pitch: .25,
			StrideDistance: 1.5, Stance: track.Stance{Crouch: .1, Air: .2, Swim: .3}, Mode: 7, Up: up, Crouched: true},
			GameData: track.GameData{Life: 3, Dead: true, Clip: 5, ClipAt: -9, Teleport: 6}}},
		{ID: 900, Sample: track.Sample{Pose: track.Pose{Rotation: geom.YawQuat(1), AngularVelocity: up, Asleep: true}, GameData: track.GameData{Kind: 4, UserData: 77}}},
	}}
	for _, want := range []ShotDebug{d, {Shot: 9}} {
		var got ShotDebug
		pack(t, want.Pack, got.Pack)
		if got.Shot != want.Shot || got.Known != want.Known || got.Receipt.Reason != want.Receipt.Reason || got.Receipt.Weapon != want.Receipt.Weapon || got.Eye != want.Eye || got.Platform != want.Platform || len(got.Targets) != len(want.Targets) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		for i := range want.Targets {
			if got.Targets[i] != want.Targets[i] {
				t.Errorf("got %+v, want %+v", got.Targets[i], want.Targets[i])
			}
		}
	}
	d.Targets[1].ID = 2
	var p bits.Packer
	p.Write(make([]byte, 4096))
	if d.Pack(&p); p.Err() == nil {
		t.Error("two samples of one id can be packed")
	}
}

// Others see projectiles that rest on a moving body in its frame, where they lie still: a velocity would be extrapolated
// for as long as nothing changes.
func TestAProjectileAtRestRidesItsBody(t *testing.T) {
	var b collide.Builder
	b.Body("lift", collide.Path{Keys: []collide.Key{{}, {At: 100 * clock.Second, Position: geom.V(0, 100, 0)}}}, func(b *collide.Builder) {
		b.Box(geom.V(0, -.5, 0), geom.V(30, .5, 30), geom.IdentityQuat, collide.Surface{})
	})
	world := b.MustBake()
	m := newMatch(t)
	m.World, m.view.World = world, world
	s := m.shoot(1, mine, geom.V(0, 1, -1))
	s.Eye.Y += s.Claim.View.Platform.Seconds() // on the lift
	m.fire(s)
	m.run(40)
	if v := m.flights[0].Velocity; v != (geom.Vec3{}) {
		t.Errorf("got a projectile at rest with a velocity of %v, want none", v)
	}
	_, e := m.only()
	if e.sample.Base == collide.Static || e.sample.Position.Y > .5 || e.sample.Position.Y < -.5 {
		t.Errorf("got base %d and height %.2f m, want the lift's frame and its floor", e.sample.Base, e.sample.Position.Y)
	}
	if e.sample.Velocity != (geom.Vec3{}) {
		t.Errorf("got a velocity of %v in the lift's frame, want none", e.sample.Velocity)
	}
}

// A player steps aside for six ticks while a rocket passes. If the shooter received these snapshots, its screen shows
// the rocket fly past, and the server says so. If they were lost, the screen draws the player across them, where it
// stood before and after, and the rocket hits. [HIT-20]
func TestARocketMeetsWhatWasDrawnAcrossLostSnapshots(t *testing.T) {
	for _, lost := range []bool{false, true} {
		m := newMatch(t)
		m.players[2].inWorld = false
		m.fire(m.shoot(1, rocket, m.body(2)))
		launched := m.ticks
		var received track.Received
		for len(m.verdicts) == 1 && m.ticks < launched+60 {
			// The rocket takes 29 ticks. The view is 4 ticks behind its time.
			aside := m.ticks+1 >= launched+22 && m.ticks+1 < launched+28
			m.players[1].feet.X = 0
			if aside {
				m.players[1].feet.X = 5
			}
			m.run(1)
			if !aside || !lost {
				received.Mark(m.ticks)
			}
			m.players[0].acknowledged = received
		}
		hit := len(m.verdicts) == 2 && m.verdicts[1].receipt.Outcome.Target == 2
		if hit != lost {
			t.Errorf("lost: %v: the rocket hit: %v, want %v: %+v", lost, hit, lost, m.verdicts)
		}
	}
}

// Of the snapshots up to a tick all count but those that are known to be lost: earlier than one that has arrived. [HIT-20]
func TestAllButLost(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var received track.Received
		last := uint32(random.IntN(100))
		for tick := uint32(1); tick <= last; tick++ {
			if random.IntN(3) > 0 {
				received.Mark(tick)
			}
		}
		newest := uint32(1 + random.IntN(150))
		got := allButLost(received, newest)
		for tick := uint32(1); tick <= newest && newest-tick <= track.ReceivedWindow; tick++ {
			forgotten := tick < received.Newest && received.Newest-tick > track.ReceivedWindow
			if want := tick == newest || tick > received.Newest || forgotten || received.Has(tick); got.Has(tick) != want {
				t.Fatalf("received %+v, up to %d: has %d: %v, want %v", received, newest, tick, !want, want)
			}
		}
	}
}
