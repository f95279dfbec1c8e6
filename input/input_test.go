package input_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/input"
)

// play is all the gameplay code there is: it names axes and actions.
func play(in *input.Input) (forward float64, jump bool) {
	return in.Axis(Forward), in.Pressed(Jump)
}

func TestRebindingForwardFromAKeyToAStickChangesNoGameplayCode(t *testing.T) { // INP-01
	for _, c := range []struct {
		bindings, device string
		value, want      float64
	}{
		{"forward = +KeyW -KeyS", "KeyW", 1, 1},
		{"forward = +KeyW -KeyS", "KeyS", 1, -1},
		{"forward = -Pad.LeftY", "Pad.LeftY", -1, 1},
		{"forward = Pad.LeftY inverted", "Pad.LeftY", 1, -1},
		{"forward = -Pad.LeftY", "KeyW", 1, 0},
		{"forward = +KeyW -KeyS +ArrowUp, pad.leftY inverted deadzone 0.5", "Pad.LeftY", -0.75, 0.5},
		{"forward = KeyW scale 0.5", "KeyW", 1, 0.5},
	} {
		in := bind(t, c.bindings)
		set(t, in, c.device, c.value)
		process(t, in)
		if got, _ := play(in); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%q, %s at %v: forward got %v, want %v", c.bindings, c.device, c.value, got, c.want)
		}
	}
}

func TestTwoKeysForOneThingAreNotTwiceIt(t *testing.T) { // INP-01
	in := bind(t, "forward = +KeyW -KeyS +ArrowUp -ArrowDown -Pad.LeftY")
	for _, step := range []struct {
		key   string
		value float64
		want  float64
	}{
		{"KeyW", 1, 1}, {"ArrowUp", 1, 1}, {"KeyS", 1, 0}, {"ArrowUp", 0, 0}, {"KeyW", 0, -1}, {"Pad.LeftY", -1, 0},
	} {
		set(t, in, step.key, step.value)
		process(t, in)
		if got := in.Axis(Forward); got != step.want {
			t.Errorf("after %s = %v: got %v, want %v", step.key, step.value, got, step.want)
		}
	}
}

func TestRunIsHeldOrToggled(t *testing.T) { // INP-01
	in := bind(t, "run = ShiftLeft hold, CapsLock toggle")
	for i, step := range []struct {
		key                     string
		value                   float64
		held, pressed, released bool
	}{
		{key: "ShiftLeft", value: 1, held: true, pressed: true},
		{key: "ShiftLeft", value: 0, released: true},
		{key: "CapsLock", value: 1, held: true, pressed: true},
		{key: "CapsLock", value: 0, held: true},
		{key: "ShiftLeft", value: 1, held: true}, // it runs already
		{key: "ShiftLeft", value: 0, held: true}, // and goes on
		{key: "CapsLock", value: 1, released: true},
		{key: "CapsLock", value: 0},
	} {
		set(t, in, step.key, step.value)
		process(t, in)
		got := [3]bool{in.Held(Run), in.Pressed(Run), in.Released(Run)}
		if want := [3]bool{step.held, step.pressed, step.released}; got != want {
			t.Errorf("step %d, %s = %v: held, pressed, released got %v, want %v", i, step.key, step.value, got, want)
		}
	}
}

func TestAToggleEnds(t *testing.T) { // INP-09
	in := bind(t, "run = ShiftLeft hold, CapsLock toggle")
	for i, step := range []struct {
		key                     string
		value                   float64
		end                     bool
		held, pressed, released bool
	}{
		{key: "CapsLock", value: 1, held: true, pressed: true},
		{key: "CapsLock", value: 0, held: true},
		{end: true, released: true},
		{end: true},                                            // nothing is held
		{key: "CapsLock", value: 1, held: true, pressed: true}, // toggled on anew, not off
		{key: "CapsLock", value: 0, held: true},
		{key: "ShiftLeft", value: 1, held: true},
		{end: true, held: true}, // the key is down
		{key: "ShiftLeft", value: 0, released: true},
	} {
		if step.end {
			in.EndToggle(Run)
			in.EndToggle(200) // nothing
		} else {
			set(t, in, step.key, step.value)
		}
		process(t, in)
		got := [3]bool{in.Held(Run), in.Pressed(Run), in.Released(Run)}
		if want := [3]bool{step.held, step.pressed, step.released}; got != want {
			t.Errorf("step %d, %+v: held, pressed, released got %v, want %v", i, step, got, want)
		}
	}
}

