package bench

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/benchscene"
	"github.com/backstep-net/backstep/movement"
)

// The crowd does what the yardsticks' characters do: the share of steps on the ground, and how far a step goes, within 2 %.
func TestCrowdsBehaveAsPublished(t *testing.T) {
	for _, c := range []struct {
		scene        benchscene.Scene
		ground, step float64
	}{{benchscene.A, .998, .0976}, {benchscene.B, .985, .0791}} {
		world, err := c.scene.World()
		if err != nil {
			t.Fatal(err)
		}
		crowd := NewCrowd(c.scene, world)
		crowd.WarmUp()
		ground, made, n := 0.0, 0.0, 0.0
		for range 200 * crowdSize {
			s := crowd.State(crowd.near.next)
			from := s.Position
			crowd.Step()
			if s.Mode == movement.Walking {
				ground++
			}
			made += s.Position.Sub(from).Flat(geom.Up).Len()
			n++
		}
		if math.Abs(ground/n/c.ground-1) > .02 || math.Abs(made/n/c.step-1) > .02 {
			t.Errorf("scene %s: %.2f %% on the ground and %.4f m a step, want %.2f %% and %.4f m", c.scene.Name, 100*ground/n, made/n, 100*c.ground, c.step)
		}
	}
}

// Characters that block each other do not stand in each other, but for those that started there.
func TestCrowdsThatBlock(t *testing.T) {
	world, err := benchscene.B.World()
	if err != nil {
		t.Fatal(err)
	}
	inside := func(block bool) (pairs int) {
		crowd := NewCrowd(benchscene.B, world)
		crowd.Block = block
		crowd.WarmUp()
		for i := range crowd.state {
			for k := range i {
				if crowd.state[i].Position.Sub(crowd.state[k].Position).Len() < .5 {
					pairs++
				}
			}
		}
		return pairs
	}
	if free, blocked := inside(false), inside(true); blocked*4 > free {
		t.Errorf("%d pairs stand in each other, %d where they do not block: want less than a quarter", blocked, free)
	}
}

// A report of few calls has every figure of its groups, and survives a file.
func TestReports(t *testing.T) {
	r, err := Run(t.Context(), Options{Runs: 1, Share: .001}, Groups())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.json")
	if err := r.Write(file); err != nil {
		t.Fatal(err)
	}
	if r, err = Read(file); err != nil {
		t.Fatal(err)
	}
	for _, s := range benchscene.Measured {
		if r.Scenes[s.Name] != s.Published {
			t.Errorf("scene %s: hash %q, want %q", s.Name, r.Scenes[s.Name], s.Published)
		}
	}
	for _, f := range Figures {
		if !slices.ContainsFunc(Groups(), func(g Group) bool { return g.Name == f.Group }) {
			continue
		}
		if v, ok := r.Figures[f.Name]; !ok || v < 0 {
			t.Errorf("%s: %v, %v", f.Name, v, ok)
		}
		if _, ok := r.Figures[f.Name+P99]; !ok && unitName(f.Name) != "" {
			t.Errorf("%s has no 99th percentile", f.Name)
		}
	}
	if r.Commit == "" || r.Go == "" || r.CPU == "" {
		t.Errorf("no machine: %+v", r)
	}
}

// A group that does not exist is refused, with the names of those that do.
func TestUnknownGroups(t *testing.T) {
	_, err := Run(t.Context(), Options{Only: []string{"step", "jump"}}, Groups())
	if err == nil || !strings.Contains(err.Error(), `"jump" is no group of figures: want one of step, query`) {
		t.Errorf("got %v", err)
	}
}

// What is no report is refused.
func TestReadRefuses(t *testing.T) {
	for _, file := range []string{"testdata/none.json", "bench_test.go"} {
		if r, err := Read(file); err == nil {
			t.Errorf("%s: got %+v", file, r)
		}
	}
}

// The table has goals, among them multiples of other figures, and the ratios to an earlier report.
func TestTables(t *testing.T) {
	now := Report{Commit: "2", Go: "1", CPU: "x", Figures: map[string]float64{"step_a_us": 2, "step_a_us_p99": 6, "crowd_a_us": 2.6, "ray50_ns": 470}}
	earlier := Report{Commit: "1", Go: "1", CPU: "x", Figures: map[string]float64{"step_a_us": 4, "ray50_ns": 235}}
	table := Table{Report: &now, Earlier: &earlier, Yardstick: map[string]float64{"step_a_us": 1}}
	want := `Commit 2, Go 1, x.
Compared with commit 1, Go 1, x.

| figure | what | median | p99 | goal | of the goal | × yardstick | earlier | × earlier |
|---|---|---:|---:|---:|---:|---:|---:|---:|
| step_a_us | a character's step on scene A, open land | 2.00 µs | 6.00 µs | ≤ 1.50 µs, p99 5.00 µs | 1.33 | 2.00 (≤ 1.6) | 4.00 µs | 0.500 |
| crowd_a_us | a step on scene A among a thousand obstacles | 2.60 µs | – | ≤ 1.3 × step_a_us | 1.00 | – | – | – |
| ray50_ns | a ray of 50 m on scene A | 470 ns | – | ≤ 470 ns | 1.00 | – | 235 ns | 2.00 |

Goals that are missed: step_a_us by 33 %.
`
	if got := table.Markdown(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	now.CPU = "y"
	if got := table.Text(); !strings.Contains(got, "That is another machine") || !strings.Contains(got, "step_a_us   a character's step") {
		t.Errorf("got\n%s", got)
	}
}
