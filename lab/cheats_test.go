package lab_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
)

func cheat(name string) string { return "name: eve\n    cheat: " + name + "\n    script:" }

// Each cheat of the format is explained.
func TestEveryCheatIsExplained(t *testing.T) {
	var names []string
	for _, c := range lab.Cheats() {
		names = append(names, c.Name)
		if !strings.HasSuffix(c.Does, ".") {
			t.Errorf("%s: %q is no sentence", c.Name, c.Does)
		}
	}
	if want := scenario.Cheats()[1:]; !slices.Equal(names, want) {
		t.Errorf("explained: %q, want %q", names, want)
	}
}

// Threats 18: durations that are doubled are noticed, and gain next to nothing.
func TestSpeedCheat(t *testing.T) {
	f := play(t, plain("10s", "network: {rtt: 60ms}", cheat("speed")+"\n      - {at: 0s, forward: 1}")).Players["eve"]
	walked := -at(f, 10).P[2]
	t.Logf("%+v, %.1f m in 10 s, %d rejected, %d corrections", f.TimeDiscrepancy, walked, f.Moves.Rejected, f.Corrections)
	if d := f.TimeDiscrepancy; !d.Detected || d.After > 1 || d.Gain > 0.04 || walked > 62 {
		t.Errorf("%+v, %.1f m in 10 s", d, walked)
	}
}

// A leap of 10 m is corrected away: the server never has it anywhere else.
func TestTeleportCheat(t *testing.T) {
	f := play(t, plain("5s", "network: {rtt: 60ms}", cheat("teleport")+"\n      - {at: 0s, forward: 1}")).Players["eve"]
	for i := 1; i < len(f.Trajectory); i++ {
		if d := math.Abs(f.Trajectory[i].P[2] - f.Trajectory[i-1].P[2]); d > 0.3 {
			t.Fatalf("the server moved it by %v m at %v s", d, f.Trajectory[i].T)
		}
	}
	if f.Corrections < 3 || math.Abs(f.CorrectionMax-10) > 0.5 {
		t.Errorf("%d corrections of up to %v m, want one a second of 10", f.Corrections, f.CorrectionMax)
	}
}

// Threats 20: a view older than the line explains is refused.
func TestBackdateCheat(t *testing.T) {
	shots := "\n      - {at: 1s, fire: {at: bob}}\n      - {at: 2s, fire: {at: bob}}"
	runner := "{name: bob, at: [0, 0, -10], script: [{at: 0s, right: 1}]}"
	r := play(t, plain("3s", "network: {rtt: 60ms}", cheat("backdate")+shots, runner))
	if s := r.Shots; s.Claimed != 2 || s.Refused != 2 || s.Confirmed != 0 || s.Receipts[0].Reason == "" {
		t.Errorf("%+v", s)
	}
}

// Threats 19: firing in every frame gives no more shots than the weapon has.
func TestNoCooldownCheat(t *testing.T) {
	r := play(t, plain("2s", "network: {rtt: 60ms}", cheat("nocooldown")+"\n      - {at: 0s, fire: {at: bob}}", "{name: bob, at: [0, 0, -10]}"))
	s := r.Shots
	s.Receipts = nil
	if s.Fired < 115 || s.Claimed < 110 || s.Confirmed > 22 || s.Confirmed < 15 || s.Refused < 80 || s.Agreement > 0.3 {
		t.Errorf("%+v", s)
	}
}

// GAP-47: what a client claims to have hit does not matter: here a wall stands
// between.
func TestAimThroughCheat(t *testing.T) {
	r := play(t, strings.Replace(plain("2s", "network: {rtt: 60ms}",
		cheat("aimthrough")+"\n      - {at: 1s, fire: {at: bob}}", "{name: bob, at: [0, 0, -10]}"),
		"geometry:\n", "geometry:\n  - box: {min: [-5, 0, -6], max: [5, 4, -5]}\n", 1))
	if s := r.Shots; s.Claimed != 1 || s.Confirmed != 0 || s.FalseHits != 0 || len(s.Receipts) != 1 || s.Receipts[0].Verdict != "miss" {
		t.Errorf("%+v", s)
	}
}
