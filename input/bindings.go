package input

// Axis is the number of an axis: its place in Vocabulary.Axes.
type Axis uint8

// Action is the number of an action: its place in Vocabulary.Actions.
type Action uint8

// MaxNames is the most axes, and the most actions, that a game may have.
const MaxNames = 64

// Vocabulary is what a game asks hands for. Names are letters, digits, - and _,
// without a dot; an axis and an action may share one. A game keeps the numbers as
// constants of its own.
type Vocabulary struct {
	Axes    []AxisName
	Actions []string
}

// AxisName is one axis of a game.
type AxisName struct {
	Name string
	// Turns is for axes that turn a view: their value is by how many radians in this
	// frame, from the mouse's counts and from keys and sticks at a rate. Without
	// it the value is how far, −1 … 1: the farthest of what pushes one way less
	// the farthest of what pushes the other way, so that two keys for one thing
	// are not twice it.
	Turns bool
}

// Settings are the lines of a text that are about all devices of a kind.
type Settings struct {
	// Sensitivity is the radians that one count of the mouse turns by:
	// mouse.sensitivity, 0.00001 … 0.1. Without a line 0.0022.
	Sensitivity float64
	// Rate is the radians a second that a stick pushed home, or a key, turns by:
	// look.rate, 0 … 50. Without a line 3.
	Rate float64
	// InvertY turns the view down where Mouse.Y or a stick's Y would turn it up:
	// look.invert-y, yes or no. Without a line no.
	InvertY bool
	// Deadzone and Curve are for sticks and triggers that name none of their own:
	// pad.deadzone, 0 … 0.9, without a line 0.15, and pad.curve, 0 … 1, without a
	// line 0.
	Deadzone, Curve float64
	// Above is the value above which a stick or trigger is a pressed button where
	// the key names none of its own: pad.trigger, 0 … 0.95. Without a line 0.5.
	Above float64
}

// defaults are the settings of an empty text.
func defaults() Settings {
	return Settings{Sensitivity: 0.0022, Rate: 3, Deadzone: 0.15, Above: 0.5}
}

// maxTerms bounds the keys of a text.
const maxTerms = 512

// term is one key's part in one axis or action.
type term struct {
	key             Key
	to              uint8   // Axis or Action
	toggle          bool    // of an action
	scale           float64 // with the sign in it
	above           float64 // of an action; negative until the settings are known
	deadzone, curve float64 // negative until the settings are known
}

// release is the share of above below which what was down is up again.
const release = 0.8

// on reports whether a value presses the term, which is down or not.
func (t *term) on(value float64, down bool) bool {
	limit := t.above
	if down {
		limit = float64(release * limit)
	}
	return float64(value*t.scale) > limit
}

// Bindings are a text that was understood: which keys feed which axes and
// actions. They do not change and may be shared.
type Bindings struct {
	Settings Settings

	vocabulary *Vocabulary
	axes       []term // by axis
	actions    []term // by key
	// first is where each key's actions begin; they end where the next key's begin.
	first [KeyCount + 1]uint16
	keys  keySet
	bound [MaxNames]bool // axes that have a term
	lead  [MaxNames]Key  // of each action
}

// Uses reports whether a key is bound to anything.
func (b *Bindings) Uses(k Key) bool { return int(k) < KeyCount && b.keys.has(k) }

// KeyOf is the key that the text names first for an action, to show to the player;
// NoKey where it has none.
func (b *Bindings) KeyOf(a Action) Key {
	if a >= MaxNames {
		return NoKey
	}
	return b.lead[a]
}

// compile puts the terms into their order and fills in the settings.
func (b *Bindings) compile(axes, actions []term) {
	for i := range axes {
		t := &axes[i]
		b.complete(t)
		if t.key.vertical() && b.Settings.InvertY && b.vocabulary.Axes[t.to].Turns {
			t.scale = -t.scale
		}
		b.bound[t.to] = true
	}
	b.axes = axes
	for i := range actions {
		if t := &actions[i]; b.lead[t.to] == NoKey {
			b.lead[t.to] = t.key
		}
	}
	for k := range KeyCount {
		b.first[k] = uint16(len(b.actions))
		for i := range actions {
			if int(actions[i].key) == k {
				b.complete(&actions[i])
				b.actions = append(b.actions, actions[i])
			}
		}
	}
	b.first[KeyCount] = uint16(len(b.actions))
}

// complete gives a term what it did not name itself.
func (b *Bindings) complete(t *term) {
	if t.deadzone < 0 {
		t.deadzone = b.Settings.Deadzone
	}
	if t.curve < 0 {
		t.curve = b.Settings.Curve
	}
	if t.above < 0 {
		t.above = 0
		if t.key.analog() {
			t.above = b.Settings.Above
		}
	}
	b.keys.add(t.key)
}
