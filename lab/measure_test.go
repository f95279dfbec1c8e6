package lab

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Percentiles are nearest ranks; nothing has none.
func TestSpread(t *testing.T) {
	if got := spreadOf(nil); got != (Spread{}) {
		t.Errorf("of nothing: %+v", got)
	}
	var values []float64
	for i := range 200 {
		values = append(values, float64((i*7)%200+1))
	}
	if got, want := spreadOf(values), (Spread{100.5, 100, 198, 200}); got != want {
		t.Errorf("of 1 … 200: got %+v, want %+v", got, want)
	}
	for _, c := range []struct {
		percent int
		want    float64
	}{{1, 2}, {50, 100}, {95, 190}, {99, 198}, {100, 200}} {
		if got := rank(values, c.percent); got != c.want {
			t.Errorf("%d %%: got %v, want %v", c.percent, got, c.want)
		}
	}
	if got := rank([]float64{3}, 1); got != 3 {
		t.Errorf("of one value: %v", got)
	}
	if got := rangeOf([]float64{3, 1, 2}); got != (Range{1, 2, 3, 3, 2}) {
		t.Errorf("range of 1, 2, 3: %+v", got)
	}
	if got := round(-1e-9); got != 0 || math.Signbit(got) {
		t.Errorf("−10⁻⁹ becomes %v", got)
	}
}

// runner runs at 6 m/s along +X, turns back after a second, and is teleported after two.
func runner() []track.Sample {
	var p []track.Sample
	x, v := 0.0, 6.0
	for i := range 200 {
		s := track.Sample{At: clock.Micros(i) * 16 * clock.Millisecond, Pose: track.Pose{Velocity: geom.V(v, 0, 0)}}
		if s.At >= clock.Second {
			v = -6
		}
		if s.At >= 2*clock.Second {
			s.Teleport = 1
		}
		s.Position = geom.V(x+100*float64(s.Teleport), 0, 0)
		p = append(p, s)
		x += v * 0.016
	}
	return p
}

// The truth is known between two poses of one path, and nowhere else.
func TestPath(t *testing.T) {
	p := path{list: runner()}
	if s, ok := p.at(500 * clock.Millisecond); !ok || math.Abs(s.Position.X-3) > 1e-9 {
		t.Errorf("after half a second: %v, %v; want 3 m", s.Position, ok)
	}
	for _, at := range []clock.Micros{-1, 2*clock.Second - 1, 60 * clock.Second} {
		if _, ok := p.at(at); ok {
			t.Errorf("at %d something is known", at)
		}
	}
	if _, ok := (path{}).at(clock.Second); ok || (path{}).known(0) || !(path{}).steady(0, 0, 1) {
		t.Error("something is known of an empty path")
	}
	for _, c := range []struct {
		at   clock.Micros
		want bool
	}{{500_000, true}, {1_010_000, false}, {1_500_000, true}} {
		if got := p.steady(c.at, 0, around); got != c.want {
			t.Errorf("steady at %d: got %v, want %v", c.at, got, c.want)
		}
	}
	if !p.known(3*clock.Second) || p.known(199*16*clock.Millisecond) {
		t.Error("known to the last pose, and no further")
	}
}

// A view that moves back against a steady run is a reversal, one that leaps is a snap; a turn of the
// runner's own and a teleport are neither.
func TestReversalsAndSnaps(t *testing.T) {
	for _, c := range []struct {
		what             string
		push             func(at clock.Micros) float64
		reversals, snaps int
	}{
		{"as it was", func(clock.Micros) float64 { return 0 }, 0, 0},
		{"3 cm off throughout", func(clock.Micros) float64 { return 0.03 }, 0, 0},
		{"pulled back by 30 cm once", func(at clock.Micros) float64 { return back(at >= 500_000, -0.3) }, 1, 0},
		{"half a millimetre back, against 6 cm ahead", func(at clock.Micros) float64 { return back(at >= 500_000, -0.0605) }, 0, 0},
		{"a millimetre and a half back", func(at clock.Micros) float64 { return back(at >= 500_000, -0.0615) }, 1, 0},
		{"thrown by 2 m once", func(at clock.Micros) float64 { return back(at >= 500_000, 2) }, 0, 1},
		{"thrown by 49 cm once", func(at clock.Micros) float64 { return back(at >= 500_000, 0.49) }, 0, 0},
		{"thrown by 51 cm once", func(at clock.Micros) float64 { return back(at >= 500_000, 0.51) }, 0, 1},
	} {
		m := &measure{truth: &Truth{paths: [][]track.Sample{nil, runner()}}, players: make([]playerRecord, 2)}
		p := &m.players[0]
		p.last, p.hints = make([]remoteView, 2), make([]int, 2)
		for at := clock.Micros(100_000); at < 2_900_000; at += 10_000 {
			if s, ok := m.truth.At(2, at); ok {
				p.pending = append(p.pending, remoteView{at: at + 100_000, view: at, platform: at, id: 2,
					position: s.Position.Add(geom.V(c.push(at), 0, 0)), path: [2]uint8{0, s.Teleport}})
			}
		}
		m.compare(0, 1<<40)
		if p.reversals != c.reversals || p.snaps != c.snaps {
			t.Errorf("%s: %d reversals and %d snaps, want %d and %d", c.what, p.reversals, p.snaps, c.reversals, c.snaps)
		}
		if worst := slices.Max(p.errors); math.Abs(worst-math.Abs(c.push(1_800_000))) > 1e-9 {
			t.Errorf("%s: error up to %v", c.what, worst)
		}
	}
}

