package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/lab"
)

// fight is a scenario with two weapons, of which some shots miss.
const fight = `name: a fight
duration: 4s
geometry: [{box: {min: [-50, -1, -50], max: [50, 0, 50]}}]
network: {rtt: 60ms}
players:
  - name: ann
    script:
      - {at: 500ms, fire: {at: bob}}
      - {at: 1s, fire: {yaw: 170}}
      - {at: 2s, fire: {weapon: rocket, at: bob, part: foot_l, lead: true}}
  - {name: bob, at: [0, 0, -10], script: [{at: 0s, right: 0.3}]}
expect: [shots.claimed > 100]
`

// A table has one row for each scenario, also where there is one; with modes a row for each, about
// drawn players; with two weapons a second table; and below them what failed.
func TestLabTables(t *testing.T) {
	one, two := file(t, "walk.yaml", walk), file(t, "fight.yaml", fight)
	for _, c := range []struct {
		args string
		code int
		rows []string
		no   string
	}{
		{"lab run --markdown " + one, exitFine, []string{"| scenario | seeds | corrections a minute |", "| a walk | 1 | 0.00 |"}, "|---|---:|\n|---"},
		{"lab run --markdown --seeds 2 " + one, exitFine, []string{"| a walk | 2 | 0.00 |"}, "speed error"},
		{"lab run --markdown --remote linear,none --set duration=500ms " + one, exitFine,
			[]string{"| scenario | seeds | remote error mean (m) |", "speed error p99", "| a walk, linear | 1 |", "| a walk, none | 1 |"}, "corrections a minute"},
		{"lab run --markdown " + one + " " + two, exitFailure,
			[]string{"| a walk | 1 |", "| a fight | 1 |", "rifle: agreed of claims a seed (hits)", "✗ a fight: `shots.claimed > 100` failed with 1 of 1 seeds: got "}, "kept"},
		{"lab run " + two, exitFailure, []string{"a fight  (" + two + ")", "rifle: 2 claimed, 1 hit", "✗ shots.claimed > 100"}, "| "},
		{"lab cheats --markdown --for 200ms", exitFine, []string{"| cheat | noticed after, s |", "| honest | – | 0 | 1 | 0 |"}, "nocooldown"},
		{"lab fairness --only rewind --at 0 --for 1s --seeds 1 --jobs 1", exitFine, []string{"| hits a minute | 0 ms |", "| max_rewind 0 ms |", "| max_rewind 400 ms |"}, "**"},
	} {
		code, out, errs := say(t.Context(), strings.Fields(c.args)...)
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d\n%s", c.args, code, c.code, errs)
		}
		for _, row := range c.rows {
			if !strings.Contains(out, row) {
				t.Errorf("%s: no %q in\n%s", c.args, row, out)
			}
		}
		if strings.Contains(out, c.no) {
			t.Errorf("%s: %q is in\n%s", c.args, c.no, out)
		}
	}
}

// The curves of fairness are written as an image, and not where the run is interrupted.
func TestFairnessImage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.svg")
	args := []string{"lab", "fairness", "--only", "beyond", "--at", "0,300", "--for", "1s", "--seeds", "1", "--svg", path}
	if code, _, errs := say(t.Context(), args...); code != exitFine || !strings.Contains(errs, "backstep: 4/4 points") {
		t.Errorf("exit code %d, errors\n%s", code, errs)
	}
	if b, err := os.ReadFile(path); err != nil || strings.Count(string(b), "<polyline") != 4 {
		t.Errorf("%v; want two curves in two panels:\n%.300s", err, b)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	long := append(args, "--for", "10m")
	code, out, errs := interruptedAtOnce(t, long...)
	if code != exitInterrupted || out != "" || errs != "backstep: interrupted\n" || len(inFolder(t, filepath.Dir(path))) != 0 {
		t.Errorf("exit code %d, output %q, errors %q, %v left behind", code, out, errs, inFolder(t, filepath.Dir(path)))
	}
	if code, _, errs := interruptedAtOnce(t, "lab", "cheats"); code != exitInterrupted || errs != "backstep: interrupted\n" {
		t.Errorf("cheats: exit code %d, errors %q", code, errs)
	}
}

// The figures of both files of a compared pair are those of their own runs.
func TestComparedFigures(t *testing.T) {
	one := file(t, "walk.yaml", walk)
	code, out, errs := say(t.Context(), "lab", "compare", one, "--set", "network.rtt=200ms")
	if code != exitFine || errs == "" {
		t.Errorf("exit code %d, errors\n%s", code, errs)
	}
	for _, want := range []string{"unchanged: seed 1, hash ", "network.rtt=200ms: seed 1, hash ", "≠ ann.view_delay.mean", " figures differ, "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "≠ ticks") || strings.Contains(out, "≠ ann.view.frames") {
		t.Errorf("ticks or frames differ:\n%s", out)
	}
	code, out, _ = interruptedAtOnce(t, "lab", "compare", one, "--set", "duration=10min")
	if code != exitInterrupted || out != "" {
		t.Errorf("interrupted: exit code %d, output %q", code, out)
	}
}

// What a scenario names in the wrong way is said with the words that the game has.
func TestWordsOfTheGame(t *testing.T) {
	for set, want := range map[string]string{
		"level=aren":                                            `unknown level "aren"; did you mean "arena"?`,
		"params={max_walk_sped: 3}":                             `unknown key "max_walk_sped" in params; did you mean "max_walk_speed"?`,
		"params={walk_off_ledges: 3}":                           "walk_off_ledges is 3, not true or false",
		"players.ann.script.0.press=dahs":                       `unknown press "dahs"; did you mean "dash"?`,
		"players.ann.script.0.fire={at: bob, weapon: rockett}":  `unknown weapon "rockett"; did you mean "rocket"?`,
		"players.ann.script.0.fire={at: bbo}":                   `unknown player "bbo"; did you mean "bob"?`,
		"players.ann.cheat=sped":                                `unknown cheat "sped"; did you mean "speed"?`,
		"players.ann.bot=hunt":                                  `unknown bot "hunt"; did you mean "hunter"?`,
		"players.ann.remote=linaer":                             `unknown remote "linaer"; did you mean "linear"?`,
		"network=mobil":                                         `unknown network profile "mobil"; did you mean "mobile"?`,
		"expect=[shots.weapons.rifel.claimed > 0]":              `unknown figure "shots.weapons.rifel.claimed"; did you mean "shots.weapons.rifle.claimed"?`,
		"faults=[{at: 0s, for: 1s, kind: frezze, player: ann}]": `unknown kind "frezze"; did you mean "freeze"?`,
	} {
		path := file(t, "walk.yaml", walk)
		code, out, errs := say(t.Context(), "lab", "run", path, "--set", set)
		if code != exitUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, errors\n%s\nwant %s", set, code, errs, want)
		}
	}
	if names := lab.FairnessNames(); len(names) == 0 {
		t.Error("there is no comparison of fairness")
	}
}
