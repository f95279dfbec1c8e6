package setting

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every variable that this project's own programs and tests read is a setting or known to mean something else: else
// a test that sets it makes each server that it starts refuse to.
func TestOwnVariablesAreKnown(t *testing.T) {
	read := regexp.MustCompile(`(?:Getenv|LookupEnv)\("` + Prefix + `([A-Z_]+)"`)
	n := 0
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "node_modules" || e.Name() == ".git" || e.Name() == "build") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		b, err := os.ReadFile(path)
		for _, m := range read.FindAllSubmatch(b, -1) {
			n++
			if name := string(m[1]); !slices.Contains(others, name) && !strings.HasPrefix(name, "TEST_") {
				t.Errorf("%s reads %s%s: add it to others", path, Prefix, name)
			}
		}
		return err
	})
	if err != nil || n < 5 {
		t.Errorf("%d variables found: %v", n, err)
	}
}
