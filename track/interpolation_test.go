package track

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// axes returns a vector as its three parts.
func axes(v geom.Vec3) [3]float64 { return [3]float64{v.X, v.Y, v.Z} }

// A curve never leaves the box of its two samples and never goes back on any axis,
// whatever the velocities say, and begins and ends where they are. [HIS-09]
func TestCurvesNeverOvershoot(t *testing.T) {
	const seed = 41
	r := rand.New(rand.NewPCG(seed, 0))
	vec := func(size float64) geom.Vec3 {
		v := geom.V(r.NormFloat64()*size, r.NormFloat64()*size, r.NormFloat64()*size)
		if r.IntN(4) == 0 {
			v.Y = 0
		}
		return v
	}
	for range 5000 {
		a := Sample{Pose: Pose{Position: vec(100), Velocity: vec(20)}}
		b := Sample{At: clock.Micros(50 + r.Int64N(int64(MaxGap)-50)), Pose: Pose{Position: a.Position.Add(vec(1)), Velocity: vec(20)}}
		last, lo, hi := a.Position, a.Position.Min(b.Position), a.Position.Max(b.Position)
		for i := range clock.Micros(40) {
			at := b.At * i / 40
			s, _ := interpolated(&a, &b, at)
			if s.Position.Min(lo) != lo || s.Position.Max(hi) != hi {
				t.Fatalf("seed %d: from %+v to %+v: at %d out of the box: %v", seed, a, b, at, s.Position)
			}
			from, to, was, now := axes(a.Position), axes(b.Position), axes(last), axes(s.Position)
			for k := range 3 {
				if back := (now[k] - was[k]) * (to[k] - from[k]); back < -1e-12 {
					t.Fatalf("seed %d: from %+v to %+v: at %d back by %v on axis %d", seed, a, b, at, now[k]-was[k], k)
				}
			}
			last = s.Position
		}
		if s, _ := interpolated(&a, &b, b.At-1); s.Position.Dist(b.Position) > 1e-4+3*last.Dist(b.Position)/float64(b.At/40) {
			t.Fatalf("seed %d: a µs before %v: %v", seed, b.Position, s.Position)
		}
	}
}

// At a tenth of a second from pose to pose, straight lines cut corners by centimetres that
// curves follow: the top of a jump, a tight circle, a start. The speed has no steps at the
// poses. On an axis without velocities the curve is the straight line. [HIS-09]
func TestCurvesFollowTheWay(t *testing.T) {
	for _, c := range []struct {
		name string
		way  func(at float64) (p, v geom.Vec3)
		most float64 // metres
	}{
		{"a jump", func(at float64) (p, v geom.Vec3) {
			return geom.V(6*at, 6*at-10*at*at, 0), geom.V(6, 6-20*at, 0)
		}, .025}, // the top is flat: nobody is drawn above either pose
		{"a circle of 2 m at 6 m/s", func(at float64) (p, v geom.Vec3) {
			return geom.V(2*math.Sin(3*at), 0, 2*math.Cos(3*at)), geom.V(6*math.Cos(3*at), 0, -6*math.Sin(3*at))
		}, .01},
		{"a start at 20 m/s²", func(at float64) (p, v geom.Vec3) {
			return geom.V(10*at*at, 0, 0), geom.V(20*at, 0, 0)
		}, .001},
	} {
		worst, straight, step, before := 0.0, 0.0, 0.0, geom.Vec3{}
		for at := 0.0; at < .599; at += .001 {
			i := math.Floor(at * 10)
			var ends, lines [2]Sample
			for k := range ends {
				p, v := c.way((i + float64(k)) / 10)
				ends[k] = Sample{At: clock.Micros((i + float64(k)) * 1e5), Pose: Pose{Position: p, Velocity: v}}
				lines[k] = ends[k]
				lines[k].Velocity = geom.Vec3{}
			}
			truth, _ := c.way(at)
			now := clock.Micros(math.Round(at * 1e6))
			s, _ := interpolated(&ends[0], &ends[1], now)
			line, _ := interpolated(&lines[0], &lines[1], now)
			if a, b := lines[0].Position, lines[1].Position; line.Position.Dist(a.Lerp(b, float64(now-lines[0].At)/1e5)) > 1e-12 {
				t.Fatalf("%s: at %v not on the line: %v", c.name, at, line.Position)
			}
			worst, straight = max(worst, s.Position.Dist(truth)), max(straight, line.Position.Dist(truth))
			if at > 0 {
				speed := s.Position.Sub(before).Mul(1000)
				p, _ := c.way(at - .001)
				step = max(step, speed.Dist(truth.Sub(p).Mul(1000)))
			}
			before = s.Position
		}
		t.Logf("%s: off by %.4f m at most, along lines %.4f m; the speed by %.2f m/s", c.name, worst, straight, step)
		if worst > c.most || worst > .6*straight {
			t.Errorf("%s: off by %.4f m, along lines %.4f m", c.name, worst, straight)
		}
	}
}

