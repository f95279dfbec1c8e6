package movement

import (
	"math"
	"math/rand"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// randomSource is something that a fight might do to a character.
func randomSource(r *rand.Rand, s *State) rootmotion.Source {
	v := geom.V(r.NormFloat64()*5, r.NormFloat64()*3, r.NormFloat64()*5)
	long := clock.Micros(20000 + r.Intn(800000))
	out := []rootmotion.Source{
		rootmotion.Constant(v, long), rootmotion.Radial(s.Position.Add(v), 6, r.NormFloat64()*8, long),
		rootmotion.MoveTo(s.Position, s.Position.Add(v), long), rootmotion.JumpTo(v, 2*r.Float64(), long),
		rootmotion.Play(uint8(r.Intn(3))),
	}[r.Intn(5)]
	out.Flags |= rootmotion.Flags(r.Intn(128))
	out.Finish = rootmotion.Finish(r.Intn(3))
	out.FinishVelocity = geom.V(r.NormFloat64(), 0, r.NormFloat64())
	out.Priority, out.Curve, out.FallOff = int8(r.Intn(3)), uint8(r.Intn(2)), uint8(r.Intn(2))
	out.LandAfter = uint16(r.Intn(300))
	if out.Kind == rootmotion.KindConstant {
		out.Rate = r.NormFloat64()
	}
	return out
}

// TestReplayInMidSource goes on from packed states in the middle of sources, over
// the course with everything in it: what the other end does is equal bit for bit,
// and the body stays finite and out of the walls (RMS-06, RMS-08, RMS-19, PRF-14).
func TestReplayInMidSource(t *testing.T) {
	w, m := course(), DefaultModel()
	m.Motion = motionTables
	const seed = 11
	r := rand.New(rand.NewSource(seed))
	s, p := Spawn(geom.V(0, 0, 2), 0), player{dice: 9}
	var f, g StepContext
	var buf [1200]byte
	var packer bits.Packer
	var other State
	most, busy := 0, 0
	for i := range 20000 {
		if i%7 == 0 {
			packer.Write(buf[:])
			s.Pack(&packer)
			most = max(most, len(packer.Bytes()))
			packer.Read(packer.Bytes())
			other.Pack(&packer)
			if packer.End(); packer.Err() != nil {
				t.Fatal(packer.Err())
			}
		}
		c := p.at(clock.Micros(i) * 10000)
		if r.Intn(20) == 0 {
			src := randomSource(r, &s)
			_, one := s.Motion.Apply(src, clock.Micros(i)*10000)
			_, two := other.Motion.Apply(src, clock.Micros(i)*10000)
			if one != two {
				t.Fatal("one end took it, the other did not")
			}
		}
		d := clock.Micros(1000 + r.Intn(60000))
		Step(&m, &s, &c, d, &w, &f)
		Step(&m, &other, &c, d, &w, &g)
		if s != other || s.Hash() != other.Hash() {
			t.Fatalf("seed %d, move %d: the replay differs:\n%+v\n%+v", seed, i, s, other)
		}
		if !s.Position.Finite() || !s.Velocity.Finite() {
			t.Fatalf("seed %d, move %d: %+v", seed, i, s)
		}
		if s.Motion.Busy() {
			busy++
		}
		if s.Position.Len() > 60 {
			s = Spawn(geom.V(0, 0, 2), 0)
			other = s
		}
	}
	t.Logf("busy in %d of 20000 moves, a state takes at most %d bytes", busy, most)
}

func TestMotionDoesNotAllocate(t *testing.T) {
	w, m := course(), DefaultModel()
	m.Motion = motionTables
	s := Spawn(geom.V(0, 0, 2), 0)
	var f StepContext
	var c Command
	if n := testing.AllocsPerRun(200, func() {
		s.Motion.Apply(rootmotion.Play(1), 0)
		s.Motion.Apply(rootmotion.JumpTo(geom.V(1, 0, 0), 1, clock.Second/10), 0)
		for range 5 {
			Step(&m, &s, &c, 16667, &w, &f)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestSourcesAmongRandomTriangles throws sources of every kind at a body among triangles at
// every angle: it stays finite, in the room and out of what is solid, with bounded
// work, and does the same when repeated (STP-03, PRF-14).
func TestSourcesAmongRandomTriangles(t *testing.T) {
	seeds := int64(12)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		if h := sourcesInTheSoup(t, seed); seed == 0 && sourcesInTheSoup(t, seed) != h {
			t.Error("the same run twice gives two results")
		}
	}
}

func sourcesInTheSoup(t *testing.T, seed int64) uint64 {
	r := rand.New(rand.NewSource(seed))
	w := level()
	randomTriangles(r, 100)(w)
	b := inOnly(t, 60, geom.V(0, 8, 0), w)
	b.m.Motion = motionTables
	for b.inside() {
		b.s.Position = geom.V(16*r.Float64()-8, 1+6*r.Float64(), 16*r.Float64()-8)
	}
	h := uint64(0)
	for i := range 4000 {
		wander(r, &b.c)
		b.dt = clock.Micros(1000 + r.Intn(124001))
		if r.Intn(3) > 0 {
			b.dt = 16667
		}
		if r.Intn(15) == 0 {
			b.s.Motion.Apply(randomSource(r, &b.s), b.moved)
		}
		b.step()
		check(b)
		if p := b.s.Position; math.Abs(p.X) > 10 || math.Abs(p.Z) > 10 || p.Y < 0 || p.Y > 10 {
			t.Fatalf("seed %v, step %v: left the room at %v", seed, i, p)
		}
		h = h*31 + b.s.Hash()
	}
	return h
}