func TestFireIsAnAxisAndAnActionOfOneTrigger(t *testing.T) { // INP-01
	in := bind(t, "fire = Mouse.Left, Pad.RT above 0.5 deadzone 0.1")
	for _, step := range []struct {
		value         float64
		axis          float64
		held, pressed bool
	}{
		{0.05, 0, false, false},
		{0.55, 0.5, true, true},
		{0.45, 0.35 / 0.9, true, false}, // not yet below 0.8 of 0.5
		{0.39, 0.29 / 0.9, false, false},
		{0.45, 0.35 / 0.9, false, false}, // nor above it again
		{1, 1, true, true},
	} {
		set(t, in, "Pad.RT", step.value)
		process(t, in)
		if got := in.Axis(FireAxis); math.Abs(got-step.axis) > 1e-15 {
			t.Errorf("trigger at %v: axis got %v, want %v", step.value, got, step.axis)
		}
		if in.Held(Fire) != step.held || in.Pressed(Fire) != step.pressed {
			t.Errorf("trigger at %v: held %t, pressed %t, want %t, %t",
				step.value, in.Held(Fire), in.Pressed(Fire), step.held, step.pressed)
		}
	}
}

func TestSamplesOfOneKeyAreClassifiedNumberedAndAddedUp(t *testing.T) { // INP-02
	in := bind(t, "")
	k := key(t, "Pad.RT")
	want := []input.Edge{input.Repeat, input.Pressed, input.Repeat, input.Released, input.Repeat}
	for i, value := range []float64{0, 0.4, 0.9, 0, 0} {
		e := in.Sample(k, value)
		if e.Edge != want[i] || e.Number != uint64(i+1) || e.Value != value || e.Key != k {
			t.Errorf("sample %v: got %+v, want edge %v, number %d", value, e, want[i], i+1)
		}
	}
	if got := in.Key(k); got.Sum != 1.3 || got.Samples != 5 {
		t.Errorf("before the frame: sum %v of %d samples, want 1.3 of 5", got.Sum, got.Samples)
	}
	process(t, in)
	if got := in.Key(k); got.Sum != 0 || got.Samples != 0 {
		t.Errorf("after the frame: sum %v of %d samples, want none", got.Sum, got.Samples)
	}
	if e := in.Sample(key(t, "KeyW"), 1); e.Number != 6 {
		t.Errorf("the next event of another key has number %d, want 6", e.Number)
	}
}

func TestAPressShorterThanAFrameCounts(t *testing.T) { // INP-02
	in := bind(t, "jump = Space, Pad.A")
	for _, v := range []float64{1, 0} {
		set(t, in, "Space", v)
	}
	process(t, in)
	if !in.Pressed(Jump) || !in.Held(Jump) || !in.Released(Jump) {
		t.Errorf("in that frame: pressed %t, held %t, released %t, want all", in.Pressed(Jump), in.Held(Jump), in.Released(Jump))
	}
	process(t, in)
	if in.Pressed(Jump) || in.Held(Jump) || in.Released(Jump) {
		t.Error("in the frame after: want nothing")
	}
}

func TestMoreThanTheQueueHoldsLeavesTheKeysAsTheyAre(t *testing.T) { // INP-02
	in := bind(t, "jump = Space\nrun = ShiftLeft")
	for range 400 {
		set(t, in, "Space", 1)
		set(t, in, "Space", 0)
	}
	set(t, in, "ShiftLeft", 1)
	process(t, in)
	if in.Held(Jump) != true || !in.Held(Run) {
		t.Errorf("in that frame: jump %t, run %t, want both", in.Held(Jump), in.Held(Run))
	}
	process(t, in)
	if in.Held(Jump) || !in.Held(Run) {
		t.Errorf("then: jump %t, run %t, want only run", in.Held(Jump), in.Held(Run))
	}
}

// recorder is a listener that writes down its calls, and runs a function in each.
type recorder struct {
	name string
	log  *[]string
	then func(a input.Action, e input.Edge)
}

func (l *recorder) Act(a input.Action, e input.Edge, m input.FrameInfo) {
	*l.log = append(*l.log, fmt.Sprintf("%s: %s %s paused %t", l.name,
		vocabulary.Actions[a], []string{"repeat", "pressed", "released"}[e], m.Paused))
	if l.then != nil {
		l.then(a, e)
	}
}

