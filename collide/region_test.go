package collide

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/geom"
)

// A pool with its surface at 0: the share of a character 1.8 m tall that is under water.
// [VOL-01, BAS-05, BAS-06]
func TestSubmerged(t *testing.T) {
	var b Builder
	b.VolumeBox(Volume{Name: "pool", Water: true, Friction: .3}, geom.V(0, -5, 0), geom.V(10, 5, 10), geom.IdentityQuat)
	b.VolumeSphere(Volume{Name: "bell", Priority: 1}, geom.Sphere{Centre: geom.V(5, -5, 0), Radius: 2})
	b.VolumeHull(Volume{Name: "lava", Kill: true}, []geom.Vec3{{X: 20}, {X: 30}, {X: 20, Z: 10}, {X: 20, Y: -5}})
	v := WorldAt{World: b.MustBake()}
	for _, c := range []struct {
		name   string
		middle geom.Vec3
		want   float64
		water  bool
	}{
		{"in the air", geom.V(0, .91, 0), 0, false},
		{"feet in", geom.V(0, .72, 0), .1, false},
		{"half", geom.V(0, 0, 0), .5, true},
		{"up to the chin", geom.V(0, -.72, 0), .9, true},
		{"under", geom.V(0, -3, 0), 1, true},
		{"beside the pool", geom.V(11, -3, 0), 0, false},
		{"in the diving bell", geom.V(5, -5, 0), 0, false},
		{"with the feet out of the bell", geom.V(5, -7, 0), .5, true},
		{"not finite", geom.V(math.NaN(), 0, 0), 0, false},
	} {
		body := geom.Upright(c.middle, geom.Up, .3, .9)
		at := v.VolumeAt(c.middle)
		if c.name == "with the feet out of the bell" {
			at = &v.World.volumes[0] // its middle is on the border
		}
		upsideDown := geom.Capsule{A: body.B, B: body.A, Radius: body.Radius}
		if got := v.Submerged(body, geom.Up); got != v.Submerged(upsideDown, geom.Up) || !near(got, c.want, 1e-12) || c.water != (at != nil && at.Water) {
			t.Errorf("%s: got %v in %+v, want %v", c.name, got, at, c.want)
		}
	}
	if got := v.Submerged(geom.Upright(geom.V(10.45, -5, 0), geom.V(1, 0, 0), .3, .9), geom.V(1, 0, 0)); !near(got, .25, 1e-12) {
		t.Errorf("with gravity along −X: got %v, want 0.25", got)
	}
	// A point is under water or not, whatever the shape of the water.
	var round Builder
	round.VolumeSphere(Volume{Water: true}, geom.Sphere{Radius: 1})
	drop := WorldAt{World: round.MustBake()}
	for y, want := range map[float64]float64{0: 1, -.9: 1, -1.1: 0} {
		point := geom.Capsule{A: geom.V(0, y, 0), B: geom.V(0, y, 0)}
		if box, ball := v.Submerged(point.Moved(geom.V(0, -1, 0)), geom.Up), drop.Submerged(point, geom.Up); box != 1 || ball != want {
			t.Errorf("a point at %v: %v of it in the pool, %v in a drop, want 1 and %v", y, box, ball, want)
		}
	}
	for _, c := range []struct {
		name string
		x, y float64
		want bool
	}{{"beside", 19.6, 0, false}, {"a shoulder in", 19.8, -.5, true}, {"inside", 22, -1, true}, {"above", 22, .95, false},
		{"under the slope of", 28, -4, false}, {"in water far from", 0, -3, false}} {
		if got := v.InKillVolume(geom.Upright(geom.V(c.x, c.y, 1), geom.Up, .3, .9)); got != c.want {
			t.Errorf("%s the lava: %v", c.name, got)
		}
	}
}

// Of overlapping volumes the highest priority applies, of equal ones the later. [VOL-01]
func TestVolumePriority(t *testing.T) {
	var b Builder
	for _, x := range []struct {
		name     string
		priority int8
		half     float64
	}{{"low", -128, 5}, {"first", 3, 4}, {"second", 3, 3}, {"least", 2, 2}, {"high", 127, 1}} {
		b.VolumeBox(Volume{Name: x.name, Priority: x.priority}, geom.Vec3{}, geom.V(x.half, x.half, x.half), geom.IdentityQuat)
	}
	v := WorldAt{World: b.MustBake()}
	for x, want := range map[float64]string{0: "high", .9: "high", 1: "high", 1.5: "second", 3: "second", 3.5: "first", 4.5: "low"} {
		if got := v.VolumeAt(geom.V(x, 0, 0)); got == nil || got.Name != want {
			t.Errorf("at %v: got %+v, want %s", x, got, want)
		}
	}
	if v.VolumeAt(geom.V(5.01, 0, 0)) != nil || (&WorldAt{World: new(World)}).VolumeAt(geom.Vec3{}) != nil {
		t.Error("a volume where there is none")
	}
}

