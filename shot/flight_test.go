package shot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// grenade bounces and burns down within 2 s.
func grenade() Weapon {
	return Weapon{
		Name: "grenade", Kind: Projectile, Cooldown: 900 * ms, Magazine: 3,
		Damage: [rig.HitGroups]uint16{rig.Body: 10, rig.Head: 20},
		Flight: Ballistics{Speed: 16, Gravity: 9.81, Radius: 0.12, Bounce: 0.45, Fuse: 2 * clock.Second, EntityKind: 5},
		Blast:  Blast{Radius: 4, Inner: 1, Damage: 90, Min: 0.2, Self: 0.7},
	}
}

// range of flights: 60 Hz, a floor, walls at ±20 m, a lift that goes up and down at 15 m in
// front, and players 2 to 6 that strafe at different distances.
type field struct {
	history *rewind.History
	world   *collide.World
	tick    uint32
	self    []track.Entity // the shooter for blasts; nil is one that is not hurt
	blind   clock.Micros   // before which nothing is known
	shown   int            // how often a scene was asked for
}

func newField() *field {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(40, 1, 40), geom.IdentityQuat, collide.Surface{})
	for _, side := range []float64{-1, 1} {
		b.Box(geom.V(20.5*side, 5, 0), geom.V(0.5, 6, 40), geom.IdentityQuat, collide.Surface{})
		b.Box(geom.V(0, 5, 20.5*side), geom.V(40, 6, 0.5), geom.IdentityQuat, collide.Surface{})
	}
	b.Mover("lift", collide.Path{Keys: []collide.Key{{}, {At: clock.Second, Position: geom.V(0, 3, 0)}, {At: 2 * clock.Second}}, Loop: true, Smooth: true},
		func(b *collide.Builder) {
			b.Box(geom.V(0, 0.1, -15), geom.V(2, 0.1, 2), geom.IdentityQuat, collide.Surface{})
		})
	w := b.MustBake()
	return &field{history: rewind.NewHistory(60, clock.Second), world: w}
}

// path is where player id is.
func path(id track.ID, at clock.Micros) (feet, velocity geom.Vec3) {
	k := float64(id)
	sin, cos := geom.SinCos(float64(at.Seconds()*k) / 2)
	return geom.V(4*sin, 0, -3*k), geom.V(2*k*cos, 0, 0)
}

// run records up to a tick.
func (f *field) run(tick uint32) {
	for f.tick < tick {
		f.tick++
		at := clock.TickTime(int64(f.tick), 60)
		frame := f.history.Record(f.tick, at)
		frame.Add(shooter, track.Sample{At: at})
		for id := track.ID(2); id <= 6; id++ {
			p, v := path(id, at)
			frame.Add(id, track.Sample{At: at, Pose: track.Pose{Position: p, Velocity: v}, GameData: track.GameData{Life: uint8(id)}})
		}
	}
}

func (f *field) now() clock.Micros { return clock.TickTime(int64(f.tick), 60) }

// Scene implements WorldHistory.
func (f *field) Scene(at, platform clock.Micros, s *rewind.Scene) bool {
	f.shown++
	if at < f.blind {
		return false
	}
	v := track.View{At: at, Platform: platform, Seen: seen(f.tick)}
	return f.history.Rebuild(s, v, nil, f.world, shooter) == nil
}

// Self implements WorldHistory.
func (f *field) Self(platform clock.Micros, s *rewind.Scene) bool {
	s.Set(collide.WorldAt{World: f.world, At: platform}, f.self)
	return f.self != nil
}

// thrown is a flight of weapon 0 of a table, that leaves along yaw and pitch.
func thrown(t Table, from geom.Vec3, yaw, pitch float64, fired, lag clock.Micros) Flight {
	c := Claim{Fire: true, Yaw: yaw, Pitch: pitch}.Quantise()
	return Launch(&t[0], &FireParams{Shooter: shooter, Number: 7, Eye: from, Claim: &c}, fired, fired-lag, 1)
}

