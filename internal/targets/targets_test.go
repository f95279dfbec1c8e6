package targets

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/internal/deps"
	"github.com/backstep-net/backstep/internal/fma"
)

// wanted are the packages that must have a golden test from the day they exist.
var wanted = []string{"geom", "bits", "movement", "examples/arena", "lab"}

// bench is where the test binaries are built and from where they are run.
type bench struct{ root, bin string }

// hashes finds what a golden test logs beside what its golden file holds: runs too
// long for every day.
var hashes = regexp.MustCompile(`\d+ moves .*hash .*`)

// TestOneHashEverywhere builds the tests of each package that has goldens for each target
// and runs them there, in the package's folder.
func TestOneHashEverywhere(t *testing.T) {
	b := newBench(t)
	packages := b.packages(t)
	t.Logf("packages with golden tests: %q", packages)
	fronts := b.fronts(t)
	for _, dir := range packages {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			var first, logged []string
			for _, target := range All {
				front, ok := fronts[target.Name]
				if !ok {
					continue
				}
				output, err := b.run(t, target, front, dir, "^TestGolden")
				pass, skip := Passed(output)
				said := hashes.FindAllString(output, -1)
				for _, line := range said {
					t.Logf("%s: %s", target.Name, line)
				}
				switch {
				case err != nil:
					t.Errorf("%s: %v\n%s", target.Name, err, output)
				case len(skip) > 0:
					t.Errorf("%s: skipped %q: a golden test runs everywhere", target.Name, skip)
				case len(pass) == 0:
					t.Errorf("%s: no golden test ran\n%s", target.Name, output)
				case first == nil:
					first, logged = pass, said
				case !slices.Equal(logged, said):
					t.Errorf("%s: logged %q, want %q as on the first target", target.Name, said, logged)
				case !slices.Equal(first, pass):
					t.Errorf("%s: passed %q, want %q as on the first target", target.Name, pass, first)
				}
			}
		})
	}
}

// TestTheTargetsAreToldApart runs a sum that fuses against the golden of one
// that does not: it must fail where the processor fuses, and the one that
// rounds each product must pass everywhere.
func TestTheTargetsAreToldApart(t *testing.T) {
	b := newBench(t)
	const dir = "internal/targets/testdata/hashed"
	fronts := b.fronts(t)
	for _, target := range All {
		front, ok := fronts[target.Name]
		if !ok {
			continue
		}
		if output, err := b.run(t, target, front, dir, "^TestGolden"); err != nil {
			t.Errorf("%s: each product rounded: %v, want a pass\n%s", target.Name, err, output)
		}
		if output, err := b.run(t, target, front, dir, "^TestFusedGolden"); (err != nil) != target.Fuses {
			t.Errorf("%s: fused sum: %v, want a failure: %t\n%s", target.Name, err, target.Fuses, output)
		}
	}
}

// newBench makes a bench in a folder of its own.
func newBench(t *testing.T) bench {
	t.Helper()
	root, err := deps.Root()
	if err != nil {
		t.Fatal(err)
	}
	return bench{root, t.TempDir()}
}

// packages finds the folders that hold a golden test. It reads every source
// file, so that go test notices when one changes.
func (b bench) packages(t *testing.T) []string {
	t.Helper()
	sources, err := deps.Sources(b.root)
	if err != nil {
		t.Fatal(err)
	}
	var have, with []string
	for _, s := range sources {
		have = append(have, s.Dir())
		if s.Test() && s.Dir() != "internal/targets" && strings.Contains(s.Text, "\nfunc TestGolden") {
			with = append(with, s.Dir())
		}
	}
	for _, w := range wanted {
		if slices.Contains(have, w) && !slices.Contains(with, w) {
			t.Errorf("%s has no function TestGolden…: its results must be pinned on every target", w)
		}
	}
	slices.Sort(with)
	return slices.Compact(with)
}

// fronts maps the name of each target that this machine can run to the command
// to put in front of its binaries. It says loudly which it cannot run.
func (b bench) fronts(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, target := range All {
		front, err := target.run()
		if err == nil {
			if front, err = b.probe(t, target, front); err == nil {
				all[target.Name] = front
				continue
			}
		}
		t.Logf("NOT RUN: goldens on %s: %v", target.Name, err)
		NotRun(t, fmt.Sprintf("goldens on %s: %v", target.Name, err))
	}
	return all
}

// probe starts a test binary that does nothing. A processor older than amd64 v3
// gets the emulator.
func (b bench) probe(t *testing.T, target Target, front []string) ([]string, error) {
	t.Helper()
	const dir, nothing = "internal/targets/testdata/hashed", "^$"
	output, err := b.run(t, target, front, dir, nothing)
	if err == nil {
		return front, nil
	}
	if !strings.Contains(output, "microarchitecture support") {
		return nil, fmt.Errorf("%w: %s", err, output)
	}
	if front, err = find("qemu-x86_64-static", "qemu-user-static"); err != nil {
		return nil, err
	}
	front = append(front, "-cpu", "max")
	if output, err = b.run(t, target, front, dir, nothing); err != nil {
		return nil, fmt.Errorf("%w: %s", err, output)
	}
	return front, nil
}

// run builds the tests of a package for a target and runs those that match.
// It fails the test at once if they do not compile.
func (b bench) run(t *testing.T, target Target, front []string, dir, match string) (string, error) {
	t.Helper()
	name := strings.NewReplacer("/", "_", " ", "_").Replace(dir + " " + target.Name)
	binary := filepath.Join(b.bin, name)
	if _, err := os.Stat(binary); err != nil {
		args := []string{"test", "-c", "-ldflags=-w", "-o", binary}
		if target.Fuses {
			args = append(args, fma.Flags)
		}
		build := exec.Command("go", append(args, "./"+dir)...)
		build.Dir = b.root
		build.Env = append(build.Environ(), target.Env...)
		if output, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %s: %v\n%s", target.Name, build, err, output)
		}
	}
	line := slices.Clone(front)
	if slices.Contains(target.Env, "GOARCH=wasm") {
		line = append(line, filepath.Join(b.root, "internal", "wasi", "wasi.mjs"))
	}
	line = append(line, binary, "-test.v", "-test.run", match, "-test.timeout", "10m")
	once := func() (string, error) {
		cmd := exec.Command(line[0], line[1:]...)
		cmd.Dir = filepath.Join(b.root, dir)
		output, err := cmd.CombinedOutput()
		return string(output), err
	}
	output, err := once()
	for again := 0; again < 1 && target.Name == "wasip1 wasm"; again++ {
		var died *exec.ExitError
		if !errors.As(err, &died) || died.Exited() {
			break
		}
		t.Logf("%s: Node died of %v, which no test of ours can make it do: once more", target.Name, err)
		output, err = once()
	}
	return output, err
}
