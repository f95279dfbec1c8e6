package rewind

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/golden"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// cast shoots into a scene of these targets, head first.
func cast(w *collide.WorldAt, targets []track.Entity, from, dir geom.Vec3, reach float64) Outcome {
	s := NewScene(nil)
	s.Set(*w, targets)
	return s.Ray(from, dir, reach, HeadFirst)
}

var (
	east = geom.V(1, 0, 0)
	eye  = geom.V(0, 1.52, 0)
)

// walls returns a world of boxes 2 m thick in x, as tall and wide as anything,
// whose near faces are at these x.
func walls(at ...float64) *collide.WorldAt {
	var b collide.Builder
	b.Box(geom.V(0, -20, 0), geom.V(500, 1, 500), geom.IdentityQuat, collide.Surface{})
	for _, x := range at {
		b.Box(geom.V(x+1, 0, 0), geom.V(1, 10, 10), geom.IdentityQuat, collide.Surface{})
	}
	w := b.MustBake()
	return &collide.WorldAt{World: w}
}

// stand returns a target with its feet at (x, 0, z).
func stand(id track.ID, x, z float64) track.Entity {
	return track.Entity{ID: id, Sample: track.Sample{Pose: track.Pose{Position: geom.V(x, 0, z)}, GameData: track.GameData{Life: uint8(id)}}}
}

// HIS-02, GAP-52: what can be hit follows the stance. [HIS-03]
func TestHitboxesFollowTheStance(t *testing.T) {
	for _, c := range []struct {
		crouched bool
		heights  map[float64]rig.HitGroup // of a level shot at 10 m
	}{
		{false, map[float64]rig.HitGroup{-.01: rig.NoHitGroup, .01: rig.Body, 1.0: rig.Body, 1.44: rig.Body, 1.47: rig.Head, 1.6: rig.Head, 1.73: rig.Head, 1.75: rig.NoHitGroup}},
		{true, map[float64]rig.HitGroup{-.01: rig.NoHitGroup, .01: rig.Body, .5: rig.Body, .53: rig.Head, .66: rig.Head, .79: rig.Head, .81: rig.NoHitGroup, 1.6: rig.NoHitGroup}},
	} {
		for h, want := range c.heights {
			target := stand(1, 10, 0)
			target.Crouched = c.crouched
			o := cast(walls(), []track.Entity{target}, geom.V(0, h, 0), east, 100)
			if o.HitGroup != want || (o.Kind == Player) != (want != rig.NoHitGroup) {
				t.Errorf("crouched %v, shot at %v m: got group %d want %d", c.crouched, h, o.HitGroup, want)
			}
		}
	}
}

// HIT-06, GAP-53: a ray through head and chest counts for the head, with the
// head's distance; through the chest alone for the body.
func TestHeadFirst(t *testing.T) {
	target := []track.Entity{stand(1, 10, 0)}
	head := geom.V(10, 1.6, 0)
	from := geom.V(9.2, 0, 0) // below: through the chest up into the head
	dir := head.Sub(from).Unit()
	o := cast(walls(), target, from, dir, 100)
	if want := head.Dist(from) - .14; o.HitGroup != rig.Head || math.Abs(o.Distance-want) > 1e-12 {
		t.Errorf("from below: group %d at %v m, want the head at %v", o.HitGroup, o.Distance, want)
	}
	o = cast(walls(), target, geom.V(0, 1, 0), east, 100)
	if o.HitGroup != rig.Body || math.Abs(o.Distance-9.66) > 1e-12 || o.Point.Dist(geom.V(9.66, 1, 0)) > 1e-12 || o.Life != 1 {
		t.Errorf("level: %+v, want the body at 9.66 m", o)
	}
	if o = cast(walls(), target, geom.V(0, 3, 0), east, 100); o.HitTarget != (HitTarget{}) || o.Distance != 100 {
		t.Errorf("over the head: %+v, want nothing at 100 m", o)
	}
}

// HIT-07, HIT-08: a wall in front stops the shot, one behind does not; the miss
// still has its point. A wall between chest and head leaves the chest. [HIT-04]
func TestTheWorldCovers(t *testing.T) {
	target := []track.Entity{stand(1, 10, 0)}
	if o := cast(walls(9), target, eye, east, 100); o.Kind != World || math.Abs(o.Distance-9) > 1e-6 || o.Point.Dist(geom.V(9, 1.52, 0)) > 1e-6 {
		t.Errorf("wall in front: %+v", o)
	}
	if o := cast(walls(12), target, eye, east, 100); o.Kind != Player {
		t.Errorf("wall behind: %+v", o)
	}
	from := geom.V(9, 0, 0)
	dir := geom.V(10, 1.6, 0).Sub(from).Unit()
	if o := cast(walls(), target, from, dir, 100); o.HitGroup != rig.Head {
		t.Fatalf("no wall: %+v", o)
	}
	if o := cast(walls(9.8), target, from, dir, 100); o.HitGroup != rig.Body {
		t.Errorf("wall between chest and head: %+v, want the chest", o)
	}
}

