package rewind

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// scrum is some dummies close to each other, on slopes too, some with shields.
func scrum(r *rand.Rand) []track.Entity {
	var list []track.Entity
	for id := range track.ID(1 + r.IntN(5)) {
		e := facing(id+1, r.Float64()*4-2, r.Float64()*4-2, r.Float64()*6, r.IntN(3) == 0)
		if r.IntN(3) == 0 {
			e.Up = geom.V(r.Float64()-.5, 1, r.Float64()-.5).Unit()
		}
		e.Dead = r.IntN(8) == 0
		list = append(list, e)
	}
	return list
}

// solidHit is a solid of a target that a shot touches, and how far away.
type solidHit struct {
	id     track.ID
	hitbox rig.HitboxID
	group  rig.HitGroup
	far    float64
}

// touched returns all solids of the living that a shot touches within its reach, each tested by itself in a
// scene of that target alone.
func touched(holders Holders, list []track.Entity, from, dir geom.Vec3, reach, radius float64) []solidHit {
	var all []solidHit
	for _, e := range list {
		s := NewScene(holders)
		s.Set(collide.WorldAt{}, []track.Entity{e})
		f, pose, _ := s.PosedRig(e.ID)
		for k := range f.Count {
			back := pose.Rotation.Inverse()
			x, ok := castSolid(back.Rotate(from.Sub(pose.Translation)), back.Rotate(dir), &f.Solids[k], radius)
			if ok && x < reach && !e.Dead {
				all = append(all, solidHit{e.ID, f.Hitboxes[k], holders.HitGroup(f.Hitboxes[k]), x})
			}
		}
	}
	return all
}

// Many shots into one scene each hit what the list of all solids that they touch says: the nearest, or with
// HeadFirst the nearest head of that target, if no shield of anybody comes before that. A scene poses its
// targets as they are needed and keeps them: the order of the shots changes nothing. [HIT-06, GAP-53]
func TestShotsAgainstEverySolid(t *testing.T) {
	const seed = 55
	r := rand.New(rand.NewPCG(seed, 0))
	heads, shields, parts := 0, 0, 0
	holders := Holders{Dummy(t)}
	for i := range 200 {
		list := scrum(r)
		s := NewScene(holders)
		s.Set(collide.WorldAt{}, list)
		hit := make(map[track.ID]bool)
		for range 12 {
			from := geom.V(r.Float64()*8-4, r.Float64()*3, r.Float64()*8-4)
			at := list[r.IntN(len(list))]
			dir := at.Position.MulAdd(at.UpVector(), r.Float64()*1.8).Sub(from).Add(geom.V(r.Float64()-.5, 0, r.Float64()-.5).Mul(.5)).Unit()
			reach, radius, policy := 2+r.Float64()*8, r.Float64()*.4*float64(r.IntN(2)), Policy(r.IntN(2))
			all := touched(holders, list, from, dir, reach, radius)
			want, shield := solidHit{far: reach}, reach
			for _, h := range all {
				if h.far < want.far {
					want = h
				}
				if h.group == rig.Shield {
					shield = min(shield, h.far)
				}
			}
			head := solidHit{far: reach}
			for _, h := range all {
				if h.group == rig.Head && h.id == want.id && h.far < head.far {
					head = h
				}
			}
			if policy == HeadFirst && head.far < shield && want.group != rig.Shield {
				want = head
				heads++
			}
			o := s.Sphere(from, dir, reach, radius, policy)
			if o.Target != want.id || o.Hitbox != want.hitbox || o.HitGroup != want.group || math.Abs(o.Distance-want.far) > 1e-9 || (o.Kind == Player) != (want.id != 0) {
				t.Fatalf("seed %d, scene %d: got %+v, want %+v of %+v", seed, i, o, want, all)
			}
			if want.id != 0 {
				hit[want.id] = true
			}
			if want.group == rig.Shield {
				shields++
			} else if want.id != 0 {
				parts++
			}
		}
		last := track.ID(0)
		for _, e := range s.Targets() {
			if delete(hit, e.ID); e.ID <= last || e.Dead || e != list[e.ID-1] {
				t.Fatalf("seed %d, scene %d: target %+v after %d", seed, i, e, last)
			}
			last = e.ID
		}
		if len(hit) > 0 {
			t.Fatalf("seed %d, scene %d: %v were hit and are no targets: %+v", seed, i, hit, s.Targets())
		}
	}
	if heads < 20 || shields < 20 || parts < 100 {
		t.Errorf("%d heads, %d shields, %d parts: too few to say anything", heads, shields, parts)
	}
}