// The error of a drawn speed by hand: of frames 20 ms apart whose view times are 10 ms apart, a true speed of 6 m/s is
// drawn at half of that. Slow players, views of the same instant and views without a known truth do not count.
func TestErrorsOfTheDrawnSpeed(t *testing.T) {
	view := func(at, view clock.Micros, x float64, known bool) remoteView {
		return remoteView{at: at, view: view, position: geom.V(x, 1, 0), truePosition: geom.V(x, 0, 0), known: known}
	}
	a := view(100_000, 40_000, 0, true)
	for _, c := range []struct {
		what                 string
		a, b                 remoteView
		extrapolated, counts bool
		want                 float64
	}{
		{"at half speed", a, view(120_000, 50_000, 0.06, true), false, true, 0.5},
		{"at its speed, past the last sample", a, view(110_000, 50_000, 0.06, true), true, true, 0},
		{"at twice its speed", a, view(105_000, 50_000, 0.06, true), false, true, 1},
		{"too slow to count", a, view(110_000, 50_000, 0.009, true), false, false, 0},
		{"after a view without truth", view(100_000, 40_000, 0, false), view(110_000, 50_000, 0.06, true), false, false, 0},
		{"in the same frame", a, view(100_000, 50_000, 0.06, true), false, false, 0},
	} {
		p := &playerRecord{}
		c.b.extrapolated = c.extrapolated
		p.noteSpeed(&c.a, &c.b)
		if p.moving != count(c.counts) || p.extrapolated != count(c.extrapolated) || len(p.speeds) != p.moving || c.counts && math.Abs(p.speeds[0]-c.want) > 1e-9 {
			t.Errorf("%s: %d views, %d extrapolated, errors %v; want %v", c.what, p.moving, p.extrapolated, p.speeds, c.want)
		}
	}
}

// A player is drawn inside the level from a depth of a centimetre on, if shots and walls are to meet its body.
func TestPlayersInsideTheLevel(t *testing.T) {
	solid := true
	m := &measure{e: &Experiment{World: collide.Floor(20), BodyCapsule: func(s *track.Sample) (geom.Capsule, bool) {
		return geom.Capsule{A: s.Position.Add(geom.V(0, 0.3, 0)), B: s.Position.Add(geom.V(0, 1.5, 0)), Radius: 0.3}, solid
	}}}
	at := func(y float64) track.Entity {
		return track.Entity{ID: 2, Sample: track.Sample{Pose: track.Pose{Position: geom.V(0, y, 0)}}}
	}
	for y, want := range map[float64]bool{0.1: false, 0: false, -0.009: false, -0.011: true, -0.5: true} {
		if got := m.inside(at(y)); got != want {
			t.Errorf("%v m over the floor: inside %v, want %v", y, got, want)
		}
	}
	if solid = false; m.inside(at(-0.5)) {
		t.Error("a player without a body is inside")
	}
	m.e.BodyCapsule = nil
	if m.inside(at(-0.5)) {
		t.Error("a game without bodies has players inside")
	}
}

func back(when bool, by float64) float64 {
	if when {
		return by
	}
	return 0
}

