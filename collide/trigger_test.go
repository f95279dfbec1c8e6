package collide

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

const ms = clock.Millisecond

// triggered is a level with one triggered mover, a box of 1 m, and the log of its match.
func triggered(t testing.TB, path Path, trigger Trigger) (*World, *Triggers) {
	t.Helper()
	var b Builder
	b.TriggeredMover("door", path, trigger, func(b *Builder) {
		b.Box(geom.V(.2, .1, 0), geom.V(.5, .5, .5), geom.IdentityQuat, Surface{})
	})
	log := new(Triggers)
	return b.MustBake().WithTriggers(log), log
}

// trigger triggers mover 1 at a match time, as the server of a match that is so far does.
func trigger(w *World, log *Triggers, at, now clock.Micros, waypoint int) bool {
	log.Open(TriggerCause{Now: now}, 0)
	defer log.Close()
	v := WorldAt{World: w, At: at}
	return v.Trigger(1, waypoint)
}

// slide is a path of two seconds and 4 m along X, with a waypoint half way.
func slide() Path {
	return Path{Keys: []Key{{}, {At: 1000 * ms, Position: geom.V(2, 0, 0)}, {At: 2000 * ms, Position: geom.V(4, 0, 0)}}}
}

// BAS-12: what each kind of mover does, as a table of triggers and of where the mover is.
func TestKindsOfTriggers(t *testing.T) {
	type press struct {
		at       int // ms
		waypoint int
	}
	round := Path{Loop: true, Keys: []Key{{}, {At: 1000 * ms, Position: geom.V(2, 0, 0)}, {At: 2000 * ms}}}
	const delay = 200
	for _, c := range []struct {
		name    string
		path    Path
		trigger Trigger
		presses []press
		where   map[int]float64 // ms: X
	}{
		{"nobody triggers it", slide(), Trigger{Kind: Toggle}, nil, map[int]float64{0: 0, 5000: 0}},
		{"a gate opens once", slide(), Trigger{Kind: Once, Delay: delay * ms},
			[]press{{1000, Press}, {2000, Press}, {9000, Press}},
			map[int]float64{1000: 0, 1200: 0, 1700: 1, 2200: 2, 3200: 4, 9900: 4}},
		{"a door with a handle", slide(), Trigger{Kind: Toggle},
			[]press{{1000, Press}, {4000, Press}, {8000, Press}},
			map[int]float64{1500: 1, 3000: 4, 4500: 3, 6000: 0, 7999: 0, 8500: 1}},
		{"and turns round on its way, where it is", slide(), Trigger{Kind: Toggle, Delay: delay * ms},
			[]press{{1000, Press}, {1600, Press}, {1900, Press}},
			map[int]float64{1800: 1.2, 1900: 1, 2100: .6, 2400: 1.2, 9000: 4}},
		{"two press at once", slide(), Trigger{Kind: Toggle},
			[]press{{1000, Press}, {1090, Press}}, map[int]float64{9000: 4}},
		{"an automatic door", slide(), Trigger{Kind: Timed, Hold: 1000 * ms},
			[]press{{1000, Press}}, map[int]float64{3000: 4, 3999: 4, 4500: 3, 6000: 0}},
		{"and somebody stays in it", slide(), Trigger{Kind: Timed, Hold: 1000 * ms},
			[]press{{1000, Press}, {1500, Press}, {3000, Press}, {3400, Press}, {3600, Press}, {4000, Press}, {4100, Press}, {4600, Press}},
			map[int]float64{5000: 4, 5099: 4, 5600: 4, 6100: 3}},
		{"and comes back while it closes", slide(), Trigger{Kind: Timed, Hold: 1000 * ms},
			[]press{{1000, Press}, {4500, Press}}, map[int]float64{4500: 3, 5000: 4, 5999: 4, 6500: 3}},
		{"a lift of three floors", slide(), Trigger{Kind: Toggle},
			[]press{{1000, 2}, {3000, 3}, {3500, 1}, {3700, 1}},
			map[int]float64{2000: 2, 2999: 2, 3500: 3, 4000: 2, 5000: 0}},
		{"a train with a brake", round, Trigger{Kind: StopGo, Running: true},
			[]press{{2500, Press}, {6000, Press}, {8000, 1}},
			map[int]float64{-100: 0, 500: 1, 1500: 1, 2400: .8, 2500: 1, 5999: 1, 6500: 2, 8000: 1, 9000: 1}},
		{"that has to be started", round, Trigger{Kind: StopGo},
			[]press{{1000, 2}}, map[int]float64{999: 0, 1500: 1, 2000: 2, 3500: 1}},
	} {
		for at, want := range c.where {
			w, log := triggered(t, c.path, c.trigger)
			for _, p := range c.presses {
				if p.at <= at { // later ones may fold what is asked for
					trigger(w, log, clock.Micros(p.at)*ms, clock.Micros(p.at)*ms, p.waypoint)
				}
			}
			if got := w.Pose(1, clock.Micros(at)*ms).Translation.X; !near(got, want, 1e-9) {
				t.Errorf("%s: at %d ms it is at %v, want %v", c.name, at, got, want)
			}
		}
	}
}

