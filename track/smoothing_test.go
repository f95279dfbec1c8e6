package track

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// at is a place in centimetres along x, turned by degrees.
func at(cm, degrees float64) place {
	return place{geom.V(cm/100, 0, 0), geom.YawQuat(degrees * math.Pi / 180)}
}

// degrees is how far q turns about +Y.
func degrees(q geom.Quat) float64 { return 2 * geom.Atan2(q.Y, q.W) * 180 / math.Pi }

// about compares in the figures that rows are printed in.
func about(got, want, most float64) bool { return math.Abs(got-want) <= most }

// corrected returns a fresh smoother of a body that a sample moved from old to new; stamps are those
// of the sample before and of this one.
func corrected(m DrawMode, old, new place, stamps ...clock.Micros) *smoother {
	g := &smoother{}
	g.reset(old, stamps[0])
	g.correct(m, old, new, stamps[1])
	return g
}

// SMO-03 and SMO-04: a correction does not move what is drawn. In the linear mode the drawn
// rotation is kept by itself; in the exponential one as an offset of −90°.
func TestACorrectionMovesNothingThatIsDrawn(t *testing.T) {
	old, new := at(0, 0), at(50, 90)
	for _, m := range []DrawMode{DrawLinear, DrawExponential} {
		g := corrected(m, old, new, 0, 100*ms)
		p := g.place(m, new)
		if g.offset.Position != geom.V(-.5, 0, 0) || p.at.Len() > 1e-12 || !about(degrees(p.turn), 0, 1e-9) {
			t.Errorf("%v: offset %v, seen at %v turned by %g°, want (-0.5, 0, 0), the origin and 0°", m, g.offset.Position, p.at, degrees(p.turn))
		}
		if m == DrawLinear && degrees(g.to) < 89.99 {
			t.Errorf("linear: it turns to %g°, want 90", degrees(g.to))
		}
		if m == DrawExponential && !about(degrees(g.offset.Rotation), -90, 1e-9) {
			t.Errorf("exponential: a rotation of %g° is left, want -90", degrees(g.offset.Rotation))
		}
	}
}

// SMO-05: where the linear mode's clocks stand after a correction.
func TestClocksOfTheLinearMode(t *testing.T) {
	for _, c := range []struct {
		what                   string
		client, server, stamp  clock.Micros
		wantClient, wantTarget clock.Micros
	}{
		{"ahead: the middle", 10_100_000, 10_000_000, 10_100_000, 10_050_000, 50_000},
		{"a second's gap: half a second at most", 10_000_000, 10_000_000, 11_000_000, 10_500_000, 500_000},
		{"very short: the smoothing time at most", 9_000_000, 10_000_000, 10_010_000, 9_910_000, 100_000},
		{"behind: a quarter more than the gap at most", 9_000_000, 10_000_000, 10_200_000, 9_950_000, 250_000},
		{"never after the server's", 10_500_000, 10_000_000, 10_100_000, 10_100_000, 0},
	} {
		g := smoother{client: c.client, server: c.server, begun: true}
		g.stamp(c.stamp)
		if g.client != c.wantClient || g.target != c.wantTarget || g.server != c.stamp {
			t.Errorf("%s: client %d target %d, want %d and %d", c.what, g.client, g.target, c.wantClient, c.wantTarget)
		}
	}
	first := smoother{}
	if first.stamp(77); first.client != 77 || first.target != 0 {
		t.Errorf("the first: client %d target %d, want 77 and 0", first.client, first.target)
	}
}

// alphas plays updates of a steady stream and returns the share that each tick had of the
// last one, and the targets. It uses an offset of 1 m, which 1 − alpha of is left.
func alphas(updates int, apart clock.Micros, ticks int) (alphas []float64, targets []clock.Micros) {
	g := &smoother{}
	for i := range updates {
		alphas = alphas[:0]
		g.offset.Position = geom.Vec3{}
		g.correct(DrawLinear, at(100, 0), at(0, 0), clock.Micros(i)*apart+10_000_000)
		targets = append(targets, g.target)
		for k := range ticks {
			busy := g.busy
			g.tick(DrawLinear, clock.TickTime(int64(k+1), 60)-clock.TickTime(int64(k), 60), false, geom.IdentityQuat)
			if busy {
				alphas = append(alphas, 1-g.offset.Position.X)
			}
		}
	}
	return alphas, targets
}

