package labgame

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/lab/swarm"
)

// standing are the files of the standing set, by folder.
func standing(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob("../../../scenarios/" + folder + "/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios in %s: %v", folder, err)
	}
	return files
}

func load(t *testing.T, path string, game lab.Game) *scenario.Scenario {
	t.Helper()
	f, err := scenario.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Scenario(lab.Words(game))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every scenario of the standing set holds with its own seed, and the invariants of the swarm where it has a quiet part. [LAG-02, HIT-12, HIT-13]
func TestTheStandingSet(t *testing.T) {
	for _, folder := range []string{"movement", "network", "attacks", "shots", "weapons", "remotes", "bodies"} {
		for _, path := range standing(t, folder) {
			t.Run(folder+"/"+filepath.Base(path), func(t *testing.T) {
				game := New()
				r, err := lab.Play(load(t, path, game), swarm.Watch(game, nil), lab.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if len(r.Expect) == 0 {
					t.Error("it expects nothing")
				}
				for _, x := range r.Expect {
					if !x.Held {
						t.Errorf("%s: got %v", x.Text, x.Got)
					}
				}
			})
		}
	}
}

// TestSoakScenarios plays the standing set with 100 seeds each, and the long ones of
// the folder soak (make soak).
func TestSoakScenarios(t *testing.T) {
	if os.Getenv("BACKSTEP_SOAK") == "" {
		t.Skip("make soak plays every scenario with 100 seeds")
	}
	for _, folder := range []string{"movement", "network", "attacks", "shots", "weapons", "remotes", "bodies", "soak"} {
		for _, path := range standing(t, folder) {
			t.Run(folder+"/"+filepath.Base(path), func(t *testing.T) {
				n := 100
				if base := filepath.Base(path); base == "a-crowd.yaml" || base == "hundred-players.yaml" || folder == "soak" {
					n = 4 // a hundred players each, or many minutes
				} else if folder == "weapons" {
					n = 20
				}
				game := New()
				d, err := lab.Seeds(context.Background(), load(t, path, game), game, n, lab.SeedOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if !d.Held() {
					t.Errorf("%+v", d.Expect)
				}
			})
		}
	}
}

// TestSoakInputDelay plays a line of much jitter with moves that wait longer and longer
// on the server: the longer, the fewer the corrections (make soak).
func TestSoakInputDelay(t *testing.T) {
	if os.Getenv("BACKSTEP_SOAK") == "" {
		t.Skip("make soak plays an input delay of 0 to 150 ms with 60 seeds each")
	}
	last := math.Inf(1)
	for _, delay := range []string{"0ms", "50ms", "100ms", "150ms"} {
		var sets []string
		for _, name := range []string{"none", "fifty", "hundred"} {
			sets = append(sets, "players."+name+".input_delay="+delay)
		}
		game := New()
		d, err := lab.Seeds(context.Background(), staged(t, game, "network/input-delay.yaml", sets...), game, 20, lab.SeedOptions{})
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, name := range d.Order {
			sum += d.Figures[name+".corrections"].Mean / float64(len(d.Order))
		}
		t.Logf("input delay of %s: %.2f corrections a minute", delay, sum)
		if sum > last {
			t.Errorf("%.2f corrections a minute with %s, more than %.2f with less", sum, delay, last)
		}
		last = sum
	}
}
