package track

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const ms = clock.Millisecond

// every returns a view that has received every snapshot up to newest.
func every(newest uint32, at clock.Micros) View {
	return View{At: at, Seen: Received{Newest: newest, Mask: 1<<64 - 1}}
}

// look returns the Interpolator of a client, or of one that is sent everything.
func look(f *SnapshotHistory, w *collide.World) Interpolator {
	return Interpolator{History: f, World: w}
}

// path records entity 1's samples as ticks 1, 2, ….
func path(samples ...Sample) *SnapshotHistory {
	f := NewSnapshotHistory(128)
	for i, s := range samples {
		f.Record(uint32(i+1), s.At).Add(1, s)
	}
	return f
}

// HIS-06, HIS-07, HIS-08: samples at 0, 100, 200, 300, 400 ms at x = 0, 1, 2, 3, 4. Which two
// are used, and how far between.
func TestLookup(t *testing.T) {
	var samples []Sample
	for i := range 5 {
		samples = append(samples, Sample{At: clock.Micros(i) * 100 * ms, Pose: Pose{Position: geom.V(float64(i), 0, 0), Velocity: geom.V(10, 0, 0)}})
	}
	f := path(samples...)
	for _, c := range []struct {
		at  clock.Micros
		x   float64
		fit SampleSource
	}{
		{-10 * ms, 0, Held}, {0, 0, Exact}, {50 * ms, .5, Interpolated}, {100 * ms, 1, Exact},
		{225 * ms, 2.25, Interpolated}, {250 * ms, 2.5, Interpolated}, {400 * ms, 4, Exact},
		{410 * ms, 4.1, Extrapolated}, {460 * ms, 4.6, Extrapolated}, {500 * ms, 4.9, Extrapolated},
		{540 * ms, 5, Extrapolated}, {541 * ms, 5, Stale}, {9000 * ms, 5, Stale},
	} {
		s, fit := look(f, nil).At(1, every(5, c.at))
		if fit != c.fit || math.Abs(s.Position.X-c.x) > 1e-9 || s.At != c.at {
			t.Errorf("at %d ms: got x %v %v stamped %d, want x %v %v stamped %d", c.at/ms, s.Position.X, fit, s.At, c.x, c.fit, c.at)
		}
	}
	if s, fit := look(f, nil).At(2, every(5, 0)); fit != Missing || s != (Sample{}) {
		t.Errorf("an entity that is not there: got %+v %v", s, fit)
	}
	if _, fit := look(NewSnapshotHistory(128), nil).At(1, every(5, 0)); fit != Missing {
		t.Errorf("empty history: got %v want missing", fit)
	}
	if _, fit := look(f, nil).At(1, View{}); fit != Missing {
		t.Errorf("a client that has seen nothing: got %v want missing", fit)
	}
}

// HIS-07: of samples with one stamp the last counts, so a player that dies between
// two of their own commands is drawn dead.
func TestLastOfEqualStamps(t *testing.T) {
	dead := GameData{Dead: true}
	f := path(Sample{At: 0}, Sample{At: 50 * ms}, Sample{At: 50 * ms, GameData: dead}, Sample{At: 100 * ms, GameData: dead})
	for _, c := range []struct {
		at   clock.Micros
		dead bool
		fit  SampleSource
	}{{49 * ms, false, Interpolated}, {50 * ms, true, Exact}, {75 * ms, true, Interpolated}} {
		if s, fit := look(f, nil).At(1, every(4, c.at)); s.Dead != c.dead || fit != c.fit {
			t.Errorf("at %d ms: dead %v %v, want %v %v", c.at/ms, s.Dead, fit, c.dead, c.fit)
		}
	}
}

