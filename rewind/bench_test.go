package rewind_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena/assets/figure"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/bench"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// humanoid is the repository's own figure, of 19 hitboxes and a shield.
func humanoid(t testing.TB) rewind.Holders {
	t.Helper()
	r, err := rig.Unpack(figure.Humanoid)
	if err != nil {
		t.Fatal(err)
	}
	return rewind.Holders{Rig: r}
}

// newShooting returns the range of backstep bench, in which character 1 is hit.
func newShooting(t testing.TB, n int) *bench.Shooting {
	t.Helper()
	s, err := bench.NewShooting(n)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// crowded finds a place where a blast hits six.
func crowded(t testing.TB, s *bench.Shooting) geom.Vec3 {
	t.Helper()
	at, ok := s.Crowded()
	if !ok {
		t.Fatal("nobody is near anybody")
	}
	return at
}

// A ray against a hundred with one candidate, the view rebuilt for it: ≤ 5 µs. [REW-08]
func BenchmarkRay(b *testing.B) {
	for _, n := range []int{1, 10, 64, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := newShooting(b, n)
			b.ReportAllocs()
			for b.Loop() {
				if o := s.Ray(); o.Target != 1 {
					b.Fatal(o)
				}
			}
			b.ReportMetric(float64(len(s.Scene.Targets())), "posed")
		})
	}
}

// Rays from anywhere in the yard at any character in it, the view rebuilt for each.
func BenchmarkRayAnywhere(b *testing.B) {
	s := newShooting(b, 100)
	list, _ := s.History.Entities(s.View, s.SentLog, s.World, 0, nil)
	r := rand.New(rand.NewPCG(8, 0))
	var from, dirs [256]geom.Vec3
	for i := range from {
		at := list[r.IntN(len(list))].Position.Add(geom.V(0, 1.2, 0))
		from[i] = geom.V(r.Float64()*60-30, 1.5, r.Float64()*60-30)
		dirs[i] = at.Sub(from[i]).Unit()
	}
	rebuilt, posed, n := 0, 0, 0
	b.ReportAllocs()
	for b.Loop() {
		s.Rebuild()
		s.Scene.Ray(from[n%256], dirs[n%256], 100, rewind.HeadFirst)
		if n++; n <= 256 {
			rebuilt += s.Scene.Rebuilt()
			posed += len(s.Scene.Targets())
		}
	}
	b.ReportMetric(float64(rebuilt)/256, "rebuilt")
	b.ReportMetric(float64(posed)/256, "posed")
}

// Eight pellets at one target of a hundred, the view rebuilt for them: ≤ 10 µs. [REW-08]
func BenchmarkPellets(b *testing.B) {
	s := newShooting(b, 100)
	b.ReportAllocs()
	for b.Loop() {
		if n := s.Pellets(); n < 5 {
			b.Fatal(n)
		}
	}
}

// A step of each of ten flights among a hundred, each in a scene of its own time.
func BenchmarkSteps(b *testing.B) {
	s := newShooting(b, 100)
	r := rand.New(rand.NewPCG(9, 0))
	var from [256]geom.Vec3
	for i := range from {
		from[i] = geom.V(r.Float64()*60-30, 1.5, r.Float64()*60-30)
	}
	tick, n := s.History.Snapshots.Newest(), 0
	b.ReportAllocs()
	for b.Loop() {
		tick++
		at := clock.TickTime(int64(tick), 60)
		again, f := s.History.Snapshots.Snapshot(tick-125), s.History.Record(tick, at)
		for id := track.ID(1); id <= 100; id++ {
			var e track.Sample
			again.Find(id, &e)
			e.At = at
			f.Add(id, e)
		}
		s.View.Seen.Newest, s.View.At = tick-2, at-100*clock.Millisecond
		s.SentLog = nil
		for range 10 {
			s.Rebuild()
			s.Scene.Sphere(from[n%256], geom.V(1, 0, 0), .2, .1, rewind.HeadFirst)
			n++
		}
	}
}

