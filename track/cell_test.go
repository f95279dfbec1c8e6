package track

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/figures"
)

// snapped is Quantise, field by field as each is sent.
func snapped(s Sample) Sample {
	if s.BaseChangedAt = snapStamp(s.BaseChangedAt); !s.baseChanged() {
		s.clearBaseChange()
	}
	s.Lag = snapStamp(min(max(s.Lag, MinLag), MaxLag))
	s.At, s.ClipAt, s.Airborne, s.BaseVelocity = snapStamp(s.At), snapStamp(s.ClipAt), false, geom.Vec3{}
	s.Position = bits.SnapVec(s.Position, PositionScale)
	s.Velocity = bits.SnapVec(s.Velocity, VelocityScale)
	s.AngularVelocity = bits.SnapVec(s.AngularVelocity, VelocityScale)
	s.Up = bits.SnapVec(tidyUp(s.Up), upScale)
	s.Yaw, s.Pitch = lookAngle(lookSteps(s.Yaw)), lookAngle(lookSteps(s.Pitch))
	if s.Rotation != (geom.Quat{}) {
		s.Rotation = snapRotation(s.Rotation)
	}
	if s.Clip == 0 {
		s.ClipAt = 0
	}
	s.StrideDistance = float64(strideSteps(s.StrideDistance)) / StrideScale
	s.Stance = stanceOf(s.Stance.steps())
	return s
}

// What a snapshot keeps of a sample is what a reader of the wire gets of it, bit for bit, in
// whatever snapshot it is and however long ago it was; also in a copy of the snapshot, and also
// as a keyframe. [REP-02, HIS-08]
func TestASnapshotKeepsTheQuantisedSample(t *testing.T) {
	const seed = 31
	r := rand.New(rand.NewPCG(seed, 0))
	near, rare := 0, 0
	for range 400 {
		at := clock.Micros(r.Int64N(4e12))
		f := Snapshot{Tick: 1, At: at, Complete: true}
		var list []Sample
		for i := range 100 {
			s := anyThing(r)
			switch r.IntN(4) {
			case 0: // as it comes: of another day, perhaps
			case 1:
				s.At, s.ClipAt = at+clock.Micros(r.Int64N(4e11)-2e11), s.At-clock.Micros(r.Int64N(4e11))
			default:
				d := at - s.At - clock.Micros(r.Int64N(40_000))
				s.At, s.BaseChangedAt, s.ClipAt = s.At+d, s.BaseChangedAt+d, s.ClipAt+d
				near++
			}
			f.Put(ID(i+1), &s)
			f.PutKeyframe(ID(i+1), &s)
			if list = append(list, s); f.cells[i].extras != 0 {
				rare++
			}
		}
		var copied Snapshot
		copied.Copy(&f)
		for i, s := range list {
			want, id := Quantise(s), ID(i+1)
			if oracle := snapped(s); want != oracle {
				t.Fatalf("seed %d: quantised %+v\nwant %+v", seed, want, oracle)
			}
			var got, again Sample
			if !f.Find(id, &got) || got != want {
				t.Fatalf("seed %d: kept in a frame of %d: %+v\nwant %+v", seed, at, got, want)
			}
			if there := copied.Find(id, &again); !there || again != want {
				t.Fatalf("seed %d: in a copy %v: %+v\nwant %+v", seed, there, again, want)
			}
			if k := f.KeyframesOf(id, nil); len(k) != 1 || k[0].Sample != want {
				t.Fatalf("seed %d: as a keyframe %+v\nwant %+v", seed, k, want)
			}
			if p, base := f.Position(i); p != want.Position || base != want.Base || f.Kind(i) != want.Kind || f.ID(i) != id {
				t.Fatalf("seed %d: position %v on %d, %+v", seed, p, base, want)
			}
		}
	}
	if near < 10000 || rare < 5000 {
		t.Errorf("%d near their snapshot, %d rare: too few to mean anything", near, rare)
	}
}

// A character takes 64 bytes a tick, and a hundred of them for half a second at 128 Hz 512 kB at
// most (issue 7). What else a history holds so that views of all of that can name their oldest
// snapshots is twice as much again. [HIS-04, GAP-43]
func TestHistoryMemory(t *testing.T) {
	if n := unsafe.Sizeof(cell{}); n > 64 {
		t.Errorf("a sample takes %d bytes, want 64 at most", n)
	}
	const window, characters = 64, 100
	r := rand.New(rand.NewPCG(1, 0))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f := NewSnapshotHistory(window + 2*ReceivedWindow + 1)
	for tick := uint32(1); tick <= 500; tick++ {
		at := clock.TickTime(int64(tick), 128)
		frame := f.Record(tick, at)
		for id := 1; id <= min(characters, int(tick)); id++ { // they join one by one
			s := anySample(r)
			s.At = at - clock.Micros(r.Int64N(20_000))
			frame.Put(ID(id), &s)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	whole := int(after.HeapAlloc - before.HeapAlloc)
	part := whole * window / f.Ticks()
	figures.Check(t, "memory", 0.1, "%d kB, %d kB with what a view may reach back to before them", part/1000, whole/1000)
	if part > 512_000 {
		t.Errorf("the window takes %d bytes, want 512,000 at most", part)
	}
	runtime.KeepAlive(f)
}

// snapStamp returns the grid instant nearest to at.
func snapStamp(at clock.Micros) clock.Micros { return clock.Micros(stampSteps(at)) * StampGrid }