// HIS-09: a quarter of the way from (0,0,0) at 0° to (1,0.5,0) at 90° (in metres;
// yaw is the only turn): a quarter of each, where no velocity bends the way. [HIS-08]
func TestBetween(t *testing.T) {
	a := Sample{At: 1000 * ms, Pose: Pose{Mode: 1, Crouched: true}}
	b := Sample{At: 1100 * ms, Pose: Pose{Position: geom.V(1, .5, 0), Velocity: geom.V(0, 0, 4), Yaw: math.Pi / 2, Pitch: .4, Mode: 2}}
	s, fit := interpolated(&a, &b, 1025*ms)
	if fit != Interpolated || s.Position.Dist(geom.V(.25, .125, 0)) > 1e-15 || s.Velocity != geom.V(0, 0, 1) ||
		math.Abs(s.Yaw-22.5*math.Pi/180) > 1e-15 || math.Abs(s.Pitch-.1) > 1e-15 {
		t.Errorf("a quarter: %+v %v", s, fit)
	}
	if s.Mode != 1 || !s.Crouched || s.At != 1025*ms {
		t.Errorf("mode and stance come from the left: %+v", s)
	}
	// SMO-09: 170° to −170° passes 180°, not 0°.
	a.Yaw, b.Yaw = 170*math.Pi/180, -170*math.Pi/180
	if s, _ = interpolated(&a, &b, 1050*ms); math.Abs(math.Abs(s.Yaw)-math.Pi) > 1e-12 {
		t.Errorf("the shorter way: %v°, want ±180°", s.Yaw*180/math.Pi)
	}
	// SMO-09: the stable form ends on the right sample exactly.
	big := Sample{Pose: Pose{Position: geom.V(1e8, 0, 0)}}
	end := Sample{At: 3 * ms, Pose: Pose{Position: geom.V(1e-3, 0, 0)}}
	s = end
	if s.extrapolate(3 * ms); s != end {
		t.Errorf("at the right sample: %+v", s)
	}
	if s, _ = interpolated(&big, &end, 1*ms); math.Abs(s.Position.X-2e8/3) > 1e-3 {
		t.Errorf("far: %v", s.Position.X)
	}
}

// HIS-10, GAP-50: nothing is drawn between two places of a teleport, two lives or
// a death: the left pose until the right one's time.
func TestNeverAcrossABreak(t *testing.T) {
	left := Sample{At: 0, Pose: Pose{Position: geom.V(0, 0, 0)}}
	for name, right := range map[string]Sample{
		"teleport": {GameData: GameData{Teleport: 1}},
		"respawn":  {GameData: GameData{Life: 1}},
		"death":    {GameData: GameData{Dead: true}},
	} {
		right.At, right.Position = 100*ms, geom.V(50, 0, 0)
		f := path(left, right)
		for at := clock.Micros(0); at <= 100*ms; at += ms {
			s, fit := look(f, nil).At(1, every(2, at))
			want, wantFit := 0.0, Held
			switch at {
			case 0:
				wantFit = Exact
			case 100 * ms:
				want, wantFit = 50, Exact
			}
			if s.Position.X != want || fit != wantFit {
				t.Fatalf("%s: at %d ms x %v %v, want %v %v", name, at/ms, s.Position.X, fit, want, wantFit)
			}
		}
	}
}

// The dead are tracked too: between two samples of a falling body there is motion, past the last
// there is none (GAP-24).
func TestTheDeadAreNotExtrapolated(t *testing.T) {
	fell := geom.V(10, 0, 0)
	dead := GameData{Dead: true}
	f := path(Sample{Pose: Pose{Velocity: fell}, GameData: dead},
		Sample{At: 100 * ms, Pose: Pose{Position: geom.V(1, 0, 0), Velocity: fell}, GameData: dead})
	if s, fit := look(f, nil).At(1, every(2, 50*ms)); fit != Interpolated || s.Position.X != .5 {
		t.Errorf("between: %v %v, want 0.5 interpolated", s.Position.X, fit)
	}
	if s, fit := look(f, nil).At(1, every(2, 150*ms)); fit != Extrapolated || s.Position.X != 1 {
		t.Errorf("beyond: %v %v, want 1 extrapolated", s.Position.X, fit)
	}
}

// GAP-24, SIM-04: updates stop and a runner at 6 m/s runs on in full for 60 ms, then ever slower
// to 0.6 m, stale from where it stands; in DrawLinear for 200 ms and to 1.5 m. Neither its
// position nor its speed jumps.
func TestExtrapolationIsBounded(t *testing.T) {
	f := path(Sample{At: 0, Pose: Pose{Velocity: geom.V(6, 0, 0)}})
	for drawn, c := range map[DrawMode]struct {
		full, end clock.Micros
		most      float64
	}{
		DrawInterpolated: {60 * ms, 140 * ms, .6}, DrawLinear: {200 * ms, 300 * ms, 1.5},
	} {
		last, x := 6.0, 0.0
		for at := ms; at < 3*clock.Second; at += ms {
			v := every(1, at)
			v.Mode = drawn
			s, fit := look(f, nil).At(1, v)
			if at <= c.full && math.Abs(s.Position.X-6*at.Seconds()) > 1e-12 || s.Position.X > c.most+1e-12 || (fit == Stale) != (at > c.end) {
				t.Fatalf("after %d ms: %v m %v", at/ms, s.Position.X, fit)
			}
			speed := (s.Position.X - x) / ms.Seconds()
			if math.Abs(speed-(s.Velocity.X+last)/2) > 1e-6 || last-s.Velocity.X > .076 || s.Velocity.X > last {
				t.Fatalf("after %d ms: %v m/s, after %v, though %v m further", at/ms, s.Velocity.X, last, s.Position.X-x)
			}
			last, x = s.Velocity.X, s.Position.X
		}
		if math.Abs(x-c.most) > 1e-12 || last != 0 {
			t.Errorf("in the end at %v m with %v m/s, want %v m", x, last, c.most)
		}
	}
}

