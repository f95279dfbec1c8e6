package input

// maxText is the most bytes of a text of bindings. A text may come from anywhere, so every size in
// it has a bound.
const maxText = 1 << 15

// Parse reads a text of bindings, whose format is in the package comment. Axes and actions that
// it does not name are unbound. The error is an *Error with the line and the word. Parse panics
// on an invalid vocabulary.
func Parse(v *Vocabulary, text string) (*Bindings, error) {
	v.check()
	if len(text) > maxText {
		return nil, &Error{Line: 1, Reason: "the text is longer than 32 KB"}
	}
	p := parser{vocabulary: v, settings: defaults()}
	for line, rest, more := "", text, true; more; {
		line, rest, more = cut(rest, '\n')
		p.line++
		if err := p.read(line); err != nil {
			return nil, err
		}
	}
	b := &Bindings{Settings: p.settings, vocabulary: v}
	b.compile(p.axes, p.actions)
	return b, nil
}

// check panics on an invalid vocabulary.
func (v *Vocabulary) check() {
	if len(v.Axes) > MaxNames || len(v.Actions) > MaxNames {
		panic("input: a vocabulary has at most 64 axes and 64 actions")
	}
	for i, a := range v.Axes {
		if !validName(a.Name) || v.axis(a.Name) != i {
			panic("input: the axis " + a.Name + " is a duplicate or no valid name: give it one of its own, of ASCII letters, digits, - and _")
		}
	}
	for i, a := range v.Actions {
		if !validName(a) || v.action(a) != i {
			panic("input: the action " + a + " is a duplicate or no valid name: give it one of its own, of ASCII letters, digits, - and _")
		}
	}
}

// validName reports whether a name may name an axis or an action.
func validName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return name != ""
}

// axis returns the number of the axis with a name, −1 for none.
func (v *Vocabulary) axis(name string) int {
	for i := range v.Axes {
		if equalFold(v.Axes[i].Name, name) {
			return i
		}
	}
	return -1
}

// action returns the number of the action with a name, −1 for none.
func (v *Vocabulary) action(name string) int { return find(v.Actions, name) }

// Action returns the number of the action with a name, and whether there is one.
func (v *Vocabulary) Action(name string) (Action, bool) {
	i := v.action(name)
	return Action(max(i, 0)), i >= 0
}

// parser is the state of Parse.
type parser struct {
	vocabulary    *Vocabulary
	settings      Settings
	line          int
	axes, actions []term
	seen          []string // names that had a line
}

// read parses one line. A name with a dot is a setting, any other is an axis or an action.
func (p *parser) read(line string) error {
	line, _, _ = cut(line, '#')
	left, right, found := cut(line, '=')
	before, words := fields(left), fields(right)
	switch {
	case len(before) == 0 && !found:
		return nil
	case len(before) != 1 || !found:
		return p.errorAt("", "a line is a name, = and its keys or its value", nil)
	}
	name := before[0]
	if find(p.seen, name) >= 0 {
		return p.errorAt(name, "has a line already", nil)
	}
	p.seen = append(p.seen, name)
	if _, _, dotted := cut(name, '.'); dotted {
		return p.setting(name, words)
	}
	return p.bind(name, words)
}

// bind parses a line for an axis or action.
func (p *parser) bind(name string, words []string) error {
	axis, action := p.vocabulary.axis(name), p.vocabulary.action(name)
	if axis < 0 && action < 0 {
		return p.errorAt(name, "is no axis or action", p.known())
	}
	for len(words) > 0 {
		t, rest, err := p.term(words)
		if err == nil {
			err = p.place(t, axis, action, words[0])
		}
		if err != nil {
			return err
		}
		words = rest
	}
	return nil
}

// known returns the names that a line may begin with, for the suggestion of an error.
func (p *parser) known() []string {
	var all []string
	for i := range p.vocabulary.Axes {
		all = append(all, p.vocabulary.Axes[i].Name)
	}
	return append(all, p.vocabulary.Actions...)
}

// modifiers has the words that may follow a key, those with a number first.
var modifiers = [...]string{"scale", "above", "deadzone", "curve", "inverted", "toggle", "hold"}

// Indices in modifiers.
const (
	wordScale = iota
	wordAbove
	wordDeadzone
	wordCurve
	wordInverted
	wordToggle
	wordHold
)

// term parses a key and its modifiers; the rest begins with another key. A sign before the key is
// short for the direction, as in forward = +KeyW -KeyS.
func (p *parser) term(words []string) (t term, rest []string, err error) {
	t = term{scale: 1, above: -1, deadzone: -1, curve: -1}
	name := words[0]
	switch name[0] {
	case '-':
		t.scale, name = -1, name[1:]
	case '+':
		name = name[1:]
	}
	if t.key = KeyNamed(name); t.key == NoKey {
		return t, nil, p.errorAt(name, "is no key", append(names[1:], modifiers[:]...))
	}
	for words = words[1:]; len(words) > 0; {
		used, err := p.modify(&t, words)
		if err != nil {
			return t, nil, err
		}
		if used == 0 {
			break
		}
		words = words[used:]
	}
	return t, words, nil
}

