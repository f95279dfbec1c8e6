package main

import (
	"unsafe"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/input"
)

// What the arena asks of hands. Nothing but the bindings knows a key.
const (
	axisForward input.Axis = iota
	axisRight
	axisTurn
	axisTilt
)

// Actions: what the hero does, then what the page does. The page's are in the order
// of the Wish bits.
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
	actLastWeapon
	actWeapon1
	actWeapon2
	actWeapon3
	actWeapon4
	actWeapon5
	actScores
	actNet
	actLag
	actSound
	actWatch
	actBindings
	actDebug
	actShots
	actShotBack
	actShotOn
)

var vocabulary = &input.Vocabulary{
	Axes: []input.AxisName{{Name: "forward"}, {Name: "right"}, {Name: "turn", Turns: true}, {Name: "tilt", Turns: true}},
	Actions: []string{
		"jump", "crouch", "fire", "reload", "dash", "hook",
		"sights", "shield", "melee", "next-weapon", "last-weapon",
		"weapon-1", "weapon-2", "weapon-3", "weapon-4", "weapon-5",
		"scores", "net", "lag", "sound", "watch", "bindings", "debug",
		"shots", "shot-back", "shot-on",
	},
}

// defaultBindings is the text that a player begins with.
const defaultBindings = `# A line: what you want = the keys for it. Keys go by where they are on the
# keyboard. Words after a key: toggle, inverted, scale 2, above 0.4,
# deadzone 0.2, curve 0.5.

forward = +KeyW -KeyS +ArrowUp -ArrowDown -Pad.LeftY
right   = +KeyD -KeyA +ArrowRight -ArrowLeft +Pad.LeftX
turn    = -Mouse.X -Pad.RightX
tilt    = -Mouse.Y -Pad.RightY

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
last-weapon = KeyQ Mouse.WheelUp Pad.Left
weapon-1 = Digit1
weapon-2 = Digit2
weapon-3 = Digit3
weapon-4 = Digit4
weapon-5 = Digit5

scores  = Tab Pad.View
net     = F3
debug   = F4
shots   = F6
shot-back = BracketLeft
shot-on = BracketRight
lag     = KeyL
sound   = KeyM
watch   = KeyV Pad.Y
bindings = KeyB Pad.Menu

mouse.sensitivity = 0.0022  # radians a count
look.rate = 3.2             # of a stick, radians a second
look.invert-y = no
pad.deadzone = 0.15
pad.curve = 0.5             # 0 straight, 1 fine near the middle
pad.trigger = 0.35          # how far a trigger is pulled to fire
`

// hands are the player's, as long as the page lives.
var hands struct {
	input *input.Input
	layer *input.Layer
	look  input.Look
	last  clock.Micros // when the last frame was
}

func init() { useBindings(defaultBindings) }

// useBindings gives the hands a text; where it is wrong they keep theirs.
func useBindings(text string) error {
	b, err := input.Parse(vocabulary, text)
	switch {
	case err != nil:
		return err
	case hands.layer == nil:
		hands.layer = input.NewLayer(b, nil)
		hands.input = input.New(hands.layer)
	default:
		hands.layer.Bind(b)
	}
	return nil
}

//go:wasmexport samples
func samples() unsafe.Pointer { return unsafe.Pointer(&sampleBlock) }

// keyNumber finds the number of the key whose name is in the inbox, 0 where there
// is none.
//
//go:wasmexport key_number
func keyNumber(length int32) int32 {
	return int32(input.KeyNamed(string(inboxBlock[:min(max(length, 0), InboxBytes)])))
}

// keyBound reports whether a key is bound to anything.
//
//go:wasmexport key_bound
func keyBound(key int32) int32 {
	return int32(number(key > 0 && int(key) < input.KeyCount && hands.layer.Bindings().Uses(input.Key(key))))
}

// keyOf takes the name of an action in the inbox, leaves there the name of the key
// that is bound to it first, and returns its length: 0 where there is none.
//
//go:wasmexport key_of
func keyOf(length int32) int32 {
	action, ok := vocabulary.Action(string(inboxBlock[:min(max(length, 0), InboxBytes)]))
	if !ok {
		return 0
	}
	return int32(copy(inboxBlock[:], hands.layer.Bindings().KeyOf(action).String()))
}

// bind takes the text of bindings in the inbox.
//
//go:wasmexport bind
func bind(length int32) int32 {
	if err := useBindings(string(inboxBlock[:min(max(length, 0), InboxBytes)])); err != nil {
		return refuse(err.Error())
	}
	return 0
}

// bindDefaults takes the default bindings, leaves them in the inbox and returns
// their length.
//
//go:wasmexport bind_defaults
func bindDefaults() int32 {
	useBindings(defaultBindings)
	return int32(copy(inboxBlock[:], defaultBindings))
}

// feel processes the samples of this frame. It comes before anything that may end
// the frame, so that nothing is saved up (ENT-05).
func feel(now clock.Micros) {
	in := hands.input
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
	lasted := now - hands.last
	if hands.last == 0 {
		lasted = 0 // an instance that is new did not stand still
	}
	in.Frame(lasted.Seconds(), false) // no listener, so nothing to refuse
	hands.last = now
	hands.look.Yaw, hands.look.Pitch = inputBlock[InputYaw], inputBlock[InputPitch]
	hands.look.Turn(in.Axis(axisTurn), in.Axis(axisTilt))
	s := &stateBlock
	s[StateLookYaw], s[StateLookPitch] = hands.look.Yaw, hands.look.Pitch
	s[StateWished], s[StateWishes] = 0, 0
	for a := actScores; a <= actShotOn; a++ {
		bit := float64(int(1) << (a - actScores))
		s[StateWished] += float64(bit * number(in.Pressed(a)))
		s[StateWishes] += float64(bit * number(in.Held(a)))
	}
}

// wanted is what a script of the page wants of the hero and, unless it plays
// alone, what the hands want.
func wanted() arena.Input {
	buttons := uint32(min(max(inputBlock[InputButtons], 0), 1<<20))
	want := arena.Input{
		Forward: inputBlock[InputForward], Right: inputBlock[InputRight],
		Yaw: hands.look.Yaw, Pitch: hands.look.Pitch,
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
		in := hands.input
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
		choose(&want)
	}
	return want
}

// choose takes the weapon in hand that a key names, or one further or back.
func choose(want *arena.Input) {
	in := hands.input
	for a := actWeapon1; a <= actWeapon5; a++ {
		if in.Pressed(a) {
			want.Select = uint8(a-actWeapon1) + 1
		}
	}
	if in.Pressed(actNextWeapon) {
		want.Next++
	}
	if in.Pressed(actLastWeapon) {
		want.Next--
	}
}
