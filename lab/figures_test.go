package lab

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// A percentile is the smallest value that at least that share of the values do not exceed: for any
// values, what counting them one by one gives.
func TestRankAgainstCounting(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 0))
	for n := 1; n < 130; n++ {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(r.IntN(20))
		}
		slices.Sort(values)
		for percent := 1; percent <= 100; percent++ {
			want := math.Inf(1)
			for _, candidate := range values {
				below := 0
				for _, v := range values {
					below += count(v <= candidate)
				}
				if 100*below >= percent*n {
					want = min(want, candidate)
				}
			}
			if got := rank(values, percent); got != want {
				t.Fatalf("seed %d: %d %% of %v: got %v, want %v", seed, percent, values, got, want)
			}
		}
	}
}

// A path asked at successive instants gives what it gives when each is asked alone, forwards and
// backwards.
func TestPathHintsDoNotMatter(t *testing.T) {
	const seed = 9
	r := rand.New(rand.NewPCG(seed, 0))
	p, hint := path{list: runner()}, 0
	for range 2000 {
		at := clock.Micros(r.Int64N(3_400_000)) - 100_000
		got, ok := p.from(&hint, at, at)
		want, alone := p.at(at)
		if ok != alone || got != want {
			t.Fatalf("seed %d at %d: got %v, %v; want %v, %v", seed, at, got.Position, ok, want.Position, alone)
		}
	}
}