// A view waits until no later pose can change the truth that it is compared with, or for a second.
func TestViewsWaitForTheTruth(t *testing.T) {
	m := &measure{truth: &Truth{paths: [][]track.Sample{nil, runner()[:10]}}, players: make([]playerRecord, 2)}
	p := &m.players[0]
	p.last, p.hints = make([]remoteView, 2), make([]int, 2)
	p.pending = []remoteView{{at: 150_000, view: 50_000, id: 2}, {at: 250_000, view: 130_000, id: 2}}
	m.compare(0, 300_000)
	if len(p.errors) != 1 || len(p.pending) != 1 {
		t.Errorf("%d compared, %d wait; want one of each", len(p.errors), len(p.pending))
	}
	if m.compare(0, 1_300_000); len(p.pending) != 0 {
		t.Errorf("%d still wait", len(p.pending))
	}
}

// The owner's error is known for a frame if the server ran its newest command unchanged: of
// the two frames of command 4, the second made it longer.
func TestOwnerErrors(t *testing.T) {
	frames := []frame{{0, 3, geom.V(1, 0, 0), 0}, {1, 4, geom.V(2, 0, 0), 0}, {2, 4, geom.V(2.5, 0, 0), 0}, {3, 6, geom.V(3, 0, 0), 0}, {4, 9, geom.V(4, 0, 0), 0}}
	moves := []ranCommand{{1, geom.V(0, 0, 0), 0}, {3, geom.V(1, 0, 0), 0}, {4, geom.V(2, 0.5, 0), 0}, {5, geom.V(2, 0, 0), 0}, {7, geom.V(3, 0, 0), 0}}
	got := ownerErrors(frames, moves)
	want := []float64{0, -1, math.Sqrt(0.5), -1, -1}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// The player reconnects while three commands are under way: those of the same numbers on the new connection are others.
	frames = []frame{{0, 3, geom.V(1, 0, 0), 0}, {1, 4, geom.V(2, 0, 0), 0}, {2, 5, geom.V(3, 0, 0), 0}, {9, 2, geom.V(9, 0, 0), 1}, {10, 3, geom.V(9, 0, 0), 1}, {11, 5, geom.V(9, 0, 0), 1}}
	moves = []ranCommand{{3, geom.V(1, 0, 0), 0}, {5, geom.V(3, 0, 0), 0}, {2, geom.V(9, 0, 0), 1}, {3, geom.V(8, 0, 0), 1}}
	if got, want := ownerErrors(frames, moves), []float64{0, -1, 0, 0, 1, -1}; !slices.Equal(got, want) {
		t.Errorf("over two connections: got %v, want %v", got, want)
	}
	if k := known(got); !slices.Equal(k, []float64{0, math.Sqrt(0.5)}) {
		t.Errorf("known: %v", k)
	}
}

// The gain counts from the first command of the run, filled gaps included.
func TestGain(t *testing.T) {
	g := timeGain{first: 10, zero: 1_040_000}
	g.add(9, 0, 500_000, 1_000_000)
	g.add(10, 0, 16_000, 1_000_000)
	if g.ratio() != 0 {
		t.Errorf("of one command: %v", g.ratio())
	}
	g.add(11, 0, 100_000, 1_100_000)
	g.add(12, 0, 60_000, 1_200_000) // filler
	g.add(12, 0, 50_000, 1_200_000)
	if got := g.ratio(); got != 0.05 {
		t.Errorf("210 ms in 200: got %v, want 0.05", got)
	}
	if g.most != 50_000 { // 210 ms were simulated by 160 ms after time zero
		t.Errorf("%d µs ahead at most, want 50,000", g.most)
	}
	g.add(3, 1, 70_000, 1_200_000) // over a new connection, whose numbers begin again
	if got := g.ratio(); got != 0.4 || g.most != 120_000 {
		t.Errorf("280 ms in 200, the last 70 over a new connection: got %v and %d µs, want 0.4 and 120,000", got, g.most)
	}
}

// corrects is a client with the newest move and the corrections of a test.
type corrects struct {
	Client
	newest uint32
	last   predict.Correction
	count  predict.OwnerCounters
}

func (c *corrects) Newest() uint32                     { return c.newest }
func (c *corrects) LastCorrection() predict.Correction { return c.last }
func (c *corrects) Stats() session.Stats               { return session.Stats{Moves: c.count} }