// However time is cut, frames of 30, 60 or 144 Hz, ticks, or 400 ms caught up at once, a
// flight ends at the same place at the same time with the same hurts, bit for bit: rockets
// and grenades through a room of players and a lift, at every view lag. [GAP-46]
func TestFlightsAreTheSameHoweverTimeIsCut(t *testing.T) {
	const seed = 81
	r := rand.New(rand.NewPCG(seed, 0))
	ends, hurts, rests := map[DetonationCause]int{}, 0, 0
	scene := rewind.NewScene(nil)
	for i := range 40 {
		w := []Weapon{rocket(), grenade()}[i%2]
		if w.LagCompensation.Flight = FlightTimeline(i / 2 % 3); i%2 == 1 {
			w.Flight.Speed, w.Flight.Fuse = 8, 3*clock.Second
		}
		table := Table{w}
		from := geom.V(r.Float64()*4-2, 1.6, 2)
		if i%4 == 3 { // short of everybody
			w.Flight.Speed, from.Z = 4, 10
			table[0] = w
		}
		yaw, pitch := r.Float64()-0.5, r.Float64()*0.6-0.3
		fired, lag := 10*clock.Second+clock.Micros(r.Int64N(16000)), clock.Micros(r.Int64N(200000))
		var want Detonation
		for k, late := range []clock.Micros{0, 0, 0, 400 * ms, 250 * ms} {
			f := newField()
			f.self = []track.Entity{{ID: shooter, Sample: track.Sample{Pose: track.Pose{Position: from.Sub(geom.V(0, 1.6, 0))}}}}
			rate := int64([]int{30, 60, 144, 60, 144}[k])
			flight := thrown(table, from, yaw, pitch, fired, lag)
			var b Detonation
			for n, over := int64(0), false; !over; n++ {
				now := fired + late + clock.Micros(n*int64(clock.Second)/rate)
				f.run(uint32(int64(now)*60/int64(clock.Second)) + 1)
				b, over = flight.Advance(table, now, f, scene)
			}
			if k == 0 {
				want = b
				ends[b.Cause]++
				hurts += int(b.Hits.EventCount)
				if flight.Resting {
					rests++
				}
			} else if b != want {
				t.Fatalf("seed %d, %s %d at %d Hz, %d ms late: ends\n%+v\nwant\n%+v", seed, w.Name, i, rate, late/ms, b, want)
			}
		}
	}
	t.Logf("ends %v, %d hurt, %d lay still", ends, hurts, rests)
	if hurts < 20 || rests < 3 || ends[Impact] < 10 || ends[FuseExpired] < 10 {
		t.Error("too little happened to mean anything")
	}
}

// A thing that is thrown is where the parabola has it, at every step.
func TestTheParabola(t *testing.T) {
	f := newField()
	f.run(60)
	table := Table{grenade()}
	flight := thrown(table, geom.V(0, 1.6, 15), 0, 0.8, clock.Second/2, 0)
	p, v := flight.Position, flight.Velocity
	scene := rewind.NewScene(nil)
	for flight.At() < clock.Second-FlightStep {
		if _, over := flight.Advance(table, flight.At()+FlightStep, f, scene); over {
			t.Fatal("it met something")
		}
		s := (flight.At() - flight.Fired).Seconds()
		want := p.MulAdd(v, s).Add(geom.V(0, -9.81/2*s*s, 0))
		if d := flight.Position.Dist(want); d > 1e-9 {
			t.Fatalf("after %v s off by %v m", s, d)
		}
	}
	if flight.Steps != 60 || math.Abs(v.Len()-16) > 1e-9 {
		t.Errorf("%d steps, %v m/s", flight.Steps, v.Len())
	}
}