// Among many random volumes the share under water equals that of many sampled points along
// the line. [VOL-01]
func TestSubmergedMatchesSampling(t *testing.T) {
	const seed, samples = 82, 1000
	r := rand.New(rand.NewPCG(seed, 0))
	for k := range 20 {
		var b Builder
		for range 12 {
			x := Volume{Water: r.IntN(2) == 0, Priority: int8(r.IntN(3))}
			switch r.IntN(3) {
			case 0:
				b.VolumeSphere(x, geom.Sphere{Centre: vector(r, 3), Radius: .5 + 2*r.Float64()})
			case 1:
				b.VolumeBox(x, vector(r, 3), geom.V(.3+r.Float64(), .3+r.Float64(), .3+r.Float64()), geom.AxisAngle(vector(r, 1).Unit(), r.Float64()*6))
			default:
				at := vector(r, 3)
				b.VolumeHull(x, []geom.Vec3{at.Add(vector(r, 2)), at.Add(vector(r, 2)), at.Add(vector(r, 2)), at.Add(vector(r, 2)), at.Add(vector(r, 2))})
			}
		}
		v := WorldAt{World: b.MustBake()}
		for i := range 50 {
			up := vector(r, 1).Unit()
			c := geom.Upright(vector(r, 3), up, .3, .3+r.Float64()*2)
			low, high, wet := c.A.MulAdd(up, -.3), c.B.MulAdd(up, .3), 0
			for s := range samples {
				if x := v.VolumeAt(low.Lerp(high, (float64(s)+.5)/samples)); x != nil && x.Water {
					wet++
				}
			}
			if got, want := v.Submerged(c, up), float64(wet)/samples; !near(got, want, 12./samples) {
				t.Fatalf("seed %d, jumble %d, case %d: got %v, want %v\n%+v", seed, k, i, got, want, c)
			}
		}
	}
}

// Invalid volumes are errors that name them. [BAS-05]
func TestVolumeErrors(t *testing.T) {
	nan := math.NaN()
	box := func(v Volume) func(*Builder) error {
		return func(b *Builder) error { return b.VolumeBox(v, geom.Vec3{}, geom.V(1, 1, 1), geom.IdentityQuat) }
	}
	for _, c := range []struct {
		add  func(*Builder) error
		want string
	}{
		{box(Volume{Friction: nan}), "Friction"},
		{box(Volume{Friction: -1}), "Friction"},
		{box(Volume{Friction: math.Inf(1)}), "Friction"},
		{box(Volume{TerminalSpeed: math.Inf(1)}), "TerminalSpeed"},
		{box(Volume{TerminalSpeed: -1}), "TerminalSpeed"},
		{box(Volume{Waypoint: 2}), "name the mover"},
		{box(Volume{Triggers: strings.Repeat("x", 65)}), "Triggers is longer"},
		{func(b *Builder) error { return b.VolumeSphere(Volume{}, geom.Sphere{Radius: MaxCoordinate + 1}) }, "ball"},
		{func(b *Builder) error {
			return b.VolumeSphere(Volume{}, geom.Sphere{Centre: geom.V(1e9, 0, 0), Radius: 1})
		}, "ball"},
		{box(Volume{Launch: geom.V(0, nan, 0)}), "Launch"},
		{box(Volume{Up: geom.V(0, 2, 0)}), "Up"},
		{box(Volume{Planet: true, Centre: geom.V(0, 1e9, 0)}), "Centre"},
		{box(Volume{Name: strings.Repeat("x", 65)}), "name"},
		{func(b *Builder) error { return b.VolumeBox(Volume{}, geom.Vec3{}, geom.V(1, 0, 1), geom.IdentityQuat) }, "half sizes"},
		{func(b *Builder) error { return b.VolumeSphere(Volume{}, geom.Sphere{}) }, "ball"},
		{func(b *Builder) error { return b.VolumeSphere(Volume{}, geom.Sphere{Radius: nan}) }, "ball"},
		{func(b *Builder) error { return b.VolumeHull(Volume{}, make([]geom.Vec3, 5)) }, "one plane"},
	} {
		var b Builder
		b.VolumeSphere(Volume{Name: "good"}, geom.Sphere{Radius: 1})
		err := c.add(&b)
		_, later := b.Bake()
		if err == nil || later != err || !strings.HasPrefix(err.Error(), "collide: volume 1 \"") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v and %v, want one about %s", err, later, c.want)
		}
	}
}
