package rig_test

import (
	"testing"

	"github.com/backstep-net/backstep/examples/arena/assets/figure"
	"github.com/backstep-net/backstep/rig"
)

// A pose should cost 2 µs at most, in the postures that most figures have.
func BenchmarkPose(b *testing.B) {
	r, err := rig.Unpack(figure.Humanoid)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		p    rig.Posture
	}{
		{"standing", rig.Posture{Pitch: 0.3, Props: 1}},
		{"running", rig.Posture{Forward: 6, StrideDistance: 17.3, Pitch: 0.3, Props: 1}},
		{"running aslant", rig.Posture{Forward: 4.2, Right: 4.2, StrideDistance: 17.3, Pitch: 0.3, Props: 1}},
		{"crouching down in a run", rig.Posture{Forward: 5, StrideDistance: 17.3, Pitch: 0.3, Crouch: 0.5, Props: 1}},
		{"jumping", rig.Posture{Forward: 6, Up: 1, StrideDistance: 17.3, Pitch: 0.3, Air: 1, Props: 1}},
		{"everything at once", rig.Posture{Forward: 2.1, Right: 2.1, Up: 1, StrideDistance: 17.3, Pitch: 0.3,
			Crouch: 0.5, Air: 0.5, Swim: 0.5, Clip: 1, ClipTime: 100_000, Props: 1}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var f rig.PosedRig
			b.ReportAllocs()
			for b.Loop() {
				f.Pose(r, &c.p)
			}
		})
	}
}
