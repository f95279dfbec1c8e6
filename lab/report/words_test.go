package report

import (
	"math"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/lab"
)

// Numbers of the tables have as many digits as they need, and a dash where there is none.
func TestFiguresInWords(t *testing.T) {
	for v, want := range map[float64][2]string{
		0: {"0", "0"}, 12: {"12", "12"}, -3: {"-3", "-3"}, 1234.56: {"1234.6", "1234.6"}, 100.04: {"100.0", "100"}, 3.14159: {"3.14", "3.14"}, 2.5: {"2.50", "2.5"},
		0.5: {"0.5000", "0.5"}, 0.12345: {"0.1235", "0.1235"}, 0.0000123: {"1.2e-05", "1.2e-05"}, math.Inf(1): {"–", "–"}, math.Inf(-1): {"–", "–"},
	} {
		if got := [2]string{figure(v), brief(v)}; got != want {
			t.Errorf("%v: got %v, want %v", v, got, want)
		}
	}
	if figure(math.NaN()) != "–" {
		t.Errorf("no number: got %s", figure(math.NaN()))
	}
	for n, want := range map[int]string{1: "st", 2: "nd", 3: "rd", 4: "th", 11: "th", 12: "th", 13: "th", 21: "st", 102: "nd", 111: "th", 113: "th", 123: "rd"} {
		if got := ordinal(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

// What a shooter's screen showed, and the numbers of an event, in words.
func TestShotsAndEventsInWords(t *testing.T) {
	for want, s := range map[string]lab.ShotSeries{
		"nothing": {}, "the world": {Saw: "world"}, "bob": {Saw: "bob"}, "bob’s head": {Saw: "bob", SawPart: "head"}, "world’s head": {Saw: "world", SawPart: "head"},
	} {
		if got := sight(&s); got != want {
			t.Errorf("%+v: got %s, want %s", s, got, want)
		}
	}
	for want, e := range map[string]lab.Event{"4.20 m/s": {Speed: 4.2}, "0.125 m": {Distance: 0.125}, "": {}} {
		if got := more(e); got != want {
			t.Errorf("%+v: got %s, want %s", e, got, want)
		}
	}
}

// The facts at the top, with the version and the note where there are some.
func TestFactsOfAPage(t *testing.T) {
	r := invented(2, 2)
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "seed=7 match time=2 s ticks=120 at 60 Hz players=2 hash=9f86d081884c7d65"},
		{Options{Version: "v1", Note: "seed 7 of 9"}, "seed=7 match time=2 s ticks=120 at 60 Hz players=2 hash=9f86d081884c7d65 version=v1 note=seed 7 of 9"},
	} {
		var got []string
		for _, f := range facts(r, c.o) {
			got = append(got, f.Name+"="+f.Value)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("got %s\nwant %s", text, c.want)
		}
	}
	if p := pageOf(&lab.Result{Expect: r.Expect}, Options{}, drawingOf(&lab.Result{})); p.Name != "a run" || p.Failed != 1 || p.Held || len(p.Expectations) != 2 {
		t.Errorf("a page of a run without a name: %s, %d failed, held %v", p.Name, p.Failed, p.Held)
	}
}

// Each weapon has a column, each of its figures a row, in its unit; a figure that is 0 is dim.
func TestTableOfWeapons(t *testing.T) {
	r := invented(1, 1)
	r.Shots.Weapons = map[string]*lab.WeaponFigures{
		"sword": {Claimed: 6, Agreement: 1, Swings: 2, SwingAgreement: 0.5}, "rocket": {Claimed: 2, Agreement: 0.25, EndError: lab.Spread{P99: 0.125}, BehindCover: lab.Cover{Share: 0.5, Spread: lab.Spread{P99: 0.08}}},
	}
	all := tables(r)
	last := all[len(all)-1]
	if last.Name != "By weapon" || strings.Join(last.Columns, " ") != "rocket sword" {
		t.Fatalf("the last table is %s with %v", last.Name, last.Columns)
	}
	got := map[string]string{}
	for _, row := range last.Rows {
		text := ""
		for _, v := range row.Values {
			if text += v.Text + " "; v.Dim != (v.Text == "0") {
				t.Errorf("%s: %s is dim: %v", row.Name, v.Text, v.Dim)
			}
		}
		got[row.Name] = text + row.Unit
	}
	for name, want := range map[string]string{
		"claimed": "2 6 ", "agreement": "25 100 %", "swings": "0 2 ", "swings agreed": "0 50 %", "end error, p99": "0.1250 0 m",
		"hit from behind cover": "50 0 %", "behind cover, p99": "80 0 ms",
	} {
		if got[name] != want {
			t.Errorf("%s: got %q, want %q", name, got[name], want)
		}
	}
}

// Every figure of the page is one that a result has, and explains itself.
func TestFiguresOfThePageExist(t *testing.T) {
	r := invented(1, 1)
	r.Shots.Weapons = map[string]*lab.WeaponFigures{"rifle": {}}
	check := func(d definition, begin ...string) {
		path := append(begin, strings.Split(d.path, ".")...)
		if d.spread {
			path = append(path, "p99")
		}
		if _, ok := r.Lookup(path); !ok || !strings.HasSuffix(d.means, ".") {
			t.Errorf("%s: the result has it: %v, means %q", strings.Join(path, "."), ok, d.means)
		}
	}
	for _, g := range groups {
		for _, d := range g.list {
			check(d, "ann")
		}
	}
	for _, d := range ofShots {
		check(d, "shots")
	}
	for _, d := range ofWeapon {
		check(d, "shots", "weapons", "rifle")
	}
	for _, c := range drawingOf(r).Charts {
		if !strings.HasSuffix(c.Means, ".") {
			t.Errorf("the chart %s means %q", c.Title, c.Means)
		}
	}
}

// The note below the charts says what was left out.
func TestNoteOnWhatIsThinned(t *testing.T) {
	bare := invented(1, 1)
	bare.Series = nil
	for want, r := range map[string]*lab.Result{
		"The result has no series": bare, "every 10 ms, so no peak is lost.": invented(1, 1), "paths show every 2nd of 2000 points": invented(1, 20),
		"with more than 8 players": invented(9, 1),
	} {
		if got := thinned(r, drawingOf(r)); !strings.Contains(got, want) {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}
