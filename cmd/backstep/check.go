package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/backstep-net/backstep/internal/fma"
	"github.com/backstep-net/backstep/internal/wasi"
)

type checkCommand struct {
	Package string `arg:"" default:"./game" help:"The package of the game's rules, with a test that calls check.Game."`
}

// hashLine is what check.Game logs of the states that it reached.
var hashLine = regexp.MustCompile(`check: \d+ commands of seed \d+ lead to the hash [0-9a-f]{16}`)

// Run tests the rules as this machine and as a browser compute them, and how processors round.
func (c *checkCommand) Run(ctx context.Context, out output) error {
	test := exec.CommandContext(ctx, "go", "test", "-count=1", "-v", c.Package)
	native, err := test.CombinedOutput()
	if err != nil {
		return fmt.Errorf("check: the rules are not right:\n%s", native)
	}
	want := hashLine.FindAllString(string(native), -1)
	if len(want) == 0 {
		return fmt.Errorf("check: no test of %s calls check.Game: see go doc github.com/backstep-net/backstep/check", c.Package)
	}
	fmt.Fprintf(out, "rules     ok  %s\n", strings.ReplaceAll(strings.Join(want, "\n              "), "check: ", ""))
	sums, err := fma.Sums(".", c.Package)
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	if len(sums) > 0 {
		return fmt.Errorf("check: sums that some processors round otherwise: write float64(a*b) + c\n%s", strings.Join(sums, "\n"))
	}
	fmt.Fprintln(out, "rounding  ok  arm64 and amd64 v3 round as this machine does")
	got, err := c.browserHashes(ctx)
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	if lines := differing(got, want); lines != "" {
		return fmt.Errorf("check: WebAssembly computes something else: the rules must use nothing but their arguments:\n%s", lines)
	}
	fmt.Fprintln(out, "browser   ok  WebAssembly leads to the same hash")
	return nil
}

// differing lists what of two lists of hashes is in one of them only. Their order may be that of tests that run over a map.
func differing(browser, native []string) string {
	var lines []string
	for _, h := range native {
		if i := slices.Index(browser, h); i >= 0 {
			browser = slices.Delete(slices.Clone(browser), i, i+1)
		} else {
			lines = append(lines, "natively     "+h)
		}
	}
	for _, h := range browser {
		lines = append(lines, "WebAssembly  "+h)
	}
	return strings.Join(lines, "\n")
}

// browserHashes runs the same tests as WebAssembly, under Node, and returns the hashes that they log.
func (c *checkCommand) browserHashes(ctx context.Context) ([]string, error) {
	front, err := wasi.Front()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "backstep-check-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	script, program := filepath.Join(folder, "wasi.mjs"), filepath.Join(folder, "test.wasm")
	if err := os.WriteFile(script, wasi.Script, 0o666); err != nil {
		return nil, err
	}
	build := exec.CommandContext(ctx, "go", "test", "-c", "-o", program, c.Package)
	build.Env = append(build.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if b, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building for WebAssembly: %w\n%s", err, b)
	}
	run := exec.CommandContext(ctx, front[0], append(front[1:], script, program, "-test.v")...)
	run.Dir = c.Package
	b, err := run.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("the tests fail as WebAssembly:\n%s", bytes.TrimSpace(b))
	}
	return hashLine.FindAllString(string(b), -1), err
}