// BAS-12: a trigger that a game makes in advance leaves the poses of the recent past, which views and late commands
// still use, as they were.
func TestATriggerInAdvance(t *testing.T) {
	w, log := triggered(t, slide(), Trigger{Kind: Toggle})
	trigger(w, log, 5000*ms, 5000*ms, Press)
	trigger(w, log, 5500*ms, 5500*ms, Press)
	at := []clock.Micros{4900 * ms, 5200 * ms, 5500 * ms, 5700 * ms, 6100 * ms}
	var before []geom.Transform
	for _, t := range at {
		before = append(before, w.Pose(1, t))
	}
	if !trigger(w, log, 15_000*ms, 5600*ms, Press) {
		t.Fatal("the trigger in advance changes nothing")
	}
	for i, m := range at {
		if got := w.Pose(1, m); got != before[i] {
			t.Errorf("at %d ms: got %v, want %v as before", m/ms, got.Translation, before[i].Translation)
		}
	}
	if x := w.Pose(1, 16_000*ms).Translation.X; x != 2 {
		t.Errorf("a second after it the door is at %v, want 2", x)
	}
}

// doorOracle plays a mover millisecond by millisecond: an automaton that knows nothing of
// closed forms.
func doorOracle(b *Mover, entries []TriggerEntry, until clock.Micros) clock.Micros {
	at, goal, held := clock.Micros(0), clock.Micros(0), clock.Micros(0)
	last := b.Path.Keys[len(b.Path.Keys)-1].At
	going := b.Trigger.Running
	for now := clock.Micros(0); now < until; now += ms {
		for _, e := range entries {
			if e.At+b.Trigger.Delay != now {
				continue
			}
			held = 0
			switch {
			case b.Trigger.Kind == StopGo && e.Waypoint == Press:
				going = !going
			case b.Trigger.Kind == StopGo:
				going = e.Waypoint == 2
			case e.Waypoint != Press:
				goal = b.Path.Keys[e.Waypoint-1].At
			case b.Trigger.Kind == Toggle && goal == last:
				goal = 0
			default:
				goal = last
			}
		}
		switch {
		case b.Trigger.Kind == StopGo:
			if going {
				at += ms
			}
		case at < goal:
			at += ms
		case at > goal:
			at -= ms
		case b.Trigger.Kind == Timed && goal != 0:
			if held += ms; held == b.Trigger.Hold {
				goal, held = 0, 0
			}
		}
	}
	return at
}

// randomDoor is a random triggered mover whose times are whole milliseconds.
func randomDoor(t testing.TB, r *rand.Rand) (*World, *Triggers) {
	path := randomPath(r)
	trigger := Trigger{Kind: TriggerKind(1 + r.IntN(4)), Delay: clock.Micros(r.IntN(3)) * 150 * ms}
	if path.Loop = trigger.Kind == StopGo; path.Loop {
		path.Keys = append(path.Keys, path.Keys[0])
		path.Keys[len(path.Keys)-1].At = path.Keys[len(path.Keys)-2].At + 5*clock.Second
		trigger.Running = r.IntN(2) == 0
	}
	for i := range path.Keys {
		path.Keys[i].At -= path.Keys[i].At % ms
	}
	if trigger.Kind == Timed {
		trigger.Hold = clock.Micros(250+r.IntN(2000)) * ms
	}
	return triggered(t, path, trigger)
}