// GAP-44: of several targets the nearest is hit, whatever their order; bystanders are in the way
// where they were drawn, like the target.
func TestTheNearestIsHit(t *testing.T) {
	near, far, aside := stand(3, 10, .1), stand(1, 20, 0), stand(2, 5, 3)
	for _, list := range [][]track.Entity{{far, aside, near}, {near, far, aside}, {aside, near, far}} {
		if o := cast(walls(), list, eye, east, 100); o.Target != 3 {
			t.Errorf("got %d, want 3", o.Target)
		}
	}
}

// GAP-50: the dead of that moment are not hit, and hide nobody.
func TestTheDeadAreNotHit(t *testing.T) {
	corpse := stand(1, 5, 0)
	corpse.Dead = true
	if o := cast(walls(), []track.Entity{corpse, stand(2, 9, 0)}, eye, east, 100); o.Target != 2 {
		t.Errorf("got %+v, want 2 behind the corpse", o)
	}
}

// The weapon's reach ends the shot, to the millimetre; a shooter who stands in
// the target hits at distance 0. [HIT-05]
func TestReachAndTouch(t *testing.T) {
	target := []track.Entity{stand(1, 10, 0)}
	level := geom.V(0, 1, 0)
	for reach, want := range map[float64]HitKind{9.661: Player, 9.66: Nothing, 9.659: Nothing} {
		if o := cast(walls(), target, level, east, reach); o.Kind != want {
			t.Errorf("reach %v: got %+v want kind %d", reach, o, want)
		}
	}
	if o := cast(walls(), target, geom.V(10.1, 1, 0), east, 100); o.Kind != Player || o.Distance != 0 {
		t.Errorf("from inside: %+v, want distance 0", o)
	}
	if o := cast(walls(), target, geom.V(11, 1, 0), east, 100); o.Kind != Nothing {
		t.Errorf("facing away: %+v", o)
	}
}

// capsuleGap is how far p is outside the capsule.
func capsuleGap(p geom.Vec3, c geom.Capsule) float64 {
	axis := c.B.Sub(c.A)
	t := 0.0
	if l := axis.LenSq(); l > 0 {
		t = geom.Clamp(p.Sub(c.A).Dot(axis)/l, 0, 1)
	}
	return p.Dist(c.A.MulAdd(axis, t)) - c.Radius
}

// firstTouch finds where along o + d·t a gap becomes zero, up to reach metres, without knowing geometry:
// the gap is convex along the line, so a ternary search finds the least gap and bisection the place.
func firstTouch(gap func(p geom.Vec3) float64, o, d geom.Vec3, reach float64) (first, least float64) {
	lo, hi := 0.0, reach
	for range 200 {
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if gap(o.MulAdd(d, a)) <= gap(o.MulAdd(d, b)) {
			hi = b
		} else {
			lo = a
		}
	}
	bottom := (lo + hi) / 2
	least = gap(o.MulAdd(d, bottom))
	if gap(o) <= 0 {
		return 0, least
	}
	lo, hi = 0, bottom
	for range 100 {
		if m := (lo + hi) / 2; gap(o.MulAdd(d, m)) > 0 {
			lo = m
		} else {
			hi = m
		}
	}
	return hi, least
}

// Rays at capsules of every slant and at balls, from far, near and inside, along
// the axis and across it, against a search that knows no geometry: the same
// entry within 1e-6 m. [HIT-06]
func TestRaysAgainstASearch(t *testing.T) {
	const seed = 41
	r := rand.New(rand.NewPCG(seed, 0))
	point := func(size float64) geom.Vec3 {
		return geom.V(r.Float64()*2-1, r.Float64()*2-1, r.Float64()*2-1).Mul(size)
	}
	hits := 0
	for i := range 20000 {
		c := geom.Capsule{A: point(2), Radius: .1 + r.Float64()}
		c.B = c.A.Add(point(1.5))
		switch i % 5 {
		case 0:
			c.B = c.A.Add(geom.V(0, r.Float64()*2, 0))
		case 1:
			c.B = c.A
		}
		o := point([]float64{1, 4, 60}[i%3])
		d := c.A.Lerp(c.B, r.Float64()).Add(point(1.2 * c.Radius)).Sub(o).Unit()
		if i%7 == 0 && c.A != c.B {
			d = c.B.Sub(c.A).Unit() // straight along the axis
			if i%2 == 0 {
				d = d.Neg()
			}
			o = c.A.MulAdd(d, -5*r.Float64()).Add(point(c.Radius))
		}
		want, least := firstTouch(func(p geom.Vec3) float64 { return capsuleGap(p, c) }, o, d, 200)
		got, ok := rayCapsule(o, d, c)
		if math.Abs(least) < 1e-7 {
			continue // grazing: either answer will do
		}
		if ok != (least < 0) || ok && math.Abs(got-want) > 1e-6 {
			t.Fatalf("seed %d, %d: ray %v %v at %+v: got %v %v, want %v (gap %v)", seed, i, o, d, c, got, ok, want, least)
		}
		if ok {
			hits++
		}
		if c.A == c.B {
			if s, sok := raySphere(o, d, c.A, c.Radius); s != got || sok != ok {
				t.Fatalf("seed %d, %d: ball %v %v, capsule of no length %v %v", seed, i, s, sok, got, ok)
			}
		}
	}
	t.Logf("%d of 20000 hit", hits)
}

