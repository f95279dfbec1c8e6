package humanoid_test

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/examples/arena/humanoid"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/rig"
)

// place is where a bone is in a posture.
func place(t testing.TB, r *rig.Rig, p rig.Posture, bone string) geom.Transform {
	t.Helper()
	var f rig.PosedRig
	f.Pose(r, &p)
	for b := range r.Bones() {
		if r.Bones()[b].Name == "bone_"+bone {
			return f.Bones[b]
		}
	}
	t.Fatalf("no bone %q", bone)
	return geom.Transform{}
}

// hitbox is one of them in a posture.
func hitbox(t testing.TB, r *rig.Rig, p rig.Posture, part string) rig.Solid {
	t.Helper()
	var f rig.PosedRig
	f.Pose(r, &p)
	for i := range f.Count {
		if r.Hitboxes()[f.Hitboxes[i]-1].Name == part {
			return f.Solids[i]
		}
	}
	t.Fatalf("no part %q", part)
	return rig.Solid{}
}

// HIS-03: the parts are the rig's own.
func TestTheHumanoidHas19HitboxesAndAShield(t *testing.T) {
	_, r := built(t)
	count := map[rig.HitGroup]int{}
	for _, v := range r.Hitboxes() {
		count[v.HitGroup]++
	}
	want := map[rig.HitGroup]int{rig.Head: 2, rig.Body: 3, rig.Arm: 8, rig.Leg: 6, rig.Shield: 1}
	for group, n := range want {
		if count[group] != n {
			t.Errorf("%d hitboxes are %s, want %d", count[group], group, n)
		}
	}
	if n := len(r.Hitboxes()); n != 20 {
		t.Errorf("%d hitboxes, want 19 and a shield", n)
	}
	if r.Motion("dash") != humanoid.Dash || r.Motion("dead") != humanoid.Dead {
		t.Errorf("dash is motion %d and dead %d, want %d and %d", r.Motion("dash"), r.Motion("dead"), humanoid.Dash, humanoid.Dead)
	}
}

// HIS-02: a character that peeks over a wall sees with what can be hit: the eye that shots leave
// from is inside the head in height, and no further from it than the body is thick.
func TestTheHeadIsWhereTheEyeIs(t *testing.T) {
	_, r := built(t)
	m := movement.DefaultModel()
	for _, c := range []struct {
		what       string
		p          rig.Posture
		eye        float64
		high, flat float64 // how far the middle of the head may be from the eye
	}{
		{"standing", rig.Posture{}, m.EyeHeight, 0.10, 0.10},
		{"walking", rig.Posture{Forward: 1.9, StrideDistance: 0.3}, m.EyeHeight, 0.11, 0.12},
		{"running", rig.Posture{Forward: 6, StrideDistance: 0.3}, m.EyeHeight, 0.10, 0.12},
		{"running backwards", rig.Posture{Forward: -6, StrideDistance: 0.9}, m.EyeHeight, 0.10, 0.12},
		{"going aside", rig.Posture{Right: 6, StrideDistance: 1.3}, m.EyeHeight, 0.10, 0.12},
		{"standing, looking up", rig.Posture{Pitch: 1.2}, m.EyeHeight, 0.10, 0.15},
		{"standing, looking down", rig.Posture{Pitch: -1.2}, m.EyeHeight, 0.10, 0.25},
		{"crouched", rig.Posture{Crouch: 1}, m.CrouchedEyeHeight, 0.05, 0.25},
		{"creeping", rig.Posture{Crouch: 1, Forward: 3, StrideDistance: 0.5}, m.CrouchedEyeHeight, 0.06, 0.25},
		{"crouched in the air", rig.Posture{Crouch: 1, Air: 1, Up: -2}, m.CrouchedEyeHeight, 0.05, 0.25},
		{"rising", rig.Posture{Air: 1, Up: 4}, m.EyeHeight, 0.13, 0.12},
		{"falling", rig.Posture{Air: 1, Up: -6}, m.EyeHeight, 0.13, 0.12},
		{"in the water", rig.Posture{Swim: 1}, m.EyeHeight, 0.12, 0.12},
		{"swimming", rig.Posture{Swim: 1, Forward: 3, StrideDistance: 1}, m.EyeHeight, 0.12, 0.15},
	} {
		head := hitbox(t, r, c.p, "head").A
		flat := math.Hypot(head.X, head.Z)
		figures.Check(t, c.what, 0.02, "%+.0f mm | %.0f mm", (head.Y-c.eye)*1000, flat*1000)
		if math.Abs(head.Y-c.eye) > c.high || flat > c.flat {
			t.Errorf("%s: the head is at %v, %.2f m from the eye's height of %.2f and %.2f m from its line; want %.2f and %.2f at most",
				c.what, head, head.Y-c.eye, c.eye, flat, c.high, c.flat)
		}
	}
}

