package lab

import (
	"context"
	"fmt"
	"strings"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/strictyaml"
)

// Gain is the effect of a cheat with time on a walk.
type Gain struct {
	// What is the cheat in words, Player the keys of such a player in a scenario.
	What, Player string
	// Detected reports whether the server detected it, After how many seconds after time zero.
	Detected bool
	After    float64
	// Gained is the largest lead of command time over match time, in seconds.
	Gained float64
	// Walked is the distance on the server, as a multiple of an honest player's.
	Walked float64
	// Corrections counts the corrections that the cheating client applied.
	Corrections int
}

// rates are the factors of clocks and of durations in the table.
var rates = []string{"1.01", "1.05", "1.1", "1.5", "2", "10"}

// timeCheats returns the honest player and all cheats of Gains.
func timeCheats() []Gain {
	list := []Gain{{What: "honest", Player: "cheat: none"}, {What: "clock × 1.0005", Player: "clock: {rate: 1.0005}"}}
	for _, r := range rates {
		list = append(list, Gain{What: "clock × " + r, Player: "clock: {rate: " + r + "}"})
	}
	for _, r := range rates {
		list = append(list, Gain{What: "durations × " + r, Player: "cheat: {kind: speed, rate: " + r + "}"})
	}
	for _, hold := range []string{"250ms", "1s", "5s"} {
		list = append(list, Gain{What: "lag switch, " + hold + " of 8 s", Player: "cheat: {kind: lag, hold: " + hold + ", every: 8s}"})
	}
	for _, b := range [][2]string{{"2", "250ms"}, {"10", "100ms"}} {
		list = append(list, Gain{What: "durations × " + b[0] + ", " + b[1] + " of 1 s", Player: "cheat: {kind: burst, rate: " + b[0] + ", hold: " + b[1] + "}"})
	}
	return list
}

// walkScenario is the scenario of all of them: straight on.
const walkScenario = `duration: %s
geometry: [{box: {min: [-50, -1, -4000], max: [50, 0, 50]}}]
network: {rtt: 60ms, jitter: 5ms}
players:
  - {name: eve, frame: 144, %s, script: [{at: 0s, forward: 1}]}
`

// Gains plays a walk of some length, 1 ms … 600 s, with each cheat with time and returns their
// effects, the honest player first. Where the context ends, the error is ErrStopped.
func Gains(ctx context.Context, game Game, long clock.Micros) ([]Gain, error) {
	list := timeCheats()
	ways := make([]float64, len(list))
	err := Parallel(ctx, len(list), 0, func(i int) (err error) {
		ways[i], err = list[i].play(ctx, game, long)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Walked = round(ways[i] / ways[0])
	}
	return list, nil
}

// play plays one walk and returns its distance.
func (g *Gain) play(ctx context.Context, game Game, long clock.Micros) (float64, error) {
	s, err := parseScenario(g.What, fmt.Sprintf(walkScenario, strictyaml.FormatTime(long), g.Player), game)
	if err != nil {
		return 0, err
	}
	r, err := Play(s, game, Options{Progress: func(_, _ clock.Micros) bool { return ctx.Err() == nil }})
	if err != nil {
		return 0, err
	}
	p := r.Players["eve"]
	g.Detected, g.After, g.Gained = p.TimeDiscrepancy.Detected, p.TimeDiscrepancy.After, p.TimeDiscrepancy.Gained
	g.Corrections = p.Corrections
	return -p.End.Z, nil
}

// GainsTable returns the list as a table for documents.
func GainsTable(list []Gain) string {
	t := table{{"cheat", "noticed after, s", "gained, ms", "way walked, honest = 1", "corrections"}}
	for _, g := range list {
		after := "–"
		if g.Detected {
			after = fmt.Sprintf("%.2f", g.After)
		}
		t = append(t, []string{g.What, after, fmt.Sprintf("%.0f", 1000*g.Gained),
			strings.TrimSuffix(fmt.Sprintf("%.4f", g.Walked), ".0000"), fmt.Sprint(g.Corrections)})
	}
	return t.String()
}
