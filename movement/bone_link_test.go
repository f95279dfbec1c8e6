package movement_test

import (
	"math"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/rig"
)

// crane is a rig of a mast with an arm of 3 m on top of it, and a hand at its end: in the
// motion swing the mast turns by 60° to and fro, in tip the hand nods as well.
func crane(t *testing.T) *rig.Rig {
	turned := func(mast, hand float64) rig.Key {
		k := rig.Key{}
		for i := range k.Rotations {
			k.Rotations[i] = geom.IdentityQuat
		}
		k.Rotations[0], k.Rotations[2] = geom.YawQuat(mast), geom.AxisAngle(geom.V(1, 0, 0), hand)
		return k
	}
	swing := rig.Clip{Name: "swing", Motion: 1, Duration: 8 * clock.Second, Bones: 1 | 4}
	tip := swing
	tip.Name, tip.Motion = "tip", 2
	for i := range 33 {
		a := math.Sin(2 * math.Pi * float64(i) / 32)
		swing.Keys = append(swing.Keys, turned(a, 0))
		tip.Keys = append(tip.Keys, turned(a, .2*a))
	}
	at := func(x, y, z float64) geom.Transform {
		return geom.Transform{Rotation: geom.IdentityQuat, Translation: geom.V(x, y, z)}
	}
	p := rig.Plan{
		Bones: []rig.Bone{
			{Name: "mast", Parent: -1, Rest: at(0, 0, 0)}, {Name: "arm", Parent: 0, Rest: at(0, 2, 0)}, {Name: "hand", Parent: 1, Rest: at(0, 0, -3)},
		},
		Volumes: []rig.Volume{{Name: "hand", Tag: rig.Body, Shape: rig.Ball, Bone: 2, At: at(0, 0, 0), Radius: .2}},
		Clips:   []rig.Clip{swing, tip},
	}
	r, err := p.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// hand is the bone of that name in a motion.
func hand(r *rig.Rig, motion uint8) level.Bone {
	return level.Bone{
		Rig: r, Name: "hand", At: geom.Transform{Rotation: geom.YawQuat(.5), Translation: geom.V(1, 0, 2)},
		Loop: 8 * clock.Second, Every: clock.Second / 8,
		Posture: func(t clock.Micros) rig.Posture {
			return rig.Posture{Clip: motion, ClipTime: min(max(t, 1), 8*clock.Second-1)}
		},
	}
}

// Ten minutes on the hand of a crane, on a line of 150 ms with 2 % loss: the rider stands
// where it stood, and jumps off and on again at the end.
func TestRidingABone(t *testing.T) { // BAS-11
	r := crane(t)
	bone := hand(r, 1)
	path, turn, err := bone.Path()
	if err != nil {
		t.Fatal(err)
	}
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(100, 1, 100), geom.IdentityQuat, collide.Surface{})
	b.Body("hand", path, func(b *collide.Builder) {
		b.SetTransform(geom.Transform{Rotation: turn})
		b.Box(geom.V(0, -.1, 0), geom.V(1.5, .1, 1.5), geom.IdentityQuat, collide.Surface{})
	})
	world, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	var f rig.Figure
	for at := clock.Micros(0); at < 20*clock.Second; at += 37 * clock.Millisecond {
		posture := bone.Posture(at % bone.Loop)
		f.Pose(r, &posture)
		want, got := bone.At.Apply(f.Bones[2].Apply(geom.V(1, 0, 1))), path.Pose(at).Apply(turn.Rotate(geom.V(1, 0, 1)))
		if got.Dist(want) > .02 {
			t.Fatalf("the body's corner at %v s: got %v, want the bone's %v", at.Seconds(), got, want)
		}
	}
	long := 600 * clock.Second
	if testing.Short() {
		long = 60 * clock.Second
	}
	w := newLink(t, 16*clock.Millisecond)
	w.game.view.World, w.drop = world, 50
	w.begin(movement.Spawn(path.Keys[0].Position.Add(geom.V(.7, .02, .3)), 0))
	w.run(clock.Second, nil)
	was := w.owner.State().Base
	if was.Body != 1 {
		t.Fatalf("stands at %v on body %d, want the bone", w.owner.State().Position, was.Body)
	}
	drift, off := 0.0, 0
	w.run(long, func() {
		s := w.owner.State()
		drift = math.Max(drift, s.Base.Position.Dist(was.Position))
		if s.Base.Body != 1 {
			off++
		}
	})
	if drift >= .01 || off > 0 {
		t.Errorf("drifted %v m, %d frames off the bone; want < 1 cm and none", drift, off)
	}
	for range 8 { // off and on again
		w.input.Jump = true
		w.run(100*clock.Millisecond, nil)
		w.input.Jump = false
		w.run(1400*clock.Millisecond, nil)
	}
	w.input.Forward = 1 // and down to the floor
	w.run(3*clock.Second, nil)
	w.settle()
	if c := w.owner.Counters(); c.Corrections != 0 || w.owner.State().Position.Y > .03 {
		t.Errorf("%d corrections, at %v; want none, on the floor", c.Corrections, w.owner.State().Position)
	}
}

func TestBonesThatAreNoBases(t *testing.T) { // BAS-11
	r := crane(t)
	for _, c := range []struct {
		what, want string
		change     func(b *level.Bone)
	}{
		{"no such bone", "no bone wing", func(b *level.Bone) { b.Name = "wing" }},
		{"turns about two axes", "more than one axis", func(b *level.Bone) { *b = hand(r, 2) }},
		{"half a loop", "from where it began", func(b *level.Bone) { b.Loop = 3 * clock.Second }},
		{"no keys", "must be 1", func(b *level.Bone) { b.Every = 0 }},
	} {
		b := hand(r, 1)
		c.change(&b)
		if _, _, err := b.Path(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.what, err, c.want)
		}
	}
}
