package rig_test

import (
	"bytes"
	"math"
	"math/rand"
	"strconv"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
)

// The number of the motion of a random rig, its length, and its keys.
const (
	dance      = 9
	danceTime  = 7 * clock.Second
	danceKeys  = 8 // one a second
	rotateSlop = 2e-4
)

// randomTurn returns a rotation by less than a third of a turn from another one.
func randomTurn(dice *rand.Rand, from geom.Quat) geom.Quat {
	axis := geom.V(dice.NormFloat64(), dice.NormFloat64(), dice.NormFloat64()).Unit()
	return from.Mul(geom.AxisAngle(axis, dice.Float64()*2)).Unit()
}

func randomOffset(dice *rand.Rand, most float64) geom.Vec3 {
	return geom.V(dice.Float64()*2-1, dice.Float64()*2-1, dice.Float64()*2-1).Mul(most)
}

// randomPlan returns a tree of bones with hitboxes of every shape, and one motion of all
// bones, which stays at its end.
func randomPlan(dice *rand.Rand) *rig.Plan {
	p := &rig.Plan{}
	for b := range 1 + dice.Intn(rig.MaxBones) {
		p.Bones = append(p.Bones, rig.Bone{Name: "bone " + strconv.Itoa(b), Parent: int8(dice.Intn(b+1) - 1),
			Rest: geom.Transform{Rotation: randomTurn(dice, geom.IdentityQuat), Translation: randomOffset(dice, 0.4)}})
		if b > 0 && p.Bones[b].Parent < 0 {
			p.Bones[b].Parent = 0
		}
	}
	for v := range 1 + dice.Intn(rig.MaxHitboxes) {
		p.Hitboxes = append(p.Hitboxes, rig.Hitbox{Name: "part " + strconv.Itoa(v), HitGroup: rig.HitGroup(1 + dice.Intn(rig.HitGroups-1)), Bone: uint8(dice.Intn(len(p.Bones))),
			Prop: uint8(dice.Intn(9)), Shape: rig.Shape(dice.Intn(3)), Radius: 0.01 + dice.Float64()*0.3,
			At:   geom.Transform{Rotation: randomTurn(dice, geom.IdentityQuat), Translation: randomOffset(dice, 0.3)},
			Half: geom.V(0.01+dice.Float64(), 0.01+dice.Float64(), 0.01+dice.Float64()).Mul(0.3)})
	}
	c := rig.Clip{Name: "dance", Motion: dance, Duration: danceTime, Hold: true, Bones: 1<<len(p.Bones) - 1, HasTranslation: true}
	p.TranslatedBone = uint8(dice.Intn(len(p.Bones)))
	for range danceKeys {
		k := rig.Key{Translation: randomOffset(dice, 1)}
		for b := range p.Bones {
			k.Rotations[b] = randomTurn(dice, p.Bones[b].Rest.Rotation)
		}
		c.Keys = append(c.Keys, k)
	}
	p.Clips = []rig.Clip{c}
	return p
}

