// Package input turns what hands do to devices into what a game asks for: named
// axes and actions, bound to keys, buttons and sticks by a text that players edit,
// so that the game never sees a key (INP-01). Start at Parse, then New and
// Input.Frame.
//
// A game declares its Vocabulary once; its own constants are the numbers:
//
//	hands, err := input.Parse(vocabulary, input text)
//	in := input.New(input.NewLayer(hands, nil))
//	…
//	in.Sample(key, value)   // whenever a device says something
//	in.Frame(dt, paused)    // once a frame
//	if in.Pressed(Jump) { … in.Axis(Forward) … in.Held(Fire) }
//
// # Bindings
//
// A text of lines. What follows # is a comment.
//
//	forward = +KeyW -KeyS +ArrowUp -ArrowDown -Pad.LeftY
//	turn    = -Mouse.X -Pad.RightX
//	run     = ShiftLeft, CapsLock toggle
//	fire    = Mouse.Left, Pad.RT above 0.4
//	pad.deadzone = 0.15
//
// A line binds one axis or action (or both, where a game has both by that name: an
// analog trigger) to keys; commas are spaces. A sign before a key says which way it
// drives; words after a key change how it is read:
//
//	inverted      as the other sign would
//	scale n       n times as much, 0 … 10
//	above n       a button once the value exceeds n, 0 … 0.95 (and until it falls
//	              below 0.8 n, so that a trembling finger does not fire twice)
//	deadzone n    what lies within n of the middle is 0, 0 … 0.9; round for a stick
//	curve n       0 is straight, 1 is cubic: fine near the middle
//	toggle        each press switches the action over, instead of holding it
//	hold          as without
//
// Settings have a dot in their name: see Settings. Keyboard keys are named as the
// W3C's KeyboardEvent.code, which is where a key is and not what is printed on it;
// Mouse and Pad names are listed in keys.go. Case does not matter.
//
// # Layers
//
// An Input has a stack of layers, a menu above the game say. A frame walks it from
// the top: a key that a layer has bound is not seen below it. First every axis of
// every layer is computed and what its Listener must be told is collected, then the
// listeners are called (INP-03): one that pushes a layer changes the next frame.
//
// Pending and Heading are for games that add up movement in world space instead
// of handing axes to movement.Command (INP-04, INP-05).
package input
