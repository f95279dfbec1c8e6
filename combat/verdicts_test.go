package combat

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/visibility"
)

// A client that draws others nearly at the present makes commands that begin before the view time, such as those
// of a fixed tick. The projectile of such a command leaves at the same instant on both ends. [GAP-46]
func TestAProjectileOfACommandThatBeginsBeforeItsView(t *testing.T) {
	for _, early := range []clock.Micros{-20 * ms, 0, 15 * ms} {
		m := newMatch(t)
		s := newScreen(m)
		s.others.SetDefaultMode(remote.Linear)
		s.run(60)
		out := m.shoot(1, rocket, m.body(2))
		claim := &shot.Claim{Weapon: rocket, Yaw: out.Claim.Yaw, Pitch: out.Claim.Pitch}
		begins := s.drawn.At - early
		s.BeginFrame()
		s.Aim(claim, out.Number, out.Eye, begins, m.Weapons)
		s.Fired(&shot.FireParams{Number: out.Number, Eye: out.Eye, Claim: claim, Result: out.Result}, begins, m.Weapons)
		out.Claim, out.Age = *claim, shot.ViewAge{RoundTrip: 100 * ms, LinkDelay: 100 * ms, Delay: 100 * ms}
		out.Claim.View.Platform = begins // as the server knows it
		here := s.Projectiles()[0].Flight
		m.Fire(&out)
		m.run(1)
		there := m.flights[0].Flight
		if here.Fired != there.Fired || here.ViewLag != there.ViewLag {
			t.Errorf("%d ms before the view: the client's left at %d with a lag of %d µs, want the server's %d and %d", early/ms, here.Fired, here.ViewLag, there.Fired, there.ViewLag)
		}
	}
}

// A match that judges interpolated views only flies projectiles among interpolated targets too, whatever mode
// their claims name.
func TestInterpolatedOnlyCountsForProjectiles(t *testing.T) {
	for _, only := range []bool{false, true} {
		m := newMatch(t)
		m.Start(nil, shot.Limits{InterpolatedOnly: only})
		s := m.shoot(1, rocket, m.body(2))
		s.Claim.View.Mode = track.DrawNewest
		m.fire(s)
		want := track.DrawNewest
		if only {
			want = track.DrawInterpolated
		}
		if got := m.flights[0].drawn; got != want {
			t.Errorf("only interpolated %v: got targets drawn in mode %d, want %d", only, got, want)
		}
	}
}

// A projectile that is refused because 16 are in the air has the receipt of a refused shot: no view was granted,
// and nobody agreed with it. [THR-11]
func TestTheReceiptOfOneTooManyInTheAir(t *testing.T) {
	m := newMatch(t)
	for range maxFlying {
		m.fire(m.shoot(1, mine, geom.V(0, 1.5, -5)))
	}
	r := m.fire(m.shoot(1, mine, geom.V(0, 1.5, -5))).receipt
	if r.Reason != shot.TooFast || r.ViewGranted != 0 || r.Agrees || r != r.Quantise() {
		t.Errorf("got %+v, want refused, view 0, not agreed", r)
	}
}

// The record of a shot has the instant at which bodies stood as it was judged: that of the command, but never
// before the view, and the present for a weapon that judges old views there. [HIS-11, HIT-12]
func TestTheRecordOfAShotHasTheInstantOfMovers(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(m *match, s *shot.Shot)
		judged  func(s *shot.Shot) clock.Micros
		present bool
	}{
		{"an honest shot", func(*match, *shot.Shot) {}, func(s *shot.Shot) clock.Micros { return s.Claim.View.Platform }, false},
		{"a command that began before its view", func(_ *match, s *shot.Shot) { s.Claim.View.Platform = s.Claim.View.At - 10*ms },
			func(s *shot.Shot) clock.Micros { return s.Claim.View.At }, false},
		{"an old view that is judged in the present", func(m *match, _ *shot.Shot) {
			m.Weapons[rifle].LagCompensation = shot.LagCompensation{MaxRewind: 50 * ms, Beyond: shot.Present}
		}, func(s *shot.Shot) clock.Micros { return s.Now }, true},
	} {
		m := newMatch(t)
		s := m.shoot(1, rifle, m.body(2))
		c.change(m, &s)
		want := c.judged(&s)
		if r := m.fire(s).receipt; r.Verdict != shot.Hit || (r.ViewGranted == s.Now) != c.present {
			t.Fatalf("%s: got %+v", c.name, r)
		}
		if got := m.players[0].combat.ShotDebug(s.Number, nil).Platform; got != want {
			t.Errorf("%s: got bodies at %d µs, want %d", c.name, got, want)
		}
	}
}

// A player that is not in the world sees nothing in a match with visibility, neither shots nor ends of
// projectiles: a second connection that waits cannot show where everybody is. [THR-26]
func TestShotsAreNotShownToAPlayerOutsideTheWorld(t *testing.T) {
	for _, rules := range []*visibility.Rules{nil, {}} {
		m := newMatchWith(t, rules)
		m.players[2].inWorld = false
		m.run(1)
		m.fire(m.shoot(2, rifle, m.body(1)))
		m.show(&SeenShot{Shooter: 2, Ended: true, At: m.now(), To: m.body(1)})
		if got, want := len(m.received(3).Shots.Items), 2*count(rules == nil); got != want {
			t.Errorf("with visibility %v: got %d shots, want %d", rules != nil, got, want)
		}
	}
}

// At each tick rate, however old the view into which it was fired, a projectile meets a runner where it was at that
// instant, as long as the history reaches back.
func TestOldFlightsAtEachTickRate(t *testing.T) {
	for _, rate := range []int{20, 60, 128, 240, 1000} {
		m := newMatch(t)
		m.TickRate, m.History = rate, rewind.NewHistory(rate, rewind.MaxWindow)
		runner := func(at clock.Micros) geom.Vec3 { return geom.V(6*at.Seconds(), 0, -10) }
		for m.tick = 0; m.Server.now < 4*clock.Second; {
			m.tick++
			m.Server.now = clock.TickTime(int64(m.tick), rate)
			f := m.History.Record(m.tick, m.Server.now)
			f.Add(1, track.Sample{At: m.Server.now})
			stamp := m.Server.now - 50*ms // as others see it, behind the tick
			f.Add(2, track.Sample{At: stamp, Pose: track.Pose{Position: runner(stamp), Velocity: geom.V(6, 0, 0)}})
		}
		m.sent = m.tick
		scene := rewind.NewScene(nil)
		m.past.flight = &flight{Flight: shot.Flight{Shooter: 1}}
		for _, ago := range []clock.Micros{100 * ms, 200 * ms, 300 * ms, 500 * ms, 900 * ms} {
			at := m.Server.now - ago
			if !m.past.Scene(at, at, scene) {
				t.Fatalf("%d Hz, %d ms ago: no scene", rate, ago/ms)
			}
			_, stands, ok := scene.PosedRig(2)
			if want := runner(at); !ok || stands.Translation.Dist(want) > .05 {
				t.Errorf("%d Hz, %d ms ago: got a runner at %v, want %v", rate, ago/ms, stands.Translation, want)
			}
		}
	}
}
