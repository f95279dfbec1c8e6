package input_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/input"
)

func TestWhatIsWrongWithATextIsSaidWithLineAndWord(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"forward = KyeW", `input: line 1: "KyeW" is no key; did you mean KeyW?`},
		{"# mine\n\nforward = +KeyW -Arowdown", `input: line 3: "Arowdown" is no key; did you mean ArrowDown?`},
		{"jmup = Space", `input: line 1: "jmup" is no axis or action; did you mean jump?`},
		{"wobble = Space", `input: line 1: "wobble" is no axis or action`},
		{"jump Space", `input: line 1: a line is a name, = and its keys or its value`},
		{"= Space", `input: line 1: a line is a name, = and its keys or its value`},
		{"jump = Space\nrun = CapsLock\nJump = KeyJ", `input: line 3: "Jump" has a line already`},
		{"run = CapsLock togle", `input: line 1: "togle" is no key; did you mean toggle?`},
		{"forward = KeyW toggle", `input: line 1: "KeyW" can only toggle an action, and this is an axis`},
		{"forward = Pad.LeftY above 0.3", `input: line 1: "above" is for an action, and this is an axis`},
		{"jump = Pad.RT deadzone 0.3", `input: line 1: "Pad.RT" has no deadzone or curve here: they are for sticks and triggers of an axis`},
		{"forward = +KeyW curve 1", `input: line 1: "+KeyW" has no deadzone or curve here: they are for sticks and triggers of an axis`},
		{"jump = -KeyJ", `input: line 1: "-KeyJ" can never press the action: its value, with sign and scale, is too small`},
		{"jump = Pad.RT inverted", `input: line 1: "Pad.RT" can never press the action: its value, with sign and scale, is too small`},
		{"jump = KeyJ scale 0", `input: line 1: "KeyJ" can never press the action: its value, with sign and scale, is too small`},
		{"jump = Pad.LeftY scale 0.5 above 0.5", `input: line 1: "Pad.LeftY" can never press the action: its value, with sign and scale, is too small`},
		{"jump = Mouse.X", `input: line 1: "Mouse.X" moves and is not held: it can only turn the view`},
		{"forward = Mouse.Y", `input: line 1: "Mouse.Y" moves and is not held: it can only turn the view`},
		{"jump = Pad.RT above", `input: line 1: "above" wants a number`},
		{"jump = Pad.RT above high", `input: line 1: "high" is no number`},
		{"jump = Pad.RT above 1.5", `input: line 1: "1.5" is beyond what above may be, 0 to 0.95`},
		{"jump = Pad.RT above -1", `input: line 1: "-1" is no number`},
		{"pad.dedzone = 0.2", `input: line 1: "pad.dedzone" is no setting; did you mean pad.deadzone?`},
		{"pad.deadzone = 0.95", `input: line 1: "0.95" is beyond what pad.deadzone may be, 0 to 0.9`},
		{"mouse.sensitivity = 0", `input: line 1: "0" is beyond what mouse.sensitivity may be, 0.00001 to 0.1`},
		{"look.rate = 1.2.3", `input: line 1: "1.2.3" is no number`},
		{"look.rate = .", `input: line 1: "." is no number`},
		{"look.rate = 0000000000000001", `input: line 1: "0000000000000001" is no number`},
		{"look.rate = 000000000000000001", `input: line 1: "000000000000000001" is no number`},
		{"pad.deadzone =", `input: line 1: "pad.deadzone" wants one value`},
		{"mouse.sensitivity = 0.1 0.2", `input: line 1: "mouse.sensitivity" wants one value`},
		{"look.invert-y = perhaps", `input: line 1: "perhaps" is neither yes nor no`},
		{"jump = " + strings.Repeat("KeyA ", 600), `input: line 1: "KeyA" is one key too many: a text binds 512`},
		{strings.Repeat("#\n", 1<<15), `input: line 1: the text is longer than 32 KB`},
		{"jump = " + strings.Repeat("ж", 100), `input: line 1: "` + strings.Repeat("ж", 16) + `" is no key`},
	} {
		_, err := input.Parse(vocabulary, c.text)
		var fault *input.Error
		if !errors.As(err, &fault) || err.Error() != c.want {
			t.Errorf("%.40q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestATextSetsWhatItNamesAndLeavesTheRest(t *testing.T) {
	b, err := input.Parse(vocabulary, "MOUSE.Sensitivity = 0.001 # slow\r\n\r\nlook.rate=2.5\nlook.invert-y = Yes\n\tjump = space,,KEYJ\nrun =")
	if err != nil {
		t.Fatal(err)
	}
	want := input.Settings{Sensitivity: 0.001, TurnRate: 2.5, InvertY: true, Deadzone: 0.15, TriggerThreshold: 0.5}
	if b.Settings != want {
		t.Errorf("settings: got %+v, want %+v", b.Settings, want)
	}
	for name, uses := range map[string]bool{"Space": true, "KeyJ": true, "KeyW": false, "Pad.RT": false} {
		if got := b.Uses(input.KeyNamed(name)); got != uses {
			t.Errorf("%s is bound: got %t, want %t", name, got, uses)
		}
	}
	for a, want := range map[input.Action]string{Jump: "Space", Run: "", 200: ""} {
		if got := b.KeyOf(a).String(); got != want {
			t.Errorf("the first key of action %d: got %q, want %q", a, got, want)
		}
	}
	if b.Uses(255) || b.Uses(input.NoKey) {
		t.Error("what is no key is bound")
	}
}

func TestAVocabularyThatIsNoneIsRefused(t *testing.T) {
	for name, v := range map[string]*input.Vocabulary{
		"twice":    {Actions: []string{"jump", "JUMP"}},
		"a dot":    {Axes: []input.AxisName{{Name: "look.x"}}},
		"no name":  {Actions: []string{""}},
		"too many": {Actions: make([]string, input.MaxNames+1)},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: want a panic", name)
				}
			}()
			input.Parse(v, "")
		}()
	}
}

