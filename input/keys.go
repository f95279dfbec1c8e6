package input

// Key is one control of a device: a key, a button, an axis of a stick, a direction of the mouse. 0
// is no key. Numbers may differ between versions: store names.
type Key uint8

// NoKey is no key.
const NoKey Key = 0

// names has the names of the keys, indexed by Key. Digital keys are 0 or 1, triggers 0 … 1, stick
// axes −1 … 1 with 1 to the right and down, as in the W3C's Gamepad API. Mouse.X and Mouse.Y are
// counts to the right and down since the last sample. A notch of the wheel is a press and a
// release.
var names = [...]string{
	"",
	"KeyA", "KeyB", "KeyC", "KeyD", "KeyE", "KeyF", "KeyG", "KeyH", "KeyI", "KeyJ", "KeyK", "KeyL", "KeyM",
	"KeyN", "KeyO", "KeyP", "KeyQ", "KeyR", "KeyS", "KeyT", "KeyU", "KeyV", "KeyW", "KeyX", "KeyY", "KeyZ",
	"Digit0", "Digit1", "Digit2", "Digit3", "Digit4", "Digit5", "Digit6", "Digit7", "Digit8", "Digit9",
	"F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12",
	"ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End", "Insert", "Delete",
	"Space", "Tab", "Enter", "Backspace", "Escape", "CapsLock", "NumLock", "ScrollLock", "Pause", "PrintScreen",
	"ShiftLeft", "ShiftRight", "ControlLeft", "ControlRight", "AltLeft", "AltRight", "MetaLeft", "MetaRight", "ContextMenu",
	"Backquote", "Minus", "Equal", "BracketLeft", "BracketRight", "Backslash", "IntlBackslash",
	"Semicolon", "Quote", "Comma", "Period", "Slash",
	"Numpad0", "Numpad1", "Numpad2", "Numpad3", "Numpad4", "Numpad5", "Numpad6", "Numpad7", "Numpad8", "Numpad9",
	"NumpadAdd", "NumpadSubtract", "NumpadMultiply", "NumpadDivide", "NumpadDecimal", "NumpadEnter",
	"Mouse.Left", "Mouse.Middle", "Mouse.Right", "Mouse.Back", "Mouse.Forward", "Mouse.WheelUp", "Mouse.WheelDown",
	"Mouse.X", "Mouse.Y",
	"Pad.A", "Pad.B", "Pad.X", "Pad.Y", "Pad.LB", "Pad.RB", "Pad.View", "Pad.Menu", "Pad.LeftStick", "Pad.RightStick",
	"Pad.Up", "Pad.Down", "Pad.Left", "Pad.Right", "Pad.Home",
	"Pad.LT", "Pad.RT", "Pad.LeftX", "Pad.LeftY", "Pad.RightX", "Pad.RightY",
}

// KeyCount is the number of keys, including NoKey.
const KeyCount = len(names)

// KeyNamed returns the key with a name, ignoring case, or NoKey.
func KeyNamed(name string) Key {
	if name == "" {
		return NoKey
	}
	return Key(max(find(names[:], name), 0))
}

// String returns the key's name, empty for NoKey and for numbers that are no key.
func (k Key) String() string {
	if int(k) >= KeyCount {
		return ""
	}
	return names[k]
}

// Indices of keys in the table. A test checks them.
const (
	keyRT     = Key(KeyCount - 5)
	keyLT     = keyRT - 1
	keyLeftX  = keyRT + 1
	keyLeftY  = keyRT + 2
	keyRightX = keyRT + 3
	keyRightY = keyRT + 4
	keyMouseX = keyLT - 17
	keyMouseY = keyLT - 16
)

// amount reports whether samples of the key add up over a frame instead of
// replacing each other.
func (k Key) amount() bool { return k == keyMouseX || k == keyMouseY }

// analog reports whether the key has values between 0 and 1.
func (k Key) analog() bool { return k >= keyLT }

// vertical reports whether Settings.InvertY applies to the key.
func (k Key) vertical() bool { return k == keyMouseY || k == keyLeftY || k == keyRightY }

// partner returns the other axis of the same stick, or NoKey.
func (k Key) partner() Key {
	switch k {
	case keyLeftX:
		return keyLeftY
	case keyLeftY:
		return keyLeftX
	case keyRightX:
		return keyRightY
	case keyRightY:
		return keyRightX
	}
	return NoKey
}

// keySet is a set of keys.
type keySet [(KeyCount + 63) / 64]uint64

// add adds a key.
func (s *keySet) add(k Key) { s[k>>6] |= 1 << (k & 63) }

// has reports whether the set has a key.
func (s *keySet) has(k Key) bool { return s[k>>6]>>(k&63)&1 != 0 }

// addAll adds every key of t.
func (s *keySet) addAll(t *keySet) {
	for i := range s {
		s[i] |= t[i]
	}
}

// every returns the set of all keys.
func every() (s keySet) {
	for i := range s {
		s[i] = ^uint64(0)
	}
	return s
}
