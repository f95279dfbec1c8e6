package lab_test

import (
	"math"
	"strings"
	"testing"
)

const ride = `
duration: 6s
geometry:
  - box:  {min: [-50, -1, -50], max: [50, 0, 50]}
  - mover: {name: lift, box: {min: [-2, -0.2, -2], max: [2, 0, 2]}, path: {points: [[0s, [0, 0.5, 0]], [1s, [0, 0.5, 0]], [3s, [0, 4.5, 0]]]}}
network: {rtt: 150ms, jitter: 10ms}
players:
  - {name: ann, at: [0, 0.5, 0], clock: {offset: 3s}}
  - {name: bob, at: [6, 0, 0], frame: [144, 30]}
`

// A mover's path counts from time zero, however long the joining took: at t = 2 s the
// lift has gone up for a second, as its rider shows.
func TestPathsCountFromTimeZero(t *testing.T) {
	for _, network := range []string{"", "network: {rtt: 600ms, loss: 0.3}\n"} {
		text := ride
		if network != "" {
			text = strings.Replace(text, "network: {rtt: 150ms, jitter: 10ms}\n", network, 1)
		}
		r := play(t, text)
		p := r.Players["ann"].Trajectory
		late := 0.7 * 2 // her newest command is up to half a bad round trip old
		for _, c := range []struct{ at, want float64 }{{0.5, 0.5}, {2, 2.5}, {3.5, 4.5}} {
			got := p[int(c.at*100)].P[1]
			if got > c.want+0.03 || got < c.want-late {
				t.Errorf("%sat %v s ann's feet are at %v, want %v or as little less as her commands are late", network, c.at, got, c.want)
			}
		}
		if v := p[200].V; math.Abs(v[1]-2) > 1e-6 {
			t.Errorf("on the way up her velocity is %v, want the lift's 2 m/s in it", v)
		}
	}
}

// Riders are measured in their base's frame: on a lift that all clients draw at its present position, a
// rider that stands still has no error.
func TestRidersAreMeasuredOnTheirBase(t *testing.T) {
	r := play(t, ride)
	if e := r.Players["bob"].RemoteError; e.P99 > 0.005 {
		t.Errorf("bob sees ann on the lift with an error of %+v, want next to none", e)
	}
	if f := r.Players["ann"]; f.Corrections != 0 || f.OwnerError.Max != 0 {
		t.Errorf("ann rides with %d corrections and an error of %+v, want none", f.Corrections, f.OwnerError)
	}
}

// A motion started by the server is one correction, one started by the owner is none. [RMS-21]
func TestWhoStartsAMotion(t *testing.T) {
	for by, want := range map[string]int{"owner": 0, "server": 1} {
		r := play(t, plain("3s", "network: {rtt: 150ms, loss: 0.05}",
			"{name: ann, script: [{at: 1s, root_motion: {kind: constant_force, velocity: [0, 0, -10], for: 500ms, by: "+by+"}}]}"))
		f := r.Players["ann"]
		if f.Corrections != want || f.ServerForces != want {
			t.Errorf("by the %s: %d corrections, %d of them alterations, want %d", by, f.Corrections, f.ServerForces, want)
		}
		if f.End.Z > -5 || f.End.Z < -6 {
			t.Errorf("by the %s: she ends at %+v, want 5 m ahead and what is left of the way to a stop", by, f.End)
		}
	}
}

// Two motions in one frame are started by two commands, one after the other. [RMS-21]
func TestOneMotionACommand(t *testing.T) {
	r := play(t, plain("4s", "", `{name: ann, script: [
      {at: 1s, root_motion: {kind: constant_force, velocity: [0, 0, -4], for: 1s, mode: additive, by: owner}},
      {at: 1s, root_motion: {kind: constant_force, velocity: [-4, 0, 0], for: 1s, mode: additive, by: owner}}]}`))
	end := r.Players["ann"].End
	if math.Abs(end.X+4) > 0.1 || math.Abs(end.Z+4) > 0.1 {
		t.Errorf("she ends at %+v, want 4 m each way", end)
	}
}

// Every mode that files name is one the server can set. [MOD-01]
func TestModes(t *testing.T) {
	for _, mode := range []string{"none", "walking", "falling", "swimming", "flying", "nav_walking", "path"} {
		r := play(t, plain("2s", "paths: [{name: p, points: [[0s, [0, 0, 0]], [5s, [0, 0, -5]]]}]",
			"{name: ann, script: [{at: 1s, mode: "+mode+"}]}"))
		f := r.Players["ann"]
		seen := f.Trajectory[102].Mode
		want := mode
		if mode == "swimming" { // out of the water there is no swimming
			want = "falling"
		}
		if mode == "falling" { // until she lands
			want = seen
		}
		if seen != want || f.ServerForces != 1 {
			t.Errorf("set to %s she is %s, after %d alterations", mode, seen, f.ServerForces)
		}
	}
}
