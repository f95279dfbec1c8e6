package scenario

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/strictyaml"
)

// say writes an Input in words.
func say(in Input) string {
	var w []string
	add := func(is bool, word string) {
		if is {
			w = append(w, word)
		}
	}
	add(in.Forward > 0, "forward")
	add(in.Forward < 0, "back")
	add(in.Right > 0, "right")
	add(in.Right < 0, "left")
	add(in.Jump, "jump")
	add(in.Crouch, "crouch")
	w = append(w, in.Buttons...)
	for _, f := range in.Shots {
		add(true, "fire "+f.At+f.Part)
	}
	for _, m := range in.Motions {
		add(true, m.Kind)
	}
	return strings.Join(w, " ")
}

// TestCursor is a transcript of the input of scripts at frames every 10 ms from 0, unless a case has
// its own list of frames.
func TestCursor(t *testing.T) {
	for _, c := range []struct {
		situation, script string
		frames            []clock.Micros
		want              []string
	}{
		{"nothing is held before the first entry", "{at: 15ms, forward: 1}", nil, []string{"", "", "forward", "forward"}},
		{"an entry takes effect at the frame at its time", "{at: 10ms, forward: 1}", nil, []string{"", "forward"}},
		{"and at time zero, at the first frame", "{at: 0s, forward: 1}", nil, []string{"forward"}},
		{"and not before time zero", "{at: 0s, forward: 1}", []clock.Micros{-5 * ms, 0}, []string{"", "forward"}},
		{
			"a key holds until a later entry changes it",
			"{at: 0s, forward: 1, jump: true}, {at: 10ms, right: -1}, {at: 20ms, forward: 0, jump: false}", nil,
			[]string{"forward jump", "forward left jump", "left", "left"},
		},
		{
			"a press and a release between two frames are a press for one frame",
			"{at: 11ms, jump: true}, {at: 12ms, jump: false}", nil,
			[]string{"", "", "jump", "", ""},
		},
		{
			"and so for crouch, at the very time of a frame",
			"{at: 10ms, crouch: true}, {at: 10ms, crouch: false}", nil,
			[]string{"", "crouch", ""},
		},
		{
			"two presses between two frames are one",
			"{at: 1ms, jump: true}, {at: 2ms, jump: false}, {at: 3ms, jump: true}, {at: 4ms, jump: false}", nil,
			[]string{"", "jump", ""},
		},
		{
			"a press, release and press between two frames go on",
			"{at: 1ms, jump: true}, {at: 2ms, jump: false}, {at: 3ms, jump: true}", nil,
			[]string{"", "jump", "jump"},
		},
		{
			"a press of one frame that was held before ends there",
			"{at: 0s, jump: true}, {at: 5ms, jump: false}", nil,
			[]string{"jump", "", ""},
		},
		{
			"a direction that comes and goes between two frames is not seen",
			"{at: 11ms, forward: 1}, {at: 12ms, forward: 0}", nil,
			[]string{"", "", "", ""},
		},
		{
			"a shot is fired at one frame",
			"{at: 15ms, fire: {at: bob, part: head}}", nil,
			[]string{"", "", "fire bobhead", ""},
		},
		{
			"two shots at one time are fired at one frame, in the file's order",
			"{at: 10ms, fire: {at: bob, part: head}}, {at: 10ms, fire: {at: bob}}", nil,
			[]string{"", "fire bobhead fire bobbody", ""},
		},
		{
			"entries that a freeze slept through are read at the first frame after it",
			"{at: 1s, forward: 1}, {at: 2s, fire: {at: bob}}, {at: 3s, jump: true}, {at: 4s, jump: false, forward: -1}",
			[]clock.Micros{900 * ms, 5 * sec, 5010 * ms},
			[]string{"", "back jump fire bobbody", "back"},
		},
		{
			"an estimate that goes back repeats nothing",
			"{at: 10ms, fire: {at: bob}, forward: 1}",
			[]clock.Micros{10 * ms, 5 * ms, 11 * ms},
			[]string{"forward fire bobbody", "forward", "forward"},
		},
		{
			"entries out of order are read in order of time",
			"{at: 20ms, forward: 0}, {at: 0s, forward: 1}", nil,
			[]string{"forward", "forward", ""},
		},
		{
			"the owner starts its motions, and not the server's",
			"{at: 0s, root_motion: {kind: constant_force, velocity: [1, 0, 0], for: 1s}}, " +
				"{at: 10ms, root_motion: {kind: constant_force, velocity: [1, 0, 0], for: 1s, by: owner}}", nil,
			[]string{"", "constant_force", ""},
		},
		{
			"a bot ignores its script",
			"{at: 0s, forward: 1}], bot: hunter, send: 60, frame: [60", nil,
			[]string{"", ""},
		},
		{
			"the title's own buttons are held and pressed like the others",
			"{at: 0s, press: hook}, {at: 11ms, press: dash}, {at: 12ms, release: dash}, {at: 30ms, release: hook}", nil,
			[]string{"hook", "hook", "hook dash", ""},
		},
	} {
		f, err := Open("x.yaml", []byte(whole("players:\n  - {name: ann, script: ["+c.script+"]}\n  - name: bob\n")))
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.Scenario(Options{Buttons: []string{"dash", "hook"}})
		if err != nil {
			t.Fatal(err)
		}
		cursor := NewCursor(&s.Players[0])
		for i, want := range c.want {
			at := clock.Micros(i) * 10 * ms
			if c.frames != nil {
				at = c.frames[i]
			}
			if got := say(cursor.Frame(at)); got != want {
				t.Errorf("%s: at %s: got %q, want %q", c.situation, strictyaml.FormatTime(at), got, want)
			}
		}
	}
}