// A rocket that is aimed ahead of a strafing player hits where its shooter sees it hit, 150
// ms behind the present; judged among the present it passes behind him. [GAP-41]
func TestALeadHitsWhatTheShooterSees(t *testing.T) {
	const lag = 150 * ms
	scene := rewind.NewScene(nil)
	for lead, hit := range map[FlightTimeline]bool{TimelineShooter: true, TimelinePresent: false} {
		w := rocket()
		w.LagCompensation.Flight, w.Blast = lead, Blast{}
		table := Table{w}
		f := newField()
		fired := 10 * clock.Second
		// Player 6 is 18 m away and crosses at 12 m/s at most: the place that he has on the
		// screen when the rocket is there.
		aim, eye := geom.Vec3{}, geom.V(0, 1, 0)
		for range 8 {
			there := fired + clock.Micros(eye.Dist(aim)/25*1e6)
			aim, _ = path(6, there-lag)
			aim.Y = 1
		}
		d := aim.Sub(eye)
		flight := thrown(table, eye, geom.Yaw(d), 0, fired, lag)
		f.history.Snapshots = track.NewSnapshotHistory(200)
		var b Detonation
		for over := false; !over; {
			f.run(f.tick + 1)
			if f.tick < 600 {
				continue
			}
			b, over = flight.Advance(table, f.now(), f, scene)
		}
		if (b.Hits.Outcome.Target == 6) != hit {
			t.Errorf("lead %d: struck %+v at %v", lead, b.Hits.Outcome.HitTarget, b.Point)
		}
		if got := b.At - b.View; lead == TimelineShooter && got != lag || lead == TimelinePresent && got != 0 {
			t.Errorf("lead %d: met everybody %d ms behind", lead, got/ms)
		}
	}
	w := rocket()
	w.LagCompensation.Flight = TimelineFade
	flight := Flight{Fired: clock.Second, ViewLag: 200 * ms}
	for age, want := range map[clock.Micros]clock.Micros{0: 200 * ms, 125 * ms: 150 * ms, 250 * ms: 100 * ms, 500 * ms: 0, clock.Second: 0} {
		if at := clock.Second + age; at-flight.TargetTime(&w, at) != want {
			t.Errorf("LeadFade at %d ms: %d ms behind, want %d", age/ms, (at-flight.TargetTime(&w, at))/ms, want/ms)
		}
	}
}

// still is a field where players 2 … stand still at places.
func still(t *testing.T, build func(b *collide.Builder), at ...geom.Vec3) *field {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(40, 1, 40), geom.IdentityQuat, collide.Surface{})
	if build != nil {
		build(&b)
	}
	w := b.MustBake()
	f := &field{history: rewind.NewHistory(60, clock.Second), world: w}
	for f.tick = 1; ; f.tick++ {
		now := f.now()
		frame := f.history.Record(f.tick, now)
		for i, p := range at {
			frame.Add(track.ID(2+i), track.Sample{At: now, Pose: track.Pose{Position: p}})
		}
		if now > 4*clock.Second {
			return f
		}
	}
}

// fly flies a flight to its end.
func (f *field) fly(t *testing.T, table Table, flight Flight) Detonation {
	t.Helper()
	b, over := flight.Advance(table, flight.Fired+60*clock.Second, f, rewind.NewScene(nil))
	if !over {
		t.Fatal("it flies on")
	}
	return b
}

// HIT-09: a blast of 3 m reaches a body whose nearest part is 3 m away, and no further; within
// Inner all of the damage is done, at the radius Min of it, in between on a line. [GAP-45]
func TestTheEdgeOfABlast(t *testing.T) {
	w := rocket()
	w.Blast = Blast{Radius: 3, Inner: 1, Damage: 100, Min: 0.2}
	w.Flight.Radius = 0
	for gap, want := range map[float64]uint16{0.2: 100, 1: 100, 2: 60, 2.5: 40, 2.998: 20, 3.002: 0} {
		// It strikes a pole at x 0 as high as the trunk, the body's side is gap away.
		f := still(t, func(b *collide.Builder) {
			b.Box(geom.V(0, 0.75, -10.5), geom.V(0.005, 0.75, 0.5), geom.IdentityQuat, collide.Surface{})
		}, geom.V(0.34+gap, 0, -10+surfaceOffset))
		b := f.fly(t, Table{w}, thrown(Table{w}, geom.V(0, 0.8, 0), 0, 0, 3500*ms, 100*ms))
		if b.Cause != Impact || b.Hits.Outcome.Kind != rewind.World || b.Hits.Damage != want || b.Hits.EventCount != bit(want > 0) {
			t.Errorf("%v m away: %d, want %d (%+v)", gap, b.Hits.Damage, want, b)
		}
	}
}

