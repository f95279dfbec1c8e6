package combat

import (
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/visibility"
)

// A hit reaches every player that it concerns once: the shooter gets the receipt, the target the
// damage, and all players but the shooter see the shot.
func TestAHitIsReportedToAllPlayers(t *testing.T) {
	m := newMatch(t)
	v := m.fire(m.shoot(1, rifle, m.body(2)))
	if r := v.receipt; r.Verdict != shot.Hit || r.Outcome.Target != 2 || r.Damage != 25 || !v.reported || v.tested == 0 {
		t.Fatalf("got %+v, want a hit of player 2 with damage 25", v)
	}
	for id := track.ID(1); id <= 4; id++ {
		n := m.received(id)
		receipts, shots, damage := len(n.Receipts.Items), len(n.Shots.Items), len(n.Damage.Items)
		if receipts != count(id == 1) || shots != count(id != 1) || damage != count(id == 2) {
			t.Errorf("player %d got %d receipts, %d shots seen, %d damages", id, receipts, shots, damage)
		}
		if id == 2 && damage == 1 {
			d := n.Damage.Items[0]
			if d.By != 1 || d.Amount != 25 || d.Weapon != rifle || d.From.Dist(geom.V(0, 1.5, 0)) > 0.02 || d.Ago != 80*ms {
				t.Errorf("player 2: got %+v, want 25 by player 1 from its eye, 80 ms ago", d)
			}
		}
		if n := m.received(id); n.Len() != 0 {
			t.Errorf("player %d: %d notices are sent again after they were acknowledged", id, n.Len())
		}
	}
}

// The other players see where each pellet of a shot ended, also after shots with more pellets and with fewer, which had
// their places in the queue before. [HIT-13]
func TestOthersSeeEveryPellet(t *testing.T) {
	m := newMatch(t)
	m.Weapons[rifle].Spread.Cone = 0.05
	for i, pellets := range []uint8{16, 1, 5, 9, 0, 16} {
		m.Weapons[rifle].Pellets = pellets
		m.fire(m.shoot(1, rifle, geom.V(3, 4, -20)))
		want := []geom.Vec3{}
		for _, o := range m.judge.Rays() {
			want = append(want, o.Point)
		}
		if n := max(int(pellets), 1); len(want) != n {
			t.Fatalf("shot %d: %d rays, want %d", i+1, len(want), n)
		}
		for id := track.ID(2); id <= 4; id++ {
			seen := m.received(id).Shots.Items
			if len(seen) != 1 || seen[0].More != len(want)-1 || seen[0].From.Dist(geom.V(0, 1.5, 0)) > 0.01 {
				t.Fatalf("shot %d: player %d sees %+v, want one with %d more ends", i+1, id, seen, len(want)-1)
			}
			got := append([]geom.Vec3{seen[0].To}, seen[0].Ends[:seen[0].More]...)
			for k := range want {
				if got[k].Dist(want[k]) > 0.02 {
					t.Errorf("shot %d: player %d sees pellet %d end at %v, want %v", i+1, id, k, got[k], want[k])
				}
			}
		}
		m.run(60)
	}
}