// HIS-09: a body rotates evenly and the shorter way, whichever sign its quaternions have, and
// one without a rotation starts from its initial orientation.
func TestBodiesTurn(t *testing.T) {
	quarter := geom.YawQuat(math.Pi / 2)
	minus := geom.Quat{X: -quarter.X, Y: -quarter.Y, Z: -quarter.Z, W: -quarter.W}
	for _, to := range []geom.Quat{quarter, minus} {
		for _, from := range []geom.Quat{{}, geom.IdentityQuat} {
			a := Sample{GameData: GameData{Kind: 2}, Pose: Pose{Rotation: from, AngularVelocity: geom.V(0, 4, 0)}}
			b := Sample{At: 100 * ms, GameData: GameData{Kind: 2}, Pose: Pose{Rotation: to}}
			s, fit := interpolated(&a, &b, 25*ms)
			if d := s.Rotation.Rotate(geom.Forward(0)).Dist(geom.Forward(math.Pi / 8)); d > 1e-12 || fit != Interpolated || s.AngularVelocity != geom.V(0, 3, 0) {
				t.Errorf("from %v to %v: %v, off by %v, spin %v; want a turn by 22.5°", from, to, s.Rotation, d, s.AngularVelocity)
			}
		}
	}
	spinning := Sample{GameData: GameData{Kind: 2}, Pose: Pose{Rotation: quarter, AngularVelocity: geom.V(0, 2, 0)}}
	s := spinning
	fit := s.extrapolate(50 * ms)
	if d := s.Rotation.Rotate(geom.Forward(0)).Dist(geom.Forward(math.Pi/2 + .1)); d > 1e-12 || fit != Extrapolated {
		t.Errorf("carried on by 50 ms: %v %v, off by %v", s.Rotation, fit, d)
	}
	s = spinning
	if fit = s.extrapolate(clock.Second); fit != Stale || s.AngularVelocity != (geom.Vec3{}) || s.Rotation.Rotate(geom.Forward(0)).Dist(geom.Forward(math.Pi/2+.2)) > 1e-12 {
		t.Errorf("after a second: %+v %v, want turned by 0.2 more and still", s, fit)
	}
}

// Extrapolating modes show the newest sample where its velocity leads, and DrawNewest shows it
// as it is, whatever came before it.
func TestDrawModes(t *testing.T) {
	f := path(Sample{At: 0}, Sample{At: 100 * ms, Pose: Pose{Position: geom.V(1, 0, 0), Velocity: geom.V(5, 0, 0)}})
	for _, c := range []struct {
		at    clock.Micros
		drawn DrawMode
		x     float64
		fit   SampleSource
	}{
		{50 * ms, DrawInterpolated, .4375, Interpolated}, {50 * ms, DrawLinear, .75, Extrapolated}, {50 * ms, DrawNewest, 1, Held},
		{100 * ms, DrawLinear, 1, Exact}, {100 * ms, DrawNewest, 1, Exact}, {200 * ms, DrawNewest, 1, Held},
		{280 * ms, DrawLinear, 1.9, Extrapolated}, {280 * ms, DrawInterpolated, 1.5, Stale}, {2000 * ms, DrawLinear, 2.25, Stale},
	} {
		v := every(2, c.at)
		v.Mode = c.drawn
		if s, fit := look(f, nil).At(1, v); math.Abs(s.Position.X-c.x) > 1e-12 || fit != c.fit || s.At != c.at {
			t.Errorf("at %d ms, drawn %d: x %v %v, want %v %v", c.at/ms, c.drawn, s.Position.X, fit, c.x, c.fit)
		}
	}
	if s, ok := look(f, nil).Newest(1, every(2, 0).Seen); !ok || s.Position.X != 1 || s.At != 100*ms {
		t.Errorf("newest: %+v %v", s, ok)
	}
	if _, ok := look(f, nil).Newest(2, every(2, 0).Seen); ok {
		t.Errorf("newest of what is not there")
	}
}

