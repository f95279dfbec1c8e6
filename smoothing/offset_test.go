package smoothing

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

const ms = clock.Millisecond

// degrees returns by how much q turns about +Y.
func degrees(q geom.Quat) float64 { return 2 * geom.Atan2(q.Y, q.W) * 180 / math.Pi }

// Three zones by the length of a correction and of the sum over several: kept, clamped to 256 cm,
// and dropped above 384 cm. [SMO-01, GAP-25, LAG-01]
func TestZones(t *testing.T) {
	for _, c := range []struct {
		before, by, want float64 // cm
		kept             bool
	}{
		{0, 100, 100, true}, {0, 256, 256, true}, {0, 256.01, 256, true}, {0, 300, 256, true}, {0, 384, 256, true}, {0, 384.01, 0, false},
		{10, 100, 110, true}, {10, 256, 256, true}, {10, 300, 256, true}, {10, 373, 256, true}, {10, 384, 0, false}, {10, 384.01, 0, false},
		{200, 100, 256, true}, {256, 127, 256, true}, {256, 129, 0, false}, {256, -100, 156, true}, {256, -300, -44, true},
		{100, -400, 0, false}, {100, math.NaN(), 0, false}, {100, math.Inf(1), 0, false},
	} {
		o := Offset{Position: geom.V(c.before/100, 0, 0)}
		kept := o.Move(geom.V(c.by/100, 1, 0), geom.V(0, 1, 0), Full, Snap)
		if got := o.Position.X * 100; math.Abs(got-c.want) > 1e-9 || kept != c.kept {
			t.Errorf("%g cm, then %g more: %g cm, kept %v; want %g and %v", c.before, c.by, got, kept, c.want, c.kept)
		}
	}
}

// A correction moves nothing that is drawn, whatever was left of earlier ones.
func TestACorrectionIsNotSeenAtOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 3))
	vec := func(most float64) geom.Vec3 {
		return geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).ClampLen(most)
	}
	quat := func() geom.Quat {
		return geom.Quat{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64(), W: r.NormFloat64()}.Unit()
	}
	var o Offset
	at, turn := geom.Vec3{}, geom.IdentityQuat
	for i := range 2000 {
		was, wasTurned := o.Place(at, turn)
		to, toTurn := at.Add(vec(.5)), quat()
		if !o.Move(at, to, Full, Snap) {
			t.Fatalf("correction %d: dropped at %v", i, o.Position)
		}
		o.Turn(turn, toTurn)
		at, turn = to, toTurn
		is, turned := o.Place(at, turn)
		if d := turned.Mul(wasTurned.Inverse()); is.Dist(was) > 1e-9 && o.Position.Len() < Full-1e-9 || math.Abs(d.W) < 1-1e-9 {
			t.Fatalf("correction %d: drawn at %v %v, before at %v %v", i, is, turned, was, wasTurned)
		}
		if o.Rotation.W < 0 {
			t.Fatalf("correction %d: the longer way is left, %v", i, o.Rotation)
		}
		o.Decay(50*ms, Time, TurnTime)
	}
}

// What is left after a time is the same at every frame rate, and in one frame. The first two rates
// are those at which a factor of 1 − dt/T errs by 19 and 9 %. [SMO-10, SMO-11, GAP-26]
func TestDecayAtSeveralFrameRates(t *testing.T) {
	for _, rate := range []int{30, 60, 120, 144, 240, 10, 5, 1} {
		for _, start := range []float64{5, 90, 179} {
			o := Offset{Position: geom.V(0, 0, .10), Rotation: geom.YawQuat(start * math.Pi / 180)}
			passed := clock.Micros(0)
			for frame := int64(1); passed < 100*ms; frame++ {
				next := clock.TickTime(frame, rate)
				o.Decay(next-passed, Time, TurnTime)
				passed = next
			}
			if got, want := o.Position.Z, .10*math.Exp(-passed.Seconds()/.1); math.Abs(got-want) > 1e-9 && want > minLength {
				t.Errorf("%d frames a second: %.9f m after %v s, want %.9f", rate, got, passed.Seconds(), want)
			}
			// A rotation shrinks by a lerp: in proportion only where it is small, but never past zero.
			got, want := degrees(o.Rotation), start*math.Exp(-passed.Seconds()/.05)
			if o.Rotation != (geom.Quat{}) && (got < 0 || got > start || start == 5 && math.Abs(got-want) > .001*start) {
				t.Errorf("%d frames a second: %.4f° of %v° after %v s, want about %.4f", rate, got, start, passed.Seconds(), want)
			}
		}
	}
}

// An offset ends: 2.5 m and half a turn are gone within 1.25 s, exactly. Without it, a stopped
// character would be drawn a little off for ever, and a view at rest would change its bits.
func TestDecayEnds(t *testing.T) {
	o := Offset{Position: geom.V(2.5, 0, 0), Rotation: geom.YawQuat(math.Pi - .01)}
	n := 0
	for ; o != (Offset{}) && n < 1000; n++ {
		o.Decay(16_667, Time, TurnTime)
	}
	if n < 50 || n > 75 {
		t.Errorf("zero after %d frames of 1/60 s, want 50 … 75", n)
	}
	at, turn := geom.V(1, 2, 3), geom.YawQuat(1)
	if p, q := o.Place(at, turn); p != at || q != turn {
		t.Errorf("an offset of zero draws %v %v, want %v %v", p, q, at, turn)
	}
	o.Position.X = 1
	if before := o; true {
		o.Decay(0, Time, TurnTime)
		o.Decay(-16*ms, Time, TurnTime)
		if o != before {
			t.Errorf("no time passed: %v, want %v", o, before)
		}
	}
}