// GAP-45: a target struck directly takes that damage and none of the blast's; others take the
// blast's, except behind a wall; the shooter takes a share, once. [HIT-09, GAP-48]
func TestWhoABlastHurts(t *testing.T) {
	w := rocket()
	w.Blast.Inner = 3
	f := still(t, func(b *collide.Builder) {
		b.Box(geom.V(-1.2, 2, -10), geom.V(0.1, 2, 3), geom.IdentityQuat, collide.Surface{})
	}, geom.V(0, 0, -10), geom.V(2, 0, -10), geom.V(-2, 0, -10), geom.V(0, 0, -20))
	f.self = []track.Entity{{ID: shooter, Sample: track.Sample{Pose: track.Pose{Position: geom.V(0, 0, -8)}, GameData: track.GameData{Life: 9}}}}
	b := f.fly(t, Table{w}, thrown(Table{w}, geom.V(0, 1, 0), 0, 0, 3500*ms, 0))
	want := []DamageEvent{{Target: 2, HitGroup: rig.Body, Count: 1, Damage: 70}, {Target: 3, HitGroup: rig.Body, Count: 1, Damage: 60}, {Target: shooter, Life: 9, HitGroup: rig.Body, Count: 1, Damage: 30}}
	if got := b.Hits.Events[:b.Hits.EventCount]; fmt.Sprint(got) != fmt.Sprint(want) || b.Hits.Damage != 160 {
		t.Errorf("hurt %+v of %d in all\nwant %+v", got, b.Hits.Damage, want)
	}
	if b.Hits.Outcome.Target != 2 || b.Hits.Scene.Count != 3 || b.Normal.Z < 0.5 {
		t.Errorf("%+v", b)
	}
	if r := b.Receipt(); r.Verdict != Hit || r.Shot != 7 || r.EventCount != 3 || r.Damage != 160 || r.ViewGranted != b.View {
		t.Errorf("%+v", r)
	}
	f.self = nil
	if b = f.fly(t, Table{w}, thrown(Table{w}, geom.V(0, 1, 0), 0, 0, 3500*ms, 0)); b.Hits.EventCount != 2 {
		t.Errorf("without a shooter: %+v", b.Hits)
	}
	crowd := make([]geom.Vec3, 12)
	for i := range crowd {
		sin, cos := geom.SinCos(float64(i) / 2)
		crowd[i] = geom.V((1+float64(i)/8)*sin, 0, -10+(1+float64(i)/8)*cos)
	}
	f = still(t, nil, crowd...)
	w.Blast, w.Flight.Fuse, w.Flight.Speed = Blast{Radius: 4, Damage: 100}, 50*ms, 1
	if b = f.fly(t, Table{w}, thrown(Table{w}, geom.V(0, 1, -10), 0, 0, 3500*ms, 0)); b.Hits.EventCount != MaxDamageEvents || b.Hits.Events[0].Target != 2 || b.Hits.Events[7].Target != 9 {
		t.Errorf("of a crowd the nearest eight: %+v", b.Hits.Events)
	}
}

// A ball that falls keeps its share of the speed into the floor; it rolls, lies still, rides
// on a lift that goes up under it, and bursts there when its fuse is down. Without gravity it
// goes on for ever. [GAP-46]
func TestBouncingRollingResting(t *testing.T) {
	f := newField()
	f.run(75)
	w := grenade()
	table := Table{w}
	scene := rewind.NewScene(nil)
	flight := Flight{Shooter: shooter, Fired: clock.Second / 4, Position: geom.V(10, 2.12, 0)} // 2 m over the floor
	highest, fell := 0.0, false
	for flight.At() < clock.Second*5/4-FlightStep {
		flight.Advance(table, flight.At()+FlightStep, f, scene)
		if fell = fell || flight.Velocity.Y > 0; fell {
			highest = max(highest, flight.Position.Y-0.12)
		}
	}
	// √(2gh)·0.45 up again is 0.45² of the height.
	if want := 2 * 0.45 * 0.45; math.Abs(highest-want) > 0.02 {
		t.Errorf("it bounced %v m, want %v", highest, want)
	}
	f = still(t, func(b *collide.Builder) {
		b.Mover("lift", collide.Path{Keys: []collide.Key{{}, {At: 4 * clock.Second, Position: geom.V(0, 2, 0)}}},
			func(b *collide.Builder) {
				b.Box(geom.V(0, 0.1, -5), geom.V(4, 0.1, 4), geom.IdentityQuat, collide.Surface{})
			})
	})
	for _, on := range []struct {
		at   geom.Vec3
		rode float64
	}{{geom.V(0, 1.5, -5), 0.3}, {geom.V(10, 1.5, -5), 0}} {
		flight = thrown(table, on.at, 0, 0, clock.Second, 0)
		flight.Velocity = geom.V(0.5, 0, 0)
		var b Detonation
		rode := 0.0
		for over := false; !over; {
			was, lay := flight.Position.Y, flight.Resting
			if b, over = flight.Advance(table, flight.At()+FlightStep, f, scene); !lay {
				continue
			}
			rode += flight.Position.Y - was
			floor := (&collide.WorldAt{World: f.world, At: flight.At()}).Pose(flight.Base).Translation.Y
			if flight.Base != collide.Static {
				floor += 0.2
			}
			if over := flight.Position.Y - floor; math.Abs(over-0.12) > 0.01 {
				t.Fatalf("%v: lies %v over the floor, want 0.12", on.at, over)
			}
		}
		if b.Cause != FuseExpired || !flight.Resting || rode < on.rode || on.rode == 0 && rode != 0 || b.At != flight.Fired+240*FlightStep {
			t.Errorf("%v: rode %v m, %v, %+v", on.at, rode, flight, b.At-flight.Fired)
		}
	}
}

