package main

import (
	"unsafe"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/input"
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
	look  input.Look
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

//go:wasmexport samples
func samples() unsafe.Pointer { return unsafe.Pointer(&sampleBlock) }

// keyNumber returns the number of the key whose name is in the inbox, 0 if there is none.
//
//go:wasmexport key_number
func keyNumber(length int32) int32 {
	return int32(input.KeyNamed(string(inboxBlock[:min(max(length, 0), InboxBytes)])))
}

// keyBound reports whether a key is bound.
//
//go:wasmexport key_bound
func keyBound(key int32) int32 {
	return int32(boolNumber(key > 0 && int(key) < input.KeyCount && devices.layer.Bindings().Uses(input.Key(key))))
}

// keyOf reads an action's name from the inbox, writes the name of the first key bound to it
// into the inbox, and returns its length: 0 if there is none.
//
//go:wasmexport key_of
func keyOf(length int32) int32 {
	action, ok := vocabulary.Action(string(inboxBlock[:min(max(length, 0), InboxBytes)]))
	if !ok {
		return 0
	}
	return int32(copy(inboxBlock[:], devices.layer.Bindings().KeyOf(action).String()))
}

// bind applies the text of bindings in the inbox.
//
//go:wasmexport bind
func bind(length int32) int32 {
	if err := useBindings(string(inboxBlock[:min(max(length, 0), InboxBytes)])); err != nil {
		return refuse(err.Error())
	}
	return 0
}

// bindDefaults applies the default bindings, writes them into the inbox and returns their
// length.
//
//go:wasmexport bind_defaults
func bindDefaults() int32 {
	useBindings(defaultBindings)
	return int32(copy(inboxBlock[:], defaultBindings))
}

// readDevices processes the samples of this frame. It runs before anything that may end the
// frame, so that no input is carried over. [ENT-05]
func readDevices(now clock.Micros) {
	in := devices.input
	count := 0
	if sampleBlock[SampleCount] > 0 {
		count = int(min(sampleBlock[SampleCount], MaxSamples))
	}
	for i := range count {
		at := SampleBase + i*SampleStride
		if key := sampleBlock[at+SampleKey]; key > 0 && key < float64(input.KeyCount) {
			in.Sample(input.Key(key), sampleBlock[at+SampleValue])
		}
	}
	sampleBlock[SampleCount] = 0
	lasted := now - devices.last
	if devices.last == 0 {
		lasted = 0 // a new instance: no time has passed
	}
	in.Frame(lasted.Seconds(), false) // without a listener no event is refused
	devices.last = now
	devices.look.Yaw, devices.look.Pitch = inputBlock[InputYaw], inputBlock[InputPitch]
	devices.look.Turn(in.Axis(axisYaw), in.Axis(axisPitch))
	s := &stateBlock
	s[StateLookYaw], s[StateLookPitch] = devices.look.Yaw, devices.look.Pitch
	s[StateActionsPressed], s[StateActionsHeld] = 0, 0
	for a := actScores; a <= actShotNext; a++ {
		bit := float64(int(1) << (a - actScores))
		s[StateActionsPressed] += float64(bit * boolNumber(in.Pressed(a)))
		s[StateActionsHeld] += float64(bit * boolNumber(in.Held(a)))
	}
}

// playerInput returns the input of the page's script and, unless the script plays alone, of
// the devices.
func playerInput() arena.Input {
	buttons := uint32(min(max(inputBlock[InputButtons], 0), 1<<20))
	want := arena.Input{
		Forward: inputBlock[InputForward], Right: inputBlock[InputRight],
		Yaw: devices.look.Yaw, Pitch: devices.look.Pitch,
		Jump:   buttons&ButtonJump != 0,
		Crouch: buttons&ButtonCrouch != 0,
		Fire:   buttons&ButtonFire != 0,
		Reload: buttons&ButtonReload != 0,
		Dash:   buttons&ButtonDash != 0,
		Hook:   buttons&ButtonHook != 0,
		Shield: buttons&ButtonShield != 0,
		Aim:    buttons&ButtonSights != 0,
		Melee:  buttons&ButtonMelee != 0,
		Select: uint8(min(max(inputBlock[InputWeapon], 0), 8)),
	}
	if inputBlock[InputScripted] == 0 {
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