// In the open a blast reaches everybody of whom a part is within its radius, the edge included, in the part
// that is nearest to its centre, at the point of that part that is nearest. [GAP-45, HIT-09]
func TestBlastsAgainstEverySolid(t *testing.T) {
	const seed = 56
	r := rand.New(rand.NewPCG(seed, 0))
	reached, missed := 0, 0
	holders := Holders{Dummy(t)}
	for i := range 300 {
		list := scrum(r)
		for k := range list {
			list[k].UserData = 0 // nobody has cover
		}
		centre, radius := geom.V(r.Float64()*8-4, r.Float64()*3, r.Float64()*8-4), r.Float64()*4
		s := NewScene(holders)
		s.Set(collide.WorldAt{}, list)
		// nearest returns the nearest part of a target by its solids in the world.
		nearest := func(id track.ID) (part rig.HitboxID, d float64) {
			d = math.Inf(1)
			f, pose, _ := s.PosedRig(id)
			for k := range f.Count {
				p := pose.ApplyInverse(centre)
				if _, x := nearestOf(&f.Solids[k], p); x < d {
					part, d = f.Hitboxes[k], x
				}
			}
			return part, d
		}
		if i%3 == 0 && !list[0].Dead { // exactly as far as the first
			_, radius = nearest(1)
			radius = max(radius-edgeTolerance/2, 0) // by rounding
		}
		got := s.Blast(centre, radius, 0, nil)
		for _, e := range list {
			part, d := nearest(e.ID)
			if e.Dead || d > radius+edgeTolerance {
				missed++
				continue
			}
			reached++
			if len(got) == 0 || got[0].Target != e.ID || got[0].Hitbox != part || math.Abs(got[0].Distance-d) > 1e-12 || math.Abs(got[0].Point.Dist(centre)-d) > 1e-9 {
				t.Fatalf("seed %d, case %d: got %+v, want target %d in part %d, %v m away", seed, i, got, e.ID, part, d)
			}
			got = got[1:]
		}
		if len(got) != 0 {
			t.Fatalf("seed %d, case %d: more than is within %v: %+v", seed, i, radius, got)
		}
	}
	if reached < 100 || missed < 100 {
		t.Errorf("%d reached, %d not: too few to say anything", reached, missed)
	}
}

// A blast that cannot reach the nearest part of a body reaches its trunk through a gap, or its head over a
// wall; of the level nothing counts that is nearer to the centre than it ignores. [GAP-48]
func TestBlastsPastCover(t *testing.T) {
	// wall is a wall at x 0.9 … 1 with a gap between two heights.
	wall := func(low, high float64) collide.WorldAt {
		var b collide.Builder
		for _, y := range [2][2]float64{{-5, low}, {high, 9}} {
			b.Box(geom.V(.95, (y[0]+y[1])/2, 0), geom.V(.05, (y[1]-y[0])/2, 9), geom.IdentityQuat, collide.Surface{})
		}
		return collide.WorldAt{World: b.MustBake()}
	}
	for _, c := range []struct {
		what           string
		low, high      float64
		centre         geom.Vec3
		radius, ignore float64
		want           rig.HitGroup
		none           bool
	}{
		{"over the wall to the head", 1.4, 8, geom.V(0, 1, 0), 4, 0, rig.Head, false},
		{"which is too far", 1.4, 8, geom.V(0, 1, 0), 1.3, 0, 0, true},
		{"through a gap to the trunk", .6, .9, geom.V(0, .2, 0), 4, 0, rig.Body, false},
		{"no gap", 1, 1, geom.V(0, 1, 0), 4, 0, 0, true},
		{"no gap, and the wall is ignored", 1, 1, geom.V(0, 1, 0), 4, 1.1, rig.Body, false},
		{"no gap, and the way to the wall is ignored", 1, 1, geom.V(0, 1, 0), 4, .85, 0, true},
		{"no gap, and all of the way is ignored", 1, 1, geom.V(0, 1, 0), 4, 9, rig.Body, false},
		{"a negative way is none", 1, 1, geom.V(0, 1, 0), 4, -9, 0, true},
	} {
		s := NewScene(Holders{Dummy(t)})
		s.Set(wall(c.low, c.high), []track.Entity{facing(1, 1.4, 0, west, false)})
		got := s.Blast(c.centre, c.radius, c.ignore, nil)
		if c.none != (len(got) == 0) || !c.none && got[0].HitGroup != c.want {
			t.Errorf("%s: got %+v, want group %v, nothing %v", c.what, got, c.want, c.none)
		}
	}
}

