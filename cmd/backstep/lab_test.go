package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/internal/locked"
	"github.com/backstep-net/backstep/lab"
)

// walk is a scenario that plays in a moment. Its expectation can be made not to
// hold.
const walk = `name: a walk
duration: 1s
geometry: [{box: {min: [-50, -1, -50], max: [50, 0, 50]}}]
network: {rtt: 40ms}
players:
  - {name: ann, script: [{at: 0s, forward: 1}]}
  - {name: bob, at: [3, 0, 0]}
expect:
  - ann.up > 0
`

// file writes a file of the test's.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// inFolder are the names of a folder's files.
func inFolder(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestLabExitCodes(t *testing.T) {
	good := file(t, "walk.yaml", walk)
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"lab run " + good, exitFine, "✓ ann.up > 0"},
		{"lab run " + good + " --set duration=500ms --seeds 2 --jobs 1", exitFine, "a walk"},
		{"lab run " + good + " --markdown --set duration=500ms", exitFine, "|"},
		{"lab run " + good + " --set players.ann.network.loss=1.5", exitUsage, "--set players.ann.network.loss=1.5: "},
		{"lab run " + good + " --set durration=2s", exitUsage, `did you mean "duration"?`},
		{"lab run " + good + " --set nonsense", exitUsage, "--set nonsense: want KEY=VALUE"},
		{"lab run", exitUsage, "Try backstep lab run --help."},
		{"lab run nowhere.yaml", exitUsage, "nowhere.yaml: no such file"},
		{"lab run " + good + " --seds 3", exitUsage, `did you mean`},
		{"lab run " + good + " --seeds 0", exitUsage, "--seeds=0: want 1 to 10000"},
		{"lab run " + good + " --jobs=-1", exitUsage, "--jobs=-1: want 0 to 1024"},
		{"lab run " + good + " " + good + " --json x.json", exitUsage, "--json holds one scenario's result: there are 2 files"},
		{"lab run " + good + " " + good + " --html x.html", exitUsage, "--html shows one scenario: there are 2 files"},
		{"lab run " + good + " --json /nowhere/x.json", exitUsage, "--json=/nowhere/x.json: no such file or directory"},
		{"lab run " + good + " --html " + t.TempDir(), exitUsage, "is a folder"},
		{"lab cheats --for 500ms", exitFine, "nocooldown"},
		{"lab cheats --for 500ms --markdown", exitFine, "| durations × 10 |"},
		{"lab cheats --for 1h", exitUsage, "--for=1h0m0s: want 1ms to 10m"},
		{"lab profiles", exitFine, "mobile"},
		{"lab", exitUsage, "Try backstep lab --help."},
	} {
		code, out, errs := say(t.Context(), strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(out+errs, c.says) {
			t.Errorf("backstep %s: got %d, want %d and %q:\n%s%s", c.args, code, c.code, c.says, out, errs)
		}
	}
}