// A correction of a move that was made before another correction was applied counts as corrected
// again; a correction by a push does not.
func TestCorrectedAgain(t *testing.T) {
	c := &corrects{}
	m := &measure{players: []playerRecord{{client: c}}}
	p := &m.players[0]
	for _, f := range []struct {
		newest, about uint32
		count         predict.OwnerCounters
		again         int
	}{
		{10, 0, predict.OwnerCounters{}, 0},
		{11, 6, predict.OwnerCounters{Corrections: 1}, 0},                                // moves up to 10 were made before
		{12, 9, predict.OwnerCounters{Corrections: 1, ServerForces: 1}, 0},               // a push
		{13, 12, predict.OwnerCounters{Corrections: 2, ServerForces: 1}, 0},              // a move made after it
		{14, 12, predict.OwnerCounters{Corrections: 3, ServerForces: 1}, 1},              // and again
		{20, 13, predict.OwnerCounters{Corrections: 3, ServerForces: 1, Timeouts: 1}, 1}, // silence
	} {
		c.newest, c.last, c.count = f.newest, predict.Correction{Number: f.about}, f.count
		m.corrected(0, 0)
		if p.latest = c.newest; p.correctedAgain != f.again {
			t.Errorf("after move %d: %d corrected again, want %d", f.newest, p.correctedAgain, f.again)
		}
	}
	if happened := len(p.events); happened != 5 {
		t.Errorf("%d corrections, want 5", happened)
	}
}

// Over two connections the counts of both add up, without those before time zero. The first correction of the second
// connection is of a move made after any of the first one, whatever its number, and coming back is no correction.
func TestCountsOverTwoConnections(t *testing.T) {
	c := &corrects{newest: 40, count: predict.OwnerCounters{Made: 40, Corrections: 3, Teleports: 1}}
	m := &measure{e: &Experiment{Server: nobody{}}, players: []playerRecord{{client: c, detected: -1}}}
	p := &m.players[0]
	p.hints, p.last = make([]int, 1), make([]remoteView, 1)
	m.cover = &cover{past: make([]tickPoses, 2)}
	m.begin(clock.Second)
	step := func(newest, about uint32, count predict.OwnerCounters) {
		c.newest, c.last, c.count = newest, predict.Correction{Number: about, Distance: 0.5}, count
		m.corrected(0, 2*clock.Second)
		p.latest = newest
	}
	step(100, 0, predict.OwnerCounters{Made: 100, Corrections: 3, Teleports: 1})
	step(160, 150, predict.OwnerCounters{Made: 160, Corrections: 4, Teleports: 1})
	m.reconnects(0)
	step(2, 0, predict.OwnerCounters{Made: 2})
	step(30, 20, predict.OwnerCounters{Made: 30, Corrections: 1})
	f := p.figures(10 * clock.Second)
	if f.Moves.Made != 150 || f.Corrections != 2 || f.Teleports != 0 || f.CorrectedAgain != 0 || len(f.Events) != 2 {
		t.Errorf("%d moves, %d corrections, %d teleports, %d corrected again, events %+v; want 150, 2, 0, 0 and two corrections",
			f.Moves.Made, f.Corrections, f.Teleports, f.CorrectedAgain, f.Events)
	}
	r := refusals{-4, predict.AuthorityCounters{Executed: 90, Refused: 3, Stale: 1}}
	for _, now := range []predict.AuthorityCounters{{Executed: 95, Refused: 5, Stale: 1}, {Executed: 3, Refused: 1}, {Executed: 9, Refused: 1, Stale: 2}} {
		r.note(&now)
	}
	if got := r.count(); got != 5 {
		t.Errorf("%d moves refused, want 2 over the first connection and 3 over the second", got)
	}
}

// nobody is a server without players.
type nobody struct{ Server }

func (nobody) Players(into []session.PlayerInfo) []session.PlayerInfo { return into }
func (nobody) Pose(session.PlayerID) (track.Sample, bool)             { return track.Sample{}, false }

