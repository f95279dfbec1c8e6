package rewind_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena/assets/figure"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// yard returns a history of two seconds at 60 Hz in which n characters run to and fro in a
// yard of 60 × 60 m, the first of them to and fro 10 m before the origin, the others
// anywhere but on the way to it.
func yard(n int) *rewind.History {
	r := rand.New(rand.NewPCG(3, 0))
	home := make([]geom.Vec3, n)
	for i := range home {
		for home[i] = geom.V(10, 0, 0); i > 0 && geom.V(home[i].X, 0, home[i].Z).Sub(geom.V(10, 0, 0)).Len() < 9 || i > 0 && home[i].Z > -8 && home[i].Z < 8; {
			home[i] = geom.V(r.Float64()*60-30, 0, r.Float64()*60-30)
		}
	}
	h := rewind.NewHistory(60, 0)
	for tick := uint32(1); tick <= 131; tick++ {
		now := clock.TickTime(int64(tick), 60)
		f := h.Record(tick, now)
		for i := range home {
			s, c := geom.SinCos(float64(now.Seconds()*3) + float64(i))
			f.Add(track.ID(i+1), track.Sample{
				At: now,
				Pose: track.Pose{
					Position: home[i].Add(geom.V(0, 0, 2*s)), Velocity: geom.V(0, 0, 6*c), Yaw: 1,
					StrideDistance: math.Mod(float64(now.Seconds()*4), 64), Pitch: .2,
				},
			})
		}
	}
	return h
}

// pastView is a view of what a client had 100 ms ago, of 50 ms before.
func pastView() track.View {
	return track.View{At: clock.TickTime(122, 60) - 3*ms, Platform: clock.TickTime(125, 60), Seen: track.Received{Newest: 125, Mask: 1<<64 - 1}}
}

// told returns the log of a client that was sent every entity in every tick.
func sentLog(h *rewind.History, n int) *track.SentLog {
	t := track.NewSentLog(h.Snapshots.Ticks())
	for tick := uint32(1); tick <= h.Snapshots.Newest(); tick++ {
		t.Begin(tick)
		for id := range track.ID(n) {
			t.Add(tick, id+1)
		}
	}
	return t
}

// humanoid is the repository's own figure, of 19 volumes and a shield.
func humanoid(t testing.TB) rewind.Holders {
	t.Helper()
	r, err := rig.Unpack(figure.Humanoid)
	if err != nil {
		t.Fatal(err)
	}
	return rewind.Holders{Rig: r}
}

// shooting is a range: a history, what a client was sent of it and saw, and a scene.
type shooting struct {
	history *rewind.History
	sentLog *track.SentLog
	view    track.View
	world   *collide.World
	scene   *rewind.Scene
	at      geom.Vec3 // the chest of character 1 in the view
}

func newShooting(t testing.TB, n int) *shooting {
	s := &shooting{history: yard(n), view: pastView(), world: world(t).World, scene: rewind.NewScene(humanoid(t))}
	s.sentLog = sentLog(s.history, n)
	list, err := s.history.Entities(s.view, s.sentLog, s.world, 0, nil)
	if err != nil || len(list) != n {
		t.Fatal(len(list), err)
	}
	s.at = list[0].Position.Add(geom.V(0, 1.2, 0))
	return s
}

func (s *shooting) show() { s.history.Rebuild(s.scene, s.view, s.sentLog, s.world, 0) }

// muzzle is where the shots of a shooting come from.
var muzzle = geom.V(0, 1.5, 0)

// ray is one shot at character 1, with its view rebuilt.
func (s *shooting) ray() rewind.Outcome {
	s.show()
	return s.scene.Ray(muzzle, s.at.Sub(muzzle).Unit(), 100, rewind.HeadFirst)
}

// pellets are eight, of which most hit character 1; it returns how many do.
func (s *shooting) pellets() int {
	s.show()
	n := 0
	for k := range 8 {
		at := s.at.Add(geom.V(0, float64(k%3)*.15-.15, float64(k%4)*.08-.12))
		if s.scene.Ray(muzzle, at.Sub(muzzle).Unit(), 30, rewind.NearestPart).Target == 1 {
			n++
		}
	}
	return n
}

// A ray against a hundred with one candidate, the view rebuilt for it: ≤ 5 µs. [REW-08]
func BenchmarkRay(b *testing.B) {
	for _, n := range []int{1, 10, 64, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := newShooting(b, n)
			b.ReportAllocs()
			for b.Loop() {
				if o := s.ray(); o.Target != 1 {
					b.Fatal(o)
				}
			}
			b.ReportMetric(float64(len(s.scene.Targets())), "posed")
		})
	}
}

