package check

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/internal/fma"
)

// Rounding compiles packages for processors that have fused multiply-adds, and reports each sum
// that the compiler would fuse: a*b + c is rounded once there and twice elsewhere, so a server on
// one and a client on the other part ways. The pattern is the go command's, relative to the test's
// folder. Code that does not run on both ends may fuse: keep it in packages of its own. It needs
// the go command, and is skipped without.
func Rounding(t testing.TB, pattern string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("check: no go command")
	}
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, env := range [][]string{{"GOARCH=arm64"}, {"GOARCH=amd64", "GOAMD64=v3"}} {
		c := exec.Command("go", "build", "-gcflags=-d=fmahash=/", "-o", os.DevNull, pattern)
		c.Env = append(append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux"), env...)
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		failed := c.Run()
		found, err := fma.Scan(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if own(f, folder) {
				t.Errorf("check: %s:%s is fused on %s: write float64(a*b) + c", f.File, f.Line, strings.Join(env, " "))
			}
		}
		if failed != nil {
			t.Fatalf("check: go build %s: %v\n%s", pattern, failed, &out)
		}
	}
}

// own reports whether a sum is written in the game itself, and not in a function of the library that
// was inlined. The go command names a file relative to the folder, or with -trimpath by its package.
func own(f fma.Found, folder string) bool {
	_, err := os.Stat(filepath.Join(folder, f.File))
	return strings.HasPrefix(f.File, folder) || path.Dir(f.File) == f.Package || err == nil
}
