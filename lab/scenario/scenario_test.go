package scenario

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/strictyaml"
	"github.com/backstep-net/backstep/transport/mem"
)

const (
	ms  = clock.Millisecond
	sec = clock.Second
)

// right reads a file that must have no errors.
func right(t *testing.T, text string) *Scenario {
	t.Helper()
	s, err := parse("x.yaml", whole(text))
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return s
}

// parse reads a scenario without the words of a game.
func parse(name, text string) (*Scenario, error) {
	f, err := Open(name, []byte(text))
	if err != nil {
		return nil, err
	}
	return f.Scenario(Options{})
}

// readFile reads a scenario from a file without the words of a game.
func readFile(path string) (*Scenario, error) {
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	return f.Scenario(Options{})
}

func ptr[T any](x T) *T { return &x }

// TestTheExample reads the file that shows every key, and gets exactly this.
func TestTheExample(t *testing.T) {
	got, err := readFile("testdata/example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	bad := mem.Network{RTT: 80 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.01, Burst: mem.Burst{Leave: 1}}
	ann := bad
	ann.RTT = 150 * time.Millisecond
	want := &Scenario{
		File: "testdata/example.yaml",
		Name: "stairs under loss", Seed: 7, Duration: 20 * sec,
		Server:   Server{Tick: 60, Snapshots: 20, MaxRewind: 600 * ms, Beyond: "capped"},
		Geometry: exampleGeometry(),
		Params:   []Param{{"max_walk_speed", 6, 12}},
		Network:  bad,
		Players: []Player{
			{
				Name: "ann", Frame: []float64{144}, Send: 60, Network: ann, Clock: Clock{Rate: 1},
				Remote: "interpolate", Cheat: "none", Bot: "none", Script: exampleScript(), Line: 15,
			},
			{
				Name: "bob", Frame: []float64{60}, Send: 60, Network: bad, Clock: Clock{Rate: 1},
				Remote: "interpolate", Cheat: "none", Bot: "none", Line: 35,
			},
		},
		Faults: []Fault{
			{At: 8 * sec, For: sec, Kind: "freeze", Player: "ann", Line: 37},
			{At: 12 * sec, For: 2 * sec, Kind: "partition", Player: "ann", Line: 38},
		},
		Expect: []Expectation{
			{"ann.corrections <= 0", []string{"ann", "corrections"}, false, "<=", 0, 40},
			{"shots.agreement >= 0.999", []string{"shots", "agreement"}, false, ">=", 0.999, 41},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

func exampleGeometry() []Shape {
	return []Shape{
		{Kind: Box, Min: geom.V(-50, -1, -50), Max: geom.V(50, 0, 50), Line: 6},
		{Kind: Ramp, At: geom.V(4, 0, -4), Width: 3, Rise: 2, Run: 4, Yaw: math.Pi / 2, Line: 7},
		{Kind: Stairs, At: geom.V(0, 0, -6), Width: 3, Rise: 0.3, Run: 0.3, Steps: 8, Line: 8},
		{Kind: Triangles, Triangles: [][3]geom.Vec3{{geom.V(0, 0, 0), geom.V(0, 0, 1), geom.V(1, 0, 0)}}, Line: 9},
		{
			Kind: Mover, Name: "lift",
			Parts: []Shape{{Kind: Box, Min: geom.V(-1, -0.1, -1), Max: geom.V(1, 0, 1), Line: 10}},
			Path: Path{Loop: true, Points: []Point{
				{0, geom.V(8, 0, 0), 0}, {2 * sec, geom.V(8, 3, 0), 0}, {4 * sec, geom.V(8, 0, 0), 0},
			}},
			Line: 10,
		},
		{Kind: Water, Min: geom.V(10, -2, 10), Max: geom.V(20, 0, 20), Line: 11},
	}
}

func exampleScript() []Entry {
	return []Entry{
		{At: 0, Forward: ptr(1.0), Line: 26},
		{At: sec, Right: ptr(1.0), Forward: ptr(0.0), Yaw: ptr(math.Pi / 4), Line: 27},
		{At: 2 * sec, Jump: ptr(true), Line: 28},
		{At: 2100 * ms, Jump: ptr(false), Crouch: ptr(true), Line: 29},
		{At: 3 * sec, Mode: "flying", Line: 30},
		{At: 4 * sec, Push: &geom.Vec3{Y: 3, Z: 8}, Line: 31},
		{At: 5 * sec, Fire: &Fire{Weapon: "rifle", At: "bob", Part: "head"}, Line: 32},
		{At: 5 * sec, Fire: &Fire{Weapon: "rifle", Yaw: radians(10), Pitch: radians(-2)}, Line: 33},
		{At: 6 * sec, RootMotion: &RootMotion{Kind: "constant_force", Velocity: geom.V(0, 0, -8), For: 500 * ms}, Line: 34},
	}
}

// TestDefaults is the smallest file: what it does not say is this.
func TestDefaults(t *testing.T) {
	got, err := parse("dir/small one.yaml", "duration: 1s\nlevel: yard\nplayers: [{name: ann}]\n")
	if err != nil {
		t.Fatal(err)
	}
	perfect := mem.Network{Burst: mem.Burst{Leave: 1}}
	want := &Scenario{
		File: "dir/small one.yaml", Name: "small one", Seed: 1, Duration: sec,
		Server: Server{Tick: 60, Snapshots: 60, MaxRewind: MaxRewind, Beyond: "capped"},
		Level:  Level{Name: "yard", Line: 2}, Network: perfect,
		Players: []Player{{
			Name: "ann", Frame: []float64{60}, Send: 60, Network: perfect, Clock: Clock{Rate: 1},
			Remote: "interpolate", Cheat: "none", Bot: "none", Line: 3,
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

// TestDefaultsOfParts are those inside what is given.
func TestDefaultsOfParts(t *testing.T) {
	s := right(t, `
server: {tick: 128}
network: {burst: {enter: 0.1}}
geometry:
  - stairs: {at: [0, 0, 0], width: 1, rise: 0.1, run: 0.1, steps: 1}
  - mover: {name: b, box: {min: [0, 0, 0], max: [1, 1, 1]}, path: {points: [[0s, [0, 0, 0]]]}}
players:
  - name: ann
    clock: {offset: -2s}
    script:
      - {at: 1s, fire: {at: bob}}
      - {at: 0s, root_motion: {kind: constant_force, velocity: [1, 0, 0], for: 1s, by: owner, mode: additive}}
      - {at: 1s, fire: {yaw: 90}}
  - name: bob
`)
	p := s.Players[0]
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"snapshots are at the tick's rate", s.Server.Snapshots, 128},
		{"a burst ends at once", s.Network.Burst, mem.Burst{Enter: 0.1, Leave: 1}},
		{"stairs climb towards −Z", s.Geometry[0].Yaw, 0.0},
		{"a path does not loop", s.Geometry[1].Path.Loop, false},
		{"a clock runs at its rate", p.Clock, Clock{Rate: 1, Offset: -2 * sec}},
		{"entries are sorted by time", p.Script[0].At, clock.Micros(0)},
		{"the owner starts it, and it adds", *p.Script[0].RootMotion, RootMotion{
			Kind: "constant_force", Velocity: geom.V(1, 0, 0), For: sec, ByOwner: true, Additive: true,
		}},
		{"a shot is a rifle's, at the body", *p.Script[1].Fire, Fire{Weapon: "rifle", At: "bob", Part: "body"}},
		{"a shot is level", *p.Script[2].Fire, Fire{Weapon: "rifle", Yaw: math.Pi / 2}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", c.what, diff)
		}
	}
}

// TestNetworks: a profile, overrides key by key, and a player's on top.
func TestNetworks(t *testing.T) {
	wifi, _ := mem.Profile("wifi")
	mobile, _ := mem.Profile("mobile")
	lan, _ := mem.Profile("lan")
	lan.Burst.Leave = 1
	lossy, late, bursts := wifi, wifi, wifi
	lossy.Loss = 0.1
	late.Loss, late.RTT = 0.1, 300*time.Millisecond
	bursts.Loss, bursts.Burst.Enter = 0.1, 0.5
	s := right(t, `
network: {profile: wifi, loss: 0.1}
players:
  - {name: a}
  - {name: b, network: mobile}
  - {name: c, network: {rtt: 300ms}}
  - {name: d, network: {burst: {enter: 0.5}}}
  - {name: e, network: {profile: lan}}
`)
	for i, want := range []mem.Network{lossy, mobile, late, bursts, lan} {
		if got := s.Players[i].Network; got != want {
			t.Errorf("player %s: got %+v, want %+v", s.Players[i].Name, got, want)
		}
	}
	for _, name := range mem.ProfileNames() {
		if err := right(t, "network: "+name+"\n").Network.Check(); err != nil {
			t.Errorf("profile %s: %v", name, err)
		}
	}
}

// TestParams: tunables keep the order of the file, in SI units.
func TestParams(t *testing.T) {
	f, err := Open("x.yaml", []byte(whole("params: {walkable_slope: 60, walk_off_ledges: false, gravity: -5, eye_height: 1.5, new_switch: true}\n")))
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Scenario(Options{Tunables: []string{"walkable_slope", "walk_off_ledges", "gravity", "eye_height", "new_switch"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []Param{
		{"walkable_slope", radians(60), 1}, {"walk_off_ledges", 0, 1},
		{"gravity", -5, 1}, {"eye_height", 1.5, 1}, {"new_switch", 1, 1},
	}
	if diff := cmp.Diff(want, s.Params); diff != "" {
		t.Errorf("want (-), got (+):\n%s", diff)
	}
}

// TestJSON: JSON is YAML too, tabs and all.
func TestJSON(t *testing.T) {
	s := right(t, "# bare\n"+`{
	"duration": "20s",
	"geometry": [{"box": {"min": [-1e1, -1, -1], "max": [1.5, 0, 1]}}],
	"network": {"rtt": "80ms", "loss": 0.5},
	"players": [{"name": "ann", "frame": [144, 30], "script": [{"at": "1.5s", "jump": true}]}],
	"expect": ["ann.corrections<=0"]
}`)
	if s.Duration != 20*sec || s.Geometry[0].Min.X != -10 || s.Players[0].Script[0].At != 1500*ms ||
		len(s.Players[0].Frame) != 2 || s.Expect[0].Op != "<=" {
		t.Errorf("got %+v", s)
	}
}

// TestTimes reads each unit, to the nearest microsecond.
func TestTimes(t *testing.T) {
	for text, want := range map[string]clock.Micros{
		"2s": 2 * sec, "80ms": 80 * ms, "2.1s": 2100 * ms, "1.5min": 90 * sec, "1000us": ms,
		"1000µs": ms, "1e3ms": sec, "1001.5us": 1002, ".5s": 500 * ms,
	} {
		if s := right(t, "duration: "+text+"\n"); s.Duration != want {
			t.Errorf("%s: got %d µs, want %d", text, s.Duration, want)
		}
	}
}

// TestALevelsFileIsBesideTheScenario's: wherever the program runs.
func TestALevelsFileIsBesideTheScenarios(t *testing.T) {
	s, err := parse(filepath.Join("a", "b", "x.yaml"), "duration: 1s\nlevel: ../c.glb\nplayers: [{name: ann}]\n")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join("a", "c.glb"); s.Level.File != want || s.Level.Name != "" {
		t.Errorf("got %+v, want the file %s", s.Level, want)
	}
}

// TestErrorsAreFound: each one is an Error, and all of them an Errors.
func TestErrorsAreFound(t *testing.T) {
	_, err := parse("x.yaml", whole("sed: 1\nnetwork: {rtt: 80}\n"))
	var all strictyaml.Errors
	var first strictyaml.Error
	if !errors.As(err, &all) || len(all) != 2 || !errors.As(err, &first) || first != all[0] || first.Line != 1 {
		t.Errorf("got %#v", err)
	}
	if _, err := readFile("testdata/nowhere.yaml"); err == nil || err.Error() != "testdata/nowhere.yaml: no such file or directory" {
		t.Errorf("a file that is not there: got %v", err)
	}
	if _, err := readFile("testdata"); err == nil {
		t.Error("a folder: got no error")
	}
}

// TestHostileFiles are refused quickly, and never by a panic.
func TestHostileFiles(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		p := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+p+",", 9) + "]\n"
	}
	for what, text := range map[string]string{
		"an alias bomb":          bomb,
		"a value within itself":  "a: &a [*a]\n",
		"9,000 lists in lists":   strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
		"a million open lists":   strings.Repeat("[", 1<<20),
		"more than 4 MB":         strings.Repeat("# nothing\n", 500_000),
		"a megabyte of one key":  strings.Repeat("k", 1<<20) + ": 1\n",
		"a megabyte of one word": "network: " + strings.Repeat("é", 1<<19) + "\n",
		"100,000 wrong keys":     strings.Repeat("x: 1\n", 100_000),
		"100,000 players":        "players: [" + strings.Repeat("{},", 100_000) + "]\n",
		"zero bytes":             "\x00\x00\x00",
		"half a rune":            "name: \xc3\n",
	} {
		if _, err := parse("x.yaml", text); err == nil {
			t.Errorf("%s: no error", what)
		} else if len(err.Error()) > 20_000 {
			t.Errorf("%s: %d bytes of errors", what, len(err.Error()))
		}
	}
}

// FuzzParse: whatever the bytes are, they are a scenario that is in range or
// errors that name the file; and a setting changes nothing of that.
func FuzzParse(f *testing.F) {
	b, err := os.ReadFile("testdata/example.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b, "network.rtt", "150ms")
	bad, err := os.ReadFile("testdata/bad.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, block := range strings.Split(string(bad), "\n== ")[1:] {
		_, rest, _ := strings.Cut(block, "\n")
		text, _, _ := strings.Cut(rest, "----")
		f.Add([]byte(whole(text)), "players.ann.frame", "[60, 30]")
	}
	f.Fuzz(func(t *testing.T, b []byte, path, value string) {
		file, err := Open("x.yaml", b)
		if err == nil {
			if err := file.Set(path, value); err != nil {
				checkErrors(t, err)
			}
			var s *Scenario
			if s, err = file.Scenario(Options{}); err == nil {
				checkScenario(t, s)
				return
			}
		}
		checkErrors(t, err)
	})
}

func checkErrors(t *testing.T, err error) {
	var all strictyaml.Errors
	if !errors.As(err, &all) || len(all) == 0 || len(all) > strictyaml.MaxErrors {
		t.Fatalf("not 1 to %d errors: %#v", strictyaml.MaxErrors, err)
	}
	for _, e := range all {
		if e.Text == "" || e.File != "x.yaml" && !strings.HasPrefix(e.File, "--set ") {
			t.Fatalf("an error without text or place: %#v", e)
		}
	}
}

// checkScenario checks what a player of the scenario relies on.
func checkScenario(t *testing.T, s *Scenario) {
	if s.Duration <= 0 || s.Server.Tick < 1 || s.Server.Snapshots < 1 || s.Server.Snapshots > s.Server.Tick {
		t.Fatalf("out of range: %+v", s)
	}
	if (s.Level == Level{}) {
		if _, err := s.World(nil, 0); err != nil {
			t.Fatalf("the geometry was fine, and then was not: %v", err)
		}
	}
	for i := range s.Players {
		p := &s.Players[i]
		if err := p.Network.Check(); err != nil || p.Name == "" || !p.At.Finite() || len(p.Frame) == 0 {
			t.Fatalf("out of range: %v %+v", err, p)
		}
		in := NewCursor(p).Frame(MaxTime)
		if in.Forward*in.Forward+in.Right*in.Right > 1+1e-9 {
			t.Fatalf("too fast: %+v", in)
		}
	}
	s.ServerActions()
}

// TestPaceAndCheatParams: how a client makes its commands, how much a cheat cheats, how a page
// in the background goes on, and what is left to defaults.
func TestPaceAndCheatParams(t *testing.T) {
	s := right(t, `
server: {start_time: 1000000s}
players:
  - {name: ann, tick: 60, input_delay: 50ms, cheat: {kind: speed, rate: 1.05}}
  - {name: bob, cheat: burst}
  - {name: cat, cheat: {kind: lag, hold: 5s, every: 8s}}
  - {name: dan, cheat: speed, script: [{at: 0s, turn: 90, tilt: -45}]}
faults:
  - {at: 1s, for: 1s, kind: background, player: ann}
  - {at: 1s, for: 1s, kind: background, player: bob, frame: 0}
expect: [mean ann.corrections <= 1]
`)
	p := s.Players
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"the match is old", s.Server.StartTime, 1_000_000 * sec},
		{"ticks and input delay", []any{p[0].Tick, p[0].InputDelay}, []any{60, 50 * ms}},
		{"by default there are none", []any{p[1].Tick, p[1].InputDelay}, []any{0, clock.Micros(0)}},
		{"a small cheat", p[0].CheatParams, CheatParams{Rate: 1.05}},
		{"bursts", p[1].CheatParams, CheatParams{Rate: 2, Hold: 250 * ms, Every: sec}},
		{"a lag switch", p[2].CheatParams, CheatParams{Hold: 5 * sec, Every: 8 * sec}},
		{"twice as long", p[3].CheatParams, CheatParams{Rate: 2}},
		{"a mouse", []float64{*p[3].Script[0].Turn, *p[3].Script[0].Tilt}, []float64{math.Pi / 2, -math.Pi / 4}},
		{"a page blinks", []float64{s.Faults[0].Frame, s.Faults[1].Frame}, []float64{1, 0}},
		{"a mean", s.Expect[0].Mean, true},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", c.what, diff)
		}
	}
}

// TestFairness: how shots are judged, what repeats, and how much a line is made to look.
func TestFairness(t *testing.T) {
	s := right(t, `
server: {beyond: present, cover: 120ms, flight_timeline: fade}
players:
  - {name: ann, script: [{at: 1s, every: 250ms, times: 3, fire: {at: bob, part: leg, lead: true}}, {at: 1.3s, jump: true}]}
  - {name: bob, cheat: {kind: ping, hold: 200ms}}
  - {name: cat, cheat: ping}
`)
	p := s.Players
	var times []clock.Micros
	for _, e := range p[0].Script {
		times = append(times, e.At)
	}
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"over the cap", s.Server.Beyond, "present"},
		{"behind cover", s.Server.Cover, 120 * ms},
		{"flights", s.Server.FlightTimeline, "fade"},
		{"an entry three times, in order of time", times, []clock.Micros{sec, 1250 * ms, 1300 * ms, 1500 * ms}},
		{"the last of them", *p[0].Script[3].Fire, Fire{Weapon: "rifle", At: "bob", Part: "leg", Lead: true}},
		{"a false ping", []CheatParams{p[1].CheatParams, p[2].CheatParams}, []CheatParams{{Hold: 200 * ms}, {Hold: 300 * ms}}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", c.what, diff)
		}
	}
}

// TestWeaponInHand: between shots a player has the weapon of the next one in hand.
func TestWeaponInHand(t *testing.T) {
	f, err := Open("x.yaml", []byte(whole("players: [{name: ann, script: [{at: 1s, fire: {yaw: 0, weapon: sword}}, {at: 2s, fire: {yaw: 0}}, {at: 3s, jump: true}]}]\n")))
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Scenario(Options{Weapons: []string{"rifle", "sword"}})
	if err != nil {
		t.Fatal(err)
	}
	c := NewCursor(&s.Players[0])
	for _, w := range []struct {
		at    clock.Micros
		next  string
		shots int
	}{{0, "sword", 0}, {900 * ms, "sword", 0}, {sec, "rifle", 1}, {2 * sec, "rifle", 1}, {4 * sec, "rifle", 0}} {
		if in := c.Frame(w.at); in.NextWeapon != w.next || len(in.Shots) != w.shots {
			t.Errorf("at %s: %q next and %d shots, want %q and %d", strictyaml.FormatTime(w.at), in.NextWeapon, len(in.Shots), w.next, w.shots)
		}
	}
}

// TestTurn: the view goes on turning between the entries that say so, as far as straight
// down.
func TestTurn(t *testing.T) {
	s := right(t, "players: [{name: ann, yaw: 10, script: [{at: 1s, turn: 90, tilt: -60}, {at: 2s, yaw: 0}, {at: 3s, turn: 0}]}]\n")
	c := NewCursor(&s.Players[0])
	for _, w := range []struct {
		at         clock.Micros
		yaw, pitch float64
	}{{sec, 10, 0}, {1500 * ms, 55, -30}, {2500 * ms, 45, -90}, {5 * sec, 90, -90}} {
		in := c.Frame(w.at)
		if math.Abs(in.Yaw-radians(w.yaw)) > 1e-9 || math.Abs(in.Pitch-radians(w.pitch)) > 1e-9 {
			t.Errorf("at %s: looks along %v, %v; want %v°, %v°", strictyaml.FormatTime(w.at), in.Yaw, in.Pitch, w.yaw, w.pitch)
		}
	}
}

func radians(degrees float64) float64 { return degrees * math.Pi / 180 }