func (l *recorder) Move(a input.Axis, value float64, m input.FrameInfo) {
	*l.log = append(*l.log, fmt.Sprintf("%s: %s %v paused %t", l.name, vocabulary.Axes[a].Name, value, m.Paused))
}

func TestALayerPushedByACallbackWaitsForTheNextFrame(t *testing.T) { // INP-03
	var log []string
	game := &recorder{name: "game", log: &log}
	in := input.New(layer(t, "forward = KeyW\njump = Space\nmenu = Tab", game))
	menu := layer(t, "menu = Tab\njump = KeyW", &recorder{name: "menu", log: &log})
	game.then = func(a input.Action, e input.Edge) {
		if a == Menu && e == input.Pressed {
			in.Push(menu)
		}
	}
	for _, k := range []string{"KeyW", "Tab", "Space"} {
		set(t, in, k, 1)
	}
	process(t, in)
	heard(t, &log, "the frame of the push",
		"game: menu pressed paused false", "game: jump pressed paused false", "game: forward 1 paused false")
	if err := in.Frame(frame, true); err != nil {
		t.Fatal(err)
	}
	// W and Tab were down before the menu came: the game has lost them, and in the
	// menu they do nothing until they are let go of.
	heard(t, &log, "the frame after", "game: menu released paused true", "game: forward 0 paused true")
	set(t, in, "KeyW", 0)
	set(t, in, "KeyW", 1)
	process(t, in)
	heard(t, &log, "W again", "menu: jump pressed paused false", "game: forward 0 paused false")
	in.Remove(menu)
	process(t, in)
	heard(t, &log, "without the menu", "game: forward 1 paused false")
	if in.Pressed(Jump) || in.Held(Menu) {
		t.Error("what was down when the menu went must be let go of first")
	}
}

func TestCallsAcrossLayersAreInTheOrderOfEvents(t *testing.T) { // INP-03
	var log []string
	in := input.New(layer(t, "forward = KeyW\njump = Space", &recorder{name: "game", log: &log}))
	in.Push(layer(t, "right = KeyD\nrun = ShiftLeft", &recorder{name: "top", log: &log}))
	process(t, in)
	log = nil
	for _, k := range []string{"Space", "ShiftLeft", "KeyW"} {
		set(t, in, k, 1)
	}
	set(t, in, "Space", 0)
	process(t, in)
	heard(t, &log, "the frame", "game: jump pressed paused false", "top: run pressed paused false",
		"game: jump released paused false", "top: right 0 paused false", "game: forward 1 paused false")
}

func TestCallingTheProcessorFromWithinIsRefused(t *testing.T) { // INP-03
	var log []string
	game := &recorder{name: "game", log: &log}
	in := input.New(layer(t, "jump = Space", game))
	var inner error
	game.then = func(input.Action, input.Edge) {
		inner = in.Frame(frame, false)
		in.Sample(input.KeyNamed("Space"), 0)
	}
	set(t, in, "Space", 1)
	process(t, in)
	if !errors.Is(inner, input.ErrReentered) {
		t.Errorf("the inner call: got %v, want %v", inner, input.ErrReentered)
	}
	if !in.Pressed(Jump) || in.Released(Jump) {
		t.Error("the outer frame must stand as it was: pressed, and not yet released")
	}
	process(t, in)
	if !in.Released(Jump) {
		t.Error("what a callback samples belongs to the next frame")
	}
}

func TestAListenerThatBindsAnewIsStillCalledThisFrame(t *testing.T) { // INP-03
	var log []string
	game := &recorder{name: "game", log: &log}
	l := layer(t, "forward = KeyW\njump = Space", game)
	in := input.New(l)
	game.then = func(input.Action, input.Edge) { l.Bind(layer(t, "right = KeyW", nil).Bindings()) }
	set(t, in, "KeyW", 1)
	set(t, in, "Space", 1)
	process(t, in)
	heard(t, &log, "the frame", "game: jump pressed paused false", "game: forward 1 paused false")
	process(t, in)
	heard(t, &log, "the next", "game: right 1 paused false")
	if !in.Released(Jump) {
		t.Error("the jump that nothing is bound to any more must be released")
	}
}

