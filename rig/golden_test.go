package rig_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/internal/golden"
	"github.com/backstep-net/backstep/rig"
)

// The bits of every hitbox over a grid of postures, the same on every target. Pinned in
// testdata/poses.golden.
func TestGoldenPoses(t *testing.T) {
	r := person(t)
	var out strings.Builder
	for _, in := range inputs {
		dice := rand.New(rand.NewSource(1))
		var all []rig.Posture
		for range 8 {
			p := randomPosture(dice)
			for i := range 41 {
				in.put(&p, in.lo+float64((in.hi-in.lo)*float64(i))/40)
				all = append(all, p)
			}
		}
		fmt.Fprintf(&out, "%s %016x\n", in.name, hashed(r, all))
	}
	dice := rand.New(rand.NewSource(2))
	var all []rig.Posture
	for range 5000 {
		all = append(all, randomPosture(dice))
	}
	fmt.Fprintf(&out, "anything %016x\n", hashed(r, all))
	stick, err := stick().Bake()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&out, "baked here %016x %016x\n", hashed(stick, all), sum(stick.Append(nil)))
	fmt.Fprintf(&out, "plain %016x\n", hashed(rig.DefaultRig(), all))

	golden.Check(t, "testdata/poses.golden", out.String())
}

func sum(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}

// hashed is a hash over the bits of every figure.
func hashed(r *rig.Rig, all []rig.Posture) uint64 {
	h := fnv.New64a()
	put := func(x float64) {
		var b [8]byte
		n := math.Float64bits(x)
		for i := range b {
			b[i] = byte(n >> (8 * i))
		}
		h.Write(b[:])
	}
	var f rig.PosedRig
	for i := range all {
		f.Pose(r, &all[i])
		for k := range f.Count {
			s := &f.Solids[k]
			for _, x := range []float64{s.A.X, s.A.Y, s.A.Z, s.B.X, s.B.Y, s.B.Z, s.Rotation.X, s.Rotation.Y, s.Rotation.Z, s.Rotation.W} {
				put(x)
			}
		}
	}
	return h.Sum64()
}