// SMO-06, SMO-07: a steady stream at 10 and at 30 Hz, drawn 60 times a second. [GAP-29]
func TestASteadyStreamInTheLinearMode(t *testing.T) {
	for _, c := range []struct {
		updates int
		want    []float64
	}{
		{1, []float64{1, 1, 1, 1, 1, 1}},
		{2, []float64{.3333, .6667, 1, 1.15}},
		{3, []float64{.1732, .3463, .5195, .6926, .8658, 1.039}},
		{8, []float64{.1669, .3337, .5006, .6675, .8343, 1.0012}},
	} {
		got, _ := alphas(c.updates, 100*ms, 6)
		same := len(got) == len(c.want)
		for i := range c.want {
			same = same && about(got[i], c.want[i], 1e-4)
		}
		if !same {
			t.Errorf("update %d: %.4f, want %.4f", c.updates-1, got, c.want)
		}
	}
	for _, c := range []struct {
		apart clock.Micros
		ticks int
		want  []clock.Micros
	}{
		{100 * ms, 6, []clock.Micros{0, 50_000, 96_250, 98_125, 99_063}},
		{33_333, 2, []clock.Micros{0, 16_667, 32_083, 32_708, 33_021}},
	} {
		_, got := alphas(len(c.want), c.apart, c.ticks)
		for i := range got {
			if off := got[i] - c.want[i]; off < -2 || off > 2 {
				t.Errorf("%d µs apart: targets %d, want %d", c.apart, got, c.want)
				break
			}
		}
	}
}

// SMO-06, GAP-07: from an instant 10¹² µs after the beginning the stream is the same.
func TestTimesThatAreLarge(t *testing.T) {
	var early, late smoother
	const far = clock.Micros(1_000_000_000_000)
	for i := range clock.Micros(200) {
		step := 16_667 + i%3
		if i%6 == 0 {
			early.correct(DrawLinear, at(float64(i), 0), at(0, 0), i*16_667)
			late.correct(DrawLinear, at(float64(i), 0), at(0, 0), far+i*16_667)
		}
		early.tick(DrawLinear, step, false, geom.IdentityQuat)
		late.tick(DrawLinear, step, false, geom.IdentityQuat)
		if early.offset != late.offset || early.target != late.target || early.client != late.client-far {
			t.Fatalf("tick %d: %v and %v", i, early, late)
		}
	}
}

// SMO-08: the offset shrinks to nothing and on by 15 % while the entity moves; one that stands
// is put there at once and is done.
func TestTheEndOfALinearCorrection(t *testing.T) {
	play := func(d clock.Micros, still bool) *smoother {
		g := corrected(DrawLinear, at(50, 0), at(0, 90), 10*clock.Second, 10*clock.Second+100*ms)
		g.tick(DrawLinear, d, still, at(0, 90).turn)
		return g
	}
	for _, c := range []struct {
		d    clock.Micros
		want float64
		busy bool
	}{{25 * ms, 37.5, true}, {50 * ms, 25, true}, {100 * ms, 0, true}, {115 * ms, -7.5, false}, {clock.Second, -7.5, false}} {
		g := play(c.d, false)
		if !about(g.offset.Position.X*100, c.want, 1e-9) || g.busy != c.busy {
			t.Errorf("after %d ms: %g cm, goes on %v; want %g and %v", c.d/ms, g.offset.Position.X*100, g.busy, c.want, c.busy)
		}
		if c.d >= 100*ms && !about(degrees(g.turn), 90, 1e-9) {
			t.Errorf("after %d ms: turned by %g°, want 90", c.d/ms, degrees(g.turn))
		}
	}
	if g := play(101*ms, true); g.offset.Position != (geom.Vec3{}) || g.busy || g.client != g.server {
		t.Errorf("standing: %+v, want no offset and an end", g)
	}
	if g := play(50*ms, true); !about(g.offset.Position.X*100, 25, 1e-9) || !g.busy {
		t.Errorf("standing, half way: %+v", g)
	}
}

