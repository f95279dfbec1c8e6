package fma

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// Sums compiles the packages of a pattern of the go command, relative to a folder, for the processors
// that fuse, and describes each sum of the packages' own that the compiler would fuse: its file, line and
// processor. It needs the go command.
func Sums(folder, pattern string) (sums []string, err error) {
	for _, env := range [][]string{{"GOARCH=arm64"}, {"GOARCH=amd64", "GOAMD64=v3"}} {
		c := exec.Command("go", "build", "-gcflags=-d=fmahash=/", "-o", os.DevNull, pattern)
		c.Dir = folder
		c.Env = append(append(c.Environ(), "CGO_ENABLED=0", "GOOS=linux"), env...)
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		failed := c.Run()
		found, err := Scan(bytes.NewReader(out.Bytes()))
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if own(f, folder) {
				sums = append(sums, fmt.Sprintf("%s:%s is fused on %s", f.File, f.Line, strings.Join(env, " ")))
			}
		}
		if failed != nil {
			return nil, fmt.Errorf("go build %s: %w\n%s", pattern, failed, withoutSums(out.String()))
		}
	}
	return sums, nil
}

// withoutSums returns what the compiler says besides: "bisect-match 0x1" lines come with those of the sums.
func withoutSums(said string) string {
	var kept strings.Builder
	for line := range strings.Lines(said) {
		if !strings.Contains(line, "bisect-match") && !strings.Contains(line, " triggered ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// own reports whether a sum is written in the packages themselves, and not in a function of another
// that was inlined. The go command names a file relative to the folder, or with -trimpath by its package.
func own(f Found, folder string) bool {
	_, err := os.Stat(filepath.Join(folder, f.File))
	return strings.HasPrefix(f.File, folder) || path.Dir(f.File) == f.Package || err == nil
}
