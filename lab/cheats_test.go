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

// THR-18: doubled durations are detected, and gain almost nothing.
func TestSpeedCheat(t *testing.T) {
	f := play(t, plain("10s", "network: {rtt: 60ms}", cheat("speed")+"\n      - {at: 0s, forward: 1}")).Players["eve"]
	walked := -at(f, 10).P[2]
	t.Logf("%+v, %.1f m in 10 s, %d rejected, %d corrections", f.TimeDiscrepancy, walked, f.Moves.Rejected, f.Corrections)
	if d := f.TimeDiscrepancy; !d.Detected || d.After > 1 || d.Gain > 0.04 || walked > 62 {
		t.Errorf("%+v, %.1f m in 10 s", d, walked)
	}
}

// A leap of 10 m is corrected: on the server it never happens.
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

// THR-20: a view older than the link explains is refused.
func TestBackdateCheat(t *testing.T) {
	shots := "\n      - {at: 1s, fire: {at: bob}}\n      - {at: 2s, fire: {at: bob}}"
	runner := "{name: bob, at: [0, 0, -10], script: [{at: 0s, right: 1}]}"
	r := play(t, plain("3s", "network: {rtt: 60ms}", cheat("backdate")+shots, runner))
	if s := r.Shots; s.Claimed != 2 || s.Refused != 2 || s.Confirmed != 0 || s.Receipts[0].Reason == "" {
		t.Errorf("%+v", s)
	}
}

// THR-19: firing in every frame gives no more shots than the weapon has.
func TestNoCooldownCheat(t *testing.T) {
	r := play(t, plain("2s", "network: {rtt: 60ms}", cheat("nocooldown")+"\n      - {at: 0s, fire: {at: bob}}", "{name: bob, at: [0, 0, -10]}"))
	s := r.Shots
	s.Receipts = nil
	if s.Fired < 115 || s.Claimed < 110 || s.Confirmed > 22 || s.Confirmed < 15 || s.Refused < 80 || s.Agreement > 0.3 {
		t.Errorf("%+v", s)
	}
}

// GAP-47: the hit that a client claims does not matter: here a wall is in between.
func TestAimThroughCheat(t *testing.T) {
	r := play(t, strings.Replace(plain("2s", "network: {rtt: 60ms}",
		cheat("aimthrough")+"\n      - {at: 1s, fire: {at: bob}}", "{name: bob, at: [0, 0, -10]}"),
		"geometry:\n", "geometry:\n  - box: {min: [-5, 0, -6], max: [5, 4, -5]}\n", 1))
	if s := r.Shots; s.Claimed != 1 || s.Confirmed != 0 || s.FalseHits != 0 || len(s.Receipts) != 1 || s.Receipts[0].Verdict != "miss" {
		t.Errorf("%+v", s)
	}
}

// THR-20, GAP-47: impossible claims are refused, or cast along their aim: beside the target. [HIT-14]
func TestForgeCheat(t *testing.T) {
	r := play(t, plain("6s", "network: {rtt: 60ms}",
		cheat("forge")+"\n      - {at: 500ms, every: 200ms, times: 25, fire: {at: bob}}", "{name: bob, at: [0, 0, -10], script: [{at: 0s, right: 0.2}]}"))
	reasons := map[string]int{}
	for _, x := range r.Shots.Receipts {
		reasons[x.Verdict+" "+x.Reason]++
	}
	t.Logf("%v", reasons)
	if s := r.Shots; s.Claimed < 20 || s.Confirmed != 0 || s.FalseHits != 0 || len(reasons) < 4 || reasons["refused unknown weapon"] != 5 {
		t.Errorf("%d claimed, %d confirmed, %d false hits; %v", s.Claimed, s.Confirmed, s.FalseHits, reasons)
	}
}

// HIT-14, GAP-48: a shot that is claimed three times is one shot.
func TestDuplicateCheat(t *testing.T) {
	text := plain("3s", "network: {rtt: 60ms, duplicate: 0.2}", cheat("duplicate")+"\n      - {at: 500ms, every: 500ms, times: 5, fire: {at: bob}}", "{name: bob, at: [0, 0, -10]}")
	r := play(t, text)
	if s := r.Shots; s.Confirmed != 5 || s.Claimed < 10 || s.Refused != s.Claimed-5-s.Undecided-s.Unfired {
		t.Errorf("%d claimed, %d confirmed, %d refused; want 5 confirmed and the rest refused", s.Claimed, s.Confirmed, s.Refused)
	}
}

