package lab

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// overviewOf returns the distributions of a scenario with two players, three seeds and known
// figures.
func overviewOf(name string, figures map[string]Range) *Distributions {
	return &Distributions{Name: name, Seeds: []uint64{4, 5, 6}, Duration: 30, TickRate: 60, Order: []string{"ann", "bob"}, Figures: figures}
}

// cellsOf returns a Markdown table as rows of cells by their column's heading.
func cellsOf(t *testing.T, text string) (rows []map[string]string) {
	t.Helper()
	var head []string
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case head == nil:
			head = cells
		case len(cells) != len(head):
			t.Errorf("%q has %d cells, want %d", line, len(cells), len(head))
		case !strings.HasPrefix(cells[0], "---"):
			row := map[string]string{}
			for i := range cells {
				row[head[i]] = cells[i]
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// Means of the overview are over seeds and players, maxima over all of them, counts a minute.
func TestOverviewByHand(t *testing.T) {
	rows := cellsOf(t, Overview([]*Distributions{overviewOf("walk", map[string]Range{
		"ann.corrections": {Mean: 1}, "bob.corrections": {Mean: 2}, // 1.5 in 30 s
		"ann.owner_error.mean": {Mean: 0.001}, "bob.owner_error.mean": {Mean: 0.002},
		"ann.owner_error.max": {Max: 0.25}, "bob.owner_error.max": {Max: 0.125},
		"ann.remote_error.mean": {Mean: 0.01}, "bob.remote_error.mean": {Mean: 0.03},
		"ann.remote_error.p99": {Mean: 0.1}, "bob.remote_error.p99": {Mean: 0.2},
		"ann.view_delay.mean": {Mean: 0.1}, "bob.view_delay.mean": {Mean: 0.2},
		"shots.agreement": {Mean: 0.995}, "shots.pose_error.max": {Max: 0.0124},
		"ann.up": {Mean: 1000}, "bob.up": {Mean: 2000}, "ann.down": {Mean: 10}, "bob.down": {Mean: 11},
	}), overviewOf("empty", nil)}))
	if len(rows) != 2 {
		t.Fatalf("%d rows, want 2", len(rows))
	}
	for heading, want := range map[string]string{
		"scenario": "walk", "seeds": "3", "corrections a minute": "3.00", "owner error mean (mm)": "1.50", "owner error max (m)": "0.250",
		"remote error mean (mm)": "20.00", "remote error p99 (mm)": "150.0", "view delay mean (ms)": "150",
		"shots agreed": "99.50 %", "pose error max (m)": "0.012", "up (B/s)": "1500", "down (B/s)": "10",
	} {
		if got := rows[0][heading]; got != want {
			t.Errorf("%s: got %q, want %q", heading, got, want)
		}
	}
	if got := rows[1]["owner error max (m)"]; got != "0.000" {
		t.Errorf("without figures: got %q, want 0.000", got)
	}
}

// The overview of remote players counts shots and frames over all runs and players.
func TestRemoteOverviewByHand(t *testing.T) {
	rows := cellsOf(t, RemoteOverview([]*Distributions{overviewOf("walk, linear", map[string]Range{
		"ann.remote_error.mean": {Mean: 0.01}, "bob.remote_error.mean": {Mean: 0.03},
		"ann.remote_error.p99": {Mean: 0.1}, "bob.remote_error.p99": {Mean: 0.3},
		"ann.remote_error.max": {Max: 1.5}, "bob.remote_error.max": {Max: 0.5},
		"ann.view_delay.mean": {Mean: 0.12}, "bob.view_delay.mean": {Mean: 0.12},
		"ann.remote_speed_error.p99": {Mean: 0.5}, "bob.remote_speed_error.p99": {Mean: 0.3},
		"ann.remote_extrapolated": {Mean: 0.02}, "bob.remote_extrapolated": {},
		"ann.remote_reversals": {Mean: 3}, "bob.remote_reversals": {Mean: 1},
		"ann.remote_snaps": {Mean: 1}, "bob.remote_snaps": {Mean: 0},
		"ann.remote_inside": {Mean: 4}, "bob.remote_inside": {Mean: 1}, // 3 seeds of 5 frames
		"shots.pose_error.mean": {Mean: 0.002}, "shots.pose_error.max": {Max: 0.5},
		"shots.claimed": {Mean: 7}, "shots.agreement": {Mean: 0.9}, "shots.kept": {Mean: 0.75},
		"ann.up": {Mean: 5}, "bob.up": {Mean: 6},
	})}))
	for heading, want := range map[string]string{
		"scenario": "walk, linear", "remote error mean (m)": "0.0200", "remote error p99 (m)": "0.200", "remote error max (m)": "1.50",
		"view delay mean (ms)": "120", "speed error p99": "40 %", "past the last sample": "1.0 %", "reversals a run": "2.0", "snaps a run": "0.5",
		"frames inside walls": "15", "pose error mean (m)": "0.002", "pose error max (m)": "0.500",
		"shots": "21", "shots agreed": "90.00 %", "hits kept": "75.00 %",
	} {
		if got := rows[0][heading]; got != want {
			t.Errorf("%s: got %q, want %q", heading, got, want)
		}
	}
}

// The overview of weapons has a column for each weapon of any scenario, and none where no scenario
// has two.
func TestWeaponOverviewByHand(t *testing.T) {
	weapon := func(name string, claimed, confirmed, agreement, swings, swingAgreement float64, into map[string]Range) {
		for figure, v := range map[string]float64{
			"claimed": claimed, "confirmed": confirmed, "agreement": agreement, "swings": swings, "swing_agreement": swingAgreement,
		} {
			into["shots.weapons."+name+"."+figure] = Range{Mean: v, Max: v}
		}
	}
	one, two := map[string]Range{}, map[string]Range{"shots.pose_error.p99": {Max: 0.0012}, "shots.pose_error.max": {Max: 0.03}, "shots.false_hits": {Mean: 2}}
	weapon("rifle", 10, 8, 1, 0, 1, one)
	if got := WeaponOverview([]*Distributions{overviewOf("one", one)}); got != "" {
		t.Errorf("with one weapon: got %s, want nothing", got)
	}
	weapon("rifle", 20, 12.5, 0.75, 0, 1, two)
	weapon("sword", 30, 3, 0.5, 6, 0.5, two)
	rows := cellsOf(t, WeaponOverview([]*Distributions{overviewOf("one", one), overviewOf("two", two)}))
	if len(rows) != 2 {
		t.Fatalf("%d rows, want 2", len(rows))
	}
	for i, want := range []map[string]string{
		{"rifle: agreed of claims a seed (hits)": "100.00 % of 10 (8.0)", "sword: agreed of claims a seed (hits)": "0.00 % of 0 (0.0)", "swings agreed": "–", "false hits": "0"},
		{"rifle: agreed of claims a seed (hits)": "75.00 % of 20 (12.5)", "sword: agreed of claims a seed (hits)": "50.00 % of 30 (3.0)",
			"swings agreed": "50.00 % of 6", "pose error p99 (mm)": "1.2", "pose error max (mm)": "30.0", "false hits": "6"},
	} {
		for heading, text := range want {
			if got := rows[i][heading]; got != text {
				t.Errorf("row %d, %s: got %q, want %q", i, heading, got, text)
			}
		}
	}
}

// The table of gains has a dash where the server noticed nothing.
func TestGainsTableByHand(t *testing.T) {
	rows := cellsOf(t, GainsTable([]Gain{
		{What: "honest", Walked: 1},
		{What: "clock × 2", Detected: true, After: 0.512, Gained: 0.2504, Walked: 1.00417, Corrections: 9},
	}))
	want := []map[string]string{
		{"cheat": "honest", "noticed after, s": "–", "gained, ms": "0", "way walked, honest = 1": "1", "corrections": "0"},
		{"cheat": "clock × 2", "noticed after, s": "0.51", "gained, ms": "250", "way walked, honest = 1": "1.0042", "corrections": "9"},
	}
	for i := range want {
		for heading, text := range want[i] {
			if got := rows[i][heading]; got != text {
				t.Errorf("row %d, %s: got %q, want %q", i, heading, got, text)
			}
		}
	}
}

// A fairness table has the points of each curve beside one another, a table for each figure.
func TestFairnessTableByHand(t *testing.T) {
	f := &Fairness{Curves: []FairnessCurve{
		{Name: "cap 0 ms", Points: []FairnessPoint{{At: 0, Kept: 1, Behind: 0.25, Hidden: 80, Hits: 120}, {At: 100, Kept: 0.125, Hits: 12.4}}},
		{Name: "cap 250 ms", Points: []FairnessPoint{{At: 0, Kept: 1}, {At: 100, Kept: 0.999}}},
	}}
	tables := strings.Split(strings.TrimSpace(FairnessTable(f)), "\n\n")
	want := []string{
		"| hits a minute | 0 ms | 100 ms |\n|---|---:|---:|\n| cap 0 ms | 120 | 12 |\n| cap 250 ms | 0 | 0 |",
		"| hits kept, % | 0 ms | 100 ms |\n|---|---:|---:|\n| cap 0 ms | 100.0 | 12.5 |\n| cap 250 ms | 100.0 | 99.9 |",
		"| hits behind cover, % | 0 ms | 100 ms |\n|---|---:|---:|\n| cap 0 ms | 25.0 | 0.0 |\n| cap 250 ms | 0.0 | 0.0 |",
		"| behind cover, p99, ms | 0 ms | 100 ms |\n|---|---:|---:|\n| cap 0 ms | 80 | 0 |\n| cap 250 ms | 0 | 0 |",
	}
	if !slices.Equal(tables, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(tables, "\n"), strings.Join(want, "\n"))
	}
}

// Figures that only one side has are NaN on the other, and changed; a difference below the rounding
// of the file is none.
func TestComparedRows(t *testing.T) {
	side := func(weapon string, claimed int, up float64) *Result {
		return &Result{Order: []string{"ann"}, Players: map[string]*Figures{"ann": {Up: up}},
			Shots: Shots{Weapons: map[string]*WeaponFigures{weapon: {Claimed: claimed}}}}
	}
	rows := Compare(side("rifle", 3, 1), side("sword", 4, 1+1e-6))
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.Path] {
			t.Errorf("%s is there twice", r.Path)
		}
		seen[r.Path] = true
		switch {
		case r.Path == "ann.up" && (r.Changed || r.A != 1):
			t.Errorf("ann.up: %+v, want no change", r)
		case r.Path == "shots.weapons.rifle.claimed" && (r.A != 3 || !math.IsNaN(r.B) || !r.Changed || !math.IsNaN(r.Difference)):
			t.Errorf("only on the left: %+v", r)
		case r.Path == "shots.weapons.sword.claimed" && (r.B != 4 || !math.IsNaN(r.A) || !r.Changed):
			t.Errorf("only on the right: %+v", r)
		}
	}
	for _, path := range []string{"ann.up", "shots.weapons.rifle.claimed", "shots.weapons.sword.claimed", "ticks"} {
		if !seen[path] {
			t.Errorf("no row of %s", path)
		}
	}
	if last := rows[len(rows)-1].Path; !strings.HasPrefix(last, "shots.weapons.sword.") {
		t.Errorf("the last row is %s, want the figures of the right alone at the end", last)
	}
}
