package main

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
)

// say writes one sample of a key, by its name as the page does.
func (p *page) say(name string, value float64) {
	p.t.Helper()
	key := keyNumber(p.Write([]byte(name)))
	if key == 0 {
		p.t.Fatalf("there is no key %q", name)
	}
	controls.Samples[controls.Count] = DeviceSample{uint16(key), value}
	controls.Count++
}

// rebind passes a text of bindings and returns the error.
func (p *page) rebind(text string) string {
	bind(p.Write([]byte(text)))
	return block.Text
}

// next draws a frame a moment later.
func (p *page) next() { p.Frame(devices.last + 1) }

func TestKeysWalkAndRebindingChangesNoCode(t *testing.T) { // INP-01
	p := newPage(t)
	p.hello()
	p.run(2 * clock.Second)
	walked := func(key string, value float64) float64 {
		before, _ := p.match.State(exported.ID)
		p.say(key, value)
		p.run(clock.Second / 2)
		p.say(key, 0)
		p.run(clock.Second / 2)
		after, _ := p.match.State(exported.ID)
		return before.Position.Z - after.Position.Z
	}
	if got := walked("KeyW", 1); got < 1 {
		t.Errorf("half a second of W: walked %.2f m, want more than 1", got)
	}
	if got := walked("KeyS", 1); got > -1 {
		t.Errorf("half a second of S: walked %.2f m, want back more than 1", got)
	}
	if why := p.rebind("forward = KeyI -Pad.LeftY"); why != "" {
		t.Fatal(why)
	}
	if got := walked("KeyW", 1); math.Abs(got) > 0.01 {
		t.Errorf("W, now bound to nothing: walked %.2f m, want 0", got)
	}
	for key, value := range map[string]float64{"KeyI": 1, "Pad.LeftY": -1} {
		if got := walked(key, value); got < 1 {
			t.Errorf("half a second of %s: walked %.2f m, want more than 1", key, got)
		}
	}
}

func TestTheDefaultBindingsAreTheKeysThatThePagePromises(t *testing.T) { // INP-01
	p := newPage(t)
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
			p.say(key, 1)
			p.next()
			if got := playerInput(); got != c.want {
				t.Errorf("%s: got %+v, want %+v", key, got, c.want)
			}
			p.say(key, 0)
			p.next()
		}
	}
	for key, want := range map[string]Actions{
		"Tab": {Scores: true}, "F3": {Net: true}, "KeyL": {Lag: true}, "KeyM": {Sound: true}, "KeyV": {Spectate: true},
		"KeyB": {Bindings: true}, "F4": {RemoteDebug: true}, "F6": {ShotDebug: true},
		"BracketLeft": {PreviousShot: true}, "BracketRight": {NextShot: true},
		"Mouse.Left": {Fire: true}, "Pad.RT": {Fire: true},
	} {
		p.say(key, 1)
		p.next()
		if got := block.Pressed; got != want {
			t.Errorf("%s: pressed %+v, want %+v", key, got, want)
		}
		p.say(key, 0)
		p.next()
	}
}

func TestTheDevicesTurnTheViewFromWhereThePageHasIt(t *testing.T) {
	p := newPage(t)
	controls.Yaw, controls.Pitch = 1, 0.5
	p.say("Mouse.X", 100)
	p.say("Mouse.Y", 50)
	p.say("Mouse.X", -40)
	p.Frame(devices.last + clock.Second/60)
	if got, want := controls.Yaw, 1-60*0.0022; math.Abs(got-want) > 1e-12 {
		t.Errorf("yaw: got %v, want %v", got, want)
	}
	if got, want := controls.Pitch, 0.5-50*0.0022; math.Abs(got-want) > 1e-12 {
		t.Errorf("pitch: got %v, want %v", got, want)
	}
}

func TestActionsOfThePageArePressedOnceAndHeldLonger(t *testing.T) {
	p := newPage(t)
	p.say("Tab", 1)
	p.say("F3", 1)
	p.say("F3", 0)
	p.next()
	if want := (Actions{Scores: true, Net: true}); block.Pressed != want || block.Held != want {
		t.Errorf("Tab held and F3 tapped: pressed %+v, held %+v, want %+v and the same", block.Pressed, block.Held, want)
	}
	p.next()
	if block.Pressed != (Actions{}) || block.Held != (Actions{Scores: true}) {
		t.Errorf("a frame later: pressed %+v, held %+v, want none, Tab", block.Pressed, block.Held)
	}
}

func TestInputOfAFrameWithoutASessionIsLost(t *testing.T) { // ENT-05
	p := newPage(t)
	p.say("ShiftLeft", 1)
	p.say("Mouse.X", 100)
	p.next()
	if controls.Count != 0 {
		t.Errorf("%v samples are left for the next frame, want 0", controls.Count)
	}
	if !playerInput().Dash {
		t.Error("the frame itself must have had the dash")
	}
	p.next()
	if playerInput().Dash {
		t.Error("the frame after must not have it any more")
	}
}

func TestAScriptPlaysAlone(t *testing.T) {
	p := newPage(t)
	p.say("KeyW", 1)
	p.say("Space", 1)
	controls.Alone, controls.Right, controls.Fire = true, 0.5, true
	p.next()
	if w := playerInput(); w.Forward != 0 || w.Jump || w.Right != 0.5 || !w.Fire {
		t.Errorf("scripted: got %+v, want only what the script plays", w)
	}
	controls.Alone = false
	if w := playerInput(); w.Forward != 1 || !w.Jump || w.Right != 0.5 || !w.Fire {
		t.Errorf("otherwise: got %+v, want both", w)
	}
}

func TestBindingsThroughTheInbox(t *testing.T) {
	p := newPage(t)
	if got, want := p.rebind("forward = KeyW\njump = Spaec"), `input: line 2: "Spaec" is no key; did you mean Space?`; got != want {
		t.Errorf("a wrong text: got %q, want %q", got, want)
	}
	bindDefaults()
	if text := block.Text; p.rebind(text) != "" || text != defaultBindings {
		t.Errorf("the default bindings: %s", block.Text)
	}
	for name, want := range map[string]int32{"KeyW": 1, "Tab": 1, "Pad.RT": 1, "KeyZ": 0} {
		if got := keyBound(keyNumber(p.Write([]byte(name)))); got != want {
			t.Errorf("%s is bound: got %d, want %d", name, got, want)
		}
	}
	for action, want := range map[string]string{"jump": "Space", "dash": "ShiftLeft", "wobble": ""} {
		if keyOf(p.Write([]byte(action))); block.Text != want {
			t.Errorf("the key of %s: got %q, want %q", action, block.Text, want)
		}
	}
	for _, key := range []int32{-1, 0, 255, 1 << 20} {
		if keyBound(key) != 0 {
			t.Errorf("key %d, which is none, is bound", key)
		}
	}
}

// Whatever a page writes into the controls, the core goes on.
func TestAnyControlsAreHarmless(t *testing.T) {
	p := newPage(t)
	p.join()
	for _, x := range []float64{math.NaN(), math.Inf(1), -1e300, 7} {
		for _, count := range []int32{-1, 1 << 30, int32(len(controls.Samples))} {
			for i := range controls.Samples {
				controls.Samples[i] = DeviceSample{uint16(i * 257), x}
			}
			controls.Count = count
			controls.Forward, controls.Right, controls.Yaw, controls.Pitch = x, x, x, x
			controls.Select, controls.Next, controls.Fire, controls.Hook = 255, 1<<40, true, true
			p.run(clock.Second / 20)
		}
	}
	if v := exported.Position; v != v {
		t.Errorf("the player is at %v", v)
	}
}
