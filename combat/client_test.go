package combat

import (
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// clientEvents is Events that are kept.
type clientEvents struct {
	confirmed []shot.Receipt
	seen      []SeenShot
	ended     []bool // again
	damaged   []Damage
}

func (e *clientEvents) ShotJudged(r shot.Receipt) { e.confirmed = append(e.confirmed, r) }
func (e *clientEvents) Seen(s *SeenShot)          { e.seen = append(e.seen, *s) }
func (e *clientEvents) Damaged(d *Damage)         { e.damaged = append(e.damaged, *d) }
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
	if c := s.Counters(); c.Agreed != 4 || c.Disagreed != 0 || c.Hits != 2 || len(s.confirmed) != 4 {
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
		if want := (Counters{Agreed: 1, Disagreed: 1, Refused: 1}); s.Counters() != want || len(s.ended) != 1+count(late) || slices.Contains(s.ended, true) {
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
	if c := s.Counters(); c.Agreed != 2 || c.Disagreed != 0 || c.Hits != 1 {
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
		if len(s.ended) != 1 || !s.ended[0] || s.Counters().Disagreed != 1 {
			t.Errorf("it ends %v, %+v; want one end, as the server has it", s.ended, s.Counters())
		}
		s.run(120)
		if c := s.Counters(); len(s.ended) != 2 || s.ended[1] || c.Disagreed != 1 || c.Agreed != 1 {
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
	if len(s.Projectiles()) != 0 || s.Counters() != (Counters{Disagreed: 1, Refused: 1}) || len(s.ended) != 0 {
		t.Errorf("refused: %d fly, %+v, ends %v", len(s.Projectiles()), s.Counters(), s.ended)
	}
	out = s.shoot(rocket, m.body(2))
	aside := m.shoot(1, rocket, geom.V(-15, 1.5, -10))
	out.Claim.Yaw = aside.Claim.Yaw // the server has it fly elsewhere
	m.Fire(&out)
	s.run(120)
	if len(s.ended) != 2 || s.ended[0] || !s.ended[1] || s.Counters().Disagreed != 2 || s.Counters().Refused != 1 {
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