// An entity that stands, or hardly moves, is not extrapolated and so never stale: no sample was
// sent because nothing changed. [SIM-04, GAP-24]
func TestAnEntityAtRestIsHeld(t *testing.T) {
	for speed, want := range map[float64]SampleSource{0: Held, 1. / 64: Held, 2. / 64: Stale} {
		f := path(Sample{Pose: Pose{Position: geom.V(1, 0, 0), Velocity: geom.V(0, speed, 0)}})
		for _, drawn := range []DrawMode{DrawInterpolated, DrawLinear} {
			v := every(1, clock.Second)
			v.Mode = drawn
			if s, fit := look(f, nil).At(1, v); fit != want || (fit == Held) != (s.Position == geom.V(1, 0, 0)) {
				t.Errorf("at %v m/s: %v %v, want %v", speed, s.Position, fit, want)
			}
		}
	}
	f := path(Sample{Pose: Pose{AngularVelocity: geom.V(0, 1, 0)}})
	if _, fit := look(f, nil).At(1, every(1, 50*ms)); fit == Held {
		t.Errorf("what spins is held")
	}
}

// A gap of 250 ms is bridged. Across a wider one the newer pose is shown, so that denying what
// came in between gives no client an older target.
func TestWideGapsShowTheNewerPose(t *testing.T) {
	for _, c := range []struct {
		gap clock.Micros
		x   float64
		fit SampleSource
	}{{250 * ms, .4, Interpolated}, {250*ms + StampGrid, 1, Held}} {
		f := path(Sample{At: 0}, Sample{At: c.gap, Pose: Pose{Position: geom.V(1, 0, 0)}})
		if s, fit := look(f, nil).At(1, every(2, 100*ms)); fit != c.fit || math.Abs(s.Position.X-c.x) > 1e-3 {
			t.Errorf("gap of %d µs: x %v %v, want %v %v", c.gap, s.Position.X, fit, c.x, c.fit)
		}
	}
}

// An entity that left and came back, or another that got its ID, has a path that begins there,
// in complete snapshots.
func TestAbsenceEndsThePath(t *testing.T) {
	f := NewSnapshotHistory(128)
	for tick := uint32(1); tick <= 5; tick++ {
		frame := f.Record(tick, clock.Micros(tick)*10*ms)
		frame.Complete = true
		if tick != 3 {
			frame.Add(1, Sample{At: frame.At, Pose: Pose{Position: geom.V(float64(tick), 0, 0)}})
		}
	}
	for at, want := range map[clock.Micros]float64{15 * ms: 4, 30 * ms: 4, 45 * ms: 4.5} {
		if s, fit := look(f, nil).At(1, every(5, at)); s.Position.X != want {
			t.Errorf("at %d ms: x %v %v, want %v", at/ms, s.Position.X, fit, want)
		}
	}
	blind := View{At: 30 * ms, Seen: Received{Newest: 5, Mask: 0b1101}} // tick 3 was lost
	if s, fit := look(f, nil).At(1, blind); s.Position.X != 3 {
		t.Errorf("without the frame in between: x %v %v, want 3", s.Position.X, fit)
	}
}

// A view uses only what it names: no snapshots that had not arrived, nor those more than 64
// ticks before the newest.
func TestAViewKnowsOnlyWhatItSaw(t *testing.T) {
	f := NewSnapshotHistory(256)
	for tick := uint32(1); tick <= 100; tick++ {
		x := float64(tick)
		if tick%2 == 1 {
			x += 0.5 // odd ticks stand aside
		}
		f.Record(tick, clock.Micros(tick)*10*ms).Add(1, Sample{At: clock.Micros(tick) * 10 * ms, Pose: Pose{Position: geom.V(x, 0, 0)}})
	}
	even := Received{Newest: 100, Mask: 0xAAAAAAAAAAAAAAAA}
	for at := clock.Micros(401) * ms; at < 1000*ms; at += ms {
		if s, fit := look(f, nil).At(1, View{At: at, Seen: even}); math.Abs(s.Position.X-at.Seconds()*100) > 1e-9 {
			t.Fatalf("at %d ms: x %v %v, want %v", at/ms, s.Position.X, fit, at.Seconds()*100)
		}
	}
	oldest := View{At: 100 * ms, Seen: Received{Newest: 100, Mask: 1<<64 - 1}}
	if s, fit := look(f, nil).At(1, oldest); s.Position.X != 36 || fit != Held {
		t.Errorf("before the 64 ticks: x %v %v, want tick 36 held", s.Position.X, fit)
	}
}

