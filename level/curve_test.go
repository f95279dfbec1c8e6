package level_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/rig"
)

// figureFile is a file with a figure of two bones, hip and chest, and one motion of both.
func figureFile(times []float64, kind string, moves []geom.Vec3, turns []geom.Quat, clip object) []byte {
	f := new(sceneFile)
	chest := f.node(f.node(-1, object{"name": "hip"}), object{"name": "chest", "translation": []int{0, 1, 0}})
	f.node(chest, object{"name": "ribs", "extras": mark(object{"hitbox": object{"group": "body", "shape": "ball", "radius": 0.2}})})
	var m, q []float64
	for _, v := range moves {
		m = append(m, v.X, v.Y, v.Z)
	}
	for _, v := range turns {
		q = append(q, v.X, v.Y, v.Z, v.W)
	}
	input := f.accessor(object{"bufferView": f.view(floats(times...), 0), "componentType": 5126, "count": len(times), "type": "SCALAR"})
	shift := f.accessor(object{"bufferView": f.view(floats(m...), 0), "componentType": 5126, "count": len(moves), "type": "VEC3"})
	turn := f.accessor(object{"bufferView": f.view(floats(q...), 0), "componentType": 5126, "count": len(turns), "type": "VEC4"})
	return f.rig([]int{0, 1}, object{"name": "wave", "extras": mark(object{"clip": clip}),
		"channels": []object{{"sampler": 0, "target": object{"node": 0, "path": "translation"}}, {"sampler": 1, "target": object{"node": 1, "path": "rotation"}}},
		"samplers": []object{{"input": input, "output": shift, "interpolation": kind}, {"input": input, "output": turn, "interpolation": kind}}})
}

// A motion read from keys of each interpolation is what the format says at the times of the
// baked keys (glTF 2.0, appendix C), to the 0.1 mm and 1/32767 of a rig.
func TestInterpolationOfClips(t *testing.T) {
	const seed, baked = 12, 33
	r := rand.New(rand.NewPCG(seed, 0))
	for _, kind := range []string{"LINEAR", "STEP", "CUBICSPLINE"} {
		for i := range 20 {
			times, end := []float64{0}, 0.0
			for range 1 + r.IntN(4) {
				end += 0.25 + math.Round(r.Float64()*64)/64
				times = append(times, end)
			}
			each := 1
			if kind == "CUBICSPLINE" {
				each = 3
			}
			var moves []geom.Vec3
			var turns []geom.Quat
			for k := range each * len(times) {
				moves = append(moves, geom.V(float64(float32(r.NormFloat64()*0.2)), float64(float32(r.NormFloat64()*0.2)), 0))
				q := geom.AxisAngle(geom.V(0, 0, 1), r.Float64()*2-1)
				if each == 3 && k%3 != 1 { // a tangent is a change per second, no rotation
					q = geom.Quat{Z: r.NormFloat64() * 0.1, W: r.NormFloat64() * 0.1}
				}
				turns = append(turns, q)
			}
			b := figureFile(times, kind, moves, turns, object{"motion": 3, "keys": baked, "fade": 0})
			fig, err := level.ReadRig(b)
			if err != nil {
				t.Fatalf("%s, file %d (seed %d): %v", kind, i, seed, err)
			}
			var f rig.PosedRig
			for k := 1; k < baked-1; k++ {
				at := end * float64(k) / (baked - 1)
				f.Pose(fig, &rig.Posture{Clip: 3, ClipTime: clock.Micros(math.Round(at * 1e6))})
				move, angle := sampled(times, kind, moves, turns, at)
				if off := f.Bones[0].Translation.Dist(move); off > 1e-3 && !nearKey(times, at) {
					t.Fatalf("%s, file %d (seed %d), at %g of %g s: the hip is at %v, want %v", kind, i, seed, at, end, f.Bones[0].Translation, move)
				}
				side := f.Bones[1].Rotation.Rotate(geom.V(1, 0, 0))
				if got := math.Atan2(side.Y, side.X); math.Abs(got-angle) > 1e-3 && !nearKey(times, at) {
					t.Fatalf("%s, file %d (seed %d), at %g of %g s: the chest is turned by %v, want %v", kind, i, seed, at, end, got, angle)
				}
			}
		}
	}
}

// nearKey reports whether a step may be on either side of a key by rounding.
func nearKey(times []float64, at float64) bool {
	for _, x := range times {
		if math.Abs(x-at) < 1e-4 {
			return true
		}
	}
	return false
}

