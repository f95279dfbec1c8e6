package wasmlink

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program that leans on stacks, panics and reflection does the same after the step: the
// same output, the same exit status, and the same first line of a panic.
func TestAShrunkProgramDoesTheSame(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node here, which runs WebAssembly: install the package nodejs")
	}
	whole := build(t, "./testdata/trial")
	small := shrunk(t, whole)
	for _, ending := range []string{"", "panic", "error", "nil", "deadlock", "exit"} {
		want, got := run(t, node, whole, ending), run(t, node, small, ending)
		if got != want {
			t.Errorf("ending %q: after the step\n%s\nbefore it\n%s", ending, got, want)
		}
		if ending == "" && !strings.Contains(want, "formatted: map[a:1 b:2]") {
			t.Errorf("the program did not reach its end:\n%s", want)
		}
	}
}

// build compiles a main for the browser's target and returns the file.
func build(t *testing.T, dir string, flags ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "whole.wasm")
	cmd := exec.Command("go", append(append([]string{"build", "-trimpath", "-o", file}, flags...), dir)...)
	cmd.Env = append(cmd.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, output)
	}
	return file
}

// shrunk writes what Shrink makes of a file beside it.
func shrunk(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	small, err := Shrink(b)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, then %d", len(b), len(small))
	file = filepath.Join(t.TempDir(), "small.wasm")
	if err := os.WriteFile(file, small, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// run returns what a program printed, how it ended, and the messages without the stack
// trace, which the step is there to shorten.
func run(t *testing.T, node, file, ending string) string {
	t.Helper()
	cmd := exec.Command(node, "--no-warnings", "--stack-size=8192", "../wasi/wasi.mjs", file, ending)
	if ending == "" {
		cmd.Args = cmd.Args[:len(cmd.Args)-1]
	}
	var output, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &messages
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	said, _, _ := strings.Cut(messages.String(), "\ngoroutine ")
	return output.String() + strings.TrimSpace(said) + "\n" + cmd.ProcessState.String()
}
