package track

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/geom"
)

// lookingAhead returns s looking along its velocity.
func lookingAhead(s Sample) Sample {
	v := s.Velocity
	s.Yaw, s.Pitch = math.Atan2(-v.X, -v.Z), math.Atan2(v.Y, math.Hypot(v.X, v.Z))
	return s
}

// lookBits returns how many bits the look of s takes as the difference from ref.
func lookBits(s, ref Sample) int {
	s, ref = Quantise(s), Quantise(ref)
	var p bits.Packer
	p.Write(make([]byte, 99))
	s.packLook(&p, reference{&ref, stampSteps(ref.At), true})
	return p.Bits()
}

// Things that turn by up to 30° between two samples: those that look along their velocity are guessed
// from it, and cost half of what others cost that look elsewhere. Slow ones have no direction, and cost
// what others do. [WIR-04]
func TestALookAheadIsGuessedFromTheVelocity(t *testing.T) {
	const seed, many = 5, 2000
	r := rand.New(rand.NewPCG(seed, 0))
	mean := func(speed, aside float64) float64 {
		sum := 0
		for range many {
			yaw, turn := r.Float64()*2*math.Pi, (r.Float64()-0.5)*math.Pi/3
			is := func(yaw float64) Sample {
				s := lookingAhead(Sample{Pose: Pose{Velocity: geom.Look(yaw, 0.3).Mul(speed)}})
				s.Yaw += aside
				return s
			}
			sum += lookBits(is(yaw+turn), is(yaw))
		}
		return float64(sum) / many
	}
	for _, c := range []struct {
		what         string
		speed, aside float64
		least, most  float64
	}{
		{"a missile at 30 m/s", 30, 0, 5, 7},
		{"a vehicle at 6 m/s", 6, 0, 5, 8},
		{"a walker at 2 m/s", 2, 0, 5, 12},
		{"a crab, which looks aside", 6, math.Pi / 2, 12, 17},
		{"at 0.4 m/s", 0.4, 0, 12, 20},
	} {
		got := mean(c.speed, c.aside)
		if t.Logf("%s: %.1f bits", c.what, got); got < c.least || got > c.most {
			t.Errorf("seed %d: %s: got %.1f bits, want %v to %v", seed, c.what, got, c.least, c.most)
		}
	}
}

// A look that is read is within half a turn of what is guessed: a longer way round is not what a
// writer writes. [WIR-15]
func TestALookIsTheShorterWayRound(t *testing.T) {
	for _, c := range []struct {
		d  int64
		ok bool
	}{{LookSteps/2 - 1, true}, {LookSteps / 2, false}, {-LookSteps / 2, true}, {-LookSteps/2 - 1, false}, {1 << 38, false}} {
		var w, p bits.Packer
		w.Write(make([]byte, 99))
		w.Residual(&c.d, yawOrder)
		p.Read(w.Bytes())
		angle := 0.0
		packTurned(&p, &angle, 100, yawOrder)
		if ok := p.Err() == nil; ok != c.ok {
			t.Errorf("%d steps: got %v, want accepted %v", c.d, p.Err(), c.ok)
		}
		if angle < -math.Pi || angle >= math.Pi {
			t.Errorf("%d steps: an angle of %v", c.d, angle)
		}
	}
}

// Each velocity on the grid has the same direction on every processor: a fold of many is frozen. It is
// also what math.Atan2 gives, so a client in another language may use its own.
func TestTheDirectionOfAVelocity(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 0))
	sum, slow := int64(0), 0
	for range 100_000 {
		v := bits.SnapVec(geom.V(r.NormFloat64(), r.NormFloat64(), r.NormFloat64()).Mul(8*r.Float64()), VelocityScale)
		h, ok := headingOf(v)
		if !ok {
			slow++
			continue
		}
		want := lookingAhead(Sample{Pose: Pose{Velocity: v}})
		if h.yaw() != lookSteps(want.Yaw) || h.pitch() != lookSteps(want.Pitch) {
			t.Fatalf("%v: got %d and %d steps, want %v and %v rad", v, h.yaw(), h.pitch(), want.Yaw, want.Pitch)
		}
		sum = bits.WrapSteps(sum*31+h.yaw()*7+h.pitch(), 1<<40)
	}
	if want := int64(-459542986842); sum != want {
		t.Errorf("directions: got %d want %d", sum, want)
	}
	if slow < 1000 || slow > 50_000 {
		t.Errorf("%d velocities without a direction", slow)
	}
}
