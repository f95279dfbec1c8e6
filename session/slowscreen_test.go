package session_test

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// HIT-15: a player with 2 to 10 frames a second, walking about, is judged as it aimed, on
// lines of 0 to 200 ms, with rays and projectiles.
func TestShotsFromSlowScreens(t *testing.T) {
	singleThreaded(t)
	for _, weapon := range []uint8{rifle, rocket} {
		for _, fps := range []clock.Micros{2, 3, 5, 10} {
			for _, rtt := range []clock.Micros{0, 100 * ms, 200 * ms} {
				r := newRing(t, 20, session.ServerConfig{}, weapon, geom.V(0, 0, 0), geom.V(10, 0, 0))
				r.parties[0].line(rtt/2, rtt/2)
				r.parties[1].line(20*ms, 20*ms)
				r.parties[1].input = orbiting(geom.Vec3{}, 10)
				fire := shoots(weapon, func(*party, clock.Micros, *shot.Claim) {})
				r.ready()
				r.parties[0].every = func(clock.Micros) clock.Micros { return clock.Second / fps }
				r.parties[0].input = func(p *party, now clock.Micros) duelMove {
					c := fire(p, now)
					c.Run, c.Yaw = true, float64(now/(700*ms)%6)
					return c
				}
				r.run(r.now() + 60*clock.Second)
				s := r.parties[0].Stats()
				agreed, judged := s.Agreed, s.Agreed+s.Disagreed
				t.Logf("weapon %d, %d frames/s, %d ms: %d of %d shots agreed", weapon, fps, rtt/ms, agreed, judged)
				if judged < 15 || agreed*100 < judged*99 {
					t.Errorf("weapon %d, %d frames/s, %d ms: %d of %d shots agreed, want 99 %%", weapon, fps, rtt/ms, agreed, judged)
				}
			}
		}
	}
}

// HIT-15: so is one whose snapshots do not arrive evenly, as those of a machine that is busy drawing. A
// server cannot measure the arrivals of such a client, so its view must not wait for late ones either.
func TestShotsFromSlowScreensWithJitter(t *testing.T) {
	singleThreaded(t)
	for _, every := range []clock.Micros{500 * ms, 400 * ms, 330 * ms, 240 * ms, 100 * ms} {
		for _, jitter := range []clock.Micros{20 * ms, 60 * ms, 120 * ms} {
			r := newRing(t, 21, session.ServerConfig{}, rifle, geom.V(0, 0, 0), geom.V(10, 0, 0))
			r.parties[0].line(5*ms, 5*ms)
			r.parties[0].down.jitter = jitter
			r.parties[1].line(20*ms, 20*ms)
			r.parties[1].input = orbiting(geom.Vec3{}, 10)
			fire := shoots(rifle, func(*party, clock.Micros, *shot.Claim) {})
			r.parties[0].every = func(clock.Micros) clock.Micros { return every } // from its first frame on
			r.ready()
			r.parties[0].input = func(p *party, now clock.Micros) duelMove { return fire(p, now) }
			r.run(r.now() + 60*clock.Second)
			s := r.parties[0].Stats()
			agreed, judged := s.Agreed, s.Agreed+s.Disagreed
			t.Logf("a frame each %d ms, %d ms of jitter: %d of %d shots agreed", every/ms, jitter/ms, agreed, judged)
			if judged < 60 || agreed*100 < judged*99 {
				t.Errorf("a frame each %d ms, %d ms of jitter: %d of %d shots agreed, want 99 %%", every/ms, jitter/ms, agreed, judged)
			}
		}
	}
}

// HIT-15: so is one that draws frames before it is handed over what its sockets have received meanwhile, as a
// browser does whose graphics card is busy: for a while after joining, and from frame to frame. What waited is
// stamped when it came, so it is not late.
func TestShotsFromFramesThatOvertakeMessages(t *testing.T) {
	singleThreaded(t)
	for _, fps := range []clock.Micros{60, 20, 10} {
		for _, most := range []int{0, 1, 2, 3} { // frames without a message after each that has them
			r := newRing(t, 22, session.ServerConfig{}, rifle, geom.V(0, 0, 0), geom.V(10, 0, 0))
			ann := r.parties[0]
			ann.line(5*ms, 5*ms)
			r.parties[1].line(20*ms, 20*ms)
			r.parties[1].input = orbiting(geom.Vec3{}, 10)
			fire := shoots(rifle, func(*party, clock.Micros, *shot.Claim) {})
			ann.every = func(clock.Micros) clock.Micros { return clock.Second / fps }
			began, frame, last := clock.Micros(0), 0, clock.Micros(0)
			ann.input = func(p *party, now clock.Micros) duelMove {
				if began == 0 || now < began+3*clock.Second/2 { // the view of then is older than shots are judged in
					return duelMove{}
				}
				return fire(p, now)
			}
			ann.waits = func(now clock.Micros) bool {
				if now != last {
					last = now
					frame++
				}
				if began == 0 && ann.Phase() == session.Playing {
					began = now
				}
				return began > 0 && (now < began+900*ms || frame%(most+1) != 0)
			}
			r.run(r.now() + 30*clock.Second)
			s := ann.Stats()
			agreed, judged := s.Agreed, s.Agreed+s.Disagreed
			t.Logf("%d frames/s, %d without messages: %d of %d shots agreed; delay %d ms", fps, most, agreed, judged, s.ViewDelay/ms)
			if judged < 60 || agreed != judged {
				t.Errorf("%d frames/s, %d without messages: %d of %d shots agreed, want all", fps, most, agreed, judged)
			}
			if s.ViewDelay > 40*ms {
				t.Errorf("%d frames/s, %d without messages: others are drawn %d ms late, want as on an even line: 40 at most", fps, most, s.ViewDelay/ms)
			}
		}
	}
}

