package labgame

import (
	"context"
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/lab"
)

// TestFiguresOfScenarios plays scenarios with ten seeds each and prints what docs/figures.md
// shows of them; make soak holds their expectations with 100.
func TestFiguresOfScenarios(t *testing.T) {
	if testing.Short() {
		t.Skip("plays scenarios with many seeds")
	}
	for _, c := range []struct {
		name, file string
		set        []string
		say        func(d *lab.Distributions) string
	}{
		{"interpolate", "remotes/interpolate.yaml", nil, func(d *lab.Distributions) string {
			return fmt.Sprintf("%.0f reversals, %.0f snaps, speed off by %.1f %% p99, %.0f ms behind, %.1f %% starved",
				most(d, "remote_reversals"), most(d, "remote_snaps"), 100*mean(d, "remote_speed_error.p99"), 1000*mean(d, "view_delay.mean"), 100*mean(d, "remote_extrapolated"))
		}},
		{"dash", "movement/dash-observed.yaml", nil, func(d *lab.Distributions) string {
			return fmt.Sprintf("%.1f cm at most", 100*most(d, "remote_error.max"))
		}},
		{"path", "movement/path.yaml", nil, func(d *lab.Distributions) string {
			return fmt.Sprintf("%.1f mm p99 on average, %.1f cm with the worst seed", 1000*mean(d, "remote_error.p99"), 100*most(d, "remote_error.p99"))
		}},
		{"60 frames", "network/bandwidth-60.yaml", nil, up},
		{"60 frames, 150 ms", "network/bandwidth-60.yaml", []string{"network.rtt=150ms"}, up},
		{"144 frames", "network/bandwidth-144.yaml", nil, up},
		{"144 frames, 150 ms", "network/bandwidth-144.yaml", []string{"network.rtt=150ms"}, up},
		{"loss", "network/bandwidth-loss.yaml", nil, up},
		{"heavy loss", "network/bandwidth-heavy-loss.yaml", nil, up},
	} {
		game := New()
		d, err := lab.Seeds(context.Background(), staged(t, game, c.file, c.set...), game, 10, lab.SeedOptions{})
		if err != nil {
			t.Fatal(err)
		}
		figures.Check(t, c.name, 0.1, "%s", c.say(d))
	}
}

// up says what moves cost.
func up(d *lab.Distributions) string {
	return fmt.Sprintf("%.2f kB/s, %.1f bytes a move, %.0f corrections, %.0f mm off p99",
		most(d, "up")/1000, mean(d, "move_bytes"), most(d, "corrections"), 1000*mean(d, "owner_error.p99"))
}

// most returns the greatest value of a figure with any seed, of any player.
func most(d *lab.Distributions, figure string) float64 {
	v := 0.0
	for _, name := range d.Order {
		v = max(v, of(d, name, figure).Max)
	}
	return v
}

// mean returns the greatest of the players' means over the seeds.
func mean(d *lab.Distributions, figure string) float64 {
	v := 0.0
	for _, name := range d.Order {
		v = max(v, of(d, name, figure).Mean)
	}
	return v
}

// of returns a player's figure.
func of(d *lab.Distributions, name, figure string) lab.Range {
	r, ok := d.Figures[name+"."+figure]
	if !ok {
		panic("no figure " + name + "." + figure)
	}
	return r
}
