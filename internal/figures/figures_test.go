package figures

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestAPageIsItsPartsAgain(t *testing.T) {
	const text = "a <!-- figure x.TestA/b -->1<!-- end --> b\n<!-- figures backstep lab -->\n| 1 |\n<!-- end --><!-- figures long: make x -->2<!-- end -->\nc\n<!-- reference flags -->3<!-- end -->"
	parts, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	want := []Part{
		{Text: "a "}, {Key: "x.TestA/b", Text: "1"}, {Text: " b\n"},
		{Command: "backstep lab", Text: "\n| 1 |\n"}, {}, {Command: "make x", Long: true, Text: "2"}, {Text: "\nc\n"},
		{Reference: "flags", Text: "3"}, {},
	}
	if len(parts) != len(want) {
		t.Fatalf("got %d parts %+v, want %d", len(parts), parts, len(want))
	}
	for i := range want {
		if parts[i] != want[i] {
			t.Errorf("part %d: got %+v, want %+v", i, parts[i], want[i])
		}
	}
	if got := (&Page{Parts: parts}).String(); got != text {
		t.Errorf("got %q, want %q", got, text)
	}
}

func TestMarksThatDoNotClose(t *testing.T) {
	for text, want := range map[string]string{
		"\n<!-- figure x.TestA/b -->1":                                   "line 2: ",
		"<!-- figure x.TestA/b\n -->1<!-- end -->":                       "line 1: ",
		"<!-- figure a -->\n<!-- end -->":                                "goes over a line's end",
		"<!-- figures a -->\n<!-- figure b -->1<!-- end --><!-- end -->": "has no <!-- end -->",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want one with %q", text, err, want)
		}
	}
}

func TestNumbersAreComparedWithTolerance(t *testing.T) {
	for _, c := range []struct {
		got, want string
		tolerance float64
		same      bool
	}{
		{"7,194 moves", "7,194 moves", 0, true},
		{"7,195 moves", "7,194 moves", 0, false},
		{"105 ms, 2 lost", "100 ms, 2 lost", 0.05, true},
		{"107 ms, 2 lost", "100 ms, 2 lost", 0.05, false},
		{"0.3 mm", "0.2 mm", 0.05, true}, // one unit of the last digit
		{"0.4 mm", "0.2 mm", 0.05, false},
		{"−1.8 m", "1.8 m", 0.05, false},
		{"−1.8 m", "-1.8 m", 0.05, true},
		{"1 m", "1 s", 0.5, false},
		{"100.00 %", "99.90 %", 0.001, true},
		{"100.00 %", "99.80 %", 0.001, false},
		{"7 and 8", "7", 0.5, false},
		{"1 correction", "0 correction", 0.5, false},
		{"0.1 mm", "0.0 mm", 0.5, true},
		{"99.9 %", "100.0 %", 0.05, false},
	} {
		if got := Same(c.got, c.want, c.tolerance); got != c.same {
			t.Errorf("%q beside %q with %g: got %v, want %v", c.got, c.want, c.tolerance, got, c.same)
		}
	}
}

func TestKeys(t *testing.T) {
	for key, want := range map[string]Source{
		"session.TestTenPlayers/down":          {Folder: "session", Name: "TestTenPlayers"},
		"examples/arena.BenchmarkX/a_b":        {Folder: "examples/arena", Name: "BenchmarkX", Metric: "ns/op"},
		"session.BenchmarkTick#steps/op":       {Folder: "session", Name: "BenchmarkTick", Metric: "steps/op"},
		"session.TestTenPlayers/down#steps/op": {},
		"TestTenPlayers/down":                  {},
	} {
		got, err := ParseKey(key)
		if got != want || (err == nil) != (want != Source{}) {
			t.Errorf("%s: got %+v, %v, want %+v", key, got, err, want)
		}
	}
}

// TestEveryFigureHasASource holds the marks of every document: a figure's test or
// benchmark exists, and a test that is named calls Check.
func TestEveryFigureHasASource(t *testing.T) {
	pages, err := ReadPages("../..")
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{}
	for _, p := range pages {
		for _, part := range p.Parts {
			if part.Key == "" || part.Key == "commit" {
				continue
			}
			s, err := ParseKey(part.Key)
			if err != nil {
				t.Errorf("%s: %v", p.File, err)
				continue
			}
			if _, ok := sources[s.Folder]; !ok {
				sources[s.Folder] = testsOf(t, s.Folder)
			}
			if !regexp.MustCompile(`(?m)^func ` + s.Name + `\(`).MatchString(sources[s.Folder]) {
				t.Errorf("%s shows %s: there is no %s in %s", p.File, part.Key, s.Name, s.Folder)
			}
			if part.Text == "" {
				t.Errorf("%s shows nothing for %s: make figures PAGES=%s prints it", p.File, part.Key, p.File)
			}
		}
	}
}

// testsOf returns the text of a package's tests.
func testsOf(t *testing.T, folder string) string {
	files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}