// A verdict agrees with the screen if both hit the same; a refusal agrees only with no hit.
func TestAgreement(t *testing.T) {
	bob := rewind.HitTarget{Kind: rewind.Player, Target: 2, Hitbox: rig.HitboxID(rig.Head), HitGroup: rig.Head}
	body := rewind.HitTarget{Kind: rewind.Player, Target: 2, Hitbox: rig.HitboxID(rig.Body), HitGroup: rig.Body}
	wall := rewind.HitTarget{Kind: rewind.World}
	for _, c := range []struct {
		saw     rewind.HitTarget
		verdict shot.Verdict
		met     rewind.HitTarget
		want    bool
	}{
		{bob, shot.Hit, bob, true}, {bob, shot.Hit, body, false}, {bob, shot.Miss, wall, false},
		{wall, shot.Miss, wall, true}, {wall, shot.Miss, rewind.HitTarget{}, false}, {rewind.HitTarget{}, shot.Miss, rewind.HitTarget{}, true},
		{bob, shot.Refused, rewind.HitTarget{}, false}, {wall, shot.Refused, rewind.HitTarget{}, false}, {rewind.HitTarget{}, shot.Refused, rewind.HitTarget{}, true},
	} {
		r := &shot.Receipt{Verdict: c.verdict, Outcome: rewind.Outcome{HitTarget: c.met}}
		if got := agrees(&claim{saw: rewind.Outcome{HitTarget: c.saw}, hits: hitsOf(c.saw), damaged: hitsOf(c.met)}, r); got != c.want {
			t.Errorf("saw %+v, verdict %v %+v: got %v, want %v", c.saw, c.verdict, c.met, got, c.want)
		}
	}
	if agreement(0, 0) != 1 || agreement(2, 3) != 0.666667 {
		t.Errorf("shares: %v %v", agreement(0, 0), agreement(2, 3))
	}
}

func hitsOf(m rewind.HitTarget) []hitCount { return hitsOfOutcomes([]rewind.Outcome{{HitTarget: m}}) }

// Poses are compared by the middles of the hitboxes that both have, of those within 2 m of
// the shot's line.
func TestPoseErrors(t *testing.T) {
	entity := func(id track.ID, x, z float64, low bool) track.Entity {
		return track.Entity{ID: id, Sample: track.Sample{Pose: track.Pose{Position: geom.V(x, 0, z), Crouched: low}}}
	}
	drawn := []track.Entity{entity(1, 0, 0, false), entity(2, 5, 0, false), entity(3, 9, 0, false)}
	rebuilt := []track.Entity{entity(1, 0.1, 0, false), entity(2, 5, 0, true), entity(4, 0, 0, false)}
	s := shots{model: newPoser(nil)}
	s.compare(&claim{near: drawn, rebuilt: rebuilt})
	got := s.poses
	if len(got) != 4 || math.Abs(got[0]-0.1) > 1e-12 || math.Abs(got[1]-0.1) > 1e-12 || math.Abs(got[3]-0.94) > 1e-12 {
		t.Errorf("got %v", got)
	}
	eye, aim := geom.V(0, 1.5, 0), geom.V(0, 0, -1)
	for _, c := range []struct {
		x, z float64
		want bool
	}{{1.8, -20, true}, {2.1, -20, false}, {0, 1.5, true}, {0, 3, false}, {0, -101, true}, {0, -103, false}} {
		e := entity(1, c.x, c.z, false)
		if s.model.near(&e.Sample, eye, aim, 100) != c.want {
			t.Errorf("at %v, %v: want %v", c.x, c.z, c.want)
		}
	}
}

