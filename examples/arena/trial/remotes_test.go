package trial

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/backstep-net/backstep/lab"
)

// seeds is how many seeds to play: BACKSTEP_SEEDS, else n.
func seeds(n int) int {
	if s, err := strconv.Atoi(os.Getenv("BACKSTEP_SEEDS")); err == nil {
		return s
	}
	return n
}

// seen logs what a player saw of the other.
func seen(t *testing.T, what string, f *lab.Figures) {
	t.Helper()
	t.Logf("%s: %d reversals, %d snaps; speed off by %.1f %% p50, %.1f %% p99, %.0f %% at most; %.2f %% starved; %.0f ms behind, %.0f p99; %.3f m off mean, %.3f p99, %.3f at most",
		what, f.Reversals, f.Snaps, 100*f.SpeedError.P50, 100*f.SpeedError.P99, 100*f.SpeedError.Max, 100*f.Starved,
		1e3*f.ViewDelay.Mean, 1e3*f.ViewDelay.P99, f.RemoteError.Mean, f.RemoteError.P99, f.RemoteError.Max)
}

// Issue 6: at 20 snapshots a second, 80 ms of round trip, 20 ms of jitter and 2 % loss.
func TestOthersAtTwentySnapshots(t *testing.T) {
	for _, tick := range []string{"server.snapshots=20", "server.tick=20"} {
		for seed := range seeds(2) {
			s := staged(t, New(), "network/bandwidth-loss.yaml", "network={rtt: 80ms, jitter: 20ms, loss: 0.02}", tick, fmt.Sprint("seed=", seed+1))
			for _, name := range []string{"ann", "bob"} {
				f := shown(t, New(), s).Players[name]
				seen(t, fmt.Sprint(tick, ", seed ", seed+1, ", ", name), f)
				if f.Reversals+f.Snaps != 0 || f.SpeedError.P99 > 0.15 || f.Starved > 0.02 || f.ViewDelay.Mean > 0.15 {
					t.Errorf("seed %d, %s: too much", seed+1, name)
				}
			}
		}
	}
}