// SMO-09: the lerp ends exactly at its end, and a rotation goes the shorter way, at unit
// length.
func TestLerps(t *testing.T) {
	if got := geom.V(1e8, 0, 0).Lerp(geom.V(1e-3, 0, 0), 1); got.X != 1e-3 {
		t.Errorf("from 1e8 to 1e-3: %g", got.X)
	}
	a, b := geom.YawQuat(350*math.Pi/180), geom.YawQuat(10*math.Pi/180)
	for i := range 11 {
		q := nlerp(a, b, float64(i)/10)
		if d := math.Remainder(degrees(q), 360); !about(d, -10+2*float64(i), .05) || !about(dot(q, q), 1, 1e-12) {
			t.Errorf("%d tenths of the way: %g°, length² %g", i, d, dot(q, q))
		}
	}
	if q := nlerp(a, b, .5); !about(math.Remainder(degrees(q), 360), 0, 1e-9) {
		t.Errorf("half way %g°, want 0", degrees(q))
	}
}

// SMO-10: in the exponential mode the offset has a time constant of 100 ms, and of 50 ms on an entity
// that stands.
func TestDecayInTheExponentialMode(t *testing.T) {
	for _, still := range []bool{false, true} {
		g := corrected(DrawExponential, at(10, 90), at(0, 0), 0, 100*ms)
		for range 6 {
			g.tick(DrawExponential, 16_667, still, geom.IdentityQuat)
		}
		want := 10 * math.Exp(-1)
		if still {
			want = 10 * math.Exp(-2)
		}
		if got := g.offset.Position.X * 100; !about(got, want, 1e-3) {
			t.Errorf("still %v: %.4f cm after 0.1 s, want %.4f", still, got, want)
		}
		// 50 ms for rotations, whether it stands or not: 90° · exp(−2) = 12.2°, by a lerp 14.
		if got := degrees(g.offset.Rotation); !about(got, 12.2, 2) {
			t.Errorf("still %v: %.2f° after 0.1 s, want 12.2", still, got)
		}
	}
}

// SMO-12, SMO-13: the offset is the world's, however the body is rotated; the rotation that is
// left is the body's own.
func TestWhatIsSeenOfATurnedBody(t *testing.T) {
	body := at(300, 90)
	g := &smoother{busy: true}
	g.offset.Position, g.offset.Rotation = geom.V(.1, 0, 0), geom.YawQuat(-math.Pi/2)
	if p := g.place(DrawExponential, body); p.at.Dist(geom.V(3.1, 0, 0)) > 1e-12 || !about(degrees(p.turn), 0, 1e-9) {
		t.Errorf("exponential: %v turned by %g°", p.at, degrees(p.turn))
	}
	g.offset.Rotation, g.turn = geom.Quat{}, geom.YawQuat(.5)
	if p := g.place(DrawLinear, body); p.at.Dist(geom.V(3.1, 0, 0)) > 1e-12 || p.turn != g.turn {
		t.Errorf("linear: %v turned by %g°", p.at, degrees(p.turn))
	}
}

// SMO-14: a body that turns on while the linear mode smooths, with a base that does: what is
// drawn ends with the body's rotation.
func TestABodyThatTurnsOnIsFollowed(t *testing.T) {
	g, yaw := corrected(DrawLinear, at(50, 0), at(0, 30), 0, 100*ms), 30.0
	for range 6 {
		yaw += 5
		g.tick(DrawLinear, 16_667, false, at(0, yaw).turn)
	}
	if got := degrees(g.place(DrawLinear, at(0, yaw)).turn); !about(got, yaw, 1e-6) {
		t.Errorf("seen turned by %g°, want %g", got, yaw)
	}
}
