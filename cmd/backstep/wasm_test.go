package main

import (
	"os"
	"strings"
	"testing"
)

// A user's module, in a folder of its own, gets a core and its twin for stack traces.
func TestWasmBuildsTheCoreOfAnotherModule(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"go.mod":  "module game\n\ngo 1.26\n",
		"main.go": "package main\n\nfunc main() {}\n\n//go:wasmexport one\nfunc one() int32 { return 1 }\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var said, errs strings.Builder
	if code := run(t.Context(), []string{"wasm", "--no-sizes", "-o", "core.wasm", "."}, output{&said, &errs}); code != exitFine {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	if !strings.Contains(errs.String(), "the first build of a core") {
		t.Errorf("the first build prints %q, want that it takes minutes", errs.String())
	}
	errs.Reset()
	if code := run(t.Context(), []string{"wasm", "--no-sizes", "-o", "core.wasm", "."}, output{&said, &errs}); code != exitFine || errs.String() != "" {
		t.Errorf("the second build: exit code %d, errors %q; want none", code, errs.String())
	}
	small, whole := size(t, "core.wasm"), size(t, "core.debug.wasm")
	if small >= whole || small == 0 {
		t.Errorf("%d bytes of %d: the core is not smaller than its twin", small, whole)
	}
	for _, want := range []string{"core.wasm: ", "core.debug.wasm: "} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("printed %q, want the size of %s", said.String(), want)
		}
	}
	if code := run(t.Context(), []string{"wasm", "--no-sizes", "--no-shrink", "-o", "plain.wasm", "."}, output{&said, &errs}); code != exitFine || size(t, "plain.wasm") != whole {
		t.Errorf("--no-shrink: exit code %d, %d bytes; want the twin's %d: %s", code, size(t, "plain.wasm"), whole, errs.String())
	}
	if _, err := os.Stat("plain.debug.wasm"); err == nil {
		t.Error("--no-shrink: there is a twin of the same")
	}
	for args, want := range map[string]string{"-o core.js .": "does not end in .wasm", "-o a.wasm ./nowhere": "go build"} {
		errs.Reset()
		code := run(t.Context(), append([]string{"wasm"}, strings.Fields(args)...), output{&said, &errs})
		if code != exitFailure || !strings.Contains(errs.String(), want) {
			t.Errorf("wasm %s: code %d, %q; want an error that says %q", args, code, errs.String(), want)
		}
	}
}

// size returns the length of a file.
func size(t *testing.T, name string) int64 {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
