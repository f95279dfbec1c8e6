package main

import (
	"github.com/backstep-net/backstep/client/browser"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/input"
	"github.com/backstep-net/backstep/shot"
)

// The arena's actions and axes. Only the bindings name keys.
const (
	axisForward input.Axis = iota
	axisRight
	axisYaw
	axisPitch
)

// Actions: first the character's, then the page's, in the order of the Action bits.
const (
	actJump input.Action = iota
	actCrouch
	actFire
	actReload
	actDash
	actHook
	actSights
	actShield
	actMelee
	actNextWeapon
	actPreviousWeapon
	actWeapon1
	actWeapon2
	actWeapon3
	actWeapon4
	actWeapon5
	actScores
	actNet
	actLag
	actSound
	actSpectate
	actBindings
	actRemoteDebug
	actShotDebug
	actShotPrevious
	actShotNext
)

var vocabulary = &input.Vocabulary{
	Axes: []input.AxisName{{Name: "forward"}, {Name: "right"}, {Name: "yaw", Turns: true}, {Name: "pitch", Turns: true}},
	Actions: []string{
		"jump", "crouch", "fire", "reload", "dash", "hook",
		"sights", "shield", "melee", "next-weapon", "previous-weapon",
		"weapon-1", "weapon-2", "weapon-3", "weapon-4", "weapon-5",
		"scores", "net", "lag", "sound", "spectate", "bindings", "remote-debug",
		"shot-debug", "previous-shot", "next-shot",
	},
}

// defaultBindings is the text of the default bindings.
const defaultBindings = `# A line: ACTION = KEYS. A key is named by its place on a US keyboard. Options after a
# key: toggle, inverted, scale 2, above 0.4, deadzone 0.2, curve 0.5.

forward = +KeyW -KeyS +ArrowUp -ArrowDown -Pad.LeftY
right   = +KeyD -KeyA +ArrowRight -ArrowLeft +Pad.LeftX
yaw     = -Mouse.X -Pad.RightX
pitch   = -Mouse.Y -Pad.RightY

jump    = Space Pad.A
crouch  = KeyC ControlLeft ControlRight Pad.LeftStick
fire    = Mouse.Left Pad.RT
reload  = KeyR Pad.X
dash    = ShiftLeft ShiftRight Pad.LB
hook    = KeyE Pad.RB
sights  = Mouse.Right Pad.LT
shield  = KeyF Mouse.Middle Pad.B
melee   = KeyG Pad.RightStick

next-weapon = Mouse.WheelDown Pad.Right
previous-weapon = KeyQ Mouse.WheelUp Pad.Left
weapon-1 = Digit1
weapon-2 = Digit2
weapon-3 = Digit3
weapon-4 = Digit4
weapon-5 = Digit5

scores  = Tab Pad.View
net     = F3
remote-debug = F4
shot-debug = F6
previous-shot = BracketLeft
next-shot = BracketRight
lag     = KeyL
sound   = KeyM
spectate = KeyV Pad.Y
bindings = KeyB Pad.Menu

mouse.sensitivity = 0.0022  # radians per count
look.rate = 3.2             # of a stick, radians per second
look.invert-y = no
pad.deadzone = 0.15
pad.curve = 0.5             # 0 straight, 1 fine near the middle
pad.trigger = 0.35          # how far a trigger is pulled to fire
`

// devices are the player's input devices; they live as long as the page.
var devices struct {
	input *input.Input
	layer *input.Layer
	last  clock.Micros // time of the last frame
}

func init() { useBindings(defaultBindings) }

// useBindings applies a text of bindings; on an error the old ones stay.
func useBindings(text string) error {
	b, err := input.Parse(vocabulary, text)
	switch {
	case err != nil:
		return err
	case devices.layer == nil:
		devices.layer = input.NewLayer(b, nil)
		devices.input = input.New(devices.layer)
	default:
		devices.layer.Bind(b)
	}
	return nil
}

// keyNumber returns the number of the key that the inbox names, 0 if there is none.
//
//go:wasmexport key_number
func keyNumber(length int32) int32 { return int32(input.KeyNamed(string(browser.Inbox(length)))) }

