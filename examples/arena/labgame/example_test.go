package labgame_test

import (
	"fmt"

	"github.com/backstep-net/backstep/examples/arena/labgame"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
)

// A scenario is read with the words that the game knows, and played with it.
func Example() {
	file, err := scenario.Open("walk.yaml", []byte(`
duration: 2s
geometry: [{box: {min: [-50, -1, -50], max: [50, 0, 50]}}]
network: wifi
players:
  - {name: ann, script: [{at: 0s, forward: 1}]}
expect: [ann.corrections == 0]
`))
	if err != nil {
		panic(err)
	}
	game := labgame.New()
	s, err := file.Scenario(lab.Words(game))
	if err != nil {
		panic(err)
	}
	r, err := lab.Play(s, game, lab.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Held(), r.Players["ann"].Corrections, r.Players["ann"].Trajectory[200].Mode)
	// Output: true 0 walking
}
