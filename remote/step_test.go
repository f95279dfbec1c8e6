package remote

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// straight is an entity that runs along x at 6 m/s.
func straight(at clock.Micros) track.Sample {
	return track.Sample{At: at, Pose: track.Pose{Position: geom.V(6*at.Seconds(), 0, 0), Velocity: geom.V(6, 0, 0)}}
}

// receive gives r a complete frame of one entity.
func receive(r *Remotes, tick uint32, s track.Sample, now clock.Micros) {
	f := track.Snapshot{Tick: tick, At: s.At, Complete: true}
	f.Add(1, s)
	r.Receive(&f, now)
}

// drawnAt returns how an entity is drawn at match time now.
func drawnAt(r *Remotes, now clock.Micros) track.Sample {
	s, _ := r.At(1, r.View(now), nil)
	return s
}

// run is a link with ten snapshots a second of an entity on its path, drawn sixty times a second
// for 20 s, the first two left aside. It returns by what share of its true speed it was drawn too
// fast and too slow, and how often backwards or standing.
func watchSpeed(m Mode, seed uint64, jitter clock.Micros, way func(at clock.Micros) track.Sample) (fast, slow float64, back int) {
	rnd, r := rand.New(rand.NewPCG(seed, 6)), New(16_667)
	r.SetDefaultMode(m)
	type flight struct {
		arrives clock.Micros
		sample  track.Sample
		tick    uint32
	}
	var air []flight
	for i := range clock.Micros(200) {
		at := i * 100 * ms
		air = append(air, flight{at + 50*ms + clock.Micros(rnd.Int64N(int64(jitter)+1)), way(at), uint32(i)*6 + 1})
	}
	var last geom.Vec3
	n := 0
	for frame := range int64(1190) {
		now := clock.TickTime(frame, 60) + 60*ms
		for ; n < len(air) && air[n].arrives <= now; n++ {
			receive(r, air[n].tick, air[n].sample, now)
		}
		v := r.View(now)
		s, _ := r.At(1, v, nil)
		if now > 2*clock.Second {
			truth := way(v.At)
			speed := s.Position.Sub(last).Dot(truth.Velocity.Unit()) * 60
			fast, slow = max(fast, speed/truth.Velocity.Len()-1), max(slow, 1-speed/truth.Velocity.Len())
			if speed <= 0 {
				back++
			}
		}
		last = s.Position
	}
	return fast, slow, back
}

// A straight run at 6 m/s, ten snapshots a second, drawn 60 times a second: the drawn speed is
// right to within 17 %, with 20 and 50 ms of jitter to within 18 and 40 %, and never negative.
// Stamps reduce that much further: jitter moves no entity. [SIM-06]
func TestAStraightRunInEveryMode(t *testing.T) {
	for _, m := range []Mode{Interpolate, Linear, Exponential} {
		for _, c := range []struct {
			jitter clock.Micros
			most   float64
		}{{0, .17}, {20 * ms, .18}, {50 * ms, .40}} {
			for seed := range uint64(20) {
				fast, slow, back := watchSpeed(m, seed, c.jitter, straight)
				if seed == 0 {
					t.Logf("%v, %d ms: at most %.1f %% too fast, %.1f %% too slow", m, c.jitter/ms, 100*fast, 100*slow)
				}
				if fast > c.most || slow > c.most || back > 0 {
					t.Errorf("%v, %d ms, seed %d: %.1f %% too fast, %.1f %% too slow, %d times backwards; want %.0f %%",
						m, c.jitter/ms, seed, 100*fast, 100*slow, back, 100*c.most)
				}
			}
		}
	}
}

// An entity that the server moves round a path at 3 m/s, 6 m across, is drawn at 3 m/s to within 17
// % with ten snapshots a second, and never stops. [MOD-02, GAP-58]
func TestAPathLooksSmooth(t *testing.T) {
	round := func(at clock.Micros) track.Sample {
		s, c := geom.SinCos(at.Seconds())
		return track.Sample{At: at, Pose: track.Pose{Position: geom.V(3*c, 0, 3*s), Velocity: geom.V(-3*s, 0, 3*c)}}
	}
	for _, m := range []Mode{Interpolate, Linear, Exponential} {
		for seed := range uint64(10) {
			fast, slow, back := watchSpeed(m, seed, 20*ms, round)
			if seed == 0 {
				t.Logf("%v: at most %.1f %% too fast, %.1f %% too slow", m, 100*fast, 100*slow)
			}
			if fast > .17 || slow > .17 || back > 0 {
				t.Errorf("%v, seed %d: %.1f %% too fast, %.1f %% too slow, %d times backwards", m, seed, 100*fast, 100*slow, back)
			}
		}
	}
}