// BAS-12: under random triggers, also such as become known late, a mover is where an automaton
// that is played millisecond by millisecond has it; its pose is continuous, its velocity the
// poses' derivative; and the log says the same after it was folded, sent and shared.
func TestTriggeredMoversAgainstBruteForce(t *testing.T) {
	const seed = 1215
	r := rand.New(rand.NewPCG(seed, 0))
	accepted, checked := 0, 0
	for k := range 60 {
		w, log := randomDoor(t, r)
		b, v := w.Mover(1), WorldAt{World: w}
		_, fastest, turn := b.Path.extent()
		bound := (fastest+turn*2)*1.001e-6 + 1e-12
		var all []TriggerEntry // as no log would be folded
		for now := 1000 * ms; now < 30_000*ms; now += clock.Micros(1+r.IntN(1500)) * ms {
			at := now - clock.Micros(r.IntN(2))*clock.Micros(r.IntN(250))*ms
			waypoint := r.IntN(b.waypoints() + 1)
			if !trigger(w, log, at, now, waypoint) {
				continue
			}
			accepted++
			all = append(all, TriggerEntry{At: at, Waypoint: uint16(waypoint)})
			slices.SortFunc(all, func(a, b TriggerEntry) int { return int(a.At - b.At) })
			for range 4 {
				t0 := now - 1000*ms + clock.Micros(r.IntN(3000))*ms
				want := doorOracle(b, all, t0)
				got, _ := w.pathTime(0, t0)
				if end := b.Path.Keys[len(b.Path.Keys)-1].At; b.Trigger.Kind == StopGo {
					got, want = got%end, want%end
				}
				if got != want {
					t.Fatalf("seed %d, mover %d %+v: at %d it is at %d of its path, want %d; triggers %+v", seed, k, b.Trigger, t0, got, want, all)
				}
				checked++
				t0 += clock.Micros(r.IntN(2)) // beside the millisecond at which it may turn round
				p, q := w.Pose(1, t0), w.Pose(1, t0+1)
				point := geom.V(1, 1, 0)
				if d := p.Apply(point).Dist(q.Apply(point)); d > bound {
					t.Fatalf("seed %d, mover %d %+v: at %d it moves %g m in 1 µs, at most %g", seed, k, b.Trigger, t0, d, bound)
				}
				v.At = t0
				if got, want := v.VelocityAt(1, p.Apply(point)), q.Apply(point).Sub(p.Apply(point)).Div(1e-6); !(got.Dist(want) <= 1e-3+(fastest+turn*2)*1e-3) {
					t.Fatalf("seed %d, mover %d %+v: at %d its velocity is %v, the poses say %v", seed, k, b.Trigger, t0, got, want)
				}
			}
		}
	}
	t.Logf("%d triggers, %d instants", accepted, checked)
	if accepted < 300 {
		t.Errorf("only %d triggers were accepted", accepted)
	}
}

// BAS-12: a lift is slower between the upper floors. On its way it has, at the floor between, the speed of the
// part that comes next, up and down: so a rider leaves it with the speed that it goes on with.
func TestVelocityAtAFloorBetween(t *testing.T) {
	w, log := triggered(t, Path{Keys: []Key{{}, {At: 1000 * ms, Position: geom.V(0, 2, 0)}, {At: 2000 * ms, Position: geom.V(0, 3, 0)}}}, Trigger{Kind: Toggle})
	trigger(w, log, 1000*ms, 1000*ms, Press)
	trigger(w, log, 5000*ms, 5000*ms, Press)
	for at, want := range map[clock.Micros]float64{1999: 2, 2000: 1, 2999: 1, 3000: 0, 5000: -1, 5999: -1, 6000: -2, 6999: -2, 7000: 0} {
		v := WorldAt{World: w, At: at * ms}
		if got := v.VelocityAt(1, geom.Vec3{}); got != geom.V(0, want, 0) {
			t.Errorf("at %d ms: got %v, want %v m/s upwards", at, got, want)
		}
	}
}

