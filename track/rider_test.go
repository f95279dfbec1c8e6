package track

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// The fair's bodies.
const (
	lift  collide.MoverID = 1 + iota // 2 m/s up for 4 s, and down
	stage                            // turns at 1 rad/s about (10, 0, 0)
	wheel                            // a smooth round about a slanting axis
)

// fair is a world of three bodies.
func fair() *collide.World {
	var b collide.Builder
	board := func(b *collide.Builder) {
		b.Box(geom.V(0, -.1, 0), geom.V(3, .1, 3), geom.IdentityQuat, collide.Surface{})
	}
	b.Mover("lift", collide.Path{Loop: true, Keys: []collide.Key{
		{}, {At: 4 * clock.Second, Position: geom.V(0, 8, 0)}, {At: 8 * clock.Second},
	}}, board)
	b.Mover("stage", collide.Path{Loop: true, Keys: []collide.Key{
		{Position: geom.V(10, 0, 0)}, {At: 6_283_185, Position: geom.V(10, 0, 0), Angle: 2 * math.Pi},
	}}, board)
	b.Mover("wheel", collide.Path{Loop: true, Smooth: true, Axis: geom.V(.6, .8, 0), Keys: []collide.Key{
		{Position: geom.V(-20, 0, 0)}, {At: 2 * clock.Second, Position: geom.V(-20, 6, 3), Angle: 2},
		{At: 5 * clock.Second, Position: geom.V(-26, 1, 0), Angle: 4}, {At: 7 * clock.Second, Position: geom.V(-20, 0, 0), Angle: 2 * math.Pi},
	}}, board)
	return b.MustBake()
}

// BAS-01: a character that walks along a lift at 1 m/s is drawn where it walked to at the view
// time, and as high as the lift is at the platform time, 150 ms later; its velocity includes the
// lift's. Past the last sample it walks on, on the lift.
func TestRidersAreDrawnOnTheirBase(t *testing.T) {
	w := fair()
	var samples []Sample
	for i := range 5 {
		samples = append(samples, Sample{
			At:       clock.Micros(i) * 50 * ms,
			BaseLink: BaseLink{Base: lift},
			Pose:     Pose{Position: geom.V(float64(i)/20, 0, 0), Velocity: geom.V(1, 0, 0)},
		})
	}
	f := path(samples...)
	for _, at := range []clock.Micros{0, 30 * ms, 50 * ms, 199 * ms, 240 * ms} {
		s, fit := look(f, w).At(1, View{At: at, Platform: at + 150*ms, Seen: every(5, 0).Seen})
		want := geom.V(at.Seconds(), 2*(at+150*ms).Seconds(), 0)
		if s.Position.Dist(want) > 1e-3 || s.Velocity.Dist(geom.V(1, 2, 0)) > 1e-9 || s.Base != collide.Static {
			t.Errorf("at %d ms: %v (%v), velocity %v; want %v", at/ms, s.Position, fit, s.Velocity, want)
		}
	}
}

// hopper is a character that flies through the fair at 5 m/s, and every 667 ms stands on another
// mover for as long, as a server records it: 60 samples a second. A change of base that comes
// before the one before it is drawn is recorded later.
func hopper(w *collide.World, seed uint64) *SnapshotHistory {
	r := rand.New(rand.NewPCG(seed, 0))
	f := NewSnapshotHistory(256)
	base, was, since := lift, collide.Static, clock.Micros(0)
	for tick := uint32(1); tick <= 200; tick++ {
		at := clock.TickTime(int64(tick), 60)
		if tick%40 == 0 {
			was, since, base = base, at, collide.MoverID(r.IntN(4))
		}
		s := Sample{At: at, Pose: Pose{Position: hops(at), Velocity: geom.V(3, 0, 4)}}
		s = s.ToBase(base, w, at)
		s.PreviousBase, s.BaseChangedAt = was, since
		f.Record(tick, at).Add(1, s)
	}
	return f
}

// hops is where the hopper truly is.
func hops(at clock.Micros) geom.Vec3 { return geom.V(-20, 1, -5).MulAdd(geom.V(3, 0, 4), at.Seconds()) }

