package main

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/session"
)

// say writes one sample of a key, by its name as the page does.
func say(t *testing.T, name string, value float64) {
	t.Helper()
	key := keyNumber(int32(copy(inboxBlock[:], name)))
	if key == 0 {
		t.Fatalf("there is no key %q", name)
	}
	at := SampleBase + int(sampleBlock[SampleCount])*SampleStride
	sampleBlock[at+SampleKey], sampleBlock[at+SampleValue] = float64(key), value
	sampleBlock[SampleCount]++
}

// rebind passes a text of bindings and returns the error.
func rebind(text string) string {
	n := bind(int32(copy(inboxBlock[:], text)))
	return string(inboxBlock[:n])
}

// still lets go of everything when the test ends.
func still(t *testing.T) {
	t.Cleanup(func() {
		sampleBlock[SampleCount] = 0
		inputBlock = [InputLength]float64{}
		devices.input.Release()
		bindDefaults()
		frame(float64(devices.last + 1))
	})
}

func TestKeysWalkAndRebindingChangesNoCode(t *testing.T) { // INP-01
	still(t)
	p := newPage(t)
	p.hello("Ann", "", "floor")
	p.run(2 * clock.Second)
	id := session.PlayerID(stateBlock[StateSelf])
	walked := func(key string, value float64) float64 {
		before, _ := p.match.State(id)
		say(t, key, value)
		p.run(clock.Second / 2)
		say(t, key, 0)
		p.run(clock.Second / 2)
		after, _ := p.match.State(id)
		return before.Position.Z - after.Position.Z
	}
	if got := walked("KeyW", 1); got < 1 {
		t.Errorf("half a second of W: walked %.2f m, want more than 1", got)
	}
	if got := walked("KeyS", 1); got > -1 {
		t.Errorf("half a second of S: walked %.2f m, want back more than 1", got)
	}
	if why := rebind("forward = KeyI -Pad.LeftY"); why != "" {
		t.Fatal(why)
	}
	if got := walked("KeyW", 1); math.Abs(got) > 0.01 {
		t.Errorf("W, now bound to nothing: walked %.2f m, want 0", got)
	}
	for _, key := range []string{"KeyI", "Pad.LeftY"} {
		value := 1.0
		if key == "Pad.LeftY" {
			value = -1
		}
		if got := walked(key, value); got < 1 {
			t.Errorf("half a second of %s: walked %.2f m, want more than 1", key, got)
		}
	}
}

func TestTheDefaultBindingsAreTheKeysThatThePagePromises(t *testing.T) { // INP-01
	still(t)
	for _, c := range []struct {
		keys []string
		want arena.Input
	}{
		{[]string{"KeyW", "ArrowUp"}, arena.Input{Forward: 1}},
		{[]string{"KeyS", "ArrowDown"}, arena.Input{Forward: -1}},
		{[]string{"KeyD", "ArrowRight", "Pad.LeftX"}, arena.Input{Right: 1}},
		{[]string{"KeyA", "ArrowLeft"}, arena.Input{Right: -1}},
		{[]string{"Space", "Pad.A"}, arena.Input{Jump: true}},
		{[]string{"KeyC", "ControlLeft", "ControlRight", "Pad.LeftStick"}, arena.Input{Crouch: true}},
		{[]string{"Mouse.Left", "Pad.RT"}, arena.Input{Fire: true}},
		{[]string{"KeyR", "Pad.X"}, arena.Input{Reload: true}},
		{[]string{"ShiftLeft", "ShiftRight", "Pad.LB"}, arena.Input{Dash: true}},
		{[]string{"KeyE", "Pad.RB"}, arena.Input{Hook: true}},
		{[]string{"Mouse.Right", "Pad.LT"}, arena.Input{Aim: true}},
		{[]string{"KeyF", "Mouse.Middle", "Pad.B"}, arena.Input{Shield: true}},
		{[]string{"KeyG", "Pad.RightStick"}, arena.Input{Melee: true}},
		{[]string{"Mouse.WheelDown", "Pad.Right"}, arena.Input{Next: 1}},
		{[]string{"KeyQ", "Mouse.WheelUp", "Pad.Left"}, arena.Input{Next: -1}},
		{[]string{"Digit1"}, arena.Input{Select: 1}},
		{[]string{"Digit5"}, arena.Input{Select: 5}},
	} {
		for _, key := range c.keys {
			say(t, key, 1)
			frame(float64(devices.last + 1))
			if got := playerInput(); got != c.want {
				t.Errorf("%s: got %+v, want %+v", key, got, c.want)
			}
			say(t, key, 0)
			frame(float64(devices.last + 1))
		}
	}
	for key, action := range map[string]float64{
		"Tab": ActionScores, "F3": ActionNet, "KeyL": ActionLag, "KeyM": ActionSound, "KeyV": ActionSpectate, "KeyB": ActionBindings,
		"F4": ActionRemoteDebug, "F6": ActionShotDebug, "BracketLeft": ActionShotPrevious, "BracketRight": ActionShotNext,
	} {
		say(t, key, 1)
		frame(float64(devices.last + 1))
		if got := stateBlock[StateActionsPressed]; got != action {
			t.Errorf("%s: pressed %v, want %v", key, got, action)
		}
		say(t, key, 0)
		frame(float64(devices.last + 1))
	}
}

