package input_test

import (
	"testing"

	"github.com/backstep-net/backstep/input"
)

// The game that the tests play: what it asks for, and never a key.
const (
	Forward input.Axis = iota
	Right
	Turn
	Tilt
	FireAxis
)

const (
	Jump input.Action = iota
	Run
	Fire
	Menu
)

var vocabulary = &input.Vocabulary{
	Axes: []input.AxisName{
		{Name: "forward"}, {Name: "right"}, {Name: "turn", Turns: true}, {Name: "tilt", Turns: true}, {Name: "fire"},
	},
	Actions: []string{"jump", "run", "fire", "menu"},
}

const frame = 1.0 / 60

// bind makes an Input of one layer with these bindings.
func bind(t testing.TB, text string) *input.Input {
	t.Helper()
	return input.New(layer(t, text, nil))
}

func layer(t testing.TB, text string, l input.Listener) *input.Layer {
	t.Helper()
	b, err := input.Parse(vocabulary, text)
	if err != nil {
		t.Fatal(err)
	}
	return input.NewLayer(b, l)
}

// key finds a key that must be there.
func key(t testing.TB, name string) input.Key {
	t.Helper()
	k := input.KeyNamed(name)
	if k == input.NoKey {
		t.Fatalf("there is no key %q", name)
	}
	return k
}

// press and let go set a key by its name.
func set(t testing.TB, in *input.Input, name string, value float64) {
	t.Helper()
	in.Sample(key(t, name), value)
}

// process runs one frame, which nothing may refuse.
func process(t testing.TB, in *input.Input) {
	t.Helper()
	if err := in.Frame(frame, false); err != nil {
		t.Fatal(err)
	}
}
