package track

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// AddKeyframes stores in the snapshot of tick the keyframes of all its entities, as a client
// has them that was sent all entities at the tick since.
func (f *SnapshotHistory) AddKeyframes(tick, since uint32, w *collide.World) {
	snapshot := f.Snapshot(tick)
	if snapshot == nil {
		return
	}
	var keyframes [MaxKeyframes]sampleRef
	snapshot.keyframes = snapshot.keyframes[:0]
	for i := range snapshot.cells {
		n := f.findKeyframes(snapshot.cells[i].id, tick, since, w, nil, true, &keyframes)
		for _, k := range keyframes[:n] {
			snapshot.storeKeyframe(k)
		}
	}
}

// storeKeyframe adds a keyframe that is recorded in another snapshot, up to maxKeyframeAge
// before.
func (f *Snapshot) storeKeyframe(k sampleRef) {
	c := *k.cell
	if c.at += int32(k.snapshot.steps() - f.steps()); c.extras != 0 {
		f.extras = append(f.extras, k.snapshot.extras[c.extras-1])
		c.extras = uint16(len(f.extras))
	}
	f.keyframes = append(f.keyframes, c)
}

// walked records entity 1's path at 60 ticks a second, of which every sixth is sent with its
// keyframes, and returns it with the view of a client that has those alone.
func walked(ticks uint32, w *collide.World, way func(clock.Micros) Sample) (*SnapshotHistory, View) {
	f, v := NewSnapshotHistory(256), View{}
	for tick := uint32(1); tick <= ticks; tick++ {
		at := clock.TickTime(int64(tick), 60)
		s := way(at)
		s.At = at
		f.Record(tick, at).Add(1, s)
		if tick%6 == 0 {
			f.AddKeyframes(tick, v.Seen.Newest, w)
			v.Seen.Mark(tick)
		}
	}
	return f, v
}

// keyframes returns how many keyframes the snapshots of a view have.
func keyframes(f *SnapshotHistory, v View) int {
	n := 0
	for tick := uint32(1); tick <= v.Seen.Newest; tick++ {
		if snapshot := f.Snapshot(tick); snapshot != nil {
			n += len(snapshot.keyframes)
		}
	}
	return n
}

// RMS-20: ten poses a second of a character that dashes, jumps and lands, is knocked back, or
// turns on the spot: never drawn more than 5 cm from the truth, whenever it begins; without
// keyframes it was more for each. (Where a speed changes by 12 m/s between two ticks, 5 cm is
// what those two ticks alone leave.)
func TestTenPosesASecond(t *testing.T) {
	from := clock.Micros(0) // when it begins
	along := func(at clock.Micros, v ...float64) (x float64) {
		for i := 0; i+1 < len(v); i += 2 { // a speed, and from when on after from, in ms
			x += v[i] * max(0, (at-from-clock.Micros(v[i+1])*ms).Seconds())
		}
		return x
	}
	for name, way := range map[string]func(clock.Micros) Sample{
		"a dash at 12 m/s for 250 ms": func(at clock.Micros) Sample {
			return Sample{Pose: Pose{Position: geom.V(6*at.Seconds()+along(at, 12, 0, -12, 250), 0, 0)}}
		},
		"a jump of 0.6 s": func(at clock.Micros) Sample {
			d := geom.Clamp((at - from).Seconds(), 0, .6)
			return Sample{Pose: Pose{Position: geom.V(6*at.Seconds(), 20*.5*d*(.6-d), 0)}}
		},
		"a knock-back at 5 m/s": func(at clock.Micros) Sample {
			return Sample{Pose: Pose{Position: geom.V(6*at.Seconds()+along(at, -11, 0, 5, 600), 0, 0)}}
		},
		"a turn by 90°": func(at clock.Micros) Sample {
			return Sample{Pose: Pose{Position: geom.V(6*at.Seconds()+along(at, -6, 0), 0, along(at, 6, 0))}}
		},
	} {
		worst, without, runs, sent := 0.0, 0.0, 0, 0
		for from = 400 * ms; from < 500*ms; from += 1700 {
			f, v := walked(72, nil, way)
			plain := NewSnapshotHistory(256)
			for tick := uint32(6); tick <= 72; tick += 6 {
				plain.Record(tick, 0).Add(1, *f.Snapshot(tick).sample(1))
			}
			for v.At = 200 * ms; v.At < 1200*ms; v.At += 1300 {
				truth := way(v.At).Position
				s, _ := look(f, nil).At(1, v)
				worst = max(worst, s.Position.Dist(truth))
				s, _ = look(plain, nil).At(1, v)
				without = max(without, s.Position.Dist(truth))
			}
			runs, sent = runs+1, sent+keyframes(f, v)
		}
		t.Logf("%s: off by %.3f m at most, without keyframes by %.3f m; %.1f keyframes", name, worst, without, float64(sent)/float64(runs))
		if sent > 9*runs {
			t.Errorf("%s: %d keyframes in %d runs, want at most 9 a run", name, sent, runs)
		}
		if worst > .05 || without < .05 {
			t.Errorf("%s: off by %.3f m, without keyframes by %.3f m; want ≤ 0.05 m", name, worst, without)
		}
	}
}