// An entity that is extrapolated without new samples goes 0.6 m in 0.1 s at 6 m/s, and at most 1.5
// m however long the silence. The watching client extrapolates it. [SIM-03, SIM-04, GAP-24, GAP-39]
func TestSilence(t *testing.T) {
	for _, stepped := range []bool{false, true} {
		r := New(16_667)
		r.SetDefaultMode(Exponential)
		if stepped {
			r.SetStep(func(s *track.Sample, d clock.Micros) { s.Position = s.Position.MulAdd(s.Velocity, d.Seconds()) })
		}
		receive(r, 60, straight(clock.Second), clock.Second)
		r.Newest(1)
		from := drawnAt(r, clock.Second+20*ms)
		var s track.Sample
		for now := clock.Second + 30*ms; now <= 2*clock.Second; now += 10 * ms {
			s = drawnAt(r, now)
			if now == clock.Second+120*ms && !about(s.Position.X-from.Position.X, .6, .005) {
				t.Errorf("stepped %v: 0.1 s extrapolated it by %v m, want 0.6", stepped, s.Position.X-from.Position.X)
			}
		}
		if d := s.Position.X - 6; !about(d, 1.5, .005) {
			t.Errorf("stepped %v: a second's silence extrapolated it by %v m, want 1.5", stepped, d)
		}
	}
}

// The game's step knows the wall 0.2 m ahead, and no correction that is still being smoothed puts
// the body into it. [SIM-03, ENT-09]
func TestAStepKnowsTheWorld(t *testing.T) {
	r := New(16_667)
	r.SetDefaultMode(Exponential)
	r.SetStep(func(s *track.Sample, d clock.Micros) {
		s.Position = s.Position.MulAdd(s.Velocity, d.Seconds())
		if s.Position.X > 6.2 {
			s.Position.X, s.Velocity = 6.2, geom.Vec3{}
		}
	})
	receive(r, 60, straight(clock.Second), clock.Second)
	for now := clock.Second; now < 2*clock.Second; now += 10 * ms {
		if s := drawnAt(r, now); s.Position.X > 6.2 {
			t.Fatalf("after %d ms it is at %v m, behind the wall at 6.2", (now-clock.Second)/ms, s.Position.X)
		}
	}
	if s := drawnAt(r, 2*clock.Second); s.Position.X != 6.2 || s.Velocity != (geom.Vec3{}) {
		t.Errorf("at last at %v m with %v, want 6.2 and no velocity", s.Position.X, s.Velocity)
	}
}

// offset returns how far an entity is drawn from its body in the view of match time now.
func offset(r *Remotes, v track.View, now clock.Micros) float64 {
	var d Debug
	r.Debug(1, v, now, &d)
	return d.Offset
}

// Three samples arrived since the last view, each with another mode and the last one from the end
// of a dash. The step goes on from the newest alone, with its mode and its velocity, and the
// displacement is smoothed. [SIM-01, SIM-02, SIM-05, RMS-07]
func TestOnlyTheNewestSampleIsSteppedFrom(t *testing.T) {
	r := New(16_667)
	r.SetDefaultMode(Linear)
	type call struct {
		mode uint8
		d    clock.Micros
		v    geom.Vec3
	}
	var calls []call
	r.SetStep(func(s *track.Sample, d clock.Micros) {
		calls = append(calls, call{s.Mode, d, s.Velocity})
		s.Position = s.Position.MulAdd(s.Velocity, d.Seconds())
	})
	dash := straight(clock.Second)
	dash.Velocity, dash.Mode = geom.V(12, 0, 0), 7
	receive(r, 60, dash, clock.Second)
	drawnAt(r, clock.Second+30*ms)
	for i, s := range []track.Sample{straight(clock.Second + 16*ms), straight(clock.Second + 32*ms), straight(clock.Second + 48*ms)} {
		s.Mode, s.Position.X = uint8(1+i), 7
		s.Velocity = geom.V(0, 0, float64(i))
		receive(r, uint32(61+i), s, clock.Second+60*ms)
	}
	calls = calls[:0]
	s := drawnAt(r, clock.Second+80*ms)
	if len(calls) != 2 || calls[0].mode != 3 || calls[1].mode != 7 || s.Velocity != geom.V(0, 0, 2) {
		t.Fatalf("calls %+v, velocity %v; want the newest to the view, and the old one to the view before, mode 3 with (0, 0, 2)", calls, s.Velocity)
	}
	if want := clock.Second + 80*ms - 16_667 - (clock.Second + 48*ms); calls[0].d < want-50 || calls[0].d > want+50 {
		t.Errorf("stepped by %d µs from the newest, want %d: to the view in one go", calls[0].d, want)
	}
	if left := offset(r, r.View(clock.Second+80*ms), clock.Second+80*ms); left == 0 {
		t.Errorf("nothing is left to be seen of the correction")
	}
	n := len(calls)
	if drawnAt(r, clock.Second+90*ms); len(calls) != n+1 || calls[n].mode != 3 {
		t.Errorf("the next view: %+v, want one more step in mode 3", calls[n:])
	}
}