func baked(t testing.TB, p *rig.Plan) *rig.Rig {
	t.Helper()
	r, err := p.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// chained returns a point of a bone in the space of the figure, by going up its parents.
func chained(p *rig.Plan, k *rig.Key, bone int, point geom.Vec3) geom.Vec3 {
	for b := bone; b >= 0; b = int(p.Bones[b].Parent) {
		offset := p.Bones[b].Rest.Translation
		if b == int(p.TranslatedBone) {
			offset = k.Translation
		}
		point = k.Rotations[b].Rotate(point).Add(offset)
	}
	return point
}

// At each key of a motion every bone is where the key's own rotations put it, one parent
// after another, and every hitbox is on its bone.
func TestPosesAgainstForwardKinematics(t *testing.T) {
	const seed = 21
	dice := rand.New(rand.NewSource(seed))
	for i := range 12 {
		p := randomPlan(dice)
		r := baked(t, p)
		height, radius := r.Bounds()
		middle := geom.V(0, height, 0)
		var f rig.PosedRig
		for k := 1; k < danceKeys; k++ {
			f.Pose(r, &rig.Posture{Clip: dance, ClipTime: clock.Micros(k) * clock.Second, Props: 0xFF})
			key := &p.Clips[0].Keys[k]
			for b := range p.Bones {
				for _, point := range []geom.Vec3{{}, {X: 1}, {Y: 1}} {
					want := chained(p, key, b, point)
					// Each joint above adds its rounding, of the length that hangs on it.
					if off := f.Bones[b].Apply(point).Dist(want); off > rotateSlop*float64(len(p.Bones))*(1+want.Len()) {
						t.Fatalf("seed %d, rig %d, key %d: %v of bone %d is at %v, want %v", seed, i, k, point, b, f.Bones[b].Apply(point), want)
					}
				}
			}
			if f.Count != len(p.Hitboxes) {
				t.Fatalf("seed %d, rig %d: %d hitboxes with all props, want %d", seed, i, f.Count, len(p.Hitboxes))
			}
			for n := range f.Count {
				v, s, bone := &r.Hitboxes()[n], &f.Solids[n], f.Bones[p.Hitboxes[n].Bone]
				axis := v.At.Rotation.Rotate(geom.V(0, v.Half.Y, 0))
				a, b := bone.Apply(v.At.Translation), bone.Apply(v.At.Translation)
				if v.Shape == rig.Capsule {
					a, b = bone.Apply(v.At.Translation.Sub(axis)), bone.Apply(v.At.Translation.Add(axis))
				}
				size := s.Radius
				if v.Shape == rig.Box {
					size = s.Half.Len()
				}
				if max(a.Dist(middle), b.Dist(middle))+size > radius {
					continue // at the sphere it is clamped
				}
				if s.A.Dist(a)+s.B.Dist(b) > 1e-9 || s.Shape != v.Shape || f.Hitboxes[n] != rig.HitboxID(n+1) {
					t.Fatalf("seed %d, rig %d, key %d: hitbox %d is from %v to %v, want %v to %v", seed, i, k, n, s.A, s.B, a, b)
				}
			}
		}
	}
}

// Half way between two keys every rotation is half way between theirs, whichever way round
// the file gave them.
func TestBetweenTwoKeys(t *testing.T) {
	const seed = 22
	dice := rand.New(rand.NewSource(seed))
	for i := range 8 {
		p := randomPlan(dice)
		flipped := randomPlan(dice)
		*flipped = *p
		flipped.Clips = []rig.Clip{p.Clips[0]}
		flipped.Clips[0].Keys = append([]rig.Key(nil), p.Clips[0].Keys...)
		for k := range flipped.Clips[0].Keys {
			for b := range p.Bones {
				if q := &flipped.Clips[0].Keys[k].Rotations[b]; dice.Intn(2) == 0 {
					*q = geom.Quat{X: -q.X, Y: -q.Y, Z: -q.Z, W: -q.W}
				}
			}
		}
		r, other := baked(t, p), baked(t, flipped)
		var f, g rig.PosedRig
		for k := range danceKeys - 1 {
			posture := rig.Posture{Clip: dance, ClipTime: clock.Micros(k)*clock.Second + clock.Second/2}
			f.Pose(r, &posture)
			if g.Pose(other, &posture); f != g {
				t.Fatalf("seed %d, rig %d: −q and q pose differently", seed, i)
			}
			a, b := &p.Clips[0].Keys[k], &p.Clips[0].Keys[k+1]
			half := rig.Key{Translation: a.Translation.Lerp(b.Translation, 0.5)}
			for n := range p.Bones {
				// The keys are put on the side of the rest rotation, so the way between
				// them may be the longer one: the same as the stored numbers say.
				rest := p.Bones[n].Rest.Rotation
				half.Rotations[n] = halfWay(sided(a.Rotations[n], rest), sided(b.Rotations[n], rest))
			}
			for n := range p.Bones {
				if want := chained(p, &half, n, geom.Vec3{}); f.Bones[n].Translation.Dist(want) > rotateSlop*float64(len(p.Bones))*(1+want.Len()) {
					t.Fatalf("seed %d, rig %d, after key %d: bone %d is at %v, want %v", seed, i, k, n, f.Bones[n].Translation, want)
				}
			}
		}
	}
}

func sided(q, rest geom.Quat) geom.Quat {
	if q.X*rest.X+q.Y*rest.Y+q.Z*rest.Z+q.W*rest.W < 0 {
		return geom.Quat{X: -q.X, Y: -q.Y, Z: -q.Z, W: -q.W}
	}
	return q
}

func halfWay(a, b geom.Quat) geom.Quat {
	return geom.Quat{X: a.X + b.X, Y: a.Y + b.Y, Z: a.Z + b.Z, W: a.W + b.W}.Unit()
}

// A random rig survives packing: the same bytes, the same poses, the same description.
func TestRandomRigsSurvivePacking(t *testing.T) {
	const seed = 23
	dice := rand.New(rand.NewSource(seed))
	for i := range 10 {
		r := baked(t, randomPlan(dice))
		b := r.Append(nil)
		again, err := rig.Unpack(b)
		if err != nil {
			t.Fatalf("seed %d, rig %d: %v", seed, i, err)
		}
		if !bytes.Equal(again.Append(nil), b) {
			t.Fatalf("seed %d, rig %d: packed again it is other bytes", seed, i)
		}
		for n, bone := range r.Bones() {
			if again.Bones()[n] != bone {
				t.Fatalf("seed %d, rig %d: bone %d is %+v, was %+v", seed, i, n, again.Bones()[n], bone)
			}
		}
		for n, v := range r.Hitboxes() {
			if again.Hitboxes()[n] != v || again.HitGroup(rig.HitboxID(n+1)) != v.HitGroup {
				t.Fatalf("seed %d, rig %d: hitbox %d is %+v, was %+v", seed, i, n, again.Hitboxes()[n], v)
			}
		}
		if again.Motion("dance") != dance || again.HitGroup(0) != rig.NoHitGroup || again.HitGroup(rig.HitboxID(len(r.Hitboxes())+1)) != rig.NoHitGroup {
			t.Fatalf("seed %d, rig %d: motion %d, groups beyond the hitboxes %v, %v", seed, i, again.Motion("dance"), again.HitGroup(0), again.HitGroup(rig.HitboxID(len(r.Hitboxes())+1)))
		}
		var f, g rig.PosedRig
		for range 50 {
			p := randomPosture(dice)
			p.Props = uint8(dice.Intn(256))
			f.Pose(r, &p)
			if g.Pose(again, &p); f != g {
				t.Fatalf("seed %d, rig %d: unpacked it poses otherwise in %+v", seed, i, p)
			}
		}
	}
}

// Every prefix of a packed rig is an error, and so are other bytes at its head.
func TestTruncatedAndForeignBytes(t *testing.T) {
	b := baked(t, stick()).Append(nil)
	for n := range b {
		if _, err := rig.Unpack(b[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes are a rig", n, len(b))
		}
	}
	for at, want := range map[int]byte{0: 'r', 1: 'J', 2: 'X', 3: 9} {
		changed := bytes.Clone(b)
		changed[at] = want
		if _, err := rig.Unpack(changed); err == nil {
			t.Errorf("byte %d changed to %q: no error", at, want)
		}
	}
}

// A rig whose sphere is too small, as only hostile bytes can make one, keeps its hitboxes
// inside of it all the same: a ray that misses the sphere must not miss a hit.
func TestHitboxesStayInASmallSphere(t *testing.T) {
	b := baked(t, stick()).Append(nil)
	small := 0
	for bit := 32; bit < 64; bit++ { // the bits after the head: the sphere
		for second := bit; second < 64; second++ {
			changed := bytes.Clone(b)
			changed[bit/8] ^= 1 << (bit % 8)
			changed[second/8] ^= 1 << (second % 8)
			r, err := rig.Unpack(changed)
			if err != nil {
				continue
			}
			if _, radius := r.Bounds(); radius < 0.7 {
				small++
			}
			safe(t, r, int64(bit*64+second))
		}
	}
	if small < 10 {
		t.Errorf("only %d of the changed rigs have a small sphere", small)
	}
}

// A gait backwards is the gait forwards from the other end: the two agree in the middle of
// the time in which the left foot carries the body.
func TestGaitsBackwards(t *testing.T) {
	r := baked(t, stick())
	const cycle = rig.StrideWrap / 32.0 // the stick's walk has 32 cycles
	var f, g rig.PosedRig
	for i := range 100 {
		at := cycle * float64(i) / 100
		f.Pose(r, &rig.Posture{Forward: 1.9, StrideDistance: at})
		g.Pose(r, &rig.Posture{Forward: -1.9, StrideDistance: math.Mod(1.5*cycle-at, cycle)})
		if d := moved(&f, &g); d > 1e-9 {
			t.Fatalf("%.2f m on, forwards and backwards differ by %g m", at, d)
		}
		g.Pose(r, &rig.Posture{Forward: 1.9, StrideDistance: at + 7*cycle})
		if d := moved(&f, &g); d > 1e-9 {
			t.Fatalf("%.2f m on, seven cycles make a difference of %g m", at, d)
		}
	}
}

// DefaultRig is a capsule and a ball, smaller from half a crouch on, for any other posture.
func TestTheDefaultRig(t *testing.T) {
	r := rig.DefaultRig()
	height, radius := r.Bounds()
	var f rig.PosedRig
	for _, c := range []struct {
		p         rig.Posture
		top, head float64
	}{
		{rig.Posture{}, 1.45, 1.60},
		{rig.Posture{Crouch: 0.499, Forward: 9, Pitch: 1, Air: 1, Clip: 5, ClipTime: 99, Props: 0xFF}, 1.45, 1.60},
		{rig.Posture{Crouch: 0.5}, 0.56, 0.66},
		{rig.Posture{Crouch: 1, Swim: 1}, 0.56, 0.66},
		{rig.Posture{Crouch: math.NaN(), Forward: math.Inf(1)}, 1.45, 1.60},
	} {
		f.Pose(r, &c.p)
		body, head := &f.Solids[0], &f.Solids[1]
		if f.Count != 2 || r.HitGroup(f.Hitboxes[0]) != rig.Body || r.HitGroup(f.Hitboxes[1]) != rig.Head || f.Hitboxes[0] != rig.DefaultBody || f.Hitboxes[1] != rig.DefaultHead {
			t.Fatalf("%+v: %d hitboxes, numbers %v", c.p, f.Count, f.Hitboxes[:2])
		}
		low, high := min(body.A.Y, body.B.Y)-body.Radius, max(body.A.Y, body.B.Y)+body.Radius
		if math.Abs(low) > 1e-9 || math.Abs(high-c.top) > 1e-9 || math.Abs(head.A.Y-c.head) > 1e-9 || head.A != head.B {
			t.Errorf("%+v: body from %.3f to %.3f m, head at %.3f; want 0 to %.2f, %.2f", c.p, low, high, head.A.Y, c.top, c.head)
		}
		for _, s := range f.Solids[:2] {
			if far := max(s.A.Dist(geom.V(0, height, 0)), s.B.Dist(geom.V(0, height, 0))) + s.Radius; far > radius {
				t.Errorf("%+v: a hitbox reaches %.3f m from the middle of a sphere of %.2f", c.p, far, radius)
			}
		}
	}
	if len(r.Bones()) != 0 || r.Motion("idle") != 0 {
		t.Errorf("bones %v, motion of idle %d; want none", r.Bones(), r.Motion("idle"))
	}
	defer func() {
		if recover() == nil {
			t.Error("the rig without bones was packed")
		}
	}()
	r.Append(nil)
}

// The words of the files: hit groups and clips.
func TestWordsOfFiles(t *testing.T) {
	for group, want := range map[rig.HitGroup]string{rig.NoHitGroup: "", rig.Body: "body", rig.Head: "head", rig.Arm: "arm", rig.Leg: "leg", rig.Shield: "shield", rig.Group6: "group6", rig.Group7: "group7"} {
		if got := group.String(); got != want {
			t.Errorf("hit group %d is %q, want %q", group, got, want)
		}
	}
	names := rig.ClipNames()
	if len(names) != 13 || names[0] != "idle" || names[12] != "aim_down" {
		t.Errorf("clips: %v", names)
	}
	names[0] = "changed"
	if rig.ClipNames()[0] != "idle" {
		t.Error("a caller changed the names of clips")
	}
}