func TestTheDevicesTurnTheViewFromWhereThePageHasIt(t *testing.T) {
	still(t)
	inputBlock[InputYaw], inputBlock[InputPitch] = 1, 0.5
	say(t, "Mouse.X", 100)
	say(t, "Mouse.Y", 50)
	say(t, "Mouse.X", -40)
	frame(float64(devices.last + clock.Second/60))
	if got, want := stateBlock[StateLookYaw], 1-60*0.0022; math.Abs(got-want) > 1e-12 {
		t.Errorf("yaw: got %v, want %v", got, want)
	}
	if got, want := stateBlock[StateLookPitch], 0.5-50*0.0022; math.Abs(got-want) > 1e-12 {
		t.Errorf("pitch: got %v, want %v", got, want)
	}
}

func TestTheActionBitsAreThePagesActions(t *testing.T) {
	still(t)
	say(t, "Tab", 1)
	say(t, "F3", 1)
	say(t, "F3", 0)
	frame(float64(devices.last + 1))
	if got, held := stateBlock[StateActionsPressed], stateBlock[StateActionsHeld]; got != ActionScores|ActionNet || held != ActionScores|ActionNet {
		t.Errorf("Tab held and F3 tapped: pressed %v, held %v, want %v and the same", got, held, ActionScores|ActionNet)
	}
	frame(float64(devices.last + 1))
	if got, held := stateBlock[StateActionsPressed], stateBlock[StateActionsHeld]; got != 0 || held != ActionScores {
		t.Errorf("a frame later: pressed %v, held %v, want 0, %v", got, held, ActionScores)
	}
}

func TestInputOfAFrameWithoutASessionIsLost(t *testing.T) { // ENT-05
	still(t)
	lost(0)
	say(t, "ShiftLeft", 1)
	say(t, "Mouse.X", 100)
	frame(float64(devices.last + 1))
	if sampleBlock[SampleCount] != 0 {
		t.Errorf("%v samples are left for the next frame, want 0", sampleBlock[SampleCount])
	}
	if !playerInput().Dash {
		t.Error("the frame itself must have had the dash")
	}
	frame(float64(devices.last + 1))
	if playerInput().Dash {
		t.Error("the frame after must not have it any more")
	}
}

func TestAScriptPlaysAlone(t *testing.T) {
	still(t)
	say(t, "KeyW", 1)
	say(t, "Space", 1)
	inputBlock[InputScripted], inputBlock[InputRight], inputBlock[InputButtons] = 1, 0.5, ButtonFire
	frame(float64(devices.last + 1))
	if w := playerInput(); w.Forward != 0 || w.Jump || w.Right != 0.5 || !w.Fire {
		t.Errorf("scripted: got %+v, want only what the script plays", w)
	}
	inputBlock[InputScripted] = 0
	if w := playerInput(); w.Forward != 1 || !w.Jump || w.Right != 0.5 || !w.Fire {
		t.Errorf("otherwise: got %+v, want both", w)
	}
}

func TestBindingsThroughTheInbox(t *testing.T) {
	still(t)
	if got, want := rebind("forward = KeyW\njump = Spaec"), `input: line 2: "Spaec" is no key; did you mean Space?`; got != want {
		t.Errorf("a wrong text: got %q, want %q", got, want)
	}
	text := string(inboxBlock[:bindDefaults()])
	if why := rebind(text); why != "" || text != defaultBindings {
		t.Errorf("the default bindings: %s", why)
	}
	for name, want := range map[string]int32{"KeyW": 1, "Tab": 1, "Pad.RT": 1, "KeyZ": 0} {
		if got := keyBound(keyNumber(int32(copy(inboxBlock[:], name)))); got != want {
			t.Errorf("%s is bound: got %d, want %d", name, got, want)
		}
	}
	for action, want := range map[string]string{"jump": "Space", "dash": "ShiftLeft", "wobble": ""} {
		if got := string(inboxBlock[:keyOf(int32(copy(inboxBlock[:], action)))]); got != want {
			t.Errorf("the key of %s: got %q, want %q", action, got, want)
		}
	}
	for _, key := range []int32{-1, 0, 255, 1 << 20} {
		if keyBound(key) != 0 {
			t.Errorf("key %d, which is none, is bound", key)
		}
	}
	*(*float64)(samples()) = 1e9
	for i := 1; i < SampleLength; i++ {
		sampleBlock[i] = math.NaN()
	}
	frame(float64(devices.last + 1)) // and nothing happens
}