// A door closes against a wall of 20 cm, and a lift comes down on the floor, while a mine that floats is in between:
// neither pushes it through, however fast or slow. A rocket ends where the door reaches it. [GAP-46]
func TestMoversPushNothingThroughTheLevel(t *testing.T) {
	for _, lasts := range []clock.Micros{200 * ms, clock.Second, 8 * clock.Second} {
		for name, to := range map[string]geom.Vec3{"door": geom.V(2, 0, 0), "lift": geom.V(0, -3, 0)} {
			f := still(t, func(b *collide.Builder) {
				b.Box(geom.V(1.6, 2, 0), geom.V(.1, 2, 5), geom.IdentityQuat, collide.Surface{}) // from x 1.5 to 1.7
				b.Mover(name, collide.Path{Keys: []collide.Key{{}, {At: clock.Second}, {At: clock.Second + lasts, Position: to}}}, func(b *collide.Builder) {
					b.Box(geom.V(-1, 1-to.Y, 0), geom.V(.5, 1, 1), geom.IdentityQuat, collide.Surface{})
				})
			})
			w := grenade()
			w.Flight.Gravity, w.Flight.Fuse = 0, MaxFuse
			flight := Flight{Shooter: shooter, Fired: clock.Second / 2, Position: geom.V(0, .5, 0)}
			if name == "lift" {
				flight.Position.X = -1
			}
			began := flight.Position
			for range 1100 {
				flight.Advance(Table{w}, flight.At()+FlightStep, f, rewind.NewScene(nil))
				if p := flight.Position; p.X > 1.5 || p.Y < 0 {
					t.Errorf("%s that takes %d ms: got at %v after %d ms, want on this side of wall and floor", name, lasts/ms, p, (flight.At()-flight.Fired)/ms)
					break
				}
			}
			if flight.Position.Dist(began) < .1 {
				t.Errorf("%s that takes %d ms: got at %v, where it was: it shows nothing", name, lasts/ms, flight.Position)
			}
			w.Flight.Bounce = 0
			flight = Flight{Shooter: shooter, Fired: clock.Second / 2, Position: geom.V(1.375, .5, 0)} // beside the wall
			if name == "door" {
				if b := f.fly(t, Table{w}, flight); b.Cause != Impact || b.Point.X > 1.5 {
					t.Errorf("%s that takes %d ms: got a rocket that ends by %d at %v, want an impact before the wall", name, lasts/ms, b.Cause, b.Point)
				}
			}
		}
	}
}

