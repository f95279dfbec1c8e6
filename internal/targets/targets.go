// Package targets runs the golden tests of every package on every processor
// the game is played on, so that one committed hash holds on all of them. Start
// at the test; All names the targets.
//
// A golden test is a function whose name begins with TestGolden and that
// compares what it computes with a file under testdata. Writing one is enough:
// it is found by its name.
package targets

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"

	"github.com/backstep-net/backstep/internal/fma"
	"github.com/backstep-net/backstep/internal/wasi"
)

// Target is one kind of machine.
type Target struct {
	// Name is for test names and messages: system, architecture and, for amd64, its level.
	Name string
	// Env is what the go command needs to build for it.
	Env []string
	// Flag is what the go command needs beside, or empty: fma.Flags where internal/fma has built the packages.
	Flag string
	// Fuses reports whether the processor has instructions that round a*b+c once.
	Fuses bool
	// run is the command in front of a test binary that this machine needs.
	run func() ([]string, error)
}

// All are the four targets, the plainest first.
//
// The first is built as go test builds on such a machine, and finds in the cache what
// that has compiled; the last as backstep wasm builds a browser core; the others do
// without C, as internal/fma does.
var All = []Target{
	{"linux amd64 v1", []string{"GOOS=linux", "GOARCH=amd64", "GOAMD64=v1"}, "", false, emulated("amd64", "qemu-x86_64-static")},
	{"linux amd64 v3", []string{"GOOS=linux", "GOARCH=amd64", "GOAMD64=v3", "CGO_ENABLED=0"}, fma.Flags, true, emulated("amd64", "qemu-x86_64-static")},
	{"linux arm64", []string{"GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0"}, fma.Flags, true, emulated("arm64", "qemu-aarch64-static")},
	{"wasip1 wasm", []string{"GOOS=wasip1", "GOARCH=wasm"}, "-trimpath", false, wasi.Front},
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

// Results are the tests of one package that ran on a target.
type Results struct {
	// Passed, Skipped and Failed are the names of tests.
	Passed, Skipped, Failed []string
	// OK reports whether the package as a whole passed.
	OK bool
	// Output is what the package and its tests printed.
	Output string
}

// event is one line of go test -json.
type event struct{ Action, Package, ImportPath, Test, Output string }

// Read returns the results of each package in the output of go test -json, by import path. Subtests are
// left out. The compiler's messages are in the output of the package that it compiled.
func Read(output []byte) (map[string]*Results, error) {
	all := map[string]*Results{}
	for d := json.NewDecoder(bytes.NewReader(output)); ; {
		var e event
		if err := d.Decode(&e); err == io.EOF {
			return all, nil
		} else if err != nil {
			return all, fmt.Errorf("targets: go test -json: %w", err)
		}
		pkg, _, _ := strings.Cut(cmp.Or(e.Package, e.ImportPath), " ")
		r := all[pkg]
		if r == nil {
			r = &Results{}
			all[pkg] = r
		}
		r.Output += e.Output
		r.OK = r.OK || e.Test == "" && e.Action == "pass"
		if e.Test == "" || strings.Contains(e.Test, "/") {
			continue
		}
		switch e.Action {
		case "pass":
			r.Passed = append(r.Passed, e.Test)
		case "skip":
			r.Skipped = append(r.Skipped, e.Test)
		case "fail":
			r.Failed = append(r.Failed, e.Test)
		}
	}
}