// Rays from anywhere in the yard at any character in it, the view rebuilt for each.
func BenchmarkRayAnywhere(b *testing.B) {
	s := newShooting(b, 100)
	list, _ := s.history.Entities(s.view, s.sentLog, s.world, 0, nil)
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
		s.show()
		s.scene.Ray(from[n%256], dirs[n%256], 100, rewind.HeadFirst)
		if n++; n <= 256 {
			rebuilt += s.scene.Rebuilt()
			posed += len(s.scene.Targets())
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
		if n := s.pellets(); n < 5 {
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
	tick, n := s.history.Snapshots.Newest(), 0
	b.ReportAllocs()
	for b.Loop() {
		tick++
		at := clock.TickTime(int64(tick), 60)
		again, f := s.history.Snapshots.Snapshot(tick-125), s.history.Record(tick, at)
		for id := track.ID(1); id <= 100; id++ {
			var e track.Sample
			again.Find(id, &e)
			e.At = at
			f.Add(id, e)
		}
		s.view.Seen.Newest, s.view.At = tick-2, at-100*clock.Millisecond
		s.sentLog = nil
		for range 10 {
			s.show()
			s.scene.Sphere(from[n%256], geom.V(1, 0, 0), .2, .1, rewind.HeadFirst)
			n++
		}
	}
}

// A rocket's blast with six around, among a hundred, the view rebuilt for it: ≤ 20 µs. [REW-08]
func BenchmarkBlast(b *testing.B) {
	s := newShooting(b, 100)
	centre := crowded(s)
	var list []rewind.BlastHit
	b.ReportAllocs()
	for b.Loop() {
		s.show()
		if list = s.scene.Blast(centre, 6, 0, list[:0]); len(list) != 6 {
			b.Fatal(len(list))
		}
	}
}

// crowded finds a place with six characters within 6 m.
func crowded(s *shooting) geom.Vec3 {
	s.show()
	for x := -30.0; x < 30; x += .5 {
		for z := -30.0; z < 30; z += .5 {
			if at := geom.V(x, 1, z); len(s.scene.Blast(at, 6, 0, nil)) == 6 {
				return at
			}
		}
	}
	panic("nobody is near anybody")
}

// A quarter of a swing at one, among a hundred, the view rebuilt for it.
func BenchmarkArc(b *testing.B) {
	s := newShooting(b, 100)
	arc := swing(s)
	var list []rewind.Outcome
	b.ReportAllocs()
	for b.Loop() {
		s.show()
		if list = s.scene.Arc(arc, rewind.NearestPart, list[:0]); len(list) != 1 {
			b.Fatal(len(list))
		}
	}
}

// swing is a quarter of a swing of 90° at character 1.
func swing(s *shooting) rewind.Arc {
	eye := s.at.Add(geom.V(-1.2, .3, 0))
	return rewind.Arc{From: eye, Yaw: -math.Pi / 2, A: -.4, B: 0, Reach: 2, Radius: .03}
}

// REW-08: 64 characters of 20 parts rewound, posed and each shot at: ≤ 500 µs.
func BenchmarkRewind64(b *testing.B) {
	s := newShooting(b, 64)
	list, _ := s.history.Entities(s.view, s.sentLog, s.world, 0, nil)
	b.ReportAllocs()
	for b.Loop() {
		s.show()
		for i := range list {
			from := list[i].Position.Add(geom.V(0, 1.2, 1.5))
			if o := s.scene.Ray(from, geom.V(0, 0, -1), 5, rewind.HeadFirst); o.Kind != rewind.Player {
				b.Fatal(o)
			}
		}
	}
	b.ReportMetric(float64(len(s.scene.Targets())), "posed")
}

// Recording 100 characters: ≤ 15 µs a tick, the boxes of the tick before included. [REW-08]
func BenchmarkRecord100(b *testing.B) {
	h := yard(100)
	tick := h.Snapshots.Newest()
	b.ReportAllocs()
	for b.Loop() {
		tick++
		record100(h, tick)
	}
}

func record100(h *rewind.History, tick uint32) {
	at := clock.TickTime(int64(tick), 60)
	f := h.Record(tick, at)
	for id := range track.ID(100) {
		f.Add(id+1, track.Sample{At: at, Pose: track.Pose{Position: geom.V(10, 0, 3), Velocity: geom.V(1, 2, 3), Yaw: 1, StrideDistance: 3}})
	}
}

// REW-08: no query allocates after a while, with views that are rebuilt and while ticks are
// recorded.
func TestQueriesAllocateNothing(t *testing.T) {
	s := newShooting(t, 100)
	centre, arc := crowded(s), swing(s)
	var blasted []rewind.BlastHit
	var met []rewind.Outcome
	hits, tick := 0, s.history.Snapshots.Newest()
	ask := func() {
		hits += int(s.ray().Target) + s.pellets()
		blasted = s.scene.Blast(centre, 6, 0, blasted[:0])
		met = s.scene.Arc(arc, rewind.HeadFirst, met[:0])
		hits += len(blasted) + len(met) + len(s.scene.Targets())
		s.scene.Sphere(muzzle, geom.V(1, 0, 0), 50, .2, rewind.HeadFirst)
		s.scene.LineOfSight(muzzle, centre)
		s.show()
		s.scene.Sphere(centre, geom.V(1, 0, 0), .2, .1, rewind.HeadFirst)
	}
	if n := testing.AllocsPerRun(50, ask); n != 0 || hits < 500 {
		t.Errorf("%v allocations and %d hits, want 0 and many", n, hits)
	}
	for range s.history.Snapshots.Ticks() { // until each has been used once
		tick++
		record100(s.history, tick)
	}
	if n := testing.AllocsPerRun(200, func() { tick++; record100(s.history, tick) }); n != 0 {
		t.Errorf("%v allocations a recorded tick, want 0", n)
	}
}
