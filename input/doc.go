// Package input maps devices to the named axes and actions of a game, by bindings in a text
// that players edit. The game never reads a key (INP-01). Start at [Parse], then [New] and
// [Input.Frame].
//
// A game declares its Vocabulary once; its own constants are the numbers:
//
//	bindings, err := input.Parse(vocabulary, text)
//	in := input.New(input.NewLayer(bindings, nil))
//	…
//	in.Sample(key, value)   // for every event of a device
//	in.Frame(dt, paused)    // once a frame
//	if in.Pressed(Jump) { … in.Axis(Forward) … in.Held(Fire) }
//
// # Bindings
//
// Bindings are lines of text. A # begins a comment.
//
//	forward = +KeyW -KeyS +ArrowUp -ArrowDown -Pad.LeftY
//	turn    = -Mouse.X -Pad.RightX
//	run     = ShiftLeft, CapsLock toggle
//	fire    = Mouse.Left, Pad.RT above 0.4
//	pad.deadzone = 0.15
//
// A line binds one axis or action to keys, or both where they share a name, as for an analog
// trigger. Commas are spaces. A sign before a key is its direction; modifiers after a key
// change how it is read:
//
//	inverted      reverses the sign
//	scale n       multiplies the value by n, 0 … 10
//	above n       pressed once the value exceeds n, 0 … 0.95, until it falls below
//	              0.8 n (hysteresis: a trembling finger does not fire twice)
//	deadzone n    values within n of the middle are 0, 0 … 0.9; round for a stick
//	curve n       0 is straight, 1 is cubic: fine near the middle
//	toggle        each press switches the action on or off
//	hold          the action is on while the key is pressed (the default)
//
// A modifier that would do nothing is an error: above on an axis, deadzone and curve on what is no stick or trigger of
// an axis, and a sign or scale with which a key can never press its action.
//
// Settings have a dot in their name: see Settings. Keyboard keys have the names of the W3C's
// KeyboardEvent.code, which name the position of a key and not its label. The names of Mouse
// and Pad are listed in keys.go. Case does not matter.
//
// # Layers
//
// An Input has a stack of layers, such as a menu above the game. Each frame processes it from the
// top: a key that is bound in a layer does not reach the layers below. First the axes and
// actions of all layers are computed, then the listeners are called (INP-03), so a listener
// that pushes a layer changes the next frame.
package input