// hidden returns how long a runner had been behind cover when it was hit, over 20 s of shots, with a
// network and settings of the server.
func hidden(t *testing.T, server, network, ann string) lab.Shots {
	t.Helper()
	return play(t, strings.Replace(plain("20s", "server: {"+server+"}\nnetwork: {"+network+"}",
		ann+"\n      - {at: 500ms, every: 150ms, times: 128, fire: {at: bob}}",
		"{name: bob, at: [-4, 0, -10], script: [{at: 0s, right: 1}, {at: 1500ms, every: 3s, times: 7, right: -1}, {at: 3s, every: 3s, times: 6, right: 1}]}"),
		"geometry:\n", "geometry:\n  - box: {min: [-9, 0, -7], max: [-1, 3, -6.8]}\n  - box: {min: [1, 0, -7], max: [9, 3, -6.8]}\n", 1)).Shots
}

// A player that runs behind a wall is hit there for as long as the shooter still saw it: view delay
// and half the round trip, and no longer than max_rewind; not at all without latency. [GAP-41]
func TestHitsFromBehindCover(t *testing.T) {
	honest := "name: ann\n    script:"
	near := hidden(t, "", "rtt: 0s", honest)
	far := hidden(t, "", "rtt: 200ms", honest)
	t.Logf("at 0 ms %+v, at 200 ms %+v; %d and %d hits", near.BehindCover, far.BehindCover, near.Confirmed, far.Confirmed)
	if near.Confirmed < 20 || far.Confirmed < 20 || near.BehindCover.Max > 0.09 || far.BehindCover.Max < 0.1 || far.BehindCover.Max > 0.29 || far.BehindCover.Share < near.BehindCover.Share {
		t.Errorf("at 0 ms %+v, at 200 ms %+v", near.BehindCover, far.BehindCover)
	}
	latest := 0.0
	for _, r := range far.Receipts {
		latest = max(latest, r.Hidden)
	}
	if latest != far.BehindCover.Max {
		t.Errorf("the receipts have at most %v s behind cover, want %v", latest, far.BehindCover.Max)
	}
}

// THR-21: 200 ms of false ping reach further back than the true link, and no further than max_rewind, like an honest
// player with such a link. Half a second of it hits nobody: its shots come too late. [HIT-12]
func TestFalsePing(t *testing.T) {
	eve := "name: eve\n    cheat: {kind: ping, hold: 200ms}\n    script:"
	with := hidden(t, "max_rewind: 300ms", "rtt: 60ms", eve)
	without := hidden(t, "max_rewind: 300ms", "rtt: 60ms", "name: ann\n    script:")
	t.Logf("with %+v, %d of %d hit; without %+v, %d of %d", with.BehindCover, with.Confirmed, with.Claimed, without.BehindCover, without.Confirmed, without.Claimed)
	if with.BehindCover.Max > 0.36 || with.BehindCover.Max < without.BehindCover.Max+0.08 || with.Confirmed > without.Confirmed || with.Confirmed < 20 {
		t.Errorf("with a false ping %+v and %d hits, without %+v and %d", with.BehindCover, with.Confirmed, without.BehindCover, without.Confirmed)
	}
}

// HIT-16: on a good link, views that are 70 ms older than drawn are refused; acknowledgements that are
// withheld for 150 ms of each second are credited what such a link would show.
func TestWithholdCheat(t *testing.T) {
	honest := hidden(t, "", "rtt: 20ms", "name: ann\n    script:")
	backdated := hidden(t, "", "rtt: 20ms", "name: eve\n    cheat: {kind: backdate, hold: 70ms}\n    script:")
	withheld := hidden(t, "", "rtt: 20ms", "name: eve\n    cheat: {kind: withhold, hold: 150ms}\n    script:")
	t.Logf("honest %+v, backdated %d of %d refused, withheld %+v", honest.BehindCover, backdated.Refused, backdated.Claimed, withheld.BehindCover)
	if backdated.Refused < backdated.Claimed*9/10 || withheld.BehindCover.Max > honest.BehindCover.Max+0.15+0.06 {
		t.Errorf("backdated %+v, withheld %+v", backdated, withheld)
	}
}
