package movement

import (
	"fmt"
	"math"
	"testing"

	"github.com/backstep-net/backstep/geom"
)

// vanilla is the drive of the specification's vanilla profile on the ground.
func vanilla(accel geom.Vec3) Drive {
	return Drive{
		Acceleration: accel, Analog: min(accel.Len()/20.48, 1), MaxSpeed: 6, MaxAcceleration: 20.48,
		Friction: 8, BrakingFriction: 16, Braking: 20.48, SubStep: 1.0 / 33,
	}
}

// tolerance is the specification's: 1e-3 cm/s.
const tolerance = 1e-5

func near(t *testing.T, what string, got, want geom.Vec3) {
	t.Helper()
	if !(got.Dist(want) <= tolerance) {
		t.Errorf("%s: got %v want %v", what, got, want)
	}
}

// TestVelocityTraces plays VEL-06 … VEL-11: figures of the rows, in cm/s along X.
func TestVelocityTraces(t *testing.T) {
	const sixty, thirty = 1.0 / 60, 1.0 / 30
	full := geom.V(20.48, 0, 0)
	for _, c := range []struct {
		row   string
		from  float64
		accel geom.Vec3
		dt    float64
		want  []float64
	}{
		{"VEL-06 stop from 600 at 60 Hz", 600, geom.Vec3{}, sixty, []float64{405.8667, 263.5022, 159.1016, 82.5412, 26.3969, 0, 0}},
		{"VEL-06 at 30 Hz", 600, geom.Vec3{}, thirty, []float64{263.5022, 82.5412, 0}},
		{"VEL-06 in 50 ms", 600, geom.Vec3{}, .05, []float64{134.08, 0}},
		{"VEL-07 over the limit, input along", 1000, full, sixty, []float64{699.2, 600, 600}},
		{"VEL-07 over the limit, input against", 1000, full.Neg(), sixty, []float64{665.0667, 419.4489, 273.4625}},
		{"VEL-08 reverse", 600, full.Neg(), sixty, []float64{405.8667, 263.5022, 159.1016, 82.5412, 26.3969, -14.7756}},
		{"VEL-10 from rest", 0, full, sixty, []float64{34.1333, 68.2667, 102.4}},
		{"VEL-10 from rest at 30 Hz", 0, full, thirty, []float64{68.2667, 136.5333}},
		{"VEL-11 half input at full speed", 600, full.Mul(.5), sixty, []float64{405.8667, 300, 300}},
		{"INP-07 half input", 0, full.Mul(.5), sixty, []float64{17.0667, 34.1333}},
	} {
		v, d := geom.V(c.from/100, 0, 0), vanilla(c.accel)
		for i, want := range c.want {
			v = d.Apply(v, c.dt)
			near(t, fmt.Sprintf("%s, frame %d", c.row, i+1), v, geom.V(want/100, 0, 0))
		}
	}
}

func TestFromRestToFullSpeed(t *testing.T) { // VEL-10, INP-07
	for _, c := range []struct {
		input, hz float64
		frame     int
		before    float64 // cm/s, the frame before
		limit     float64 // cm/s, at the frame
	}{{1, 60, 18, 580.2667, 600}, {1, 30, 9, 546.1333, 600}, {.5, 60, 18, 290.1333, 300}} {
		v, x, d := geom.Vec3{}, 0.0, vanilla(geom.V(20.48*c.input, 0, 0))
		at := map[int]float64{1: .5689, 5: 8.5333, 10: 31.2889, 18: 97.04}
		for i := 1; i <= c.frame; i++ {
			v = d.Apply(v, 1/c.hz)
			x += v.X / c.hz
			if want, ok := at[i]; ok && c.hz == 60 && c.input == 1 && math.Abs(100*x-want) > 1e-3 {
				t.Errorf("x after %d frames: got %v cm want %v", i, 100*x, want)
			}
			if i == c.frame-1 {
				near(t, "the frame before the limit", v, geom.V(c.before/100, 0, 0))
			}
		}
		near(t, "at the limit", v, geom.V(c.limit/100, 0, 0))
	}
}

func TestFrictionOnlyTurns(t *testing.T) { // VEL-08
	v, d := geom.V(6, 0, 0), vanilla(geom.V(0, 0, 20.48))
	for i, want := range [][2]float64{{520, 114.1333}, {450.6667, 204.0326}, {390.5778, 276.9218}} {
		v = d.Apply(v, 1.0/60)
		near(t, fmt.Sprint("frame ", i+1), v, geom.V(want[0]/100, 0, want[1]/100))
	}
	for i := 4; i <= 10; i++ {
		v = d.Apply(v, 1.0/60)
	}
	near(t, "frame 10", v, geom.V(1.400016, 0, 5.834377))
}