// HIT-15, THR-20: a client that plays at 2 frames a second, or stops for half a second before it
// shoots, claims views up to 1.2 s older than those it was shown. It is judged no further
// back than others by more than its view can have been on the screen, shot.MaxDisplayTime, and
// no player is hit where no player has been since. A player at 20 frames a second gains nothing.
func TestPretendedSlowScreens(t *testing.T) {
	singleThreaded(t)
	ages := []clock.Micros{0, 100 * ms, 200 * ms, 300 * ms, 400 * ms, 600 * ms, 800 * ms, 1200 * ms}
	for _, c := range []struct {
		name  string
		every func(now clock.Micros) clock.Micros
		more  clock.Micros
	}{
		{"60 frames a second", nil, 0},
		{"21 frames a second", func(clock.Micros) clock.Micros { return clock.Second / 21 }, clock.Second / 21},
		{"2 frames a second", func(clock.Micros) clock.Micros { return clock.Second / 2 }, shot.MaxDisplayTime},
		{"1 frame a second", func(clock.Micros) clock.Micros { return clock.Second }, 0},
		{"540 ms of nothing every second", func(now clock.Micros) clock.Micros {
			if now%clock.Second < clock.Second/60 {
				return 540 * ms
			}
			return clock.Second / 60
		}, shot.MaxDisplayTime},
	} {
		for _, rtt := range []clock.Micros{20 * ms, 180 * ms, 400 * ms} {
			r := newRing(t, 20, session.ServerConfig{}, rifle, geom.V(0, 0, 0), geom.V(10, 0, 0))
			r.parties[0].line(rtt/2, rtt/2)
			r.parties[1].line(20*ms, 20*ms)
			r.parties[1].input = orbiting(geom.Vec3{}, 10)
			liar := &backdater{ages: ages}
			r.ready()
			r.parties[0].every, r.parties[0].input = c.every, liar.input(rifle)
			var furthest, allowed clock.Micros
			judged, hits, outside := 0, 0, 0
			r.noted = func(e *session.Event) {
				rc := &e.Receipt
				if judged++; rc.Verdict == shot.Refused {
					return
				}
				bound := min(rtt, creditMost) + creditBeside + creditTick + c.more
				back := e.At - rc.ViewGranted
				if furthest, allowed = max(furthest, back), max(allowed, bound); back > bound {
					t.Errorf("%s, RTT %d ms: judged %d µs back, allowed %d", c.name, rtt/ms, back, bound)
				}
				if rc.Verdict == shot.Hit {
					if hits++; !r.wasThere(r.parties[1].ID(), e.At-bound, e.At, rc.Outcome.Point, rifle) {
						outside++
					}
				}
			}
			r.run(r.now() + 40*clock.Second)
			t.Logf("%s, RTT %d ms: %d shots, furthest back %d ms of %d, %d hits, %d where no player was", c.name, rtt/ms, judged, furthest/ms, allowed/ms, hits, outside)
			if outside > 0 {
				t.Errorf("%s, RTT %d ms: %d of %d hits where no player was", c.name, rtt/ms, outside, hits)
			}
		}
	}
}

// THR-81: a player with 3 frames a second, or one that holds its moves back for 300 ms at a time, delays what the
// others see by 120 ms at most. It is drawn past its last sample, and shots at it are judged as they were seen.
func TestOneSlowPlayerDelaysNobody(t *testing.T) {
	singleThreaded(t)
	usual := clock.Micros(0)
	for i, c := range []struct {
		name string
		slow func(p *party)
	}{
		{"60 frames a second", func(*party) {}},
		{"10 frames a second", func(p *party) { p.every = func(clock.Micros) clock.Micros { return 100 * ms } }},
		{"3 frames a second", func(p *party) { p.every = func(clock.Micros) clock.Micros { return 333 * ms } }},
		{"moves held back for 300 ms", func(p *party) { p.up.lockstep, p.up.off = 300*ms, 1<<60 }},
	} {
		places := []geom.Vec3{{X: 10}, {}, {Z: 8}, {X: -8}, {Z: -12}}
		r := newRing(t, 25, session.ServerConfig{}, rifle, places...)
		for _, p := range r.parties {
			p.line(20*ms, 20*ms)
			p.input = orbiting(geom.Vec3{}, 10)
		}
		c.slow(r.parties[0])
		ann := r.parties[1]
		fire := shoots(rifle, func(*party, clock.Micros, *shot.Claim) {})
		ann.input = func(p *party, now clock.Micros) duelMove { return fire(p, now) }
		r.ready()
		r.run(r.now() + 30*clock.Second)
		s := ann.Stats()
		agreed, judged := s.Agreed, s.Agreed+s.Disagreed
		figures.Check(t, c.name, 0.05, "%s: %d ms", c.name, s.ViewDelay/ms)
		if i == 0 {
			usual = s.ViewDelay
		}
		if most := usual + 120*ms; s.ViewDelay > most {
			t.Errorf("%s: the others are drawn %d ms late, want %d at most", c.name, s.ViewDelay/ms, most/ms)
		}
		if judged < 60 || agreed*100 < judged*99 {
			t.Errorf("%s: %d of %d shots agreed, want 99 %%", c.name, agreed, judged)
		}
	}
}