// BAS-12: a triggered mover gives every query the results of its geometry at its pose, wherever
// on its path that is: no box of the broad phase follows match time instead.
func TestQueriesOfTriggeredMovers(t *testing.T) {
	const seed = 1216
	r := rand.New(rand.NewPCG(seed, 0))
	hits, near := 0, 0
	for k := range 40 {
		w, log := randomDoor(t, r)
		for now := 1000 * ms; now < 20_000*ms; now += 1700 * ms {
			trigger(w, log, now, now, r.IntN(2)*w.Mover(1).waypoints())
			for range 60 {
				v := WorldAt{World: w, At: now + clock.Micros(r.IntN(1_600_000))}
				pose := v.Pose(1)
				from, d := pose.Translation.Add(vector(r, 2)), motion(r)
				got, ok := v.Ray(from, d)
				want, should := w.Mover(1).Shape.Ray(pose.ApplyInverse(from), pose.Rotation.Inverse().Rotate(d))
				if ok != should || ok && got.Point.Dist(pose.Apply(want.Point)) > 1e-6 {
					t.Fatalf("seed %d, mover %d at %d: ray %v %v, want %v %v", seed, k, v.At, ok, got, should, want)
				}
				c := randomCapsule(r, 2).Moved(pose.Translation)
				if got, want := v.Overlaps(c), w.Mover(1).Shape.Overlaps(c.InverseTransformed(pose)); got != want {
					t.Fatalf("seed %d, mover %d at %d: overlaps %v, want %v", seed, k, v.At, got, want)
				} else if want {
					near++
					if list := v.NearbyMovers(c, v.At-100*ms, make([]MoverID, 0, 4)); len(list) != 1 {
						t.Fatalf("seed %d, mover %d at %d: a capsule inside it is near %v", seed, k, v.At, list)
					}
				}
				if ok {
					hits++
				}
			}
		}
	}
	t.Logf("%d rays hit, %d capsules overlapped", hits, near)
}

// BAS-12: a level that declares a trigger wrongly says what to change.
func TestTriggerErrors(t *testing.T) {
	loop := Path{Loop: true, Keys: []Key{{}, {At: 1000 * ms, Position: geom.V(2, 0, 0)}, {At: 2000 * ms}}}
	for _, c := range []struct {
		path    Path
		trigger Trigger
		volume  Volume
		want    string
	}{
		{slide(), Trigger{Kind: 9}, Volume{}, "Kind is unknown"},
		{slide(), Trigger{Delay: 1}, Volume{}, "without a Kind"},
		{slide(), Trigger{Kind: Once, Delay: 3 * clock.Second}, Volume{}, "Delay is not 0 to 2 s"},
		{slide(), Trigger{Kind: Once, Delay: -1}, Volume{}, "Delay is not 0 to 2 s"},
		{slide(), Trigger{Kind: Timed, Hold: 249 * ms}, Volume{}, "250 ms or more"},
		{slide(), Trigger{Kind: Once, Hold: 249 * ms}, Volume{}, "Hold is for Timed movers"},
		{slide(), Trigger{Kind: Once, Running: true}, Volume{}, "Running is for StopGo movers"},
		{loop, Trigger{Kind: Once}, Volume{}, "a path that loops"},
		{slide(), Trigger{Kind: StopGo}, Volume{}, "a path that loops"},
		{Path{Keys: []Key{{}}}, Trigger{Kind: Once}, Volume{}, "two keys"},
		{slide(), Trigger{Kind: Once}, Volume{Triggers: "gate"}, `it triggers gate, and no mover has that name`},
		{slide(), Trigger{}, Volume{Triggers: "door"}, "without a trigger: give it one"},
		{slide(), Trigger{Kind: Once}, Volume{Triggers: "door", Waypoint: 4}, "waypoint 4 of mover \"door\", which has 3"},
		{loop, Trigger{Kind: StopGo}, Volume{Triggers: "door", Waypoint: 3}, "which has 2"},
		{slide(), Trigger{Kind: Once}, Volume{Button: true}, "name the mover"},
		{slide(), Trigger{Kind: Once}, Volume{Triggers: "door", Water: true}, "make a second volume"},
		{slide(), Trigger{Kind: Once}, Volume{Triggers: "door", Kill: true}, "make a second volume"},
		{slide(), Trigger{Kind: Once}, Volume{Triggers: "door", Planet: true}, "make a second volume"},
		{slide(), Trigger{Kind: Once}, Volume{Triggers: "door", Friction: 1}, "make a second volume"},
		{slide(), Trigger{Kind: Once}, Volume{Triggers: "door", TerminalSpeed: 1}, "make a second volume"},
		{slide(), Trigger{Kind: Once}, Volume{Triggers: "door", Launch: geom.V(0, 1, 0)}, "make a second volume"},
		{slide(), Trigger{Kind: Once}, Volume{Triggers: "door", Up: geom.V(1, 0, 0)}, "make a second volume"},
	} {
		var b Builder
		b.TriggeredMover("door", c.path, c.trigger, func(b *Builder) {
			b.Box(geom.Vec3{}, geom.V(.5, .5, .5), geom.IdentityQuat, Surface{})
		})
		if c.volume != (Volume{}) {
			b.VolumeSphere(c.volume, geom.Sphere{Radius: 1})
		}
		if _, err := b.Bake(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v %+v: error %v, want %q", c.trigger, c.volume, err, c.want)
		}
	}
	for _, waypoint := range []int{4, -1} {
		w, log := triggered(t, slide(), Trigger{Kind: Once})
		func() {
			defer func() {
				if s, _ := recover().(string); !strings.Contains(s, "use one of those") {
					t.Errorf("waypoint %d, which there is not, panics with %q", waypoint, s)
				}
			}()
			trigger(w, log, 0, 0, waypoint)
		}()
	}
}