// Everything that is wrong with any of the files is printed at once, each with its
// line, and nothing is played or written.
func TestLabBadFiles(t *testing.T) {
	good := file(t, "walk.yaml", walk)
	one := file(t, "one.yaml", "duration: 10\ngeometry: [{box: {min: [-5, -1, -5], max: [5, 0, 5]}}]\nplayers: [{name: ann, frme: 3}]\n")
	two := file(t, "two.yaml", "duration: 1s\nlevel: nowhere.glb\nplayers: [{name: ann}]\nexpect: [ann.corections < 3]\n")
	before := len(inFolder(t, filepath.Dir(good)))
	code, out, errs := say(t.Context(), "lab", "run", good, one, two)
	if code != exitUsage || out != "" {
		t.Errorf("got %d and %q, want %d and nothing", code, out, exitUsage)
	}
	for _, want := range []string{one + ":1: ", one + ":3: ", two + ":4: ", `did you mean "frame"?`, `did you mean "ann.corrections"?`} {
		if !strings.Contains(errs, want) {
			t.Errorf("%s is not among the errors:\n%s", want, errs)
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(errs), "\n") {
		if !strings.HasPrefix(line, one+":") && !strings.HasPrefix(line, two+":") {
			t.Errorf("a line that does not begin with FILE:LINE: %q", line)
		}
	}
	json := filepath.Join(filepath.Dir(good), "r.json")
	say(t.Context(), "lab", "run", one, "--json", json)
	if after := len(inFolder(t, filepath.Dir(good))); after != before {
		t.Errorf("%v: something was written", inFolder(t, filepath.Dir(good)))
	}
}

// Both files are written, also where an expectation does not hold, and with the
// rights that any new file has.
func TestLabOutputs(t *testing.T) {
	path := file(t, "walk.yaml", walk)
	dir := filepath.Dir(path)
	json, html := filepath.Join(dir, "r.json"), filepath.Join(dir, "r.html")
	code, out, errs := say(t.Context(), "lab", "run", path, "--set", "expect=[ann.up < 1]", "--json", json, "--html", html)
	if code != exitFailure || !strings.Contains(out, "✗ ann.up < 1") {
		t.Errorf("got %d, want %d and the expectation that failed:\n%s%s", code, exitFailure, out, errs)
	}
	f, err := os.Open(json)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := lab.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	if r.Name != "a walk" || r.Held() || r.Series != nil {
		t.Errorf("the result is %q, held %v, series %v; want %q, false, none", r.Name, r.Held(), r.Series != nil, "a walk")
	}
	page, err := os.ReadFile(html)
	if err != nil || !strings.Contains(string(page), "<h1>a walk</h1>") {
		t.Errorf("no report: %v", err)
	}
	if got := strings.Join(inFolder(t, dir), " "); got != "r.html r.json walk.yaml" {
		t.Errorf("the folder holds %s", got)
	}
	plain, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if made, err := f.Stat(); err != nil || made.Mode() != plain.Mode() {
		t.Errorf("the result's mode is %v, want %v as of any file", made.Mode(), plain.Mode())
	}
}

func TestLabSeedOutputs(t *testing.T) {
	path := file(t, "walk.yaml", walk)
	json, html := filepath.Join(t.TempDir(), "d.json"), filepath.Join(t.TempDir(), "r.html")
	code, out, errs := say(t.Context(), "lab", "run", path, "--seeds", "3", "--json", json, "--html", html)
	if code != exitFine {
		t.Fatalf("got %d:\n%s%s", code, out, errs)
	}
	for _, want := range []string{"3 seeds", "median", "p95"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	page, err := os.ReadFile(html)
	if want := "seed 1 of 1 … 3; 0 of these seeds failed"; err != nil || !strings.Contains(string(page), want) {
		t.Errorf("the report does not say %q (%v)", want, err)
	}
	if b, err := os.ReadFile(json); err != nil || !strings.Contains(string(b), `"p95"`) {
		t.Errorf("no distributions in the result (%v):\n%.300s", err, b)
	}
}

// A link keeps being one; what it points to is replaced.
func TestLabOutputThroughALink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	path, old := file(t, "walk.yaml", walk), file(t, "old.json", "old")
	link := filepath.Join(t.TempDir(), "link.json")
	if err := os.Symlink(old, link); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := say(t.Context(), "lab", "run", path, "--json", link); code != exitFine {
		t.Fatalf("got %d:\n%s%s", code, out, errs)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if b, _ := os.ReadFile(old); !strings.HasPrefix(string(b), "{") {
		t.Errorf("what it points to holds %.20q", b)
	}
}

// interrupt runs a command and interrupts it when it has printed a text among its
// errors.
func interrupt(t *testing.T, when string, args ...string) (code int, out, errs string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var o, e locked.Buffer
	done := make(chan int, 1)
	go func() { done <- run(ctx, args, output{&o, &e}) }()
	for end := time.After(patience); !strings.Contains(e.String(), when); {
		select {
		case code = <-done:
			t.Fatalf("ended with %d before it printed %q:\n%s", code, when, e.String())
		case <-end:
			t.Fatalf("never printed %q:\n%s", when, e.String())
		case <-time.After(time.Millisecond):
		}
	}
	cancel()
	return <-done, o.String(), e.String()
}

// Runs that are finished at Ctrl-C are printed; output files stay as
// they were.
func TestLabInterrupted(t *testing.T) {
	path := file(t, "walk.yaml", walk)
	long := file(t, "long.yaml", strings.Replace(strings.Replace(walk, "1s", "1400min", 1), "a walk", "a long walk", 1))
	json := file(t, "r.json", "old")
	code, out, errs := interrupt(t, "1/2 runs", "lab", "run", path, long)
	if code != exitInterrupted || !strings.Contains(out, "a walk") || strings.Contains(out, "a long walk") {
		t.Errorf("got %d, want %d and the run that is done:\n%s%s", code, exitInterrupted, out, errs)
	}
	if !strings.Contains(errs, "interrupted after 1 of 2 runs") {
		t.Errorf("the progress is not printed:\n%s", errs)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	code, _, errs = say(ctx, "lab", "run", long, "--json", json)
	if code != exitInterrupted || !strings.Contains(errs, "interrupted after 0 of 1 runs") {
		t.Errorf("got %d, want %d:\n%s", code, exitInterrupted, errs)
	}
	if b, err := os.ReadFile(json); err != nil || string(b) != "old" {
		t.Errorf("the old result is %q now, %v", b, err)
	}
	if got := inFolder(t, filepath.Dir(json)); len(got) != 1 {
		t.Errorf("left behind: %v", got)
	}
}

// Of seeds, those that are done are summed up.
func TestLabSeedsInterrupted(t *testing.T) {
	path := file(t, "walk.yaml", walk)
	json := filepath.Join(t.TempDir(), "d.json")
	code, out, errs := interrupt(t, "1 of 20 seeds", "lab", "run", path, "--set", "duration=2min", "--seeds", "20", "--json", json)
	if code != exitInterrupted || !strings.Contains(out, " seeds from ") || strings.Contains(out, "20 seeds") {
		t.Errorf("got %d, want %d and the seeds that are done:\n%s%s", code, exitInterrupted, out, errs)
	}
	if got := inFolder(t, filepath.Dir(json)); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
}

// The same result, whether played alone, among others or at the same time.
func TestLabJobsDoNotMatter(t *testing.T) {
	path := file(t, "walk.yaml", walk)
	var first string
	for _, jobs := range []string{"1", "4"} {
		_, out, _ := say(t.Context(), "lab", "run", path, path, "--seeds", "3", "--set", "network={profile: awful}", "--jobs", jobs)
		if first == "" {
			first = out
		}
		if out == "" || out != first {
			t.Errorf("with %s jobs:\n%s\nwith one:\n%s", jobs, out, first)
		}
	}
}

func TestLabCompare(t *testing.T) {
	path := file(t, "walk.yaml", walk)
	json := filepath.Join(t.TempDir(), "a.json")
	if code, out, errs := say(t.Context(), "lab", "run", path, "--json", json); code != exitFine {
		t.Fatalf("got %d:\n%s%s", code, out, errs)
	}
	other := file(t, "other.yaml", strings.Replace(walk, "40ms", "200ms", 1))
	bad := file(t, "bad.yaml", "duraton: 1s\n")
	for _, c := range []struct {
		args []string
		code int
		says []string
	}{
		{[]string{json, json}, exitFine, []string{json}},
		{[]string{json, path}, exitFine, []string{json, path}},
		{[]string{path, other}, exitFine, []string{other, "ann"}},
		{[]string{path, "--set", "network.rtt=10ms; network.jitter=5ms", "--set", "network.rtt=200ms"}, exitFine,
			[]string{"network.rtt=10ms; network.jitter=5ms", "network.rtt=200ms", "ann"}},
		{[]string{path, "--set", "network.rtt=200ms"}, exitFine, []string{"unchanged", "network.rtt=200ms"}},
		{[]string{path}, exitUsage, []string{"needs a second file, or --set"}},
		{[]string{path, other, json}, exitUsage, []string{"takes two files: there are 3"}},
		{[]string{path, other, "--set", "seed=2"}, exitUsage, []string{"not both"}},
		{[]string{path, "--set", "seed=2", "--set", "seed=3", "--set", "seed=4"}, exitUsage, []string{"two groups of --set: there are 3"}},
		{[]string{bad, "nowhere.json"}, exitUsage, []string{bad + ":1: ", "nowhere.json: no such file"}},
		{[]string{path, "--set", "sede=2", "--set", "duraton=2"}, exitUsage, []string{"--set sede=2: ", "--set duraton=2: "}},
		{[]string{json, file(t, "none.json", `{"players": {}}`)}, exitUsage, []string{"none.json: ", "not a result"}},
	} {
		code, out, errs := say(t.Context(), append([]string{"lab", "compare"}, c.args...)...)
		if code != c.code {
			t.Errorf("compare %v: got %d, want %d:\n%s%s", c.args, code, c.code, out, errs)
		}
		for _, want := range c.says {
			if !strings.Contains(out+errs, want) {
				t.Errorf("compare %v: no %q in\n%s%s", c.args, want, out, errs)
			}
		}
	}
}

func TestShortNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 12: "12", 1234.56: "1234.6", 3.14159: "3.14", 2.5: "2.5", 0.12345: "0.1235", 0.5: "0.5", 0.0000123: "≈0", -2: "-2"} {
		if got := short(v); got != want {
			t.Errorf("short(%g): got %s, want %s", v, got, want)
		}
	}
}

// interruptedAtOnce runs a command that is interrupted before it begins.
func interruptedAtOnce(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return say(ctx, args...)
}