// Bodies that are Present stop rays and balls where they are now, turned as they are now, and the surface to
// bounce off is theirs: as in the world of now. A line of sight leaves that surface as it was. What the caller
// excludes stays out, and the caller's set as it was. [GAP-46]
func TestPresentMoversAgainstTheWorldOfNow(t *testing.T) {
	const seed = 57
	r := rand.New(rand.NewPCG(seed, 0))
	var b collide.Builder
	b.Box(geom.V(0, -3, 0), geom.V(9, 1, 9), geom.IdentityQuat, collide.Surface{})
	for k, x := range []float64{-2, 0, 2} {
		b.Mover(string(rune('a'+k)), collide.Path{Keys: []collide.Key{{Position: geom.V(x, 0, 0)}, {At: 4 * clock.Second, Position: geom.V(x, 1, 2), Angle: 3}}}, func(b *collide.Builder) {
			b.Box(geom.V(.3, 0, 0), geom.V(.8, .5, .2), geom.IdentityQuat, collide.Surface{})
		})
	}
	w := b.MustBake()
	const now = 3 * clock.Second
	var out collide.MoverSet
	out.Add(3)
	s := NewScene(nil)
	s.Blockers.Rules = []Blocker{Present, Present, Present}
	s.set(collide.WorldAt{World: w, At: clock.Second, Exclude: &out}, now, nil)
	if out.Has(1) || !out.Has(3) {
		t.Errorf("the caller's set is %v", out)
	}
	present := collide.WorldAt{World: w, At: now, Exclude: &out}
	var counts [4]int
	for i := range 2000 {
		from := geom.V(r.Float64()*8-4, r.Float64()*4-2, r.Float64()*8-4)
		dir, radius := geom.V(r.Float64()*4-2, r.Float64(), r.Float64()*2).Sub(from).Unit(), .3*float64(i%2)
		want, hit := present.Ray(from, dir.Mul(9))
		if radius > 0 {
			want, hit = present.SweepSphere(geom.Sphere{Centre: from, Radius: radius}, dir.Mul(9))
		}
		o := s.Sphere(from, dir, 9, radius, NearestHitbox)
		s.LineOfSight(geom.V(0, 9, 0), geom.V(0, -9, 0)) // which hits the ground
		if got := *s.Surface(); (o.Kind == World) != hit || hit && (math.Abs(o.Distance-9*want.Fraction) > 1e-6 || got.Mover != want.Mover ||
			got.Point.Dist(want.Point) > 1e-6 || got.Normal.Dist(want.Normal) > 1e-6 || got.FaceNormal.Dist(want.FaceNormal) > 1e-6) {
			t.Fatalf("seed %d, case %d: got %+v %+v, want %v %+v", seed, i, o, got, hit, want)
		}
		if hit {
			counts[want.Mover]++
		}
	}
	if counts[0] < 50 || counts[1] < 50 || counts[2] < 50 || counts[3] > 0 {
		t.Errorf("hits of the ground, two bodies and the one that is left out: %v", counts)
	}
}

