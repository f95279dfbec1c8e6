package swarm

import "fmt"

// level is a level of cases.
type level struct {
	text     string   // as a scenario has it
	spawns   []string // for the feet
	entities bool     // it has some
}

// hall is a hall without a way out, 40 m square and 12 m high.
const hall = `geometry:
  - box: {min: [-20, -1, -20], max: [20, 0, 20]}
  - box: {min: [-20, 12, -20], max: [20, 13, 20]}
  - box: {min: [-21, -1, -21], max: [-20, 13, 21]}
  - box: {min: [20, -1, -21], max: [21, 13, 21]}
  - box: {min: [-20, -1, -21], max: [20, 13, -20]}
  - box: {min: [-20, -1, 20], max: [20, 13, 21]}
`

// levels are the levels of cases.
var levels = []level{
	{text: hall, spawns: grid(0)},
	{text: hall + `  - box: {min: [-6, 0, -3], max: [-3, 1.2, 3]}
  - box: {min: [3, 0, -1], max: [4, 3, 6], yaw: 30}
  - stairs: {at: [0, 0, -4], width: 3, rise: 0.2, run: 0.3, steps: 10}
  - ramp: {at: [8, 0, -2], size: [3, 2, 5]}
`, spawns: grid(0)},
	{text: hall + `  - pad: {min: [-2, 0, -2], max: [2, 0.5, 2], launch: [0, 9, 3]}
  - water: {min: [4, 0, -6], max: [9, 2, 6]}
  - gravity: {min: [-9, 0, -6], max: [-4, 6, 6], up: [0.3, 1, 0]}
`, spawns: grid(0)},
	{text: hall + `  - mover:
      name: lift
      box: {min: [-2, -0.2, -2], max: [2, 0.1, 2]}
      path: {loop: true, points: [[0s, [0, 0, 0]], [2s, [0, 0, 0]], [5s, [0, 4, 0]], [7s, [0, 4, 0]], [10s, [0, 0, 0]]]}
  - mover:
      name: turntable
      box: {min: [-3, -0.2, -3], max: [3, 0.2, 3]}
      path: {loop: true, points: [[0s, [8, 0, 0], 0], [12s, [8, 0, 0], 360]]}
`, spawns: grid(0)},
	{text: "level: arena\n", spawns: arenaSpawns, entities: true},
}

// arenaSpawns are spawn points of the arena.
var arenaSpawns = []string{
	"[9, 0.02, 10.6]", "[-9, 0.02, -10.6]", "[25, 0.02, 20]", "[-25, 0.02, -20]", "[-9.5, 0.02, 21.5]", "[9.5, 0.02, -21.5]",
	"[-15, 4.22, 1]", "[15, 4.22, -1]", "[-31, 0.02, 24]", "[31, 0.02, -25]", "[-31, 0.02, -27]", "[31, 0.02, 25]",
	"[-1.3, 1.22, 28]", "[1.3, 1.22, 28]", "[-5.2, 1.22, 30.8]", "[5.2, 1.22, 30.8]",
}

// grid returns sixteen places around the middle, 4 m apart, at a height.
func grid(y float64) (at []string) {
	for _, z := range []int{14, -14, 10, -10} {
		for _, x := range []int{-14, 14, -10, 10} {
			at = append(at, fmt.Sprintf("[%d, %v, %d]", x, y, z))
		}
	}
	return at
}