// BAS-01: a character that goes from one base to another is drawn without a jump, though each
// mover is drawn 200 ms later than it is left: it is blended from the one to the other within
// BaseBlendTime to MaxBaseBlendTime. Without that delay it is always drawn where it is.
func TestFromOneBaseToAnother(t *testing.T) {
	w := fair()
	for seed := range uint64(8) {
		f := hopper(w, seed)
		last, widest := geom.Vec3{}, 0.0
		for at := clock.Micros(100_000); at < 3_200_000; at += 1000 {
			v := every(200, at)
			v.Platform = at
			if v.Seen.Newest = uint32(min(200, at*60/clock.Second+3)); v.Seen.Newest < 64 {
				v.Seen.Mask = 1<<(v.Seen.Newest-1) - 1
			}
			if s, _ := look(f, w).At(1, v); s.Position.Dist(hops(at)) > 0.01 || s.Velocity.Dist(geom.V(3, 0, 4)) > 0.5 {
				t.Fatalf("seed %d: without a delay, at %d: drawn at %v with %v, truly at %v", seed, at, s.Position, s.Velocity, hops(at))
			}
			v.Platform = at + 200*ms
			s, _ := look(f, w).At(1, v)
			if d := s.Position.Dist(last); !last.IsZero() {
				widest = max(widest, d)
			}
			last = s.Position
		}
		if widest > 0.05 {
			t.Errorf("seed %d: drawn %v m further in a millisecond", seed, widest)
		}
		t.Logf("seed %d: at most %.3f m in a millisecond", seed, widest)
	}
}

// thrown is a character that stands on the rim of the stage, 3 m from its middle, for a second,
// and then flies off straight on, as a server records it that receives its moves lag later, with
// or without Sample.Lag.
func thrown(w *collide.World, lag clock.Micros, withLag bool) *SnapshotHistory {
	f := NewSnapshotHistory(256)
	v := collide.WorldAt{World: w, At: clock.Second}
	left := v.Pose(stage).Apply(geom.V(3, 0, 0))
	speed := v.VelocityAt(stage, left)
	for tick := uint32(1); tick <= 120; tick++ {
		at := clock.TickTime(int64(tick), 60) // of the move
		s := Sample{At: at + lag, BaseLink: BaseLink{Base: stage}, Pose: Pose{Position: geom.V(3, 0, 0)}}
		if at >= clock.Second {
			s = Sample{
				At:       at + lag,
				Pose:     Pose{Position: left.MulAdd(speed, (at - clock.Second).Seconds()), Velocity: speed},
				BaseLink: BaseLink{PreviousBase: stage, BaseChangedAt: clock.Second + lag},
			}
			if withLag {
				s.Lag = lag
			}
		}
		f.Record(tick, at+lag).Add(1, s)
	}
	return f
}

// BAS-10: others see a player later than it moved. If a path says by how much, a blend begins
// where the base was left, and the player does not jump; else it begins where the base has
// turned to since.
func TestABaseBlendBeginsWhereTheBaseWasLeft(t *testing.T) {
	w := fair()
	for _, lag := range []clock.Micros{0, 60 * ms, 100 * ms, 250 * ms} {
		for _, withLag := range []bool{true, false} {
			f := thrown(w, lag, withLag)
			last, widest := geom.Vec3{}, 0.0
			for at := 500 * ms; at < 1700*ms; at += ms {
				v := every(120, at)
				v.Platform = at + 120*ms
				s, fit := look(f, w).At(1, v)
				if d := s.Position.Dist(last); !last.IsZero() {
					widest = max(widest, d)
				}
				if last = s.Position; fit == Missing {
					t.Fatalf("at %d: missing", at)
				}
			}
			t.Logf("lag %d ms, withLag %v: at most %.3f m in a millisecond", lag/ms, withLag, widest)
			// What is jumped is jumped from one sample to the next, in 17 ms.
			if jump := widest > 0.005; jump != (!withLag && lag > 0) {
				t.Errorf("lag %d ms, withLag %v: drawn %.3f m further in a millisecond", lag/ms, withLag, widest)
			}
		}
	}
}

// A character that got off a lift is drawn on it until it got off, and where it stands from 200
// ms after that. [BAS-01]
func TestGettingOff(t *testing.T) {
	w := fair()
	a := Sample{At: 950 * ms, BaseLink: BaseLink{Base: lift}}
	b := Sample{At: clock.Second, Pose: Pose{Position: geom.V(0, 2, 0)}, BaseLink: BaseLink{BaseChangedAt: clock.Second, PreviousBase: lift}}
	c := Sample{At: 1050 * ms, Pose: Pose{Position: geom.V(0, 2, 0)}, BaseLink: BaseLink{BaseChangedAt: clock.Second, PreviousBase: lift}}
	f := path(a, b, c)
	for at, want := range map[clock.Micros]float64{
		950 * ms: 2.3, 999 * ms: 2.398, clock.Second: 2.4, 1020 * ms: 2 + .4*.9, 1100 * ms: 2 + .4*.5, 1200 * ms: 2, 1300 * ms: 2,
	} {
		s, fit := look(f, w).At(1, View{At: at, Platform: at + 200*ms, Seen: every(3, 0).Seen})
		if math.Abs(s.Position.Y-want) > 2e-3 || s.Base != collide.Static || s.BaseChangedAt != 0 {
			t.Errorf("at %d ms: %v m high (%v), want %v", at/ms, s.Position.Y, fit, want)
		}
	}
}

