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

// Every kind of a missed goal is named once, with how much it is missed by: a time, a multiple of another figure, a goal
// of nothing at all, and a tail where the median is kept. A goal that is reached exactly is kept, and one of a figure
// that was not measured is unknown.
func TestMissedGoals(t *testing.T) {
	for _, c := range []struct {
		figures map[string]float64
		want    string
	}{
		{map[string]float64{"step_a_us": 1.5, "step_a_us_p99": 5, "crowd_a_us": 1.95, "allocs_per_tick": 0}, ""},
		{map[string]float64{"step_a_us": 1.8, "step_a_us_p99": 9}, "step_a_us by 20 %"},
		{map[string]float64{"step_a_us": 1.5, "step_a_us_p99": 6}, "the p99 of step_a_us by 20 %"},
		{map[string]float64{"step_a_us": 1, "crowd_a_us": 1.95}, "crowd_a_us by 50 %"},
		{map[string]float64{"crowd_a_us": 1.95}, ""},
		{map[string]float64{"allocs_per_tick": 2}, "allocs_per_tick is 2.00"},
		{map[string]float64{"lateness_50_p99_us": 9000, "lateness_50_p999_us": 1500, "step_a_us_p99": 9}, "lateness_50_p999_us by 50 %"},
		{map[string]float64{"ray50_ns": 940, "sweep_1m_ns": 500}, "ray50_ns by 100 %, sweep_1m_ns by 25 %"},
	} {
		table := Table{Report: &Report{Figures: c.figures}}
		if got := strings.Join(table.missed(), ", "); got != c.want {
			t.Errorf("%v: got %q, want %q", c.figures, got, c.want)
		}
		if says := strings.Contains(table.Markdown(), "Goals that are missed: "+c.want+"."); says != (c.want != "") {
			t.Errorf("%v: the page says so: %v\n%s", c.figures, says, table.Markdown())
		}
	}
}

// A goal in the table: a figure that has none shows a dash, one of nothing has no ratio, and one that is a multiple of a
// figure that was not measured has none either. A figure that only the earlier report lacks has no ratio to it.
func TestGoalsOfTheTable(t *testing.T) {
	now := Report{Commit: "2", Go: "1", CPU: "x", Figures: map[string]float64{"crowd_a_us": 2.6, "lateness_50_p99_us": 300, "allocs_per_tick": 1}}
	table := Table{Report: &now, Earlier: &Report{CPU: "x", Figures: map[string]float64{"allocs_per_tick": 0, "ray50_ns": 3}}}
	want := []string{
		"figure|what|median|p99|goal|of the goal|earlier|× earlier",
		"crowd_a_us|a step on scene A among a thousand obstacles|2.60 µs|–|≤ 1.3 × step_a_us|–|–|–",
		"lateness_50_p99_us|how late ticks of 50 matches of 4 begin, p99|300 µs|–|–|–|–|–",
		"allocs_per_tick|allocations in a tick of 10 players|1.00|–|≤ 0|–|0|–",
	}
	var got []string
	for _, row := range table.rows() {
		got = append(got, strings.Join(row, "|"))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A report says which samples count only where it knows: with the other thread always idle, always busy, and without any
// timed figure.
func TestWhichSamplesCounted(t *testing.T) {
	for _, c := range []struct {
		alone map[string]float64
		want  string
	}{
		{nil, ""},
		{map[string]float64{"step_a_us": 1}, "Of the samples, 100 to 100 % count: those during which the other thread of the core was idle."},
		{map[string]float64{"step_a_us": .05, "step_b_us": 0}, "Of the samples, 5 to 5 % count: those during which the other thread of the core was idle. It was busy, and all samples count, for step_b_us."},
		{map[string]float64{"step_a_us": .04, "step_b_us": 0}, "It was busy, and all samples count, for step_a_us, step_b_us."},
	} {
		table := Table{Report: &Report{Alone: c.alone}}
		if got := table.alone(); got != c.want {
			t.Errorf("%v: got %q, want %q", c.alone, got, c.want)
		}
		if text := table.Text(); strings.HasSuffix(text, "\n\n"+c.want+"\n") != (c.want != "") {
			t.Errorf("%v: the text ends\n%q", c.alone, text)
		}
	}
}