// modify parses one modifier and returns its number of words, 0 if the word is no modifier: then it
// is the next key, or a mistake that term reports.
func (p *parser) modify(t *term, words []string) (int, error) {
	var err error
	scale := 1.0
	switch find(modifiers[:], words[0]) {
	case wordInverted:
		t.scale = -t.scale
		return 1, nil
	case wordToggle:
		t.toggle = true
		return 1, nil
	case wordHold:
		t.toggle = false
		return 1, nil
	case wordScale:
		err = p.number(&scale, words, 0, 10)
	case wordAbove:
		err = p.number(&t.above, words, 0, 0.95)
	case wordDeadzone:
		err = p.number(&t.deadzone, words, 0, 0.9)
	case wordCurve:
		err = p.number(&t.curve, words, 0, 1)
	default:
		return 0, nil
	}
	t.scale = float64(t.scale * scale)
	return 2, err
}

// place puts a term where its line says: an axis and an action of the same name both get it. What
// the term could not do is an error here, at the word, and not silence in the game.
func (p *parser) place(t term, axis, action int, word string) error {
	turns := axis >= 0 && p.vocabulary.Axes[axis].Turns
	switch {
	case len(p.axes)+len(p.actions) >= maxTerms-1:
		return p.errorAt(word, "is one key too many: a text binds 512", nil)
	case t.key.amount() && (!turns || action >= 0): // counts have no end to release them at
		return p.errorAt(word, "moves and is not held: it can only turn the view", nil)
	case t.toggle && action < 0:
		return p.errorAt(word, "can only toggle an action, and this is an axis", nil)
	case t.above >= 0 && action < 0:
		return p.errorAt(modifiers[wordAbove], "is for an action, and this is an axis", nil)
	case (t.deadzone >= 0 || t.curve >= 0) && (axis < 0 || !t.key.analog()):
		return p.errorAt(word, "has no deadzone or curve here: they are for sticks and triggers of an axis", nil)
	case axis < 0 && t.most() <= max(t.above, 0):
		return p.errorAt(word, "can never press the action: its value, with sign and scale, is too small", nil)
	}
	if axis >= 0 {
		t.to = uint8(axis)
		p.axes = append(p.axes, t)
	}
	if action >= 0 {
		t.to = uint8(action)
		p.actions = append(p.actions, t)
	}
	return nil
}

// settingNames are the names with a dot.
var settingNames = [...]string{
	"look.invert-y", "mouse.sensitivity", "look.rate", "pad.deadzone", "pad.curve", "pad.trigger",
}

// setting reads a line about all devices of a kind.
func (p *parser) setting(name string, words []string) error {
	which := find(settingNames[:], name)
	switch {
	case which < 0:
		return p.errorAt(name, "is no setting", settingNames[:])
	case len(words) != 1:
		return p.errorAt(name, "wants one value", nil)
	case which == 0:
		yes := equalFold(words[0], "yes")
		if !yes && !equalFold(words[0], "no") {
			return p.errorAt(words[0], "is neither yes nor no", nil)
		}
		p.settings.InvertY = yes
		return nil
	}
	s := &p.settings
	into := [...]*float64{nil, &s.Sensitivity, &s.TurnRate, &s.Deadzone, &s.Curve, &s.TriggerThreshold}
	least := [...]float64{1: 0.00001, 5: 0} // the rest 0; zero sensitivity would look like a defect
	most := [...]float64{0, 0.1, 50, 0.9, 1, 0.95}
	return p.number(into[which], []string{name, words[0]}, least[which], most[which])
}

// number parses the value of a modifier or setting, lo … hi. A value beyond is an error and not
// clamped: the player wrote it and would not see why it does not act.
func (p *parser) number(into *float64, words []string, lo, hi float64) error {
	if len(words) < 2 {
		return p.errorAt(words[0], "wants a number", nil)
	}
	v, ok := decimal(words[1])
	if !ok {
		return p.errorAt(words[1], "is no number", nil)
	}
	if v < lo || v > hi {
		return p.errorAt(words[1], "is beyond what "+words[0]+" may be, "+spell(lo)+" to "+spell(hi), nil)
	}
	*into = v
	return nil
}

// decimal parses up to 15 digits with at most one point: that
// many are exact in a float64, and so is the power of ten below.
func decimal(text string) (v float64, ok bool) {
	if len(text) == 0 || len(text) > 16 {
		return 0, false
	}
	unit, digits, point := 1.0, 0, false
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '.' && !point:
			point = true
			continue
		case c < '0' || c > '9':
			return 0, false
		}
		digits++
		v = float64(v*10) + float64(c-'0')
		if point {
			unit *= 10
		}
	}
	return v / unit, digits > 0 && digits <= 15
}