func heard(t *testing.T, log *[]string, when string, want ...string) {
	t.Helper()
	if !slices.Equal(*log, want) {
		t.Errorf("%s: heard\n%q, want\n%q", when, *log, want)
	}
	*log = nil
}

func TestAnOpaqueLayerTakesAllKeysAndAPassThroughLayerNone(t *testing.T) {
	in := bind(t, "forward = KeyW\njump = Space")
	top := layer(t, "jump = KeyW", nil)
	top.Opaque = true
	in.Push(top)
	process(t, in)
	set(t, in, "Space", 1)
	set(t, in, "KeyW", 1)
	process(t, in)
	if in.Axis(Forward) != 0 || !in.Pressed(Jump) {
		t.Errorf("opaque: forward %v, jump %t, want 0 and the top's jump", in.Axis(Forward), in.Pressed(Jump))
	}
	top.Opaque, top.PassThrough = false, true
	process(t, in)
	if in.Axis(Forward) != 1 {
		t.Errorf("sharing: forward %v, want 1", in.Axis(Forward))
	}
}

func TestTheMouseTurnsByCountsAndAStickByTime(t *testing.T) {
	text := "turn = -Mouse.X -Pad.RightX -KeyQ scale 0.5\ntilt = -Mouse.Y\nmouse.sensitivity = 0.002\nlook.rate = 3\npad.deadzone = 0.2"
	in := bind(t, text)
	for range 10 {
		set(t, in, "Mouse.X", 7)
		set(t, in, "Mouse.Y", -3)
	}
	process(t, in)
	if got, want := in.Axis(Turn), -0.14; math.Abs(got-want) > 1e-12 {
		t.Errorf("70 counts to the right: turned %v, want %v", got, want)
	}
	if got, want := in.Axis(Tilt), 0.06; math.Abs(got-want) > 1e-12 {
		t.Errorf("30 counts up: tilted %v, want %v", got, want)
	}
	process(t, in)
	if in.Axis(Turn) != 0 {
		t.Errorf("a mouse that rests: turned %v, want 0", in.Axis(Turn))
	}
	set(t, in, "Pad.RightX", 1)
	for _, c := range []struct{ seconds, want float64 }{{0.1, -0.3}, {0.05, -0.15}, {9, -3 * input.MaxFrameSeconds}, {-1, 0}, {math.NaN(), 0}} {
		if err := in.Frame(c.seconds, false); err != nil {
			t.Fatal(err)
		}
		if got := in.Axis(Turn); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("a stick pushed home for %v s: turned %v, want %v", c.seconds, got, c.want)
		}
	}
	inverted := bind(t, text+"\nlook.invert-y = yes")
	set(t, inverted, "Mouse.Y", -30)
	process(t, inverted)
	if got := inverted.Axis(Tilt); math.Abs(got+0.06) > 1e-12 {
		t.Errorf("inverted, 30 counts up: tilted %v, want −0.06", got)
	}
}

func TestADeadZoneIsRoundAndTheWayBeyondItIsWhole(t *testing.T) {
	for _, c := range []struct {
		text                 string
		x, y                 float64
		wantRight, wantAhead float64
	}{
		{"", 0.14, 0, 0, 0},
		{"", 0.1, -0.1, 0, 0},
		{"", 0.12, -0.16, 0.6 * 0.05 / 0.85, 0.8 * 0.05 / 0.85}, // 0.2 from the middle
		{"", 0, -1, 0, 1},
		{"", 1, -1, math.Sqrt2 / 2, math.Sqrt2 / 2}, // a corner is no faster than the rim
		{"pad.deadzone = 0\npad.curve = 1", 0.5, 0, 0.125, 0},
		{"pad.deadzone = 0.2\npad.curve = 0.5", 0.6, 0, 0.5*0.5 + 0.5*0.125, 0},
	} {
		in := bind(t, "forward = -Pad.LeftY\nright = Pad.LeftX\n"+c.text)
		set(t, in, "Pad.LeftX", c.x)
		set(t, in, "Pad.LeftY", c.y)
		process(t, in)
		if r, f := in.Axis(Right), in.Axis(Forward); math.Abs(r-c.wantRight) > 1e-12 || math.Abs(f-c.wantAhead) > 1e-12 {
			t.Errorf("%q, stick at %v, %v: right %v, forward %v, want %v, %v", c.text, c.x, c.y, r, f, c.wantRight, c.wantAhead)
		}
	}
}