// The walk back from the newest snapshot finds what a search through all samples finds, with
// entities that come and go and snapshots that are missing. [HIS-07]
func TestAtAgainstBruteForce(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 0))
	f := NewSnapshotHistory(128)
	for tick := uint32(1); tick <= 600; tick++ {
		if r.IntN(20) > 0 {
			frame := f.Record(tick, clock.Micros(tick)*16667)
			frame.Complete = true
			for id := ID(1); id <= 5; id++ {
				if r.IntN(10) > 0 {
					s := anySample(r)
					s.At, s.Life, s.Teleport = frame.At-clock.Micros(r.Int64N(20000)), uint8(tick/90), 0
					s.Base, s.PreviousBase, s.BaseChangedAt = 0, 0, 0
					frame.Add(id, s)
				}
			}
		}
		for range 20 {
			v := View{At: clock.Micros(tick)*16667 - clock.Micros(r.Int64N(1.2e6)-1e5), Seen: Received{tick, r.Uint64() | r.Uint64()}}
			id := ID(1 + r.IntN(6))
			got, fit := look(f, nil).At(id, v)
			want, wantFit := brute(look(f, nil), id, v)
			if got != want || fit != wantFit {
				t.Fatalf("seed %d tick %d entity %d view %+v:\n got %+v %v\nwant %+v %v", seed, tick, id, v, got, fit, want, wantFit)
			}
		}
	}
}

// One golden hash of 20,000 lookups: on every processor and in the browser the
// same bits. A change of it changes what is drawn and what is hit.
func TestGoldenPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(99, 0))
	within := func(size float64) float64 { return float64(r.Float64()*size) - size/2 }
	f := NewSnapshotHistory(128)
	h := fnv.New64a()
	var fits [Stale + 1]int
	for tick := uint32(1); tick <= 1000; tick++ {
		at := clock.TickTime(int64(tick), 60)
		frame := f.Record(tick, at)
		for id := ID(1); id <= 4; id++ {
			frame.Add(id, Sample{
				At: at - clock.Micros(r.Int64N(9000)),
				Pose: Pose{
					Position: geom.V(within(90), within(9), within(90)),
					Velocity: geom.V(within(12), within(9), within(12)), Yaw: within(9), Pitch: within(3),
				},
				GameData: GameData{Life: uint8(tick / 400)},
			})
		}
		for range 20 {
			v := View{At: max(0, at-clock.Micros(r.Int64N(400000))+100*ms), Seen: Received{tick, r.Uint64() | 1}}
			if tick <= 64 {
				v.Seen.Mask &= 1<<(tick-1) - 1
			}
			s, fit := look(f, nil).At(ID(1+r.IntN(4)), v)
			fits[fit]++
			for _, x := range []float64{s.Position.X, s.Position.Y, s.Position.Z, s.Velocity.X, s.Velocity.Z, s.Yaw, s.Pitch} {
				var b [8]byte
				binary.LittleEndian.PutUint64(b[:], math.Float64bits(x+0))
				h.Write(b[:])
			}
		}
	}
	compare(t, "testdata/paths.hex", h.Sum(nil))
	t.Logf("by fit: %v", fits)
}

// HIS-04, HIS-05, GAP-43: the history has a fixed size: what is older is replaced, and a slow
// recorder leaves no old pose behind.
func TestTheHistoryForgets(t *testing.T) {
	f := NewSnapshotHistory(100)
	if f.Ticks() != 100 {
		t.Fatalf("room for 100 ticks: got %d", f.Ticks())
	}
	for tick := uint32(1); tick <= 1000; tick += 3 {
		f.Record(tick, clock.Micros(tick)).Add(1, Sample{})
	}
	for tick := uint32(0); tick < 1100; tick++ {
		want := tick > 1000-100 && // the newest is 1000
			tick <= 1000 && tick%3 == 1
		if got := f.Snapshot(tick); (got != nil && got.Tick == tick) != want {
			t.Fatalf("tick %d: got %v want remembered %v", tick, got, want)
		}
	}
}

