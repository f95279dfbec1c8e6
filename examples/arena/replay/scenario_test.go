package replay_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena/replay"
	"github.com/backstep-net/backstep/examples/arena/trial"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/record"
)

// played writes a scene and has the lab play it.
func played(t *testing.T, f *record.File, from, to clock.Micros) (*replay.Scene, *lab.Result) {
	t.Helper()
	scene, err := replay.ScenarioOf(f, "scene", from, to)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, b := range scene.Files {
		if err := os.WriteFile(filepath.Join(folder, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%s", scene.Files["scene.yaml"])
	game := trial.New()
	file, err := scenario.Open(filepath.Join(folder, "scene.yaml"), scene.Files["scene.yaml"])
	if err != nil {
		t.Fatal(err)
	}
	s, err := file.Scenario(lab.Words(game))
	if err != nil {
		t.Fatal(err)
	}
	r, err := lab.Play(s, game, lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return scene, r
}

// A recorded fight becomes a scenario, which the lab plays: every command leads where it
// led, but for as many as the scenario says, and by no more.
func TestARecordingBecomesAScenarioThatRepeatsIt(t *testing.T) {
	f, _ := fight(t)
	scene, r := played(t, f, 0, 0)
	t.Logf("%d players, %d commands, %d places, %d astray by up to %.3f m", scene.Players, scene.Commands, scene.Places, scene.Astray, scene.Farthest)
	for name, p := range r.Players {
		t.Logf("%s: recorded %+v, corrections %d, rejected %d made %d, combined %d", name, p.Recorded, p.Corrections, p.Moves.Rejected, p.Moves.Made, p.Moves.Combined)
	}
	for _, e := range r.Expect {
		if !e.Held {
			t.Errorf("%s: got %v", e.Text, e.Got)
		}
	}
}