// The figure's heights: standing about as tall as the body that bumps into things, 1.76 m,
// and as low crouched, 0.80 m, feet on the ground. [HIS-02]
func TestTheFigureFitsItsBody(t *testing.T) {
	_, r := built(t)
	for _, c := range []struct {
		what     string
		p        rig.Posture
		top, low [2]float64
	}{
		{"standing", rig.Posture{}, [2]float64{1.68, 1.82}, [2]float64{-0.01, 0.01}},
		{"crouched", rig.Posture{Crouch: 1}, [2]float64{0.78, 0.88}, [2]float64{-0.06, 0.02}},
		{"running", rig.Posture{Forward: 6, StrideDistance: 0.6}, [2]float64{1.6, 1.82}, [2]float64{-0.02, 0.06}},
	} {
		lo, hi := span(r, c.p)
		if hi < c.top[0] || hi > c.top[1] || lo < c.low[0] || lo > c.low[1] {
			t.Errorf("%s: from %.3f m to %.3f m, want %v … %v", c.what, lo, hi, c.low, c.top)
		}
	}
}

// span is the height of the lowest and the highest point of all that is round.
func span(r *rig.Rig, p rig.Posture) (lo, hi float64) {
	lo, hi = 9, -9
	var f rig.PosedRig
	f.Pose(r, &p)
	for i := range f.Count {
		s := &f.Solids[i]
		lo = min(lo, s.A.Y-s.Radius, s.B.Y-s.Radius)
		hi = max(hi, s.A.Y+s.Radius, s.B.Y+s.Radius)
	}
	return lo, hi
}

// A figure on the ground has a foot near it and none in it, at any phase and any way.
func TestFeetStayNearTheGround(t *testing.T) {
	_, r := built(t)
	for _, crouch := range []float64{0, 0.25, 0.5, 0.75, 1} {
		deepest, highest := 0.0, 0.0
		for i := range 64 {
			for _, v := range [][2]float64{{6, 0}, {-6, 0}, {0, 6}, {0, -6}, {4.2, 4.2}, {-4.2, 4.2}, {2, 0}, {0, 2}, {3, 0}, {0, 0}} {
				p := rig.Posture{Forward: v[0], Right: v[1], StrideDistance: float64(i) * 0.13, Crouch: crouch}
				lo, _ := span(r, p)
				deepest, highest = min(deepest, lo), max(highest, lo)
				if lo < -0.08 || lo > 0.11 {
					t.Errorf("%+v: the lowest point is at %.3f m, want −0.08 … 0.11", p, lo)
				}
			}
		}
		t.Logf("crouched by %g: the lowest point of a figure is %.3f … %.3f m above the ground", crouch, deepest, highest)
	}
}