// crowd returns n standing targets about the arena.
func crowd(n int, r *rand.Rand) []track.Entity {
	list := make([]track.Entity, n)
	for i := range list {
		list[i] = stand(track.ID(i+1), 5+float64(r.Float64()*40), float64(r.Float64()*20)-10)
		list[i].Crouched = r.IntN(3) == 0
	}
	return list
}

// One golden hash of 5,000 casts: on every processor and in the browser the same
// bits. A change of it changes what shots hit.
func TestGoldenCasts(t *testing.T) {
	r := rand.New(rand.NewPCG(77, 0))
	w := walls(30)
	h := fnv.New64a()
	var counts [3]int
	for range 5000 {
		list := crowd(12, r)
		o := cast(w, list, eye, geom.Look(r.Float64()-2.07, float64(r.Float64()*.3)-.2), 100)
		counts[o.Kind]++
		var b [40]byte
		b[0], b[1], b[2], b[3] = byte(o.Kind), byte(o.Target), byte(o.HitGroup), o.Life
		for i, x := range []float64{o.Distance, o.Point.X, o.Point.Y, o.Point.Z} {
			binary.LittleEndian.PutUint64(b[8+8*i:], math.Float64bits(x))
		}
		h.Write(b[:])
	}
	got := fmt.Sprintf("nothing %d, world %d, player %d, hash %016x\n", counts[0], counts[1], counts[2], h.Sum64())
	golden.Check(t, "testdata/casts.txt", got)
}

// The bounds test is never wrong: a target that the hitboxes say is hit passes it.
func TestTheBoundsTestIsNeverWrong(t *testing.T) {
	const seed = 13
	r := rand.New(rand.NewPCG(seed, 0))
	met, s := 0, NewScene(nil)
	for range 200000 {
		target := stand(1, r.Float64()*3+.5, r.Float64()-.5)
		target.Crouched = r.IntN(2) == 0
		if r.IntN(3) == 0 {
			target.Position = target.Position.Mul(100)
		}
		dir := target.Position.Add(geom.V(r.Float64()-.5, r.Float64()*2, r.Float64()-.5)).Sub(eye).Unit()
		list := []track.Entity{target}
		s.Set(collide.WorldAt{}, list)
		q := newQuery(eye, dir, 400, float64(r.Float64()*.1))
		s.rig(0)
		if s.pose(0).cast(&q, q.reach).hitbox != 0 {
			met++
			if !s.reaches(0, &q, q.reach) {
				t.Fatalf("seed %d: %v along %v is hit and ruled out", seed, target.Position, dir)
			}
		}
	}
	t.Logf("%d hit", met)
}

// BAS-05: a character that stands on a wall is hit where the body is, along Up, and not where it
// would be upright; the head is at the far end.
func TestHitboxesFollowUp(t *testing.T) {
	target := stand(1, 10, 0)
	target.Position = geom.V(10, 3, 0)
	target.Up = geom.V(0, 0, 1)
	for z, want := range map[float64]rig.HitGroup{-.1: rig.NoHitGroup, .5: rig.Body, 1.4: rig.Body, 1.65: rig.Head, 1.8: rig.NoHitGroup} {
		if o := cast(walls(), []track.Entity{target}, geom.V(0, 3, z), east, 100); o.HitGroup != want {
			t.Errorf("shot %v m along Up: got group %d want %d", z, o.HitGroup, want)
		}
	}
	if o := cast(walls(), []track.Entity{target}, geom.V(0, 4, 0), east, 100); o.HitGroup != rig.NoHitGroup {
		t.Errorf("shot a metre above: got group %d", o.HitGroup)
	}
}