// A rocket's blast with six around, among a hundred, the view rebuilt for it: ≤ 20 µs. [REW-08]
func BenchmarkBlast(b *testing.B) {
	s := newShooting(b, 100)
	centre := crowded(b, s)
	var list []rewind.BlastHit
	b.ReportAllocs()
	for b.Loop() {
		if list = s.Blast(centre, list[:0]); len(list) != 6 {
			b.Fatal(len(list))
		}
	}
}

// A quarter of a swing at one, among a hundred, the view rebuilt for it.
func BenchmarkArc(b *testing.B) {
	s := newShooting(b, 100)
	arc := swing(s)
	var list []rewind.Outcome
	b.ReportAllocs()
	for b.Loop() {
		s.Rebuild()
		if list = s.Scene.Arc(arc, rewind.NearestHitbox, list[:0]); len(list) != 1 {
			b.Fatal(len(list))
		}
	}
}

// swing is a quarter of a swing of 90° at character 1.
func swing(s *bench.Shooting) rewind.Arc {
	eye := s.At.Add(geom.V(-1.2, .3, 0))
	return rewind.Arc{From: eye, Yaw: -math.Pi / 2, A: -.4, B: 0, Reach: 2, Radius: .03}
}

// REW-08: 64 characters of 20 parts rewound, posed and each shot at: ≤ 500 µs.
func BenchmarkRewind64(b *testing.B) {
	s := newShooting(b, 64)
	list, _ := s.History.Entities(s.View, s.SentLog, s.World, 0, nil)
	b.ReportAllocs()
	for b.Loop() {
		s.Rebuild()
		for i := range list {
			from := list[i].Position.Add(geom.V(0, 1.2, 1.5))
			if o := s.Scene.Ray(from, geom.V(0, 0, -1), 5, rewind.HeadFirst); o.Kind != rewind.Player {
				b.Fatal(o)
			}
		}
	}
	b.ReportMetric(float64(len(s.Scene.Targets())), "posed")
}

// Recording 100 characters: ≤ 15 µs a tick, the boxes of the tick before included. [REW-08]
func BenchmarkRecord100(b *testing.B) {
	s := newShooting(b, 100)
	tick := s.History.Snapshots.Newest()
	b.ReportAllocs()
	for b.Loop() {
		tick++
		s.Record(tick)
	}
}

// REW-08: no query allocates after a while, with views that are rebuilt and while ticks are
// recorded.
func TestQueriesAllocateNothing(t *testing.T) {
	s := newShooting(t, 100)
	centre, arc := crowded(t, s), swing(s)
	var blasted []rewind.BlastHit
	var met []rewind.Outcome
	hits, tick := 0, s.History.Snapshots.Newest()
	ask := func() {
		hits += int(s.Ray().Target) + s.Pellets()
		blasted = s.Scene.Blast(centre, 6, 0, blasted[:0])
		met = s.Scene.Arc(arc, rewind.HeadFirst, met[:0])
		hits += len(blasted) + len(met) + len(s.Scene.Targets())
		s.Scene.Sphere(bench.Muzzle, geom.V(1, 0, 0), 50, .2, rewind.HeadFirst)
		s.Scene.LineOfSight(bench.Muzzle, centre)
		s.Rebuild()
		s.Scene.Sphere(centre, geom.V(1, 0, 0), .2, .1, rewind.HeadFirst)
	}
	if n := testing.AllocsPerRun(50, ask); n != 0 || hits < 500 {
		t.Errorf("%v allocations and %d hits, want 0 and many", n, hits)
	}
	for range s.History.Snapshots.Ticks() { // until each has been used once
		tick++
		s.Record(tick)
	}
	if n := testing.AllocsPerRun(200, func() { tick++; s.Record(tick) }); n != 0 {
		t.Errorf("%v allocations a recorded tick, want 0", n)
	}
}
