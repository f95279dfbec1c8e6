package rewind

import (
	"math"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// facing returns a target at (x, 0, z) that faces −Z turned by yaw, with a shield or without.
func facing(id track.ID, x, z, yaw float64, shield bool) track.Entity {
	e := stand(id, x, z)
	e.Yaw = yaw
	if shield {
		e.UserData = 1
	}
	return e
}

const (
	west = math.Pi / 2 // the yaw of a character that faces −X: the shooter in the origin
	away = -math.Pi / 2
)

// A shield that is hit first stops the shot, whichever policy looks for the head; it covers
// nothing from the other side, and bystanders' shields cover the targets behind them (GAP-53).
// [HIT-06]
func TestShields(t *testing.T) {
	holder, bare := facing(1, 10, 0, west, true), facing(1, 10, 0, west, false)
	turned := facing(1, 10, 0, away, true)
	guard := facing(2, 8, 0, west, true)
	for _, c := range []struct {
		what   string
		list   []track.Entity
		from   geom.Vec3
		at     geom.Vec3
		policy Policy
		target track.ID
		group  rig.HitGroup
	}{
		{"no shield, at the chest", []track.Entity{bare}, geom.V(0, 1.2, 0), geom.V(10, 1.2, 0), HeadFirst, 1, rig.Body},
		{"shield, at the chest", []track.Entity{holder}, geom.V(0, 1.2, 0), geom.V(10, 1.2, 0), HeadFirst, 1, rig.Shield},
		{"shield, at the legs below it", []track.Entity{holder}, geom.V(0, .4, .12), geom.V(10, .4, .12), NearestHitbox, 1, rig.Leg},
		{"shield, at the head above it", []track.Entity{holder}, geom.V(0, 1.7, 0), geom.V(10, 1.7, 0), HeadFirst, 1, rig.Head},
		{"from behind the holder", []track.Entity{turned}, geom.V(0, 1.2, 0), geom.V(10, 1.2, 0), HeadFirst, 1, rig.Body},
		{"through the shield up to the head", []track.Entity{holder}, geom.V(9.3, .3, 0), geom.V(10, 1.66, 0), HeadFirst, 1, rig.Shield},
		{"the same without the shield", []track.Entity{bare}, geom.V(9.3, .3, 0), geom.V(10, 1.66, 0), HeadFirst, 1, rig.Head},
		{"the same for the nearest part", []track.Entity{bare}, geom.V(9.3, .3, 0), geom.V(10, 1.66, 0), NearestHitbox, 1, rig.Body},
		{"a bystander's shield", []track.Entity{bare, guard}, geom.V(0, 1.2, 0), geom.V(10, 1.2, 0), HeadFirst, 2, rig.Shield},
		{"beside the bystander's shield", []track.Entity{bare, guard}, geom.V(0, 1.2, 2), geom.V(10, 1.2, .1), HeadFirst, 1, rig.Body},
		{"from behind: out of the chest, and the shield is met after", []track.Entity{turned}, geom.V(9.3, .3, 0), geom.V(10, 1.66, 0), HeadFirst, 1, rig.Head},
	} {
		s := NewScene(Holders{Dummy(t)})
		s.Set(*walls(30), c.list)
		o := s.Ray(c.from, c.at.Sub(c.from).Unit(), 20, c.policy)
		if o.Target != c.target || o.HitGroup != c.group {
			t.Errorf("%s: hit %+v, want target %d, %v", c.what, o, c.target, c.group)
		}
	}
}

// A bystander's shield between a target's chest and head: the chest counts, because HeadFirst
// does not look through a shield for the head. [GAP-53]
func TestHeadFirstDoesNotLookThroughAShield(t *testing.T) {
	target := facing(1, 10, 0, west, false)
	from, head := geom.V(9.3, .3, 0), geom.V(10, 1.66, 0)
	s := NewScene(Holders{Dummy(t)})
	s.Set(*walls(30), []track.Entity{target})
	open := s.Ray(from, head.Sub(from).Unit(), 20, HeadFirst)
	near := s.Ray(from, head.Sub(from).Unit(), 20, NearestHitbox)
	// The shield of one that stands beyond and faces us is 0.45 m before their middle.
	x := (near.Point.X + open.Point.X) / 2
	guard := facing(2, x+.45, 0, west, true)
	s.Set(*walls(30), []track.Entity{target, guard})
	o := s.Ray(from, head.Sub(from).Unit(), 20, HeadFirst)
	if open.HitGroup != rig.Head || near.HitGroup != rig.Body || o.Target != 1 || o.HitGroup != rig.Body || o.Distance != near.Distance {
		t.Errorf("open %+v, nearest %+v, with the shield between %+v: want head, body, body", open, near, o)
	}
}

// HIT-13, REW-06, GAP-48: 8 pellets, 3 of which hit the body of A and one the head of B; A is
// listed twice, and each is posed once.
func TestPelletsPoseOnce(t *testing.T) {
	a, b := facing(1, 10, 0, west, false), facing(2, 10, 3, west, false)
	s := NewScene(Holders{Dummy(t)})
	s.Set(*walls(30), []track.Entity{a, a, b})
	counts := map[HitTarget]int{}
	for _, at := range []geom.Vec3{
		{X: 10, Y: 1.2}, {X: 10, Y: 1.3, Z: .1}, {X: 10, Y: .95, Z: .05}, {X: 10, Y: 1.66, Z: 3},
		{X: 10, Y: 1.2, Z: -1}, {X: 10, Y: 2.2}, {X: 10, Y: 1.66, Z: 1.5}, {X: 10, Y: 3, Z: 3},
	} {
		o := s.Ray(eye, at.Sub(eye).Unit(), 25, NearestHitbox)
		o.Hitbox = 0
		counts[o.HitTarget]++
	}
	want := map[HitTarget]int{{Kind: Player, Target: 1, HitGroup: rig.Body}: 3, {Kind: Player, Target: 2, HitGroup: rig.Head}: 1, {}: 4}
	if len(counts) != len(want) || counts[HitTarget{Kind: Player, Target: 1, HitGroup: rig.Body}] != 3 || counts[HitTarget{Kind: Player, Target: 2, HitGroup: rig.Head}] != 1 {
		t.Errorf("got %v, want %v", counts, want)
	}
	if s.used > 3 {
		t.Errorf("%d figures were posed, want one of each in the list", s.used)
	}
}

// ballLooks gives every entity one ball of 10 cm in the middle of its feet.
func ballLooks(t testing.TB) Holders {
	return Holders{bake(t, rig.Hitbox{Name: "ball", HitGroup: rig.Body, Shape: rig.Ball, At: at(0, .1, 0), Radius: .1})}
}

// HIT-09: a blast of 300 cm reaches a ball of 10 cm at 310 cm, where the gap is 300, and not at
// 310.001; an entity that is not in the scene is not reached, nor is the shooter. [GAP-45]
func TestTheEdgeOfABlast(t *testing.T) {
	for _, c := range []struct {
		at   float64
		want bool
	}{{3.1, true}, {3.10001, false}, {3, true}, {0, true}, {3.2, false}} {
		for _, dir := range []geom.Vec3{{X: 1}, {Z: -1}, {X: .6, Z: .8}} {
			p := dir.Mul(c.at)
			s := NewScene(ballLooks(t))
			s.Set(*walls(30), []track.Entity{stand(4, p.X, p.Z)})
			list := s.Blast(geom.V(0, .1, 0), 3, 0, nil)
			if (len(list) == 1) != c.want {
				t.Errorf("at %v m along %v: %+v, want reached %v", c.at, dir, list, c.want)
			}
			if want := max(c.at-.1, 0); len(list) == 1 && (math.Abs(list[0].Distance-want) > 1e-9 || list[0].Target != 4 || list[0].Life != 4 || list[0].HitGroup != rig.Body) {
				t.Errorf("at %v m: %+v, want 4 at %v m", c.at, list[0], want)
			}
		}
	}
}

// GAP-45, GAP-48: every target around once, however often it is listed; not the dead, not a
// target behind a wall, unless the wall is nearer to the centre than is ignored, nor one that
// holds a shield against it; a bystander with a shield covers the target behind it. [REW-06,
// HIT-04, HIT-08, GAP-50]
func TestBlastsAndCover(t *testing.T) {
	corpse := facing(6, -1, 0, 0, false)
	corpse.Dead = true
	near, behind := facing(1, 1.5, 0, west, false), facing(2, 3.5, 0, west, false)
	crouched := facing(3, 0, 2, 0, false)
	centre := geom.V(0, 1.2, 0)
	for _, c := range []struct {
		what   string
		world  *collide.WorldAt
		list   []track.Entity
		centre geom.Vec3
		ignore float64
		want   []track.ID
	}{
		{"in the open", walls(30), []track.Entity{near, near, behind, crouched, corpse}, centre, 0, []track.ID{1, 2, 3}},
		{"a wall between the first and the second", walls(2.2), []track.Entity{near, behind}, centre, 0, []track.ID{1}},
		{"a wall before both", walls(.5), []track.Entity{near, behind}, centre, 0, nil},
		{"in the near side of that wall", walls(-.01), []track.Entity{facing(1, 2.6, 0, west, false), facing(4, -2, 0, 0, false)}, centre, 0, nil},
		{"in it, and it is ignored", walls(-.01), []track.Entity{facing(1, 2.6, 0, west, false), facing(4, -2, 0, 0, false)}, centre, .05, []track.ID{4}},
		{"a shield held against it", walls(30), []track.Entity{facing(1, 2, 0, west, true)}, centre, 0, nil},
		{"a shield turned away", walls(30), []track.Entity{facing(1, 2, 0, away, true)}, centre, 0, []track.ID{1}},
		{"behind a bystander's shield", walls(30), []track.Entity{facing(1, 1, 0, away, true), facing(2, 2.2, 0, west, false)}, centre, 0, []track.ID{1}},
	} {
		s := NewScene(Holders{Dummy(t)})
		s.Set(*c.world, c.list)
		var got []track.ID
		for _, b := range s.Blast(c.centre, 4, c.ignore, nil) {
			got = append(got, b.Target)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: reached %v, want %v", c.what, got, c.want)
		}
	}
}

// A shield in code: it is up while the user data says so, and stops what would hit the body behind it.
func TestARaisedShieldInCode(t *testing.T) {
	r := rig.Rigid(
		rig.Hitbox{Name: "body", HitGroup: rig.Body, Shape: rig.Ball, At: geom.Transform{Translation: geom.V(0, 1, 0)}, Radius: 0.4},
		rig.Hitbox{Name: "shield", HitGroup: rig.Shield, Prop: 1, Shape: rig.Box, At: geom.Transform{Translation: geom.V(0, 1, -0.6)}, Half: geom.V(0.5, 0.5, 0.05)},
	)
	u := Upright{Rig: r, Props: func(s *track.Sample) uint8 { return uint8(s.UserData) }}
	for data, want := range []int{1, 2} {
		var p rig.Posture
		var f rig.PosedRig
		f.Pose(u.Hitboxes(&track.Sample{GameData: track.GameData{UserData: uint16(data)}}, &p), &p)
		if f.Count != want {
			t.Errorf("user data %d: got %d hitboxes, want %d", data, f.Count, want)
		}
	}
}

// The hull of a ship is around its position, or hangs below it, unlike a figure that stands on it: it is hit where it
// is, and nowhere else.
func TestAHullAroundThePosition(t *testing.T) {
	for _, middle := range []float64{0.4, 0, -0.004, -0.3, -2} {
		u := &Upright{Rig: rig.Rigid(rig.Hitbox{Name: "hull", HitGroup: rig.Body, Shape: rig.Ball, At: geom.Transform{Translation: geom.V(0, middle, 0)}, Radius: 0.5})}
		side, top := u.MaxBounds()
		if lowest, highest := 0.5-middle, middle+0.5; side < max(lowest, 0.5) || top < max(highest, 0) {
			t.Errorf("middle at %v: bounds %.2f to the side and below, %.2f above, want at least %.2f and %.2f", middle, side, top, max(lowest, 0.5), max(highest, 0))
		}
		s := NewScene(u)
		s.Set(*walls(30), []track.Entity{stand(1, 10, 0)})
		for _, c := range []struct {
			above float64 // of the middle
			want  track.ID
		}{{0, 1}, {0.49, 1}, {-0.49, 1}, {0.51, 0}, {-0.51, 0}} {
			if o := s.Ray(geom.V(0, middle+c.above, 0), geom.V(1, 0, 0), 20, NearestHitbox); o.Target != c.want {
				t.Errorf("middle at %v, a shot %v m above it: got target %d, want %d", middle, c.above, o.Target, c.want)
			}
		}
	}
}
