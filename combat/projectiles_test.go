package combat

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
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

// Others see projectiles that rest on a mover in its frame, where they lie still: a velocity would be extrapolated
// for as long as nothing changes.
func TestAProjectileAtRestRidesItsMover(t *testing.T) {
	var b collide.Builder
	b.Mover("lift", collide.Path{Keys: []collide.Key{{}, {At: 100 * clock.Second, Position: geom.V(0, 100, 0)}}}, func(b *collide.Builder) {
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