// An entity at rest that one snapshot has is in each view of which that snapshot is one of the 65, and in none later,
// wherever in the rounds of the ring it was recorded: the newest snapshot, which has the others, does not decide it.
func TestAnEntityThatOneSnapshotHas(t *testing.T) {
	const ring = ReceivedWindow + 1
	for rest := uint32(1); rest <= 3*ring; rest++ {
		f := NewSnapshotHistory(ring)
		for tick := uint32(1); tick < rest+ring+2; tick++ {
			at := clock.Micros(tick) * 10 * ms
			r := f.Record(tick, at)
			r.Add(1, Sample{At: at})
			if tick == rest {
				r.Add(200, Sample{At: at})
			}
			want := 1
			if tick >= rest && tick-rest <= ReceivedWindow {
				want = 2
			}
			if got := look(f, nil).Entities(every(tick, at), 0, nil); len(got) != want {
				t.Fatalf("recorded in tick %d, viewed in %d: %d entities, want %d", rest, tick, len(got), want)
			}
		}
	}
}

// Misuse by the caller panics with a sentence.
func TestMisusePanics(t *testing.T) {
	f := NewSnapshotHistory(128)
	f.Record(500, 0).Add(7, Sample{})
	for name, do := range map[string]func(){
		"room for less than one view": func() { NewSnapshotHistory(64) },
		"tick 0":                      func() { f.Record(0, 0) },
		"a tick long gone":            func() { f.Record(372, 0) },
		"id 0":                        func() { f.Record(501, 0).Add(0, Sample{}) },
		"id 1024":                     func() { f.Record(501, 0).Add(MaxID+1, Sample{}) },
		"ids out of order":            func() { f.Snapshot(500).Add(7, Sample{}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			do()
		}()
	}
	f.Record(374, 0) // the oldest that still has its place
}

// sample returns the entity's sample, nil if the snapshot has none.
func (f *Snapshot) sample(id ID) *Sample {
	var s Sample
	if !f.Find(id, &s) {
		return nil
	}
	return &s
}

// busy returns a history of n entities over 120 ticks at 60 Hz.
func busy(n int) *SnapshotHistory {
	r := rand.New(rand.NewPCG(3, 0))
	f := NewSnapshotHistory(128)
	for tick := uint32(1); tick <= 120; tick++ {
		fill(f, tick, n, r)
	}
	return f
}

func fill(f *SnapshotHistory, tick uint32, n int, r *rand.Rand) {
	at := clock.TickTime(int64(tick), 60)
	frame := f.Record(tick, at)
	for id := 1; id <= n; id++ {
		frame.Add(ID(id), Sample{At: at - clock.Micros(r.Int64N(9000)), Pose: Pose{Position: geom.V(float64(id), 0, r.Float64())}})
	}
}

// REW-08: recording and viewing allocate nothing once the storage is warm.
func TestNoAllocations(t *testing.T) {
	f := busy(100)
	for tick := uint32(121); tick <= 260; tick++ {
		fill(f, tick, 100, rand.New(rand.NewPCG(1, 1)))
	}
	tick, r := uint32(260), rand.New(rand.NewPCG(2, 2))
	into := make([]Entity, 0, 100)
	if n := testing.AllocsPerRun(200, func() {
		tick++
		fill(f, tick, 100, r)
		into = look(f, nil).Entities(every(tick, clock.TickTime(int64(tick), 60)-100*ms), 3, into[:0])
	}); n != 0 || len(into) != 99 {
		t.Errorf("%v allocations and %d things, want 0 and 99", n, len(into))
	}
}

// bench.md: record 100 characters ≤ 15 µs.
func BenchmarkRecord100(b *testing.B) {
	f := busy(100)
	tick, samples := uint32(120), [100]Sample{}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range samples {
		samples[i] = anySample(r)
	}
	for b.Loop() {
		tick++
		frame := f.Record(tick, clock.TickTime(int64(tick), 60))
		for i := range samples {
			frame.Add(ID(i+1), samples[i])
		}
	}
}

// What a shot or a drawn frame needs: every entity in view 100 ms ago.
func BenchmarkEntities(b *testing.B) {
	for _, n := range []int{1, 10, 64, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := busy(n)
			into := make([]Entity, 0, n)
			v := every(120, clock.TickTime(120, 60)-100*ms)
			for b.Loop() {
				into = look(f, nil).Entities(v, 0, into[:0])
			}
		})
	}
}
