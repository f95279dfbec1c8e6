package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The core of the arena stays below 800 kB with brotli, that of a small game below 600 kB.
// The bars leave a little for the next game; sizes are equal on every machine.
func TestSlowCoreSizes(t *testing.T) {
	for _, c := range []struct {
		game string
		most int // bytes
	}{
		{"arena", 790_000},
		{"jetpack", 595_000},
		{"splitview", 860_000}, // server and client
	} {
		file := filepath.Join(t.TempDir(), c.game+".wasm")
		var errs strings.Builder
		args := []string{"wasm", "--no-sizes", "-o", file, "../../examples/" + c.game + "/wasm"}
		if code := run(t.Context(), args, output{t.Output(), &errs}); code != exitFine {
			t.Fatalf("%s: exit code %d: %s", c.game, code, errs.String())
		}
		core, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := compressedSize(core)
		t.Logf("%s: %d bytes with brotli, at most %d", c.game, got, c.most)
		if got > c.most {
			t.Errorf("the core of %s has %d bytes with brotli, want at most %d", c.game, got, c.most)
		}
	}
}

// compressedSize is the size of a core with brotli at its best quality. The page's build has compressed
// most cores; doing it again takes ten seconds each.
func compressedSize(core []byte) int {
	files, _ := filepath.Glob("../../web/dist/assets/*.wasm") // the pattern is valid
	for _, file := range files {
		built, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(built, core) {
			continue
		}
		if compressed, err := os.Stat(file + ".br"); err == nil {
			return int(compressed.Size())
		}
	}
	return brotliSize(core)
}