// TestCursorClampsTheStick: forward and right together are of length 1 at most,
// and a half stays a half. The yaw is the player's until the script turns.
func TestCursorClampsTheStick(t *testing.T) {
	s := right(t, "players: [{name: ann, yaw: 180, script: [{at: 0s, forward: 1, right: -1}, {at: 1s, forward: 0.5, right: 0, yaw: -90}]}]\n")
	c := NewCursor(&s.Players[0])
	a, b := c.Frame(0), c.Frame(sec)
	if r := math.Sqrt(0.5); math.Abs(a.Forward-r) > 1e-15 || math.Abs(a.Right+r) > 1e-15 || a.Yaw != math.Pi {
		t.Errorf("got %+v, want forward %v, right %v, yaw π", a, r, -r)
	}
	if b.Forward != 0.5 || b.Right != 0 || b.Yaw != -math.Pi/2 {
		t.Errorf("got %+v, want forward 0.5, right 0, yaw −π/2", b)
	}
}

// TestServerActions are the server's, in order of time, then of players.
func TestServerActions(t *testing.T) {
	s := right(t, `
players:
  - name: ann
    script:
      - {at: 2s, mode: falling, jump: true}
      - {at: 1s, push: [0, 3, 8]}
      - {at: 1s, forward: 1}
  - name: bob
    script:
      - {at: 1s, root_motion: {kind: constant_force, velocity: [1, 0, 0], for: 1s}}
      - {at: 1s, root_motion: {kind: constant_force, velocity: [1, 0, 0], for: 1s, by: owner}}
  - name: cid
    bot: wander
    script: [{at: 1s, mode: falling}]
`)
	want := []ServerAction{
		{At: sec, Player: 0, Push: &geom.Vec3{Y: 3, Z: 8}},
		{At: sec, Player: 1, RootMotion: &RootMotion{Kind: "constant_force", Velocity: geom.V(1, 0, 0), For: sec}},
		{At: 2 * sec, Player: 0, Mode: "falling"},
	}
	if diff := cmp.Diff(want, s.ServerActions()); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

// TestFrameTime: frame k is at round(k·10⁶/frame) µs and a phase.
func TestFrameTime(t *testing.T) {
	for _, c := range []struct {
		k     int64
		rates []float64
		phase clock.Micros
		want  clock.Micros
	}{
		{0, []float64{144}, 0, 0},
		{0, []float64{144}, 6943, 6943},
		{1, []float64{144}, 0, 6944},
		{2, []float64{144}, 0, 13889},
		{144, []float64{144}, 5, sec + 5},
		{1, []float64{59.94}, 0, 16683},
		{5_184_000_000, []float64{60}, 0, 1000 * MaxTime},
		{143, []float64{144, 30}, 0, 993056},
		{144, []float64{144, 30}, 0, sec},
		{145, []float64{144, 30}, 7, sec + 33333 + 7},
		{173, []float64{144, 30}, 0, sec + 966667},
		{174, []float64{144, 30}, 0, 2 * sec},
		{175, []float64{144, 30}, 0, 2*sec + 6944},
		{174*5 + 144, []float64{144, 30}, 0, 11 * sec},
		{6, []float64{1, 2, 1}, 0, 4*sec + 500*ms},
	} {
		if got := FrameTime(c.k, c.rates, c.phase); got != c.want {
			t.Errorf("frame %d of %v with phase %d: got %d, want %d", c.k, c.rates, c.phase, got, c.want)
		}
	}
	for k := int64(1); k < 5000; k++ {
		if a, b := FrameTime(k-1, []float64{144, 30, 1}, 3), FrameTime(k, []float64{144, 30, 1}, 3); a >= b {
			t.Fatalf("frame %d at %d is not before frame %d at %d", k-1, a, k, b)
		}
		if a, b := FrameTime(k, []float64{144}, 0), clock.TickTime(k, 144); a != b {
			t.Fatalf("frame %d at %d, and tick %d at %d", k, a, k, b)
		}
	}
}

// TestSet overrides keys of every depth, and each before the file is checked.
func TestSet(t *testing.T) {
	f, err := Open("x.yaml", []byte(whole("network: mobile\nexpect: [ann.corrections <= 0]\nseed: 3\n")))
	if err != nil {
		t.Fatal(err)
	}
	before, err := f.Scenario(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range [][2]string{
		{"seed", "9"},
		{"network.rtt", "150ms"},
		{"players.ann.frame", "[144, 30]"},
		{"players.bob.network.loss", "0.5"},
		{"players.bob.network.loss", "0.25"},
		{"params.gravity", "-5"},
		{"expect.0", "bob.corrections > 2"},
		{"server", "{tick: 20}"},
		{"geometry", "[{water: {min: [0, 0, 0], max: [1, 1, 1]}}]"},
	} {
		if err := f.Set(set[0], set[1]); err != nil {
			t.Fatal(err)
		}
	}
	s, err := f.Scenario(Options{})
	if err != nil {
		t.Fatal(err)
	}
	mobile := before.Network
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"seed", s.Seed, uint64(9)},
		{"seed of what was made before", before.Seed, uint64(3)},
		{"rtt", s.Network.RTT.String(), "150ms"},
		{"jitter of the profile", s.Network.Jitter, mobile.Jitter},
		{"bob's rtt", s.Players[1].Network.RTT.String(), "150ms"},
		{"bob's loss", s.Players[1].Network.Loss, 0.25},
		{"ann's frames", s.Players[0].Frame, []float64{144, 30}},
		{"gravity, and that it is the sixth setting's", s.Params[0], Param{"gravity", -5, -6}},
		{"expectation", s.Expect[0].Text, "bob.corrections > 2"},
		{"snapshots", s.Server.Snapshots, 20},
		{"the place of a setting", s.ErrorAt(-1, "oh").Error(), "--set seed=9: oh"},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", c.what, diff)
		}
	}
}