// A rider of a mover that this side's world does not have is taken to be where its sample says,
// and no world at all is one without bodies.
func TestUnknownBases(t *testing.T) {
	s := Sample{BaseLink: BaseLink{Base: 9}, Pose: Pose{Position: geom.V(1, 2, 3)}}
	for _, w := range []*collide.World{nil, fair()} {
		if got := s.ToWorld(w, clock.Second); got.Position != s.Position || got.Base != collide.Static {
			t.Errorf("got %+v", got)
		}
	}
}

// BAS-05: between two directions of gravity the body turns from one to the other;
// none is +Y, and opposite ones are not mixed.
func TestUpTurns(t *testing.T) {
	for _, c := range []struct{ a, b, want geom.Vec3 }{
		{geom.Vec3{}, geom.Vec3{}, geom.Up}, {geom.Vec3{}, geom.V(1, 0, 0), geom.V(1, 1, 0).Unit()},
		{geom.V(0, 0, 1), geom.V(0, 0, 1), geom.V(0, 0, 1)}, {geom.Vec3{}, geom.V(0, -1, 0), geom.Up},
	} {
		s, _ := interpolated(&Sample{Pose: Pose{Up: c.a}}, &Sample{At: 20 * ms, Pose: Pose{Up: c.b}}, 10*ms)
		if s.UpVector().Dist(c.want) > 1e-9 {
			t.Errorf("half-way from %v to %v: got %v want %v", c.a, c.b, s.UpVector(), c.want)
		}
	}
}

// Riders too: the walk back from the newest snapshot finds what a search through all samples
// finds, whichever mover an entity stands on. [BAS-01, HIS-08, HIS-09, HIS-10]
func TestRidersAgainstBruteForce(t *testing.T) {
	const seed = 6
	r, w, f := rand.New(rand.NewPCG(seed, 0)), fair(), NewSnapshotHistory(128)
	bases := map[bool]int{}
	for tick := uint32(1); tick <= 600; tick++ {
		frame := f.Record(tick, clock.Micros(tick)*16667)
		for id := ID(1); id <= 5; id++ {
			s := anySample(r)
			s.At, s.Life, s.Teleport, s.Dead = frame.At-clock.Micros(r.Int64N(20000)), 0, 0, false
			s.PreviousBase, s.BaseChangedAt = 0, 0
			s.Base = collide.MoverID((int(id) + int(tick)/(10*int(id))) % 4)
			frame.Add(id, s)
		}
		for range 20 {
			v := View{At: clock.Micros(tick)*16667 - clock.Micros(r.Int64N(1.2e6)-1e5), Seen: Received{tick, r.Uint64() | r.Uint64()}}
			v.Platform = v.At + clock.Micros(r.Int64N(3e5))
			id := ID(1 + r.IntN(5))
			got, fit := look(f, w).At(id, v)
			want, wantFit := brute(look(f, w), id, v)
			if got != want || fit != wantFit {
				t.Fatalf("seed %d tick %d entity %d view %+v:\n got %+v %v\nwant %+v %v", seed, tick, id, v, got, fit, want, wantFit)
			}
			bases[fit == Interpolated]++
		}
	}
	if bases[true] < 1000 || bases[false] < 1000 {
		t.Errorf("too few to mean anything: %v", bases)
	}
}

// BAS-01: bringing riders into a view allocates nothing.
func TestToViewAllocatesNothing(t *testing.T) {
	w, s := fair(), Sample{BaseLink: BaseLink{Base: wheel}, Pose: Pose{Position: geom.V(1, 0, 1), Velocity: geom.V(1, 0, 0)}}
	at := clock.Micros(0)
	if n := testing.AllocsPerRun(200, func() {
		at += 16667
		if p := s.ToWorld(w, at); !p.Position.Finite() {
			t.Fatal(p)
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// What 100 riders cost a drawn frame.
func BenchmarkRiders100(b *testing.B) {
	w, f := fair(), NewSnapshotHistory(128)
	for tick := uint32(1); tick <= 120; tick++ {
		frame := f.Record(tick, clock.TickTime(int64(tick), 60))
		for id := ID(1); id <= 100; id++ {
			frame.Add(id, Sample{At: frame.At, BaseLink: BaseLink{Base: wheel}, Pose: Pose{Position: geom.V(float64(id), 0, 0)}})
		}
	}
	into, v := make([]Entity, 0, 100), every(120, clock.TickTime(120, 60)-100*ms)
	for b.Loop() {
		into = look(f, w).Entities(v, 0, into[:0])
	}
}
