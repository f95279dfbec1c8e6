package lab_test

import (
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/examples/arena/labgame"
	"github.com/backstep-net/backstep/lab"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// goldens are scenarios that between them use everything: a script on stairs and
// ramps, shots and a push through loss; bots that kill one another; cheats, faults
// and wrong clocks at other rates; all that moves, pulls and carries.
var goldens = []struct{ name, text string }{
	{"script", `duration: 5s
geometry:
  - box: {min: [-50, -1, -50], max: [50, 0, 50]}
  - stairs: {at: [0, 0, -6], width: 3, rise: 0.3, run: 0.3, steps: 8, yaw: 30}
  - ramp: {at: [4, 0, -4], size: [3, 2, 4], yaw: 90}
network: {rtt: 80ms, jitter: 20ms, loss: 0.05, burst: {enter: 0.01, leave: 0.3}, duplicate: 0.02, reorder: 0.05}
players:
  - name: ann
    frame: [144, 30]
    script:
      - {at: 0s, forward: 1}
      - {at: 1s, right: 0.5, forward: 0.7, yaw: 45}
      - {at: 2s, jump: true}
      - {at: 2.1s, jump: false, crouch: true}
      - {at: 2.5s, fire: {at: bob, part: head}}
      - {at: 3s, push: [0, 3, 8]}
      - {at: 3.7s, fire: {at: bob}}
  - {name: bob, at: [5, 2, -8], script: [{at: 0s, right: 1}, {at: 2s, right: -1}]}
`},
	{"fight", `duration: 6s
seed: 3
server: {damage: true}
level: yard
network: mobile
players:
  - {name: ann, at: [0, 0, 4], bot: hunter}
  - {name: bob, at: [10, 0, 10], yaw: 90, bot: hunter, frame: 144}
  - {name: cat, at: [-10, 0, -10], bot: wander, network: lan}
`},
	{"trouble", `duration: 5s
server: {tick: 128, snapshots: 32}
geometry:
  - box: {min: [-50, -1, -50], max: [50, 0, 50]}
network: {rtt: 120ms, jitter: 10ms, rate: 200000}
players:
  - {name: ann, cheat: speed, script: [{at: 0s, forward: 1}], clock: {offset: 60s}}
  - {name: bob, at: [3, 0, 0], cheat: teleport, script: [{at: 0s, forward: 1, yaw: 20}], clock: {rate: 1.0007}}
  - {name: cat, at: [6, 5, 0], cheat: nocooldown, clock: {rate: 1.07}, script: [{at: 1s, fire: {at: bob}}]}
faults:
  - {at: 1s, for: 500ms, kind: freeze, player: bob}
  - {at: 2s, for: 700ms, kind: partition, player: ann}
`},
	{"moving", `duration: 6s
server: {block: true}
geometry:
  - box: {min: [-50, -1, -50], max: [50, 0, 50]}
  - hull: [[6, 0, -6], [9, 0, -6], [6, 0, -3], [7, 2, -5]]
  - mover: {name: lift, box: {min: [-2, -0.2, -2], max: [2, 0.1, 2]}, path: {loop: true, points: [[0s, [0, 0, 0], 0], [2s, [0, 3, 0], 90], [4s, [0, 0, 0], 360]]}}
  - mover: {name: train, shapes: [{box: {min: [-1, 0.2, -3], max: [1, 0.6, 3]}}, {ramp: {at: [0, 0.6, 3], size: [2, 0.5, 2]}}], path: {loop: true, smooth: true, points: [[0s, [10, 0, 0]], [2s, [12, 1, -9], -40], [5s, [10, 0, 0], -360]]}}
  - water: {min: [-20, 0, -20], max: [-8, 2.2, 20], friction: 0.5}
  - pad: {min: [-6, 0, 3], max: [-5, 0.5, 4], launch: [-3, 7, 0]}
  - planet: {centre: [0, 0, 40], radius: 12}
network: {rtt: 120ms, jitter: 15ms, loss: 0.05}
paths: [{name: rail, smooth: true, points: [[0s, [-3, 0, 3]], [1s, [-5.5, 0.3, 3.5], 90]]}]
players:
  - {name: ann, at: [0.5, 0.1, 0.5], frame: [144, 30], script: [{at: 1.5s, jump: true}, {at: 1.7s, jump: false, right: 0.3}, {at: 3s, push: [2, 5, 1]}]}
  - {name: bob, at: [10, 0.6, -1], script: [{at: 1s, forward: 0.4}, {at: 2s, root_motion: {kind: jump_to, displacement: [-6, 0, 0], height: 1.5, for: 1s, by: owner}}]}
  - {name: cat, at: [-3, 0, 3], frame: 144, script: [{at: 1s, mode: path}, {at: 2s, mode: falling}, {at: 3s, forward: 1, pitch: -20, yaw: 90}]}
  - {name: dan, at: [0, 0, 35], yaw: 180, script: [{at: 0s, forward: 1}, {at: 2s, mode: flying}, {at: 3s, up: 0.5}, {at: 4s, fire: {at: ann}}]}
  - {name: eve, at: [0, 0, 33], yaw: 180, frame: 30, script: [{at: 0s, forward: 1}, {at: 3s, root_motion: {kind: radial_force, centre: [0, 1, 40], radius: 9, strength: -5, for: 700ms}}]}
`},
}

// Four short matches give the same result, byte for byte, on every processor:
// `make test` runs this on amd64 v1 and v3, arm64 and WebAssembly. And they give it
// twice.
func TestGoldenResults(t *testing.T) {
	if testing.Short() {
		t.Skip("long matches in one goroutine")
	}
	var got strings.Builder
	for _, g := range goldens {
		var last string
		for range 2 {
			r, err := lab.Play(parse(t, "name: "+g.name+"\n"+g.text), labgame.New(), lab.Options{Series: true})
			if err != nil {
				t.Fatal(err)
			}
			whole := text(t, r)
			h := fnv.New64a()
			h.Write([]byte(whole))
			line := fmt.Sprintf("%s: match %s, result %016x", g.name, r.Hash, h.Sum64())
			for _, name := range r.Order {
				f := r.Players[name]
				end := f.Trajectory[len(f.Trajectory)-1]
				line += fmt.Sprintf("; %s %d corrections, ends at %v", name, f.Corrections, end.P)
			}
			if last != "" && last != line {
				t.Errorf("twice:\n%s\n%s", last, line)
			}
			last = line
		}
		got.WriteString(last + "\n")
	}
	const file = "testdata/results.golden"
	if *update {
		os.MkdirAll("testdata", 0o755)
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got.String() != string(want) {
		t.Errorf("got\n%swant\n%s%v", got.String(), want, err)
	}
}