// sampled is the formulas of the format, written down plainly: the move, and the angle about
// Z, at a time.
func sampled(times []float64, kind string, moves []geom.Vec3, turns []geom.Quat, at float64) (geom.Vec3, float64) {
	k := 0
	for k+2 < len(times) && times[k+1] <= at {
		k++
	}
	d := times[k+1] - times[k]
	u := (at - times[k]) / d
	angle := func(z, w float64) float64 { return 2 * math.Atan2(z, w) }
	switch kind {
	case "STEP":
		return moves[k], angle(turns[k].Z, turns[k].W)
	case "LINEAR":
		a, b := angle(turns[k].Z, turns[k].W), angle(turns[k+1].Z, turns[k+1].W)
		return moves[k].Mul(1 - u).Add(moves[k+1].Mul(u)), a*(1-u) + b*u
	}
	h := func(v0, out, in, v1 float64) float64 {
		return (2*u*u*u-3*u*u+1)*v0 + (u*u*u-2*u*u+u)*d*out + (3*u*u-2*u*u*u)*v1 + (u*u*u-u*u)*d*in
	}
	i, j := 3*k, 3*k+3
	move := geom.V(h(moves[i+1].X, moves[i+2].X, moves[j].X, moves[j+1].X), h(moves[i+1].Y, moves[i+2].Y, moves[j].Y, moves[j+1].Y), 0)
	return move, angle(h(turns[i+1].Z, turns[i+2].Z, turns[j].Z, turns[j+1].Z), h(turns[i+1].W, turns[i+2].W, turns[j].W, turns[j+1].W))
}

// craneFile is a figure whose chest swings about Z by up to an angle, once in 4 s, and
// about X by up to another.
func craneFile(aboutZ, aboutX float64) []byte {
	times, moves, turns := []float64{}, []geom.Vec3{}, []geom.Quat{}
	for i := range 41 {
		phase := float64(i) / 40 * 2 * math.Pi
		times = append(times, float64(i)/10)
		moves = append(moves, geom.V(0.3*math.Sin(phase), 0, 0))
		turns = append(turns, geom.AxisAngle(geom.V(0, 0, 1), aboutZ*math.Sin(phase)).Mul(geom.AxisAngle(geom.V(1, 0, 0), aboutX*math.Cos(phase))))
	}
	return figureFile(times, "LINEAR", moves, turns, object{"motion": 3, "keys": 41, "fade": 0})
}

// A level and a rig survive packing, and are the same when they are read again.
func TestReadingTwiceAndPacking(t *testing.T) {
	f := new(sceneFile).ground()
	m := f.tetrahedron(3)
	f.node(-1, object{"mesh": m, "translation": []float64{0.1, 0.2, 0.3}, "extras": mark(object{"collide": "hull", "step": "never"})})
	f.node(-1, object{"mesh": m, "scale": []float64{1, -2, 0.3}})
	f.node(-1, object{"name": "lift", "extras": mark(object{"collide": "box", "mover": object{"smooth": true, "path": keys([]key{{}, {seconds: 3, move: [3]float64{1, 2, 3}, degrees: 40}})}})})
	f.node(-1, object{"name": "pool", "extras": mark(object{"volume": object{"water": true, "friction": 2}})})
	a, b := f.read(t), f.read(t)
	if a.World.Hash() != b.World.Hash() {
		t.Errorf("read twice: hashes %s and %s", a.World.Hash(), b.World.Hash())
	}
	again, err := collide.Unpack(a.World.AppendBinary(nil))
	if err != nil || again.Hash() != a.World.Hash() {
		t.Errorf("packed and unpacked: %v, another hash", err)
	}
	r, err := level.ReadRig(craneFile(0.5, 0.2))
	if err != nil {
		t.Fatal(err)
	}
	packed := r.Append(nil)
	if back, err := rig.Unpack(packed); err != nil || string(back.Append(nil)) != string(packed) {
		t.Errorf("the rig, packed and unpacked: %v, or other bytes", err)
	}
}

// A file that is cut off anywhere, or has some bits changed, is an error or another level,
// and never a panic.
func TestDamagedFiles(t *testing.T) {
	const seed = 13
	whole := craneFile(0.5, 0.2)
	for n := range len(whole) {
		if _, err := level.ReadRig(whole[:n]); err == nil || !strings.HasPrefix(err.Error(), "level: ") {
			t.Fatalf("the first %d bytes: got %v, want an error of level", n, err)
		}
	}
	r := rand.New(rand.NewPCG(seed, 0))
	for _, file := range [][]byte{whole, glb(floorFile, floorBin())} {
		refused := 0
		for range 3000 {
			b := append([]byte(nil), file...)
			for range 1 + r.IntN(3) {
				b[r.IntN(len(b))] ^= 1 << r.IntN(8)
			}
			_, err := level.Read(b)
			if _, rigErr := level.ReadRig(b); err != nil && rigErr != nil {
				refused++
			}
		}
		if refused < 300 {
			t.Errorf("seed %d: only %d of 3000 damaged files are refused", seed, refused)
		}
	}
}