// A runner at 6 m/s stops dead, and for 150 ms no sample arrives; then all of them do. The view,
// which had extrapolated it, moves back without a jump, from exactly what it showed to exactly
// what there is. [GAP-24]
func TestBlendingAvoidsAJump(t *testing.T) {
	f := NewSnapshotHistory(128)
	way := func(at clock.Micros) geom.Vec3 { return geom.V(6*min(at, 500*ms).Seconds(), 0, 0) }
	var seen, before Received
	for tick := uint32(1); tick <= 60; tick++ {
		at := clock.TickTime(int64(tick), 60)
		s := Sample{At: at, Pose: Pose{Position: way(at), Velocity: geom.V(6, 0, 0)}}
		if at >= 500*ms {
			s.Velocity = geom.Vec3{}
		}
		f.Record(tick, at).Add(1, s)
		if seen.Mark(tick); tick == 29 {
			before = seen
		}
	}
	p, came := look(f, nil), 620*ms
	last, fastest, jump := 0.0, 0.0, 0.0
	for at := 400 * ms; at < 900*ms; at += ms {
		v := View{At: at, Seen: before}
		if at >= came {
			v = View{At: at, Seen: seen, BlendFrom: before, BlendAt: came}
		}
		s, _ := p.At(1, v)
		if at == came {
			bare, _ := p.At(1, View{At: at, Seen: before})
			there, _ := p.At(1, View{At: at, Seen: seen})
			if jump = bare.Position.Dist(there.Position); s.Position.Dist(bare.Position) > 1e-12 {
				t.Errorf("when the samples arrive: drawn at %v, until now at %v", s.Position, bare.Position)
			}
		}
		if at >= came+BlendTime && s.Position.Dist(way(at)) > .001 {
			t.Fatalf("blended, and at %v, not %v", s.Position, way(at))
		}
		if at > 400*ms {
			fastest = max(fastest, last-s.Position.X)
		}
		last = s.Position.X
	}
	t.Logf("a jump of %.2f m became %.1f m/s", jump, fastest/.001)
	if jump < .3 || fastest > .008 {
		t.Errorf("a jump of %.2f m became %.1f m/s, want some and at most 8", jump, fastest/.001)
	}
}

// Nothing is blended between two lives or across a teleport, from further away than 2.56 m, from
// an entity that was not there, or outside of BlendTime. [HIS-10]
func TestWhatIsNotBlended(t *testing.T) {
	before := Sample{At: 100 * ms}
	for name, c := range map[string]struct {
		after  Sample
		change func(v *View)
		x      float64
	}{
		"blending":             {Sample{Pose: Pose{Position: geom.V(2, 0, 0)}}, func(v *View) {}, 1},
		"from 2.6 m":           {Sample{Pose: Pose{Position: geom.V(2.6, 0, 0)}}, func(v *View) {}, 2.6},
		"another life":         {Sample{Pose: Pose{Position: geom.V(2, 0, 0)}, GameData: GameData{Life: 1}}, func(v *View) {}, 2},
		"a teleport":           {Sample{Pose: Pose{Position: geom.V(2, 0, 0)}, GameData: GameData{Teleport: 1}}, func(v *View) {}, 2},
		"a death":              {Sample{Pose: Pose{Position: geom.V(2, 0, 0)}, GameData: GameData{Dead: true}}, func(v *View) {}, 2},
		"not at all":           {Sample{Pose: Pose{Position: geom.V(2, 0, 0)}}, func(v *View) { v.BlendAt = 0 }, 2},
		"blended already":      {Sample{Pose: Pose{Position: geom.V(2, 0, 0)}}, func(v *View) { v.BlendAt = v.At - BlendTime }, 2},
		"not yet":              {Sample{Pose: Pose{Position: geom.V(2, 0, 0)}}, func(v *View) { v.BlendAt = v.At + 1 }, 2},
		"from nothing":         {Sample{Pose: Pose{Position: geom.V(2, 0, 0)}}, func(v *View) { v.BlendFrom = Received{} }, 2},
		"from what is newer":   {Sample{Pose: Pose{Position: geom.V(2, 0, 0)}}, func(v *View) { v.BlendFrom.Newest = 71 }, 2},
		"from 65 ticks ago":    {Sample{Pose: Pose{Position: geom.V(2, 0, 0)}}, func(v *View) { v.BlendFrom.Newest = 5 }, 2},
		"from a forgotten one": {Sample{Pose: Pose{Position: geom.V(2, 0, 0)}}, func(v *View) { v.BlendFrom.Newest = 69 }, 2},
	} {
		f := NewSnapshotHistory(128)
		f.Record(5, 100*ms).Add(1, before)
		f.Record(6, 100*ms).Add(1, before)
		c.after.At = clock.Second
		f.Record(70, clock.Second).Add(1, c.after)
		v := View{At: clock.Second, Seen: Received{Newest: 70}, BlendFrom: Received{Newest: 6}, BlendAt: clock.Second - BlendTime/2}
		c.change(&v)
		s, fit := look(f, nil).At(1, v)
		if math.Abs(s.Position.X-c.x) > .001 || fit != Exact || s.Dead != c.after.Dead || s.Life != c.after.Life {
			t.Errorf("%s: x %v %v, want %v", name, s.Position.X, fit, c.x)
		}
	}
}

// interpolated is Sample.interpolate, with a unchanged.
func interpolated(a, b *Sample, at clock.Micros) (Sample, SampleSource) {
	s := *a
	fit := s.interpolate(b, at)
	return s, fit
}
