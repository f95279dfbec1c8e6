package session_test

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// demoRing is two players, of which the first has a round trip of 150 ms with 20 ms of jitter and the second
// runs around it.
func demoRing(t *testing.T, config session.ServerConfig) *ring {
	singleThreaded(t)
	r := newRing(t, 30, config, rifle, geom.V(0, 0, 0), geom.V(10, 0, 0))
	r.parties[0].line(75*ms, 75*ms)
	r.parties[0].up.jitter, r.parties[0].down.jitter = 20*ms, 20*ms
	r.parties[1].line(20*ms, 20*ms)
	r.parties[1].input = orbiting(geom.Vec3{}, 10)
	r.ready()
	return r
}

// HIT-18: without prediction the own character moves a round trip after the key, with it in the frame of
// the key. Neither costs a correction, and switched on again it is drawn at its own state at once.
func TestWithoutPrediction(t *testing.T) {
	r := demoRing(t, session.ServerConfig{})
	p := r.parties[0]
	response := func(d session.Disabled) clock.Micros {
		p.input = nil
		p.Disable(d)
		r.run(r.now() + 2*clock.Second)
		stood, _ := p.Drawn()
		pressed := r.now()
		p.input = func(*party, clock.Micros) duelMove { return duelMove{Run: true} }
		for r.now() < pressed+clock.Second {
			r.run(r.now() + clock.Second/60)
			if at, _ := p.Drawn(); at.Dist(stood) > .001 {
				return r.now() - pressed
			}
		}
		t.Fatalf("%+v: not moved within a second", d)
		return 0
	}
	on, off, again := response(session.Disabled{}), response(session.Disabled{Prediction: true}), response(session.Disabled{})
	t.Logf("from the key to the own movement: %d ms with prediction, %d ms without, %d ms with it again", on/ms, off/ms, again/ms)
	if on > 34*ms || again > 34*ms {
		t.Errorf("with prediction: got %d and %d ms, want at most two frames", on/ms, again/ms)
	}
	if off < 150*ms || off > 280*ms {
		t.Errorf("without prediction: got %d ms, want 150 to 280", off/ms)
	}
	if m := p.Stats().Moves; m.Corrections > 0 {
		t.Errorf("got %d corrections, want none", m.Corrections)
	}
}

// HIT-18: what is drawn without prediction is what the server had: each drawn position is one that the
// server's own state had before.
func TestWithoutPredictionTheServersStateIsDrawn(t *testing.T) {
	r := demoRing(t, session.ServerConfig{})
	p := r.parties[0]
	p.Disable(session.Disabled{Prediction: true})
	p.input = orbiting(geom.V(3, 0, 3), 4)
	had := map[geom.Vec3]bool{}
	r.ticked = func(clock.Micros) {
		if s, ok := r.server.State(p.ID()); ok {
			had[s.Pos] = true
		}
	}
	r.run(r.now() + clock.Second)
	drawn, unknown := 0, 0
	for range 300 {
		r.run(r.now() + clock.Second/60)
		at, eye := p.Drawn()
		if drawn++; !had[at] {
			unknown++
		}
		if up := eye.Sub(at).Y; up != 1.5 || p.Offset() != (geom.Vec3{}) {
			t.Fatalf("the eye is %g m above the feet, and the offset %v", up, p.Offset())
		}
	}
	// A server runs several moves in a tick, and may answer for one of the earlier ones.
	if t.Logf("%d of %d drawn positions were no tick's", unknown, drawn); unknown*10 > drawn {
		t.Errorf("%d of %d drawn positions are not the server's", unknown, drawn)
	}
}

// HIT-18, SMO-02: without interpolation a runner is drawn in jerks, with it evenly; shots agree either way.
func TestWithoutInterpolation(t *testing.T) {
	r := demoRing(t, session.ServerConfig{})
	p := r.parties[0]
	p.input = shoots(rifle, nil)
	// jerk is the mean change of a step from one frame to the next, in shares of the mean step.
	jerk := func(d session.Disabled) (share float64, agreed, judged uint64) {
		p.Disable(d)
		r.run(r.now() + 2*clock.Second)
		before := p.Stats()
		var last, step geom.Vec3
		changes, steps := 0.0, 0.0
		for i := range 1200 {
			r.run(p.next)
			at := p.Remotes()[0].Position
			next := at.Sub(last)
			if i > 1 {
				changes, steps = changes+next.Sub(step).Len(), steps+next.Len()
			}
			last, step = at, next
		}
		s := p.Stats()
		agreed = s.Agreed - before.Agreed
		return changes / steps, agreed, agreed + s.Disagreed - before.Disagreed
	}
	on, agreedOn, judgedOn := jerk(session.Disabled{})
	off, agreedOff, judgedOff := jerk(session.Disabled{Interpolation: true})
	again, _, _ := jerk(session.Disabled{})
	t.Logf("jerk of a step: %.0f %% with interpolation, %.0f %% without, %.0f %% with it again", on*100, off*100, again*100)
	t.Logf("shots as seen: %d of %d with interpolation, %d of %d without", agreedOn, judgedOn, agreedOff, judgedOff)
	if on > .15 || again > .15 || off < .5 {
		t.Errorf("jerk: got %.2f, %.2f and %.2f, want at most 0.15, at least 0.5, at most 0.15", on, off, again)
	}
	if judgedOn < 50 || judgedOff < 50 || agreedOn*100 < judgedOn*98 || agreedOff*100 < judgedOff*98 {
		t.Errorf("got %d of %d and %d of %d shots as seen, want 98 %%", agreedOn, judgedOn, agreedOff, judgedOff)
	}
}

