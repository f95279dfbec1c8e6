package scenario_test

import (
	"fmt"

	"github.com/backstep-net/backstep/lab/scenario"
)

func ExampleOpen() {
	f, err := scenario.Open("dash.yaml", []byte(`
duration: 5s
geometry:
  - box: {min: [-50, -1, -50], max: [50, 0, 50]}
network: mobile
players:
  - name: ann
    network: {rtt: 150ms}
    script:
      - {at: 0s, forward: 1}
      - {at: 1s, jump: true}
expect:
  - ann.corrections <= 0
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := f.Scenario(scenario.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ann := &s.Players[0]
	fmt.Println(s.Name, s.Duration.Seconds(), ann.Network.RTT, ann.Network.Loss)
	script := scenario.NewCursor(ann)
	for k := range int64(3) {
		t := scenario.FrameTime(k, []float64{2}, 0)
		in := script.Frame(t)
		fmt.Println(t.Seconds(), in.Forward, in.Jump)
	}
	// Output:
	// dash 5 150ms 0.02
	// 0 1 false
	// 0.5 1 false
	// 1 1 true
}

func ExampleFile_Scenario() {
	f, err := scenario.Open("dash.yaml", []byte(`duration: 5
level: yard
network: {rtt: 80mm, los: 0.01}
players:
  - {name: ann, bot: huntr}
`))
	if err == nil {
		_, err = f.Scenario(scenario.Options{})
	}
	fmt.Println(err)
	// Output:
	// dash.yaml:1: duration is 5, a time without a unit; did you mean "5s"?
	// dash.yaml:3: unknown key "los" in network; did you mean "loss"?
	// dash.yaml:3: rtt is 80mm, and "mm" is no unit of time; did you mean "ms"?
	// dash.yaml:5: unknown bot "huntr"; did you mean "hunter"?
}

func ExampleFile_Set() {
	f, err := scenario.Open("x.yaml", []byte("{duration: 1s, level: yard, players: [{name: ann}]}"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Set("players.ann.frame", "[144, 30]"), f.Set("network.loss", "2"))
	_, err = f.Scenario(scenario.Options{})
	fmt.Println(err)
	// Output:
	// <nil> <nil>
	// --set network.loss=2: loss is 2, not within 0 … 1
}
