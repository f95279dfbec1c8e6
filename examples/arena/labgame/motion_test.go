package labgame

import (
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/track"
)

// An observer of a dash, a leap and a pull at ten snapshots a second, at a round trip of
// 150 ms with jitter, and with loss as well, sees each motion once, while it moves the
// character and no longer, and it begins when it is reported to have begun. Nothing is
// simulated for it: the position is in the samples and their keyframes, the motion's clip
// beside it. Without loss it is seen within a snapshot of its beginning and is at most 5 cm
// off in 99 of 100 frames; where one snapshot in twenty is lost, within two snapshots and
// 2 cm off on average. [RMS-07, RMS-20, REP-03]
func TestMotionsLookTheSameToEveryone(t *testing.T) {
	t.Run("jitter", func(t *testing.T) { observeMotions(t, "{rtt: 150ms, jitter: 10ms}", 1, false) })
	for seed := range 10 {
		t.Run(fmt.Sprintf("loss, seed %d", seed+1), func(t *testing.T) {
			observeMotions(t, "{rtt: 150ms, jitter: 10ms, loss: 0.05}", seed+1, true)
		})
	}
}

// observeMotions is TestMotionsLookTheSameToEveryone on one line.
func observeMotions(t *testing.T, line string, seed int, lossy bool) {
	type motion struct{ began, first, last clock.Micros }
	var seen []motion
	game := &noted{Game: New()}
	game.drew = func(a *actor, _ clock.Micros) {
		for _, r := range a.Remotes() {
			if r.Clip == 0 {
				continue
			}
			at := a.View().At
			if n := len(seen); n > 0 && seen[n-1].began == r.ClipAt {
				seen[n-1].last = at
				continue
			}
			seen = append(seen, motion{r.ClipAt, at, at})
		}
	}
	r := shown(t, game, staged(t, game, fmt.Sprintf(`
duration: 10s
server: {snapshots: 10}
geometry: [{box: {min: [-60, -1, -60], max: [60, 0, 60]}}]
network: %s
players:
  - {name: ann, at: [4, 0, 0], frame: 144}
  - name: bob
    frame: [144, 30]
    script:
      - {at: 0s, forward: 1}
      - {at: 2s, root_motion: {kind: constant_force, velocity: [0, 0, -14], local: true, for: 250ms, ignore_vertical: true, clamp: 6, by: owner}}
      - {at: 4s, yaw: 120, root_motion: {kind: jump_to, displacement: [0, 0, 6], height: 2, for: 900ms, by: owner}}
      - {at: 7s, yaw: -90, root_motion: {kind: move_to, target: [0, 0, 0], for: 800ms, ignore_vertical: true, by: owner}}
`, line), fmt.Sprint("seed=", seed)))
	f := r.Players["ann"]
	t.Logf("%d motions: %+v; %+v m off, %d reversals, %d snaps", len(seen), seen, f.RemoteError, f.Reversals, f.Snaps)
	if !lossy {
		figures.Check(t, "seen", 0.2, "%.1f mm off on average, %.0f mm p99", 1000*f.RemoteError.Mean, 1000*f.RemoteError.P99)
	}
	lasts := []clock.Micros{250 * clock.Millisecond, 900 * clock.Millisecond, 800 * clock.Millisecond}
	if len(seen) != len(lasts) {
		t.Fatalf("%d motions were seen to begin, want %d", len(seen), len(lasts))
	}
	apart := 100*clock.Millisecond + track.StampGrid // between snapshots: a clip may be seen that late
	if lossy {
		apart += 100 * clock.Millisecond
	}
	for i, m := range seen {
		if late := m.first - m.began; late < -20*clock.Millisecond || late > apart {
			t.Errorf("motion %d was reported to have begun %v ms before it was first seen, want at most %v", i, late/clock.Millisecond, apart/clock.Millisecond)
		}
		if over := m.last - m.began - lasts[i]; over > apart || over < -apart {
			t.Errorf("motion %d was seen for %v ms, want %v", i, (m.last-m.began)/clock.Millisecond, lasts[i]/clock.Millisecond)
		}
	}
	if f.Reversals != 0 || f.RemoteError.Mean > 0.02 {
		t.Errorf("%d reversals, %v m off on average, want none and 2 cm", f.Reversals, f.RemoteError.Mean)
	}
	if !lossy && (f.Snaps != 0 || f.RemoteError.P99 > 0.05) {
		t.Errorf("%d snaps, %v m off in the worst hundredth, want none and 5 cm", f.Snaps, f.RemoteError.P99)
	}
}