// Of every kind of entities, up to the last, a shot hits those that the provider says and no others.
func TestKindsThatCanBeHit(t *testing.T) {
	for _, kind := range []track.Kind{1, 63, 64, 127, 128, 192, 255} {
		s := NewScene(&Upright{Rig: rig.DefaultRig(), Kinds: func(k track.Kind) bool { return k == kind }})
		h := NewHistory(60, 0)
		one, other := stand(1, 5, 0), stand(2, 3, 0)
		one.Kind, other.Kind = kind, kind^64
		if other.Kind == 0 {
			other.Kind = 2
		}
		f := h.Record(1, 0)
		f.Add(1, one.Sample)
		f.Add(2, other.Sample)
		h.Record(2, clock.Second/60)
		for rebuilt := range 2 {
			if s.Set(collide.WorldAt{}, []track.Entity{one, other}); rebuilt == 1 {
				if err := h.Rebuild(s, track.View{At: 1, Seen: track.Received{Newest: 1, Mask: 1}}, nil, nil, 0); err != nil {
					t.Fatal(err)
				}
			}
			if o := s.Ray(geom.V(0, 1, 0), geom.V(1, 0, 0), 10, NearestHitbox); o.Target != 1 {
				t.Errorf("kind %d before %d, rebuilt %d: hit %+v, want target 1", other.Kind, kind, rebuilt, o)
			}
		}
		again := stand(3, 7, 0) // a scene that was a view's is set like any other
		again.Kind = kind
		s.Set(collide.WorldAt{}, []track.Entity{stand(2, 50, 0), again})
		if o := s.Ray(geom.V(0, 1, 0), geom.V(1, 0, 0), 10, NearestHitbox); o.Target != 3 {
			t.Errorf("set after it was rebuilt: hit %+v, want target 3", o)
		}
	}
}

// larger is a provider that says less than its rig needs.
type larger struct {
	Holders
	side, top float64
}

func (l larger) MaxBounds() (side, top float64) { return l.side, l.top }

// A game whose rig is larger than it says learns that at the first shot near one.
func TestRigsThatAreTooLarge(t *testing.T) {
	r := Dummy(t)
	height, radius := r.Bounds()
	for _, c := range []struct {
		side, top float64
		want      bool
	}{{radius, height + radius, false}, {radius - .01, height + radius, true}, {radius, height + radius - .01, true}} {
		func() {
			defer func() {
				if s, _ := recover().(string); strings.Contains(s, "larger than HitboxProvider.MaxBounds") != c.want {
					t.Errorf("bounds %v and %v: panic %q, want one: %v", c.side, c.top, s, c.want)
				}
			}()
			s := NewScene(larger{Holders{r}, c.side, c.top})
			s.Set(collide.WorldAt{}, []track.Entity{stand(1, 5, 0)})
			s.Ray(geom.V(0, 1, 0), geom.V(1, 0, 0), 10, NearestHitbox)
		}()
	}
}

// The posture of a character is its velocity over what it stands on, seen from where it looks, whichever way
// is up; a clip plays since it began.
func TestPostureOfASample(t *testing.T) {
	train := geom.V(0, 0, 30)
	for _, c := range []struct {
		what string
		s    track.Sample
		want rig.Posture
	}{
		{"ahead", track.Sample{Pose: track.Pose{Velocity: geom.V(0, 0, -5)}}, rig.Posture{Forward: 5}},
		{"to the east, looking east", track.Sample{Pose: track.Pose{Velocity: geom.V(4, 1, 0), Yaw: -math.Pi / 2}}, rig.Posture{Forward: 4, Up: 1}},
		{"to the east, looking north", track.Sample{Pose: track.Pose{Velocity: geom.V(4, 0, 0)}}, rig.Posture{Right: 4}},
		{"standing on a train", track.Sample{Pose: track.Pose{Velocity: train}, BaseLink: track.BaseLink{BaseVelocity: train}}, rig.Posture{}},
		{"up a wall", track.Sample{Pose: track.Pose{Velocity: geom.V(3, 0, 0), Up: geom.V(1, 0, 0)}}, rig.Posture{Up: 3}},
		{"a clip", track.Sample{At: 900, GameData: track.GameData{Clip: 3, ClipAt: 400}}, rig.Posture{Clip: 3, ClipTime: 500}},
		{"no clip", track.Sample{At: 900}, rig.Posture{}},
	} {
		var got rig.Posture
		PostureOf(&c.s, &got)
		if d := geom.V(got.Right, got.Up, got.Forward).Dist(geom.V(c.want.Right, c.want.Up, c.want.Forward)); !(d < 1e-9) || got.Clip != c.want.Clip || got.ClipTime != c.want.ClipTime {
			t.Errorf("%s: got %+v, want %+v", c.what, got, c.want)
		}
	}
}