// The summary of a trajectory by hand: a hop of 2 m that ends at 3 m/s along the ground.
func TestSummaryOfATrajectory(t *testing.T) {
	got := wayOf([]Point{
		{P: [3]float64{0, 1, 0}, V: [3]float64{3, 9, 4}}, {P: [3]float64{1, 3, 0}, V: [3]float64{6, 0, 8}}, {P: [3]float64{2, -1, 5}, V: [3]float64{0, -8, -3}},
	})
	if want := (PathSummary{Highest: 3, Lowest: -1, Fastest: 10, End: End{2, -1, 5, 3}}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := wayOf(nil); got != (PathSummary{}) {
		t.Errorf("of nothing: %+v", got)
	}
	if got := wayOf([]Point{{P: [3]float64{0, -4, 0}}}); got.Highest != -4 || got.Lowest != -4 {
		t.Errorf("below zero all the time: %+v", got)
	}
}

// bob and wall are what shots of these tests hit.
var (
	bob  = rewind.Outcome{HitTarget: rewind.HitTarget{Kind: rewind.Player, Target: 2, Hitbox: 1, HitGroup: rig.Body}}
	wall = rewind.Outcome{HitTarget: rewind.HitTarget{Kind: rewind.World}}
)

// A rocket that the server judged to hit, and whose end the screen never showed, is a hit that the screen did not show.
func TestARocketWithoutAnEndOnTheScreen(t *testing.T) {
	m, _ := duel()
	m.now = 20 * clock.Second
	m.claimed(0, 2*clock.Second, fired(7, 1, rewind.Outcome{}))
	for _, verdict := range []shot.Verdict{shot.Launched, shot.Hit} {
		s, r := verdictOn(7, verdict, bob)
		m.ObserveShot(s, r, nil)
	}
	got := m.sumShots(map[string]int{})
	if got.Confirmed != 1 || got.FalseHits != 1 || got.Agreement != 0 || got.Undecided != 0 || got.Receipts[1].Agrees {
		t.Errorf("got %+v, want one hit, a false one, without agreement", got)
	}
}

// Numbers begin again with a connection: a shot is judged as the newest one of its number, a rocket of before that is
// still in the air as itself, and a shot whose command was lost with its connection was never fired.
func TestShotsOverTwoConnections(t *testing.T) {
	m, _ := duel()
	p := &m.players[0]
	p.newest = 6
	m.claimed(0, clock.Second, fired(7, 0, bob)) // lost
	m.claimed(0, clock.Second, fired(5, 1, rewind.Outcome{}))
	s, r := verdictOn(5, shot.Launched, rewind.Outcome{})
	m.ObserveShot(s, r, nil)
	p.connection, p.served, p.newest = 1, 1, 9
	m.claimed(0, 3*clock.Second, fired(7, 0, bob))
	s, r = verdictOn(7, shot.Hit, bob)
	m.ObserveShot(s, r, nil)
	s, r = verdictOn(5, shot.Hit, bob)
	m.ObserveShot(s, r, nil)
	list := m.shots.list
	if list[0].judged || m.late(&list[0]) || !list[1].judged || !list[2].judged || !list[2].agrees {
		t.Errorf("judged %v, %v, %v; want the rocket and the second shot", list[0].judged, list[1].judged, list[2].judged)
	}
	m.claimed(0, 3*clock.Second, fired(8, 0, bob))
	p.connection, p.served = 2, 1
	m.claimed(0, 3*clock.Second, fired(1, 0, bob))
	if got := m.sumShots(map[string]int{}); got.Unfired != 2 || got.Undecided != 2 { // the rocket has not ended on the screen
		t.Errorf("%d never fired, %d undecided; want 2 and 2", got.Unfired, got.Undecided)
	}
	if _, c := m.claimOf(3, 7); c != nil {
		t.Errorf("a shot of nobody is %+v", c)
	}
}

// Nine claims with every outcome, counted by hand. [HIT-14]
func TestTallyByHand(t *testing.T) {
	hits := hitsOfOutcomes([]rewind.Outcome{bob})
	var sum tally
	for _, c := range []struct {
		claim claim
		late  bool
	}{
		{claim{judged: true, ended: true, verdict: shot.Hit, hits: hits, damaged: hits, agrees: true, damages: true, kept: true, hidden: 40 * clock.Millisecond}, false},
		{claim{judged: true, ended: true, verdict: shot.Hit, hits: hits, damaged: hits, agrees: true, damages: true, kept: true}, false},
		{claim{judged: true, ended: true, verdict: shot.Hit, damaged: hits, damages: true, falseHit: true}, false},
		{claim{judged: true, ended: true, verdict: shot.Miss, hits: hits, saw: bob}, false}, // shown, and not kept
		{claim{judged: true, ended: true, verdict: shot.Miss, saw: wall, agrees: true}, false},
		{claim{judged: true, ended: true, verdict: shot.Refused, hits: hits, saw: bob}, false},
		{claim{ended: true}, false},                       // its command never ran, and nothing was hit
		{claim{ended: true, hits: hits, saw: bob}, false}, // nor did this one's, which was shown as a hit
		{claim{ended: true, hits: hits, saw: bob}, true},  // still under way
	} {
		sum.add(&c.claim, c.late)
	}
	got := sum.figures()
	want := WeaponFigures{Claimed: 9, Confirmed: 3, Refused: 1, FalseHits: 1, Undecided: 1, Unfired: 2,
		Agreement:   0.5, // 4 of 8
		Kept:        0.4, // 2 of 5
		Denied:      3,
		BehindCover: Cover{Share: 0.333333, Spread: Spread{Mean: 0.013333, P50: 0, P99: 0.04, Max: 0.04}}, SwingAgreement: 1,
	}
	if *got != want {
		t.Errorf("got %+v\nwant %+v", *got, want)
	}
	if got := (&tally{}).figures(); *got != neverFired {
		t.Errorf("of no shots: got %+v, want %+v", *got, neverFired)
	}
}

// The ends of projectiles are compared once both are known, and agree within 5 cm at the same
// target.
func TestEndsOfProjectiles(t *testing.T) {
	end := func(o rewind.Outcome, x float64) rewind.Outcome {
		o.Point = geom.V(x, 0, 0)
		return o
	}
	for _, c := range []struct {
		what           string
		saw            rewind.Outcome
		hit            rewind.Outcome
		ended, decided bool
		agrees         bool
	}{
		{"the same end", end(bob, 1), end(bob, 1.04), true, true, true},
		{"6 cm apart", end(bob, 1), end(bob, 1.06), true, true, false},
		{"a player and a wall", end(bob, 1), end(wall, 1), true, true, false},
		{"in the air on the screen", end(bob, 1), end(bob, 1), false, true, false},
		{"in the air on the server", end(bob, 1), end(bob, 1), true, false, false},
	} {
		k := claim{projectile: true, ended: c.ended, judged: c.decided, saw: c.saw, hit: c.hit.HitTarget, end: c.hit.Point}
		k.hits, k.damaged = hitsOfOutcomes([]rewind.Outcome{c.saw}), hitsOfOutcomes([]rewind.Outcome{c.hit})
		m := &measure{shots: shots{receipts: []Receipt{{}}}}
		m.compareEnds(&k)
		if k.agrees != c.agrees || m.shots.receipts[0].Agrees != c.agrees {
			t.Errorf("%s: agrees %v, in the receipt %v; want %v", c.what, k.agrees, m.shots.receipts[0].Agrees, c.agrees)
		}
	}
}

// A claim is undecided while its command can still run, a projectile for five seconds.
func TestUndecidedClaims(t *testing.T) {
	m := &measure{players: make([]playerRecord, 1), now: 20 * clock.Second}
	m.players[0].newest = 100
	for _, c := range []struct {
		what string
		k    claim
		want bool
	}{
		{"judged, and ended on the screen", claim{judged: true, ended: true}, false},
		{"a command that the server has passed", claim{number: 100, ended: true}, false},
		{"a command that it has not reached", claim{number: 101, ended: true}, true},
		{"a command before the numbers wrapped", claim{number: 1<<32 - 1, ended: true}, false},
		{"a rocket on its way", claim{launched: true, at: 16 * clock.Second}, true},
		{"a rocket that never ended", claim{launched: true, at: 15 * clock.Second}, false},
		{"a rocket that ended on the server alone", claim{judged: true, at: 19 * clock.Second}, true},
	} {
		if got := m.late(&c.k); got != c.want {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
	}
}

// Every movement event has its kind of the page, with its value in metres or m/s.
func TestMovementEvents(t *testing.T) {
	m := &measure{zero: clock.Second, now: 3500 * clock.Millisecond}
	for kind, want := range map[movement.EventKind]Event{
		movement.Jumped:       {Kind: "jumped", Speed: 1.5},
		movement.Landed:       {Kind: "landed", Speed: 1.5},
		movement.Stepped:      {Kind: "stepped", Distance: 1.5},
		movement.WalkedOff:    {Kind: "walked_off"},
		movement.Stuck:        {Kind: "stuck"},
		movement.Crushed:      {Kind: "crushed", Distance: 1.5},
		movement.EnteredWater: {Kind: "entered_water", Speed: 1.5},
		movement.LeftWater:    {Kind: "left_water", Speed: 1.5},
		movement.Boosted:      {Kind: "boosted", Speed: 1.5},
	} {
		want.T = 2.5
		got := m.moveEvent(movement.Event{Kind: kind, Value: 1.5})
		if got != want || !slices.Contains(eventKinds, got.Kind) {
			t.Errorf("kind %d: got %+v, want %+v, and one of %q", kind, got, want, eventKinds)
		}
	}
}

// docs/lab.md defines every figure and every kind of event.
func TestThePageDefinesEveryFigure(t *testing.T) {
	b, err := os.ReadFile("../docs/lab.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	defined := func(path string) bool {
		words := strings.Split(path, ".")
		for i := range words { // a struct's own name, then what is in it
			for _, text := range []string{"`" + strings.Join(words[i:], ".") + "`", "`" + words[i] + "`", "`." + words[i] + "`"} {
				if strings.Contains(page, text) {
					return true
				}
			}
		}
		return false
	}
	for _, path := range figureNames([]string{"NAME"}) {
		short := strings.TrimPrefix(strings.TrimPrefix(path, "*."), "shots.")
		if !defined(short) {
			t.Errorf("the page does not define %s", path)
		}
	}
	for _, kind := range eventKinds {
		if !strings.Contains(page, "`"+kind+"`") {
			t.Errorf("the page does not explain the event %s", kind)
		}
	}
}

// A command with a known recorded position is compared with the server's after the same command;
// one that the server never ran counts as a kilometre.
func TestErrorsOfRecordedCommands(t *testing.T) {
	here := []ranCommand{{3, geom.V(1, 0, 0), 0}, {4, geom.V(2, 0, 0), 0}, {1 << 31, geom.V(3, 0, 0), 0}}
	done := []ranCommand{{3, geom.V(1, 0, 0), 0}, {4, geom.V(2, 0.5, 0), 0}}
	if got := recordedErrors(&done, here); got == nil || *got != (Spread{Mean: 0.25, P50: 0, P99: 0.5, Max: 0.5}) {
		t.Errorf("got %+v", got)
	}
	lost := []ranCommand{{0, geom.Vec3{}, 0}}
	if got := recordedErrors(&lost, here); got == nil || got.Max != lostCommandError {
		t.Errorf("a command that was not made: %+v, want %d m", got, lostCommandError)
	}
	if recordedErrors(nil, here) != nil || recordedErrors(&[]ranCommand{}, here) != nil {
		t.Error("without recorded commands there is an error of some")
	}
}

// A box is drawn as a capsule along its longest side, as wide as the next one; a capsule as itself.
func TestBoxesAreDrawnAsCapsules(t *testing.T) {
	middle := geom.V(5, 1, -2)
	for _, c := range []struct {
		what   string
		solid  rig.Solid
		along  geom.Vec3 // from the middle to an end
		radius float64
	}{
		{"along X", rig.Solid{Shape: rig.Box, Half: geom.V(3, 1, 0.5)}, geom.V(2, 0, 0), 1},
		{"along Y", rig.Solid{Shape: rig.Box, Half: geom.V(0.2, 2, 0.5)}, geom.V(0, 1.5, 0), 0.5},
		{"along Z", rig.Solid{Shape: rig.Box, Half: geom.V(0.2, 0.3, 1)}, geom.V(0, 0, 0.7), 0.3},
		{"a cube", rig.Solid{Shape: rig.Box, Half: geom.V(1, 1, 1)}, geom.Vec3{}, 1},
	} {
		c.solid.A, c.solid.Rotation = middle, geom.IdentityQuat
		a, b, radius := stick(&c.solid)
		if a.Dist(middle.Sub(c.along)) > 1e-12 || b.Dist(middle.Add(c.along)) > 1e-12 || math.Abs(radius-c.radius) > 1e-12 {
			t.Errorf("%s: got %v … %v, radius %v; want ±%v, %v", c.what, a, b, radius, c.along, c.radius)
		}
	}
	turned := rig.Solid{Shape: rig.Box, Half: geom.V(3, 1, 1), A: middle, Rotation: geom.YawQuat(math.Pi / 2)}
	if a, b, _ := stick(&turned); a.Dist(b) < 3.99 || math.Abs(a.X-b.X) > 1e-9 {
		t.Errorf("turned by 90°: %v … %v, want 4 m along Z", a, b)
	}
	ball := rig.Solid{A: middle, B: middle, Radius: 0.3}
	if a, b, radius := stick(&ball); a != middle || b != middle || radius != 0.3 {
		t.Errorf("a ball: %v … %v, %v", a, b, radius)
	}
}

// A backdating client aims at the newest remembered view that is not newer than the claimed one, and
// forgets what is older than that and a second.
func TestRememberedViews(t *testing.T) {
	var a aimer
	sample := func(x float64) []track.Entity {
		return []track.Entity{{ID: 2, Sample: track.Sample{Pose: track.Pose{Position: geom.V(x, 0, 0)}}}, {ID: 3}}
	}
	for i := range 300 {
		a.remember(clock.Micros(i)*10*clock.Millisecond, sample(float64(i)), 400*clock.Millisecond)
	}
	for _, c := range []struct {
		view clock.Micros
		want float64 // NaN: nothing
	}{{2990 * clock.Millisecond, 299}, {2595 * clock.Millisecond, 259}, {9 * clock.Second, 299}, {clock.Second, math.NaN()}} {
		got := a.recall(2, c.view)
		if got == nil != math.IsNaN(c.want) || got != nil && got.Position.X != c.want {
			t.Errorf("at %d: got %+v, want x %v", c.view, got, c.want)
		}
	}
	if a.recall(7, clock.Second) != nil {
		t.Error("a player that was never drawn is remembered")
	}
	if n := len(a.memory); n > 2*142 {
		t.Errorf("%d samples are kept, want those of 1.4 s", n)
	}
}

// A blade swings on for its time; other weapons do not.
func TestSwingsOfAScript(t *testing.T) {
	a := aimer{weapons: []shot.Weapon{
		{Name: "rifle"}, {Name: "sword", Kind: shot.Melee, Swing: shot.Swing{Begins: 100 * clock.Millisecond, Lasts: 200 * clock.Millisecond}},
	}}
	a.begin(&scenario.Fire{Weapon: "rifle"}, clock.Second)
	if a.swinging(clock.Second) != nil {
		t.Error("a rifle swings")
	}
	a.begin(&scenario.Fire{Weapon: "sword", At: "bob"}, clock.Second)
	for _, c := range []struct {
		at   clock.Micros
		want bool
	}{{clock.Second, true}, {1300 * clock.Millisecond, true}, {1301 * clock.Millisecond, false}, {clock.Second, false}} {
		if got := a.swinging(c.at); (got != nil) != c.want {
			t.Errorf("at %d: got %v, want %v", c.at, got, c.want)
		}
	}
	if w := a.weapon("stick"); w.Name != "" {
		t.Errorf("an unknown weapon is %+v", w)
	}
}