// Twelve shots in a row, and a datagram that has room for only a few receipts: what is packed fits, whatever the
// receipts are, and the others follow with the next ones.
func TestReceiptsFitTheirRoom(t *testing.T) {
	m := newMatch(t)
	const room, shots = 300, 12
	for i := range shots {
		at := m.body(2)
		if i%3 == 0 {
			at = geom.V(-8, 1.5, -20) // a miss is shorter
		}
		m.fire(m.shoot(1, rifle, at))
		m.run(10)
	}
	p, received := &m.players[0].combat, 0
	for range shots {
		var n Notices
		p.Fill(&n, room, m.ticks+1)
		n.Shots.Items, n.Damage.Items = nil, nil
		var w bits.Packer
		w.Write(make([]byte, 1000))
		if n.Pack(&w, m.now()); w.Bits() > room+CountBits {
			t.Fatalf("%d receipts take %d bits, want %d at most", len(n.Receipts.Items), w.Bits(), room+CountBits)
		}
		received += len(n.Receipts.Items)
		p.Acknowledge(m.ticks)
		m.run(1)
	}
	if received != shots {
		t.Errorf("got %d receipts, want %d", received, shots)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Each way in which a claim is refused has its reason. The shooter gets a receipt with it; nobody
// is hurt and nobody else sees a shot. [HIT-14, THR-19, THR-20, GAP-42, HIS-06]
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(m *match, s *shot.Shot)
		want  shot.Reason
	}{
		{"a weapon that is not in the table", func(_ *match, s *shot.Shot) { s.Claim.Weapon = weapons }, shot.UnknownWeapon},
		{"the shooter was dead", func(_ *match, s *shot.Shot) { s.Alive = false }, shot.ShooterDead},
		{"no round was left", func(_ *match, s *shot.Shot) { s.Result.Fired = false }, shot.NotReady},
		{"another weapon is in hand", func(_ *match, s *shot.Shot) { s.Result.Weapon = blade }, shot.WrongWeapon},
		{"the same command again", func(m *match, s *shot.Shot) { m.fire(*s); m.verdicts = nil }, shot.Replayed},
		{"too many", func(m *match, s *shot.Shot) {
			for range 3 { // the one that is due and a burst of 2
				m.Fire(s)
				s.Number++
			}
		}, shot.TooFast},
		{"a view of the future", func(_ *match, s *shot.Shot) { s.Claim.View.At = s.Now + 1 }, shot.FutureView},
		{"a view that the link does not explain", func(_ *match, s *shot.Shot) { s.Claim.View.At -= 200 * ms }, shot.OldView},
		{"a view of snapshots that are not recorded any more", func(m *match, s *shot.Shot) {
			m.run(300)
			s.Now = m.now() + clock.Second/60
		}, shot.Forgotten},
	} {
		m := newMatch(t)
		s := m.shoot(1, rifle, m.body(2))
		c.spoil(m, &s)
		m.fire(s)
		last := m.verdicts[len(m.verdicts)-1]
		if last.receipt.Verdict != shot.Refused || last.receipt.Reason != c.want || last.receipt.Damage != 0 {
			t.Errorf("%s: got verdict %d, %q; want refused, %q", c.name, last.receipt.Verdict, last.receipt.Reason, c.want)
		}
		hits := 0
		for _, v := range m.verdicts {
			hits += count(v.receipt.Verdict == shot.Hit)
		}
		if c.want == shot.Replayed {
			hits = 1 // the first of the two
		}
		if n := m.received(1); len(n.Receipts.Items) == 0 || n.Receipts.Items[len(n.Receipts.Items)-1].Reason != c.want {
			t.Errorf("%s: the shooter got %d receipts without the reason", c.name, len(n.Receipts.Items))
		}
		if n := m.received(2); len(n.Damage.Items) != hits || len(n.Shots.Items) != hits {
			t.Errorf("%s: player 2 got %d damages and saw %d shots, want %d", c.name, len(n.Damage.Items), len(n.Shots.Items), hits)
		}
	}
}

// The present decides which targets take damage: a target that has died since the view, is in another life, or
// has left the world takes no damage, and the receipt has the reason. [GAP-50]
func TestDamageToTargetsThatAreGone(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(p *standIn)
		want   shot.Reason
		damage uint16
	}{
		{"still there", func(*standIn) {}, shot.NoReason, 25},
		{"dead", func(p *standIn) { p.dead = true }, shot.AlreadyDead, 0},
		{"in its next life", func(p *standIn) { p.life++ }, shot.AlreadyDead, 0},
		{"gone from the world", func(p *standIn) { p.inWorld = false }, shot.AlreadyDead, 0},
	} {
		m := newMatch(t)
		s := m.shoot(1, rifle, m.body(2))
		c.change(&m.players[1])
		r := m.fire(s).receipt
		if r.Reason != c.want || r.Damage != c.damage || r.Outcome.Target != 2 {
			t.Errorf("%s: got %q and damage %d to %d, want %q and %d", c.name, r.Reason, r.Damage, r.Outcome.Target, c.want, c.damage)
		}
		if n := m.received(2); (len(n.Damage.Items) > 0) != (c.damage > 0) {
			t.Errorf("%s: the target got %d damages", c.name, len(n.Damage.Items))
		}
	}
}

