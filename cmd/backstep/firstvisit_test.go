package main

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/level"
)

// A first visit to the arena downloads at most 1.5 MB, from a server that compresses as it
// does in use.
func TestAFirstVisitIsSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("compresses all files of the page")
	}
	const most = 1_500_000
	folder := filepath.Join("..", "..", "web", "dist")
	if _, err := os.Stat(filepath.Join(folder, "index.html")); err != nil {
		t.Skip("no web/dist here: make web builds it")
	}
	l, err := level.Read(assets.Arena)
	if err != nil {
		t.Fatal(err)
	}
	hash := l.World.Hash()
	served := host.Level{World: l.World.AppendBinary(nil), Model: assets.Arena}
	files, err := host.Files(folder, map[string]host.Level{hash: served})
	if err != nil {
		t.Fatal(err)
	}
	paths := append(pagePaths(t, folder), "/levels/"+hash, host.ModelPath(hash, served))
	total := 0
	for _, at := range paths {
		r := httptest.NewRequest("GET", at, nil)
		r.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
		answer := httptest.NewRecorder()
		files.ServeHTTP(answer, r)
		head := answer.Header()
		if answer.Code != http.StatusOK {
			t.Fatalf("%s: status %d", at, answer.Code)
		}
		if caching := head.Get("Cache-Control"); at != "/" && !strings.Contains(caching, "immutable") {
			t.Errorf("%s: caching %q, want immutable", at, caching)
		}
		t.Logf("%8d bytes, %-4s %s", answer.Body.Len(), head.Get("Content-Encoding"), at)
		total += answer.Body.Len()
	}
	t.Logf("%8d bytes in all, at most %d", total, most)
	if total > most {
		t.Errorf("a first visit downloads %d bytes, want at most %d", total, most)
	}
}

// pagePaths returns the paths of what the built page of the arena loads: its own file, and each asset that is
// named in one of them.
func pagePaths(t *testing.T, folder string) []string {
	t.Helper()
	names, err := fs.Glob(os.DirFS(folder), "assets/*")
	if err != nil {
		t.Fatal(err)
	}
	files := []string{"index.html"}
	for i := 0; i < len(files); i++ {
		text, err := os.ReadFile(filepath.Join(folder, files[i]))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if !strings.HasSuffix(name, ".br") && bytes.Contains(text, []byte(path.Base(name))) && !slices.Contains(files, name) {
				files = append(files, name)
			}
		}
	}
	paths := []string{"/"}
	for _, name := range files[1:] {
		paths = append(paths, "/"+name)
	}
	return paths
}