// keyBound reports whether a key is bound.
//
//go:wasmexport key_bound
func keyBound(key int32) int32 {
	if key > 0 && int(key) < input.KeyCount && devices.layer.Bindings().Uses(input.Key(key)) {
		return 1
	}
	return 0
}

// keyOf sets the text to the name of the first key bound to the action that the inbox names.
//
//go:wasmexport key_of
func keyOf(length int32) {
	block.Text = ""
	if action, ok := vocabulary.Action(string(browser.Inbox(length))); ok {
		block.Text = devices.layer.Bindings().KeyOf(action).String()
	}
}

// bind applies the text of bindings in the inbox.
//
//go:wasmexport bind
func bind(length int32) int32 {
	block.Text = ""
	if err := useBindings(string(browser.Inbox(length))); err != nil {
		block.Text = err.Error()
		return 1
	}
	return 0
}

// bindDefaults applies the default bindings and sets the text to them.
//
//go:wasmexport bind_defaults
func bindDefaults() {
	useBindings(defaultBindings)
	block.Text = defaultBindings
}

// readDevices processes the samples of this frame. It runs before anything that may end the
// frame, so that no input is carried over. [ENT-05]
func readDevices(now clock.Micros) {
	in := devices.input
	for _, s := range controls.Samples[:min(max(controls.Count, 0), int32(len(controls.Samples)))] {
		if s.Key > 0 && int(s.Key) < input.KeyCount {
			in.Sample(input.Key(s.Key), s.Value)
		}
	}
	controls.Count = 0
	lasted := now - devices.last
	if devices.last == 0 {
		lasted = 0 // a new instance: no time has passed
	}
	in.Frame(lasted.Seconds(), false) // without a listener no event is refused
	devices.last = now
	look := input.Look{Yaw: controls.Yaw, Pitch: controls.Pitch}
	look.Turn(in.Axis(axisYaw), in.Axis(axisPitch))
	controls.Yaw, controls.Pitch = look.Yaw, look.Pitch
	block.Pressed, block.Held = actions(in.Pressed), actions(in.Held)
}

// actions returns the page's actions that are pressed or held.
func actions(is func(input.Action) bool) Actions {
	return Actions{
		Scores: is(actScores), Net: is(actNet), Lag: is(actLag), Sound: is(actSound),
		Spectate: is(actSpectate), Bindings: is(actBindings), RemoteDebug: is(actRemoteDebug),
		ShotDebug: is(actShotDebug), PreviousShot: is(actShotPrevious), NextShot: is(actShotNext),
		Fire: is(actFire),
	}
}

// playerInput returns the input of the page's script and, unless the script plays alone, of
// the devices.
func playerInput() arena.Input {
	want := controls.Input
	want.Shot, want.Next, want.Select = nil, 0, min(want.Select, shot.MaxWeapons)
	if !controls.Alone {
		in := devices.input
		want.Forward = geom.Clamp(want.Forward+in.Axis(axisForward), -1, 1)
		want.Right = geom.Clamp(want.Right+in.Axis(axisRight), -1, 1)
		want.Jump = want.Jump || in.Held(actJump)
		want.Crouch = want.Crouch || in.Held(actCrouch)
		want.Fire = want.Fire || in.Held(actFire)
		want.Reload = want.Reload || in.Held(actReload)
		want.Dash = want.Dash || in.Pressed(actDash)
		want.Hook = want.Hook || in.Held(actHook)
		want.Shield = want.Shield || in.Held(actShield)
		want.Aim = want.Aim || in.Held(actSights)
		want.Melee = want.Melee || in.Held(actMelee)
		chooseWeapon(&want)
	}
	return want
}

// chooseWeapon selects the weapon that a key names, or the next or previous one.
func chooseWeapon(want *arena.Input) {
	in := devices.input
	for a := actWeapon1; a <= actWeapon5; a++ {
		if in.Pressed(a) {
			want.Select = uint8(a-actWeapon1) + 1
		}
	}
	if in.Pressed(actNextWeapon) {
		want.Next++
	}
	if in.Pressed(actPreviousWeapon) {
		want.Next--
	}
}
