package rig_test

import (
	"fmt"
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena/assets/figure"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/rig"
)

// The humanoid's motions, as examples/arena/humanoid numbers them.
const dash, dead = 1, 255

func person(t testing.TB) *rig.Rig {
	t.Helper()
	r, err := rig.Unpack(figure.Humanoid)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// randomPosture is any posture, often with values at the ends of the ranges.
func randomPosture(dice *rand.Rand) rig.Posture {
	share := func() float64 { return geom.Clamp(float64(dice.Float64()*1.6)-0.3, 0, 1) }
	p := rig.Posture{
		Forward: float64(dice.Float64()*16) - 8, Right: float64(dice.Float64()*16) - 8, Up: float64(dice.Float64()*20) - 10,
		StrideDistance: dice.Float64() * rig.StrideWrap, Pitch: (dice.Float64() - 0.5) * math.Pi,
		Crouch: share(), Air: share(), Swim: share(), Props: uint8(dice.Intn(2)),
	}
	switch dice.Intn(6) {
	case 0:
		p.Clip, p.ClipTime = dash, clock.Micros(dice.Int63n(250_000))
	case 1:
		p.Clip, p.ClipTime = dead, clock.Micros(dice.Int63n(800_000))
	case 2:
		p.Forward, p.Right = 0, 0
	}
	return p
}

// centre is the middle of a hitbox.
func centre(s *rig.Solid) geom.Vec3 { return s.A.Add(s.B).Mul(0.5) }

// moved returns how far the hitbox moves that moves most from one figure to the other.
func moved(a, b *rig.PosedRig) float64 {
	most := 0.0
	for i := range a.Count {
		most = max(most, centre(&a.Solids[i]).Dist(centre(&b.Solids[i])))
	}
	return most
}

// inputs are what a posture has that goes on evenly, the range of each in whole units, and
// how many metres a hitbox may move for one unit of it.
var inputs = []struct {
	name   string
	lo, hi float64
	most   float64
	put    func(p *rig.Posture, x float64)
}{
	{"forward, m/s", -8, 8, 1.2, func(p *rig.Posture, x float64) { p.Forward = x }},
	{"right, m/s", -8, 8, 1.2, func(p *rig.Posture, x float64) { p.Right = x }},
	{"rise, m/s", -10, 10, 0.3, func(p *rig.Posture, x float64) { p.Up = x }},
	{"walked, m", 0, rig.StrideWrap, 6, func(p *rig.Posture, x float64) { p.StrideDistance = x }},
	{"pitch, rad", -math.Pi / 2, math.Pi / 2, 1.5, func(p *rig.Posture, x float64) { p.Pitch = x }},
	{"crouch", 0, 1, 2.5, func(p *rig.Posture, x float64) { p.Crouch = x }},
	{"air", 0, 1, 2.5, func(p *rig.Posture, x float64) { p.Air = x }},
	{"swim", 0, 1, 2.5, func(p *rig.Posture, x float64) { p.Swim = x }},
	{"dash, s", 0, 0.3, 40, func(p *rig.Posture, x float64) { p.Clip, p.ClipTime = dash, clock.Micros(x*1e6) }},
	{"dead, s", 0, 0.8, 20, func(p *rig.Posture, x float64) { p.Clip, p.ClipTime = dead, clock.Micros(x*1e6) }},
}

// Nothing pops: in every state a small step of any input is a small step of every hitbox,
// over the whole range of the input. [HIS-02]
func TestEveryInputIsContinuous(t *testing.T) {
	r := person(t)
	const seed, bases, steps = 7, 24, 3000
	for _, in := range inputs {
		dice := rand.New(rand.NewSource(seed))
		worst, at := 0.0, ""
		for range bases {
			p := randomPosture(dice)
			var f, g rig.PosedRig
			for i := range steps + 1 {
				x := in.lo + (in.hi-in.lo)*float64(i)/steps
				in.put(&p, x)
				g = f
				f.Pose(r, &p)
				if i > 0 {
					if d := moved(&f, &g) / ((in.hi - in.lo) / steps); d > worst {
						worst, at = d, fmt.Sprintf("%+v", p)
					}
				}
			}
		}
		t.Logf("%s: %.2f m of the fastest hitbox's middle for a unit", in.name, worst)
		if worst > in.most {
			t.Errorf("%s: a hitbox moves by %.2f m for a unit of it at %s, want at most %.2f (seed %d)", in.name, worst, at, in.most, seed)
		}
	}
}

// Finer steps give smaller moves: a jump, however small, would keep its size.
func TestFinerStepsAreSmallerMoves(t *testing.T) {
	r := person(t)
	dice := rand.New(rand.NewSource(8))
	for _, in := range inputs {
		unit := 1e-7
		if in.name == "dash, s" || in.name == "dead, s" {
			unit = 2e-6 // whole microseconds
		}
		for range 4000 {
			p := randomPosture(dice)
			var f, g rig.PosedRig
			x := in.lo + (in.hi-in.lo)*dice.Float64()
			if dice.Intn(3) == 0 {
				x = math.Round(x) // where signs and clips change
			}
			in.put(&p, x)
			f.Pose(r, &p)
			in.put(&p, x+unit)
			g.Pose(r, &p)
			if d := moved(&f, &g); d > 2*in.most*unit {
				t.Fatalf("%s: %.3g m of a hitbox for a step of %g, want at most %.3g; to %+v (seed 8)", in.name, d, unit, 2*in.most*unit, p)
			}
		}
	}
}

// StrideDistance wraps after 64 m in the middle of a run.
func TestNoJumpAtStrideWrap(t *testing.T) {
	r := person(t)
	dice := rand.New(rand.NewSource(9))
	for range 500 {
		p := randomPosture(dice)
		var f, g rig.PosedRig
		p.StrideDistance = rig.StrideWrap
		f.Pose(r, &p)
		p.StrideDistance = 0
		g.Pose(r, &p)
		if d := moved(&f, &g); d > 1e-9 {
			t.Fatalf("from 64 m to 0 m a hitbox moves %.3g m in %+v (seed 9)", d, p)
		}
	}
}

// A figure that runs at full speed and turns by hundredths of a degree, or reverses through
// standing still, has no jump.
func TestDirectionChangesAtSpeed(t *testing.T) {
	r := person(t)
	for _, speed := range []float64{0.5, 2, 3, 4.5, 6, 16} {
		for _, walked := range []float64{0.1, 0.8, 1.3, 2.1} {
			var f, g rig.PosedRig
			worst := 0.0
			const steps = 36_000
			for i := range steps + 1 {
				sin, cos := geom.SinCos(2 * math.Pi * float64(i) / steps)
				p := rig.Posture{Forward: speed * cos, Right: speed * sin, StrideDistance: walked}
				g = f
				if f.Pose(r, &p); i > 0 {
					worst = max(worst, moved(&f, &g))
				}
			}
			if want := 1.6 * 2 * math.Pi / steps; worst > want {
				t.Errorf("%.1f m/s, %.1f m walked: %.3g m of a hitbox for 0.01° of the way, want at most %.3g", speed, walked, worst, want)
			}
		}
	}
}

func TestInvalidPosture(t *testing.T) {
	r := person(t)
	nan, inf := math.NaN(), math.Inf(1)
	for _, x := range []float64{nan, inf, -inf, 1e308, -1e308, 1e18, math.MaxFloat64} {
		p := rig.Posture{Forward: x, Right: -x, Up: x, StrideDistance: x, Pitch: x, Crouch: x, Air: x, Swim: x,
			Clip: dash, ClipTime: math.MaxInt64, Props: 0xFF}
		var f rig.PosedRig
		f.Pose(r, &p)
		for i := range f.Count {
			if s := &f.Solids[i]; !s.A.Finite() || !s.B.Finite() {
				t.Fatalf("all of it %g: hitbox %d is at %v … %v", x, i, s.A, s.B)
			}
		}
	}
}

// No pose leaves the bounding sphere: the whole of every hitbox is inside, with and without
// the shield; and no pose is changed by the clamp, which would be visible.
func TestBoundsHoldEveryPose(t *testing.T) {
	r := person(t)
	height, radius := r.Bounds()
	figures.Check(t, "ball", 0, "%.2f m above the feet, with a radius of %.2f m", height, radius)
	if radius > 1.45 {
		t.Errorf("the ball's radius is %.2f m, want 1.45 at most", radius)
	}
	middle := geom.V(0, height, 0)
	const seed = 10
	dice := rand.New(rand.NewSource(seed))
	var f rig.PosedRig
	least := radius
	for range 200_000 {
		p := randomPosture(dice)
		p.Props = 1
		f.Pose(r, &p)
		for i := range f.Count {
			s := &f.Solids[i]
			for _, e := range corners(s) {
				least = min(least, radius-e.Dist(middle)-s.Radius)
			}
		}
		if least <= 1e-6 {
			t.Fatalf("%+v comes within %.6f m of the ball's surface (seed %d)", p, least, seed)
		}
	}
	t.Logf("the nearest to its surface is %.3f m inside", least)
}

// corners are the outermost points of a solid, without its radius.
func corners(s *rig.Solid) []geom.Vec3 {
	if s.Shape != rig.Box {
		return []geom.Vec3{s.A, s.B}
	}
	var out []geom.Vec3
	for i := range 8 {
		sign := func(bit int) float64 { return float64(2*(i>>bit&1) - 1) }
		out = append(out, s.A.Add(s.Rotation.Rotate(geom.V(sign(0)*s.Half.X, sign(1)*s.Half.Y, sign(2)*s.Half.Z))))
	}
	return out
}

func TestPoseAllocatesNothing(t *testing.T) {
	r := person(t)
	dice := rand.New(rand.NewSource(11))
	var f rig.PosedRig
	if n := testing.AllocsPerRun(200, func() {
		p := randomPosture(dice)
		f.Pose(r, &p)
	}); n != 0 {
		t.Errorf("%v allocations a pose, want none", n)
	}
}

// The shield is present while it is raised, and is the last of the parts.
func TestPropsFollowThePosture(t *testing.T) {
	r := person(t)
	var f rig.PosedRig
	f.Pose(r, &rig.Posture{})
	if f.Count != 19 {
		t.Errorf("%d hitboxes without a shield, want 19", f.Count)
	}
	f.Pose(r, &rig.Posture{Props: 1})
	if f.Count != 20 || r.HitGroup(f.Hitboxes[19]) != rig.Shield || f.Hitboxes[19] != 20 {
		t.Errorf("%d hitboxes with a shield, the last is number %d, %q; want 20 and number 20, the shield", f.Count, f.Hitboxes[f.Count-1], r.HitGroup(f.Hitboxes[f.Count-1]))
	}
	if s := &f.Solids[19]; s.A.Z > -0.4 || s.A.Y < 0.8 || s.A.Y > 1.4 {
		t.Errorf("the shield is around %v, want it in front of the chest", s.A)
	}
}

// A motion blends in and out within its fade; one with Hold stays; a number without a clip
// changes nothing.
func TestMotionsComeAndGo(t *testing.T) {
	r := person(t)
	if r.Motion("dash") != dash || r.Motion("dead") != dead || r.Motion("idle") != 0 || r.Motion("somersault") != 0 {
		t.Errorf("Motion: dash %d, dead %d, idle %d, somersault %d; want 1, 255, 0, 0", r.Motion("dash"), r.Motion("dead"), r.Motion("idle"), r.Motion("somersault"))
	}
	var still, f rig.PosedRig
	still.Pose(r, &rig.Posture{})
	for _, c := range []struct {
		what   string
		clip   uint8
		played clock.Micros
		lo, hi float64 // of the hitbox that moves most
	}{
		{"a dash as it begins", dash, 0, 0, 0},
		{"a dash in the middle", dash, 100_000, 0.2, 1},
		{"a dash as it ends", dash, 199_999, 0, 0.01},
		{"a dash that is over", dash, 200_000, 0, 0},
		{"the dead, just hit", dead, 1000, 0, 0.05},
		{"the dead on the ground", dead, 600_000, 1, 2},
		{"the dead much later", dead, 60 * clock.Second, 1, 2},
		{"no motion of that number", 77, 100_000, 0, 0},
	} {
		f.Pose(r, &rig.Posture{Clip: c.clip, ClipTime: c.played})
		if d := moved(&f, &still); d < c.lo || d > c.hi {
			t.Errorf("%s: a hitbox is %.3f m from standing, want %g … %g", c.what, d, c.lo, c.hi)
		}
	}
}
