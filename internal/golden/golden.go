// Package golden compares what a test computed with a committed file. Start at Check.
package golden

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the files under testdata; explain the difference in the commit")

// Check fails the test unless got is the content of file, which is relative to the package's folder. With the
// flag -update it writes got to the file first.
func Check(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s:\ngot\n%swant\n%s", file, got, want)
	}
}