// BAS-12: Trigger says whether it changes anything, so that a game plays a sound once: not on the way to the
// waypoint already, not twice within an eighth of a second, not before half of a rest is over.
func TestWhetherATriggerChangesAnything(t *testing.T) {
	type press struct {
		at   clock.Micros // ms
		want bool
	}
	for _, c := range []struct {
		name    string
		trigger Trigger
		presses []press
	}{
		{"a gate", Trigger{Kind: Once}, []press{{0, true}, {500, false}, {9000, false}}},
		{"a door with a handle", Trigger{Kind: Toggle}, []press{{0, true}, {124, false}, {125, true}, {9000, true}}},
		{"an automatic door", Trigger{Kind: Timed, Hold: clock.Second}, []press{{0, true}, {1900, false}, {2499, false}, {2500, true}, {2700, false}}},
		{"a mover without a trigger", Trigger{}, []press{{0, false}}},
	} {
		w, log := triggered(t, slide(), c.trigger)
		for _, p := range c.presses {
			if got := trigger(w, log, p.at*ms, p.at*ms, Press); got != p.want {
				t.Errorf("%s at %d ms: got %v, want %v", c.name, p.at, got, p.want)
			}
		}
	}
}

// BAS-12: a packed level keeps its triggers, and a level without any is packed as before.
func TestTriggersArePacked(t *testing.T) {
	var b Builder
	b.TriggeredMover("lift", slide(), Trigger{Kind: Timed, Delay: 150 * ms, Hold: clock.Second}, func(b *Builder) {
		b.Box(geom.Vec3{}, geom.V(.5, .5, .5), geom.IdentityQuat, Surface{})
	})
	b.VolumeSphere(Volume{Name: "call", Triggers: "lift", Waypoint: 3, Button: true}, geom.Sphere{Radius: 1})
	b.VolumeSphere(Volume{Name: "mat", Triggers: "lift"}, geom.Sphere{Radius: 2})
	w := b.MustBake()
	packed := w.AppendBinary(nil)
	again, err := Unpack(packed)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := again.Movers()[0].Trigger, w.Movers()[0].Trigger; got != want {
		t.Errorf("trigger %+v, want %+v", got, want)
	}
	for i := range w.Volumes() {
		if got, want := again.Volumes()[i], w.Volumes()[i]; got != want || again.regions[i].mover != 1 {
			t.Errorf("volume %+v of mover %d, want %+v of 1", got, again.regions[i].mover, want)
		}
	}
	for i := range packed {
		for _, flip := range []byte{1, 4, 16, 64, 255} {
			bad := slices.Clone(packed)
			bad[i] ^= flip
			if w, err := Unpack(bad); err == nil && !slices.Equal(w.AppendBinary(nil), bad) {
				t.Fatalf("byte %d ^ %d is read as something else than it says", i, flip)
			}
		}
	}
}

