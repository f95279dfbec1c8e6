package input_test

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/input"
)

// binding is one key's part in an action, as the model has it.
type binding struct {
	key    string
	action input.Action
	sign   float64
	above  float64
	toggle bool
}

// The bindings of the model test, as text and as the model has them.
const modelText = `
jump = Space, Pad.A, Pad.RT above 0.3
run  = ShiftLeft, CapsLock toggle, Space toggle
fire = Pad.RT, -Pad.LeftY above 0.6
menu = Tab toggle, KeyB toggle
`

var model = []binding{
	{"Space", Jump, 1, 0, false}, {"Pad.A", Jump, 1, 0, false}, {"Pad.RT", Jump, 1, 0.3, false},
	{"ShiftLeft", Run, 1, 0, false}, {"CapsLock", Run, 1, 0, true}, {"Space", Run, 1, 0, true},
	{"Pad.RT", Fire, 1, 0.5, false}, {"Pad.LeftY", Fire, -1, 0.6, false},
	{"Tab", Menu, 1, 0, true}, {"KeyB", Menu, 1, 0, true},
}

// said is one sample in the history that the model keeps.
type said struct {
	key   string
	value float64
}

// active computes from the whole history, anew each time, whether an action is on:
// any of its keys is down, or its toggles were pressed an odd number of times.
func active(history []said, a input.Action) bool {
	held, presses := false, 0
	for _, b := range model {
		if b.action != a {
			continue
		}
		down := false
		for _, s := range history {
			if s.key != b.key {
				continue
			}
			limit := b.above
			if down {
				limit = 0.8 * b.above
			}
			was := down
			down = s.value*b.sign > limit
			if down && !was && b.toggle {
				presses++
			}
		}
		held = held || down && !b.toggle
	}
	return held || presses%2 == 1
}

// TestActionsAreWhatAModelSays plays by dice against a model that remembers
// everything and computes nothing twice the same way.
func TestActionsAreWhatAModelSays(t *testing.T) { // INP-01, INP-02
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 1))
	names := []string{"Space", "Pad.A", "Pad.RT", "ShiftLeft", "CapsLock", "Pad.LeftY", "Tab", "KeyB", "KeyZ"}
	values := []float64{0, 0, 1, 1, 0.2, 0.26, 0.35, 0.42, 0.55, -0.5, -0.7, -1}
	for range 60 {
		in := bind(t, modelText)
		var history []said
		for f := range 12 {
			var pressed, released, held [4]bool
			for a := range held {
				held[a] = active(history, input.Action(a))
			}
			for range dice.IntN(6) {
				s := said{names[dice.IntN(len(names))], values[dice.IntN(len(values))]}
				history = append(history, s)
				set(t, in, s.key, s.value)
				for a := range held {
					is := active(history, input.Action(a))
					pressed[a] = pressed[a] || is && !held[a]
					released[a] = released[a] || held[a] && !is
					held[a] = is
				}
			}
			process(t, in)
			for i, name := range vocabulary.Actions {
				a := input.Action(i)
				got := [3]bool{in.Pressed(a), in.Released(a), in.Held(a)}
				if want := [3]bool{pressed[i], released[i], held[i] || pressed[i]}; got != want {
					t.Fatalf("seed %d, frame %d, %s: pressed, released, held got %v, want %v after %v",
						seed, f, name, got, want, history)
				}
			}
		}
	}
}

// TestNoOrderOfLayersLosesARelease pushes, removes and rebinds layers by dice:
// whenever every key is up and no toggle is bound, nothing is held.
func TestNoOrderOfLayersLosesARelease(t *testing.T) { // INP-03
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 2))
	texts := []string{"jump = Space KeyA\nrun = KeyB", "jump = KeyB\nforward = KeyA", "menu = Space", "fire = KeyA KeyB Space"}
	names := []string{"Space", "KeyA", "KeyB"}
	for range 50 {
		in := bind(t, texts[0])
		var all []*input.Layer
		for i := range 6 {
			l := layer(t, texts[dice.IntN(len(texts))], nil)
			l.Opaque, l.PassThrough = i == 4, i == 5
			all = append(all, l)
		}
		held := map[input.Action]bool{}
		for range 60 {
			switch l := all[dice.IntN(len(all))]; dice.IntN(5) {
			case 0:
				in.Remove(l)
				in.Push(l)
			case 1:
				in.Remove(l)
			case 2:
				l.Bind(layer(t, texts[dice.IntN(len(texts))], nil).Bindings())
			default:
				set(t, in, names[dice.IntN(len(names))], float64(dice.IntN(2)))
			}
			process(t, in)
			for a := range input.Action(4) {
				if in.Held(a) && !held[a] && !in.Pressed(a) {
					t.Fatalf("seed %d: action %d is held and was not pressed", seed, a)
				}
				if held[a] && !in.Held(a) && !in.Released(a) {
					t.Fatalf("seed %d: action %d is up and was not released", seed, a)
				}
				held[a] = in.Held(a) && !(in.Pressed(a) && in.Released(a))
			}
		}
		in.Release()
		process(t, in)
		process(t, in)
		for a := range input.Action(4) {
			if in.Held(a) {
				t.Fatalf("seed %d: every key is up and action %d is held", seed, a)
			}
		}
	}
}