// A grenade lies on a platform that slides under a wall with a gap of 5 cm, and on one that rises to the ceiling: the
// platform does not carry it through. [GAP-46]
func TestNothingRidesThroughTheLevel(t *testing.T) {
	for name, to := range map[string]geom.Vec3{"slides": geom.V(6, 0, 0), "rises": geom.V(0, 3.75, 0)} {
		f := still(t, func(b *collide.Builder) {
			b.Box(geom.V(1.6, 2.25, 0), geom.V(.1, 2, 5), geom.IdentityQuat, collide.Surface{}) // from x 1.5 to 1.7 and y 0.25
			b.Box(geom.V(0, 4.1, 0), geom.V(5, .1, 5), geom.IdentityQuat, collide.Surface{})    // from y 4
			b.Mover("platform", collide.Path{Keys: []collide.Key{{}, {At: 2 * clock.Second}, {At: 4 * clock.Second, Position: to}}}, func(b *collide.Builder) {
				b.Box(geom.V(0, .1, 0), geom.V(1, .1, 1), geom.IdentityQuat, collide.Surface{})
			})
		})
		w := grenade()
		w.Flight.Fuse = 5 * clock.Second
		flight := Flight{Shooter: shooter, Fired: clock.Second / 2, Position: geom.V(0, .33, 0)}
		scene, rode := rewind.NewScene(nil), false
		for {
			before := flight.Position
			if _, over := flight.Advance(Table{w}, flight.At()+FlightStep, f, scene); over {
				break
			}
			rode = rode || flight.Resting && flight.Position != before
			if p := flight.Position; p.X > 1.5 || p.Y > 4 {
				t.Errorf("one that %s: got at %v after %d ms, want on this side of wall and ceiling", name, p, (flight.At()-flight.Fired)/ms)
				break
			}
		}
		if !rode {
			t.Errorf("one that %s: the grenade never rides: it shows nothing", name)
		}
	}
}

// What a flight costs is bounded by its fuse, whatever it is asked; what it flies through
// when the past is not known any more hurts nobody.
func TestFlightsEnd(t *testing.T) {
	f := still(t, nil)
	w := rocket()
	b := f.fly(t, Table{w}, thrown(Table{w}, geom.V(0, 1, 0), 0, 1, 100*ms, 0))
	if b.Cause != FuseExpired && b.Cause != Expired || f.shown > int(w.Flight.Fuse/FlightStep)+1 {
		t.Errorf("%+v after %d scenes", b.Cause, f.shown)
	}
	f = still(t, nil, geom.V(0, 0, -10))
	f.blind = 3800 * ms
	b = f.fly(t, Table{w}, thrown(Table{w}, geom.V(0, 1, 0), 0, 0, 3500*ms, 0))
	if r := b.Receipt(); b.Cause != Expired || r.Verdict != Refused || r.Reason != Forgotten || b.Hits.EventCount != 0 {
		t.Errorf("%+v", b)
	}
}

// REW-08: 0 allocations a step and a burst.
func TestFlightsAllocateNothing(t *testing.T) {
	f := still(t, nil, geom.V(0, 0, -10), geom.V(2, 0, -10))
	f.self = []track.Entity{{ID: shooter}}
	scene := rewind.NewScene(nil)
	table := Table{rocket()}
	hits := 0
	if n := testing.AllocsPerRun(100, func() {
		flight := thrown(table, geom.V(0, 1, 0), 0, 0, 3500*ms, 100*ms)
		if b, over := flight.Advance(table, 4*clock.Second, f, scene); over && b.Hits.EventCount == 2 {
			hits++
		}
	}); n != 0 || hits != 101 {
		t.Errorf("%v allocations and %d hits, want 0 and 101", n, hits)
	}
}

// A step of a flight among five players.
func BenchmarkFlightStep(b *testing.B) {
	f := newField()
	f.run(60)
	table := Table{grenade()}
	scene := rewind.NewScene(nil)
	flight := thrown(table, geom.V(0, 1.6, 15), 0, 0.8, clock.Second/2, 100*ms)
	for b.Loop() {
		again := flight
		again.Advance(table, again.Fired+FlightStep, f, scene)
	}
}

// A blast in the midst of four, one of them behind a wall.
func BenchmarkBurst(b *testing.B) {
	f := newField()
	f.run(60)
	w := rocket()
	w.Blast.Radius, w.Flight.Fuse = 8, FlightStep
	table := Table{w}
	scene := rewind.NewScene(nil)
	flight := thrown(table, geom.V(0, 1, -9), 0, 1, clock.Second/2, 100*ms)
	hurt := 0
	for b.Loop() {
		again := flight
		x, _ := again.Advance(table, again.Fired+3*FlightStep, f, scene)
		hurt += int(x.Hits.EventCount)
	}
	b.ReportMetric(float64(hurt)/float64(b.N), "hurt/op")
}