func TestFluidDrags(t *testing.T) { // VEL-09
	d := Drive{MaxSpeed: 6, Friction: .3, BrakingFriction: .6, SubStep: 1.0 / 33}
	near(t, "dry", d.Apply(geom.V(3, 0, 0), 1.0/60), geom.V(2.97, 0, 0))
	d.Fluid = true
	near(t, "fluid", d.Apply(geom.V(3, 0, 0), 1.0/60), geom.V(2.95515, 0, 0))
}

func TestDriveDoesNothing(t *testing.T) { // VEL-01
	d := vanilla(geom.V(20.48, 0, 0))
	if got := d.Apply(geom.V(3, 0, 0), 5e-7); got != geom.V(3, 0, 0) {
		t.Errorf("in half a microsecond: got %v, want no change", got)
	}
	d = Drive{MaxSpeed: 6, Friction: -5, Acceleration: geom.V(0, 0, 1), Analog: 1}
	if got := d.Apply(geom.V(3, 0, 0), .1); got != geom.V(3, 0, .1) {
		t.Errorf("friction −5: got %v, want it to count as 0", got)
	}
}

func TestFullAccelerationPicksItsDirection(t *testing.T) { // VEL-03
	for _, c := range []struct{ accel, v, want geom.Vec3 }{
		{geom.V(.1, 0, 0), geom.V(3, 0, 4), geom.V(20.48, 0, 0)},
		{geom.Vec3{}, geom.V(.03, 0, .04), geom.V(12.288, 0, 16.384)},
		{geom.Vec3{}, geom.Vec3{}, geom.V(0, 0, 20.48)},
	} {
		d := Drive{Acceleration: c.accel, MaxAcceleration: 20.48, Facing: geom.V(0, 0, 1)}
		near(t, "direction", d.fullAcceleration(c.v), c.want)
	}
	d := Drive{MaxAcceleration: 20.48, MaxSpeed: 6, Full: true, Facing: geom.V(0, 0, 1)}
	near(t, "from rest, no input: analog counts as 1", d.Apply(geom.Vec3{}, 1.0/60), geom.V(0, 0, .341333))
}

func TestSpeedLimitTolerance(t *testing.T) { // VEL-04
	for _, c := range []struct {
		speed float64
		want  bool
	}{{6.029, false}, {6.0299, false}, {6.0300, true}} {
		if got := exceeds(geom.V(c.speed, 0, 0), 6); got != c.want {
			t.Errorf("%v m/s over a limit of 6: got %v want %v", c.speed, got, c.want)
		}
	}
	d := vanilla(geom.V(1.024, 0, 0))
	d.MinSpeed = .6
	v := geom.Vec3{}
	for range 120 {
		v = d.Apply(v, 1.0/60)
	}
	near(t, "analog .05 with a least limit of 60 cm/s", v, geom.V(.6, 0, 0))
}

func TestWhenToBrake(t *testing.T) { // VEL-05
	none, full := vanilla(geom.Vec3{}), vanilla(geom.V(20.48, 0, 0))
	if v := none.Apply(geom.V(3, 0, 0), 1.0/60); v.X >= 3 {
		t.Errorf("no input below the limit: got %v, want it to brake", v)
	}
	if v := full.Apply(geom.V(7, 0, 0), 1.0/60); v.X >= 7 {
		t.Errorf("full input at 700: got %v, want it to brake", v)
	}
	m := DefaultModel()
	m.SeparateBrakingFriction = true
	if got := m.brakingFriction(8); got != 0 {
		t.Errorf("separate braking friction 0: got %v want 0", got)
	}
	near(t, "constant deceleration only", brake(geom.V(6, 0, 0), 0, 20.48, 0, .1), geom.V(3.952, 0, 0))
}

