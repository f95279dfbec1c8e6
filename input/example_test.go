package input_test

import (
	"fmt"

	"github.com/backstep-net/backstep/input"
)

// A game names what it asks for once; what it is bound to is a player's text.
func Example() {
	const (
		Forward input.Axis   = 0
		Turn    input.Axis   = 1
		Jump    input.Action = 0
		Fire    input.Action = 1
	)
	vocabulary := &input.Vocabulary{
		Axes:    []input.AxisName{{Name: "forward"}, {Name: "turn", Turns: true}},
		Actions: []string{"jump", "fire"},
	}
	bindings, err := input.Parse(vocabulary, `
forward = +KeyW -KeyS, -Pad.LeftY
turn    = -Mouse.X -Pad.RightX
jump    = Space, Pad.A
fire    = Mouse.Left, Pad.RT above 0.4
mouse.sensitivity = 0.002 # radians a count
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	in := input.New(input.NewLayer(bindings, nil))

	// What the devices say, by name; then a frame; then the game asks.
	in.Sample(input.KeyNamed("KeyW"), 1)
	in.Sample(input.KeyNamed("Mouse.X"), -25)
	in.Sample(input.KeyNamed("Pad.RT"), 0.7)
	in.Frame(1.0/60, false)
	fmt.Println(in.Axis(Forward), in.Axis(Turn), in.Pressed(Jump), in.Held(Fire))

	_, err = input.Parse(vocabulary, "jump = Spaec")
	fmt.Println(err)
	// Output:
	// 1 0.05 false true
	// input: line 1: "Spaec" is no key; did you mean Space?
}
