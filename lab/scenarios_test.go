package lab_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/examples/arena/labgame"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
)

// written writes a file into a folder.
func written(t *testing.T, folder, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), b, 0o644); err != nil {
		t.Fatal(err)
	}
}

// inFolder reads a scenario as if it were a file of a folder.
func inFolder(t testing.TB, folder, text string) *scenario.Scenario {
	t.Helper()
	f, err := scenario.Open(filepath.Join(folder, "test.yaml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Scenario(lab.Words(labgame.New()))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// packedCommand returns a command of the arena as recordings have it.
func packedCommand(forward, yaw float64) []byte {
	var p bits.Packer
	var c, none arena.Command
	c.Move.Forward, c.Move.Yaw = forward, yaw
	c.Move.Quantise()
	p.Write(make([]byte, 256))
	arena.NewGame().PackCommand(&p, &c, &none)
	return slices.Clone(p.Bytes())
}

// commandsOf returns a second of recorded commands of 20 ms each, forwards at full speed, whose
// recorded positions are off by so much.
func commandsOf(off float64) *scenario.Commands {
	c := &scenario.Commands{Zero: 2 * clock.Second}
	for i := range 50 {
		end := clock.Micros(i+1) * 20 * clock.Millisecond
		c.Commands = append(c.Commands, scenario.Command{End: end, Lasts: 20 * clock.Millisecond, Position: geom.V(off, 0, 0), Packed: packedCommand(1, 0)})
	}
	return c
}

// A player with recorded commands makes each of them at its time, and its result has the distance
// from the recorded positions; further players follow their scripts.
func TestRecordedCommandsArePlayed(t *testing.T) {
	folder := t.TempDir()
	written(t, folder, "ann.commands", commandsOf(0).AppendText(nil))
	text := plain("1200ms", "", "{name: ann, commands: ann.commands}", "{name: bob, at: [5, 0, 0], script: [{at: 0s, right: 1}]}")
	r, err := lab.Play(inFolder(t, folder, text), labgame.New(), lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ann, bob := r.Players["ann"], r.Players["bob"]
	if ann.Recorded == nil || ann.Moves.Made < 50 || ann.Corrections != 0 {
		t.Fatalf("recorded %+v, %d moves, %d corrections; want 50 and none", ann.Recorded, ann.Moves.Made, ann.Corrections)
	}
	if ann.End.Z > -4 || ann.End.Z < -6 {
		t.Errorf("ann ends at z %v; a second of walking is about 5.5 m", ann.End.Z)
	}
	if got, want := ann.Recorded.Max, -ann.Lowest-ann.End.Z; math.Abs(got-want) > 0.6 { // the recording stayed at the origin
		t.Errorf("up to %v m from the recording, want about %v", got, want)
	}
	if bob.Recorded != nil || bob.End.X < 9 {
		t.Errorf("bob: %+v, ends at x %v", bob.Recorded, bob.End.X)
	}
}

// Files of commands that are missing, damaged or have a state of another game are errors in the line
// of the player.
func TestCommandsThatCannotBePlayed(t *testing.T) {
	folder := t.TempDir()
	bad := commandsOf(0)
	bad.Places = []scenario.PlaceAt{{At: 0, Packed: []byte{1}}}
	written(t, folder, "state.commands", bad.AppendText(nil))
	written(t, folder, "other.commands", []byte("a diary"))
	written(t, folder, "torn.commands", append(commandsOf(0).AppendText(nil), "c 12"...))
	for file, want := range map[string]string{
		"none.commands":  "test.yaml:7: the commands of ann cannot be read: ",
		"other.commands": "test.yaml:7: the commands of ann: scenario: not a file of commands",
		"torn.commands":  "test.yaml:7: the commands of ann: scenario: commands, line 53: ",
		"state.commands": "test.yaml:7: a state in the commands of ann: bits: ",
	} {
		_, err := lab.Play(inFolder(t, folder, plain("1s", "", "{name: ann, commands: "+file+"}")), labgame.New(), lab.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v\nwant %s", file, err, want)
		}
	}
}

// More than a match takes is an error before anything is played.
func TestMoreThanAMatchTakes(t *testing.T) {
	var motions []string
	for i := range 256 {
		motions = append(motions, fmt.Sprintf("{at: %dms, root_motion: {kind: constant_force, velocity: [%d, 0, 0], for: 1ms, by: owner}}", i, i))
	}
	for want, text := range map[string]string{
		"test.yaml: a match has at most 255 motions that players start themselves": plain("1s", "", "{name: ann, script: ["+strings.Join(motions, ", ")+"]}"),
		"test.yaml:3: the level cannot be read: level: ":                           "duration: 1s\nplayers: [{name: ann}]\nlevel: broken.glb\n",
		"test.yaml:3: the level cannot be read: collide: ":                         "duration: 1s\nplayers: [{name: ann}]\nlevel: broken.world\n",
		"test.yaml:2: scenario: the result has no figure ann.bodies.error.p50":     "level: yard\nexpect: [ann.bodies.error.p50 < 1]\nduration: 100ms\nplayers: [{name: ann, at: [0, 0, 5]}]\n",
	} {
		folder := t.TempDir()
		written(t, folder, "broken.glb", []byte("glTF?"))
		written(t, folder, "broken.world", []byte("a world?"))
		_, err := lab.Play(inFolder(t, folder, text), labgame.New(), lab.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}

// A packed world beside the scenario is its level, the same as the one that it was packed from.
func TestAPackedWorldIsALevel(t *testing.T) {
	yard, err := lab.Yard()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	written(t, folder, "yard.world", yard.AppendBinary(nil))
	rest := "\nduration: 2s\nplayers: [{name: ann, at: [-4, 0, 4], script: [{at: 0s, forward: 1}]}]\n"
	var ends []lab.End
	for _, level := range []string{"yard", "yard.world"} {
		r, err := lab.Play(inFolder(t, folder, "level: "+level+rest), labgame.New(), lab.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, r.Players["ann"].End)
	}
	if ends[0] != ends[1] || ends[0].Z > 0 {
		t.Errorf("in the yard and in its packed copy ann ends at %v", ends)
	}
}

// The honest walk of the table of gains gains nothing; clocks and durations that run far too fast are
// noticed, the faster the sooner, and gain at most a quarter of a second. [TIM-12]
func TestGainsOfTimeCheats(t *testing.T) {
	if testing.Short() {
		t.Skip("twenty walks")
	}
	list, err := lab.Gains(context.Background(), labgame.New(), 3*clock.Second)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]lab.Gain{}
	for _, g := range list {
		of[g.What] = g
		if g.Gained > 0.2501 || g.Walked > 1.1 {
			t.Errorf("%s: %.3f s gained, %.3f of the way", g.What, g.Gained, g.Walked)
		}
	}
	if honest := of["honest"]; honest.Walked != 1 || honest.Detected || honest.Corrections != 0 || list[0] != honest {
		t.Errorf("honest: %+v", honest)
	}
	if g := of["clock × 1.0005"]; g.Detected || g.Corrections != 0 {
		t.Errorf("a clock within what clocks are off by: %+v", g)
	}
	slow, fast := of["durations × 2"], of["durations × 10"]
	if !slow.Detected || !fast.Detected || fast.After > slow.After || fast.Corrections == 0 {
		t.Errorf("twice as long: %+v; ten times: %+v", slow, fast)
	}
	if len(of) != len(list) {
		t.Errorf("%d different cheats of %d", len(of), len(list))
	}
}

// Where the context has ended, nothing is played.
func TestNothingIsPlayedAfterTheEnd(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	game := labgame.New()
	if _, err := lab.Gains(ctx, game, clock.Second); !errors.Is(err, lab.ErrStopped) {
		t.Errorf("gains: got %v, want ErrStopped", err)
	}
	if _, err := lab.FairnessCurves(ctx, game, lab.FairnessOptions{Duration: clock.Second, Seeds: 1}); !errors.Is(err, lab.ErrStopped) {
		t.Errorf("fairness: got %v, want ErrStopped", err)
	}
	d, err := lab.Seeds(ctx, parse(t, plain("1s", "expect: [mean ann.up > 0, ann.up > 0]", "{name: ann}")), game, 3, lab.SeedOptions{})
	if !errors.Is(err, lab.ErrStopped) || len(d.Seeds) != 0 {
		t.Errorf("seeds: got %v with %+v, want ErrStopped and no seeds", err, d)
	}
}

// One comparison alone, at some of the pings: a point for each setting and ping.
func TestSomePointsOfFairness(t *testing.T) {
	var calls []int
	list, err := lab.FairnessCurves(t.Context(), labgame.New(), lab.FairnessOptions{
		Duration: clock.Second, Seeds: 1, Parallel: 1, Only: "beyond", At: []int{20, 300},
		Progress: func(done, all int) { calls = append(calls, done, all) },
	})
	if err != nil || len(list) != 1 || list[0].Name != "beyond" {
		t.Fatalf("%v, %d comparisons; want beyond alone", err, len(list))
	}
	for _, c := range list[0].Curves {
		if len(c.Points) != 2 || c.Points[0].At != 20 || c.Points[1].At != 300 || c.Points[0].Kept != 1 {
			t.Errorf("%s: %+v; want points at 20 and 300 ms, the first without lost hits", c.Name, c.Points)
		}
	}
	if want := []int{1, 4, 2, 4, 3, 4, 4, 4}; !slices.Equal(calls, want) {
		t.Errorf("progress: %v, want %v", calls, want)
	}
	if names := lab.FairnessNames(); len(names) != 5 || !slices.Contains(names, "beyond") {
		t.Errorf("names: %q", names)
	}
}

// A mean over the seeds may hold where single seeds fail, and the other way round.
func TestMeansOfExpectations(t *testing.T) {
	text := plain("500ms", "network: {rtt: 60ms, jitter: 30ms, loss: 0.1}\nexpect: [ann.packets > 0, mean ann.packets > 1000, mean ann.view.frames == 30]", "{name: ann}")
	d, err := lab.Seeds(t.Context(), parse(t, text), labgame.New(), 3, lab.SeedOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if x := d.Expect; !x[0].Held || x[0].Mean || x[1].Held || !x[1].Mean || x[1].Failed != nil || !x[2].Held || x[2].Got != 30 {
		t.Errorf("got %+v", d.Expect)
	}
	if d.Held() {
		t.Error("a mean that failed counts as held")
	}
}

// Settings of the server reach the match: without visibility a player behind a wall is sent, with it
// not, and so without and with a radius; with a small budget snapshots are smaller; blocked players do not walk through
// one another.
func TestServerSettingsAct(t *testing.T) {
	scene := func(server string) *lab.Result {
		return play(t, strings.Replace(plain("3s", "server: {"+server+"}\nnetwork: {rtt: 40ms}", "{name: ann}",
			"{name: bob, at: [0, 0, -10], script: [{at: 0s, right: 0.3}]}", "{name: cat, at: [0, 0, 4], script: [{at: 0s, forward: 1}]}"),
			"geometry:\n", "geometry:\n  - box: {min: [-30, 0, -6], max: [30, 5, -5.5]}\n", 1))
	}
	open, hidden, solid, near := scene("tick: 60"), scene("visibility: true"), scene("block: true"), scene("radius: 7")
	if a, b := near.Series.Players["ann"].Remotes["bob"], near.Series.Players["ann"].Remotes["cat"]; len(a) != 0 || len(b) < 150 {
		t.Errorf("with a radius of 7 m ann sees bob, 10 m away, in %d frames, and cat, 4 m away, in %d; want none and all", len(a), len(b))
	}
	var crowd []string
	for i := range 12 {
		crowd = append(crowd, fmt.Sprintf("{name: p%d, at: [%d, 0, 0], script: [{at: 0s, forward: 1, turn: 60}]}", i, 2*i))
	}
	all, few := play(t, plain("3s", "", crowd...)).Players["p0"], play(t, plain("3s", "server: {budget: 50}", crowd...)).Players["p0"]
	if few.Down > 0.85*all.Down || few.Down == 0 {
		t.Errorf("snapshots of 12 players with a budget of 50 bytes: %.0f B/s, without %.0f; want at least 15 %% less", few.Down, all.Down)
	}
	if a, b := open.Series.Players["ann"].Remotes["bob"], hidden.Series.Players["ann"].Remotes["bob"]; len(a) < 150 || len(b) != 0 {
		t.Errorf("ann sees bob behind the wall in %d frames, with visibility in %d; want all and none", len(a), len(b))
	}
	if open.Players["cat"].End.Z > -4 || solid.Players["cat"].End.Z < 0.3 {
		t.Errorf("cat walks to z %v past ann, blocked to %v; want the wall, and ann", open.Players["cat"].End.Z, solid.Players["cat"].End.Z)
	}
}
