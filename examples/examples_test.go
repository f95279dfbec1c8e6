// Package examples_test holds what all examples have in common: each is small and has what its reader
// expects.
package examples_test

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// limits are the most lines of examples that promise less than 300.
var limits = map[string]int{"minimal": 60}

const (
	maxLines   = 300 // of rules, server, bot, core and page
	maxPicture = 200_000
	maxWidth   = 900 // pixels
)

// An example with a page has at most 300 lines, a README with its picture, and a row in the gallery.
func TestEachExampleIsSmallAndShown(t *testing.T) {
	pages, err := filepath.Glob("*/web")
	if err != nil || len(pages) < 2 {
		t.Fatalf("got %v, %v, want the examples' pages", pages, err)
	}
	gallery := read(t, "README.md")
	for _, page := range pages {
		name := filepath.Dir(page)
		limit := maxLines
		if n, ok := limits[name]; ok {
			limit = n
		}
		lines := countLines(t, name)
		t.Logf("%s: %d lines", name, lines)
		if lines > limit || lines < 30 {
			t.Errorf("%s: got %d lines, want at most %d", name, lines, limit)
		}
		if !strings.Contains(gallery, "]("+name+")") || !strings.Contains(gallery, "]("+name+"/picture.png)") {
			t.Errorf("%s: README.md has no row with its link and its picture", name)
		}
		if !strings.Contains(read(t, name+"/README.md"), "](picture.png)") {
			t.Errorf("%s: its README does not show picture.png", name)
		}
		picture := read(t, name+"/picture.png")
		size, err := png.DecodeConfig(bytes.NewReader([]byte(picture)))
		if err != nil || size.Width > maxWidth || len(picture) > maxPicture {
			t.Errorf("%s: got a picture of %d bytes, %d px wide, %v, want at most %d bytes and %d px", name, len(picture), size.Width, err, maxPicture, maxWidth)
		}
	}
}

// countLines returns the lines of an example without its tests and generated files.
func countLines(t *testing.T, name string) (lines int) {
	for _, pattern := range []string{"*.go", "*/*.go", "web/*.ts", "web/*.html", "web/*.css"} {
		files, err := filepath.Glob(filepath.Join(name, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !strings.HasSuffix(f, "_test.go") && !strings.HasSuffix(f, ".d.ts") {
				lines += strings.Count(read(t, f), "\n")
			}
		}
	}
	return lines
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