// An entity of kind 0 is hit as a player is. One that was removed meanwhile is not hurt, and its
// id is no seat that could be notified.
func TestEntitiesAsTargets(t *testing.T) {
	for _, gone := range []bool{false, true} {
		m := newMatch(t)
		id := m.Spawn(0)
		m.SetPose(id, track.Sample{Pose: track.Pose{Position: geom.V(-5, 0, -8)}}, m.now())
		for range 20 {
			m.SetPose(id, track.Sample{Pose: track.Pose{Position: geom.V(-5, 0, -8)}}, m.now()+clock.Second/60)
			m.run(1)
		}
		s := m.shoot(1, rifle, geom.V(-5, 1, -8))
		if gone {
			m.Despawn(id)
		}
		r := m.fire(s).receipt
		if want := uint16(25 * count(!gone)); r.Outcome.Target != id || r.Damage != want {
			t.Errorf("gone %v: got target %d and damage %d, want %d and %d", gone, r.Outcome.Target, r.Damage, id, want)
		}
	}
}

// The game has the last word on damage, and it is asked before anybody is notified.
func TestTheGameChangesDamage(t *testing.T) {
	m := newMatch(t)
	fired := 0
	m.onShot = func(r *shot.Receipt) {
		fired++
		r.Damage, r.Events[0].Damage = 3, 3
	}
	m.fire(m.shoot(1, rifle, m.body(2)))
	m.run(10)
	m.fire(m.shoot(1, rifle, geom.V(-20, 1, -10))) // a miss
	if fired != 1 {
		t.Errorf("the game was fired %d times, want once: of the hit", fired)
	}
	if n := m.received(2); len(n.Damage.Items) != 1 || n.Damage.Items[0].Amount != 3 {
		t.Errorf("got %+v, want one damage of 3", n.Damage.Items)
	}
	if n := m.received(1); len(n.Receipts.Items) != 2 || n.Receipts.Items[0].Damage != 3 {
		t.Errorf("the shooter got %+v, want damage 3 in the first of two receipts", n.Receipts.Items)
	}
}

// A player without a connection gets nothing, neither damage nor shots nor receipts, and the
// shot counts.
func TestPlayersWithoutConnection(t *testing.T) {
	m := newMatch(t)
	s := m.shoot(1, rifle, m.body(2))
	m.players[0].connected, m.players[1].connected = false, false
	if r := m.fire(s).receipt; r.Damage != 25 {
		t.Errorf("got damage %d, want 25", r.Damage)
	}
	for id := track.ID(1); id <= 2; id++ {
		if n := m.players[id-1].combat.Waiting(); n != 0 {
			t.Errorf("%d notices wait for player %d", n, id)
		}
	}
	if d := m.players[0].combat.ShotDebug(1, nil); d.Known {
		t.Error("a shot of a lost connection is kept")
	}
}

// Of a swing every command is judged. Others see it once, when it begins, and commands that meet
// nothing on either end make no receipt.
func TestSwings(t *testing.T) {
	m := newMatch(t)
	m.players[0].feet, m.players[2].feet = geom.V(0, 0, -8.6), geom.V(9, 0, 0)
	m.run(60)
	parts := []shot.FireResult{{From: 0, To: 0}, {From: 0, To: .25}, {From: .25, To: .75}, {From: .75, To: 1}}
	for i, part := range parts {
		s := m.shoot(1, blade, m.body(2))
		part.Fired, part.Weapon, part.Swing = true, blade, 1
		s.Result = part
		v := m.fire(s)
		hit := v.receipt.Verdict == shot.Hit
		if hit != (i == 2) || v.reported != hit {
			t.Errorf("part %d: hit %v and reported %v, want both %v", i, hit, v.reported, i == 2)
		}
	}
	if n := m.received(1); len(n.Receipts.Items) != 1 || n.Receipts.Items[0].Damage != 55 {
		t.Errorf("the shooter got %+v, want one receipt of damage 55", n.Receipts.Items)
	}
	if n := m.received(3); len(n.Shots.Items) != 1 {
		t.Errorf("player 3 saw %d shots of one swing", len(n.Shots.Items))
	}
}