// Knees bend forwards and elbows do not bend backwards, whatever is blended.
func TestJointsBendTheRightWay(t *testing.T) {
	_, r := built(t)
	for i := range 3000 {
		roll := func(k int) float64 { // golden ratio's powers: spread evenly, no dice
			x := float64(i) * []float64{0.61803, 0.75488, 0.56984, 0.85667, 0.81917, 0.54969}[k]
			return x - math.Floor(x)
		}
		p := rig.Posture{Forward: roll(0)*14 - 7, Right: roll(1)*14 - 7, StrideDistance: roll(2) * 64, Crouch: roll(3),
			Pitch: (roll(4) - 0.5) * 3, Air: math.Floor(roll(5) * 2)}
		for _, side := range []string{"left_", "right_"} {
			thigh, shin, foot := place(t, r, p, side+"thigh"), place(t, r, p, side+"shin"), place(t, r, p, side+"foot")
			if bend := thigh.Rotation.Inverse().Rotate(shin.Translation.Sub(thigh.Translation).Cross(foot.Translation.Sub(shin.Translation))).X; bend > 1e-6 {
				t.Fatalf("%+v: the %sknee bends backwards by %.4f", p, side, bend)
			}
			upper, fore, hand := place(t, r, p, side+"upper_arm"), place(t, r, p, side+"forearm"), place(t, r, p, side+"hand")
			if bend := upper.Rotation.Inverse().Rotate(fore.Translation.Sub(upper.Translation).Cross(hand.Translation.Sub(fore.Translation))).X; bend < -1e-6 {
				t.Fatalf("%+v: the %selbow bends backwards by %.4f", p, side, bend)
			}
		}
	}
}

// The right hand's −Y, along which it holds a weapon, is where the view looks to.
func TestTheWeaponPointsWhereTheViewDoes(t *testing.T) {
	_, r := built(t)
	for _, c := range []struct {
		what string
		p    rig.Posture
		most float64 // degrees
	}{
		{"standing", rig.Posture{}, 1},
		{"running", rig.Posture{Forward: 6, StrideDistance: 0.5}, 12},
		{"going aside", rig.Posture{Right: -6, StrideDistance: 1}, 12},
		{"crouched", rig.Posture{Crouch: 1}, 12},
		{"falling", rig.Posture{Air: 1, Up: -4}, 12},
	} {
		for _, pitch := range []float64{-1.4, -0.7, 0, 0.7, 1.4} {
			c.p.Pitch = pitch
			points := place(t, r, c.p, "right_hand").Rotation.Rotate(geom.V(0, -1, 0))
			off := math.Acos(min(1, points.Dot(geom.Look(0, pitch)))) * 180 / math.Pi
			t.Logf("%s, pitch %+.1f: %.1f° off", c.what, pitch, off)
			if off > c.most {
				t.Errorf("%s, looking up by %.1f rad: the weapon points along %v, %.1f° off the view; want %g° at most", c.what, pitch, points, off, c.most)
			}
		}
	}
}

// The left side is the right side's mirror half a cycle later, as far as which foot is ahead.
func TestLegsGoWhereTheBodyGoes(t *testing.T) {
	_, r := built(t)
	const stride = rig.StrideWrap / 28.0
	for _, c := range []struct {
		what   string
		p      rig.Posture
		toward geom.Vec3 // where the left foot is carried while it carries the body
	}{
		{"ahead", rig.Posture{Forward: 6}, geom.V(0, 0, 1)},
		{"back", rig.Posture{Forward: -6}, geom.V(0, 0, -1)},
		{"to the right", rig.Posture{Right: 6}, geom.V(-1, 0, 0)},
		{"to the left", rig.Posture{Right: -6}, geom.V(1, 0, 0)},
		{"ahead to the right", rig.Posture{Forward: 4.3, Right: 4.3}, geom.V(-0.7, 0, 0.7)},
		{"back to the right", rig.Posture{Forward: -4.3, Right: 4.3}, geom.V(-0.7, 0, -0.7)},
		{"creeping ahead", rig.Posture{Forward: 3, Crouch: 1}, geom.V(0, 0, 1)},
	} {
		cycle := stride
		if c.p.Crouch == 1 {
			cycle = rig.StrideWrap / 48.0
		}
		c.p.StrideDistance = 0.20 * cycle
		before := place(t, r, c.p, "left_foot").Translation
		c.p.StrideDistance = 0.30 * cycle
		way := place(t, r, c.p, "left_foot").Translation.Sub(before)
		if along := way.Unit().Dot(c.toward.Unit()); along < 0.9 {
			t.Errorf("%s: the left foot, which is on the ground, goes along %v, want %v", c.what, way, c.toward)
		}
	}
}
