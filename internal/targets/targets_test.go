package targets

import (
	"errors"
	"flag"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/backstep-net/backstep/internal/deps"
)

// wanted are the packages that must have a golden test from the day they exist.
var wanted = []string{"geom", "bits", "movement", "examples/arena", "lab"}

// only selects one package, by its folder.
var only = flag.String("only", "", "the folder of the only package to test")

// hashed is the folder of two sums: one that fuses, and one that rounds each product.
const hashed = "internal/targets/testdata/hashed"

// logged finds what a golden test logs beside what its golden file holds: runs too
// long for every day.
var logged = regexp.MustCompile(`\d+ moves .*hash .*`)

// TestSlowOneHashEverywhere builds the tests of the packages that have goldens for each target
// and runs them there, each in the package's folder.
func TestSlowOneHashEverywhere(t *testing.T) {
	root, packages := root(t), packages(t)
	t.Logf("packages with golden tests: %q", packages)
	var targets []Target
	results := map[string]map[string]*Results{} // by target
	for _, target := range All {
		p := probed()[target.Name]
		if p.err != nil {
			t.Logf("NOT RUN: goldens on %s: %v", target.Name, p.err)
			NotRun(t, fmt.Sprintf("goldens on %s: %v", target.Name, p.err))
			continue
		}
		all, err := test(root, target, p.front, "^TestGolden", packages...)
		if err != nil {
			t.Fatalf("%s: %v", target.Name, err)
		}
		targets, results[target.Name] = append(targets, target), all
	}
	for _, dir := range packages {
		t.Run(dir, func(t *testing.T) {
			var first *Results
			for _, target := range targets {
				r := results[target.Name][deps.Module+"/"+dir]
				if r == nil {
					t.Errorf("%s: did not run", target.Name)
					continue
				}
				said := logged.FindAllString(r.Output, -1)
				for _, line := range said {
					t.Logf("%s: %s", target.Name, line)
				}
				switch {
				case !r.OK || len(r.Failed) > 0:
					t.Errorf("%s: failed\n%s", target.Name, r.Output)
				case len(r.Skipped) > 0:
					t.Errorf("%s: skipped %q: a golden test runs everywhere", target.Name, r.Skipped)
				case len(r.Passed) == 0:
					t.Errorf("%s: no golden test ran\n%s", target.Name, r.Output)
				case first == nil:
					first = r
				case !slices.Equal(logged.FindAllString(first.Output, -1), said):
					t.Errorf("%s: logged %q, want what the first target logged", target.Name, said)
				case !slices.Equal(first.Passed, r.Passed):
					t.Errorf("%s: passed %q, want %q as on the first target", target.Name, r.Passed, first.Passed)
				}
			}
		})
	}
}

// TestSlowTheTargetsAreToldApart looks at a sum that fuses and has the golden of one
// that does not: it must fail where the processor fuses, and the one that
// rounds each product must pass everywhere.
func TestSlowTheTargetsAreToldApart(t *testing.T) {
	for _, target := range All {
		p := probed()[target.Name]
		if p.err != nil {
			continue // TestSlowOneHashEverywhere says so
		}
		if !slices.Contains(p.results.Passed, "TestGoldenRounded") {
			t.Errorf("%s: each product rounded: want a pass\n%s", target.Name, p.results.Output)
		}
		if failed := slices.Contains(p.results.Failed, "TestFusedGolden"); failed != target.Fuses {
			t.Errorf("%s: fused sum: failed: %t, want %t\n%s", target.Name, failed, target.Fuses, p.results.Output)
		}
	}
}

// probe is how a target runs on this machine.
type probe struct {
	front   []string // the command in front of a test binary
	results *Results // of the package hashed
	err     error    // why it does not run
}

// probed runs the tests of hashed on each target.
var probed = sync.OnceValue(func() map[string]probe {
	all := map[string]probe{}
	for _, target := range All {
		p := probe{}
		if p.front, p.err = target.run(); p.err == nil {
			p = probeWith(target, p.front)
		}
		if p.results != nil && strings.Contains(p.results.Output, "microarchitecture support") {
			// A processor older than amd64 v3 gets the emulator.
			if p.front, p.err = find("qemu-x86_64-static", "qemu-user-static"); p.err == nil {
				p = probeWith(target, append(p.front, "-cpu", "max"))
			}
		}
		all[target.Name] = p
	}
	return all
})

// probeWith runs the tests of hashed with a command in front of them.
func probeWith(target Target, front []string) probe {
	root, err := deps.Root()
	if err != nil {
		return probe{err: err}
	}
	all, err := test(root, target, front, "^Test", hashed)
	r := all[path.Join(deps.Module, hashed)]
	if err == nil && (r == nil || len(r.Passed)+len(r.Failed) == 0) {
		err = errors.New("no test ran")
		if r != nil {
			err = fmt.Errorf("no test ran: %s", r.Output)
		}
	}
	return probe{front, r, err}
}

// root is the module's folder.
func root(t *testing.T) string {
	t.Helper()
	dir, err := deps.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// packages finds the folders that hold a golden test. It reads every source
// file, so that go test notices when one changes.
func packages(t *testing.T) []string {
	t.Helper()
	sources, err := deps.Sources(root(t))
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
	if *only != "" {
		if !slices.Contains(with, *only) {
			t.Fatalf("-only: %s has no golden test", *only)
		}
		return []string{*only}
	}
	slices.Sort(with)
	return slices.Compact(with)
}

// test builds the tests of packages for a target and runs those that match, with one go command
// for all. Results has what failed; an error means that there are none.
func test(root string, target Target, front []string, match string, packages ...string) (map[string]*Results, error) {
	args := []string{"test", "-json", "-vet=off", "-timeout=10m", "-run=" + match}
	if target.Flag != "" {
		args = append(args, target.Flag)
	}
	if slices.Contains(target.Env, "GOARCH=wasm") {
		front = append(slices.Clone(front), filepath.Join(root, "internal", "wasi", "wasi.mjs"))
	}
	if len(front) > 0 {
		args = append(args, "-exec="+strings.Join(front, " "))
	}
	for _, dir := range packages {
		args = append(args, "./"+dir)
	}
	once := func(args []string) (map[string]*Results, error) {
		cmd := exec.Command("go", args...)
		cmd.Dir = root
		cmd.Env = append(cmd.Environ(), target.Env...)
		var complaints strings.Builder
		cmd.Stderr = &complaints
		output, err := cmd.Output()
		all, unread := Read(output)
		if unread != nil || len(all) == 0 {
			return nil, fmt.Errorf("%s: %w\n%s%s", cmd, errors.Join(err, unread), output, &complaints)
		}
		return all, nil
	}
	all, err := once(args)
	if target.Name != "wasip1 wasm" {
		return all, err
	}
	for pkg, r := range all {
		if !r.OK && strings.Contains(r.Output, "\nsignal: ") { // Node died, which no test of ours can make it do: once more
			again, err := once(append(args[:len(args)-len(packages):len(args)-len(packages)], pkg))
			if err != nil {
				return nil, err
			}
			all[pkg] = again[pkg]
		}
	}
	return all, err
}
