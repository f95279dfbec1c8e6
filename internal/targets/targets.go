// Package targets runs the golden tests of every package on every processor
// the game is played on, so that one committed hash holds on all of them. Start
// at the test; All names the targets.
//
// A golden test is a function whose name begins with TestGolden and that
// compares what it computes with a file under testdata. Writing one is enough:
// it is found by its name.
package targets

import (
	"fmt"
	"os/exec"
	"regexp"
	"runtime"

	"github.com/backstep-net/backstep/internal/wasi"
)

// Target is one kind of machine.
type Target struct {
	// Name is for test names and messages: system, architecture and, for amd64, its level.
	Name string
	// Env is what the go command needs to build for it.
	Env []string
	// Fuses reports whether the processor has instructions that round a*b+c once.
	// Then the tests are built under fma.Flags, as internal/fma has built them.
	Fuses bool
	// run is the command in front of the test binary that this machine needs.
	run func() ([]string, error)
}

// All are the four targets, the plainest first.
//
// The first is built as go test builds on such a machine, and finds in the cache what
// that has compiled; the others do without C, as internal/fma does.
var All = []Target{
	{"linux amd64 v1", []string{"GOOS=linux", "GOARCH=amd64", "GOAMD64=v1"}, false, emulated("amd64", "qemu-x86_64-static")},
	{"linux amd64 v3", []string{"GOOS=linux", "GOARCH=amd64", "GOAMD64=v3", "CGO_ENABLED=0"}, true, emulated("amd64", "qemu-x86_64-static")},
	{"linux arm64", []string{"GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0"}, true, emulated("arm64", "qemu-aarch64-static")},
	{"wasip1 wasm", []string{"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0"}, false, wasi.Front},
}

// emulated returns nothing to put in front on a machine of that kind, and the
// emulator on others.
func emulated(goarch, emulator string) func() ([]string, error) {
	return func() ([]string, error) {
		if runtime.GOOS == "linux" && runtime.GOARCH == goarch {
			return nil, nil
		}
		return find(emulator, "qemu-user-static")
	}
}

// find looks a program up in the path.
func find(program, pkg string) ([]string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, fmt.Errorf("targets: no %s here: install the package %s", program, pkg)
	}
	return []string{path}, nil
}

// passed matches a golden test that ran to its end under -test.v.
var passed = regexp.MustCompile(`(?m)^\s*--- PASS: (TestGolden\S*)`)

// skipped matches one that was left out.
var skipped = regexp.MustCompile(`(?m)^\s*--- SKIP: (TestGolden\S*)`)

// Passed returns the golden tests that output says passed, and those skipped.
func Passed(output string) (pass, skip []string) {
	for _, m := range passed.FindAllStringSubmatch(output, -1) {
		pass = append(pass, m[1])
	}
	for _, m := range skipped.FindAllStringSubmatch(output, -1) {
		skip = append(skip, m[1])
	}
	return pass, skip
}