// A shooter behind a wall stays hidden: its victim gets a direction and no place, others see where
// the shot ends at most. [THR-26]
func TestHiddenShooters(t *testing.T) {
	m := newMatchWith(t, &visibility.Rules{})
	hidden := geom.V(0, 1.5, -30) // the eye of player 4
	r := shot.Receipt{Shooter: 4, ViewGranted: m.now()}
	m.reportDamage(&r, &shot.DamageEvent{Target: 1, Damage: 5}, hidden)
	m.reportDamage(&r, &shot.DamageEvent{Target: 4, Damage: 5}, hidden)
	eye, _ := m.Eye(1)
	d := m.received(1).Damage.Items[0].From.Sub(eye)
	if d.Len() > 1.02 || d.Unit().Dot(hidden.Sub(eye).Unit()) < .999 {
		t.Errorf("the damage came from %v of the eye, want the direction alone", d)
	}
	for _, c := range []struct {
		name        string
		to          geom.Vec3
		ended, sees bool
	}{
		{"ends before the viewer", geom.V(0, 1, -15), false, true},
		{"ends behind the wall", geom.V(3, 1, -28), false, false},
		{"detonates before the viewer", geom.V(0, 1, -15), true, true},
		{"detonates behind the wall", geom.V(3, 1, -28), true, false},
	} {
		m.show(&SeenShot{Shooter: 4, From: hidden, To: c.to, Ended: c.ended, At: m.now()})
		n := m.received(1)
		if sees := len(n.Shots.Items) == 1; sees != c.sees {
			t.Errorf("%s: seen %v, want %v", c.name, sees, c.sees)
		} else if sees && n.Shots.Items[0].From.Dist(hidden) < 1 {
			t.Errorf("%s: the notice shows where the shooter is", c.name)
		}
	}
	if m.show(&SeenShot{Shooter: 2, From: m.body(2), To: geom.V(3, 1, -19)}); len(m.received(1).Shots.Items) != 1 {
		t.Error("the shot of a visible player is not seen")
	}
}

// A player may ask by what its last 32 shots were judged: with the samples that they were tested
// against, from the eye that the server used.
func TestShotDebugOfAJudgedShot(t *testing.T) {
	m := newMatch(t)
	for range 40 {
		m.fire(m.shoot(1, rifle, m.body(2)))
		m.run(8)
	}
	p := &m.players[0].combat
	for n := uint32(1); n <= 41; n++ {
		d := p.ShotDebug(n, nil)
		if known := n > 8 && n <= 40; d.Known != known || d.Shot != n {
			t.Errorf("shot %d: known %v, want %v", n, d.Known, known)
		} else if known && (d.Receipt.Damage != 25 || d.Eye != geom.V(0, 1.5, 0) || len(d.Targets) == 0 || d.Targets[0].ID != 2 || d.Targets[0].Position != geom.V(0, 0, -10)) {
			t.Errorf("shot %d: got %+v", n, d)
		}
	}
	if again := p.Reconnected(); again.ShotDebug(40, nil).Known || again.Waiting() != 0 {
		t.Error("a new connection knows shots of the one before")
	}
}

// The receipt of a wall hit has the point, for effects, and nobody is hurt.
func TestShotsAtWalls(t *testing.T) {
	m := newMatch(t)
	v := m.fire(m.shoot(1, rifle, geom.V(-8, 1.5, -20)))
	if r := v.receipt; r.Verdict != shot.Miss || r.Outcome.Kind != rewind.World || r.Outcome.Point.Dist(geom.V(-8, 1.5, -20)) > .05 {
		t.Errorf("got %+v", r)
	}
	if n := m.received(2); len(n.Damage.Items) != 0 || len(n.Shots.Items) != 1 {
		t.Error(fmt.Sprint("player 2 got ", n.Damage.Items, n.Shots.Items))
	}
}