// A character that stands, runs straight on or rides on a turning mover has no keyframes, nor has
// a path that breaks.
func TestNoKeyframes(t *testing.T) {
	w := fair()
	for name, way := range map[string]func(clock.Micros) Sample{
		"stands": func(clock.Micros) Sample { return Sample{Pose: Pose{Position: geom.V(1, 2, 3)}} },
		"runs":   func(at clock.Micros) Sample { return Sample{Pose: Pose{Position: geom.V(1, 2, 6*at.Seconds())}} },
		"rides": func(clock.Micros) Sample {
			return Sample{Pose: Pose{Position: geom.V(2, 0, 2)}, BaseLink: BaseLink{Base: stage}}
		},
		"respawn": func(at clock.Micros) Sample { return broken(at, Sample{GameData: GameData{Life: 1}}) },
		"warps":   func(at clock.Micros) Sample { return broken(at, Sample{GameData: GameData{Teleport: 1}}) },
		"dies":    func(at clock.Micros) Sample { return broken(at, Sample{GameData: GameData{Dead: true}}) },
		"shakes":  func(at clock.Micros) Sample { return Sample{Pose: Pose{Position: geom.V(float64(at/ms%2)*.009, 0, 0)}} },
	} {
		if n := keyframes(walked(120, w, way)); n != 0 {
			t.Errorf("a character that %s: %d keyframes, want none", name, n)
		}
	}
}

// broken is somewhere else, and s, from a second on.
func broken(at clock.Micros, s Sample) Sample {
	if at < clock.Second+50*ms {
		return Sample{}
	}
	s.Position = geom.V(30, 0, 0)
	return s
}

// A path with a corner between ticks 8 and 9 has both for keyframes; a missing sample, an
// unknown snapshot or another ID has none. [RMS-20]
func TestKeyframesAreTheCorner(t *testing.T) {
	f, v := walked(12, nil, func(at clock.Micros) Sample {
		return Sample{Pose: Pose{Position: geom.V(max(0, (at-140*ms).Seconds())*12, 0, 0)}}
	})
	got := f.Snapshot(12).KeyframesOf(1, nil)
	if len(got) != 2 || got[0].Sample != *f.Snapshot(8).sample(1) || got[1].Sample != *f.Snapshot(9).sample(1) {
		t.Fatalf("keyframes %+v, want ticks 8 and 9", got)
	}
	v.At = got[0].At
	if s, fit := look(f, nil).At(1, v); s != got[0].Sample || fit != Exact {
		t.Errorf("at a keyframe: %+v %v, want the keyframe", s, fit)
	}
	if len(f.Snapshot(12).KeyframesOf(2, nil)) > 0 || len(f.Snapshot(6).KeyframesOf(1, nil)) > 0 {
		t.Errorf("keyframes of an entity without any")
	}
	v.Seen.Mask = 0 // tick 6 was lost: then the first keyframe is the oldest thing known
	v.At = 10 * ms
	if s, fit := look(f, nil).At(1, v); s.Position != got[0].Position || fit != Held {
		t.Errorf("before all that is known: %+v %v, want the first keyframe held", s, fit)
	}
	for _, since := range []uint32{0, 11, 12, 13, 400} {
		f.Snapshot(12).keyframes = nil
		if f.AddKeyframes(12, since, nil); len(f.Snapshot(12).keyframes) != 0 {
			t.Errorf("since tick %d: %d keyframes", since, len(f.Snapshot(12).keyframes))
		}
	}
	f.AddKeyframes(500, 6, nil) // no such frame
}

// Keyframes in any snapshot are just more samples: At finds what a search through all of them
// finds.
func TestAtWithKeyframesAgainstBruteForce(t *testing.T) {
	const seed = 6
	r, w := rand.New(rand.NewPCG(seed, 0)), fair()
	f, sent, many := NewSnapshotHistory(128), uint32(0), 0
	for tick := uint32(1); tick <= 900; tick++ {
		snapshot := f.Record(tick, clock.Micros(tick)*16667)
		snapshot.Complete = true
		for id := ID(1); id <= 5; id++ {
			if r.IntN(60) > 0 {
				s := anySample(r)
				s.At, s.Life, s.Teleport = snapshot.At-clock.Micros(r.Int64N(20000)), uint8(tick/90), 0
				s.Dead = false
				s.Base, s.PreviousBase, s.BaseChangedAt = collide.MoverID(id/5)*stage, 0, 0
				snapshot.Add(id, s)
			}
		}
		if r.IntN(4) > 0 {
			continue
		}
		f.AddKeyframes(tick, sent, w)
		sent = tick
		many += len(snapshot.keyframes)
		for range 20 {
			v := View{At: clock.Micros(tick)*16667 - clock.Micros(r.Int64N(1.2e6)-1e5), Seen: Received{tick, r.Uint64() & r.Uint64()}}
			v.Platform = v.At + 40*ms
			id := ID(1 + r.IntN(6))
			got, fit := look(f, w).At(id, v)
			want, wantFit := brute(look(f, w), id, v)
			if got != want || fit != wantFit {
				t.Fatalf("seed %d tick %d entity %d view %+v:\n got %+v %v\nwant %+v %v", seed, tick, id, v, got, fit, want, wantFit)
			}
		}
	}
	if many < 1000 {
		t.Errorf("%d keyframes: too few to mean anything", many)
	}
}