// HIT-18: without lag compensation clean hits on a runner miss, with it they hit. A match that does not allow
// it judges as ever, and its clients know.
func TestWithoutLagCompensation(t *testing.T) {
	for _, allowed := range []bool{true, false} {
		r := demoRing(t, session.ServerConfig{LagCompensationOptOut: allowed})
		p := r.parties[0]
		if p.LagCompensationOptOut() != allowed {
			t.Errorf("the client knows %v, want %v", p.LagCompensationOptOut(), allowed)
		}
		p.input = shoots(rifle, nil)
		missed := func(d session.Disabled) (share float64) {
			p.Disable(d)
			r.run(r.now() + clock.Second)
			r.shots = nil
			before := p.Stats()
			r.run(r.now() + 20*clock.Second)
			clean, misses := 0, 0
			for i := range r.shots {
				clean++ // each is aimed at the middle of the runner as drawn
				if r.shots[i].Receipt.Verdict == shot.Miss {
					misses++
				}
			}
			s := p.Stats()
			t.Logf("allowed %v, %+v: %d of %d clean hits are judged as misses, %d contradict the screen", allowed, d, misses, clean, s.Disagreed-before.Disagreed)
			if clean < 50 {
				t.Fatalf("%d shots, want at least 50", clean)
			}
			return float64(misses) / float64(clean)
		}
		on, off, again := missed(session.Disabled{}), missed(session.Disabled{LagCompensation: true}), missed(session.Disabled{})
		if on > .02 || again > .02 {
			t.Errorf("allowed %v: with lag compensation %.2f and %.2f miss, want at most 0.02", allowed, on, again)
		}
		if want := allowed; (off > .9) != want || !want && off > .02 {
			t.Errorf("allowed %v: without lag compensation %.2f miss", allowed, off)
		}
	}
}

// HIT-18: a client that asks nevertheless is ignored and counted, and one that asks without end is kicked.
func TestOptOutWhereItIsNotAllowed(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{})
	g := r.playing(1)[0]
	for range 3 {
		if err := r.m.Receive(g.peer, session.Stream, r.now(), []byte{10, 1}); err != nil {
			t.Fatal(err)
		}
	}
	if n := r.m.Players(nil)[0].Traffic.Ignored; n != 3 {
		t.Errorf("%d requests are counted, want 3", n)
	}
	var err error
	for range 60 {
		if err = r.m.Receive(g.peer, session.Stream, r.now(), []byte{10, 0}); err != nil {
			break
		}
	}
	if err == nil || err.Error() != "session: too many messages" {
		t.Errorf("got %v, want too many messages", err)
	}
}

// HIT-18: Disabled counts before the client has a seat too, and SetDefaultMode goes back to the mode of the
// configuration.
func TestDisableBeforeJoining(t *testing.T) {
	r := newSimulation(t, session.ServerConfig{LagCompensationOptOut: true})
	g := r.connect()
	d := session.Disabled{Prediction: true, Interpolation: true, LagCompensation: true}
	if g.Disable(d); g.Disabled() != d {
		t.Fatalf("got %+v", g.Disabled())
	}
	g.Hello("Ann", session.Key{})
	r.run(120)
	if g.Phase() != session.Playing || g.View().Mode != track.DrawNewest {
		t.Fatalf("phase %d, mode %d", g.Phase(), g.View().Mode)
	}
	if g.AcknowledgedState() == g.Self() {
		t.Error("what is drawn is the predicted state")
	}
	g.Disable(session.Disabled{})
	r.run(2)
	if g.View().Mode != track.DrawInterpolated || g.AcknowledgedState() != g.Self() {
		t.Errorf("mode %d, and what is drawn is not Self", g.View().Mode)
	}
}