func TestBrakingStopsDead(t *testing.T) { // VEL-06, GAP-56
	for _, c := range []struct {
		v, friction, decel, dt float64
		stops                  bool
	}{
		{.1, 0, 1e-9, MinTime, true}, {.1001, 0, 1e-9, MinTime, false},
		{.05, 1e-9, 0, MinTime, false}, {1e-4, 1e-9, 0, MinTime, true},
		{3, 0, 100, .1, true},
	} {
		got := brake(geom.V(c.v, 0, 0), c.friction, c.decel, 0, c.dt)
		if got.IsZero() != c.stops {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

func TestPathRequest(t *testing.T) { // VEL-02
	d := vanilla(geom.Vec3{})
	d.Request = geom.V(2, 0, 0)
	v := geom.Vec3{}
	for i := range 60 {
		was := v
		v = d.Apply(v, 1.0/60)
		if v.X > 2+1e-12 || v.X < was.X {
			t.Fatalf("frame %d: got %v after %v, want it to rise to 2 and no further", i, v, was)
		}
	}
	near(t, "at last", v, geom.V(2, 0, 0))
}

func TestStoppingDistances(t *testing.T) { // VEL-06, VEL-12, VEL-13
	const law = .23593834 // m; v/μ − (b/μ²)·ln(1 + μv/b)
	for _, c := range []struct {
		hz, friction, want float64 // want in m
		within             float64
	}{
		{30, 16, .115348, 1e-5}, {60, 16, .156235, 1e-5}, {240, 16, .21558, 1e-5}, {1000, 16, .23086, 1e-5},
		{60, 0, .8296, 1e-4}, {10_000, 16, law, .01 * law},
	} {
		v, way := geom.V(6, 0, 0), 0.0
		for !v.IsZero() {
			v = brake(v, c.friction, 20.48, 0, 1/c.hz)
			way += v.X / c.hz
		}
		if math.Abs(way-c.want) > c.within {
			t.Errorf("at %v Hz, friction %v: stops after %v m, want %v", c.hz, c.friction, way, c.want)
		}
	}
}

func TestDeflection(t *testing.T) { // STP-02, GRD-11
	for _, c := range []struct {
		what             string
		v, n, prev, want geom.Vec3
	}{
		{"a wall takes what leads into it", geom.V(3, 0, 3), geom.V(-1, 0, 0), geom.Vec3{}, geom.V(0, 0, 3)},
		{"away from a wall nothing changes", geom.V(-3, 0, 3), geom.V(-1, 0, 0), geom.Vec3{}, geom.V(-3, 0, 3)},
		{"a corner of 90° leaves the crease", geom.V(0, -1, 3), geom.V(0, 0, -1), geom.V(-1, 0, 0), geom.V(0, -1, 0)},
		{"a wide corner goes along the second", geom.V(3, 0, 3), geom.V(0, 0, -1), geom.V(-.6, 0, -.8), geom.V(3, 0, 0)},
	} {
		near(t, c.what, deflect(c.v, c.n, c.prev), c.want)
	}
	n := geom.V(-1, 1, 0).Unit()
	in := geom.V(5, 1, 2)
	near(t, "a slope in the air adds no upward speed", clipAirVelocity(in, n, geom.Vec3{}, geom.Up), geom.V(1, 1, 2))
}

func TestSlicing(t *testing.T) { // PRF-11, GRD-02
	for _, c := range []struct {
		dt   float64
		want []float64
	}{
		{.0167, []float64{.0167}}, {.06, []float64{.03, .03}}, {.1, []float64{.05, .05}},
		{.125, []float64{.05, .0375, .0375}},
		{.5, []float64{.05, .05, .05, .05, .05, .05, .05, .15}},
		{1, []float64{.05, .05, .05, .05, .05, .05, .05, .65}},
	} {
		f := StepContext{Remaining: c.dt}
		for i, want := range c.want {
			if got := f.TakeSlice(); math.Abs(got-want) > 1e-12 {
				t.Errorf("%v s, slice %d: got %v want %v", c.dt, i+1, got, want)
			}
		}
		if f.Remaining != 0 {
			t.Errorf("%v s: %v s are left over", c.dt, f.Remaining)
		}
	}
}

func TestAirControl(t *testing.T) { // AIR-01, AIR-02, GAP-62
	for _, c := range []struct {
		control, boost, speed, want float64
	}{
		{.05, 0, 0, 1.024}, {.05, 2, .1, 2.048}, {.05, 2, .24999, 2.048}, {.05, 2, .25, 1.024},
		{.8, 2, 0, 20.48}, {0, 2, 0, 0}, {1, 0, 0, 20.48}, {.35, 0, 0, 7.168},
	} {
		m := DefaultModel()
		m.AirControl, m.AirControlBoost = c.control, c.boost
		f := StepContext{Body: Body{Model: &m, Up: geom.Up}, Acceleration: geom.V(20.48, 5, 0)}
		near(t, fmt.Sprint(c), f.faller().airInput(geom.V(0, -3, c.speed)).acceleration, geom.V(c.want, 0, 0))
	}
}

func TestFallVelocity(t *testing.T) { // AIR-03, AIR-05, GAP-55
	m := DefaultModel()
	s := State{Mode: Falling, Velocity: geom.V(0, -3, 0)}
	f := StepContext{Body: Body{State: &s, Model: &m, Up: geom.Up}, Command: new(Command), Acceleration: geom.V(20.48, 0, 0), Analog: 1}
	v := s.Velocity
	for i, want := range []float64{3.4133, 6.8267, 10.24} {
		v = f.faller().fallVelocity(v, f.faller().airInput(v), 1.0/60)
		near(t, fmt.Sprint("frame ", i+1), v, geom.V(want/100, -3-9.8*float64(i+1)/60, 0))
	}
	near(t, "no faster than terminal", f.faller().fallVelocity(geom.V(0, -39.95, 0), f.faller().airInput(geom.Vec3{}), 1.0/60), geom.V(.034133, -40, 0))
}