// Keyframes allocate nothing once the storage is warm.
func TestKeyframesDoNotAllocate(t *testing.T) {
	f, r := NewSnapshotHistory(128), rand.New(rand.NewPCG(2, 2))
	tick, sum := uint32(0), 0
	into := make([]Entity, 0, 100)
	six := func() {
		for range 6 {
			tick++
			fill(f, tick, 40, r)
		}
		f.AddKeyframes(tick, tick-6, nil)
		sum += len(f.Snapshot(tick).keyframes)
		into = look(f, nil).Entities(View{At: f.Snapshot(tick).At - 50*ms, Seen: Received{tick, 1 << 5}}, 3, into[:0])
	}
	for range 200 {
		six()
	}
	if n := testing.AllocsPerRun(200, six); n != 0 || sum < 1000 {
		t.Errorf("%v allocations, %d keyframes", n, sum)
	}
}

// What it costs to search a snapshot at a tenth of 60 ticks a second, of characters that run
// straight on and of characters that do not.
func BenchmarkKeyframes(b *testing.B) {
	for _, n := range []int{10, 64} {
		for _, wild := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d/wild=%v", n, wild), func(b *testing.B) {
				f, r := NewSnapshotHistory(128), rand.New(rand.NewPCG(2, 2))
				for tick := uint32(1); tick <= 7; tick++ {
					if fill(f, tick, n, r); !wild {
						for i := range f.Snapshot(tick).cells {
							f.Snapshot(tick).cells[i].position = [3]int32{}
						}
					}
				}
				for b.Loop() {
					f.AddKeyframes(7, 1, nil)
				}
			})
		}
	}
}

// A character that starts after a rest that is too long to be bridged gets the moment at which
// it started as a keyframe: it stands until then, and does not glide, nor is it there early.
// [RMS-20]
func TestAStartAfterARest(t *testing.T) {
	for _, rest := range []uint32{3, 10, 20, 40, 60} { // ticks between the two that are sent
		f, sent := NewSnapshotHistory(256), NewSentLog(256)
		start := clock.TickTime(int64(100+rest-2), 60) + 5*ms
		way := func(at clock.Micros) geom.Vec3 { return geom.V(6*max(0, at-start).Seconds(), 0, 0) }
		for tick := uint32(1); tick <= 180; tick++ {
			s := Sample{At: clock.TickTime(int64(tick), 60)}
			if s.Position = way(s.At); s.Position.X > 0 {
				s.Velocity = geom.V(6, 0, 0)
			}
			f.Record(tick, s.At).Add(1, s)
			if sent.Begin(tick); tick == 100 || tick == 100+rest {
				sent.Add(tick, 1)
			}
		}
		var keyframes [MaxKeyframes]Entity
		n := f.KeyframesBetween(1, 100+rest, sent.SentBefore(100+rest, 1), nil, nil, &keyframes)
		p, worst := Interpolator{History: f, Sent: sent}, 0.0
		for at := clock.TickTime(100, 60); at < clock.TickTime(int64(100+rest), 60); at += ms {
			s, _ := p.At(1, every(100+rest, at))
			worst = max(worst, s.Position.Dist(way(at)))
		}
		if n == 0 || worst > .02 {
			t.Errorf("after %d ticks: %d keyframes, off by %.3f m at most, want 0.02", rest, n, worst)
		}
	}
}

// What KeyframesBetween caches changes no result: for any tick, and any before it, again and
// again, it returns the same as with snapshots that cache nothing.
func TestStoredKeyframes(t *testing.T) {
	const seed = 15
	r := rand.New(rand.NewPCG(seed, 0))
	f := NewSnapshotHistory(128)
	for tick := uint32(1); tick <= 100; tick++ {
		fill(f, tick, 1+r.IntN(8), r)
	}
	found := 0
	for range 5000 {
		id, since := ID(1+r.IntN(8)), uint32(90+r.IntN(8))
		tick := since + uint32(r.IntN(5))
		var got, want [MaxKeyframes]Entity
		var refs [MaxKeyframes]sampleRef
		n := f.KeyframesBetween(id, tick, since, nil, nil, &got)
		if snapshot := f.Snapshot(tick); snapshot != nil && r.IntN(2) == 0 {
			snapshot.keyframeCache = KeyframeCache{}
		}
		m := f.findKeyframes(id, tick, since, nil, nil, false, &refs)
		for i, at := range refs[:m] {
			want[i].ID = id
			at.load(&want[i].Sample)
		}
		if m != n || got != want {
			t.Fatalf("seed %d: entity %d, tick %d since %d: %+v, then %+v", seed, id, tick, since, got[:n], want[:m])
		}
		found += n
	}
	if found < 1000 {
		t.Errorf("%d keyframes: too few to mean anything", found)
	}
}
