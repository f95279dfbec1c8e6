package main

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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
	for _, path := range paths {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Accept-Encoding", "gzip, deflate, br, zstd")
		answer := httptest.NewRecorder()
		files.ServeHTTP(answer, r)
		head := answer.Header()
		if answer.Code != http.StatusOK {
			t.Fatalf("%s: status %d", path, answer.Code)
		}
		if caching := head.Get("Cache-Control"); path != "/" && !strings.Contains(caching, "immutable") {
			t.Errorf("%s: caching %q, want immutable", path, caching)
		}
		t.Logf("%8d bytes, %-4s %s", answer.Body.Len(), head.Get("Content-Encoding"), path)
		total += answer.Body.Len()
	}
	t.Logf("%8d bytes in all, at most %d", total, most)
	if total > most {
		t.Errorf("a first visit downloads %d bytes, want at most %d", total, most)
	}
}

// pagePaths returns the paths of all files of a built page.
func pagePaths(t *testing.T, folder string) []string {
	t.Helper()
	paths := []string{"/"}
	names, err := fs.Glob(os.DirFS(folder), "assets/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".br") {
			paths = append(paths, "/"+name)
		}
	}
	return paths
}
