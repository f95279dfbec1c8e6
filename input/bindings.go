package input

// Axis is the number of an axis: its place in Vocabulary.Axes.
type Axis uint8

// Action is the number of an action: its place in Vocabulary.Actions.
type Action uint8

// MaxNames is the most axes, and the most actions, that a game may have.
const MaxNames = 64

// Vocabulary has the names of a game's axes and actions: letters, digits, - and _. An axis and an
// action may share a name. A game keeps the indices as constants.
type Vocabulary struct {
	Axes    []AxisName // at most MaxNames, in the order of Axis
	Actions []string   // at most MaxNames, in the order of Action
}

// AxisName is one axis of a game.
type AxisName struct {
	Name string // unique among the axes
	// Turns is for axes that turn a view: the value is an angle in radians for this frame, from
	// mouse counts, and from keys and sticks at a turn rate. Without it the value is −1 … 1: the
	// largest positive contribution less the largest negative one, so that two keys for one
	// direction do not add up.
	Turns bool
}

// Settings are the lines of a text that apply to all devices of a kind.
type Settings struct {
	// Sensitivity is how far one count of the mouse turns the view, in radians:
	// mouse.sensitivity, 0.00001 … 0.1. The default is 0.0022.
	Sensitivity float64
	// TurnRate is how fast a fully deflected stick, or a key, turns the view, in radians a
	// second: look.rate, 0 … 50. The default is 3.
	TurnRate float64
	// InvertY reverses Mouse.Y and the Y axes of sticks on axes that turn a view:
	// look.invert-y, yes or no. The default is no.
	InvertY bool
	// Deadzone and Curve apply to sticks and triggers without those modifiers: pad.deadzone,
	// 0 … 0.9, default 0.15, and pad.curve, 0 … 1, default 0.
	Deadzone, Curve float64
	// TriggerThreshold is the value above which a stick or trigger without the modifier above
	// counts as pressed: pad.trigger, 0 … 0.95. The default is 0.5.
	TriggerThreshold float64
}

// defaults returns the settings of an empty text.
func defaults() Settings {
	return Settings{Sensitivity: 0.0022, TurnRate: 3, Deadzone: 0.15, TriggerThreshold: 0.5}
}

// maxTerms bounds the keys of a text.
const maxTerms = 512

// term is one key bound to one axis or action.
type term struct {
	key             Key
	to              uint8   // Axis or Action
	toggle          bool    // of an action
	scale           float64 // with the sign in it
	above           float64 // of an action; negative until the settings are known
	deadzone, curve float64 // negative until the settings are known
}

// most returns the largest value that the key can have for an action.
func (t *term) most() float64 {
	if t.key.partner() != NoKey { // a stick goes both ways
		return max(t.scale, -t.scale)
	}
	return t.scale
}

// releaseRatio is the share of the threshold below which a pressed key counts as released. The gap
// keeps a trigger held near the threshold from being pressed and released by noise.
const releaseRatio = 0.8

// on reports whether a value presses the term, given whether it is pressed already.
func (t *term) on(value float64, down bool) bool {
	limit := t.above
	if down {
		limit = float64(releaseRatio * limit)
	}
	return float64(value*t.scale) > limit
}

// Bindings is a parsed text: which keys feed which axes and actions. It does not change and may
// be shared.
type Bindings struct {
	// Settings are those of the text; a setting that the text does not have is at its default.
	Settings Settings

	vocabulary *Vocabulary
	axes       []term // by axis
	actions    []term // by key
	// first is the index of the first action of each key; they end where those of the next begin.
	first    [KeyCount + 1]uint16
	keys     keySet
	bound    [MaxNames]bool // axes that have a term
	firstKey [MaxNames]Key  // the key that the text names first, of each action
}

// Uses reports whether a key is bound.
func (b *Bindings) Uses(k Key) bool { return int(k) < KeyCount && b.keys.has(k) }

// KeyOf returns the key that the text names first for an action, to show it to the player, or
// NoKey for an unbound action.
func (b *Bindings) KeyOf(a Action) Key {
	if a >= MaxNames {
		return NoKey
	}
	return b.firstKey[a]
}

// compile sorts the terms and fills in the settings. That waits until the text is read, because a
// setting may come after the lines that it applies to.
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
		if t := &actions[i]; b.firstKey[t.to] == NoKey {
			b.firstKey[t.to] = t.key
		}
	}
	// By key, so that an event finds its terms at once; of one key in the order of the text.
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

// complete fills in the settings for modifiers that a term does not have.
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
			t.above = b.Settings.TriggerThreshold
		}
	}
	b.keys.add(t.key)
}