// On arrival the velocity is the server's; without smoothing the pose is the sample's; the same
// sample again, or one at rest, moves nothing and leaves no offset. [REP-05, REP-06, SMO-02]
func TestArrival(t *testing.T) {
	for _, m := range []Mode{Linear, Exponential, Newest} {
		r := New(16_667)
		r.SetDefaultMode(m)
		receive(r, 60, straight(clock.Second), clock.Second)
		drawnAt(r, clock.Second)
		turned := straight(clock.Second + 100*ms)
		turned.Velocity, turned.Position = geom.V(0, 0, 6), geom.V(9, 0, 0)
		receive(r, 66, turned, clock.Second+110*ms)
		s := drawnAt(r, clock.Second+130*ms)
		if s.Velocity != geom.V(0, 0, 6) {
			t.Errorf("%v: velocity %v, want (0, 0, 6)", m, s.Velocity)
		}
		if m == Newest && s.Position != turned.Position {
			t.Errorf("none: at %v, want %v", s.Position, turned.Position)
		}
		rest := track.Sample{At: 2 * clock.Second, Pose: track.Pose{Position: geom.V(5, 0, 0)}}
		receive(r, 120, rest, rest.At)
		for i := range clock.Micros(100) {
			drawnAt(r, rest.At+i*10*ms)
		}
		rest.At += clock.Second
		receive(r, 180, rest, rest.At)
		s = drawnAt(r, rest.At+100*ms)
		if left := offset(r, r.View(rest.At+100*ms), rest.At+100*ms); s.Position != rest.Position || left != 0 {
			t.Errorf("%v: at rest at %v, want %v and no offset", m, s.Position, rest.Position)
		}
	}
}

// A teleport of the entity, a new life and a correction of more than 3.84 m are drawn at once; one
// of 3 m is not. [GAP-25, HIS-10, SMO-01]
func TestWhatIsNotSmoothed(t *testing.T) {
	for _, m := range []Mode{Linear, Exponential} {
		for _, c := range []struct {
			what string
			then func(s *track.Sample)
			left bool
		}{
			{"3 m further", func(s *track.Sample) { s.Position.Z = 3 }, true},
			{"4 m further", func(s *track.Sample) { s.Position.Z = 4 }, false},
			{"a jump", func(s *track.Sample) { s.Position.Z, s.Teleport = 1, 1 }, false},
			{"a life", func(s *track.Sample) { s.Position.Z, s.Life = 1, 1 }, false},
		} {
			r := New(16_667)
			r.SetDefaultMode(m)
			receive(r, 60, straight(clock.Second), clock.Second)
			drawnAt(r, clock.Second+50*ms)
			next := straight(clock.Second + 100*ms)
			c.then(&next)
			receive(r, 66, next, clock.Second+110*ms)
			s := drawnAt(r, clock.Second+120*ms)
			if left := math.Abs(s.Position.Z-next.Position.Z) > .01; left != c.left {
				t.Errorf("%v, %s: drawn at z %v, it is at %v; something left %v, want %v", m, c.what, s.Position.Z, next.Position.Z, left, c.left)
			}
		}
	}
}

// From 10¹² µs on (11 days) every mode draws what it draws from the beginning on. [GAP-07]
func TestAnOldServerIsDrawnAlike(t *testing.T) {
	const far, ticks = clock.Micros(1_000_000_000_000), 60_000_000
	for m := Interpolate; m <= Newest; m++ {
		early, late := New(16_667), New(16_667)
		early.SetDefaultMode(m)
		late.SetDefaultMode(m)
		rnd := rand.New(rand.NewPCG(7, uint64(m)))
		for tick := uint32(60); tick < 600; tick++ {
			at := clock.TickTime(int64(tick), 60)
			now := at + clock.Micros(rnd.IntN(80_000))
			if rnd.IntN(4) > 0 {
				s := run(at - 30*ms)
				s.Position = geom.V(float64(tick%16)/8, s.Position.Y, 1)
				f := track.Snapshot{Tick: tick, At: at, Complete: true}
				f.Add(1, s)
				early.Receive(&f, now)
				f.Tick, f.At = tick+ticks, at+far // with all that is in it
				late.Receive(&f, now+far)
			}
			v, w := early.View(now), late.View(now+far)
			a, fit := early.At(1, v, nil)
			b, other := late.At(1, w, nil)
			if b.At -= far; fit == track.Missing {
				continue // nothing has arrived
			}
			if a != b || fit != other || v.At != w.At-far || v.BlendAt != 0 && v.BlendAt != w.BlendAt-far {
				t.Fatalf("%v, tick %d:\nearly %+v %v\nlate  %+v %v", m, tick, a, fit, b, other)
			}
		}
	}
}