// BAS-12: a character that comes near opens the door; a button wants to be pressed; and standing on the mat
// costs two triggers per Hold.
func TestTriggerVolumes(t *testing.T) {
	var b Builder
	box := func(b *Builder) { b.Box(geom.Vec3{}, geom.V(.5, .5, .5), geom.IdentityQuat, Surface{}) }
	b.TriggeredMover("door", slide(), Trigger{Kind: Timed, Hold: clock.Second}, box)
	b.TriggeredMover("gate", slide(), Trigger{Kind: Toggle}, box)
	b.VolumeBox(Volume{Triggers: "door"}, geom.Vec3{}, geom.V(1, 1, 1), geom.IdentityQuat)
	b.VolumeBox(Volume{Triggers: "gate", Button: true}, geom.V(9, 0, 0), geom.V(1, 1, 1), geom.IdentityQuat)
	b.VolumeSphere(Volume{Triggers: "gate", Button: true}, geom.Sphere{Centre: geom.V(-9, 0, 0), Radius: 1.5})
	b.VolumeBox(Volume{Water: true, Priority: -1}, geom.Vec3{}, geom.V(20, 20, 20), geom.IdentityQuat)
	var log Triggers
	w := b.MustBake().WithTriggers(&log)
	if v := (WorldAt{World: w}); v.VolumeAt(geom.V(9, 0, 0)) == nil || v.Submerged(geom.Upright(geom.V(9, 0, 0), geom.Up, .3, .9), geom.Up) != 1 {
		t.Error("a button under water is dry")
	}
	v, nowhere := WorldAt{World: w}, geom.Capsule{A: geom.V(math.NaN(), 0, 0), Radius: 1}
	log.Open(TriggerCause{}, 0)
	v.TriggerVolumes(nowhere, true)
	v.TriggerVolumes(geom.Upright(geom.V(-8.2, 1.2, -1), geom.Up, .2, .2), true) // in the corner of the box around the ball
	log.Close()
	total := func() (n int) {
		for i := range log.logs {
			n += log.logs[i].count
		}
		return n
	}
	walk := func(from, to clock.Micros, x float64, pressed bool) {
		for at := from; at < to; at += 16 * ms {
			v := WorldAt{World: w, At: at}
			log.Open(TriggerCause{Now: at}, 0)
			v.TriggerVolumes(geom.Upright(geom.V(x, 0, 0), geom.Up, .3, .9), pressed)
			log.Close()
		}
	}
	walk(0, 1000*ms, 5, true)
	if total() != 0 {
		t.Fatalf("far from both, a pressed button triggers %d times", total())
	}
	walk(1000*ms, 1100*ms, 9, false)
	if total() != 0 {
		t.Fatal("a button is triggered by a character that walks past it")
	}
	walk(1100*ms, 1110*ms, 9, true)
	if got := w.Pose(2, 9*clock.Second).Translation.X; got != 4 || total() != 1 {
		t.Errorf("a pressed button: the gate goes to %v by %d triggers, want 4 by 1", got, total())
	}
	walk(2000*ms, 9000*ms, 1.2, false)
	n := 0
	for at := 4000 * ms; at < 9500*ms; at += 10 * ms {
		if w.Pose(1, at).Translation.X != 4 {
			n++
		}
	}
	if n != 0 {
		t.Errorf("the door closes on a character that stands in it, for %d of 5500 ms", 10*n)
	}
	if got := w.Pose(1, 10_600*ms).Translation.X; got >= 4 || math.IsNaN(got) {
		t.Errorf("1.6 s after the mat is left the door is at %v, want less than 4", got)
	}
}