func TestLettingGoOfEverything(t *testing.T) {
	in := bind(t, "forward = KeyW\njump = Space\nrun = CapsLock toggle")
	for _, k := range []string{"KeyW", "Space", "CapsLock"} {
		set(t, in, k, 1)
	}
	process(t, in)
	in.Release()
	process(t, in)
	if in.Axis(Forward) != 0 || in.Held(Jump) || !in.Released(Jump) || !in.Held(Run) {
		t.Errorf("forward %v, jump held %t released %t, run %t, want 0, false, true, true",
			in.Axis(Forward), in.Held(Jump), in.Released(Jump), in.Held(Run))
	}
}

func TestNonsenseFromADeviceIsHarmless(t *testing.T) {
	in := bind(t, "forward = -Pad.LeftY\nturn = Mouse.X")
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -5} {
		set(t, in, "Pad.LeftY", v)
		set(t, in, "Mouse.X", v)
		process(t, in)
		if f, turn := in.Axis(Forward), in.Axis(Turn); !(math.Abs(f) <= 1) || !(math.Abs(turn) <= 1e6) {
			t.Errorf("after %v: forward %v, turn %v", v, f, turn)
		}
	}
	for _, k := range []input.Key{input.NoKey, input.Key(input.KeyCount), 255} {
		if e := in.Sample(k, 1); e != (input.Event{}) {
			t.Errorf("key %d, which is none: got %+v", k, e)
		}
		if in.Key(k) != (input.KeyState{}) || k.String() != "" {
			t.Errorf("key %d is none and has a state or a name", k)
		}
	}
	if in.Axis(200) != 0 || in.Held(200) {
		t.Error("axes and actions beyond the vocabulary must be still")
	}
}

func TestAStackHasItsBounds(t *testing.T) {
	in := bind(t, "")
	same := layer(t, "", nil)
	in.Push(same)
	for name, push := range map[string]func(){
		"the same layer twice": func() { in.Push(same) },
		"one too many": func() {
			for range input.MaxLayers {
				in.Push(layer(t, "", nil))
			}
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: want a panic", name)
				}
			}()
			push()
		}()
	}
	in.Remove(layer(t, "", nil)) // not there: nothing
	in.Remove(same)
	in.Push(same)
}

func TestALookWrapsAndStopsShortOfUpright(t *testing.T) {
	var l input.Look
	for range 100 {
		l.Turn(0.1, 0.1)
	}
	l.Turn(math.NaN(), 0)
	if want := 10 - 4*math.Pi; math.Abs(l.Yaw-want) > 1e-9 || l.Pitch != input.MaxPitch {
		t.Errorf("got %+v, want yaw %v, pitch %v", l, want, input.MaxPitch)
	}
}

func TestFramesDoNotAllocate(t *testing.T) {
	in := bind(t, "forward = +KeyW -Pad.LeftY\nturn = Mouse.X\njump = Space\nrun = ShiftLeft toggle")
	in.Push(layer(t, "right = KeyD\nfire = Mouse.Left", quiet{}))
	keys := []input.Key{key(t, "KeyW"), key(t, "Mouse.X"), key(t, "Space"), key(t, "Mouse.Left"), key(t, "ShiftLeft")}
	n := 0.0
	got := testing.AllocsPerRun(200, func() {
		n = 1 - n
		for _, k := range keys {
			in.Sample(k, n)
		}
		in.Frame(frame, false)
	})
	if got != 0 {
		t.Errorf("got %v allocations a frame, want 0", got)
	}
}

// quiet listens and says nothing.
type quiet struct{}

func (quiet) Act(input.Action, input.Edge, input.FrameInfo) {}
func (quiet) Move(input.Axis, float64, input.FrameInfo)     {}

func BenchmarkFrame(b *testing.B) {
	in := bind(b, "forward = +KeyW -KeyS +ArrowUp -ArrowDown -Pad.LeftY\nright = +KeyD -KeyA +Pad.LeftX\n"+
		"turn = -Mouse.X -Pad.RightX\ntilt = -Mouse.Y -Pad.RightY\njump = Space Pad.A\nfire = Mouse.Left Pad.RT")
	w, x := key(b, "KeyW"), key(b, "Mouse.X")
	b.ReportAllocs()
	for i := range b.N {
		in.Sample(w, float64(i&1))
		for range 8 {
			in.Sample(x, 3)
		}
		in.Frame(frame, false)
	}
}