// TestAWrongSettingChangesNothing: the file is as it was.
func TestAWrongSettingChangesNothing(t *testing.T) {
	f, err := Open("x.yaml", []byte(whole("")))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"players.anne.frame", "duration.x", "players.ann.name.x.y", "geometry.0"} {
		if err := f.Set(path, "60"); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
	s, err := f.Scenario(Options{})
	if err != nil || len(s.Overrides) != 0 {
		t.Errorf("got %v and %v", s, err)
	}
}

// TestWorld stands what was built where the file says.
func TestWorld(t *testing.T) {
	s := right(t, `
geometry:
  - box:    {min: [-50, -1, -50], max: [50, 0, 50]}
  - box:    {min: [20, 0, -1], max: [26, 1, 1], yaw: 90}
  - ramp:   {at: [4, 0, -4], size: [3, 2, 4], yaw: 90}
  - stairs: {at: [0, 0, -6], width: 3, rise: 0.3, run: 0.3, steps: 8}
  - water:  {min: [10, 5, 10], max: [20, 6, 20]}
  - mover:   {name: lift, box: {min: [-1, 9, -1], max: [1, 10, 1]}, path: {points: [[0s, [8, 0, 0]]]}}
  - triangles: [[[30, 3, 30], [30, 3, 40], [40, 3, 30]]]
`)
	w, err := s.World(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Shapes(); got != 1+1+1+8+1 {
		t.Errorf("%d shapes, want a floor, a box, a ramp, 8 steps and a mesh", got)
	}
	for _, c := range []struct {
		where   string
		x, z, y float64
	}{
		{"the floor", -20, -20, 0},
		{"the turned box is 6 m along Z", 23, 2.9, 1},
		{"and 2 m along X", 24.1, 0, 0},
		{"half way up the ramp, which climbs towards −X", 2, -4, 1},
		{"the first step", 0, -6.1, 0.3},
		{"the last step", 0, -6 - 0.3*7.5, 2.4},
		{"water is not solid", 15, 15, 0},
		{"a body is not of the still world", 8, 0, 0},
		{"the triangle", 31, 31, 3},
	} {
		hit, ok := w.Ray(geom.V(c.x, 100, c.z), geom.V(0, -200, 0))
		if !ok || math.Abs(hit.Point.Y-c.y) > 1e-9 {
			t.Errorf("%s: at %v, %v the ground is at %v, want %v", c.where, c.x, c.z, hit.Point.Y, c.y)
		}
	}
}

// TestWorldOfALevel is what is handed in, and its error gets the line.
func TestWorldOfALevel(t *testing.T) {
	s := right(t, "# bare\nduration: 1s\nlevel: yard\nplayers: [{name: ann}]\n")
	var b collide.Builder
	yard, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.World(func(l Level) (*collide.World, error) {
		if l.Name != "yard" || l.File != "" {
			t.Errorf("asked for %+v, want yard", l)
		}
		return yard, nil
	}, 0)
	if got != yard || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	_, err = s.World(func(Level) (*collide.World, error) { return nil, errors.New("no such file") }, 0)
	if want := "x.yaml:3: the level cannot be read: no such file"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestExpectations holds every comparison against figures at, below and above.
func TestExpectations(t *testing.T) {
	for op, want := range map[string][3]bool{ // of 1, 2 and 3 with 2
		"<": {true, false, false}, "<=": {true, true, false}, ">": {false, false, true},
		">=": {false, true, true}, "==": {false, true, false}, "!=": {true, false, true},
	} {
		e := right(t, "expect: ['ann.owner_error.p99 "+op+" 2e0']\n").Expect[0]
		for i, want := range want {
			holds, got, err := e.Holds(func(path []string) (float64, bool) {
				return float64(i + 1), strings.Join(path, ".") == "ann.owner_error.p99"
			})
			if holds != want || got != float64(i+1) || err != nil {
				t.Errorf("%d %s 2: got %t, %v, %v, want %t", i+1, op, holds, got, err, want)
			}
		}
		nan := math.NaN()
		if holds, _, _ := e.Holds(func([]string) (float64, bool) { return nan, true }); holds != (op == "!=") {
			t.Errorf("NaN %s 2 is %t", op, holds)
		}
		_, _, err := e.Holds(func([]string) (float64, bool) { return 0, false })
		if err == nil || err.Error() != "scenario: the result has no figure ann.owner_error.p99" {
			t.Errorf("no figure: got %v", err)
		}
	}
}

// TestOptions: a game's words are known, and with them no others.
func TestOptions(t *testing.T) {
	f, err := Open("x.yaml", []byte(whole(`
players:
  - {name: ann, script: [{at: 0s, fire: {weapon: sword, at: bob}}]}
  - {name: bob}
expect: [shots.disputed == 0, bob.bounces < 3]
`)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Scenario(Options{Weapons: []string{"rifle", "sword"}, Figures: []string{"shots.disputed", "*.bounces"}}); err != nil {
		t.Error(err)
	}
	var all strictyaml.Errors
	if _, err := f.Scenario(words); !errors.As(err, &all) || len(all) != 3 {
		t.Errorf("with the words of another game: got %v, want 3 errors", err)
	}
}
