package replay_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena/labgame"
	"github.com/backstep-net/backstep/examples/arena/replay"
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
	return scene, play(t, scene)
}

func play(t *testing.T, scene *replay.Scene) *lab.Result {
	t.Helper()
	folder := t.TempDir()
	for name, b := range scene.Files {
		if err := os.WriteFile(filepath.Join(folder, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	game := labgame.New()
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
	return r
}

// A recorded fight becomes a scenario, which the lab plays: every command leads where it
// led, all of it and any part of it.
func TestARecordingBecomesAScenarioThatRepeatsIt(t *testing.T) {
	f, _ := fight(t)
	for _, c := range []struct{ from, to clock.Micros }{{0, 0}, {3210 * clock.Millisecond, 7 * clock.Second}} {
		scene, r := played(t, f, c.from, c.to)
		if scene.Players != 4 || scene.Commands < 600 || scene.Places < 4 || scene.Deviating != 0 {
			t.Errorf("from %d: %+v", c.from, scene.Places)
		}
		for name, p := range r.Players {
			if p.Recorded == nil || p.Recorded.Max != 0 || p.Moves.Combined != 0 || p.Moves.Rejected != 0 || p.Corrections != 0 {
				t.Errorf("from %d: %s: %+v, %+v, %d corrections", c.from, name, p.Recorded, p.Moves, p.Corrections)
			}
		}
		if len(r.Expect) != 4 || !r.Held() || r.Shots.Claimed == 0 {
			t.Errorf("from %d: expected %+v; %d shots", c.from, r.Expect, r.Shots.Claimed)
		}
		t.Logf("from %d: %d commands, %d places, %d shots", c.from, scene.Commands, scene.Places, r.Shots.Claimed)
	}
	if _, err := replay.ScenarioOf(f, "x", 8*clock.Second, 5*clock.Second); err == nil {
		t.Errorf("an end before the beginning: no error")
	}
}

// A command that was changed leads elsewhere, and the scenario's expectation says so.
func TestAScenarioOfARecordingSeesAChange(t *testing.T) {
	f, _ := fight(t)
	scene, err := replay.ScenarioOf(f, "scene", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range scene.Files {
		if !strings.HasSuffix(name, "ada.commands") {
			continue
		}
		c, err := scenario.ReadCommands(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		i := 1
		for i < len(c.Commands)-1 && c.Commands[i].Position.Dist(c.Commands[i-1].Position) < 0.03 {
			i++ // until she runs
		}
		c.Commands = append(c.Commands[:i], c.Commands[i+1:]...)
		scene.Files[name] = c.AppendText(nil)
	}
	if r := play(t, scene); r.Held() || r.Players["ada"].Recorded.Max == 0 {
		t.Errorf("a command is missing: %+v", r.Players["ada"].Recorded)
	}
}