// Every figure of a result has a path, no two the same, and the value is found by
// it; it is the JSON's.
func TestLookup(t *testing.T) {
	r := &Result{Order: []string{"ann", "shots"}, Players: map[string]*Figures{"ann": {Corrections: 3, OwnerError: Spread{Max: 0.5}, TimeDiscrepancy: TimeDiscrepancy{Detected: true}}, "shots": {}}}
	r.Shots.Agreement = 0.75
	for path, want := range map[string]float64{"ann.corrections": 3, "ann.owner_error.max": 0.5, "shots.agreement": 0.75, "ticks": 0} {
		if got, ok := r.Lookup(strings.Split(path, ".")); !ok || got != want {
			t.Errorf("%s: got %v, %v; want %v", path, got, ok, want)
		}
	}
	for _, path := range []string{"", "ann", "bob.corrections", "ann.correction", "shots", "ann.owner_error"} {
		if _, ok := r.Lookup(strings.Split(path, ".")); ok {
			t.Errorf("%q is found", path)
		}
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(b, &tree); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, n := range r.Numbers() {
		keys := strings.Split(n.Path, ".")
		node := any(tree)
		if keys[0] == "ann" || len(keys) > 1 && keys[0] == "shots" && seen["shots."+keys[1]] {
			node = tree["players"]
		}
		if seen[n.Path] {
			continue // a player called shots
		}
		seen[n.Path] = true
		for _, k := range keys {
			if m, ok := node.(map[string]any); ok {
				node = m[k]
			}
		}
		if keys[0] != "ann" {
			continue
		}
		if got, ok := node.(bool); ok {
			node = float64(count(got))
		}
		if node != n.Value {
			t.Errorf("%s: got %v, in the JSON %v", n.Path, n.Value, node)
		}
	}
}

// What was written is read again, and is the same twice.
func TestJSON(t *testing.T) {
	r := &Result{Name: "a \"b\" <c>\\", Seed: 1 << 63, Hash: "00ff", Order: []string{"ann"}, Players: map[string]*Figures{"ann": {
		Trajectory: []Point{{T: 0.01, P: [3]float64{1, 2, 3}, Mode: "walking"}, {Mode: "{[,:"}}, Events: []Event{}}}}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `{"t":0.01,"p":[1,2,3],"v":[0,0,0],"mode":"walking"}`) || !strings.Contains(b.String(), `\"b\" <c>`) {
		t.Errorf("got\n%s", b.String())
	}
	again, err := Read(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	var c bytes.Buffer
	if err := again.Write(&c); err != nil || c.String() != b.String() {
		t.Errorf("%v; read and written again:\n%s", err, c.String())
	}
	for _, bad := range []string{"", "{}", "[]", `{"name": 3}`} {
		if _, err := Read(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is a result", bad)
		}
	}
}

// Two results side by side: what differs by more than rounding is marked.
func TestCompare(t *testing.T) {
	a := &Result{Order: []string{"ann"}, Players: map[string]*Figures{"ann": {Up: 100, Down: 5}}}
	b := &Result{Order: []string{"ann", "bob"}, Players: map[string]*Figures{"ann": {Up: 101, Down: 5.000001}, "bob": {}}}
	changed := map[string]float64{}
	alone := 0
	for _, r := range Compare(a, b) {
		switch {
		case math.IsNaN(r.A):
			alone++
		case r.Changed:
			changed[r.Path] = r.Difference
		}
	}
	if len(changed) != 1 || changed["ann.up"] != 1 || alone != len((&Figures{}).numbers("")) {
		t.Errorf("changed %v, %d only in b", changed, alone)
	}
}

// Every number of a result has a path, and is found by it; lists, maps and what is missing have
// none.
func TestFiguresAreTheNumbersOfTheJSON(t *testing.T) {
	r := &Result{Ticks: 60, TickRate: 30, Order: []string{"ann"}, Players: map[string]*Figures{"ann": {
		OwnerError: Spread{P99: 0.5}, Corrections: 3, TimeDiscrepancy: TimeDiscrepancy{Detected: true},
		PathSummary: PathSummary{End: End{X: 7}}, Bodies: &BodyFigures{Snaps: 2}, Events: []Event{{Kind: "died"}, {Kind: "died"}},
	}}, Shots: Shots{Fired: 9, BehindCover: Cover{Share: 0.25}, Weapons: map[string]*WeaponFigures{"rifle": {EndError: Spread{Max: 4}}}}}
	for path, want := range map[string]float64{
		"ticks": 60, "ann.owner_error.p99": 0.5, "ann.corrections": 3, "ann.time_discrepancy.detected": 1, "ann.end.x": 7,
		"ann.bodies.snaps": 2, "ann.events.died": 2, "ann.events.landed": 0, "shots.fired": 9, "shots.behind_cover.share": 0.25,
		"shots.weapons.rifle.end_error.max": 4, "shots.weapons.sword.agreement": 1,
	} {
		if got, ok := r.Lookup(strings.Split(path, ".")); !ok || got != want {
			t.Errorf("%s: got %v, %v, want %v", path, got, ok, want)
		}
	}
	for _, path := range []string{"", "seed", "tick_rate", "ann", "bob.up", "bob.events.died", "ann.events.flown", "ann.trajectory", "ann.recorded.max", "shots.weapons", "shots.weapons.rifle.name"} {
		if got, ok := r.Lookup(strings.Split(path, ".")); ok {
			t.Errorf("%s: got %v, want none", path, got)
		}
	}
	known := figureNames([]string{"rifle"})
	for _, n := range r.Numbers() {
		if name := strings.Replace(n.Path, "ann.", "*.", 1); !slices.Contains(known, name) {
			t.Errorf("%s is a figure that scenarios may not name", n.Path)
		}
	}
}