func TestEveryKeyHasOneNameAndItsKind(t *testing.T) {
	for k := input.Key(1); int(k) < input.KeyCount; k++ {
		if got := input.KeyNamed(strings.ToUpper(k.String())); got != k {
			t.Errorf("%q: got key %d, want %d", k.String(), got, k)
		}
	}
	// The kinds are told by place in the table: these are the first and last of each.
	for text, ok := range map[string]bool{
		"turn = Mouse.X": true, "turn = Mouse.Y": true, "jump = Mouse.X": false, "jump = Mouse.Y": false,
		"jump = Mouse.WheelDown": true, "jump = Pad.A": true,
		"jump = -Pad.LeftY above 0.6": true, "fire = Pad.RT above 0.5 deadzone 0.1": true, "fire = -Pad.RT": true, "turn = Pad.RightX curve 1": true,
	} {
		if _, err := input.Parse(vocabulary, text); (err == nil) != ok {
			t.Errorf("%q: got %v, want accepted %t", text, err, ok)
		}
	}
	for _, c := range []struct {
		key     string
		pressed bool // by 0.3, where a trigger must reach 0.5
	}{{"Pad.Home", true}, {"Pad.LT", false}, {"Pad.RT", false}, {"Pad.RightY", false}, {"Mouse.Left", true}} {
		in := bind(t, "jump = "+c.key)
		set(t, in, c.key, 0.3)
		process(t, in)
		if got := in.Pressed(Jump); got != c.pressed {
			t.Errorf("%s at 0.3 presses: got %t, want %t", c.key, got, c.pressed)
		}
	}
}

// FuzzParse: any text is an error or bindings whose values are in range.
func FuzzParse(f *testing.F) {
	f.Add(modelText, 3.0)
	f.Add("forward = +KeyW -KeyS +ArrowUp, Pad.LeftY inverted deadzone 0.15 curve 1 scale 10\nlook.rate = 50", -1.0)
	f.Add("fire = Pad.RT above 0.95 toggle\npad.deadzone=.9\nturn = Mouse.X scale 0", 1e9)
	f.Fuzz(func(t *testing.T, text string, value float64) {
		b, err := input.Parse(vocabulary, text)
		if err != nil {
			var fault *input.Error
			if !errors.As(err, &fault) || fault.Line < 1 || fault.Line > strings.Count(text, "\n")+1 || len(fault.Word) > 32 {
				t.Fatalf("an error without its place: %#v", err)
			}
			return
		}
		s := b.Settings
		if !(s.Sensitivity > 0 && s.Sensitivity <= 0.1 && s.TurnRate >= 0 && s.TurnRate <= 50 && s.Deadzone >= 0 &&
			s.Deadzone <= 0.9 && s.Curve >= 0 && s.Curve <= 1 && s.TriggerThreshold >= 0 && s.TriggerThreshold <= 0.95) {
			t.Fatalf("settings out of range: %+v", s)
		}
		in := input.New(input.NewLayer(b, nil))
		for k := range input.KeyCount {
			in.Sample(input.Key(k), value)
		}
		process(t, in)
		for a := range input.Axis(len(vocabulary.Axes)) {
			v, limit := in.Axis(a), 1.0
			if vocabulary.Axes[a].Turns {
				limit = 512 * (1e6*0.1*10 + 50*input.MaxFrameSeconds*10)
			}
			if !(v >= -limit && v <= limit) {
				t.Fatalf("axis %d is %v, beyond %v", a, v, limit)
			}
		}
		in.Release()
		process(t, in)
		process(t, in)
		for a := range input.Axis(len(vocabulary.Axes)) {
			if in.Axis(a) != 0 {
				t.Fatalf("every key is up and axis %d is %v", a, in.Axis(a))
			}
		}
	})
}
